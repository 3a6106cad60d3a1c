//! Strongly connected components: sets of vertices that reach each other along directed edges.
//!
//! Vertices without edges from remaining vertices, or without edges to them, are components of their own and are
//! trimmed until there are none (G. M. Slota, S. Rajamanickam, K. Madduri, IPDPS 2014). Then colours: every vertex
//! takes the smallest vertex that reaches it for its colour. A vertex of its own colour is a root, and the vertices of
//! its colour that reach the root are its component (S. Orzan, 2004). The remaining vertices are coloured again. The
//! traversals of one round take time proportional to the edges and the diameter; the number of rounds is at most the
//! number of components on a path.

use crate::components;
use gts_graph::algorithm::{
    Algorithm, AlgorithmKind, Answer, Arguments, Definition, NetworkxCall, Outline, Output, Scalar, Start, Summary,
    Values, edge_kernel, vertex_kernel,
};
use gts_graph::contract::ScalarType;
use gts_graph::prelude::*;
use gts_graph::register;

/// The component of each vertex.
#[gts_attributes]
pub struct Scc {
    /// The smallest vertex of the component, once it is known.
    #[wa(init = UNREACHED, merge = min)]
    pub component: VertexId,
    /// The smallest vertex that reaches this one through vertices without a component.
    #[wa(init = UNREACHED, merge = min)]
    pub colour: VertexId,
    /// Edges to or from vertices that were trimmed.
    #[wa(init = 0, merge = sum)]
    pub lost: u32,
}

#[gts_kernel(vertex)]
fn trim_sources(scc: &mut Scc, v: Vertex) {
    if scc.component[v] == UNREACHED && scc.lost[v] as u64 == v.in_degree() {
        scc.component[v] = v;
        activate(v);
    }
}

#[gts_kernel(vertex)]
fn trim_sinks(scc: &mut Scc, v: Vertex) {
    if scc.component[v] == UNREACHED && scc.lost[v] as u64 == v.out_degree() {
        scc.component[v] = v;
        activate(v);
    }
}

#[gts_kernel(traverse)]
fn lose_in_edges(scc: &mut Scc, src: Vertex, dst: Vertex) {
    scc.lost[dst] += 1;
    activate(dst);
}

#[gts_kernel(traverse(in))]
fn lose_out_edges(scc: &mut Scc, src: Vertex, dst: Vertex) {
    scc.lost[dst] += 1;
    activate(dst);
}

#[gts_kernel(vertex)]
fn begin(scc: &mut Scc, v: Vertex) {
    if scc.component[v] == UNREACHED {
        scc.colour[v] = v;
        activate(v);
    }
}

#[gts_kernel(traverse)]
fn spread(scc: &mut Scc, src: Vertex, dst: Vertex) {
    let colour = scc.colour[src];
    if scc.component[dst] == UNREACHED && scc.colour[dst].fetch_min(colour) > colour {
        activate(dst);
    }
}

#[gts_kernel(vertex)]
fn root(scc: &mut Scc, v: Vertex) {
    if scc.component[v] == UNREACHED && scc.colour[v] == v {
        scc.component[v] = v;
        activate(v);
    }
}

// Vertices that had a component before this round have the colour of its root, which is no root's of this round.
#[gts_kernel(traverse(in))]
fn collect(scc: &mut Scc, src: Vertex, dst: Vertex) {
    let colour = scc.colour[src];
    if scc.colour[dst] == colour && scc.component[dst].fetch_min(colour) > colour {
        activate(dst);
    }
}

/// Returns the component of every vertex, in the order of the original IDs, named by the smallest original ID in it.
///
/// # Errors
///
/// As for [`Run::traverse`]: the graph must have in-edges, or be symmetric.
///
/// # Examples
///
/// ```
/// use gts_algorithms::scc::scc;
/// use gts_graph::prelude::*;
///
/// let graph = Graph::builder().edges([(1, 2), (2, 3), (3, 1), (3, 4)]).in_edges(true).build().expect("sound edges");
/// assert_eq!(scc(&mut Engine::cpu()?.start(&graph)?)?, [1, 1, 1, 4]);
/// # Ok::<(), Error>(())
/// ```
pub fn scc(run: &mut Run<Scc>) -> Result<Vec<u64>> {
    run.apply(trim_sources)?;
    while run.frontier_size()? > 0 {
        run.advance(lose_in_edges)?;
        run.apply_active(trim_sources)?;
    }
    run.fill(Scc::LOST, 0)?;
    run.apply(trim_sinks)?;
    while run.frontier_size()? > 0 {
        run.advance(lose_out_edges)?;
        run.apply_active(trim_sinks)?;
    }
    run.apply(begin)?;
    while run.frontier_size()? > 0 {
        run.traverse(spread)?;
        run.apply(root)?;
        run.traverse(collect)?;
        run.apply(begin)?;
    }
    // Kernels compare dense numbers, whose order may differ from that of the original IDs.
    run.relabel(Scc::COMPONENT)
}

fn run(engine: &Engine, graph: &Graph, _: &Arguments) -> Result<Answer> {
    let components = scc(&mut engine.start(graph)?)?;
    Ok(Answer::new()
        .scalar("components", Scalar::Unsigned(components::count(graph, &components)))
        .vertices("component", Values::Vertex(components)))
}

register! {
    Algorithm::new("scc", "Strongly connected components", run)
        .kind(AlgorithmKind::Components)
        .help("Vertices that reach each other along directed edges. A component is named by its smallest vertex.")
        .source("S. Orzan: On distributed verification and verified distribution. PhD thesis, VU Amsterdam, 2004; \
                 trimming as in G. M. Slota, S. Rajamanickam, K. Madduri: BFS and coloring-based parallel algorithms for \
                 strongly connected components and related problems. IPDPS 2014")
        .definition(
            Definition::either(
                "`component(v)` is the smallest ID of a vertex that `v` reaches and that reaches `v`. To reverse all \
                 edges changes no component.",
            )
            .networkx(&[
                NetworkxCall { graph: "MultiDiGraph", flags: "", call: "{v: min(c) for c in nx.strongly_connected_components(G) for v in c}" },
            ]),
        )
        .in_edges()
        .outputs(&[
            Output::vertices("component", &[ScalarType::VertexId], "Smallest vertex of the component")
                .summary(Summary::Groups),
            Output::scalar("components", "Number of components"),
        ])
        .kernels(&[
            vertex_kernel(trim_sources),
            edge_kernel(lose_in_edges),
            vertex_kernel(trim_sinks),
            edge_kernel(lose_out_edges),
            vertex_kernel(begin),
            edge_kernel(spread),
            vertex_kernel(root),
            edge_kernel(collect),
        ])
        .outline(|_, _| {
            let trimming = [
                vertex_kernel(trim_sources),
                edge_kernel(lose_in_edges),
                vertex_kernel(trim_sinks),
                edge_kernel(lose_out_edges),
            ];
            let round = [vertex_kernel(begin), edge_kernel(spread), vertex_kernel(root), edge_kernel(collect)];
            Ok(Outline::while_active(Start::All, round).after(trimming))
        })
        .check(crate::check::scc)
}
