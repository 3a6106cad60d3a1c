//! Writes a store in one step: all files under a temporary name beside the target, each made durable, then one rename.

use super::files::{FileEntry, FileName, MANIFEST, Number, failed};
use super::io::Io;
use super::manifest::{Manifest, Pages};
use super::{SaveOptions, StoreError};
use crate::graph::{Graph, Originals, Side};
use crate::page::{MIN_STORE_PAGE_SIZE, Topology};
use rayon::prelude::*;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use xxhash_rust::xxh3::xxh3_64;

/// Bytes written at a time.
const PIECE: usize = 16 << 20;
/// Marks the name of a store that is being written.
const TEMPORARY: &str = ".gts-tmp-";
/// Marks the name of a store that is being replaced.
const REPLACED: &str = ".gts-old-";

/// Writes the store of a graph.
pub(super) fn save(io: &dyn Io, graph: &Graph, path: &Path, options: &SaveOptions) -> Result<(), StoreError> {
    let page_size = graph.out_topology().format().page_size();
    if page_size < MIN_STORE_PAGE_SIZE {
        return Err(StoreError::PageSize { found: page_size, least: MIN_STORE_PAGE_SIZE });
    }
    let exists = check_target(io, path, options)?;
    let temporary = sibling(path, TEMPORARY)?;
    io.create_dir(&temporary).map_err(failed("create", &temporary))?;
    let written = write_files(io, graph, &temporary).and_then(|()| publish(io, &temporary, path, exists));
    if !matches!(written, Ok(()) | Err(StoreError::Leftover { .. })) {
        // The first error is the one to tell; what cannot be removed does not open, by its name.
        let _ = io.remove_dir_all(&temporary);
    }
    written
}

/// Whether a path has the name of a store that was never finished.
pub(super) fn is_temporary(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with('.') && name.contains(TEMPORARY)
}

/// Refuses a target that must not be overwritten; answers whether there is one to replace.
fn check_target(io: &dyn Io, path: &Path, options: &SaveOptions) -> Result<bool, StoreError> {
    if !io.exists(path).map_err(failed("look for", path))? {
        return Ok(false);
    }
    if !options.replace {
        return Err(StoreError::Exists { path: path.to_owned() });
    }
    let manifest = path.join(MANIFEST);
    // A file has nothing under it; asking says so in different ways on different systems.
    if !io.exists(&manifest).unwrap_or(false) {
        return Err(StoreError::NotReplaced { path: path.to_owned() });
    }
    Ok(true)
}

/// A name beside `path` that nothing has: hidden, marked, with the process and a running number.
fn sibling(path: &Path, mark: &str) -> Result<PathBuf, StoreError> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let name = path.file_name().ok_or_else(|| StoreError::NoName { path: path.to_owned() })?;
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let mut sibling = OsString::from(".");
    sibling.push(name);
    sibling.push(format!("{mark}{}-{number}", std::process::id()));
    Ok(path.with_file_name(sibling))
}

/// The directory that holds a path.
fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    }
}

/// Gives the finished directory its name. A store that is replaced steps aside first, and back if anything fails.
fn publish(io: &dyn Io, temporary: &Path, path: &Path, exists: bool) -> Result<(), StoreError> {
    let old = sibling(path, REPLACED)?;
    if exists {
        io.rename_dir(path, &old).map_err(failed("move away", path))?;
    }
    let renamed = io.rename_dir(temporary, path).map_err(|source| match source.kind() {
        // Another build was faster.
        ErrorKind::AlreadyExists | ErrorKind::DirectoryNotEmpty | ErrorKind::NotADirectory => {
            StoreError::Exists { path: path.to_owned() }
        }
        _ => StoreError::Io { action: "name", path: path.to_owned(), source },
    });
    let synced = renamed.and_then(|()| {
        let parent = parent(path);
        io.sync_dir(parent).map_err(failed("sync", parent)).inspect_err(|_| {
            let _ = io.rename_dir(path, temporary);
        })
    });
    match synced {
        Err(error) => {
            if exists {
                let _ = io.rename_dir(&old, path);
            }
            Err(error)
        }
        Ok(()) if exists => io.remove_dir_all(&old).map_err(|source| StoreError::Leftover { path: old, source }),
        Ok(()) => Ok(()),
    }
}

