//! Passes over pages that are not in memory: the calling thread supplies the pages that the pool processes.
//!
//! Reads run in the background while the pool computes. The calling thread only forwards pages, and stays a few groups
//! ahead of the pool. This lead is long enough to hide the latency of fast storage, and short enough to leave the pages
//! of earlier passes in the host buffer.

use gts_core::page::{PageGroup, PageRun, PageView, Topology};
use gts_core::store::StoreError;
use gts_device::error::{Error, Result};
use rayon::ThreadPool;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

/// Maximum size of a group in bytes: about ten milliseconds of work.
const GROUP: usize = 4 << 20;
/// Interval at which a waiting thread checks `stopped`.
const PATIENCE: Duration = Duration::from_millis(20);

/// A counting semaphore that limits the number of unfinished groups.
struct GroupPermits {
    free: Mutex<usize>,
    freed: Condvar,
}

impl GroupPermits {
    fn new(groups: usize) -> Self {
        Self { free: Mutex::new(groups), freed: Condvar::new() }
    }

    /// Acquires a permit for one group, waiting if necessary. Returns `false` if `stopped` returns `true` during the
    /// wait.
    fn take(&self, stopped: &dyn Fn() -> bool) -> bool {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        while *free == 0 {
            if stopped() {
                return false;
            }
            free = self.freed.wait_timeout(free, PATIENCE).unwrap_or_else(PoisonError::into_inner).0;
        }
        *free -= 1;
        true
    }

    fn give_back(&self) {
        *self.free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.freed.notify_one();
    }
}

/// A group with unfinished work. Dropping this value returns the group's permit.
struct Working<'a> {
    /// The pages, which are dropped before the permit is returned.
    group: Option<PageGroup>,
    room: &'a GroupPermits,
}

impl Drop for Working<'_> {
    fn drop(&mut self) {
        self.group = None;
        self.room.give_back();
    }
}

/// Processes the pages of `runs` in the pool. `cut` returns the units of a page, and `work` processes one unit. `fed`
/// receives each group before the group's pages are processed. Returns early, without an error, if `stopped` returns
/// `true`.
///
/// # Errors
///
/// A page cannot be read.
pub(super) fn stream<T: Send>(
    pool: &ThreadPool,
    topology: &Topology,
    runs: &[PageRun],
    stopped: &dyn Fn() -> bool,
    mut fed: impl FnMut(&PageGroup),
    cut: impl Fn(&PageView<'_>) -> Vec<T>,
    work: impl Fn(PageView<'_>, T) + Sync,
) -> Result<()> {
    let mut feed = topology.source().feed(runs, GROUP)?;
    let room = GroupPermits::new(feed.most_held().min(2 * pool.current_num_threads() + 2));
    let work = &work;
    // The units run in the pool. This closure runs on the calling thread, which is not part of the pool.
    pool.in_place_scope(|scope| {
        while room.take(stopped) {
            let group = match feed.next_unless(stopped) {
                Ok(Some(group)) => group,
                Ok(None) | Err(StoreError::Stopped) => return Ok(()),
                Err(error) => return Err(Error::from(error)),
            };
            fed(&group);
            let working = Arc::new(Working { group: Some(group), room: &room });
            let Some(group) = &working.group else { continue };
            for (place, (_, page)) in topology.pages_in(group).enumerate() {
                for unit in cut(&page) {
                    let working = Arc::clone(&working);
                    scope.spawn(move |_| {
                        let pages = working.group.as_ref().map(|group| topology.pages_in(group));
                        if let Some((_, page)) = pages.and_then(|mut pages| pages.nth(place)) {
                            work(page, unit);
                        }
                    });
                }
            }
        }
        Ok(())
    })
}
