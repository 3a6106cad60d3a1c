//! The frames of the host buffer: which pages each holds, who uses it, and which one is given up next.
//!
//! Pages are buffered in *chunks*: as many consecutive pages as a frame has room for, at their places in the frame, of
//! which any may be missing. A frame is in use while there are leases on it: of groups that were handed out, and of
//! reads that fill it. What is in use stays as it is, but for pages that are missing, which a read may add.
//!
//! Which frame is given up, of those not in use:
//!
//! 1. one that holds nothing;
//! 2. one that no feed has touched for some time, the longest untouched first: what a traversal has left behind;
//! 3. the one touched last. A scan that comes back to each page in the same order finds nothing where the oldest goes;
//!    where the newest goes, the others stay, and are found again by the next scan.
//!
//! Frames with pages that the feed is going to hand out are not given up for it.

/// Feeds after which a frame that none of them touched is left behind. A pass may take several: small and large pages,
/// out-edges and in-edges.
const STALE_AFTER: u64 = 4;

/// Which pages of a topology a frame holds: the topology's number, and the chunk's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Chunk {
    pub(super) topology: usize,
    pub(super) number: u32,
}

#[derive(Clone, Debug, Default)]
struct Frame {
    chunk: Option<Chunk>,
    /// Pages that are there, by their place in the chunk.
    present: u64,
    /// Pages that a read is filling.
    reading: u64,
    leases: u32,
    /// The last feed that touched it.
    feed: u64,
    /// When it was touched last, in the order of all touches.
    touched: u64,
    /// The feed that is going to hand out its pages.
    wanted_by: u64,
}

/// What a claim gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Claim {
    pub(super) frame: u32,
    /// Pages that are there, leased once if there is one.
    pub(super) present: u64,
    /// Pages that the caller must read, leased once if there is one.
    pub(super) missing: u64,
}

/// The frames, and the map from chunks to frames.
#[derive(Debug)]
pub(super) struct Frames {
    frames: Vec<Frame>,
    /// For each topology the frame of each chunk, plus one; 0 for none.
    maps: Vec<Vec<u32>>,
    feeds: u64,
    touches: u64,
}

impl Frames {
    /// No frames, for topologies of so many chunks.
    pub(super) fn new(chunks: &[u32]) -> Self {
        Self {
            frames: Vec::new(),
            maps: chunks.iter().map(|&count| vec![0; count as usize]).collect(),
            feeds: 0,
            touches: 0,
        }
    }

    /// Number of frames.
    pub(super) fn len(&self) -> usize {
        self.frames.len()
    }

    /// Adds frames that hold nothing.
    pub(super) fn grow(&mut self, frames: usize) {
        self.frames.resize(self.frames.len() + frames, Frame::default());
    }

    /// Whether a frame holds nothing and is not in use.
    pub(super) fn has_empty(&self) -> bool {
        self.frames.iter().any(|frame| frame.leases == 0 && frame.chunk.is_none())
    }

    /// Whether no frame is in use.
    pub(super) fn idle(&self) -> bool {
        self.frames.iter().all(|frame| frame.leases == 0)
    }

    /// Begins a feed; answers its number.
    pub(super) fn begin_feed(&mut self) -> u64 {
        self.feeds += 1;
        self.feeds
    }

    /// The pages of `mask` that are there, to be handed out by this feed.
    pub(super) fn want(&mut self, chunk: Chunk, mask: u64, feed: u64) -> u64 {
        match self.find(chunk) {
            Some(index) => {
                let frame = &mut self.frames[index];
                let present = frame.present & mask;
                if present != 0 {
                    frame.wanted_by = feed;
                }
                present
            }
            None => 0,
        }
    }

    /// Leases what is there of a chunk's pages.
    pub(super) fn lease_present(&mut self, chunk: Chunk, mask: u64, feed: u64) -> Option<Claim> {
        let index = self.find(chunk)?;
        let present = self.frames[index].present & mask;
        if present == 0 {
            return None;
        }
        let frame = &mut self.frames[index];
        frame.leases += 1;
        frame.wanted_by = 0;
        self.touch(index, feed);
        Some(Claim { frame: index as u32, present, missing: 0 })
    }

