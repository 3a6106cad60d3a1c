//! Building graphs: from a stream of edges in original IDs to pages.
//!
//! The stream's edges are collected, their original IDs ranked, the ranks turned into dense numbers by the order asked
//! for, the edges sorted by (source, target, value), and the sorted edges laid out in pages. Everything after the
//! stream runs in parallel, and nothing of the outcome depends on the number of threads.

mod collect;
mod degrees;
mod edges;
mod error;
mod fill;
mod options;
mod order;
mod paginate;
mod progress;
mod record;
mod renumber;
mod sort;
mod stream;
mod summary;
mod symmetry;
#[cfg(test)]
mod tests;

pub use error::BuildError;
pub use options::{BuildOptions, Phase, Progress, ProgressFn};
pub use stream::{Declared, DeclaredVertices, Direction, EdgeBatch, EdgeStream};
pub use summary::BuildSummary;
pub(crate) use symmetry::SymmetrySums;

use crate::contract::ScalarType;
use crate::graph::{Graph, GraphParts, IdMap, Kept, Originals, Properties, VertexOrder};
use crate::page::{EDGE_VALUE_TYPES, FormatError, PageFormat, Topology, check_page_size};
use collect::RawChunk;
use edges::{Edges, Rules};
use progress::Reporter;
use record::Record;
use sort::Sorted;

/// Builds a graph in memory, and says what was read and what was dropped.
pub fn build(stream: &mut dyn EdgeStream, options: &BuildOptions) -> Result<(Graph, BuildSummary), BuildError> {
    check_page_size(options.page_size)?;
    let mut reporter = Reporter::new(options.progress.clone());
    let chunks = collect::collect(stream, options.memory, &reporter)?;
    let declared = stream.declared();
    let input = Input::new(&declared, &chunks, options)?;
    reporter.finish(Phase::Read);
    reporter.report(Phase::Renumber, 0, Some(input.edges));
    let originals = renumber::find(declared.vertices, &chunks)?;
    match input.values.map_or(0, |(_, stored)| stored.bytes(8)) {
        0 => Build::<u64>::new(input, options, originals, reporter).run(chunks),
        4 => Build::<[u32; 3]>::new(input, options, originals, reporter).run(chunks),
        _ => Build::<[u64; 2]>::new(input, options, originals, reporter).run(chunks),
    }
}

/// What is known of the input once it has been read.
#[derive(Clone, Copy)]
struct Input {
    direction: Direction,
    edges: u64,
    bipartite_rows: Option<u64>,
    /// Types of the values as read and as stored.
    values: Option<(ScalarType, ScalarType)>,
}

impl Input {
    fn new(declared: &Declared, chunks: &[RawChunk], options: &BuildOptions) -> Result<Self, BuildError> {
        let values = match (declared.value_type, options.value_type) {
            (None, Some(wanted)) => return Err(BuildError::NoValues(wanted)),
            (None, None) => None,
            (Some(read), wanted) => Some((read, wanted.or(declared.store_as).unwrap_or(read))),
        };
        for scalar in values.into_iter().flat_map(|(read, stored)| [read, stored]) {
            if !EDGE_VALUE_TYPES.contains(&scalar) {
                return Err(FormatError::Value(scalar).into());
            }
        }
        let edges = chunks.iter().map(|chunk| chunk.len() as u64).sum();
        Ok(Self { direction: declared.direction, edges, bipartite_rows: declared.rows, values })
    }
}

/// A build of edges that take the form of `R`.
struct Build<'a, R> {
    input: Input,
    options: &'a BuildOptions,
    originals: Originals,
    reporter: Reporter,
    summary: BuildSummary,
    record: std::marker::PhantomData<R>,
}

impl<'a, R: Record> Build<'a, R> {
    fn new(input: Input, options: &'a BuildOptions, originals: Originals, reporter: Reporter) -> Self {
        let summary = BuildSummary { vertices: originals.len(), edges_read: input.edges, ..BuildSummary::default() };
        Self { input, options, originals, reporter, summary, record: std::marker::PhantomData }
    }

    fn run(mut self, chunks: Vec<RawChunk>) -> Result<(Graph, BuildSummary), BuildError> {
        self.check_budget()?;
        let mut chunks = self.records(chunks)?;
        let mut numbers = order::numbers(self.options.order, self.vertices());
        if self.options.order == VertexOrder::Degree {
            if self.drop_duplicates() {
                // Degrees are those of the edges that stay.
                chunks = self.sort(chunks)?.buckets;
            }
            numbers = Some(order::by_degree(&chunks, self.vertices()));
        }
        if let Some(numbers) = &numbers {
            edges::relabel(&mut chunks, numbers);
        }
        self.reporter.finish(Phase::Renumber);
        self.reporter.report(Phase::Sort, 0, Some(self.input.edges));
        let sorted = self.sort(chunks)?;
        self.reporter.finish(Phase::Sort);
        self.reporter.report(Phase::Pages, 0, Some(sorted.len()));
        self.lay_out(sorted, numbers)
    }

    fn vertices(&self) -> u32 {
        self.originals.len() as u32
    }

    fn both_ways(&self) -> bool {
        self.options.undirected || self.options.symmetrise || self.input.direction == Direction::Undirected
    }

    fn drop_duplicates(&self) -> bool {
        self.options.drop_duplicates || self.options.symmetrise
    }

