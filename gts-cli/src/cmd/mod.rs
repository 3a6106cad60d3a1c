//! The commands: each takes its arguments, makes one call into the libraries, and reports.

mod bench;
mod by_algorithm;
mod clean;
mod devices;
mod generate;
mod import;
mod info;
mod list;
mod measure;
mod outcome;
mod plan;
pub(crate) mod run;
mod show;
mod verify;

use crate::error::Failure;
use crate::report::Report;
use clap::{ArgMatches, Args, Command, FromArgMatches};

/// Adds every command, in the order of the help.
pub(crate) fn add_all(command: Command) -> Command {
    command
        .subcommand(run::command())
        .subcommand(plan::command())
        .subcommand(bench::command())
        .subcommand(with::<list::Arguments>("list", "List the algorithms"))
        .subcommand(with::<show::Arguments>("show", "Show what is known of an algorithm, or the CUDA C of its kernels"))
        .subcommand(with::<generate::Arguments>("generate", "Generate a graph into a store"))
        .subcommand(with::<import::Arguments>("import", "Import a graph file into a store"))
        .subcommand(with::<info::Arguments>("info", "Describe a graph"))
        .subcommand(with::<verify::Arguments>("verify", "Check every checksum and structural invariant of a store"))
        .subcommand(with::<clean::Arguments>(
            "clean",
            "Remove what killed builds left in a folder, and put back what they moved",
        ))
        .subcommand(with::<devices::Arguments>("devices", "List the devices that kernels can run on"))
}

/// A command with its flags.
fn with<A: Args>(name: &'static str, about: &'static str) -> Command {
    // In this order, because the flags bring the documentation of their struct along.
    A::augment_args(Command::new(name)).about(about)
}

/// Runs the command that was asked for.
pub(crate) fn dispatch(matches: &ArgMatches) -> Result<Report, Failure> {
    match matches.subcommand() {
        Some(("run", matches)) => run::execute(matches),
        Some(("plan", matches)) => plan::execute(matches),
        Some(("bench", matches)) => bench::execute(matches),
        Some(("list", _)) => Ok(list::execute()),
        Some(("show", matches)) => show::execute(&show::Arguments::from_arg_matches(matches)?),
        Some(("generate", matches)) => generate::execute(&generate::Arguments::from_arg_matches(matches)?),
        Some(("import", matches)) => import::execute(&import::Arguments::from_arg_matches(matches)?),
        Some(("info", matches)) => info::execute(&info::Arguments::from_arg_matches(matches)?),
        Some(("verify", matches)) => verify::execute(&verify::Arguments::from_arg_matches(matches)?),
        Some(("clean", matches)) => clean::execute(&clean::Arguments::from_arg_matches(matches)?),
        Some(("devices", matches)) => devices::execute(&devices::Arguments::from_arg_matches(matches)?),
        _ => Err(Failure::Usage("no such command; see --help".to_owned())),
    }
}
