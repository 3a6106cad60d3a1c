//! Ranks started by MPI: how they connect, exchange messages, leave, and end by an error.
//!
//! MPI does not report that a rank is stopped: a stall limit on the silence of a rank detects this, if one is set. The
//! launcher of the ranks detects a rank that ends without a message, and ends all others.

use crate::peer::{Peer, Trouble};
use crate::wire::{NoWire, Refused, RequestProgress, Requests, Tag, Wire};
use gts_graph::group::ending::Ending;
use gts_graph::group::frame::{FrameHead, FrameKind, MESSAGE_HEAD};
use gts_graph::group::{Call, Group, Place, Stamp};
use gts_graph::kernel::StopFlag;
use gts_graph::{Error, Result};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Interval at which a waiting rank checks whether to stop.
const ASKED_EVERY: Duration = Duration::from_millis(20);
/// Time in which a waiting rank only yields its core briefly. After that it sleeps for a fraction of the time that it
/// has waited, because ranks that share cores would wait for each other's waiting.
const AWAKE: Duration = Duration::from_micros(50);
/// Maximum sleep of a waiting rank.
const ASLEEP: Duration = Duration::from_millis(1);
/// Maximum bytes of the reason for which a rank ends: few enough to be sent at once, even without a receiver.
const MOST_REASON: usize = 2000;
/// Extra wait of all ranks but one, so that a single rank reports the stall.
const SECOND: Duration = Duration::from_secs(1);
/// Maximum time by which a rank's notice of leaving may overtake its earlier messages.
const OVERTAKEN: Duration = Duration::from_millis(200);
/// Time that other ranks have to end on their own after they were informed of the end.
const BY_THEMSELVES: Duration = Duration::from_millis(300);
/// Time in which the rank that ended the group ends all processes.
const BY_OTHERS: Duration = Duration::from_secs(3);

/// Reports why this process ends, cleans up, and returns the exit code.
pub type LastWords = dyn Fn(&Error) -> u8 + Send + Sync;

/// A rank started by MPI.
///
/// If MPI does not release the memory of its messages, a failed exchange ends the process, after its last words.
pub struct MpiGroup {
    rank: usize,
    stall_limit: Option<Duration>,
    last_words: Box<LastWords>,
    /// Machine and process of each rank.
    whereabouts: Vec<(String, u32)>,
    link: Mutex<Link>,
    ending: Mutex<Ending>,
}

/// State for calls of MPI, which are made one after the other.
struct Link {
    /// `None` once this rank has left.
    wire: Option<Wire>,
    /// Exchanges begun by this rank.
    exchanges: u64,
    /// Ranks that have done their work.
    left: Vec<bool>,
}

impl std::fmt::Debug for MpiGroup {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MpiGroup")
            .field("rank", &self.rank)
            .field("whereabouts", &self.whereabouts)
            .finish_non_exhaustive()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl MpiGroup {
    /// Initialises MPI, and connects to the other ranks. The same thread must leave the group at the end.
    ///
    /// If a stall limit is given, the run ends when a rank sends nothing for longer while others wait for it.
    ///
    /// # Errors
    ///
    /// MPI was initialised before, or allows only one thread to call it; or ranks have another version.
    pub fn join(stall_limit: Option<Duration>, last_words: Box<LastWords>) -> Result<Self> {
        let wire = Wire::open().map_err(|error| match error {
            NoWire::Initialised => {
                Error::argument("a second start of MPI", "join the group once, and use MPI by it alone")
            }
            NoWire::Threads { rank } => Error::NoGroup {
                rank,
                why: "this MPI lets the first thread alone call it".into(),
                remedy: "use an MPI with MPI_THREAD_SERIALIZED".into(),
            },
        })?;
        let (rank, size) = (wire.rank(), wire.size());
        let link = Link { wire: Some(wire), exchanges: 0, left: vec![false; size] };
        let mut group = Self {
            rank,
            stall_limit,
            last_words,
            whereabouts: vec![(String::new(), 0); size],
            link: Mutex::new(link),
            ending: Mutex::default(),
        };
        let machine = mpi::environment::processor_name().unwrap_or_default();
        let own = [&std::process::id().to_le_bytes()[..], machine.as_bytes()].concat();
        let place = Place::new(format_args!("the start of version {}", env!("CARGO_PKG_VERSION")), ());
        let told = group.all_gather(&Call::new(&place), &own)?;
        for (known, told) in group.whereabouts.iter_mut().zip(told) {
            if let Some((process, machine)) = told.split_first_chunk() {
                *known = (String::from_utf8_lossy(machine).into_owned(), u32::from_le_bytes(*process));
            }
        }
        Ok(group)
    }

    /// Ends the processes of all ranks, including this one, unless this rank has left the group properly. Ranks that
    /// were informed have a moment to end on their own.
    pub fn end_all(&self, code: u8) {
        if let Some(wire) = &lock(&self.link).wire {
            self.end_processes(wire, code);
        }
    }

    fn end_processes(&self, wire: &Wire, code: u8) -> ! {
        let by_other = matches!(lock(&self.ending).error(), Some(Error::Aborted { rank, .. }) if *rank != self.rank);
        // The rank that ended the group is first, after it has reported the reason.
        thread::sleep(if by_other { BY_OTHERS } else { BY_THEMSELVES });
        wire.abort(code)
    }

    fn others(&self) -> impl Iterator<Item = usize> + use<> {
        let (own, size) = (self.rank, self.whereabouts.len());
        // Each rank begins with its successor, so that they do not all send to the same rank.
        (1..size).map(move |step| (own + step) % size)
    }

    /// Returns the error of a lost rank.
    fn lost(&self, rank: usize, why: impl std::fmt::Display) -> Error {
        let (machine, process) = self.whereabouts.get(rank).map_or(("", 0), |(machine, process)| (machine, *process));
        Error::LostRank { rank, ranks: self.size(), why: format!("process {process} on {machine} {why}") }
    }

    fn error(&self, rank: usize, trouble: Trouble) -> Error {
        match trouble {
            Trouble::Lost(why) => self.lost(rank, why),
            Trouble::Other(error) => error,
        }
    }

    /// Begins to send a word to all others.
    fn send_word<'a>(&self, requests: &mut Requests<'a>, word: &'a [u8]) -> Result<()> {
        self.others().try_for_each(|rank| {
            requests.send(rank, Tag::Word, word).map_err(|refused| self.error(rank, refused.into())).map(drop)
        })
    }

