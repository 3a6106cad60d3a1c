//! Writes the files of a store into a directory, the manifest last.

use super::StoreError;
use super::files::{FileEntry, FileName, MANIFEST, Number, expected_files, failed};
use super::io::{Io, Writer};
use super::manifest::Manifest;
use crate::graph::Side;
use crate::page::Rvt;
use rayon::prelude::*;
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_64;

/// Bytes written at a time.
const PIECE: usize = 16 << 20;

/// The files of a store being written, in any order.
pub(crate) struct StoreWriter<'a> {
    io: &'a dyn Io,
    directory: &'a Path,
    entries: Vec<FileEntry>,
}

impl<'a> StoreWriter<'a> {
    /// A store without files.
    pub(crate) fn new(io: &'a dyn Io, directory: &'a Path) -> Self {
        Self { io, directory, entries: Vec::new() }
    }

    /// Writes a table.
    pub(crate) fn table<T: Number>(&mut self, name: FileName, table: &[T]) -> Result<(), StoreError> {
        let little: Vec<T>;
        let table = if cfg!(target_endian = "little") {
            table
        } else {
            little = table.iter().map(|number| number.swapped()).collect();
            &little
        };
        let bytes: &[u8] = bytemuck::cast_slice(table);
        self.file(&self.directory.join(name.text()), bytes)?;
        self.entries.push(FileEntry { name, bytes: bytes.len() as u64, checksum: xxh3_64(bytes) });
        Ok(())
    }

    /// Begins the pages of a direction.
    pub(crate) fn pages(&self, side: Side, page_size: u32) -> Result<PageFile, StoreError> {
        let path = self.directory.join(FileName::Pages(side).text());
        let file = self.io.create(&path).map_err(failed("create", &path))?;
        Ok(PageFile { side, path, file, page_size: page_size as usize, sums: Vec::new() })
    }

    /// Ends the pages of a direction: makes them durable, and writes their checksums and their table.
    pub(crate) fn end_pages(&mut self, mut pages: PageFile, rvt: &Rvt) -> Result<(), StoreError> {
        pages.file.sync().map_err(failed("sync", &pages.path))?;
        drop(pages.file);
        let side = pages.side;
        self.table(FileName::Sums(side), &pages.sums)?;
        let checksum = self.entries.last().map_or(0, |sums| sums.checksum);
        let bytes = pages.sums.len() as u64 * pages.page_size as u64;
        self.entries.push(FileEntry { name: FileName::Pages(side), bytes, checksum });
        self.table(FileName::StartVids(side), rvt.start_vids())?;
        self.table(FileName::LpRanges(side), rvt.lp_ranges())
    }

    /// Writes the manifest, which states all files, and makes the names durable.
    pub(crate) fn finish(self, mut manifest: Manifest) -> Result<(), StoreError> {
        let order: Vec<_> = expected_files(&manifest).into_iter().flatten().map(|(name, _)| name).collect();
        manifest.files = self.entries.clone();
        manifest.files.sort_by_key(|file| order.iter().position(|name| *name == file.name));
        self.file(&self.directory.join(MANIFEST), manifest.to_text().as_bytes())?;
        self.io.sync_dir(self.directory).map_err(failed("sync", self.directory))
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

/// The pages of a direction being written, back to back.
pub(crate) struct PageFile {
    side: Side,
    path: PathBuf,
    file: Box<dyn Writer>,
    page_size: usize,
    sums: Vec<u64>,
}

impl PageFile {
    /// Adds whole pages.
    pub(crate) fn push(&mut self, pages: &[u8]) -> Result<(), StoreError> {
        let sums: Vec<u64> = pages.par_chunks(self.page_size).map(xxh3_64).collect();
        self.sums.extend(sums);
        for piece in pages.chunks(PIECE) {
            self.file.write_all(piece).map_err(failed("write", &self.path))?;
        }
        Ok(())
    }
}
