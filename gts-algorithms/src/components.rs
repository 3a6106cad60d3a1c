//! Counts components.

use gts_graph::core::summaries;
use gts_graph::prelude::*;

/// Returns the number of components with these names, which are in the order of the original IDs.
pub(crate) fn count(graph: &Graph, names: &[u64]) -> u64 {
    let ids = graph.ids();
    summaries::count_below(names.len(), |rank| ids.original_of_rank(rank as u64) == Some(names[rank]))
}
