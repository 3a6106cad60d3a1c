//! The host buffer (the paper's MMBuf): memory for pages within a budget, shared by the topologies of a graph.
//!
//! Memory is taken region by region as it is needed, and cut into frames; which frame holds what is the affair of
//! [`super::frames`]. Here stand the leases, by which alone the memory is reached:
//!
//! - a [`ReadLease`] gives the right to fill the missing pages that it was claimed for: no other lease covers them;
//! - a [`Lease`] gives the right to read pages that are there: no read fills them while it lives, because only missing
//!   pages are filled, and a frame is given up only when no lease is left.
#![allow(unsafe_code)]

use super::frames::{Chunk, Claim, Frames};
use crate::page::{HostMemory, HostRegion};
use crate::store::reads::ReadBuffer;
use std::ops::Range;
use std::ptr::NonNull;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Bytes of a region: enough that few are needed, few enough that the first reads begin soon.
const REGION: usize = 64 << 20;

/// Memory for pages within a budget.
pub(crate) struct HostBuffer {
    page_size: usize,
    /// Pages of a frame, at most 64.
    pages: u32,
    /// Chunks of each topology.
    chunks: Vec<u32>,
    state: Mutex<State>,
    released: Condvar,
}

struct State {
    frames: Frames,
    /// Where each frame is.
    places: Vec<Place>,
    /// Frames that the budget allows, or that memory could be had for.
    most: usize,
    memory: Arc<dyn HostMemory>,
    /// Memory to be used once no frame is in use.
    next_memory: Option<Arc<dyn HostMemory>>,
    /// How many leases have ended.
    releases: u64,
    /// Whether reads were given up before they ended: they may keep their frames for good.
    given_up: bool,
}

#[derive(Clone)]
struct Place {
    /// Keeps the memory where it is.
    region: Arc<dyn HostRegion>,
    start: NonNull<u8>,
}

// SAFETY: a place is an address in a region, which threads share; what they do there is ruled by leases.
unsafe impl Send for Place {}
// SAFETY: as for `Send`.
unsafe impl Sync for Place {}

/// No memory could be had for the buffer.
#[derive(Clone, Copy, Debug)]
pub(super) struct NoMemory {
    pub(super) bytes: u64,
}

/// What a claim gave.
pub(super) struct Claimed {
    /// The pages that are there.
    pub(super) present: Option<Lease>,
    /// The pages to be read.
    pub(super) missing: Option<ReadLease>,
}

impl HostBuffer {
    /// A buffer of at most `frames` frames of `pages` pages, for topologies of so many chunks.
    pub(super) fn new(
        page_size: usize,
        pages: u32,
        frames: usize,
        chunks: Vec<u32>,
        memory: Arc<dyn HostMemory>,
    ) -> Self {
        debug_assert!((1..=64).contains(&pages));
        let state = State {
            frames: Frames::new(&chunks),
            places: Vec::new(),
            most: frames,
            memory,
            next_memory: None,
            releases: 0,
            given_up: false,
        };
        Self { page_size, pages, chunks, state: Mutex::new(state), released: Condvar::new() }
    }

    /// Pages of a frame.
    pub(super) fn frame_pages(&self) -> u32 {
        self.pages
    }

    fn frame_bytes(&self) -> usize {
        self.pages as usize * self.page_size
    }

    /// Frames that there may be.
    pub(super) fn most_frames(&self) -> usize {
        self.state().most
    }

    /// Bytes of the frames that there are.
    pub(super) fn bytes(&self) -> u64 {
        (self.state().places.len() * self.frame_bytes()) as u64
    }

    /// Takes memory from here once no frame is in use.
    pub(super) fn use_memory(&self, memory: &Arc<dyn HostMemory>) {
        let mut state = self.state();
        if !Arc::ptr_eq(&state.memory, memory) {
            state.next_memory = Some(Arc::clone(memory));
        }
    }

    /// Begins a feed; answers its number.
    pub(super) fn begin_feed(&self) -> u64 {
        let mut state = self.state();
        if state.frames.idle()
            && let Some(memory) = state.next_memory.take()
        {
            state.memory = memory;
            state.places.clear();
            let feeds = Frames::new(&self.chunks);
            state.frames = feeds;
        }
        state.frames.begin_feed()
    }

