//! The adjacency lists that an intersection kernel reads, and the edges that one call processes.

use super::column::EdgeNumber;
use super::context::Context;
use super::oriented::Oriented;
use gts_contract::Side;
use gts_core::graph::{PageId, Vertex};
use gts_core::page::{PageView, Topology};
use std::ops::Range;

/// The topologies that an intersection reads. All of their pages are in memory.
#[derive(Clone, Copy, Debug)]
pub struct Lists<'a> {
    /// The topology that contains the edges from `v` to `w`.
    pub between: &'a Topology,
    /// The side whose edges `between` contains.
    pub side: Side,
    /// The opposite topology, if the kernel visits edges in both directions.
    pub other: Option<&'a Topology>,
    /// The edges of `between` in degree order, if they were laid out for an ordered kernel.
    pub oriented: Option<&'a Oriented>,
    /// The number of each page's first edge, if the kernel updates edge values.
    pub numbers: Option<&'a [u64]>,
    /// Whether each edge has its reverse and this pass visits all edges. If true, one visit at the endpoint with the
    /// longer list handles both edges.
    pub both_ways: bool,
}

impl Lists<'_> {
    /// Returns a vertex's sort key for the degree order.
    #[inline]
    pub(super) fn rank(&self, gts: Context<'_>, v: Vertex) -> (u64, u64) {
        let degree = match self.side {
            Side::Out => gts.out_degree(v),
            Side::In => gts.in_degree(v),
        };
        (degree, v.dense())
    }

    /// Returns the number of the edge at a page's entry. The number is meaningless if the kernel does not update edge
    /// values.
    #[inline]
    pub(super) fn number(&self, page: PageId, entry: u32) -> EdgeNumber {
        let first = self.numbers.and_then(|numbers| numbers.get(page.0 as usize)).copied().unwrap_or_default();
        EdgeNumber(first + u64::from(entry))
    }

    /// Returns the number of the first edge from a vertex to a neighbour, or 0 if the kernel does not update edge
    /// values.
    pub(super) fn edge(&self, vertex: Vertex, neighbour: Vertex) -> EdgeNumber {
        let found = self.numbers.and_then(|_| self.between.find_edge(vertex, neighbour));
        found.map_or(EdgeNumber(0), |(page, entry)| self.number(page, entry))
    }
}

/// The edges from `u` to `v` in a part of a page, and the topologies that contain the lists of `u` and `v`.
#[derive(Clone, Debug)]
pub struct Pairs<'a> {
    pub(super) page: PageView<'a>,
    pub(super) entries: Range<u32>,
    /// The neighbour in the entry before the first one, if both entries belong to the same list.
    pub(super) before: Option<Vertex>,
    /// The number of the edge at the first entry.
    pub(super) first: EdgeNumber,
    /// Whether the page belongs to `lists.other`. If true, edges that `lists.between` also contains are skipped.
    pub(super) again: bool,
    pub(super) lists: Lists<'a>,
}

impl<'a> Pairs<'a> {
    /// Returns the edges in a page's `entries`, or `None` if the page is not in memory. `topology` must be one of the
    /// topologies in `lists`.
    pub fn new(topology: &'a Topology, page: PageId, entries: Range<u32>, lists: Lists<'a>) -> Option<Self> {
        let before = topology.neighbor_before(page, entries.start);
        let again = !std::ptr::eq(topology, lists.between);
        let first = lists.number(page, entries.start);
        Some(Self { page: topology.page(page)?, entries, before, first, again, lists })
    }
}
