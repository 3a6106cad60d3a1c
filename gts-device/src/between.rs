//! Selects the topologies that an intersecting kernel reads.

use crate::error::Result;
use crate::kernel::Lists;
use gts_contract::{KernelDescriptor, Side};
use gts_core::graph::Graph;

/// Returns the topologies that an intersecting kernel reads: the topology that contains the edges from `v` to `w`, and
/// the opposite topology if the kernel visits edges in both directions. A symmetric graph has a single topology for
/// both directions.
///
/// # Errors
///
/// The graph was built without in-edges.
pub fn lists_between<'a>(graph: &'a Graph, kernel: &KernelDescriptor) -> Result<Lists<'a>> {
    let of = |side| graph.topology(side).ok_or_else(|| crate::no_in_edges(kernel));
    let sides = kernel.sides(graph.properties().symmetric);
    let side = sides.first().copied().unwrap_or(Side::Out);
    Ok(Lists {
        between: of(side)?,
        side,
        other: sides.get(1).map(|&side| of(side)).transpose()?,
        oriented: None,
        numbers: None,
        both_ways: false,
    })
}
