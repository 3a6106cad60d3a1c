//! What can go wrong between a program and its answer.

use gts_contract::{ErrorSite, KernelDescriptor, SourceLocation};
use gts_core::advice::{Advice, Explain};
use std::fmt;
use std::time::Duration;

/// The result of a call that runs something.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of an engine or a run. It can be cloned, because an engine that has failed for good repeats its first error.
///
/// Its text says what is wrong, and where; [`Explain::advice`] what to do next. `Debug` prints both, so that an error
/// which `main` returns says all.
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A body did what has no answer: a division by zero, an index beyond an array, a vertex that is none.
    #[error("kernel `{kernel}` at {}: {} (value {value})", site.location, site.what.text())]
    Fault {
        /// The kernel.
        kernel: &'static str,
        /// The place in its body.
        site: ErrorSite,
        /// The offending value.
        value: i64,
    },
    /// A traversal did not end within the largest number of steps.
    #[error("kernel `{kernel}`: the frontier is not empty after {steps} steps")]
    StepLimit {
        /// The kernel.
        kernel: &'static str,
        /// The limit.
        steps: u32,
    },
    /// A pass did not end within the time limit.
    #[error("kernel `{kernel}` at {location}: stopped after the time limit of {limit:?}")]
    TimeLimit {
        /// The kernel.
        kernel: &'static str,
        /// Where the kernel stands.
        location: SourceLocation,
        /// The limit.
        limit: Duration,
    },
    /// The graph has not what the struct or kernel needs.
    #[error("`{what}` needs {needs}")]
    Needs {
        /// The attribute or kernel.
        what: String,
        /// What the graph lacks.
        needs: String,
        /// How to go on.
        remedy: Advice,
    },
    /// A value for a param, or a call's argument, that cannot be used.
    #[error("{what}: {why}")]
    Argument {
        /// What was given.
        what: String,
        /// Why it cannot be used.
        why: String,
        /// How to go on, where that does not follow.
        next: Option<Advice>,
    },
    /// A vertex that the graph has not.
    #[error(transparent)]
    UnknownVertex(#[from] gts_core::graph::UnknownVertex),
    /// The device that was asked for is not to be had.
    #[error("device `{device}` cannot be used: {why}")]
    NoDevice {
        /// The device's name.
        device: String,
        /// What is missing.
        why: String,
        /// How to go on.
        remedy: Advice,
    },
    /// Too little memory.
    #[error("too little memory on {device}: {needed} bytes needed for {what}, {free} free")]
    OutOfMemory {
        /// The device.
        device: String,
        /// What it was for.
        what: String,
        /// Bytes asked for.
        needed: u64,
        /// Bytes that were free.
        free: u64,
        /// How to go on.
        remedy: Advice,
    },
    /// Too little memory of the host for a buffer.
    #[error(transparent)]
    NoMemory(#[from] gts_core::memory::NoMemory),
    /// Host memory could not be page-locked for a device.
    #[error("{device} cannot lock {bytes} bytes of host memory: {why}")]
    PageLock {
        /// The device.
        device: String,
        /// Bytes that were to be locked.
        bytes: u64,
        /// What the driver said.
        why: String,
    },
    /// A kernel's CUDA C was refused by the compiler.
    #[error("kernel `{kernel}` does not compile for {architecture}: {log}")]
    Compile {
        /// The kernel.
        kernel: String,
        /// The architecture.
        architecture: String,
        /// What the compiler said.
        log: String,
    },
    /// The device failed.
    #[error("device `{device}` failed in {during}: {why}")]
    Device {
        /// The device's name.
        device: String,
        /// What was being done.
        during: String,
        /// What the driver said.
        why: String,
    },
    /// The engine failed before and cannot be used any more.
    #[error("this engine is unusable since an earlier error ({0})")]
    Poisoned(Box<Error>),
    /// The caller asked for the end.
    #[error("interrupted")]
    Interrupted,
    /// A rank of the group is gone, or answers no more.
    #[error("rank {rank} of {ranks}: {why}")]
    LostRank {
        /// The rank.
        rank: usize,
        /// The number of ranks.
        ranks: usize,
        /// What is known of it.
        why: String,
    },
    /// A rank could not go on, and ended the group.
    #[error("rank {rank} of {ranks} ended the run: {reason}")]
    Aborted {
        /// The rank.
        rank: usize,
        /// The number of ranks.
        ranks: usize,
        /// What it said.
        reason: String,
    },
    /// Ranks of a group do different things.
    #[error("rank {rank} is {there}, rank {own} is {here}")]
    RanksDiffer {
        /// The rank that found it out.
        own: usize,
        /// Where it is.
        here: String,
        /// The other rank.
        rank: usize,
        /// Where that one is.
        there: String,
    },
    /// A group cannot be formed.
    #[error("rank {rank} cannot join its group: {why}")]
    NoGroup {
        /// The rank.
        rank: usize,
        /// What is missing.
        why: String,
        /// How to go on.
        remedy: Advice,
    },
    /// Says that NCCL is missing or cannot be used.
    #[error("NCCL cannot be used: {why}")]
    NoNccl {
        /// What is missing.
        why: String,
        /// How to go on.
        remedy: Advice,
    },
    /// Says that NCCL failed, which moves values between the GPUs of ranks.
    #[error("NCCL failed in {during}: {why}")]
    Nccl {
        /// What was being done.
        during: String,
        /// What NCCL said.
        why: String,
    },
    /// Pages could not be read.
    #[error("{0}")]
    Store(std::sync::Arc<gts_core::store::StoreError>),
    /// The system starts no thread.
    #[error(transparent)]
    Threads(#[from] gts_core::threads::NoThreads),
    /// A graph that an algorithm makes on the way to its answer could not be built.
    #[error("{0}")]
    Build(std::sync::Arc<gts_core::build::BuildError>),
}

impl Error {
    /// Whether the device cannot be used again by this process.
    pub fn is_sticky(&self) -> bool {
        matches!(self, Self::Device { .. } | Self::Poisoned(_))
    }

    /// The error of a struct or kernel that the graph does not fit.
    pub fn needs(what: impl Into<String>, needs: impl Into<String>, remedy: impl Into<Advice>) -> Self {
        Self::Needs { what: what.into(), needs: needs.into(), remedy: remedy.into() }
    }

    /// The error of an argument that cannot be used.
    pub fn argument(what: impl fmt::Display, why: impl fmt::Display) -> Self {
        Self::Argument { what: what.to_string(), why: why.to_string(), next: None }
    }

    /// Creates the error of an argument that cannot be used, with what to do about it.
    pub fn argument_with_advice(what: impl fmt::Display, why: impl fmt::Display, next: impl Into<Advice>) -> Self {
        Self::Argument { what: what.to_string(), why: why.to_string(), next: Some(next.into()) }
    }

    pub(crate) fn fault(kernel: &'static KernelDescriptor, fault: crate::kernel::Fault) -> Self {
        Self::Fault { kernel: kernel.name, site: kernel.error_sites[fault.site as usize], value: fault.value }
    }
}

gts_core::debug_by_explaining!(Error);

impl Explain for Error {
    fn advice(&self) -> Option<Advice> {
        Some(match self {
            Self::StepLimit { .. } => Advice::new(
                "give more --max-steps, or leave it out",
                "raise the limit with `max_steps`, or look for a vertex that is activated again and again",
            ),
            Self::TimeLimit { .. } => Advice::new(
                "give a longer --time-limit, or leave it out",
                "raise it with `time_limit`, or look for a loop that never ends",
            ),
            Self::Needs { remedy, .. }
            | Self::NoDevice { remedy, .. }
            | Self::OutOfMemory { remedy, .. }
            | Self::NoNccl { remedy, .. }
            | Self::NoGroup { remedy, .. } => remedy.clone(),
            Self::LostRank { .. } => {
                "look at what that rank said last and at the memory of its machine, then start all ranks again".into()
            }
            Self::RanksDiffer { .. } => Advice::new(
                "give all ranks the same version, graph and options; if they have them, report it",
                "give all ranks the same graph and options, and branch on nothing that differs between them: no clock, no \
                 rank, no free memory",
            ),
            Self::Argument { next, .. } => return next.clone(),
            Self::UnknownVertex(error) => return error.advice(),
            Self::NoMemory(error) => return error.advice(),
            Self::Threads(error) => return error.advice(),
            Self::PageLock { .. } => "free host memory, or use a graph that fits into the device's".into(),
            Self::Compile { .. } => {
                "report it with the output of `gts show ALGORITHM --variant VARIANT --whole`, or run on the CPU".into()
            }
            Self::Device { .. } => "start again; if it fails again, check the device and its driver".into(),
            Self::Nccl { .. } => Advice::new(
                "start again with NCCL_DEBUG=WARN to see what NCCL says, or give --collectives host",
                "start again with NCCL_DEBUG=WARN to see what NCCL says, or choose `Collectives::Host`",
            ),
            Self::Poisoned(_) => "start a new process for this device".into(),
            Self::Store(error) => return error.advice(),
            Self::Build(error) => return error.advice(),
            Self::Fault { .. } | Self::Interrupted | Self::Aborted { .. } => return None,
        })
    }
}

impl From<gts_core::store::StoreError> for Error {
    fn from(error: gts_core::store::StoreError) -> Self {
        Self::Store(std::sync::Arc::new(error))
    }
}

impl From<gts_core::build::BuildError> for Error {
    fn from(error: gts_core::build::BuildError) -> Self {
        Self::Build(std::sync::Arc::new(error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gts_core::advice::Reader;
    use gts_core::graph::Graph;

    #[test]
    fn an_error_that_leaves_main_says_what_to_do_next() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let opened = || -> Result<Graph> { Ok(Graph::open(file.path())?) };
        let told = format!("{:?}", opened().unwrap_err());
        let path = file.path().display();
        let next = "name the directory of a store, or import the graph first with `gts import FILE STORE`";
        assert!(told.starts_with(&format!("{path} is no store: ")), "{told}");
        assert!(told.ends_with(&format!("\n  next:  {next}")), "{told}");
        // The same of the error alone, which a `main` with `Box<dyn Error>` prints.
        let alone: Box<dyn std::error::Error> = Box::new(Graph::open(file.path()).unwrap_err());
        assert_eq!(format!("{alone:?}"), told);
    }

    #[test]
    fn each_reader_is_told_in_the_own_words() {
        let error = Error::StepLimit { kernel: "expand", steps: 5 };
        let advice = error.advice().unwrap();
        assert!(advice.of(Reader::CommandLine).contains("--max-steps"), "{advice:?}");
        assert!(advice.of(Reader::Program).contains("`max_steps`"), "{advice:?}");
    }
}
