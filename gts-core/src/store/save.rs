//! Writes the store of a graph.

use super::files::FileName;
use super::io::Io;
use super::keys::StoredKeys;
use super::manifest::{Manifest, Pages, expected_files};
use super::place::{StorePlace, write_store};
use super::write::StoreWriter;
use super::{SaveOptions, StoreError};
use crate::graph::{Graph, KeySource, Originals};
use crate::page::{MIN_STORE_PAGE_SIZE, PageRun, Topology};
use crate::threads;
use gts_contract::Side;
use std::path::Path;

/// Writes the store of a graph.
pub(super) fn save(io: &dyn Io, graph: &Graph, path: &Path, options: &SaveOptions) -> Result<(), StoreError> {
    check_page_size(graph.out_topology().format().page_size())?;
    threads::prepare().map_err(StoreError::Threads)?;
    write_store(io, path, options, |place| write_files(io, graph, place))
}

/// Fails if the pages are too small for a store.
pub(crate) fn check_page_size(page_size: u32) -> Result<(), StoreError> {
    if page_size < MIN_STORE_PAGE_SIZE {
        return Err(StoreError::PageSize { found: page_size, least: MIN_STORE_PAGE_SIZE });
    }
    Ok(())
}

/// Writes all files of the store, the manifest last.
fn write_files(io: &dyn Io, graph: &Graph, place: &StorePlace) -> Result<(), StoreError> {
    let mut files = StoreWriter::new(io, place);
    let parts = graph.parts();
    topology(&mut files, Side::Out, &parts.out)?;
    if let Some(incoming) = &parts.incoming {
        topology(&mut files, Side::In, incoming)?;
    }
    files.table(FileName::Degrees(Side::Out), &parts.out_degrees)?;
    if !parts.properties.symmetric {
        files.table(FileName::Degrees(Side::In), &parts.in_degrees)?;
    }
    if let Originals::List(list) = parts.ids.originals() {
        files.table(FileName::Ids, list)?;
    }
    if let KeySource::Names(names) = parts.ids.key_source() {
        files.names(names)?;
    }
    if let Some(numbers) = parts.ids.permutation() {
        files.table(FileName::Order, numbers)?;
    }
    if let Some(heads) = &parts.heads {
        files.table(FileName::Heads, heads)?;
    }
    files.finish(manifest_of(graph))
}

/// Returns the bytes of all files except the manifest.
pub(super) fn bytes_of(graph: &Graph) -> u64 {
    let files = expected_files(&manifest_of(graph)).unwrap_or_default();
    files.iter().fold(0, |sum, (_, bytes)| sum.saturating_add(*bytes))
}

/// Returns the manifest of a graph, without its lists of stripes and files.
fn manifest_of(graph: &Graph) -> Manifest {
    let parts = graph.parts();
    let first_id = match parts.ids.originals() {
        Originals::Range { first, .. } => Some(*first),
        Originals::List(_) => None,
    };
    let pages = |topology: &Topology| Pages { width: topology.format().width(), count: topology.num_pages() };
    Manifest {
        vertices: graph.num_vertices(),
        edges: graph.num_edges(),
        properties: parts.properties.clone(),
        keys: StoredKeys::of(parts.ids.key_source(), first_id),
        page_size: parts.out.format().page_size(),
        out: pages(&parts.out),
        incoming: parts.incoming.as_ref().map(pages),
        stripes: Vec::new(),
        notes: parts.notes.clone(),
        files: Vec::new(),
    }
}

/// Bytes per read for pages that are not in memory.
const PIECE: usize = 16 << 20;

fn topology(files: &mut StoreWriter<'_>, side: Side, topology: &Topology) -> Result<(), StoreError> {
    let page_size = topology.format().page_size();
    let mut pages = files.pages(side, page_size)?;
    if let Some(all) = topology.source().resident() {
        pages.push(all)?;
    } else {
        let count = (PIECE / page_size as usize).max(1) as u32;
        let mut piece = vec![0; count as usize * page_size as usize];
        for run in PageRun::of(0..topology.num_pages()).pieces(count) {
            topology.source().read(run.first, run.count, &mut piece)?;
            pages.push(&piece[..run.count as usize * page_size as usize])?;
        }
    }
    files.end_pages(pages, topology.rvt(), topology.imbalance())
}
