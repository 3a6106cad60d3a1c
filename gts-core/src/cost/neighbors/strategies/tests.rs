//! Compares the model with results computed by hand.

use super::*;
use crate::cost::AccessTime;
use crate::cost::tests::{cuda, graph, kernel};

/// Returns a machine with round numbers: random accesses take 1 ns, waits take 1 us with 100 concurrent warps, and
/// instructions take 1 ps.
fn machine() -> ProcessorConstants {
    let times = |seconds| vec![AccessTime { working_set: 1, seconds }];
    let accesses = AccessConstants {
        cache: 0,
        warps: 100,
        reads: times(1e-9),
        writes: times(1e-9),
        atomics: times(2e-9),
        waits: times(1e-6),
        contended: 5e-9,
        instruction: 1e-12,
    };
    ProcessorConstants { accesses, memory_rate: 1e12, ..cuda() }
}

/// Returns a page of 1024 vertices with 32 entries each. One vertex has 64 additional entries.
fn page() -> ListClass {
    let mut lists = [32u32; 1024];
    lists[7] += 64;
    ListClass::of_page(1024, 32 * 1024 + 64, &crate::page::PageImbalance::of(&lists))
}

fn shape() -> GraphShape {
    let lists = ListShape { classes: vec![page()], large_entries: 0.0, local: 0.0 };
    GraphShape { vertices: 1024, edges: 32 * 1024 + 64, lists, symmetric: true, ..graph() }
}

fn terms(kernel: &KernelShape, pulls: bool, technique: Technique) -> Terms {
    PassShape::of(&shape(), kernel, pulls).unwrap().terms(technique, &machine())
}

#[test]
fn a_push_by_equal_shares_by_hand() {
    let entries = f64::from(32 * 1024 + 64);
    let found = terms(&kernel(KernelKind::Scan), false, Technique::Balanced);
    // Each entry has four bytes, and each vertex a slot and four source bytes. Each edge causes an atomic addition.
    let bytes = 4.0 * entries + 1024.0 * 8.0;
    assert_eq!((found.bytes, found.sectors, found.imbalance), (bytes, entries, 1.0));
    assert!((found.memory - (bytes / 1e12 + entries * 2e-9)).abs() < 1e-12);
    // Each share begins with a search. Each window needs a search for owners and a read at the source, and four windows
    // share two waits.
    let windows = entries / 32.0;
    let waits = entries / 512.0 * 4.0 + (windows + 32.0) + windows + windows / 4.0 * 2.0;
    assert!((found.waits - waits * 1e-6 / 100.0).abs() < 1e-9, "{} for {}", found.waits, waits * 1e-8);
    // The largest in-degree is 64.
    assert!((found.contention - 64.0 * 5e-9).abs() < 1e-15);
    // A share has 16 windows. Each window has a search for owners, a read at the source and a quarter of two waits.
    assert!((found.tail - 16.0 * 2.5e-6).abs() < 1e-12, "{}", found.tail);
}

#[test]
fn lanes_that_wait_cost_and_long_lists_bound() {
    let scan = kernel(KernelKind::Scan);
    let found = |technique| terms(&scan, false, technique);
    let (vertex, warp) = (found(Technique::Vertex), found(Technique::Edge(gts_contract::VirtualWarp::W32)));
    // One warp of 32 vertices walks 64 additional entries: 64 steps of 32 lanes.
    assert!((vertex.imbalance - (32.0 * 1024.0 + 64.0 * 32.0) / (32.0 * 1024.0 + 64.0)).abs() < 0.02);
    assert!((warp.imbalance - 1.0).abs() < 0.02);
    assert!((vertex.tail - 96.0 * 2e-6).abs() < 1e-9 && (warp.tail - 3.0 * 2e-6).abs() < 1e-9);
    assert!(vertex.instructions < warp.instructions, "a visit of a whole warp takes more");
}

