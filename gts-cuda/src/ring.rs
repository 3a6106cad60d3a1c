//! A ring of page-locked memory for transfers between device and host: the device copies one piece while host threads
//! fill or empty other pieces.
//!
//! If memory is not page-locked, the driver copies with a single thread, at a tenth of the bus bandwidth. Page-locking
//! the memory takes longer than copying through a ring.
//!
//! The unsafe code lets the device read a piece asynchronously. The piece stays unchanged until its event reports the
//! end of the copy.
#![allow(unsafe_code)]

use super::driver::{Buffer, Context, Event, Pinned, Stream};
use super::kit::Lent;
use super::shared::DeviceState;
use gts_core::parallel::*;
use gts_core::phase::{self, Phase};
use gts_device::error::{Error, Result};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes per piece: large enough to justify waking threads, and small enough that the first piece arrives soon.
pub(super) const PIECE: usize = 4 << 20;
/// The number of pieces in a ring.
const PIECES: usize = 4;
/// Bytes per task when several threads copy host memory.
const COPIED_AT_ONCE: usize = 256 << 10;
/// Bytes per copy that a thread sends to the device. The thread fills one of its two parts of the ring while the device
/// reads the other part. With half this size, the bus is idle a third of the time.
const SENT_AT_ONCE: usize = 1 << 20;
/// The number of threads that can send concurrently. These threads suffice to keep the bus busy. Further threads wait.
const SENDERS: usize = PIECES * PIECE / SENT_AT_ONCE / 2;
/// The maximum size in bytes of a copy that is faster without a ring.
const FEW_BYTES: usize = 64 << 10;

/// Page-locked staging memory for copies in both directions.
#[derive(Debug)]
pub(super) struct Ring {
    memory: Pinned,
    /// The stream for transfers that belong to no session.
    stream: Arc<Stream>,
    /// Per piece, the event that marks the end of the last copy from the device.
    copied: [Event; PIECES],
    /// Per sender, the events that mark the ends of the last copies from its two parts of the ring, and the index of
    /// the part to fill next.
    sent: Vec<([Event; 2], usize)>,
    /// Marks the end of the last copy to the device by any sender.
    last_sent: Event,
}

/// The two parts of the ring that a thread fills alternately, and the events that mark the ends of the device's last
/// reads.
struct Sender<'a> {
    halves: Vec<&'a mut [u8]>,
    read: &'a [Event; 2],
    next: &'a mut usize,
}

