//! Arrays of each vertex's later neighbours in degree order.
//!
//! Each edge is stored only in the list of the end with the smaller degree. Therefore, no list has more than sqrt(2 m)
//! neighbours if there are m undirected edges (T. Schank, D. Wagner: Finding, counting and listing all triangles in
//! large graphs, WEA 2005).

use super::by_degree::Laid;
use gts_core::graph::Vertex;
use gts_core::memory::{self, NoMemory, prefetch};
use gts_core::page::Topology;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// The edges of a symmetric graph, without loops and parallel edges. Each edge is stored once, in the list of the end
/// that is earlier in degree order. Occupies 4 bytes per undirected edge, 16 per vertex, and one bit per vertex and
/// thread.
#[derive(Debug)]
pub struct Oriented {
    /// The later neighbours of each vertex in degree order, whose positions are smaller than the vertex's position.
    laid: Laid,
    /// Cleared mark sets that threads have returned for reuse.
    idle: Mutex<Vec<Vec<u64>>>,
}

/// Neighbours per cache line (`LINE`), and the maximum number of lines to prefetch per list (`LINES`).
const LINE: usize = 16;
const LINES: usize = 4;

impl Oriented {
    /// Builds the arrays on the current thread pool. The pages of the topology must be in memory, and `degrees` must
    /// have one entry per vertex. Returns `None` if there are 2^32 vertices or more, if memory is too small, or if
    /// `stopped` returns true. Takes O(m + n log n) time, and O(d log d) for each list of d neighbours.
    pub fn new(topology: &Topology, degrees: &[u32], stopped: impl Fn() -> bool + Sync) -> Option<Self> {
        let laid = Laid::new(topology, degrees, &[], |place, other| other < place, stopped).ok()??;
        Some(Self { laid, idle: Mutex::default() })
    }

    /// Returns ranges that cover all positions, with about the same number of edges each.
    pub fn units(&self) -> &[Range<u32>] {
        &self.laid.units
    }

    /// Returns the position of a vertex, counted from the end of the order.
    #[inline(always)]
    pub fn place(&self, v: Vertex) -> u32 {
        self.laid.places[v.dense() as usize]
    }

    /// Returns the later neighbours of the vertex at `place`, as ascending positions.
    #[inline(always)]
    pub fn after(&self, place: u32) -> &[u32] {
        self.laid.list(place)
    }

    /// Returns the vertex at a position.
    #[inline(always)]
    pub fn vertex(&self, place: u32) -> Vertex {
        // Do not use an indexing expression: the compiler could not remove the bounds check from bodies that ignore the
        // vertex.
        Vertex::from_dense(self.laid.vertices.get(place as usize).copied().unwrap_or_default().into())
    }

    /// Prefetches the bounds of the list at `place`.
    #[inline(always)]
    pub(super) fn expect_bounds(&self, place: u32) {
        prefetch((&raw const self.laid.starts[place as usize]).cast());
    }

    /// Prefetches the first entries of the list at `place`. If the list is longer, the hardware prefetcher loads the
    /// rest.
    #[inline(always)]
    pub(super) fn expect_list(&self, place: u32) {
        let lines = self.after(place).chunks(LINE).take(LINES);
        lines.for_each(|line| prefetch(line.as_ptr().cast()));
    }

    /// Returns an empty mark set for the calling thread.
    ///
    /// # Errors
    ///
    /// Memory is too small.
    pub fn marks(&self) -> Result<Marks<'_>, NoMemory> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let new = || memory::zeroed("marks of neighbours", self.laid.places.len().div_ceil(64));
        Ok(Marks { oriented: self, words: idle.map_or_else(new, Ok)?, set: &[] })
    }
}

/// A bit set with one bit per position, which marks the members of a list.
#[derive(Debug)]
pub struct Marks<'a> {
    oriented: &'a Oriented,
    words: Vec<u64>,
    set: &'a [u32],
}

impl<'a> Marks<'a> {
    /// Marks the members of `list` and clears all other marks.
    #[inline]
    pub fn set(&mut self, list: &'a [u32]) {
        self.set.iter().for_each(|&place| self.words[place as usize / 64] = 0);
        list.iter().for_each(|&place| self.words[place as usize / 64] |= 1 << (place % 64));
        self.set = list;
    }

    /// Returns 1 if the position is marked, otherwise 0.
    #[inline(always)]
    pub fn at(&self, place: u32) -> usize {
        (self.words[place as usize / 64] >> (place % 64) & 1) as usize
    }
}

