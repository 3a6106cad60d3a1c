//! The distribution of pages among devices that share the work.

use crate::kernel::random;
use gts_contract::Side;
use gts_core::graph::{Graph, PageId};
use gts_core::page::{PageRun, Topology};
use gts_core::parallel::*;
use gts_core::store::{StoreError, StoreProgress};
use std::borrow::Cow;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::sync::atomic::{
    AtomicBool,
    Ordering::{Acquire, Release},
};
use std::sync::{Arc, Mutex, PoisonError};

/// Maximum size in bytes of a group of consecutive pages, and the size of one copy to a device.
const GROUP: u32 = 16 << 20;

/// Minimum number of groups per device into which the remaining pages are divided, unless a group would be shorter than
/// a page. Many groups even out unequal work. Because fewer pages remain, groups become shorter towards the end of the
/// topology.
const GROUPS_A_DEVICE: u32 = 8;

/// The rule that assigns groups of pages to shares. Two of the rules select groups for the last share by the number of
/// edges per vertex, because the last share may belong to a different kind of device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Placement {
    /// Assigns the groups in page order, so that each share has pages from all parts of the topology.
    #[default]
    Even,
    /// Assigns the groups in random order, as TOTEM distributes vertices (section 4 of the TOTEM paper). The order is
    /// the same in every run.
    Random,
    /// Assigns the groups with the most edges per vertex to the last share.
    High,
    /// Assigns the groups with the fewest edges per vertex to the last share.
    Low,
}

/// The distribution of a graph's pages. Each share consists of groups of consecutive pages. A share's number of edges
/// is proportional to its weight. This assignment corresponds to the hash h(j) in section 4.1 of the GTS paper, but
/// assigns groups instead of pages, so that copies remain long. No group ends within a vertex's list.
pub struct PageShares {
    weights: Vec<u32>,
    placement: Placement,
    /// The shares of each distinct topology.
    cuts: Vec<Cut>,
    /// Keeps the graph alive, because the addresses of its topologies serve as keys.
    _graph: Graph,
}

/// The shares of a topology.
struct Cut {
    /// The topology's address.
    topology: usize,
    /// The index of the share that contains each page.
    owners: Vec<u8>,
    /// Maximum number of pages in a group, unless a single list is longer.
    group: u32,
    /// The number of edges in each share's pages.
    edges: Vec<u64>,
    /// The pages of each share, in ascending order.
    runs: Vec<Vec<PageRun>>,
    /// Whether each share's pages are in memory. Loaded pages stay in memory.
    in_memory: Vec<AtomicBool>,
}

/// Consecutive pages that belong to one share.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ShareGroup {
    pages: Range<u32>,
    edges: u64,
    vertices: u64,
}

impl PageShares {
    /// Maximum number of shares of a graph.
    pub const MOST: usize = 1 << 8;

    /// Divides the pages of a graph evenly into `shares` shares.
    pub fn even(graph: &Graph, shares: usize) -> Arc<Self> {
        Self::weighted(graph, &vec![1; shares], Placement::Even)
    }

    /// Distributes the pages of a graph by weights. A share of weight 0 gets no pages. Weights after the first
    /// [`PageShares::MOST`] are ignored. If `weights` is empty, there is a single share.
    pub fn weighted(graph: &Graph, weights: &[u32], placement: Placement) -> Arc<Self> {
        let weights = if weights.is_empty() { vec![1] } else { weights[..weights.len().min(Self::MOST)].to_vec() };
        let mut cuts: Vec<Cut> = Vec::new();
        for (side, degrees) in [(Side::Out, graph.out_degrees()), (Side::In, graph.in_degrees())] {
            if let Some(topology) = graph.topology(side)
                && cuts.iter().all(|cut| cut.topology != identity(topology))
            {
                cuts.push(Cut::new(topology, degrees, &weights, placement));
            }
        }
        Arc::new(Self { weights, placement, cuts, _graph: graph.clone() })
    }

    /// Returns the shares in order.
    pub fn each(self: &Arc<Self>) -> impl Iterator<Item = PageShare> + use<> {
        self.groups_of(1)
    }