impl Ring {
    /// Takes a spare ring, or creates a ring if none is spare. Returns `None` if the host cannot page-lock enough
    /// memory.
    pub(super) fn of(shared: &DeviceState) -> Result<Option<Lent<Self>>> {
        match Lent::take(&shared.rings, || Self::new(&shared.context)) {
            Ok(ring) => Ok(Some(ring)),
            Err(Error::PageLock { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn new(context: &Arc<Context>) -> Result<Self> {
        let event = |_| Event::new(context);
        let [a, b, c, d] = [0, 1, 2, 3].map(event);
        Ok(Self {
            memory: phase::during(Phase::Lock, || Pinned::new(context, PIECES * PIECE))?,
            stream: Arc::new(Stream::new(context)?),
            copied: [a?, b?, c?, d?],
            sent: (0..SENDERS).map(|_| Ok(([event(0)?, event(0)?], 0))).collect::<Result<_>>()?,
            last_sent: event(0)?,
        })
    }

    /// Returns the range of a piece's first `bytes` bytes in the ring's memory.
    fn part(piece: usize, bytes: usize) -> Range<usize> {
        let start = piece % PIECES * PIECE;
        start..start + bytes
    }

    /// Copies bytes to the device, after earlier work in the stream. The bytes are read before the call returns.
    pub(super) fn send(&mut self, stream: &Stream, target: &Buffer, offset: usize, bytes: &[u8]) -> Result<()> {
        self.send_parts(stream, target, &[(offset, bytes)])
    }

    /// Copies each part to its offset on the device, like [`Ring::send`].
    fn send_parts(&mut self, stream: &Stream, target: &Buffer, parts: &[(usize, &[u8])]) -> Result<()> {
        let mut memory = self.memory.as_mut_slice().chunks_mut(SENT_AT_ONCE);
        let senders = self
            .sent
            .iter_mut()
            .map(|(read, next)| Mutex::new(Sender { halves: memory.by_ref().take(2).collect(), read, next }));
        let senders: Vec<_> = senders.collect();
        let pieces = parts.iter().flat_map(|&(offset, bytes)| {
            let offsets = (offset..).step_by(SENT_AT_ONCE);
            offsets.zip(bytes.chunks(SENT_AT_ONCE))
        });
        let pieces: Vec<(usize, &[u8])> = pieces.collect();
        let sent = pieces.into_par_iter().with_max_len(1).try_for_each(|(offset, bytes)| {
            // Use any free sender: if several rings are in use, waiting for a fixed sender could leave another one
            // idle.
            let own = rayon::current_thread_index().unwrap_or_default();
            let free = (0..SENDERS).find_map(|step| senders[(own + step) % SENDERS].try_lock().ok());
            let waited = || senders[own % SENDERS].lock().unwrap_or_else(PoisonError::into_inner);
            let mut sender = free.unwrap_or_else(waited);
            let half = *sender.next;
            *sender.next = 1 - half;
            sender.read[half].synchronize("copying to the device")?;
            let part = &mut sender.halves[half][..bytes.len()];
            part.copy_from_slice(bytes);
            // SAFETY: the next writer of the half waits for the event that is recorded after the copy, or for
            // `last_sent`.
            unsafe { stream.copy(target, offset, part) }?;
            stream.record(&sender.read[half])
        });
        // Record the event even after a failure, because copies may still be in progress.
        sent.and(stream.record(&self.last_sent))
    }

    /// Passes pieces of the given lengths to `hand_out`, in order. `fetch` enqueues the copy that fills a piece. The
    /// arguments of `fetch` are the number of the piece, the memory of the ring, and the range to fill.
    pub(super) fn receive(
        &mut self,
        stream: &Stream,
        lengths: &[usize],
        mut fetch: impl FnMut(usize, &mut Pinned, Range<usize>) -> Result<()>,
        mut hand_out: impl FnMut(usize, &[u8]) -> Result<()>,
    ) -> Result<()> {
        self.last_sent.synchronize("copying to the device")?;
        let mut fetched = 0;
        for (number, &bytes) in lengths.iter().enumerate() {
            while fetched < lengths.len().min(number + PIECES) {
                let piece = fetched % PIECES;
                self.copied[piece].synchronize("copying from the device")?;
                fetch(fetched, &mut self.memory, Self::part(piece, lengths[fetched]))?;
                stream.record(&self.copied[piece])?;
                fetched += 1;
            }
            self.copied[number % PIECES].synchronize("copying from the device")?;
            hand_out(number, self.memory.part(Self::part(number, bytes)))?;
        }
        Ok(())
    }

    /// Copies bytes of a buffer to the host, after earlier work in the stream, and waits for the copy.
    pub(super) fn fetch(&mut self, stream: &Stream, source: &Buffer, offset: usize, bytes: &mut [u8]) -> Result<()> {
        let lengths = pieces(bytes.len() as u64, 1);
        let fetch =
            |piece: usize, memory: &mut Pinned, part| stream.fetch_part(source, offset + piece * PIECE, memory, part);
        self.receive(stream, &lengths, fetch, |piece, values| {
            copy(values, &mut bytes[piece * PIECE..piece * PIECE + values.len()]);
            Ok(())
        })
    }
}

/// Returns the lengths in bytes of the pieces that hold `values` values. Each piece contains whole values.
pub(super) fn pieces(values: u64, value_bytes: usize) -> Vec<usize> {
    let (a_piece, all) = (PIECE / value_bytes * value_bytes, values as usize * value_bytes);
    (0..all).step_by(a_piece).map(|start| a_piece.min(all - start)).collect()
}

impl DeviceState {
    /// Copies bytes to device memory that no stream uses. The copy is complete when the call returns.
    pub(super) fn upload(&self, target: &Buffer, offset: usize, bytes: &[u8], what: &str) -> Result<()> {
        self.upload_parts(target, &[(offset, bytes)], what)
    }

    /// Copies each part to its offset in device memory that no stream uses. The copies are complete when the call
    /// returns.
    pub(super) fn upload_parts(&self, target: &Buffer, parts: &[(usize, &[u8])], what: &str) -> Result<()> {
        let bytes: usize = parts.iter().map(|(_, bytes)| bytes.len()).sum();
        let ring = if bytes > FEW_BYTES { Ring::of(self)? } else { None };
        let Some(mut ring) = ring else {
            return parts.iter().try_for_each(|&(offset, bytes)| target.upload(offset, bytes, what));
        };
        let stream = Arc::clone(&ring.stream);
        ring.send_parts(&stream, target, parts)?;
        stream.synchronize("copying to the device")
    }

    /// Allocates device memory that contains a copy of `bytes`.
    pub(super) fn copy_of(&self, bytes: &[u8], what: &str) -> Result<Buffer> {
        let buffer = Buffer::unset(&self.context, bytes.len(), what)?;
        self.upload(&buffer, 0, bytes, what)?;
        Ok(buffer)
    }
}

/// Copies host memory. Large copies use all threads.
pub(super) fn copy(source: &[u8], target: &mut [u8]) {
    if source.len() <= COPIED_AT_ONCE {
        return target.copy_from_slice(source);
    }
    let parts = target.par_chunks_mut(COPIED_AT_ONCE).zip(source.par_chunks(COPIED_AT_ONCE));
    parts.for_each(|(target, source)| target.copy_from_slice(source));
}
