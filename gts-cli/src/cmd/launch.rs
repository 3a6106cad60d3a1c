//! `gts launch`: starts the ranks of a run as processes of this machine, and ends all of them where one fails.

use super::by_algorithm;
use crate::error::{Failure, INTERRUPTED};
use crate::group;
use crate::interrupt;
use crate::report::{Report, tell};
use crate::signal::{self, Signal};
use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// What `gts launch` takes.
#[derive(clap::Args, Debug)]
pub(crate) struct Arguments {
    /// Processes that share the run: each walks a share of the pages
    #[arg(short = 'n', long, value_name = "NUMBER")]
    ranks: NonZeroUsize,
    /// The command that they run, behind `--`: run ALGORITHM GRAPH, with its flags
    #[arg(value_name = "COMMAND", last = true, required = true)]
    command: Vec<OsString>,
}

/// How often the ranks are looked at.
const LOOKED_EVERY: Duration = Duration::from_millis(10);
/// The time after the first failure in which the other ranks end by themselves.
const BY_THEMSELVES: Duration = Duration::from_millis(1500);
/// The time after the first failure at which those that are left are killed.
const KILLED: Duration = Duration::from_millis(3000);

/// A rank that was started.
struct Started {
    child: Child,
    status: Option<ExitStatus>,
    /// The last signal that this process sent it because another rank had failed.
    sent: Option<Signal>,
}

/// The ranks. Those that still run when it is dropped are killed.
struct Ranks(Vec<Started>);

impl Drop for Ranks {
    fn drop(&mut self) {
        for started in self.0.iter_mut().filter(|started| started.status.is_none()) {
            let _ = started.child.kill();
            let _ = started.child.wait();
        }
    }
}

pub(crate) fn execute(arguments: &Arguments, json: bool) -> Result<Report, Failure> {
    check(&arguments.command)?;
    let size = arguments.ranks.get();
    let folder = tempfile::Builder::new().prefix("gts-group-").tempdir();
    let folder = folder.map_err(|error| {
        Failure::file(std::env::temp_dir(), error, "name another folder for temporary files by TMPDIR")
    })?;
    let _temporary = interrupt::Temporary::new(folder.path());
    let _handed_on = interrupt::hand_on();
    let mut ranks = Ranks(Vec::with_capacity(size));
    for rank in 0..size {
        let mut command = command(arguments, json, rank, folder.path())?;
        let child = command.spawn().map_err(|error| {
            let next = "start fewer ranks, or let this user have more processes (ulimit -u)";
            Failure::other(format!("rank {rank} cannot be started: {error}"), next)
        })?;
        ranks.0.push(Started { child, status: None, sent: None });
    }
    let code = wait(&mut ranks.0)?;
    if code == 0 { Ok(Report::silent()) } else { Err(Failure::Ranks(code)) }
}

/// Checks once what all ranks would refuse.
fn check(command: &[OsString]) -> Result<(), Failure> {
    if command.first().is_none_or(|word| word != "run") {
        return Err(Failure::usage("only `run` has ranks", "write `gts launch -n NUMBER -- run ALGORITHM GRAPH`"));
    }
    let words = [OsString::from("gts")].into_iter().chain(command.iter().cloned());
    let matches = crate::command().try_get_matches_from(words)?;
    let Some(("run", matches)) = matches.subcommand() else { return Ok(()) };
    by_algorithm::chosen(matches).map(drop)
}

/// Returns the command of a rank.
fn command(arguments: &Arguments, json: bool, rank: usize, folder: &Path) -> Result<Command, Failure> {
    let program = std::env::current_exe()
        .map_err(|error| Failure::other(format!("this program cannot be found: {error}"), "start it by its path"))?;
    let mut command = Command::new(program);
    command.args(&arguments.command).args(json.then_some("--json"));
    command.env(group::RANK, rank.to_string()).env(group::SIZE, arguments.ranks.to_string());
    command.env(group::FOLDER, folder).env(group::LAUNCHER, std::process::id().to_string());
    if std::env::var_os("RAYON_NUM_THREADS").is_none() {
        let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        command.env("RAYON_NUM_THREADS", (cores / arguments.ranks).max(1).to_string());
    }
    command.stdin(Stdio::null()).stdout(if rank == 0 { Stdio::inherit() } else { Stdio::null() });
    // Ctrl-C comes to this process alone, which hands it on.
    command.process_group(0);
    Ok(command)
}

/// Waits for all ranks. Returns the exit code: that of the first one that failed.
fn wait(ranks: &mut [Started]) -> Result<u8, Failure> {
    let mut failed: Option<(Instant, u8)> = None;
    let mut handed_on = 0;
    while ranks.iter().any(|rank| rank.status.is_none()) {
        std::thread::sleep(LOOKED_EVERY);
        let requests = interrupt::requests();
        for _ in handed_on..requests {
            running(ranks).for_each(|(_, rank)| signal::send(rank.child.id(), Signal::Interrupt));
        }
        handed_on = requests;
        for (number, rank) in running(ranks) {
            let status = rank.child.try_wait();
            let unknown = |error| Failure::other(format!("rank {number} cannot be waited for: {error}"), "start again");
            rank.status = status.map_err(unknown)?;
            let Some(status) = rank.status else { continue };
            if let (Some(signal), None) = (status.signal(), rank.sent) {
                tell(format_args!("rank {number} (process {}) was ended by signal {signal}", rank.child.id()));
            }
            if !status.success() {
                let code = status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1);
                failed.get_or_insert((Instant::now(), code));
            }
        }
        let Some((since, _)) = failed else { continue };
        let due = match since.elapsed() {
            elapsed if elapsed >= KILLED => Signal::Kill,
            elapsed if elapsed >= BY_THEMSELVES => Signal::Terminate,
            _ => continue,
        };
        for (number, rank) in running(ranks).filter(|(_, rank)| rank.sent != Some(due)) {
            if due == Signal::Kill {
                tell(format_args!("rank {number} (process {}) does not end, and is killed", rank.child.id()));
            }
            signal::send(rank.child.id(), due);
            rank.sent = Some(due);
        }
    }
    Ok(if interrupt::requested() { INTERRUPTED } else { failed.map_or(0, |(_, code)| code) })
}

/// Returns the ranks that run, with their numbers.
fn running(ranks: &mut [Started]) -> impl Iterator<Item = (usize, &mut Started)> {
    ranks.iter_mut().enumerate().filter(|(_, rank)| rank.status.is_none())
}
