//! The cut of a partition: the edges between parts, and the messages between parts if each part sends one aggregated
//! value per vertex.

use gts_graph::cli::program::Failure;
use gts_graph::core::graph::{PageId, Vertex};
use gts_graph::core::memory;
use gts_graph::core::parallel::*;
use gts_graph::core::threads;
use gts_graph::prelude::Graph;
use std::sync::atomic::{AtomicU64, Ordering};

/// Minimum number of vertex set words per parallel task.
const WORDS: usize = 1 << 10;
/// Number of vertices in [`WORDS`] words.
const VERTICES: usize = 64 * WORDS;

/// The cut of a vertex partition. An edge belongs to the part of its source.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Cut {
    /// Number of edges in the graph.
    pub(super) edges: u64,
    /// Number of edges whose source and target are in different parts.
    pub(super) boundary_edges: u64,
    /// Sum over all parts of the number of distinct targets in other parts. In TOTEM's terms, these are the aggregated
    /// messages.
    pub(super) remote_targets: u64,
    /// Counts for each part.
    pub(super) parts: Vec<Part>,
}

/// Counts for one part.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Part {
    /// Edges whose source is in the part.
    pub(super) edges: u64,
    /// Vertices in the part.
    pub(super) vertices: u64,
    /// Vertices in the part that have out-edges.
    pub(super) sources: u64,
    /// Distinct targets of the part's edges, in any part.
    pub(super) targets: u64,
}

impl Cut {
    /// Counts the cut of a partition into `count` parts. `part_of` contains the zero-based part number of each vertex.
    /// All pages of the graph must be in host memory.
    pub(super) fn of(graph: &Graph, part_of: &[u8], count: usize) -> Result<Self, Failure> {
        threads::prepare().map_err(gts_graph::Error::from)?;
        let words = part_of.len().div_ceil(64);
        let set = |_| memory::collected("vertices that a part's edges end at", (0..words).map(|_| AtomicU64::new(0)));
        let sets = (0..count).map(set).collect::<Result<Vec<_>, _>>().map_err(gts_graph::Error::from)?;
        let pages = (0..graph.out_topology().num_pages()).into_par_iter().map(PageId);
        let boundary_edges = pages.map(|page| mark(graph, page, part_of, &sets)).sum();
        let mut parts: Vec<Part> = sets.iter().map(|set| Part { targets: count_all(set), ..Part::default() }).collect();
        for (part, found) in parts.iter_mut().zip(sizes(graph, part_of, count)) {
            *part = Part { targets: part.targets, ..found };
        }
        let remote_targets = sets.iter().enumerate().map(|(part, set)| count_remote(set, part, part_of)).sum();
        Ok(Self { edges: graph.num_edges(), boundary_edges, remote_targets, parts })
    }

    /// Returns the fraction of edges that cross between parts: the paper's beta without aggregation.
    pub(super) fn beta(&self) -> f64 {
        self.boundary_edges as f64 / self.edges.max(1) as f64
    }

    /// Returns the remote targets divided by the edges: the paper's beta with aggregation.
    pub(super) fn aggregated_beta(&self) -> f64 {
        self.remote_targets as f64 / self.edges.max(1) as f64
    }
}

/// Adds the targets of a page's edges to the set of the source's part. Returns the number of boundary edges.
fn mark(graph: &Graph, page: PageId, part_of: &[u8], sets: &[Vec<AtomicU64>]) -> u64 {
    let Some(page) = graph.out_topology().page(page) else { return 0 };
    let mut boundary = 0;
    for source in page.vertices() {
        let part = part_of[source as usize];
        let set = &sets[usize::from(part)];
        for target in page.neighbors(page.list(Vertex::from_dense(source))) {
            let target = target.index();
            boundary += u64::from(part_of[target] != part);
            let (word, bit) = (&set[target / 64], 1 << (target % 64));
            // Check first: most targets are already in the set, and a read costs less than an atomic write.
            if word.load(Ordering::Relaxed) & bit == 0 {
                word.fetch_or(bit, Ordering::Relaxed);
            }
        }
    }
    boundary
}

