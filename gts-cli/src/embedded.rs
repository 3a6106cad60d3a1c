//! Options and commands for a program that embeds the command line.

use crate::cmd;
pub use crate::cmd::outcome::kernels_json;
use crate::error::Failure;
pub use crate::memory::default_budget;
use crate::options::{self, BuildArgs, EngineArgs, Given};
#[cfg(feature = "arrow")]
use crate::output::{Sheet, typed};
use crate::program;
use crate::report::Report;
pub use crate::residence::default_limit;
use crate::started;
use clap::{Args, Command, FromArgMatches};
#[cfg(feature = "arrow")]
use gts_graph::algorithm::Table;
use gts_graph::algorithm::{Algorithm, Arguments as Parameters};
#[cfg(feature = "arrow")]
use gts_graph::core::graph::IdMap;
use gts_graph::{DeviceChoice, Engine, EngineBuilder};
#[cfg(feature = "arrow")]
use gts_tables::{CellType, ColumnData};
use serde_json::Value;
use std::ffi::OsString;
#[cfg(feature = "arrow")]
use std::{borrow::Cow, io, ops::Range};

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
    /// Text that two runs share if their engines have the same options.
    pub engine_key: String,
    arguments: EngineArgs,
    given: Given,
}

impl PlannedRun {
    /// Returns a line about options that are ignored on the device that the engine has chosen.
    pub fn notice(&self, engine: &Engine) -> Option<String> {
        let is_chosen = self.arguments.device == DeviceChoice::Auto;
        let kind = is_chosen.then(|| self.arguments.gpu.kind(options::taken(engine), false)).flatten()?;
        self.given.notice(kind)
    }
}

/// Parses the name or alias of an algorithm, and the flags of its parameters and of the engine.
///
/// # Errors
///
/// The algorithm or a flag is unknown, a value is invalid, or the device does not support an option.
pub fn run_options(algorithm: &str, flags: impl IntoIterator<Item = OsString>) -> Result<PlannedRun, Failure> {
    let command = cmd::by_algorithm::command::<EngineArgs>("run", "").no_binary_name(true);
    let matches = command.try_get_matches_from([algorithm.into()].into_iter().chain(flags))?;
    let chosen = cmd::by_algorithm::chosen(&matches)?;
    let arguments = EngineArgs::from_arg_matches(chosen.matches)?;
    let given = Given::of(chosen.matches);
    given.check(arguments.device, arguments.gpu.kind(arguments.device, false))?;
    let sharing = arguments.gpu.hybrid(arguments.device)?;
    let engine = arguments.builder();
    let engine = match sharing {
        Some(sharing) => sharing.shares().apply(engine),
        None => engine,
    };
    let engine_key = format!("{arguments:?}");
    Ok(PlannedRun { algorithm: chosen.algorithm, parameters: chosen.parameters, engine, engine_key, arguments, given })
}

/// A table of an answer with the columns of an output file.
#[cfg(feature = "arrow")]
pub struct AnswerSheet<'a>(Sheet<'a>);

#[cfg(feature = "arrow")]
impl<'a> AnswerSheet<'a> {
    /// Creates the sheet of a table. `ids` are the keys of the graph's vertices.
    pub fn new(table: &Table<'a>, ids: &'a IdMap) -> Self {
        Self(Sheet::without_names(table, ids))
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.0.rows
    }

    /// Returns the name of each column, the type of its cells, and whether cells may have no value.
    pub fn columns(&self) -> Vec<(Cow<'a, str>, CellType, bool)> {
        typed::columns(&self.0)
    }

    /// Returns the cells of some rows of a column.
    ///
    /// # Errors
    ///
    /// The key of a vertex cannot be read.
    ///
    /// # Panics
    ///
    /// Panics if there is no such column or row.
    pub fn cells(&self, column: usize, rows: Range<usize>) -> io::Result<ColumnData<'a>> {
        typed::cells(&self.0, &self.0.fields[column], rows)
    }
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
