//! Connects the processes of a group. Each process listens on a socket in the group's folder, and connects to the ranks
//! with lower numbers.
//!
//! The first message of a rank contains the word of the group. Processes of other users are rejected before they can
//! send a message. A connection without a valid first message does not delay the ranks: its socket is polled together
//! with the other sockets, and closed after a short time.

use super::super::MOST_LOCAL_RANKS;
use super::super::frame::{FrameError, FrameHead, FrameKind};
use super::{Membership, is_orphan, word};
use gts_device::error::{Error, Result};
use gts_device::folder::distrust_found;
use std::fs;
use std::io::{self, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

/// The maximum time between the start of the first rank and the start of the last rank.
const TOGETHER: Duration = Duration::from_secs(8);
/// The interval at which a rank checks for missing ranks.
const LOOKED_EVERY: Duration = Duration::from_millis(5);
/// The maximum time between a connection and its first message. A rank that takes longer must connect again.
const FIRST_MESSAGE: Duration = Duration::from_millis(500);
/// The size in bytes of the numbers in a first message: the rank, the group size and the process ID.
const NUMBERS: usize = 24;
/// The number of bytes in a first message after its head: the numbers and the word.
const SAID: usize = NUMBERS + word::BYTES;
/// The maximum number of bytes in a first message.
const MOST_SAID: usize = 512;
/// The reply to a rank with a different word.
const REFUSED: &str = "the word is not that of this group";

/// A connection to the process of another rank.
#[derive(Debug)]
pub(super) struct Connected {
    pub(super) stream: UnixStream,
    pub(super) process: u32,
}

/// A rank that is joining its group.
struct Joining<'a> {
    membership: &'a Membership,
    /// The ID of the user that owns the group's folder. Processes of other users are rejected.
    user: u32,
    until: Instant,
}

/// A rank's listening socket. The socket file is removed on drop.
struct Listening {
    listener: UnixListener,
    path: PathBuf,
}

