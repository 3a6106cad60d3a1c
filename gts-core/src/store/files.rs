//! The files of a store: their names and sizes, and the encoding of tables.

use super::StoreError;
use super::directory::Directory;
use super::io::{Io, Reader};
use super::manifest::{Manifest, Pages};
use crate::graph::{PageId, VertexOrder};
use crate::memory;
use crate::phase::{Phase, Shares};
use bytemuck::Pod;
use gts_contract::Side;
use rayon::prelude::*;
use std::borrow::Cow;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_64;

/// The number of bytes per read call of a thread: few enough to stay in the core's cache until the thread verifies
/// them.
pub(super) const PIECE: usize = 1 << 20;
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
    /// The dense number of each vertex in ascending order of original IDs, as u32.
    Order,
    /// The first out-neighbour of each vertex, as u32; `u32::MAX` if there is none.
    Heads,
}

impl FileName {
    /// All file names other than the manifest's.
    const ALL: [Self; 15] = [
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
    /// The checksum of a table. For pages, the checksum of the table of page checksums.
    pub(crate) checksum: u64,
}

/// Returns the files that a store must have, with their sizes. Returns `None` if a size exceeds 64 bits.
pub(super) fn expected_files(manifest: &Manifest) -> Option<Vec<(FileName, u64)>> {
    let mut files = Vec::new();
    let mut side = |side, pages: Pages| {
        let count = u64::from(pages.count);
        files.push((FileName::Pages(side), count.checked_mul(u64::from(manifest.page_size))?));
        files.push((FileName::Sums(side), count.checked_mul(8)?));
        files.push((FileName::StartVids(side), count.checked_mul(8)?));
        files.push((FileName::LpRanges(side), count.checked_mul(4)?));
        files.push((FileName::Imbalance(side), count.checked_mul(8)?));
        Some(())
    };
    side(Side::Out, manifest.out)?;
    if let Some(pages) = manifest.incoming {
        side(Side::In, pages)?;
    }
    let four = manifest.vertices.checked_mul(4)?;
    files.push((FileName::Degrees(Side::Out), four));
    if !manifest.properties.symmetric {
        files.push((FileName::Degrees(Side::In), four));
    }
    if manifest.first_id.is_none() {
        files.push((FileName::Ids, manifest.vertices.checked_mul(8)?));
    }
    if manifest.properties.order != VertexOrder::Original {
        files.push((FileName::Order, four));
    }
    if manifest.properties.order == VertexOrder::Degree {
        files.push((FileName::Heads, four));
    }
    Some(files)
}

/// Returns a function that adds the action and the path to a system error.
pub(crate) fn failed<'a>(action: &'static str, path: &'a Path) -> impl Fn(std::io::Error) -> StoreError + use<'a> {
    move |source| StoreError::Io { action, path: path.to_owned(), source }
}

/// An open file whose size matches the manifest.
pub(super) struct OpenFile {
    pub(super) reader: Box<dyn Reader>,
    pub(super) entry: FileEntry,
}

/// The open directories of a store and its stripes.
pub(super) struct StoreFiles<'a> {
    pub(super) io: &'a dyn Io,
    pub(super) directory: &'a Directory,
    pub(super) manifest: &'a Manifest,
    stripes: Vec<Directory>,
}

impl<'a> StoreFiles<'a> {
    /// Opens the directories of the store's stripes.
    pub(super) fn new(io: &'a dyn Io, directory: &'a Directory, manifest: &'a Manifest) -> Result<Self, StoreError> {
        let mut files = Self { io, directory, manifest, stripes: Vec::new() };
        for (number, stripe) in manifest.stripes.iter().enumerate() {
            let path = || stripe.join(FileName::Pages(Side::Out).text());
            let opened = io.open_dir(stripe).map_err(|source| files.page_file_error(number, &path(), source))?;
            files.stripes.push(opened);
        }
        Ok(files)
    }

    pub(super) fn path(&self, name: FileName) -> PathBuf {
        self.directory.path().join(name.text())
    }

    /// Returns the directories that contain pages: the store's own, or those of its stripes.
    pub(super) fn page_directories(&self) -> &[Directory] {
        match &*self.stripes {
            [] => std::slice::from_ref(self.directory),
            stripes => stripes,
        }
    }

