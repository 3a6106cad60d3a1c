//! The memory of host buffers.
#![allow(unsafe_code)]

use crate::memory;
use std::fmt::{self, Debug, Formatter};

/// Alignment of resident pages, and the unit of direct I/O.
pub const PAGE_ALIGNMENT: usize = 4096;

/// Provides host memory: plain memory by default; a device provides memory that it copies from at full speed.
pub trait HostMemory: Send + Sync + Debug {
    /// Returns a zeroed region of at least `bytes`, or `None` if there is too little memory.
    fn allocate(&self, bytes: usize) -> Option<Box<dyn HostRegion>>;
}

/// Memory that belongs exclusively to its owner until it is dropped.
///
/// # Safety
///
/// For the life of the region, [`HostRegion::as_ptr`] returns the same address, a multiple of [`PAGE_ALIGNMENT`], of
/// [`HostRegion::len`] initialised bytes that any thread may read and write and that only the region's owner accesses.
/// [`HostRegion::on_gpus`] returns the address at which GPUs access exactly these bytes, for the same time.
pub unsafe trait HostRegion: Send + Sync {
    /// Returns the address of the region.
    fn as_ptr(&self) -> *mut u8;

    /// Returns the bytes of the region.
    fn len(&self) -> usize;

    /// Returns whether the region has no bytes.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the address at which GPUs access the region, if they do.
    fn on_gpus(&self) -> Option<u64> {
        None
    }
}

/// Bytes in a region of their own.
pub struct HostBytes {
    region: Box<dyn HostRegion>,
    length: usize,
}

impl HostBytes {
    /// Returns `length` zeros, or `None` if there is too little memory.
    pub fn zeroed(memory: &dyn HostMemory, length: usize) -> Option<Self> {
        let region = memory.allocate(length).filter(|region| region.len() >= length)?;
        Some(Self { region, length })
    }

    /// Returns the bytes.
    pub fn as_slice(&self) -> &[u8] {
        // SAFETY: the region has this number of initialised bytes, which only this value accesses.
        unsafe { std::slice::from_raw_parts(self.region.as_ptr(), self.length) }
    }

    /// Returns the bytes for writing.
    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        // SAFETY: as for `as_slice`; the borrow is unique.
        unsafe { std::slice::from_raw_parts_mut(self.region.as_ptr(), self.length) }
    }

    /// Returns the address at which GPUs access the bytes, if they do.
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
    /// Owns the memory that `start` points to.
    bytes: AlignedBytes,
}

// SAFETY: `start` points to memory that `bytes` owns, and only the region's owner obtains it.
unsafe impl Send for PlainRegion {}
// SAFETY: as for `Send`; the region's owner is responsible for what threads do with the address.
unsafe impl Sync for PlainRegion {}

// SAFETY: the bytes are zeroed when they are allocated, aligned to blocks of `PAGE_ALIGNMENT`, never moved, and
// accessed only through `start`, which was made from a unique borrow of them.
unsafe impl HostRegion for PlainRegion {
    fn as_ptr(&self) -> *mut u8 {
        self.start
    }

    fn len(&self) -> usize {
        self.bytes.len()
    }
}

/// Zeroed bytes, aligned to [`PAGE_ALIGNMENT`]; in huge pages if there are many and the system supports them.
pub struct AlignedBytes {
    /// More than requested. Memory of greater alignment would be zeroed, and so touched, at once; this is not.
    bytes: Vec<u8>,
    /// Index of the first aligned byte.
    start: usize,
    len: usize,
}

impl AlignedBytes {
    /// Allocates `len` zeros, or returns `None` if memory is too short.
    pub fn zeroed(len: usize) -> Option<Self> {
        let alignment = if memory::huge_pages_serve(len) { memory::HUGE_PAGE } else { PAGE_ALIGNMENT };
        let bytes: Vec<u8> = bytemuck::allocation::try_zeroed_vec(len.checked_add(alignment)?).ok()?;
        let start = bytes.as_ptr().addr().next_multiple_of(alignment) - bytes.as_ptr().addr();
        let mut bytes = Self { bytes, start, len };
        memory::prefer_huge_pages(bytes.as_mut_slice());
        Some(bytes)
    }

    /// Number of bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The bytes.
    pub fn as_slice(&self) -> &[u8] {
        &self.bytes[self.start..self.start + self.len]
    }

    /// The bytes for writing.
    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        &mut self.bytes[self.start..self.start + self.len]
    }
}
