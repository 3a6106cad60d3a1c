//! Keys of vertices, as files and summaries contain them.

use crate::cell::Cell;
use gts_graph::Result;
use gts_graph::algorithm::Scalar;
use gts_graph::core::graph::{IdMap, Key};
use gts_graph::core::store::StoreError;
use std::ops::Range;

/// Iterates over the keys of a range of ranks.
pub(crate) fn of_ranks(ids: &IdMap, ranks: Range<usize>) -> impl Iterator<Item = Result<Cell<'_>>> + '_ {
    ids.keys(ranks.start as u64..ranks.end as u64).map(cell)
}

/// Returns the key of the vertex with an original ID.
pub(crate) fn of_original(ids: &IdMap, original: u64) -> Result<Cell<'static>> {
    cell(ids.key_of(original))
}

fn cell<'a>(key: std::result::Result<Key<'static>, StoreError>) -> Result<Cell<'a>> {
    Ok(of_key(key?))
}

/// Returns the cell of a key, without its side.
pub(crate) fn of_key(key: Key<'_>) -> Cell<'_> {
    match key.without_side() {
        Key::Number(number) => Cell::Value(Scalar::Unsigned(number)),
        Key::Signed(number) => Cell::Value(Scalar::Signed(number)),
        Key::Text(text) => Cell::Text(text),
        key => Cell::Text(key.to_string().into()),
    }
}
