//! Ctrl-C, and other signals that request an end: a run ends after its pass, and incomplete stores and temporary files
//! are removed.

use crate::error::Failure;
use crate::exit;
use crate::lines::tell;
pub use crate::requests::requested;
use crate::requests::{self, INTERRUPTION};
use gts_graph::Engine;
use gts_graph::contract::language::Exit;
use gts_graph::core::phase::{self, Phase};
use gts_graph::core::store::io::{DirectoryLock, FileSystem, Io, Reader, Writer};
use gts_graph::core::threads;
use gts_graph::folder;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Work to end and files to remove on interruption.
struct State {
    /// The running engine.
    engine: Option<Engine>,
    /// Whether a store is being written. Its writer cleans up by itself.
    saving: bool,
    /// Whether other processes do the work, so that interruptions are forwarded to them.
    hands_on: bool,
    /// Files and folders to remove.
    temporary: Vec<PathBuf>,
}

static STATE: Mutex<State> = Mutex::new(State { engine: None, saving: false, hands_on: false, temporary: Vec::new() });

fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Handles from now on Ctrl-C, the signals of `kill` and of a closing terminal, and the signal of a file beyond the limit
/// of the system (`ulimit -f`). `nohup` makes a process ignore the signal of a closing terminal, and it remains ignored.
///
/// A file beyond the limit would end the process. Instead, its write fails like one on a full disk. The first of the other
/// signals ends a run or the writing of a store in order. A signal during other work, or a second one, removes temporary
/// files and ends the process.
///
/// Fails if the system cannot provide a thread for the handler, or a file to wake it: Ctrl-C would then have no effect.
#[cfg(unix)]
pub(crate) fn install() -> Result<(), Failure> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
    let handled = [SIGINT, SIGTERM, SIGXFSZ].into_iter().chain((!is_ignored(SIGHUP)).then_some(SIGHUP));
    let cannot = |error: &dyn std::fmt::Display| {
        Failure::other(
            format!("Ctrl-C cannot be handled: {error}"),
            "let this user have more processes (ulimit -u) and open files (ulimit -n), or end other programs",
        )
    };
    let mut signals = signal_hook::iterator::Signals::new(handled).map_err(|error| cannot(&error))?;
    threads::start("gts-signals", move || {
        signals.forever().filter(|signal| *signal != SIGXFSZ).for_each(|_| interrupt())
    })
    .map_err(|error| cannot(&error))
}

/// Leaves Ctrl-C to the system.
#[cfg(not(unix))]
pub(crate) fn install() -> Result<(), Failure> {
    Ok(())
}

/// Returns whether this process ignores a signal. Only Linux tells.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

/// Ends the work, or the process.
#[cfg(unix)]
fn interrupt() {
    let state = state();
    let first = requests::add() == 0;
    if let (true, Some(engine)) = (first, &state.engine) {
        engine.interrupt();
    } else if !(first && state.saving || state.hands_on) {
        tell(INTERRUPTION);
        remove_and_exit(&state, Exit::Interrupted.code());
    }
}

/// Runs `action`, an algorithm's driver, so that an interruption ends the engine's run.
pub fn while_running<T>(engine: &Engine, action: impl FnOnce() -> T) -> T {
    state().engine = Some(engine.clone());
    let result = phase::during(Phase::Driver, action);
    state().engine = None;
    result
}

/// Runs `action`, which writes a store through [`Stoppable`]. As soon as it has begun to write, an interruption lets it
/// clean up.
pub fn while_saving<T>(action: impl FnOnce() -> T) -> T {
    let result = action();
    state().saving = false;
    result
}

/// Leaves interruptions to other processes, to which the caller forwards them, until the result is dropped.
#[cfg(unix)]
pub(crate) fn hand_on() -> HandingOn {
    state().hands_on = true;
    HandingOn
}

/// Guard: interruptions are left to other processes while it exists.
#[cfg(unix)]
#[derive(Debug)]
pub(crate) struct HandingOn;

