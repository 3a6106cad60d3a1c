//! Weakly connected components by Afforest: trees of parents, built without visiting most edges.
//!
//! Every vertex is a tree of its own at first. Edges hook the tree of one end to that of the other, and pointer jumping
//! flattens the trees. After the first two neighbours of each vertex, most vertices of a graph with a giant component
//! are in one tree. That tree's vertices are left out from then on: the remaining edges are visited only from the other
//! vertices, in both directions, so that no edge between the two sets is missed (M. Sutton, T. Ben-Nun, A. Barak:
//! Optimizing parallel graph connectivity computation via subgraph sampling. IPDPS 2018). The authors flatten the trees
//! between the first and the second neighbours. One pass over both is faster: the two are adjacent in memory, and the
//! trees are still shallow.
//!
//! Hooking is by minimum only: the larger root's parent becomes the smaller root, and an update that replaces an
//! earlier parent joins that parent, too. So a parent is never larger than its child, the ends of an edge share a tree
//! when its body is done, and no compare-and-exchange is needed. Expected work is O(V + E) in practice. A pass visits
//! all edges except those that start in the giant tree. One device holds all trees, because they are followed to any
//! vertex.

use crate::components;
use gts_graph::algorithm::{
    Algorithm, AlgorithmKind, Answer, Arguments, Definition, NetworkxCall, Outline, Output, Scalar, Summary, Values,
    edge_kernel, vertex_kernel,
};
use gts_graph::contract::{ScalarType, Side};
use gts_graph::prelude::*;
use gts_graph::register;

/// Neighbours of each vertex that are hooked before the giant tree is determined; the authors' choice.
const FIRST_NEIGHBOURS: u64 = 2;
/// Number of sampled vertices that determine the giant tree.
const SAMPLE: u64 = 1024;

/// A forest over the vertices.
#[gts_attributes]
pub struct Afforest {
    /// A vertex of the same component, never a larger one; the vertex itself where it is a root.
    #[wa(init = UNREACHED, merge = min)]
    pub parent: VertexId,
    /// The root whose vertices are left out.
    #[param]
    pub giant: VertexId,
}

#[gts_kernel(vertex)]
fn plant(forest: &mut Afforest, v: Vertex) {
    forest.parent[v] = v;
}

macro_rules! hooking {
    ($kernel:ident, $kind:ident $(, $direction:ident)?) => {
        #[gts_kernel($kind $(($direction))?)]
        fn $kernel(forest: &mut Afforest, src: Vertex, dst: Vertex) {
            let mut one = forest.parent[src];
            let mut other = forest.parent[dst];
            while one != other {
                let larger = if one < other { other } else { one };
                let smaller = if one < other { one } else { other };
                let above = forest.parent[larger].fetch_min(smaller);
                // A root is joined. What was above any other vertex is yet to be joined with the smaller one.
                one = if above == larger { smaller } else { above };
                other = smaller;
            }
        }
    };
}

hooking!(hook, traverse);
hooking!(hook_back, traverse, in);

#[gts_kernel(vertex)]
fn jump(forest: &mut Afforest, v: Vertex) {
    let mut root = forest.parent[v];
    let mut above = forest.parent[root];
    while above != root {
        root = above;
        above = forest.parent[root];
    }
    forest.parent[v].fetch_min(root);
}

#[gts_kernel(vertex)]
fn leave_out_giant(forest: &mut Afforest, v: Vertex) {
    if forest.parent[v] != forest.giant {
        activate(v);
    }
}

