//! Builds a graph from some of another graph's edges.
//!
//! Lists are already sorted, and vertices keep their numbers, so the build neither reads, renumbers nor sorts. Each
//! thread processes groups of pages and collects the selected edges.

use super::record::{Record, key};
use super::sort::Sorted;
use super::{BuildError, degrees, fill, paginate, symmetry};
use crate::graph::{EdgeAt, Graph, GraphParts, PageId, Properties, Vertex, edges_of_page};
use crate::memory::{self, NoMemory};
use crate::page::{PageFormat, Topology};
use crate::parallel::*;
use crate::summaries;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// The number of pages per group, which one thread processes. A longer list stays in one group.
const PAGES: u32 = 8;
/// Minimum number of edges per bucket if a list of edges is divided.
const EDGES: usize = 1 << 17;
const WHAT: &str = "edges of a subgraph";

impl Graph {
    /// Returns a graph with all vertices of this graph and the out-edges for which `keeps` is true. The new graph has
    /// no values and no in-edges. Vertices keep their numbers, and edges keep their order. `keeps` may be called twice
    /// for an edge, and must return the same result both times. The subgraph of a symmetric graph is symmetric if
    /// `keeps` returns the same result for both directions of each edge.
    ///
    /// # Examples
    ///
    /// ```
    /// use gts_core::graph::Graph;
    ///
    /// let graph = Graph::from_edges([(1, 2), (1, 3), (3, 1)]).expect("sound edges");
    /// let part = graph.subgraph(|edge| edge.dst == graph.vertex(3).expect("a vertex"))?;
    /// assert_eq!((part.num_vertices(), part.num_edges()), (3, 1));
    /// # Ok::<(), gts_core::build::BuildError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if pages cannot be read, or if there is too little memory.
    pub fn subgraph(&self, keeps: impl Fn(EdgeAt) -> bool + Sync) -> Result<Self, BuildError> {
        let passing = |edge: EdgeAt| keeps(edge).then(|| key(edge.src.dense() as u32, edge.dst.dense() as u32));
        let topology = self.out_topology();
        let vertices = self.num_vertices() as u32;
        let sorted = if topology.load_all()? {
            let first_edges = topology.first_edges(self.out_degrees());
            let groups = groups(topology);
            let kept = |pages: &Range<u32>| {
                let edges =
                    || pages.clone().flat_map(|page| edges_of_page(topology, PageId(page), first_edges[page as usize]));
                let mut kept = memory::reserved(WHAT, edges().filter(|&edge| keeps(edge)).count())?;
                edges().filter_map(passing).for_each(|edge| kept.push(edge));
                Ok(kept)
            };
            let starts = groups.iter().map(|pages| topology.rvt().start_vid(PageId(pages.start)) as u32);
            let bounds = starts.chain([vertices]).collect();
            Sorted { buckets: groups.par_iter().map(kept).collect::<Result<Vec<Vec<u64>>, BuildError>>()?, bounds }
        } else {
            let kept = self.chosen_edges::<u64, BuildError>(WHAT, passing)?;
            cut(&kept, vertices)?
        };
        self.with_edges(&sorted)
    }