    /// A frame for pages of a chunk: those that are there are leased, the others are to be read by the caller.
    /// `None` where no frame can be given up.
    pub(super) fn claim(&mut self, chunk: Chunk, mask: u64, feed: u64) -> Option<Claim> {
        let index = match self.find(chunk) {
            // Another feed is reading some of them: this one reads into a frame that the map does not know.
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
        frame.leases += u32::from(present != 0) + u32::from(missing != 0);
        self.touch(index, feed);
        Some(Claim { frame: index as u32, present, missing })
    }

    /// Ends a read; where `filled`, its pages are there from now on, and its lease becomes that of a group.
    pub(super) fn end_read(&mut self, frame: u32, mask: u64, filled: bool) {
        let frame = &mut self.frames[frame as usize];
        frame.reading &= !mask;
        if filled {
            // In a frame that the map does not know, nobody else looks.
            frame.present |= mask;
        } else {
            frame.leases -= 1;
        }
    }

    /// Ends the lease of a group.
    pub(super) fn release(&mut self, frame: u32) {
        self.frames[frame as usize].leases -= 1;
    }

    fn find(&self, chunk: Chunk) -> Option<usize> {
        let entry = *self.maps.get(chunk.topology)?.get(chunk.number as usize)?;
        (entry as usize).checked_sub(1)
    }

    fn touch(&mut self, index: usize, feed: u64) {
        self.touches += 1;
        self.frames[index].touched = self.touches;
        self.frames[index].feed = feed;
    }

    /// The frame to be given up for a feed.
    fn victim(&self, feed: u64) -> Option<usize> {
        let mut newest = None;
        let mut oldest = None;
        for (index, frame) in self.frames.iter().enumerate().filter(|(_, frame)| frame.leases == 0) {
            if frame.chunk.is_none() {
                return Some(index);
            }
            if frame.wanted_by == feed {
                continue;
            }
            let at = (frame.touched, index);
            if frame.feed + STALE_AFTER < feed {
                oldest = Some(oldest.map_or(at, |other| at.min(other)));
            }
            newest = newest.max(Some(at));
        }
        oldest.or(newest).map(|(_, index)| index)
    }

    /// Makes a frame hold nothing.
    fn give_up(&mut self, index: usize) {
        let frame = &mut self.frames[index];
        debug_assert!(frame.leases == 0 && frame.reading == 0);
        if let Some(chunk) = frame.chunk.take() {
            self.maps[chunk.topology][chunk.number as usize] = 0;
        }
        frame.present = 0;
        // Nobody is going to hand out what it holds next.
        frame.wanted_by = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunk(number: u32) -> Chunk {
        Chunk { topology: 0, number }
    }

    fn frames(count: usize, chunks: u32) -> Frames {
        let mut frames = Frames::new(&[chunks]);
        frames.grow(count);
        frames
    }

    /// One scan over all chunks by a consumer that holds one group at a time; answers how many were there already.
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
        // Steps that stay in one region take the room of what is not visited any more, and then find all of it.
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
        // A read that failed leaves nothing.
        frames.end_read(second.frame, 1, false);
        let third = frames.claim(chunk(2), 1, feed).unwrap();
        assert_eq!(third.frame, second.frame);
        assert_eq!(frames.want(chunk(1), 1, feed), 0);
        // Pages are added to a frame in use beside those that are there.
        let more = frames.claim(chunk(0), 0b110, feed).unwrap();
        assert_eq!((more.frame, more.present, more.missing), (first.frame, 0b10, 0b100));
        // Pages that another feed reads are read apart, once there is room.
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
    fn nobody_wants_what_a_frame_holds_next() {
        let mut frames = frames(2, 10);
        scan(&mut frames, 0..2);
        let first = frames.begin_feed();
        assert!((0..2).all(|number| frames.want(chunk(number), 1, first) == 1));
        // Another feed takes both frames.
        (0..STALE_AFTER).for_each(|_| _ = frames.begin_feed());
        scan(&mut frames, 5..7);
        assert!((0..2).all(|number| frames.lease_present(chunk(number), 1, first).is_none()));
        assert!(frames.claim(chunk(0), 1, first).is_some());
    }
}
