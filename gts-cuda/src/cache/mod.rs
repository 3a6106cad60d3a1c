//! The bookkeeping of a device's page cache.
//!
//! The cache is an array of frames. Each frame has room for one page. A policy selects the pages to evict, and each
//! policy has its own module. A page used by a pass stays cached until the pass ends, because the pass's kernels may
//! read the page at any time until then. A pass therefore fills only frames whose pages it does not use. This module
//! does not access a device.

mod lru;
mod scan;

use gts_contract::{KernelKind, Side};
use gts_core::graph::PageId;
use std::collections::VecDeque;
use std::fmt::Debug;

pub(super) use lru::Lru;
pub(super) use scan::Scan;

use gts_device::options::CacheChoice;

/// Identifies a page by its topology and page number.
pub(super) type PageKey = (Side, PageId);

/// A frame's page and last use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CacheFrame {
    /// The page in the frame, if any.
    page: Option<PageKey>,
    /// The number of the last pass that used the frame.
    used: u64,
}

/// A policy that selects the pages to evict.
pub(super) trait CachePolicy: Debug + Sync {
    /// Returns the frames that a pass may refill, in the order of eviction. Each candidate contains a page that the
    /// pass does not use.
    fn victims(&self, candidates: &mut dyn Iterator<Item = Candidate>) -> Vec<u32>;

    /// Returns whether the pages of a pass stay cached if the next pass uses the same pages.
    fn stays(&self) -> bool;
}

/// A frame whose page the pass does not use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Candidate {
    /// The index of the frame.
    pub(super) frame: u32,
    /// The number of the last pass that used the frame.
    pub(super) used: u64,
    /// Whether the page's topology is no longer walked: this pass does not walk the topology, and an earlier pass over
    /// one of this pass's topologies ran after the page's last use.
    pub(super) idle: bool,
}

/// Returns the cache policy for passes of the given kernel kind, or `None` if the cache is off.
pub(super) fn policy(choice: CacheChoice, kind: KernelKind) -> Option<&'static dyn CachePolicy> {
    match (choice, kind) {
        (CacheChoice::Off, _) => None,
        (CacheChoice::Lru, _) | (CacheChoice::Auto, KernelKind::Traverse) => Some(&Lru),
        (CacheChoice::Scan, _) | (CacheChoice::Auto, KernelKind::Scan | KernelKind::Vertex | KernelKind::Intersect) => {
            Some(&Scan)
        }
    }
}

/// A device's page cache: the frames, and an index of the cached pages.
#[derive(Debug, Default)]
pub(super) struct PageCache {
    frames: Vec<CacheFrame>,
    /// The frame of each cached page, by topology and page number. Each vector extends to the largest page number
    /// placed since the last [`PageCache::clear`].
    places: [Vec<Option<u32>>; 2],
    /// The empty frames, in ascending order.
    empty: VecDeque<u32>,
    pass: u64,
    policy: Option<&'static dyn CachePolicy>,
    /// The frames that this pass may still refill, computed on first use.
    victims: Option<VecDeque<u32>>,
    /// Per topology: the number of the most recent earlier pass over the topology, and whether this pass walks the
    /// topology.
    passes: [(u64, bool); 2],
}

impl PageCache {
    /// Creates a cache with the given number of empty frames.
    pub(super) fn new(frames: u32) -> Self {
        let mut cache = Self { frames: vec![CacheFrame { page: None, used: 0 }; frames as usize], ..Self::default() };
        cache.clear();
        cache
    }

    /// Returns the number of frames.
    pub(super) fn frames(&self) -> u32 {
        self.frames.len() as u32
    }

    /// Removes all pages.
    pub(super) fn clear(&mut self) {
        self.frames.fill(CacheFrame { page: None, used: 0 });
        self.places.iter_mut().for_each(Vec::clear);
        self.empty = (0..self.frames()).collect();
        self.victims = None;
    }

    /// Begins a pass over the given topologies. `policy` selects the pages to evict.
    pub(super) fn begin(&mut self, policy: Option<&'static dyn CachePolicy>, sides: &[Side]) {
        for (side, (last, current)) in [Side::Out, Side::In].into_iter().zip(&mut self.passes) {
            if std::mem::take(current) {
                *last = self.pass;
            }
            *current = sides.contains(&side);
        }
        self.pass += 1;
        self.policy = policy;
        self.victims = None;
    }

    /// Returns the frame of a cached page, and marks the frame as used by this pass. Returns `None` if the page is not
    /// cached or the cache is off.
    pub(super) fn find(&mut self, key: PageKey) -> Option<u32> {
        self.policy?;
        let frame = self.lookup(key)?;
        self.frames[frame as usize].used = self.pass;
        Some(frame)
    }

    /// Assigns a frame to a page that [`PageCache::find`] did not find, and returns the frame. Returns `None` if the
    /// cache is off, if no frame may be refilled, or if the page is already cached. The caller must call `find` for all
    /// pages of a pass before it places the first page.
    pub(super) fn place(&mut self, key: PageKey) -> Option<u32> {
        let policy = self.policy?;
        if self.lookup(key).is_some() {
            return None;
        }
        let frame = match self.empty.pop_front() {
            Some(frame) => frame,
            None => {
                if self.victims.is_none() {
                    let victims = policy.victims(&mut self.candidates());
                    self.victims = Some(victims.into());
                }
                self.victims.as_mut()?.pop_front()?
            }
        };
        let place = &mut self.frames[frame as usize];
        place.used = self.pass;
        if let Some(old) = place.page.replace(key) {
            *self.entry(old) = None;
        }
        *self.entry(key) = Some(frame);
        Some(frame)
    }

    /// Returns whether repeating this pass would add no page to the cache.
    pub(super) fn is_settled(&self) -> bool {
        let used = || self.frames.iter().all(|frame| frame.used == self.pass);
        self.policy.is_none_or(|policy| policy.stays() && used())
    }

    /// Returns whether this pass uses the cache and the page is cached.
    pub(super) fn holds(&self, key: PageKey) -> bool {
        self.policy.is_some() && self.lookup(key).is_some()
    }

    fn lookup(&self, (side, page): PageKey) -> Option<u32> {
        self.places[usize::from(side == Side::In)].get(page.0 as usize).copied().flatten()
    }

    fn entry(&mut self, (side, page): PageKey) -> &mut Option<u32> {
        let places = &mut self.places[usize::from(side == Side::In)];
        if places.len() <= page.0 as usize {
            places.resize(page.0 as usize + 1, None);
        }
        &mut places[page.0 as usize]
    }

    fn candidates(&self) -> impl Iterator<Item = Candidate> {
        let previous = self.passes.iter().filter(|(_, walked)| *walked).map(|(last, _)| *last).max().unwrap_or(0);
        self.frames.iter().zip(0..).filter(|(frame, _)| frame.used < self.pass).filter_map(move |(frame, number)| {
            let (side, _) = frame.page?;
            let walked = self.passes[usize::from(side == Side::In)].1;
            Some(Candidate { frame: number, used: frame.used, idle: !walked && frame.used < previous })
        })
    }
}

#[cfg(test)]
mod tests;
