//! The context that a kernel body receives in addition to its attributes: degrees, the step, activation and error
//! reports.

use super::fault::{Fault, LoopingBody};
use super::random;
use super::summable::SumChecks;
use super::tally::Tallies;
use crate::error::Error;
use crate::fault_place::FaultPlace;
use crate::neighbors::Neighbors;
use gts_core::graph::{Vertex, VertexId};
use gts_core::memory::{self, NoMemory};
use gts_core::parallel::*;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, OnceLock, PoisonError};

/// Minimum number of words of a set per task. A task of this size takes a few microseconds, so smaller sets are not
/// divided.
const WORDS: usize = 1 << 14;

/// A bit set of vertices, to which several threads may add concurrently.
#[derive(Debug)]
pub struct BitSet {
    words: Vec<AtomicU64>,
}

impl BitSet {
    /// Creates an empty set over the vertices `0..vertices`.
    ///
    /// # Errors
    ///
    /// Memory is too small.
    pub fn new(vertices: u64) -> Result<Self, NoMemory> {
        let words = (0..vertices.div_ceil(64) as usize).into_par_iter().with_min_len(WORDS).map(|_| AtomicU64::new(0));
        Ok(Self { words: memory::collected_in_parallel("active vertices", words)? })
    }

    /// Adds a vertex. Writes nothing if the vertex is already in the set.
    #[inline(always)]
    pub fn insert(&self, v: Vertex) {
        let (word, bit) = (&self.words[(v.dense() / 64) as usize], 1 << (v.dense() % 64));
        if word.load(Relaxed) & bit == 0 {
            word.fetch_or(bit, Relaxed);
        }
    }

    /// Returns whether the vertex is in the set.
    #[inline(always)]
    pub fn contains(&self, v: Vertex) -> bool {
        self.words[(v.dense() / 64) as usize].load(Relaxed) >> (v.dense() % 64) & 1 == 1
    }

    /// Removes every vertex.
    pub fn clear(&mut self) {
        self.words.par_iter_mut().with_min_len(WORDS).for_each(|word| *word.get_mut() = 0);
    }

    /// Replaces the contents of the set with the vertices `0..vertices`.
    pub fn fill(&mut self, vertices: u64) {
        self.words.par_iter_mut().with_min_len(WORDS).enumerate().for_each(|(index, word)| {
            let left = vertices.saturating_sub(64 * index as u64);
            *word.get_mut() = if left >= 64 { u64::MAX } else { (1 << left) - 1 };
        });
    }

    /// Returns a copy of the set, as words with a bit per vertex.
    pub fn words(&self) -> Result<Vec<u64>, NoMemory> {
        let words = self.words.par_iter().with_min_len(WORDS).map(|word| word.load(Relaxed));
        memory::collected_in_parallel("active vertices", words)
    }

    /// Returns the set's own words, with a bit per vertex.
    #[allow(unsafe_code)]
    pub fn words_mut(&mut self) -> &mut [u64] {
        let words = self.words.as_mut_slice();
        // SAFETY: an `AtomicU64` has the size, alignment and representation of a `u64`, and the set is borrowed
        // exclusively.
        unsafe { std::slice::from_raw_parts_mut(words.as_mut_ptr().cast(), words.len()) }
    }

    /// Adds the vertices of another set, given in the format of [`BitSet::words`].
    pub fn unite(&mut self, words: &[u64]) {
        let words = self.words.par_iter_mut().zip(words).with_min_len(WORDS);
        words.for_each(|(own, other)| *own.get_mut() |= other);
    }

    /// Returns the number of vertices in the set.
    pub fn count(&self) -> u64 {
        self.words.par_iter().with_min_len(WORDS).map(|word| u64::from(word.load(Relaxed).count_ones())).sum()
    }

    /// Returns the number of vertices in this set, and clears `other`, which must cover the same vertices.
    pub fn count_and_clear(&self, other: &mut Self) -> u64 {
        let words = self.words.par_iter().zip(&mut other.words).with_min_len(WORDS);
        let count = |(word, other): (&AtomicU64, &mut AtomicU64)| {
            *other.get_mut() = 0;
            u64::from(word.load(Relaxed).count_ones())
        };
        words.map(count).sum()
    }

