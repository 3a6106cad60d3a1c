//! Copies and fills of buffers in a stream.

use super::{Buffer, Pinned, Stream};
use cudarc::driver::result;
use gts_device::error::Result;
use std::ops::Range;
use std::sync::Arc;

impl Stream {
    /// Copies bytes to the device, after earlier work in the stream. The bytes are read before the call returns.
    pub(crate) fn upload(&self, target: &Buffer, offset: usize, bytes: &[u8]) -> Result<()> {
        assert!(offset + bytes.len() <= target.bytes(), "copies stay within the buffer");
        self.context().bind()?;
        if bytes.is_empty() {
            return Ok(());
        }
        // SAFETY: the target lies within the buffer; the source is not pinned, so the driver has read it on return.
        let copied = unsafe { result::memcpy_htod_async(target.address() + offset as u64, bytes, self.handle()) };
        self.context().check(copied, "copying to the device")
    }

    /// Copies bytes to the device, after earlier work in the stream. Page-locked bytes are read when the stream reaches
    /// the copy.
    ///
    /// # Safety
    ///
    /// The bytes must stay unchanged until the stream has completed the copy.
    pub(crate) unsafe fn copy(&self, target: &Buffer, offset: usize, bytes: &[u8]) -> Result<()> {
        assert!(offset + bytes.len() <= target.bytes(), "copies stay within the buffer");
        self.context().bind()?;
        if bytes.is_empty() {
            return Ok(());
        }
        // SAFETY: the target lies within the buffer; the caller guarantees the source.
        let copied = unsafe { result::memcpy_htod_async(target.address() + offset as u64, bytes, self.handle()) };
        self.context().check(copied, "copying to the device")
    }

    /// Copies the first `bytes` bytes of a buffer to the beginning of pinned memory, after earlier work in the stream.
    /// The caller must wait for the stream before reading the copy.
    pub(crate) fn fetch(&self, source: &Buffer, target: &mut Pinned, bytes: usize) -> Result<()> {
        self.fetch_part(source, 0, target, 0..bytes)
    }

    /// Copies bytes from position `offset` in a buffer to a part of pinned memory, after earlier work in the stream.
    /// The caller must wait for the copy before reading the part.
    pub(crate) fn fetch_part(
        &self,
        source: &Buffer,
        offset: usize,
        target: &mut Pinned,
        part: Range<usize>,
    ) -> Result<()> {
        assert!(offset + part.len() <= source.bytes(), "copies stay within the buffer");
        self.context().bind()?;
        // SAFETY: the source lies within the buffer; the driver writes the part, and freeing the memory waits for the
        // copy.
        let copied = unsafe {
            result::memcpy_dtoh_async(target.part_mut(part), source.address() + offset as u64, self.handle())
        };
        self.context().check(copied, "copying from the device")
    }

    /// Clears a range of a buffer, after earlier work in the stream.
    pub(crate) fn clear(&self, target: &Buffer, offset: usize, bytes: usize) -> Result<()> {
        assert!(offset + bytes <= target.bytes(), "writes stay within the buffer");
        self.context().bind()?;
        if bytes == 0 {
            return Ok(());
        }
        // SAFETY: the bytes lie within the buffer.
        let cleared = unsafe { result::memset_d8_async(target.address() + offset as u64, 0, bytes, self.handle()) };
        self.context().check(cleared, "clearing memory")
    }
}

impl Buffer {
    /// Allocates memory for work in a stream, like [`Buffer::lent`], and clears the memory in the stream.
    pub(crate) fn lent_zeroed(stream: &Arc<Stream>, bytes: usize, what: &str) -> Result<Self> {
        let buffer = Self::lent(stream, bytes, what)?;
        stream.clear(&buffer, 0, bytes)?;
        Ok(buffer)
    }

    /// Allocates memory for work in a stream, like [`Buffer::lent`], and copies `bytes` into it.
    pub(crate) fn lent_copy_of(stream: &Arc<Stream>, bytes: &[u8], what: &str) -> Result<Self> {
        let buffer = Self::lent(stream, bytes.len(), what)?;
        stream.upload(&buffer, 0, bytes)?;
        Ok(buffer)
    }
}