impl Drop for Listening {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// A connection whose first message is incomplete.
struct Caller {
    stream: UnixStream,
    bytes: Vec<u8>,
    since: Instant,
}

/// The parsed content of a first message.
struct Said {
    version: String,
    rank: usize,
    size: usize,
    process: u32,
}

/// The result of reading from a connection.
enum Heard {
    /// The first message is incomplete.
    Part,
    /// The sender is not a rank of this group.
    Stranger,
    /// The sender is a process of the same user, but has a different word.
    OtherWord,
    Rank(Said),
}

/// Connects a rank to all other ranks. Returns the connections, indexed by rank. The entry of the rank itself is
/// `None`.
pub(super) fn connect(membership: &Membership) -> Result<Vec<Option<Connected>>> {
    let Membership { rank, size, .. } = *membership;
    if !(1..=MOST_LOCAL_RANKS).contains(&size) || rank >= size {
        let why = format_args!("a group has 1 to {MOST_LOCAL_RANKS} ranks, and the first is rank 0");
        return Err(Error::argument(format_args!("rank {rank} of {size}"), why));
    }
    let joining = Joining { membership, user: user(membership)?, until: Instant::now() + TOGETHER };
    let path = membership.socket();
    let listener = UnixListener::bind(&path).map_err(|error| no_socket(membership, &error))?;
    let listening = Listening { listener, path };
    listening.listener.set_nonblocking(true).map_err(|error| no_socket(membership, &error))?;
    joining.find_all(&listening.listener)
}

fn no_socket(membership: &Membership, error: &io::Error) -> Error {
    Error::NoGroup {
        rank: membership.rank,
        why: format!("{} cannot be listened at: {error}", membership.socket().display()),
        remedy: match error.kind() {
            io::ErrorKind::AddrInUse => "start the ranks in a folder that no other group uses",
            _ => "name a folder for temporary files by TMPDIR that is yours and has a short path",
        }
        .into(),
    }
}

/// Checks that no other user can enter the group's folder. Returns the ID of the user that owns the folder.
fn user(membership: &Membership) -> Result<u32> {
    let Membership { folder, rank, .. } = membership;
    let refused = |why: &dyn std::fmt::Display| Error::NoGroup {
        rank: *rank,
        why: format!("its folder {why}"),
        remedy: "start ranks by `gts launch`, or give them a folder that you have made with mode 0700".into(),
    };
    let path = folder.display();
    let found =
        fs::symlink_metadata(folder).map_err(|error| refused(&format_args!("{path} cannot be entered: {error}")))?;
    if !found.is_dir() {
        return Err(refused(&format_args!("{path} is not a folder")));
    }
    if let Some(why) = distrust_found(folder, &found) {
        return Err(refused(&why));
    }
    match found.mode() & 0o077 {
        0 => Ok(found.uid()),
        _ => Err(refused(&format_args!("{path} may be entered by other users"))),
    }
}

/// Returns whether the process at the other end of a socket belongs to the user.
#[cfg(target_os = "linux")]
fn is_of(stream: &UnixStream, user: u32) -> bool {
    rustix::net::sockopt::socket_peercred(stream).is_ok_and(|process| process.uid.as_raw() == user)
}

/// Returns whether the process at the other end of a socket belongs to the user. Always returns `true` on this system:
/// other users cannot enter the folder, and the word is checked later.
#[cfg(not(target_os = "linux"))]
fn is_of(_stream: &UnixStream, _user: u32) -> bool {
    true
}

impl Joining<'_> {
    fn find_all(&self, listener: &UnixListener) -> Result<Vec<Option<Connected>>> {
        let Membership { rank: own, size, .. } = *self.membership;
        let mut found: Vec<Option<Connected>> = (0..size).map(|_| None).collect();
        for (rank, place) in found.iter_mut().enumerate().take(own) {
            *place = Some(self.call(rank)?);
        }
        let mut callers: Vec<Caller> = Vec::new();
        while let Some(missing) = (own + 1..size).find(|&rank| found[rank].is_none()) {
            match listener.accept() {
                Ok((stream, _)) if is_of(&stream, self.user) && stream.set_nonblocking(true).is_ok() => {
                    callers.push(Caller { stream, bytes: Vec::new(), since: Instant::now() });
                }
                Ok(_) => {}
                Err(error) if is_passing(&error) => thread::sleep(LOOKED_EVERY),
                Err(error) => return Err(self.fails(format!("its socket accepts no connections: {error}"))),
            }
            self.check(missing)?;
            for mut caller in std::mem::take(&mut callers) {
                match self.hear(&mut caller) {
                    Heard::Part if caller.since.elapsed() < FIRST_MESSAGE => callers.push(caller),
                    Heard::Part | Heard::Stranger => {}
                    Heard::OtherWord => {
                        let refused = FrameHead { text: REFUSED.to_owned(), ..FrameHead::of(FrameKind::Abort) };
                        let _ = caller.stream.write_all(&refused.bytes(0));
                    }
                    Heard::Rank(said) => self.answer(caller.stream, &said, &mut found)?,
                }
            }
        }
        Ok(found)
    }

    /// Replies to a rank with a higher number, and records the connection.
    fn answer(&self, mut stream: UnixStream, said: &Said, found: &mut [Option<Connected>]) -> Result<()> {
        let prepared = stream.set_nonblocking(false).and_then(|()| self.limit(&stream));
        if prepared.and_then(|()| self.say(&mut stream)).is_ok() {
            self.compare(said)?;
            if said.rank > self.membership.rank && said.rank < found.len() && found[said.rank].is_none() {
                found[said.rank] = Some(self.connected(stream, said.process)?);
            }
        }
        Ok(())
    }

    /// Connects to a rank with a lower number, which may not be listening yet.
    fn call(&self, rank: usize) -> Result<Connected> {
        let path = self.membership.socket_of(rank);
        loop {
            let connected = UnixStream::connect(&path).and_then(|mut stream| {
                if !is_of(&stream, self.user) {
                    return Err(io::ErrorKind::PermissionDenied.into());
                }
                self.limit(&stream)?;
                self.say(&mut stream)?;
                Ok(stream)
            });
            if let Ok(mut stream) = connected
                && let Some(said) = self.answered(&mut stream, rank)?
            {
                self.compare(&said)?;
                if said.rank == rank {
                    return self.connected(stream, said.process);
                }
            }
            self.check(rank)?;
            thread::sleep(LOOKED_EVERY);
        }
    }

    /// Fails if the launcher has ended or the time for connecting has expired.
    fn check(&self, missing: usize) -> Result<()> {
        if is_orphan(self.membership.launcher) {
            return Err(self.fails("the process that has started it is gone"));
        }
        if Instant::now() >= self.until {
            return Err(self.fails(format!("rank {missing} has not come within {TOGETHER:?}")));
        }
        Ok(())
    }