    /// Returns the paths of a direction's page files: a single file, or one per stripe.
    pub(super) fn page_paths(&self, side: Side) -> Vec<PathBuf> {
        let name = FileName::Pages(side).text();
        self.page_directories().iter().map(|directory| directory.path().join(name)).collect()
    }

    /// Returns the path of the file that contains a page.
    pub(super) fn page_path(&self, side: Side, page: PageId) -> PathBuf {
        let mut paths = self.page_paths(side);
        paths.swap_remove(page.0 as usize % paths.len())
    }

    /// Opens the page files of a direction in the order of the stripes. Fails if their sizes differ from the manifest.
    pub(super) fn open_pages(&self, side: Side) -> Result<Vec<Box<dyn Reader>>, StoreError> {
        let bytes = self.manifest.files.iter().find(|file| file.name == FileName::Pages(side));
        let page_size = u64::from(self.manifest.page_size);
        let pages = bytes.map_or(0, |file| file.bytes / page_size);
        let directories = self.page_directories();
        let (stripes, name) = (directories.len() as u64, FileName::Pages(side).text());
        let open = |(number, directory): (u64, &Directory)| {
            let path = directory.path().join(name);
            let reader = self.io.open_in(directory, name);
            let reader = reader.map_err(|source| self.page_file_error(number as usize, &path, source))?;
            let expected = (pages + stripes - 1 - number) / stripes * page_size;
            match reader.len().map_err(failed("read the size of", &path))? {
                found if found == expected => Ok(reader),
                found => Err(StoreError::Size { path, found, expected }),
            }
        };
        (0..).zip(directories).map(open).collect()
    }

    /// Returns the error for a page file that cannot be opened.
    pub(super) fn page_file_error(&self, number: usize, path: &Path, source: std::io::Error) -> StoreError {
        if self.manifest.stripes.is_empty() {
            return failed("open", path)(source);
        }
        StoreError::Stripe { store: self.directory.path().to_owned(), number, path: path.to_owned(), source }
    }

    /// Opens a file. Fails if its size differs from the manifest. Returns `None` if this store does not have the file.
    pub(super) fn open(&self, name: FileName) -> Result<Option<OpenFile>, StoreError> {
        let Some(&entry) = self.manifest.files.iter().find(|file| file.name == name) else { return Ok(None) };
        let path = self.path(name);
        let reader = self.io.open_in(self.directory, name.text()).map_err(failed("open", &path))?;
        match reader.len().map_err(failed("read the size of", &path))? {
            found if found == entry.bytes => Ok(Some(OpenFile { reader, entry })),
            found => Err(StoreError::Size { path, found, expected: entry.bytes }),
        }
    }

    /// Reads a table on all threads, and verifies its checksum. The result is empty if this store does not have the
    /// table.
    pub(super) fn table<T: Number>(&self, name: FileName, shares: &Shares) -> Result<Vec<T>, StoreError> {
        let Some(OpenFile { reader, entry }) = self.open(name)? else { return Ok(Vec::new()) };
        let path = self.path(name);
        let memory = || StoreError::Memory { path: path.clone(), bytes: entry.bytes };
        let len = usize::try_from(entry.bytes).map_err(|_| memory())? / size_of::<T>();
        let mut table = memory::zeroed::<T>(name.text(), len).map_err(|_| memory())?;
        let pieces = table.par_chunks_mut(PIECE / size_of::<T>()).enumerate();
        pieces
            .try_for_each(|(number, piece)| {
                let offset = (number * PIECE) as u64;
                shares.during(Phase::Read, || reader.read_exact_at(bytemuck::cast_slice_mut(piece), offset))
            })
            .map_err(failed("read", &path))?;
        shares.during(Phase::Check, || {
            match xxh3_64(bytemuck::cast_slice(&table)) {
                found if found == entry.checksum => {}
                found => return Err(StoreError::Checksum { path, found, expected: entry.checksum }),
            }
            if cfg!(target_endian = "big") {
                table.iter_mut().for_each(|number| *number = number.swapped());
            }
            Ok(table)
        })
    }
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
