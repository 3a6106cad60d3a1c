//! Plans how each page of a pass reaches the kernels: from the cache, by a copy of the whole page, or by reads in
//! place. Planning does not access the device.

use bytemuck::{Pod, Zeroable};
use gts_contract::Side;
use gts_core::cost::holding::ACTIVITY;
use gts_core::graph::{Graph, PageId};
use gts_core::page::{PageRun, Topology};
use gts_core::parallel::*;
use gts_device::PageShare;
use gts_device::options::TransferChoice;

/// The size in bytes of the smallest read over the bus. Reads at the ends of a list waste part of a sector.
const SECTOR: u64 = 32;
/// The size of a slot in bytes.
const SLOT: u64 = 4;

/// The amount of active data in a page, with the layout of `gts_activity`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Activity {
    /// The number of active vertices with a list.
    pub(super) vertices: u32,
    /// The number of entries in these vertices' lists. For a large page, the number includes the list's entries in
    /// other pages.
    pub(super) entries: u32,
    /// The number of runs of consecutive active vertices. Runs may include vertices without a list.
    pub(super) runs: u32,
}

const _: () = assert!(size_of::<Activity>() as u64 == ACTIVITY);

/// The conditions for copying pages or reading them in place.
#[derive(Clone, Copy, Debug)]
pub(super) struct TransferConditions {
    pub(super) choice: TransferChoice,
    /// Whether kernels can read the pages in place.
    pub(super) mapped: bool,
    /// Threshold for copying: a page is copied whole if reads in place would read at least this share of its bytes.
    pub(super) share: f64,
}

/// The pages of a topology in a pass, by the method that delivers them to the kernels. The planner fills each list in
/// ascending order.
#[derive(Debug, Default, PartialEq)]
pub(super) struct DeliveryPlan {
    /// Pages in the cache, with their frames.
    pub(super) cached: Vec<(PageId, u32)>,
    /// Pages that are copied whole.
    pub(super) copied: Vec<PageRun>,
    /// Pages that are read in place.
    pub(super) in_place: Vec<PageId>,
    /// Estimated number of bytes that are read in place.
    pub(super) in_place_bytes: u64,
    /// The total number of pages.
    pub(super) pages: u64,
    /// The number of edges for which the body may run.
    pub(super) edges: u64,
}

impl DeliveryPlan {
    /// Plans a pass over all pages of a share that contain an edge. `edges` contains, per page, the number of edges in
    /// the lists that begin in the page.
    pub(super) fn of_all(
        topology: &Topology,
        edges: &[u64],
        share: &PageShare,
        cached: impl FnMut(PageId) -> Option<u32>,
    ) -> Self {
        let filled = |page: &PageId| edges[page.0 as usize] > 0 || topology.rvt().lp_range(*page) > 0;
        let mut plan = Self::default();
        plan.share_out(share.runs(topology).into_iter().flat_map(PageRun::pages).filter(filled), cached);
        plan.edges = share.num_edges(topology);
        plan
    }

    /// Plans a pass over the active pages of a share. `activity` has one element per page.
    pub(super) fn of_active(
        topology: &Topology,
        activity: &[Activity],
        ways: TransferConditions,
        share: &PageShare,
        cached: impl FnMut(PageId) -> Option<u32>,
    ) -> Self {
        let format = topology.format();
        let entry = (format.width().bytes() + format.value_bytes()) as u64;
        let page_bytes = u64::from(format.page_size());
        let rvt = topology.rvt();
        let mut plan = Self::default();
        let active = |page: &PageId| activity[page.0 as usize].vertices > 0;
        let all_active = || share.runs(topology).into_iter().flat_map(PageRun::pages).filter(active);
        plan.share_out(all_active(), cached);

        let mut whole = Vec::new();
        for page in std::mem::take(&mut plan.copied).into_iter().flat_map(PageRun::pages) {
            let large = rvt.lp_range(page) > 0;
            let read = if large { page_bytes } else { touched(activity[page.0 as usize], entry, rvt.vertices(page)) };
            let in_place = match ways.choice {
                TransferChoice::Copy => false,
                TransferChoice::InPlace => true,
                TransferChoice::Auto => !large && (read as f64) < ways.share * page_bytes as f64,
            };
            if in_place && ways.mapped {
                plan.in_place.push(page);
                plan.in_place_bytes += read.min(page_bytes);
            } else {
                PageRun::push(&mut whole, PageRun { first: page, count: 1 });
            }
        }
        plan.copied = whole;

        let counted = all_active().filter(|page| begins(topology, *page));
        plan.edges = counted.map(|page| u64::from(activity[page.0 as usize].entries)).sum();
        plan
    }

