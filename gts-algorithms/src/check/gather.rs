//! Serial versions of algorithms with gather kernels.

use super::{Adjacency, absent, same, unsigned, unweighted};
use crate::priority::priority;
use gts_graph::algorithm::{Answer, Arguments, Values, Verdict};
use gts_graph::prelude::*;
use std::collections::HashMap;

/// Checks labels by a map of counts for each vertex.
///
/// # Errors
///
/// The algorithm refuses the arguments, too, or pages cannot be read.
pub fn cdlp(graph: &Graph, arguments: &Arguments, answer: &Answer) -> Result<Verdict> {
    let iterations = arguments.integer("iterations")?;
    let out = unweighted(graph)?;
    let mut neighbours: Vec<Vec<usize>> = vec![Vec::new(); graph.num_vertices() as usize];
    for vertex in 0..neighbours.len() {
        for &(neighbour, ()) in out.of(vertex) {
            neighbours[vertex].push(neighbour);
            neighbours[neighbour].push(vertex);
        }
    }
    let mut labels: Vec<u64> =
        (0..graph.num_vertices()).map(|vertex| graph.original(Vertex::from_dense(vertex))).collect();
    for _ in 0..iterations {
        let adopted = neighbours.iter().zip(&labels).map(|(list, own)| {
            let mut counts = HashMap::<u64, u64>::new();
            list.iter().for_each(|&neighbour| *counts.entry(labels[neighbour]).or_default() += 1);
            let most = counts.into_iter().max_by_key(|&(label, count)| (count, std::cmp::Reverse(label)));
            most.map_or(*own, |(label, _)| label)
        });
        let adopted: Vec<u64> = adopted.collect();
        if adopted == labels {
            break;
        }
        labels = adopted;
    }
    let Some(Values::Vertex(found)) = answer.values("label") else { return Ok(absent("label")) };
    Ok(same(graph, found, &labels, "a serial run"))
}

/// Returns the vertices in the order of their priorities.
fn in_order(graph: &Graph, seed: u64) -> Vec<usize> {
    let mut vertices: Vec<usize> = (0..graph.num_vertices() as usize).collect();
    vertices.sort_by_key(|&vertex| priority(seed, vertex as u64));
    vertices
}

/// Checks the set by a loop over the vertices.
///
/// # Errors
///
/// Pages cannot be read.
pub fn mis(graph: &Graph, _: &Arguments, answer: &Answer) -> Result<Verdict> {
    let Some(seed) = unsigned(answer, "seed") else { return Ok(absent("seed")) };
    let adjacency: Adjacency<()> = unweighted(graph)?;
    let mut chosen = vec![false; graph.num_vertices() as usize];
    for vertex in in_order(graph, seed) {
        chosen[vertex] = adjacency.of(vertex).iter().all(|&(neighbour, ())| neighbour == vertex || !chosen[neighbour]);
    }
    let Some(Values::Bool(found)) = answer.values("chosen") else { return Ok(absent("chosen")) };
    Ok(same(graph, found, &chosen, "a loop over the vertices"))
}

/// Checks the colours by a loop over the vertices.
///
/// # Errors
///
/// Pages cannot be read.
pub fn colouring(graph: &Graph, _: &Arguments, answer: &Answer) -> Result<Verdict> {
    let Some(seed) = unsigned(answer, "seed") else { return Ok(absent("seed")) };
    let adjacency: Adjacency<()> = unweighted(graph)?;
    let mut colours = vec![u32::MAX; graph.num_vertices() as usize];
    for vertex in in_order(graph, seed) {
        let mut taken: Vec<u32> = adjacency.of(vertex).iter().map(|&(neighbour, ())| colours[neighbour]).collect();
        taken.sort_unstable();
        taken.dedup();
        // The smallest colour that is not taken.
        let free = (0..).zip(&taken).take_while(|(colour, taken)| colour == *taken).count();
        colours[vertex] = free as u32;
    }
    let Some(Values::U32(found)) = answer.values("colour") else { return Ok(absent("colour")) };
    Ok(same(graph, found, &colours, "a loop over the vertices"))
}
