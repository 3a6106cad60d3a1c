//! The open files of a store, and their tables.

use super::StoreError;
use super::directory::Directory;
use super::files::{FileEntry, FileName, Number, failed};
use super::io::{Io, Reader};
use super::manifest::Manifest;
use crate::graph::PageId;
use crate::memory;
use crate::parallel::*;
use crate::phase::{Phase, Shares};
use gts_contract::Side;
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_64;

/// The number of bytes per read call of a thread: few enough to stay in the core's cache until the thread verifies
/// them.
pub(super) const PIECE: usize = 1 << 20;

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
