//! The queue for systems without io_uring: a few threads with ordinary reads.

use super::{Done, Read, ReadNotice, ReadQueue};
use crate::threads;
use std::collections::VecDeque;
use std::io;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Maximum number of threads. Disks gain little from more concurrent reads, and each thread may wait for a long time.
const MOST: usize = 8;

/// Threads that each perform one read at a time.
pub(super) struct Threads {
    reads: Sender<Read>,
    done: Receiver<Done>,
    under_way: usize,
    /// Reads for the caller's thread if the system starts no other thread.
    own: Option<VecDeque<Read>>,
    notice: Option<ReadNotice>,
}

impl Threads {
    /// Creates a queue for `depth` concurrent reads, or fewer if some threads do not start. `notice` is returned once.
    pub(super) fn new(depth: usize, notice: Option<ReadNotice>) -> Self {
        let (reads, waiting) = mpsc::channel();
        let (ended, done) = mpsc::channel();
        let waiting = Arc::new(Mutex::new(waiting));
        let started = threads::start_some("gts-read", depth.clamp(1, MOST), || {
            let (waiting, ended) = (Arc::clone(&waiting), ended.clone());
            move || work(&waiting, &ended)
        });
        Self::of(reads, done, started, notice)
    }

    fn of(reads: Sender<Read>, done: Receiver<Done>, started: usize, notice: Option<ReadNotice>) -> Self {
        Self { reads, done, under_way: 0, own: (started == 0).then(VecDeque::new), notice }
    }
}

/// Performs reads until the queue is dropped. Pending reads are then dropped without being performed.
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
        match &mut self.own {
            Some(own) => own.push_back(read),
            // The threads live as long as the queue, so the channel has a receiver.
            None => _ = self.reads.send(read),
        }
    }

    fn end(&mut self, patience: Duration) -> Option<Done> {
        let done = match &mut self.own {
            Some(own) => own.pop_front().map(|mut read| {
                let result = fill(&mut read);
                Done { read, result }
            }),
            None => self.done.recv_timeout(patience).ok(),
        };
        self.under_way -= usize::from(done.is_some());
        done
    }

    fn under_way(&self) -> usize {
        self.under_way
    }

    fn notice(&mut self) -> Option<ReadNotice> {
        self.notice.take()
    }
}

#[cfg(test)]
impl Threads {
    /// Creates the queue that results if the system starts no thread.
    pub(super) fn without_threads() -> Self {
        Self::of(mpsc::channel().0, mpsc::channel().1, 0, None)
    }
}