    /// Distributes pages between `cached` and `copied`, and counts the pages.
    fn share_out(&mut self, pages: impl Iterator<Item = PageId>, mut cached: impl FnMut(PageId) -> Option<u32>) {
        self.pages = 0;
        for page in pages {
            self.pages += 1;
            match cached(page) {
                Some(frame) => self.cached.push((page, frame)),
                None => PageRun::push(&mut self.copied, PageRun { first: page, count: 1 }),
            }
        }
    }
}

/// Splits up to three shorter launches off the end of the runs: a half, a quarter and a quarter of a full launch. The
/// kernels after the last copy then have little work left.
pub(super) fn tapered(runs: &[PageRun], most: u32) -> Vec<Vec<PageRun>> {
    let mut whole = runs.to_vec();
    let mut batches = Vec::new();
    for pages in [most / 4, most / 4, most / 2] {
        let Some(last) = whole.last_mut().filter(|last| pages > 0 && last.count > pages) else { break };
        last.count -= pages;
        batches.push(vec![PageRun { first: PageId(last.first.0 + last.count), count: pages }]);
    }
    batches.push(whole);
    batches.reverse();
    batches
}

/// Returns whether lists begin in a page. The list of a large vertex begins only in the vertex's first page.
fn begins(topology: &Topology, page: PageId) -> bool {
    let (rvt, number) = (topology.rvt(), page.0 as usize);
    rvt.lp_range(page) == 0 || number == 0 || rvt.start_vids()[number - 1] != rvt.start_vids()[number]
}

/// Returns, per page of a topology, the number of edges in the lists that begin in the page. The result is empty if the
/// graph does not have the topology.
pub(super) fn page_edges(graph: &Graph, side: Side) -> Vec<u64> {
    let Some(topology) = graph.topology(side) else { return Vec::new() };
    let degrees = match side {
        Side::Out => graph.out_degrees(),
        Side::In => graph.in_degrees(),
    };
    let of_page = |page: PageId| {
        let vertices = topology.rvt().vertices(page);
        let own = &degrees[vertices.start as usize..vertices.end as usize];
        if begins(topology, page) { own.iter().map(|&degree| u64::from(degree)).sum() } else { 0 }
    };
    (0..topology.num_pages()).into_par_iter().map(PageId).map(of_page).collect()
}

/// Returns the number of bytes that cross the bus if the active lists of a small page are read in place: the lists, and
/// the slots that locate them. In a run of vertices, the lists are contiguous, and so are the slots. Therefore each run
/// wastes one sector at the ends of its lists, and one sector at the ends of its slots.
fn touched(activity: Activity, entry: u64, vertices: std::ops::Range<u64>) -> u64 {
    let active = u64::from(activity.vertices);
    // Runs in which no vertex has a list are not read.
    let ends = SECTOR * active.min(activity.runs.into());
    let slots = (SLOT * active + ends).min(SLOT * (vertices.end - vertices.start) + SECTOR);
    u64::from(activity.entries) * entry + ends + slots
}

#[cfg(test)]
mod tests {
    use super::*;
    use gts_core::build::DeclaredVertices;
    use gts_device::PageShares;
    use proptest::prelude::*;

    /// Returns a graph with a hub whose list spans several pages, and with small pages before and after the hub's
    /// pages.
    fn graph() -> Graph {
        let hub = (0..500u64).map(|target| (40, target));
        let others = (0..500u64).flat_map(|src| (0..4).map(move |step| (src, (src * 7 + step) % 500)));
        let edges = hub.chain(others.filter(|edge| edge.0 != 40));
        Graph::builder().edges(edges).page_size(512).build().unwrap()
    }

    const AUTO: TransferConditions = TransferConditions { choice: TransferChoice::Auto, mapped: true, share: 0.5 };

