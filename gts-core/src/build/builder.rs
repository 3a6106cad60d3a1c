//! Builds graphs from edges in memory, without files.

use super::{BuildError, BuildOptions, BuildSummary, OrderChoice, build};
use crate::graph::Graph;
use crate::page::{EdgeValue, IdWidth};
use crate::stream::{Declared, DeclaredVertices, EdgeBatch, EdgeStream, ImportError};
use gts_contract::ScalarType;

/// Maximum number of edges in a batch.
const BATCH: usize = 1 << 16;

/// Collects edges and options, then builds a [`Graph`].
///
/// ```
/// use gts_core::graph::{Graph, VertexOrder};
///
/// let graph = Graph::builder().edges([(10, 20), (20, 30)]).order(VertexOrder::Degree).build()?;
/// assert_eq!(graph.num_vertices(), 3);
/// # Ok::<(), gts_core::build::BuildError>(())
/// ```
#[must_use = "a builder does nothing until `build` is called"]
pub struct GraphBuilder<'a> {
    edges: Box<dyn Iterator<Item = (u64, u64, u64)> + 'a>,
    declared: Declared,
    options: BuildOptions,
}

impl Graph {
    /// Returns a builder for a graph in memory.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_core::graph::Graph;
    /// let graph = Graph::builder().edges([(1, 2), (2, 3)]).undirected(true).build()?;
    /// assert_eq!(graph.num_edges(), 4);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn builder() -> GraphBuilder<'static> {
        GraphBuilder::new()
    }

    /// Builds a directed graph from (src, dst) pairs of original IDs, with default options.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_core::graph::Graph;
    /// let graph = Graph::from_edges([(10, 20), (20, 30)])?;
    /// assert_eq!(graph.num_vertices(), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The graph has too many vertices or edges, or memory is too small.
    pub fn from_edges(edges: impl IntoIterator<Item = (u64, u64)>) -> Result<Self, BuildError> {
        Self::builder().edges(edges).build()
    }
}

impl GraphBuilder<'static> {
    fn new() -> Self {
        Self { edges: Box::new(std::iter::empty()), declared: Declared::default(), options: BuildOptions::default() }
    }
}

impl<'a> GraphBuilder<'a> {
    /// Sets the edges, without values, as (src, dst) pairs of original IDs.
    pub fn edges<'b>(self, edges: impl IntoIterator<Item = (u64, u64), IntoIter: 'b>) -> GraphBuilder<'b> {
        let edges = edges.into_iter().map(|(src, dst)| (src, dst, 0));
        self.with(Box::new(edges), None)
    }

    /// Sets the edges with values, as (src, dst, value) tuples.
    pub fn weighted_edges<'b, V: EdgeValue>(
        self,
        edges: impl IntoIterator<Item = (u64, u64, V), IntoIter: 'b>,
    ) -> GraphBuilder<'b> {
        let edges = edges.into_iter().map(|(src, dst, value)| (src, dst, value.to_bits()));
        self.with(Box::new(edges), V::SCALAR)
    }

    fn with<'b>(
        self,
        edges: Box<dyn Iterator<Item = (u64, u64, u64)> + 'b>,
        value_type: Option<ScalarType>,
    ) -> GraphBuilder<'b> {
        GraphBuilder {
            edges,
            declared: Declared { value_type, store_as: value_type, ..self.declared },
            options: self.options,
        }
    }

    /// Declares the vertices of the graph, including those without edges. Edges with undeclared vertices are then
    /// rejected.
    pub fn vertices(mut self, vertices: DeclaredVertices) -> Self {
        self.declared.vertices = vertices;
        self
    }

    /// Sets all options.
    pub fn options(mut self, options: BuildOptions) -> Self {
        self.options = options;
        self
    }

    /// Sets the page size in bytes.
    pub fn page_size(mut self, bytes: u32) -> Self {
        self.options.page_size = Some(bytes);
        self
    }

    /// Sets the width of record IDs. The default depends on the graph's size.
    pub fn width(mut self, width: IdWidth) -> Self {
        self.options.width = Some(width);
        self
    }

    /// Sets the order of the vertices. The default is ascending original IDs.
    pub fn order(mut self, order: impl Into<OrderChoice>) -> Self {
        self.options.order = order.into();
        self
    }

    /// Sets whether to store in-edges in addition to out-edges.
    pub fn in_edges(mut self, wanted: bool) -> Self {
        self.options.in_edges = wanted;
        self
    }

    /// Sets whether each given edge represents both directions.
    pub fn undirected(mut self, wanted: bool) -> Self {
        self.options.undirected = wanted;
        self
    }

    /// Sets whether to add missing reverse edges. Of duplicate edges, only one is kept.
    pub fn symmetrise(mut self, wanted: bool) -> Self {
        self.options.symmetrise = wanted;
        self
    }

    /// Sets whether to drop edges from a vertex to itself.
    pub fn drop_self_loops(mut self, wanted: bool) -> Self {
        self.options.drop_self_loops = wanted;
        self
    }

    /// Sets whether to drop duplicate edges. Of several edges between the same vertices, the one with the smallest
    /// value is kept.
    pub fn drop_duplicates(mut self, wanted: bool) -> Self {
        self.options.drop_duplicates = wanted;
        self
    }

    /// Builds the graph. Fails if the edges or options are invalid, or if memory runs out.
    pub fn build(self) -> Result<Graph, BuildError> {
        self.build_with_summary().map(|(graph, _)| graph)
    }

    /// Builds the graph, and returns it with a summary of the edges that were read and dropped.
    pub fn build_with_summary(self) -> Result<(Graph, BuildSummary), BuildError> {
        let mut stream = IterStream { edges: self.edges, declared: self.declared, done: 0 };
        build(&mut stream, &self.options)
    }
}

/// An [`EdgeStream`] that reads from an iterator.
struct IterStream<'a> {
    edges: Box<dyn Iterator<Item = (u64, u64, u64)> + 'a>,
    declared: Declared,
    done: u64,
}

impl EdgeStream for IterStream<'_> {
    fn next(&mut self, batch: &mut EdgeBatch) -> Result<bool, ImportError> {
        batch.clear();
        let weighted = self.declared.value_type.is_some();
        for (src, dst, value) in self.edges.by_ref().take(BATCH) {
            batch.src.push(src);
            batch.dst.push(dst);
            if weighted {
                batch.value.push(value);
            }
        }
        self.done += batch.src.len() as u64;
        Ok(!batch.src.is_empty())
    }

    fn declared(&self) -> Declared {
        self.declared.clone()
    }

    fn progress(&self) -> (u64, Option<u64>) {
        (self.done, None)
    }
}
