//! The graph as users and the runtime see it.

mod builder;
mod edges;
mod helpers;
mod ids;
mod properties;
mod set;
mod some_edges;
mod vertex;

pub use builder::GraphBuilder;
pub use helpers::EdgeAt;
pub(crate) use helpers::edges_of_page;
pub(crate) use ids::Originals;
pub use ids::{IdMap, IdMapError, UnknownVertex};
pub use properties::{Kept, MOST_LAYERS, Properties, UnknownOrder, VertexOrder};
pub use set::VertexSet;
pub use vertex::{PageId, Vertex, VertexId};

use crate::build::BuildError;
use crate::cost::GraphShape;
use crate::page::{EdgeValue, Topology};
use crate::store::io::{FileSystem, Io};
use crate::store::{self, OpenOptions, SaveOptions, StoreError};
use gts_contract::{ScalarType, Side};
use rayon::prelude::*;
use std::fmt;
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// A graph in slotted pages. Cheap to clone; clones share everything.
#[derive(Clone)]
pub struct Graph {
    parts: Arc<GraphParts>,
    /// The least and the greatest edge value, once somebody has asked.
    extremes: Arc<OnceLock<[f64; 2]>>,
    /// What costs depend on, once somebody has asked.
    shape: Arc<OnceLock<GraphShape>>,
}

/// What a graph consists of.
pub(crate) struct GraphParts {
    pub(crate) ids: IdMap,
    pub(crate) properties: Properties,
    pub(crate) out: Topology,
    /// None where there is no in-topology, or where it is the same as `out`.
    pub(crate) incoming: Option<Topology>,
    pub(crate) out_degrees: Arc<Vec<u32>>,
    /// Empty in a symmetric graph, where it is the same as `out_degrees`.
    pub(crate) in_degrees: Arc<Vec<u32>>,
    /// First out-neighbour of each vertex, `u32::MAX` for none; in degree-ordered graphs only.
    pub(crate) heads: Option<Arc<Vec<u32>>>,
    pub(crate) sinks: u64,
    /// What the reader of the input noted, such as columns that it left out.
    pub(crate) notes: Vec<String>,
    /// The graph's content, once it is known.
    pub(crate) content: OnceLock<u64>,
}

impl Graph {
    pub(crate) fn from_parts(mut parts: GraphParts) -> Self {
        parts.sinks = parts.out_degrees.par_iter().filter(|&&degree| degree == 0).count() as u64;
        Self { parts: Arc::new(parts), extremes: Arc::default(), shape: Arc::default() }
    }

    pub(crate) fn parts(&self) -> &GraphParts {
        &self.parts
    }

