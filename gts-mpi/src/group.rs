//! How ranks that MPI has started meet, exchange messages, leave, and end by an error.
//!
//! MPI tells no rank that another one is stopped: that is noticed where a limit was given for how long a rank may be silent.
//! Whatever started the ranks notices one that ends without a word, and ends all others.

use crate::peer::{Peer, Trouble};
use crate::wire::{NoWire, Progress, Refused, Requests, Tag, Wire};
use gts_runtime::group::ending::Ending;
use gts_runtime::group::frame::{Head, Kind, MESSAGE_HEAD};
use gts_runtime::group::{Call, Group, Place, Stamp};
use gts_runtime::kernel::StopFlag;
use gts_runtime::{Error, Result};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How often a rank that waits asks whether it shall stop.
const ASKED_EVERY: Duration = Duration::from_millis(20);
/// The time in which a rank that waits gives its core to others only for an instant. Then it sleeps for a part of the time
/// that it has waited: ranks that share cores would wait for one another's waiting.
const AWAKE: Duration = Duration::from_micros(50);
/// The longest sleep of a rank that waits.
const ASLEEP: Duration = Duration::from_millis(1);
/// Bytes of the reason for which a rank ends, at most: so few are sent at once, whether or not anybody waits for them.
const MOST_REASON: usize = 2000;
/// How much longer than the stall limit all but one rank wait, so that one tells.
const SECOND: Duration = Duration::from_secs(1);
/// The longest time by which the word that a rank leaves may overtake the messages that it sent before.
const OVERTAKEN: Duration = Duration::from_millis(200);
/// The time that others have for their own end once they were told of one.
const BY_THEMSELVES: Duration = Duration::from_millis(300);
/// The time in which the rank that has ended the group ends all processes.
const BY_OTHERS: Duration = Duration::from_secs(3);

/// Tells the user why this process ends, leaves everything in good order, and returns the exit code.
pub type LastWords = dyn Fn(&Error) -> u8 + Send + Sync;

/// A rank that MPI has started.
///
/// An exchange that fails ends the process, after its last words, where MPI does not let go of the memory of its messages.
pub struct MpiGroup {
    rank: usize,
    stall_limit: Option<Duration>,
    last_words: Box<LastWords>,
    /// Where each rank is: its machine, and its process there.
    whereabouts: Vec<(String, u32)>,
    link: Mutex<Link>,
    ending: Mutex<Ending>,
}

/// What calls of MPI need, one at a time.
struct Link {
    /// `None` once this rank has left.
    wire: Option<Wire>,
    /// Exchanges that this rank has begun.
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
    /// Initialises MPI, and meets the other ranks. The thread that does so is the one that leaves the group at last.
    ///
    /// If a stall limit is given, the run ends when a rank sends nothing for longer while others wait for it.
    ///
    /// # Errors
    ///
    /// MPI was initialised before, or lets one thread alone call it; ranks of another version.
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

    /// Ends the processes of all ranks, this one too, unless this rank has left the group in good order. Those that were told
    /// why have a moment to end by themselves.
    pub fn end_all(&self, code: u8) {
        if let Some(wire) = &lock(&self.link).wire {
            self.end_processes(wire, code);
        }
    }

    fn end_processes(&self, wire: &Wire, code: u8) -> ! {
        let by_other = matches!(lock(&self.ending).error(), Some(Error::Aborted { rank, .. }) if *rank != self.rank);
        // Whoever has ended the group does so first, once it has told why.
        thread::sleep(if by_other { BY_OTHERS } else { BY_THEMSELVES });
        wire.abort(code)
    }

    fn others(&self) -> impl Iterator<Item = usize> + use<> {
        let (own, size) = (self.rank, self.whereabouts.len());
        // Each begins with the rank after it, so that not all send to the same one.
        (1..size).map(move |step| (own + step) % size)
    }

    /// Returns the error of a rank that is lost.
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

    /// Ends the group, and tells the others. The first error says why, and is returned.
    fn end(&self, wire: &Wire, error: Error) -> Error {
        if let Err(first) = lock(&self.ending).end(&error) {
            return first;
        }
        self.tell(wire, &error);
        error
    }

    /// Tells the others why this rank ends.
    fn tell(&self, wire: &Wire, error: &Error) {
        let mut reason = match error {
            Error::Aborted { reason, .. } => reason.clone(),
            error => error.to_string(),
        };
        let end = (0..=MOST_REASON.min(reason.len())).rev().find(|&end| reason.is_char_boundary(end));
        reason.truncate(end.unwrap_or(0));
        let word = Head { text: reason, ..Head::of(Kind::Abort) }.bytes(0);
        // Ranks that cannot be told are ended by what has started them.
        let _ = wire.scope(|requests| {
            let sent = self.send_word(requests, &word);
            self.let_go(wire, requests, sent)
        });
    }

    /// Gives up what is still under way, and ends the process where MPI does not let go of it.
    fn let_go<T>(&self, wire: &Wire, requests: &mut Requests<'_>, done: Result<T>) -> Result<T> {
        if !requests.give_up() {
            let unsaid = || Error::argument("a message that does not leave", "start again");
            let error = lock(&self.ending).error().or(done.as_ref().err()).cloned();
            self.end_processes(wire, (self.last_words)(&error.unwrap_or_else(unsaid)));
        }
        done
    }

    /// Hears what others say of themselves.
    fn hear(&self, wire: &Wire, left: &mut [bool]) -> Result<()> {
        lock(&self.ending).check()?;
        let refused = |rank| move |refused: Refused| self.error(rank, refused.into());
        while let Some((rank, length)) = wire.word().map_err(refused(self.rank))? {
            let mut word = vec![0; length];
            let head = wire.scope(|requests| {
                let number = requests.receive(rank, Tag::Word, &mut word).map_err(refused(rank))?;
                loop {
                    // It is here already.
                    if let Progress::Done(mut word) = requests.test(number).map_err(refused(rank))? {
                        return Head::begin(&mut word, 0, || ()).map_err(|error| self.error(rank, error.into()));
                    }
                    thread::yield_now();
                }
            })?;
            match head {
                Some((Head { kind: Kind::Leave, .. }, _)) => left[rank] = true,
                Some((Head { kind: Kind::Abort, text: reason, .. }, _)) => {
                    let error = Error::Aborted { rank, ranks: self.size(), reason };
                    return Err(lock(&self.ending).end(&error).err().unwrap_or(error));
                }
                _ => return Err(self.lost(rank, "sent what is no word of a rank")),
            }
        }
        Ok(())
    }

    /// Exchanges messages with the other ranks, until all is done or something fails.
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
            // A word may overtake a message that was sent before it. The head of such a message is on its way.
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
        // Who has sent nothing, before who takes nothing.
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
        let head = Head::of_message(&stamp);
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
                // Each begins with the rank after it, so that not all send to the same one.
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
            // An exchange of another thread hears of the end, and lets go of MPI.
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
        let word = Head::of(Kind::Leave).bytes(0);
        // MPI ends in order where all do so, and no word is left on its way.
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
        // MPI would wait for the ranks that do not end in order.
        std::mem::forget(lock(&self.link).wire.take());
    }
}
