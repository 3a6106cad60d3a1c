//! Host memory that a device accesses directly: buffers of page sources, and replicas in host memory.
#![allow(unsafe_code)]

use crate::driver::{Context, PageLock};
use gts_core::page::{HostMemory, HostRegion, PlainMemory};
use std::sync::Arc;

/// An allocator of page-locked memory. If the driver cannot lock an allocation, the allocation is pageable, and copies
/// from it are slower.
#[derive(Debug)]
pub(crate) struct LockedMemory {
    pub(crate) context: Arc<Context>,
}

impl HostMemory for LockedMemory {
    fn allocate(&self, bytes: usize) -> Option<Box<dyn HostRegion>> {
        let memory = PlainMemory.allocate(bytes)?;
        // SAFETY: the region's bytes are initialised, and nothing else uses them yet; the slice does not outlive this
        // function.
        let slice = unsafe { std::slice::from_raw_parts_mut(memory.as_ptr(), memory.len()) };
        // SAFETY: the region does not move its memory, and is dropped after the lock.
        match unsafe { PageLock::unwritten(&self.context, slice) } {
            Ok(lock) => {
                let context = Arc::clone(&self.context);
                Some(Box::new(LockedRegion { lock: Some(lock), memory: Some(memory), context }))
            }
            Err(_) => Some(memory),
        }
    }
}

struct LockedRegion {
    /// Taken when the region is dropped, so that the lock is released before the memory is freed.
    lock: Option<PageLock>,
    memory: Option<Box<dyn HostRegion>>,
    context: Arc<Context>,
}

impl Drop for LockedRegion {
    fn drop(&mut self) {
        drop(self.lock.take());
        // Kernels of a failed context may still write to the memory.
        if self.context.is_poisoned() {
            std::mem::forget(self.memory.take());
        }
    }
}

// SAFETY: the inner region upholds the requirements and lives as long as this value. The lock neither moves nor
// accesses the memory. The address on GPUs comes from the lock, and is valid while the lock lives.
unsafe impl HostRegion for LockedRegion {
    fn as_ptr(&self) -> *mut u8 {
        self.memory.as_ref().map_or(std::ptr::null_mut(), |memory| memory.as_ptr())
    }

    fn len(&self) -> usize {
        self.memory.as_ref().map_or(0, |memory| memory.len())
    }

    fn on_gpus(&self) -> Option<u64> {
        self.lock.as_ref()?.mapped()
    }
}
