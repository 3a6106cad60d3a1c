//! The graph, as used by programs and the runtime.

mod degrees;
mod edges;
mod helpers;
mod ids;
mod key;
mod lists;
mod names;
pub(crate) mod order;
mod properties;
mod set;
mod shape;
mod sides;
mod some_edges;

pub use crate::vertex::{IdMapError, NoVertex, PageId, Vertex, VertexId};
pub use degrees::{DegreeClass, DegreeSpread};
pub use helpers::EdgeAt;
pub(crate) use helpers::edges_of_page;
pub use ids::{IdMap, UnknownVertex, VertexError};
pub(crate) use ids::{KeySource, Originals};
pub use key::{Key, KeyKind, LONGEST_KEY, UnknownKeyKind, number_of_signed, uuid};
pub(crate) use key::{KeyForm, is_text, signed_of_number};
pub use lists::{ListClass, ListShape};
pub(crate) use names::{BlockWriter, KeyNames, NamesFile, shared_bytes};
pub use properties::{Kept, MOST_LAYERS, Properties, UnknownOrder, VertexOrder};
pub use set::VertexSet;
pub use shape::{GraphShape, KnownLevel, TopologyShape, TraversalGrowth};
pub(crate) use sides::{RIGHT_OFFSET, left_number};

use crate::page::{EdgeValue, StoreError, Topology};
use crate::parallel::*;
use gts_contract::{ScalarType, Side};
use std::fmt;
use std::sync::{Arc, OnceLock};

/// A graph in slotted pages. Cloning is cheap, because clones share all data.
#[derive(Clone)]
pub struct Graph {
    parts: Arc<GraphParts>,
    /// The smallest and the largest edge value, computed on first use.
    extremes: Arc<OnceLock<[f64; 2]>>,
    /// The properties that determine costs, computed on first use.
    shape: Arc<OnceLock<GraphShape>>,
}

/// The data of a graph, shared by its clones.
pub(crate) struct GraphParts {
    pub(crate) ids: IdMap,
    pub(crate) properties: Properties,
    pub(crate) out: Topology,
    /// The pages of in-edges; `None` if the graph has none or is symmetric.
    pub(crate) incoming: Option<Topology>,
    pub(crate) out_degrees: Arc<Vec<u32>>,
    /// The in-degrees; empty in a symmetric graph, where `out_degrees` applies to both directions.
    pub(crate) in_degrees: Arc<Vec<u32>>,
    /// The first out-neighbour of each vertex, or `u32::MAX` for a vertex without out-edges. Only degree-ordered graphs
    /// have this table.
    pub(crate) heads: Option<Arc<Vec<u32>>>,
    pub(crate) sinks: u64,
    /// Notes from the reader of the input, for example about skipped columns.
    pub(crate) notes: Vec<String>,
    /// The hash of the graph's content, computed on first use.
    pub(crate) content: OnceLock<u64>,
}

impl Graph {
    pub(crate) fn from_parts(mut parts: GraphParts) -> Self {
        parts.sinks = parts.out_degrees.par_iter().count_if(|&degree| degree == 0) as u64;
        Self { parts: Arc::new(parts), extremes: Arc::default(), shape: Arc::default() }
    }

    pub(crate) fn parts(&self) -> &GraphParts {
        &self.parts
    }

