//! Small graphs of many kinds, for tests.

use gts_core::hash::mixed;
use std::collections::HashMap;

/// A small graph, given as a list of edges.
#[derive(Clone, Debug)]
pub struct Sample {
    name: String,
    /// The original ID of each vertex, indexed by vertex number.
    ids: Vec<u64>,
    /// The source and target of each edge, by original ID, and the weight. Reverse edges have the same weight.
    edges: Vec<(u64, u64, u32)>,
}

/// Returns the numbers below `count` in a pseudorandom order.
fn shuffle(count: u64, seed: u64) -> Vec<u64> {
    let mut numbers: Vec<u64> = (0..count).collect();
    numbers.sort_by_key(|number| mixed(mixed(seed) ^ number));
    numbers
}

impl Sample {
    /// Creates a graph with the vertices `0..vertices` and these edges. Weights are pseudorandom, from 0 to 15.
    pub fn new(name: impl Into<String>, vertices: u64, edges: impl IntoIterator<Item = (u64, u64)>) -> Self {
        let weight = |(src, dst): (u64, u64)| (mixed(src.min(dst) << 32 | src.max(dst)) % 16) as u32;
        let edges = edges.into_iter().map(|edge| (edge.0, edge.1, weight(edge))).collect();
        Self { name: name.into(), ids: (0..vertices).collect(), edges }
    }

    /// Returns graphs with properties for which algorithms often fail, such as a graph without vertices.
    pub fn special() -> Vec<Self> {
        let complete = |n: u64| (0..n).flat_map(move |a| (0..n).filter(move |&b| a != b).map(move |b| (a, b)));
        let grid = (0..36u64).flat_map(|v| [(v % 6 < 5, v + 1), (v < 30, v + 6)].map(|(is, to)| is.then_some((v, to))));
        vec![
            Self::new("no vertex", 0, []),
            Self::new("one vertex", 1, []),
            Self::new("a self-loop", 1, [(0, 0)]),
            Self::new("isolated vertices", 5, []),
            Self::new("self-loops on all", 4, (0..4).map(|v| (v, v))),
            Self::new("one edge", 2, [(1, 0)]),
            Self::new("copies of one edge", 3, std::iter::repeat_n((0, 2), 300)),
            Self::new("out-star", 301, (1..301).map(|leaf| (0, leaf))),
            Self::new("in-star", 301, (1..301).map(|leaf| (leaf, 0))),
            Self::new("wheel", 41, (1..41).flat_map(|leaf| [(0, leaf), (leaf, leaf % 40 + 1)])),
            Self::new("chain", 50, (1..50).map(|v| (v - 1, v))),
            Self::new("chain backwards", 50, (1..50).map(|v| (v, v - 1))),
            Self::new("cycle", 33, (0..33).map(|v| (v, (v + 1) % 33))),
            Self::new("tree", 63, (1..63).map(|v| ((v - 1) / 2, v))),
            Self::new("complete", 12, complete(12)),
            Self::new("bipartite", 12, (0..5).flat_map(|a| (5..12).map(move |b| (a, b)))),
            Self::new("grid", 36, grid.flatten()),
            Self::new("two components", 9, [(0, 1), (1, 2), (2, 0), (4, 5), (5, 6), (6, 7), (7, 4), (5, 7)]),
            Self::new("two cycles, one after the other", 7, [(0, 1), (1, 0), (1, 4), (4, 5), (5, 6), (6, 4), (2, 2)]),
        ]
    }

    /// Creates a graph of at most 48 vertices, determined by the seed. The graph is sparse or dense, has even or skewed
    /// degrees, and may be acyclic or bipartite. Self-loops and parallel edges are possible.
    pub fn random(seed: u64) -> Self {
        let mut state = mixed(seed);
        let mut below = |bound: u64| {
            state = mixed(state);
            state % bound
        };
        let vertices = 1 + below(48);
        let edges = below(vertices * [1, 2, 6][seed as usize % 3] + 1);
        let edges: Vec<_> = (0..edges)
            .map(|_| {
                let (mut src, mut dst) = (below(vertices), below(vertices));
                match seed % 5 {
                    1 => (src, dst) = (src.min(below(vertices)), dst.min(below(vertices)).min(below(vertices))),
                    2 => (src, dst) = (src.min(dst), src.max(dst)),
                    3 => (src, dst) = (src / 2 * 2, (dst / 2 * 2 + 1) % vertices),
                    _ => {}
                }
                (src, dst)
            })
            .collect();
        Self::new(format!("random graph {seed}"), vertices, edges)
    }

    /// Returns the same graph with different, sparse IDs.
    #[must_use]
    pub fn relabelled(&self, seed: u64) -> Self {
        let ids: Vec<u64> = shuffle(self.num_vertices(), seed).into_iter().map(|number| 1000 + 7 * number).collect();
        let new: HashMap<u64, u64> = self.ids.iter().copied().zip(ids.iter().copied()).collect();
        let edges = self.edges.iter().map(|&(src, dst, weight)| (new[&src], new[&dst], weight)).collect();
        Self { name: format!("{}, relabelled", self.name), ids, edges }
    }

    /// Returns the same graph with its edges in a different order.
    #[must_use]
    pub fn shuffled(&self, seed: u64) -> Self {
        let order = shuffle(self.edges.len() as u64, seed);
        let edges = order.into_iter().map(|at| self.edges[at as usize]).collect();
        Self { name: format!("{}, shuffled", self.name), ids: self.ids.clone(), edges }
    }

    /// Returns the same graph with an additional isolated vertex.
    #[must_use]
    pub fn with_isolated(&self) -> Self {
        let mut ids = self.ids.clone();
        ids.push(ids.iter().max().map_or(0, |largest| largest + 1));
        Self { name: format!("{}, with an isolated vertex", self.name), ids, edges: self.edges.clone() }
    }

    /// Returns the name that failure messages show.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the number of vertices.
    pub fn num_vertices(&self) -> u64 {
        self.ids.len() as u64
    }

    /// Returns the source and target of each edge, by original ID, and the weight.
    pub fn edges(&self) -> &[(u64, u64, u32)] {
        &self.edges
    }

    /// Returns the original IDs in ascending order.
    pub fn ids(&self) -> Vec<u64> {
        let mut ids = self.ids.clone();
        ids.sort_unstable();
        ids
    }

    /// Returns the original ID of the vertex with this number.
    pub(super) fn id(&self, number: usize) -> Option<u64> {
        self.ids.get(number).copied()
    }

    /// Returns the position of each vertex in ascending order of the original IDs, indexed by vertex number.
    pub(super) fn ranks(&self) -> Vec<usize> {
        let ids = self.ids();
        self.ids.iter().map(|id| ids.partition_point(|other| other < id)).collect()
    }
}
