//! The imbalance of a page's lists when several lanes share a list: one byte for each page and lane count.
//!
//! If L lanes share a vertex, a warp of 32 lanes processes 32 / L vertices together. The warp continues until the
//! longest list of these vertices is finished. Each step occupies all 32 lanes, and processes L entries of the longest
//! list. The lane-steps of a page divided by its entries are the cost of the page relative to a page with all lanes
//! busy. This factor is between 1 and the larger of 32 and L.

use super::Rvt;
use crate::parallel::*;
use crate::vertex::PageId;
use std::ops::Range;

/// The possible numbers of lanes that share a vertex.
pub const LANES: [u32; 7] = [1, 2, 4, 8, 16, 32, 64];
/// The number of lanes per warp.
const WARP: u32 = 32;
/// Steps per factor of two in the encoding of factors. The largest factor, 64, is encoded as 240.
const FACTOR_STEPS: f64 = 40.0;
/// Steps per factor of two in the encoding of lengths. The largest length is 2^31.
const LENGTH_STEPS: f64 = 8.0;
/// Minimum number of pages per task.
const PAGES_AT_ONCE: usize = 16;

/// The imbalance of each page in a topology.
///
/// Each page has eight bytes. The first seven contain the lane-steps per entry for each number in [`LANES`], encoded as
/// 40 times the binary logarithm. The last byte contains the length of the longest list, encoded as 8 times the binary
/// logarithm. All bytes are 0 for a page without entries. All bytes are also 0 for a large page, because all threads of
/// a block share the page's single list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Imbalance {
    pages: Vec<u64>,
}

impl Imbalance {
    /// Computes the imbalance of all pages. `degrees` contains the list length of each vertex.
    pub(crate) fn of(rvt: &Rvt, degrees: &[u32]) -> Self {
        let of_page = |page: u32| match rvt.lp_range(PageId(page)) {
            0 => {
                let Range { start, end } = rvt.vertices(PageId(page));
                PageImbalance::of(&degrees[start as usize..end as usize]).to_bytes()
            }
            _ => 0,
        };
        let pages = (0..rvt.num_pages()).into_par_iter().with_min_len(PAGES_AT_ONCE);
        Self { pages: pages.map(of_page).collect() }
    }

    /// Creates the table from the words read from a store.
    pub(crate) fn stored(pages: Vec<u64>) -> Self {
        Self { pages }
    }

    /// Returns the words to write to a store, one per page. The lowest byte of a word belongs to the first number of
    /// lanes.
    pub(crate) fn bytes(&self) -> &[u64] {
        &self.pages
    }

    /// Returns the imbalance of a page. If the page does not exist, returns the imbalance of a balanced page.
    pub fn page(&self, page: PageId) -> PageImbalance {
        PageImbalance::from_bytes(self.pages.get(page.0 as usize).copied().unwrap_or(0))
    }
}

/// The imbalance of one page, or of several pages together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PageImbalance {
    /// Lane-steps per entry, for each number of lanes in [`LANES`].
    pub factors: [f64; LANES.len()],
    /// The number of entries in the longest list.
    pub longest: f64,
}

impl PageImbalance {
    /// Computes the imbalance of consecutive lists with the given lengths.
    pub fn of(degrees: &[u32]) -> Self {
        let entries: u64 = degrees.iter().map(|&degree| u64::from(degree)).sum();
        let longest = degrees.iter().copied().max().unwrap_or(0);
        let factors = LANES.map(|lanes| match entries {
            0 => 1.0,
            _ => lane_steps(degrees, lanes) as f64 / entries as f64,
        });
        Self { factors, longest: f64::from(longest) }
    }

    fn to_bytes(self) -> u64 {
        let byte = |value: f64, steps: f64| (value.max(1.0).log2() * steps).round() as u8;
        let mut bytes = [0; 8];
        for (byte_of, factor) in bytes.iter_mut().zip(self.factors) {
            *byte_of = byte(factor, FACTOR_STEPS);
        }
        bytes[LANES.len()] = byte(self.longest, LENGTH_STEPS);
        u64::from_le_bytes(bytes)
    }

