//! `gts-bench`: programs that measure GTS, each compared with a baseline measured in the same run.

pub mod code_size;
mod counter;
mod csr;
mod disk;
mod graphs;
mod measure;
mod paper;
mod peer;
mod peers;
pub mod pictures;
mod programs;
pub mod reference;
mod suite;
pub mod tables;
mod text;

use clap::{ArgMatches, Command};
use gts_graph::cli::program::report::Report;
use gts_graph::cli::program::{self, Failure};
use std::process::ExitCode;

/// Parses the command line and runs the requested program.
pub fn main() -> ExitCode {
    program::main(command, execute)
}

fn command() -> Command {
    program::command("gts-bench", "Measure what GTS reaches on this machine")
        .subcommand(paper::command())
        .subcommands(suite::commands())
        .subcommands(programs::commands())
}

fn execute(matches: &ArgMatches) -> Result<Report, Failure> {
    match matches.subcommand() {
        Some(("paper", matches)) => paper::execute(matches),
        Some((name @ ("gap" | "graphalytics"), matches)) => suite::execute(name, matches),
        Some((name, _)) => programs::execute(name),
        None => Err(Failure::usage("no measurement given", "see `gts-bench --help`")),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_command_line_is_consistent() {
        super::command().debug_assert();
    }
}
