//! The names of components.

use gts_runtime::prelude::*;

/// Names components by their smallest original ID. `labels` holds, for each dense vertex, some vertex of its component,
/// the same for all of it; the answer is in the order of the original IDs.
pub(crate) fn named_by_smallest(graph: &Graph, labels: &[VertexId]) -> Result<Vec<u64>> {
    // Kernels compare dense numbers, which need not be in the order of the original IDs. Going through the vertices in
    // that order, the first of a component is the smallest.
    let mut smallest = memory::filled("names of components", labels.len(), u64::MAX)?;
    let component = |vertex: Vertex| {
        let name = &mut smallest[labels[vertex.index()].0 as usize];
        *name = graph.original(vertex).min(*name);
        *name
    };
    let names = graph.ids().in_original_order().map(component);
    Ok(memory::collected("names of components", names)?)
}

/// The number of components that have these names, in the order of the original IDs.
pub(crate) fn count(graph: &Graph, names: &[u64]) -> u64 {
    graph.ids().ascending().zip(names).filter(|(original, name)| original == *name).count() as u64
}