    /// Combines each `number` consecutive shares into one share, and returns the results in order. If each rank has
    /// `number` devices, each result is one rank's share.
    pub fn groups_of(self: &Arc<Self>, number: usize) -> impl Iterator<Item = PageShare> + use<> {
        let shares = Arc::clone(self);
        let (all, number) = (self.weights.len() as u32, number.max(1) as u32);
        (0..all)
            .step_by(number as usize)
            .map(move |first| PageShare { indices: first..all.min(first + number), shares: Some(Arc::clone(&shares)) })
    }

    fn cut(&self, topology: &Topology) -> Option<&Cut> {
        self.cuts.iter().find(|cut| cut.topology == identity(topology))
    }
}

impl fmt::Debug for PageShares {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PageShares").field("weights", &self.weights).field("placement", &self.placement).finish()
    }
}

impl Cut {
    fn new(topology: &Topology, degrees: &[u32], weights: &[u32], placement: Placement) -> Self {
        let pages = topology.num_pages();
        let most = (GROUP / topology.format().page_size()).max(1);
        let devices = weights.iter().filter(|&&weight| weight > 0).count().max(1) as u32;
        let at_most = |left: u32| (left / devices / GROUPS_A_DEVICE).clamp(1, most);
        let groups = groups(topology, degrees, at_most);
        let mut owners = vec![0; pages as usize];
        let mut edges = vec![0; weights.len()];
        for (group, owner) in groups.iter().zip(deal(&groups, weights, placement)) {
            owners[group.pages.start as usize..group.pages.end as usize].fill(owner as u8);
            edges[owner] += group.edges;
        }
        let of_share = |share: usize| {
            let pages = (0..).zip(&owners).filter(|&(_, &owner)| usize::from(owner) == share);
            PageRun::join(pages.map(|(page, _)| PageId(page)))
        };
        let runs = (0..weights.len()).into_par_iter().map(of_share).collect();
        let in_memory = weights.iter().map(|_| AtomicBool::new(false)).collect();
        Self { topology: identity(topology), owners, group: at_most(pages), edges, runs, in_memory }
    }
}

/// Returns a number that identifies a topology while the topology's graph exists.
pub fn identity(topology: &Topology) -> usize {
    std::ptr::from_ref(topology).addr()
}

/// Returns the distinct topologies of a graph.
pub fn topologies(graph: &Graph) -> impl Iterator<Item = &Topology> {
    let out = graph.out_topology();
    let incoming = graph.topology(Side::In).filter(|&incoming| !std::ptr::eq(incoming, out));
    [Some(out), incoming].into_iter().flatten()
}

/// Returns whether two graphs are clones of the same graph.
pub fn is_same(one: &Graph, other: &Graph) -> bool {
    identity(one.out_topology()) == identity(other.out_topology())
}

/// Divides a topology's pages into groups. `at_most` receives the number of remaining pages, and returns the maximum
/// number of pages in the next group. A group exceeds the maximum only if it consists of a single longer list.
fn groups(topology: &Topology, degrees: &[u32], at_most: impl Fn(u32) -> u32) -> Vec<ShareGroup> {
    let (rvt, pages) = (topology.rvt(), topology.num_pages());
    let starts = rvt.start_vids();
    // The pages of a large vertex are consecutive, and this vertex is the first vertex of each of them.
    let continues = |page: u32| {
        page < pages && rvt.lp_range(PageId(page)) > 0 && starts[page as usize] == starts[page as usize - 1]
    };
    let first_edges = topology.first_edges(degrees);
    let first_edge = |page: u32| first_edges.get(page as usize).copied().unwrap_or(topology.num_edges());
    let first_vertex = |page: u32| starts.get(page as usize).copied().unwrap_or(topology.num_vertices());
    let mut groups = Vec::new();
    let mut start = 0;
    while start < pages {
        let mut end = start + at_most(pages - start);
        // If the last list continues beyond the group, the group ends before this list. If the group contains only this
        // list, the group is extended to the end of the list.
        let mut list = end;
        while list > start && continues(list) {
            list -= 1;
        }
        if list > start {
            end = list;
        }
        while continues(end) {
            end += 1;
        }
        groups.push(ShareGroup {
            pages: start..end,
            edges: first_edge(end).saturating_sub(first_edge(start)),
            vertices: first_vertex(end).saturating_sub(first_vertex(start)).max(1),
        });
        start = end;
    }
    groups
}

