//! Measures random accesses to host memory.

use gts_core::cost::{AccessConstants, AccessTime};
use gts_core::hash::mixed;
use gts_core::threads;
use std::hint::black_box;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Instant;

/// The working sets to measure, in bytes: from the private cache of a core to beyond all caches.
const SIZES: [usize; 6] = [16 << 10, 256 << 10, 1 << 20, 16 << 20, 64 << 20, 512 << 20];
/// Accesses per thread and working set (`ACCESSES`), and the number of runs, whose best time counts (`RUNS`).
const ACCESSES: u64 = 1 << 19;
const RUNS: usize = 3;
/// Number of operations per thread that measure the time per instruction.
const INSTRUCTIONS: u64 = 1 << 24;

/// Measures random reads, writes and atomic additions by all cores, and dependent reads by one core, in working sets of
/// up to `most` bytes.
pub fn accesses(most: usize) -> AccessConstants {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let mut found = AccessConstants::unmeasured(shared_cache().unwrap_or(0), cores as u64);
    let words: Vec<AtomicU32> = (0..most.min(SIZES[SIZES.len() - 1]) / 4).map(|_| AtomicU32::new(0)).collect();
    let each = |action: &(dyn Fn(&AtomicU32) -> u32 + Sync), words: &[AtomicU32]| {
        best(cores, |seed| {
            let mut places = Places(seed);
            (0..ACCESSES).fold(0, |sum: u32, _| sum.wrapping_add(action(&words[places.next(words.len())])))
        }) / (ACCESSES * cores as u64) as f64
    };
    for bytes in SIZES.into_iter().filter(|&bytes| bytes <= most) {
        let words = &words[..bytes / 4];
        let time = |seconds: f64| AccessTime { working_set: bytes as u64, seconds };
        found.reads.push(time(each(&|word| word.load(Ordering::Relaxed), words)));
        found.writes.push(time(each(
            &|word| {
                word.store(0, Ordering::Relaxed);
                0
            },
            words,
        )));
        found.atomics.push(time(each(&|word| word.fetch_add(1, Ordering::Relaxed), words)));
        words.iter().for_each(|word| word.store(0, Ordering::Relaxed));
        let waits = best(1, |seed| {
            let mut places = Places(seed);
            (0..ACCESSES).fold(0, |sum: u32, _| {
                let word = words[places.next(words.len())].load(Ordering::Relaxed);
                places.0 = places.0.wrapping_add(u64::from(word));
                sum.wrapping_add(word)
            })
        });
        found.waits.push(time(waits / ACCESSES as f64));
    }
    found.contended = each(&|word| word.fetch_add(1, Ordering::Relaxed), &words[..1]);
    let instructions =
        best(cores, |seed| (0..INSTRUCTIONS).fold(seed as u32, |sum, next| black_box(sum ^ next as u32)));
    found.instruction = instructions / (INSTRUCTIONS * cores as u64) as f64;
    found
}

/// Runs `work` on `threads` threads, each with a different seed. Returns the shortest time of several runs in seconds.
fn best(threads: usize, work: impl Fn(u64) -> u32 + Sync) -> f64 {
    let next = AtomicU64::new(1);
    let run = || {
        let begun = Instant::now();
        threads::share(threads - 1, || {
            black_box(work(mixed(next.fetch_add(1, Ordering::Relaxed))));
        });
        begun.elapsed().as_secs_f64()
    };
    (0..RUNS).map(|_| run()).fold(f64::INFINITY, f64::min)
}

/// A generator of pseudorandom positions.
struct Places(u64);

impl Places {
    /// Returns the next position below `places`, which must be a power of two.
    fn next(&mut self, places: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize & (places - 1)
    }
}

/// Returns the size in bytes of the largest cache of the first core. `None` if the system does not report it.
fn shared_cache() -> Option<u64> {
    let size = |index: u32| {
        let path = format!("/sys/devices/system/cpu/cpu0/cache/index{index}/size");
        let text = std::fs::read_to_string(path).ok()?;
        let kibibytes: u64 = text.trim().strip_suffix('K')?.parse().ok()?;
        Some(kibibytes << 10)
    };
    (0..8).filter_map(size).max()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_size_that_fits_is_measured() {
        let found = accesses(1 << 20);
        for times in [&found.reads, &found.writes, &found.atomics, &found.waits] {
            let sizes: Vec<u64> = times.iter().map(|time| time.working_set).collect();
            assert_eq!(sizes, [16 << 10, 256 << 10, 1 << 20]);
            assert!(times.iter().all(|time| time.seconds > 0.0), "{times:?}");
        }
        assert!(found.contended > 0.0 && found.instruction > 0.0 && found.warps > 0);
    }
}
