//! The constants that predictions are reckoned with: those measured on this machine, else defaults.

use crate::units;
use gts_runtime::DeviceChoice;
use gts_runtime::core::cost::{HostConstants, MachineConstants, ProcessorConstants, ProcessorKind};
use gts_runtime::device::cuda::CudaDevice;
use gts_runtime::measure::{self, ConstantsError};
use std::num::NonZeroUsize;

/// Bytes of host memory where the system does not tell.
const MEMORY: u64 = 16 << 30;

/// What is known of the machine and of the processor that was chosen.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Constants {
    /// The host.
    pub(crate) host: HostConstants,
    /// The processor.
    pub(crate) processor: ProcessorConstants,
}

impl Constants {
    /// The constants for a device, and defaults where nothing was measured.
    pub(crate) fn of(choice: DeviceChoice, devices: u32) -> Result<Self, ConstantsError> {
        let measured = measure::load()?;
        let kind = match choice {
            DeviceChoice::Cpu => ProcessorKind::Cpu,
            DeviceChoice::Cuda(_) => ProcessorKind::Cuda,
            DeviceChoice::Auto if CudaDevice::count().is_ok_and(|count| count > 0) => ProcessorKind::Cuda,
            DeviceChoice::Auto => ProcessorKind::Cpu,
        };
        Ok(Self::choose(measured.as_ref(), kind, devices))
    }

    /// The measured constants of the very device that a run had; `None` where it was not measured.
    pub(crate) fn measured_of(device: &str) -> Option<Self> {
        let measured = measure::load().ok().flatten()?;
        let processor = measured.processors.iter().find(|processor| is_named(processor, device))?;
        Some(Self { host: measured.host, processor: processor.clone() })
    }

    fn choose(measured: Option<&MachineConstants>, kind: ProcessorKind, devices: u32) -> Self {
        let known = measured.and_then(|measured| {
            let processor = measured.processors.iter().find(|processor| processor.kind == kind)?;
            Some(Self { host: measured.host, processor: processor.clone() })
        });
        known.unwrap_or_else(|| match kind {
            ProcessorKind::Cpu => {
                let host = HostConstants::default_of(measure::total_memory().unwrap_or(MEMORY));
                let threads = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
                Self { processor: ProcessorConstants::default_cpu(&host, threads), host }
            }
            // A GPU that is not here has a host that is not this one.
            ProcessorKind::Cuda => {
                Self { host: HostConstants::default_of_cuda(devices), processor: ProcessorConstants::default_cuda() }
            }
        })
    }

    /// Where the figures come from, for people.
    pub(crate) fn origin(&self) -> String {
        if self.processor.measured {
            return "measured on this machine".to_owned();
        }
        let host = units::bytes(self.host.memory);
        format!("assumed, beside {host} of host memory: measure with `gts devices --measure`")
    }
}

/// Whether that is the processor's name, after its number on the command line.
fn is_named(processor: &ProcessorConstants, device: &str) -> bool {
    match processor.kind {
        ProcessorKind::Cpu => processor.name == device,
        ProcessorKind::Cuda => device.strip_prefix("cuda:").is_some_and(|rest| rest.ends_with(&processor.name)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gts_runtime::core::cost::VERSION;

    #[test]
    fn a_processor_is_known_by_its_name() {
        let host = HostConstants::default_of(1 << 30);
        let (cpu, cuda) = (ProcessorConstants::default_cpu(&host, 2), ProcessorConstants::default_cuda());
        assert!(is_named(&cpu, "cpu (2 threads)") && !is_named(&cpu, "cpu (4 threads)"));
        assert!(is_named(&cuda, "cuda:1 NVIDIA H200") && !is_named(&cuda, "cuda:1 NVIDIA L4"));
    }

    #[test]
    fn what_was_not_measured_is_assumed_and_said_so() {
        let assumed = Constants::choose(None, ProcessorKind::Cuda, 4);
        assert_eq!(assumed.processor, ProcessorConstants::default_cuda());
        assert!(assumed.origin().contains("assumed, beside 320 GiB"), "{}", assumed.origin());
        let host = HostConstants { measured: true, ..HostConstants::default_of(1 << 30) };
        let cpu = ProcessorConstants { measured: true, ..ProcessorConstants::default_cpu(&host, 2) };
        let machine = MachineConstants { version: VERSION, host, processors: vec![cpu.clone()] };
        let known = Constants::choose(Some(&machine), ProcessorKind::Cpu, 1);
        assert_eq!((known.processor.clone(), known.origin().as_str()), (cpu, "measured on this machine"));
    }
}
