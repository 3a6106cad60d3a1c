//! Ranks that are processes on one machine. A socket connects each pair of ranks, and a thread at each end reads from
//! the socket.
//!
//! A heartbeat distinguishes a stopped rank from a slow rank: every process sends data at least every half second, even
//! during long passes. A rank that ends without a message is detected when its socket closes, and a silent rank after
//! [`SILENCE`]. The rank that detects the failure informs the other ranks, so that all ranks report the same cause.

mod connect;
mod word;

pub use word::Word;

use super::ending::Ending;
use super::frame::{self, FrameHead, FrameKind};
use super::{Call, Group, MESSAGE_BYTES, Message, Stamp};
use gts_core::threads;
use gts_device::error::{Error, Result};
use gts_device::kernel::StopFlag;
use std::collections::VecDeque;
use std::io::{self, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The maximum time without any data from a live rank.
pub const SILENCE: Duration = Duration::from_secs(5);
/// The interval between signs of life.
const BEAT: Duration = Duration::from_millis(500);
/// The minimum interval between two beats that makes this process assume that it was itself stopped and could not
/// receive data.
const OWN_PAUSE: Duration = Duration::from_secs(2);
/// The maximum time of a blocking write before the thread checks whether to continue.
const BLOCKED: Duration = Duration::from_millis(100);
/// The interval at which a waiting rank checks whether to stop.
const ASKED_EVERY: Duration = Duration::from_millis(20);
/// The maximum time to wait for a rank's last messages after the rank has closed its socket.
const LAST_WORDS: Duration = Duration::from_secs(2);
/// The time to wait for an explanation from another rank after a rank has closed its socket without a message. A socket
/// closes without a message if another rank has detected a stopped rank, and the launcher has killed the stopped rank.
const OTHER_WORDS: Duration = Duration::from_millis(250);

/// The identity of a rank, and the data that the rank needs to connect to the other ranks.
#[derive(Clone, Debug)]
pub struct Membership {
    /// The group's folder, shared by all ranks. The folder has mode 0700 and belongs to the user who runs the group.
    pub folder: PathBuf,
    /// The word of the group. Each rank's first message contains the word.
    pub word: Word,
    /// The number of the rank, counted from 0.
    pub rank: usize,
    /// The number of ranks.
    pub size: usize,
    /// The process that started the ranks. If this process ends, the ranks end too.
    pub launcher: Option<u32>,
    /// The maximum time for which a rank may send no part of a message while another rank waits for the message; `None`
    /// for no limit.
    pub stall_limit: Option<Duration>,
}

impl Membership {
    /// Returns the path of the socket on which this rank listens while the ranks connect.
    pub fn socket(&self) -> PathBuf {
        self.socket_of(self.rank)
    }

    fn socket_of(&self, rank: usize) -> PathBuf {
        self.folder.join(format!("rank-{rank}"))
    }
}

/// The group handle of a rank that runs as a process.
#[derive(Debug)]
pub struct LocalGroup {
    shared: Arc<LocalConnections>,
}

#[derive(Debug)]
struct LocalConnections {
    rank: usize,
    launcher: Option<u32>,
    stall_limit: Option<Duration>,
    /// The connection to each rank; `None` for this rank itself.
    peers: Vec<Option<LocalPeer>>,
    state: Mutex<LocalState>,
    changed: Condvar,
    begun: Instant,
    /// Whether this rank has left the group or the group has ended.
    closed: AtomicBool,
}

#[derive(Debug)]
struct LocalPeer {
    process: u32,
    stream: UnixStream,
    writer: Mutex<UnixStream>,
    /// The time of the last input from this peer, in milliseconds since the group began.
    heard: AtomicU64,
    /// The time of the last part of a message from this peer, in the same unit as `heard`. Signs of life are not
    /// counted.
    moved: AtomicU64,
}

/// An action that runs once if an error ends the group.
type Listener = Box<dyn FnOnce(&Error) + Send>;

struct LocalState {
    /// Received messages, by sender.
    mail: Vec<VecDeque<Message>>,
    /// Buffers of processed messages, for reuse.
    spare: Vec<Vec<u8>>,
    /// The number of exchanges that this rank has begun.
    exchanges: u64,
    /// Whether each rank has left the group.
    left: Vec<bool>,
    ending: Ending,
    /// Whether the other ranks and the listener have been informed of the end.
    told: bool,
    listener: Option<Listener>,
}

impl std::fmt::Debug for LocalState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LocalState")
            .field("exchanges", &self.exchanges)
            .field("left", &self.left)
            .finish_non_exhaustive()
    }
}

