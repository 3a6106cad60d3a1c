//! The RVT, which maps pages to vertices.

use crate::advice::{Advice, Explain};
use crate::vertex::{PageId, Vertex};
use gts_contract::language::Code;
use std::ops::Range;
use thiserror::Error;

/// The paper's RVT. For each page, it contains the first vertex (START_VID) and the LP_RANGE: the number of remaining
/// pages of a large vertex, including the page itself, or 0 for a small page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rvt {
    start_vids: Vec<u64>,
    lp_ranges: Vec<u32>,
    num_vertices: u64,
    small: Vec<PageId>,
    large: Vec<PageId>,
    begun: Vec<Begun>,
}

/// The vertices whose lists begin in a page. In a small page, these are all vertices. In a large page, this is the
/// page's vertex if the page is the first of its run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Begun {
    /// The first vertex of the page.
    pub(crate) first: u32,
    /// The number of vertices whose lists begin in the page; 0 in a later page of a large vertex.
    pub(crate) count: u32,
}

/// The reason why a table does not describe a sequence of pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RvtError {
    /// The two columns differ in length, or have more entries than page numbers can count.
    #[error("{start_vids} first vertices stand beside {lp_ranges} large-page ranges")]
    Length {
        /// The number of entries in START_VID.
        start_vids: usize,
        /// The number of entries in LP_RANGE.
        lp_ranges: usize,
    },
    /// A page's first vertex does not follow the previous page's vertices.
    #[error("entry {page}: first vertex {found}, expected {expected}")]
    Start {
        /// The number of the page.
        page: usize,
        /// The page's first vertex in the table.
        found: u64,
        /// The first vertex that follows from the previous pages.
        expected: Expected,
    },
    /// The remaining lengths in a run of large pages do not count down to 1.
    #[error("entry {page}: {found} pages left of a large vertex, expected {expected}")]
    Run {
        /// The number of the page.
        page: usize,
        /// The page's remaining length in the table.
        found: u32,
        /// The remaining length that follows from the previous page.
        expected: u32,
    },
}

impl Explain for RvtError {
    fn code(&self) -> Code {
        match self {
            Self::Length { .. } | Self::Start { .. } | Self::Run { .. } => Code::DamagedTable,
        }
    }

    fn advice(&self) -> Option<Advice> {
        None
    }
}

/// The valid values of a first vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// Exactly this vertex.
    Exactly(u64),
    /// A vertex in this range; the upper bound is exclusive.
    Within(u64, u64),
}

impl std::fmt::Display for Expected {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Exactly(vertex) => write!(f, "{vertex}"),
            Self::Within(low, high) => write!(f, "one from {low} to below {high}"),
        }
    }
}

impl Rvt {
    /// Creates a table from its columns. Fails unless the pages contain all vertices below `num_vertices` in ascending
    /// order, each in one small page or in one run of large pages.
    pub fn new(start_vids: Vec<u64>, lp_ranges: Vec<u32>, num_vertices: u64) -> Result<Self, RvtError> {
        if start_vids.len() != lp_ranges.len() || u32::try_from(start_vids.len()).is_err() {
            return Err(RvtError::Length { start_vids: start_vids.len(), lp_ranges: lp_ranges.len() });
        }
        check_sequence(&start_vids, &lp_ranges, num_vertices)?;
        let ids = || (0..).map(PageId).zip(&lp_ranges);
        let small = ids().filter(|&(_, &range)| range == 0).map(|(page, _)| page).collect();
        let large = ids().filter(|&(_, &range)| range != 0).map(|(page, _)| page).collect();
        let begun = begun(&start_vids, &lp_ranges, num_vertices);
        Ok(Self { start_vids, lp_ranges, num_vertices, small, large, begun })
    }

    /// Returns the number of pages.
    pub fn num_pages(&self) -> u32 {
        self.start_vids.len() as u32
    }

