//! Memory of the device.

use super::{Context, Stream};
use cudarc::driver::result;
use cudarc::driver::sys::{CUdeviceptr, CUresult};
use gts_core::advice::Advice;
use gts_core::phase::{self, Phase};
use gts_device::error::{Error, Result};
use std::sync::Arc;

/// Buffers end at a multiple of this: fills write 16 bytes at once, and updates of bytes write the word around them.
const ROUNDED_TO: usize = 16;

/// Device memory, aligned to 256 bytes.
#[derive(Debug)]
pub(crate) struct Buffer {
    context: Arc<Context>,
    address: CUdeviceptr,
    bytes: usize,
    /// The stream that uses the buffer, if the memory was taken from idle memory and returns there.
    stream: Option<Arc<Stream>>,
}

impl Buffer {
    /// Allocates memory of zeros for `what`, which the error names if there is too little memory.
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

    /// Allocates memory of undefined content for the work of a stream. Idle memory is reused if a block has this size,
    /// and the memory becomes idle again when it is dropped. By then, the work of other streams that use it has ended,
    /// or this stream waits for that work.
    pub(crate) fn lent(stream: &Arc<Stream>, bytes: usize, what: &str) -> Result<Self> {
        phase::during(Phase::Allocate, || {
            let context = stream.context();
            context.bind()?;
            Self::allocate(context, bytes, what, Some(stream))
        })
    }

    /// As [`Buffer::lent`], but the stream clears the memory.
    pub(crate) fn lent_zeroed(stream: &Arc<Stream>, bytes: usize, what: &str) -> Result<Self> {
        let buffer = Self::lent(stream, bytes, what)?;
        stream.clear(&buffer, 0, bytes)?;
        Ok(buffer)
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
        // Idle memory counts against the limit too.
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

    /// Allocates memory of undefined content, which the caller writes before reading it.
    pub(crate) fn unset(context: &Arc<Context>, bytes: usize, what: &str) -> Result<Self> {
        phase::during(Phase::Allocate, || {
            context.bind()?;
            Self::allocate(context, bytes, what, None)
        })
    }

    /// Allocates memory with a copy of `bytes`.
    pub(crate) fn copy_of(context: &Arc<Context>, bytes: &[u8], what: &str) -> Result<Self> {
        let buffer = Self::unset(context, bytes.len(), what)?;
        buffer.upload(0, bytes, what)?;
        Ok(buffer)
    }

    /// Allocates memory with a copy of a few bytes, for the work of a stream: see [`Buffer::lent`].
    pub(crate) fn lent_copy_of(stream: &Arc<Stream>, bytes: &[u8], what: &str) -> Result<Self> {
        let buffer = Self::lent(stream, bytes.len(), what)?;
        stream.upload(&buffer, 0, bytes)?;
        Ok(buffer)
    }

    /// Copies from host memory, and waits for the copy. No stream may use that part of the buffer.
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

    /// Copies to host memory, and waits for the copy. No stream may write that part of the buffer.
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

    /// Returns the address on the device.
    pub(crate) fn address(&self) -> u64 {
        self.address
    }

    /// Returns the bytes that were allocated.
    fn taken(&self) -> u64 {
        self.bytes.max(1).next_multiple_of(ROUNDED_TO) as u64
    }

    /// Returns the bytes that were requested.
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
