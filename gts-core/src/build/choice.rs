//! Chooses between the original vertex order and degree order.
//!
//! In degree order, the vertices with most of the edges are adjacent, and so are lists of equal length. Degree order is
//! faster if degrees vary widely. Degree order is slower if neighbours in a list are close in the original order, such
//! as pages of one site or points of one region. The choice uses the degrees of the whole graph, and a sample of its
//! lists. The sample depends only on the number of vertices, so that all build methods choose the same order.

use super::gaps::Gaps;
use super::record::{self, Record};
use crate::graph::order;
use crate::parallel::*;
use std::collections::HashMap;

/// The inverse of a share (1/4). Degrees vary widely if at least this share of all edge ends is at vertices with at
/// least twice the mean degree. The share is a half or more in social, web and Kronecker graphs, and less than a
/// seventh in random graphs.
const SHARE_AT_HUBS: u64 = 4;
/// The number of vertices whose lists are examined. With eight times this number, the ratios of runs change by
/// less than a tenth.
const LISTS: u64 = 1 << 11;
/// Maximum number of edges in an examined list.
const LONGEST: u32 = 1 << 7;
/// Two neighbours belong to one run if their numbers differ by less than this, so that their four-byte values fit in
/// one cache line.
const NEAR: u64 = 16;
/// The factor, as a fraction, by which runs must be longer in the original order for this order to be kept. On two
/// cores, PageRank and BFS are slower in degree order if the factor is 1.8 (friends) or 4.5 (a web crawl), and 1.1 to
/// 1.8 times as fast if the factor is 1.2 to 1.6 (peers, mail, collaborations).
const LONGER: (u64, u64) = (5, 3);
/// A multiplier that spreads consecutive numbers evenly over 32 bits: 2^32 divided by the golden ratio.
const SPREAD: u32 = 0x9e37_79b1;
/// The number of edges per task.
const PIECE: usize = 1 << 16;

/// Returns the dense number of each rank in order of degree, in-degree and out-degree combined. Returns `None` if the
/// original order is better. `sample` returns the edges of the [sampled](is_sampled) vertices whose lists [are
/// examined](is_looked_at), as keys of ranks.
pub(super) fn by_degree(
    vertices: u32,
    degree: impl Fn(u32) -> u64 + Sync,
    sample: impl FnOnce() -> Vec<u64>,
) -> Option<Vec<u32>> {
    if !differ_much(vertices, &degree) {
        return None;
    }
    let (edges, numbers) = (sample(), order::by_degree(vertices, degree));
    let (own, others) = (runs(&edges, |rank| rank), runs(&edges, |rank| numbers[rank as usize]));
    (others * LONGER.1 <= own * LONGER.0).then_some(numbers)
}