    fn from_bytes(bytes: u64) -> Self {
        let bytes = bytes.to_le_bytes();
        let value = |at: usize, steps: f64| (f64::from(bytes[at]) / steps).exp2();
        Self {
            factors: std::array::from_fn(|lanes| value(lanes, FACTOR_STEPS)),
            longest: value(LANES.len(), LENGTH_STEPS),
        }
    }
}

/// Returns the lane-steps of consecutive lists if `lanes` lanes share a vertex.
fn lane_steps(degrees: &[u32], lanes: u32) -> u64 {
    let together = (WARP / lanes).max(1) as usize;
    let busy = u64::from(lanes.max(WARP));
    let steps = |lists: &[u32]| lists.iter().map(|degree| degree.div_ceil(lanes)).max().unwrap_or(0);
    degrees.chunks(together).map(|lists| u64::from(steps(lists)) * busy).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn factor(degrees: &[u32], lanes: u32) -> f64 {
        PageImbalance::of(degrees).factors[LANES.iter().position(|&other| other == lanes).unwrap()]
    }

    #[test]
    fn equal_lists_of_whole_warps_waste_nothing() {
        for lanes in LANES {
            assert_eq!(factor(&[64; 64], lanes), 1.0, "{lanes} lanes");
        }
    }

    #[test]
    fn lane_steps_by_hand() {
        // With one thread per vertex, the warp waits for the list of 100 entries: 3,200 lane-steps for 131 entries.
        let mut degrees = [1; 32];
        degrees[5] = 100;
        assert_eq!(lane_steps(&degrees, 1), 3200);
        assert!((factor(&degrees, 1) - 3200.0 / 131.0).abs() < 1e-12);
        // With four lanes per vertex, a warp has eight vertices. The warp with the long list takes 25 steps, and each
        // other warp takes one.
        assert_eq!(lane_steps(&degrees, 4), 32 * (25 + 3));
        // With one warp per vertex, the long list takes four steps, and each of the other 31 lists takes one. With two
        // warps per vertex, the long list takes two steps of 64 lanes.
        assert_eq!([lane_steps(&degrees, 32), lane_steps(&degrees, 64)], [32 * 35, 64 * 33]);
        assert_eq!(PageImbalance::of(&degrees).longest, 100.0);
    }

    #[test]
    fn pages_without_entries_are_even() {
        assert_eq!(PageImbalance::of(&[0; 40]).to_bytes(), 0);
        assert_eq!(PageImbalance::of(&[]).to_bytes(), 0);
        assert_eq!(Imbalance::default().page(PageId(3)).factors, [1.0; LANES.len()]);
    }

    #[test]
    fn large_pages_have_none() {
        let rvt = Rvt::new(vec![0, 2, 2, 3], vec![0, 2, 1, 0], 4).unwrap();
        let imbalance = Imbalance::of(&rvt, &[1, 3, 900, 5]);
        assert_eq!(imbalance.bytes()[1..3], [0, 0]);
        assert!(imbalance.page(PageId(0)).factors[0] > 1.0 && imbalance.page(PageId(3)).factors[0] > 1.0);
    }

    proptest! {
        #[test]
        fn bytes_keep_factors_and_lengths(degrees in proptest::collection::vec(0u32..5000, 1..200)) {
            let found = PageImbalance::of(&degrees);
            prop_assume!(found.longest > 0.0);
            let kept = PageImbalance::from_bytes(found.to_bytes());
            for (place, (found, kept)) in found.factors.into_iter().zip(kept.factors).enumerate() {
                prop_assert!(found >= 1.0 && found <= f64::from(LANES[place].max(WARP)));
                prop_assert!((kept / found - 1.0).abs() < 0.01, "{} as {}", found, kept);
            }
            prop_assert!((kept.longest / found.longest - 1.0).abs() < 0.05);
        }
    }
}
