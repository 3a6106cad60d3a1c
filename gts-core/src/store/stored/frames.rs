//! Manages the frames of the host buffer: their pages, their leases, and their eviction.
//!
//! Pages are buffered in *chunks*. A chunk consists of the consecutive pages that fit in a frame, each at its position
//! in the frame. Some of the pages may be missing. A frame is in use while there are leases on it, either for delivered
//! groups or for reads that fill it. A frame in use keeps its pages, and reads may add missing pages.
//!
//! Frames that are not in use are evicted in this order:
//!
//! 1. an empty frame;
//! 2. the least recently touched frame, if no recent feed has touched it, because a traversal has moved on;
//! 3. the most recently touched frame. If a scan evicted the oldest frame instead, the next scan in the same order
//!    would find no pages. Because the scan evicts the newest frame, the other frames stay, and the next scan finds
//!    their pages.
//!
//! A feed does not evict frames with pages that it is about to deliver.
//!
//! A buffer may have many thousands of frames, which threads claim one by one. Therefore no claim searches all frames.

use super::recency::Recency;
use std::collections::BTreeSet;

/// The number of feeds after which an untouched frame is considered stale. A pass may use several feeds: for small and
/// large pages, and for out-edges and in-edges.
const STALE_AFTER: u64 = 4;

/// The identity of the pages in a frame: the topology's number and the chunk's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Chunk {
    pub(super) topology: usize,
    pub(super) number: u32,
}

#[derive(Clone, Debug, Default)]
struct Frame {
    chunk: Option<Chunk>,
    /// The pages that are present, as bits by their positions in the chunk.
    present: u64,
    /// The pages that a read is filling, as bits.
    reading: u64,
    leases: u32,
    /// The number of the last feed that touched the frame.
    feed: u64,
    /// The number of the feed that is about to deliver the pages; 0 if there is none.
    wanted_by: u64,
}

/// The result of claiming a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Claim {
    pub(super) frame: u32,
    /// The present pages. There is one lease on them unless the mask is empty.
    pub(super) present: u64,
    /// The pages that the caller must read. There is one lease on them unless the mask is empty.
    pub(super) missing: u64,
}

/// The frames of a buffer, and the map from chunks to frames.
#[derive(Debug)]
pub(super) struct Frames {
    frames: Vec<Frame>,
    /// The index of each chunk's frame plus one, for each topology; 0 if the chunk has no frame.
    maps: Vec<Vec<u32>>,
    feeds: u64,
    /// The number of frames with leases.
    in_use: usize,
    /// Frames that are empty and not in use.
    empty: BTreeSet<usize>,
    /// The order of the last touches, which selects victims among frames that are neither empty nor in use.
    recency: Recency,
}

impl Frames {
    /// Creates an empty list of frames. `chunks` contains the number of chunks of each topology.
    pub(super) fn new(chunks: &[u32]) -> Self {
        Self {
            frames: Vec::new(),
            maps: chunks.iter().map(|&count| vec![0; count as usize]).collect(),
            feeds: 0,
            in_use: 0,
            empty: BTreeSet::new(),
            recency: Recency::default(),
        }
    }

    /// Returns the number of frames.
    pub(super) fn len(&self) -> usize {
        self.frames.len()
    }

    /// Adds empty frames.
    pub(super) fn grow(&mut self, frames: usize) {
        let len = self.frames.len() + frames;
        self.empty.extend(self.frames.len()..len);
        self.recency.grow(frames);
        self.frames.resize(len, Frame::default());
    }

    /// Returns whether there is an empty frame that is not in use.
    pub(super) fn has_empty(&self) -> bool {
        !self.empty.is_empty()
    }

    /// Returns whether no frame is in use.
    pub(super) fn idle(&self) -> bool {
        self.in_use == 0
    }

    /// Begins a feed and returns its number.
    pub(super) fn begin_feed(&mut self) -> u64 {
        self.feeds += 1;
        self.feeds
    }

