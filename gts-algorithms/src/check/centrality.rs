//! Serial versions of centralities, in double precision.

use super::{CLOSE_F64, absent, close, unweighted};
use crate::source;
use gts_runtime::algorithm::{Answer, Arguments, Values, Verdict};
use gts_runtime::prelude::*;
use std::collections::VecDeque;

/// Betweenness by Brandes' method with a queue and a stack.
///
/// # Errors
///
/// Arguments that the algorithm refuses too, or pages that cannot be read.
pub fn betweenness(graph: &Graph, arguments: &Arguments, answer: &Answer) -> Result<Verdict> {
    let adjacency = unweighted(graph)?;
    let n = graph.num_vertices() as usize;
    let mut centrality = vec![0.0; n];
    for source in source::sources(graph, arguments)? {
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
    let Some(Values::F64(found)) = answer.values("centrality") else { return Ok(absent("centrality")) };
    Ok(close(graph, found.iter().copied(), &centrality, CLOSE_F64))
}
