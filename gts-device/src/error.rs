//! The errors of engines and runs.

use crate::fault_place::{FaultPlace, original_id};
use gts_contract::language::Code;
use gts_contract::{ErrorSite, ScalarType, SourceLocation};
use gts_core::advice::{Advice, ErrorPlace, Explain};
use gts_core::build::BuildError;
use gts_core::generate::GenerateError;
use gts_core::import::ImportError;
use gts_core::read::ReadError;
use gts_core::store::StoreError;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// The result of an operation of an engine or a run.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of an engine, a run or a graph. The errors of `gts-core` and of the system convert into this type, so a
/// program whose `main` returns [`Result`] can apply `?` to all of them:
///
/// ```
/// use gts_device::Result;
/// use gts_core::graph::Graph;
///
/// fn main() -> Result<()> {
///     let graph = Graph::read("chain:10")?;
///     println!("{} vertices", graph.num_vertices());
///     std::fs::create_dir_all(std::env::temp_dir())?;
///     Ok(())
/// }
/// ```
///
/// `Clone` is implemented because an unusable engine returns its first error repeatedly.
///
/// The text of an error describes the problem and its location. [`Explain::advice`] returns possible remedies. `Debug`
/// prints the text, the causes, the remedies and the code, so that users see them if `main` returns the error.
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A kernel body performed an undefined operation, such as a division by zero or an access out of bounds.
    #[error("kernel `{kernel}` at {}: {}", site.location, fault_text(site, *place, *value))]
    Fault {
        /// The name of the kernel whose body failed.
        kernel: &'static str,
        /// The source location and kind of the operation.
        site: ErrorSite,
        /// The vertex or edge for which the body ran, by original IDs.
        place: FaultPlace,
        /// The value that caused the error: the left operand of an operator, the amount of a shift, the index, or the
        /// value of an assertion. It is 0 if the error is a missing value. A `u64` is cast to `i64`, and a float is
        /// stored as its bits. [`ErrorSite::value_text`] formats the value.
        value: i64,
    },
    /// A traversal has active vertices left after the maximum number of steps.
    #[error("kernel `{kernel}`: the frontier is not empty after {steps} steps")]
    StepLimit {
        /// The name of the traversal's kernel.
        kernel: &'static str,
        /// The maximum number of steps, which have all been run.
        steps: u32,
    },
    /// A run exceeded the time limit.
    #[error("kernel `{kernel}` at {location}: stopped after the time limit of {limit:?}")]
    TimeLimit {
        /// The name of the kernel that ran when the limit expired.
        kernel: &'static str,
        /// The kernel's source location.
        location: SourceLocation,
        /// The time limit of the run.
        limit: Duration,
    },
    /// A kernel reads a param that the host has not set and that has no default.
    #[error("kernel `{kernel}` at {location} reads `{attributes}.{param}`, a param that was never set")]
    UnsetParam {
        /// The name of the kernel.
        kernel: &'static str,
        /// The location of the first read.
        location: SourceLocation,
        /// The name of the attribute struct.
        attributes: &'static str,
        /// The name of the param.
        param: &'static str,
    },
    /// The host reads a global before a pass whose kernel updates it.
    #[error("`{attributes}.{global}` has no value: no kernel that updates this global has run")]
    UnsetGlobal {
        /// The name of the attribute struct.
        attributes: &'static str,
        /// The name of the global.
        global: &'static str,
    },
    /// The sum in a global does not fit into the global's type.
    #[error("global `{global}` of `{attributes}` is {total}, which no {scalar} can hold")]
    GlobalOverflow {
        /// The name of the attribute struct.
        attributes: &'static str,
        /// The name of the global.
        global: &'static str,
        /// The type of the global's elements.
        scalar: ScalarType,
        /// The sum that does not fit.
        total: Box<i128>,
    },
    /// A pass visits active vertices before any call that could activate vertices.
    #[error("kernel `{kernel}` visits active vertices, and `run.activate` was never called")]
    NothingActivated {
        /// The name of the kernel.
        kernel: &'static str,
    },
    /// An attribute, kernel or algorithm has an unmet requirement.
    #[error("`{what}` needs {needs}")]
    Needs {
        /// The attribute, kernel or algorithm that has the requirement.
        what: String,
        /// The missing data or the unmet condition.
        needs: String,
        /// Advice for the user.
        remedy: Advice,
    },
    /// A driver returned an output that differs from its declaration.
    #[error("`{algorithm}` returns {found} as `{output}`, and declares {declared}")]
    Output {
        /// The name of the algorithm.
        algorithm: &'static str,
        /// The name of the output.
        output: &'static str,
        /// Describes the returned output.
        found: String,
        /// Describes the declared output.
        declared: String,
    },
    /// An argument or the value of a param is invalid.
    #[error("{what}: {why}")]
    Argument {
        /// The invalid argument or param.
        what: String,
        /// The reason why the value is invalid.
        why: String,
        /// Advice for the user, unless the reason implies it.
        next: Option<Advice>,
    },
    /// A vertex is not in the graph.
    #[error(transparent)]
    UnknownVertex(#[from] gts_core::graph::UnknownVertex),
    /// The requested device is not available.
    #[error("device `{device}` cannot be used: {why}")]
    NoDevice {
        /// The requested device's name.
        device: String,
        /// The reason why the device cannot be used.
        why: String,
        /// Advice for the user.
        remedy: Advice,
    },
    /// Too little device memory is free.
    #[error("too little memory on {device}: {needed} bytes needed for {what}, {free} free")]
    OutOfMemory {
        /// The name of the device whose memory is too small.
        device: String,
        /// The purpose of the requested memory.
        what: String,
        /// The number of bytes requested.
        needed: u64,
        /// The number of bytes that were free.
        free: u64,
        /// Advice for the user.
        remedy: Advice,
    },
    /// Too little host memory is free for a buffer.
    #[error(transparent)]
    NoMemory(#[from] gts_core::memory::NoMemory),
    /// Host memory cannot be page-locked for a device.
    #[error("{device} cannot lock {bytes} bytes of host memory: {why}")]
    PageLock {
        /// The name of the device that was to access the memory.
        device: String,
        /// The number of bytes to lock.
        bytes: u64,
        /// The driver's message.
        why: String,
    },
    /// The CUDA C of a kernel does not compile.
    #[error("kernel `{kernel}` does not compile for {architecture}: {log}")]
    Compile {
        /// The kernel's name.
        kernel: String,
        /// The GPU architecture for which the kernel was compiled.
        architecture: String,
        /// The compiler's log.
        log: String,
    },
    /// The device failed.
    #[error("device `{device}` failed in {during}: {why}")]
    Device {
        /// The name of the failed device.
        device: String,
        /// The operation that failed.
        during: String,
        /// The driver's message.
        why: String,
    },
    /// The engine is unusable because of the contained earlier error.
    #[error("this engine is unusable since an earlier error ({0})")]
    Poisoned(Box<Error>),
    /// The caller interrupted the run.
    #[error("interrupted")]
    Interrupted,
    /// A rank of the group has terminated or does not respond.
    #[error("rank {rank} of {ranks}: {why}")]
    LostRank {
        /// The lost rank's number, counted from 0.
        rank: usize,
        /// The number of ranks in the group.
        ranks: usize,
        /// The known facts about the failure, such as the rank's process.
        why: String,
    },
    /// A rank failed and thereby ended the whole group's run.
    #[error("rank {rank} of {ranks} ended the run: {reason}")]
    Aborted {
        /// The failed rank's number, counted from 0.
        rank: usize,
        /// The number of ranks in the group.
        ranks: usize,
        /// The reason that the rank reported.
        reason: String,
    },
    /// Two ranks of a group perform different operations.
    #[error("rank {rank} is {there}, rank {own} is {here}")]
    RanksDiffer {
        /// The number of the rank that detected the difference.
        own: usize,
        /// The operation that this rank performs.
        here: String,
        /// The number of the other rank.
        rank: usize,
        /// The operation that the other rank performs.
        there: String,
    },
    /// A process cannot join its group.
    #[error("rank {rank} cannot join its group: {why}")]
    NoGroup {
        /// The rank that the process was to have, counted from 0.
        rank: usize,
        /// The reason why the process cannot join.
        why: String,
        /// Advice for the user.
        remedy: Advice,
    },
    /// NCCL is missing or cannot be used.
    #[error("NCCL cannot be used: {why}")]
    NoNccl {
        /// The reason why NCCL cannot be used.
        why: String,
        /// Advice for the user.
        remedy: Advice,
    },
    /// NCCL failed to transfer values between the GPUs of ranks.
    #[error("NCCL failed in {during}: {why}")]
    Nccl {
        /// The operation that failed.
        during: String,
        /// NCCL's message.
        why: String,
    },
    /// Pages cannot be read.
    #[error("{0}")]
    Store(Arc<StoreError>),
    /// The system cannot start a thread.
    #[error(transparent)]
    Threads(#[from] gts_core::threads::NoThreads),
    /// A graph cannot be built from edges in memory.
    #[error("{0}")]
    Build(Arc<BuildError>),
    /// A graph cannot be read.
    #[error("{0}")]
    Read(Arc<ReadError>),
    /// Any other error of `gts-core`.
    #[error(transparent)]
    Core(Arc<dyn Explain + Send + Sync>),
    /// An I/O operation of the program failed.
    #[error("{0}")]
    Io(Arc<std::io::Error>),
}

/// Returns the text of a fault without the name of the kernel and the source location.
fn fault_text(site: &ErrorSite, place: FaultPlace, value: i64) -> String {
    match site.attribute {
        Some(attribute) => format!("vertex {} is active and its `{attribute}` is UNREACHED", place.src),
        None => format!("{} (value {}, {place})", site.what.text(), site.value_text(value)),
    }
}

impl Error {
    /// Returns whether the error makes the device unusable for the rest of this process.
    pub fn is_sticky(&self) -> bool {
        matches!(self, Self::Device { .. } | Self::Poisoned(_))
    }

    /// Creates an error for a requirement that is not met.
    pub fn needs(what: impl Into<String>, needs: impl Into<String>, remedy: impl Into<Advice>) -> Self {
        Self::Needs { what: what.into(), needs: needs.into(), remedy: remedy.into() }
    }

    /// Creates an error for an invalid argument.
    pub fn argument(what: impl fmt::Display, why: impl fmt::Display) -> Self {
        Self::Argument { what: what.to_string(), why: why.to_string(), next: None }
    }

    /// Creates an error for an invalid argument, with advice for the user.
    pub fn argument_with_advice(what: impl fmt::Display, why: impl fmt::Display, next: impl Into<Advice>) -> Self {
        Self::Argument { what: what.to_string(), why: why.to_string(), next: Some(next.into()) }
    }
}

gts_core::debug_by_explaining!(Error);

impl From<gts_core::graph::VertexError> for Error {
    fn from(error: gts_core::graph::VertexError) -> Self {
        match error {
            gts_core::graph::VertexError::Unknown(error) => error.into(),
            gts_core::graph::VertexError::Store(error) => error.into(),
            other => Self::argument("a vertex", other),
        }
    }
}

impl Explain for Error {
    fn code(&self) -> Code {
        match self {
            Self::Fault { site, .. } => site.what.code(),
            Self::StepLimit { .. } => Code::StepLimit,
            Self::TimeLimit { .. } => Code::TimeLimit,
            Self::UnsetParam { .. } => Code::UnsetParam,
            Self::UnsetGlobal { .. } => Code::UnsetGlobal,
            Self::GlobalOverflow { .. } => Code::GlobalOverflow,
            Self::NothingActivated { .. } => Code::NothingActivated,
            Self::Needs { .. } => Code::UnmetNeed,
            Self::Output { .. } => Code::WrongOutput,
            Self::Argument { .. } => Code::InvalidArgument,
            Self::UnknownVertex(error) => error.code(),
            Self::NoDevice { .. } => Code::NoDevice,
            Self::OutOfMemory { .. } => Code::DeviceMemory,
            Self::NoMemory(error) => error.code(),
            Self::PageLock { .. } => Code::PageLock,
            Self::Compile { .. } => Code::KernelCompilation,
            Self::Device { .. } => Code::DeviceFailure,
            Self::Poisoned(first) => first.code(),
            Self::Interrupted => Code::Interrupted,
            Self::LostRank { .. } => Code::LostRank,
            Self::Aborted { .. } => Code::AbortedRun,
            Self::RanksDiffer { .. } => Code::UnlikeRanks,
            Self::NoGroup { .. } => Code::NoGroup,
            Self::NoNccl { .. } => Code::NoNccl,
            Self::Nccl { .. } => Code::NcclFailure,
            Self::Store(error) => error.code(),
            Self::Threads(error) => error.code(),
            Self::Build(error) => error.code(),
            Self::Read(error) => error.code(),
            Self::Core(error) => error.code(),
            Self::Io(_) => Code::FileAccess,
        }
    }

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
            Self::UnsetParam { attributes, param, .. } => Advice::new(
                "tell the author of the algorithm",
                format!(
                    "call `run.set_param({attributes}::{}, ..)` before the pass, or declare `#[param(default = ..)]`",
                    param.to_uppercase()
                ),
            ),
            Self::UnsetGlobal { attributes, global } => Advice::new(
                "tell the author of the algorithm",
                format!(
                    "call `run.global({attributes}::{})` after a pass of a kernel that updates it",
                    global.to_uppercase()
                ),
            ),
            Self::GlobalOverflow { global, total, .. } => {
                let fits =
                    |scalar: &ScalarType| scalar.range().is_some_and(|range| (range.0..=range.1).contains(&**total));
                let wider = [ScalarType::U64, ScalarType::I64].into_iter().find(fits).unwrap_or(ScalarType::F64);
                Advice::new("tell the author of the algorithm", format!("declare `{global}` as {wider}"))
            }
            Self::NothingActivated { .. } => Advice::new(
                "tell the author of the algorithm",
                "call `run.activate` or `run.activate_all`, or run a kernel that activates vertices, before the pass",
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
            Self::Output { .. } => Advice::new(
                "tell the author of the algorithm",
                "declare the output in `Algorithm::outputs` as the driver returns it",
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
            Self::Read(error) => return error.advice(),
            Self::Core(error) => return error.advice(),
            Self::Fault { .. } | Self::Interrupted | Self::Aborted { .. } | Self::Io(_) => return None,
        })
    }

    fn place(&self) -> Option<ErrorPlace> {
        let of_kernel = |at: &SourceLocation| ErrorPlace::line(at.file, at.line.into()).column(at.column.into());
        match self {
            Self::Fault { site, .. } => Some(of_kernel(&site.location)),
            Self::TimeLimit { location, .. } | Self::UnsetParam { location, .. } => Some(of_kernel(location)),
            Self::Poisoned(first) => first.place(),
            Self::Store(error) => error.place(),
            Self::Build(error) => error.place(),
            Self::Read(error) => error.place(),
            Self::Core(error) => error.place(),
            _ => None,
        }
    }
}

impl Error {
    /// Returns the error that a run reports if several devices fail in one pass: the fault that comes first in the
    /// source and then in the graph. Otherwise, the first error.
    #[must_use]
    pub fn least(self, other: Self) -> Self {
        let key = |error: &Self| match error {
            Self::Fault { site, place, .. } => Some((site.location.line, site.location.column, *place)),
            _ => None,
        };
        match (key(&self), key(&other)) {
            (Some(own), Some(others)) if others < own => other,
            _ => self,
        }
    }

    /// Returns the results of several devices, or the least of their errors.
    pub fn all<T>(results: impl IntoIterator<Item = Result<T>>) -> Result<Vec<T>> {
        let mut values = Vec::new();
        let mut least: Option<Self> = None;
        for result in results {
            match result {
                Ok(value) => values.push(value),
                Err(error) => least = Some(least.map_or(error.clone(), |least| least.least(error))),
            }
        }
        least.map_or(Ok(values), Err)
    }

    /// Returns the error with original IDs instead of the dense vertex numbers of `graph`.
    #[must_use]
    pub fn original(self, graph: &gts_core::graph::Graph) -> Self {
        match self {
            Self::Fault { kernel, site, place, value } => {
                let value = match site.scalar {
                    ScalarType::VertexId => original_id(value as u64, graph) as i64,
                    _ => value,
                };
                Self::Fault { kernel, site, place: place.original(graph), value }
            }
            other => other,
        }
    }
}

/// Implements `From` for errors that a variant holds in an `Arc`.
macro_rules! from_shared {
    ($($error:ty => $variant:ident),+ $(,)?) => {$(
        impl From<$error> for Error {
            fn from(error: $error) -> Self {
                Self::$variant(Arc::new(error))
            }
        }
    )+};
}

from_shared! {
    StoreError => Store,
    BuildError => Build,
    ReadError => Read,
    std::io::Error => Io,
    gts_contract::UnknownTechnique => Core,
    gts_core::build::UnknownOrderChoice => Core,
    gts_core::cost::Shortfall => Core,
    gts_core::files::LineError => Core,
    gts_core::graph::IdMapError => Core,
    gts_core::graph::NoVertex => Core,
    gts_core::graph::UnknownOrder => Core,
    gts_core::import::UnknownColumns => Core,
    gts_core::page::FormatError => Core,
    gts_core::page::PageError => Core,
    gts_core::page::RvtError => Core,
    gts_core::pattern::PatternError => Core,
    gts_core::read::UnknownWeights => Core,
}

impl From<ImportError> for Error {
    fn from(error: ImportError) -> Self {
        ReadError::from(error).into()
    }
}

impl From<GenerateError> for Error {
    fn from(error: GenerateError) -> Self {
        ReadError::from(error).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gts_core::advice::Reader;
    use gts_core::graph::Graph;

    #[test]
    fn an_error_that_leaves_main_says_what_to_do_next() {
        let folder = tempfile::tempdir().unwrap();
        let read = || -> Result<Graph> { Ok(Graph::read(folder.path())?) };
        let told = format!("{:?}", read().unwrap_err());
        let path = folder.path().display();
        let next = "name the directory of a store, or import the graph first with `gts import FILE STORE`";
        assert!(told.starts_with(&format!("{path} is no store: ")), "{told}");
        assert!(told.ends_with(&format!("\n  next:  {next}\n  more:  gts explain GTS2002")), "{told}");
        // If `main` returns `Box<dyn Error>`, the program prints the same text.
        let alone: Box<dyn std::error::Error> = Box::new(Graph::read(folder.path()).unwrap_err());
        assert_eq!(format!("{alone:?}"), told);
    }

    #[test]
    fn every_error_of_a_program_converts() {
        let failed = || -> Result<()> { Ok(std::fs::read("no/such/file").map(drop)?) };
        let told = format!("{:?}", failed().unwrap_err());
        assert!(told.contains("No such file") && told.ends_with("\n  more:  gts explain GTS4003"), "{told}");
        let failed = || -> Result<()> { Ok("upwards".parse::<gts_core::build::OrderChoice>().map(drop)?) };
        let told = format!("{:?}", failed().unwrap_err());
        assert!(told.starts_with("\"upwards\" is no vertex order") && told.contains("gts explain GTS"), "{told}");
    }

    #[test]
    fn each_reader_is_told_in_the_own_words() {
        let error = Error::StepLimit { kernel: "expand", steps: 5 };
        let advice = error.advice().unwrap();
        assert!(advice.of(Reader::CommandLine).contains("--max-steps"), "{advice:?}");
        assert!(advice.of(Reader::Program).contains("`max_steps`"), "{advice:?}");
    }
}
