//! Weakly connected components, computed with a union-find forest.

use crate::data::PlainGraph;

/// Returns the smallest ID in each vertex's component.
pub fn components(graph: &PlainGraph) -> Vec<u64> {
    let mut parents: Vec<usize> = (0..graph.len()).collect();
    for arc in &graph.arcs {
        let (a, b) = (root(&mut parents, arc.src as usize), root(&mut parents, arc.dst as usize));
        // The smaller rank becomes the root. A root is therefore the smallest vertex of its set.
        parents[a.max(b)] = a.min(b);
    }
    (0..graph.len()).map(|vertex| graph.ids[root(&mut parents, vertex)]).collect()
}

fn root(parents: &mut [usize], mut vertex: usize) -> usize {
    while parents[vertex] != vertex {
        parents[vertex] = parents[parents[vertex]];
        vertex = parents[vertex];
    }
    vertex
}
