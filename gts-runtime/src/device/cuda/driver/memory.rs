//! Memory of the device.

use super::Context;
use crate::error::{Error, Result};
use cudarc::driver::result;
use cudarc::driver::sys::{CUdeviceptr, CUresult};
use gts_core::advice::Advice;
use gts_core::phase::{self, Phase};
use std::sync::Arc;

/// Buffers end at a multiple of this: fills write so many bytes at a time, updates of bytes the word around them.
const ROUNDED_TO: usize = 16;

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
        phase::during(Phase::Allocate, || Self::allocate(context, bytes, what))
    }

    fn allocate(context: &Arc<Context>, bytes: usize, what: &str) -> Result<Self> {
        context.bind()?;
        let rounded = bytes.max(1).next_multiple_of(ROUNDED_TO);
        let too_little = |free| Error::OutOfMemory {
            device: context.name().to_owned(),
            what: what.to_owned(),
            needed: rounded as u64,
            free,
            remedy: Advice::new(
                "give the device more --device-memory, use a smaller graph, or run with --device cpu",
                "allow more `device_memory`, use a smaller graph or fewer attributes, or run on the CPU",
            ),
        };
        context.ledger().take(rounded as u64).map_err(too_little)?;
        // SAFETY: the memory is set before anything reads it.
        let address = match unsafe { result::malloc_sync(rounded) } {
            Ok(address) => address,
            Err(error) => {
                context.ledger().give(rounded as u64);
                return Err(match error.0 {
                    CUresult::CUDA_ERROR_OUT_OF_MEMORY => too_little(context.memory()?.0),
                    code => context.fail(code, "allocating"),
                });
            }
        };
        let buffer = Self { context: context.clone(), address, bytes };
        // SAFETY: the memory was allocated above with that size.
        context.check(unsafe { result::memset_d8_sync(address, 0, rounded) }, "clearing memory")?;
        context.settle("clearing memory")?;
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
        self.context.settle("copying to the device")
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

    /// Bytes that were taken for it.
    fn taken(&self) -> u64 {
        self.bytes.max(1).next_multiple_of(ROUNDED_TO) as u64
    }

    /// Bytes asked for.
    pub(in crate::device::cuda) fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: the memory was allocated by `malloc_sync` and is freed once; freeing waits for what still uses it.
        phase::during(Phase::Allocate, || self.context.release(|| unsafe { result::free_sync(self.address) }));
        self.context.ledger().give(self.taken());
    }
}
