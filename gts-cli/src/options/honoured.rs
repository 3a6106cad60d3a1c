//! Options that each kind of device supports: one table, checked by `gts run`, `gts plan` and the suites of
//! `gts-bench`.

use crate::error::Failure;
use crate::report::tell;
use clap::ArgMatches;
use clap::parser::ValueSource;
use gts_graph::DeviceChoice;
use std::fmt;

/// Kinds of devices, as far as options depend on them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceKind {
    /// The CPU.
    Cpu,
    /// One GPU.
    Gpu,
    /// Several GPUs of one process.
    Gpus,
    /// The CPU and GPUs.
    Hybrid,
    /// Several processes on CPUs.
    CpuRanks,
    /// Several processes on GPUs.
    GpuRanks,
}

/// The kinds that support an option.
struct Honouring {
    kinds: &'static [DeviceKind],
    /// Description of the kinds for readers.
    text: &'static str,
}

const ALL: Honouring = Honouring {
    kinds: &[
        DeviceKind::Cpu,
        DeviceKind::Gpu,
        DeviceKind::Gpus,
        DeviceKind::Hybrid,
        DeviceKind::CpuRanks,
        DeviceKind::GpuRanks,
    ],
    text: "all devices",
};
const CPUS: Honouring = Honouring { kinds: &[DeviceKind::Cpu, DeviceKind::Hybrid, DeviceKind::CpuRanks], text: "CPUs" };
const GPUS: Honouring =
    Honouring { kinds: &[DeviceKind::Gpu, DeviceKind::Gpus, DeviceKind::Hybrid, DeviceKind::GpuRanks], text: "GPUs" };
/// Passes that several devices share begin on the host.
const ONE_GPU: Honouring = Honouring { kinds: &[DeviceKind::Gpu], text: "a single GPU" };
const SHARED: Honouring = Honouring { kinds: &[DeviceKind::Hybrid], text: "a CPU and GPUs that share the edges" };
const GPU_RANKS: Honouring = Honouring { kinds: &[DeviceKind::GpuRanks], text: "several processes on GPUs" };

/// Every option of a run or a plan that does not concern the graph or the files of the answer.
const TABLE: [(&str, Honouring); 28] = [
    ("alpha", SHARED),
    ("cache", GPUS),
    ("check", ALL),
    ("checked", ALL),
    ("chunk", GPUS),
    ("collectives", GPU_RANKS),
    ("device", ALL),
    ("device-memory", GPUS),
    ("devices", GPUS),
    ("group", ALL),
    ("host-memory", ALL),
    ("latency", ALL),
    ("levels", ALL),
    ("max-steps", ALL),
    ("models", ALL),
    ("network", ALL),
    ("nodes", ALL),
    ("place", SHARED),
    ("propagation", ALL),
    ("seed", ALL),
    ("stall-limit", ALL),
    ("steps", ONE_GPU),
    ("strategy", GPUS),
    ("streams", GPUS),
    ("technique", GPUS),
    ("threads", CPUS),
    ("time-limit", ALL),
    ("transfer", GPUS),
];

/// The options of the table that a command line specifies, including those with their default value.
pub struct Given(Vec<&'static (&'static str, Honouring)>);

impl DeviceKind {
    /// Returns the kind of a device choice for this number of GPUs in each process; `None` if the engine chooses.
    pub fn of(device: DeviceChoice, gpus: usize, in_group: bool) -> Option<Self> {
        match device {
            DeviceChoice::Auto => None,
            DeviceChoice::Cpu if in_group => Some(Self::CpuRanks),
            DeviceChoice::Cpu => Some(Self::Cpu),
            DeviceChoice::Hybrid(_) => Some(Self::Hybrid),
            DeviceChoice::Cuda(_) if in_group => Some(Self::GpuRanks),
            DeviceChoice::Cuda(_) if gpus > 1 => Some(Self::Gpus),
            DeviceChoice::Cuda(_) => Some(Self::Gpu),
        }
    }
}

impl fmt::Display for DeviceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Cpu => "the CPU",
            Self::Gpu => "a GPU",
            Self::Gpus => "several GPUs",
            Self::Hybrid => "the CPU and GPUs",
            Self::CpuRanks => "CPUs of several processes",
            Self::GpuRanks => "GPUs of several processes",
        })
    }
}

impl Given {
    /// Returns the options that the command line specifies.
    pub fn of(matches: &ArgMatches) -> Self {
        let is_given = |flag: &str| {
            let id = flag.replace('-', "_");
            // A command without the option reports its name as unknown.
            matches.try_contains_id(&id).unwrap_or(false) && matches.value_source(&id) == Some(ValueSource::CommandLine)
        };
        Self(TABLE.iter().filter(|(flag, _)| is_given(flag)).collect())
    }

    /// Refuses options that a device of this kind would ignore.
    ///
    /// # Errors
    ///
    /// A failure that names the options and the device.
    pub fn check(&self, device: DeviceChoice, kind: Option<DeviceKind>) -> Result<(), Failure> {
        let Some(kind) = kind else { return Ok(()) };
        let ignored = self.ignored(kind);
        if ignored.is_empty() {
            return Ok(());
        }
        let flags: Vec<_> = ignored.iter().map(|(flag, _)| format!("--{flag}")).collect();
        let parts: Vec<_> =
            ignored.iter().map(|(flag, honouring)| format!("--{flag}, which is for {}", honouring.text)).collect();
        Err(Failure::usage(
            format!("--device {device}: a run on {kind} would ignore {}", flags.join(", ")),
            format!("leave out {}", parts.join("; ")),
        ))
    }

    /// Prints a line about options that the device ignores. `--device auto` has chosen that device.
    pub fn tell_ignored(&self, kind: Option<DeviceKind>) {
        kind.and_then(|kind| self.notice(kind)).iter().for_each(tell);
    }

    /// Returns a line about options that the device ignores. `--device auto` has chosen that device.
    pub(crate) fn notice(&self, kind: DeviceKind) -> Option<String> {
        let flags: Vec<_> = self.ignored(kind).iter().map(|(flag, _)| format!("--{flag}")).collect();
        let flags = Some(flags.join(", ")).filter(|flags| !flags.is_empty())?;
        Some(format!("--device auto takes {kind}; without effect there: {flags}"))
    }

    fn ignored(&self, kind: DeviceKind) -> Vec<&'static (&'static str, Honouring)> {
        self.0.iter().copied().filter(|(_, honouring)| !honouring.kinds.contains(&kind)).collect()
    }
}

#[cfg(test)]
mod tests;