    /// Returns the pages of `mask` that are present, and marks their frame as wanted by the feed.
    pub(super) fn want(&mut self, chunk: Chunk, mask: u64, feed: u64) -> u64 {
        let Some(index) = self.find(chunk) else { return 0 };
        let frame = &mut self.frames[index];
        let present = frame.present & mask;
        if present != 0 {
            frame.wanted_by = feed;
            self.offer(index);
        }
        present
    }

    /// Leases the present pages of `mask` in a chunk.
    pub(super) fn lease_present(&mut self, chunk: Chunk, mask: u64, feed: u64) -> Option<Claim> {
        let index = self.find(chunk)?;
        let present = self.frames[index].present & mask;
        if present == 0 {
            return None;
        }
        self.frames[index].wanted_by = 0;
        self.lease(index, 1, feed);
        Some(Claim { frame: index as u32, present, missing: 0 })
    }

    /// Claims a frame for pages of a chunk. Present pages are leased, and the caller must read the others. Returns
    /// `None` if no frame can be evicted.
    pub(super) fn claim(&mut self, chunk: Chunk, mask: u64, feed: u64) -> Option<Claim> {
        debug_assert!(mask != 0);
        let index = match self.find(chunk) {
            // Another feed is reading some of the pages. This feed reads them into a frame that is not in the map.
            Some(index) if self.frames[index].reading & mask != 0 => {
                let index = self.victim(feed)?;
                self.give_up(index);
                index
            }
            Some(index) => index,
            None => {
                let index = self.victim(feed)?;
                self.give_up(index);
                self.frames[index].chunk = Some(chunk);
                self.maps[chunk.topology][chunk.number as usize] = index as u32 + 1;
                index
            }
        };
        let frame = &mut self.frames[index];
        let present = frame.present & mask;
        let missing = mask & !present;
        frame.reading |= missing;
        self.lease(index, u32::from(present != 0) + u32::from(missing != 0), feed);
        Some(Claim { frame: index as u32, present, missing })
    }

    /// Ends a read. If `filled` is true, the pages become present, and the lease of the read becomes the lease of a
    /// group.
    pub(super) fn end_read(&mut self, frame: u32, mask: u64, filled: bool) {
        let index = frame as usize;
        self.frames[index].reading &= !mask;
        if filled {
            // A frame that is not in the map cannot be found by other feeds.
            self.frames[index].present |= mask;
        } else {
            self.release(frame);
        }
    }

    /// Ends the lease of a group.
    pub(super) fn release(&mut self, frame: u32) {
        let index = frame as usize;
        self.frames[index].leases -= 1;
        if self.frames[index].leases == 0 {
            self.in_use -= 1;
            self.offer(index);
        }
    }

    fn find(&self, chunk: Chunk) -> Option<usize> {
        let entry = *self.maps.get(chunk.topology)?.get(chunk.number as usize)?;
        (entry as usize).checked_sub(1)
    }

    /// Adds leases to a frame, and records this as a touch.
    fn lease(&mut self, index: usize, leases: u32, feed: u64) {
        let frame = &mut self.frames[index];
        self.in_use += usize::from(frame.leases == 0);
        frame.leases += leases;
        frame.feed = feed;
        self.recency.touch(index);
    }

    /// Makes a frame available for eviction unless the frame is in use.
    fn offer(&mut self, index: usize) {
        let frame = &self.frames[index];
        if frame.leases > 0 {
            return;
        }
        match frame.chunk {
            Some(_) => self.recency.offer(index, frame.feed, frame.wanted_by),
            None => _ = self.empty.insert(index),
        }
    }

    /// Returns the frame to evict for a feed.
    fn victim(&self, feed: u64) -> Option<usize> {
        let empty = self.empty.first().copied();
        let oldest = || self.recency.oldest(feed, feed.saturating_sub(STALE_AFTER));
        empty.or_else(oldest).or_else(|| self.recency.newest(feed))
    }

