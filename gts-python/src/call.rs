//! Work on a thread of its own, while the calling thread answers Ctrl-C and shows progress.

use crate::error::{CallError, CallResult};
use gts_graph::core::threads;
use pyo3::prelude::*;
use std::process;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// The time between two looks for Ctrl-C.
const LOOK: Duration = Duration::from_millis(10);
/// The time that interrupted work has to end before its thread is left alone.
const GRACE: Duration = Duration::from_millis(100);
/// The time between two calls of a user's callback.
const TELL: Duration = Duration::from_millis(100);

/// The process that started the first thread.
static OWNER: OnceLock<u32> = OnceLock::new();

/// Refuses to work in a process that was forked after threads started, because a fork has none of them.
pub(crate) fn check_process() -> CallResult<()> {
    if *OWNER.get_or_init(process::id) == process::id() {
        return Ok(());
    }
    Err(CallError::usage(
        "this process was forked from one in which GTS had worked, and threads and devices do not survive that",
        "start processes with multiprocessing.get_context(\"spawn\"), or fork before the first call",
    ))
}

/// The news of some work, for the user's callback: its phase, what is done, and the total if it is known.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct News {
    pub(crate) phase: &'static str,
    pub(crate) done: u64,
    pub(crate) total: Option<u64>,
}

/// The latest news, which the working thread replaces.
#[derive(Clone, Default)]
pub(crate) struct Board(Arc<Mutex<News>>);

impl Board {
    pub(crate) fn put(&self, news: News) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = news;
    }

    fn read(&self) -> News {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Runs `work` on a thread of its own, without the lock of the interpreter. After an exception of a signal handler, such
/// as `KeyboardInterrupt`, or of `listener`, calls `stop` and raises the exception.
pub(crate) fn run<T: Send + 'static>(
    py: Python<'_>,
    listener: Option<(&Bound<'_, PyAny>, Board)>,
    stop: impl Fn(),
    work: impl FnOnce() -> CallResult<T> + Send + 'static,
) -> CallResult<T> {
    check_process()?;
    let (sender, mut receiver) = mpsc::sync_channel(1);
    let begun = threads::start("gts-python", move || drop(sender.send(work())));
    begun.map_err(gts_graph::Error::from)?;
    let mut told = (Instant::now(), News::default());
    loop {
        let lent = &mut receiver;
        let received = py.detach(move || lent.recv_timeout(LOOK));
        match received {
            Ok(result) => return result,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(CallError::usage("the work ended without a result", "report this as a defect of GTS"));
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
        let mut answered = py.check_signals();
        if let (Ok(()), Some((callback, board))) = (&answered, &listener)
            && told.0.elapsed() >= TELL
        {
            let news = board.read();
            if news != told.1 {
                answered = callback.call1((news.phase, news.done, news.total)).map(drop);
            }
            told = (Instant::now(), news);
        }
        if let Err(exception) = answered {
            stop();
            let _ = py.detach(move || receiver.recv_timeout(GRACE).map(drop));
            return Err(CallError::of(exception));
        }
    }
}
