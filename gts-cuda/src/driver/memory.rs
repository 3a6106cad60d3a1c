//! Buffers in device memory.

use super::{Context, Stream};
use cudarc::driver::result;
use cudarc::driver::sys::{CUdeviceptr, CUresult};
use gts_core::advice::Advice;
use gts_core::phase::{self, Phase};
use gts_device::error::{Error, Result};
use std::sync::Arc;

/// Buffer sizes are rounded up to a multiple of this number of bytes. Fills write 16 bytes at a time, and updating a
/// byte writes the whole word that contains the byte.
const ROUNDED_TO: usize = 16;

/// A buffer in device memory, aligned to 256 bytes.
#[derive(Debug)]
pub(crate) struct Buffer {
    context: Arc<Context>,
    address: CUdeviceptr,
    bytes: usize,
    /// The stream for which the buffer was allocated, if any. Such a buffer's memory becomes idle when the buffer is
    /// dropped.
    stream: Option<Arc<Stream>>,
}

impl Buffer {
    /// Allocates zeroed memory. If there is too little memory, the error names `what`.
    pub(crate) fn zeroed(context: &Arc<Context>, bytes: usize, what: &str) -> Result<Self> {
        phase::during(Phase::Allocate, || {
            context.bind()?;
            let buffer = Self::allocate(context, bytes, what, None)?;
            // SAFETY: the memory was allocated above with that size.
            let cleared = unsafe { result::memset_d8_sync(buffer.address, 0, buffer.taken() as usize) };
            context.check(cleared, "clearing memory")?;
            context.settle("clearing memory")?;
            Ok(buffer)
        })
    }

    /// Allocates memory with undefined content for work in a stream. Reuses an idle block of the same size if there is
    /// one. The memory becomes idle when the buffer is dropped. By then, all work in other streams must have finished
    /// using the memory, or this stream must wait for that work.
    pub(crate) fn lent(stream: &Arc<Stream>, bytes: usize, what: &str) -> Result<Self> {
        phase::during(Phase::Allocate, || {
            let context = stream.context();
            context.bind()?;
            Self::allocate(context, bytes, what, Some(stream))
        })
    }

    fn allocate(context: &Arc<Context>, bytes: usize, what: &str, stream: Option<&Arc<Stream>>) -> Result<Self> {
        let rounded = bytes.max(1).next_multiple_of(ROUNDED_TO);
        let made = |address| Self { context: context.clone(), address, bytes, stream: stream.cloned() };
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
        let idle = match stream {
            Some(_) => context.idle().take(context, rounded as u64),
            None => Ok(None),
        };
        match idle {
            Ok(Some(address)) => return Ok(made(address)),
            Ok(None) => {}
            Err(error) => {
                context.ledger().give(rounded as u64);
                return Err(error);
            }
        }
        // Allocated and idle memory together must not exceed the limit.
        if let Some(left) = context.ledger().left() {
            context.idle().trim(context, left);
        }
        loop {
            context.count_call();
            // SAFETY: memory that is not cleared is written before it is read.
            match unsafe { result::malloc_sync(rounded) } {
                Ok(address) => return Ok(made(address)),
                Err(error) if error.0 == CUresult::CUDA_ERROR_OUT_OF_MEMORY && context.idle().trim(context, 0) => {}
                Err(error) => {
                    context.ledger().give(rounded as u64);
                    return Err(match error.0 {
                        CUresult::CUDA_ERROR_OUT_OF_MEMORY => too_little(context.memory()?.0),
                        code => context.fail(code, "allocating"),
                    });
                }
            }
        }
    }

    /// Allocates memory with undefined content. The caller must write the memory before reading it.
    pub(crate) fn unset(context: &Arc<Context>, bytes: usize, what: &str) -> Result<Self> {
        phase::during(Phase::Allocate, || {
            context.bind()?;
            Self::allocate(context, bytes, what, None)
        })
    }

    /// Allocates memory and copies `bytes` into it.
    pub(crate) fn copy_of(context: &Arc<Context>, bytes: &[u8], what: &str) -> Result<Self> {
        let buffer = Self::unset(context, bytes.len(), what)?;
        buffer.upload(0, bytes, what)?;
        Ok(buffer)
    }

    /// Copies from host memory, and waits for the copy. No stream may use the target range during the call.
    pub(crate) fn upload(&self, offset: usize, bytes: &[u8], what: &str) -> Result<()> {
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

    /// Copies to host memory, and waits for the copy. No stream may write the source range during the call.
    pub(crate) fn download(&self, offset: usize, bytes: &mut [u8], what: &str) -> Result<()> {
        assert!(offset + bytes.len() <= self.bytes, "copies stay within the buffer");
        self.context.bind()?;
        if bytes.is_empty() {
            return Ok(());
        }
        // SAFETY: the source lies within the buffer.
        let copied = unsafe { result::memcpy_dtoh_sync(bytes, self.address + offset as u64) };
        self.context.check(copied, &format!("copying {what} from the device"))
    }

    /// Returns the device address of the first byte.
    pub(crate) fn address(&self) -> u64 {
        self.address
    }

    /// Returns the number of allocated bytes: the number of requested bytes, rounded up.
    fn taken(&self) -> u64 {
        self.bytes.max(1).next_multiple_of(ROUNDED_TO) as u64
    }

    /// Returns the number of requested bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        phase::during(Phase::Allocate, || {
            let taken = self.taken();
            if let Some(stream) = &self.stream {
                self.context.idle().keep(&self.context, self.address, taken, stream);
            } else {
                self.context.count_call();
                // SAFETY: the memory was allocated by `malloc_sync` and is freed once; freeing waits for kernels that
                // still use it.
                self.context.release(|| unsafe { result::free_sync(self.address) });
            }
            self.context.ledger().give(taken);
        });
    }
}
