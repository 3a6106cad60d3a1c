//! The pages in the device's page cache.
//!
//! The cache is a row of frames, each for one page. A policy, one module each, decides which pages are evicted. A page
//! that a pass uses stays until the pass is over: the pass's kernels may run at any time until then, so a frame that is
//! filled during a pass is one that nothing in the pass reads. Nothing here accesses a device.

mod lru;
mod scan;

use gts_contract::{KernelKind, Side};
use gts_core::graph::PageId;
use std::collections::VecDeque;
use std::fmt::Debug;

pub(super) use lru::Lru;
pub(super) use scan::Scan;

use gts_device::options::CacheChoice;

/// A page of one of a graph's topologies.
pub(super) type Key = (Side, PageId);

/// A place for a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Frame {
    /// The page in the frame.
    page: Option<Key>,
    /// The pass that used the frame last.
    used: u64,
}

/// Decides which pages are evicted.
pub(super) trait CachePolicy: Debug + Sync {
    /// Returns the frames that may be refilled in a pass, in the order of eviction. Candidates are neither empty nor
    /// used by the pass.
    fn victims(&self, candidates: &mut dyn Iterator<Item = Candidate>) -> Vec<u32>;

    /// Returns whether the pages that a pass has used stay when the next pass uses the same pages.
    fn stays(&self) -> bool;
}

/// A frame whose page the pass does not use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Candidate {
    /// The frame.
    pub(super) frame: u32,
    /// The pass that used the frame last.
    pub(super) used: u64,
    /// Whether neither this pass walks the page's topology, nor did any since the last pass over this one's topologies.
    pub(super) idle: bool,
}

/// Returns the policy of a pass, or `None` if pages are not kept.
pub(super) fn policy(choice: CacheChoice, kind: KernelKind) -> Option<&'static dyn CachePolicy> {
    match (choice, kind) {
        (CacheChoice::Off, _) => None,
        (CacheChoice::Lru, _) | (CacheChoice::Auto, KernelKind::Traverse) => Some(&Lru),
        (CacheChoice::Scan, _) | (CacheChoice::Auto, KernelKind::Scan | KernelKind::Vertex | KernelKind::Intersect) => {
            Some(&Scan)
        }
    }
}

/// The frames of a cache, and the pages in them.
#[derive(Debug, Default)]
pub(super) struct PageCache {
    frames: Vec<Frame>,
    /// The frame of each page of each topology; as long as the largest page number that was ever placed.
    places: [Vec<Option<u32>>; 2],
    /// Frames that never held a page, ascending.
    empty: VecDeque<u32>,
    pass: u64,
    policy: Option<&'static dyn CachePolicy>,
    /// Frames to be refilled in this pass, computed when the first is needed.
    victims: Option<VecDeque<u32>>,
    /// The last pass over each topology before this one, and whether this one walks the topology.
    passes: [(u64, bool); 2],
}

impl PageCache {
    /// Creates a cache of empty frames.
    pub(super) fn new(frames: u32) -> Self {
        let mut cache = Self { frames: vec![Frame { page: None, used: 0 }; frames as usize], ..Self::default() };
        cache.clear();
        cache
    }

    /// Returns the number of frames.
    pub(super) fn frames(&self) -> u32 {
        self.frames.len() as u32
    }

    /// Removes all pages.
    pub(super) fn clear(&mut self) {
        self.frames.fill(Frame { page: None, used: 0 });
        self.places.iter_mut().for_each(Vec::clear);
        self.empty = (0..self.frames()).collect();
        self.victims = None;
    }

    /// Begins a pass over these topologies.
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

    /// Returns the frame of a page that the pass uses, if the page is in the cache.
    pub(super) fn find(&mut self, key: Key) -> Option<u32> {
        self.policy?;
        let frame = self.lookup(key)?;
        self.frames[frame as usize].used = self.pass;
        Some(frame)
    }

    /// Returns a frame for a page that the pass uses and that was not found in the cache. `None` if the policy does not
    /// admit the page, or if the pass has placed it already. The caller has looked for all pages of the pass before.
    pub(super) fn place(&mut self, key: Key) -> Option<u32> {
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

    /// Returns whether the next pass, if it uses the same pages as this one, finds the present pages and places none.
    pub(super) fn is_settled(&self) -> bool {
        let used = || self.frames.iter().all(|frame| frame.used == self.pass);
        self.policy.is_none_or(|policy| policy.stays() && used())
    }

    /// Returns whether the cache contains a page for passes like this one.
    pub(super) fn holds(&self, key: Key) -> bool {
        self.policy.is_some() && self.lookup(key).is_some()
    }

    fn lookup(&self, (side, page): Key) -> Option<u32> {
        self.places[usize::from(side == Side::In)].get(page.0 as usize).copied().flatten()
    }

    fn entry(&mut self, (side, page): Key) -> &mut Option<u32> {
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