    /// Returns whether operations on the whole set are divided among threads.
    pub fn is_large(&self) -> bool {
        Self::would_be_large(64 * self.words.len() as u64)
    }

    /// Returns whether operations on a whole set with `vertices` bits would be divided among threads.
    pub fn would_be_large(vertices: u64) -> bool {
        vertices.div_ceil(64) > WORDS as u64
    }

    /// Returns the vertices of the set within a range, in ascending order.
    #[inline]
    pub fn iter(&self, range: std::ops::Range<u64>) -> impl Iterator<Item = Vertex> + '_ {
        let words = if range.is_empty() { 0..0 } else { range.start / 64..range.end.div_ceil(64) };
        words.flat_map(move |index| {
            let mut word = self.words[index as usize].load(Relaxed);
            let first = index * 64;
            if first < range.start {
                word &= u64::MAX << (range.start - first);
            }
            if first + 64 > range.end {
                word &= u64::MAX >> (first + 64 - range.end);
            }
            std::iter::from_fn(move || {
                (word != 0).then(|| {
                    let bit = u64::from(word.trailing_zeros());
                    word &= word - 1;
                    Vertex::from_dense(first + bit)
                })
            })
        })
    }
}

/// The least run-time error and the first failed allocation of a pass.
#[derive(Debug)]
pub struct ErrorFlag {
    /// [`Fault::prefix`] of the least fault, or the largest number if there is no fault.
    prefix: AtomicU64,
    fault: Mutex<Option<Fault>>,
    /// The first failed allocation of the pass.
    lacking: OnceLock<NoMemory>,
}

impl Default for ErrorFlag {
    fn default() -> Self {
        Self { prefix: AtomicU64::new(u64::MAX), fault: Mutex::default(), lacking: OnceLock::new() }
    }
}

impl ErrorFlag {
    /// Records the fault, unless the pass has already recorded a lesser fault or the body's faults no longer count.
    #[cold]
    #[inline(never)]
    pub fn set(&self, site: u32, value: i64, place: FaultPlace) {
        let fault = Fault { site, place, value };
        if !LoopingBody::faults() {
            return;
        }
        // If every edge of a graph faults, few faults take the lock.
        if fault.prefix() > self.prefix.load(Relaxed) {
            return;
        }
        let mut least = self.fault.lock().unwrap_or_else(PoisonError::into_inner);
        if least.is_none_or(|least| fault < least) {
            *least = Some(fault);
            self.prefix.store(fault.prefix(), Relaxed);
        }
    }

    /// Removes and returns the failed allocation. Call this only after all threads of the pass have ended.
    pub fn take_lacking(&mut self) -> Option<NoMemory> {
        self.lacking.take()
    }

    /// Removes and returns the error. Call this only after all threads of the pass have ended.
    pub fn take(&mut self) -> Option<Fault> {
        *self.prefix.get_mut() = u64::MAX;
        self.fault.get_mut().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// A flag that stops all threads of a pass early: at the time limit, after a failed allocation, or at the caller's
/// request.
#[derive(Debug, Default)]
pub struct StopFlag {
    stopped: AtomicBool,
    reason: OnceLock<Error>,
}

impl StopFlag {
    /// Requests the end of the pass.
    pub fn stop(&self) {
        self.stopped.store(true, Relaxed);
    }

    /// Requests the end of the pass with an error. Only the first reason is retained.
    pub fn stop_because(&self, reason: Error) {
        let _ = self.reason.set(reason);
        self.stop();
    }

    /// Returns the error that was passed to [`StopFlag::stop_because`], if any.
    pub fn reason(&self) -> Option<&Error> {
        self.reason.get()
    }

    /// Returns whether the pass should end.
    #[inline(always)]
    pub fn stopped(&self) -> bool {
        self.stopped.load(Relaxed)
    }

    /// Clears the flag before the next pass, but retains the reason.
    pub fn reset(&self) {
        self.stopped.store(false, Relaxed);
    }
}

/// The state of the current pass, which a kernel body receives. Emitted code names this value `gts`.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The step of the traversal, from 0.
    pub step: u32,
    /// Initial state of the random number generator in this pass.
    pub random: u64,
    /// The checks of integer sums in memory.
    pub sums: SumChecks,
    /// Whether the body also checks sums of terms of both signs, and floats that it stores or merges.
    pub checked: bool,
    /// The part of each vertex's list that the pass visits.
    pub neighbours: Neighbors,
    /// The current edge's position in its source's list.
    pub position: u64,
    /// The graph's number of vertices.
    pub num_vertices: u64,
    /// The graph's number of edges.
    pub num_edges: u64,
    /// Out-degree of each vertex.
    pub out_degrees: &'a [u32],
    /// In-degree of each vertex.
    pub in_degrees: &'a [u32],
    /// Vertices activated for the next step.
    pub next: &'a BitSet,
    /// The counts of neighbour values for vertices whose lists are visited in parts.
    pub tallies: &'a Tallies,
    /// The pass's least fault and first failed allocation.
    pub error: &'a ErrorFlag,
    /// Set if the time limit expires or memory runs out.
    pub stop: &'a StopFlag,
    /// Set by the run's caller to end the pass early.
    pub interrupt: &'a StopFlag,
}

impl Context<'_> {
    /// Returns the step of the traversal, counted from 0.
    #[inline(always)]
    pub fn step(&self) -> u32 {
        self.step
    }

