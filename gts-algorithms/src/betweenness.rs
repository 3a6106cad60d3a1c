//! Betweenness centrality: the number of shortest paths between other vertices that lead through each vertex.
//!
//! A search from each source counts shortest paths level by level; going back from the deepest level, each vertex
//! passes the vertices before it their share of its dependency (U. Brandes, 2001). Level by level, the order of sums
//! does not matter: a vertex gathers from one level while the values that it reads are not written. A source takes two
//! passes over its edges, and a pass over all vertices per level. With some of the vertices as sources, the sums are
//! over these. The sums can be halved, or divided by the number of pairs of a source and a target.

use crate::source::{self, SOURCES};
use gts_graph::algorithm::{
    Algorithm, AlgorithmKind, Answer, Arguments, Definition, NetworkxCall, Outline, Output, Parameter, Scalar, Start,
    edge_kernel, vertex_kernel,
};
use gts_graph::contract::ScalarType;
use gts_graph::core::summaries;
use gts_graph::prelude::*;
use gts_graph::register;

/// Shortest paths from one source, and the centrality so far.
#[gts_attributes]
pub struct Betweenness {
    /// Hops from the source.
    #[wa(init = UNREACHED, merge = min)]
    pub level: u32,
    /// Number of shortest paths from the source.
    #[wa(init = 0.0, merge = sum)]
    pub paths: f64,
    /// Paths, and on the way back shares, of the neighbours one level before.
    #[wa(init = 0.0, merge = sum)]
    pub gathered: f64,
    /// What each shortest path to the vertex is worth: 1 and what depends on the vertex, over its paths.
    #[wa(init = 0.0, merge = sum)]
    pub share: f64,
    /// Sum of the shares of shortest paths that lead through the vertex, over all sources.
    #[wa(init = 0.0, merge = sum)]
    pub centrality: f64,
    /// The level that shares are handed back from.
    #[param]
    pub depth: u32,
}

#[gts_kernel(traverse)]
fn count(bc: &mut Betweenness, src: Vertex, dst: Vertex) {
    if bc.level[dst] == UNREACHED {
        bc.gathered[dst] += bc.paths[src];
        activate(dst);
    }
}

#[gts_kernel(vertex)]
fn settle(bc: &mut Betweenness, v: Vertex) {
    bc.level[v] = step();
    bc.paths[v] = bc.gathered[v];
    bc.gathered[v] = 0.0;
    activate(v);
}

#[gts_kernel(vertex)]
fn depend(bc: &mut Betweenness, v: Vertex) {
    if bc.level[v] == bc.depth {
        let dependency = bc.paths[v] * bc.gathered[v];
        bc.share[v] = (1.0 + dependency) / bc.paths[v];
        bc.centrality[v] += dependency;
        activate(v);
    }
}

#[gts_kernel(traverse(in))]
fn hand_back(bc: &mut Betweenness, src: Vertex, dst: Vertex) {
    if bc.level[dst] == bc.depth - 1 {
        bc.gathered[dst] += bc.share[src];
    }
}

/// Returns the centrality of every vertex, in the order of the original IDs: for each of the sources and each other
/// vertex, the share of the shortest paths between them that leads through the vertex, without their ends. With all
/// vertices as sources it is exact; in an undirected graph each pair then counts twice.
///
/// # Errors
///
/// As for [`Run::traverse`]: the graph must have in-edges, or be symmetric. Also if there are more shortest paths than
/// f64 can count.
///
/// # Examples
///
/// ```
/// use gts_algorithms::betweenness::betweenness;
/// use gts_graph::prelude::*;
///
/// let graph = Graph::builder().edges([(0, 1), (0, 2), (1, 3), (2, 3), (3, 4)]).in_edges(true).build().expect("sound");
/// let sources = (0..5).map(Vertex::from_dense);
/// assert_eq!(betweenness(&mut Engine::cpu()?.start(&graph)?, sources)?, [0.0, 1.0, 1.0, 3.0, 0.0]);
/// # Ok::<(), Error>(())
/// ```
pub fn betweenness(run: &mut Run<Betweenness>, sources: impl IntoIterator<Item = Vertex>) -> Result<Vec<f64>> {
    for source in sources {
        run.fill(Betweenness::LEVEL, u32::MAX)?;
        run.fill(Betweenness::GATHERED, 0.0)?;
        run.set(Betweenness::LEVEL, source, 0)?;
        run.set(Betweenness::PATHS, source, 1.0)?;
        run.clear_frontier()?;
        run.activate(source)?;
        run.set_step(0);
        let mut deepest = 0;
        while run.advance(count)? > 0 {
            run.apply_active(settle)?;
            deepest += 1;
        }
        for depth in (1..=deepest).rev() {
            run.set_param(Betweenness::DEPTH, depth)?;
            run.apply(depend)?;
            run.advance(hand_back)?;
        }
    }
    let centrality = run.take(Betweenness::CENTRALITY)?;
    // An infinite number of paths times a share of 0 is NaN.
    match summaries::first(&centrality, |value| value.is_nan()) {
        None => Ok(centrality),
        Some(rank) => Err(Error::argument_with_advice(
            format_args!("vertex {}", source::original_of_rank(run.graph(), rank)),
            "more shortest paths lead to it than f64 can count",
            "leave out sources that are as far away",
        )),
    }
}

