//! Starts all threads. No other module starts threads directly.
//!
//! The system may refuse to start a thread because of the user's process limit, or because there is no memory for
//! another stack. Work that can run on fewer threads continues with those that started, and a listener is called once
//! per process. Work that needs a fixed number of threads, or at least one, fails with [`NoThreads`].
#![allow(clippy::disallowed_methods)]

use crate::advice::{Advice, Explain};
use gts_contract::language::Code;
use rayon::{ThreadBuilder, ThreadPool, ThreadPoolBuilder};
use std::fmt;
use std::io;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Sender};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread::{self, Builder};

/// The error if no thread started, or fewer threads than the work needs.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("the system starts no further thread ({reason})")]
pub struct NoThreads {
    /// The system's error text.
    pub reason: String,
}

crate::debug_by_explaining!(NoThreads);

impl Explain for NoThreads {
    fn code(&self) -> Code {
        Code::NoThreads
    }

    fn advice(&self) -> Option<Advice> {
        let more = "let this user have more processes (ulimit -u), or this process more memory (ulimit -v), or end other \
                    programs";
        Some(more.into())
    }
}

impl NoThreads {
    /// Creates a `NoThreads` error from the system's error.
    pub fn new(reason: &io::Error) -> Self {
        Self { reason: reason.to_string() }
    }
}

/// Fewer threads started than requested. The work continues with those that started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shortage {
    /// The number of threads that started.
    pub started: usize,
    /// The number of threads requested.
    pub wanted: usize,
    /// The system's error text.
    pub reason: String,
}

impl fmt::Display for Shortage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { started, wanted, reason } = self;
        write!(f, "only {started} of {wanted} threads could be started ({reason}): going on with fewer")
    }
}

/// Bytes of address space per thread stack.
const STACK: u64 = 2 << 20;

static LISTENER: OnceLock<fn(&Shortage)> = OnceLock::new();
static TOLD: AtomicBool = AtomicBool::new(false);
/// The default number of threads per pool; 0 selects the system's default.
static WANTED: AtomicUsize = AtomicUsize::new(0);

/// Sets the `listener` that is called at the first shortage in this process. Later calls have no effect.
pub fn tell_shortage_to(listener: fn(&Shortage)) {
    let _ = LISTENER.set(listener);
}

fn tell(started: usize, wanted: usize, reason: &impl fmt::Display) {
    if let Some(listener) = LISTENER.get()
        && !TOLD.swap(true, Ordering::Relaxed)
    {
        listener(&Shortage { started, wanted, reason: reason.to_string() });
    }
}

/// Starts a detached thread.
pub fn start(name: &str, work: impl FnOnce() + Send + 'static) -> Result<(), NoThreads> {
    let thread = Builder::new().name(name.to_owned()).spawn(work);
    thread.map(drop).map_err(|error| NoThreads::new(&error))
}

/// Starts up to `wanted` detached threads, and returns the number started. `work` is called once per thread and returns
/// the thread's work.
pub fn start_some<W: FnOnce() + Send + 'static>(name: &str, wanted: usize, mut work: impl FnMut() -> W) -> usize {
    let affordable = affordable(wanted);
    for started in 0..affordable {
        if let Err(error) = Builder::new().name(format!("{name}-{started}")).spawn(work()) {
            tell(started, wanted, &error);
            return started;
        }
    }
    affordable
}

/// Divisor of the free address space: the share that a pool's stacks may use. The share is small, so that stacks do not
/// use memory that the work needs.
const SHARE_OF_STACKS: u64 = 16;

/// Returns the number of threads whose stacks fit into their share of the free address space: at least one, and at most
/// `wanted`. Reports a shortage if the number is below `wanted`.
fn affordable(wanted: usize) -> usize {
    let Some(free) = free_address_space() else { return wanted };
    let most = ((free / SHARE_OF_STACKS / STACK) as usize).max(1);
    if most < wanted {
        tell(most, wanted, &"the address space of this process is limited, see ulimit -v");
    }
    wanted.min(most)
}

