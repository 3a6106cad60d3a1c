//! Serial versions whose answers must be equal.

use super::{Adjacency, absent, levels, same, unsigned, unweighted};
use crate::source::source;
use gts_graph::algorithm::{Answer, Arguments, Values, Verdict};
use gts_graph::prelude::*;

/// Checks strongly connected components by Tarjan's method.
///
/// # Errors
///
/// Pages cannot be read.
pub fn scc(graph: &Graph, _: &Arguments, answer: &Answer) -> Result<Verdict> {
    let roots = tarjan(&unweighted(graph)?, graph.num_vertices() as usize);
    // In the order of original IDs, the first vertex of a component gives it its name.
    let mut names = vec![None; roots.len()];
    let mut components = vec![0; roots.len()];
    for vertex in graph.ids().in_original_order() {
        components[vertex.index()] = *names[roots[vertex.index()]].get_or_insert(graph.original(vertex));
    }
    let Some(Values::Vertex(found)) = answer.values("component") else { return Ok(absent("component")) };
    Ok(same(graph, found, &components, "Tarjan's method"))
}

/// Returns a representative of each vertex's component (R. Tarjan, 1972), without recursion.
fn tarjan(adjacency: &Adjacency<()>, vertices: usize) -> Vec<usize> {
    const NONE: usize = usize::MAX;
    let (mut number, mut low, mut root) = (vec![NONE; vertices], vec![NONE; vertices], vec![NONE; vertices]);
    let (mut stack, mut path, mut numbered) = (Vec::new(), Vec::new(), 0);
    for start in 0..vertices {
        if number[start] == NONE {
            path.push((start, 0));
        }
        while let Some((vertex, next)) = path.pop() {
            if next == 0 {
                (number[vertex], low[vertex]) = (numbered, numbered);
                numbered += 1;
                stack.push(vertex);
            }
            if let Some(&(neighbour, ())) = adjacency.of(vertex).get(next) {
                path.push((vertex, next + 1));
                if number[neighbour] == NONE {
                    path.push((neighbour, 0));
                } else if root[neighbour] == NONE {
                    low[vertex] = low[vertex].min(number[neighbour]);
                }
                continue;
            }
            if low[vertex] == number[vertex] {
                while let Some(member) = stack.pop() {
                    root[member] = vertex;
                    if member == vertex {
                        break;
                    }
                }
            }
            if let Some(&(before, _)) = path.last() {
                low[before] = low[before].min(low[vertex]);
            }
        }
    }
    root
}

/// Returns a verdict on the first vertex whose parent is not one level before it, or has no edge to it, if there is
/// one. The source is its own parent.
pub(super) fn parents(graph: &Graph, adjacency: &Adjacency<()>, levels: &[u32], found: &[u64]) -> Option<Verdict> {
    let is_parent = |vertex: Vertex, parent: u64| match levels[vertex.index()] {
        u32::MAX => parent == u64::MAX,
        0 => parent == graph.original(vertex),
        level => graph.vertex(parent).is_ok_and(|parent| {
            levels[parent.index()] == level - 1 && adjacency.of(parent.index()).contains(&(vertex.index(), ()))
        }),
    };
    let mut pairs = graph.ids().in_original_order().zip(found);
    let (vertex, parent) = pairs.find(|(vertex, parent)| !is_parent(*vertex, **parent))?;
    Some(Verdict::Differs(format!("vertex {} does not come after {parent} on a shortest path", graph.original(vertex))))
}

/// Checks core numbers by removing one vertex of least degree after the other.
///
/// # Errors
///
/// Pages cannot be read.
pub fn k_core(graph: &Graph, _: &Arguments, answer: &Answer) -> Result<Verdict> {
    let adjacency = unweighted(graph)?;
    let others = |vertex: usize| adjacency.of(vertex).iter().map(|edge| edge.0).filter(move |other| *other != vertex);
    let mut degree: Vec<usize> = (0..graph.num_vertices() as usize).map(|vertex| others(vertex).count()).collect();
    let mut buckets = vec![Vec::new(); degree.iter().max().map_or(0, |largest| largest + 1)];
    degree.iter().enumerate().for_each(|(vertex, degree)| buckets[*degree].push(vertex));
    let mut cores = vec![u32::MAX; degree.len()];
    let (mut k, mut at) = (0, 0);
    while at < buckets.len() {
        let Some(vertex) = buckets[at].pop() else {
            at += 1;
            continue;
        };
        // A vertex is in a bucket for each degree that it had; its lowest bucket is reached first.
        if cores[vertex] != u32::MAX {
            continue;
        }
        k = k.max(at);
        cores[vertex] = k as u32;
        for other in others(vertex).filter(|other| cores[*other] == u32::MAX) {
            degree[other] -= 1;
            buckets[degree[other]].push(other);
            at = at.min(degree[other]);
        }
    }
    let Some(Values::U32(found)) = answer.values("core") else { return Ok(absent("core")) };
    Ok(same(graph, found, &cores, "removal one by one"))
}

/// Checks connectivity by a queue.
///
/// # Errors
///
/// The algorithm refuses the arguments, too, or pages cannot be read.
pub fn st_connectivity(graph: &Graph, arguments: &Arguments, answer: &Answer) -> Result<Verdict> {
    let Some(target) = arguments.vertex(graph, "target")? else { return Ok(absent("target")) };
    let levels = levels(&unweighted(graph)?, graph.num_vertices() as usize, source(graph, arguments)?.index());
    let expected = Some(levels[target.index()]).filter(|level| *level != u32::MAX).map(u64::from);
    let found = unsigned(answer, "distance");
    Ok(match found == expected {
        true => Verdict::Agrees("the distance is that of a queue".to_owned()),
        false => Verdict::Differs(format!("distance {found:?}, where a queue finds {expected:?}")),
    })
}
