//! Writes the files of a store to a directory, the manifest last.

use super::files::{FileEntry, FileName, MANIFEST, Number, failed, little_endian};
use super::io::{Io, Writer};
use super::manifest::{Manifest, expected_files};
use super::place::StorePlace;
use super::{StoreError, striping};
use crate::page::{Imbalance, Rvt};
use crate::parallel::*;
use gts_contract::Side;
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_64;

/// The number of bytes per write.
const PIECE: usize = 16 << 20;

/// A store that is being written. Files may be written in any order.
pub(crate) struct StoreWriter<'a> {
    io: &'a dyn Io,
    place: &'a StorePlace,
    entries: Vec<FileEntry>,
}

impl<'a> StoreWriter<'a> {
    /// Creates a writer without any files.
    pub(crate) fn new(io: &'a dyn Io, place: &'a StorePlace) -> Self {
        Self { io, place, entries: Vec::new() }
    }

    /// Writes a table to its file.
    pub(crate) fn table<T: Number>(&mut self, name: FileName, table: &[T]) -> Result<(), StoreError> {
        let table = little_endian(table);
        let bytes: &[u8] = bytemuck::cast_slice(&table);
        self.file(&self.place.directory.join(name.text()), bytes)?;
        self.entries.push(FileEntry { name, bytes: bytes.len() as u64, checksum: xxh3_64(bytes) });
        Ok(())
    }

    /// Creates the page files of a direction.
    pub(crate) fn pages(&self, side: Side, page_size: u32) -> Result<PageFile, StoreError> {
        let name = FileName::Pages(side).text();
        let create = |directory: &Path| {
            let path = directory.join(name);
            let file = self.io.create_direct(&path).map_err(failed("create", &path))?;
            Ok((path, file))
        };
        let files = match &*self.place.stripes {
            [] => vec![create(&self.place.directory)?],
            stripes => stripes.iter().map(|stripe| create(&stripe.temporary)).collect::<Result<_, _>>()?,
        };
        Ok(PageFile { side, files, page_size: page_size as usize, sums: Vec::new() })
    }

    /// Completes the pages of a direction: makes them durable, and writes their checksums and tables.
    pub(crate) fn end_pages(
        &mut self,
        mut pages: PageFile,
        rvt: &Rvt,
        imbalance: &Imbalance,
    ) -> Result<(), StoreError> {
        for (path, file) in &mut pages.files {
            file.sync().map_err(failed("sync", path))?;
        }
        drop(pages.files);
        let side = pages.side;
        self.table(FileName::Sums(side), &pages.sums)?;
        let checksum = self.entries.last().map_or(0, |sums| sums.checksum);
        let bytes = pages.sums.len() as u64 * pages.page_size as u64;
        self.entries.push(FileEntry { name: FileName::Pages(side), bytes, checksum });
        self.table(FileName::StartVids(side), rvt.start_vids())?;
        self.table(FileName::LpRanges(side), rvt.lp_ranges())?;
        self.table(FileName::Imbalance(side), imbalance.bytes())
    }

    /// Writes the manifest, which lists all files, and makes all names durable.
    pub(crate) fn finish(self, mut manifest: Manifest) -> Result<(), StoreError> {
        let order: Vec<_> = expected_files(&manifest).into_iter().flatten().map(|(name, _)| name).collect();
        manifest.files = self.entries.clone();
        manifest.files.sort_by_key(|file| order.iter().position(|name| *name == file.name));
        manifest.stripes = self.place.stripes.iter().map(|stripe| stripe.named.clone()).collect();
        let directory = &self.place.directory;
        self.file(&directory.join(MANIFEST), manifest.to_text().as_bytes())?;
        if !manifest.stripes.is_empty() {
            striping::remove_list(self.io, directory)?;
        }
        self.io.sync_dir(directory).map_err(failed("sync", directory))
    }

    /// Writes a file and makes it durable.
    fn file(&self, path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
        let mut file = self.io.create(path).map_err(failed("create", path))?;
        for piece in bytes.chunks(PIECE) {
            file.write_all(piece).map_err(failed("write", path))?;
        }
        file.sync().map_err(failed("sync", path))
    }
}

/// The pages of a direction that are being written: consecutive pages in one file, or in turn in the files of the
/// stripes.
pub(crate) struct PageFile {
    side: Side,
    files: Vec<(PathBuf, Box<dyn Writer>)>,
    page_size: usize,
    sums: Vec<u64>,
}

impl PageFile {
    /// Appends whole pages.
    pub(crate) fn push(&mut self, pages: &[u8]) -> Result<(), StoreError> {
        let first = self.sums.len();
        let sums: Vec<u64> = pages.par_chunks(self.page_size).map(xxh3_64).collect();
        self.sums.extend(sums);
        if let [(path, file)] = &mut *self.files {
            return pages.chunks(PIECE).try_for_each(|piece| file.write_all(piece)).map_err(failed("write", path));
        }
        let stripes = self.files.len();
        self.files.par_iter_mut().enumerate().with_max_len(1).try_for_each(|(stripe, (path, file))| {
            let before = (stripe + stripes - first % stripes) % stripes;
            let mut pages = pages.chunks(self.page_size).skip(before).step_by(stripes);
            pages.try_for_each(|page| file.write_all(page)).map_err(failed("write", path))
        })
    }
}