    /// Evicts the contents of a frame, so that the caller can use it.
    fn give_up(&mut self, index: usize) {
        let frame = &mut self.frames[index];
        debug_assert!(frame.leases == 0 && frame.reading == 0);
        if let Some(chunk) = frame.chunk.take() {
            self.maps[chunk.topology][chunk.number as usize] = 0;
        }
        frame.present = 0;
        // The frame's next contents are not wanted by any feed.
        frame.wanted_by = 0;
        self.empty.remove(&index);
        self.recency.withdraw(index);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn chunk(number: u32) -> Chunk {
        Chunk { topology: 0, number }
    }

    fn frames(count: usize, chunks: u32) -> Frames {
        let mut frames = Frames::new(&[chunks]);
        frames.grow(count);
        frames
    }

    /// Scans all chunks once, holding one group at a time. Returns the number of chunks that were present.
    fn scan(frames: &mut Frames, chunks: impl Iterator<Item = u32> + Clone) -> usize {
        let feed = frames.begin_feed();
        let there: Vec<_> = chunks.clone().filter(|&number| frames.want(chunk(number), 1, feed) != 0).collect();
        for &number in &there {
            let claim = frames.lease_present(chunk(number), 1, feed).expect("wanted frames are not given up");
            frames.release(claim.frame);
        }
        for number in chunks.filter(|number| !there.contains(number)) {
            let claim = frames.claim(chunk(number), 1, feed).expect("a frame is free");
            assert_eq!((claim.present, claim.missing), (0, 1));
            frames.end_read(claim.frame, 1, true);
            frames.release(claim.frame);
        }
        there.len()
    }

    #[test]
    fn scans_find_a_fixed_share_again() {
        let mut frames = frames(10, 40);
        assert_eq!(scan(&mut frames, 0..40), 0);
        for _ in 0..5 {
            assert!(scan(&mut frames, 0..40) >= 9);
        }
        assert!(scan(&mut frames, (0..40).rev()) >= 9);
    }

    #[test]
    fn what_a_traversal_left_behind_goes_first() {
        let mut frames = frames(10, 100);
        scan(&mut frames, 0..10);
        // Steps that stay in one region evict pages that are no longer visited. Later steps find all their pages.
        for _ in 0..STALE_AFTER + 2 {
            scan(&mut frames, 50..58);
        }
        assert_eq!(scan(&mut frames, 50..58), 8);
    }

    #[test]
    fn frames_in_use_stay() {
        let mut frames = frames(2, 10);
        let feed = frames.begin_feed();
        let first = frames.claim(chunk(0), 0b11, feed).unwrap();
        let second = frames.claim(chunk(1), 1, feed).unwrap();
        assert_eq!(frames.claim(chunk(2), 1, feed), None);
        frames.end_read(first.frame, 0b11, true);
        assert_eq!(frames.claim(chunk(2), 1, feed), None);
        // A failed read leaves the pages missing.
        frames.end_read(second.frame, 1, false);
        let third = frames.claim(chunk(2), 1, feed).unwrap();
        assert_eq!(third.frame, second.frame);
        assert_eq!(frames.want(chunk(1), 1, feed), 0);
        // Pages are added to a frame in use without affecting the present pages.
        let more = frames.claim(chunk(0), 0b110, feed).unwrap();
        assert_eq!((more.frame, more.present, more.missing), (first.frame, 0b10, 0b100));
        // Pages that another feed is reading are read separately as soon as there is room.
        let other = frames.begin_feed();
        assert_eq!(frames.claim(chunk(2), 1, other), None);
        frames.end_read(third.frame, 1, true);
        frames.release(third.frame);
        let apart = frames.claim(chunk(0), 0b100, other).unwrap();
        assert_eq!((apart.frame, apart.missing), (third.frame, 0b100));
        assert_eq!(frames.want(chunk(2), 1, other), 0);
        frames.end_read(apart.frame, 0b100, true);
        frames.release(apart.frame);
        assert_eq!(frames.claim(chunk(3), 1, other).map(|claim| claim.frame), Some(apart.frame));
    }

    #[test]
    fn frames_that_another_feed_took_are_given_up() {
        let mut frames = frames(2, 10);
        scan(&mut frames, 0..2);
        let first = frames.begin_feed();
        assert!((0..2).all(|number| frames.want(chunk(number), 1, first) == 1));
        // Another feed uses both frames.
        (0..STALE_AFTER).for_each(|_| _ = frames.begin_feed());
        scan(&mut frames, 5..7);
        assert!((0..2).all(|number| frames.lease_present(chunk(number), 1, first).is_none()));
        assert!(frames.claim(chunk(0), 1, first).is_some());
    }

    /// Searches all frames for the frame to evict for a feed. `touched` contains the time of each frame's last touch.
    fn found_by_looking(frames: &Frames, touched: &[u64], feed: u64) -> Option<usize> {
        let unused = || frames.frames.iter().enumerate().filter(|(_, frame)| frame.leases == 0);
        let full = || unused().filter(|(_, frame)| frame.chunk.is_some() && frame.wanted_by != feed);
        let stale = full().filter(|(_, frame)| frame.feed + STALE_AFTER < feed);
        let empty = unused().find(|(_, frame)| frame.chunk.is_none());
        let oldest = || stale.min_by_key(|(index, _)| touched[*index]);
        let newest = || full().max_by_key(|(index, _)| touched[*index]);
        empty.or_else(oldest).or_else(newest).map(|(index, _)| index)
    }

    proptest! {
        #[test]
        fn the_frame_given_up_is_the_one_that_a_look_at_all_finds(
            sizes in prop::collection::vec(0usize..5, 1..3),
            steps in prop::collection::vec((0u8..12, 0u32..12, 1u64..8, 0u64..7, any::<prop::sample::Index>()), 1..300),
        ) {
            let mut frames = Frames::new(&[12]);
            // The leases of groups and of reads in progress.
            let (mut groups, mut reads) = (Vec::new(), Vec::new());
            let mut touched = vec![0; sizes.iter().sum()];
            let mut sizes = sizes.into_iter();
            for ((kind, number, mask, back, which), now) in steps.into_iter().zip(1..) {
                let feed = (frames.feeds + 1).saturating_sub(back).max(1);
                let claim = match kind {
                    0 | 1 => { frames.begin_feed(); None }
                    2 | 3 => { frames.want(chunk(number), mask, feed); None }
                    4 => frames.lease_present(chunk(number), mask, feed),
                    5..=7 => {
                        if frames.empty.is_empty() {
                            frames.grow(sizes.next().unwrap_or(0));
                        }
                        frames.claim(chunk(number), mask, feed)
                    }
                    8 | 9 if !reads.is_empty() => {
                        let (frame, mask) = reads.swap_remove(which.index(reads.len()));
                        frames.end_read(frame, mask, kind == 8);
                        groups.extend((kind == 8).then_some(frame));
                        None
                    }
                    10.. if !groups.is_empty() => {
                        frames.release(groups.swap_remove(which.index(groups.len())));
                        None
                    }
                    _ => None,
                };
                if let Some(Claim { frame, present, missing }) = claim {
                    touched[frame as usize] = now;
                    groups.extend((present != 0).then_some(frame));
                    reads.extend((missing != 0).then_some((frame, missing)));
                }
                for feed in frames.feeds.saturating_sub(7).max(1)..=frames.feeds + 1 {
                    prop_assert_eq!(frames.victim(feed), found_by_looking(&frames, &touched, feed));
                }
                let unused = |frame: &&Frame| frame.leases == 0;
                prop_assert_eq!(frames.idle(), frames.frames.iter().all(|frame| unused(&frame)));
                let has_empty = frames.frames.iter().filter(unused).any(|frame| frame.chunk.is_none());
                prop_assert_eq!(frames.has_empty(), has_empty);
            }
        }
    }
}
