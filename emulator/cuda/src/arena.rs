//! Addresses of device memory: a reserved range of the process's address space, allocated from beginning to end.
//!
//! No address is reused, so accesses through stale addresses are detected. A gap between two allocations belongs to
//! neither.
#![allow(unsafe_code)]

use crate::codes::{Code, Result};

/// Bytes of address space reserved per arena.
const ADDRESSES: u64 = 8 << 40;
/// Minimum number of bytes between two allocations.
const GAP: u64 = 256;
/// Granularity in bytes at which memory is made writable.
const STEP: u64 = 16 << 20;
/// Bytes per host page.
const PAGE: u64 = 4 << 10;
/// Maximum number of bytes per allocation that are filled with [`UNSET`].
const MARKED: u64 = 64 << 10;
/// Value of each byte before the first write.
const UNSET: u8 = 0xA5;

/// A range of addresses from which memory is allocated.
#[derive(Debug)]
pub(crate) struct Arena {
    next: u64,
    /// End of the memory that is writable.
    writable: u64,
    end: u64,
}

impl Arena {
    /// Reserves a range of addresses without allocating memory.
    pub(crate) fn reserve() -> Result<Self> {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: the call creates a new mapping at addresses that the system chooses.
        let start = unsafe { libc::mmap(std::ptr::null_mut(), ADDRESSES as usize, libc::PROT_NONE, flags, -1, 0) };
        if start == libc::MAP_FAILED {
            return Err(Code::OPERATING_SYSTEM);
        }
        let start = start.addr() as u64;
        Ok(Self { next: start + PAGE, writable: start, end: start + ADDRESSES })
    }

    /// Allocates `bytes` bytes with undefined content, aligned to `alignment`. Returns the address.
    pub(crate) fn take(&mut self, bytes: u64, alignment: u64) -> Result<u64> {
        let address = self.next.next_multiple_of(alignment);
        let next = address + bytes + GAP;
        if next > self.end {
            return Err(Code::OUT_OF_MEMORY);
        }
        if next > self.writable {
            let more = (next - self.writable).next_multiple_of(STEP).min(self.end - self.writable);
            // SAFETY: the range is within the reserved addresses.
            let code =
                unsafe { libc::mprotect(self.writable as *mut _, more as usize, libc::PROT_READ | libc::PROT_WRITE) };
            if code != 0 {
                return Err(Code::OUT_OF_MEMORY);
            }
            self.writable += more;
        }
        self.next = next;
        // SAFETY: the range is writable and belongs to the new allocation.
        unsafe { (address as *mut u8).write_bytes(UNSET, bytes.min(MARKED) as usize) };
        Ok(address)
    }

    /// Returns the whole pages in a range of addresses to the system.
    pub(crate) fn give(address: u64, bytes: u64) {
        let (start, end) = (address.next_multiple_of(PAGE), (address + bytes) / PAGE * PAGE);
        if start < end {
            // SAFETY: the pages belong to memory that has been freed.
            unsafe { libc::madvise(start as *mut _, (end - start) as usize, libc::MADV_DONTNEED) };
        }
    }
}
