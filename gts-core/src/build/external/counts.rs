//! Counts the edges of each vertex while edges are processed.

use crate::build::record::Record;
use crate::parallel::*;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Minimum number of edges per counting task.
const PIECE: usize = 1 << 16;
/// Maximum number of threads that count unsorted edges. Each of them has a table with one byte per vertex.
const MOST_SMALL: usize = 4;

/// The numbers of edges that leave and that enter each vertex.
pub(super) struct Counts {
    out: Table,
    /// The counts of edges that enter vertices; `None` if edges are stored in both directions, because both counts are
    /// then equal.
    into: Option<Table>,
}

/// The counts for one end of the edges.
struct Table {
    counts: Vec<AtomicU32>,
    /// The low bytes of the counts, one table per thread: unlike an atomic addition, an ordinary addition does not wait
    /// for memory.
    small: Vec<Mutex<Vec<u8>>>,
    /// The number of times that a count has wrapped, by vertex. Contains only counts that have wrapped.
    wrapped: Mutex<BTreeMap<u32, u64>>,
}

/// The degrees of all vertices.
pub(super) struct Degrees {
    pub(super) out: Vec<u32>,
    /// The in-degrees; empty if edges are stored in both directions.
    pub(super) into: Vec<u32>,
}

impl Counts {
    /// Creates counts for edges that arrive in order of source if `sorted` is true, and otherwise in any order.
    pub(super) fn new(vertices: u32, both_ways: bool, sorted: bool) -> Self {
        let small = rayon::current_num_threads().min(MOST_SMALL);
        let out = Table::new(vertices, if sorted { 0 } else { small });
        Self { out, into: (!both_ways).then(|| Table::new(vertices, small)) }
    }

    /// Returns the bytes needed for the counts of `vertices` vertices.
    pub(super) fn bytes(vertices: u64, both_ways: bool, sorted: bool) -> u64 {
        let small = rayon::current_num_threads().min(MOST_SMALL) as u64;
        let out = if sorted { 4 } else { 4 + small };
        vertices * if both_ways { out } else { out + 4 + small }
    }

    /// Counts both ends of each edge.
    pub(super) fn add<R: Record>(&self, edges: &[R]) {
        if self.out.small.is_empty() {
            edges.par_chunks(PIECE).for_each(|edges| {
                for run in edges.chunk_by(|a, b| a.src() == b.src()) {
                    run.first().into_iter().for_each(|edge| self.out.add(edge.src(), run.len() as u32));
                }
            });
        } else {
            self.out.add_each(edges, Record::src);
        }
        if let Some(into) = &self.into {
            into.add_each(edges, Record::dst);
        }
    }

    /// Returns the counts. The error contains a vertex with too many edges, and the number of its edges.
    pub(super) fn finish(self) -> Result<Degrees, (u32, u64)> {
        let into = self.into.map_or(Ok(Vec::new()), Table::finish)?;
        Ok(Degrees { out: self.out.finish()?, into })
    }
}

impl Table {
    fn new(vertices: u32, small: usize) -> Self {
        Self {
            counts: (0..vertices).map(|_| AtomicU32::new(0)).collect(),
            small: (0..small).map(|_| Mutex::new(vec![0; vertices as usize])).collect(),
            wrapped: Mutex::default(),
        }
    }

    #[inline]
    fn add(&self, vertex: u32, edges: u32) {
        let before = self.counts[vertex as usize].fetch_add(edges, Ordering::Relaxed);
        if before.checked_add(edges).is_none() {
            *lock(&self.wrapped).entry(vertex).or_default() += 1;
        }
    }

    /// Counts one end of each edge.
    fn add_each<R: Record>(&self, edges: &[R], end: impl Fn(&R) -> u32 + Sync) {
        let part = edges.len().div_ceil(self.small.len()).max(PIECE);
        edges.par_chunks(part).zip(&self.small).for_each(|(edges, small)| {
            let mut small = lock(small);
            for vertex in edges.iter().map(&end) {
                let count = &mut small[vertex as usize];
                *count = count.wrapping_add(1);
                if *count == 0 {
                    self.add(vertex, 1 << 8);
                }
            }
        });
    }

    fn finish(mut self) -> Result<Vec<u32>, (u32, u64)> {
        for small in std::mem::take(&mut self.small) {
            let small = small.into_inner().unwrap_or_else(PoisonError::into_inner);
            small.par_iter().zip(0u32..small.len() as u32).with_min_len(PIECE).for_each(|(&count, vertex)| {
                self.add(vertex, u32::from(count));
            });
        }
        let counts: Vec<u32> = self.counts.into_iter().map(AtomicU32::into_inner).collect();
        match self.wrapped.into_inner().unwrap_or_else(PoisonError::into_inner).first_key_value() {
            None => Ok(counts),
            Some((&vertex, &times)) => Err((vertex, (times << 32) + u64::from(counts[vertex as usize]))),
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Degrees {
    /// Returns the bytes needed for the degrees of `vertices` vertices.
    pub(super) fn bytes(vertices: u64, both_ways: bool) -> u64 {
        vertices * if both_ways { 4 } else { 8 }
    }

    /// Returns the number of edges of a vertex, in-edges and out-edges combined.
    pub(super) fn total(&self, vertex: u32) -> u64 {
        let out = self.out[vertex as usize];
        u64::from(out) + u64::from(self.into.get(vertex as usize).copied().unwrap_or(out))
    }

    /// Returns the degrees of the renumbered vertices.
    pub(super) fn renumbered(self, numbers: &[u32]) -> Self {
        let renumbered = |degrees: Vec<u32>| {
            let mut moved = vec![0; degrees.len()];
            for (&number, degree) in numbers.iter().zip(degrees) {
                moved[number as usize] = degree;
            }
            moved
        };
        Self { out: renumbered(self.out), into: renumbered(self.into) }
    }

    /// Returns the number of vertices without edges.
    pub(super) fn isolated(&self) -> u64 {
        (0..self.out.len() as u32).into_par_iter().count_if(|vertex| self.total(vertex) == 0) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_exact_in_any_order_and_wrap_aloud() {
        let edges: Vec<u64> = (0..200_000u64).map(|i| ((i * i % 7) << 32) | (i % 3)).collect();
        let mut sorted = edges.clone();
        sorted.sort_unstable();
        for (edges, is_sorted) in [(&edges, false), (&sorted, true)] {
            let counts = Counts::new(7, false, is_sorted);
            edges.chunks(70_000).for_each(|edges| counts.add(edges));
            let degrees = counts.finish().unwrap();
            let expected = |end: fn(&u64) -> u32| {
                let mut counts = vec![0; 7];
                edges.iter().for_each(|edge| counts[end(edge) as usize] += 1);
                counts
            };
            assert_eq!((degrees.out, degrees.into), (expected(Record::src), expected(Record::dst)));
        }
        let table = Table::new(3, 1);
        table.add(2, u32::MAX);
        table.add_each(&[2u64, 2, 1], Record::dst);
        assert_eq!(table.finish(), Err((2, (1 << 32) + 1)));
    }
}
