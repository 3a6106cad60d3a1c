//! The memory that kernels can access.

use std::sync::Arc;

/// A range of memory at an address of the host.
#[derive(Clone, Copy, Debug)]
pub struct Allocation {
    /// First address of the range.
    pub start: u64,
    /// Size of the range.
    pub bytes: u64,
    /// Devices that can access the range, one bit per device.
    pub reach: u8,
    /// Whether the host reads and writes the range too.
    pub on_host: bool,
}

/// A snapshot of all allocations, ordered by address.
#[derive(Debug, Default)]
pub struct Table {
    allocations: Vec<Allocation>,
}

impl Table {
    /// Creates a table of allocations, which are ordered by address and do not overlap.
    pub fn new(allocations: Vec<Allocation>) -> Self {
        debug_assert!(allocations.is_sorted_by_key(|allocation| allocation.start));
        Self { allocations }
    }

    /// Returns the allocation with a number, if it exists.
    pub(crate) fn get(&self, number: u32) -> Option<&Allocation> {
        self.allocations.get(number as usize)
    }

    /// Returns the number of the allocation that contains all of the bytes, if the device can access it.
    pub(crate) fn find(&self, address: u64, bytes: u64, device: u32) -> Option<u32> {
        let number = self.allocations.partition_point(|allocation| allocation.start <= address).checked_sub(1)?;
        let found = &self.allocations[number];
        let holds = found.reach & 1 << device != 0 && holds(found, address, bytes);
        holds.then_some(number as u32)
    }
}

/// Returns whether an allocation contains all of the bytes.
pub(crate) fn holds(allocation: &Allocation, address: u64, bytes: u64) -> bool {
    let offset = address.wrapping_sub(allocation.start);
    offset < allocation.bytes && allocation.bytes - offset >= bytes
}

/// Source of the present table of allocations.
pub trait Memory: Sync {
    /// Returns the present table. The interpreter calls this when a block begins to run, and when an access finds no
    /// allocation.
    fn table(&self) -> Arc<Table>;
}
