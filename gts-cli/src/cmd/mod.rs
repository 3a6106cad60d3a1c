//! The commands: each parses its arguments, makes one call into the libraries, and reports.

pub(crate) mod by_algorithm;
mod cache;
mod clean;
mod codes;
mod completions;
mod convert;
mod devices;
mod explain;
mod export;
mod generate;
mod guide;
mod import;
mod info;
#[cfg(unix)]
mod launch;
mod list;
mod man;
mod measure;
mod new;
pub(crate) mod outcome;
mod plan;
mod ranks;
mod run;
mod show;
mod verify;
mod words;

use crate::error::Failure;
use crate::nearest::nearest;
use crate::report::Report;
use clap::{ArgMatches, Args, Command, FromArgMatches};
use gts_graph::algorithm::{self, Algorithm};
use std::ffi::OsString;
use std::path::Path;

/// Adds every command, in the order of the help.
pub(crate) fn add_all(command: Command) -> Command {
    let command = command.subcommand(run::command());
    #[cfg(unix)]
    let command = command.subcommand(with::<launch::Arguments>("launch", "Run an algorithm in several processes"));
    let command = command
        .subcommand(plan::command())
        .subcommand(with::<new::Arguments>("new", "Make a crate with an algorithm of your own"))
        .subcommand(with::<list::Arguments>("list", "List the algorithms"))
        .subcommand(with::<show::Arguments>("show", "Show what is known of an algorithm, or the CUDA C of its kernels"))
        .subcommand(with::<explain::Arguments>(
            "explain",
            "Explain the code of an error, or a word of the kernel language",
        ))
        .subcommand(with::<generate::Arguments>("generate", "Generate a graph into a store"))
        .subcommand(with::<import::Arguments>("import", "Import a graph file into a store"))
        .subcommand(with::<export::Arguments>("export", "Write the graph of a store as a file of edges"))
        .subcommand(with::<convert::Arguments>("convert", "Write graph files as another file, without a store"))
        .subcommand(with::<info::Arguments>("info", "Describe a graph"))
        .subcommand(with::<verify::Arguments>("verify", "Check every checksum and structural invariant of a store"))
        .subcommand(with::<clean::Arguments>(
            "clean",
            "Remove what killed commands left in a folder, and put back what they moved",
        ))
        .subcommand(with::<cache::Arguments>("cache", "List, remove or limit the imports that are kept for later runs"))
        .subcommand(with::<devices::Arguments>("devices", "List the devices that kernels can run on"))
        .subcommand(with::<completions::Arguments>("completions", "Print the completions of a shell"))
        .subcommand(with::<man::Arguments>("man", "Write the manual pages"));
    guide::add_all(command)
}

/// Refuses a registry that does not fit into a command line: two algorithms or flags have the same name.
pub(crate) fn check_registry(all: &[&Algorithm]) -> Result<(), Failure> {
    for (place, algorithm) in all.iter().enumerate() {
        let earlier = || all[..place].iter().flat_map(|other| other.names());
        if let Some(name) = algorithm.names().find(|name| earlier().any(|other| other == *name)) {
            return Err(Failure::other(format!("two algorithms are called `{name}`"), "rename one"));
        }
    }
    by_algorithm::check_parameters::<run::Arguments>("run", all)?;
    by_algorithm::check_parameters::<plan::Arguments>("plan", all)
}

/// Splits the paths of `import` or `convert` into those to read and the last one, which is written.
fn split_last<'a>(files: &'a [OsString], command: &str) -> Result<(&'a [OsString], &'a Path), Failure> {
    match files {
        [from @ .., to] if !from.is_empty() => Ok((from, Path::new(to))),
        _ => Err(Failure::usage(
            format!("`gts {command}` takes files to read, and then a path to write"),
            format!("give both, as in `gts {command} FROM TO`"),
        )),
    }
}

/// Creates a command with its flags.
fn with<A: Args>(name: &'static str, about: &'static str) -> Command {
    // In this order, because adding the flags also sets the documentation of their struct.
    A::augment_args(Command::new(name)).about(about)
}

