//! The host buffer (MMBuf in the paper): memory for pages within a budget, shared by the topologies of a graph.
//!
//! Memory is allocated in regions as needed, and divided into frames. [`super::frames`] decides which frame contains
//! which pages. The memory is only accessible through leases:
//!
//! - a [`ReadLease`] gives the right to fill the missing pages for which it was claimed. No other lease covers these
//!   pages;
//! - a [`Lease`] gives the right to read present pages. No read fills these pages during the lease, because reads only
//!   fill missing pages, and a frame is evicted only after its last lease has ended.
#![allow(unsafe_code)]

use super::frames::{Chunk, Claim, Frames};
use crate::page::{HostMemory, HostRegion, Leased};
use crate::store::reads::ReadBuffer;
use std::ops::Range;
use std::ptr::NonNull;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Bytes per region: large enough that few regions are needed, and small enough that the first reads begin soon.
const REGION: usize = 64 << 20;

/// Memory for the pages of a stored graph, within a budget.
pub(crate) struct HostBuffer {
    page_size: usize,
    /// The number of pages per frame, at most 64.
    pages: u32,
    /// The number of chunks in each topology.
    chunks: Vec<u32>,
    state: Mutex<State>,
    released: Condvar,
}

struct State {
    frames: Frames,
    /// The location of each frame.
    places: Vec<Place>,
    /// The number of frames that the budget allows; fewer if memory ran out.
    most: usize,
    memory: Arc<dyn HostMemory>,
    /// The allocator to use as soon as no frame is in use.
    next_memory: Option<Arc<dyn HostMemory>>,
    /// The number of leases that have ended.
    releases: u64,
    /// Whether reads were abandoned before they ended. Such reads may occupy their frames indefinitely.
    given_up: bool,
}

#[derive(Clone)]
struct Place {
    /// The owner of the memory.
    region: Arc<dyn HostRegion>,
    start: NonNull<u8>,
}

// SAFETY: a place is an address in a region, which threads share; leases govern the access.
unsafe impl Send for Place {}
// SAFETY: as for `Send`.
unsafe impl Sync for Place {}

/// The system has too little memory for the buffer's next region.
#[derive(Clone, Copy, Debug)]
pub(super) struct NoMemory {
    pub(super) bytes: u64,
}

/// The result of claiming the pages of a chunk.
pub(super) struct Claimed {
    /// A lease on the pages that are present.
    pub(super) present: Option<Lease>,
    /// A lease on the pages that must be read.
    pub(super) missing: Option<ReadLease>,
}

impl HostBuffer {
    /// Creates a buffer of at most `frames` frames with `pages` pages each. `chunks` contains the number of chunks of
    /// each topology.
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

    /// Returns the number of pages per frame.
    pub(super) fn frame_pages(&self) -> u32 {
        self.pages
    }

    fn frame_bytes(&self) -> usize {
        self.pages as usize * self.page_size
    }

    /// Returns the maximum number of frames.
    pub(super) fn most_frames(&self) -> usize {
        self.state().most
    }

    /// Returns the bytes of the existing frames.
    pub(super) fn bytes(&self) -> u64 {
        (self.state().places.len() * self.frame_bytes()) as u64
    }

    /// Sets the allocator. It is used as soon as no frame is in use.
    pub(super) fn use_memory(&self, memory: &Arc<dyn HostMemory>) {
        let mut state = self.state();
        if !Arc::ptr_eq(&state.memory, memory) {
            state.next_memory = Some(Arc::clone(memory));
        }
    }

    /// Begins a feed and returns its number.
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

    /// Returns the pages of `mask` that are present, and marks their frame as wanted by the feed.
    pub(super) fn want(&self, chunk: Chunk, mask: u64, feed: u64) -> u64 {
        self.state().frames.want(chunk, mask, feed)
    }

    /// Leases the present pages of `mask` in a chunk.
    pub(super) fn lease(self: &Arc<Self>, chunk: Chunk, mask: u64, feed: u64) -> Option<Lease> {
        let mut state = self.state();
        let claim = state.frames.lease_present(chunk, mask, feed)?;
        let place = state.places[claim.frame as usize].clone();
        Some(Lease { frame: self.frame(claim.frame, place), mask: claim.present })
    }

    /// Claims pages of a chunk, whether present or missing. Returns `None` if every frame is in use or wanted by the
    /// feed.
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

    /// Records that a feed has stopped waiting for reads that have not ended.
    pub(super) fn give_up_reads(&self) {
        self.state().given_up = true;
    }