/// Assigns the groups to shares, and returns the index of each group's share.
fn deal(groups: &[ShareGroup], weights: &[u32], placement: Placement) -> Vec<usize> {
    let mut owners: Vec<Option<usize>> = vec![None; groups.len()];
    let last = weights.len().saturating_sub(1);
    let mut order: Vec<usize> = (0..groups.len()).collect();
    let density = |group: &ShareGroup| group.edges as f64 / group.vertices as f64;
    let by_density = |a: &usize, b: &usize| density(&groups[*a]).total_cmp(&density(&groups[*b])).then(a.cmp(b));
    match placement {
        Placement::Even => {}
        Placement::Random => order.par_sort_by_key(|&group| (random::bits(0, [group as u64, 0], 0), group)),
        Placement::High => order.par_sort_by(|a, b| by_density(b, a)),
        Placement::Low => order.par_sort_by(by_density),
    }
    let mut dealing = weights.to_vec();
    if matches!(placement, Placement::High | Placement::Low) && weights.iter().any(|&weight| weight > 0) {
        let all: u128 = groups.iter().map(|group| u128::from(group.edges)).sum();
        let total: u128 = weights.iter().map(|&weight| u128::from(weight)).sum();
        let wanted = all * u128::from(weights[last]) / total;
        let mut taken = 0;
        for &group in &order {
            let edges = u128::from(groups[group].edges);
            // Round to the nearest number: the last group may exceed the target by half of the group's edges.
            if weights[last] > 0 && taken + edges / 2 <= wanted && (taken < wanted || edges == 0) {
                taken += edges;
                owners[group] = Some(last);
            }
        }
        // If only the last share has a positive weight, it also gets all remaining groups.
        if weights[..last].iter().any(|&weight| weight > 0) {
            dealing[last] = 0;
        }
        order.sort_unstable();
    }
    let mut dealt = DealtWork::new(groups, &dealing);
    for group in order {
        if owners[group].is_none() {
            owners[group] = Some(dealt.give(&groups[group]));
        }
    }
    owners.into_iter().map(|owner| owner.unwrap_or(0)).collect()
}

/// The edges and pages assigned to each share. Both numbers are distributed by weight, because the kernels' work
/// depends on the number of edges, and the reads and copies depend on the number of pages.
struct DealtWork {
    /// Each share's weight, number of edges and number of pages.
    shares: Vec<[f64; 3]>,
    /// The total numbers of edges and pages in all groups, plus 1 each.
    all: [f64; 2],
}

impl DealtWork {
    fn new(groups: &[ShareGroup], weights: &[u32]) -> Self {
        let all =
            groups.iter().map(Self::work).fold([1.0; 2], |[edges, pages], work| [edges + work[0], pages + work[1]]);
        Self { shares: weights.iter().map(|&weight| [weight.into(), 0.0, 0.0]).collect(), all }
    }

    fn work(group: &ShareGroup) -> [f64; 2] {
        [group.edges as f64, f64::from(group.pages.end - group.pages.start)]
    }

    /// Assigns a group to the share for which the growth of the squared load, divided by the weight, is smallest.
    /// Returns the index of this share.
    fn give(&mut self, group: &ShareGroup) -> usize {
        let [edges, pages] = Self::work(group);
        let grows = |&[weight, own_edges, own_pages]: &[f64; 3]| {
            let part = |own: f64, more: f64, all: f64| (2.0 * own + more) * more / (all * all);
            (part(own_edges, edges, self.all[0]) + part(own_pages, pages, self.all[1])) / weight
        };
        let takers = self.shares.iter().enumerate().filter(|(_, share)| share[0] > 0.0);
        let taker = takers.min_by(|(_, a), (_, b)| grows(a).total_cmp(&grows(b))).map_or(0, |(taker, _)| taker);
        if let Some([_, own_edges, own_pages]) = self.shares.get_mut(taker) {
            *own_edges += edges;
            *own_pages += pages;
        }
        taker
    }
}