    #[test]
    fn a_scan_copies_what_is_not_cached_in_one_run() {
        let graph = graph();
        let topology = graph.topology(Side::Out).unwrap();
        let plan = DeliveryPlan::of_all(topology, &page_edges(&graph, Side::Out), &PageShare::WHOLE, |page| {
            (page.0 < 3).then_some(page.0)
        });
        assert_eq!(plan.cached, [(PageId(0), 0), (PageId(1), 1), (PageId(2), 2)]);
        assert_eq!(plan.copied, [PageRun::of(3..topology.num_pages())]);
        assert_eq!((plan.pages, plan.edges), (topology.num_pages().into(), topology.num_edges()));
    }

    #[test]
    fn the_last_launches_become_shorter() {
        let batches = tapered(&[PageRun::of(0..20), PageRun::of(30..90)], 16);
        let expected = [
            vec![PageRun::of(0..20), PageRun::of(30..74)],
            vec![PageRun::of(74..82)],
            vec![PageRun::of(82..86)],
            vec![PageRun::of(86..90)],
        ];
        assert_eq!(batches, expected);
        // At least one page stays in the last run, and a launch of one page is not split.
        assert_eq!(tapered(&[PageRun::of(3..9)], 16), [vec![PageRun::of(3..5)], vec![PageRun::of(5..9)]]);
        assert_eq!(tapered(&[PageRun::of(3..9)], 1), [vec![PageRun::of(3..9)]]);
    }

    #[test]
    fn pages_of_few_active_entries_are_read_in_place_and_large_ones_copied() {
        let graph = graph();
        let topology = graph.topology(Side::Out).unwrap();
        let activity: Vec<Activity> = (0..topology.num_pages())
            .map(PageId)
            .map(|page| match topology.rvt().lp_range(page) {
                0 if page.0 % 3 == 0 => Activity { vertices: 1, entries: 4, runs: 1 },
                0 if page.0 % 3 == 1 => Activity { vertices: 25, entries: 100, runs: 25 },
                0 => Activity::default(),
                _ => Activity { vertices: 1, entries: 500, runs: 1 },
            })
            .collect();
        let plan = DeliveryPlan::of_active(topology, &activity, AUTO, &PageShare::WHOLE, |_| None);
        let small = |rest: u32| topology.small_pages().iter().copied().filter(move |page| page.0 % 3 == rest);
        assert_eq!(plan.in_place, small(0).collect::<Vec<_>>());
        let copied: Vec<PageId> = plan.copied.iter().flat_map(|run| run.pages()).collect();
        let mut expected: Vec<PageId> = small(1).chain(topology.large_pages().iter().copied()).collect();
        expected.sort_unstable();
        assert_eq!(copied, expected);
        assert!(topology.large_pages().len() > 1);
        let counts = [small(0).count() as u64, small(1).count() as u64];
        assert_eq!(plan.edges, 4 * counts[0] + 100 * counts[1] + 500);
        let unmapped = TransferConditions { mapped: false, ..AUTO };
        let unmapped = DeliveryPlan::of_active(topology, &activity, unmapped, &PageShare::WHOLE, |_| None);
        assert_eq!((unmapped.in_place.len(), unmapped.pages), (0, plan.pages));
    }

    #[test]
    fn vertices_in_a_row_share_the_ends_of_what_is_read() {
        let of = |vertices, entries, runs| touched(Activity { vertices, entries, runs }, 4, 0..1000);
        // A list of 16 bytes, its slot, and a wasted sector for each.
        assert_eq!(of(1, 4, 1), 16 + 4 + 64);
        // A hundred isolated vertices, then a hundred consecutive vertices.
        assert_eq!(of(100, 400, 100), 1600 + 3200 + 3600);
        assert_eq!(of(100, 400, 1), 1600 + 32 + 400 + 32);
        // If all vertices of a page are active, little more than the page is read.
        assert_eq!(of(1000, 4000, 1), 16_000 + 32 + 4000 + 32);
        // The estimate for slots is limited to the size of all slots plus one sector. Vertices without a list cost
        // nothing.
        assert_eq!(of(900, 3600, 450), 14_400 + 14_400 + 4032);
        assert_eq!(of(0, 0, 7), 0);
        for runs in 1..100 {
            assert!(of(100, 400, runs) < of(100, 400, runs + 1) && of(100, 400, runs) <= of(101, 400, runs));
        }
    }