    /// Returns the number of vertices.
    ///
    /// # Examples
    ///
    /// ```
    /// # let graph = gts_core::graph::Graph::from_edges([(1, 2), (1, 3), (2, 3)])?;
    /// assert_eq!(graph.num_vertices(), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn num_vertices(&self) -> u64 {
        self.parts.ids.len()
    }

    /// Returns the number of directed edges stored. An undirected edge counts twice.
    ///
    /// # Examples
    ///
    /// ```
    /// # let graph = gts_core::graph::Graph::from_edges([(1, 2), (1, 3), (2, 3)])?;
    /// assert_eq!(graph.num_edges(), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn num_edges(&self) -> u64 {
        self.parts.out.num_edges()
    }

    /// Returns the number of undirected edges, each counted once; `None` if the graph is directed.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_core::graph::Graph;
    /// let graph = Graph::read("chain:10")?;
    /// assert_eq!((graph.num_undirected_edges(), graph.num_edges()), (Some(9), 18));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn num_undirected_edges(&self) -> Option<u64> {
        self.parts.properties.undirected_edges(self.num_edges())
    }

    /// Returns the number of vertices without out-edges.
    ///
    /// # Examples
    ///
    /// ```
    /// # let graph = gts_core::graph::Graph::from_edges([(1, 2), (1, 3), (2, 3)])?;
    /// assert_eq!(graph.num_sinks(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn num_sinks(&self) -> u64 {
        self.parts.sinks
    }

    /// Returns the vertex with a key: a number, or a name if the graph's keys are names.
    ///
    /// # Examples
    ///
    /// ```
    /// # let graph = gts_core::graph::Graph::from_edges([(1, 2), (1, 3), (2, 3)])?;
    /// assert!(graph.vertex(2).is_ok());
    /// assert_eq!(graph.vertex(7).unwrap_err().to_string(), "vertex 7 is not in the graph");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`UnknownVertex`] if no vertex has this key. Also fails if the keys of the store cannot be read.
    pub fn vertex<'k>(&self, key: impl Into<Key<'k>>) -> Result<Vertex, VertexError> {
        self.parts.ids.vertex(key)
    }

    /// Returns the key of a vertex. [`IdMap::keys`] is faster for many vertices.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_core::graph::{Graph, Key};
    /// # let graph = Graph::from_edges([(1, 2), (1, 3), (2, 3)])?;
    /// assert_eq!(graph.key(graph.vertex(3)?)?, Key::from(3));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The keys of the store cannot be read.
    ///
    /// # Panics
    /// Panics if the vertex is not in this graph.
    pub fn key(&self, vertex: Vertex) -> Result<Key<'static>, StoreError> {
        self.parts.ids.key_of(self.original(vertex))
    }

    /// Returns the original ID of a vertex: its key if keys are numbers, and its rank if they are names or UUIDs.
    ///
    /// # Examples
    ///
    /// ```
    /// # let graph = gts_core::graph::Graph::from_edges([(1, 2), (1, 3), (2, 3)])?;
    /// assert_eq!(graph.original(graph.vertex(3)?), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// Panics if the vertex is not in this graph.
    pub fn original(&self, vertex: Vertex) -> u64 {
        match self.parts.ids.original(vertex) {
            Some(original) => original,
            None => panic!("vertex number {} of a graph of {} vertices", vertex.dense(), self.num_vertices()),
        }
    }

    /// Returns the number of out-edges of a vertex.
    ///
    /// # Examples
    ///
    /// ```
    /// # let graph = gts_core::graph::Graph::from_edges([(1, 2), (1, 3), (2, 3)])?;
    /// assert_eq!(graph.out_degree(graph.vertex(1)?), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// Panics if the vertex is not in this graph.
    pub fn out_degree(&self, vertex: Vertex) -> u64 {
        u64::from(self.out_degrees()[vertex.index()])
    }

    /// Returns the number of in-edges of a vertex.
    ///
    /// # Examples
    ///
    /// ```
    /// # let graph = gts_core::graph::Graph::from_edges([(1, 2), (1, 3), (2, 3)])?;
    /// assert_eq!(graph.in_degree(graph.vertex(3)?), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// Panics if the vertex is not in this graph.
    pub fn in_degree(&self, vertex: Vertex) -> u64 {
        u64::from(self.in_degrees()[vertex.index()])
    }

    /// Returns the out-degrees, indexed by dense number.
    ///
    /// # Examples
    ///
    /// ```
    /// # let graph = gts_core::graph::Graph::from_edges([(1, 2), (1, 3), (2, 3)])?;
    /// assert_eq!(graph.out_degrees(), [2, 1, 0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn out_degrees(&self) -> &[u32] {
        &self.parts.out_degrees
    }

    /// Returns the in-degrees, indexed by dense number.
    ///
    /// # Examples
    ///
    /// ```
    /// # let graph = gts_core::graph::Graph::from_edges([(1, 2), (1, 3), (2, 3)])?;
    /// assert_eq!(graph.in_degrees(), [0, 1, 2]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn in_degrees(&self) -> &[u32] {
        if self.parts.properties.symmetric { &self.parts.out_degrees } else { &self.parts.in_degrees }
    }

    /// Returns the first out-neighbour of each vertex, or `u32::MAX` for a vertex without out-edges. Returns `None`
    /// unless the graph is in degree order.
    ///
    /// # Examples
    ///
    /// ```
    /// # let graph = gts_core::graph::Graph::from_edges([(1, 2), (1, 3), (2, 3)])?;
    /// assert_eq!(graph.heads(), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn heads(&self) -> Option<&[u32]> {
        self.parts.heads.as_deref().map(Vec::as_slice)
    }

    /// Returns the map between dense numbers, original IDs and keys.
    ///
    /// # Examples
    ///
    /// ```
    /// # let graph = gts_core::graph::Graph::from_edges([(1, 2), (1, 3), (2, 3)])?;
    /// assert!(graph.ids().ascending().eq([1, 2, 3]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn ids(&self) -> &IdMap {
        &self.parts.ids
    }

    /// Returns the pages of one direction. In-edges are available if the graph was built with them, or if the graph is
    /// symmetric: its out-edges then serve as in-edges.
    ///
    /// # Examples
    ///
    /// ```
    /// # let graph = gts_core::graph::Graph::from_edges([(1, 2), (1, 3), (2, 3)])?;
    /// assert!(graph.topology(gts_contract::Side::In).is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn topology(&self, side: Side) -> Option<&Topology> {
        match side {
            Side::Out => Some(&self.parts.out),
            Side::In if self.parts.properties.symmetric => Some(&self.parts.out),
            Side::In => self.parts.incoming.as_ref(),
        }
    }

    /// Returns the pages of the out-edges, which every graph has.
    ///
    /// # Examples
    ///
    /// ```
    /// # let graph = gts_core::graph::Graph::from_edges([(1, 2), (1, 3), (2, 3)])?;
    /// assert_eq!(graph.out_topology().num_pages(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn out_topology(&self) -> &Topology {
        &self.parts.out
    }

    /// Returns the properties recorded when the graph was built.
    ///
    /// # Examples
    ///
    /// ```
    /// # let graph = gts_core::graph::Graph::from_edges([(1, 2), (1, 3), (2, 3)])?;
    /// assert!(!graph.properties().symmetric);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn properties(&self) -> &Properties {
        &self.parts.properties
    }

    /// Returns the type of the edge values; `None` if edges have no values.
    ///
    /// # Examples
    ///
    /// ```
    /// # let graph = gts_core::graph::Graph::from_edges([(1, 2), (1, 3), (2, 3)])?;
    /// assert_eq!(graph.value_type(), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn value_type(&self) -> Option<ScalarType> {
        self.parts.properties.value_type
    }

    /// Returns the properties that determine costs. The first call counts degrees and lists on all threads; later calls
    /// return the stored result.
    ///
    /// # Examples
    ///
    /// ```
    /// # let graph = gts_core::graph::Graph::from_edges([(1, 2), (1, 3), (2, 3)])?;
    /// assert_eq!(graph.shape().vertices, 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn shape(&self) -> &GraphShape {
        self.shape.get_or_init(|| GraphShape::of(self))
    }

    /// Returns the notes from the reader of the input, for example about skipped columns. Stores retain these notes.
    ///
    /// # Examples
    ///
    /// ```
    /// # let graph = gts_core::graph::Graph::from_edges([(1, 2), (1, 3), (2, 3)])?;
    /// assert!(graph.notes().is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn notes(&self) -> &[String] {
        &self.parts.notes
    }

    /// Returns whether the pages of all directions stay in memory: see [`Topology::is_resident`].
    ///
    /// # Examples
    ///
    /// ```
    /// # let graph = gts_core::graph::Graph::from_edges([(1, 2), (1, 3), (2, 3)])?;
    /// assert!(graph.is_resident());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn is_resident(&self) -> bool {
        self.parts.out.is_resident()
    }

    /// Iterates over the out-neighbours of a vertex in ascending order.
    ///
    /// # Examples
    ///
    /// ```
    /// # let graph = gts_core::graph::Graph::from_edges([(1, 2), (1, 3), (2, 3)])?;
    /// let mut found = Vec::new();
    /// for neighbor in graph.neighbors(graph.vertex(1)?) {
    ///     found.push(graph.original(neighbor?));
    /// }
    /// assert_eq!(found, [2, 3]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Yields a [`StoreError`] if a page is not in memory and cannot be read. The error ends the iteration.
    pub fn neighbors(&self, vertex: Vertex) -> impl Iterator<Item = Result<Vertex, StoreError>> + '_ {
        edges::neighbors(&self.parts.out, vertex)
    }

    /// Iterates over the in-neighbours of a vertex, as [`Graph::neighbors`] does for out-neighbours. Returns `None` if
    /// the graph has no in-edges.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_core::graph::Graph;
    /// let graph = Graph::builder().edges([(1, 2), (3, 2)]).in_edges(true).build()?;
    /// assert_eq!(graph.in_neighbors(graph.vertex(2)?).map(Iterator::count), Some(2));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`Graph::neighbors`].
    pub fn in_neighbors(&self, vertex: Vertex) -> Option<impl Iterator<Item = Result<Vertex, StoreError>> + '_> {
        self.topology(Side::In).map(|topology| edges::neighbors(topology, vertex))
    }

    /// Iterates over all edges as (src, dst) pairs, in ascending order of dense numbers. Pages that are not in memory are
    /// copied to additional host memory, up to 4 MiB or one page.
    ///
    /// # Examples
    ///
    /// ```
    /// # let graph = gts_core::graph::Graph::from_edges([(1, 2), (1, 3), (2, 3)])?;
    /// let mut found = Vec::new();
    /// for edge in graph.edges() {
    ///     let (src, dst) = edge?;
    ///     found.push((graph.original(src), graph.original(dst)));
    /// }
    /// assert_eq!(found, [(1, 2), (1, 3), (2, 3)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`Graph::neighbors`].
    pub fn edges(&self) -> impl Iterator<Item = Result<(Vertex, Vertex), StoreError>> + '_ {
        edges::all(&self.parts.out, ()).map(|edge| edge.map(|(src, dst, ())| (src, dst)))
    }

    /// Iterates over all edges as (src, dst, value) tuples, as [`Graph::edges`] does. Returns `None` if the values are
    /// not of type `V`.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_core::graph::Graph;
    /// let graph = Graph::builder().weighted_edges([(1, 2, 0.5f32)]).build()?;
    /// let mut edges = graph.weighted_edges::<f32>().expect("the weights are f32");
    /// assert_eq!(edges.next().transpose()?.map(|(_, _, weight)| weight), Some(0.5));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`Graph::neighbors`].
    pub fn weighted_edges<V: EdgeValue>(
        &self,
    ) -> Option<impl Iterator<Item = Result<(Vertex, Vertex, V), StoreError>> + '_> {
        let default = edges::no_value(self)?;
        Some(edges::all(&self.parts.out, default))
    }

    /// Folds all edges on all threads. `fold` receives the ends and the value of each edge. Folds each page in order,
    /// starting from `identity`, and joins the pages' results in arbitrary order. Returns `None` if the values are not
    /// of type `V`. The functions run while pages are held. If pages stay on disk, a function that reads the graph's
    /// edges may therefore deadlock.
    ///
    /// # Examples
    ///
    /// ```
    /// # let graph = gts_core::graph::Graph::from_edges([(1, 2), (1, 3), (2, 3)])?;
    /// let count = graph.reduce_edges(|| 0, |sum, src, dst, ()| sum + u32::from(src < dst), |a, b| a + b);
    /// assert_eq!(count.transpose()?, Some(3));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if pages cannot be read.
    pub fn reduce_edges<V: EdgeValue, T: Send>(
        &self,
        identity: impl Fn() -> T + Sync,
        fold: impl Fn(T, Vertex, Vertex, V) -> T + Sync,
        join: impl Fn(T, T) -> T + Sync,
    ) -> Option<Result<T, StoreError>> {
        let default = edges::no_value(self)?;
        Some(edges::reduce(&self.parts.out, default, identity, fold, join))
    }

    /// Returns the smallest and the largest edge value as numbers. Both are NaN if any value is NaN. Without edges, the
    /// result is an empty range: infinity and negative infinity. Only the first call visits all edges, on all threads.
    /// Returns `None` if the values are not of type `V`.
    ///
    /// # Examples
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
    /// Fails if pages cannot be read.
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

    /// Returns the total size of pages and tables in bytes.
    ///
    /// # Examples
    ///
    /// ```
    /// # let graph = gts_core::graph::Graph::from_edges([(1, 2), (1, 3), (2, 3)])?;
    /// assert!(graph.bytes() >= graph.out_topology().bytes());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn bytes(&self) -> u64 {
        self.topologies().map(Topology::bytes).sum::<u64>() + self.table_bytes()
    }

    /// Returns the host memory, in bytes, that tables and pages currently use. If pages stay on disk, the buffer
    /// through which they are loaded counts instead.
    ///
    /// # Examples
    ///
    /// ```
    /// # let graph = gts_core::graph::Graph::from_edges([(1, 2), (1, 3), (2, 3)])?;
    /// assert_eq!(graph.host_bytes(), graph.bytes());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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
