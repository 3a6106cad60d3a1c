//! Where the memory of host buffers comes from.
#![allow(unsafe_code)]

use super::{AlignedBytes, PAGE_ALIGNMENT};
use std::fmt::{self, Debug, Formatter};

/// Gives memory of the host: plain memory by default; a device gives memory that it copies from at full speed.
pub trait HostMemory: Send + Sync + Debug {
    /// Returns a region of at least `bytes`, all of them 0, or `None` where there is too little memory.
    fn allocate(&self, bytes: usize) -> Option<Box<dyn HostRegion>>;
}

/// Memory that its owner alone has, until it is dropped.
///
/// # Safety
///
/// For the life of the region, [`HostRegion::as_ptr`] answers the same address, a multiple of [`PAGE_ALIGNMENT`], of
/// [`HostRegion::len`] bytes that are initialised, that may be read and written by any thread, and that nothing but the
/// owner of the region touches. [`HostRegion::on_gpus`] answers where GPUs reach these very bytes, all of them, for as long.
pub unsafe trait HostRegion: Send + Sync {
    /// Where the region begins.
    fn as_ptr(&self) -> *mut u8;

    /// Bytes of the region.
    fn len(&self) -> usize;

    /// Whether the region has no bytes.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the address at which GPUs reach the region, if they do.
    fn on_gpus(&self) -> Option<u64> {
        None
    }
}

/// Bytes of a region of their own.
pub struct HostBytes {
    region: Box<dyn HostRegion>,
    length: usize,
}

impl HostBytes {
    /// Returns so many zeros, or `None` where there is too little memory.
    pub fn zeroed(memory: &dyn HostMemory, length: usize) -> Option<Self> {
        let region = memory.allocate(length).filter(|region| region.len() >= length)?;
        Some(Self { region, length })
    }

    /// Returns the bytes.
    pub fn as_slice(&self) -> &[u8] {
        // SAFETY: the region has that many initialised bytes, which nothing but this value touches.
        unsafe { std::slice::from_raw_parts(self.region.as_ptr(), self.length) }
    }

    /// Returns the bytes, to be written.
    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        // SAFETY: as for `as_slice`; the borrow is unique.
        unsafe { std::slice::from_raw_parts_mut(self.region.as_ptr(), self.length) }
    }

    /// Returns the address at which GPUs reach the bytes, if they do.
    pub fn on_gpus(&self) -> Option<u64> {
        self.region.on_gpus()
    }
}

impl Debug for HostBytes {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("HostBytes").field("length", &self.length).finish_non_exhaustive()
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
