//! Validates the structure of a page once, so that the page can later be read without checks.
//!
//! Validation accepts arbitrary bytes without panicking, because a right checksum does not prove that bytes are valid.

use super::{ENTRIES_OFFSET, Layout, PageError};
use crate::page::{Ends, PageFormat, Rvt};
use crate::vertex::PageId;
use gts_contract::ScalarType;

/// Validates a page against the format and the RVT, and its neighbours against `ends`.
pub(super) fn validate(
    format: &PageFormat,
    rvt: &Rvt,
    page: PageId,
    bytes: &[u8],
    ends: Option<&Ends>,
) -> Result<(), PageError> {
    let lists = FittingLists::of(format, rvt, page, bytes, ends)?;
    // If a page is not proven valid, it is walked entry by entry to locate the error.
    if !lists.are_sound() {
        lists.walk()?;
    }
    validate_values(format, bytes, lists.entries)
}

/// The lists of a page whose slots and records fit in the page.
pub(super) struct FittingLists<'a> {
    pub(super) layout: Layout,
    pub(super) bytes: &'a [u8],
    pub(super) slots: u32,
    pub(super) entries: u32,
    pub(super) rvt: &'a Rvt,
    pub(super) page_bits: u32,
    pub(super) ends: Option<&'a Ends>,
}

impl<'a> FittingLists<'a> {
    /// Locates the lists according to the page's header.
    pub(super) fn of(
        format: &PageFormat,
        rvt: &'a Rvt,
        page: PageId,
        bytes: &'a [u8],
        ends: Option<&'a Ends>,
    ) -> Result<Self, PageError> {
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
        let page_bits = 8 * u32::from(format.width().page_bytes());
        Ok(Self { layout, bytes, slots, entries, rvt, page_bits, ends })
    }

    /// Checks slots and lists one by one, up to the first error.
    pub(super) fn walk(&self) -> Result<(), PageError> {
        validate_slots(&self.layout, self.bytes, self.slots, self.entries)?;
        // With a constant number of bytes, each read needs only one or two loads.
        match self.layout.entry_bytes() {
            2 => self.walk_of::<2>(),
            3 => self.walk_of::<3>(),
            4 => self.walk_of::<4>(),
            5 => self.walk_of::<5>(),
            6 => self.walk_of::<6>(),
            7 => self.walk_of::<7>(),
            _ => self.walk_of::<8>(),
        }
    }

    fn walk_of<const BYTES: usize>(&self) -> Result<(), PageError> {
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

    /// Returns the vertex identified by a record ID.
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
            // Only the first page of a run identifies its vertex.
            slot == 0 && (page == 0 || start_vids[page - 1] != first)
        };
        match self.ends {
            _ if !known => unknown,
            Some(ends) if !ends.contains(vertex) => Err(PageError::NoEdge { entry, vertex, side: ends.side() }),
            _ => Ok(vertex),
        }
    }
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

fn validate_values(format: &PageFormat, bytes: &[u8], entries: u32) -> Result<(), PageError> {
    let start = Layout::new(format).values_offset(entries as usize);
    let values = &bytes[start..start + entries as usize * format.value_bytes()];
    let nan = match format.value() {
        Some(ScalarType::F32) => first_nan(values, |value: [u8; 4]| f32::from_le_bytes(value).is_nan()),
        Some(ScalarType::F64) => first_nan(values, |value: [u8; 8]| f64::from_le_bytes(value).is_nan()),
        _ => None,
    };
    nan.map_or(Ok(()), |entry| Err(PageError::NotANumber { entry: entry as u32 }))
}

/// Returns the index of the first NaN; `None` if there is none.
fn first_nan<const N: usize>(values: &[u8], is_nan: impl Fn([u8; N]) -> bool) -> Option<usize> {
    let (values, _) = values.as_chunks::<N>();
    // A loop without an early exit checks many values per step.
    let any = values.iter().fold(false, |any, &value| any | is_nan(value));
    any.then(|| values.iter().position(|&value| is_nan(value))).flatten()
}

/// Returns the `N` bytes at `offset`, or zeros beyond the end. Callers ensure that the range is valid.
fn array<const N: usize>(bytes: &[u8], offset: usize) -> [u8; N] {
    bytes.get(offset..).and_then(|rest| rest.first_chunk()).copied().unwrap_or([0; N])
}

fn u32_at(bytes: &[u8], offset: usize) -> u32 {
    u32::from_le_bytes(array(bytes, offset))
}
