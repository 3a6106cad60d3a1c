//! Whether the lists of a page are sound: yes or no, without a branch that depends on an entry. The other answer, what is
//! wrong where, takes a walk entry by entry.

use super::ENTRIES_OFFSET;
use super::validate::{Lists, array};
use crate::page::Begun;

/// Bytes of a slot.
const SLOT: usize = 4;

impl Lists<'_> {
    /// Returns whether the lists are known to be sound. A page whose vertices have numbers of more than 32 bits is not.
    pub(super) fn are_sound(&self) -> bool {
        // A constant number of bytes makes each read one or two loads.
        match self.layout.entry_bytes() {
            2 => self.are_sound_of::<2>(),
            3 => self.are_sound_of::<3>(),
            4 => self.are_sound_of::<4>(),
            5 => self.are_sound_of::<5>(),
            6 => self.are_sound_of::<6>(),
            7 => self.are_sound_of::<7>(),
            _ => self.are_sound_of::<8>(),
        }
    }

    /// A list ascends where its neighbours never go down. So all of them ascend if the neighbours of the page go down only
    /// from the end of a list to the beginning of the next one, as often here as there.
    fn are_sound_of<const BYTES: usize>(&self) -> bool {
        let entries = self.entries as usize;
        let (records, _) = self.bytes[ENTRIES_OFFSET..ENTRIES_OFFSET + entries * BYTES].as_chunks::<BYTES>();
        let falls = match self.ends {
            Some(ends) => self.falls(records, |vertex| ends.bits(vertex)),
            None => self.falls(records, |_| u64::MAX),
        };
        falls.is_some_and(|falls| self.falls_between::<BYTES>() == Some(falls))
    }

    /// Counts the neighbours that are less than the one before, as far as all of them are vertices that the page may name.
    /// The lowest bit of what `ends` returns for a vertex says so.
    #[inline(always)]
    fn falls<const BYTES: usize>(&self, records: &[[u8; BYTES]], ends: impl Fn(u32) -> u64) -> Option<u32> {
        let begun = self.rvt.begun();
        let mask = (1 << self.page_bits) - 1;
        let (mut falls, mut previous) = (0, 0);
        let (mut known, mut beyond) = (u64::MAX, false);
        for record in records {
            let mut word = [0; 8];
            word[..BYTES].copy_from_slice(record);
            let record = u64::from_le_bytes(word);
            let &Begun { first, count } = begun.get((record & mask) as usize)?;
            let slot = (record >> self.page_bits) as u32;
            beyond |= slot >= count;
            let vertex = first.wrapping_add(slot);
            known &= ends(vertex);
            falls += u32::from(vertex < previous);
            previous = vertex;
        }
        (known & 1 == 1 && !beyond).then_some(falls)
    }

    /// Counts the lists that begin with a lesser neighbour than the last one of the list before, as far as slots ascend
    /// from 0 to the number of entries.
    fn falls_between<const BYTES: usize>(&self) -> Option<u32> {
        let end = self.layout.page_size();
        let (slots, _) = self.bytes[end - SLOT * (self.slots as usize + 1)..].as_chunks::<SLOT>();
        let mut starts = slots.iter().rev().map(|&slot| u32::from_le_bytes(slot));
        let (mut falls, mut before) = (0, starts.next()?);
        let mut descends = before != 0;
        for start in starts {
            descends |= start < before;
            let is_between = (start > before) & (start < self.entries);
            // Where nothing begins, any two entries will do: they do not count.
            let entry = if is_between { start as usize } else { 1 };
            falls += u32::from(is_between & (self.key::<BYTES>(entry) < self.key::<BYTES>(entry - 1)));
            before = start;
        }
        (!descends && before == self.entries).then_some(falls)
    }

    /// Returns a number that orders record IDs of vertices as their vertices are ordered: by page, then by slot.
    #[inline(always)]
    fn key<const BYTES: usize>(&self, entry: usize) -> u64 {
        let bits = 8 * BYTES as u32;
        let record = u64::from_le_bytes(array(self.bytes, ENTRIES_OFFSET + entry * BYTES)) & (u64::MAX >> (64 - bits));
        let slot_bits = bits - self.page_bits;
        (record & ((1 << self.page_bits) - 1)) << slot_bits | record >> self.page_bits
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Graph, PageId, Side};
    use crate::page::{Ends, IdWidth, PageFormat};
    use proptest::prelude::*;

    /// Lists of 0 to 8 edges, and two hubs of several pages; every fifth vertex has no edge in.
    fn graph(width: IdWidth) -> Graph {
        let target = |number: u64| if number % 300 % 5 == 3 { 0 } else { number % 300 };
        let lists = (0..300u64).flat_map(|src| (0..src % 9).map(move |i| (src, src * 7 + i * i)));
        let hubs = [40, 41, 299].into_iter().flat_map(|hub| (0..700).map(move |i| (hub, i)));
        let edges = lists.chain(hubs).map(|(src, dst)| (src, target(dst)));
        Graph::builder().edges(edges).page_size(512).width(width).build().unwrap()
    }

    /// What both checks say of a page: whether it is sound.
    fn both(graph: &Graph, page: PageId, bytes: &[u8], ends: Option<&Ends>) -> Option<[bool; 2]> {
        let topology = graph.out_topology();
        let format: &PageFormat = topology.format();
        let lists = Lists::of(format, topology.rvt(), page, bytes, ends).ok()?;
        Some([lists.are_sound(), lists.walk().is_ok()])
    }

    #[test]
    fn pages_that_were_written_are_sound() {
        for width in IdWidth::all().filter(|width| width.page_bytes() > 1) {
            let graph = graph(width);
            let ends = Ends::of(Side::In, graph.in_degrees()).unwrap();
            let pages = graph.out_topology().source().resident().unwrap();
            assert!(graph.out_topology().large_pages().len() > 4);
            for (page, bytes) in (0..).map(PageId).zip(pages.chunks(512)) {
                assert_eq!(both(&graph, page, bytes, ends.as_ref()), Some([true, true]), "{width:?}");
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
                // The first vertex stays: another one is seen before lists are.
                let at = 8 + at.index(bytes.len() - 8);
                bytes[at] = value;
            }
            if let Some([sound, walked]) = both(&graph, PageId(page as u32), &bytes, ends.as_ref()) {
                prop_assert_eq!(sound, walked);
            }
        }
    }
}
