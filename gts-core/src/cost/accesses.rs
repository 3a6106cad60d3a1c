//! Memory access times as a function of the working set.

use super::machine::interpolated;
use super::neighbors::printed::AccessSeconds;
use serde::{Deserialize, Serialize};

/// A processor's cache size, its number of concurrent warps or threads, and its times per random access and per
/// instruction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AccessConstants {
    /// The size in bytes of the cache shared by all threads; 0 if the system does not report it.
    pub cache: u64,
    /// The number of concurrent warps of a GPU, or of threads of a CPU.
    pub warps: u64,
    /// Times of random four-byte reads.
    pub reads: Vec<AccessTime>,
    /// Times of random four-byte writes.
    pub writes: Vec<AccessTime>,
    /// Times of atomic additions to random floats.
    pub atomics: Vec<AccessTime>,
    /// Times of dependent reads by one thread: each read begins when the previous read is complete.
    pub waits: Vec<AccessTime>,
    /// Seconds per atomic addition if all additions target one address.
    pub contended: f64,
    /// Seconds per instruction of a warp, or of a CPU thread.
    pub instruction: f64,
}

/// The time per access for one working set size.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct AccessTime {
    /// The size in bytes of the range that accesses are spread over.
    pub working_set: u64,
    /// Seconds per access. If all threads access memory, this is the elapsed time divided by the number of accesses.
    pub seconds: f64,
}

/// Returns the seconds per access for a working set of `working_set` bytes, interpolated on a logarithmic scale between
/// measured sizes.
pub(super) fn seconds(times: &[AccessTime], working_set: f64) -> f64 {
    let points = times.iter().map(|time| (time.working_set, time.seconds));
    interpolated(points, working_set.max(1.0) as u64).unwrap_or(0.0)
}

impl AccessConstants {
    /// Creates the constants of an unmeasured processor with `cache` bytes of cache and `warps` concurrent warps.
    pub fn unmeasured(cache: u64, warps: u64) -> Self {
        let none = Vec::new;
        Self {
            cache,
            warps,
            reads: none(),
            writes: none(),
            atomics: none(),
            waits: none(),
            contended: 0.0,
            instruction: 0.0,
        }
    }

    /// Returns T_read, T_write and T_atom for attributes of `working_set` bytes.
    pub fn each(&self, working_set: u64) -> AccessSeconds {
        let of = |times: &[AccessTime]| seconds(times, working_set as f64);
        AccessSeconds { read: of(&self.reads), write: of(&self.writes), atomic: of(&self.atomics) }
    }

    /// Returns the constants for fewer threads: accesses and instructions take `factor` times as long.
    pub(super) fn slower_by(mut self, factor: f64) -> Self {
        for times in [&mut self.reads, &mut self.writes, &mut self.atomics] {
            times.iter_mut().for_each(|time| time.seconds *= factor);
        }
        self.instruction *= factor;
        self
    }

    /// Creates the default constants for a GPU, measured by `gts devices --measure` on an H200.
    pub(super) fn default_cuda() -> Self {
        let times = |nanoseconds: [f64; 7]| {
            let sizes = [64 << 10, 1 << 20, 4 << 20, 16 << 20, 64 << 20, 256 << 20, 1 << 30];
            let time = |(working_set, nanoseconds): (u64, f64)| AccessTime { working_set, seconds: 1e-9 * nanoseconds };
            sizes.into_iter().zip(nanoseconds).map(time).collect()
        };
        Self {
            cache: 60 << 20,
            warps: 132 * 64,
            reads: times([0.0014, 0.0058, 0.0062, 0.0063, 0.0136, 0.0226, 0.0250]),
            writes: times([0.0337, 0.0134, 0.0131, 0.0130, 0.0410, 0.0586, 0.0620]),
            atomics: times([0.0145, 0.0096, 0.0096, 0.0095, 0.0274, 0.0541, 0.0611]),
            waits: times([61.0, 161.0, 167.0, 169.0, 262.0, 343.0, 360.0]),
            contended: 1.76e-9,
            instruction: 1.73e-12,
        }
    }

    /// Creates the default constants for a CPU.
    pub(super) fn default_cpu(threads: f64) -> Self {
        let times = |points: [(u64, f64); 4]| {
            let time = |(working_set, seconds): (u64, f64)| AccessTime { working_set, seconds };
            points.map(|point| time((point.0, point.1 / threads))).to_vec()
        };
        let waits = [(16 << 10, 1.5e-9), (1 << 20, 4e-9), (32 << 20, 20e-9), (1 << 30, 100e-9)];
        Self {
            cache: 32 << 20,
            warps: threads as u64,
            reads: times([(16 << 10, 1e-9), (1 << 20, 1.5e-9), (32 << 20, 5e-9), (1 << 30, 12e-9)]),
            writes: times([(16 << 10, 1e-9), (1 << 20, 2e-9), (32 << 20, 6e-9), (1 << 30, 15e-9)]),
            atomics: times([(16 << 10, 5e-9), (1 << 20, 6e-9), (32 << 20, 12e-9), (1 << 30, 25e-9)]),
            waits: waits.map(|(working_set, seconds)| AccessTime { working_set, seconds }).to_vec(),
            contended: 10e-9,
            instruction: 0.3e-9 / threads,
        }
    }
}