#[test]
fn a_pull_updates_no_other_vertex() {
    let scan = KernelShape { may_pull: true, handed: Some(4), ..kernel(KernelKind::Scan) };
    let (push, pull) = (terms(&scan, false, Technique::Balanced), terms(&scan, true, Technique::Balanced));
    assert_eq!((pull.contention, pull.sectors), (0.0, push.sectors));
    assert!(pull.memory < push.memory, "a read takes half of an atomic addition");
    assert!(PassShape::of(&shape(), &kernel(KernelKind::Scan), true).is_none());
    assert!(PassShape::of(&shape(), &kernel(KernelKind::Vertex), false).is_none());
}

#[test]
fn who_leaves_a_list_early_looks_at_few_entries() {
    // Half of the entries are active. On average a lane checks two entries, and the slowest of 32 vertices checks six.
    let (entries, steps, longest) = looked_at(1024.0, 1.0, (1e9, 1e9, 1e9));
    assert_eq!((entries, steps, longest), (2048.0, 6.0 * 1024.0, 6.0));
    assert_eq!(looked_at(1024.0, 1.0, (1024.0, 1024.0, 1.0)), (1024.0, 1024.0, 1.0));
    let (_, steps, longest) = looked_at(1024.0, 32.0, (1e9, 1e9, 1e9));
    assert!((steps - 32.0 * 1024.0).abs() < 1e-3 && (longest - 1.0).abs() < 1e-6);
}

#[test]
fn the_cache_holds_the_vertices_of_the_most_edges() {
    let class = |vertices, in_degree| DegreeClass {
        vertices,
        out_degree: 1.0,
        in_degree,
        spread: crate::graph::DegreeSpread::Even,
    };
    let shape = GraphShape { classes: vec![class(900.0, 1.0), class(100.0, 91.0)], ..shape() };
    let scan = kernel(KernelKind::Scan);
    let pass = PassShape::of(&shape, &scan, false).unwrap();
    let cached = |cache| pass.cached(&AccessConstants { cache, ..machine().accesses });
    assert_eq!((cached(0), cached(1 << 20)), (0.0, 1.0));
    // The cache has room for the hundred vertices with nine tenths of the edges.
    assert!((cached(400) - 0.91).abs() < 1e-9);
}

#[test]
fn an_update_that_may_change_nothing_is_looked_at_first() {
    let labels = KernelShape { idempotent: true, once: false, leaves_early: false, ..kernel(KernelKind::Traverse) };
    let found = |kernel: &KernelShape| terms(kernel, false, Technique::Balanced);
    let (looks, adds) = (found(&labels), found(&KernelShape { idempotent: false, ..labels.clone() }));
    // A read takes 1 ns per entry. An update takes 2 ns, and so does activating a vertex.
    let (entries, updates) = (f64::from(32 * 1024 + 64), 1024.0);
    assert!((looks.memory - adds.memory - (entries + updates * 4.0 - entries * 4.0) * 1e-9).abs() < 1e-12);
    assert_eq!((looks.contention, adds.contention), (0.0, 64.0 * 5e-9));
}

#[test]
fn sectors_of_entries_stay_in_own_caches_where_a_scan_walks_near_vertices() {
    let scan = kernel(KernelKind::Scan);
    let near = |kernel: &KernelShape, local| {
        let lists = ListShape { classes: vec![page()], large_entries: 0.0, local };
        let graph = GraphShape { lists, ..shape() };
        PassShape::of(&graph, kernel, false).unwrap().terms(Technique::Vertex, &machine())
    };
    let (anywhere, half, all) = (near(&scan, 0.0), near(&scan, 0.5), near(&scan, 1.0));
    // Each of the 32,832 four-byte entries needs a sector. An eighth of these bytes already counts as sequential reads.
    let apart = f64::from(32 * 1024 + 64) * 7.0 / 8.0 * 1e-9;
    assert_eq!(anywhere.own_caches, 0.0);
    assert!((half.own_caches - apart / 2.0).abs() < 1e-12 && (all.own_caches - apart).abs() < 1e-12);
    assert!(all.memory < half.memory && half.memory < anywhere.memory);
    assert_eq!(near(&kernel(KernelKind::Traverse), 1.0).own_caches, 0.0, "lists of active vertices lie apart");
}