    /// Ends the group, and informs the others. Returns the first error, which is the cause.
    fn end(&self, wire: &Wire, error: Error) -> Error {
        if let Err(first) = lock(&self.ending).end(&error) {
            return first;
        }
        self.tell(wire, &error);
        error
    }

    /// Informs the others of the reason for which this rank ends.
    fn tell(&self, wire: &Wire, error: &Error) {
        let mut reason = match error {
            Error::Aborted { reason, .. } => reason.clone(),
            error => error.to_string(),
        };
        let end = (0..=MOST_REASON.min(reason.len())).rev().find(|&end| reason.is_char_boundary(end));
        reason.truncate(end.unwrap_or(0));
        let word = FrameHead { text: reason, ..FrameHead::of(FrameKind::Abort) }.bytes(0);
        // The launcher ends ranks that cannot be informed.
        let _ = wire.scope(|requests| {
            let sent = self.send_word(requests, &word);
            self.let_go(wire, requests, sent)
        });
    }

    /// Gives up the requests in flight, and ends the process if MPI does not release their memory.
    fn let_go<T>(&self, wire: &Wire, requests: &mut Requests<'_>, done: Result<T>) -> Result<T> {
        if !requests.give_up() {
            let unsaid = || Error::argument("a message that does not leave", "start again");
            let error = lock(&self.ending).error().or(done.as_ref().err()).cloned();
            self.end_processes(wire, (self.last_words)(&error.unwrap_or_else(unsaid)));
        }
        done
    }

    /// Receives the words of other ranks about themselves.
    fn hear(&self, wire: &Wire, left: &mut [bool]) -> Result<()> {
        lock(&self.ending).check()?;
        let refused = |rank| move |refused: Refused| self.error(rank, refused.into());
        while let Some((rank, length)) = wire.word().map_err(refused(self.rank))? {
            let mut word = vec![0; length];
            let head = wire.scope(|requests| {
                let number = requests.receive(rank, Tag::Word, &mut word).map_err(refused(rank))?;
                loop {
                    // The word has already arrived.
                    if let RequestProgress::Done(mut word) = requests.test(number).map_err(refused(rank))? {
                        return FrameHead::begin(&mut word, 0, || ()).map_err(|error| self.error(rank, error.into()));
                    }
                    thread::yield_now();
                }
            })?;
            match head {
                Some((FrameHead { kind: FrameKind::Leave, .. }, _)) => left[rank] = true,
                Some((FrameHead { kind: FrameKind::Abort, text: reason, .. }, _)) => {
                    let error = Error::Aborted { rank, ranks: self.size(), reason };
                    return Err(lock(&self.ending).end(&error).err().unwrap_or(error));
                }
                _ => return Err(self.lost(rank, "sent what is no word of a rank")),
            }
        }
        Ok(())
    }

