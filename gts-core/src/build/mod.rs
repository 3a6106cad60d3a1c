//! Builds graphs: converts a stream of edges with original IDs to pages.
//!
//! The edges of the stream are collected, and their original IDs are ranked. The chosen vertex order maps ranks to
//! dense numbers. The edges are sorted by (source, target, value) and laid out in pages. All stages after reading the
//! stream run in parallel. The result does not depend on the number of threads.

mod builder;
mod census;
mod choice;
mod chunk;
mod collect;
mod degrees;
mod edges;
mod error;
mod external;
mod fill;
mod gaps;
mod interner;
mod layers;
mod need;
mod options;
mod paginate;
mod plan;
mod progress;
mod record;
mod renumber;
mod sort;
mod subgraph;
mod summary;
mod symmetry;
#[cfg(test)]
mod tests;

pub use crate::stream::{Declared, DeclaredVertices, Direction, EdgeBatch, EdgeStream};
pub use builder::GraphBuilder;
pub use error::BuildError;
pub(crate) use external::budget_of_listed;
pub(crate) use external::build_store;
pub use options::{BuildOptions, OrderChoice, Phase, Progress, ProgressFn, UnknownOrderChoice};
pub(crate) use paginate::{EMPTY_SHARE, halves_empty_pages};
pub(crate) use renumber::MAX_VERTICES;
pub use summary::BuildSummary;

use crate::graph::order;
use crate::graph::{Graph, GraphParts, IdMap, KeySource, Originals, VertexOrder};
use crate::page::{Topology, check_page_size};
use crate::threads;
use chunk::RawChunk;
use collect::Collector;
use edges::Edges;
use gaps::Gaps;
use interner::{Interned, Interner};
use layers::Layered;
use plan::Plan;
use progress::Reporter;
use record::Record;
use sort::Sorted;
use std::sync::{Arc, OnceLock};

/// Builds a graph in memory. Returns the graph, and a summary of the edges that were read and dropped.
pub(crate) fn build(stream: &mut dyn EdgeStream, options: &BuildOptions) -> Result<(Graph, BuildSummary), BuildError> {
    options.page_size.map_or(Ok(()), check_page_size)?;
    threads::prepare()?;
    let reporter = Reporter::new(options);
    let mut edges = Collector::new(stream);
    renumber::check_declared(&edges.declared(), options)?;
    let chunks = collect::collect(&mut edges, options, &reporter)?;
    in_memory(Known::of(&mut edges), chunks, options, reporter)
}

/// The properties of a stream that has ended.
struct Known {
    declared: Declared,
    notes: Vec<String>,
    /// The keys, if they are names or UUIDs.
    interner: Option<Interner>,
    /// The vertices that exist even if no edge has them, as loops.
    vertices: Option<RawChunk>,
}

impl Known {
    fn of(edges: &mut Collector<'_>) -> Self {
        let (interner, vertices) = (edges.take_interner(), edges.take_vertices());
        Self { declared: edges.declared(), notes: edges.notes(), interner, vertices }
    }
}

/// The vertices of a graph.
struct Vertices {
    originals: Originals,
    keys: KeySource,
    /// Whether `originals` may contain IDs that occur in no edge.
    may_have_gaps: bool,
    /// The rank of each number in an edge; `None` if edges contain original IDs.
    ranks: Option<Vec<u32>>,
}

impl Vertices {
    /// Creates the vertices whose names or UUIDs have been read.
    fn named(Interned { names, ranks }: Interned) -> Result<Self, BuildError> {
        let originals = Originals::Range { first: 0, count: names.len() };
        Ok(Self { originals, keys: KeySource::Names(Arc::new(names)), may_have_gaps: false, ranks: Some(ranks) })
    }
}