    /// Returns the number of vertices that the pages cover.
    pub fn num_vertices(&self) -> u64 {
        self.num_vertices
    }

    /// Returns the first vertex of each page.
    pub fn start_vids(&self) -> &[u64] {
        &self.start_vids
    }

    /// Returns the number of remaining pages of each page's large vertex, including the page itself; 0 for a small
    /// page.
    pub fn lp_ranges(&self) -> &[u32] {
        &self.lp_ranges
    }

    /// Returns the vertices whose lists begin in each page. The result is empty if vertex numbers exceed 32 bits.
    pub(crate) fn begun(&self) -> &[Begun] {
        &self.begun
    }

    /// Returns the first vertex of a page.
    ///
    /// # Panics
    /// Panics if the page does not exist.
    pub fn start_vid(&self, page: PageId) -> u64 {
        self.start_vids[page.0 as usize]
    }

    /// Returns the number of remaining pages of the page's large vertex, including the page itself; 0 for a small page.
    ///
    /// # Panics
    /// Panics if the page does not exist.
    pub fn lp_range(&self, page: PageId) -> u32 {
        self.lp_ranges[page.0 as usize]
    }

    /// Returns the dense numbers of a page's vertices.
    ///
    /// # Panics
    /// Panics if the page does not exist.
    pub fn vertices(&self, page: PageId) -> Range<u64> {
        let start = self.start_vid(page);
        if self.lp_range(page) > 0 {
            return start..start + 1;
        }
        start..self.start_vids.get(page.0 as usize + 1).copied().unwrap_or(self.num_vertices)
    }

    /// Returns the small pages in ascending order.
    pub fn small_pages(&self) -> &[PageId] {
        &self.small
    }

    /// Returns the large pages in ascending order. The pages of one vertex are consecutive.
    pub fn large_pages(&self) -> &[PageId] {
        &self.large
    }

    /// Returns the page where a vertex's list begins; `None` if the vertex does not exist.
    pub fn first_page_of(&self, vertex: Vertex) -> Option<PageId> {
        let number = vertex.dense();
        if number >= self.num_vertices {
            return None;
        }
        let after = self.start_vids.partition_point(|&start| start <= number);
        let page = match self.lp_ranges.get(after.wrapping_sub(1)) {
            Some(0) | None => after.wrapping_sub(1),
            Some(_) => self.start_vids.partition_point(|&start| start < number),
        };
        Some(PageId(page as u32))
    }

    /// Iterates over the pages of a vertex's list: one small page, or a run of large pages. Yields no pages if the
    /// vertex does not exist.
    pub fn pages_of(&self, vertex: Vertex) -> impl ExactSizeIterator<Item = PageId> + use<> {
        let first = self.first_page_of(vertex);
        let count = first.map_or(0, |page| self.lp_range(page).max(1));
        let start = first.map_or(0, |page| page.0);
        (start..start + count).map(PageId)
    }
}

/// Computes the vertices whose lists begin in each page, from verified columns.
fn begun(start_vids: &[u64], lp_ranges: &[u32], num_vertices: u64) -> Vec<Begun> {
    if u32::try_from(num_vertices).is_err() {
        return Vec::new();
    }
    let after = start_vids.iter().skip(1).chain([&num_vertices]);
    let mut before = None;
    let pages = start_vids.iter().zip(after).zip(lp_ranges);
    pages
        .map(|((&start, &after), &range)| {
            let is_first = before.replace(start) != Some(start);
            let count = if range == 0 { after - start } else { u64::from(is_first) };
            Begun { first: start as u32, count: count as u32 }
        })
        .collect()
}

