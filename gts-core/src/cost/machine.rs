//! Constants of a machine: measured once and stored in a file, or default values.

use super::accesses::AccessConstants;
use gts_contract::KernelKind;
use serde::{Deserialize, Serialize};

/// The version of the constants file's format.
pub const VERSION: u32 = 5;

/// The constants of a machine. Rates are in bytes per second, and times in seconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MachineConstants {
    /// The [`VERSION`] of the program that wrote the constants.
    pub version: u32,
    /// The constants of the host.
    pub host: HostConstants,
    /// The constants of each processor that runs kernels.
    pub processors: Vec<ProcessorConstants>,
}

/// The constants of a host.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct HostConstants {
    /// Whether the constants were measured; otherwise they are defaults.
    pub measured: bool,
    /// The size of host memory in bytes.
    pub memory: u64,
    /// The rate of memory reads by all cores together.
    pub memory_rate: f64,
    /// The rate of sequential file reads.
    pub disk_rate: f64,
}

/// The constants of a processor that runs kernels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProcessorConstants {
    /// Whether the constants were measured; otherwise they are defaults.
    pub measured: bool,
    /// The kind of processor: the device's name on the command line, without the number.
    pub kind: ProcessorKind,
    /// The processor's model name, as reported by the system or the driver.
    pub name: String,
    /// The size in bytes of the memory that runs may use. A CPU uses host memory.
    pub memory: u64,
    /// The rate of reads from and writes to the processor's memory.
    pub memory_rate: f64,
    /// t_call: device time per launch in a sequence of launches.
    pub launch: f64,
    /// Fixed time per step: the first launch, the end of the step, and the host's work.
    pub step: f64,
    /// The link to the host; `None` for a CPU, which uses host memory.
    pub link: Option<LinkConstants>,
    /// The times of random accesses to the processor's memory.
    pub accesses: AccessConstants,
    /// The measured speed of each kernel.
    pub kernels: Vec<KernelRate>,
}

/// The kind of a processor that runs kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProcessorKind {
    /// The host's CPU.
    Cpu,
    /// An NVIDIA GPU.
    Cuda,
}

/// The constants of the link between host and device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LinkConstants {
    /// The rates of copies from page-locked memory to the device, in ascending order of size.
    pub copies: Vec<CopyRate>,
    /// The rate of copies from memory that is not page-locked.
    pub pageable_rate: f64,
    /// The rate of copies of results back to the host.
    pub back_rate: f64,
    /// The rate at which a kernel reads page-locked host memory in place.
    pub in_place_rate: f64,
    /// The rate of page-locking host memory.
    pub pin_rate: f64,
    /// The total rate of concurrent copies to all devices, limited by host memory.
    pub shared_rate: f64,
    /// The rate of copies between two devices while all devices copy in a ring, bypassing the host; `None` without peer
    /// access.
    pub peer_rate: Option<f64>,
    /// The rates of copies to the device and of concurrent reads of host memory, if measured.
    pub beside: Option<BesideReads>,
}

/// The rates, in bytes per second, of copies to a device and of concurrent host memory reads by all cores.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BesideReads {
    /// The rate of the copies to the device.
    pub copy_rate: f64,
    /// The rate of the cores' sequential reads.
    pub memory_rate: f64,
    /// The slowdowns of random reads, in ascending order of working set.
    pub at_random: Vec<RandomReads>,
}

/// The slowdown of the cores' random reads while memory is copied to a device, for one working set.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RandomReads {
    /// The size in bytes of the range that the reads are spread over.
    pub working_set: u64,
    /// The time of the reads during copies, as a multiple of the time without copies.
    pub times: f64,
}

impl BesideReads {
    /// Returns the time of random reads within `working_set` bytes during copies, as a multiple of the time without
    /// copies: at least 1. Values between measured sizes are interpolated on a logarithmic scale.
    pub fn times_at_random(&self, working_set: u64) -> f64 {
        let points = self.at_random.iter().map(|reads| (reads.working_set, reads.times));
        interpolated(points, working_set.max(1)).unwrap_or(1.0).max(1.0)
    }
}

/// The copy rate for one size.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CopyRate {
    /// The size of each copy in bytes.
    pub bytes: u64,
    /// The copy rate in bytes per second.
    pub rate: f64,
}

/// The speed of a kernel for one working set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KernelRate {
    /// The kernel's name, as returned by [`kernel_name`](super::kernel_name). `scan`, `traverse` and `vertex` stand for
    /// all other kernels of that kind.
    pub kernel: String,
    /// Whether the kernel pulled.
    pub pulled: bool,
    /// The size in bytes of the attributes that the kernel accessed. The larger the working set, the lower the cache
    /// hit rate.
    pub working_set: u64,
    /// Seconds per edge, or per vertex for a vertex kernel.
    pub seconds: f64,
}