/// Runs the requested command.
pub(crate) fn dispatch(matches: &ArgMatches) -> Result<Report, Failure> {
    match matches.subcommand() {
        Some(("run", matches)) => run::execute(matches),
        #[cfg(unix)]
        Some(("launch", matches)) => {
            launch::execute(&launch::Arguments::from_arg_matches(matches)?, matches.get_flag("json"))
        }
        Some(("plan", matches)) => plan::execute(matches),
        Some(("new", matches)) => new::execute(&new::Arguments::from_arg_matches(matches)?),
        Some(("list", _)) => Ok(list::execute()),
        Some(("show", matches)) => show::execute(&show::Arguments::from_arg_matches(matches)?),
        Some(("explain", matches)) => explain::execute(&explain::Arguments::from_arg_matches(matches)?),
        Some(("generate", matches)) => generate::execute(&generate::Arguments::from_arg_matches(matches)?),
        Some(("import", matches)) => import::execute(&import::Arguments::from_arg_matches(matches)?),
        Some(("export", matches)) => export::execute(&export::Arguments::from_arg_matches(matches)?),
        Some(("convert", matches)) => convert::execute(&convert::Arguments::from_arg_matches(matches)?),
        Some(("info", matches)) => info::execute(&info::Arguments::from_arg_matches(matches)?),
        Some(("verify", matches)) => verify::execute(&verify::Arguments::from_arg_matches(matches)?),
        Some(("clean", matches)) => clean::execute(&clean::Arguments::from_arg_matches(matches)?),
        Some(("devices", matches)) => devices::execute(&devices::Arguments::from_arg_matches(matches)?),
        Some(("cache", matches)) => cache::execute(&cache::Arguments::from_arg_matches(matches)?),
        Some(("completions", matches)) => Ok(completions::execute(&completions::Arguments::from_arg_matches(matches)?)),
        Some(("man", matches)) => man::execute(&man::Arguments::from_arg_matches(matches)?),
        Some((name, _)) => Err(unknown_command(name)),
        None => Err(Failure::usage("no command given", "see --help")),
    }
}

/// Returns the failure for an unknown command. It may be the name of an algorithm, which `gts run` runs.
fn unknown_command(name: &str) -> Failure {
    if name == "bench" {
        return Failure::usage(
            "measurements are in a program of their own, `gts-bench`",
            "run it in the repository of GTS: `cargo run --release -p gts-bench -- --help`",
        );
    }
    let command = add_all(Command::new("gts"));
    let known: Vec<_> = command.get_subcommands().map(Command::get_name).collect();
    let next = match nearest(name, &known) {
        _ if algorithm::find(name).is_some() => format!("`gts run {name}` runs the algorithm of that name"),
        Some(meant) => format!("did you mean `gts {meant}`? `gts --help` lists all commands"),
        None => "`gts --help` lists all commands".to_owned(),
    };
    Failure::usage(format!("there is no command `{name}`"), next)
}

#[cfg(test)]
mod tests {
    use super::*;
    use gts_graph::algorithm::{Answer, Parameter};

    const NONE: Algorithm = Algorithm::new("none", "None", |_, _, _| Ok(Answer::new()));

    fn refused(all: &[&Algorithm]) -> String {
        check_registry(all).err().map_or(String::new(), |failure| failure.to_string())
    }

    #[test]
    fn what_is_registered_makes_a_command_line() {
        gts_algorithms::link();
        assert_eq!(refused(&algorithm::all()), "");
        assert!(refused(&[&NONE, &NONE]).contains("two algorithms are called `none`"));
        let other = Algorithm { name: "other", aliases: &["none"], ..NONE };
        assert!(refused(&[&NONE, &other]).contains("two algorithms are called `none`"));
    }

    #[test]
    fn a_parameter_is_not_called_like_a_flag_of_any_command() {
        const TOP: Algorithm = NONE.parameters(&[Parameter::integer("top", "")]);
        const JSON: Algorithm = NONE.parameters(&[Parameter::flag("json", "")]);
        const LEVELS: Algorithm = NONE.parameters(&[Parameter::integer("levels", "")]);
        for (algorithm, command) in [(TOP, "run"), (JSON, "run"), (LEVELS, "plan")] {
            let found = refused(&[&algorithm]);
            assert!(found.contains(&format!("is called like a flag of `gts {command}`")), "{found}");
        }
    }
}