    /// The pages of `mask` that are there, to be handed out by this feed.
    pub(super) fn want(&self, chunk: Chunk, mask: u64, feed: u64) -> u64 {
        self.state().frames.want(chunk, mask, feed)
    }

    /// Leases what is there of a chunk's pages.
    pub(super) fn lease(self: &Arc<Self>, chunk: Chunk, mask: u64, feed: u64) -> Option<Lease> {
        let mut state = self.state();
        let claim = state.frames.lease_present(chunk, mask, feed)?;
        let place = state.places[claim.frame as usize].clone();
        Some(Lease { frame: self.frame(claim.frame, place), mask: claim.present })
    }

    /// Claims pages of a chunk, some of which may be there. `None` where every frame is in use or going to be.
    pub(super) fn claim(self: &Arc<Self>, chunk: Chunk, mask: u64, feed: u64) -> Result<Option<Claimed>, NoMemory> {
        let mut state = self.state();
        if !state.frames.has_empty() && state.frames.len() < state.most {
            self.grow(&mut state)?;
        }
        let Some(Claim { frame, present, missing }) = state.frames.claim(chunk, mask, feed) else { return Ok(None) };
        let place = state.places[frame as usize].clone();
        let held = || self.frame(frame, place.clone());
        Ok(Some(Claimed {
            present: (present != 0).then(|| Lease { frame: held(), mask: present }),
            missing: (missing != 0).then(|| ReadLease { frame: Some(held()), mask: missing }),
        }))
    }

    /// Says that no feed waits any more for some reads that have not ended.
    pub(super) fn give_up_reads(&self) {
        self.state().given_up = true;
    }

    /// Whether reads may keep frames in use that no feed waits for.
    pub(super) fn has_given_up_reads(&self) -> bool {
        self.state().given_up
    }

    /// How many leases have ended so far.
    pub(super) fn releases(&self) -> u64 {
        self.state().releases
    }

    /// Waits until more than `seen` leases have ended, at most for `patience`.
    pub(super) fn wait_for_release(&self, seen: u64, patience: Duration) {
        let state = self.state();
        // How the wait ended is seen by what the caller tries next.
        let _ = self.released.wait_timeout_while(state, patience, |state| state.releases == seen);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn frame(self: &Arc<Self>, number: u32, place: Place) -> HeldFrame {
        HeldFrame { buffer: Arc::clone(self), number, place }
    }

    /// Adds a region. Where no more memory can be had, the buffer stays as large as it is.
    fn grow(&self, state: &mut State) -> Result<(), NoMemory> {
        let frame_bytes = self.frame_bytes();
        let frames = (REGION / frame_bytes).max(1).min(state.most - state.frames.len());
        match state.memory.allocate(frames * frame_bytes).filter(|region| region.len() >= frames * frame_bytes) {
            Some(region) => {
                let region: Arc<dyn HostRegion> = Arc::from(region);
                let Some(start) = NonNull::new(region.as_ptr()) else {
                    return Err(NoMemory { bytes: (frames * frame_bytes) as u64 });
                };
                for frame in 0..frames {
                    // SAFETY: the region has at least `frames * frame_bytes` bytes.
                    let start = unsafe { start.add(frame * frame_bytes) };
                    state.places.push(Place { region: Arc::clone(&region), start });
                }
                state.frames.grow(frames);
                Ok(())
            }
            // Two frames suffice to go on.
            None if state.frames.len() >= 2 => {
                state.most = state.frames.len();
                Ok(())
            }
            None => Err(NoMemory { bytes: (frames * frame_bytes) as u64 }),
        }
    }
}

/// A frame in use.
struct HeldFrame {
    buffer: Arc<HostBuffer>,
    number: u32,
    place: Place,
}

impl HeldFrame {
    /// Address of a page, by its place in the frame.
    fn page(&self, place: u32) -> NonNull<u8> {
        debug_assert!(place < self.buffer.pages);
        // SAFETY: callers take places below the pages of a frame, all of which lie in the region.
        unsafe { self.place.start.add(place as usize * self.buffer.page_size) }
    }

