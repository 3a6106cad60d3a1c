//! Collects selected edges of given vertices, on all threads.
//!
//! The lists are divided into pieces with similar numbers of edges, because one vertex may have more edges than all
//! other vertices together. A piece is walked once if the number of selected edges in it is known, otherwise twice.

use super::{Graph, Vertex};
use crate::memory::{self, NoMemory};
use crate::page::{ListPart, Topology};
use crate::parallel::*;
use crate::store::StoreError;
use crate::summaries;
use std::ops::Range;

/// The number of vertices per task when lists are divided into pieces.
const SOURCES: usize = 1 << 10;
/// Minimum number of edges per piece: about a hundred microseconds of work. Lists are divided only at page boundaries.
const EDGES: u64 = 1 << 16;
const WHAT: &str = "edges of a set";

impl Graph {
    /// Collects the edges of the vertices `sources` for which `passes` is true, as (src, dst) pairs of original IDs.
    /// Vertices are visited in the given order, and the edges of each vertex in the order of its list. `passes`
    /// receives dense vertices, and is called twice per edge.
    ///
    /// # Examples
    ///
    /// ```
    /// use gts_core::graph::Graph;
    ///
    /// let graph = Graph::from_edges([(5, 6), (5, 7), (6, 5)]).expect("sound edges");
    /// let [five, six] = [5, 6].map(|id| graph.vertex(id).expect("a vertex"));
    /// let edges = graph.edges_of::<Box<dyn std::error::Error>>(&[five], |_, dst| dst == six)?;
    /// assert_eq!(edges, [(5, 6)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if pages cannot be read, or if there is too little memory.
    ///
    /// # Panics
    ///
    /// Panics if a vertex is not in this graph.
    pub fn edges_of<E: From<StoreError> + From<NoMemory>>(
        &self,
        sources: &[Vertex],
        passes: impl Fn(Vertex, Vertex) -> bool + Sync,
    ) -> Result<Vec<(u64, u64)>, E> {
        self.edges_by_pieces(sources, None, EDGES, passes)
    }

    /// Collects edges as [`Graph::edges_of`] does, using the number of selected edges per vertex. `counts` contains
    /// these numbers in the order of `sources`. Known counts save one of two walks over most lists. Wrong counts cost
    /// an additional walk, but do not change the result.
    ///
    /// # Examples
    ///
    /// ```
    /// # let graph = gts_core::graph::Graph::from_edges([(1, 2), (1, 3), (2, 3)])?;
    /// let one = graph.vertex(1)?;
    /// let edges = graph.counted_edges_of::<Box<dyn std::error::Error>>(&[one], &[2], |_, _| true)?;
    /// assert_eq!(edges, [(1, 2), (1, 3)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails as [`Graph::edges_of`] does.
    ///
    /// # Panics
    ///
    /// Panics as [`Graph::edges_of`] does.
    pub fn counted_edges_of<E: From<StoreError> + From<NoMemory>>(
        &self,
        sources: &[Vertex],
        counts: &[u32],
        passes: impl Fn(Vertex, Vertex) -> bool + Sync,
    ) -> Result<Vec<(u64, u64)>, E> {
        self.edges_by_pieces(sources, Some(counts), EDGES, passes)
    }

    fn edges_by_pieces<E: From<StoreError> + From<NoMemory>>(
        &self,
        sources: &[Vertex],
        counts: Option<&[u32]>,
        least: u64,
        passes: impl Fn(Vertex, Vertex) -> bool + Sync,
    ) -> Result<Vec<(u64, u64)>, E> {
        let topology = self.out_topology();
        if !topology.load_all()? {
            return self.edges_in_turn(sources, passes);
        }
        let walk = EdgeSelection { graph: self, topology, sources, passes };
        let pieces = walk.pieces(least);
        if let Some(counts) = counts.filter(|counts| counts.len() == sources.len())
            && let Some(edges) = walk.collect(&pieces, Some(counts))?
        {
            return Ok(edges);
        }
        Ok(walk.collect(&pieces, None)?.unwrap_or_default())
    }

    /// Collects edges as [`Graph::edges_of`] does, if pages are not in memory.
    fn edges_in_turn<E: From<StoreError> + From<NoMemory>>(
        &self,
        sources: &[Vertex],
        passes: impl Fn(Vertex, Vertex) -> bool,
    ) -> Result<Vec<(u64, u64)>, E> {
        let mut edges = Vec::new();
        for &src in sources {
            for dst in self.neighbors(src) {
                let dst = dst?;
                if passes(src, dst) {
                    memory::push(WHAT, &mut edges, (self.original(src), self.original(dst)))?;
                }
            }
        }
        Ok(edges)
    }
}

