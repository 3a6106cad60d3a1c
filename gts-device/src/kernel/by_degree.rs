//! Arrays of the vertices in degree order, and of their adjacency lists in the same order.
//!
//! Positions are counted from the end of the order, so the vertices with the largest degrees have the smallest
//! positions. Most edges lead to these vertices, so most accesses to lists and marks are close together in memory. S.
//! Beamer's GAP benchmark suite relabels vertices in the same way.

use gts_core::graph::Vertex;
use gts_core::memory::{self, NoMemory};
use gts_core::page::Topology;
use gts_core::parallel::*;
use gts_core::summaries;
use std::ops::Range;

/// Minimum number of vertices per task.
const LEAST_SHARE: usize = 1 << 14;
/// The name of the arrays in allocation errors.
const WHAT: &str = "edges in the order by degree";

/// Approximate number of edges per unit of work.
const UNIT: u64 = 1 << 16;
/// Number of positions that one task divides into units.
const PLACES: usize = 1 << 16;

/// Adjacency lists by position, without loops and parallel edges.
#[derive(Debug)]
pub(super) struct Laid {
    /// The position of each vertex: the number of later vertices in the order.
    pub places: Vec<u32>,
    /// The vertex at each position.
    pub vertices: Vec<u32>,
    /// The start of each position's list in `neighbours`, followed by the end of the last list.
    pub starts: Vec<u64>,
    /// The positions of all neighbours, ascending within each list.
    pub neighbours: Vec<u32>,
    /// Ranges that cover all positions, with about the same number of edges each.
    pub units: Vec<Range<u32>>,
}

impl Laid {
    /// Builds the lists on the current thread pool. The pages of the topology must be in memory. `degrees` has one
    /// entry per vertex and determines the order. If `labels` is not empty, vertices are ordered by label first.
    /// `keeps(a, b)` returns whether the list of position `a` includes position `b`. Returns `None` if there are 2^32
    /// vertices or more, or if `stopped` returns true. Takes O(m + n log n) time, and O(d log d) for each list of d
    /// neighbours.
    ///
    /// # Errors
    ///
    /// Memory is too small.
    pub(crate) fn new(
        topology: &Topology,
        degrees: &[u32],
        labels: &[u8],
        keeps: impl Fn(u32, u32) -> bool + Copy + Sync,
        stopped: impl Fn() -> bool + Sync,
    ) -> Result<Option<Self>, NoMemory> {
        if u32::try_from(degrees.len()).is_err() {
            return Ok(None);
        }
        let vertices = by_degree(degrees, labels)?;
        let places = summaries::inverse(WHAT, &vertices)?;
        let mut starts = memory::zeroed(WHAT, degrees.len() + 1)?;
        let units = units(&vertices, degrees);
        let kept = |place: u32| once(topology, &places, &vertices, place).filter(move |&other| keeps(place, other));
        let counted = in_units(&units, |unit| unit.len(), &mut starts[1..]).into_par_iter().map(|(unit, counts)| {
            let mut total = 0;
            for (place, count) in unit.zip(counts) {
                if stopped() {
                    break;
                }
                total += kept(place).count() as u64;
                *count = total;
            }
            total
        });
        let totals: Vec<u64> = counted.collect();
        let mut total = 0;
        let before = totals.iter().map(|count| {
            total += count;
            total - count
        });
        let before: Vec<u64> = before.collect();
        let parts = in_units(&units, |unit| unit.len(), &mut starts[1..]);
        parts
            .into_par_iter()
            .zip(&before)
            .for_each(|((_, ends), before)| ends.iter_mut().for_each(|end| *end += before));

        let mut neighbours = memory::zeroed(WHAT, total as usize)?;
        let length = |unit: &Range<u32>| (starts[unit.end as usize] - starts[unit.start as usize]) as usize;
        in_units(&units, length, &mut neighbours).into_par_iter().for_each(|(unit, mut lists)| {
            for place in unit {
                if stopped() {
                    return;
                }
                let (list, rest) = lists.split_at_mut((starts[place as usize + 1] - starts[place as usize]) as usize);
                list.iter_mut().zip(kept(place)).for_each(|(neighbour, place)| *neighbour = place);
                list.sort_unstable();
                lists = rest;
            }
        });
        Ok((!stopped()).then_some(Self { places, vertices, starts, neighbours, units }))
    }