/// Returns the bytes of address space that the process may still allocate; `None` if there is no limit.
fn free_address_space() -> Option<u64> {
    let limits = std::fs::read_to_string("/proc/self/limits").ok()?;
    let limit: u64 = limits
        .lines()
        .find_map(|line| line.strip_prefix("Max address space"))?
        .split_whitespace()
        .next()?
        .parse()
        .ok()?;
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let taken: u64 =
        status.lines().find_map(|line| line.strip_prefix("VmSize:"))?.split_whitespace().next()?.parse().ok()?;
    Some(limit.saturating_sub(taken << 10))
}

/// Sets the default number of threads per pool. Must be called before the first pool without an explicit size starts.
/// `RAYON_NUM_THREADS` takes precedence.
pub fn want(threads: NonZeroUsize) {
    WANTED.store(threads.get(), Ordering::Relaxed);
}

/// Starts the global thread pool if it is not running. Builds, imports and stores share this pool. All users of the
/// pool must call this function first, because a pool that rayon starts implicitly panics if no thread starts.
pub fn prepare() -> Result<(), NoThreads> {
    static IS_READY: AtomicBool = AtomicBool::new(false);
    static PREPARING: Mutex<()> = Mutex::new(());
    // Inside a pool of the caller, that pool runs the work.
    if IS_READY.load(Ordering::Acquire) || rayon::current_thread_index().is_some() {
        return Ok(());
    }
    let _alone = PREPARING.lock().unwrap_or_else(PoisonError::into_inner);
    if !IS_READY.load(Ordering::Acquire) {
        let mut crew = Crew::start("gts", wanted())?;
        // If the host program already created the global pool, the crew's threads end.
        let _ = crew.builder().spawn_handler(|thread| crew.hire(thread)).build_global();
        IS_READY.store(true, Ordering::Release);
    }
    Ok(())
}

/// Creates a pool of `threads` threads. `None` selects the default number. The pool is smaller if some threads do not
/// start.
pub fn pool(name: &str, threads: Option<NonZeroUsize>) -> Result<ThreadPool, NoThreads> {
    let mut crew = Crew::start(name, threads.unwrap_or_else(wanted))?;
    let pool = crew.builder().spawn_handler(|thread| crew.hire(thread)).build();
    pool.map_err(|error| NoThreads { reason: error.to_string() })
}

/// Returns the default number of threads per pool.
fn wanted() -> NonZeroUsize {
    let given = std::env::var("RAYON_NUM_THREADS").ok().and_then(|text| text.parse().ok());
    let set = || NonZeroUsize::new(WANTED.load(Ordering::Relaxed));
    given.or_else(set).or_else(|| thread::available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN)
}

/// Running threads that wait to join a pool. The pool's size is the number of these threads, so every pool thread
/// exists.
struct Crew(Vec<Sender<ThreadBuilder>>);

impl Crew {
    /// Starts up to `wanted` threads. Fails if none starts.
    fn start(name: &str, wanted: NonZeroUsize) -> Result<Self, NoThreads> {
        let mut crew = Vec::new();
        for number in 0..affordable(wanted.get()) {
            let (hire, hired) = mpsc::channel::<ThreadBuilder>();
            let work = move || hired.recv().map_or((), ThreadBuilder::run);
            match Builder::new().name(format!("{name}-{number}")).spawn(work) {
                Ok(_) => crew.push(hire),
                Err(error) if crew.is_empty() => return Err(NoThreads::new(&error)),
                Err(error) => {
                    tell(crew.len(), wanted.get(), &error);
                    break;
                }
            }
        }
        Ok(Self(crew))
    }

    fn builder(&self) -> ThreadPoolBuilder {
        ThreadPoolBuilder::new().num_threads(self.0.len())
    }