    /// Opens a store: reads it into memory, and checks every checksum and the structure of every page.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        Self::open_with(path, &OpenOptions::default())
    }

    /// Opens a store as the options say. Pages that do not fit into the memory allowed stay in the store's files; each
    /// is checked when it is read.
    pub fn open_with(path: impl AsRef<Path>, options: &OpenOptions) -> Result<Self, StoreError> {
        let io: Arc<dyn Io> = Arc::new(FileSystem);
        store::open_with(&io, path, options, &|_, _| ())
    }

    /// Writes a store, in one step: whatever happens, there is a whole store at `path` afterwards or none.
    /// Refuses a path that exists; [`Graph::save_with`] can replace a store.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), StoreError> {
        self.save_with(path, &SaveOptions::default())
    }

    /// Writes a store as the options say.
    pub fn save_with(&self, path: impl AsRef<Path>, options: &SaveOptions) -> Result<(), StoreError> {
        store::save(&FileSystem, self, path, options)
    }

    /// Builds a graph in memory.
    pub fn builder() -> GraphBuilder<'static> {
        GraphBuilder::new()
    }

    /// The directed graph of these edges between original IDs, with default options.
    pub fn from_edges(edges: impl IntoIterator<Item = (u64, u64)>) -> Result<Self, BuildError> {
        Self::builder().edges(edges).build()
    }

    /// Number of vertices.
    pub fn num_vertices(&self) -> u64 {
        self.parts.ids.len()
    }

    /// Number of directed edges stored; an undirected edge counts twice.
    pub fn num_edges(&self) -> u64 {
        self.parts.out.num_edges()
    }

    /// Number of undirected edges, each counted once; `None` if the graph is directed.
    pub fn num_undirected_edges(&self) -> Option<u64> {
        self.parts.properties.undirected_edges(self.num_edges())
    }

    /// Number of vertices without an edge out of them.
    pub fn num_sinks(&self) -> u64 {
        self.parts.sinks
    }

    /// The vertex of an original ID.
    pub fn vertex(&self, original: u64) -> Result<Vertex, UnknownVertex> {
        self.parts.ids.vertex(original)
    }

    /// The original ID of a vertex.
    ///
    /// # Panics
    /// If the vertex is not of this graph, as indexing a slice does.
    pub fn original(&self, vertex: Vertex) -> u64 {
        match self.parts.ids.original(vertex) {
            Some(original) => original,
            None => panic!("vertex number {} of a graph of {} vertices", vertex.dense(), self.num_vertices()),
        }
    }

    /// Number of edges out of a vertex.
    ///
    /// # Panics
    /// If the vertex is not of this graph, as indexing a slice does.
    pub fn out_degree(&self, vertex: Vertex) -> u64 {
        u64::from(self.out_degrees()[vertex.index()])
    }

    /// Number of edges into a vertex.
    ///
    /// # Panics
    /// If the vertex is not of this graph, as indexing a slice does.
    pub fn in_degree(&self, vertex: Vertex) -> u64 {
        u64::from(self.in_degrees()[vertex.index()])
    }

    /// Number of edges out of each vertex, by dense number.
    pub fn out_degrees(&self) -> &[u32] {
        &self.parts.out_degrees
    }

    /// Number of edges into each vertex, by dense number.
    pub fn in_degrees(&self) -> &[u32] {
        if self.parts.properties.symmetric { &self.parts.out_degrees } else { &self.parts.in_degrees }
    }

    /// First out-neighbour of each vertex, `u32::MAX` for none; in degree-ordered graphs only.
    pub fn heads(&self) -> Option<&[u32]> {
        self.parts.heads.as_deref().map(Vec::as_slice)
    }

    /// The map between dense and original numbers.
    pub fn ids(&self) -> &IdMap {
        &self.parts.ids
    }

    /// The pages of one direction. In-edges are there if they were asked for when the graph was built, or if the graph
    /// is symmetric, where out-edges serve.
    pub fn topology(&self, side: Side) -> Option<&Topology> {
        match side {
            Side::Out => Some(&self.parts.out),
            Side::In if self.parts.properties.symmetric => Some(&self.parts.out),
            Side::In => self.parts.incoming.as_ref(),
        }
    }

    /// The pages of the out-edges, which every graph has.
    pub fn out_topology(&self) -> &Topology {
        &self.parts.out
    }

    /// What is known of the graph.
    pub fn properties(&self) -> &Properties {
        &self.parts.properties
    }

    /// Type of the edge values.
    pub fn value_type(&self) -> Option<ScalarType> {
        self.parts.properties.value_type
    }

    /// Returns what the graph is like as far as costs depend on it. The first call counts degrees and lists, by all threads,
    /// and those after it do not.
    pub fn shape(&self) -> &GraphShape {
        self.shape.get_or_init(|| GraphShape::of(self))
    }

    /// Returns a hash of the pages, the degrees and the IDs. It is the same for a graph and for the stores that hold it, and
    /// another one for a graph that differs in an edge, a value, an ID, the order of the vertices or the size of pages. The
    /// first call for a graph that was not opened from a store reads all pages, by all threads.
    pub fn content(&self) -> u64 {
        *self.parts.content.get_or_init(|| store::content_of(self))
    }

    /// Returns what the reader of the input noted, such as columns that it left out. A store keeps these notes.
    pub fn notes(&self) -> &[String] {
        &self.parts.notes
    }

    /// Returns whether pages stay in memory, as [`Topology::is_resident`] tells of each direction.
    pub fn is_resident(&self) -> bool {
        self.parts.out.is_resident()
    }

    /// Out-neighbours of a vertex, ascending. Only pages that are not in memory can fail, and end with the error.
    pub fn neighbours(&self, vertex: Vertex) -> impl Iterator<Item = Result<Vertex, StoreError>> + '_ {
        edges::neighbours(&self.parts.out, vertex)
    }

    /// In-neighbours of a vertex, ascending, as for [`Graph::neighbours`]; `None` in a graph without in-edges.
    pub fn in_neighbours(&self, vertex: Vertex) -> Option<impl Iterator<Item = Result<Vertex, StoreError>> + '_> {
        self.topology(Side::In).map(|topology| edges::neighbours(topology, vertex))
    }

    /// Every edge as (src, dst), dense, ascending. Only pages that are not in memory can fail, and end with the error; of
    /// those an iterator keeps a copy beside the graph's host memory: of up to 4 MiB, or of one page.
    pub fn edges(&self) -> impl Iterator<Item = Result<(u64, u64), StoreError>> + '_ {
        edges::all(&self.parts.out, ()).map(|edge| edge.map(|(src, dst, ())| (src, dst)))
    }

    /// Every edge as (src, dst, value), dense, ascending, as for [`Graph::edges`]; `None` if the values are not of type
    /// `V`.
    pub fn weighted_edges<V: EdgeValue>(&self) -> Option<impl Iterator<Item = Result<(u64, u64, V), StoreError>> + '_> {
        let default = edges::no_value(self)?;
        Some(edges::all(&self.parts.out, default))
    }

    /// Folds every edge, as (src, dst, value), dense, by all threads: each page's edges in order, from `identity` on,
    /// and what the pages came to joined in no order. `None` if the values are not of type `V`. The functions are
    /// called while pages are held: where pages stay on disk, reading the graph's edges in them may wait for ever.
    ///
    /// # Errors
    ///
    /// Pages that cannot be read.
    pub fn reduce_edges<V: EdgeValue, T: Send>(
        &self,
        identity: impl Fn() -> T + Sync,
        fold: impl Fn(T, u64, u64, V) -> T + Sync,
        join: impl Fn(T, T) -> T + Sync,
    ) -> Option<Result<T, StoreError>> {
        let default = edges::no_value(self)?;
        Some(edges::reduce(&self.parts.out, default, identity, fold, join))
    }

    /// Returns the least and the greatest edge value as numbers, both NaN where one of the values is; an infinite least and
    /// a greatest below it where there is no edge. The first call walks all edges, by all threads, and those after it do
    /// not. `None` if the values are not of type `V`.
    ///
    /// ```
    /// use gts_core::graph::Graph;
    ///
    /// let graph = Graph::builder().weighted_edges([(1, 2, 3.5f32), (2, 1, 0.5)]).build()?;
    /// assert_eq!(graph.value_extremes::<f32>().transpose()?, Some([0.5, 3.5]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Pages that cannot be read.
    pub fn value_extremes<V: EdgeValue>(&self) -> Option<Result<[f64; 2], StoreError>> {
        let default = edges::no_value(self)?;
        if let Some(&known) = self.extremes.get() {
            return Some(Ok(known));
        }
        let lower = |a: f64, b: f64| if a < b || a.is_nan() { a } else { b };
        let higher = |a: f64, b: f64| if a > b || a.is_nan() { a } else { b };
        let join = |a: [f64; 2], b: [f64; 2]| [lower(a[0], b[0]), higher(a[1], b[1])];
        let none = || [f64::INFINITY, f64::NEG_INFINITY];
        let fold = |found: [f64; 2], _, _, value: V| join(found, [value.to_f64(); 2]);
        let found = edges::reduce(&self.parts.out, default, none, fold, join);
        Some(found.map(|found| *self.extremes.get_or_init(|| found)))
    }

    /// Bytes of pages and tables.
    pub fn bytes(&self) -> u64 {
        self.topologies().map(Topology::bytes).sum::<u64>() + self.table_bytes()
    }

    /// Bytes of host memory that tables and pages take now: of pages that stay on disk, the buffer that they come through.
    pub fn host_bytes(&self) -> u64 {
        let in_memory = self.topologies().filter(|pages| pages.is_resident());
        let buffer = self.topologies().find(|pages| !pages.is_resident());
        in_memory.chain(buffer).map(|pages| pages.source().host_bytes()).sum::<u64>() + self.table_bytes()
    }

    fn topologies(&self) -> impl Iterator<Item = &Topology> {
        [Some(&self.parts.out), self.parts.incoming.as_ref()].into_iter().flatten()
    }

    fn table_bytes(&self) -> u64 {
        let parts = &self.parts;
        let tables =
            parts.out_degrees.len() + parts.in_degrees.len() + parts.heads.as_ref().map_or(0, |heads| heads.len());
        let page_tables: u64 = self.topologies().map(|pages| 20 * u64::from(pages.num_pages())).sum();
        page_tables + 4 * tables as u64 + parts.ids.bytes()
    }
}

impl fmt::Debug for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Graph")
            .field("vertices", &self.num_vertices())
            .field("edges", &self.num_edges())
            .finish_non_exhaustive()
    }
}
