//! The names of components.

use gts_runtime::core::summaries;
use gts_runtime::prelude::*;

/// Names components by their smallest original ID. `labels` holds, for each dense vertex, some vertex of its component,
/// the same for all of it; the answer is in the order of the original IDs.
pub(crate) fn named_by_smallest(graph: &Graph, labels: &[VertexId]) -> Result<Vec<u64>> {
    // Kernels compare dense numbers, which need not be in the order of the original IDs.
    Ok(graph.relabel("names of components", labels)?)
}

/// The number of components that have these names, in the order of the original IDs.
pub(crate) fn count(graph: &Graph, names: &[u64]) -> u64 {
    let ids = graph.ids();
    summaries::count_below(names.len(), |rank| ids.original_of_rank(rank as u64) == Some(names[rank]))
}
