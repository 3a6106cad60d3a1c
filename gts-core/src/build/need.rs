//! Estimates the memory of a build in memory from the known properties of the input.

use super::plan::Plan;
use super::{BuildOptions, Declared, DeclaredVertices};

/// Returns the number of vertices if the input declares it.
pub(super) fn declared_vertices(declared: &Declared) -> Option<u64> {
    match &declared.vertices {
        DeclaredVertices::FromEdges => None,
        DeclaredVertices::Range { count, .. } => Some(*count),
        DeclaredVertices::List(list) => Some(list.len() as u64),
    }
}

/// Returns the bytes needed for the tables of `vertices` vertices.
pub(super) fn of_vertices(vertices: u64) -> u64 {
    vertices.saturating_mul(24)
}

/// Returns an upper bound on the bytes needed for a build that stores `arcs` directed edges.
pub(super) fn in_memory(arcs: u64, value_bytes: u64, options: &BuildOptions, vertices: u64) -> u64 {
    // Sorting needs two copies of the edges. In-edges share memory with the pages of the out-edges.
    let pages = if options.in_edges { 5 + value_bytes } else { 0 };
    // The last page may be nearly empty.
    let page = u64::from(options.page_size.unwrap_or(0)) * if options.in_edges { 2 } else { 1 };
    let edges = arcs.saturating_mul(2 * (8 + value_bytes) + pages);
    edges.saturating_add(of_vertices(vertices)).saturating_add(page)
}

/// Returns an upper bound on the bytes needed for a build of `edges` edges, or of the declared number if that is
/// larger. If the input does not declare its vertices, `most_vertices` returns the number of vertices to assume.
pub(super) fn of_stream(
    declared: &Declared,
    options: &BuildOptions,
    edges: u64,
    most_vertices: impl Fn(u64) -> u64,
) -> u64 {
    let edges = edges.max(declared.edges.unwrap_or(0));
    let vertices = declared_vertices(declared).unwrap_or_else(|| most_vertices(edges));
    let value = options.value_type.or(declared.store_as).or(declared.value_type);
    let value_bytes = match (value, Plan::knows_values(declared, options)) {
        (Some(scalar), true) => scalar.bytes(8) as u64,
        (Some(_), false) => 8,
        (None, _) => 0,
    };
    let both_ways = options.adds_reverses(declared.direction);
    in_memory(edges.saturating_mul(if both_ways { 2 } else { 1 }), value_bytes, options, vertices)
}
