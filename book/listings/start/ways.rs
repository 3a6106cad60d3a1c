//! Hops, and the vertex before each one on a shortest path: two attributes, two kernels.

use gts_graph::algorithm::{
    Algorithm, Answer, Arguments, Output, Parameter, Verdict, edge_kernel,
};
use gts_graph::contract::ScalarType;
use gts_graph::prelude::*;

// ANCHOR: attributes
/// Shortest paths from the nearest source.
#[gts_attributes]
pub struct Ways {
    /// Hops to the vertex, or `UNREACHED`.
    #[wa(init = UNREACHED, merge = min)]
    pub level: u32,
    /// The vertex before this one on a shortest path.
    #[wa(init = UNREACHED, merge = min)]
    pub before: VertexId,
}
// ANCHOR_END: attributes

#[gts_kernel(traverse)]
fn expand(ways: &mut Ways, src: Vertex, dst: Vertex) {
    if ways.level[dst] == UNREACHED {
        ways.level[dst] = step() + 1;
        activate(dst);
    }
}

// ANCHOR: scan
#[gts_kernel(scan)]
fn look_back(ways: &mut Ways, src: Vertex, dst: Vertex) {
    if ways.level[src] < ways.level[dst] {
        ways.before[dst].fetch_min(src);
    }
}
// ANCHOR_END: scan

// ANCHOR: driver
fn run(
    engine: &Engine,
    graph: &Graph,
    arguments: &Arguments,
) -> Result<Answer> {
    let mut run = engine.start::<Ways>(graph)?;
    for source in arguments.vertices(graph, "sources")? {
        run.set(Ways::LEVEL, source, 0)?;
        run.activate(source)?;
    }
    run.traverse(expand)?;
    run.scan(look_back)?;
    Ok(Answer::new()
        .vertices("level", run.take(Ways::LEVEL)?)
        .vertices("before", run.take(Ways::BEFORE)?))
}
// ANCHOR_END: driver

// ANCHOR: register
gts_graph::register! {
    Algorithm::new("ways", "Shortest paths from the nearest source", run)
        .parameters(&[Parameter::vertices("sources", "Vertices to start from")])
        .outputs(&[
            Output::vertices("level", &[ScalarType::U32], "Hops to the vertex")
                .unreached("no path"),
            Output::vertices("before", &[ScalarType::VertexId], "Vertex before it")
                .unreached("a source, or no path"),
        ])
        .kernels(&[edge_kernel(expand), edge_kernel(look_back)])
}
// ANCHOR_END: register

/// Compares the answer with rounds over all edges, which continue until no level becomes smaller.
pub fn serial(
    graph: &Graph,
    arguments: &Arguments,
    answer: &Answer,
) -> Result<Verdict> {
    let mut level = vec![u32::MAX; graph.num_vertices() as usize];
    for source in arguments.vertices(graph, "sources")? {
        level[source.index()] = 0;
    }
    let mut changed = true;
    while changed {
        changed = false;
        for edge in graph.edges() {
            let (src, dst) = edge?;
            let through = level[src.index()].saturating_add(1);
            if through < level[dst.index()] {
                level[dst.index()] = through;
                changed = true;
            }
        }
    }
    // ANCHOR: smallest
    let mut before = vec![u64::MAX; graph.num_vertices() as usize];
    for edge in graph.edges() {
        let (src, dst) = edge?;
        if level[src.index()] < level[dst.index()] {
            let id = graph.original(src);
            before[dst.index()] = id.min(before[dst.index()]);
        }
    }
    // ANCHOR_END: smallest
    // ANCHOR: compared
    let verdict = answer.compared(graph, "level", &level);
    Ok(match verdict {
        Verdict::Agrees(_) => answer.compared(graph, "before", &before),
        Verdict::Differs(_) => verdict,
    })
    // ANCHOR_END: compared
}

/// Kernels compare numbers of vertices, and the serial version compares IDs. The orders of both may differ.
#[test]
fn the_smallest_number_is_not_the_smallest_id() {
    let algorithm = gts_graph::conformance::Conformance::of("ways")
        .oracle(serial)
        .with("sources", "@0,@7");
    let failure =
        algorithm.special_graphs().expect_err("a graph in random order");
    let printed = format!("Error: {failure:?}");
    assert_eq!(printed, super::words("book/listings/start/ways.txt"));
}

#[test]
fn of_two_ways_the_smaller_vertex_counts()
-> Result<(), Box<dyn std::error::Error>> {
    let graph = Graph::from_edges([(1, 2), (1, 3), (3, 4), (2, 4), (9, 1)])?;
    let algorithm =
        gts_graph::algorithm::find("ways").expect("registered above");
    let arguments = Arguments::of(algorithm).with("sources", "1")?;
    let answer = run(&Engine::cpu()?, &graph, &arguments)?;
    assert_eq!(
        answer.values("level"),
        Some(&vec![0, 1, 1, 2, u32::MAX].into())
    );
    let none = u64::MAX;
    let before =
        gts_graph::algorithm::Values::Vertex(vec![none, 1, 1, 2, none]);
    assert_eq!(answer.values("before"), Some(&before));
    Ok(())
}
