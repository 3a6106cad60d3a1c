//! Errors of engines and runs.

use gts_contract::{ErrorSite, KernelDescriptor, SourceLocation};
use gts_core::advice::{Advice, Explain};
use std::fmt;
use std::time::Duration;

/// Result of a call that runs something.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of an engine or a run. It can be cloned, because an engine that failed for good returns its first error
/// again.
///
/// The text of an error names the problem and its place; [`Explain::advice`] returns what to do next. `Debug` prints
/// both, so that an error returned from `main` is complete.
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A body computed something undefined: a division by zero, an index out of bounds, an invalid vertex.
    #[error("kernel `{kernel}` at {}: {} (value {value})", site.location, site.what.text())]
    Fault {
        /// The kernel.
        kernel: &'static str,
        /// The place in its body.
        site: ErrorSite,
        /// The offending value.
        value: i64,
    },
    /// A traversal did not end within the maximum number of steps.
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
        /// The kernel's location in the source.
        location: SourceLocation,
        /// The limit.
        limit: Duration,
    },
    /// The graph lacks something that the struct or kernel requires.
    #[error("`{what}` needs {needs}")]
    Needs {
        /// The attribute or kernel.
        what: String,
        /// The missing part of the graph.
        needs: String,
        /// Advice on how to go on.
        remedy: Advice,
    },
    /// A param's value or a call's argument cannot be used.
    #[error("{what}: {why}")]
    Argument {
        /// The argument.
        what: String,
        /// The reason why the argument cannot be used.
        why: String,
        /// Advice on how to go on, unless the reason implies it.
        next: Option<Advice>,
    },
    /// The graph has no such vertex.
    #[error(transparent)]
    UnknownVertex(#[from] gts_core::graph::UnknownVertex),
    /// The requested device is not available.
    #[error("device `{device}` cannot be used: {why}")]
    NoDevice {
        /// The device's name.
        device: String,
        /// The missing part.
        why: String,
        /// Advice on how to go on.
        remedy: Advice,
    },
    /// The device has too little memory.
    #[error("too little memory on {device}: {needed} bytes needed for {what}, {free} free")]
    OutOfMemory {
        /// The device.
        device: String,
        /// Purpose of the memory.
        what: String,
        /// Bytes requested.
        needed: u64,
        /// Free bytes.
        free: u64,
        /// Advice on how to go on.
        remedy: Advice,
    },
    /// The host has too little memory for a buffer.
    #[error(transparent)]
    NoMemory(#[from] gts_core::memory::NoMemory),
    /// Host memory could not be page-locked for a device.
    #[error("{device} cannot lock {bytes} bytes of host memory: {why}")]
    PageLock {
        /// The device.
        device: String,
        /// Bytes that were to be locked.
        bytes: u64,
        /// The driver's reason.
        why: String,
    },
    /// The compiler refused a kernel's CUDA C.
    #[error("kernel `{kernel}` does not compile for {architecture}: {log}")]
    Compile {
        /// The kernel.
        kernel: String,
        /// The architecture.
        architecture: String,
        /// The compiler's log.
        log: String,
    },
    /// The device failed.
    #[error("device `{device}` failed in {during}: {why}")]
    Device {
        /// The device's name.
        device: String,
        /// The operation that failed.
        during: String,
        /// The driver's message.
        why: String,
    },
    /// The engine failed before and can no longer be used.
    #[error("this engine is unusable since an earlier error ({0})")]
    Poisoned(Box<Error>),
    /// The caller interrupted the run.
    #[error("interrupted")]
    Interrupted,
    /// A rank of the group has ended or no longer responds.
    #[error("rank {rank} of {ranks}: {why}")]
    LostRank {
        /// The rank.
        rank: usize,
        /// The number of ranks.
        ranks: usize,
        /// The known facts about the rank.
        why: String,
    },
    /// A rank could not go on, and ended the group.
    #[error("rank {rank} of {ranks} ended the run: {reason}")]
    Aborted {
        /// The rank.
        rank: usize,
        /// The number of ranks.
        ranks: usize,
        /// The reason that the rank gave.
        reason: String,
    },
    /// Ranks of a group perform different operations.
    #[error("rank {rank} is {there}, rank {own} is {here}")]
    RanksDiffer {
        /// The rank that detected the difference.
        own: usize,
        /// The operation of that rank.
        here: String,
        /// The other rank.
        rank: usize,
        /// The operation of the other rank.
        there: String,
    },
    /// A group cannot be formed.
    #[error("rank {rank} cannot join its group: {why}")]
    NoGroup {
        /// The rank.
        rank: usize,
        /// The missing part.
        why: String,
        /// Advice on how to go on.
        remedy: Advice,
    },
    /// NCCL is missing or cannot be used.
    #[error("NCCL cannot be used: {why}")]
    NoNccl {
        /// The missing part.
        why: String,
        /// Advice on how to go on.
        remedy: Advice,
    },
    /// NCCL, which moves values between the GPUs of ranks, failed.
    #[error("NCCL failed in {during}: {why}")]
    Nccl {
        /// The operation that failed.
        during: String,
        /// NCCL's message.
        why: String,
    },
    /// Pages could not be read.
    #[error("{0}")]
    Store(std::sync::Arc<gts_core::store::StoreError>),
    /// The system cannot start a thread.
    #[error(transparent)]
    Threads(#[from] gts_core::threads::NoThreads),
    /// An intermediate graph of an algorithm could not be built.
    #[error("{0}")]
    Build(std::sync::Arc<gts_core::build::BuildError>),
}

impl Error {
    /// Returns whether this process can no longer use the device.
    pub fn is_sticky(&self) -> bool {
        matches!(self, Self::Device { .. } | Self::Poisoned(_))
    }

    /// Creates the error of a struct or kernel that does not fit the graph.
    pub fn needs(what: impl Into<String>, needs: impl Into<String>, remedy: impl Into<Advice>) -> Self {
        Self::Needs { what: what.into(), needs: needs.into(), remedy: remedy.into() }
    }

    /// Creates the error of an argument that cannot be used.
    pub fn argument(what: impl fmt::Display, why: impl fmt::Display) -> Self {
        Self::Argument { what: what.to_string(), why: why.to_string(), next: None }
    }

    /// Creates the error of an argument that cannot be used, with advice.
    pub fn argument_with_advice(what: impl fmt::Display, why: impl fmt::Display, next: impl Into<Advice>) -> Self {
        Self::Argument { what: what.to_string(), why: why.to_string(), next: Some(next.into()) }
    }

    /// Creates the error of a fault in a body.
    pub fn fault(kernel: &'static KernelDescriptor, fault: crate::kernel::Fault) -> Self {
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
        // `main` with `Box<dyn Error>` prints the error alone, which must give the same text.
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
