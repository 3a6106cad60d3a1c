//! The secret that the ranks of a group share. The launcher passes the secret to each rank through a pipe, which is the
//! rank's standard input. Other users can read the arguments of a process, but not the content of a pipe.

use gts_core::threads;
use gts_device::error::{Error, Result};
use std::fmt;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::FileTypeExt;
use std::process::Child;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

/// The number of bytes in a word.
pub(super) const BYTES: usize = 16;
/// The maximum time to wait for the word to arrive through the pipe.
const HANDED_OVER: Duration = Duration::from_secs(8);

/// A random number by which ranks recognise members of their group.
#[derive(Clone, PartialEq, Eq)]
pub struct Word([u8; BYTES]);

impl fmt::Debug for Word {
    /// Writes a placeholder that does not reveal the word.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Word(..)")
    }
}

impl Word {
    /// Creates the word of a new group.
    ///
    /// # Errors
    ///
    /// The system cannot provide random numbers.
    pub fn random() -> io::Result<Self> {
        let mut bytes = [0; BYTES];
        getrandom::fill(&mut bytes)?;
        Ok(Self(bytes))
    }

    /// Returns the bytes of the word.
    pub fn bytes(&self) -> &[u8; BYTES] {
        &self.0
    }

    /// Passes the word to a rank that was started with a pipe as its standard input.
    ///
    /// # Errors
    ///
    /// The rank's standard input is not a pipe, or the pipe cannot be written to.
    pub fn hand_to(&self, rank: &mut Child) -> io::Result<()> {
        match rank.stdin.take().ok_or(io::ErrorKind::InvalidInput)?.write_all(&self.0) {
            // The rank has ended; its exit code explains why.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            done => done,
        }
    }

    /// Reads the word that was passed to this process.
    ///
    /// # Errors
    ///
    /// Standard input is not a pipe, or no word arrives.
    pub fn inherited() -> Result<Self> {
        let fails = |why: &dyn fmt::Display| {
            let what = "standard input, through which a rank gets the word of its group";
            Error::argument_with_advice(what, why, "start ranks by `gts launch`")
        };
        let pipe = io::stdin().as_fd().try_clone_to_owned().map_err(|error| fails(&error))?;
        let mut pipe = File::from(pipe);
        if !pipe.metadata().is_ok_and(|found| found.file_type().is_fifo()) {
            return Err(fails(&"it is not a pipe"));
        }
        // If nothing is written to the pipe, the thread remains until the process ends.
        let (sender, receiver) = mpsc::channel();
        threads::start("gts-word", move || {
            let mut bytes = [0; BYTES];
            let _ = sender.send(pipe.read_exact(&mut bytes).map(|()| Self(bytes)));
        })?;
        match receiver.recv_timeout(HANDED_OVER) {
            Ok(read) => read.map_err(|_| fails(&"it ends before the word does")),
            Err(RecvTimeoutError::Timeout) => Err(fails(&format_args!("nothing comes through it for {HANDED_OVER:?}"))),
            Err(RecvTimeoutError::Disconnected) => Err(fails(&"it cannot be read")),
        }
    }
}