#[cfg(unix)]
impl Drop for HandingOn {
    fn drop(&mut self) {
        state().hands_on = false;
    }
}

/// Ends the process with a failure, whatever the process is doing.
#[cfg(unix)]
pub(crate) fn end_with(failure: Failure) {
    let state = state();
    let code = failure.tell();
    remove_and_exit(&state, code);
}

/// Reports the failure that ends the process, removes temporary files, and returns the exit code.
#[cfg(feature = "mpi")]
pub(crate) fn last_words(failure: Failure) -> u8 {
    let code = failure.tell();
    state().temporary.iter().for_each(|path| remove(path));
    code
}

/// Removes temporary files and ends the process. Files that cannot be removed now are left over, but their names are
/// not those of answers or stores.
fn remove_and_exit(state: &State, code: u8) {
    state.temporary.iter().for_each(|path| remove(path));
    exit::end_rank(code);
    std::process::exit(code.into());
}

fn remove(path: &Path) {
    let _ = if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
}

/// A temporary file or folder. An interruption removes it until this value is dropped.
#[derive(Debug)]
pub struct Temporary(PathBuf);

impl Temporary {
    /// Registers a file or a folder for removal.
    pub fn new(path: &Path) -> Self {
        state().temporary.push(path.to_owned());
        Self(path.to_owned())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        state().temporary.retain(|path| *path != self.0);
    }
}

/// The file system. Its writes fail after the process was asked to end.
pub struct Stoppable {
    /// Whether only this user may read and write new files, regardless of the umask.
    pub private: bool,
}

impl Stoppable {
    fn created(&self, path: &Path, writer: Box<dyn Writer>) -> io::Result<Box<dyn Writer>> {
        if self.private {
            folder::make_private(path)?;
        }
        Ok(Box::new(StoppableWriter(writer)))
    }
}

struct StoppableWriter(Box<dyn Writer>);

fn unless_requested() -> io::Result<()> {
    if requested() { Err(io::Error::new(io::ErrorKind::Interrupted, INTERRUPTION)) } else { Ok(()) }
}

impl Io for Stoppable {
    fn exists(&self, path: &Path) -> io::Result<bool> {
        FileSystem.exists(path)
    }

    fn create_dir(&self, path: &Path) -> io::Result<()> {
        // From here on an interruption requires a clean-up.
        state().saving = true;
        unless_requested()?;
        if self.private { folder::create_new_private(path) } else { FileSystem.create_dir(path) }
    }

    fn create(&self, path: &Path) -> io::Result<Box<dyn Writer>> {
        unless_requested()?;
        self.created(path, FileSystem.create(path)?)
    }

    fn create_direct(&self, path: &Path) -> io::Result<Box<dyn Writer>> {
        unless_requested()?;
        self.created(path, FileSystem.create_direct(path)?)
    }

    fn read_direct(&self, path: &Path) -> io::Result<Box<dyn Reader>> {
        unless_requested()?;
        FileSystem.read_direct(path)
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn Reader>> {
        unless_requested()?;
        FileSystem.open(path)
    }

    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        FileSystem.sync_dir(path)
    }

    fn rename_dir(&self, from: &Path, to: &Path) -> io::Result<()> {
        FileSystem.rename_dir(from, to)
    }

    fn exchange_dirs(&self, one: &Path, other: &Path) -> io::Result<()> {
        FileSystem.exchange_dirs(one, other)
    }

    fn canonicalize(&self, path: &Path) -> io::Result<PathBuf> {
        FileSystem.canonicalize(path)
    }

    fn remove_dir_all(&self, path: &Path) -> io::Result<()> {
        FileSystem.remove_dir_all(path)
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        FileSystem.remove_file(path)
    }

    fn names(&self, path: &Path) -> io::Result<Vec<OsString>> {
        FileSystem.names(path)
    }

    fn lock_dir(&self, path: &Path) -> io::Result<Option<DirectoryLock>> {
        FileSystem.lock_dir(path)
    }
}

impl Writer for StoppableWriter {
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        unless_requested()?;
        self.0.write_all(bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.0.sync()
    }
}
