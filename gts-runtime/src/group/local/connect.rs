//! How the processes of a group find one another: each listens at a socket in the group's folder, and connects to those of
//! the ranks before it.

use super::super::frame::{FrameError, Head, Kind};
use super::{Membership, is_orphan};
use crate::error::{Error, Result};
use std::fs;
use std::io::{self, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

/// The longest time from the start of a rank to the start of the last one.
const TOGETHER: Duration = Duration::from_secs(8);
/// How often a rank looks for others that are not there yet.
const LOOKED_EVERY: Duration = Duration::from_millis(5);
/// Bytes of what a rank says of itself: rank, ranks, process.
const SAID: usize = 24;

/// Another rank's process.
#[derive(Debug)]
pub(super) struct Connected {
    pub(super) stream: UnixStream,
    pub(super) process: u32,
}

/// A rank that forms its group.
struct Joining<'a> {
    membership: &'a Membership,
    until: Instant,
}

/// Connects a rank with all others; there is none at its own place.
pub(super) fn connect(membership: &Membership) -> Result<Vec<Option<Connected>>> {
    let joining = Joining { membership, until: Instant::now() + TOGETHER };
    let path = socket(membership, membership.rank);
    let listener = UnixListener::bind(&path).and_then(|listener| {
        listener.set_nonblocking(true)?;
        Ok(listener)
    });
    let listener = listener.map_err(|error| Error::NoGroup {
        rank: membership.rank,
        why: format!("{} cannot be listened at: {error}", path.display()),
        remedy: "name a folder for temporary files by TMPDIR that is yours and has a short path".into(),
    })?;
    let found = joining.find_all(&listener);
    // Nobody looks for it any more.
    let _ = fs::remove_file(&path);
    found
}

/// Returns where a rank listens.
fn socket(membership: &Membership, rank: usize) -> PathBuf {
    membership.folder.join(format!("rank-{rank}"))
}

impl Joining<'_> {
    fn find_all(&self, listener: &UnixListener) -> Result<Vec<Option<Connected>>> {
        let Membership { rank: own, size, .. } = *self.membership;
        let mut found: Vec<Option<Connected>> = (0..size).map(|_| None).collect();
        for (rank, place) in found.iter_mut().enumerate().take(own) {
            *place = Some(self.call(rank)?);
        }
        while let Some(missing) = (own + 1..size).find(|&rank| found[rank].is_none()) {
            let mut stream = match listener.accept() {
                Ok((stream, _)) => stream,
                Err(error) if is_passing(&error) => {
                    self.wait(missing)?;
                    continue;
                }
                Err(error) => return Err(self.fails(format!("nobody can be listened to: {error}"))),
            };
            // Who does not say who it is, is none of the group.
            let prepared = stream.set_nonblocking(false).and_then(|()| self.limit(&stream));
            if prepared.and_then(|()| self.say(&mut stream)).is_ok()
                && let Some((rank, process)) = self.heard(&mut stream)?
                && rank > own
                && found[rank].is_none()
            {
                found[rank] = Some(self.connected(stream, process)?);
            }
        }
        Ok(found)
    }

    /// Connects to a rank before this one, which may not listen yet.
    fn call(&self, rank: usize) -> Result<Connected> {
        let path = socket(self.membership, rank);
        loop {
            let connected = UnixStream::connect(&path).and_then(|mut stream| {
                self.limit(&stream)?;
                self.say(&mut stream)?;
                Ok(stream)
            });
            if let Ok(mut stream) = connected
                && let Some((heard, process)) = self.heard(&mut stream)?
                && heard == rank
            {
                return self.connected(stream, process);
            }
            self.wait(rank)?;
        }
    }

    /// Waits a moment for a rank.
    fn wait(&self, rank: usize) -> Result<()> {
        if is_orphan(self.membership.launcher) {
            return Err(self.fails("the process that has started it is gone"));
        }
        if Instant::now() >= self.until {
            return Err(self.fails(format!("rank {rank} has not come within {TOGETHER:?}")));
        }
        thread::sleep(LOOKED_EVERY);
        Ok(())
    }

    /// Has nothing at a stream wait beyond the time in which ranks come together.
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

    /// Says who this rank is.
    fn say(&self, stream: &mut UnixStream) -> io::Result<()> {
        let Membership { rank, size, .. } = *self.membership;
        let said = [rank as u64, size as u64, std::process::id().into()].map(u64::to_le_bytes).concat();
        let mut frame = Head { text: env!("CARGO_PKG_VERSION").to_owned(), ..Head::of(Kind::Hello) }.bytes(said.len());
        frame.extend(said);
        stream.write_all(&frame)
    }

    /// Hears which rank and process another one is; `None` where it says nothing that makes sense.
    fn heard(&self, stream: &mut UnixStream) -> Result<Option<(usize, u32)>> {
        let mut said = Vec::new();
        let own = self.membership.rank;
        let head = match Head::read(stream, SAID, &mut said, || ()) {
            Ok(Some(head)) if head.kind == Kind::Hello && said.len() == SAID => head,
            Err(FrameError::Version(version)) => {
                return Err(self.fails(format!("another rank has frames of version {version}")));
            }
            _ => return Ok(None),
        };
        let number = |at: usize| u64::from_le_bytes(bytemuck::pod_read_unaligned(&said[8 * at..8 * at + 8]));
        let (rank, size, process) = (number(0) as usize, number(1) as usize, number(2) as u32);
        let version = env!("CARGO_PKG_VERSION");
        if (head.text.as_str(), size) != (version, self.membership.size) {
            let here = format!("of version {version} in a group of {}", self.membership.size);
            let there = format!("of version {} in a group of {size}", head.text);
            return Err(Error::RanksDiffer { own, here, rank, there });
        }
        Ok((rank < size && rank != own).then_some((rank, process)))
    }

    fn fails(&self, why: impl Into<String>) -> Error {
        let remedy = "start all ranks together with `gts launch`, and look at what the other ranks say".into();
        Error::NoGroup { rank: self.membership.rank, why: why.into(), remedy }
    }
}

/// Whether a call may do better the next time.
fn is_passing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}
