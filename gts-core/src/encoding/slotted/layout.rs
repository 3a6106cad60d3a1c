//! Computes the offsets within a slotted page.

use crate::page::{IdWidth, PageFormat};

/// The offset of the first record ID.
pub const ENTRIES_OFFSET: usize = 16;
/// Bytes of a slot.
const SLOT_BYTES: usize = 4;

/// The offsets and capacities of slotted pages in one format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    page_size: usize,
    width: IdWidth,
    value_bytes: usize,
}

impl Layout {
    /// Creates the layout for a page format.
    #[inline]
    pub const fn new(format: &PageFormat) -> Self {
        Self { page_size: format.page_size() as usize, width: format.width(), value_bytes: format.value_bytes() }
    }

    /// Returns the bytes per page.
    #[inline]
    pub const fn page_size(&self) -> usize {
        self.page_size
    }

    /// Returns the bytes per record ID.
    #[inline]
    pub const fn entry_bytes(&self) -> usize {
        self.width.bytes()
    }

    /// Returns the offset of the edge values in a page with `entries` record IDs.
    #[inline]
    pub const fn values_offset(&self, entries: usize) -> usize {
        let end = ENTRIES_OFFSET + entries * self.width.bytes();
        if self.value_bytes == 0 { end } else { end.next_multiple_of(self.value_bytes) }
    }

    /// Returns the offset of the slot with index `slot`.
    #[inline]
    pub const fn slot_offset(&self, slot: usize) -> usize {
        self.page_size - SLOT_BYTES * (slot + 1)
    }

    /// Returns whether a page has room for the given numbers of slots and record IDs.
    #[inline]
    pub const fn fits(&self, slots: u64, entries: u64) -> bool {
        // Numbers beyond 2^32 never fit. For smaller numbers, the sums are far below 2^64.
        if slots > u32::MAX as u64 || entries > u32::MAX as u64 {
            return false;
        }
        let padding = if self.value_bytes == 0 { 0 } else { self.value_bytes as u64 - 1 };
        let end = (ENTRIES_OFFSET as u64 + entries * self.entry_bytes() as u64 + padding) & !padding;
        end + entries * self.value_bytes as u64 + SLOT_BYTES as u64 * (slots + 1) <= self.page_size as u64
    }

    /// Returns the maximum number of record IDs in a page with `slots` slots.
    pub fn capacity(&self, slots: u64) -> u64 {
        let fixed = ENTRIES_OFFSET as u64 + SLOT_BYTES as u64 * (slots + 1);
        let free = (self.page_size as u64).saturating_sub(fixed);
        let each = (self.entry_bytes() + self.value_bytes) as u64;
        // The padding before the values is smaller than one value, so the result is at most a few entries lower.
        let mut entries = free / each;
        while entries > 0 && !self.fits(slots, entries) {
            entries -= 1;
        }
        entries
    }
}
