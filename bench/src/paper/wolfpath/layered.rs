//! WolfPath's layered edge list (sections 3 and 4 of its paper), both as printed and with the edges that the printed
//! algorithm loses. This module also runs rounds over edge lists.

use super::super::trials::Times;
use super::lists::Lists;
use super::runs::UNREACHED;
use crate::peer::{self, Rounds};
use gts_graph::cli::program::Failure;
use gts_graph::cli::program::interrupt;
use gts_graph::core::memory::{self, NoMemory};
use gts_graph::device::cuda::CudaDevice;
use std::collections::VecDeque;
use std::num::NonZeroU32;
use std::ops::Range;
use std::time::Instant;

/// CUDA source of the hand-written kernels.
const ROUNDS: &str = include_str!("rounds.cu");

/// Maximum average number of visits per edge in Algorithm 4. On graphs with many edges within a layer, the algorithm
/// would visit edges far more often.
const MOST_LOOKS: usize = 8;

/// Edges grouped into rounds. A round reads the distances that the previous round wrote.
pub(super) struct EdgeList {
    sources: Vec<u32>,
    targets: Vec<u32>,
    lengths: Vec<u32>,
    /// Range of edges processed in each round.
    pub(super) rounds: Vec<Range<usize>>,
}

/// Result of running the rounds.
pub(super) struct Found {
    pub(super) times: Times,
    /// Number of rounds that ran.
    pub(super) rounds: usize,
    /// Distance of each vertex, or `UNREACHED`.
    pub(super) distances: Vec<u32>,
}

impl EdgeList {
    /// Creates the list of Algorithm 4 as printed, with layers by the final depth of each vertex. Returns `None` if the
    /// algorithm exceeds [`MOST_LOOKS`] visits per edge.
    ///
    /// The algorithm keeps an edge if its target is new, or if the target has the same depth as the source. In both
    /// cases, the target moves to the layer below the source and enters the queue.
    pub(super) fn printed(lists: &Lists, root: u32) -> Result<Option<Self>, NoMemory> {
        let mut depths = memory::zeroed("depths", lists.vertices())?;
        let mut is_known = memory::filled("vertices of the tree", lists.vertices(), false)?;
        let (mut queue, mut kept) = (VecDeque::from([root]), Vec::new());
        is_known[root as usize] = true;
        let mut looks_left = MOST_LOOKS * lists.targets.len();
        while let Some(vertex) = queue.pop_front() {
            let depth: u32 = depths[vertex as usize];
            let Some(left) = looks_left.checked_sub(lists.edges(vertex).len()) else { return Ok(None) };
            looks_left = left;
            for edge in lists.edges(vertex) {
                let target = lists.targets[edge];
                if is_known[target as usize] && depths[target as usize] != depth {
                    continue;
                }
                is_known[target as usize] = true;
                memory::push("edges by layers", &mut kept, (vertex, edge))?;
                queue.try_reserve(1).map_err(|_| NoMemory { what: "a queue", bytes: 4 * queue.len() as u64 })?;
                queue.push_back(target);
                depths[target as usize] = depth + 1;
            }
        }
        Self::by_layer(lists, &mut kept, |vertex| depths[vertex as usize]).map(Some)
    }

    /// Creates a list in which each vertex's edges are in the layer of the vertex's level. If a vertex has an in-edge
    /// from its own level, its edges are also in the next layer.
    pub(super) fn all_edges(lists: &Lists, levels: &[u32]) -> Result<Self, NoMemory> {
        let mut is_twice = memory::filled("vertices of two layers", lists.vertices(), false)?;
        let mut kept = Vec::new();
        let reached = || (0..lists.vertices() as u32).filter(|&vertex| levels[vertex as usize] != UNREACHED);
        for vertex in reached() {
            for edge in lists.edges(vertex) {
                let target = lists.targets[edge] as usize;
                is_twice[target] |= levels[target] == levels[vertex as usize];
            }
        }
        for vertex in reached() {
            let layers = if is_twice[vertex as usize] { 2 } else { 1 };
            for layer in (levels[vertex as usize]..).take(layers) {
                for edge in lists.edges(vertex) {
                    memory::push("edges by layers", &mut kept, (layer, vertex, edge))?;
                }
            }
        }
        Self::in_layers(lists, kept)
    }

    /// Creates a list of all edges, and `rounds` rounds over the whole list.
    pub(super) fn whole(lists: &Lists, rounds: usize) -> Result<Self, NoMemory> {
        let kept =
            (0..lists.vertices() as u32).flat_map(|vertex| lists.edges(vertex).map(move |edge| (0, vertex, edge)));
        let mut list = Self::in_layers(lists, memory::collected("edges", kept)?)?;
        list.rounds = memory::filled("rounds", rounds, 0..list.targets.len())?;
        Ok(list)
    }

