//! Reads a validated page. This module contains the hot loops of the CPU.
//!
//! All `unsafe` code in this module relies on one fact: a [`PageView`] exists only over bytes that
//! [`validate`](super::validate) accepted or that this crate's writer produced. For `entries`, `slots` and the record
//! IDs of such a page, this implies:
//!
//! 1. entry e < entries lies entirely within the page, and eight bytes can be read from its beginning, because at least
//!    two slot words follow the last entry;
//! 2. the value of entry e < entries lies entirely within the page;
//! 3. slot s <= slots lies within the page, slots ascend, and the last slot is `entries`;
//! 4. the page number in every record ID is below the number of pages, so it is a valid index of START_VID.
#![allow(unsafe_code)]

mod ahead;

use super::validate::validate;
use super::{ENTRIES_OFFSET, Layout, PageError};
use crate::page::{EdgeValue, EdgeVisitor, Ends, PageFormat, Rvt};
use crate::vertex::{PageId, Vertex};
use gts_contract::ScalarType;
use std::ops::Range;

/// The value of `WIDTH` for a width of record IDs that is only known at run time.
const ANY: usize = 0;
/// The most common width in bytes.
const USUAL: usize = size_of::<u32>();

/// A view of a page whose structure has been verified.
#[derive(Clone, Copy)]
pub struct PageView<'a> {
    bytes: &'a [u8],
    page: PageId,
    start_vids: &'a [u64],
    layout: Layout,
    value: Option<ScalarType>,
    page_bits: u32,
    start_vid: u64,
    slots: u32,
    entries: u32,
    large: bool,
}

