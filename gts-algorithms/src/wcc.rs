//! Weakly connected components: sets of vertices connected by edges, regardless of direction.
//!
//! Labels spread along edges in both directions, and the smallest wins: at the end a component shares the smallest
//! label of its vertices (label propagation; as HashMin in U. Kang et al., "PEGASUS", ICDM 2009). A label is written
//! only at the neighbour and only decreases, so every device ends with the same components. The number of rounds grows
//! with the diameter of the components.

use crate::components;
use gts_graph::algorithm::{
    Algorithm, AlgorithmKind, Answer, Arguments, Definition, NetworkxCall, Outline, Output, Scalar, Summary, Values,
    edge_kernel, vertex_kernel,
};
use gts_graph::contract::ScalarType;
use gts_graph::prelude::*;
use gts_graph::register;

/// The component of each vertex.
#[gts_attributes]
pub struct Wcc {
    /// A vertex of the component, the same for all of it at the end.
    #[wa(init = UNREACHED, merge = min)]
    pub label: VertexId,
}

#[gts_kernel(vertex)]
fn begin(wcc: &mut Wcc, v: Vertex) {
    wcc.label[v] = v;
    activate(v);
}

#[gts_kernel(traverse(both))]
fn spread(wcc: &mut Wcc, src: Vertex, dst: Vertex) {
    let label = wcc.label[src];
    if wcc.label[dst].fetch_min(label) > label {
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
/// use gts_algorithms::wcc::wcc;
/// use gts_graph::prelude::*;
///
/// let graph = Graph::builder().edges([(1, 2), (3, 2), (5, 4)]).in_edges(true).build().expect("sound edges");
/// assert_eq!(wcc(&mut Engine::cpu()?.start(&graph)?)?, [1, 1, 1, 4, 4]);
/// # Ok::<(), Error>(())
/// ```
pub fn wcc(run: &mut Run<Wcc>) -> Result<Vec<u64>> {
    run.apply(begin)?;
    run.traverse(spread)?;
    // Kernels compare dense numbers, whose order may differ from that of the original IDs.
    run.relabel(Wcc::LABEL)
}

fn run(engine: &Engine, graph: &Graph, _: &Arguments) -> Result<Answer> {
    let components = wcc(&mut engine.start(graph)?)?;
    Ok(Answer::new()
        .scalar("components", Scalar::Unsigned(components::count(graph, &components)))
        .vertices("component", Values::Vertex(components)))
}

register! {
    Algorithm::new("wcc", "Weakly connected components", run)
        .kind(AlgorithmKind::Components)
        .aliases(&["cc"])
        .help("Edges join their ends, whichever way they point. A component is named by its smallest vertex.")
        .source("U. Kang, C. E. Tsourakakis, C. Faloutsos: PEGASUS, a peta-scale graph mining system. ICDM 2009")
        .definition(
            Definition::either(
                "`component(v)` is the smallest ID of a vertex that is connected to `v`.",
            )
            .networkx(&[
                NetworkxCall { graph: "MultiDiGraph", flags: "", call: "{v: min(c) for c in nx.weakly_connected_components(G) for v in c}" },
            ]),
        )
        .in_edges()
        .outputs(&[
            Output::vertices("component", &[ScalarType::VertexId], "Smallest vertex of the component")
                .summary(Summary::Groups),
            Output::scalar("components", "Number of components"),
        ])
        .kernels(&[vertex_kernel(begin), edge_kernel(spread)])
        .outline(|_, _| Ok(Outline::traverse_from_all(edge_kernel(spread)).after([vertex_kernel(begin)])))
        .check(crate::check::wcc)
}