/// Builds a graph from chunks of edges that are in memory.
fn in_memory(
    Known { declared, notes, interner, vertices }: Known,
    mut chunks: Vec<RawChunk>,
    options: &BuildOptions,
    mut reporter: Reporter,
) -> Result<(Graph, BuildSummary), BuildError> {
    let plan = Plan::new(&declared, options)?;
    reporter.finish(Phase::Read);
    let edges = chunks.iter().map(|chunk| chunk.len() as u64).sum();
    reporter.report(Phase::Renumber, 0, Some(edges))?;
    let vertices = match interner {
        Some(interner) => Vertices::named(interner.finish()?)?,
        None => {
            let from_edges = declared.vertices == DeclaredVertices::FromEdges
                && vertices.is_none()
                && plan.finds_vertices_by_degree();
            let edge_chunks = chunks.len();
            chunks.extend(vertices);
            let by_id = from_edges.then(|| renumber::numbered_by_id(&chunks)).flatten();
            let may_have_gaps = by_id.is_some();
            let originals = match by_id {
                Some(range) => range,
                None => renumber::find(declared.vertices, || {
                    let named = if declared.right.is_some() { renumber::of_sides } else { renumber::of_edges };
                    Ok(named(&chunks))
                })?,
            };
            chunks.truncate(edge_chunks);
            let left = renumber::left(declared.right, &originals);
            let keys = KeySource::integers(declared.keys, left, &originals);
            Vertices { originals, keys, may_have_gaps, ranks: None }
        }
    };
    let plan = plan.with_sides(&vertices.keys);
    let notes = notes.into_iter().chain(plan.conversion_note()).collect();
    let summary = BuildSummary { edges_read: edges, notes, ..BuildSummary::default() };
    match plan.value_bytes() {
        0 => Build::<u64>::new(plan, summary, vertices, reporter).run(chunks),
        4 => Build::<[u32; 3]>::new(plan, summary, vertices, reporter).run(chunks),
        _ => Build::<[u64; 2]>::new(plan, summary, vertices, reporter).run(chunks),
    }
}

/// A build whose edges are records of type `R`.
struct Build<'a, R> {
    plan: Plan<'a>,
    originals: Originals,
    keys: KeySource,
    /// Whether `originals` may contain IDs that occur in no edge.
    may_have_gaps: bool,
    /// The rank of each number in an edge; `None` if edges contain original IDs.
    ranks: Option<Vec<u32>>,
    reporter: Reporter,
    summary: BuildSummary,
    record: std::marker::PhantomData<R>,
}

impl<'a, R: Record> Build<'a, R> {
    fn new(plan: Plan<'a>, summary: BuildSummary, vertices: Vertices, reporter: Reporter) -> Self {
        let Vertices { originals, keys, may_have_gaps, ranks } = vertices;
        Self { plan, originals, keys, may_have_gaps, ranks, reporter, summary, record: std::marker::PhantomData }
    }

    fn run(mut self, chunks: Vec<RawChunk>) -> Result<(Graph, BuildSummary), BuildError> {
        self.check_budget()?;
        let mut chunks = self.records(chunks)?;
        let mut numbers = order::numbers(self.plan.order(), self.vertices());
        let (mut sorted, mut layers) = (None, Arc::default());
        if let Some(numbers) = &numbers {
            edges::relabel(&mut chunks, numbers);
        } else if let Some(root) = self.plan.root() {
            let edges = self.sort(std::mem::take(&mut chunks))?;
            let (Layered { by_rank, starts }, gaps) = self.by_layers(&edges, root)?;
            chunks = edges.buckets;
            relabel(&mut chunks, &by_rank, gaps.as_ref());
            (numbers, layers) = (Some(by_rank), starts);
        } else if self.plan.options.order.may_be_degree() {
            if self.plan.drop_duplicates() {
                // Duplicates must be dropped before degrees are counted.
                sorted = Some(self.sort(std::mem::take(&mut chunks))?);
            }
            if let Some((by_rank, gaps)) = self.by_degree(sorted.as_ref().map_or(&chunks, |sorted| &sorted.buckets)) {
                chunks = sorted.take().map_or(chunks, |sorted| sorted.buckets);
                relabel(&mut chunks, &by_rank, gaps.as_ref());
                numbers = Some(by_rank);
            }
        }
        self.reporter.finish(Phase::Renumber);
        self.reporter.report(Phase::Sort, 0, Some(self.summary.edges_read))?;
        let sorted = match sorted {
            Some(sorted) => sorted,
            None => self.sort(chunks)?,
        };
        self.reporter.finish(Phase::Sort);
        self.reporter.report(Phase::Pages, 0, Some(sorted.len()))?;
        self.lay_out(sorted, numbers, layers)
    }

    /// Determines the layers of a search along sorted edges, and the gaps between the vertex numbers that occur in
    /// edges.
    fn by_layers(&mut self, edges: &Sorted<R>, root: u64) -> Result<(Layered, Option<Gaps>), BuildError> {
        let sources = degrees::count(&edges.buckets, self.vertices(), Record::src);
        let targets = degrees::count(&edges.buckets, self.vertices(), Record::dst);
        let gaps = self.find_gaps(&sources, &targets);
        let is_vertex = |rank: &u32| gaps.is_none() || sources[*rank as usize] > 0 || targets[*rank as usize] > 0;
        let first = renumber::Ranks::new(&self.originals).rank(root).filter(is_vertex);
        let first = first.ok_or(BuildError::NoRoot { root })?;
        let layered = layers::find(edges, (first, root), gaps.as_ref())?;
        self.leave_out(gaps.as_ref());
        Ok((layered, gaps))
    }

