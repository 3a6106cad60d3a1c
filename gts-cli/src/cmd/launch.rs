//! `gts launch`: starts the ranks of a run as processes of this machine, and ends all of them if one fails.

use super::by_algorithm;
use crate::error::Failure;
use crate::group;
use crate::interrupt;
use crate::leftovers::TemporaryFolder;
use crate::report::{Report, tell};
use crate::requests;
use crate::started;
use gts_graph::contract::language::Exit;
use gts_graph::group::MOST_LOCAL_RANKS;
use gts_graph::group::local::Word;
use rustix::process::{Pid, Signal, kill_process};
use std::ffi::OsString;
use std::ops::RangeInclusive;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// What `gts launch` takes.
#[derive(clap::Args, Debug)]
pub(crate) struct Arguments {
    /// Processes that share the run, 256 at most: each walks a share of the pages
    #[arg(short = 'n', long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(NUMBERS))]
    ranks: u16,
    /// The command that they run: run ALGORITHM GRAPH, with its flags
    #[arg(value_name = "COMMAND", trailing_var_arg = true, allow_hyphen_values = true, required = true)]
    command: Vec<OsString>,
}

/// Permitted numbers of ranks.
const NUMBERS: RangeInclusive<i64> = 1..=MOST_LOCAL_RANKS as i64;
/// Interval between checks of the ranks.
const LOOKED_EVERY: Duration = Duration::from_millis(10);
/// Maximum time counted between two checks. If this process was paused for longer, the ranks were, too.
const TURN: Duration = Duration::from_millis(100);
/// Time after the first failure, or after the end of rank 0, in which the other ranks may end by themselves. It
/// suffices for them to report the reason on a busy machine.
const BY_THEMSELVES: Duration = Duration::from_secs(4);
/// Time after which the remaining ranks are killed.
const KILLED: Duration = Duration::from_millis(5500);
/// Maximum time for which a rank may be stopped. Other ranks notice it sooner if they exchange data with it.
const STOPPED: Duration = Duration::from_secs(6);

/// A started rank.
struct StartedRank {
    child: Child,
    status: Option<ExitStatus>,
    /// Last signal that this process sent to the rank because another rank had failed or finished all work.
    sent: Option<Signal>,
    /// Time since when the rank has been stopped.
    stopped: Option<Instant>,
}

/// The ranks. Dropping this value kills those that still run.
struct LaunchedRanks(Vec<StartedRank>);

impl Drop for LaunchedRanks {
    fn drop(&mut self) {
        for started in self.0.iter_mut().filter(|started| started.status.is_none()) {
            let _ = started.child.kill();
            let _ = started.child.wait();
        }
    }
}

pub(crate) fn execute(arguments: &Arguments, json: bool) -> Result<Report, Failure> {
    check(&arguments.command)?;
    let size = usize::from(arguments.ranks);
    let temporary = std::env::temp_dir();
    let folder = TemporaryFolder::of_ranks(&temporary)
        .map_err(|error| Failure::unwritten(&temporary, error, "name another folder for temporary files by TMPDIR"))?;
    let word = Word::random().map_err(|error| {
        Failure::other(format!("the system has no random numbers: {error}"), "let this process read /dev/urandom")
    })?;
    let _temporary = interrupt::Temporary::new(folder.path());
    let _handed_on = interrupt::hand_on();
    let mut ranks = LaunchedRanks(Vec::with_capacity(size));
    for rank in 0..size {
        let mut command = command(arguments, json, rank, folder.path())?;
        let child = command.spawn().map_err(|error| {
            let next = "start fewer ranks, or let this user have more processes (ulimit -u)";
            Failure::other(format!("rank {rank} cannot be started: {error}"), next)
        })?;
        ranks.0.push(StartedRank { child, status: None, sent: None, stopped: None });
        word.hand_to(&mut ranks.0[rank].child)
            .map_err(|error| Failure::other(format!("rank {rank} cannot be reached: {error}"), "start again"))?;
    }
    let code = wait(&mut ranks.0)?;
    if code == 0 { Ok(Report::silent()) } else { Err(Failure::Ranks(code)) }
}

/// Checks once for errors that all ranks would report.
fn check(command: &[OsString]) -> Result<(), Failure> {
    if command.first().is_none_or(|word| word != "run") {
        return Err(Failure::usage("only `run` has ranks", "write `gts launch -n NUMBER run ALGORITHM GRAPH`"));
    }
    let words = [OsString::from("gts")].into_iter().chain(command.iter().cloned());
    let matches = crate::command().try_get_matches_from(words)?;
    let Some(("run", matches)) = matches.subcommand() else { return Ok(()) };
    by_algorithm::chosen(matches).map(drop)
}