    /// Returns a graph with all vertices of this graph and the given edges.
    fn with_edges(&self, edges: &Sorted<u64>) -> Result<Self, BuildError> {
        let whole = self.properties();
        let too_many = |(vertex, found): (u32, u64)| {
            let original = self.original(Vertex::from_dense(vertex.into()));
            BuildError::TooManyEdges { original, found, max: u32::MAX.into() }
        };
        let out_degrees = degrees::sources(edges).map_err(too_many)?.degrees;
        let symmetric = whole.symmetric && symmetry::is_symmetric(&edges.buckets);
        let in_degrees = match symmetric {
            true => Vec::new(),
            false => degrees::targets(&edges.buckets, out_degrees.len() as u32).map_err(too_many)?,
        };
        let format = self.out_topology().format();
        let format = PageFormat::new(format.page_size(), format.width(), None)?;
        let out = fill::fill(edges, &out_degrees, format, paginate::paginate(&out_degrees, &format)?, None)?;
        let largest = |degrees: &[u32]| summaries::largest(degrees).unwrap_or(0);
        let properties = Properties {
            order: whole.order.of_subgraph(),
            layers: Arc::default(),
            symmetric,
            num_self_loops: edges.self_loops(),
            largest_out_degree: largest(&out_degrees),
            largest_in_degree: largest(if symmetric { &out_degrees } else { &in_degrees }),
            value_type: None,
            ..whole.clone()
        };
        Ok(Self::from_parts(GraphParts {
            ids: self.ids().clone(),
            properties,
            out,
            incoming: None,
            out_degrees: out_degrees.into(),
            in_degrees: in_degrees.into(),
            heads: None,
            sinks: 0,
            notes: Vec::new(),
            content: OnceLock::new(),
        }))
    }
}

/// Divides edges into buckets that threads process. All edges of a source are in the same bucket.
fn cut(edges: &[u64], vertices: u32) -> Result<Sorted<u64>, NoMemory> {
    let (mut buckets, mut bounds, mut rest) = (Vec::new(), vec![0], edges);
    loop {
        let last = rest.get(EDGES - 1).map_or(u32::MAX, Record::src);
        let (bucket, others) = rest.split_at(rest.partition_point(|edge| edge.src() <= last));
        buckets.push(memory::copied(WHAT, bucket)?);
        bounds.push(others.first().map_or(vertices, Record::src));
        if others.is_empty() {
            return Ok(Sorted { buckets, bounds });
        }
        rest = others;
    }
}