    /// Exchanges messages with the other ranks, until all are done or something fails.
    fn meet<'a>(
        &self,
        wire: &Wire,
        left: &mut [bool],
        requests: &mut Requests<'a>,
        peers: &mut [Peer<'a>],
        (call, stamp): (&Call<'_>, &Stamp),
    ) -> Result<()> {
        let mut moved = Instant::now();
        let mut asked = moved;
        loop {
            self.hear(wire, left)?;
            let mut moves = false;
            for peer in peers.iter_mut() {
                let advanced = peer.advance(requests, self.rank, stamp);
                moves |= advanced.map_err(|trouble| self.error(peer.rank, trouble))?;
            }
            if moves {
                moved = Instant::now();
            }
            if peers.iter().all(Peer::is_done) {
                return Ok(());
            }
            // A word may overtake a message that was sent before it. The head of such a message is still in transit.
            let overtaken = moves || moved.elapsed() < OVERTAKEN;
            if let Some(peer) = peers.iter().find(|peer| left[peer.rank] && peer.awaits_head() && !overtaken) {
                let why = format_args!("has left while rank {} waited for it at {}", self.rank, stamp.text);
                return Err(self.lost(peer.rank, why));
            }
            self.check_silence(peers, stamp)?;
            if asked.elapsed() > ASKED_EVERY {
                (call.stopped)()?;
                asked = Instant::now();
            }
            match moved.elapsed() {
                idle if idle < AWAKE => thread::yield_now(),
                idle => thread::sleep((idle / 10).min(ASLEEP)),
            }
        }
    }

    /// Checks that no rank has been silent for longer than the stall limit.
    fn check_silence(&self, peers: &[Peer<'_>], stamp: &Stamp) -> Result<()> {
        let Some(limit) = self.stall_limit else { return Ok(()) };
        // A rank that sent nothing is reported before one that receives nothing.
        let silent =
            peers.iter().find(|peer| !peer.has_answered()).or_else(|| peers.iter().find(|peer| !peer.is_done()));
        let Some(peer) = silent else { return Ok(()) };
        let first = usize::from(peer.rank == 0);
        if peer.since.elapsed() < if self.rank == first { limit } else { limit + SECOND } {
            return Ok(());
        }
        let what = if peer.has_answered() { "taken" } else { "sent" };
        Err(self.lost(peer.rank, stamp.overdue(self.rank, what, limit)))
    }
}

impl Group for MpiGroup {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.whereabouts.len()
    }

    fn exchange(&self, call: &Call<'_>, messages: &[&[u8]], received: &mut [Vec<u8>]) -> Result<()> {
        let mut link = lock(&self.link);
        lock(&self.ending).check()?;
        let Link { wire, exchanges, left } = &mut *link;
        let Some(wire) = wire else {
            return Err(self.lost(self.rank, "has left its group already"));
        };
        *exchanges += 1;
        let stamp = Stamp::new(*exchanges, call.place);
        let head = FrameHead::of_message(&stamp);
        let sent: Vec<Vec<u8>> = messages.iter().map(|bytes| head.bytes(bytes.len())).collect();
        let mut heads = vec![[0; MESSAGE_HEAD]; self.size()];
        wire.scope(|requests| {
            let begin = || {
                let mut peers = Vec::with_capacity(self.size());
                for (rank, (head, bytes)) in heads.iter_mut().zip(received).enumerate() {
                    if rank != self.rank {
                        let peer = Peer::begin(requests, rank, head, bytes);
                        peers.push(peer.map_err(|trouble| self.error(rank, trouble))?);
                    }
                }
                // Each rank begins with its successor, so that they do not all send to the same rank.
                let after = peers.iter().position(|peer| peer.rank > self.rank).unwrap_or(0);
                peers.rotate_left(after);
                for peer in &mut peers {
                    let begun = peer.send(requests, &sent[peer.rank], messages[peer.rank]);
                    begun.map_err(|trouble| self.error(peer.rank, trouble))?;
                }
                self.meet(wire, left, requests, &mut peers, (call, &stamp))
            };
            let done = begin();
            let done = done.map_err(|error| match error {
                error @ (Error::LostRank { .. } | Error::RanksDiffer { .. }) => self.end(wire, error),
                error => error,
            });
            self.let_go(wire, requests, done)
        })
    }

    fn abort(&self, reason: &str) {
        let error = Error::Aborted { rank: self.rank, ranks: self.size(), reason: reason.to_owned() };
        if lock(&self.ending).end(&error).is_ok() {
            // An exchange of another thread learns of the end, and releases MPI.
            if let Some(wire) = &lock(&self.link).wire {
                self.tell(wire, &error);
            }
        }
    }

    fn leave(&self) {
        let mut link = lock(&self.link);
        let Link { wire, left, .. } = &mut *link;
        let Some(open) = wire else { return };
        if lock(&self.ending).error().is_some() {
            return;
        }
        left[self.rank] = true;
        let word = FrameHead::of(FrameKind::Leave).bytes(0);
        // MPI ends properly if all ranks do so and no word is in transit.
        let done = open.scope(|requests| {
            let mut done = self.send_word(requests, &word);
            let begun = Instant::now();
            while done.is_ok() && !(requests.are_done() && left.iter().all(|&left| left)) {
                thread::sleep(ASLEEP);
                done = self.hear(open, left);
                let stalled = self.stall_limit.is_some_and(|limit| begun.elapsed() > limit);
                if let (true, Some(rank)) = (stalled, left.iter().position(|&left| !left)) {
                    done = Err(self.lost(rank, "does not leave within the stall limit"));
                }
            }
            self.let_go(open, requests, done)
        });
        if done.is_ok() {
            *wire = None;
        }
    }

    fn tie(&self, flag: &Arc<StopFlag>) {
        lock(&self.ending).tie(flag);
    }
}

impl Drop for MpiGroup {
    fn drop(&mut self) {
        self.leave();
        // MPI would wait for the ranks that do not end properly.
        std::mem::forget(lock(&self.link).wire.take());
    }
}
