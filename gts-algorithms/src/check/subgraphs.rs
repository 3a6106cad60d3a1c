//! Serial versions of neighbourhoods, degrees and subgraphs.

use super::{absent, levels, same, sorted_edges, unweighted};
use crate::source::source;
use gts_graph::algorithm::{Answer, Arguments, Values, Verdict};
use gts_graph::prelude::*;
use std::collections::HashSet;

/// Checks levels by a queue, up to a number of hops.
///
/// # Errors
///
/// The algorithm refuses the arguments, too, or pages cannot be read.
pub fn k_hop(graph: &Graph, arguments: &Arguments, answer: &Answer) -> Result<Verdict> {
    let hops = arguments.integer("hops")?;
    let mut levels = levels(&unweighted(graph)?, graph.num_vertices() as usize, source(graph, arguments)?.index());
    levels.iter_mut().filter(|level| u64::from(**level) > hops).for_each(|level| *level = u32::MAX);
    let Some(Values::U32(found)) = answer.values("level") else { return Ok(absent("level")) };
    Ok(same(graph, found, &levels, "a queue"))
}

/// Checks degrees by a loop over the edges.
///
/// # Errors
///
/// Pages cannot be read.
pub fn degree_distribution(graph: &Graph, _: &Arguments, answer: &Answer) -> Result<Verdict> {
    let n = graph.num_vertices() as usize;
    let (mut leaving, mut entering) = (vec![0; n], vec![0; n]);
    for edge in graph.edges() {
        let (src, dst) = edge?;
        leaving[src.index()] += 1;
        entering[dst.index()] += 1;
    }
    for (output, expected) in [("out_degree", leaving), ("in_degree", entering)] {
        let Some(Values::U32(found)) = answer.values(output) else { return Ok(absent(output)) };
        let verdict = same(graph, found, &expected, "a loop over the edges");
        if matches!(verdict, Verdict::Differs(_)) {
            return Ok(verdict);
        }
    }
    Ok(Verdict::Agrees(format!("all {} degrees are those of a loop over the edges", 2 * n)))
}

/// Checks the edges between two sets by a loop over all edges.
///
/// # Errors
///
/// The algorithm refuses the arguments, too, or pages cannot be read.
pub fn cross_edges(graph: &Graph, arguments: &Arguments, answer: &Answer) -> Result<Verdict> {
    between(graph, answer, &set(arguments.vertices(graph, "from")?), &set(arguments.vertices(graph, "to")?))
}

/// Checks the edges within a set by a loop over all edges.
///
/// # Errors
///
/// The algorithm refuses the arguments, too, or pages cannot be read.
pub fn induced_subgraph(graph: &Graph, arguments: &Arguments, answer: &Answer) -> Result<Verdict> {
    let vertices = set(arguments.vertices(graph, "vertices")?);
    between(graph, answer, &vertices, &vertices)
}

/// Checks the edges between the vertices that a queue reaches, by a loop over all edges.
///
/// # Errors
///
/// The algorithm refuses the arguments, too, or pages cannot be read.
pub fn egonet(graph: &Graph, arguments: &Arguments, answer: &Answer) -> Result<Verdict> {
    let hops = arguments.integer("hops")?;
    let levels = levels(&unweighted(graph)?, graph.num_vertices() as usize, source(graph, arguments)?.index());
    let near = (0..).zip(&levels).filter(|(_, level)| u64::from(**level) <= hops && **level != u32::MAX);
    let near = near.map(|(vertex, _)| vertex).collect();
    between(graph, answer, &near, &near)
}

fn set(vertices: Vec<Vertex>) -> HashSet<u64> {
    vertices.into_iter().map(Vertex::dense).collect()
}

fn between(graph: &Graph, answer: &Answer, from: &HashSet<u64>, to: &HashSet<u64>) -> Result<Verdict> {
    let mut expected = Vec::new();
    let mut degrees = vec![0; graph.num_vertices() as usize];
    for edge in graph.edges() {
        let (src, dst) = edge?;
        if from.contains(&src.dense()) && to.contains(&dst.dense()) {
            degrees[src.index()] += 1;
            expected.push((graph.original(src), graph.original(dst)));
        }
    }
    let Some(found) = sorted_edges(answer) else { return Ok(absent("edges")) };
    expected.sort_unstable();
    if found != expected {
        return Ok(Verdict::Differs(format!("{} edges, where a loop finds {} or others", found.len(), expected.len())));
    }
    let Some(Values::U32(found)) = answer.values("out_degree") else { return Ok(absent("out_degree")) };
    Ok(same(graph, found, &degrees, "a loop over all edges"))
}
