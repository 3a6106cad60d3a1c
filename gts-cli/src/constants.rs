//! Constants for predictions: measured ones of this machine, otherwise defaults.

use crate::report::tell;
use crate::residence;
use crate::units;
use gts_graph::DeviceChoice;
use gts_graph::core::advice::{Reader, explain_within};
use gts_graph::core::cost::{HostConstants, MachineConstants, ProcessorConstants, ProcessorKind};
use gts_graph::device::gpus;
use gts_graph::measure::{self, ConstantsError};
use std::num::NonZeroUsize;
use std::sync::Once;

/// Bytes of host memory if the system does not report them.
const MEMORY: u64 = 16 << 30;

/// Constants of the machine and of the chosen processor.
#[derive(Clone, Debug, PartialEq)]
pub struct Constants {
    /// The host.
    pub host: HostConstants,
    /// The processor.
    pub processor: ProcessorConstants,
    /// Whether the processor is one of this machine, measured or not.
    here: bool,
}

/// Returns the constants measured on this machine. Ignores constants that another user could have written, and reports
/// that once.
pub(crate) fn measured() -> Result<Option<MachineConstants>, ConstantsError> {
    static SAID: Once = Once::new();
    match measure::load() {
        Err(ConstantsError::Distrusted(why)) => {
            let why = explain_within(&why, Reader::CommandLine);
            SAID.call_once(|| tell(format_args!("what was measured of this machine is not used: {why}")));
            Ok(None)
        }
        loaded => loaded,
    }
}

/// Name and memory size of a GPU of this machine.
#[derive(Clone, Debug, PartialEq)]
struct Gpu {
    name: String,
    memory: u64,
}

impl Gpu {
    /// Returns the GPU with this number if kernels can run on it.
    fn find(number: usize) -> Option<Self> {
        let gpus::FoundGpu { name, total, .. } = gpus::find(u32::try_from(number).ok()?).ok()?;
        Some(Self { name: name.split_once(' ').map_or(name.clone(), |(_, name)| name.to_owned()), memory: total })
    }
}

impl Constants {
    /// Returns the constants for a device, or defaults if it was not measured.
    pub fn of(choice: DeviceChoice, devices: u32) -> Result<Self, ConstantsError> {
        let measured = measured()?;
        let kind = match choice {
            DeviceChoice::Cpu => ProcessorKind::Cpu,
            DeviceChoice::Cuda(_) | DeviceChoice::Hybrid(_) => ProcessorKind::Cuda,
            DeviceChoice::Auto if gpus::count().is_ok_and(|count| count > 0) => ProcessorKind::Cuda,
            DeviceChoice::Auto => ProcessorKind::Cpu,
        };
        let number = match choice {
            DeviceChoice::Cuda(number) | DeviceChoice::Hybrid(number) => number,
            DeviceChoice::Auto | DeviceChoice::Cpu => 0,
        };
        let gpu = || Gpu::find(number);
        Ok(Self::choose(measured.as_ref(), kind, devices, gpu))
    }

    /// Returns the constants of the CPU next to these GPUs: measured if theirs were, otherwise assumed.
    pub fn cpu(&self) -> Result<ProcessorConstants, ConstantsError> {
        let measured = if self.processor.measured { measured()? } else { None };
        let all = measured.into_iter().flat_map(|measured| measured.processors);
        let cpu = all.into_iter().find(|processor| processor.kind == ProcessorKind::Cpu);
        let threads = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        Ok(cpu.unwrap_or_else(|| ProcessorConstants::default_cpu(&self.host, threads())))
    }

    /// Returns the measured constants of exactly the device of a run; `None` if it was not measured.
    pub(crate) fn measured_of(device: &str) -> Option<Self> {
        let measured = measure::load().ok().flatten()?;
        let processor = measured.processors.iter().find(|processor| is_named(processor, device))?;
        Some(Self { host: measured.host, processor: processor.clone(), here: true })
    }

