//! Measures the speed of host memory.

use gts_core::memory::prefer_huge_pages;
use gts_core::threads;
use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// The size of the measured memory in bytes, which exceeds the size of every cache.
const MEMORY: usize = 512 << 20;
/// Number of words that a thread reads per task.
const CHUNK: usize = 1 << 16;
/// Random reads per task, and tasks per thread. A thread's reads take about ten milliseconds in total.
const READS: usize = 1 << 14;
const TIMES_A_THREAD: usize = 64;

/// Measures the total rate at which all cores read memory, in bytes per second. Returns the best of three runs.
pub fn memory_rate() -> f64 {
    let memory = Reads::new(MEMORY);
    let seconds = (0..3).map(|_| memory.seconds());
    MEMORY as f64 / seconds.fold(f64::INFINITY, f64::min)
}

/// Memory whose speed is measured by reads from all cores.
pub struct Reads {
    words: Vec<u64>,
}

impl Reads {
    /// Allocates `bytes` bytes of memory, and writes to every page.
    pub fn new(bytes: usize) -> Self {
        let count = bytes / size_of::<u64>();
        let mut words = Vec::with_capacity(count);
        // Use huge pages, as the memory of vertex values does.
        prefer_huge_pages(words.spare_capacity_mut());
        words.resize(count, 1);
        Self { words }
    }

    /// Reads the memory once with all cores and returns the time in seconds.
    fn seconds(&self) -> f64 {
        by_all_cores(|number| {
            let chunk = self.words.chunks(CHUNK).nth(number)?;
            Some(chunk.iter().sum())
        })
    }

    /// Reads words at random positions in the first `bytes` bytes with all cores, and returns the time in seconds.
    /// `bytes` must be a power of two.
    fn seconds_at_random(&self, bytes: usize) -> f64 {
        let words = &self.words[..bytes / size_of::<u64>()];
        debug_assert!(words.len().is_power_of_two());
        let mask = words.len() - 1;
        let parts = TIMES_A_THREAD * std::thread::available_parallelism().map_or(1, usize::from);
        by_all_cores(|number| {
            let mut place = number as u64 + 1;
            // The positions come from a linear congruential generator (Knuth) and not from the memory, so that no read
            // waits for another read.
            let mut next = || {
                place = place.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                words[(place >> 32) as usize & mask]
            };
            (number < parts).then(|| (0..READS).map(|_| next()).sum())
        })
    }

    /// Reads the memory repeatedly until `is_done` returns true. Returns the mean rate in bytes per second.
    ///
    /// # Errors
    ///
    /// `is_done` returns an error.
    pub fn rate_until<E>(&self, is_done: impl Fn() -> Result<bool, E>) -> Result<f64, E> {
        Ok(size_of_val(&self.words[..]) as f64 / seconds_until(|| self.seconds(), is_done)?)
    }

    /// Reads words at random positions in the first `bytes` bytes until `is_done` returns true. `bytes` must be a power
    /// of two. Returns the mean time in seconds of a fixed number of reads per core.
    ///
    /// # Errors
    ///
    /// `is_done` returns an error.
    pub fn at_random_until<E>(&self, bytes: usize, is_done: impl Fn() -> Result<bool, E>) -> Result<f64, E> {
        seconds_until(|| self.seconds_at_random(bytes), is_done)
    }
}

/// Calls `read` with consecutive part numbers on all cores until `read` returns `None`. Returns the time in seconds.
/// `read` must return a sum over the part's words, so that the compiler does not remove the reads.
fn by_all_cores(read: impl Fn(usize) -> Option<u64> + Sync) -> f64 {
    let helpers = std::thread::available_parallelism().map_or(1, usize::from) - 1;
    let begun = Instant::now();
    let next = AtomicUsize::new(0);
    threads::share(helpers, || {
        while let Some(sum) = read(next.fetch_add(1, Ordering::Relaxed)) {
            black_box(sum);
        }
    });
    begun.elapsed().as_secs_f64()
}

/// Repeats `pass` until `is_done` returns true. Returns the mean time per pass in seconds, excluding the last pass
/// unless it is the only pass.
fn seconds_until<E>(pass: impl Fn() -> f64, is_done: impl Fn() -> Result<bool, E>) -> Result<f64, E> {
    let (mut passes, mut seconds) = (0u32, 0.0);
    loop {
        let pass = pass();
        let done = is_done()?;
        // Exclude the last pass, because the concurrent work may have finished during the pass.
        if !done || passes == 0 {
            passes += 1;
            seconds += pass;
        }
        if done {
            return Ok(seconds / f64::from(passes));
        }
    }
}
