//! The properties of a graph that determine costs.

use super::degrees::{DegreeClass, classes_of};
use crate::graph::{Graph, ListShape, VertexOrder};
use crate::page::{IdWidth, Topology};
use gts_contract::{ScalarType, Side};

/// The page format and the size of a topology.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TopologyShape {
    /// The number of small pages.
    pub small_pages: u64,
    /// The number of large pages.
    pub large_pages: u64,
    /// The page size in bytes.
    pub page_size: u32,
    /// The width of the record IDs.
    pub width: IdWidth,
    /// Bytes per edge value; 0 if edges have no values.
    pub value_bytes: u32,
    /// The number of edges.
    pub edges: u64,
}

impl TopologyShape {
    /// Returns the shape of a topology.
    pub fn of(topology: &Topology) -> Self {
        let format = topology.format();
        Self {
            small_pages: topology.small_pages().len() as u64,
            large_pages: topology.large_pages().len() as u64,
            page_size: format.page_size(),
            width: format.width(),
            value_bytes: format.value_bytes() as u32,
            edges: topology.num_edges(),
        }
    }

    /// Returns the number of pages.
    pub fn pages(&self) -> u64 {
        self.small_pages + self.large_pages
    }

    /// Returns the total size of all pages in bytes.
    pub fn bytes(&self) -> u64 {
        self.pages() * u64::from(self.page_size)
    }

    /// Returns the size in bytes of an edge in a page: its record ID and its value.
    pub fn entry_bytes(&self) -> u64 {
        self.width.bytes() as u64 + u64::from(self.value_bytes)
    }
}

/// A traversal step, or several identical steps, with a predetermined size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KnownLevel {
    /// The number of active vertices per step.
    pub vertices: f64,
    /// The total number of edges of the active vertices.
    pub edges: f64,
    /// The number of identical steps.
    pub repeats: f64,
}

/// The growth of a traversal, step by step.
#[derive(Clone, Debug, PartialEq)]
pub enum TraversalGrowth {
    /// The growth in a random graph with the given degrees.
    Random,
    /// The growth in a graph with the given numbers of edges between degree classes. Each row contains the edges that
    /// leave one class.
    Mixed(Vec<f64>),
    /// Predetermined steps, in a graph with a simple structure.
    Known(Vec<KnownLevel>),
}

/// The properties of an existing or a generated graph that determine costs.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphShape {
    /// The number of vertices.
    pub vertices: u64,
    /// The number of edges.
    pub edges: u64,
    /// The topology of out-edges.
    pub out: TopologyShape,
    /// The topology of in-edges. `None` if the graph has no in-edges, or if it is symmetric.
    pub incoming: Option<TopologyShape>,
    /// Whether every edge is stored in both directions.
    pub symmetric: bool,
    /// The number of undirected edges, each counted once; `None` if the graph is directed.
    pub undirected_edges: Option<u64>,
    /// The type of the edge values; `None` if edges have no values.
    pub value: Option<ScalarType>,
    /// The order in which vertices are numbered.
    pub order: VertexOrder,
    /// The vertices, classified by degree.
    pub classes: Vec<DegreeClass>,
    /// The lists of out-edges, summarised by density.
    pub lists: ListShape,
    /// The lists of in-edges; `None` if there is no separate topology for them.
    pub in_lists: Option<ListShape>,
    /// The largest out-degree, followed by the largest in-degree.
    pub largest: [u64; 2],
    /// The growth of traversals from the vertex with the most edges.
    pub reach: TraversalGrowth,
    /// The size in bytes of the map between original IDs and dense numbers.
    pub id_map: u64,
    /// Whether the numbers of pages and edges are estimates.
    pub estimated: bool,
    /// Whether the number of edges is an upper bound: the build may drop edges, or omit reverse edges that already
    /// exist.
    pub edges_at_most: bool,
}

impl GraphShape {
    /// Computes the shape of a graph.
    pub fn of(graph: &Graph) -> Self {
        let properties = graph.properties();
        let incoming = if properties.symmetric { None } else { graph.topology(Side::In) };
        Self {
            vertices: graph.num_vertices(),
            edges: graph.num_edges(),
            out: TopologyShape::of(graph.out_topology()),
            incoming: incoming.map(TopologyShape::of),
            symmetric: properties.symmetric,
            undirected_edges: graph.num_undirected_edges(),
            value: graph.value_type(),
            order: properties.order,
            classes: classes_of(graph.out_degrees(), graph.in_degrees()),
            lists: ListShape::of(graph.out_topology(), graph.out_degrees()),
            in_lists: incoming.map(|topology| ListShape::of(topology, graph.in_degrees())),
            largest: [properties.largest_out_degree, properties.largest_in_degree].map(u64::from),
            reach: TraversalGrowth::Random,
            id_map: graph.ids().bytes(),
            estimated: false,
            edges_at_most: false,
        }
    }

    /// Returns the topology of a side; `None` if the graph has no such topology.
    pub fn topology(&self, side: Side) -> Option<&TopologyShape> {
        match side {
            Side::In if !self.symmetric => self.incoming.as_ref(),
            _ => Some(&self.out),
        }
    }

    /// Returns the largest degree on the given side.
    pub fn largest_degree(&self, side: Side) -> u64 {
        match side {
            Side::Out => self.largest[0],
            Side::In => self.largest[1],
        }
    }

    /// Returns the size in bytes of a vertex number in an attribute.
    pub fn vertex_bytes(&self) -> usize {
        if self.vertices < u64::from(u32::MAX) { 4 } else { 8 }
    }

    /// Returns the total page size of all topologies in bytes.
    pub fn page_bytes(&self) -> u64 {
        self.out.bytes() + self.incoming.map_or(0, |side| side.bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_graph_is_told_by_its_pages_and_degrees() {
        let graph = Graph::from_edges([(0, 1), (0, 2), (0, 3), (1, 2)]).unwrap();
        let shape = GraphShape::of(&graph);
        assert_eq!((shape.vertices, shape.edges, shape.estimated), (4, 4, false));
        assert_eq!(shape.out.pages(), u64::from(graph.out_topology().num_pages()));
        assert_eq!(shape.topology(Side::In), None);
        let outgoing: f64 = shape.classes.iter().map(|class| class.vertices * class.out_degree).sum();
        let incoming: f64 = shape.classes.iter().map(|class| class.vertices * class.in_degree).sum();
        assert_eq!((outgoing, incoming), (4.0, 4.0));
        assert_eq!(shape.classes.iter().map(|class| class.vertices).sum::<f64>(), 4.0);
    }
}
