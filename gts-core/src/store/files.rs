//! The files of a store: their names, their entries in the manifest, and the encoding of tables.

use super::StoreError;
use bytemuck::Pod;
use gts_contract::Side;
use std::borrow::Cow;
use std::ffi::OsString;
use std::path::Path;

/// The file name of the manifest.
pub(super) const MANIFEST: &str = "manifest";

/// A file of a store other than the manifest. There are no other names, so a manifest cannot refer to files outside the
/// store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileName {
    /// The pages of a direction, without gaps.
    Pages(Side),
    /// The checksum of each page, as u64.
    Sums(Side),
    /// The first vertex of each page, as u64.
    StartVids(Side),
    /// The LP_RANGE of each page, as u32.
    LpRanges(Side),
    /// The imbalance of each page, as u64.
    Imbalance(Side),
    /// The degree of each vertex, as u32.
    Degrees(Side),
    /// The original IDs in ascending order, as u64.
    Ids,
    /// The names or UUIDs in ascending order, in blocks.
    Names,
    /// The offset and the checksum of each block of names, as u64.
    NamesIndex,
    /// The dense number of each vertex in ascending order of original IDs, as u32.
    Order,
    /// The first out-neighbour of each vertex, as u32; `u32::MAX` if there is none.
    Heads,
}

impl FileName {
    /// All file names other than the manifest's.
    const ALL: [Self; 17] = [
        Self::Pages(Side::Out),
        Self::Pages(Side::In),
        Self::Sums(Side::Out),
        Self::Sums(Side::In),
        Self::StartVids(Side::Out),
        Self::StartVids(Side::In),
        Self::LpRanges(Side::Out),
        Self::LpRanges(Side::In),
        Self::Imbalance(Side::Out),
        Self::Imbalance(Side::In),
        Self::Degrees(Side::Out),
        Self::Degrees(Side::In),
        Self::Ids,
        Self::Names,
        Self::NamesIndex,
        Self::Order,
        Self::Heads,
    ];

    pub(super) fn text(self) -> &'static str {
        match self {
            Self::Pages(Side::Out) => "out.pages",
            Self::Pages(Side::In) => "in.pages",
            Self::Sums(Side::Out) => "out.sums",
            Self::Sums(Side::In) => "in.sums",
            Self::StartVids(Side::Out) => "out.start-vids",
            Self::StartVids(Side::In) => "in.start-vids",
            Self::LpRanges(Side::Out) => "out.lp-ranges",
            Self::LpRanges(Side::In) => "in.lp-ranges",
            Self::Imbalance(Side::Out) => "out.imbalance",
            Self::Imbalance(Side::In) => "in.imbalance",
            Self::Degrees(Side::Out) => "out.degrees",
            Self::Degrees(Side::In) => "in.degrees",
            Self::Ids => "ids",
            Self::Names => "names",
            Self::NamesIndex => "names.index",
            Self::Order => "order",
            Self::Heads => "heads",
        }
    }
}

/// Returns whether `name` is the name of a store's file.
pub(super) fn is_store_file(name: &str) -> bool {
    name == MANIFEST || FileName::ALL.iter().any(|file| file.text() == name)
}

/// Returns the names for which `is_known` is false, sorted.
pub(super) fn foreign_names(names: &[OsString], is_known: impl Fn(&str) -> bool) -> Vec<String> {
    let foreign = names.iter().filter(|name| !name.to_str().is_some_and(&is_known));
    let mut foreign: Vec<_> = foreign.map(|name| name.to_string_lossy().into_owned()).collect();
    foreign.sort();
    foreign
}

/// The manifest's entry for a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileEntry {
    pub(crate) name: FileName,
    pub(crate) bytes: u64,
    /// The checksum of a table. For pages and names, the checksum of the table of their checksums.
    pub(crate) checksum: u64,
}

/// Returns a function that adds the action and the path to a system error.
pub(crate) fn failed<'a>(action: &'static str, path: &'a Path) -> impl Fn(std::io::Error) -> StoreError + use<'a> {
    move |source| StoreError::Io { action, path: path.to_owned(), source }
}

/// Converts a table to the little-endian byte order of files.
pub(super) fn little_endian<T: Number>(table: &[T]) -> Cow<'_, [T]> {
    match cfg!(target_endian = "little") {
        true => Cow::Borrowed(table),
        false => table.iter().map(|number| number.swapped()).collect(),
    }
}

/// A type of number that tables contain.
pub(crate) trait Number: Pod + Send + Sync {
    /// Converts between little-endian and native byte order.
    fn swapped(self) -> Self;
}

impl Number for u32 {
    fn swapped(self) -> Self {
        Self::from_le(self)
    }
}

impl Number for u64 {
    fn swapped(self) -> Self {
        Self::from_le(self)
    }
}