    /// Refuses early what the budget does not allow: the edges twice while they are sorted, and the vertices' tables.
    fn check_budget(&self) -> Result<(), BuildError> {
        let Some(budget) = self.options.memory else { return Ok(()) };
        let arcs = self.input.edges * if self.both_ways() { 2 } else { 1 };
        let needed = arcs * 2 * size_of::<R>() as u64 + u64::from(self.vertices()) * 24;
        if needed > budget { Err(BuildError::Budget { needed, budget }) } else { Ok(()) }
    }

    /// The edges between ranks.
    fn records(&mut self, chunks: Vec<RawChunk>) -> Result<Vec<Vec<R>>, BuildError> {
        let ranks = renumber::Ranks::new(&self.originals);
        let rules = Rules {
            both_ways: self.both_ways(),
            drop_self_loops: self.options.drop_self_loops,
            values: self.input.values,
        };
        let Edges { chunks, self_loops_dropped, reversed } = edges::records(chunks, &ranks, &rules)?;
        self.summary.self_loops_dropped = self_loops_dropped;
        self.summary.edges_reversed = reversed;
        Ok(chunks)
    }

    /// Sorts, and drops duplicates where asked for.
    fn sort(&mut self, chunks: Vec<Vec<R>>) -> Result<Sorted<R>, BuildError> {
        let mut sorted = sort::sort(chunks, self.vertices())?;
        if self.drop_duplicates() {
            self.summary.duplicates_dropped += sorted.drop_duplicates();
        }
        Ok(sorted)
    }

    /// Whether each edge has its reverse.
    fn is_symmetric(&self, edges: &Sorted<R>, degrees: &[&[u32]; 2]) -> Result<bool, BuildError> {
        // Edges stored both ways are symmetric by construction, and most that are not differ in some degree.
        let symmetric = self.both_ways() || degrees[0] == degrees[1] && symmetry::is_symmetric(&edges.buckets);
        if !symmetric && self.input.direction == Direction::Symmetric {
            return Err(BuildError::NotSymmetric);
        }
        Ok(symmetric)
    }

    fn lay_out(mut self, mut edges: Sorted<R>, numbers: Option<Vec<u32>>) -> Result<(Graph, BuildSummary), BuildError> {
        let ids = IdMap::new(self.originals.clone(), numbers)?;
        let too_many = |(vertex, found)| too_many_edges(&ids, vertex, found);
        let sources = degrees::sources(&edges).map_err(too_many)?;
        let mut in_degrees = match self.both_ways() {
            true => Vec::new(),
            false => degrees::targets(&edges.buckets, self.vertices()).map_err(too_many)?,
        };
        let symmetric = self.is_symmetric(&edges, &[&sources.degrees, &in_degrees])?;
        let out = self.topology(&edges, &sources.degrees)?;
        let mut incoming = None;
        if symmetric {
            in_degrees = Vec::new();
        } else if self.options.in_edges {
            edges::reverse(&mut edges.buckets);
            edges = sort::sort(edges.buckets, self.vertices())?;
            let targets = degrees::sources(&edges).map_err(too_many)?;
            incoming = Some(self.topology(&edges, &targets.degrees)?);
            in_degrees = targets.degrees;
        }
        drop(edges);
        let parts = GraphParts {
            properties: self.properties(symmetric, &sources.degrees, &in_degrees),
            ids,
            out,
            incoming,
            heads: (self.options.order == VertexOrder::Degree).then_some(sources.heads),
            out_degrees: sources.degrees,
            in_degrees,
            sinks: 0,
        };
        let graph = Graph::from_parts(parts);
        self.reporter.finish(Phase::Pages);
        Ok((graph.clone(), self.finish(&graph)))
    }

    /// The pages of sorted edges.
    fn topology(&self, edges: &Sorted<R>, degrees: &[u32]) -> Result<Topology, BuildError> {
        let value = self.input.values.map(|(_, stored)| stored);
        let width = match self.options.width {
            Some(width) => width,
            None => paginate::choose_width(degrees, self.options.page_size, value)?,
        };
        let format = PageFormat::new(self.options.page_size, width, value)?;
        let pagination = paginate::paginate(degrees, &format)?;
        fill::fill(edges, degrees, format, pagination)
    }

    fn properties(&self, symmetric: bool, out_degrees: &[u32], in_degrees: &[u32]) -> Properties {
        let kept = |dropped| if dropped { Kept::Dropped } else { Kept::Kept };
        let largest = |degrees: &[u32]| degrees.iter().copied().max().unwrap_or(0);
        Properties {
            order: self.options.order,
            symmetric,
            sorted: true,
            duplicates: kept(self.drop_duplicates()),
            self_loops: kept(self.options.drop_self_loops),
            largest_out_degree: largest(out_degrees),
            largest_in_degree: largest(if symmetric { out_degrees } else { in_degrees }),
            value_type: self.input.values.map(|(_, stored)| stored),
            bipartite_rows: self.input.bipartite_rows,
        }
    }

    fn finish(mut self, graph: &Graph) -> BuildSummary {
        let degrees = graph.out_degrees().iter().zip(graph.in_degrees());
        self.summary.isolated = degrees.filter(|&(&out, &into)| out == 0 && into == 0).count() as u64;
        self.summary.edges_stored = graph.num_edges();
        self.summary.pages = u64::from(graph.out_topology().num_pages());
        self.summary.bytes = graph.bytes();
        self.summary.times = self.reporter.times();
        self.summary
    }
}

fn too_many_edges(ids: &IdMap, vertex: u32, found: u64) -> BuildError {
    let original = ids.original(u64::from(vertex)).unwrap_or(u64::from(vertex));
    BuildError::TooManyEdges { original, found, max: u64::from(u32::MAX) }
}