/// Checks that the pages cover the vertices in order.
fn check_sequence(start_vids: &[u64], lp_ranges: &[u32], num_vertices: u64) -> Result<(), RvtError> {
    // The valid first vertices of the next page, and the remaining length of the current run.
    let (mut low, mut high) = (0, 0);
    let mut left = 0;
    for (page, (&start, &range)) in start_vids.iter().zip(lp_ranges).enumerate() {
        if left > 1 && range != left - 1 {
            return Err(RvtError::Run { page, found: range, expected: left - 1 });
        }
        if start < low || start > high || start >= num_vertices {
            return Err(RvtError::Start { page, found: start, expected: expected(low, high, num_vertices) });
        }
        left = range;
        (low, high) = match range {
            0 => (start + 1, num_vertices),
            1 => (start + 1, start + 1),
            _ => (start, start),
        };
    }
    let page = start_vids.len();
    if left > 1 {
        return Err(RvtError::Run { page, found: 0, expected: left - 1 });
    }
    if num_vertices < low || num_vertices > high {
        return Err(RvtError::Start { page, found: num_vertices, expected: expected(low, high, num_vertices) });
    }
    Ok(())
}

fn expected(low: u64, high: u64, num_vertices: u64) -> Expected {
    if low == high { Expected::Exactly(low) } else { Expected::Within(low, num_vertices) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_and_vertices_find_each_other() {
        // The pages contain vertices 0..2 (small), vertex 2 (three large pages), vertices 3..5 (small) and vertex 5
        // (one large page).
        let rvt = Rvt::new(vec![0, 2, 2, 2, 3, 5], vec![0, 3, 2, 1, 0, 1], 6).unwrap();
        assert_eq!(
            (0..6).map(|page| rvt.vertices(PageId(page))).collect::<Vec<_>>(),
            [0..2, 2..3, 2..3, 2..3, 3..5, 5..6]
        );
        let first = |vertex| rvt.first_page_of(Vertex::from_dense(vertex)).map(|page| page.0);
        assert_eq!((0..7).map(first).collect::<Vec<_>>(), [Some(0), Some(0), Some(1), Some(4), Some(4), Some(5), None]);
        assert_eq!(rvt.pages_of(Vertex::from_dense(2)).collect::<Vec<_>>(), [PageId(1), PageId(2), PageId(3)]);
        assert_eq!(rvt.pages_of(Vertex::from_dense(6)).len(), 0);
        let begun: Vec<_> = rvt.begun().iter().map(|page| (page.first, page.count)).collect();
        assert_eq!(begun, [(0, 2), (2, 1), (2, 0), (2, 0), (3, 2), (5, 1)]);
        assert_eq!(rvt.small_pages(), [PageId(0), PageId(4)]);
        assert_eq!(rvt.large_pages(), [PageId(1), PageId(2), PageId(3), PageId(5)]);
    }

    #[test]
    fn tables_that_describe_no_pages_are_refused() {
        let refused = |starts: &[u64], ranges: &[u32], vertices| {
            Rvt::new(starts.to_vec(), ranges.to_vec(), vertices).expect_err("no page table")
        };
        assert!(matches!(refused(&[0], &[], 1), RvtError::Length { .. }));
        assert!(matches!(refused(&[], &[], 1), RvtError::Start { .. }));
        assert!(matches!(refused(&[0], &[0], 0), RvtError::Start { .. }));
        assert!(matches!(refused(&[1], &[0], 2), RvtError::Start { .. }));
        assert!(matches!(refused(&[0, 0], &[0, 0], 2), RvtError::Start { .. }));
        assert!(matches!(refused(&[0, 2], &[1, 0], 3), RvtError::Start { .. }));
        assert!(matches!(refused(&[0, 1], &[2, 1], 2), RvtError::Start { .. }));
        assert!(matches!(refused(&[0, 0], &[2, 2], 1), RvtError::Run { .. }));
        assert!(matches!(refused(&[0], &[2], 1), RvtError::Run { .. }));
        assert!(matches!(refused(&[0], &[1], 2), RvtError::Start { .. }));
        assert!(matches!(refused(&[0, u64::MAX], &[0, 0], u64::MAX), RvtError::Start { .. }));
        assert!(Rvt::new(vec![], vec![], 0).is_ok());
    }
}