/// Returns whether the process that started this process has ended.
fn is_orphan(launcher: Option<u32>) -> bool {
    launcher.is_some_and(|launcher| std::os::unix::process::parent_id() != launcher)
}

impl LocalGroup {
    /// Connects to all other ranks, and waits until all of them have connected.
    ///
    /// # Errors
    ///
    /// A rank does not connect in time, or has a different version or word. Other users can enter the folder. The
    /// rank's number is not below the group's size. The system cannot provide sockets or threads.
    pub fn join(membership: &Membership) -> Result<Self> {
        let connected = connect::connect(membership)?;
        let size = connected.len();
        let peer = |one: connect::Connected| {
            let writer = one.stream.try_clone().map_err(|error| Error::NoGroup {
                rank: membership.rank,
                why: format!("its sockets cannot be shared: {error}"),
                remedy: "let this user have more open files (ulimit -n)".into(),
            })?;
            let connected = LocalPeer {
                process: one.process,
                stream: one.stream,
                writer: Mutex::new(writer),
                heard: AtomicU64::new(0),
                moved: AtomicU64::new(0),
            };
            Ok(connected)
        };
        let peers = connected.into_iter().map(|one| one.map(peer).transpose()).collect::<Result<_>>()?;
        let state = LocalState {
            mail: (0..size).map(|_| VecDeque::new()).collect(),
            spare: Vec::new(),
            exchanges: 0,
            left: vec![false; size],
            ending: Ending::default(),
            told: false,
            listener: None,
        };
        let shared = Arc::new(LocalConnections {
            rank: membership.rank,
            launcher: membership.launcher,
            stall_limit: membership.stall_limit,
            peers,
            state: Mutex::new(state),
            changed: Condvar::new(),
            begun: Instant::now(),
            closed: AtomicBool::new(false),
        });
        // If a thread cannot be started, the group is dropped. Other ranks that wait for this rank then fail.
        let group = Self { shared };
        for rank in group.shared.others() {
            let shared = Arc::clone(&group.shared);
            threads::start("gts-group", move || shared.read_from(rank))?;
        }
        let shared = Arc::clone(&group.shared);
        threads::start("gts-heartbeat", move || shared.beat())?;
        Ok(group)
    }

    /// Registers an action that runs once if an error ends the group.
    pub fn when_ended(&self, action: impl FnOnce(&Error) + Send + 'static) {
        let mut state = self.shared.lock();
        match state.ending.error().cloned() {
            Some(error) => {
                drop(state);
                action(&error);
            }
            None => state.listener = Some(Box::new(action)),
        }
    }
}

impl Drop for LocalGroup {
    fn drop(&mut self) {
        self.leave();
        for peer in self.shared.peers.iter().flatten() {
            let _ = peer.stream.shutdown(Shutdown::Both);
        }
    }
}

/// Locks the writer of a peer. Returns `None` if another thread holds the writer for too long.
fn held(peer: &LocalPeer) -> Option<MutexGuard<'_, UnixStream>> {
    let until = Instant::now() + 2 * BLOCKED;
    loop {
        match peer.writer.try_lock() {
            Ok(writer) => return Some(writer),
            Err(std::sync::TryLockError::Poisoned(writer)) => return Some(writer.into_inner()),
            Err(std::sync::TryLockError::WouldBlock) if Instant::now() < until => thread::sleep(BLOCKED / 100),
            Err(std::sync::TryLockError::WouldBlock) => return None,
        }
    }
}

