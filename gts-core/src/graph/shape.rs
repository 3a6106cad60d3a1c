//! The properties of a graph that costs depend on.

use super::degrees::{DegreeClass, classes_of};
use crate::graph::{Graph, ListShape, VertexOrder};
use crate::page::{IdWidth, Topology};
use gts_contract::{ScalarType, Side};

/// The pages of a topology.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TopologyShape {
    /// The number of small pages.
    pub small_pages: u64,
    /// The number of large pages.
    pub large_pages: u64,
    /// Bytes of a page.
    pub page_size: u32,
    /// Width of the record IDs.
    pub width: IdWidth,
    /// Bytes of an edge value; 0 without values.
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

    /// The number of pages.
    pub fn pages(&self) -> u64 {
        self.small_pages + self.large_pages
    }

    /// Bytes of all pages.
    pub fn bytes(&self) -> u64 {
        self.pages() * u64::from(self.page_size)
    }

    /// Bytes of one edge in a page: its record ID and its value.
    pub fn entry_bytes(&self) -> u64 {
        self.width.bytes() as u64 + u64::from(self.value_bytes)
    }
}

/// A step of a traversal that is known beforehand, or several equal steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KnownLevel {
    /// Active vertices of a step.
    pub vertices: f64,
    /// Edges of these vertices.
    pub edges: f64,
    /// The number of such steps.
    pub repeats: f64,
}

/// The reach of a traversal, step by step.
#[derive(Clone, Debug, PartialEq)]
pub enum Reach {
    /// That of a random graph with these degrees.
    Random,
    /// That of a graph with these numbers of edges from each class to each other: a row per class that the edges leave.
    Mixed(Vec<f64>),
    /// These steps, which follow from the graph's simple structure.
    Known(Vec<KnownLevel>),
}

/// The properties of a graph that costs depend on. The graph exists, or could be generated.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphShape {
    /// The number of vertices.
    pub vertices: u64,
    /// The number of edges.
    pub edges: u64,
    /// The topology of out-edges.
    pub out: TopologyShape,
    /// The topology of in-edges, if the graph has a separate one. A symmetric graph needs none.
    pub incoming: Option<TopologyShape>,
    /// Whether every edge is stored in both directions.
    pub symmetric: bool,
    /// Undirected edges, each counted once; `None` if the graph is directed.
    pub undirected_edges: Option<u64>,
    /// Type of the edge values.
    pub value: Option<ScalarType>,
    /// Order of the vertices.
    pub order: VertexOrder,
    /// The vertices by degree.
    pub classes: Vec<DegreeClass>,
    /// The lists of out-edges.
    pub lists: ListShape,
    /// The lists of in-edges, if they have a topology of their own.
    pub in_lists: Option<ListShape>,
    /// The largest out-degree and the largest in-degree.
    pub largest: [u64; 2],
    /// The reach of traversals.
    pub reach: Reach,
    /// Bytes of the map between original IDs and numbers.
    pub id_map: u64,
    /// Whether pages and edges are estimates.
    pub estimated: bool,
    /// Whether there may be fewer edges: some may be dropped, or may already exist in both directions.
    pub edges_at_most: bool,
}

impl GraphShape {
    /// Returns the shape of a graph.
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
            reach: Reach::Random,
            id_map: graph.ids().bytes(),
            estimated: false,
            edges_at_most: false,
        }
    }

    /// Returns the topology of a side, if the graph has it.
    pub fn topology(&self, side: Side) -> Option<&TopologyShape> {
        match side {
            Side::In if !self.symmetric => self.incoming.as_ref(),
            _ => Some(&self.out),
        }
    }

    /// Returns the largest number of edges of a vertex on a side.
    pub fn largest_degree(&self, side: Side) -> u64 {
        match side {
            Side::Out => self.largest[0],
            Side::In => self.largest[1],
        }
    }

    /// Bytes of a vertex number stored in an attribute.
    pub fn vertex_bytes(&self) -> usize {
        if self.vertices < u64::from(u32::MAX) { 4 } else { 8 }
    }

    /// Bytes of the pages of all topologies.
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