/// A share of a graph's pages, in each of the graph's topologies. The share belongs to one device or to several devices
/// together.
#[derive(Clone, Default)]
pub struct PageShare {
    /// The indices in `shares` of the devices' shares.
    indices: Range<u32>,
    /// The distribution, or `None` if this share consists of all pages.
    shares: Option<Arc<PageShares>>,
}

impl PageShare {
    /// All pages.
    pub const WHOLE: Self = Self { indices: 0..0, shares: None };

    /// Returns whether the share consists of all pages.
    pub const fn is_whole(&self) -> bool {
        self.shares.is_none()
    }

    /// Returns the number of devices among which the graph's pages are distributed.
    pub fn count(&self) -> u32 {
        self.shares.as_ref().map_or(1, |shares| shares.weights.len() as u32)
    }

    /// Returns whether a page belongs to the share.
    pub fn contains(&self, topology: &Topology, page: PageId) -> bool {
        self.cut(topology).is_none_or(|cut| self.indices.contains(&u32::from(cut.owners[page.0 as usize])))
    }

    /// Returns the share's pages, in ascending order.
    pub fn runs(&self, topology: &Topology) -> Vec<PageRun> {
        match self.cut(topology) {
            None => (topology.num_pages() > 0).then(|| PageRun::of(0..topology.num_pages())).into_iter().collect(),
            Some(cut) => self.runs_of(cut).into_owned(),
        }
    }

    /// Loads the share's pages, unless passes read the topology from storage. Returns whether the share's pages are in
    /// memory.
    ///
    /// # Errors
    ///
    /// See [`Topology::load`].
    pub fn load(&self, topology: &Topology) -> Result<bool, StoreError> {
        match self.cut(topology) {
            None => topology.load_all(),
            Some(cut) => {
                let mut own = self.indices.clone().map(|index| &cut.in_memory[index as usize]);
                if own.all(|loaded| loaded.load(Acquire)) {
                    return Ok(true);
                }
                let loaded = topology.load(&self.runs_of(cut))?;
                self.indices.clone().for_each(|index| cut.in_memory[index as usize].store(loaded, Release));
                Ok(loaded)
            }
        }
    }

    /// Loads the share's pages in both directions into memory. `progress` receives the number of bytes loaded so far,
    /// and the total number.
    ///
    /// # Errors
    ///
    /// See [`Topology::load`].
    pub fn read(&self, graph: &Graph, progress: StoreProgress<'_>) -> Result<(), StoreError> {
        let bytes =
            |topology: &Topology| u64::from(self.num_pages(topology)) * u64::from(topology.format().page_size());
        let total = topologies(graph).map(bytes).sum();
        let done = Mutex::new(0);
        for topology in topologies(graph) {
            topology.load_telling(&self.runs(topology), &|read| {
                // The lock is held during the report, so that the reported number never decreases.
                let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
                *done += read as u64;
                progress(*done, total);
            })?;
        }
        Ok(())
    }

    /// Returns the vertices whose lists are in the share's pages, in ascending order.
    pub fn vertices(&self, topology: &Topology) -> Vec<Range<u64>> {
        let starts = topology.rvt().start_vids();
        let first = |page: u32| starts.get(page as usize).copied().unwrap_or(topology.num_vertices());
        let runs = self.runs(topology).into_iter().map(PageRun::numbers);
        runs.map(|pages| first(pages.start)..first(pages.end)).collect()
    }

    /// Returns the number of pages in the share.
    pub fn num_pages(&self, topology: &Topology) -> u32 {
        self.runs(topology).iter().map(|run| run.count).sum()
    }

    /// Returns the number of edges in the share.
    pub fn num_edges(&self, topology: &Topology) -> u64 {
        let own = |cut: &Cut| self.indices.clone().map(|index| cut.edges[index as usize]).sum();
        self.cut(topology).map_or(topology.num_edges(), own)
    }

    /// Returns the maximum number of pages in a group, unless a single list is longer.
    pub fn group(&self, topology: &Topology) -> u32 {
        self.cut(topology).map_or(topology.num_pages().max(1), |cut| cut.group)
    }

