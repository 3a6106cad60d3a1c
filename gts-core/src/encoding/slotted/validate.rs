//! The structure of a page, checked once, so that it can be read unchecked ever after.
//!
//! A total function of bytes that may be hostile: a right checksum says nothing about them.

use super::{ENTRIES_OFFSET, Layout, PageError};
use crate::contract::ScalarType;
use crate::graph::PageId;
use crate::page::{PageFormat, Rvt};

/// Checks the page against the format and the page table.
pub(super) fn validate(format: &PageFormat, rvt: &Rvt, page: PageId, bytes: &[u8]) -> Result<(), PageError> {
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
    validate_records(format, rvt, bytes, slots, entries)?;
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

fn validate_records(format: &PageFormat, rvt: &Rvt, bytes: &[u8], slots: u32, entries: u32) -> Result<(), PageError> {
    let layout = Layout::new(format);
    let stride = layout.entry_bytes();
    let page_bits = 8 * u32::from(format.width().page_bytes());
    let page_mask = (1u64 << page_bits) - 1;
    let (start_vids, lp_ranges) = (rvt.start_vids(), rvt.lp_ranges());
    let records = &bytes[ENTRIES_OFFSET..ENTRIES_OFFSET + entries as usize * stride];
    let mut records = (0..).zip(records.chunks_exact(stride));
    for slot in 0..slots {
        let end = u32_at(bytes, layout.slot_offset(slot as usize + 1));
        let start = u32_at(bytes, layout.slot_offset(slot as usize));
        let mut previous = 0;
        for (entry, record) in records.by_ref().take((end - start) as usize) {
            let record = record.iter().rev().fold(0u64, |bits, &byte| bits << 8 | u64::from(byte));
            let (page, slot) = (record & page_mask, record >> page_bits);
            let error = PageError::Record { entry, page: page as u32, slot: slot as u32 };
            let page = page as usize;
            let (Some(&first), Some(&range)) = (start_vids.get(page), lp_ranges.get(page)) else {
                return Err(error);
            };
            let vertex = first.saturating_add(slot);
            let known = if range == 0 {
                vertex < start_vids.get(page + 1).copied().unwrap_or(rvt.num_vertices())
            } else {
                // Only the first page of a run stands for its vertex.
                slot == 0 && (page == 0 || start_vids[page - 1] != first)
            };
            if !known {
                return Err(error);
            }
            if vertex < previous {
                return Err(PageError::Order { entry, found: vertex, previous });
            }
            previous = vertex;
        }
    }
    Ok(())
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
