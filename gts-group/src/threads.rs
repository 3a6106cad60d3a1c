//! Ranks that are threads of one process, for tests and for simulating several processes.

use super::ending::Ending;
use super::{Call, Group, MESSAGE_BYTES, Message, Stamp};
use gts_core::threads;
use gts_device::error::{Error, Result};
use gts_device::kernel::StopFlag;
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The interval at which a waiting rank checks whether to stop.
const ASKED_EVERY: Duration = Duration::from_millis(20);

/// The group handle of a rank that runs as a thread.
#[derive(Debug)]
pub struct ThreadGroup {
    rank: usize,
    message_bytes: usize,
    shared: Arc<Monitor>,
}

#[derive(Debug)]
struct Monitor {
    state: Mutex<MailState>,
    changed: Condvar,
}

#[derive(Debug)]
struct MailState {
    /// Messages in transit, by receiver and sender.
    mail: Vec<Vec<VecDeque<Message>>>,
    /// The number of exchanges that each rank has begun.
    begun: Vec<u64>,
    /// Whether each rank has left.
    left: Vec<bool>,
    ending: Ending,
}

/// Creates the handles of all ranks of a group.
pub fn group(size: usize) -> Vec<ThreadGroup> {
    group_with(size, MESSAGE_BYTES)
}

/// Creates the handles of all ranks of a group. Each message contains at most `message_bytes` bytes.
pub fn group_with(size: usize, message_bytes: usize) -> Vec<ThreadGroup> {
    let state = MailState {
        mail: (0..size).map(|_| vec![VecDeque::new(); size]).collect(),
        begun: vec![0; size],
        left: vec![false; size],
        ending: Ending::default(),
    };
    let shared = Arc::new(Monitor { state: Mutex::new(state), changed: Condvar::new() });
    (0..size).map(|rank| ThreadGroup { rank, message_bytes, shared: Arc::clone(&shared) }).collect()
}

/// Creates a group and runs an action on all ranks concurrently. The first rank runs in the calling thread. Returns the
/// results in rank order. A rank that fails ends the group.
///
/// # Errors
///
/// A rank fails, or a thread cannot be started. If several ranks fail, returns the error of the first rank whose
/// failure is not a consequence of another failure.
pub fn ranks<T: Send>(size: usize, action: impl Fn(ThreadGroup) -> Result<T> + Sync) -> Result<Vec<T>> {
    of_each(group(size), |_, group| action(group))
}

/// Runs an action on all ranks of an existing group, like [`ranks`].
///
/// # Errors
///
/// Returns the errors of [`ranks`].
pub fn of_each<T: Send>(
    group: Vec<ThreadGroup>,
    action: impl Fn(usize, ThreadGroup) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let done = threads::together(group, |index, rank: ThreadGroup| {
        let shared = Arc::clone(&rank.shared);
        action(index, rank).inspect_err(|error| shared.abort(index, &error.to_string()))
    })?;
    let mut errors = done.iter().filter_map(|done| done.as_ref().err());
    let consequence = |error: &&Error| matches!(error, Error::Aborted { .. });
    match errors.clone().find(|error| !consequence(error)).or_else(|| errors.next()) {
        Some(error) => Err(error.clone()),
        None => done.into_iter().collect(),
    }
}

impl Monitor {
    fn lock(&self) -> MutexGuard<'_, MailState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn abort(&self, rank: usize, reason: &str) {
        let mut state = self.lock();
        let ranks = state.left.len();
        state.end(Error::Aborted { rank, ranks, reason: reason.to_owned() });
        self.changed.notify_all();
    }
}

impl MailState {
    /// Ends the group, unless the group has already ended. Returns the first error, which is the cause.
    fn end(&mut self, error: Error) -> Error {
        self.ending.end(&error).err().unwrap_or(error)
    }
}

impl Group for ThreadGroup {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.shared.lock().left.len()
    }

    fn message_bytes(&self) -> usize {
        self.message_bytes
    }

    fn exchange(&self, call: &Call<'_>, messages: &[&[u8]], received: &mut [Vec<u8>]) -> Result<()> {
        let mut state = self.shared.lock();
        state.ending.check()?;
        let stamp = Stamp::new(state.begun[self.rank], call.place);
        state.begun[self.rank] += 1;
        let others = (0..messages.len()).filter(|&rank| rank != self.rank);
        for rank in others.clone() {
            state.mail[rank][self.rank].push_back((stamp.clone(), messages[rank].to_vec()));
        }
        self.shared.changed.notify_all();
        for rank in others {
            let (theirs, message) = loop {
                state.ending.check()?;
                if let Some(mail) = state.mail[self.rank][rank].pop_front() {
                    break mail;
                }
                if state.left[rank] {
                    let why = format!("it ended while rank {} waited for it at {}", self.rank, stamp.text);
                    return Err(state.end(Error::LostRank { rank, ranks: messages.len(), why }));
                }
                let waited = self.shared.changed.wait_timeout(state, ASKED_EVERY);
                state = waited.unwrap_or_else(PoisonError::into_inner).0;
                (call.stopped)()?;
            };
            if let Err(error) = stamp.check(self.rank, &theirs, rank) {
                let error = state.end(error);
                self.shared.changed.notify_all();
                return Err(error);
            }
            received[rank] = message;
        }
        Ok(())
    }

    fn abort(&self, reason: &str) {
        self.shared.abort(self.rank, reason);
    }

    fn leave(&self) {
        self.shared.lock().left[self.rank] = true;
        self.shared.changed.notify_all();
    }

    fn tie(&self, flag: &Arc<StopFlag>) {
        self.shared.lock().ending.tie(flag);
    }
}

impl Drop for ThreadGroup {
    fn drop(&mut self) {
        self.leave();
    }
}
