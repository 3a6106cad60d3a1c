//! How device memory is shared out where the pages of a graph do not all fit.

use crate::device::cuda::pages::PAGE_REF;

/// Staging slots of a stream: one is filled while kernels read the other.
pub(in crate::device::cuda) const SLOTS_A_STREAM: u32 = 2;

/// The shares of staging and cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::device::cuda) struct Layout {
    /// Streams of copies and launches.
    pub(super) streams: u32,
    /// Pages of a staging slot: of the copies for one launch.
    pub(super) slot_pages: u32,
    /// Pages of the cache.
    pub(super) frames: u32,
}

/// What a layout is made for.
#[derive(Clone, Copy, Debug)]
pub(in crate::device::cuda) struct Wanted {
    /// Bytes that staging and cache may take.
    pub(in crate::device::cuda) available: u64,
    /// Bytes of a page.
    pub(in crate::device::cuda) page_bytes: u64,
    /// Pages of the graph.
    pub(in crate::device::cuda) pages: u32,
    /// Streams, where there is room for so many.
    pub(in crate::device::cuda) streams: u32,
    /// Bytes of a group, where there is room for so many.
    pub(in crate::device::cuda) group_bytes: u64,
    /// Whether pages are to be kept.
    pub(in crate::device::cuda) cache: bool,
    /// Whether other devices hand pages on, which come into slots of their own.
    pub(in crate::device::cuda) relayed: bool,
}

impl Wanted {
    /// A page in a slot, and its place in the list of a launch.
    fn staged_bytes(&self) -> u64 {
        self.page_bytes + PAGE_REF as u64
    }

    /// Slots for each stream of copies from host memory.
    fn slots_a_stream(&self) -> u32 {
        if self.relayed { 2 * SLOTS_A_STREAM } else { SLOTS_A_STREAM }
    }

    /// The least that streaming takes: one stream with slots of one page.
    pub(in crate::device::cuda) fn least(&self) -> u64 {
        u64::from(self.slots_a_stream()) * self.staged_bytes()
    }

    /// The shares: staging first, at most a quarter where pages are kept; the cache gets the rest. `None` where not even
    /// single pages can be staged.
    pub(in crate::device::cuda) fn layout(&self) -> Option<Layout> {
        if self.available < self.least() {
            return None;
        }
        let staging = if self.cache { (self.available / 4).max(self.least()) } else { self.available };
        let most_slots = u32::try_from(staging / self.staged_bytes()).unwrap_or(u32::MAX);
        let streams = self.streams.clamp(1, most_slots / self.slots_a_stream());
        let slots = streams * self.slots_a_stream();
        let group = u32::try_from(self.group_bytes / self.page_bytes).unwrap_or(u32::MAX);
        let slot_pages = group.min(most_slots / slots).min(self.pages).max(1);
        let left = self.available - u64::from(slots) * u64::from(slot_pages) * self.staged_bytes();
        let frames = u32::try_from(left / self.page_bytes).unwrap_or(u32::MAX).min(self.pages);
        Some(Layout { streams, slot_pages, frames: if self.cache { frames } else { 0 } })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const GRAPH: Wanted = Wanted {
        available: 1 << 30,
        page_bytes: 1 << 20,
        pages: 8_600,
        streams: 2,
        group_bytes: 16 << 20,
        cache: true,
        relayed: false,
    };

    #[test]
    fn groups_have_their_size_where_there_is_room_and_the_cache_gets_the_rest() {
        let layout = GRAPH.layout().unwrap();
        assert_eq!((layout.streams, layout.slot_pages), (2, 16));
        assert_eq!(layout.frames, 1024 - 64 - 1, "less the lists");
        assert_eq!(Wanted { cache: false, ..GRAPH }.layout().unwrap().frames, 0);
    }

    #[test]
    fn groups_and_streams_shrink_with_the_budget_down_to_one_page() {
        let small = Wanted { available: 64 << 20, ..GRAPH }.layout().unwrap();
        assert_eq!((small.streams, small.slot_pages), (2, 3));
        let smaller = Wanted { available: GRAPH.least(), streams: 32, ..GRAPH };
        assert_eq!(smaller.layout(), Some(Layout { streams: 1, slot_pages: 1, frames: 0 }));
        assert_eq!(Wanted { available: GRAPH.least() - 1, ..GRAPH }.layout(), None);
        let relayed = Wanted { available: 64 << 20, relayed: true, ..GRAPH }.layout().unwrap();
        assert_eq!((relayed.streams, relayed.slot_pages), (2, 1));
    }

    proptest! {
        #[test]
        fn a_layout_stays_within_what_is_available(
            available in 0u64..1 << 32,
            page_shift in 8u32..24,
            pages in 1u32..20_000,
            streams in 1u32..=32,
            cache: bool,
            relayed: bool,
        ) {
            let wanted = Wanted { available, page_bytes: 1 << page_shift, pages, streams, cache, relayed, ..GRAPH };
            prop_assert_eq!(wanted.layout().is_none(), available < wanted.least());
            if let Some(layout) = wanted.layout() {
                let slots = u64::from(layout.streams * wanted.slots_a_stream()) * u64::from(layout.slot_pages);
                let taken = slots * wanted.staged_bytes() + u64::from(layout.frames) * wanted.page_bytes;
                prop_assert!(taken <= available);
                prop_assert!((1..=streams).contains(&layout.streams) && layout.slot_pages >= 1);
                prop_assert!(layout.frames <= pages && (cache || layout.frames == 0));
            }
        }
    }
}