    /// Joins consecutive layers until each joined layer has at least `least` edges or is the last one (section 4.3 of
    /// the paper). A joined layer is processed in several rounds, one per original layer.
    pub(super) fn combined(mut self, least: usize) -> Self {
        let mut joined: Vec<Range<usize>> = Vec::new();
        let (mut first, mut layers) = (0, 0);
        for layer in &self.rounds {
            layers += 1;
            if layer.end - first >= least || layer.end == self.sources.len() {
                joined.extend(std::iter::repeat_n(first..layer.end, layers));
                (first, layers) = (layer.end, 0);
            }
        }
        self.rounds = joined;
        self
    }

    /// Creates a list in which each edge is in its source's layer.
    fn by_layer(lists: &Lists, kept: &mut [(u32, usize)], layer: impl Fn(u32) -> u32) -> Result<Self, NoMemory> {
        let edges = kept.iter().map(|&(vertex, edge)| (layer(vertex), vertex, edge));
        Self::in_layers(lists, memory::collected("edges by layers", edges)?)
    }

    /// Creates a list from edges with their layers and sources.
    fn in_layers(lists: &Lists, mut kept: Vec<(u32, u32, usize)>) -> Result<Self, NoMemory> {
        kept.sort_by_key(|&(layer, _, _)| layer);
        let sources = memory::collected("sources", kept.iter().map(|&(_, vertex, _)| vertex))?;
        let targets = memory::collected("targets", kept.iter().map(|&(_, _, edge)| lists.targets[edge]))?;
        let lengths = memory::collected("lengths", kept.iter().map(|&(_, _, edge)| lists.lengths[edge]))?;
        let mut first = 0;
        let layers = kept.chunk_by(|one, other| one.0 == other.0).map(|layer| {
            first += layer.len();
            first - layer.len()..first
        });
        Ok(Self { sources, targets, lengths, rounds: memory::collected("rounds", layers)? })
    }

    /// Returns the number of edges in the list.
    pub(super) fn edges(&self) -> usize {
        self.sources.len()
    }

    /// Runs the rounds `trials` times, on a GPU if a device is given, otherwise on one CPU thread. Every `ask_every`
    /// rounds, the host checks for changes, and ends the run if no distance has changed since its previous check.
    pub(super) fn run(
        &self,
        device: Option<&CudaDevice>,
        (vertices, root): (usize, u32),
        ask_every: Option<NonZeroU32>,
        trials: usize,
    ) -> Result<Found, Failure> {
        if let Some(device) = device {
            let Self { sources, targets, lengths, rounds } = self;
            let list = Rounds { sources, targets, lengths, vertices, root, rounds, ask_every };
            let found =
                peer::relax(device, ROUNDS, &list, u32::try_from(trials).unwrap_or(u32::MAX).saturating_add(1))?;
            let mut seconds: Vec<f64> = found.times[1..].iter().map(std::time::Duration::as_secs_f64).collect();
            return Ok(Found { times: Times::of(&mut seconds), rounds: found.rounds, distances: found.distances });
        }
        let mut found = Found { times: Times::default(), rounds: 0, distances: Vec::new() };
        let mut seconds = Vec::with_capacity(trials);
        for _ in 0..trials {
            let begun = Instant::now();
            (found.rounds, found.distances) = self.simulate((vertices, root), ask_every)?;
            seconds.push(begun.elapsed().as_secs_f64());
        }
        Ok(Found { times: Times::of(&mut seconds), ..found })
    }