    /// Returns the neighbours of the vertex at `place`, as positions.
    #[inline(always)]
    pub(crate) fn list(&self, place: u32) -> &[u32] {
        let place = place as usize;
        &self.neighbours[self.starts[place] as usize..self.starts[place + 1] as usize]
    }
}

/// Returns the vertices in descending order of degree. Of two vertices of equal degree, the vertex with the larger
/// number comes first. If `labels` is not empty, vertices are ordered by ascending label first.
fn by_degree(degrees: &[u32], labels: &[u8]) -> Result<Vec<u32>, NoMemory> {
    let key = |(v, &degree): (usize, &u32)| u64::from(degree) << 32 | v as u64;
    let keys = degrees.par_iter().with_min_len(LEAST_SHARE).enumerate().map(key);
    let mut keys: Vec<u64> = memory::collected_in_parallel(WHAT, keys)?;
    let label = |key: u64| labels.get(key as u32 as usize);
    keys.par_sort_unstable_by(|&a, &b| label(a).cmp(&label(b)).then(b.cmp(&a)));
    memory::collected_in_parallel(WHAT, keys.par_iter().with_min_len(LEAST_SHARE).map(|&key| key as u32))
}

/// Divides the positions into ranges with about the same number of edges. Each task divides its own `PLACES` positions.
fn units(vertices: &[u32], degrees: &[u32]) -> Vec<Range<u32>> {
    let of_task = |(task, vertices): (usize, &[u32])| {
        let first = (task * PLACES) as u32;
        let (mut units, mut start, mut edges) = (Vec::new(), first, 0);
        let last = first + vertices.len() as u32 - 1;
        for (place, &v) in (first..).zip(vertices) {
            edges += 1 + u64::from(degrees[v as usize]);
            if edges >= UNIT || place == last {
                units.push(start..place + 1);
                (start, edges) = (place + 1, 0);
            }
        }
        units
    };
    vertices.par_chunks(PLACES).enumerate().collect_flat(of_task)
}

/// Splits an array into one part per unit and returns each unit with its part. `length` returns the length of a unit's
/// part.
fn in_units<'a, T>(
    units: &[Range<u32>],
    length: impl Fn(&Range<u32>) -> usize,
    mut array: &'a mut [T],
) -> Vec<(Range<u32>, &'a mut [T])> {
    let mut parts = Vec::with_capacity(units.len());
    for unit in units {
        let (part, rest) = array.split_at_mut(length(unit));
        parts.push((unit.clone(), part));
        array = rest;
    }
    parts
}

/// Returns the positions of the neighbours of the vertex at `place`, in stored order. Omits repetitions.
fn once(topology: &Topology, places: &[u32], vertices: &[u32], place: u32) -> impl Iterator<Item = u32> {
    let mut last = None;
    let list = topology.list(Vertex::from_dense(vertices[place as usize].into()));
    let once = list.flat_map(|part| part.neighbors()).filter(move |&v| last.replace(v) != Some(v));
    once.map(|v| places[v.dense() as usize])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_cover_all_places_and_a_hub_is_one_of_its_own() {
        let degrees = [3, 1 << 20, 0, 1 << 15, 1 << 15, 5];
        let vertices = by_degree(&degrees, &[]).unwrap();
        assert_eq!(vertices, [1, 4, 3, 5, 0, 2]);
        assert_eq!(by_degree(&degrees, &[0, 1, 0, 1, 2, 0]).unwrap(), [5, 0, 2, 1, 3, 4]);
        assert_eq!(units(&vertices, &degrees), [0..1, 1..3, 3..6]);
        assert!(units(&[], &[]).is_empty());
    }

    #[test]
    fn units_of_several_tasks_follow_each_other() {
        let degrees = vec![1; 2 * PLACES + 7];
        let vertices = by_degree(&degrees, &[]).unwrap();
        let half = (PLACES / 2) as u32;
        let ends = [0, 1, 2, 3, 4].map(|number| number * half);
        let mut expected: Vec<Range<u32>> = ends.windows(2).map(|pair| pair[0]..pair[1]).collect();
        expected.push(4 * half..4 * half + 7);
        assert_eq!(units(&vertices, &degrees), expected);
    }
}