/// Writes bytes to a rank that might not read for a long time. Calls `gives_up` at intervals while the write is
/// blocked, and stops if `gives_up` returns `true`. The argument of `gives_up` is whether a part of the bytes has been
/// written.
fn patient(writer: &mut UnixStream, bytes: &[u8], gives_up: &dyn Fn(bool) -> bool) -> io::Result<()> {
    let mut left = bytes;
    while !left.is_empty() {
        match writer.write(left) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => left = &left[written..],
            Err(error) => match error.kind() {
                io::ErrorKind::Interrupted => {}
                io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut if !gives_up(left.len() < bytes.len()) => {}
                _ => return Err(error),
            },
        }
    }
    Ok(())
}

impl LocalConnections {
    fn lock(&self) -> MutexGuard<'_, LocalState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits while `goes_on` returns `true`, for at most `longest`. A pause of this process counts only as a short
    /// interval, because all threads of the process were paused.
    fn wait(&self, longest: Duration, goes_on: impl Fn(&LocalState) -> bool) -> MutexGuard<'_, LocalState> {
        let mut state = self.lock();
        let mut waited = Duration::ZERO;
        while waited < longest && goes_on(&state) {
            let begun = Instant::now();
            let turn = self.changed.wait_timeout(state, ASKED_EVERY);
            state = turn.unwrap_or_else(PoisonError::into_inner).0;
            waited += begun.elapsed().min(2 * ASKED_EVERY);
        }
        state
    }

    fn others(&self) -> impl Iterator<Item = usize> + use<> {
        let (own, size) = (self.rank, self.peers.len());
        // Each rank begins with its successor, so that the ranks do not all send to the same rank.
        (1..size).map(move |step| (own + step) % size)
    }

    fn peer(&self, rank: usize) -> Option<&LocalPeer> {
        self.peers.get(rank).and_then(Option::as_ref)
    }

    fn now(&self) -> u64 {
        self.begun.elapsed().as_millis() as u64
    }

    /// Returns the error for a lost rank.
    fn lost(&self, rank: usize, why: impl std::fmt::Display) -> Error {
        let process = self.peer(rank).map_or(0, |peer| peer.process);
        Error::LostRank { rank, ranks: self.peers.len(), why: format!("process {process} {why}") }
    }

    /// Ends the group, unless the group has already ended, and informs the other ranks. Returns the first error, which
    /// is the cause.
    fn end(&self, error: Error) -> Error {
        let (listener, closed) = {
            let mut state = self.lock();
            if let Err(first) = state.ending.end(&error) {
                return first;
            }
            (state.listener.take(), self.closed.swap(true, Relaxed))
        };
        self.changed.notify_all();
        if !closed {
            let (kind, rank, text) = match &error {
                Error::LostRank { rank, why, .. } => (FrameKind::Lost, *rank, why.clone()),
                Error::Aborted { rank, reason, .. } => (FrameKind::Abort, *rank, reason.clone()),
                other => (FrameKind::Abort, self.rank, other.to_string()),
            };
            let frame = FrameHead { number: rank as u64, text, ..FrameHead::of(kind) }.bytes(0);
            for peer in self.peers.iter().flatten() {
                if let Some(mut writer) = held(peer) {
                    let _ = patient(&mut writer, &frame, &|_| true);
                }
                let _ = peer.stream.shutdown(Shutdown::Write);
            }
            if let Some(listener) = listener {
                listener(&error);
            }
        }
        self.lock().told = true;
        self.changed.notify_all();
        error
    }

    /// Reads the messages of a rank until the rank closes its socket, leaves, or ends the group.
    fn read_from(&self, rank: usize) {
        let Some(peer) = self.peer(rank) else { return };
        let ranks = self.peers.len();
        let alive = || peer.heard.store(self.now(), Relaxed);
        let moves = || {
            alive();
            peer.moved.store(self.now(), Relaxed);
        };
        let mut bytes = Vec::new();
        loop {
            let read = FrameHead::begin(&mut &peer.stream, MESSAGE_BYTES, alive).and_then(|begun| {
                let Some((head, length)) = begun else { return Ok(None) };
                frame::read_bytes(&mut &peer.stream, &mut bytes, length, moves)?;
                Ok(Some(head))
            });
            let head = match read {
                Ok(Some(head)) => head,
                // After this rank has left or ended the group, no messages are expected.
                _ if self.closed.load(Relaxed) => return,
                Err(error) if !error.is_end() => {
                    self.end(self.lost(rank, error));
                    return;
                }
                Ok(None) | Err(_) => {
                    drop(self.wait(OTHER_WORDS, |state| state.ending.error().is_none()));
                    // If this rank has left in the meantime, the loss of the other rank does not matter.
                    if !self.closed.load(Relaxed) {
                        self.end(self.lost(rank, "has ended without a word: it was killed, or crashed"));
                    }
                    return;
                }
            };
            match head.kind {
                FrameKind::Message => {
                    let stamp = head.into_stamp();
                    let mut state = self.lock();
                    let spare = state.spare.pop().unwrap_or_default();
                    state.mail[rank].push_back((stamp, std::mem::replace(&mut bytes, spare)));
                    drop(state);
                    self.changed.notify_all();
                }
                FrameKind::Beat | FrameKind::Hello => {}
                FrameKind::Leave => {
                    self.lock().left[rank] = true;
                    self.changed.notify_all();
                    return;
                }
                FrameKind::Abort => {
                    self.end(Error::Aborted { rank: head.number as usize, ranks, reason: head.text });
                    return;
                }
                FrameKind::Lost => {
                    self.end(Error::LostRank { rank: head.number as usize, ranks, why: head.text });
                    return;
                }
            }
        }
    }

    /// Sends signs of life, and checks for signs of life from other ranks.
    fn beat(&self) {
        let mut last = Instant::now();
        let frame = FrameHead::of(FrameKind::Beat).bytes(0);
        while !self.closed.load(Relaxed) {
            thread::sleep(BEAT);
            let now = self.now();
            if last.elapsed() > OWN_PAUSE {
                self.peers.iter().flatten().for_each(|peer| peer.heard.store(now, Relaxed));
            }
            last = Instant::now();
            if is_orphan(self.launcher) {
                let reason = "the process that has started the ranks is gone".to_owned();
                self.end(Error::Aborted { rank: self.rank, ranks: self.peers.len(), reason });
                return;
            }
            let left = self.lock().left.clone();
            for rank in self.others().filter(|&rank| !left[rank]) {
                let Some(peer) = self.peer(rank) else { continue };
                let silent = now.saturating_sub(peer.heard.load(Relaxed));
                if u128::from(silent) > SILENCE.as_millis() {
                    self.end(self.lost(rank, format_args!("has sent no sign of life for {SILENCE:?}: it is stopped")));
                    return;
                }
                // If another thread holds the writer, that thread sends data, which is also a sign of life.
                if let Ok(mut writer) = peer.writer.try_lock() {
                    // A partial frame would corrupt all later frames.
                    let _ = patient(&mut writer, &frame, &|begun| !begun || self.closed.load(Relaxed));
                }
            }
        }
    }

    /// Sends a message of an exchange to a rank.
    fn send(&self, rank: usize, stamp: &Stamp, bytes: &[u8], call: &Call<'_>) -> Result<()> {
        let Some(peer) = self.peer(rank) else { return Ok(()) };
        let head = FrameHead::of_message(stamp);
        let stopped = || self.lock().ending.check().and_then(|()| (call.stopped)());
        let sent = {
            let mut writer = peer.writer.lock().unwrap_or_else(PoisonError::into_inner);
            let gives_up = |_| stopped().is_err();
            patient(&mut writer, &head.bytes(bytes.len()), &gives_up)
                .and_then(|()| patient(&mut writer, bytes, &gives_up))
        };
        let Err(error) = sent else { return Ok(()) };
        stopped()?;
        // Prefer the rank's last message, which contains the cause, to the socket error.
        let silent = |state: &LocalState| state.ending.error().is_none() && !state.left[rank];
        let left = self.wait(LAST_WORDS, silent).left[rank];
        Err(self.end(match left {
            true => self.left_early(rank, stamp),
            false => self.lost(rank, format_args!("takes no more messages: {error}")),
        }))
    }

    /// Returns the error for a rank that left before an exchange.
    fn left_early(&self, rank: usize, stamp: &Stamp) -> Error {
        self.lost(rank, format_args!("has left while rank {} waited for it at {}", self.rank, stamp.text))
    }

    /// Returns the time since the last part of a message from a rank, or since `begun` if `begun` is later.
    fn idle(&self, rank: usize, begun: u64) -> Duration {
        let moved = self.peer(rank).map_or(0, |peer| peer.moved.load(Relaxed));
        Duration::from_millis(self.now().saturating_sub(begun.max(moved)))
    }

    /// Waits for the next message from a rank.
    fn receive(&self, rank: usize, stamp: &Stamp, call: &Call<'_>) -> Result<Message> {
        let mut begun = self.now();
        let mut state = self.lock();
        loop {
            if let Some(mail) = state.mail[rank].pop_front() {
                return Ok(mail);
            }
            state.ending.check()?;
            if state.left[rank] {
                drop(state);
                return Err(self.end(self.left_early(rank, stamp)));
            }
            if let Some(limit) = self.stall_limit
                && self.idle(rank, begun) > limit
            {
                drop(state);
                return Err(self.end(self.lost(rank, stamp.overdue(self.rank, "sent", limit))));
            }
            let asleep = Instant::now();
            let waited = self.changed.wait_timeout(state, ASKED_EVERY);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
            if asleep.elapsed() > OWN_PAUSE {
                begun = self.now();
            }
            (call.stopped)()?;
        }
    }
}

