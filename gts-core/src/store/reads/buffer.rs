//! Memory that a read fills: the only place where memory is passed to a thread or the system by its address.
#![allow(unsafe_code)]

use crate::page::AlignedBytes;
use std::any::Any;
use std::ptr::NonNull;

/// Memory that a read fills piece by piece. Nothing else accesses it meanwhile.
pub struct ReadBuffer {
    pieces: Vec<Piece>,
    /// Keeps the memory where it is.
    hold: Box<dyn Any + Send + Sync>,
}

#[derive(Clone, Copy)]
struct Piece {
    start: NonNull<u8>,
    len: usize,
}

// SAFETY: a buffer owns the right to its pieces, which no other thread uses while it lives; see `ReadBuffer::new`.
unsafe impl Send for ReadBuffer {}

impl ReadBuffer {
    /// Creates a buffer of these pieces: address and number of bytes.
    ///
    /// # Safety
    ///
    /// As long as `hold` lives, the pieces are initialised memory that may be written. While the buffer lives, nothing
    /// else reads or writes them. They do not overlap.
    pub(in crate::store) unsafe fn new(
        pieces: impl IntoIterator<Item = (NonNull<u8>, usize)>,
        hold: impl Any + Send + Sync,
    ) -> Self {
        let mut joined: Vec<Piece> = Vec::new();
        for (start, len) in pieces {
            match joined.last_mut() {
                Some(last) if last.start.addr().get() + last.len == start.addr().get() => last.len += len,
                _ => joined.push(Piece { start, len }),
            }
        }
        Self { pieces: joined, hold: Box::new(hold) }
    }

    /// Creates a buffer with memory of its own.
    pub fn owned(mut bytes: AlignedBytes) -> Self {
        let slice = bytes.as_mut_slice();
        let piece = (NonNull::from(&mut *slice).cast(), slice.len());
        // SAFETY: the memory belongs to `bytes`, which the buffer holds, and gives to nothing else before its own end.
        unsafe { Self::new([piece], bytes) }
    }

    /// Returns the memory of a buffer that [`ReadBuffer::owned`] made.
    pub fn into_owned(self) -> Option<AlignedBytes> {
        self.hold.downcast().ok().map(|bytes| *bytes)
    }

    /// Returns the number of bytes.
    pub fn len(&self) -> usize {
        self.pieces.iter().map(|piece| piece.len).sum()
    }

    /// Returns whether there is nothing to fill.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the pieces, in the order in which they are filled.
    pub fn pieces(&mut self) -> impl Iterator<Item = &mut [u8]> {
        self.pieces.iter_mut().map(|piece| {
            // SAFETY: as the caller of `new` guarantees; the exclusive borrow keeps the pieces from being lent twice.
            unsafe { std::slice::from_raw_parts_mut(piece.start.as_ptr(), piece.len) }
        })
    }

    /// Returns address and length of the pieces after the first `skip` bytes.
    #[cfg(target_os = "linux")]
    pub(super) fn rest(&self, skip: usize) -> impl Iterator<Item = (NonNull<u8>, usize)> + '_ {
        let mut skip = skip;
        self.pieces.iter().filter_map(move |piece| {
            let skipped = skip.min(piece.len);
            skip -= skipped;
            // SAFETY: `skipped` is at most the length of the piece, so the address stays within it or at its end.
            (skipped < piece.len).then(|| (unsafe { piece.start.add(skipped) }, piece.len - skipped))
        })
    }
}

#[cfg(test)]
impl ReadBuffer {
    /// Creates a buffer for a part of a region that only the test uses.
    pub(super) fn of_region(region: &std::sync::Arc<dyn crate::page::HostRegion>, start: usize, len: usize) -> Self {
        assert!(start + len <= region.len());
        let first = NonNull::new(region.as_ptr()).expect("a region");
        // SAFETY: the part lies in the region, which the buffer holds; tests take each part once.
        unsafe { Self::new([(first.add(start), len)], std::sync::Arc::clone(region)) }
    }
}