    /// Returns the share of each device in this share.
    pub fn each(&self) -> impl Iterator<Item = Self> + '_ {
        self.indices.clone().map(|index| Self { indices: index..index + 1, shares: self.shares.clone() })
    }

    fn runs_of<'c>(&self, cut: &'c Cut) -> Cow<'c, [PageRun]> {
        if let [runs] = &cut.runs[self.indices.start as usize..self.indices.end as usize] {
            return Cow::Borrowed(runs.as_slice());
        }
        let pages = (0..).map(PageId).zip(&cut.owners).filter(|(_, owner)| self.indices.contains(&u32::from(**owner)));
        Cow::Owned(PageRun::join(pages.map(|(page, _)| page)))
    }

    fn cut(&self, topology: &Topology) -> Option<&Cut> {
        self.shares.as_ref().and_then(|shares| shares.cut(topology))
    }

    /// Returns a key that differs for any two distinct shares of one graph.
    fn key(&self) -> (&Range<u32>, Option<(&[u32], Placement)>) {
        (&self.indices, self.shares.as_ref().map(|shares| (shares.weights.as_slice(), shares.placement)))
    }
}

impl PartialEq for PageShare {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for PageShare {}

impl Hash for PageShare {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}

impl fmt::Debug for PageShare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.shares {
            None => f.write_str("WHOLE"),
            Some(shares) => write!(f, "{:?} of {shares:?}", self.indices),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gts_core::build::DeclaredVertices;
    use proptest::prelude::*;

    const PLACEMENTS: [Placement; 4] = [Placement::Even, Placement::Random, Placement::High, Placement::Low];

    /// Returns a graph with lists of many lengths. Some lists span several pages.
    fn graph(symmetric: bool) -> Graph {
        let hub = |hub: u64, length: u64| (0..length).map(move |target| (hub, target));
        let others = (0..1000u64).flat_map(|src| (0..src % 9).map(move |step| (src, (src * 7 + step * 31) % 1000)));
        let edges = hub(3, 900).chain(hub(4, 300)).chain(hub(700, 500)).chain(others);
        let builder = Graph::builder().edges(edges).page_size(256).in_edges(true);
        builder.symmetrise(symmetric).build().expect("a graph")
    }

    fn check(graph: &Graph, weights: &[u32], placement: Placement) {
        let shares = PageShares::weighted(graph, weights, placement);
        for side in [Side::Out, Side::In] {
            let topology = graph.topology(side).expect("both sides");
            let mut owners = vec![0; topology.num_pages() as usize];
            let mut lists = vec![0; graph.num_vertices() as usize];
            for share in shares.each() {
                let listed: Vec<PageId> = share.runs(topology).into_iter().flat_map(PageRun::pages).collect();
                let all = (0..topology.num_pages()).map(PageId);
                assert_eq!(listed, all.filter(|&page| share.contains(topology, page)).collect::<Vec<_>>(), "{share:?}");
                listed.iter().for_each(|page| owners[page.0 as usize] += 1);
                share.vertices(topology).into_iter().flatten().for_each(|v| lists[v as usize] += 1);
                assert_eq!(listed.len(), share.num_pages(topology) as usize);
            }
            assert!(owners.iter().all(|&owners| owners == 1), "{shares:?}: {owners:?}");
            assert!(lists.iter().all(|&owners| owners == 1), "{shares:?}: {lists:?}");
            let starts = topology.rvt().start_vids();
            for page in 1..topology.num_pages() {
                let continues = starts[page as usize] == starts[page as usize - 1];
                let owner = |page| shares.each().position(|share| share.contains(topology, PageId(page)));
                assert!(!continues || owner(page) == owner(page - 1), "{shares:?}: a list is in two shares");
            }
            assert_eq!(shares.each().map(|share| share.num_edges(topology)).sum::<u64>(), topology.num_edges());
        }
    }

