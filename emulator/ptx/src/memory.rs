//! Memory that kernels can access.

use std::sync::Arc;

/// An allocation, identified by its host address.
#[derive(Clone, Copy, Debug)]
pub struct Allocation {
    /// First address of the allocation.
    pub start: u64,
    /// Size of the allocation in bytes.
    pub bytes: u64,
    /// Devices that can access the allocation, one bit per device.
    pub reach: u8,
    /// Whether the host can also access the allocation.
    pub on_host: bool,
}

/// A snapshot of all allocations, sorted by address.
#[derive(Debug, Default)]
pub struct Table {
    allocations: Vec<Allocation>,
}

impl Table {
    /// Creates a table from allocations that are sorted by address and do not overlap.
    pub fn new(allocations: Vec<Allocation>) -> Self {
        debug_assert!(allocations.is_sorted_by_key(|allocation| allocation.start));
        Self { allocations }
    }

    /// Returns the allocation with this index, if it exists.
    pub(crate) fn get(&self, number: u32) -> Option<&Allocation> {
        self.allocations.get(number as usize)
    }

    /// Returns the index of the allocation that contains all of the bytes, if the device can access it.
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

/// Provides the current table of allocations.
pub trait Memory: Sync {
    /// Returns the current table. The interpreter calls this function at the beginning of a block's time slice, and
    /// when an access is outside all known allocations.
    fn table(&self) -> Arc<Table>;
}