/// Returns the component of every vertex, in the order of the original IDs, named by the smallest original ID in it.
///
/// The giant tree is left out if there are in-edges or the graph is symmetric; otherwise all vertices visit their
/// edges.
///
/// # Errors
///
/// As for [`Run::advance`].
///
/// # Examples
///
/// ```
/// use gts_algorithms::afforest::afforest;
/// use gts_graph::prelude::*;
///
/// let graph = Graph::builder().edges([(1, 2), (3, 2), (5, 4)]).in_edges(true).build().expect("sound edges");
/// assert_eq!(afforest(&mut Engine::cpu()?.start(&graph)?)?, [1, 1, 1, 4, 4]);
/// # Ok::<(), Error>(())
/// ```
pub fn afforest(run: &mut Run<Afforest>) -> Result<Vec<u64>> {
    run.apply(plant)?;
    run.activate_all()?;
    run.neighbors(..FIRST_NEIGHBOURS).advance(hook)?;
    run.apply(jump)?;
    let graph = run.graph().clone();
    let has_in_edges = graph.topology(Side::In).is_some();
    if has_in_edges && let Some(giant) = most_frequent_root(run)? {
        run.set_param(Afforest::GIANT, giant)?;
        run.apply(leave_out_giant)?;
        run.neighbors(FIRST_NEIGHBOURS..).advance(hook)?;
        if !graph.properties().symmetric {
            run.apply(leave_out_giant)?;
            run.advance(hook_back)?;
        }
    } else {
        run.activate_all()?;
        run.neighbors(FIRST_NEIGHBOURS..).advance(hook)?;
    }
    run.apply(jump)?;
    // Kernels compare dense numbers, whose order may differ from that of the original IDs.
    run.relabel(Afforest::PARENT)
}

/// Returns the most frequent root in a sample of the vertices; `None` in a graph without vertices.
fn most_frequent_root(run: &mut Run<Afforest>) -> Result<Option<VertexId>> {
    let vertices = run.graph().num_vertices();
    let sample = (0..vertices).step_by(vertices.div_ceil(SAMPLE).max(1) as usize).map(Vertex::from_dense);
    let mut roots = run.get_each(Afforest::PARENT, &sample.collect::<Vec<_>>())?;
    roots.sort_unstable_by_key(|root| root.to_bits());
    let runs = roots.chunk_by(|a, b| a == b);
    Ok(runs.max_by_key(|same| same.len()).and_then(|same| same.first().copied()))
}

fn run(engine: &Engine, graph: &Graph, _: &Arguments) -> Result<Answer> {
    let names = afforest(&mut engine.start(graph)?)?;
    Ok(Answer::new()
        .scalar("components", Scalar::Unsigned(components::count(graph, &names)))
        .vertices("component", Values::Vertex(names)))
}

register! {
    Algorithm::new("afforest", "Weakly connected components by trees that most edges can skip", run)
        .kind(AlgorithmKind::Components)
        .help("The answer of `wcc`. A pass over the first neighbours of each vertex finds most of a giant component, and \
               its vertices are left out of the last pass; without in-edges none is. Runs on one device, which needs \
               memory for one vertex number a vertex.")
        .source("M. Sutton, T. Ben-Nun, A. Barak: Optimizing parallel graph connectivity computation via subgraph \
                 sampling. IPDPS 2018")
        .definition(
            Definition::either(
                "`component(v)` is the smallest ID of a vertex that is connected to `v`.",
            )
            .networkx(&[
                NetworkxCall { graph: "MultiDiGraph", flags: "", call: "{v: min(c) for c in nx.weakly_connected_components(G) for v in c}" },
            ]),
        )
        .outputs(&[
            Output::vertices("component", &[ScalarType::VertexId], "Smallest vertex of the component")
                .summary(Summary::Groups),
            Output::scalar("components", "Number of components"),
        ])
        .kernels(&[
            vertex_kernel(plant),
            edge_kernel(hook),
            edge_kernel(hook_back),
            vertex_kernel(jump),
            vertex_kernel(leave_out_giant),
        ])
        .outline(|_, graph| {
            // The passes together visit each edge once, except those of the giant tree.
            let mut kernels = vec![edge_kernel(hook), vertex_kernel(jump)];
            if graph.in_edges {
                kernels.push(vertex_kernel(leave_out_giant));
            }
            if graph.in_edges && !graph.symmetric {
                kernels.push(edge_kernel(hook_back));
            }
            Ok(Outline::repeat(1, kernels).after([vertex_kernel(plant)]))
        })
        .check(crate::check::wcc)
}
