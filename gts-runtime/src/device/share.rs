//! Which pages of a topology a device walks, where several share the work.

use gts_core::graph::PageId;
use gts_core::page::{PageRun, Topology};
use std::ops::Range;

/// Bytes of consecutive pages that one device takes: as many as are copied to a device at a time.
const GROUP: u32 = 16 << 20;

/// Groups that each device gets at least, where there are as many pages: enough to even out groups of unlike work.
const GROUPS_A_DEVICE: u32 = 16;

/// One device's share of the pages of every topology: of groups of consecutive pages every `count`-th (the paper's hash
/// h(j), section 4.1 of the GTS paper, over groups rather than pages, so that copies stay long). What is left of the last
/// round is cut into equal parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PageShare {
    /// Which share, from 0.
    pub index: u32,
    /// Number of shares.
    pub count: u32,
}

impl PageShare {
    /// All pages.
    pub const WHOLE: Self = Self { index: 0, count: 1 };

    /// Whether it is all pages.
    pub const fn is_whole(self) -> bool {
        self.count == 1
    }

    /// Whether a page belongs to the share.
    pub fn contains(self, topology: &Topology, page: PageId) -> bool {
        if self.is_whole() {
            return true;
        }
        let (group, last) = (self.group(topology), self.last(topology));
        last.contains(&page.0) || (page.0 < self.rounds(topology) && page.0 / group % self.count == self.index)
    }

    /// The pages of the share, ascending.
    pub fn runs(self, topology: &Topology) -> impl Iterator<Item = PageRun> + use<> {
        let (group, end) = (self.group(topology), self.rounds(topology));
        let starts = (self.index * group..end).step_by((self.count * group) as usize);
        let last = PageRun::of(self.last(topology));
        starts.map(move |start| PageRun::of(start..start + group)).chain((last.count > 0).then_some(last))
    }

    /// The number of its pages.
    pub fn num_pages(self, topology: &Topology) -> u32 {
        self.runs(topology).map(|run| run.count).sum()
    }

    /// Consecutive pages that stay together.
    pub(crate) fn group(self, topology: &Topology) -> u32 {
        let most = (GROUP / topology.format().page_size()).max(1);
        let pages = topology.num_pages();
        if self.is_whole() { pages.max(1) } else { (pages / self.count / GROUPS_A_DEVICE).clamp(1, most) }
    }

    /// The end of the rounds in which every device gets a group.
    fn rounds(self, topology: &Topology) -> u32 {
        let round = u64::from(self.group(topology)) * u64::from(self.count);
        let pages = u64::from(topology.num_pages());
        (pages - pages % round) as u32
    }

    /// The share's part of what is left after those.
    fn last(self, topology: &Topology) -> Range<u32> {
        let begin = self.rounds(topology);
        let left = u64::from(topology.num_pages() - begin);
        let part = |index: u32| begin + (left * u64::from(index) / u64::from(self.count)) as u32;
        part(self.index)..part(self.index + 1)
    }
}

impl Default for PageShare {
    fn default() -> Self {
        Self::WHOLE
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gts_core::build::{BuildOptions, build};
    use gts_core::generate;

    #[test]
    fn every_page_belongs_to_one_share() {
        let options = BuildOptions { page_size: Some(256), ..BuildOptions::default() };
        let mut edges = generate::parse("rmat:10,seed=1").expect("a generator");
        let (graph, _) = build(&mut edges, &options).expect("a graph");
        let topology = graph.out_topology();
        for count in 1..=7 {
            let shares: Vec<PageShare> = (0..count).map(|index| PageShare { index, count }).collect();
            let mut owners = vec![0; topology.num_pages() as usize];
            for share in &shares {
                let listed: Vec<PageId> = share.runs(topology).flat_map(PageRun::pages).collect();
                let all = (0..topology.num_pages()).map(PageId);
                assert_eq!(listed, all.filter(|&page| share.contains(topology, page)).collect::<Vec<_>>(), "{share:?}");
                listed.iter().for_each(|page| owners[page.0 as usize] += 1);
            }
            assert!(owners.iter().all(|&owners| owners == 1), "{count} shares: {owners:?}");
            let sizes: Vec<u32> = shares.iter().map(|share| share.num_pages(topology)).collect();
            let (least, most) = (sizes.iter().min().expect("a share"), sizes.iter().max().expect("a share"));
            assert!(most - least <= 1, "{sizes:?}");
        }
    }
}
