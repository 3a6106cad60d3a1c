//! Predicts the maximum memory use of later stages, so that an error can name a budget that is sufficient for all
//! stages.

use super::counts::{Counts, Degrees};
use super::ids::IdSet;
use super::limits::Limits;
use super::pages::PageStream;
use crate::build::census::Census;
use crate::build::plan::Plan;
use crate::build::record::Record;
use crate::build::renumber::Ranks;
use crate::build::{BuildOptions, Declared};
use crate::graph::{Originals, VertexOrder};
use crate::page::DEFAULT_PAGE_SIZE;
use std::sync::Arc;

/// The numbers that determine the sizes of tables.
#[derive(Clone, Copy)]
pub(super) struct Sizes {
    pub(super) vertices: u64,
    /// Bytes of the list of original IDs.
    pub(super) list: u64,
    /// Bytes of the ID list that the stream holds until the end of the build.
    pub(super) shared: u64,
    /// Bytes of the tables that map IDs to ranks.
    pub(super) ranks: u64,
    /// The number of edges in the input; 0 if unknown.
    pub(super) edges: u64,
}

impl Sizes {
    /// Returns the sizes if the vertices are known.
    pub(super) fn of(originals: &Originals, edges: u64) -> Self {
        let (list, shared) = match originals {
            Originals::Range { .. } => (0, false),
            Originals::List(list) => (8 * list.len() as u64, Arc::strong_count(list) > 1),
        };
        let (vertices, ranks) = (originals.len(), Ranks::bytes(originals));
        Self { vertices, list, shared: if shared { list } else { 0 }, ranks, edges }
    }

    /// Returns upper bounds on the sizes if the vertices are those that occur in edges.
    fn at_most(census: &Census) -> Self {
        let vertices = census.most_vertices();
        let ranks = Ranks::most_bytes(census.bounds(), census.least_vertices(), vertices);
        Self { vertices, list: 8 * vertices, shared: 0, ranks, edges: census.edges() }
    }
}

/// Returns a budget that is sufficient for all stages if the vertices are those that occur in edges.
pub(super) fn budget(plan: &Plan<'_>, census: &Census, limits: &Limits) -> u64 {
    let sizes = Sizes::at_most(census);
    let tables = match plan.value_bytes() {
        0 => most_tables::<u64>(plan, sizes, limits),
        4 => most_tables::<[u32; 3]>(plan, sizes, limits),
        _ => most_tables::<[u64; 2]>(plan, sizes, limits),
    };
    limits.needed(tables).max(limits.needed_for_work(IdSet::most_bytes(sizes.vertices)))
}

/// Returns a budget that is sufficient for a store of `vertices` vertices that a stream lists in any order. Pages have
/// the default size.
pub(crate) fn budget_of_listed(vertices: u64) -> u64 {
    let (limits, ranks) = (Limits::new(0), Ranks::most_bytes(None, vertices, vertices));
    let sizes = Sizes { vertices, list: 8 * vertices, shared: 8 * vertices, ranks, edges: 0 };
    let tables = [VertexOrder::Degree, VertexOrder::Random { seed: 0 }].map(|order| {
        let options = BuildOptions { order: order.into(), ..BuildOptions::default() };
        let plan = Plan::new(&Declared::default(), &options);
        plan.map_or(0, |plan| most_tables::<[u64; 2]>(&plan, sizes, &limits))
    });
    limits.needed(tables[0].max(tables[1]))
}

/// Returns the maximum bytes of tables in any stage after the vertices are known.
pub(super) fn most_tables<R: Record>(plan: &Plan<'_>, sizes: Sizes, limits: &Limits) -> u64 {
    let Sizes { vertices, list, shared, ranks, edges } = sizes;
    let (both_ways, by_degree) = (plan.both_ways(), plan.options.order.may_be_degree());
    let degrees = Degrees::bytes(vertices, both_ways);
    let numbers = if matches!(plan.order(), VertexOrder::Random { .. }) { 4 * vertices } else { 0 };
    let sorted = !by_degree || plan.drop_duplicates();
    let counting = numbers + list + ranks + Counts::bytes(vertices, both_ways, sorted);
    let ordering = list + degrees + if by_degree { 8 * vertices } else { 0 };
    let ids = if plan.options.width.is_some_and(|width| width.bytes() <= 4) { 4 } else { 8 };
    let heads = if by_degree { 4 } else { 0 };
    let filling =
        filling_bytes::<R>(plan.options.page_size, least_width(plan, vertices), most_stored(plan, edges), limits);
    counting.max(ordering).max(degrees + shared + (ids + heads) * vertices + filling)
}

/// Returns an upper bound on the edges stored for `edges` input edges; `edges` is 0 if unknown.
pub(super) fn most_stored(plan: &Plan<'_>, edges: u64) -> u64 {
    if edges > 0 { edges * if plan.both_ways() { 2 } else { 1 } } else { u64::MAX }
}

/// Returns the bytes of a record ID: those of the requested width, or the minimum that can distinguish the vertices.
pub(super) fn least_width(plan: &Plan<'_>, vertices: u64) -> u64 {
    let bits = u64::BITS - vertices.saturating_sub(1).leading_zeros();
    plan.options.width.map_or(u64::from(bits.div_ceil(8).max(2)), |width| width.bytes() as u64)
}

/// Returns the bytes that filling needs in addition to the memory that sorting leaves for it: pages that are filled and
/// written together, and edges that wait for the rest of their page. `width` is the minimum number of bytes per record
/// ID.
pub(super) fn filling_bytes<R: Record>(page_size: Option<u32>, width: u64, edges: u64, limits: &Limits) -> u64 {
    let page_size = u64::from(page_size.unwrap_or(DEFAULT_PAGE_SIZE));
    let edges = edges.min(page_size / (width + R::VALUE_BYTES as u64));
    limits.beyond_least(PageStream::least_bytes(page_size) + edges * size_of::<R>() as u64)
}
