//! Adjacency arrays for the baseline implementations.

use gts_core::graph::Graph;

/// Compressed sparse rows: the neighbours of vertex `v` are `targets[offsets[v]..offsets[v + 1]]`.
#[derive(Clone, Debug)]
pub(crate) struct Csr {
    /// Index of each vertex's first neighbour in `targets`, followed by the length of `targets`.
    pub(crate) offsets: Vec<usize>,
    /// Neighbours of all vertices, as dense numbers.
    pub(crate) targets: Vec<u32>,
}

impl Csr {
    /// Creates the rows of out-neighbours. Vertices are dense numbers.
    pub(crate) fn out(graph: &Graph) -> Self {
        Self::collect(graph, graph.out_degrees(), |edge| edge)
    }

    /// Creates the rows of in-neighbours. Vertices are dense numbers.
    pub(crate) fn incoming(graph: &Graph) -> Self {
        let mut degrees = vec![0; graph.num_vertices() as usize];
        for (_, dst) in edges(graph) {
            degrees[dst as usize] += 1;
        }
        Self::collect(graph, &degrees, |(src, dst)| (dst, src))
    }

    fn collect(graph: &Graph, degrees: &[u32], turn: impl Fn((u64, u64)) -> (u64, u64)) -> Self {
        let mut offsets = Vec::with_capacity(degrees.len() + 1);
        offsets.push(0);
        let mut end = 0;
        offsets.extend(degrees.iter().map(|&degree| {
            end += degree as usize;
            end
        }));
        let mut next = offsets.clone();
        let mut targets = vec![0; end];
        for edge in edges(graph) {
            let (row, target) = turn(edge);
            let place = &mut next[row as usize];
            targets[*place] = target as u32;
            *place += 1;
        }
        Self { offsets, targets }
    }

    /// Returns the number of vertices.
    pub(crate) fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Returns the neighbours of a vertex.
    pub(crate) fn row(&self, vertex: usize) -> &[u32] {
        &self.targets[self.offsets[vertex]..self.offsets[vertex + 1]]
    }
}

/// Returns the edges of an in-memory graph. Reading these edges cannot fail.
fn edges(graph: &Graph) -> impl Iterator<Item = (u64, u64)> + '_ {
    graph.edges().map(|edge| edge.expect("the pages are in memory")).map(|(src, dst)| (src.dense(), dst.dense()))
}
