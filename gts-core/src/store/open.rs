//! Reads a store into memory. Sizes are held against the files before memory is taken for them, checksums before
//! contents are believed, and structure before pages are visited.

use super::files::{FileName, MANIFEST, OpenFile, StoreFiles, failed};
use super::io::Io;
use super::manifest::{MAX_BYTES, Manifest, Pages};
use super::place::is_temporary;
use super::{StoreError, StoreProgress};
use crate::graph::{Graph, GraphParts, IdMap, Originals, PageId, Side, VertexOrder};
use crate::page::{AlignedBytes, PageFormat, Rvt, Topology};
use rayon::prelude::*;
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_64;

/// Bytes of pages read at a time: enough pages for all threads to check while the disk is kept busy.
const PIECE: usize = 32 << 20;

/// Reads the manifest of a store.
pub(super) fn manifest(io: &dyn Io, directory: &Path) -> Result<Manifest, StoreError> {
    if is_temporary(directory) {
        return Err(StoreError::Unfinished { path: directory.to_owned() });
    }
    if !io.exists(directory).map_err(failed("look for", directory))? {
        return Err(StoreError::NotAStore { path: directory.to_owned(), reason: "there is nothing of that name" });
    }
    let path = directory.join(MANIFEST);
    if !io.exists(&path).unwrap_or(false) {
        return Err(StoreError::NotAStore { path: directory.to_owned(), reason: "it has no manifest" });
    }
    let mut reader = io.open(&path).map_err(failed("open", &path))?;
    let len = reader.len().map_err(failed("read the size of", &path))?;
    if len > MAX_BYTES {
        return Err(StoreError::Size { path, found: len, expected: MAX_BYTES });
    }
    let mut bytes = vec![0; len as usize];
    reader.read_exact(&mut bytes).map_err(failed("read", &path))?;
    Manifest::parse(&bytes, &path)
}

/// Reads a whole store.
pub(super) fn open(io: &dyn Io, directory: &Path, progress: StoreProgress<'_>) -> Result<Graph, StoreError> {
    let manifest = manifest(io, directory)?;
    let files = StoreFiles { io, directory, manifest: &manifest };
    // A store that is cut short anywhere is refused before its first large table is read.
    for file in &manifest.files {
        files.open(file.name)?;
    }
    let total = manifest.files.iter().map(|file| file.bytes).sum();
    let mut done = Done { progress, done: 0, total };
    let out = topology(&files, Side::Out, manifest.out, &mut done)?;
    let incoming = match manifest.incoming {
        Some(pages) => Some(topology(&files, Side::In, pages, &mut done)?),
        None => None,
    };
    let ids = ids(&files)?;
    let heads = match manifest.properties.order {
        VertexOrder::Degree => Some(files.table(FileName::Heads)?),
        _ => None,
    };
    let out_degrees = files.table(FileName::Degrees(Side::Out))?;
    let in_degrees = files.table(FileName::Degrees(Side::In))?;
    let parts = GraphParts {
        ids,
        properties: manifest.properties.clone(),
        out,
        incoming,
        out_degrees,
        in_degrees,
        heads,
        sinks: 0,
    };
    super::consistency::check(&files, &parts)?;
    (done.progress)(total, total);
    Ok(Graph::from_parts(parts))
}

/// How much has been read.
struct Done<'a> {
    progress: StoreProgress<'a>,
    done: u64,
    total: u64,
}

/// Reads the pages of one direction.
fn topology(files: &StoreFiles<'_>, side: Side, pages: Pages, done: &mut Done<'_>) -> Result<Topology, StoreError> {
    let manifest = files.manifest;
    let path = files.path(FileName::Pages(side));
    let start_vids = files.table(FileName::StartVids(side))?;
    let lp_ranges = files.table(FileName::LpRanges(side))?;
    let rvt = Rvt::new(start_vids, lp_ranges, manifest.vertices)
        .map_err(|source| StoreError::Rvt { path: files.path(FileName::StartVids(side)), source })?;
    let sums: Vec<u64> = files.table(FileName::Sums(side))?;
    let bytes = read_pages(files, side, &sums, done)?;
    let format = PageFormat::new(manifest.page_size, pages.width, manifest.properties.value_type)
        .map_err(|source| StoreError::Format { path: files.directory.join(MANIFEST), source })?;
    Topology::validated(format, rvt, manifest.edges, bytes).map_err(|(page, source)| StoreError::Page {
        path,
        page,
        source,
    })
}

/// Reads pages, and holds each against its checksum.
fn read_pages(
    files: &StoreFiles<'_>,
    side: Side,
    sums: &[u64],
    done: &mut Done<'_>,
) -> Result<AlignedBytes, StoreError> {
    let name = FileName::Pages(side);
    let path = files.path(name);
    let memory = |bytes| StoreError::Memory { path: path.clone(), bytes };
    let Some(OpenFile { mut reader, entry }) = files.open(name)? else {
        return AlignedBytes::zeroed(0).ok_or_else(|| memory(0));
    };
    let len = usize::try_from(entry.bytes).map_err(|_| memory(entry.bytes))?;
    let mut bytes = AlignedBytes::zeroed(len).ok_or_else(|| memory(entry.bytes))?;
    let page_size = files.manifest.page_size as usize;
    let pages = (PIECE / page_size).max(1);
    for (piece, sums) in bytes.as_mut_slice().chunks_mut(pages * page_size).zip(sums.chunks(pages)) {
        reader.read_exact(piece).map_err(failed("read", &path))?;
        check_sums(piece, page_size, sums, (done.done / page_size as u64) as u32, &path)?;
        done.done += piece.len() as u64;
        (done.progress)(done.done, done.total);
    }
    Ok(bytes)
}

fn check_sums(piece: &[u8], page_size: usize, sums: &[u64], first: u32, path: &Path) -> Result<(), StoreError> {
    let pages = piece.par_chunks(page_size).zip(sums).zip(0u32..sums.len() as u32);
    let wrong = pages.find_map_first(|((page, &expected), number)| {
        let found = xxh3_64(page);
        (found != expected).then_some((number, found, expected))
    });
    match wrong {
        Some((page, found, expected)) => {
            let page = PageId(first + page);
            Err(StoreError::PageChecksum { path: path.to_owned(), page, found, expected })
        }
        None => Ok(()),
    }
}

fn ids(files: &StoreFiles<'_>) -> Result<IdMap, StoreError> {
    let originals = match files.manifest.first_id {
        Some(first) => Originals::Range { first, count: files.manifest.vertices },
        None => Originals::List(files.table(FileName::Ids)?),
    };
    let numbers = match files.manifest.properties.order {
        VertexOrder::Original => None,
        _ => Some(files.table(FileName::Order)?),
    };
    let path: PathBuf = files.path(if numbers.is_some() { FileName::Order } else { FileName::Ids });
    IdMap::new(originals, numbers).map_err(|source| StoreError::Ids { path, source })
}