    #[test]
    fn edges_are_shared_out_by_weight() {
        let graph = graph(true);
        let topology = graph.out_topology();
        for placement in PLACEMENTS {
            let shares = PageShares::weighted(&graph, &[3, 0, 1], placement);
            let edges: Vec<u64> = shares.each().map(|share| share.num_edges(topology)).collect();
            let part = edges[2] as f64 / topology.num_edges() as f64;
            // The tolerance is large because the longest list has a tenth of the edges.
            assert!((0.15..0.35).contains(&part), "{placement:?}: {edges:?}");
            assert_eq!(edges[1], 0);
        }
    }

    #[test]
    fn pages_without_edges_are_shared_out_as_well() {
        // Most vertices have no edges, and follow the vertices that have edges.
        let edges = (0..1500u64).flat_map(|src| (1..12).map(move |step| (src, (src + step * step) % 1500)));
        let builder =
            Graph::builder().edges(edges).vertices(DeclaredVertices::Range { first: 0, count: 20_000 }).page_size(512);
        let graph = builder.build().expect("a graph");
        let topology = graph.out_topology();
        for shares in [2, 3] {
            let shares = PageShares::even(&graph, shares);
            let count = f64::from(shares.each().count() as u32);
            for share in shares.each() {
                let pages = count * f64::from(share.num_pages(topology)) / f64::from(topology.num_pages());
                let edges = count * share.num_edges(topology) as f64 / topology.num_edges() as f64;
                // The tolerance for edges is larger: groups with edges are long, because the pages without edges count
                // as remaining pages.
                assert!((0.96..1.04).contains(&pages) && (0.85..1.15).contains(&edges), "{pages} {edges} {share:?}");
            }
        }
    }

    #[test]
    fn a_group_of_shares_is_what_its_devices_walk_together() {
        let graph = graph(false);
        let shares = PageShares::even(&graph, 6);
        let ranks: Vec<PageShare> = shares.groups_of(2).collect();
        assert_eq!(ranks.len(), 3);
        for side in [Side::Out, Side::In] {
            let topology = graph.topology(side).expect("both sides");
            for (rank, of_rank) in ranks.iter().enumerate() {
                let devices: Vec<PageShare> = of_rank.each().collect();
                assert_eq!(devices, shares.each().skip(2 * rank).take(2).collect::<Vec<_>>());
                let pages = |share: &PageShare| -> Vec<PageId> {
                    share.runs(topology).into_iter().flat_map(PageRun::pages).collect()
                };
                let mut of_devices: Vec<PageId> = devices.iter().flat_map(pages).collect();
                of_devices.sort_unstable();
                assert_eq!(pages(of_rank), of_devices);
                assert!(of_devices.iter().all(|&page| of_rank.contains(topology, page)));
                let edges = devices.iter().map(|device| device.num_edges(topology)).sum::<u64>();
                assert_eq!(of_rank.num_edges(topology), edges);
            }
            assert_eq!(ranks.iter().map(|rank| rank.num_edges(topology)).sum::<u64>(), topology.num_edges());
        }
    }

    #[test]
    fn high_and_low_groups_go_to_the_last_share() {
        let graph = graph(false);
        let topology = graph.out_topology();
        let density = |placement| {
            let last = PageShares::weighted(&graph, &[3, 1], placement).each().last().expect("two shares");
            let vertices: u64 = last.vertices(topology).iter().map(|range| range.end - range.start).sum();
            last.num_edges(topology) as f64 / vertices as f64
        };
        let [even, _, high, low] = PLACEMENTS.map(density);
        assert!(high > 3.0 * even && low < even, "{low} {even} {high}");
    }

    #[test]
    fn shares_of_the_same_weights_are_the_same() {
        let graph = graph(true);
        let [one, other] = [(); 2].map(|()| PageShares::even(&graph, 2).each().last());
        assert_eq!(one, other);
        assert_ne!(one, PageShares::weighted(&graph, &[1, 2], Placement::Even).each().last());
        assert_ne!(one, Some(PageShare::WHOLE));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn every_page_belongs_to_one_share_and_no_list_to_two(
            weights in proptest::collection::vec(0u32..5, 1..6),
            placement in proptest::sample::select(PLACEMENTS.to_vec()),
            symmetric: bool,
        ) {
            check(&graph(symmetric), &weights, placement);
        }
    }
}
