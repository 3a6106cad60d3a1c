//! Allocates the memory of host buffers.
#![allow(unsafe_code)]

use crate::memory;
use std::fmt::{self, Debug, Formatter};

/// The alignment of resident pages, which is also the unit of direct I/O.
pub const PAGE_ALIGNMENT: usize = 4096;

/// An allocator of host memory. The default allocates ordinary memory. A device can provide an allocator of memory from
/// which the device copies at full speed.
pub trait HostMemory: Send + Sync + Debug {
    /// Allocates a zeroed region of at least `bytes` bytes. Returns `None` if there is too little memory.
    fn allocate(&self, bytes: usize) -> Option<Box<dyn HostRegion>>;
}

/// Memory that belongs exclusively to its owner until it is dropped.
///
/// # Safety
///
/// For the lifetime of the region, [`HostRegion::as_ptr`] returns the same address, which is a multiple of
/// [`PAGE_ALIGNMENT`]. At this address are [`HostRegion::len`] initialised bytes that any thread may read and write,
/// and that only the region's owner accesses. For the same lifetime, [`HostRegion::on_gpus`] returns the address at
/// which GPUs access exactly these bytes.
pub unsafe trait HostRegion: Send + Sync {
    /// Returns the address of the region on the host.
    fn as_ptr(&self) -> *mut u8;

    /// Returns the size of the region in bytes.
    fn len(&self) -> usize;

    /// Returns whether the region has no bytes.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the address at which GPUs access the region; `None` if GPUs cannot access the region.
    fn on_gpus(&self) -> Option<u64> {
        None
    }
}

/// A byte buffer in a region of its own.
pub struct HostBytes {
    region: Box<dyn HostRegion>,
    length: usize,
}

impl HostBytes {
    /// Creates a buffer of `length` zeros. Returns `None` if there is too little memory.
    pub fn zeroed(memory: &dyn HostMemory, length: usize) -> Option<Self> {
        let region = memory.allocate(length).filter(|region| region.len() >= length)?;
        Some(Self { region, length })
    }

    /// Returns the bytes of the buffer.
    pub fn as_slice(&self) -> &[u8] {
        // SAFETY: the region has this number of initialised bytes, which only this value accesses.
        unsafe { std::slice::from_raw_parts(self.region.as_ptr(), self.length) }
    }

    /// Returns the bytes of the buffer for writing.
    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        // SAFETY: as for `as_slice`; the borrow is unique.
        unsafe { std::slice::from_raw_parts_mut(self.region.as_ptr(), self.length) }
    }

    /// Returns the address at which GPUs access the bytes; `None` if GPUs cannot access the bytes.
    pub fn on_gpus(&self) -> Option<u64> {
        self.region.on_gpus()
    }
}

impl Debug for HostBytes {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("HostBytes").field("length", &self.length).finish_non_exhaustive()
    }
}

/// The allocator of ordinary process memory.
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
    /// The owner of the memory that `start` points to.
    bytes: AlignedBytes,
}

// SAFETY: `start` points to memory that `bytes` owns, and only the region's owner obtains it.
unsafe impl Send for PlainRegion {}
// SAFETY: as for `Send`; the region's owner is responsible for accesses through the address.
unsafe impl Sync for PlainRegion {}

// SAFETY: the bytes are zeroed when they are allocated, aligned to `PAGE_ALIGNMENT`, never moved, and accessed only
// through `start`, which was derived from a unique borrow of the bytes.
unsafe impl HostRegion for PlainRegion {
    fn as_ptr(&self) -> *mut u8 {
        self.start
    }

    fn len(&self) -> usize {
        self.bytes.len()
    }
}

/// Zero-initialised bytes, aligned to [`PAGE_ALIGNMENT`]. A large allocation uses huge pages if the system supports
/// them.
pub struct AlignedBytes {
    /// More bytes than requested, so that an aligned range exists. An allocation with a larger alignment would be
    /// zeroed explicitly, which touches all of its pages. This allocation stays untouched.
    bytes: Vec<u8>,
    /// The index of the first aligned byte.
    start: usize,
    len: usize,
}

impl AlignedBytes {
    /// Allocates `len` zero bytes. Returns `None` if there is too little memory.
    pub fn zeroed(len: usize) -> Option<Self> {
        let alignment = if memory::huge_pages_serve(len) { memory::HUGE_PAGE } else { PAGE_ALIGNMENT };
        let bytes: Vec<u8> = bytemuck::allocation::try_zeroed_vec(len.checked_add(alignment)?).ok()?;
        let start = bytes.as_ptr().addr().next_multiple_of(alignment) - bytes.as_ptr().addr();
        let mut bytes = Self { bytes, start, len };
        memory::prefer_huge_pages(bytes.as_mut_slice());
        Some(bytes)
    }

    /// Returns the number of bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether the length is zero.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the bytes as a slice.
    pub fn as_slice(&self) -> &[u8] {
        &self.bytes[self.start..self.start + self.len]
    }

    /// Returns the bytes as a mutable slice.
    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        &mut self.bytes[self.start..self.start + self.len]
    }
}
