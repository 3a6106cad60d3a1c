//! Parallel queries over a graph's vertices and edges, for algorithm drivers.

use super::{Graph, PageId, Vertex, VertexId};
use crate::hash::mixed;
use crate::memory::{self, NoMemory};
use crate::page::Topology;
use crate::parallel::*;
use crate::store::StoreError;
use crate::summaries;
use bytemuck::Zeroable;
use std::cmp::Reverse;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// Minimum number of vertices per task.
const VERTICES: usize = 1 << 14;

impl Graph {
    /// Returns the vertex with the most out-edges. Ties go to the smallest original ID. Returns `None` if the graph has
    /// no vertices.
    ///
    /// # Examples
    ///
    /// ```
    /// use gts_core::graph::Graph;
    ///
    /// let graph = Graph::from_edges([(1, 2), (3, 1), (3, 2)]).expect("sound edges");
    /// assert_eq!(graph.hub().map(|hub| graph.original(hub)), Some(3));
    /// ```
    pub fn hub(&self) -> Option<Vertex> {
        let ids = self.ids();
        let degrees = self.out_degrees().par_iter().with_min_len(VERTICES).enumerate();
        // The rank is computed only for equal degrees.
        let better = |one: (Vertex, u32), other: (Vertex, u32)| match one.1.cmp(&other.1) {
            std::cmp::Ordering::Less => other,
            std::cmp::Ordering::Greater => one,
            std::cmp::Ordering::Equal if ids.rank(other.0) < ids.rank(one.0) => other,
            std::cmp::Ordering::Equal => one,
        };
        let found = degrees.map(|(v, &degree)| (Vertex::from_dense(v as u64), degree)).reduce_with(better);
        found.map(|(vertex, _)| vertex)
    }

    /// Draws `count` distinct vertices at random. The result depends on the seed, but not on the order of the vertices.
    ///
    /// # Examples
    ///
    /// ```
    /// use gts_core::graph::Graph;
    ///
    /// let graph = Graph::from_edges([(1, 2), (3, 1), (3, 2)]).expect("sound edges");
    /// assert_eq!(graph.sample(2, 7)?.len(), 2);
    /// assert_eq!(graph.sample(9, 7)?.len(), 3);
    /// # Ok::<(), gts_core::memory::NoMemory>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if there is too little memory.
    pub fn sample(&self, count: usize, seed: u64) -> Result<Vec<Vertex>, NoMemory> {
        // No two vertices have equal hashes, so choosing the smallest hashes is equivalent to drawing the vertices one
        // by one.
        let hash = |original: u64| mixed(seed ^ mixed(original));
        let key =
            |dense: usize, _: &u32| self.ids().original(Vertex::from_dense(dense as u64)).map(|id| Reverse(hash(id)));
        let drawn = summaries::top(self.out_degrees(), count, key)?;
        memory::collected("drawn vertices", drawn.into_iter().map(|dense| Vertex::from_dense(dense as u64)))
    }

    /// Reorders per-vertex values from the order of dense vertices to the order of the original IDs.
    ///
    /// # Examples
    ///
    /// ```
    /// # let graph = gts_core::graph::Graph::from_edges([(1, 2), (1, 3), (2, 3)])?;
    /// let degrees = graph.in_original_order("degrees", graph.out_degrees())?;
    /// assert_eq!(degrees, [2, 1, 0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if there is too little memory. `what` names the values in the error message.
    ///
    /// # Panics
    ///
    /// Panics if there are fewer values than vertices.
    pub fn in_original_order<T: Copy + Send + Sync>(
        &self,
        what: &'static str,
        dense: &[T],
    ) -> Result<Vec<T>, NoMemory> {
        self.by_rank(what, |vertex| dense[vertex.index()])
    }

    /// Computes `value` for each vertex, in the order of dense vertices.
    ///
    /// # Examples
    ///
    /// ```
    /// # let graph = gts_core::graph::Graph::from_edges([(1, 2), (1, 3), (2, 3)])?;
    /// assert_eq!(graph.by_vertex("degrees", |vertex| graph.in_degree(vertex))?, [0, 1, 2]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if there is too little memory. `what` names the values in the error message.
    pub fn by_vertex<T: Send>(
        &self,
        what: &'static str,
        value: impl Fn(Vertex) -> T + Sync,
    ) -> Result<Vec<T>, NoMemory> {
        let vertices = (0..self.num_vertices() as usize).into_par_iter().with_min_len(VERTICES);
        memory::collected_in_parallel(what, vertices.map(|dense| value(Vertex::from_dense(dense as u64))))
    }

