//! Numbers vertices in the layers of a breadth-first search.

use super::BuildError;
use super::gaps::Gaps;
use super::record::Record;
use super::sort::Sorted;
use crate::graph::MOST_LAYERS;
use crate::memory;
use crate::parallel::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// The position of a vertex that has not been reached.
const NONE: u32 = u32::MAX;
/// Minimum number of vertices in a layer for which all threads search.
const MANY: usize = 1 << 10;
/// The number of vertices per task when vertices are numbered.
const SHARE: usize = 1 << 16;

/// The layer order of a graph's vertices.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Layered {
    /// The dense number of each vertex, indexed by the rank of its original ID.
    pub(super) by_rank: Vec<u32>,
    /// The first vertex of each layer, followed by the first vertex that the search does not reach.
    pub(super) starts: Arc<[u32]>,
}

/// Searches along edges from vertex number `first`, whose original ID is `root`. Numbers the reached vertices layer by
/// layer, followed by the other vertices. Numbers in `gaps` have no vertex.
pub(super) fn find<R: Record>(
    edges: &Sorted<R>,
    (first, root): (u32, u64),
    gaps: Option<&Gaps>,
) -> Result<Layered, BuildError> {
    let numbers = edges.bounds.last().map_or(0, |&last| last as usize);
    let mut places = memory::filled("the layers of vertices", numbers, NONE)?;
    let (starts, found) = search(edges, first, memory::atomic(&mut places));
    if starts.len() > MOST_LAYERS + 1 {
        return Err(BuildError::TooManyLayers { root });
    }
    let place_of = |rank: usize| places[gaps.map_or(rank, |gaps| gaps.number(rank as u32) as usize)];
    let vertices = gaps.map_or(numbers, |gaps| gaps.vertices() as usize);
    let mut by_rank = memory::filled("the order of vertices", vertices, NONE)?;
    // Unreached vertices are numbered in order of rank: each share follows the preceding shares.
    let count = |share: usize| {
        (share * SHARE..vertices.min((share + 1) * SHARE)).filter(|&rank| place_of(rank) == NONE).count() as u32
    };
    let counts: Vec<u32> = (0..vertices.div_ceil(SHARE)).into_par_iter().map(count).collect();
    let before = counts.iter().scan(found, |before, count| {
        *before += count;
        Some(*before - count)
    });
    let before: Vec<u32> = before.collect();
    by_rank.par_chunks_mut(SHARE).zip(before).enumerate().for_each(|(share, (numbers, mut next))| {
        for (rank, number) in (share * SHARE..).zip(numbers) {
            *number = match place_of(rank) {
                NONE => {
                    next += 1;
                    next - 1
                }
                place => place,
            };
        }
    });
    Ok(Layered { by_rank, starts: starts.into() })
}

/// Assigns positions to the vertices that a search from `root` reaches. Returns the start of each layer, followed by
/// the number of reached vertices, and this number again. Stops if there are too many layers.
fn search<R: Record>(edges: &Sorted<R>, root: u32, places: &[AtomicU32]) -> (Vec<u32>, u32) {
    let (mut starts, mut found) = (Vec::new(), 0u32);
    let mut layer = vec![root];
    while !layer.is_empty() && starts.len() <= MOST_LAYERS {
        starts.push(found);
        let many = layer.len() >= MANY;
        if many {
            layer.par_sort_unstable()
        } else {
            layer.sort_unstable()
        }
        let number = |(at, &vertex): (usize, &u32)| places[vertex as usize].store(found + at as u32, Ordering::Relaxed);
        match many {
            true => layer.par_iter().enumerate().for_each(number),
            false => layer.iter().enumerate().for_each(number),
        }
        found += layer.len() as u32;
        // Any position marks a vertex as reached; the next round stores the right one.
        let claim = |&vertex: &u32| {
            let place = &places[vertex as usize];
            place.load(Ordering::Relaxed) == NONE
                && place.compare_exchange(NONE, 0, Ordering::Relaxed, Ordering::Relaxed).is_ok()
        };
        let next = |&vertex: &u32| edges.of(vertex).iter().map(Record::dst).filter(claim);
        layer = match many {
            true => layer.par_iter().collect_flat(next),
            false => layer.iter().flat_map(next).collect(),
        };
    }
    starts.push(found);
    (starts, found)
}
