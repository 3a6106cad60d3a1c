//! Access to lists whose pages are in memory. Intersections use this access to read the list of each neighbour.

use super::{PageView, Topology};
use crate::vertex::{PageId, Vertex};
use std::ops::Range;

/// The part of a vertex's list in one page. Neighbours are in ascending order, and occur repeatedly if there are
/// parallel edges.
#[derive(Clone, Debug)]
pub struct ListPart<'a> {
    page: PageView<'a>,
    entries: Range<u32>,
}

impl<'a> ListPart<'a> {
    /// Returns the number of neighbours.
    #[inline]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns whether the part has no neighbours.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Iterates over the neighbours in ascending order.
    #[inline]
    pub fn neighbors(&self) -> impl Iterator<Item = Vertex> + Clone + use<'a> {
        self.page.neighbors(self.entries.clone())
    }

    /// Returns the neighbour at an index; `None` if the index is out of range.
    #[inline]
    pub fn get(&self, place: usize) -> Option<Vertex> {
        if place < self.len() { self.page.neighbor(self.entries.start + place as u32) } else { None }
    }

    /// Returns the index of the first neighbour, from index `from` on, that is not smaller than `vertex`. Returns the
    /// number of neighbours if all are smaller. The time is logarithmic in the distance from `from`, because the search
    /// doubles its steps.
    #[inline]
    pub fn seek(&self, from: usize, vertex: Vertex) -> usize {
        let below = |place: usize| self.get(place).is_some_and(|neighbour| neighbour.dense() < vertex.dense());
        let (mut low, mut step) = (from, 1);
        while below(low) {
            if !below(low + step) {
                // The neighbour at `low` is smaller. The neighbour `step` positions further is not smaller or does not
                // exist.
                let mut high = (low + step).min(self.len());
                while low + 1 < high {
                    let middle = low + (high - low) / 2;
                    if below(middle) { low = middle } else { high = middle }
                }
                return high;
            }
            low += step;
            step *= 2;
        }
        low
    }
}

impl Topology {
    /// Returns the list of a vertex as one part per page. The list is empty if the vertex does not exist, or if its
    /// pages are not in memory (see [`Topology::load`]).
    pub fn list(&self, vertex: Vertex) -> impl Iterator<Item = ListPart<'_>> {
        let view = move |page| {
            let page = self.page(page)?;
            let entries = page.list(vertex);
            (!entries.is_empty()).then_some(ListPart { page, entries })
        };
        self.pages_of(vertex).filter_map(view)
    }

    /// Returns whether a vertex's list contains `neighbour`. The pages must be in memory, as for [`Topology::list`].
    pub fn has_edge(&self, vertex: Vertex, neighbour: Vertex) -> bool {
        self.find_edge(vertex, neighbour).is_some()
    }

    /// Returns the page and the entry of the first occurrence of `neighbour` in a vertex's list. The pages must be in
    /// memory, as for [`Topology::list`].
    pub fn find_edge(&self, vertex: Vertex, neighbour: Vertex) -> Option<(PageId, u32)> {
        self.pages_of(vertex).find_map(|id| {
            let page = self.page(id)?;
            let part = ListPart { page, entries: page.list(vertex) };
            let place = part.seek(0, neighbour);
            (part.get(place)? == neighbour).then(|| (id, part.entries.start + place as u32))
        })
    }

    /// Returns the neighbour in the preceding entry of the same list; `None` for the first entry of a list.
    pub fn neighbor_before(&self, page: PageId, entry: u32) -> Option<Vertex> {
        let view = self.page(page)?;
        if entry > 0 || !view.is_large() {
            return view.neighbor_before(entry);
        }
        let previous = self.page(PageId(page.0.checked_sub(1)?))?;
        let same = previous.is_large() && previous.vertices() == view.vertices();
        if same { previous.neighbor(previous.num_entries().checked_sub(1)?) } else { None }
    }
}

#[cfg(test)]
mod tests {
    use crate::graph::{Graph, PageId, Vertex};
    use gts_contract::Side;

    /// Creates a star whose hub has parallel edges and spans several pages of 256 bytes.
    fn star() -> Graph {
        let edges = (1..200).flat_map(|leaf| {
            let parallel = (leaf % 3 == 0).then_some((0, leaf));
            [(0, leaf), (leaf, 0)].into_iter().chain(parallel)
        });
        Graph::builder().edges(edges).page_size(256).build().unwrap()
    }

    #[test]
    fn a_list_over_several_pages_is_whole_and_found() {
        let graph = star();
        let topology = graph.topology(Side::Out).unwrap();
        let hub = Vertex::from_dense(0);
        assert!(topology.list(hub).count() > 2);
        let listed: Vec<u64> = topology.list(hub).flat_map(|part| part.neighbors().map(|v| v.dense())).collect();
        let expected: Vec<u64> = (1..200).flat_map(|leaf| vec![leaf; if leaf % 3 == 0 { 2 } else { 1 }]).collect();
        assert_eq!(listed, expected);
        assert!((1..200).all(|leaf| topology.has_edge(hub, Vertex::from_dense(leaf))));
        assert!(!topology.has_edge(hub, hub) && !topology.has_edge(Vertex::from_dense(5), Vertex::from_dense(6)));
        assert_eq!(topology.list(Vertex::from_dense(999)).count(), 0);
    }

    #[test]
    fn the_first_edges_of_pages_are_numbered_by_the_entries_before() {
        let hub_behind = (0..300).map(|leaf| (if leaf % 2 == 0 { 150 } else { leaf }, 299 - leaf));
        let behind = Graph::builder().edges(hub_behind).page_size(256).build().unwrap();
        for graph in [star(), behind, Graph::from_edges([]).unwrap(), Graph::from_edges([(3, 3)]).unwrap()] {
            let topology = graph.topology(Side::Out).unwrap();
            let mut before = 0;
            let first_edges = topology.first_edges(graph.out_degrees());
            assert_eq!(first_edges.len(), topology.num_pages() as usize);
            for (page, first) in (0..).map(PageId).zip(first_edges) {
                assert_eq!(first, before, "{page:?} of {graph:?}");
                before += u64::from(topology.page(page).unwrap().num_entries());
            }
            assert_eq!(before, graph.num_edges());
        }
    }

    #[test]
    fn seeking_finds_the_first_that_is_not_below_from_any_place() {
        let graph = star();
        let topology = graph.topology(Side::Out).unwrap();
        for part in topology.list(Vertex::from_dense(0)) {
            let neighbours: Vec<u64> = part.neighbors().map(|v| v.dense()).collect();
            for from in 0..=neighbours.len() {
                for wanted in 0..=201 {
                    let place = (from..neighbours.len()).find(|&place| neighbours[place] >= wanted);
                    let found = part.seek(from, Vertex::from_dense(wanted));
                    assert_eq!(found, place.unwrap_or(neighbours.len()), "from {from} to {wanted}");
                }
            }
        }
    }

    #[test]
    fn the_neighbour_before_is_found_across_pages() {
        let graph = star();
        let topology = graph.topology(Side::Out).unwrap();
        let mut before = None;
        for page in (0..topology.num_pages()).map(PageId) {
            let view = topology.page(page).unwrap();
            let mut owner = None;
            for v in view.vertices() {
                for entry in view.list(Vertex::from_dense(v)) {
                    if owner != Some(v) && v != 0 {
                        before = None;
                    }
                    owner = Some(v);
                    assert_eq!(topology.neighbor_before(page, entry), before);
                    before = view.neighbor(entry);
                }
            }
        }
    }
}