    /// Computes `value` for each vertex, in the order of the original IDs.
    ///
    /// # Examples
    ///
    /// ```
    /// # let graph = gts_core::graph::Graph::from_edges([(1, 2), (1, 3), (2, 3)])?;
    /// assert_eq!(graph.by_rank("IDs", |vertex| graph.original(vertex))?, [1, 2, 3]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if there is too little memory. `what` names the values in the error message.
    pub fn by_rank<T: Send>(&self, what: &'static str, value: impl Fn(Vertex) -> T + Sync) -> Result<Vec<T>, NoMemory> {
        let Some(order) = self.ids().permutation() else { return self.by_vertex(what, value) };
        let vertices = order.par_iter().with_min_len(VERTICES).map(|&dense| Vertex::from_dense(dense.into()));
        memory::collected_in_parallel(what, vertices.map(&value))
    }

    /// KeyNames each group of vertices by the smallest original ID in the group. For each dense vertex, `labels` contains
    /// a representative vertex, which must be the same for all vertices in a group. The names are returned in the order
    /// of the original IDs. A vertex whose label is not a vertex of this graph gets the name `u64::MAX`.
    ///
    /// # Examples
    ///
    /// ```
    /// use gts_core::graph::{Graph, VertexId};
    ///
    /// let graph = Graph::from_edges([(5, 6), (7, 8)]).expect("sound edges");
    /// assert_eq!(graph.relabel("groups", &[1, 1, 2, 2].map(VertexId::from_bits))?, [5, 5, 7, 7]);
    /// # Ok::<(), gts_core::memory::NoMemory>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if there is too little memory. `what` names the values in the error message.
    ///
    /// # Panics
    ///
    /// Panics if there are fewer labels than vertices.
    pub fn relabel(&self, what: &'static str, labels: &[VertexId]) -> Result<Vec<u64>, NoMemory> {
        if u32::try_from(self.num_vertices()).is_ok() {
            return self.relabel_narrow(what, &summaries::mapped(what, labels, |label| label.to_bits() as u32)?);
        }
        let smallest = self.by_vertex(what, |_| AtomicU64::new(u64::MAX))?;
        let of = |vertex: Vertex| smallest.get(labels[vertex.index()].to_bits() as usize);
        self.each_rank(|vertex, rank| {
            // For most vertices of a large group, a smaller name has already been stored.
            if let Some(name) = of(vertex)
                && rank < name.load(Relaxed)
            {
                name.fetch_min(rank, Relaxed);
            }
        });
        let name = |vertex| self.ids().original_of_rank(of(vertex)?.load(Relaxed));
        self.by_rank(what, |vertex| name(vertex).unwrap_or(u64::MAX))
    }

    /// KeyNames groups as [`Graph::relabel`] does, for 32-bit labels.
    ///
    /// # Examples
    ///
    /// ```
    /// # let graph = gts_core::graph::Graph::from_edges([(1, 2), (1, 3), (2, 3)])?;
    /// assert_eq!(graph.relabel_narrow("groups", &[2, 1, 2])?, [1, 2, 1]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if there is too little memory. `what` names the values in the error message.
    ///
    /// # Panics
    ///
    /// Panics if there are fewer labels than vertices.
    pub fn relabel_narrow(&self, what: &'static str, labels: &[u32]) -> Result<Vec<u64>, NoMemory> {
        let smallest = self.by_vertex(what, |_| AtomicU32::new(u32::MAX))?;
        let of = |vertex: Vertex| smallest.get(labels[vertex.index()] as usize);
        self.each_rank(|vertex, rank| {
            let rank = rank as u32;
            // For most vertices of a large group, a smaller name has already been stored.
            if let Some(name) = of(vertex)
                && rank < name.load(Relaxed)
            {
                name.fetch_min(rank, Relaxed);
            }
        });
        let name = |vertex| self.ids().original_of_rank(of(vertex)?.load(Relaxed).into());
        self.by_rank(what, |vertex| name(vertex).unwrap_or(u64::MAX))
    }

    /// Calls `action`, on all threads, with each vertex and its rank among the original IDs.
    fn each_rank(&self, action: impl Fn(Vertex, u64) + Sync) {
        (0..self.num_vertices() as usize).into_par_iter().with_min_len(VERTICES).for_each(|dense| {
            let vertex = Vertex::from_dense(dense as u64);
            if let Some(rank) = self.ids().rank(vertex) {
                action(vertex, rank);
            }
        });
    }

