//! Core numbers: the largest k such that a vertex is in a subgraph in which every vertex has at least k neighbours.
//!
//! Peeling (S. B. Seidman, 1983; V. Batagelj, M. Zaversnik, 2003), level by level: while a vertex has at most k edges
//! to remaining vertices, it is removed with core number k; then k rises to the least remaining degree. Every edge is
//! visited twice, once to count degrees. Each round of removals takes a pass over the vertices that lost an edge, and
//! each core number that occurs a pass over all vertices.

use crate::requirements;
use gts_graph::algorithm::{
    Algorithm, AlgorithmKind, Answer, Arguments, Definition, NetworkxCall, Outline, Output, Scalar, Start, Summary,
    edge_kernel, vertex_kernel,
};
use gts_graph::contract::ScalarType;
use gts_graph::core::summaries;
use gts_graph::prelude::*;
use gts_graph::register;

/// Core numbers.
#[gts_attributes]
pub struct KCore {
    /// Core number, once the vertex is removed.
    #[wa(init = UNREACHED, merge = min)]
    pub core: u32,
    /// Edges to other vertices that are left.
    #[wa(init = 0, merge = sum)]
    pub degree: u32,
    /// Vertices of at most this degree are removed.
    #[param]
    pub k: u32,
    /// Least degree left.
    #[global(merge = min)]
    pub least: u32,
}

// A self-loop is no edge to another vertex.
#[gts_kernel(scan)]
fn tally(cores: &mut KCore, src: Vertex, dst: Vertex) {
    if src != dst {
        cores.degree[dst] += 1;
    }
}

#[gts_kernel(vertex)]
fn peel(cores: &mut KCore, v: Vertex) {
    if cores.core[v] == UNREACHED {
        if cores.degree[v] <= cores.k {
            cores.core[v] = cores.k;
            activate(v);
        } else {
            cores.least.fetch_min(cores.degree[v]);
        }
    }
}

#[gts_kernel(traverse)]
fn remove(cores: &mut KCore, src: Vertex, dst: Vertex) {
    if cores.core[dst] == UNREACHED {
        cores.degree[dst] -= 1;
        activate(dst);
    }
}

/// Returns the core number of every vertex, in the order of the original IDs. Parallel edges count separately,
/// self-loops do not count.
///
/// # Errors
///
/// As for [`Run::traverse`]; also if the graph is not symmetric.
///
/// # Examples
///
/// ```
/// use gts_algorithms::k_core::k_core;
/// use gts_graph::prelude::*;
///
/// let graph = Graph::builder().edges([(1, 2), (2, 3), (3, 1), (3, 4)]).symmetrise(true).build().expect("sound edges");
/// assert_eq!(k_core(&mut Engine::cpu()?.start(&graph)?)?, [2, 2, 2, 1]);
/// # Ok::<(), Error>(())
/// ```
pub fn k_core(run: &mut Run<KCore>) -> Result<Vec<u32>> {
    requirements::undirected(run.graph(), "k-core")?;
    run.scan(tally)?;
    let mut k = 0;
    while k != u32::MAX {
        run.set_param(KCore::K, k)?;
        run.apply(peel)?;
        k = run.global(KCore::LEAST)?;
        while run.frontier_size()? > 0 {
            run.advance(remove)?;
            run.apply_active(peel)?;
            k = run.global(KCore::LEAST)?.min(k);
        }
    }
    run.take(KCore::CORE)
}

fn run(engine: &Engine, graph: &Graph, _: &Arguments) -> Result<Answer> {
    let cores = k_core(&mut engine.start(graph)?)?;
    let largest = summaries::largest(&cores).unwrap_or(0);
    Ok(Answer::new().scalar("largest", Scalar::Unsigned(largest.into())).vertices("core", cores))
}

register! {
    Algorithm::new("k-core", "Core numbers: the densest k-core that each vertex is in", run)
        .kind(AlgorithmKind::Structure)
        .aliases(&["kcore"])
        .help("In a k-core every vertex has at least k edges to others of it. Self-loops do not count; parallel edges \
               count each, unless the import drops them.")
        .source("V. Batagelj, M. Zaversnik: An O(m) algorithm for cores decomposition of networks. 2003, \
                 arXiv:cs/0310049")
        .definition(
            Definition::both(
                "`core(v)` is the largest `k` for which `v` is in a subgraph whose vertices all have at least `k` \
                 edges in it.",
            )
            .counting_parallel()
            .networkx(&[
                NetworkxCall { graph: "Graph", flags: "", call: "nx.core_number(G)" },
            ]),
        )
        .symmetric()
        .outputs(&[
            Output::vertices("core", &[ScalarType::U32], "Largest k whose k-core has the vertex")
                .summary(Summary::Histogram),
            Output::scalar("largest", "Largest core number"),
        ])
        .kernels(&[edge_kernel(tally), vertex_kernel(peel), edge_kernel(remove)])
        .outline(|_, _| {
            let peeling = Outline::while_active(Start::All, [edge_kernel(remove), vertex_kernel(peel)]);
            Ok(peeling.active_once().after([edge_kernel(tally)]))
        })
        .check(crate::check::k_core)
}
