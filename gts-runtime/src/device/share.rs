//! Which pages of a topology a device walks, where several share the work.

use gts_core::graph::PageId;
use gts_core::page::{PageRun, Topology};

/// Bytes of consecutive pages that one device takes: as many as are copied to a device at a time.
const GROUP: u32 = 16 << 20;

/// Groups that each device gets at least, where there are as many pages: enough to even out groups of unlike work.
const GROUPS_A_DEVICE: u32 = 16;

/// One device's share of the pages of every topology: of groups of consecutive pages every `count`-th (the paper's hash
/// h(j), section 4.1 of the GTS paper, over groups rather than pages, so that copies stay long).
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
        self.is_whole() || page.0 / self.group(topology) % self.count == self.index
    }

    /// The pages of the share, ascending.
    pub fn runs(self, topology: &Topology) -> impl Iterator<Item = PageRun> + use<> {
        let (pages, group) = (topology.num_pages(), if self.is_whole() { u32::MAX } else { self.group(topology) });
        let starts = (self.index.saturating_mul(group)..pages).step_by(self.count.saturating_mul(group) as usize);
        starts.map(move |start| PageRun::of(start..pages.min(start.saturating_add(group))))
    }

    /// The number of its pages.
    pub fn num_pages(self, topology: &Topology) -> u32 {
        self.runs(topology).map(|run| run.count).sum()
    }

    /// Consecutive pages that stay together.
    fn group(self, topology: &Topology) -> u32 {
        let most = (GROUP / topology.format().page_size()).max(1);
        (topology.num_pages() / self.count.saturating_mul(GROUPS_A_DEVICE)).clamp(1, most)
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
        for count in 1..=5 {
            let mut sizes = vec![0u32; count as usize];
            for page in (0..topology.num_pages()).map(PageId) {
                let owners = (0..count).filter(|&index| PageShare { index, count }.contains(topology, page));
                let owners: Vec<u32> = owners.collect();
                assert_eq!(owners.len(), 1, "{page} of {count} shares: {owners:?}");
                sizes[owners[0] as usize] += 1;
            }
            for index in 0..count {
                let share = PageShare { index, count };
                let listed: Vec<PageId> = share.runs(topology).flat_map(PageRun::pages).collect();
                let all = (0..topology.num_pages()).map(PageId);
                assert_eq!(listed, all.filter(|&page| share.contains(topology, page)).collect::<Vec<_>>());
                assert_eq!(share.num_pages(topology), sizes[index as usize]);
            }
            let (least, most) = (sizes.iter().min().expect("a share"), sizes.iter().max().expect("a share"));
            assert!(most - least <= topology.num_pages() / 8, "{sizes:?}");
        }
    }
}
