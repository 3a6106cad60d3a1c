//! Division of device memory into staging and cache, for graphs whose pages do not all fit.

use gts_core::cost::holding::{SLOTS, Travelling, least_slots, staged_bytes};

/// Staging slots per stream: one is filled while kernels read the other.
const SLOTS_A_STREAM: u32 = SLOTS as u32;
/// Staging slots per stream if devices divide the pages. The additional slots let copies continue while slower devices
/// copy from a slot, and while replicas are merged.
const SHARED_SLOTS_A_STREAM: u32 = 4;

/// The division of device memory between staging and cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MemoryLayout {
    /// The number of streams for launches over pages that are copied from host memory.
    pub(super) streams: u32,
    /// The number of staging slots per stream.
    pub(super) slots: u32,
    /// The number of streams for pages that other devices forward: one per other device, if there is room.
    pub(super) fetching: u32,
    /// The number of pages per staging slot, which is also the maximum per launch.
    pub(super) slot_pages: u32,
    /// The number of pages in the cache.
    pub(super) frames: u32,
    /// Bytes beside each page of a slot, for the values that travel with the page.
    pub(super) beside: u64,
}

/// The requirements for a layout.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    /// Bytes available for staging and cache.
    pub(crate) available: u64,
    /// The size of a page in bytes.
    pub(crate) page_bytes: u64,
    /// The number of pages in the graph.
    pub(crate) pages: u32,
    /// The preferred number of streams. The layout has fewer streams if there is too little room.
    pub(crate) streams: u32,
    /// The preferred size of a group in bytes. Groups are smaller if there is too little room.
    pub(crate) group_bytes: u64,
    /// Whether to cache pages.
    pub(crate) cache: bool,
    /// The number of devices that divide the pages.
    pub(crate) devices: u32,
    /// The number of pages in each group of consecutive pages that the division assigns to a device; 1 if the share
    /// contains all pages.
    pub(crate) together: u32,
    /// Whether the devices forward pages to each other, so that each device walks all pages. Forwarded pages use
    /// separate slots.
    pub(crate) relayed: bool,
    /// The values that travel with pages. If any values travel, no page is cached, because a cached page would lack
    /// these values.
    pub(crate) travelling: Travelling,
}

impl MemoryLayout {
    /// Returns the layout for pages that other devices forward. No other device copies from these slots.
    pub(super) fn of_fetches(self) -> Self {
        Self { streams: self.fetching, slots: SLOTS_A_STREAM, fetching: 0, frames: 0, ..self }
    }
}

impl Wanted {
    /// Returns the staging bytes per page: the page itself, its reference in the list of a launch, and the values that
    /// travel with the page.
    fn staged_bytes(&self) -> u64 {
        staged_bytes(self.page_bytes, self.travelling)
    }

    /// Returns whether pages are cached.
    fn keeps(&self) -> bool {
        self.cache && self.travelling.bytes == 0
    }

    /// Returns the number of other devices that forward pages.
    fn peers(&self) -> u32 {
        if self.relayed { self.devices.saturating_sub(1) } else { 0 }
    }

    /// Returns the number of pages per slot, at most `most`. The number is a multiple of `together` if `most` permits.
    /// Otherwise, `together` pages are divided evenly among slots: two slots of 8 pages are better for 16 pages than a
    /// slot of 15 pages and a slot of one. On four H200 GPUs, a scan by Strategy-S took 1.26 times as long as a scan by
    /// Strategy-P with slots of 14 pages, and 1.05 times as long with slots of 16 pages. The ratio was 1.35 with more
    /// slots of half the size, and 1.13 with two slots of the full size.
    fn fitting(&self, most: u32) -> u32 {
        let together = self.together;
        if most >= together { most / together * together } else { together.div_ceil(together.div_ceil(most)) }
    }

    /// Returns the minimum number of bytes for streaming: one stream with slots of one page and, if other devices
    /// forward pages, one more stream for these pages.
    pub(crate) fn least(&self) -> u64 {
        least_slots(self.peers() > 0) * self.staged_bytes()
    }

