//! Trussness: the largest k such that an edge is in the [`k_truss`](crate::k_truss).
//!
//! Peeling by levels (J. Wang, J. Cheng, PVLDB 2012): edges in no more than k - 2 triangles of what is left have trussness
//! k and go; where none does, k rises to the least that one of them has. Each round counts the triangles of all edges that
//! are left, and there are as many rounds as levels at least, of hundreds in dense graphs: [`k_truss`](crate::k_truss) is
//! far quicker where one k is asked for.

use crate::k_truss::{support, supports, supports_among};
use gts_runtime::algorithm::{
    Algorithm, Answer, Arguments, Edges, Outline, Output, Scalar, Start, Summary, intersect_kernel,
};
use gts_runtime::core::contract::ScalarType;
use gts_runtime::prelude::*;
use gts_runtime::register;

/// Every edge with its trussness, ascending: each once, by original ID with the smaller end first. Parallel edges are one
/// edge, and edges from a vertex to itself are none.
///
/// # Errors
///
/// As for [`k_truss`](crate::k_truss::k_truss).
///
/// # Examples
///
/// ```
/// use gts_algorithms::trussness::trussness;
/// use gts_runtime::prelude::*;
///
/// let graph = Graph::builder().edges([(1, 2), (2, 3), (3, 1), (3, 4)]).symmetrise(true).build().expect("sound edges");
/// assert_eq!(trussness(&Engine::cpu()?, &graph)?, [((1, 2), 3), ((1, 3), 3), ((2, 3), 3), ((3, 4), 2)]);
/// # Ok::<(), Error>(())
/// ```
pub fn trussness(engine: &Engine, graph: &Graph) -> Result<Vec<((u64, u64), u32)>> {
    let mut edges = supports(&mut engine.start(graph)?)?;
    let mut found = Vec::with_capacity(edges.len());
    let mut k = 2;
    while let Some(least) = edges.iter().map(|edge| edge.support).min() {
        k = k.max(least.saturating_add(2));
        let of_this_level = edges.iter().filter(|edge| edge.support <= k - 2);
        found.extend(of_this_level.map(|edge| (edge.ends, k)));
        edges.retain(|edge| edge.support > k - 2);
        if !edges.is_empty() {
            edges = supports_among(engine, &edges)?;
        }
    }
    found.sort_unstable();
    Ok(found)
}

fn run(engine: &Engine, graph: &Graph, _: &Arguments) -> Result<Answer> {
    let edges = trussness(engine, graph)?;
    let mut of_vertices = vec![0; graph.num_vertices() as usize];
    for &((one, other), k) in &edges {
        for end in [one, other] {
            let of_vertex = &mut of_vertices[graph.vertex(end)?.index()];
            *of_vertex = k.max(*of_vertex);
        }
    }
    let largest = edges.iter().map(|&(_, k)| k).max().unwrap_or(0);
    let (ends, trussness): (_, Vec<u32>) = edges.into_iter().unzip();
    let of_vertices: Vec<u32> = graph.ids().in_original_order().map(|vertex| of_vertices[vertex as usize]).collect();
    Ok(Answer::new()
        .scalar("largest", Scalar::Unsigned(largest.into()))
        .vertices("trussness", of_vertices)
        .edges(Edges { ends, weights: Some(trussness.into()) }))
}

register! {
    Algorithm::new("trussness", "The largest k for which each edge, and each vertex, is in the k-truss", run)
        .help("An edge of a k-truss is in at least k - 2 triangles of it. Parallel edges count as one, edges from a vertex to \
               itself not at all. `--output edges.wel` writes the edges, each once, with their trussness.")
        .source("J. Wang, J. Cheng: Truss decomposition in massive networks. PVLDB 5(9), 2012")
        .symmetric()
        .outputs(&[
            Output::vertices("trussness", &[ScalarType::U32], "Largest of the vertex's edges; 0 where it has none")
                .summary(Summary::Histogram),
            Output::edges("edges", "The edges, each once, with their trussness"),
            Output::scalar("largest", "Largest k whose k-truss has an edge"),
        ])
        .kernels(&[intersect_kernel(support)])
        // The first round; each later one is on a graph of the edges that are left.
        .outline(|_, _| Ok(Outline::while_active(Start::All, [intersect_kernel(support)])))
        .check(crate::check::trussness)
}