impl Drop for Marks<'_> {
    fn drop(&mut self) {
        self.set(&[]);
        let words = std::mem::take(&mut self.words);
        self.oriented.idle.lock().unwrap_or_else(PoisonError::into_inner).push(words);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gts_contract::Side;
    use gts_core::graph::Graph;
    use std::collections::BTreeSet;

    /// Builds a graph with each of these edges in both directions.
    fn both_ways(edges: &[(u64, u64)]) -> Graph {
        let all = edges.iter().flat_map(|&(a, b)| [(a, b), (b, a)]);
        Graph::builder().edges(all).page_size(256).build().unwrap()
    }

    fn oriented(graph: &Graph) -> Option<Oriented> {
        Oriented::new(graph.topology(Side::Out).unwrap(), graph.out_degrees(), || false)
    }

    /// Returns names and edge lists of difficult cases, such as a hub, loops and parallel edges. Vertices are numbered
    /// from 0.
    fn samples() -> Vec<(&'static str, Vec<(u64, u64)>)> {
        let hub = (1..300).flat_map(|leaf| [(0, leaf), (leaf, leaf % 299 + 1)]);
        let clique = (0..40).flat_map(|a| (0..a).map(move |b| (a, b)));
        let mixed = |n: u64| n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
        let random = (0..200).map(|v| (v, v)).chain((0..3000).map(|n| (mixed(n) % 200, mixed(n) / 512 % 200)));
        vec![
            ("no edge", Vec::new()),
            ("a loop", vec![(0, 0)]),
            ("loops count for degrees alone", vec![(0, 1), (1, 2), (2, 0), (0, 0), (0, 0), (1, 1)]),
            ("parallel edges", [(0, 1), (1, 2), (2, 0)].into_iter().cycle().take(200).collect()),
            ("equal degrees", (0..50).map(|v| (v, (v + 1) % 50)).collect()),
            ("a hub over several pages", hub.collect()),
            ("all with all", clique.collect()),
            ("random", random.collect()),
        ]
    }

    #[test]
    fn every_edge_is_kept_once_at_the_end_that_comes_first() {
        for (name, edges) in samples() {
            let graph = both_ways(&edges);
            let oriented = oriented(&graph).unwrap();
            let rank = |v: u64| {
                let ends = edges.iter().map(|&(a, b)| usize::from(a == v) + usize::from(b == v));
                (ends.sum::<usize>(), v)
            };
            let mut order: Vec<u64> = (0..graph.num_vertices()).collect();
            order.sort_by_cached_key(|&v| std::cmp::Reverse(rank(v)));
            let place = |v: u64| order.iter().position(|&other| other == v).unwrap() as u32;
            for (expected, &v) in (0..).zip(&order) {
                assert_eq!(oriented.place(Vertex::from_dense(v)), expected, "{name}: vertex {v}");
                assert_eq!(oriented.vertex(expected).dense(), v, "{name}: place {expected}");
            }
            let ordered =
                |&(a, b): &(u64, u64)| if place(a) > place(b) { (place(a), place(b)) } else { (place(b), place(a)) };
            let expected: BTreeSet<(u32, u32)> = edges.iter().filter(|(a, b)| a != b).map(ordered).collect();
            let places = 0..graph.num_vertices() as u32;
            let found: Vec<(u32, u32)> =
                places.flat_map(|place| oriented.after(place).iter().map(move |&other| (place, other))).collect();
            assert_eq!(found, Vec::from_iter(expected), "{name}");
        }
    }

    #[test]
    fn a_stopped_pass_gets_no_arrays() {
        let graph = both_ways(&[(0, 1), (1, 2), (2, 0)]);
        let topology = graph.topology(Side::Out).unwrap();
        assert!(Oriented::new(topology, graph.out_degrees(), || true).is_none());
        assert!(Oriented::new(topology, graph.out_degrees(), || false).is_some());
    }

    #[test]
    fn marks_are_those_of_one_list_and_are_handed_on_empty() {
        let graph = both_ways(&(1..200).map(|leaf| (0, leaf)).collect::<Vec<_>>());
        let oriented = oriented(&graph).unwrap();
        let marked = |marks: &Marks<'_>| (0..200).filter(|&place| marks.at(place) == 1).collect::<Vec<u32>>();
        {
            let mut marks = oriented.marks().expect("some words");
            assert!(marked(&marks).is_empty());
            marks.set(&[1, 63, 64, 199]);
            assert_eq!(marked(&marks), [1, 63, 64, 199]);
            marks.set(&[2, 64]);
            assert_eq!(marked(&marks), [2, 64]);
        }
        assert_eq!(oriented.idle.lock().unwrap().len(), 1);
        let marks = oriented.marks().expect("some words");
        assert!(marked(&marks).is_empty());
        assert_eq!(oriented.idle.lock().unwrap().len(), 0);
    }
}