    /// Returns the measured constants of a processor of this kind, otherwise defaults with the processor's own
    /// properties. `gpu` is called only if its properties are required.
    fn choose(
        measured: Option<&MachineConstants>,
        kind: ProcessorKind,
        devices: u32,
        gpu: impl FnOnce() -> Option<Gpu>,
    ) -> Self {
        let known = measured.and_then(|measured| {
            let processor = measured.processors.iter().find(|processor| processor.kind == kind)?;
            Some(Self { host: measured.host, processor: processor.clone(), here: true })
        });
        let memory = || measure::total_memory().unwrap_or(MEMORY);
        known.unwrap_or_else(|| match kind {
            ProcessorKind::Cpu => {
                let host = HostConstants::default_of(memory());
                let threads = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
                Self { processor: ProcessorConstants::default_cpu(&host, threads), host, here: true }
            }
            ProcessorKind::Cuda => {
                let (host, processor) = (HostConstants::default_of_cuda(devices), ProcessorConstants::default_cuda());
                match gpu() {
                    Some(Gpu { name, memory: own }) => Self {
                        host: HostConstants { memory: memory(), ..host },
                        processor: ProcessorConstants { name, memory: own, ..processor },
                        here: true,
                    },
                    // A GPU that is not in this machine has another host.
                    None => Self { host, processor, here: false },
                }
            }
        })
    }

    /// Returns the default limit for tables and pages of a store in host memory: on this machine that of a run, on
    /// another one as if all of its memory were free.
    pub(crate) fn default_limit(&self) -> Option<u64> {
        if self.here { residence::default_limit() } else { Some(residence::limit_within(self.host.memory)) }
    }

    /// Returns whether the processor is one of this machine.
    pub(crate) fn is_here(&self) -> bool {
        self.here
    }

    /// Describes the origin of the constants.
    pub fn origin(&self) -> String {
        if self.processor.measured {
            return "measured on this machine".to_owned();
        }
        let host = units::bytes(self.host.memory);
        match self.here {
            true => format!("of speed assumed, beside {host} of host memory: measure with `gts devices --measure`"),
            false => format!("assumed, as it is not here, beside {host} of host memory"),
        }
    }
}

/// Returns whether `device` has the processor's name, after its number on the command line.
fn is_named(processor: &ProcessorConstants, device: &str) -> bool {
    match processor.kind {
        ProcessorKind::Cpu => processor.name == device,
        ProcessorKind::Cuda => device.strip_prefix("cuda:").is_some_and(|rest| rest.ends_with(&processor.name)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gts_graph::core::cost::VERSION;

    #[test]
    fn a_processor_is_known_by_its_name() {
        let host = HostConstants::default_of(1 << 30);
        let (cpu, cuda) = (ProcessorConstants::default_cpu(&host, 2), ProcessorConstants::default_cuda());
        assert!(is_named(&cpu, "cpu (2 threads)") && !is_named(&cpu, "cpu (4 threads)"));
        assert!(is_named(&cuda, "cuda:1 NVIDIA H200") && !is_named(&cuda, "cuda:1 NVIDIA L4"));
    }

    #[test]
    fn what_was_not_measured_is_assumed_and_said_so() {
        let assumed = Constants::choose(None, ProcessorKind::Cuda, 4, || None);
        assert_eq!(assumed.processor, ProcessorConstants::default_cuda());
        assert!(assumed.origin().ends_with("not here, beside 320 GiB of host memory"), "{}", assumed.origin());
        assert_eq!(assumed.default_limit(), Some(240 << 30));
        let host = HostConstants { measured: true, ..HostConstants::default_of(1 << 30) };
        let cpu = ProcessorConstants { measured: true, ..ProcessorConstants::default_cpu(&host, 2) };
        let machine = MachineConstants { version: VERSION, host, processors: vec![cpu.clone()] };
        let known = Constants::choose(Some(&machine), ProcessorKind::Cpu, 1, || None);
        assert_eq!((known.processor.clone(), known.origin().as_str()), (cpu, "measured on this machine"));
    }

    #[test]
    fn a_gpu_that_is_here_has_its_own_memory_though_it_was_not_measured() {
        let gpu = || Some(Gpu { name: "NVIDIA L4".to_owned(), memory: 24 << 30 });
        let found = Constants::choose(None, ProcessorKind::Cuda, 1, gpu);
        let assumed = ProcessorConstants::default_cuda();
        assert_eq!((found.processor.name.as_str(), found.processor.memory), ("NVIDIA L4", 24 << 30));
        assert_eq!((found.processor.link, found.processor.kernels), (assumed.link, assumed.kernels));
        assert_eq!(found.host.memory, measure::total_memory().unwrap_or(MEMORY));
        assert!(found.here && !found.processor.measured);
    }
}
