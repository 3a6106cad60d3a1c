//! Writes the contents of a page.

use super::{ENTRIES_OFFSET, Layout};

/// Writes the records and slots of one page to zeroed bytes, one vertex after the other.
pub(crate) struct PageWriter<'a> {
    layout: Layout,
    bytes: &'a mut [u8],
    entry: usize,
    slot: usize,
    values: usize,
}

impl<'a> PageWriter<'a> {
    /// Begins a page with exactly `slots` vertices and `entries` record IDs. Both must fit in the page.
    pub(crate) fn new(layout: Layout, bytes: &'a mut [u8], start_vid: u64, slots: u32, entries: u32) -> Self {
        bytes[..8].copy_from_slice(&start_vid.to_le_bytes());
        bytes[8..12].copy_from_slice(&slots.to_le_bytes());
        bytes[12..16].copy_from_slice(&entries.to_le_bytes());
        let values = layout.values_offset(entries as usize);
        let mut writer = Self { layout, bytes, entry: 0, slot: 0, values };
        writer.put_slot();
        writer
    }

    /// Appends record IDs to the list of the current vertex.
    #[inline]
    pub(crate) fn put_records(&mut self, records: impl ExactSizeIterator<Item = u64>) {
        // With a constant number of bytes, each copy needs only one or two stores.
        match self.layout.entry_bytes() {
            2 => self.put_records_of::<2>(records),
            3 => self.put_records_of::<3>(records),
            4 => self.put_records_of::<4>(records),
            5 => self.put_records_of::<5>(records),
            6 => self.put_records_of::<6>(records),
            7 => self.put_records_of::<7>(records),
            _ => self.put_records_of::<8>(records),
        }
    }

    #[inline]
    fn put_records_of<const BYTES: usize>(&mut self, records: impl ExactSizeIterator<Item = u64>) {
        let start = ENTRIES_OFFSET + self.entry * BYTES;
        self.entry += records.len();
        let end = ENTRIES_OFFSET + self.entry * BYTES;
        for (target, record) in self.bytes[start..end].chunks_exact_mut(BYTES).zip(records) {
            target.copy_from_slice(&record.to_le_bytes()[..BYTES]);
        }
    }

    /// Writes the values, of `N` bytes each, for the last `values.len()` record IDs.
    #[inline]
    pub(crate) fn put_values<const N: usize>(&mut self, values: impl ExactSizeIterator<Item = [u8; N]>) {
        let end = self.values + self.entry * N;
        let start = end - values.len() * N;
        for (target, value) in self.bytes[start..end].chunks_exact_mut(N).zip(values) {
            target.copy_from_slice(&value);
        }
    }

    /// Ends the list of the current vertex.
    #[inline]
    pub(crate) fn end_vertex(&mut self) {
        self.slot += 1;
        self.put_slot();
    }

    fn put_slot(&mut self) {
        let offset = self.layout.slot_offset(self.slot);
        self.bytes[offset..offset + 4].copy_from_slice(&(self.entry as u32).to_le_bytes());
    }
}
