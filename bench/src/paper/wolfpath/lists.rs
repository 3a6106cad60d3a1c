//! Adjacency lists as plain arrays, and serial searches on them.

use super::runs::UNREACHED;
use gts_graph::cli::program::Failure;
use gts_graph::core::memory;
use gts_graph::core::store::StoreError;
use gts_graph::prelude::{Graph, Vertex};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

/// The out-edges of all vertices. Vertices are numbered in ascending order of their original IDs.
pub(super) struct Lists {
    /// Index of each vertex's first edge, followed by the number of edges.
    offsets: Vec<usize>,
    /// Target of each edge.
    pub(super) targets: Vec<u32>,
    /// Length of each edge.
    pub(super) lengths: Vec<u32>,
}

impl Lists {
    /// Copies the adjacency lists of a graph whose vertices are in original order and whose weights have type u32.
    pub(super) fn of(graph: &Graph) -> Result<Self, Failure> {
        let Some(edges) = graph.weighted_edges::<u32>() else {
            return Err(Failure::other("the edges have no weights of type u32", "give a graph whose weights fit"));
        };
        Ok(Self::copy(graph, edges)?)
    }

    fn copy(
        graph: &Graph,
        edges: impl Iterator<Item = Result<(Vertex, Vertex, u32), StoreError>>,
    ) -> gts_graph::Result<Self> {
        let num_edges = graph.num_edges() as usize;
        let mut offsets = memory::reserved("offsets", graph.num_vertices() as usize + 1)?;
        offsets.push(0);
        for &degree in graph.out_degrees() {
            offsets.push(offsets[offsets.len() - 1] + degree as usize);
        }
        let (mut targets, mut lengths) =
            (memory::reserved("targets", num_edges)?, memory::reserved("lengths", num_edges)?);
        // Edges arrive in the order of their sources, so the lists are contiguous.
        for edge in edges {
            let (_, target, length) = edge?;
            targets.push(target.dense() as u32);
            lengths.push(length);
        }
        Ok(Self { offsets, targets, lengths })
    }

    /// Sets the length of every edge to 1.
    pub(super) fn with_equal_lengths(mut self) -> Self {
        self.lengths.fill(1);
        self
    }

    /// Returns the number of vertices.
    pub(super) fn vertices(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Returns the indices of a vertex's edges.
    pub(super) fn edges(&self, vertex: u32) -> Range<usize> {
        self.offsets[vertex as usize]..self.offsets[vertex as usize + 1]
    }

    /// Returns the distance of each vertex from `root` by Dijkstra's algorithm (1959). `length` maps an edge's index to
    /// its length.
    pub(super) fn distances(&self, root: u32, length: impl Fn(usize) -> u32) -> gts_graph::Result<Vec<u32>> {
        let mut distances = memory::filled("distances", self.vertices(), UNREACHED)?;
        let mut near = BinaryHeap::from([Reverse((0, root))]);
        distances[root as usize] = 0;
        while let Some(Reverse((distance, vertex))) = near.pop() {
            if distance > distances[vertex as usize] {
                continue;
            }
            for edge in self.edges(vertex) {
                let (target, through) = (self.targets[edge], u32::saturating_add(distance, length(edge)));
                if through < distances[target as usize] {
                    distances[target as usize] = through;
                    near.push(Reverse((through, target)));
                }
            }
        }
        Ok(distances)
    }

    /// Returns a start vertex: vertex 0 or the vertex with the most edges, whichever reaches more vertices.
    pub(super) fn root(&self) -> gts_graph::Result<u32> {
        let hub = (0..self.vertices() as u32).max_by_key(|&vertex| (self.edges(vertex).len(), Reverse(vertex)));
        let reached = |root| Ok::<_, gts_graph::Error>(reached(&self.distances(root, |_| 1)?));
        match hub {
            Some(hub) if reached(hub)? > reached(0)? => Ok(hub),
            _ => Ok(0),
        }
    }
}

/// Returns the number of reached vertices.
pub(super) fn reached(distances: &[u32]) -> usize {
    distances.iter().filter(|&&distance| distance != UNREACHED).count()
}