/// Returns whether a large share of edge ends is at vertices of high degree. Vertices without edges are ignored.
fn differ_much(vertices: u32, degree: impl Fn(u32) -> u64 + Sync) -> bool {
    let degrees = || (0..vertices).into_par_iter().with_min_len(PIECE).map(&degree);
    let (present, ends) =
        degrees().map(|degree| (u64::from(degree > 0), degree)).reduce(|| (0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
    let is_hub = |degree: &u64| u128::from(*degree) * u128::from(present) >= 2 * u128::from(ends);
    let at_hubs: u64 = degrees().map(|degree| if is_hub(&degree) { degree } else { 0 }).sum();
    present > 0 && at_hubs >= ends / SHARE_AT_HUBS
}

/// Returns whether the vertex with a given rank belongs to the sample.
pub(super) fn is_sampled(rank: u32, vertices: u32) -> bool {
    u64::from(rank.wrapping_mul(SPREAD)) * u64::from(vertices) < LISTS << 32
}

/// Returns whether the list of a sampled vertex with `edges` edges is examined. A single neighbour cannot form a run.
pub(super) fn is_looked_at(edges: u32) -> bool {
    (2..=LONGEST).contains(&edges)
}

/// Counts the runs of nearby numbers in lists. Each list includes the vertex that owns it.
fn runs(edges: &[u64], number: impl Fn(u32) -> u32 + Sync) -> u64 {
    let ends = |key: &u64| ((key >> 32) as u32, *key as u32);
    let neighbours = edges.par_iter().map(|key| {
        let (src, dst) = ends(key);
        record::key(src, number(dst))
    });
    let mut members: Vec<u64> = neighbours.collect();
    let mut sources: Vec<u32> = edges.iter().map(|key| ends(key).0).collect();
    sources.sort_unstable();
    sources.dedup();
    members.extend(sources.into_iter().map(|src| record::key(src, number(src))));
    members.par_sort_unstable();
    let goes_on = |pair: &[u64]| pair[0] >> 32 == pair[1] >> 32 && pair[1] - pair[0] < NEAR;
    (members.len() - members.par_windows(2).count_if(goes_on)) as u64
}

/// Returns the edges of the sampled vertices whose lists are examined, as keys of ranks. If there are gaps, vertex
/// numbers in `edges` include the gaps.
pub(super) fn sample<R: Record>(
    edges: &[Vec<R>],
    vertices: u32,
    gaps: Option<&Gaps>,
    is_looked_at: impl Fn(u32) -> bool + Sync,
) -> Vec<u64> {
    let Some(gaps) = gaps else {
        return edges_of(edges, |rank| is_sampled(rank, vertices) && is_looked_at(rank));
    };
    let ranks = (0..vertices).into_par_iter().with_min_len(PIECE);
    let number = |rank| is_sampled(rank, vertices).then(|| gaps.number(rank)).filter(|number| is_looked_at(*number));
    let numbers: Vec<u32> = ranks.collect_flat(number);
    // A bitmap of the numbers is faster than a search for the rank of every source.
    let mut wanted = vec![0u64; gaps.numbers() / 64 + 1];
    numbers.into_iter().for_each(|number| wanted[number as usize / 64] |= 1 << (number % 64));
    let mut keys = edges_of(edges, |number| wanted[number as usize / 64] >> (number % 64) & 1 != 0);
    let rank = |number: u64| gaps.rank(number as u32);
    keys.par_iter_mut().for_each(|key| *key = record::key(rank(*key >> 32), rank(*key & u64::from(u32::MAX))));
    keys
}

/// Returns the edges whose source is wanted.
fn edges_of<R: Record>(edges: &[Vec<R>], is_wanted: impl Fn(u32) -> bool + Sync) -> Vec<u64> {
    let pieces: Vec<&[R]> = edges.iter().flat_map(|edges| edges.chunks(PIECE)).collect();
    let keys = pieces.into_par_iter();
    keys.collect_flat(|edges| edges.iter().map(Record::key).filter(|key| is_wanted((key >> 32) as u32)))
}

/// A sample of vertices whose edges are gathered before degrees are known.
pub(super) struct GatheredSample {
    vertices: u32,
    edges: Vec<u64>,
}

impl GatheredSample {
    /// Creates an empty sample for a graph of `vertices` vertices.
    pub(super) fn new(vertices: u32) -> Self {
        Self { vertices, edges: Vec::new() }
    }

    /// Adds the edges whose source is sampled. The ends of `edges` are ranks.
    pub(super) fn add<R: Record>(&mut self, edges: &[R]) {
        let vertices = self.vertices;
        let is_sampled = |key: &u64| is_sampled((key >> 32) as u32, vertices);
        let pieces = edges.par_chunks(PIECE);
        self.edges.extend(pieces.collect_flat(|edges| edges.iter().map(Record::key).filter(is_sampled)));
        if self.edges.len() as u64 > 2 * LISTS * u64::from(LONGEST) {
            let mut lengths = HashMap::new();
            self.edges.iter().for_each(|key| *lengths.entry(key >> 32).or_insert(0) += 1);
            // These lists are too long, and later edges cannot shorten them.
            self.edges.retain(|key| lengths[&(key >> 32)] <= LONGEST);
        }
    }

    /// Returns the edges of the lists that are examined. `degrees` contains the out-degree of each vertex.
    pub(super) fn finish(mut self, degrees: &[u32]) -> Vec<u64> {
        self.edges.retain(|key| is_looked_at(degrees[(key >> 32) as usize]));
        self.edges
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_has_about_as_many_vertices_as_it_should_and_all_of_a_small_graph() {
        assert!((0..LISTS as u32).all(|rank| is_sampled(rank, LISTS as u32)));
        for vertices in [100_000, 1 << 20, 12_345_678] {
            let sampled = (0..vertices).filter(|rank| is_sampled(*rank, vertices)).count() as u64;
            assert!(sampled.abs_diff(LISTS) < LISTS / 20, "{sampled} of {vertices}");
        }
        assert!(is_sampled(0, u32::MAX) && !is_sampled(1, u32::MAX));
    }

    #[test]
    fn runs_are_of_near_numbers_in_one_list() {
        let list = |src: u64, dsts: &[u64]| dsts.iter().map(|dst| src << 32 | dst).collect::<Vec<_>>();
        let edges = [list(40, &[3, 18, 34, 41]), list(41, &[0, 99])].concat();
        // The first list has two runs: 3, 18 and 34, 40, 41. The second has three: 0, 41 and 99.
        assert_eq!(runs(&edges, |rank| rank), 5);
        assert_eq!(runs(&edges, |rank| 100 * rank), 8);
        assert_eq!(runs(&[], |rank| rank), 0);
    }

    #[test]
    fn degrees_differ_where_hubs_have_a_share_of_the_edges() {
        assert!(!differ_much(0, |_| 0));
        assert!(!differ_much(9, |_| 0));
        assert!(!differ_much(9, |_| 4));
        assert!(differ_much(100, |rank| if rank == 7 { 99 } else { 1 }));
        // Vertices without edges do not turn other vertices into hubs.
        assert!(!differ_much(100, |rank| if rank < 10 { 4 } else { 0 }));
    }

    #[test]
    fn lists_that_grow_too_long_leave_a_gathered_sample() {
        let long = 1u64;
        let mut sample = GatheredSample::new(8);
        let mut degrees = vec![0u32; 8];
        for round in 0..2 * LISTS {
            let edges: Vec<u64> = (0..150).map(|dst| long << 32 | dst).chain([(2 + round % 2) << 32 | round]).collect();
            edges.iter().for_each(|edge| degrees[(edge >> 32) as usize] += 1);
            sample.add(&edges);
        }
        assert!((sample.edges.len() as u64) < 3 * LISTS * u64::from(LONGEST));
        degrees[3] = LONGEST;
        let left = sample.finish(&degrees);
        assert!(!left.is_empty() && left.iter().all(|key| key >> 32 == 3), "{}", left.len());
    }
}