    /// Computes the layout. If pages are cached, staging is limited to a quarter of the memory, but may always use
    /// [`Wanted::least`] bytes. The cache uses the rest. Groups grow to their full size before slots are added. Returns
    /// `None` if there is no room to stage even one page.
    pub(crate) fn layout(&self) -> Option<MemoryLayout> {
        if self.available < self.least() {
            return None;
        }
        let staging = if self.keeps() { (self.available / 4).max(self.least()) } else { self.available };
        let most_slots = u32::try_from(staging / self.staged_bytes()).unwrap_or(u32::MAX);
        let most_streams = most_slots / SLOTS_A_STREAM;
        let fetching = self.peers().min(most_streams / 2);
        let streams = self.streams.clamp(1, most_streams - fetching);
        let group = u32::try_from(self.group_bytes / self.page_bytes).unwrap_or(u32::MAX).min(self.pages).max(1);
        let slot_pages = self.fitting(group.min(most_slots / (SLOTS_A_STREAM * (streams + fetching))));
        let most = if self.devices > 1 { SHARED_SLOTS_A_STREAM } else { SLOTS_A_STREAM };
        let slots = ((most_slots / slot_pages - SLOTS_A_STREAM * fetching) / streams).min(most);
        let staged = u64::from(streams * slots + SLOTS_A_STREAM * fetching) * u64::from(slot_pages);
        let left = self.available - staged * self.staged_bytes();
        let frames = u32::try_from(left / self.page_bytes).unwrap_or(u32::MAX).min(self.pages);
        let frames = if self.keeps() { frames } else { 0 };
        let beside = self.travelling.beside_page(self.page_bytes);
        Some(MemoryLayout { streams, slots, fetching, slot_pages, frames, beside })
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
        devices: 1,
        together: 1,
        relayed: false,
        travelling: Travelling { columns: 0, bytes: 0 },
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
        assert_eq!(
            smaller.layout(),
            Some(MemoryLayout { streams: 1, slots: 2, fetching: 0, slot_pages: 1, frames: 0, beside: 0 })
        );
        assert_eq!(Wanted { available: GRAPH.least() - 1, ..GRAPH }.layout(), None);
    }

    #[test]
    fn what_travels_takes_room_in_slots_and_leaves_no_cache() {
        let travelling = Travelling { columns: 2, bytes: 8 };
        let layout = Wanted { travelling, ..GRAPH }.layout().unwrap();
        assert_eq!((layout.streams, layout.slot_pages, layout.frames), (2, 16, 0));
        assert_eq!(layout.beside, (1 << 20) + 64);
    }

    #[test]
    fn slots_that_others_copy_out_of_become_fewer_before_groups_become_a_whole_part_of_their_size() {
        let of = |peers: u32, mebibytes: u64| {
            let available = mebibytes << 20;
            let wanted = Wanted { available, cache: false, devices: 1 + peers, together: 16, relayed: true, ..GRAPH };
            wanted.layout().map(|layout| (layout.streams, layout.slots, layout.fetching, layout.slot_pages))
        };
        assert_eq!(of(1, 161), Some((2, 4, 1, 16)));
        assert_eq!(of(1, 160), Some((2, 3, 1, 16)));
        assert_eq!(of(1, 97), Some((2, 2, 1, 16)));
        assert_eq!(of(1, 96), Some((2, 4, 1, 8)));
        assert_eq!(of(3, 225), Some((2, 4, 3, 16)));
        assert_eq!(of(3, 161), Some((2, 2, 3, 16)));
        assert_eq!(of(3, 160), Some((2, 4, 3, 8)));
        assert_eq!(of(3, 9), Some((2, 2, 2, 1)), "two devices share a stream");
        assert_eq!(of(3, 5), Some((1, 2, 1, 1)));
        assert_eq!(of(3, 4), None);
        let replicated = |together| {
            let wanted = Wanted { available: 200 << 20, cache: false, devices: 4, together, ..GRAPH };
            wanted.layout().map(|layout| (layout.streams, layout.slots, layout.fetching, layout.slot_pages))
        };
        assert_eq!(replicated(16), Some((2, 4, 0, 16)));
        assert_eq!(replicated(9), Some((2, 4, 0, 9)));
        assert_eq!(replicated(5), Some((2, 4, 0, 15)), "three at a time");
    }

    proptest! {
        #[test]
        fn a_layout_stays_within_what_is_available(
            available in 0u64..1 << 32,
            page_shift in 8u32..24,
            pages in 1u32..20_000,
            streams in 1u32..=32,
            cache: bool,
            devices in 1u32..=8,
            together in 1u32..=64,
            relayed: bool,
            bytes in 0u64..32,
        ) {
            let page_bytes = 1 << page_shift;
            let travelling = Travelling { columns: bytes.min(2), bytes };
            let wanted =
                Wanted { available, page_bytes, pages, streams, cache, devices, together, relayed, travelling, ..GRAPH };
            let peers = wanted.peers();
            prop_assert_eq!(wanted.layout().is_none(), available < wanted.least());
            if let Some(layout) = wanted.layout() {
                let fetches = layout.of_fetches();
                let slots = layout.streams * layout.slots + fetches.streams * fetches.slots;
                let staged = u64::from(slots) * u64::from(layout.slot_pages);
                let taken = staged * wanted.staged_bytes() + u64::from(layout.frames) * wanted.page_bytes;
                let most = if devices > 1 { SHARED_SLOTS_A_STREAM } else { SLOTS_A_STREAM };
                prop_assert!((SLOTS_A_STREAM..=most).contains(&layout.slots));
                prop_assert!(layout.fetching <= peers && (peers == 0 || layout.fetching >= 1));
                prop_assert!(taken <= available);
                prop_assert!((1..=streams).contains(&layout.streams) && layout.slot_pages >= 1);
                prop_assert!(layout.frames <= pages && ((cache && bytes == 0) || layout.frames == 0));
            }
        }
    }
}
