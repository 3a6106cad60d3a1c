//! The context that a kernel body receives besides its attributes: degrees, the step, activation and error reports.

use super::random;
use super::tally::Tallies;
use crate::error::Error;
use crate::neighbours::Neighbours;
use gts_contract::KernelDescriptor;
use gts_core::graph::{Vertex, VertexId};
use gts_core::memory::{self, NoMemory};
use rayon::prelude::*;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, AtomicU64, Ordering::Relaxed};

/// Number of words of a set that one task processes. A task takes a few microseconds, so one thread processes a smaller
/// set.
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

    /// Replaces the contents of the set by the vertices `0..vertices`.
    pub fn fill(&mut self, vertices: u64) {
        self.words.par_iter_mut().with_min_len(WORDS).enumerate().for_each(|(index, word)| {
            let left = vertices.saturating_sub(64 * index as u64);
            *word.get_mut() = if left >= 64 { u64::MAX } else { (1 << left) - 1 };
        });
    }

    /// Returns a copy of the set as words of 64 vertices.
    pub fn words(&self) -> Result<Vec<u64>, NoMemory> {
        let words = self.words.par_iter().with_min_len(WORDS).map(|word| word.load(Relaxed));
        memory::collected_in_parallel("active vertices", words)
    }

    /// Returns the set as mutable words of 64 vertices.
    #[allow(unsafe_code)]
    pub fn words_mut(&mut self) -> &mut [u64] {
        let words = self.words.as_mut_slice();
        // SAFETY: an atomic number has the size, alignment and bits of a plain one, and the set is borrowed
        // exclusively.
        unsafe { std::slice::from_raw_parts_mut(words.as_mut_ptr().cast(), words.len()) }
    }

    /// Adds the vertices of another set, given as words.
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

    /// Returns whether operations on a whole set over `vertices` vertices would be divided among threads.
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

/// A run-time error reported by a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The index of the error's source location in the kernel's `error_sites`.
    pub site: u32,
    /// The value that caused the error, such as an index out of bounds.
    pub value: i64,
}

impl Fault {
    /// Returns the error that ends a run of the kernel.
    pub fn error(self, kernel: &'static KernelDescriptor) -> Error {
        Error::Fault { kernel: kernel.name, site: kernel.error_sites[self.site as usize], value: self.value }
    }
}

/// The first run-time error and the first failed allocation of a pass.
#[derive(Debug, Default)]
pub struct ErrorFlag {
    /// The index of the source location plus 1; 0 if there is no error.
    site: AtomicU32,
    value: AtomicI64,
    /// The first failed allocation of the pass.
    lacking: OnceLock<NoMemory>,
}

impl ErrorFlag {
    /// Records the error, unless the pass has already recorded one.
    #[cold]
    pub fn set(&self, fault: Fault) {
        if self.site.compare_exchange(0, fault.site + 1, Relaxed, Relaxed).is_ok() {
            self.value.store(fault.value, Relaxed);
        }
    }

    /// Removes and returns the failed allocation. Call this only after all threads of the pass have ended.
    pub fn take_lacking(&mut self) -> Option<NoMemory> {
        self.lacking.take()
    }

    /// Removes and returns the error. Call this only after all threads of the pass have ended.
    pub fn take(&mut self) -> Option<Fault> {
        let site = std::mem::take(self.site.get_mut());
        (site != 0).then(|| Fault { site: site - 1, value: *self.value.get_mut() })
    }
}

/// A flag that makes every thread of a pass end: because of the time limit, for lack of memory, or at the caller's
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

    /// Returns the error that ended the pass, if any.
    pub fn reason(&self) -> Option<&Error> {
        self.reason.get()
    }

    /// Returns whether the pass should end.
    #[inline(always)]
    pub fn stopped(&self) -> bool {
        self.stopped.load(Relaxed)
    }

    /// Withdraws the request to end the pass.
    pub fn reset(&self) {
        self.stopped.store(false, Relaxed);
    }
}

/// The view of the current pass that a kernel body receives. Emitted code calls this value `gts`.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The step of the traversal, from 0.
    pub step: u32,
    /// Initial state of the pass's random numbers.
    pub random: u64,
    /// The visited part of each vertex's list.
    pub neighbours: Neighbours,
    /// The position of the current edge in the list of its source.
    pub position: u64,
    /// Number of vertices of the graph.
    pub num_vertices: u64,
    /// Number of edges of the graph.
    pub num_edges: u64,
    /// Out-degree of each vertex.
    pub out_degrees: &'a [u32],
    /// In-degree of each vertex; empty if the kernel does not read it.
    pub in_degrees: &'a [u32],
    /// Vertices activated for the next step.
    pub next: &'a BitSet,
    /// The retained value counts of vertices whose lists are visited in parts.
    pub tallies: &'a Tallies,
    /// The first fault of the pass.
    pub error: &'a ErrorFlag,
    /// Set if the time limit expires or memory runs out.
    pub stop: &'a StopFlag,
    /// Set by the caller to end the pass early.
    pub interrupt: &'a StopFlag,
}

impl Context<'_> {
    /// Returns the step of the traversal, counted from 0.
    #[inline(always)]
    pub fn step(&self) -> u32 {
        self.step
    }

    /// Returns the number of vertices of the graph.
    #[inline(always)]
    pub fn num_vertices(&self) -> u64 {
        self.num_vertices
    }

    /// Returns the number of edges of the graph.
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

    /// Returns the vertex number as an attribute value.
    #[inline(always)]
    pub fn id(&self, v: Vertex) -> VertexId {
        VertexId(v.dense())
    }

    /// Returns the position of the current edge in the list of its source. The position is computed only for bodies
    /// that use it.
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

    /// Returns a random number in `0..bound`; 0 if `bound` is 0.
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
    pub fn vertex(&self, site: u32, number: u64) -> Vertex {
        if number < self.num_vertices {
            Vertex::from_dense(number)
        } else {
            self.report(site, number as i64);
            Vertex::from_dense(0)
        }
    }

    /// Checks an index into an array and returns it. If the index is out of bounds, reports an error at `site` and
    /// returns 0.
    #[inline(always)]
    pub fn index(&self, site: u32, index: u64, length: usize) -> usize {
        if index < length as u64 {
            index as usize
        } else {
            self.report(site, index as i64);
            0
        }
    }

    /// Reports a run-time error. The pass retains only the first error.
    #[inline(always)]
    pub fn report(&self, site: u32, value: i64) {
        // Inlined: a call would take the context's address, and the compiler would then copy the context for each edge.
        self.error.set(Fault { site, value });
    }

    /// Aborts the pass because an allocation failed.
    #[cold]
    pub fn lacks(&self, memory: NoMemory) {
        // Only the first failure is reported.
        let _ = self.error.lacking.set(memory);
        self.stop.stop();
    }

    /// Returns whether the pass should end. A body's `while` and `loop` check this in each iteration.
    #[inline(always)]
    pub fn stopped(&self) -> bool {
        self.stop.stopped() || self.interrupt.stopped()
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
            neighbours: Neighbours::ALL,
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
    fn the_first_error_is_kept() {
        let mut flag = ErrorFlag::default();
        flag.set(Fault { site: 3, value: -7 });
        flag.set(Fault { site: 1, value: 2 });
        assert_eq!(flag.take(), Some(Fault { site: 3, value: -7 }));
        assert_eq!(flag.take(), None);
    }
}
