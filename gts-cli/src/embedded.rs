//! Options and commands for a program that embeds the command line.

use crate::cmd;
pub use crate::cmd::outcome::kernels_json;
use crate::error::Failure;
use crate::options::{BuildArgs, EngineArgs, Given};
use crate::program;
use crate::report::Report;
use crate::started;
use clap::{Args, Command, FromArgMatches};
use gts_graph::EngineBuilder;
use gts_graph::algorithm::{Algorithm, Arguments as Parameters};
use serde_json::Value;
use std::ffi::OsString;

/// Parses flags that describe how a graph is read and built.
///
/// # Errors
///
/// A flag is unknown, or its value is invalid.
pub fn build_options(flags: impl IntoIterator<Item = OsString>) -> Result<BuildArgs, Failure> {
    let command = BuildArgs::augment_args(Command::new("read").no_binary_name(true));
    Ok(BuildArgs::from_arg_matches(&command.try_get_matches_from(flags)?)?)
}

/// A run as flags describe it.
pub struct PlannedRun {
    /// The algorithm.
    pub algorithm: &'static Algorithm,
    /// The values of its parameters.
    pub parameters: Parameters,
    /// The options of the engine.
    pub engine: EngineBuilder,
}

/// Parses the name or alias of an algorithm, and flags: its parameters and the options of an engine.
///
/// # Errors
///
/// The algorithm or a flag is unknown, a value is invalid, or the device does not support an option.
pub fn run_options(algorithm: &str, flags: impl IntoIterator<Item = OsString>) -> Result<PlannedRun, Failure> {
    let command = cmd::by_algorithm::command::<EngineArgs>("run", "").no_binary_name(true);
    let matches = command.try_get_matches_from([algorithm.into()].into_iter().chain(flags))?;
    let chosen = cmd::by_algorithm::chosen(&matches)?;
    let arguments = EngineArgs::from_arg_matches(chosen.matches)?;
    Given::of(chosen.matches).check(arguments.device, arguments.gpu.kind(arguments.device, false))?;
    let sharing = arguments.gpu.hybrid(arguments.device)?;
    let engine = arguments.builder();
    let engine = match sharing {
        Some(sharing) => sharing.shares().apply(engine),
        None => engine,
    };
    Ok(PlannedRun { algorithm: chosen.algorithm, parameters: chosen.parameters, engine })
}

/// Runs a command of `gts`, and returns what it prints with `--json`. An error is the field `error`.
pub fn call(arguments: impl IntoIterator<Item = OsString>) -> Value {
    let command = crate::command().no_binary_name(true);
    let done = command.try_get_matches_from(arguments).map_err(Failure::from);
    let mut report = done.and_then(|matches| cmd::dispatch(&matches)).unwrap_or_else(Report::failed);
    report.add_error();
    report.json
}

/// Runs the command line, as [`main`](crate::main) does, and returns the exit code. `started_by` are the words before the
/// arguments that start it again.
pub fn main(started_by: Vec<OsString>, arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let name = started_by.last().cloned().unwrap_or_default();
    started::set_words(started_by);
    program::main_with(crate::command, cmd::dispatch, [name].into_iter().chain(arguments))
}
