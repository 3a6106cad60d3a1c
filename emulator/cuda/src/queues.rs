//! Streams and events: queues of work that runs asynchronously.
//!
//! One lock protects all queues. Work that takes time is done by the threads of [`crate::workers`] without the lock.
//! Other work, such as marks and waits, is done under the lock as soon as it is first in its queue.

use crate::codes::{Code, Result};
use crate::contexts;
use crate::launches::Job;
use crate::workers;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Source of the bytes to copy.
#[derive(Debug)]
pub(crate) enum Source {
    /// An address, read when the copy runs.
    Address(u64),
    /// Bytes read when the copy was queued.
    Bytes(Box<[u8]>),
}

/// An entry of a queue.
#[derive(Debug)]
pub(crate) enum Work {
    Copy {
        target: u64,
        source: Source,
        bytes: u64,
    },
    Fill {
        target: u64,
        value: u8,
        bytes: u64,
    },
    Launch(Arc<Job>),
    /// Completes the event's mark with this number.
    Mark(Arc<Event>, u64),
    /// Waits until the event's mark with this number is completed.
    Wait(Arc<Event>, u64),
    /// Waits until another queue (the first number) has completed this number of entries (the second number).
    After(u64, u64),
}

/// An event. Its marks are numbered from 1 and are entries of queues.
#[derive(Debug)]
pub(crate) struct Event {
    pub(crate) device: u32,
    /// Whether the time of the event can be queried.
    pub(crate) is_timed: bool,
    /// Number of marks queued.
    pub(crate) put: AtomicU64,
    /// Highest mark that has been completed.
    pub(crate) reached: AtomicU64,
    /// Time at which the last mark was completed.
    pub(crate) at: Mutex<Option<Instant>>,
}

impl Event {
    fn reach(&self, number: u64) {
        *self.at.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        self.reached.fetch_max(number, SeqCst);
    }
}

/// The queue of a stream.
#[derive(Debug)]
pub(crate) struct Queue {
    pub(crate) device: u32,
    /// Whether this queue and the null stream wait for each other.
    blocking: bool,
    /// Scheduling priority. Queues with lower numbers are served first.
    priority: i32,
    works: VecDeque<Work>,
    /// Whether the first entry is in progress.
    busy: bool,
    put: u64,
    done: u64,
    /// Whether the queue is to be removed when its work is done.
    closing: bool,
}

/// All queues and events.
#[derive(Debug, Default)]
pub(crate) struct State {
    queues: BTreeMap<u64, Queue>,
    /// Priority and handle of each queue that has work.
    pending: Vec<(i32, u64)>,
    /// Handle of each device's null stream, by device.
    null: BTreeMap<u32, u64>,
    events: HashMap<u64, Arc<Event>>,
    /// The last handle assigned.
    last: u64,
    /// Launches in progress.
    pub(crate) running: Vec<Arc<Job>>,
    /// Index in `running` of the launch that a worker took last.
    pub(crate) turn: usize,
    /// Number of host threads waiting for work to be completed.
    waiting: usize,
    /// Number of workers waiting for work.
    pub(crate) sleeping: usize,
}

static STATE: Mutex<Option<State>> = Mutex::new(None);
/// Signals workers that there is work.
pub(crate) static WORK: Condvar = Condvar::new();
/// Signals waiting callers that work is completed.
static DONE: Condvar = Condvar::new();