/// Writes all files into the temporary directory, the manifest last.
fn write_files(io: &dyn Io, graph: &Graph, directory: &Path) -> Result<(), StoreError> {
    let mut files = Files { io, directory, entries: Vec::new() };
    let parts = graph.parts();
    files.topology(Side::Out, &parts.out)?;
    if let Some(incoming) = &parts.incoming {
        files.topology(Side::In, incoming)?;
    }
    files.table(FileName::Degrees(Side::Out), &parts.out_degrees)?;
    if !parts.properties.symmetric {
        files.table(FileName::Degrees(Side::In), &parts.in_degrees)?;
    }
    let first_id = match parts.ids.originals() {
        Originals::Range { first, .. } => Some(*first),
        Originals::List(list) => {
            files.table(FileName::Ids, list)?;
            None
        }
    };
    if let Some(numbers) = parts.ids.permutation() {
        files.table(FileName::Order, numbers)?;
    }
    if let Some(heads) = &parts.heads {
        files.table(FileName::Heads, heads)?;
    }
    let pages = |topology: &Topology| Pages { width: topology.format().width(), count: topology.num_pages() };
    let manifest = Manifest {
        vertices: graph.num_vertices(),
        edges: graph.num_edges(),
        properties: parts.properties.clone(),
        first_id,
        page_size: parts.out.format().page_size(),
        out: pages(&parts.out),
        incoming: parts.incoming.as_ref().map(pages),
        files: std::mem::take(&mut files.entries),
    };
    files.write(&directory.join(MANIFEST), manifest.to_text().as_bytes())?;
    io.sync_dir(directory).map_err(failed("sync", directory))
}

/// The files of a store being written.
struct Files<'a> {
    io: &'a dyn Io,
    directory: &'a Path,
    entries: Vec<FileEntry>,
}

impl Files<'_> {
    fn topology(&mut self, side: Side, topology: &Topology) -> Result<(), StoreError> {
        let path = self.directory.join(FileName::Pages(side).text());
        let bytes = topology.source().resident().unwrap_or_default();
        let sums: Vec<u64> = bytes.par_chunks(topology.format().page_size() as usize).map(xxh3_64).collect();
        self.write(&path, bytes)?;
        let sums = self.write_table(FileName::Sums(side), &sums)?;
        self.entries.push(FileEntry { name: FileName::Pages(side), bytes: topology.bytes(), ..sums });
        self.entries.push(sums);
        self.table(FileName::StartVids(side), topology.rvt().start_vids())?;
        self.table(FileName::LpRanges(side), topology.rvt().lp_ranges())
    }

    /// Writes a table and enters it in the manifest.
    fn table<T: Number>(&mut self, name: FileName, table: &[T]) -> Result<(), StoreError> {
        let entry = self.write_table(name, table)?;
        self.entries.push(entry);
        Ok(())
    }

    fn write_table<T: Number>(&self, name: FileName, table: &[T]) -> Result<FileEntry, StoreError> {
        let little: Vec<T>;
        let table = if cfg!(target_endian = "little") {
            table
        } else {
            little = table.iter().map(|number| number.swapped()).collect();
            &little
        };
        let bytes: &[u8] = bytemuck::cast_slice(table);
        self.write(&self.directory.join(name.text()), bytes)?;
        Ok(FileEntry { name, bytes: bytes.len() as u64, checksum: xxh3_64(bytes) })
    }

    /// Writes a file and makes it durable.
    fn write(&self, path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
        let mut file = self.io.create(path).map_err(failed("create", path))?;
        for piece in bytes.chunks(PIECE) {
            file.write_all(piece).map_err(failed("write", path))?;
        }
        file.sync().map_err(failed("sync", path))
    }
}
