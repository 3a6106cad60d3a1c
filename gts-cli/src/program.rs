//! Parts of the command line for programs other than `gts`, such as `gts-bench`.
//!
//! A program that passes its commands to [`main`] gets the options, reports, exit codes and interruptions of `gts`.
//! These parts serve the programs of this repository, and may change between versions of this crate.

pub use crate::constants::Constants;
pub use crate::error::Failure;
pub use crate::file::NewFile;
pub use crate::leftovers::TemporaryFolder;
pub use crate::progress::Meter;

/// Ends runs and writes when the user interrupts the process.
pub mod interrupt {
    pub use crate::interrupt::{Stoppable, Temporary, requested, while_running, while_saving};
}

/// Graph arguments.
pub mod load {
    pub use crate::load::{Loaded, Opening, load};
}

/// Options that several commands share, and their parsers.
pub mod options {
    pub use crate::options::{BuildArgs, DeviceKind, EngineArgs, Given, GpuArgs, device, page_size, taken, threads};
}

/// Results of commands, and lines on standard error.
pub mod report {
    pub use crate::report::{Align, Report, facts, path_json, table, tell};
}

/// The shares of the CPU and GPUs.
pub mod sharing {
    pub use crate::hybrid::{AskedSharing, Decided, EngineSharing, PLACEMENTS, Work, model, place_name};
}

/// Numbers as text.
pub mod units {
    pub use crate::units::{bytes, count, edges_per_second, graph_size, parse_time, per_second, rate, seconds, time};
}

#[cfg(unix)]
use crate::address_space;
use crate::{cmd, exit, group, lines};
use clap::{Arg, ArgAction, ArgMatches, Command};
use gts_graph::algorithm;
use gts_graph::contract::language::Exit;
use gts_graph::core::{phase, threads};
use report::Report;
use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Duration;

/// Returns a command line without commands, with the options `--json` for programs that read the output, and `--quiet`.
pub fn command(name: &'static str, about: &'static str) -> Command {
    let json = Arg::new("json").long("json").global(true).action(ArgAction::SetTrue);
    let quiet = Arg::new("quiet").short('q').long("quiet").global(true).action(ArgAction::SetTrue);
    Command::new(name)
        .version(env!("CARGO_PKG_VERSION"))
        .about(about)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .arg(json.help("Print JSON instead of text"))
        .arg(quiet.help("Print only errors on standard error"))
        .after_long_help(exit_codes())
}

/// Returns the section of the help that lists the exit codes.
fn exit_codes() -> String {
    let done = "  0    done, or the reader of the output has closed it".to_owned();
    let others = Exit::ALL.iter().map(|exit| format!("  {:<3}  {}", exit.code(), exit.meaning()));
    let lines: Vec<_> = [done].into_iter().chain(others).collect();
    format!("Exit codes:\n{}", lines.join("\n"))
}

/// Runs the command line of this process with the linked algorithms. `command` returns [`command()`] with commands.
/// `execute` runs the user's command, and its report is printed.
pub fn main(
    command: impl FnOnce() -> Command,
    execute: impl FnOnce(&ArgMatches) -> Result<Report, Failure>,
) -> ExitCode {
    main_with(command, execute, std::env::args_os()).into()
}

/// Does the work of [`main`] with other arguments than those of the process, and returns the exit code.
pub(crate) fn main_with(
    command: impl FnOnce() -> Command,
    execute: impl FnOnce(&ArgMatches) -> Result<Report, Failure>,
    arguments: impl IntoIterator<Item = OsString>,
) -> u8 {
    #[cfg(unix)]
    address_space::limit_heaps();
    phase::start_after(time_of_start());
    gts_algorithms::link();
    threads::tell_shortage_to(|shortage| report::tell(shortage));
    let ended = crate::interrupt::install().and_then(|()| run(command, execute, arguments));
    let code = ended.map_or_else(Failure::tell, |()| 0);
    group::close(code);
    exit::end_rank(code);
    code
}

/// Returns the processor time of this thread so far. For the first thread of a process, that is the time in which the
/// system loaded the program. Zero if the system does not report it.
fn time_of_start() -> Duration {
    #[cfg(target_os = "linux")]
    let taken = Duration::try_from(rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime)).ok();
    #[cfg(not(target_os = "linux"))]
    let taken = None;
    taken.unwrap_or_default()
}

/// Returns whether arguments that no command parsed contain `--json`.
fn wants_json<'a>(arguments: impl IntoIterator<Item = &'a OsString>) -> bool {
    arguments.into_iter().take_while(|argument| *argument != "--").any(|argument| argument == "--json")
}

/// Returns whether parsed arguments contain `--json`, which an unknown command or algorithm does not parse.
fn is_json(matches: &ArgMatches) -> bool {
    let unparsed = matches.try_get_many::<OsString>("").ok().flatten();
    matches.try_get_one("json").is_ok_and(|json| json == Some(&true))
        || unparsed.is_some_and(wants_json)
        || matches.subcommand().is_some_and(|(_, matches)| is_json(matches))
}

fn run(
    command: impl FnOnce() -> Command,
    execute: impl FnOnce(&ArgMatches) -> Result<Report, Failure>,
    arguments: impl IntoIterator<Item = OsString>,
) -> Result<(), Failure> {
    cmd::check_registry(&algorithm::all())?;
    let arguments: Vec<_> = arguments.into_iter().collect();
    // The arguments of a command line that cannot be parsed still say how to print its errors.
    let written = wants_json(&arguments);
    let matches = command().try_get_matches_from(arguments).map_err(Failure::from);
    let json = matches.as_ref().map_or(written, is_json);
    if matches.as_ref().is_ok_and(|matches| matches.get_flag("quiet")) {
        lines::be_quiet();
    }
    let mut report = match matches.and_then(|matches| execute(&matches)) {
        Ok(report) => report,
        Err(failure) if json => Report::failed(failure),
        Err(failure) => return Err(failure),
    };
    report.add_error();
    let text = match json && !report.is_silent() {
        true => format!("{:#}\n", report.json),
        false => crate::report::printable(&report.text).into_owned(),
    };
    let mut stdout = io::stdout().lock();
    let printed = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
    if !json {
        lines::remark(&report.remarks);
    }
    // A closed output must not hide a failure of the work. The last failure decides the exit code.
    let mut failures: Vec<_> = printed.err().map(Failure::Print).into_iter().chain(report.failures).collect();
    let last = failures.pop();
    for failure in failures {
        failure.tell();
    }
    last.map_or(Ok(()), Err)
}
