//! Which lists a kernel that intersects meets.

use crate::error::Result;
use crate::kernel::Lists;
use gts_core::contract::{Direction, KernelDescriptor};
use gts_core::graph::{Graph, Side};

/// The topologies of a kernel that intersects: one by which `v` names `w`, and where neighbours of `u` are those along
/// edges either way, the other one too. In a symmetric graph one has all of them.
///
/// # Errors
///
/// The graph was built without in-edges.
pub(crate) fn lists_between<'a>(graph: &'a Graph, kernel: &KernelDescriptor) -> Result<Lists<'a>> {
    let of = |side| graph.topology(side).ok_or_else(|| crate::device::no_in_edges(kernel));
    let both = kernel.sides(graph.properties().symmetric).len() > 1;
    let side = if kernel.direction == Direction::In { Side::In } else { Side::Out };
    Ok(Lists {
        between: of(side)?,
        side,
        other: if both { Some(of(Side::In)?) } else { None },
        oriented: None,
        numbers: None,
        both_ways: false,
    })
}