impl LinkConstants {
    /// Returns the copy rate for a size, interpolated on a logarithmic scale between measured sizes.
    pub fn rate(&self, bytes: u64) -> f64 {
        let points = self.copies.iter().map(|copy| (copy.bytes, copy.rate));
        interpolated(points, bytes).unwrap_or(f64::INFINITY)
    }

    /// Returns c1 of the paper: the copy rate for the largest measured size.
    pub fn chunk_rate(&self) -> f64 {
        self.rate(u64::MAX)
    }
}

impl ProcessorConstants {
    /// Returns the seconds per edge or vertex of a kernel that accesses `working_set` bytes of attributes. The kernel's
    /// own measurement takes precedence over the measurement for its kind. If no pulling scan was measured, the rate of
    /// pushing scans is used.
    pub fn kernel_seconds(&self, kernel: &str, kind: KernelKind, pulls: bool, working_set: u64) -> f64 {
        let of = |name: &str, pulled: bool| {
            let is_asked = |rate: &&KernelRate| rate.kernel == name && rate.pulled == pulled;
            let mut points: Vec<_> = self.kernels.iter().filter(is_asked).collect();
            points.sort_by_key(|rate| rate.working_set);
            interpolated(points.into_iter().map(|rate| (rate.working_set, rate.seconds)), working_set)
        };
        let of_either = |pulled: bool| of(kernel, pulled).or_else(|| of(kind.name(), pulled));
        let pulling = if pulls { of_either(true) } else { None };
        pulling.or_else(|| of_either(false)).unwrap_or(0.0)
    }

    /// Returns whether this particular kernel was measured.
    pub fn knows(&self, kernel: &str) -> bool {
        self.kernels.iter().any(|rate| rate.kernel == kernel)
    }

    /// Returns the constants of a CPU with `threads` threads, each as fast as before. The constants of a GPU are
    /// returned unchanged.
    #[must_use]
    pub fn with_threads(mut self, threads: usize) -> Self {
        let before = self.accesses.warps.max(1);
        if self.kind == ProcessorKind::Cpu && threads as u64 != before {
            let factor = before as f64 / threads.max(1) as f64;
            self.name = format!("cpu ({threads} threads)");
            self.kernels.iter_mut().for_each(|rate| rate.seconds *= factor);
            self.accesses = self.accesses.slower_by(factor);
            self.accesses.warps = threads as u64;
        }
        self
    }

    /// Returns the default constants for a CPU.
    pub fn default_cpu(host: &HostConstants, threads: usize) -> Self {
        let threads = threads.max(1) as f64;
        let rates = |kernel: &str, seconds: f64| KernelRate {
            kernel: kernel.to_owned(),
            pulled: false,
            working_set: 1,
            seconds: seconds / threads,
        };
        Self {
            measured: false,
            kind: ProcessorKind::Cpu,
            name: format!("cpu ({threads} threads)"),
            memory: host.memory,
            memory_rate: host.memory_rate,
            launch: 5e-6,
            step: 30e-6,
            link: None,
            accesses: AccessConstants::default_cpu(threads),
            kernels: vec![rates("scan", 5e-9), rates("traverse", 8e-9), rates("vertex", 2e-9)],
        }
    }

    /// Returns the default constants for a GPU: this project's measurements of an H200 on PCIe 5 x16.
    pub fn default_cuda() -> Self {
        let copies = [(64 << 10, 5.6e9), (256 << 10, 22e9), (1 << 20, 48e9), (4 << 20, 53e9), (16 << 20, 55e9)];
        let rate = |kernel: &str, working_set: u64, seconds: f64| KernelRate {
            kernel: kernel.to_owned(),
            pulled: false,
            working_set,
            seconds,
        };
        Self {
            measured: false,
            kind: ProcessorKind::Cuda,
            name: "NVIDIA H200".to_owned(),
            memory: 139 << 30,
            memory_rate: 4.28e12,
            launch: 4e-6,
            step: 40e-6,
            link: Some(LinkConstants {
                copies: copies.map(|(bytes, rate)| CopyRate { bytes, rate }).to_vec(),
                pageable_rate: 6.9e9,
                back_rate: 50e9,
                in_place_rate: 42e9,
                pin_rate: 1.4e9,
                shared_rate: 190e9,
                peer_rate: Some(369e9),
                beside: None,
            }),
            accesses: AccessConstants::default_cuda(),
            kernels: vec![
                rate("scan", 128 << 20, 1.0 / 46e9),
                rate("scan", 512 << 20, 1.0 / 26e9),
                rate("traverse", 64 << 20, 1.0 / 40e9),
                rate("traverse", 512 << 20, 1.0 / 20e9),
                rate("vertex", 1, 1.0 / 100e9),
            ],
        }
    }
}

