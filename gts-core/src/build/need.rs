//! The memory that building in memory takes, as far as the input is known.

use super::plan::Plan;
use super::{BuildOptions, Declared, DeclaredVertices};

/// Number of vertices, where that is declared.
pub(super) fn declared_vertices(declared: &Declared) -> Option<u64> {
    match &declared.vertices {
        DeclaredVertices::FromEdges => None,
        DeclaredVertices::Range { count, .. } => Some(*count),
        DeclaredVertices::List(list) => Some(list.len() as u64),
    }
}

/// Bytes of the tables of so many vertices.
pub(super) fn of_vertices(vertices: u64) -> u64 {
    vertices.saturating_mul(24)
}

/// A bound on the bytes that building takes with so many arcs stored.
pub(super) fn in_memory(arcs: u64, value_bytes: u64, options: &BuildOptions, vertices: u64) -> u64 {
    // Edges are there twice while they are sorted; beside the in-edges stand the pages of the out-edges.
    let pages = if options.in_edges { 5 + value_bytes } else { 0 };
    // The last page may be as good as empty.
    let page = u64::from(options.page_size.unwrap_or(0)) * if options.in_edges { 2 } else { 1 };
    let edges = arcs.saturating_mul(2 * (8 + value_bytes) + pages);
    edges.saturating_add(of_vertices(vertices)).saturating_add(page)
}

/// The same with so many edges read, or more where more are declared; `most_vertices` tells how many vertices are
/// reckoned with where only the edges name them.
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
    let both_ways = declared.direction.adds_reverses(options);
    in_memory(edges.saturating_mul(if both_ways { 2 } else { 1 }), value_bytes, options, vertices)
}
