//! Memory of one device as another one reaches it.

use super::{Buffer, Context, Stream};
use crate::error::Result;
use cudarc::driver::result;
use cudarc::driver::sys::{self, CUresult};

impl Context {
    /// Lets this device's kernels and copies reach the memory of another; answers whether the machine allows it.
    pub(in crate::device::cuda) fn reach(&self, other: &Self) -> Result<bool> {
        if self.device == other.device {
            return Ok(true);
        }
        self.bind()?;
        let mut possible = 0;
        // SAFETY: both are devices of the driver; the target is valid.
        let asked = unsafe { sys::cuDeviceCanAccessPeer(&mut possible, self.device, other.device) };
        self.check(asked.result(), "asking whether devices reach each other")?;
        if possible == 0 {
            return Ok(false);
        }
        // SAFETY: both contexts are retained; this one is current.
        match unsafe { sys::cuCtxEnablePeerAccess(other.handle, 0) } {
            CUresult::CUDA_SUCCESS | CUresult::CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED => Ok(true),
            code => Err(self.fail(code, "reaching another device's memory")),
        }
    }
}

impl Stream {
    /// Copies from the beginning of another device's buffer, which this device reaches, after the work before. Nobody
    /// writes the source meanwhile.
    pub(in crate::device::cuda) fn copy_from_peer(&self, source: &Buffer, target: &Buffer, bytes: usize) -> Result<()> {
        assert!(bytes <= source.bytes() && bytes <= target.bytes(), "copies stay within the buffers");
        self.context().bind()?;
        if bytes == 0 {
            return Ok(());
        }
        // SAFETY: both buffers have that many bytes, and the device reaches both.
        let copied = unsafe { result::memcpy_dtod_async(target.address(), source.address(), bytes, self.handle()) };
        self.context().check(copied, "copying from another device")
    }

    /// Copies from an address in another device's memory, after the work before.
    ///
    /// # Safety
    ///
    /// There are that many bytes, which this device reaches, and nobody writes them until the stream has come past this
    /// copy.
    pub(in crate::device::cuda) unsafe fn copy_from(
        &self,
        source: u64,
        target: &Buffer,
        offset: usize,
        bytes: usize,
    ) -> Result<()> {
        assert!(offset + bytes <= target.bytes(), "copies stay within the buffer");
        self.context().bind()?;
        if bytes == 0 {
            return Ok(());
        }
        // SAFETY: the target lies within the buffer; the source is the caller's promise.
        let copied =
            unsafe { result::memcpy_dtod_async(target.address() + offset as u64, source, bytes, self.handle()) };
        self.context().check(copied, "copying from another device")
    }

    /// Copies between addresses of this device's memory, after the work before.
    ///
    /// # Safety
    ///
    /// Both have that many bytes, which nothing else touches until the stream has come past this copy.
    pub(in crate::device::cuda) unsafe fn copy_between(&self, source: u64, target: u64, bytes: usize) -> Result<()> {
        self.context().bind()?;
        if bytes == 0 {
            return Ok(());
        }
        // SAFETY: the caller's promise.
        let copied = unsafe { result::memcpy_dtod_async(target, source, bytes, self.handle()) };
        self.context().check(copied, "copying on the device")
    }

    /// Copies bytes to an address of this device's memory, after the work before. They are read before the call returns.
    ///
    /// # Safety
    ///
    /// There are that many bytes, which nothing else touches until the stream has come past this copy.
    pub(in crate::device::cuda) unsafe fn upload_to(&self, address: u64, bytes: &[u8]) -> Result<()> {
        self.context().bind()?;
        if bytes.is_empty() {
            return Ok(());
        }
        // SAFETY: the target is the caller's promise; the source is not pinned, so the driver has read it on return.
        let copied = unsafe { result::memcpy_htod_async(address, bytes, self.handle()) };
        self.context().check(copied, "copying to the device")
    }
}