    /// Runs the rounds on one CPU thread. Returns the number of rounds that ran, and the distances.
    fn simulate(
        &self,
        (vertices, root): (usize, u32),
        ask_every: Option<NonZeroU32>,
    ) -> gts_graph::Result<(usize, Vec<u32>)> {
        let mut distances = memory::filled("distances", vertices, UNREACHED)?;
        distances[root as usize] = 0;
        let mut next = memory::copied("distances", &distances)?;
        let (mut ran, mut has_changed) = (0, false);
        for round in &self.rounds {
            if interrupt::requested() {
                return Err(gts_graph::Error::Interrupted);
            }
            for edge in round.clone() {
                let from = distances[self.sources[edge] as usize];
                if from != UNREACHED {
                    let target = &mut next[self.targets[edge] as usize];
                    *target = (*target).min(from.saturating_add(self.lengths[edge]));
                }
            }
            for edge in round.clone() {
                let target = self.targets[edge] as usize;
                has_changed |= next[target] < distances[target];
                distances[target] = next[target];
            }
            ran += 1;
            if ask_every.is_some_and(|every| ran % every.get() as usize == 0) && !std::mem::take(&mut has_changed) {
                break;
            }
        }
        Ok((ran, distances))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gts_graph::device::cuda::{compile, compiler};
    use gts_graph::prelude::Graph;

    const ASK: Option<NonZeroU32> = Some(NonZeroU32::MIN);

    fn lists(edges: &[(u64, u64, u32)]) -> Lists {
        Lists::of(&Graph::builder().weighted_edges(edges.iter().copied()).build().unwrap()).unwrap()
    }

    fn levels(lists: &Lists) -> Vec<u32> {
        lists.distances(0, |_| 1).unwrap()
    }

    fn distances(lists: &Lists) -> Vec<u32> {
        lists.distances(0, |edge| lists.lengths[edge]).unwrap()
    }

    fn found(list: &EdgeList, lists: &Lists) -> Vec<u32> {
        list.run(None, (lists.vertices(), 0), None, 1).unwrap().distances
    }

    #[test]
    fn algorithm_4_loses_edges_to_vertices_that_another_has_found() {
        let lists = lists(&[(0, 1, 1), (0, 2, 1), (1, 3, 10), (2, 3, 1)]);
        let list = EdgeList::printed(&lists, 0).unwrap().unwrap();
        assert_eq!((list.edges(), list.rounds.len()), (3, 2));
        assert_eq!((found(&list, &lists), distances(&lists)), (vec![0, 1, 1, 11], vec![0, 1, 1, 2]));
    }

    #[test]
    fn algorithm_4_moves_vertices_below_what_they_lead_to() {
        // Vertex 1 reaches vertex 3. Then vertex 2 moves vertex 1 down one layer, and vertex 3 moves vertex 1 to the
        // layer below vertex 3's.
        let lists = lists(&[(0, 1, 1), (0, 2, 1), (1, 3, 1), (2, 1, 1), (3, 1, 1), (3, 4, 1)]);
        let list = EdgeList::printed(&lists, 0).unwrap().unwrap();
        assert_eq!((levels(&lists), found(&list, &lists)), (vec![0, 1, 1, 2, 3], vec![0, 1, 1, 2, UNREACHED]));
    }

    #[test]
    fn a_vertex_of_two_layers_hands_on_what_its_own_layer_has_found() {
        let lists = lists(&[(0, 1, 1), (0, 2, 10), (1, 2, 1), (2, 3, 1)]);
        let list = EdgeList::all_edges(&lists, &levels(&lists)).unwrap();
        assert_eq!((list.edges(), list.rounds.len()), (5, 3));
        assert_eq!(found(&list, &lists), distances(&lists));
    }

    #[test]
    fn edges_that_lead_back_are_not_relaxed_again() {
        let lists = lists(&[(0, 1, 1), (0, 2, 10), (1, 3, 1), (3, 2, 1), (2, 4, 1)]);
        let list = EdgeList::all_edges(&lists, &levels(&lists)).unwrap();
        assert_eq!((found(&list, &lists), distances(&lists)), (vec![0, 1, 3, 2, 11], vec![0, 1, 3, 2, 4]));
        // In this example, processing the joined layers three times is sufficient.
        let combined = list.combined(100);
        assert_eq!(combined.rounds, vec![0..5; 3]);
        assert_eq!(found(&combined, &lists)[2], 3);
    }

    #[test]
    fn rounds_over_all_edges_end_where_nothing_changes() {
        let lists = lists(&[(0, 1, 1), (0, 2, 10), (1, 3, 1), (3, 2, 1), (2, 4, 1)]);
        let list = EdgeList::whole(&lists, 100).unwrap();
        let asked = list.run(None, (5, 0), ASK, 1).unwrap();
        assert_eq!((asked.rounds, asked.distances), (5, distances(&lists)));
        let seldom = list.run(None, (5, 0), NonZeroU32::new(3), 1).unwrap();
        assert_eq!((seldom.rounds, seldom.distances), (9, distances(&lists)));
        assert_eq!(list.run(None, (5, 0), None, 1).unwrap().rounds, 100);
    }

    #[test]
    fn a_list_that_takes_too_long_is_given_up() {
        let pairs = (0..60u64).flat_map(|from| (0..60).filter(move |to| *to != from).map(move |to| (from, to, 1)));
        let lists = lists(&pairs.collect::<Vec<_>>());
        assert!(EdgeList::printed(&lists, 0).unwrap().is_none());
    }

    #[test]
    fn the_compiler_takes_the_hand_written_rounds() {
        if compiler().is_ok() {
            compile("rounds", ROUNDS, 90).unwrap();
        }
    }
}