    #[test]
    fn pages_whose_active_vertices_stand_in_a_row_are_read_in_place_sooner() {
        let graph = graph();
        let topology = graph.topology(Side::Out).unwrap();
        let number = topology.num_pages() as usize;
        let plan = |runs| {
            let activity = vec![Activity { vertices: 8, entries: 32, runs }; number];
            DeliveryPlan::of_active(topology, &activity, AUTO, &PageShare::WHOLE, |_| None)
        };
        let (row, apart) = (plan(1), plan(8));
        assert_eq!(row.in_place, topology.small_pages());
        assert!(apart.in_place.is_empty());
        assert!(row.in_place_bytes < 256 * row.in_place.len() as u64);
        assert_eq!((row.edges, row.pages), (apart.edges, apart.pages));
    }

    #[test]
    fn a_scan_leaves_pages_without_an_edge_out() {
        let vertices = DeclaredVertices::List((0..5000).collect::<Vec<_>>().into());
        let edges = (0..100).map(|src| (src, 4999));
        let graph = Graph::builder().edges(edges).vertices(vertices).page_size(256).build().unwrap();
        let topology = graph.topology(Side::Out).unwrap();
        let plan = DeliveryPlan::of_all(topology, &page_edges(&graph, Side::Out), &PageShare::WHOLE, |_| None);
        assert_eq!(plan.edges, 100);
        assert!(plan.pages < u64::from(topology.num_pages()) / 2, "{} of {}", plan.pages, topology.num_pages());
    }

    #[test]
    fn shares_have_every_page_and_edge_once() {
        let graph = graph();
        let topology = graph.topology(Side::Out).unwrap();
        let activity: Vec<Activity> =
            topology.rvt().lp_ranges().iter().map(|_| Activity { vertices: 1, entries: 3, runs: 1 }).collect();
        let edges = page_edges(&graph, Side::Out);
        for count in 1..4 {
            let shares = || PageShares::even(&graph, count).each();
            let all: Vec<DeliveryPlan> =
                shares().map(|share| DeliveryPlan::of_all(topology, &edges, &share, |_| None)).collect();
            assert_eq!(all.iter().map(|plan| plan.pages).sum::<u64>(), u64::from(topology.num_pages()));
            assert_eq!(all.iter().map(|plan| plan.edges).sum::<u64>(), topology.num_edges());
            let active: Vec<DeliveryPlan> =
                shares().map(|share| DeliveryPlan::of_active(topology, &activity, AUTO, &share, |_| None)).collect();
            assert_eq!(active.iter().map(|plan| plan.pages).sum::<u64>(), u64::from(topology.num_pages()));
            let lists = topology.small_pages().len() as u64 + 1;
            assert_eq!(active.iter().map(|plan| plan.edges).sum::<u64>(), 3 * lists);
        }
    }

    proptest! {
        #[test]
        fn every_active_page_comes_exactly_once(
            seeds in proptest::collection::vec((0u32..40, 0u32..5, any::<bool>()), 600),
            choice in 0usize..3,
            mapped: bool,
        ) {
            let graph = graph();
            let topology = graph.topology(Side::Out).unwrap();
            let pages = topology.num_pages() as usize;
            prop_assert!(pages <= seeds.len());
            let activity: Vec<Activity> = seeds[..pages]
                .iter()
                .map(|&(vertices, degree, _)| Activity { vertices, entries: vertices * degree, runs: vertices.div_ceil(3) })
                .collect();
            let choice = [TransferChoice::Auto, TransferChoice::Copy, TransferChoice::InPlace][choice];
            let cached = |page: PageId| seeds[page.0 as usize].2.then_some(page.0);
            let ways = TransferConditions { choice, mapped, ..AUTO };
            let plan = DeliveryPlan::of_active(topology, &activity, ways, &PageShare::WHOLE, cached);
            let mut found: Vec<PageId> = plan.cached.iter().map(|&(page, _)| page).collect();
            found.extend(plan.copied.iter().flat_map(|run| run.pages()));
            found.extend(&plan.in_place);
            found.sort_unstable();
            let active = (0..).map(PageId).zip(&activity).filter(|(_, activity)| activity.vertices > 0);
            prop_assert_eq!(found.len() as u64, plan.pages);
            prop_assert_eq!(found, active.map(|(page, _)| page).collect::<Vec<_>>());
            prop_assert!(plan.cached.iter().all(|&(page, _)| seeds[page.0 as usize].2));
            let allowed = mapped && choice != TransferChoice::Copy;
            prop_assert!(allowed || plan.in_place.is_empty());
        }
    }
}
