//! Memory of the device, and pinned memory of the host.

use super::Context;
use crate::error::{Error, Result};
use cudarc::driver::result;
use cudarc::driver::sys::{CUdeviceptr, CUresult};
use std::sync::Arc;

/// Device memory, zeroed when made, aligned to 256 bytes.
#[derive(Debug)]
pub(in crate::device::cuda) struct Buffer {
    context: Arc<Context>,
    address: CUdeviceptr,
    bytes: usize,
}

impl Buffer {
    /// Memory for `what`, which the error names if there is too little.
    pub(in crate::device::cuda) fn zeroed(context: &Arc<Context>, bytes: usize, what: &str) -> Result<Self> {
        context.bind()?;
        // Fills write 16 bytes at a time, updates of bytes the word around them: the end is rounded up for both.
        let rounded = bytes.max(1).next_multiple_of(16);
        // SAFETY: the memory is set before anything reads it.
        let address = match unsafe { result::malloc_sync(rounded) } {
            Ok(address) => address,
            Err(error) if error.0 == CUresult::CUDA_ERROR_OUT_OF_MEMORY => {
                return Err(Error::OutOfMemory {
                    device: context.name().to_owned(),
                    what: what.to_owned(),
                    needed: rounded as u64,
                    free: context.memory()?.0,
                    remedy: "use a smaller graph or fewer attributes, or run on the CPU with `--device cpu`".to_owned(),
                });
            }
            Err(error) => return Err(context.fail(error.0, "allocating")),
        };
        let buffer = Self { context: context.clone(), address, bytes };
        // SAFETY: the memory was allocated above with that size.
        context.check(unsafe { result::memset_d8_sync(address, 0, rounded) }, "clearing memory")?;
        settle(context, "clearing memory")?;
        Ok(buffer)
    }

    /// Memory with a copy of `bytes`.
    pub(in crate::device::cuda) fn copy_of(context: &Arc<Context>, bytes: &[u8], what: &str) -> Result<Self> {
        let buffer = Self::zeroed(context, bytes.len(), what)?;
        buffer.upload(0, bytes, what)?;
        Ok(buffer)
    }

    /// Copies from host memory; done when the call returns. No stream may use that part of the buffer.
    pub(in crate::device::cuda) fn upload(&self, offset: usize, bytes: &[u8], what: &str) -> Result<()> {
        assert!(offset + bytes.len() <= self.bytes, "copies stay within the buffer");
        self.context.bind()?;
        if bytes.is_empty() {
            return Ok(());
        }
        // SAFETY: the target lies within the buffer.
        let copied = unsafe { result::memcpy_htod_sync(self.address + offset as u64, bytes) };
        self.context.check(copied, &format!("copying {what} to the device"))?;
        settle(&self.context, "copying to the device")
    }

    /// Copies to host memory; done when the call returns. No stream may write that part of the buffer.
    pub(in crate::device::cuda) fn download(&self, offset: usize, bytes: &mut [u8], what: &str) -> Result<()> {
        assert!(offset + bytes.len() <= self.bytes, "copies stay within the buffer");
        self.context.bind()?;
        if bytes.is_empty() {
            return Ok(());
        }
        // SAFETY: the source lies within the buffer.
        let copied = unsafe { result::memcpy_dtoh_sync(bytes, self.address + offset as u64) };
        self.context.check(copied, &format!("copying {what} from the device"))
    }

    /// The address on the device.
    pub(in crate::device::cuda) fn address(&self) -> u64 {
        self.address
    }

    /// Bytes asked for.
    pub(in crate::device::cuda) fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: the memory was allocated by `malloc_sync` and is freed once; freeing waits for what still uses it.
        self.context.release(|| unsafe { result::free_sync(self.address) });
    }
}

/// Waits for what has been put into the default stream: "synchronous" copies and fills may still be on their way when
/// the driver returns, and our own streams do not wait for that one.
fn settle(context: &Context, during: &str) -> Result<()> {
    // SAFETY: the default stream always exists.
    context.check(unsafe { result::stream::synchronize(result::stream::null()) }, during)
}

/// Pinned host memory: the target of copies that run beside the host.
#[derive(Debug)]
pub(in crate::device::cuda) struct Pinned {
    context: Arc<Context>,
    address: *mut u8,
    bytes: usize,
}

// SAFETY: the memory belongs to the value.
unsafe impl Send for Pinned {}

impl Pinned {
    /// Pinned memory of that size.
    pub(in crate::device::cuda) fn new(context: &Arc<Context>, bytes: usize) -> Result<Self> {
        context.bind()?;
        // SAFETY: the memory is cleared below before anything reads it.
        let address = context.check(unsafe { result::malloc_host(bytes, 0) }, "allocating pinned memory")?.cast::<u8>();
        // SAFETY: the memory has that size.
        unsafe { address.write_bytes(0, bytes) };
        Ok(Self { context: context.clone(), address, bytes })
    }

    pub(super) fn address(&self) -> *mut u8 {
        self.address
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The memory. No copy into it may be under way.
    pub(in crate::device::cuda) fn as_slice(&self) -> &[u8] {
        // SAFETY: the memory has that size and was cleared; streams copy into it only through `Stream::fetch`, whose
        // callers wait for the copy before they look.
        unsafe { std::slice::from_raw_parts(self.address, self.bytes) }
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        // SAFETY: the memory was allocated by `malloc_host` and is freed once; freeing waits for what still uses it.
        self.context.release(|| unsafe { result::free_host(self.address.cast()) });
    }
}
