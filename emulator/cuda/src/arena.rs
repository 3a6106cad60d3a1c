//! Addresses of device memory: a range of the process's addresses, allocated from its beginning to its end.
//!
//! No address is used twice, so that accesses by a stale address are found. Memory between two allocations belongs to
//! neither.
#![allow(unsafe_code)]

use crate::codes::{Code, Result};

/// Size of the address range of each device.
const ADDRESSES: u64 = 8 << 40;
/// Minimum number of bytes between two allocations.
const GAP: u64 = 256;
/// Step in bytes by which memory becomes writable.
const STEP: u64 = 16 << 20;
/// Bytes of a page of the host.
const PAGE: u64 = 4 << 10;
/// Maximum number of bytes of an allocation that are filled with [`UNSET`].
const MARKED: u64 = 64 << 10;
/// Content of memory before the first write.
const UNSET: u8 = 0xA5;

/// The addresses of a device.
#[derive(Debug)]
pub(crate) struct Arena {
    next: u64,
    /// End of the writable range.
    writable: u64,
    end: u64,
}

impl Arena {
    /// Reserves addresses without memory.
    pub(crate) fn reserve() -> Result<Self> {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: a new mapping at addresses that the system chooses.
        let start = unsafe { libc::mmap(std::ptr::null_mut(), ADDRESSES as usize, libc::PROT_NONE, flags, -1, 0) };
        if start == libc::MAP_FAILED {
            return Err(Code::OPERATING_SYSTEM);
        }
        let start = start.addr() as u64;
        Ok(Self { next: start + PAGE, writable: start, end: start + ADDRESSES })
    }

    /// Allocates `bytes` bytes with undefined content at a multiple of `alignment`. Returns their address.
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

    /// Returns the memory at these addresses to the system.
    pub(crate) fn give(address: u64, bytes: u64) {
        let (start, end) = (address.next_multiple_of(PAGE), (address + bytes) / PAGE * PAGE);
        if start < end {
            // SAFETY: the pages belong to an allocation that has ended.
            unsafe { libc::madvise(start as *mut _, (end - start) as usize, libc::MADV_DONTNEED) };
        }
    }
}