    /// Returns the dense number of each rank in degree order, and the gaps between the vertex numbers that occur in
    /// edges. Returns `None` if the original order is chosen.
    fn by_degree(&mut self, edges: &[Vec<R>]) -> Option<(Vec<u32>, Option<Gaps>)> {
        let sources = degrees::count(edges, self.vertices(), Record::src);
        let targets = degrees::count(edges, self.vertices(), Record::dst);
        let gaps = self.find_gaps(&sources, &targets);
        let vertices = gaps.as_ref().map_or(self.vertices(), Gaps::vertices);
        let degree = |rank: u32| {
            let number = number_of(gaps.as_ref(), rank) as usize;
            u64::from(sources[number]) + u64::from(targets[number])
        };
        let numbers = match self.plan.options.order {
            OrderChoice::Auto => {
                let is_looked_at = |number: u32| choice::is_looked_at(sources[number as usize]);
                choice::by_degree(vertices, degree, || choice::sample(edges, vertices, gaps.as_ref(), is_looked_at))
            }
            OrderChoice::Given(_) => Some(order::by_degree(vertices, degree)),
        };
        // If vertices keep their numbers, gaps are closed later, when degrees are counted again.
        let numbers = numbers?;
        self.plan.choose(VertexOrder::Degree);
        self.leave_out(gaps.as_ref());
        Some((numbers, gaps))
    }

    fn vertices(&self) -> u32 {
        self.originals.len() as u32
    }

    /// Determines the IDs without edges. Returns `None` if there are none.
    fn find_gaps(&self, out: &[u32], into: &[u32]) -> Option<Gaps> {
        if self.may_have_gaps { Gaps::find(out, into) } else { None }
    }

    /// Removes IDs in gaps from the original IDs.
    fn leave_out(&mut self, gaps: Option<&Gaps>) {
        self.may_have_gaps = false;
        if let (Some(gaps), Some(first)) = (gaps, self.originals.get(0)) {
            self.originals = gaps.originals(first);
        }
    }

    /// Fails early if the budget is too small for two copies of the edges during sorting and for the tables of
    /// vertices.
    fn check_budget(&self) -> Result<(), BuildError> {
        let Some(budget) = self.plan.options.memory else { return Ok(()) };
        let arcs = self.summary.edges_read * if self.plan.both_ways() { 2 } else { 1 };
        let needed = need::in_memory(arcs, R::VALUE_BYTES as u64, self.plan.options, u64::from(self.vertices()));
        if needed > budget { Err(BuildError::Budget { needed, budget }) } else { Ok(()) }
    }

    /// Converts edges to records of ranks.
    fn records(&mut self, chunks: Vec<RawChunk>) -> Result<Vec<Vec<R>>, BuildError> {
        let table = self.ranks.take();
        let ranks = match &table {
            Some(table) => renumber::Ranks::Table(table),
            None => renumber::Ranks::new(&self.originals),
        };
        let Edges { chunks, self_loops_dropped, reversed } =
            edges::records(chunks, &ranks, &self.keys, &self.plan.rules())?;
        self.summary.self_loops_dropped = self_loops_dropped;
        self.summary.edges_reversed = reversed;
        Ok(chunks)
    }

    /// Sorts edges, and drops duplicates if required.
    fn sort(&mut self, chunks: Vec<Vec<R>>) -> Result<Sorted<R>, BuildError> {
        let mut sorted = sort::sort(chunks, self.vertices())?;
        if self.plan.drop_duplicates() {
            self.summary.duplicates_dropped += sorted.drop_duplicates();
        }
        Ok(sorted)
    }

    /// Returns whether the reverse of each edge is also an edge.
    fn is_symmetric(&self, edges: &Sorted<R>, degrees: &[&[u32]; 2]) -> Result<bool, BuildError> {
        // Edges stored in both directions are symmetric. In most asymmetric graphs, some degrees differ.
        let symmetric = self.plan.both_ways() || degrees[0] == degrees[1] && symmetry::is_symmetric(&edges.buckets);
        if !symmetric && self.plan.direction == Direction::Symmetric {
            return Err(BuildError::NotSymmetric);
        }
        Ok(symmetric)
    }