/// The state, locked until this value is dropped.
pub(crate) struct Locked(pub(crate) MutexGuard<'static, Option<State>>);

impl std::ops::Deref for Locked {
    type Target = State;

    fn deref(&self) -> &State {
        self.0.as_ref().unwrap_or_else(|| unreachable!("made when it was locked"))
    }
}

impl std::ops::DerefMut for Locked {
    fn deref_mut(&mut self) -> &mut State {
        self.0.get_or_insert_with(State::default)
    }
}

/// Locks the state of all queues.
pub(crate) fn lock() -> Locked {
    let mut state = STATE.lock().unwrap_or_else(PoisonError::into_inner);
    state.get_or_insert_with(State::default);
    Locked(state)
}

/// Granularity of handles. Multiples of it cannot be mistaken for small numbers.
const HANDLE: u64 = 0x100;

/// Creates the null stream of a device.
pub(crate) fn open(device: u32) {
    let mut state = lock();
    let handle = state.add(Queue::new(device, false, 0));
    state.null.insert(device, handle);
}

/// Waits for all work of a device, then removes its queues and events.
pub(crate) fn close(device: u32) {
    let _ = synchronize(device);
    let mut state = lock();
    state.null.remove(&device);
    state.queues.retain(|_, queue| queue.device != device);
    state.events.retain(|_, event| event.device != device);
}

/// Discards all work of a device that has not begun, and stops its launches.
pub(crate) fn abandon(device: u32) {
    let mut state = lock();
    for queue in state.queues.values_mut().filter(|queue| queue.device == device) {
        let kept = usize::from(queue.busy);
        for work in queue.works.drain(kept.min(queue.works.len())..) {
            queue.done += 1;
            if let Work::Mark(event, number) = work {
                event.reach(number);
            }
        }
    }
    for job in state.running.iter().filter(|job| job.device == device) {
        job.abandon();
    }
    WORK.notify_all();
    DONE.notify_all();
}

/// Creates a stream.
pub(crate) fn create(device: u32, blocking: bool, priority: i32) -> u64 {
    lock().add(Queue::new(device, blocking, priority))
}

/// Destroys a stream when its work is done.
pub(crate) fn destroy(handle: u64) -> Result<()> {
    let mut state = lock();
    let queue = state.queues.get_mut(&handle).ok_or(Code::INVALID_HANDLE)?;
    queue.closing = true;
    if queue.is_done() {
        state.queues.remove(&handle);
    }
    Ok(())
}

/// Creates an event.
pub(crate) fn create_event(device: u32, is_timed: bool) -> u64 {
    let event = Event { device, is_timed, put: AtomicU64::new(0), reached: AtomicU64::new(0), at: Mutex::new(None) };
    let mut state = lock();
    let handle = state.next();
    state.events.insert(handle, Arc::new(event));
    handle
}

/// Returns the event of a handle.
pub(crate) fn event(handle: u64) -> Result<Arc<Event>> {
    lock().events.get(&handle).cloned().ok_or(Code::INVALID_HANDLE)
}

/// Removes an event.
pub(crate) fn destroy_event(handle: u64) -> Result<()> {
    lock().events.remove(&handle).map(drop).ok_or(Code::INVALID_HANDLE)
}

/// Returns the queue of a stream handle. Handle 0 is the null stream of the current context.
pub(crate) fn of_handle(handle: u64) -> Result<u64> {
    let state = lock();
    let handle = match handle {
        0 => *state.null.get(&contexts::current()?).ok_or(Code::INVALID_CONTEXT)?,
        _ => handle,
    };
    state.queues.contains_key(&handle).then_some(handle).ok_or(Code::INVALID_HANDLE)
}

/// Returns the device of a queue.
pub(crate) fn device(queue: u64) -> Result<u32> {
    lock().queues.get(&queue).map(|queue| queue.device).ok_or(Code::INVALID_HANDLE)
}

/// Appends work to a queue, after the waits that its relation to the null stream requires.
pub(crate) fn put(queue: u64, work: Work) -> Result<()> {
    workers::start();
    let mut state = lock();
    let found = state.queues.get(&queue).ok_or(Code::INVALID_HANDLE)?;
    let (device, blocking) = (found.device, found.blocking);
    let null = state.null.get(&device).copied();
    if null == Some(queue) {
        let others = state.queues.iter().filter(|(_, other)| other.device == device && other.blocking);
        let others: Vec<_> = others.filter(|(_, other)| !other.is_done()).map(|(&id, other)| (id, other.put)).collect();
        for (other, put) in others {
            state.push(queue, Work::After(other, put));
        }
    } else if let Some(null) = null.filter(|_| blocking) {
        let put = state.queues[&null].put;
        if !state.queues[&null].is_done() {
            state.push(queue, Work::After(null, put));
        }
    }
    state.push(queue, work);
    if state.sleeping > 0 {
        WORK.notify_one();
    }
    Ok(())
}

/// Queues the event's next mark.
pub(crate) fn mark(queue: u64, event: &Arc<Event>) -> Result<()> {
    let number = event.put.fetch_add(1, SeqCst) + 1;
    put(queue, Work::Mark(Arc::clone(event), number))
}

/// Makes later work in a queue wait for the event's last mark.
pub(crate) fn wait_for(queue: u64, event: &Arc<Event>) -> Result<()> {
    let number = event.put.load(SeqCst);
    if event.reached.load(SeqCst) >= number {
        return Ok(());
    }
    put(queue, Work::Wait(Arc::clone(event), number))
}

/// Maximum time that a query waits for a positive result. The wait leaves the processor to the workers while a caller
/// polls.
const NAP: Duration = Duration::from_micros(100);

/// Returns whether a queue has completed all of its work.
pub(crate) fn is_done(queue: u64) -> Result<bool> {
    let state = nap_until(|state| state.queues.get(&queue).is_none_or(Queue::is_done));
    state.queues.get(&queue).map(Queue::is_done).ok_or(Code::INVALID_HANDLE)
}

/// Returns whether the event's last mark is completed, or the event has no mark.
pub(crate) fn is_reached(event: &Event) -> bool {
    let is_reached = || event.reached.load(SeqCst) >= event.put.load(SeqCst);
    is_reached() || {
        drop(nap_until(|_| is_reached()));
        is_reached()
    }
}

/// Waits until a queue has completed the work that it contains now.
pub(crate) fn synchronize_queue(queue: u64) -> Result<()> {
    let put = lock().queues.get(&queue).ok_or(Code::INVALID_HANDLE)?.put;
    wait_until(|state| state.queues.get(&queue).is_none_or(|queue| queue.done >= put));
    Ok(())
}

/// Waits until all queues of a device are empty.
pub(crate) fn synchronize(device: u32) -> Result<()> {
    wait_until(|state| state.queues.values().all(|queue| queue.device != device || queue.is_done()));
    contexts::failure(device).map_or(Ok(()), Err)
}

/// Waits until the event's last mark is completed.
pub(crate) fn synchronize_event(event: &Event) {
    let put = event.put.load(SeqCst);
    wait_until(|_| event.reached.load(SeqCst) >= put);
}

fn nap_until(is_done: impl Fn(&State) -> bool) -> Locked {
    let mut state = lock();
    state.advance();
    if !is_done(&state) {
        state.waiting += 1;
        state = Locked(DONE.wait_timeout(state.0, NAP).unwrap_or_else(PoisonError::into_inner).0);
        state.waiting -= 1;
    }
    state
}

fn wait_until(is_done: impl Fn(&State) -> bool) {
    let mut state = lock();
    state.advance();
    while !is_done(&state) {
        state.waiting += 1;
        state = Locked(DONE.wait(state.0).unwrap_or_else(PoisonError::into_inner));
        state.waiting -= 1;
    }
}

/// Work for a worker thread.
#[derive(Debug)]
pub(crate) enum Task {
    /// The first entry of a queue: a copy or a fill.
    Move(u64, Work),
    /// A launch in progress.
    Run(Arc<Job>),
}

impl Queue {
    fn new(device: u32, blocking: bool, priority: i32) -> Self {
        Self { device, blocking, priority, works: VecDeque::new(), busy: false, put: 0, done: 0, closing: false }
    }

    fn is_done(&self) -> bool {
        self.done == self.put
    }
}

impl State {
    fn next(&mut self) -> u64 {
        self.last += HANDLE;
        self.last
    }

    fn add(&mut self, queue: Queue) -> u64 {
        let handle = self.next();
        self.queues.insert(handle, queue);
        handle
    }

    fn push(&mut self, queue: u64, work: Work) {
        let Some(found) = self.queues.get_mut(&queue) else { return };
        found.put += 1;
        found.works.push_back(work);
        let entry = (found.priority, queue);
        if let Err(place) = self.pending.binary_search(&entry) {
            self.pending.insert(place, entry);
        }
    }

    /// Completes entries that take no time, and starts launches that are first in their queue. Returns whether any
    /// entry made progress.
    pub(crate) fn advance(&mut self) -> bool {
        let mut any = false;
        loop {
            let mut again = false;
            let mut index = 0;
            while let Some(&(_, queue)) = self.pending.get(index) {
                again |= self.advance_queue(queue);
                match self.queues.get(&queue) {
                    Some(found) if !found.works.is_empty() => index += 1,
                    Some(found) => {
                        if found.closing && found.is_done() {
                            self.queues.remove(&queue);
                        }
                        self.pending.remove(index);
                    }
                    None => drop(self.pending.remove(index)),
                }
            }
            if !again {
                break;
            }
            any = true;
        }
        if any && self.waiting > 0 {
            DONE.notify_all();
        }
        any
    }

    fn advance_queue(&mut self, handle: u64) -> bool {
        let mut any = false;
        loop {
            let Some(queue) = self.queues.get(&handle).filter(|queue| !queue.busy) else { return any };
            let goes = match queue.works.front() {
                None | Some(Work::Copy { .. } | Work::Fill { .. }) => return any,
                Some(Work::Mark(event, number)) => {
                    event.reach(*number);
                    true
                }
                Some(Work::Wait(event, number)) => event.reached.load(SeqCst) >= *number,
                Some(Work::After(other, put)) => self.queues.get(other).is_none_or(|other| other.done >= *put),
                Some(Work::Launch(job)) => {
                    self.running.push(Arc::clone(job));
                    if let Some(queue) = self.queues.get_mut(&handle) {
                        queue.busy = true;
                    }
                    return true;
                }
            };
            let Some(queue) = self.queues.get_mut(&handle).filter(|_| goes) else { return any };
            queue.works.pop_front();
            queue.done += 1;
            any = true;
        }
    }

    /// Takes work for a worker. Copies and fills have precedence; launches take turns.
    pub(crate) fn take(&mut self) -> Option<Task> {
        self.advance();
        for &(_, handle) in &self.pending {
            let Some(queue) = self.queues.get_mut(&handle).filter(|queue| !queue.busy) else { continue };
            if let Some(Work::Copy { .. } | Work::Fill { .. }) = queue.works.front() {
                queue.busy = true;
                // Leave a placeholder that does nothing.
                let nothing = Work::After(0, 0);
                let work = queue.works.front_mut().map(|work| std::mem::replace(work, nothing));
                return work.map(|work| Task::Move(handle, work));
            }
        }
        for _ in 0..self.running.len() {
            self.turn = (self.turn + 1) % self.running.len();
            let job = &self.running[self.turn];
            if job.has_room() {
                return Some(Task::Run(Arc::clone(job)));
            }
        }
        None
    }

    /// Removes the first entry of a queue, which has been completed.
    pub(crate) fn finish(&mut self, handle: u64) {
        if let Some(queue) = self.queues.get_mut(&handle) {
            queue.busy = false;
            queue.works.pop_front();
            queue.done += 1;
        }
        self.advance();
        if self.waiting > 0 {
            DONE.notify_all();
        }
    }

    /// Returns whether any queue begins with a copy or a fill, waiting or in progress.
    pub(crate) fn may_move(&self) -> bool {
        self.pending
            .iter()
            .filter_map(|(_, handle)| self.queues.get(handle))
            .any(|queue| matches!(queue.works.front(), Some(Work::Copy { .. } | Work::Fill { .. } | Work::After(0, 0))))
    }

    /// Returns the number of streams, excluding null streams, and the number of events.
    pub(crate) fn count(&self) -> (usize, usize) {
        (self.queues.len() - self.null.len(), self.events.len())
    }
}