/// The work of one task: a range of sources, and a range of parts of their lists. Each part lies in one page.
#[derive(Clone, Debug, PartialEq, Eq)]
struct SelectionTask {
    sources: Range<usize>,
    parts: Range<usize>,
}

impl SelectionTask {
    /// Returns whether the piece consists of whole lists.
    fn is_whole(&self) -> bool {
        self.parts == (0..usize::MAX)
    }
}

/// The source vertices whose lists are searched, and the test that selects edges.
struct EdgeSelection<'a, P> {
    graph: &'a Graph,
    topology: &'a Topology,
    sources: &'a [Vertex],
    passes: P,
}

impl<P: Fn(Vertex, Vertex) -> bool + Sync> EdgeSelection<'_, P> {
    /// Divides the lists, in order, into pieces with similar numbers of edges.
    fn pieces(&self, least: u64) -> Vec<SelectionTask> {
        let blocks = (0..self.sources.len().div_ceil(SOURCES)).into_par_iter();
        blocks.collect_flat(|block| self.pieces_of_block(block, least))
    }

    fn pieces_of_block(&self, block: usize, least: u64) -> Vec<SelectionTask> {
        let end = self.sources.len().min((block + 1) * SOURCES);
        let first = block * SOURCES;
        let (mut pieces, mut begin, mut edges) = (Vec::new(), first, 0);
        let whole = |sources: Range<usize>| SelectionTask { sources, parts: 0..usize::MAX };
        for place in first..end {
            let degree = self.graph.out_degree(self.sources[place]);
            let pages = if degree > least { self.topology.pages_of(self.sources[place]).len() } else { 1 };
            edges += degree;
            if pages > 1 {
                let at_once = (least / self.topology.format().large_page_edges()).max(1) as usize;
                let part = |page| SelectionTask { sources: place..place + 1, parts: page..page + at_once };
                pieces.extend((begin < place).then(|| whole(begin..place)));
                pieces.extend((0..pages).step_by(at_once).map(part));
            } else if edges >= least {
                pieces.push(whole(begin..place + 1));
            } else {
                continue;
            }
            (begin, edges) = (place + 1, 0);
        }
        pieces.extend((begin < end).then(|| whole(begin..end)));
        pieces
    }

    /// Collects the selected edges of all pieces. `counts`, if given, contains the number of selected edges per source.
    /// Returns `None` if these numbers are wrong.
    fn collect(&self, pieces: &[SelectionTask], counts: Option<&[u32]>) -> Result<Option<Vec<(u64, u64)>>, NoMemory> {
        let length = |piece: &SelectionTask| match counts {
            // A count cannot exceed the length of the list, so larger counts are reduced.
            Some(counts) if piece.is_whole() => {
                let listed = self.sources[piece.sources.clone()].iter().zip(&counts[piece.sources.clone()]);
                listed.map(|(&src, &count)| u64::from(count).min(self.graph.out_degree(src)) as usize).sum()
            }
            _ => self.count(piece),
        };
        let lengths: Vec<usize> = pieces.par_iter().map(length).collect();
        let mut edges = memory::zeroed(WHAT, lengths.iter().sum())?;
        memory::populate(&mut edges);
        let parts = summaries::parts(&mut edges, &lengths);
        // In most graphs, original IDs are consecutive, so a lookup reads at most one table.
        let is_right = match self.graph.ids().consecutive() {
            Some((first, None)) => self.write(pieces, parts, |vertex| first + vertex.dense()),
            Some((first, Some(ranks))) => self.write(pieces, parts, |vertex| first + u64::from(ranks[vertex.index()])),
            None => self.write(pieces, parts, |vertex| self.graph.original(vertex)),
        };
        Ok(is_right.then_some(edges))
    }

    /// Writes the selected edges of each piece. `name` returns the original ID of a vertex. Returns whether every piece
    /// fills its slice exactly.
    fn write(
        &self,
        pieces: &[SelectionTask],
        places: Vec<&mut [(u64, u64)]>,
        name: impl Fn(Vertex) -> u64 + Sync,
    ) -> bool {
        let written = pieces.par_iter().zip(places).map(|(piece, places)| self.write_piece(piece, places, &name));
        written.reduce(|| true, |one, other| one && other)
    }

    /// Returns the number of selected edges in a piece.
    fn count(&self, piece: &SelectionTask) -> usize {
        let passed = |(src, part): (Vertex, ListPart<'_>)| {
            part.neighbors().map(|dst| usize::from((self.passes)(src, dst))).sum::<usize>()
        };
        self.lists(piece).map(passed).sum()
    }

    fn write_piece(&self, piece: &SelectionTask, places: &mut [(u64, u64)], name: impl Fn(Vertex) -> u64) -> bool {
        let mut found = 0;
        for (src, part) in self.lists(piece) {
            let from = name(src);
            part.neighbors().for_each(|dst| {
                // Edges that are not selected are also written, and then overwritten: a branch would often be
                // mispredicted.
                if let Some(place) = places.get_mut(found) {
                    *place = (from, name(dst));
                }
                found += usize::from((self.passes)(src, dst));
            });
        }
        found == places.len()
    }

    /// Iterates over the list parts of a piece, with their sources.
    fn lists(&self, piece: &SelectionTask) -> impl Iterator<Item = (Vertex, ListPart<'_>)> {
        let parts = piece.parts.clone();
        self.sources[piece.sources.clone()].iter().flat_map(move |&src| {
            self.topology.list(src).skip(parts.start).take(parts.len()).map(move |part| (src, part))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::VertexOrder;
    use proptest::prelude::*;

    /// Generates graphs in which one vertex belongs to most edges, so that its list spans several pages.
    fn graphs() -> impl Strategy<Value = Graph> {
        let orders = [VertexOrder::Original, VertexOrder::Degree, VertexOrder::Random { seed: 3 }];
        let edge = ((0u64..60).prop_map(|n| n.saturating_sub(30)), 0u64..40);
        (prop::collection::vec(edge, 0..900), 0..3usize, 1u64..3).prop_map(move |(edges, order, apart)| {
            let edges = edges.into_iter().map(|(src, dst)| (apart * src + 1, apart * dst + 1));
            Graph::builder().edges(edges).order(orders[order]).page_size(256).build().expect("sound edges")
        })
    }

    type Failure = Box<dyn std::error::Error>;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn pieces_of_any_size_give_what_one_thread_finds(
            graph in graphs(),
            chosen in prop::collection::vec(any::<prop::sample::Index>(), 0..80),
            least in 1u64..200,
            modulus in 1u64..5,
            wrong in prop::option::of((any::<prop::sample::Index>(), any::<u32>())),
        ) {
            // The sources are in arbitrary order, and some occur repeatedly.
            let vertices = graph.num_vertices() as usize;
            let chosen = chosen.iter().filter(|_| vertices > 0).map(|index| index.index(vertices) as u64);
            let sources: Vec<Vertex> = chosen.map(Vertex::from_dense).collect();
            let passes = |src: Vertex, dst: Vertex| (src.dense() + 3 * dst.dense()).is_multiple_of(modulus);
            let one_thread = |sources: &[Vertex]| graph.edges_in_turn::<Failure>(sources, passes).expect("memory");
            let expected = one_thread(&sources);
            let mut counts: Vec<u32> = sources.iter().map(|&src| one_thread(&[src]).len() as u32).collect();
            let found = |counts: Option<&[u32]>| {
                graph.edges_by_pieces::<Failure>(&sources, counts, least, passes).expect("memory")
            };
            prop_assert_eq!(&found(None), &expected);
            prop_assert_eq!(&found(Some(counts.as_slice())), &expected);
            prop_assert_eq!(&graph.edges_of::<Failure>(&sources, passes).expect("memory"), &expected);
            prop_assert_eq!(&graph.counted_edges_of::<Failure>(&sources, &counts, passes).expect("memory"), &expected);
            // Pass wrong counts, too few counts and too many counts.
            prop_assert_eq!(&found(Some(&[])), &expected);
            if let Some((place, count)) = wrong && !counts.is_empty() {
                let place = place.index(counts.len());
                counts[place] = count;
                prop_assert_eq!(&found(Some(counts.as_slice())), &expected);
                counts[place] = count % 7;
                prop_assert_eq!(&found(Some(counts.as_slice())), &expected);
            }

            let walk = EdgeSelection { graph: &graph, topology: graph.out_topology(), sources: &sources, passes };
            let pieces = walk.pieces(least);
            let full = graph.out_topology().format().large_page_edges();
            for piece in &pieces {
                let edges: u64 = walk.lists(piece).map(|(_, part)| part.len() as u64).sum();
                prop_assert!(edges <= 2 * least.max(full), "{edges} edges in {piece:?}");
            }
        }
    }
}