    /// Collects the vertices for which `passes` is true, in the order of the original IDs. `passes` is called twice per
    /// vertex.
    ///
    /// # Examples
    ///
    /// ```
    /// # let graph = gts_core::graph::Graph::from_edges([(1, 2), (1, 3), (2, 3)])?;
    /// let sources = graph.vertices_where(|vertex| graph.out_degree(vertex) > 0)?;
    /// assert_eq!(sources, [graph.vertex(1)?, graph.vertex(2)?]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if there is too little memory.
    pub fn vertices_where(&self, passes: impl Fn(Vertex) -> bool + Sync) -> Result<Vec<Vertex>, NoMemory> {
        self.vertices_of_ranks(|_, vertex| passes(vertex))
    }

    /// Collects the vertices for which `passes` is true, in the order of the original IDs. `passes` receives a vertex
    /// and its rank among the original IDs. The rank is the index of the vertex's value in a run's results.
    ///
    /// # Examples
    ///
    /// ```
    /// # let graph = gts_core::graph::Graph::from_edges([(1, 2), (1, 3), (2, 3)])?;
    /// assert_eq!(graph.vertices_of_ranks(|rank, _| rank == 2)?, [graph.vertex(3)?]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if there is too little memory.
    pub fn vertices_of_ranks(&self, passes: impl Fn(usize, Vertex) -> bool + Sync) -> Result<Vec<Vertex>, NoMemory> {
        let of_rank = |rank: usize| self.ids().vertex_of_rank(rank as u64).filter(|&vertex| passes(rank, vertex));
        summaries::chosen("vertices of a set", self.num_vertices() as usize, of_rank)
    }

    /// Collects the results of `choose` for all edges, in the order of [`Graph::edges`]. Results that are `None` are
    /// omitted. `choose` may be called twice per edge, and must return the same result both times.
    ///
    /// # Examples
    ///
    /// ```
    /// # let graph = gts_core::graph::Graph::from_edges([(1, 2), (1, 3), (2, 3)])?;
    /// use gts_core::graph::EdgeAt;
    ///
    /// let three = graph.vertex(3)?;
    /// let into = |edge: EdgeAt| (edge.dst == three).then_some(edge.number);
    /// let numbers = graph.chosen_edges::<_, Box<dyn std::error::Error>>("edges", into)?;
    /// assert_eq!(numbers, [1, 2]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if pages cannot be read, or if there is too little memory. `what` names the results in the error message.
    pub fn chosen_edges<U: Zeroable + Send, E: From<StoreError> + From<NoMemory>>(
        &self,
        what: &'static str,
        choose: impl Fn(EdgeAt) -> Option<U> + Sync,
    ) -> Result<Vec<U>, E> {
        let topology = self.out_topology();
        if !topology.load_all()? {
            let (mut chosen, mut before) = (Vec::new(), None);
            for (number, edge) in (0..).zip(self.edges()) {
                let (src, dst) = edge?;
                let repeats = before.replace((src, dst)) == Some((src, dst));
                let edge = EdgeAt { number, src, dst, repeats };
                if let Some(value) = choose(edge) {
                    memory::push(what, &mut chosen, value)?;
                }
            }
            return Ok(chosen);
        }
        let first_edges = topology.first_edges(self.out_degrees());
        let of_page = |number: usize| {
            let edges = edges_of_page(topology, PageId(number as u32), first_edges[number]);
            edges.filter_map(&choose)
        };
        let pages = || (0..topology.num_pages() as usize).into_par_iter();
        let counts: Vec<usize> = pages().map(|page| of_page(page).count()).collect();
        let mut chosen = memory::zeroed(what, counts.iter().sum())?;
        pages().zip(summaries::parts(&mut chosen, &counts)).for_each(|(page, part)| {
            summaries::write(part, of_page(page));
        });
        Ok(chosen)
    }
}

/// An edge and its position in the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EdgeAt {
    /// The edge's index in [`Graph::edges`].
    pub number: u64,
    /// The edge's source.
    pub src: Vertex,
    /// The edge's target.
    pub dst: Vertex,
    /// Whether the previous edge has the same source and target.
    pub repeats: bool,
}

