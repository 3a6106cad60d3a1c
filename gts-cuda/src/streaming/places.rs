//! The memory locations of a launch's pages, and the references through which kernels locate the pages.

use crate::pages::{PAGE_REF, PageList, PageLists};
use gts_core::graph::PageId;
use gts_core::page::{PageRun, Topology};

/// Consecutive pages that are contiguous in the pool's memory, and the offset in bytes of the first page.
pub(super) type ContiguousPages = (PageRun, usize);

/// Appends pages to pieces. Extends the last piece if the new pages follow that piece in both page number and memory;
/// otherwise, adds a piece.
pub(super) fn extend(pieces: &mut Vec<ContiguousPages>, run: PageRun, offset: usize, page_bytes: usize) {
    if let Some((last, at)) = pieces.last_mut() {
        let follows = last.first.0.checked_add(last.count) == Some(run.first.0);
        if follows && *at + last.count as usize * page_bytes == offset {
            last.count += run.count;
            return;
        }
    }
    pieces.push((run, offset));
}

/// Returns the pages of all pieces with their addresses. The pool's memory begins at `base`.
pub(super) fn placed(pieces: &[ContiguousPages], base: u64, page_bytes: usize) -> Vec<(PageId, u64)> {
    let address = |offset: usize, index: usize| base + (offset + index * page_bytes) as u64;
    let of_piece = |&(run, offset): &ContiguousPages| {
        run.pages().enumerate().map(move |(index, page)| (page, address(offset, index)))
    };
    pieces.iter().flat_map(of_piece).collect()
}

/// References to pages at arbitrary addresses: all small pages, then all large pages.
#[derive(Debug, PartialEq)]
pub(super) struct References {
    pub(super) all: Vec<u64>,
    small: u64,
}

impl References {
    /// Creates references to pages at the given addresses.
    pub(super) fn new(topology: &Topology, pages: &[(PageId, u64)]) -> Self {
        let of_kind = |large: bool| {
            let is = move |page: &&(PageId, u64)| (topology.rvt().lp_range(page.0) > 0) == large;
            pages.iter().filter(is).flat_map(|&(page, address)| [address, page.0.into()])
        };
        let mut all: Vec<u64> = of_kind(false).collect();
        let small = all.len() as u64 / 2;
        all.extend(of_kind(true));
        Self { all, small }
    }

    /// Returns the lists of pages. `address` is the address of the references in device memory. The base is 0, so the
    /// offset of a page is its address.
    pub(super) fn lists(&self, address: u64) -> PageLists {
        let large = self.all.len() as u64 / 2 - self.small;
        PageLists {
            base: 0,
            small: PageList { references: address, count: self.small },
            large: PageList { references: address + PAGE_REF as u64 * self.small, count: large },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gts_contract::Side;
    use gts_core::graph::Graph;

    #[test]
    fn pages_join_where_number_and_place_follow() {
        let mut pieces = Vec::new();
        for (page, offset) in [(3, 0), (4, 100), (5, 300), (7, 400), (8, 500)] {
            extend(&mut pieces, PageRun { first: PageId(page), count: 1 }, offset, 100);
        }
        assert_eq!(pieces, [(PageRun::of(3..5), 0), (PageRun::of(5..6), 300), (PageRun::of(7..9), 400)]);
        let placed = placed(&pieces, 1000, 100);
        assert_eq!(placed[..3], [(PageId(3), 1000), (PageId(4), 1100), (PageId(5), 1300)]);
    }

    #[test]
    fn references_to_small_pages_come_first() {
        let edges = (0..300u64).map(|target| (0, target)).chain((0..300).map(|src| (src, 0)));
        let graph = Graph::builder().edges(edges).page_size(256).build().unwrap();
        let topology = graph.topology(Side::Out).unwrap();
        let (small, large) = (topology.small_pages()[0], topology.large_pages()[0]);
        let references = References::new(topology, &[(large, 64), (small, 32)]);
        assert_eq!(references.all, [32, small.0.into(), 64, large.0.into()]);
        let lists = references.lists(4096);
        assert_eq!(lists.small, PageList { references: 4096, count: 1 });
        assert_eq!(lists.large, PageList { references: 4112, count: 1 });
    }
}
