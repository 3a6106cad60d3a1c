//! Host memory that a device copies from by itself, for the buffers of page sources.
#![allow(unsafe_code)]

use crate::device::cuda::driver::{Context, PageLock};
use gts_core::page::{HostMemory, HostRegion, PlainMemory};
use std::sync::Arc;

/// Gives memory that is page-locked for a device; where the driver refuses to lock it, plain memory, from which copies
/// are slower.
#[derive(Debug)]
pub(super) struct LockedMemory {
    pub(super) context: Arc<Context>,
}

impl HostMemory for LockedMemory {
    fn allocate(&self, bytes: usize) -> Option<Box<dyn HostRegion>> {
        let memory = PlainMemory.allocate(bytes)?;
        // SAFETY: the region's bytes are initialised, and nobody else has it yet; the slice ends here.
        let slice = unsafe { std::slice::from_raw_parts(memory.as_ptr(), memory.len()) };
        // SAFETY: the region keeps its memory in its place, and is dropped after the lock.
        match unsafe { PageLock::new(&self.context, slice) } {
            Ok(lock) => Some(Box::new(LockedRegion { _lock: lock, memory })),
            Err(_) => Some(memory),
        }
    }
}

struct LockedRegion {
    _lock: PageLock,
    memory: Box<dyn HostRegion>,
}

// SAFETY: all promises are kept by the region within, whose memory the lock neither moves nor touches.
unsafe impl HostRegion for LockedRegion {
    fn as_ptr(&self) -> *mut u8 {
        self.memory.as_ptr()
    }

    fn len(&self) -> usize {
        self.memory.len()
    }
}
