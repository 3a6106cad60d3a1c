//! The command line of GTS, as a library.
//!
//! A crate with its own algorithms gets the whole command line, including them, with one call:
//!
//! ```no_run
//! fn main() -> std::process::ExitCode {
//!     gts_cli::main()
//! }
//! ```
//!
//! This crate takes all information about algorithms from the registry in [`gts_graph::algorithm`]. `gts new` writes
//! such a crate.
//!
//! The exit code is 0 if the command is done, or if the reader of the output has closed it. Otherwise the error's code
//! determines the exit code: [`Exit`](gts_graph::contract::language::Exit) lists all.
//!
//! # Where to go next
//!
//! - [`main()`] is the only function that most programs need.
//! - [`gts_graph::algorithm`] registers an algorithm, with its parameters, outputs and help.
//! - [`embedded`] contains options and commands for a program that embeds the command line.
//! - [`program`] contains parts of the command line for other programs of this repository.

// Both macros panic if the output is closed: results are printed by `program::main`, remarks by `report::tell`.
#![warn(clippy::print_stdout, clippy::print_stderr)]

#[cfg(unix)]
mod address_space;
mod blocks;
mod cell;
mod cmd;
mod constants;
mod edge_file;
pub mod embedded;
mod error;
mod exit;
mod file;
mod forecast;
mod group;
mod hybrid;
mod interrupt;
mod labels;
mod leftovers;
mod lines;
mod load;
mod memory;
mod models;
mod nearest;
mod nodes;
mod options;
mod output;
mod packing;
pub mod program;
mod progress;
mod report;
mod requests;
mod residence;
mod started;
mod summary;
mod trace;
mod units;
mod vertex_key;

use clap::Command;
#[cfg(any(feature = "arrow", feature = "bv"))]
use gts_tables as _;
use std::process::ExitCode;

/// Runs the command line of this process, with every linked algorithm.
pub fn main() -> ExitCode {
    program::main(command, cmd::dispatch)
}

/// Returns the command line as data: flags, help and subcommands.
fn command() -> Command {
    let command = program::command("gts", "Graph algorithms on graphs larger than GPU memory");
    cmd::add_all(command.allow_external_subcommands(true))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_command_line_is_consistent() {
        gts_algorithms::link();
        super::command().debug_assert();
    }
}