    /// Returns the graph's number of vertices.
    #[inline(always)]
    pub fn num_vertices(&self) -> u64 {
        self.num_vertices
    }

    /// Returns the graph's number of edges.
    #[inline(always)]
    pub fn num_edges(&self) -> u64 {
        self.num_edges
    }

    /// Returns the out-degree of a vertex.
    #[inline(always)]
    pub fn out_degree(&self, v: Vertex) -> u64 {
        u64::from(self.out_degrees[v.dense() as usize])
    }

    /// Returns the in-degree of a vertex.
    #[inline(always)]
    pub fn in_degree(&self, v: Vertex) -> u64 {
        u64::from(self.in_degrees[v.dense() as usize])
    }

    /// Returns a vertex's number as an attribute value.
    #[inline(always)]
    pub fn id(&self, v: Vertex) -> VertexId {
        v.id()
    }

    /// Returns the current edge's position in its source's list. The position is computed only for bodies that call
    /// this method.
    #[inline(always)]
    pub fn position(&self) -> u64 {
        self.position
    }

    /// Returns 64 random bits, determined by the seed, the pass, the key `(first, second)` and the draw.
    #[inline(always)]
    pub fn random(&self, first: u64, second: u64, draw: u64) -> u64 {
        random::bits(self.random, [first, second], draw)
    }

    /// Returns a random number in [0, 1).
    #[inline(always)]
    pub fn random_f32(&self, first: u64, second: u64, draw: u64) -> f32 {
        random::to_f32(self.random(first, second, draw))
    }

    /// Returns a random number in [0, 1).
    #[inline(always)]
    pub fn random_f64(&self, first: u64, second: u64, draw: u64) -> f64 {
        random::to_f64(self.random(first, second, draw))
    }

    /// Returns a random number in `0..bound`, or 0 if `bound` is 0.
    #[inline(always)]
    pub fn random_below(&self, first: u64, second: u64, draw: u64, bound: u64) -> u64 {
        random::below(self.random(first, second, draw), bound)
    }

    /// Activates the vertex for the next step.
    #[inline(always)]
    pub fn activate(&self, v: Vertex) {
        self.next.insert(v);
    }

    /// Returns the vertex with this number. If the graph has no such vertex, reports an error at `site` and returns
    /// vertex 0.
    #[inline(always)]
    pub fn vertex(&self, place: FaultPlace, site: u32, number: u64) -> Vertex {
        if number < self.num_vertices {
            Vertex::from_dense(number)
        } else {
            self.report(place, site, number as i64);
            Vertex::from_dense(0)
        }
    }

    /// Returns an index into an array after a bounds check. If the index is out of bounds, reports an error at `site`
    /// and returns 0.
    #[inline(always)]
    pub fn index(&self, place: FaultPlace, site: u32, index: u64, length: usize) -> usize {
        if index < length as u64 {
            index as usize
        } else {
            self.report(place, site, index as i64);
            0
        }
    }

