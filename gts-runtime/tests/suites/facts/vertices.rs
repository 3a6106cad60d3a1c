//! Vertices as values have the facts of the longer spelling.

use super::{of_edges, of_vertices, uses};
use gts_graph::__private::{Class, Site};
use gts_graph::prelude::*;

#[gts_attributes]
struct Forest {
    #[wa(init = UNREACHED, merge = min)]
    parent: VertexId,
    #[wa(init = 0, merge = any)]
    depth: u32,
    #[wa(init = 0, merge = any)]
    own: u64,
}

#[gts_kernel(scan)]
fn hook(f: &mut Forest, src: Vertex, dst: Vertex) {
    if f.parent[src] != UNREACHED {
        f.parent[f.parent[dst]].fetch_min(src);
    }
}

#[gts_kernel(scan)]
fn hook_at_length(f: &mut Forest, src: Vertex, dst: Vertex) {
    if f.parent[src] != UNREACHED {
        f.parent[Vertex::new(f.parent[dst])].fetch_min(src.id());
    }
}

#[gts_kernel(vertex, racy)]
fn deepen(f: &mut Forest, v: Vertex) {
    f.depth[v] = f.depth[f.parent[v]] + 1;
}

#[gts_kernel(vertex, racy)]
fn deepen_at_length(f: &mut Forest, v: Vertex) {
    f.depth[v] = f.depth[Vertex::new(f.parent[v])] + 1;
}

#[test]
fn an_id_as_an_index_is_a_computed_vertex() {
    for (short, long) in
        [(of_edges(hook), of_edges(hook_at_length)), (of_vertices(deepen), of_vertices(deepen_at_length))]
    {
        let (one, other) = (&short.facts, &long.facts);
        assert_eq!(uses(short), uses(long));
        assert!(uses(short).iter().any(|(_, site, _)| *site == Site::Computed));
        assert_eq!(one.class, other.class);
        assert_eq!(one.merged, other.merged);
        assert_eq!(one.idempotent, other.idempotent);
        assert_eq!(one.replicable.holds(), other.replicable.holds());
        assert_eq!(one.splittable.holds(), other.splittable.holds());
        assert!(!one.splittable.holds(), "a computed vertex may be in another part");
        assert_eq!(one.source_filter, other.source_filter);
        assert_eq!(short.error_sites.len(), long.error_sites.len());
    }
}

#[gts_fn]
fn key(u: Vertex) -> u64 {
    u as u64 * 2 + 1
}

#[gts_kernel(scan)]
fn keyed(f: &mut Forest, src: Vertex, dst: Vertex) {
    if key(src) > 4 {
        f.own[dst] = key(dst);
    }
}

#[test]
fn a_function_of_a_vertex_depends_on_that_vertex() {
    let facts = &of_edges(keyed).facts;
    assert_eq!(facts.class, Class::Ordered);
    assert_eq!(facts.source_filter, Some("key(src) > 4"));
    assert!(facts.replicable.holds() && facts.splittable.holds());
}
