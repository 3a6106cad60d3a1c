//! Access to the memory of other devices.

use super::{Buffer, Context, Stream};
use cudarc::driver::result;
use cudarc::driver::sys::{self, CUresult};
use gts_device::error::Result;

impl Context {
    /// Enables access from this device to the memory of another device. Returns whether the machine supports this
    /// access.
    pub(crate) fn reach(&self, other: &Self) -> Result<bool> {
        if self.device == other.device {
            return Ok(true);
        }
        self.bind()?;
        let mut possible = 0;
        // SAFETY: the driver has returned both devices; the target is valid.
        let asked = unsafe { sys::cuDeviceCanAccessPeer(&mut possible, self.device, other.device) };
        self.check(asked.result(), "asking whether devices reach each other")?;
        if possible == 0 {
            return Ok(false);
        }
        // SAFETY: both contexts are retained; this device's context is current.
        match unsafe { sys::cuCtxEnablePeerAccess(other.handle, 0) } {
            CUresult::CUDA_SUCCESS | CUresult::CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED => Ok(true),
            code => Err(self.fail(code, "reaching another device's memory")),
        }
    }
}

impl Stream {
    /// Copies the first `bytes` bytes of another device's buffer, after earlier work in the stream. This device must
    /// have access to the buffer. No stream may write the buffer before the copy completes.
    pub(crate) fn copy_from_peer(&self, source: &Buffer, target: &Buffer, bytes: usize) -> Result<()> {
        assert!(bytes <= source.bytes() && bytes <= target.bytes(), "copies stay within the buffers");
        self.context().bind()?;
        if bytes == 0 {
            return Ok(());
        }
        // SAFETY: both buffers are at least `bytes` bytes long, and the device can access both.
        let copied = unsafe { result::memcpy_dtod_async(target.address(), source.address(), bytes, self.handle()) };
        self.context().check(copied, "copying from another device")
    }

    /// Copies from an address in another device's memory, after earlier work in the stream.
    ///
    /// # Safety
    ///
    /// The source range must be `bytes` bytes long and accessible to this device. Nothing may write the range before
    /// the copy completes.
    pub(crate) unsafe fn copy_from(&self, source: u64, target: &Buffer, offset: usize, bytes: usize) -> Result<()> {
        assert!(offset + bytes <= target.bytes(), "copies stay within the buffer");
        self.context().bind()?;
        if bytes == 0 {
            return Ok(());
        }
        // SAFETY: the target lies within the buffer; the caller guarantees the source.
        let copied =
            unsafe { result::memcpy_dtod_async(target.address() + offset as u64, source, bytes, self.handle()) };
        self.context().check(copied, "copying from another device")
    }

    /// Copies between addresses in this device's memory, after earlier work in the stream.
    ///
    /// # Safety
    ///
    /// Both ranges must be `bytes` bytes long, and nothing else may access the ranges before the copy completes.
    pub(crate) unsafe fn copy_between(&self, source: u64, target: u64, bytes: usize) -> Result<()> {
        self.context().bind()?;
        if bytes == 0 {
            return Ok(());
        }
        // SAFETY: the caller guarantees both ranges.
        let copied = unsafe { result::memcpy_dtod_async(target, source, bytes, self.handle()) };
        self.context().check(copied, "copying on the device")
    }

    /// Copies bytes to an address in this device's memory, after earlier work in the stream. The bytes are read before
    /// the call returns.
    ///
    /// # Safety
    ///
    /// The target range must be as long as `bytes`, and nothing else may access the range before the copy completes.
    pub(crate) unsafe fn upload_to(&self, address: u64, bytes: &[u8]) -> Result<()> {
        self.context().bind()?;
        if bytes.is_empty() {
            return Ok(());
        }
        // SAFETY: the caller guarantees the target; the source is not pinned, so the driver has read it on return.
        let copied = unsafe { result::memcpy_htod_async(address, bytes, self.handle()) };
        self.context().check(copied, "copying to the device")
    }
}