    fn lay_out(
        mut self,
        mut edges: Sorted<R>,
        numbers: Option<Vec<u32>>,
        layers: Arc<[u32]>,
    ) -> Result<(Graph, BuildSummary), BuildError> {
        let mut sources = degrees::sources(&edges).map_err(|found| self.too_many(numbers.as_deref(), found))?;
        let mut in_degrees = match self.plan.both_ways() {
            true => Vec::new(),
            false => degrees::targets(&edges.buckets, self.vertices())
                .map_err(|found| self.too_many(numbers.as_deref(), found))?,
        };
        let symmetric = self.is_symmetric(&edges, &[&sources.degrees, &in_degrees])?;
        let self_loops = edges.self_loops();
        let gaps = self.find_gaps(&sources.degrees, &in_degrees);
        self.leave_out(gaps.as_ref());
        let close = |degrees: &mut Vec<u32>| gaps.iter().for_each(|gaps| gaps.close(degrees));
        close(&mut sources.degrees);
        close(&mut in_degrees);
        let out = self.topology(&edges, &sources.degrees, gaps.as_ref(), self.plan.options.page_size)?;
        let mut incoming = None;
        if symmetric {
            in_degrees = Vec::new();
        } else if self.plan.options.in_edges {
            edges::reverse(&mut edges.buckets);
            let vertices = edges.bounds.last().copied().unwrap_or(0);
            edges = sort::sort(edges.buckets, vertices)?;
            let page_size = Some(out.format().page_size());
            incoming = Some(self.topology(&edges, &in_degrees, gaps.as_ref(), page_size)?);
        }
        drop(edges);
        let parts = GraphParts {
            properties: self.plan.properties(symmetric, self_loops, layers, &sources.degrees, &in_degrees),
            ids: IdMap::new(self.originals.clone(), self.keys.clone(), numbers)?,
            out,
            incoming,
            heads: (self.plan.order() == VertexOrder::Degree).then(|| sources.heads.into()),
            out_degrees: sources.degrees.into(),
            in_degrees: in_degrees.into(),
            sinks: 0,
            notes: self.summary.notes.clone(),
            content: OnceLock::new(),
        };
        let graph = Graph::from_parts(parts);
        self.reporter.finish(Phase::Pages);
        Ok((graph.clone(), self.finish(&graph)))
    }

    /// Builds a topology from sorted edges.
    fn topology(
        &self,
        edges: &Sorted<R>,
        degrees: &[u32],
        gaps: Option<&Gaps>,
        page_size: Option<u32>,
    ) -> Result<Topology, BuildError> {
        let format = self.plan.format(degrees, page_size)?;
        let pagination = paginate::paginate(degrees, &format)?;
        fill::fill(edges, degrees, format, pagination, gaps)
    }

    fn too_many(&self, numbers: Option<&[u32]>, found: (u32, u64)) -> BuildError {
        too_many_edges(&self.originals, &self.keys, numbers, found)
    }

    fn finish(mut self, graph: &Graph) -> BuildSummary {
        let degrees = graph.out_degrees().iter().zip(graph.in_degrees());
        self.summary.vertices = graph.num_vertices();
        self.summary.isolated = degrees.filter(|&(&out, &into)| out == 0 && into == 0).count() as u64;
        self.summary.edges_stored = graph.num_edges();
        self.summary.undirected_edges = graph.num_undirected_edges();
        self.summary.order = graph.properties().order;
        self.summary.pages = u64::from(graph.out_topology().num_pages());
        self.summary.bytes = graph.bytes();
        self.summary.times = self.reporter.times();
        self.summary
    }
}

/// Replaces the ends of all edges with dense numbers.
fn relabel<R: Record>(chunks: &mut [Vec<R>], by_rank: &[u32], gaps: Option<&Gaps>) {
    match gaps {
        Some(gaps) => edges::relabel(chunks, &gaps.spread(by_rank)),
        None => edges::relabel(chunks, by_rank),
    }
}

/// Returns the number of the vertex with a given rank before gaps were closed.
fn number_of(gaps: Option<&Gaps>, rank: u32) -> u32 {
    gaps.map_or(rank, |gaps| gaps.number(rank))
}

/// Returns the error for a vertex that has too many edges, given its dense number.
fn too_many_edges(
    originals: &Originals,
    keys: &KeySource,
    numbers: Option<&[u32]>,
    (vertex, found): (u32, u64),
) -> BuildError {
    let rank = numbers.and_then(|numbers| numbers.iter().position(|&number| number == vertex));
    let rank = rank.map_or(u64::from(vertex), |rank| rank as u64);
    match keys.key_of(originals.get(rank).unwrap_or(rank)) {
        Ok(vertex) => BuildError::TooManyEdges { vertex, found, max: u64::from(u32::MAX) },
        Err(error) => error.into(),
    }
}