/// Iterates over the edges of a page in memory. `first` is the number of the page's first edge.
pub(crate) fn edges_of_page(topology: &Topology, number: PageId, first: u64) -> impl Iterator<Item = EdgeAt> + '_ {
    // The list of a large vertex may have begun in a previous page.
    let last_before = move |src: Vertex| {
        let before = topology.page(PageId(number.0.checked_sub(1)?))?;
        before.neighbors(before.list(src)).last()
    };
    topology.page(number).into_iter().flat_map(move |page| {
        let sources = page.vertices().map(Vertex::from_dense);
        sources.flat_map(move |src| {
            let list = page.list(src);
            let mut before = if page.is_large() { last_before(src) } else { None };
            (u64::from(list.start)..).zip(page.neighbors(list)).map(move |(entry, dst)| {
                let repeats = before.replace(dst) == Some(dst);
                EdgeAt { number: first + entry, src, dst, repeats }
            })
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::VertexOrder;
    use proptest::prelude::*;

    /// Generates graphs in several vertex orders, with gaps between original IDs.
    fn graphs() -> impl Strategy<Value = Graph> {
        let orders = [VertexOrder::Original, VertexOrder::Degree, VertexOrder::Random { seed: 3 }];
        (prop::collection::vec((0u64..40, (0u64..400).prop_map(|n| n % 40 / (1 + n / 100))), 0..400), 0..3usize)
            .prop_map(move |(edges, order)| {
                let edges = edges.into_iter().map(|(src, dst)| (3 * src + 1, 3 * dst + 1));
                Graph::builder().edges(edges).order(orders[order]).page_size(256).build().expect("sound edges")
            })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn helpers_do_what_serial_loops_do(graph in graphs(), count in 0usize..50, modulus in 1u64..9) {
            let in_order: Vec<Vertex> = graph.ids().in_original_order().collect();
            let hub = in_order.iter().copied().min_by_key(|vertex| Reverse(graph.out_degree(*vertex)));
            prop_assert_eq!(graph.hub(), hub);

            let mut drawn: Vec<Vertex> = in_order.clone();
            drawn.sort_by_key(|vertex| mixed(modulus ^ mixed(graph.original(*vertex))));
            drawn.truncate(count);
            prop_assert_eq!(graph.sample(count, modulus), Ok(drawn));

            let originals: Vec<u64> = graph.ids().ascending().collect();
            prop_assert_eq!(graph.by_rank("IDs", |vertex| graph.original(vertex)), Ok(originals.clone()));
            let dense = graph.by_vertex("IDs", |vertex| graph.original(vertex));
            prop_assert_eq!(graph.in_original_order("IDs", &dense.expect("memory")), Ok(originals.clone()));
            for (rank, vertex) in (0..).zip(&in_order) {
                prop_assert_eq!(graph.ids().vertex_of_rank(rank), Some(*vertex));
                prop_assert_eq!(graph.ids().original_of_rank(rank), Some(graph.original(*vertex)));
            }
            prop_assert_eq!(graph.ids().vertex_of_rank(graph.num_vertices()), None);

            let wanted = |vertex: Vertex| graph.original(vertex) % modulus == 1;
            let expected: Vec<Vertex> = in_order.iter().copied().filter(|vertex| wanted(*vertex)).collect();
            prop_assert_eq!(graph.vertices_where(wanted), Ok(expected.clone()));
            prop_assert_eq!(graph.vertices_of_ranks(|rank, _| originals[rank] % modulus == 1), Ok(expected.clone()));

            let edges: Vec<(Vertex, Vertex)> = graph.edges().map(|edge| edge.expect("memory")).collect();
            let at = |number: usize| EdgeAt {
                number: number as u64,
                src: edges[number].0,
                dst: edges[number].1,
                repeats: number > 0 && edges[number] == edges[number - 1],
            };
            let choose = |edge: EdgeAt| {
                let chosen = edge.number.is_multiple_of(modulus) || edge.repeats;
                chosen.then_some((edge.number, edge.src, edge.dst, u8::from(edge.repeats)))
            };
            let expected: Vec<_> = (0..edges.len()).filter_map(|number| choose(at(number))).collect();
            let chosen = graph.chosen_edges::<_, Box<dyn std::error::Error>>("edges", choose).expect("memory");
            prop_assert_eq!(chosen, expected);

            // Vertices are grouped by dense number modulo `modulus`. The label of a group is its largest vertex.
            let vertices = graph.num_vertices();
            let group = |dense: u64| dense % modulus;
            let label = |dense: u64| (0..vertices).rev().find(|other| group(*other) == group(dense)).unwrap_or(dense);
            let labels: Vec<VertexId> = (0..vertices).map(|dense| VertexId::from_bits(label(dense))).collect();
            let name = |vertex: &Vertex| {
                let same = in_order.iter().filter(|other| group(other.dense()) == group(vertex.dense()));
                same.map(|other| graph.original(*other)).min().unwrap_or(u64::MAX)
            };
            prop_assert_eq!(graph.relabel("names", &labels), Ok(in_order.iter().map(name).collect::<Vec<_>>()));
        }
    }
}
