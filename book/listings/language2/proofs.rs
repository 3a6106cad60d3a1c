//! Kernels of the classes that the macro proves.

use gts_graph::algorithm::edge_kernel;
use gts_graph::contract::Class;
use gts_graph::prelude::*;

// ANCHOR: attributes
/// Vertices around a root.
#[gts_attributes]
pub struct Reach {
    /// Edges that end at the vertex.
    #[wa(init = 0, merge = sum)]
    pub edges: u64,
    /// Hops from the root, or `UNREACHED`.
    #[wa(init = UNREACHED, merge = min)]
    pub level: u32,
    /// Smallest number of a vertex with a path to this one.
    #[wa(init = UNREACHED, merge = min)]
    pub label: VertexId,
    /// Vertices reached in the step.
    #[global(merge = sum)]
    pub found: u64,
}
// ANCHOR_END: attributes

// ANCHOR: count
#[gts_kernel(scan)]
fn count(r: &mut Reach, src: Vertex, dst: Vertex) {
    r.edges[dst] += 1;
}
// ANCHOR_END: count

// ANCHOR: expand
#[gts_kernel(traverse)]
fn expand(r: &mut Reach, src: Vertex, dst: Vertex) {
    if r.level[dst] == UNREACHED {
        r.level[dst] = step() + 1;
        activate(dst);
    }
}
// ANCHOR_END: expand

// ANCHOR: spread
#[gts_kernel(traverse)]
fn spread(r: &mut Reach, src: Vertex, dst: Vertex) {
    let label = r.label[src];
    if r.label[dst].fetch_min(label) > label {
        activate(dst);
    }
}
// ANCHOR_END: spread

// ANCHOR: settled
#[gts_kernel(vertex)]
fn tally(r: &mut Reach, v: Vertex) {
    r.found += 1;
}

/// Returns the number of vertices at each distance from `root`.
fn layers(engine: &Engine, graph: &Graph, root: u64) -> Result<Vec<u64>> {
    let root = graph.vertex(root)?;
    let mut run = engine.start::<Reach>(graph)?;
    run.set(Reach::LEVEL, root, 0)?;
    run.activate(root)?;
    let mut layers = vec![1];
    while run.advance(expand)? > 0 {
        run.apply_active(tally)?;
        layers.push(run.global(Reach::FOUND)?);
    }
    Ok(layers)
}
// ANCHOR_END: settled

// ANCHOR: racy
#[gts_kernel(scan, racy)]
fn last(r: &mut Reach, src: Vertex, dst: Vertex) {
    r.level[dst] = r.level[src];
}
// ANCHOR_END: racy

// ANCHOR: classes
#[test]
fn classes_are_as_the_chapter_states() {
    assert_eq!(edge_kernel(count).facts.class, Class::Ordered);
    assert_eq!(edge_kernel(expand).facts.class, Class::Ordered);
    assert_eq!(edge_kernel(spread).facts.class, Class::Monotone);
    assert_eq!(edge_kernel(last).facts.class, Class::Racy);
}
// ANCHOR_END: classes

#[test]
fn each_vertex_is_found_once() -> Result<(), Box<dyn std::error::Error>> {
    let graph = Graph::from_edges([(1, 2), (1, 3), (2, 4), (3, 4), (4, 5), (9, 1)])?;
    assert_eq!(layers(&Engine::cpu()?, &graph, 1)?, [1, 2, 1, 1]);
    assert_eq!(layers(&Engine::cpu()?, &graph, 5)?, [1]);
    Ok(())
}

#[test]
fn labels_are_the_smallest_at_the_fixpoint() -> Result<(), Box<dyn std::error::Error>> {
    let graph = Graph::from_edges([(0, 1), (1, 2), (2, 3), (3, 1), (5, 4), (4, 5)])?;
    let mut run = Engine::cpu()?.start::<Reach>(&graph)?;
    for v in 0..6 {
        run.set(Reach::LABEL, graph.vertex(v)?, graph.vertex(v)?.into())?;
    }
    run.activate_all()?;
    run.traverse(spread)?;
    let labels: Vec<u64> = run.take(Reach::LABEL)?.into_iter().map(u64::from).collect();
    assert_eq!(labels, [0, 0, 0, 0, 4, 4]);
    Ok(())
}
