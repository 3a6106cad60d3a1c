//! Where the memory of host buffers comes from.
#![allow(unsafe_code)]

use super::{AlignedBytes, PAGE_ALIGNMENT};

/// Gives memory for pages: plain memory by default; a device gives such that it can copy from at full speed.
pub trait HostMemory: Send + Sync {
    /// A region of at least `bytes`, or `None` where there is not so much.
    fn allocate(&self, bytes: usize) -> Option<Box<dyn HostRegion>>;
}

/// Memory that its owner alone has, until it is dropped.
///
/// # Safety
///
/// For the life of the region, [`HostRegion::as_ptr`] answers the same address, a multiple of [`PAGE_ALIGNMENT`], of
/// [`HostRegion::len`] bytes that are initialised, that may be read and written by any thread, and that nothing but the
/// owner of the region touches.
pub unsafe trait HostRegion: Send + Sync {
    /// Where the region begins.
    fn as_ptr(&self) -> *mut u8;

    /// Bytes of the region.
    fn len(&self) -> usize;

    /// Whether the region has no bytes.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Plain memory of the process.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlainMemory;

impl HostMemory for PlainMemory {
    fn allocate(&self, bytes: usize) -> Option<Box<dyn HostRegion>> {
        let mut bytes = AlignedBytes::zeroed(bytes)?;
        let start = bytes.as_mut_slice().as_mut_ptr();
        debug_assert!(start.addr().is_multiple_of(PAGE_ALIGNMENT));
        Some(Box::new(PlainRegion { start, bytes }))
    }
}

struct PlainRegion {
    start: *mut u8,
    /// Owns what `start` points to.
    bytes: AlignedBytes,
}

// SAFETY: `start` points to memory that `bytes` owns, and the region hands it out to its owner alone.
unsafe impl Send for PlainRegion {}
// SAFETY: as for `Send`; what threads do with the address is the affair of the region's owner.
unsafe impl Sync for PlainRegion {}

// SAFETY: the bytes are zeroed when they are allocated, aligned to blocks of `PAGE_ALIGNMENT`, never moved, and reached
// through `start` alone, which was made from a unique borrow of them.
unsafe impl HostRegion for PlainRegion {
    fn as_ptr(&self) -> *mut u8 {
        self.start
    }

    fn len(&self) -> usize {
        self.bytes.len()
    }
}
