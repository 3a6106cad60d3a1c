//! Passes over pages that are not in memory: the calling thread feeds pages, and the pool works on those that are there.
//!
//! Reads go on by themselves while the pool computes; the calling thread does no more than hand on. It stays a few
//! groups ahead of the pool: enough that no thread waits where storage is fast, few enough that the host buffer keeps
//! the pages of the passes before.

use crate::error::{Error, Result};
use gts_core::page::{PageGroup, PageRun, PageView, Topology};
use gts_core::store::StoreError;
use rayon::ThreadPool;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

/// The most bytes of a group: the work of some ten milliseconds.
const GROUP: usize = 4 << 20;
/// How long a wait lasts before `stopped` is asked again.
const PATIENCE: Duration = Duration::from_millis(20);

/// Room for groups that the pool has not finished.
struct Room {
    free: Mutex<usize>,
    freed: Condvar,
}

impl Room {
    fn new(groups: usize) -> Self {
        Self { free: Mutex::new(groups), freed: Condvar::new() }
    }

    /// Takes the room of one group, when there is some; `false` where `stopped` answers `true` before.
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

/// A group that takes room while work on it is left.
struct Working<'a> {
    /// Dropped before the room is given back.
    group: Option<PageGroup>,
    room: &'a Room,
}

impl Drop for Working<'_> {
    fn drop(&mut self) {
        self.group = None;
        self.room.give_back();
    }
}

/// Has the pool do the work for the pages of these runs: `cut` answers the units of a page, and `work` does one.
/// `fed` is told of each group as it comes. Ends early, without an error, where `stopped` answers `true`.
///
/// # Errors
///
/// Pages that cannot be read.
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
    let room = Room::new(feed.most_held().min(2 * pool.current_num_threads() + 2));
    let work = &work;
    // The units run in the pool; what is done here runs in this thread, which is none of the pool's.
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