impl<'a> PageView<'a> {
    /// Creates a view of untrusted bytes after verifying their complete structure. If `ends` is given, the page's
    /// neighbours must belong to it.
    pub(crate) fn validated(
        format: &PageFormat,
        rvt: &'a Rvt,
        page: PageId,
        bytes: &'a [u8],
        ends: Option<&Ends>,
    ) -> Result<PageView<'a>, PageError> {
        validate(format, rvt, page, bytes, ends)?;
        Ok(Self::trusted(format, rvt, page, bytes))
    }

    /// Creates a view of bytes that were validated or written by this crate, for exactly this page in this RVT.
    #[inline]
    pub(crate) fn trusted(format: &PageFormat, rvt: &'a Rvt, page: PageId, bytes: &'a [u8]) -> Self {
        let word = |offset: usize| {
            u32::from_le_bytes([bytes[offset], bytes[offset + 1], bytes[offset + 2], bytes[offset + 3]])
        };
        Self {
            bytes,
            page,
            start_vids: rvt.start_vids(),
            layout: Layout::new(format),
            value: format.value(),
            page_bits: 8 * u32::from(format.width().page_bytes()),
            start_vid: rvt.start_vid(page),
            slots: word(8),
            entries: word(12),
            large: rvt.lp_range(page) > 0,
        }
    }

    /// Returns the dense numbers of the page's vertices.
    #[inline]
    pub fn vertices(&self) -> Range<u64> {
        self.start_vid..self.start_vid + u64::from(self.slots)
    }

    /// Returns the number of edges in the page.
    #[inline]
    pub fn num_entries(&self) -> u32 {
        self.entries
    }

    /// Returns whether the page belongs to a single large vertex.
    #[inline]
    pub fn is_large(&self) -> bool {
        self.large
    }

    /// Returns the type of the edge values, if any.
    #[inline]
    pub fn value_type(&self) -> Option<ScalarType> {
        self.value
    }

    /// Returns the entries of a vertex in this page. The range is empty for a vertex of another page.
    #[inline]
    pub fn list(&self, vertex: Vertex) -> Range<u32> {
        let slot = vertex.dense().wrapping_sub(self.start_vid);
        if slot >= u64::from(self.slots) {
            return 0..0;
        }
        self.slot(slot as u32)..self.slot(slot as u32 + 1)
    }

    /// Returns the entries of each vertex in this page, in vertex order.
    #[inline]
    pub(crate) fn lists(&self) -> impl Iterator<Item = Range<u32>> + use<'a> {
        let page = *self;
        let mut start = 0;
        (1..=self.slots).map(move |slot| {
            let end = page.slot(slot);
            std::mem::replace(&mut start, end)..end
        })
    }

    /// Returns the neighbour in an entry; `None` if the entry is out of range.
    #[inline]
    pub fn neighbor(&self, entry: u32) -> Option<Vertex> {
        (entry < self.entries).then(|| self.target(entry))
    }

    /// Returns the neighbours in a range of entries, which ascend within each list. Entries that are out of range are
    /// ignored.
    #[inline]
    pub fn neighbors(&self, entries: Range<u32>) -> impl Iterator<Item = Vertex> + Clone + use<'a> {
        let page = *self;
        (entries.start..entries.end.min(self.entries)).map(move |entry| page.target(entry))
    }

    /// Returns the neighbour in the preceding entry of the same list. Returns `None` for the first entry of a list in
    /// this page.
    pub fn neighbor_before(&self, entry: u32) -> Option<Vertex> {
        let inside = entry < self.entries && self.slot(self.owner(entry)) < entry;
        inside.then(|| self.target(entry - 1))
    }

    /// Moves both ends of a range of entries forward to the beginning of the next list. Consecutive ranges that cover
    /// the page still cover it afterwards, and no list belongs to two ranges.
    #[inline]
    pub fn whole_lists(&self, share: Range<u32>) -> Range<u32> {
        let begin = |entry: u32| {
            if entry >= self.entries {
                return self.entries;
            }
            let slot = self.owner(entry);
            if self.slot(slot) == entry { entry } else { self.slot(slot + 1) }
        };
        begin(share.start)..begin(share.end)
    }

    /// Passes the edges in the entries of `share`, with their owners, to `visitor`. Threads share a page by using
    /// disjoint ranges that cover `0..num_entries()`. Entries beyond this range are ignored.
    ///
    /// `default` replaces the value of each edge if the page has no values of type `V`.
    #[inline]
    pub fn scan<V: EdgeValue, E: EdgeVisitor<V>>(&self, share: Range<u32>, default: V, visitor: &mut E) {
        let share = share.start..share.end.min(self.entries);
        if !share.is_empty() {
            self.scan_of::<ANY, V, E>(share, default, visitor);
        }
    }

    /// Does the same as [`PageView::scan`], with a separate loop for the most common width of record IDs. Useful for
    /// visitors that only read at the ends of edges, because decoding IDs is a large part of their work.
    #[inline]
    pub fn scan_quickly<V: EdgeValue, E: EdgeVisitor<V>>(&self, share: Range<u32>, default: V, visitor: &mut E) {
        let share = share.start..share.end.min(self.entries);
        match self.layout.entry_bytes() {
            _ if share.is_empty() => {}
            USUAL => self.scan_of::<USUAL, V, E>(share, default, visitor),
            _ => self.scan_of::<ANY, V, E>(share, default, visitor),
        }
    }

    /// Does the same as [`PageView::scan`] for a share that is not empty and lies within the page.
    #[inline(always)]
    fn scan_of<const WIDTH: usize, V: EdgeValue, E: EdgeVisitor<V>>(
        &self,
        share: Range<u32>,
        default: V,
        visitor: &mut E,
    ) {
        let mut slot = self.owner(share.start);
        let mut entry = share.start;
        while entry < share.end {
            let end = self.slot(slot + 1).min(share.end);
            if entry < end {
                self.edges_of::<WIDTH, V, E>(slot, entry..end, default, visitor);
                entry = end;
            }
            slot += 1;
        }
    }

    /// Passes the edges of one vertex in this page to `visitor`. Passes no edges for a vertex of another page.
    #[inline]
    pub fn visit<V: EdgeValue, E: EdgeVisitor<V>>(&self, vertex: Vertex, default: V, visitor: &mut E) {
        let list = self.list(vertex);
        if !list.is_empty() {
            self.edges((vertex.dense() - self.start_vid) as u32, list, default, visitor);
        }
    }

    /// Does the same as [`PageView::scan`], but announces edges to a visitor that looks ahead. If `places` is given, this
    /// method announces no edges. It then passes only the edges whose position in their vertex's list, counted from 0, is
    /// in `places`, and reports their positions to the visitor. A vertex without such an edge in the share is not begun.
    #[inline]
    pub fn scan_within<V: EdgeValue, E: EdgeVisitor<V>>(
        &self,
        share: Range<u32>,
        places: Option<&Range<u64>>,
        default: V,
        visitor: &mut E,
    ) {
        let share = share.start..share.end.min(self.entries);
        if share.is_empty() {
            return;
        }
        if E::MAY_LOOK_AHEAD && places.is_none() && visitor.looks_ahead() {
            return self.scan_ahead(share, default, visitor);
        }
        let before = if places.is_some() { self.edges_before() } else { 0 };
        let mut slot = self.owner(share.start);
        while slot < self.slots && self.slot(slot) < share.end {
            let list = match places {
                Some(places) => self.entries_within(slot, before, places),
                None => self.slot(slot)..self.slot(slot + 1),
            };
            let list = list.start.max(share.start)..list.end.min(share.end);
            if !list.is_empty() {
                if places.is_some() {
                    visitor.at(before + u64::from(list.start - self.slot(slot)));
                }
                self.edges(slot, list, default, visitor);
            }
            slot += 1;
        }
    }

    /// Returns the entries of a slot at the positions `places` of its list. `before` is the result of
    /// [`Self::edges_before`].
    #[inline(always)]
    fn entries_within(&self, slot: u32, before: u64, places: &Range<u64>) -> Range<u32> {
        let (first, last) = (self.slot(slot), self.slot(slot + 1));
        let entry =
            |place: u64| u64::from(first).saturating_add(place.saturating_sub(before)).min(u64::from(last)) as u32;
        entry(places.start)..entry(places.end)
    }

    /// Returns the number of edges that the first vertex has in earlier pages. This is 0 unless the page continues the
    /// list of a large vertex.
    #[inline]
    fn edges_before(&self) -> u64 {
        if !self.large {
            return 0;
        }
        let first = self.start_vids.partition_point(|&start| start < self.start_vid) as u64;
        (u64::from(self.page.0) - first) * self.layout.capacity(1)
    }

    /// Passes the entries of one slot. `list` must end within the page's entries.
    #[inline(always)]
    fn edges<V: EdgeValue, E: EdgeVisitor<V>>(&self, slot: u32, list: Range<u32>, default: V, visitor: &mut E) {
        self.edges_of::<ANY, V, E>(slot, list, default, visitor);
    }

    /// Does the same as [`Self::edges`] for record IDs of `WIDTH` bytes.
    #[inline(always)]
    fn edges_of<const WIDTH: usize, V: EdgeValue, E: EdgeVisitor<V>>(
        &self,
        slot: u32,
        list: Range<u32>,
        default: V,
        visitor: &mut E,
    ) {
        let src = Vertex::from_dense(self.start_vid + u64::from(slot));
        let Some(source) = visitor.begin(src) else { return };
        if V::BYTES > 0 && self.value == V::SCALAR {
            let values = self.layout.values_offset(self.entries as usize);
            for entry in list {
                let value = self.value_at(values, entry);
                visitor.edge(source, src, self.target_of::<WIDTH>(entry), value);
                if visitor.enough() {
                    break;
                }
            }
        } else {
            for entry in list {
                visitor.edge(source, src, self.target_of::<WIDTH>(entry), default);
                if visitor.enough() {
                    break;
                }
            }
        }
        visitor.end(src);
    }

    /// Returns the slot whose list contains an entry.
    #[inline]
    fn owner(&self, entry: u32) -> u32 {
        // The owner is the last slot that begins at or before the entry. Earlier slots with the same beginning are
        // empty.
        let (mut low, mut high) = (0, self.slots);
        while low + 1 < high {
            let middle = low + (high - low) / 2;
            if self.slot(middle) <= entry { low = middle } else { high = middle }
        }
        low
    }

    /// Returns the beginning of a slot's list. `slot` must be at most `slots`.
    #[inline(always)]
    fn slot(&self, slot: u32) -> u32 {
        debug_assert!(slot <= self.slots);
        let offset = self.layout.slot_offset(slot as usize);
        // SAFETY: fact 3 of the module.
        u32::from_le(unsafe { self.bytes.as_ptr().add(offset).cast::<u32>().read_unaligned() })
    }

    /// Returns the neighbour in an entry. `entry` must be below `entries`.
    #[inline(always)]
    fn target(&self, entry: u32) -> Vertex {
        self.target_of::<ANY>(entry)
    }

    /// Does the same as [`Self::target`] for record IDs of `WIDTH` bytes.
    #[inline(always)]
    fn target_of<const WIDTH: usize>(&self, entry: u32) -> Vertex {
        debug_assert!(entry < self.entries && (WIDTH == ANY || WIDTH == self.layout.entry_bytes()));
        let stride = if WIDTH == ANY { self.layout.entry_bytes() } else { WIDTH };
        let offset = ENTRIES_OFFSET + entry as usize * stride;
        // SAFETY: fact 1 of the module.
        let place = unsafe { self.bytes.as_ptr().add(offset) };
        let record = if WIDTH == size_of::<u32>() {
            // SAFETY: fact 1 of the module.
            u64::from(u32::from_le(unsafe { place.cast::<u32>().read_unaligned() }))
        } else {
            // SAFETY: fact 1 of the module.
            u64::from_le(unsafe { place.cast::<u64>().read_unaligned() }) & (u64::MAX >> (64 - 8 * stride as u32))
        };
        let page = record & ((1 << self.page_bits) - 1);
        // SAFETY: fact 4 of the module.
        let start = unsafe { *self.start_vids.get_unchecked(page as usize) };
        Vertex::from_dense(start + (record >> self.page_bits))
    }

    /// Returns the value of an entry. `entry` must be below `entries`, and the page must have values of type `V`.
    #[inline(always)]
    fn value_at<V: EdgeValue>(&self, values: usize, entry: u32) -> V {
        debug_assert!(entry < self.entries && self.value == V::SCALAR);
        let offset = values + entry as usize * V::BYTES;
        // SAFETY: fact 2 of the module.
        let bytes = unsafe { self.bytes.get_unchecked(offset..offset + V::BYTES) };
        V::from_le(bytes)
    }
}

impl std::fmt::Debug for PageView<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PageView")
            .field("vertices", &self.vertices())
            .field("entries", &self.entries)
            .field("large", &self.large)
            .finish_non_exhaustive()
    }
}
