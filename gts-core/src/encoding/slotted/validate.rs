//! The structure of a page, checked once, so that it can be read unchecked ever after.
//!
//! A total function of bytes that may be hostile: a right checksum says nothing about them.

use super::{ENTRIES_OFFSET, Layout, PageError};
use crate::contract::ScalarType;
use crate::graph::PageId;
use crate::page::{Ends, PageFormat, Rvt};

/// Checks the page against the format and the page table, and the vertices that it names against `ends`.
pub(super) fn validate(
    format: &PageFormat,
    rvt: &Rvt,
    page: PageId,
    bytes: &[u8],
    ends: Option<&Ends>,
) -> Result<(), PageError> {
    let layout = Layout::new(format);
    if bytes.len() != layout.page_size() || page.0 >= rvt.num_pages() {
        return Err(PageError::Length { found: bytes.len() as u64 });
    }
    let vertices = rvt.vertices(page);
    let start = u64::from_le_bytes(array(bytes, 0));
    if start != vertices.start {
        return Err(PageError::StartVertex { found: start, expected: vertices.start });
    }
    let slots = u32_at(bytes, 8);
    let expected = vertices.end - vertices.start;
    if u64::from(slots) != expected {
        return Err(PageError::Slots { found: slots, expected });
    }
    let entries = u32_at(bytes, 12);
    if !layout.fits(u64::from(slots), u64::from(entries)) {
        return Err(PageError::Overfull { entries, slots });
    }
    validate_slots(&layout, bytes, slots, entries)?;
    Records { layout, bytes, slots, entries, rvt, page_bits: 8 * u32::from(format.width().page_bytes()), ends }
        .validate()?;
    validate_values(format, bytes, entries)
}

fn validate_slots(layout: &Layout, bytes: &[u8], slots: u32, entries: u32) -> Result<(), PageError> {
    let mut previous = 0;
    for slot in 0..=slots {
        let found = u32_at(bytes, layout.slot_offset(slot as usize));
        let last = if slot == slots { entries } else { 0 };
        if found < previous.max(last) || found > entries || (slot == 0 && found != 0) {
            return Err(PageError::Slot { slot, found, previous, entries });
        }
        previous = found;
    }
    Ok(())
}

/// The lists of a page whose slots are right.
struct Records<'a> {
    layout: Layout,
    bytes: &'a [u8],
    slots: u32,
    entries: u32,
    rvt: &'a Rvt,
    page_bits: u32,
    ends: Option<&'a Ends>,
}

impl Records<'_> {
    fn validate(&self) -> Result<(), PageError> {
        // A constant number of bytes makes each read one or two loads.
        match self.layout.entry_bytes() {
            2 => self.validate_of::<2>(),
            3 => self.validate_of::<3>(),
            4 => self.validate_of::<4>(),
            5 => self.validate_of::<5>(),
            6 => self.validate_of::<6>(),
            7 => self.validate_of::<7>(),
            _ => self.validate_of::<8>(),
        }
    }

    fn validate_of<const BYTES: usize>(&self) -> Result<(), PageError> {
        let records = &self.bytes[ENTRIES_OFFSET..ENTRIES_OFFSET + self.entries as usize * BYTES];
        let (records, _) = records.as_chunks::<BYTES>();
        let mut start = 0;
        for slot in 1..=self.slots {
            let end = u32_at(self.bytes, self.layout.slot_offset(slot as usize));
            let mut previous = 0;
            for (entry, record) in (start..).zip(&records[start as usize..end as usize]) {
                let mut word = [0; 8];
                word[..BYTES].copy_from_slice(record);
                let vertex = self.vertex(u64::from_le_bytes(word), entry)?;
                if vertex < previous {
                    return Err(PageError::Order { entry, found: vertex, previous });
                }
                previous = vertex;
            }
            start = end;
        }
        Ok(())
    }

    /// Returns the vertex that a record names.
    #[inline(always)]
    fn vertex(&self, record: u64, entry: u32) -> Result<u64, PageError> {
        let (start_vids, lp_ranges) = (self.rvt.start_vids(), self.rvt.lp_ranges());
        let (page, slot) = (record & ((1 << self.page_bits) - 1), record >> self.page_bits);
        let unknown = Err(PageError::Record { entry, page: page as u32, slot: slot as u32 });
        let page = page as usize;
        let (Some(&first), Some(&range)) = (start_vids.get(page), lp_ranges.get(page)) else { return unknown };
        let vertex = first.saturating_add(slot);
        let known = if range == 0 {
            vertex < start_vids.get(page + 1).copied().unwrap_or(self.rvt.num_vertices())
        } else {
            // Only the first page of a run stands for its vertex.
            slot == 0 && (page == 0 || start_vids[page - 1] != first)
        };
        match self.ends {
            _ if !known => unknown,
            Some(ends) if !ends.contains(vertex) => Err(PageError::NoEdge { entry, vertex, side: ends.side() }),
            _ => Ok(vertex),
        }
    }
}

fn validate_values(format: &PageFormat, bytes: &[u8], entries: u32) -> Result<(), PageError> {
    let start = Layout::new(format).values_offset(entries as usize);
    let values = &bytes[start..start + entries as usize * format.value_bytes()];
    let nan = match format.value() {
        Some(ScalarType::F32) => values.chunks_exact(4).position(|value| f32::from_bits(u32_at(value, 0)).is_nan()),
        Some(ScalarType::F64) => {
            values.chunks_exact(8).position(|value| f64::from_bits(u64::from_le_bytes(array(value, 0))).is_nan())
        }
        _ => None,
    };
    nan.map_or(Ok(()), |entry| Err(PageError::NotANumber { entry: entry as u32 }))
}

/// The `N` bytes at `offset`; zeros past the end, which the callers' bounds exclude.
fn array<const N: usize>(bytes: &[u8], offset: usize) -> [u8; N] {
    bytes.get(offset..).and_then(|rest| rest.first_chunk()).copied().unwrap_or([0; N])
}

fn u32_at(bytes: &[u8], offset: usize) -> u32 {
    u32::from_le_bytes(array(bytes, offset))
}
