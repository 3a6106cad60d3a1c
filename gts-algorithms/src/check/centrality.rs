//! Serial versions of centralities, in double precision.

use super::{Adjacency, CLOSE_F64, absent, close, levels, same, unweighted};
use crate::source;
use gts_graph::algorithm::{Answer, Arguments, Values, Verdict};
use gts_graph::prelude::*;
use std::collections::VecDeque;

/// Checks betweenness by Brandes' method with a queue and a stack.
///
/// # Errors
///
/// The algorithm refuses the arguments, too, or pages cannot be read.
pub fn betweenness(graph: &Graph, arguments: &Arguments, answer: &Answer) -> Result<Verdict> {
    let adjacency = unweighted(graph)?;
    let n = graph.num_vertices() as usize;
    let mut centrality = vec![0.0; n];
    let sources = source::sources(graph, arguments)?;
    for source in &sources {
        let (mut level, mut paths, mut dependency) = (vec![usize::MAX; n], vec![0.0; n], vec![0.0; n]);
        (level[source.index()], paths[source.index()]) = (0, 1.0);
        let (mut queue, mut order) = (VecDeque::from([source.index()]), Vec::new());
        while let Some(vertex) = queue.pop_front() {
            order.push(vertex);
            for &(neighbour, ()) in adjacency.of(vertex) {
                if level[neighbour] == usize::MAX {
                    level[neighbour] = level[vertex] + 1;
                    queue.push_back(neighbour);
                }
                if level[neighbour] == level[vertex] + 1 {
                    paths[neighbour] += paths[vertex];
                }
            }
        }
        for &vertex in order.iter().rev() {
            let after = adjacency.of(vertex).iter().filter(|edge| level[edge.0] == level[vertex] + 1);
            dependency[vertex] = after.map(|edge| paths[vertex] / paths[edge.0] * (1.0 + dependency[edge.0])).sum();
            if vertex != source.index() {
                centrality[vertex] += dependency[vertex];
            }
        }
    }
    let mut is_source = vec![false; n];
    sources.iter().for_each(|source| is_source[source.index()] = true);
    for (vertex, value) in centrality.iter_mut().enumerate() {
        let others = n.saturating_sub(2) * (sources.len() - usize::from(is_source[vertex]));
        match arguments.choice("scale")? {
            "half" => *value /= 2.0,
            "networkx" if others > 0 => *value /= others as f64,
            "networkx" if n > 2 => *value = f64::INFINITY,
            _ => {}
        }
    }
    let Some(Values::F64(found)) = answer.values("centrality") else { return Ok(absent("centrality")) };
    Ok(close(graph, found.iter().copied(), &centrality, CLOSE_F64))
}

/// Checks closeness by a queue for each vertex.
///
/// # Errors
///
/// The algorithm refuses the arguments, too, or pages cannot be read.
pub fn closeness(graph: &Graph, arguments: &Arguments, answer: &Answer) -> Result<Verdict> {
    let others = graph.num_vertices() as f64 - 1.0;
    let adjacency = match arguments.choice("direction")? {
        "in" => Adjacency::reversed(graph)?,
        _ => unweighted(graph)?,
    };
    let expected = for_sources(graph, arguments, &adjacency, f64::INFINITY, |distances| {
        let (reached, sum) = (distances.len() as f64, distances.iter().sum::<u64>() as f64);
        if sum == 0.0 { 0.0 } else { reached * reached / (sum * others) }
    })?;
    let Some(Values::F64(found)) = answer.values("closeness") else { return Ok(absent("closeness")) };
    Ok(close(graph, found.iter().copied(), &expected, CLOSE_F64))
}

/// Checks eccentricity by a queue for each vertex.
///
/// # Errors
///
/// The algorithm refuses the arguments, too, or pages cannot be read.
pub fn eccentricity(graph: &Graph, arguments: &Arguments, answer: &Answer) -> Result<Verdict> {
    let farthest = |distances: &[u64]| distances.iter().max().map_or(0, |hops| *hops as u32);
    let expected = for_sources(graph, arguments, &unweighted(graph)?, u32::MAX, farthest)?;
    let Some(Values::U32(found)) = answer.values("eccentricity") else { return Ok(absent("eccentricity")) };
    Ok(same(graph, found, &expected, "a queue for each"))
}

/// Returns for each requested dense vertex the result of `make` on the distances to the vertices that it reaches.
fn for_sources<T: Copy>(
    graph: &Graph,
    arguments: &Arguments,
    adjacency: &Adjacency<()>,
    none: T,
    make: impl Fn(&[u64]) -> T,
) -> Result<Vec<T>> {
    let mut values = vec![none; graph.num_vertices() as usize];
    for source in source::sources(graph, arguments)? {
        let levels = levels(adjacency, values.len(), source.index());
        let reached = levels.into_iter().filter(|level| (1..u32::MAX).contains(level));
        values[source.index()] = make(&reached.map(u64::from).collect::<Vec<_>>());
    }
    Ok(values)
}