impl Group for LocalGroup {
    fn rank(&self) -> usize {
        self.shared.rank
    }

    fn size(&self) -> usize {
        self.shared.peers.len()
    }

    fn exchange(&self, call: &Call<'_>, messages: &[&[u8]], received: &mut [Vec<u8>]) -> Result<()> {
        let shared = &self.shared;
        let stamp = {
            let mut state = shared.lock();
            state.ending.check()?;
            state.exchanges += 1;
            Stamp::new(state.exchanges, call.place)
        };
        for rank in shared.others() {
            shared.send(rank, &stamp, messages[rank], call)?;
        }
        for rank in shared.others() {
            let (theirs, bytes) = shared.receive(rank, &stamp, call)?;
            stamp.check(shared.rank, &theirs, rank).map_err(|error| shared.end(error))?;
            let read = std::mem::replace(&mut received[rank], bytes);
            if read.capacity() > 0 {
                shared.lock().spare.push(read);
            }
        }
        Ok(())
    }

    fn abort(&self, reason: &str) {
        let (rank, ranks) = (self.rank(), self.size());
        self.shared.end(Error::Aborted { rank, ranks, reason: reason.to_owned() });
    }

    fn leave(&self) {
        let state = self.shared.lock();
        if state.ending.error().is_some() {
            // The process may end after this call. Wait until the thread that ends the group has reported the reason.
            drop(state);
            drop(self.shared.wait(LAST_WORDS, |state| !state.told));
            return;
        }
        if self.shared.closed.swap(true, Relaxed) {
            return;
        }
        drop(state);
        for peer in self.shared.peers.iter().flatten() {
            if let Some(mut writer) = held(peer) {
                let _ = patient(&mut writer, &FrameHead::of(FrameKind::Leave).bytes(0), &|_| true);
            }
            let _ = peer.stream.shutdown(Shutdown::Write);
        }
    }

    fn tie(&self, flag: &Arc<StopFlag>) {
        self.shared.lock().ending.tie(flag);
    }
}

#[cfg(test)]
mod tests;