fn run(engine: &Engine, graph: &Graph, arguments: &Arguments) -> Result<Answer> {
    let sources = source::sources(graph, arguments)?;
    let mut centrality = betweenness(&mut engine.start(graph)?, sources.iter().copied())?;
    match arguments.choice("scale")? {
        "half" => summaries::change(&mut centrality, |value| *value *= 0.5),
        "networkx" => divide_by_pairs(graph, &sources, &mut centrality),
        _ => {}
    }
    Ok(Answer::new().vertices("centrality", centrality).scalar("sources", Scalar::Unsigned(sources.len() as u64)))
}

/// Divides each value by the number of pairs of a source and a target that are both other vertices. The only source has
/// no such pairs, and gets no value. In a graph of fewer than three vertices, all values are 0.
fn divide_by_pairs(graph: &Graph, sources: &[Vertex], centrality: &mut [f64]) {
    let Some(targets) = graph.num_vertices().checked_sub(2).filter(|targets| *targets > 0) else { return };
    let count = sources.len() as f64;
    for rank in sources.iter().filter_map(|source| graph.ids().rank(*source)) {
        let value = &mut centrality[rank as usize];
        *value = if sources.len() == 1 { f64::INFINITY } else { *value * count / (count - 1.0) };
    }
    let pairs = count * targets as f64;
    summaries::change(centrality, |value| *value /= pairs);
}

const PARAMETERS: [Parameter; 4] = {
    let [source, samples, seed] = SOURCES;
    let scale =
        Parameter::choice("scale", &["none", "half", "networkx"], "Divisor of the sums: 1, 2 or the number of pairs");
    [source, samples, seed, scale]
};

register! {
    Algorithm::new("betweenness", "Betweenness centrality: shortest paths that lead through each vertex", run)
        .kind(AlgorithmKind::Centrality)
        .aliases(&["bc"])
        .help("Sums, over sources and targets, the share of shortest paths by hops through a vertex. Exact if every \
               vertex is a source, which takes a search each: sample some in a large graph.")
        .source("U. Brandes: A faster algorithm for betweenness centrality. Journal of Mathematical Sociology 25, 2001")
        .definition(
            Definition::forward(
                "`centrality(v) = Σ paths(s, t, v) / paths(s, t)` over the sources `s` and all `t` that `s` reaches, \
                 where `v` is neither of them. `paths(s, t)` counts the shortest paths by hops, `paths(s, t, v)` \
                 those through `v`. A pair in an undirected graph counts twice; `--scale half` halves the sums. \
                 `--scale networkx` divides each sum by its number of pairs, `k (n - 2)` for `k` sources, or `(k - \
                 1) (n - 2)` if `v` is a source.",
            )
            .counting_parallel()
            .except(
                "A vertex that is not reached adds nothing. In `--scale networkx`, the only source has no pairs, and \
                 gets no value.",
            )
            .networkx(&[
                NetworkxCall { graph: "DiGraph", flags: "--scale networkx", call: "nx.betweenness_centrality(G)" },
                NetworkxCall { graph: "DiGraph", flags: "--scale none", call: "nx.betweenness_centrality(G, normalized=False)" },
                NetworkxCall { graph: "Graph", flags: "--scale half", call: "nx.betweenness_centrality(G, normalized=False)" },
                NetworkxCall { graph: "Graph", flags: "--scale networkx", call: "nx.betweenness_centrality(G)" },
            ]),
        )
        .in_edges()
        .parameters(&PARAMETERS)
        .outputs(&[
            Output::vertices("centrality", &[ScalarType::F64], "Shares of shortest paths through the vertex")
                .unreached("the vertex is the only source, and --scale networkx divides by its pairs of others"),
            Output::scalar("sources", "Number of sources"),
        ])
        .kernels(&[edge_kernel(count), vertex_kernel(settle), vertex_kernel(depend), edge_kernel(hand_back)])
        .outline(|arguments, graph| {
            let kernels =
                [edge_kernel(count), vertex_kernel(settle), vertex_kernel(depend), edge_kernel(hand_back)];
            let searches = source::searches(arguments, graph, 1)?;
            Ok(Outline::while_active(Start::One, kernels).active_once().searches(searches))
        })
        .check(crate::check::betweenness)
}
