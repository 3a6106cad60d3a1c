//! The command line of GTS, as a library.
//!
//! A crate with algorithms of its own has the whole command line with them added by one call:
//!
//! ```no_run
//! fn main() -> std::process::ExitCode {
//!     gts_cli::main()
//! }
//! ```
//!
//! Everything that this crate knows about algorithms it takes from the registry in [`gts_runtime::algorithm`].
//!
//! | exit code | meaning |
//! |---|---|
//! | 0 | done; also where the reader of the output went away |
//! | 1 | failed: bad input, a full disk, too little memory, a wrong answer under `--check` |
//! | 2 | the command line makes no sense |
//! | 70 | the device failed and cannot be used again by this process |
//! | 130 | interrupted with Ctrl-C, or asked to end by the system or a closing terminal; nothing half-written is left |

// Both panic where nobody listens: results go through `run`, remarks through `report::tell`.
#![warn(clippy::print_stdout, clippy::print_stderr)]

#[cfg(unix)]
mod address_space;
mod blocks;
mod cmd;
mod constants;
mod error;
mod exit;
mod file;
#[cfg(unix)]
mod file_size;
mod forecast;
mod group;
#[cfg(unix)]
mod hangup;
mod hybrid;
mod interrupt;
mod labels;
mod leftovers;
mod load;
mod memory;
mod models;
mod nearest;
mod nodes;
mod options;
mod output;
mod progress;
mod report;
mod residence;
#[cfg(unix)]
mod signal;
mod summary;
mod trace;
mod units;

use clap::Command;
use error::Failure;
use gts_runtime::algorithm;
use gts_runtime::core::phase;
use gts_runtime::core::threads;
use report::printable;
use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Duration;

/// Runs the command line of this process, with every algorithm that is linked into it.
pub fn main() -> ExitCode {
    #[cfg(unix)]
    address_space::limit_heaps();
    phase::start_after(time_of_start());
    gts_algorithms::link();
    #[cfg(unix)]
    file_size::ignore_signal();
    threads::tell_shortage_to(|shortage| report::tell(shortage));
    let ended = interrupt::install().and_then(|()| run(std::env::args_os()));
    let code = ended.map_or_else(Failure::tell, |()| 0);
    group::close(code);
    exit::end_rank(code);
    code.into()
}

/// Returns the time that the processor took for this thread so far. Where it is the first of a process, that is the time in
/// which the system loaded the program; zero where the system does not say.
fn time_of_start() -> Duration {
    #[cfg(target_os = "linux")]
    let taken = Duration::try_from(rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime)).ok();
    #[cfg(not(target_os = "linux"))]
    let taken = None;
    taken.unwrap_or_default()
}

fn run(arguments: impl IntoIterator<Item = OsString>) -> Result<(), Failure> {
    cmd::check_registry(&algorithm::all())?;
    let matches = command().try_get_matches_from(arguments)?;
    let json = matches.get_flag("json");
    let report = cmd::dispatch(&matches)?;
    let text = match json && !report.is_silent() {
        true => format!("{:#}\n", report.json),
        false => printable(&report.text).into_owned(),
    };
    let mut stdout = io::stdout().lock();
    let printed = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
    // That nobody listens hides no failure of the work, of which the last one gives the exit code.
    let mut failures: Vec<_> = printed.err().map(Failure::Print).into_iter().chain(report.failures).collect();
    let last = failures.pop();
    for failure in failures {
        failure.tell();
    }
    last.map_or(Ok(()), Err)
}

/// The command line as data: flags, help and subcommands.
fn command() -> Command {
    let json = clap::Arg::new("json").long("json").global(true).action(clap::ArgAction::SetTrue);
    cmd::add_all(
        Command::new("gts")
            .version(env!("CARGO_PKG_VERSION"))
            .about("Graph algorithms on graphs larger than GPU memory")
            .subcommand_required(true)
            .arg_required_else_help(true)
            .allow_external_subcommands(true)
            .arg(json.help("Print JSON instead of text")),
    )
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_command_line_is_consistent() {
        gts_algorithms::link();
        super::command().debug_assert();
    }
}