    /// Returns whether abandoned reads may still occupy frames.
    pub(super) fn has_given_up_reads(&self) -> bool {
        self.state().given_up
    }

    /// Returns the number of leases that have ended.
    pub(super) fn releases(&self) -> u64 {
        self.state().releases
    }

    /// Waits until more than `seen` leases have ended, up to `patience`.
    pub(super) fn wait_for_release(&self, seen: u64, patience: Duration) {
        let state = self.state();
        // The caller's next attempt shows whether a lease has ended.
        let _ = self.released.wait_timeout_while(state, patience, |state| state.releases == seen);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn frame(self: &Arc<Self>, number: u32, place: Place) -> HeldFrame {
        HeldFrame { buffer: Arc::clone(self), number, place }
    }

    /// Adds a region. If memory runs out, the buffer keeps its current size.
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
            // Two frames are enough to continue.
            None if state.frames.len() >= 2 => {
                state.most = state.frames.len();
                Ok(())
            }
            None => Err(NoMemory { bytes: (frames * frame_bytes) as u64 }),
        }
    }
}

/// A frame with an active lease.
struct HeldFrame {
    buffer: Arc<HostBuffer>,
    number: u32,
    place: Place,
}

impl HeldFrame {
    /// Returns the address of the page at a position in the frame.
    fn page(&self, place: u32) -> NonNull<u8> {
        debug_assert!(place < self.buffer.pages);
        // SAFETY: callers pass positions within the frame, and the region contains the whole frame.
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

/// Returns the positions of the bits that are set.
pub(super) fn places(mask: u64) -> impl Iterator<Item = u32> {
    (0..u64::BITS).filter(move |place| mask >> place & 1 == 1)
}

/// Pages of a frame that are present and do not change during the lease.
pub(crate) struct Lease {
    frame: HeldFrame,
    mask: u64,
}

impl Lease {
    /// Returns the positions of the pages in the frame, as bits.
    pub(super) fn mask(&self) -> u64 {
        self.mask
    }
}

impl Leased for Lease {
    fn pages(&self, pages: Range<u32>) -> &[u8] {
        assert!(pages.clone().all(|place| place < 64 && self.mask >> place & 1 == 1), "pages of another lease");
        let len = pages.len() * self.frame.buffer.page_size;
        // SAFETY: the lease covers the pages. They are present and contiguous in the frame, and nothing writes to them
        // during the lease. The lease holds the region, so its memory stays in place.
        unsafe { std::slice::from_raw_parts(self.frame.page(pages.start).as_ptr(), len) }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let number = self.frame.number;
        self.frame.ended(|frames| frames.release(number));
    }
}

/// The right to fill missing pages of a frame. If the lease is dropped before that, the pages stay missing.
pub(super) struct ReadLease {
    /// The frame; `None` once the pages are filled.
    frame: Option<HeldFrame>,
    mask: u64,
}

impl ReadLease {
    /// Returns the positions of the pages in the frame, as bits.
    pub(super) fn mask(&self) -> u64 {
        self.mask
    }

    /// Returns the region that contains the pages.
    pub(super) fn region(&self) -> Option<&Arc<dyn HostRegion>> {
        self.frame.as_ref().map(|frame| &frame.place.region)
    }

    /// Returns one buffer per read for the pages at the listed positions. Also returns the lease, which the buffers
    /// share.
    ///
    /// # Panics
    /// Panics if the lease does not cover a position, or if a position is listed twice.
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
            // SAFETY: the buffer holds the lease, which keeps the region and is the only right to these pages. No other
            // buffer contains them, as was just checked. Regions are initialised.
            unsafe { ReadBuffer::new(pieces, Arc::clone(&lease)) }
        });
        let buffers = buffers.collect();
        (lease, buffers)
    }

    /// Returns consecutive pages, given their positions in the frame. All buffers of the lease must have been dropped.
    ///
    /// # Panics
    /// Panics if the lease does not cover all of these pages.
    pub(super) fn pages(&mut self, pages: Range<u32>) -> &[u8] {
        assert!(pages.clone().all(|place| place < 64 && self.mask >> place & 1 == 1), "pages of another lease");
        let Some(frame) = &self.frame else { return &[] };
        // SAFETY: the lease covers the pages and is borrowed exclusively, so no buffer shares it; the frame holds the
        // region.
        unsafe { std::slice::from_raw_parts(frame.page(pages.start).as_ptr(), pages.len() * frame.buffer.page_size) }
    }

    /// Declares the pages filled and returns a lease for reading them; `None` if they were already declared filled.
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