    /// Reports a run-time error. The pass retains only the least error.
    #[inline(always)]
    pub fn report(&self, place: FaultPlace, site: u32, value: i64) {
        // Inlined because a call would take the context's address, which makes the compiler copy the context for each
        // edge.
        self.error.set(site, value, place);
    }

    /// Aborts the pass because an allocation failed.
    #[cold]
    pub fn lacks(&self, memory: NoMemory) {
        // Only the first failure is reported.
        let _ = self.error.lacking.set(memory);
        self.stop.stop();
    }

    /// Returns whether the pass should end. A body's `while` and `loop` call this method in each iteration.
    #[inline(always)]
    pub fn stopped(&self) -> bool {
        self.stop.stopped() || self.interrupt.stopped()
    }

    /// Returns whether a loop of a body should end, and counts its rounds. A loop that a wrapped number keeps alive
    /// ends within 1,024 rounds of the fault.
    #[inline(always)]
    pub fn ends(&self, rounds: &mut u32) -> bool {
        *rounds = rounds.wrapping_add(1);
        self.stopped() || rounds.is_multiple_of(1024) && LoopingBody::is_cut()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_listed_within_any_range() {
        let set = BitSet::new(200).expect("some words");
        let members = [0, 1, 63, 64, 65, 127, 128, 199];
        members.iter().for_each(|&v| set.insert(Vertex::from_dense(v)));
        for start in 0..200 {
            for end in start..=200 {
                let listed: Vec<u64> = set.iter(start..end).map(|v| v.dense()).collect();
                let expected: Vec<u64> = members.into_iter().filter(|v| (start..end).contains(v)).collect();
                assert_eq!(listed, expected, "{start}..{end}");
            }
        }
        assert_eq!(set.count(), 8);
    }

    #[test]
    fn sets_that_threads_share_are_as_small_ones() -> Result<(), NoMemory> {
        for vertices in [0, 1, 64, 65, 64 * WORDS as u64, 64 * WORDS as u64 * 3 + 7] {
            let (mut set, mut other) = (BitSet::new(vertices)?, BitSet::new(vertices)?);
            assert_eq!(set.count(), 0);
            other.fill(vertices);
            set.unite(&other.words()?);
            assert_eq!((set.count(), set.iter(0..vertices).count() as u64), (vertices, vertices));
            assert_eq!((set.count_and_clear(&mut other), other.count()), (vertices, 0));
            set.clear();
            assert_eq!(set.count(), 0);
        }
        Ok(())
    }

    #[test]
    fn memory_that_a_body_lacks_ends_the_pass() {
        let (next, tallies) = (BitSet::new(1).expect("a word"), Tallies::default());
        let (mut error, stop, interrupt) = (ErrorFlag::default(), StopFlag::default(), StopFlag::default());
        let gts = Context {
            step: 0,
            random: 0,
            sums: SumChecks::None,
            checked: false,
            neighbours: Neighbors::ALL,
            position: 0,
            num_vertices: 1,
            num_edges: 0,
            out_degrees: &[0],
            in_degrees: &[0],
            next: &next,
            tallies: &tallies,
            error: &error,
            stop: &stop,
            interrupt: &interrupt,
        };
        let [first, second] = [8, 9].map(|bytes| NoMemory { what: "counts", bytes });
        gts.lacks(first);
        gts.lacks(second);
        assert!(gts.stopped());
        assert_eq!([error.take_lacking(), error.take_lacking()], [Some(first), None]);
    }

    #[test]
    fn the_least_fault_is_retained() {
        let edge = |src, dst| FaultPlace::edge(Vertex::from_dense(src), Vertex::from_dense(dst));
        let mut flag = ErrorFlag::default();
        let faults =
            [(3, -7, edge(1, 1)), (1, 2, edge(9, 4)), (1, 5, edge(9, 3)), (1, 1, edge(9, 8)), (2, 0, edge(0, 0))];
        faults.into_iter().for_each(|(site, value, place)| flag.set(site, value, place));
        assert_eq!(flag.take(), Some(Fault { site: 1, place: edge(9, 3), value: 5 }));
        assert_eq!(flag.take(), None);
        flag.set(3, 1, FaultPlace::vertex(Vertex::from_dense(u64::MAX - 1)));
        assert_eq!(flag.take().map(|fault| fault.site), Some(3));
    }
}
