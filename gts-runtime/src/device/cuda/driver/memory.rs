//! Memory of the device.

use super::{Context, Stream};
use crate::error::{Error, Result};
use cudarc::driver::result;
use cudarc::driver::sys::{CUdeviceptr, CUresult};
use gts_core::advice::Advice;
use gts_core::phase::{self, Phase};
use std::sync::Arc;

/// Buffers end at a multiple of this: fills write so many bytes at a time, updates of bytes the word around them.
const ROUNDED_TO: usize = 16;

/// Device memory, aligned to 256 bytes.
#[derive(Debug)]
pub(in crate::device::cuda) struct Buffer {
    context: Arc<Context>,
    address: CUdeviceptr,
    bytes: usize,
    /// The stream that uses it, where it came from idle memory and goes there again.
    stream: Option<Arc<Stream>>,
}

impl Buffer {
    /// Memory for `what`, which the error names if there is too little; all zeros.
    pub(in crate::device::cuda) fn zeroed(context: &Arc<Context>, bytes: usize, what: &str) -> Result<Self> {
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

    /// Memory of undefined content for what a stream does. It is taken from what others gave back, where that has its size,
    /// and goes back there when it is dropped. Other streams that use it have come to an end by then, or this one waits
    /// for them.
    pub(in crate::device::cuda) fn lent(stream: &Arc<Stream>, bytes: usize, what: &str) -> Result<Self> {
        phase::during(Phase::Allocate, || {
            let context = stream.context();
            context.bind()?;
            Self::allocate(context, bytes, what, Some(stream))
        })
    }

    /// The same, which the stream clears.
    pub(in crate::device::cuda) fn lent_zeroed(stream: &Arc<Stream>, bytes: usize, what: &str) -> Result<Self> {
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
        // Idle memory is part of the budget too.
        if let Some(left) = context.ledger().left() {
            context.idle().trim(context, left);
        }
        loop {
            context.count_call();
            // SAFETY: what is not cleared is written before anything reads it.
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

    /// Memory of undefined content, which somebody writes before anybody reads it.
    pub(in crate::device::cuda) fn unset(context: &Arc<Context>, bytes: usize, what: &str) -> Result<Self> {
        phase::during(Phase::Allocate, || {
            context.bind()?;
            Self::allocate(context, bytes, what, None)
        })
    }

    /// Memory with a copy of `bytes`.
    pub(in crate::device::cuda) fn copy_of(context: &Arc<Context>, bytes: &[u8], what: &str) -> Result<Self> {
        let buffer = Self::unset(context, bytes.len(), what)?;
        buffer.upload(0, bytes, what)?;
        Ok(buffer)
    }

    /// Memory with a copy of a few bytes, for what a stream does: see [`Buffer::lent`].
    pub(in crate::device::cuda) fn lent_copy_of(stream: &Arc<Stream>, bytes: &[u8], what: &str) -> Result<Self> {
        let buffer = Self::lent(stream, bytes.len(), what)?;
        stream.upload(&buffer, 0, bytes)?;
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
        phase::during(Phase::Allocate, || {
            let taken = self.taken();
            if let Some(stream) = &self.stream {
                self.context.idle().keep(&self.context, self.address, taken, stream);
            } else {
                self.context.count_call();
                // SAFETY: the memory was allocated by `malloc_sync` and is freed once; freeing waits for what still uses it.
                self.context.release(|| unsafe { result::free_sync(self.address) });
            }
            self.context.ledger().give(taken);
        });
    }
}