    fn ended(&self, end: impl FnOnce(&mut Frames)) {
        let mut state = self.buffer.state();
        end(&mut state.frames);
        state.releases += 1;
        drop(state);
        self.buffer.released.notify_all();
    }
}

/// The places whose bits are set.
pub(super) fn places(mask: u64) -> impl Iterator<Item = u32> {
    (0..u64::BITS).filter(move |place| mask >> place & 1 == 1)
}

/// Pages of a frame that are there and stay as they are while this lives.
pub(crate) struct Lease {
    frame: HeldFrame,
    mask: u64,
}

impl Lease {
    /// The places of the pages.
    pub(super) fn mask(&self) -> u64 {
        self.mask
    }

    /// Consecutive pages, by their places.
    ///
    /// # Panics
    /// If the lease does not cover them.
    pub(crate) fn pages(&self, pages: Range<u32>) -> &[u8] {
        assert!(pages.clone().all(|place| place < 64 && self.mask >> place & 1 == 1), "pages of another lease");
        let len = pages.len() * self.frame.buffer.page_size;
        // SAFETY: the lease covers the pages: they are there, back to back in the frame, and nothing writes them while
        // it lives; the region, which it holds, keeps them where they are.
        unsafe { std::slice::from_raw_parts(self.frame.page(pages.start).as_ptr(), len) }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let number = self.frame.number;
        self.frame.ended(|frames| frames.release(number));
    }
}

/// The right to fill missing pages of a frame. Where it is dropped, they stay missing.
pub(super) struct ReadLease {
    /// Present until the pages are filled.
    frame: Option<HeldFrame>,
    mask: u64,
}

impl ReadLease {
    /// The places of the pages.
    pub(super) fn mask(&self) -> u64 {
        self.mask
    }

    /// The region that the pages are in.
    pub(super) fn region(&self) -> Option<&Arc<dyn HostRegion>> {
        self.frame.as_ref().map(|frame| &frame.place.region)
    }

    /// The memory of the pages, for several reads: a list of places for each. The lease comes back, shared with the
    /// buffers.
    ///
    /// # Panics
    /// If a place is not covered, or stands twice.
    pub(super) fn share(self, reads: &[Vec<u32>]) -> (Arc<Self>, Vec<ReadBuffer>) {
        let mut left = self.mask;
        for &place in reads.iter().flatten() {
            assert!(place < 64 && left >> place & 1 == 1, "a page of another read");
            left &= !(1 << place);
        }
        let lease = Arc::new(self);
        let buffers = reads.iter().map(|places| {
            let pieces = places
                .iter()
                .filter_map(|&place| lease.frame.as_ref().map(|frame| (frame.page(place), frame.buffer.page_size)));
            // SAFETY: the lease, which the buffer holds, keeps the region, and is the only right to these pages; no
            // other buffer has them, as was just checked. Regions are initialised.
            unsafe { ReadBuffer::new(pieces, Arc::clone(&lease)) }
        });
        let buffers = buffers.collect();
        (lease, buffers)
    }

    /// The pages, once every buffer of them is gone: consecutive ones, by their places.
    ///
    /// # Panics
    /// If the lease does not cover them.
    pub(super) fn pages(&mut self, pages: Range<u32>) -> &[u8] {
        assert!(pages.clone().all(|place| place < 64 && self.mask >> place & 1 == 1), "pages of another lease");
        let Some(frame) = &self.frame else { return &[] };
        // SAFETY: the lease covers the pages and is borrowed alone, hence shared with no buffer; the region keeps them.
        unsafe { std::slice::from_raw_parts(frame.page(pages.start).as_ptr(), pages.len() * frame.buffer.page_size) }
    }

    /// Declares the pages filled; `None` where that was done before.
    pub(super) fn filled(mut self) -> Option<Lease> {
        let frame = self.frame.take()?;
        frame.buffer.state().frames.end_read(frame.number, self.mask, true);
        Some(Lease { mask: self.mask, frame })
    }
}

impl Drop for ReadLease {
    fn drop(&mut self) {
        if let Some(frame) = self.frame.take() {
            frame.ended(|frames| frames.end_read(frame.number, self.mask, false));
        }
    }
}
