//! Calls: work on a thread of its own, while the calling thread handles signals and reports progress.

use crate::error::{CallError, CallResult};
use gts_graph::core::threads;
use gts_graph::prelude::Engine;
use pyo3::prelude::*;
use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// The time between two checks for signals.
const POLL: Duration = Duration::from_millis(10);
/// The time in which interrupted work may end. After it, the call returns, and the thread ends later.
const GRACE: Duration = Duration::from_millis(100);
/// The time between two calls of a user's callback.
const REPORT: Duration = Duration::from_millis(100);

/// The process that made the first call.
static OWNER: OnceLock<u32> = OnceLock::new();

/// Returns whether this process owns the threads and engines of GTS: no call was made before it was forked.
pub(crate) fn is_owner() -> bool {
    OWNER.get().is_none_or(|owner| *owner == process::id())
}

/// Refuses to work in a process that was forked after the first call, because only one thread survives a fork.
pub(crate) fn check_process() -> CallResult<()> {
    OWNER.get_or_init(process::id);
    if is_owner() {
        return Ok(());
    }
    Err(CallError::usage(
        "this process was forked from one that had used GTS, and has neither its threads nor its devices",
        "start processes with multiprocessing.get_context(\"spawn\"), or fork before the first call",
    ))
}

/// The progress of a call.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct CallProgress {
    /// The name of the phase or kernel.
    pub(crate) phase: &'static str,
    /// The work done.
    pub(crate) done: u64,
    /// All work, if it is known.
    pub(crate) total: Option<u64>,
}

/// The latest progress, which the working thread replaces.
#[derive(Clone, Default)]
pub(crate) struct ProgressCell(Arc<Mutex<CallProgress>>);

impl ProgressCell {
    pub(crate) fn set(&self, progress: CallProgress) {
        *lock(&self.0) = progress;
    }

    fn get(&self) -> CallProgress {
        lock(&self.0).clone()
    }
}

/// A call, as its two threads share it.
#[derive(Clone, Default)]
pub(crate) struct RunningCall {
    stop: Arc<AtomicBool>,
    /// The progress of the current work, and the engine that does it.
    work: Arc<Mutex<(ProgressCell, Option<Engine>)>>,
}

impl RunningCall {
    /// Returns a flag that is set when the call is stopped.
    pub(crate) fn stop_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.stop)
    }

    /// Returns the error of an interruption if the call was stopped.
    pub(crate) fn check(&self) -> CallResult<()> {
        if self.stop.load(Ordering::Relaxed) { Err(gts_graph::Error::Interrupted.into()) } else { Ok(()) }
    }

    /// Returns the progress of work without an engine.
    pub(crate) fn progress(&self) -> ProgressCell {
        lock(&self.work).0.clone()
    }

    /// Records the engine that does the work. Fails if the call was stopped.
    pub(crate) fn use_engine(&self, engine: &Engine, progress: &ProgressCell) -> CallResult<()> {
        let mut work = lock(&self.work);
        *work = (progress.clone(), Some(engine.clone()));
        self.check()
    }

    /// Stops the work.
    fn stop(&self) {
        let work = lock(&self.work);
        self.stop.store(true, Ordering::Relaxed);
        work.1.iter().for_each(Engine::interrupt);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs `work` on a separate thread, without the lock of the interpreter. If a signal handler or `listener` raises an
/// exception, such as `KeyboardInterrupt`, stops the work and raises the exception.
pub(crate) fn run<T: Send + 'static>(
    py: Python<'_>,
    listener: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&RunningCall) -> CallResult<T> + Send + 'static,
) -> CallResult<T> {
    wait(py, listener, GRACE, work)
}

/// Runs `work` as [`run`] does, but lets it finish before an exception is raised.
pub(crate) fn finish<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> CallResult<T> + Send + 'static,
) -> CallResult<T> {
    wait(py, None, Duration::MAX, move |_| work())
}

fn wait<T: Send + 'static>(
    py: Python<'_>,
    listener: Option<&Bound<'_, PyAny>>,
    grace: Duration,
    work: impl FnOnce(&RunningCall) -> CallResult<T> + Send + 'static,
) -> CallResult<T> {
    check_process()?;
    let call = RunningCall::default();
    let working = call.clone();
    let (sender, mut receiver) = mpsc::sync_channel(1);
    let started = threads::start("gts-python", move || drop(sender.send(work(&working))));
    started.map_err(gts_graph::Error::from)?;
    let (mut reported_at, mut reported) = (Instant::now(), CallProgress::default());
    loop {
        let lent = &mut receiver;
        let received = py.detach(move || lent.recv_timeout(POLL));
        match received {
            Ok(result) => return result,
            Err(RecvTimeoutError::Disconnected) => return Err(CallError::defect("the work ended without a result")),
            Err(RecvTimeoutError::Timeout) => {}
        }
        let mut checked = py.check_signals();
        if let (Ok(()), Some(callback)) = (&checked, listener)
            && reported_at.elapsed() >= REPORT
        {
            let progress = call.progress().get();
            if progress != reported {
                checked = callback.call1((progress.phase, progress.done, progress.total)).map(drop);
            }
            (reported_at, reported) = (Instant::now(), progress);
        }
        if let Err(exception) = checked {
            call.stop();
            // If the result arrives now, drops it together with the stopped engine.
            let _ = py.detach(move || receiver.recv_timeout(grace).map(drop));
            return Err(CallError::of(exception));
        }
    }
}
