//! Closeness centrality of given vertices: how near the other vertices are.
//!
//! It is one over the mean distance in hops to the reached vertices (A. Bavelas, 1950), times their share of all other
//! vertices (S. Wasserman, K. Faust, 1994), so that a vertex that reaches few is not close. Paths lead
//! from the vertex or, along in-edges, to it. 64 vertices take little more work than one search ([`searches`]).

use crate::searches::{Reach, SEARCHES, Searches, arrive, extend, extend_back, searches};
use crate::source::{self, SOURCES};
use gts_graph::algorithm::{
    Algorithm, AlgorithmKind, Answer, Arguments, Definition, Needs, NeedsWith, NetworkxCall, Outline, Output,
    Parameter, Scalar, Start, Value, edge_kernel, vertex_kernel,
};
use gts_graph::contract::{ScalarType, Side};
use gts_graph::prelude::*;
use gts_graph::register;

/// Returns the closeness of each of these vertices, in the order of `vertices`; 0 for one that reaches no other. If
/// `side` is [`Side::In`], edges are followed backward, so that the vertices that reach it count.
///
/// # Errors
///
/// As for [`Run::advance`].
///
/// # Examples
///
/// ```
/// use gts_algorithms::closeness::closeness;
/// use gts_graph::contract::Side;
/// use gts_graph::prelude::*;
///
/// let graph = Graph::from_edges([(0, 1), (1, 2), (3, 0)]).expect("sound edges");
/// let vertices = [graph.vertex(3)?, graph.vertex(2)?];
/// let found = closeness(&mut Engine::cpu()?.start(&graph)?, &vertices, Side::Out)?;
/// assert_eq!(found, [0.5, 0.0]);
/// # Ok::<(), Error>(())
/// ```
pub fn closeness(run: &mut Run<Searches>, vertices: &[Vertex], side: Side) -> Result<Vec<f64>> {
    let others = run.graph().num_vertices() as f64 - 1.0;
    let of = |reach: Reach| match reach.vertices {
        0 => 0.0,
        reached => (reached as f64 / reach.distances as f64) * (reached as f64 / others),
    };
    Ok(memory::collected("closenesses", searches(run, vertices, side)?.into_iter().map(of))?)
}

fn run(engine: &Engine, graph: &Graph, arguments: &Arguments) -> Result<Answer> {
    let sources = source::sources(graph, arguments)?;
    let side = if arguments.choice("direction")? == "in" { Side::In } else { Side::Out };
    let found = closeness(&mut engine.start(graph)?, &sources, side)?;
    let values = source::at_vertices(graph, &sources, &found, f64::INFINITY)?;
    Ok(Answer::new().vertices("closeness", values).scalar("sources", Scalar::Unsigned(sources.len() as u64)))
}

const PARAMETERS: [Parameter; 4] = {
    let [source, samples, seed] = SOURCES;
    let direction = Parameter::choice("direction", &["out", "in"], "Direction of paths, from the vertex or to it");
    [source, samples, seed, direction]
};

register! {
    Algorithm::new("closeness", "Closeness centrality of given vertices", run)
        .kind(AlgorithmKind::Centrality)
        .help("One over the mean distance by hops to the vertices that it reaches, times their share of all others. \
               Every vertex takes a search, 64 of them at once: give one, or sample some.")
        .source("A. Bavelas: Communication patterns in task-oriented groups. JASA 22, 1950; scaled as in S. Wasserman, \
                 K. Faust: Social network analysis, 1994")
        .definition(
            Definition::forward(
                "`closeness(s) = r / (n - 1) × r / Σ hops(s, v)` over the `r` other vertices `v` that `s` reaches, \
                 in a graph of `n` vertices. With `--direction in`, `hops(v, s)` counts, over the `v` that reach \
                 `s`.",
            )
            .except(
                "A vertex that reaches no other has closeness 0.",
            )
            .networkx(&[
                NetworkxCall { graph: "MultiDiGraph", flags: "--direction in", call: "nx.closeness_centrality(G)" },
                NetworkxCall { graph: "MultiDiGraph", flags: "--direction out", call: "nx.closeness_centrality(G.reverse())" },
            ]),
        )
        .parameters(&PARAMETERS)
        .needs_with(&[NeedsWith {
            parameter: "direction",
            value: Value::Choice("in"),
            needs: Needs { in_edges: true, ..Needs::NONE },
        }])
        .outputs(&[
            Output::vertices("closeness", &[ScalarType::F64], "How near the others are, from 0 to 1")
                .unreached("the vertex was not asked for"),
            Output::scalar("sources", "Number of vertices that were asked for"),
        ])
        .kernels(&[edge_kernel(extend), edge_kernel(extend_back), vertex_kernel(arrive)])
        .outline(|arguments, graph| {
            let searches = source::searches(arguments, graph, SEARCHES)?;
            let extend = match arguments.choice("direction")? {
                "in" => edge_kernel(extend_back),
                _ => edge_kernel(extend),
            };
            Ok(Outline::while_active(Start::One, [extend, vertex_kernel(arrive)]).searches(searches))
        })
        .check(crate::check::closeness)
}
