//! The queue of systems without io_uring: a few threads of plain reads.

use super::{Done, Read, ReadQueue};
use std::io;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// The most threads: disks gain little from more reads at a time, and each of them may wait for long.
const MOST: usize = 8;

/// Threads that read, one read each at a time.
pub(super) struct Threads {
    reads: Sender<Read>,
    done: Receiver<Done>,
    under_way: usize,
}

impl Threads {
    pub(super) fn new(depth: usize) -> io::Result<Self> {
        let (reads, waiting) = mpsc::channel();
        let (ended, done) = mpsc::channel();
        let waiting = Arc::new(Mutex::new(waiting));
        for number in 0..depth.clamp(1, MOST) {
            let (waiting, ended) = (Arc::clone(&waiting), ended.clone());
            thread::Builder::new().name(format!("gts-read-{number}")).spawn(move || work(&waiting, &ended))?;
        }
        Ok(Self { reads, done, under_way: 0 })
    }
}

/// Reads until the queue is dropped; what it still holds then is dropped unread.
fn work(waiting: &Mutex<Receiver<Read>>, ended: &Sender<Done>) {
    loop {
        let next = waiting.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(mut read) = next else { return };
        let result = fill(&mut read);
        if ended.send(Done { read, result }).is_err() {
            return;
        }
    }
}

fn fill(read: &mut Read) -> io::Result<()> {
    let mut offset = read.offset;
    for piece in read.buffer.pieces() {
        read.file.read_exact_at(piece, offset)?;
        offset += piece.len() as u64;
    }
    Ok(())
}

impl ReadQueue for Threads {
    fn begin(&mut self, read: Read) {
        self.under_way += 1;
        // The threads live as long as the queue: there is a receiver.
        let _ = self.reads.send(read);
    }

    fn end(&mut self, patience: Duration) -> Option<Done> {
        match self.done.recv_timeout(patience) {
            Ok(done) => {
                self.under_way -= 1;
                Some(done)
            }
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => None,
        }
    }

    fn under_way(&self) -> usize {
        self.under_way
    }
}
