//! The memory that a read fills. This is the only module that passes memory to a thread or the system by its address.
#![allow(unsafe_code)]

use crate::page::AlignedBytes;
use std::any::Any;
use std::ptr::NonNull;

/// A memory buffer that a read fills piece by piece. During the read, nothing else accesses this memory.
pub struct ReadBuffer {
    pieces: Vec<Piece>,
    /// The owner of the memory, which keeps its addresses valid.
    hold: Box<dyn Any + Send + Sync>,
}

#[derive(Clone, Copy)]
struct Piece {
    start: NonNull<u8>,
    len: usize,
}

// SAFETY: a buffer owns the right to its pieces, which no other thread uses during the buffer's lifetime; see
// `ReadBuffer::new`.
unsafe impl Send for ReadBuffer {}

impl ReadBuffer {
    /// Creates a buffer from pieces, given by their addresses and lengths.
    ///
    /// # Safety
    ///
    /// As long as `hold` exists, the pieces must be initialised memory that may be written. As long as the buffer
    /// exists, nothing else may read or write the pieces. The pieces must not overlap.
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

    /// Creates a buffer that owns its memory.
    pub fn owned(mut bytes: AlignedBytes) -> Self {
        let slice = bytes.as_mut_slice();
        let piece = (NonNull::from(&mut *slice).cast(), slice.len());
        // SAFETY: the memory belongs to `bytes`. The buffer holds `bytes`, and gives it to nothing else during its
        // lifetime.
        unsafe { Self::new([piece], bytes) }
    }

    /// Returns the memory of a buffer created by [`ReadBuffer::owned`]; `None` for other buffers.
    pub fn into_owned(self) -> Option<AlignedBytes> {
        self.hold.downcast().ok().map(|bytes| *bytes)
    }

    /// Returns the total number of bytes in the pieces.
    pub fn len(&self) -> usize {
        self.pieces.iter().map(|piece| piece.len).sum()
    }

    /// Returns whether the buffer has no bytes to fill.
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

    /// Returns the address and the length of each piece that remains after the first `skip` bytes.
    #[cfg(target_os = "linux")]
    pub(super) fn rest(&self, skip: usize) -> impl Iterator<Item = (NonNull<u8>, usize)> + '_ {
        let mut skip = skip;
        self.pieces.iter().filter_map(move |piece| {
            let skipped = skip.min(piece.len);
            skip -= skipped;
            // SAFETY: `skipped` is at most the length of the piece, so the address is within the piece or at its end.
            (skipped < piece.len).then(|| (unsafe { piece.start.add(skipped) }, piece.len - skipped))
        })
    }
}

#[cfg(test)]
impl ReadBuffer {
    /// Creates a buffer for a range of a region that is used only by the test.
    pub(super) fn of_region(region: &std::sync::Arc<dyn crate::page::HostRegion>, start: usize, len: usize) -> Self {
        assert!(start + len <= region.len());
        let first = NonNull::new(region.as_ptr()).expect("a region");
        // SAFETY: the range is in the region, which the buffer holds; tests use each range once.
        unsafe { Self::new([(first.add(start), len)], std::sync::Arc::clone(region)) }
    }
}
