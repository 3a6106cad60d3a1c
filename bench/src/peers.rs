//! Plain implementations over plain arrays, used as baselines.

use crate::csr::Csr;
use gts_graph::core::parallel::*;
use std::collections::VecDeque;

/// Computes PageRank by pull: each vertex sums the contributions of its in-neighbours. Vertices are processed in
/// parallel, without atomics.
///
/// `incoming` contains the in-neighbours of each vertex, and `out_degrees` its number of out-edges.
pub(crate) fn pull_pagerank(incoming: &Csr, out_degrees: &[u32], damping: f32, iterations: u32) -> Vec<f32> {
    let n = incoming.len() as f32;
    let mut ranks = vec![1.0 / n; incoming.len()];
    let mut handed = vec![0.0; incoming.len()];
    for _ in 0..iterations {
        let dangling: f64 = ranks
            .par_iter()
            .zip(&mut handed)
            .zip(out_degrees)
            .map(|((rank, handed), &degree)| {
                *handed = rank / degree.max(1) as f32;
                if degree == 0 { f64::from(*rank) } else { 0.0 }
            })
            .sum();
        let base = (1.0 - damping) / n + damping * dangling as f32 / n;
        ranks.par_iter_mut().enumerate().with_min_len(1024).for_each(|(vertex, rank)| {
            let gathered: f32 = incoming.row(vertex).iter().map(|&src| handed[src as usize]).sum();
            *rank = base + damping * gathered;
        });
    }
    ranks
}

/// Runs a single-threaded breadth-first search with a queue. The level of an unreachable vertex is `u32::MAX`.
pub(crate) fn queue_bfs(out: &Csr, source: usize) -> Vec<u32> {
    let mut levels = vec![u32::MAX; out.len()];
    levels[source] = 0;
    let mut queue = VecDeque::from([source as u32]);
    while let Some(vertex) = queue.pop_front() {
        let next = levels[vertex as usize] + 1;
        for &dst in out.row(vertex as usize) {
            if levels[dst as usize] == u32::MAX {
                levels[dst as usize] = next;
                queue.push_back(dst);
            }
        }
    }
    levels
}
