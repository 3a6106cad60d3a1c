//! Idle device memory: blocks that their owners have freed, retained for the next allocation of the same size. The
//! driver takes longer to allocate, clear and free memory than a short run takes to compute.
//!
//! When a block becomes idle, the stream for which the block was allocated may still use it. Such a block has an event,
//! and the next owner waits for the event. Idle blocks count as free memory. When memory is short, idle blocks are
//! returned to the driver.

use super::{Context, Stream};
use cudarc::driver::result;
use cudarc::driver::sys::{self, CUdeviceptr, CUevent, CUevent_flags, CUresult};
use gts_device::error::Result;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A block of device memory that currently has no owner.
#[derive(Debug)]
struct Block {
    address: CUdeviceptr,
    bytes: u64,
    /// An event after the block's last use, if that use was not complete when the block became idle.
    last_use: Option<CUevent>,
}

// SAFETY: the driver accepts an event from any thread; the address belongs to the block.
unsafe impl Send for Block {}

/// A context's idle blocks, from the longest idle to the most recent.
#[derive(Debug, Default)]
pub(super) struct Idle {
    blocks: Mutex<Vec<Block>>,
}

impl Idle {
    fn blocks(&self) -> MutexGuard<'_, Vec<Block>> {
        self.blocks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the total size of all blocks in bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.blocks().iter().map(|block| block.bytes).sum()
    }

    /// Removes a block of exactly `bytes` bytes, waits for the block's last use, and returns the block's address.
    /// Prefers the block that became idle most recently.
    pub(super) fn take(&self, context: &Context, bytes: u64) -> Result<Option<CUdeviceptr>> {
        let mut blocks = self.blocks();
        let Some(found) = blocks.iter().rposition(|block| block.bytes == bytes) else { return Ok(None) };
        let block = blocks.remove(found);
        drop(blocks);
        block.settle(context)?;
        Ok(Some(block.address))
    }

    /// Adds a block that was last used in `stream`.
    pub(super) fn keep(&self, context: &Context, address: CUdeviceptr, bytes: u64, stream: &Stream) {
        // Never reuse memory of a failed context, because kernels may still access the memory.
        if context.is_poisoned() || context.bind().is_err() {
            return;
        }
        if let Ok(last_use) = mark(context, stream) {
            self.blocks().push(Block { address, bytes, last_use });
        }
    }

    /// Frees blocks until at most `most` bytes are idle, beginning with the block that has been idle longest. Returns
    /// whether any block was freed.
    pub(super) fn trim(&self, context: &Context, most: u64) -> bool {
        let freed: Vec<Block> = {
            let mut blocks = self.blocks();
            let mut idle: u64 = blocks.iter().map(|block| block.bytes).sum();
            let count = blocks.iter().take_while(|block| {
                let goes = idle > most;
                idle -= if goes { block.bytes } else { 0 };
                goes
            });
            let count = count.count();
            blocks.drain(..count).collect()
        };
        for block in &freed {
            context.count_call();
            // Freeing waits for kernels that still use the block.
            // SAFETY: the block was allocated once and has no owner.
            context.release(|| unsafe { result::free_sync(block.address) });
            block.forget_use(context);
        }
        !freed.is_empty()
    }
}

impl Block {
    /// Waits for the last use of the block.
    fn settle(&self, context: &Context) -> Result<()> {
        let Some(event) = self.last_use else { return Ok(()) };
        context.bind()?;
        // SAFETY: the event exists until it is destroyed below.
        let waited = unsafe { result::event::synchronize(event) };
        self.forget_use(context);
        context.check(waited, "waiting for memory")
    }

    fn forget_use(&self, context: &Context) {
        if let Some(event) = self.last_use {
            // SAFETY: the event was created once and is no longer used.
            context.release(|| unsafe { result::event::destroy(event) });
        }
    }
}

/// Records an event after the current work in a stream. Returns `None` if the work is already complete.
fn mark(context: &Context, stream: &Stream) -> Result<Option<CUevent>> {
    // SAFETY: the stream exists.
    match unsafe { sys::cuStreamQuery(stream.handle()) } {
        CUresult::CUDA_SUCCESS => return Ok(None),
        CUresult::CUDA_ERROR_NOT_READY => {}
        code => return Err(context.fail(code, "asking a stream")),
    }
    context.count_call();
    let event = context.check(result::event::create(CUevent_flags::CU_EVENT_DISABLE_TIMING), "making an event")?;
    // SAFETY: the event and the stream exist and belong to the context.
    let recorded = unsafe { result::event::record(event, stream.handle()) };
    context.check(recorded, "recording an event")?;
    Ok(Some(event))
}
