//! Checks whether the lists of a page are valid, without branches that depend on entries. To locate the error in an
//! invalid page, a second check walks the page entry by entry.

use super::ENTRIES_OFFSET;
use super::validate::FittingLists;
use crate::page::Begun;

/// Bytes of a slot.
const SLOT: usize = 4;
/// The number of records per block. The neighbours of a block fit in a core's L1 cache.
const BLOCK: usize = 1024;

impl FittingLists<'_> {
    /// Returns whether the lists are proven valid. Pages whose vertex numbers exceed 32 bits cannot be proven valid by
    /// this check.
    pub(super) fn are_sound(&self) -> bool {
        self.are_sound_by::<BLOCK>()
    }

    /// Returns whether the lists are proven valid, in blocks of `BLOCK` records.
    fn are_sound_by<const BLOCK: usize>(&self) -> bool {
        // With a constant number of bytes, each read needs only one or two loads.
        match self.layout.entry_bytes() {
            2 => self.are_sound_of::<2, BLOCK>(),
            3 => self.are_sound_of::<3, BLOCK>(),
            4 => self.are_sound_of::<4, BLOCK>(),
            5 => self.are_sound_of::<5, BLOCK>(),
            6 => self.are_sound_of::<6, BLOCK>(),
            7 => self.are_sound_of::<7, BLOCK>(),
            _ => self.are_sound_of::<8, BLOCK>(),
        }
    }

    fn are_sound_of<const BYTES: usize, const BLOCK: usize>(&self) -> bool {
        let entries = self.entries as usize;
        let (records, _) = self.bytes[ENTRIES_OFFSET..ENTRIES_OFFSET + entries * BYTES].as_chunks::<BYTES>();
        match self.ends {
            Some(ends) => self.pass::<BYTES, BLOCK>(records, |vertex| ends.bits(vertex)),
            None => self.pass::<BYTES, BLOCK>(records, |_| u64::MAX),
        }
    }

    /// Checks the records block by block. A list is in ascending order if its neighbours never decrease. All lists are
    /// in ascending order if the page's neighbours decrease only between the end of a list and the beginning of the
    /// next. `ends` returns a word for a vertex, whose lowest bit is set if the page may contain this vertex as a
    /// neighbour.
    #[inline(always)]
    fn pass<const BYTES: usize, const BLOCK: usize>(&self, records: &[[u8; BYTES]], ends: impl Fn(u32) -> u64) -> bool {
        let begun = self.rvt.begun();
        let mask = (1 << self.page_bits) - 1;
        let end = self.layout.page_size();
        let (slots, _) = self.bytes[end - SLOT * (self.slots as usize + 1)..].as_chunks::<SLOT>();
        let mut starts = slots.iter().rev().map(|&slot| u32::from_le_bytes(slot)).peekable();
        let mut before = starts.next().unwrap_or(u32::MAX);
        let mut is_wrong = before != 0;
        let (mut known, mut falls) = (u64::MAX, 0u32);
        let (mut neighbours, mut last) = ([0; BLOCK], 0);
        for (number, block) in records.chunks(BLOCK).enumerate() {
            for (neighbour, record) in neighbours.iter_mut().zip(block) {
                let mut word = [0; 8];
                word[..BYTES].copy_from_slice(record);
                let record = u64::from_le_bytes(word);
                let Some(&Begun { first, count }) = begun.get((record & mask) as usize) else { return false };
                let slot = (record >> self.page_bits) as u32;
                is_wrong |= slot >= count;
                *neighbour = first.wrapping_add(slot);
                known &= ends(*neighbour);
            }
            let pairs = neighbours[..block.len()].windows(2);
            let fallen =
                pairs.fold(u32::from(neighbours[0] < last), |falls, pair| falls + u32::from(pair[1] < pair[0]));
            falls = falls.wrapping_add(fallen);
            let first = (number * BLOCK) as u32;
            while let Some(start) = starts.next_if(|&start| start < first + block.len() as u32) {
                is_wrong |= start < before;
                // A start before the block is already an error, so counting it is not required.
                let place = start.wrapping_sub(first) as usize % BLOCK;
                let previous = if place == 0 { last } else { neighbours[place - 1] };
                let falls_here = (start > before) & (neighbours[place] < previous);
                falls = falls.wrapping_sub(u32::from(falls_here));
                before = start;
            }
            last = neighbours[block.len() - 1];
        }
        for start in starts {
            is_wrong |= start < before;
            before = start;
        }
        known & 1 == 1 && !is_wrong && falls == 0 && before == self.entries
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Graph, PageId};
    use crate::page::{Ends, IdWidth, PageFormat};
    use gts_contract::Side;
    use proptest::prelude::*;

    /// Creates a graph with lists of 0 to 8 edges and three hubs that span several pages. Every fifth vertex has no
    /// in-edges.
    fn graph(width: IdWidth) -> Graph {
        let target = |number: u64| if number % 300 % 5 == 3 { 0 } else { number % 300 };
        let lists = (0..300u64).flat_map(|src| (0..src % 9).map(move |i| (src, src * 7 + i * i)));
        let hubs = [40, 41, 299].into_iter().flat_map(|hub| (0..700).map(move |i| (hub, i)));
        let edges = lists.chain(hubs).map(|(src, dst)| (src, target(dst)));
        Graph::builder().edges(edges).page_size(512).width(width).build().unwrap()
    }

    /// Returns the result of each check for a page: the check in blocks, for two block sizes, and the walk.
    fn both(graph: &Graph, page: PageId, bytes: &[u8], ends: Option<&Ends>) -> Option<[bool; 3]> {
        let topology = graph.out_topology();
        let format: &PageFormat = topology.format();
        let lists = FittingLists::of(format, topology.rvt(), page, bytes, ends).ok()?;
        Some([lists.are_sound(), lists.are_sound_by::<16>(), lists.walk().is_ok()])
    }

    #[test]
    fn pages_that_were_written_are_sound() {
        for width in IdWidth::all().filter(|width| width.page_bytes() > 1) {
            let graph = graph(width);
            let ends = Ends::of(Side::In, graph.in_degrees()).unwrap();
            let pages = graph.out_topology().source().resident().unwrap();
            assert!(graph.out_topology().large_pages().len() > 4);
            for (page, bytes) in (0..).map(PageId).zip(pages.chunks(512)) {
                assert_eq!(both(&graph, page, bytes, ends.as_ref()), Some([true; 3]), "{width:?}");
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn both_checks_agree_on_any_page(
            width in prop::sample::select(vec![(2, 1), (2, 2), (3, 2), (3, 3), (4, 3), (4, 4), (2, 4)]),
            page in any::<prop::sample::Index>(),
            changes in prop::collection::vec((any::<prop::sample::Index>(), prop_oneof![0u8..5, any::<u8>()]), 1..4),
            with_ends in any::<bool>(),
        ) {
            let graph = graph(IdWidth::new(width.0, width.1).unwrap());
            let ends = Ends::of(Side::In, graph.in_degrees()).unwrap().filter(|_| with_ends);
            let page = page.index(graph.out_topology().num_pages() as usize);
            let mut bytes = graph.out_topology().source().resident().unwrap()[page * 512..][..512].to_vec();
            for (at, value) in changes {
                // The first vertex stays unchanged, because a different first vertex is detected before lists are
                // checked.
                let at = 8 + at.index(bytes.len() - 8);
                bytes[at] = value;
            }
            if let Some([sound, in_blocks, walked]) = both(&graph, PageId(page as u32), &bytes, ends.as_ref()) {
                prop_assert_eq!([sound, in_blocks], [walked; 2]);
            }
        }
    }
}
