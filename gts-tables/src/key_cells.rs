//! Keys of vertices as cells.

use crate::writer::{CellType, CellValues};
use gts_core::graph::{Key, KeyKind};
use gts_core::store::StoreError;
use std::io;

/// Returns the type of the cells of keys.
pub fn key_type(kind: KeyKind) -> CellType {
    match kind {
        KeyKind::Number => CellType::U64,
        KeyKind::Signed => CellType::I64,
        KeyKind::Uuid => CellType::Uuid,
        KeyKind::Text => CellType::Text,
    }
}

/// Returns keys as cells, without their sides.
///
/// # Errors
///
/// A key cannot be read.
pub fn key_cells<'a>(
    kind: KeyKind,
    keys: impl Iterator<Item = Result<Key<'a>, StoreError>>,
) -> io::Result<CellValues<'a>> {
    let keys = keys.map(|key| key.map(Key::without_side).map_err(io::Error::other));
    Ok(match kind {
        KeyKind::Number => {
            CellValues::U64(listed(keys, |key| if let Key::Number(number) = key { Some(number) } else { None })?.into())
        }
        KeyKind::Signed => {
            CellValues::I64(listed(keys, |key| if let Key::Signed(number) = key { Some(number) } else { None })?.into())
        }
        KeyKind::Uuid => {
            CellValues::Uuid(listed(keys, |key| if let Key::Uuid(bytes) = key { Some(bytes) } else { None })?)
        }
        KeyKind::Text => {
            CellValues::Text(listed(keys, |key| if let Key::Text(text) = key { Some(text) } else { None })?)
        }
    })
}

/// Returns the contents of keys. A key of another type has the default.
fn listed<'a, T: Default>(
    keys: impl Iterator<Item = io::Result<Key<'a>>>,
    content: impl Fn(Key<'a>) -> Option<T>,
) -> io::Result<Vec<T>> {
    keys.map(|key| Ok(content(key?).unwrap_or_default())).collect()
}