/// Divides the pages of a topology into groups. All pages of a list are in the same group.
fn groups(topology: &Topology) -> Vec<Range<u32>> {
    let rvt = topology.rvt();
    let begins_list = |page: &u32| {
        let before = page.checked_sub(1).map(PageId);
        before.is_none_or(|before| rvt.lp_range(before) <= 1)
    };
    let mut starts: Vec<u32> = Vec::new();
    for page in (0..topology.num_pages()).filter(begins_list) {
        if starts.last().is_none_or(|&last| page - last >= PAGES) {
            starts.push(page);
        }
    }
    let ends = starts.iter().skip(1).copied().chain([topology.num_pages()]);
    starts.iter().zip(ends).map(|(&start, end)| start..end).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::VertexOrder;
    use crate::store::OpenOptions;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]

        #[test]
        fn a_subgraph_has_the_edges_that_pass(
            edges in prop::collection::vec(((0u64..60).prop_map(|n| n.saturating_sub(40)), 0u64..60), 0..900),
            order in prop::sample::select(vec![VertexOrder::Original, VertexOrder::Degree, VertexOrder::Random { seed: 3 }]),
            undirected in any::<bool>(),
            modulus in 1u64..5,
        ) {
            let edges = edges.into_iter().map(|(src, dst)| (3 * src + 1, 3 * dst + 1));
            let whole = Graph::builder().edges(edges).order(order).undirected(undirected).page_size(256).build();
            let whole = whole.expect("sound edges");
            let all = edges_of(&whole);
            let passes = |src: u64, dst: u64| (src + dst).is_multiple_of(modulus);
            let seen = |edge: EdgeAt| {
                assert_eq!(all[edge.number as usize], (edge.src.dense(), edge.dst.dense()));
                passes(edge.src.dense(), edge.dst.dense())
            };
            let part = whole.subgraph(seen).expect("memory");
            let expected: Vec<(u64, u64)> = all.iter().copied().filter(|&(src, dst)| passes(src, dst)).collect();
            prop_assert_eq!(&edges_of(&part), &expected);
            prop_assert_eq!(part.ids(), whole.ids());
            for (v, (&out, &into)) in part.out_degrees().iter().zip(part.in_degrees()).enumerate() {
                let count = |end: fn(&(u64, u64)) -> u64| expected.iter().filter(|edge| end(edge) == v as u64).count();
                prop_assert_eq!((out as usize, into as usize), (count(|edge| edge.0), count(|edge| edge.1)));
            }
            let turned = |&(src, dst): &(u64, u64)| (dst, src);
            let mut back: Vec<(u64, u64)> = expected.iter().map(turned).collect();
            back.sort_unstable();
            prop_assert_eq!(part.properties().symmetric, whole.properties().symmetric && back == expected);
        }
    }

    fn edges_of(graph: &Graph) -> Vec<(u64, u64)> {
        graph.edges().map(|edge| edge.expect("read")).map(|(src, dst)| (src.dense(), dst.dense())).collect()
    }

    #[test]
    fn a_stored_subgraph_is_sound() {
        let edges = (0..400u64).map(|n| (n % 20, n * n % 37));
        let whole =
            Graph::builder().edges(edges).order(VertexOrder::Degree).page_size(4096).build().expect("sound edges");
        let part = whole.subgraph(|edge| edge.number % 3 > 0).expect("memory");
        let directory = tempfile::tempdir().expect("a directory");
        let store = directory.path().join("part.gts");
        part.save(&store).expect("written");
        let opened = Graph::open(&store).expect("sound");
        assert_eq!((opened.num_edges(), opened.properties()), (part.num_edges(), part.properties()));
        assert_eq!(opened.content(), part.content());
        assert_ne!(part.content(), whole.content());
        crate::store::verify(&store, &|_, _| ()).expect("sound");
        let nothing = opened.subgraph(|_| false).expect("memory");
        assert_eq!((nothing.num_vertices(), nothing.num_edges()), (whole.num_vertices(), 0));
        let empty = Graph::from_edges([]).expect("no edges").subgraph(|_| true).expect("memory");
        assert_eq!(empty.num_vertices(), 0);
    }

    #[test]
    fn pages_that_stay_on_disk_give_the_same_subgraph() {
        let edges = (0..300_000u64).map(|n| (n * n % 997, n % 1009, (n % 7) as u32));
        let whole = Graph::builder().weighted_edges(edges).page_size(4096).build().expect("sound edges");
        let directory = tempfile::tempdir().expect("a directory");
        let store = directory.path().join("whole.gts");
        whole.save(&store).expect("written");
        let options = OpenOptions { host_memory: Some(1 << 20), ..OpenOptions::default() };
        let stored = Graph::open_with(&store, &options).expect("sound");
        assert!(!stored.out_topology().is_resident());
        for modulus in [1, 3, 1 << 40] {
            let passes = |edge: EdgeAt| edge.number.is_multiple_of(modulus);
            let [one, other] = [&whole, &stored].map(|graph| graph.subgraph(passes).expect("memory"));
            assert_eq!(edges_of(&one), edges_of(&other));
            assert_eq!((one.properties(), one.properties().value_type), (other.properties(), None));
        }
        let nothing = stored.subgraph(|_| false).expect("memory");
        assert_eq!((nothing.num_vertices(), nothing.num_edges()), (whole.num_vertices(), 0));
    }

    #[test]
    fn sources_stay_together_where_edges_are_cut() {
        let edges: Vec<u64> = [(0, 3), (1, 200_000), (2, 0), (3, 100_000), (4, 40_000)]
            .into_iter()
            .flat_map(|(src, count)| (0..count).map(move |dst| key(src, dst)))
            .collect();
        let cut = cut(&edges, 6).expect("memory");
        assert_eq!(cut.bounds, [0, 3, 6]);
        assert_eq!(cut.buckets.concat(), edges);
        let nothing = super::cut(&[], 6).expect("memory");
        assert_eq!((nothing.bounds, nothing.buckets), (vec![0, 6], vec![Vec::new()]));
    }
}
