//! Writes the files of a store to a directory, the manifest last.

use super::files::{FileEntry, FileName, MANIFEST, Number, failed, little_endian};
use super::io::{Io, Writer};
use super::manifest::{Manifest, expected_files};
use super::names::StoredNames;
use super::place::StorePlace;
use super::{StoreError, striping};
use crate::graph::{BlockWriter, KeyForm, KeyNames};
use crate::page::{Imbalance, Rvt};
use crate::parallel::*;
use gts_contract::Side;
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_64;

/// The number of bytes per write.
const PIECE: usize = 16 << 20;
/// The number of bytes per write of names, which are encoded by one thread.
const NAMES_PIECE: usize = 1 << 20;

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

    /// Writes names or UUIDs, and their index.
    pub(crate) fn names(&mut self, names: &KeyNames) -> Result<(), StoreError> {
        let path = self.place.directory.join(FileName::Names.text());
        let mut file = self.io.create(&path).map_err(failed("create", &path))?;
        let mut piece = Vec::new();
        for block in 0..names.blocks() {
            names.with_bytes(block, |bytes| piece.extend_from_slice(bytes))?;
            if piece.len() >= PIECE || block + 1 == names.blocks() {
                file.write_all(&piece).map_err(failed("write", &path))?;
                piece.clear();
            }
        }
        file.sync().map_err(failed("sync", &path))?;
        self.names_index(names.index(), names.bytes())
    }

    /// Begins the file of names or UUIDs.
    pub(crate) fn begin_names(&self, form: KeyForm) -> Result<NamesWriter, StoreError> {
        let path = self.place.directory.join(FileName::Names.text());
        let file = self.io.create(&path).map_err(failed("create", &path))?;
        Ok(NamesWriter { form, path, file, blocks: BlockWriter::new(form.kind), count: 0, left: 0, bytes: 0 })
    }

    /// Completes the file of names or UUIDs, and writes their index. Returns the keys, which stay in the file.
    pub(crate) fn end_names(&mut self, names: NamesWriter) -> Result<KeyNames, StoreError> {
        let NamesWriter { form, path, mut file, blocks, count, left, bytes } = names;
        let left = form.has_sides.then_some(left);
        let (rest, index) = blocks.finish();
        file.write_all(&rest).map_err(failed("write", &path))?;
        file.sync().map_err(failed("sync", &path))?;
        drop(file);
        let bytes = bytes + rest.len() as u64;
        self.names_index(&index, bytes)?;
        let reader = self.io.open(&path).map_err(failed("open", &path))?;
        KeyNames::stored(form, (count, left, bytes), index, Box::new(StoredNames { path, reader }))
    }

    /// Writes the index of names or UUIDs.
    fn names_index(&mut self, index: &[u64], bytes: u64) -> Result<(), StoreError> {
        self.table(FileName::NamesIndex, index)?;
        let checksum = self.entries.last().map_or(0, |index| index.checksum);
        self.entries.push(FileEntry { name: FileName::Names, bytes, checksum });
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

/// KeyNames or UUIDs that are being written in ascending order.
pub(crate) struct NamesWriter {
    form: KeyForm,
    path: PathBuf,
    file: Box<dyn Writer>,
    blocks: BlockWriter,
    /// The number of keys.
    count: u64,
    /// The number of keys that begin with the byte of the left side.
    left: u64,
    /// Bytes that have been written.
    bytes: u64,
}

impl NamesWriter {
    /// Appends a key, which follows the previous one.
    pub(crate) fn push(&mut self, key: &[u8]) -> Result<(), StoreError> {
        self.blocks.push(key);
        self.count += 1;
        self.left += u64::from(key.first() == Some(&0));
        if self.blocks.complete() >= NAMES_PIECE {
            let blocks = self.blocks.take();
            self.bytes += blocks.len() as u64;
            self.file.write_all(&blocks).map_err(failed("write", &self.path))?;
        }
        Ok(())
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
