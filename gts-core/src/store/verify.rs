//! Verifies a store completely, including properties that are trusted when a store is opened.

use super::consistency::{self, property};
use super::files::FileName;
use super::io::Io;
use super::open::{self, Residence};
use super::opened::StoreFiles;
use super::retry::with_store;
use super::sweep::{self, EdgeFacts};
use super::{OpenOptions, StoreError, StoreProgress};
use crate::graph::order::numbering;
use crate::graph::{Graph, IdMapError, Kept, KeySource, Vertex, VertexOrder};
use crate::parallel::*;
use crate::units::{counted, graph_size};
use gts_contract::Side;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// The summary of a successful verification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VerifyReport {
    /// The number of files, including the manifest.
    pub files: u64,
    /// Bytes of all files except the manifest.
    pub bytes: u64,
    /// The number of pages in both directions.
    pub pages: u64,
    /// The number of vertices.
    pub vertices: u64,
    /// The number of directed edges.
    pub edges: u64,
    /// The number of undirected edges, each counted once; `None` if the graph is directed.
    pub undirected_edges: Option<u64>,
}

impl fmt::Display for VerifyReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { files, bytes, pages, vertices, edges, undirected_edges } = self;
        let [files, pages] = [(files, "file"), (pages, "page")].map(|(&number, one)| counted(number, one));
        write!(
            f,
            "{files} of {bytes} bytes, {pages}, {}: all as stated",
            graph_size(*vertices, *edges, *undirected_edges)
        )
    }
}

/// Bytes of the page buffer. The limit allows verification on machines with too little memory for the whole store.
const BUFFER: u64 = 256 << 20;

pub(super) fn verify(
    io: &Arc<dyn Io>,
    path: &Path,
    options: &OpenOptions,
    progress: StoreProgress<'_>,
) -> Result<VerifyReport, StoreError> {
    with_store(io.as_ref(), path, |directory, manifest| {
        verify_files(io, &StoreFiles::new(io.as_ref(), directory, manifest)?, options, progress)
    })
}

fn verify_files(
    io: &Arc<dyn Io>,
    files: &StoreFiles<'_>,
    options: &OpenOptions,
    progress: StoreProgress<'_>,
) -> Result<VerifyReport, StoreError> {
    let (with, manifest) = (options.stored_io(io), files.manifest);
    let beside = sweep::bytes(manifest.vertices);
    let residence = Residence::Files { buffer: BUFFER, limit: options.host_memory, beside, with: &with };
    let graph = open::open(files, &residence, &|_, _| (), None)?;
    check_order(files, &graph)?;
    if let KeySource::Names(names) = graph.ids().key_source() {
        names.verify()?;
    }
    consistency::check_imbalance(files, &graph, Side::Out)?;
    if manifest.incoming.is_some() {
        consistency::check_imbalance(files, &graph, Side::In)?;
    }
    let EdgeFacts { duplicates, self_loops, mixed, asymmetric } = sweep::sweep(files, &graph, progress)?;
    let properties = graph.properties();
    if duplicates && properties.duplicates == Kept::Dropped {
        property(files, "duplicates", Kept::Dropped, Kept::Kept)?;
    }
    property(files, "self-loop-count", properties.num_self_loops, self_loops)?;
    property(files, "symmetric", properties.symmetric, properties.symmetric && !asymmetric)?;
    if let (true, Some(rows)) = (graph.ids().has_sides(), properties.bipartite_rows) {
        property(files, "bipartite-rows", rows, graph.ids().left_by_keys()?)?;
    }
    if let Some(rows) = properties.bipartite_rows.filter(|_| mixed) {
        property(files, "bipartite-rows", rows.to_string(), "none".to_owned())?;
    }
    let pages = graph.out_topology().num_pages() + manifest.incoming.map_or(0, |pages| pages.count);
    let sides = 1 + usize::from(manifest.incoming.is_some());
    Ok(VerifyReport {
        files: (manifest.files.len() + manifest.stripes.len().saturating_sub(1) * sides) as u64 + 1,
        bytes: manifest.files.iter().map(|file| file.bytes).sum(),
        pages: u64::from(pages),
        vertices: graph.num_vertices(),
        edges: graph.num_edges(),
        undirected_edges: graph.num_undirected_edges(),
    })
}

/// Checks that the numbering of the vertices matches the order in the manifest.
fn check_order(files: &StoreFiles<'_>, graph: &Graph) -> Result<(), StoreError> {
    let Some(numbers) = graph.ids().permutation() else { return Ok(()) };
    if graph.properties().order == VertexOrder::Inherited {
        return Ok(());
    }
    let degree = |rank: u32| {
        let vertex = Vertex::from_dense(u64::from(numbers[rank as usize]));
        graph.out_degree(vertex) + graph.in_degree(vertex)
    };
    let expected = numbering(graph.properties().order, numbers.len() as u32, degree).unwrap_or_default();
    let pairs = numbers.par_iter().zip(&expected);
    match pairs.position_first(|(found, expected)| found != expected) {
        Some(rank) => {
            let (found, expected) = (numbers[rank], expected[rank]);
            let source = IdMapError::Numbering { rank: rank as u64, found, expected };
            Err(StoreError::Ids { path: files.path(FileName::Order), source })
        }
        None => Ok(()),
    }
}
