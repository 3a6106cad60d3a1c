//! The memory that kernels reach.

use std::sync::Arc;

/// A range of memory at the host's own address.
#[derive(Clone, Copy, Debug)]
pub struct Allocation {
    /// Its first address.
    pub start: u64,
    /// Its size.
    pub bytes: u64,
    /// Devices that reach it, a bit each.
    pub reach: u8,
    /// Whether the host reads and writes it too.
    pub on_host: bool,
}

/// All allocations at a time, in the order of their addresses.
#[derive(Debug, Default)]
pub struct Table {
    allocations: Vec<Allocation>,
}

impl Table {
    /// Creates a table of allocations that do not overlap, in the order of their addresses.
    pub fn new(allocations: Vec<Allocation>) -> Self {
        debug_assert!(allocations.is_sorted_by_key(|allocation| allocation.start));
        Self { allocations }
    }

    /// Returns the number of an allocation, if there is one.
    pub(crate) fn get(&self, number: u32) -> Option<&Allocation> {
        self.allocations.get(number as usize)
    }

    /// Returns the number of the allocation that holds all of the bytes and that the device reaches.
    pub(crate) fn find(&self, address: u64, bytes: u64, device: u32) -> Option<u32> {
        let number = self.allocations.partition_point(|allocation| allocation.start <= address).checked_sub(1)?;
        let found = &self.allocations[number];
        let holds = found.reach & 1 << device != 0 && holds(found, address, bytes);
        holds.then_some(number as u32)
    }
}

/// Returns whether an allocation holds all of the bytes.
pub(crate) fn holds(allocation: &Allocation, address: u64, bytes: u64) -> bool {
    let offset = address.wrapping_sub(allocation.start);
    offset < allocation.bytes && allocation.bytes - offset >= bytes
}

/// Where the interpreter gets the present table from.
pub trait Memory: Sync {
    /// Returns the present table. It is asked for when a block begins to run, and again when an access misses.
    fn table(&self) -> Arc<Table>;
}