impl HostConstants {
    /// Returns the default constants for the host of `devices` GPUs like [`ProcessorConstants::default_cuda`].
    pub fn default_of_cuda(devices: u32) -> Self {
        let memory = (64 + 64 * u64::from(devices)) << 30;
        Self { memory_rate: 200e9, disk_rate: 3.3e9, ..Self::default_of(memory) }
    }

    /// Returns the default constants for a host with `memory` bytes of memory.
    pub fn default_of(memory: u64) -> Self {
        Self { measured: false, memory, memory_rate: 30e9, disk_rate: 2e9 }
    }
}

/// Returns the value at position `at`, interpolated on a logarithmic scale between points in ascending order. Outside
/// the range of the points, returns the value of the nearest point. Returns `None` if there are no points.
pub(super) fn interpolated(points: impl Iterator<Item = (u64, f64)>, at: u64) -> Option<f64> {
    let mut before: Option<(u64, f64)> = None;
    for (place, value) in points {
        if place >= at {
            let Some((low, start)) = before.filter(|_| place > at) else { return Some(value) };
            let share = (at as f64 / low as f64).ln() / (place as f64 / low as f64).ln();
            return Some(start + share * (value - start));
        }
        before = Some((place, value));
    }
    before.map(|(_, value)| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_between_sizes_are_in_proportion() {
        let cuda = ProcessorConstants::default_cuda();
        let link = cuda.link.as_ref().unwrap();
        assert_eq!(link.rate(1 << 20), 48e9);
        assert!((link.rate(2 << 20) - 50.5e9).abs() < 1e6);
        assert_eq!(link.rate(1), 5.6e9);
        assert_eq!(link.chunk_rate(), 55e9);
    }

    #[test]
    fn a_kernel_has_its_own_rate_or_that_of_its_kind() {
        let mut cuda = ProcessorConstants::default_cuda();
        let rate = |cuda: &ProcessorConstants, pulls| cuda.kernel_seconds("A::k", KernelKind::Scan, pulls, 1 << 40);
        assert_eq!([rate(&cuda, false), rate(&cuda, true)], [1.0 / 26e9; 2]);
        cuda.kernels.push(KernelRate { kernel: "A::k".into(), pulled: false, working_set: 1, seconds: 3e-9 });
        assert_eq!([rate(&cuda, false), rate(&cuda, true)], [3e-9; 2]);
        cuda.kernels.push(KernelRate { kernel: "scan".into(), pulled: true, working_set: 1, seconds: 2e-9 });
        assert_eq!([rate(&cuda, false), rate(&cuda, true)], [3e-9, 2e-9]);
        cuda.kernels.push(KernelRate { kernel: "A::k".into(), pulled: true, working_set: 1, seconds: 1e-9 });
        assert_eq!([rate(&cuda, false), rate(&cuda, true)], [3e-9, 1e-9]);
        assert!(cuda.knows("A::k") && !cuda.knows("A::l"));
    }

    #[test]
    fn half_of_the_threads_take_twice_as_long() {
        let host = HostConstants::default_of(1 << 34);
        let (four, eight) = (ProcessorConstants::default_cpu(&host, 4), ProcessorConstants::default_cpu(&host, 8));
        assert_eq!(eight.clone().with_threads(4), four);
        assert_eq!(eight.clone().with_threads(8), eight);
        let cuda = ProcessorConstants::default_cuda();
        assert_eq!(cuda.clone().with_threads(4), cuda);
    }

    #[test]
    fn reads_beside_copies_are_never_faster_than_alone() {
        let of = |times: &[f64]| {
            let at_random = (20..).zip(times).map(|(scale, &times)| RandomReads { working_set: 1 << scale, times });
            BesideReads { copy_rate: 1.0, memory_rate: 1.0, at_random: at_random.collect() }
        };
        assert_eq!(of(&[]).times_at_random(1 << 20), 1.0);
        assert_eq!(of(&[0.9]).times_at_random(1 << 20), 1.0);
        let both = of(&[1.5, 2.0]);
        assert_eq!([0, 1 << 20, 1 << 21, 1 << 30].map(|bytes| both.times_at_random(bytes)), [1.5, 1.5, 2.0, 2.0]);
    }

    #[test]
    fn constants_survive_a_file() {
        let host = HostConstants::default_of(1 << 34);
        let processors = vec![ProcessorConstants::default_cpu(&host, 8), ProcessorConstants::default_cuda()];
        let constants = MachineConstants { version: VERSION, host, processors };
        let text = serde_json::to_string(&constants).unwrap();
        assert_eq!(serde_json::from_str::<MachineConstants>(&text).unwrap(), constants);
    }
}