    /// Assigns one of the waiting threads to a pool.
    fn hire(&mut self, thread: ThreadBuilder) -> io::Result<()> {
        let hire = self.0.pop().ok_or(io::ErrorKind::WouldBlock)?;
        hire.send(thread).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}

/// Runs `work` on the calling thread and on up to `helpers` further threads, and waits for all of them. `work` must
/// distribute its items dynamically, because some threads may not start.
pub fn share(helpers: usize, work: impl Fn() + Sync) {
    thread::scope(|scope| {
        for started in 0..helpers {
            if let Err(error) = Builder::new().spawn_scoped(scope, &work) {
                tell(started + 1, helpers + 1, &error);
                break;
            }
        }
        work();
    });
}

/// Runs `action` for all members of a group in parallel. The first member runs on the calling thread, and every other
/// member on its own thread. No action begins before every member has a thread, so members may wait for one another.
pub fn together<M: Send, T: Send>(
    members: impl IntoIterator<Item = M>,
    action: impl Fn(usize, M) -> T + Sync,
) -> Result<Vec<T>, NoThreads> {
    let mut members = members.into_iter();
    let Some(first) = members.next() else { return Ok(Vec::new()) };
    let action = &action;
    thread::scope(|scope| {
        let mut threads = Vec::new();
        for (index, member) in (1..).zip(members) {
            let (begin, begun) = mpsc::channel::<()>();
            let work = move || begun.recv().is_ok().then(|| action(index, member));
            // If a thread does not start, the threads started before it end when their senders are dropped.
            let thread = Builder::new().spawn_scoped(scope, work).map_err(|error| NoThreads::new(&error))?;
            threads.push((begin, thread));
        }
        for (begin, _) in &threads {
            // Cannot fail: the thread waits for the message.
            let _ = begin.send(());
        }
        let mut results = vec![action(0, first)];
        for (_, thread) in threads {
            results.extend(thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        Ok(results)
    })
}

/// Runs `work` on the calling thread and `other` on a second thread, and waits for both.
pub fn beside<T>(other: impl FnOnce() + Send, work: impl FnOnce() -> T) -> Result<T, NoThreads> {
    thread::scope(|scope| {
        let beside = Builder::new().spawn_scoped(scope, other);
        beside.map(|_| work()).map_err(|error| NoThreads::new(&error))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parallel::*;
    use std::sync::Barrier;

    #[test]
    fn a_pool_has_the_threads_that_it_is_given() {
        let pool = pool("test", NonZeroUsize::new(3)).expect("threads");
        assert_eq!(pool.current_num_threads(), 3);
        let sum: u64 = pool.install(|| (0..10_000u64).into_par_iter().sum());
        assert_eq!(sum, 49_995_000);
        let names = pool.broadcast(|_| thread::current().name().map(str::to_owned));
        assert!(names.iter().flatten().all(|name| name.starts_with("test-")), "{names:?}");
    }

    #[test]
    fn the_global_pool_is_prepared_once() {
        prepare().expect("threads");
        prepare().expect("threads");
        assert_eq!((0..100u32).into_par_iter().sum::<u32>(), 4950);
    }

    #[test]
    fn members_of_a_group_may_wait_for_one_another() {
        let barrier = Barrier::new(3);
        let results = together(["a", "b", "c"], |index, name| {
            barrier.wait();
            format!("{index}{name}")
        });
        assert_eq!(results.expect("threads"), ["0a", "1b", "2c"]);
        assert_eq!(together(Vec::<u8>::new(), |_, _| ()).expect("no thread is needed"), []);
    }

    #[test]
    fn shared_work_is_done_by_the_caller_too() {
        let (left, done) = (AtomicUsize::new(100), AtomicUsize::new(0));
        share(2, || {
            while left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok() {
                done.fetch_add(1, Ordering::Relaxed);
            }
        });
        assert_eq!(done.into_inner(), 100);
    }

    #[test]
    fn a_shortage_says_how_many_threads_there_are() {
        let shortage = Shortage { started: 1, wanted: 8, reason: "Resource temporarily unavailable".to_owned() };
        let expected = "only 1 of 8 threads could be started (Resource temporarily unavailable): going on with fewer";
        assert_eq!(shortage.to_string(), expected);
    }
}