    /// Limits reads and writes of a stream to the remaining time for connecting.
    fn limit(&self, stream: &UnixStream) -> io::Result<()> {
        let left = self.until.saturating_duration_since(Instant::now()).max(LOOKED_EVERY);
        stream.set_read_timeout(Some(left))?;
        stream.set_write_timeout(Some(left))
    }

    fn connected(&self, stream: UnixStream, process: u32) -> Result<Connected> {
        let set = stream.set_read_timeout(None).and_then(|()| stream.set_write_timeout(Some(super::BLOCKED)));
        set.map_err(|error| self.fails(format!("its sockets cannot be set up: {error}")))?;
        Ok(Connected { stream, process })
    }

    /// Sends the first message of this rank.
    fn say(&self, stream: &mut UnixStream) -> io::Result<()> {
        let Membership { rank, size, .. } = *self.membership;
        let numbers = [rank as u64, size as u64, std::process::id().into()].map(u64::to_le_bytes);
        let head = FrameHead { text: env!("CARGO_PKG_VERSION").to_owned(), ..FrameHead::of(FrameKind::Hello) };
        stream.write_all(&[&head.bytes(SAID), numbers.as_flattened(), self.membership.word.bytes()].concat())
    }

    /// Reads a part of a first message from a connection.
    fn hear(&self, caller: &mut Caller) -> Heard {
        let mut part = [0; MOST_SAID];
        match caller.stream.read(&mut part[caller.bytes.len()..]) {
            Ok(0) => return Heard::Stranger,
            Ok(read) => caller.bytes.extend(&part[caller.bytes.len()..][..read]),
            Err(error) if is_passing(&error) => return Heard::Part,
            Err(_) => return Heard::Stranger,
        }
        let (mut left, mut said) = (&caller.bytes[..], Vec::new());
        match FrameHead::read(&mut left, SAID, &mut said, || ()) {
            Ok(Some(head)) if left.is_empty() => self.understood(head, &said),
            Err(FrameError::Cut) if caller.bytes.len() < MOST_SAID => Heard::Part,
            _ => Heard::Stranger,
        }
    }

    /// Parses a first message.
    fn understood(&self, head: FrameHead, said: &[u8]) -> Heard {
        if head.kind != FrameKind::Hello || said.len() != SAID {
            return Heard::Stranger;
        }
        let (numbers, word) = said.split_at(NUMBERS);
        if word != self.membership.word.bytes() {
            return Heard::OtherWord;
        }
        let number = |at: usize| u64::from_le_bytes(bytemuck::pod_read_unaligned(&numbers[8 * at..8 * at + 8]));
        let (rank, size, process) = (number(0) as usize, number(1) as usize, number(2) as u32);
        Heard::Rank(Said { version: head.text, rank, size, process })
    }

    /// Waits for the reply of a rank with a lower number. Returns `None` if the reply is missing or invalid.
    fn answered(&self, stream: &mut UnixStream, rank: usize) -> Result<Option<Said>> {
        let mut said = Vec::new();
        match FrameHead::read(stream, SAID, &mut said, || ()) {
            Ok(Some(head)) if head.kind == FrameKind::Abort => {
                Err(self.fails(format!("rank {rank} refuses it: {}", head.text)))
            }
            Ok(Some(head)) => Ok(match self.understood(head, &said) {
                Heard::Rank(said) => Some(said),
                _ => None,
            }),
            Err(FrameError::Version(version)) => {
                Err(self.fails(format!("another rank has frames of version {version}")))
            }
            _ => Ok(None),
        }
    }

    /// Checks that another rank has the same version and group size.
    fn compare(&self, said: &Said) -> Result<()> {
        let Membership { rank: own, size, .. } = *self.membership;
        let version = env!("CARGO_PKG_VERSION");
        if (said.version.as_str(), said.size) == (version, size) {
            return Ok(());
        }
        let here = format!("of version {version} in a group of {size}");
        let there = format!("of version {} in a group of {}", said.version, said.size);
        Err(Error::RanksDiffer { own, here, rank: said.rank, there })
    }

    fn fails(&self, why: impl Into<String>) -> Error {
        let remedy = "start all ranks together with `gts launch`, and look at what the other ranks say".into();
        Error::NoGroup { rank: self.membership.rank, why: why.into(), remedy }
    }
}

/// Returns whether a call that failed with this error may succeed when repeated.
fn is_passing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}