/// Returns the command of a rank.
fn command(arguments: &Arguments, json: bool, rank: usize, folder: &Path) -> Result<Command, Failure> {
    let words = started::words()
        .map_err(|error| Failure::other(format!("this program cannot be found: {error}"), "start it by its path"))?;
    let mut words = words.into_iter();
    let mut command = Command::new(words.next().unwrap_or_default());
    command.args(words).args(&arguments.command).args(json.then_some("--json"));
    command.env(group::RANK, rank.to_string()).env(group::SIZE, arguments.ranks.to_string());
    command.env(group::FOLDER, folder).env(group::LAUNCHER, std::process::id().to_string());
    command.stdin(Stdio::piped()).stdout(if rank == 0 { Stdio::inherit() } else { Stdio::null() });
    // Ctrl-C reaches only this process, which forwards it.
    command.process_group(0);
    Ok(command)
}

/// Waits for all ranks. Returns the exit code of the first rank that failed with a code other than 1, otherwise 1.
fn wait(ranks: &mut [StartedRank]) -> Result<u8, Failure> {
    let mut failed: Option<(Duration, u8)> = None;
    let mut done: Option<Duration> = None;
    let mut handed_on = 0;
    let (mut now, mut looked) = (Duration::ZERO, Instant::now());
    while ranks.iter().any(|rank| rank.status.is_none()) {
        std::thread::sleep(LOOKED_EVERY);
        now += looked.elapsed().min(TURN);
        looked = Instant::now();
        let requests = requests::requests();
        for _ in handed_on..requests {
            running(ranks).for_each(|(_, rank)| send(rank.child.id(), Signal::INT));
        }
        handed_on = requests;
        for (number, rank) in running(ranks) {
            match rank.look(number)? {
                Some(0) if number == 0 => done = Some(now),
                None | Some(0) => {}
                Some(code) => {
                    let (_, first) = failed.get_or_insert((now, code));
                    // A rank that ends because of another one has this code, and may end first.
                    if *first == 1 {
                        *first = code;
                    }
                }
            }
        }
        // Once rank 0 has printed the result, the other ranks have nothing left to do.
        if let Some(since) = failed.map(|(since, _)| since).or(done) {
            running(ranks).for_each(|(number, rank)| rank.end(number, now.saturating_sub(since)));
        }
    }
    Ok(if interrupt::requested() { Exit::Interrupted.code() } else { failed.map_or(0, |(_, code)| code) })
}

impl StartedRank {
    /// Checks whether the rank has ended, or is stopped. Returns its exit code, or that of a failure if it was stopped
    /// for too long.
    fn look(&mut self, number: usize) -> Result<Option<u8>, Failure> {
        let process = self.child.id();
        let unknown = |error| Failure::other(format!("rank {number} cannot be waited for: {error}"), "start again");
        self.status = self.child.try_wait().map_err(unknown)?;
        let Some(status) = self.status else {
            let since = is_stopped(process).then(|| self.stopped.unwrap_or_else(Instant::now));
            self.stopped = since;
            if since.is_none_or(|since| since.elapsed() < STOPPED) || self.sent.is_some() {
                return Ok(None);
            }
            tell(format_args!("rank {number} (process {process}) has been stopped for {STOPPED:?}"));
            // The rank's further work is useless.
            send(process, Signal::KILL);
            self.sent = Some(Signal::KILL);
            return Ok(Some(1));
        };
        if self.sent.is_some() {
            return Ok(None);
        }
        if let Some(signal) = status.signal() {
            tell(format_args!("rank {number} (process {process}) was ended by signal {signal}"));
        }
        Ok(Some(status.code().map_or(1, |code| u8::try_from(code).unwrap_or(1))))
    }

    /// Ends the rank if it has had nothing left to do for long enough.
    fn end(&mut self, number: usize, elapsed: Duration) {
        let process = self.child.id();
        let due = match elapsed {
            elapsed if elapsed >= KILLED => Signal::KILL,
            // A stopped process handles no other signal.
            _ if is_stopped(process) => Signal::KILL,
            elapsed if elapsed >= BY_THEMSELVES => Signal::TERM,
            _ => return,
        };
        if matches!(self.sent, Some(sent) if sent == due || sent == Signal::KILL) {
            return;
        }
        if due == Signal::KILL {
            tell(format_args!("rank {number} (process {process}) does not end, and is killed"));
        }
        send(process, due);
        self.sent = Some(due);
    }
}

/// Sends a signal to a child process that has not been waited for yet.
fn send(process: u32, signal: Signal) {
    if let Some(process) = i32::try_from(process).ok().and_then(Pid::from_raw) {
        // It fails if the process has just ended.
        let _ = kill_process(process, signal);
    }
}

/// Returns whether a process is stopped, if the system reports it.
fn is_stopped(process: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // The state follows the name, which may contain anything.
    status.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('T'))
}

/// Returns the running ranks with their numbers.
fn running(ranks: &mut [StartedRank]) -> impl Iterator<Item = (usize, &mut StartedRank)> {
    ranks.iter_mut().enumerate().filter(|(_, rank)| rank.status.is_none())
}