fn count_all(set: &[AtomicU64]) -> u64 {
    let words = set.par_iter().with_min_len(WORDS);
    words.map(|word| u64::from(word.load(Ordering::Relaxed).count_ones())).sum()
}

/// Counts the vertices of a set that belong to parts other than `part`.
fn count_remote(set: &[AtomicU64], part: usize, part_of: &[u8]) -> u64 {
    let words = set.par_iter().with_min_len(WORDS).zip(part_of.par_chunks(64));
    let remote = words.map(|(word, parts)| {
        let word = word.load(Ordering::Relaxed);
        let is_remote = |(bit, other): (usize, &u8)| word >> bit & 1 == 1 && usize::from(*other) != part;
        parts.iter().enumerate().filter(|(bit, other)| is_remote((*bit, other))).count() as u64
    });
    remote.sum()
}

/// Counts the edges, vertices and sources of each part.
fn sizes(graph: &Graph, part_of: &[u8], count: usize) -> Vec<Part> {
    let none = || vec![Part::default(); count];
    let vertices = part_of.par_iter().with_min_len(VERTICES).zip(graph.out_degrees());
    let add = |mut parts: Vec<Part>, (part, degree): (&u8, &u32)| {
        let part = &mut parts[usize::from(*part)];
        part.edges += u64::from(*degree);
        part.vertices += 1;
        part.sources += u64::from(*degree > 0);
        parts
    };
    vertices.fold(none, add, |mut parts: Vec<Part>, others| {
        for (part, other) in parts.iter_mut().zip(others) {
            part.edges += other.edges;
            part.vertices += other.vertices;
            part.sources += other.sources;
        }
        parts
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use gts_graph::core::hash::mixed;
    use proptest::prelude::*;
    use std::collections::HashSet;

    #[test]
    fn a_cut_by_hand() {
        // Vertices 0 and 1 are in part 0, vertices 2 and 3 in part 1.
        let graph = Graph::from_edges([(0, 1), (0, 2), (1, 2), (1, 3), (1, 3), (2, 3), (3, 0)]).unwrap();
        let cut = Cut::of(&graph, &[0, 0, 1, 1], 2).unwrap();
        assert_eq!((cut.edges, cut.boundary_edges), (7, 5));
        // Part 0 sends to vertices 2 and 3, and part 1 to vertex 0.
        assert_eq!(cut.remote_targets, 3);
        assert_eq!(cut.parts[0], Part { edges: 5, vertices: 2, sources: 2, targets: 3 });
        assert_eq!(cut.parts[1], Part { edges: 2, vertices: 2, sources: 2, targets: 2 });
        assert!((cut.beta() - 5.0 / 7.0).abs() < 1e-12 && (cut.aggregated_beta() - 3.0 / 7.0).abs() < 1e-12);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn a_cut_is_what_a_serial_count_says(
            edges in prop::collection::vec((0..90u64, 0..90u64), 1..300),
            seed: u64,
            count in 1..4usize,
        ) {
            let graph = Graph::from_edges(edges).unwrap();
            let vertices = graph.num_vertices();
            let part_of: Vec<u8> = (0..vertices).map(|v| (mixed(seed ^ v) % count as u64) as u8).collect();
            let cut = Cut::of(&graph, &part_of, count).unwrap();
            let (mut boundary, mut remote, mut touched) = (0, HashSet::new(), HashSet::new());
            for source in (0..vertices).map(Vertex::from_dense) {
                for target in graph.neighbors(source).map(Result::unwrap) {
                    let (from, to) = (part_of[source.index()], part_of[target.index()]);
                    boundary += u64::from(from != to);
                    touched.insert((from, target.index()));
                    if from != to {
                        remote.insert((from, target.index()));
                    }
                }
            }
            prop_assert_eq!((cut.boundary_edges, cut.remote_targets), (boundary, remote.len() as u64));
            prop_assert_eq!(cut.parts.iter().map(|part| part.targets).sum::<u64>(), touched.len() as u64);
            prop_assert_eq!(cut.parts.iter().map(|part| part.edges).sum::<u64>(), graph.num_edges());
        }
    }
}
