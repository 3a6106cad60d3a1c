//! Serial versions of intersections, by marks: a vertex marks its neighbours, and visits theirs.

use super::{absent, close, same, unsigned};
use gts_graph::algorithm::{Answer, Arguments, Values, Verdict};
use gts_graph::prelude::*;

/// Largest relative difference of two coefficients: each is one division.
const CLOSE: f64 = 1e-15;

/// Returns the other ends of the edges of each vertex, ascending, without repetitions and the vertex itself.
fn neighbourhoods(graph: &Graph, either_way: bool) -> Result<Vec<Vec<u32>>> {
    let mut lists = vec![Vec::new(); graph.num_vertices() as usize];
    for edge in graph.edges() {
        let (src, dst) = edge?;
        if src != dst {
            lists[src.index()].push(dst.dense() as u32);
            if either_way {
                lists[dst.index()].push(src.dense() as u32);
            }
        }
    }
    for list in &mut lists {
        list.sort_unstable();
        list.dedup();
    }
    Ok(lists)
}

/// Returns the number of edges between the neighbours of each vertex.
fn edges_between(neighbours: &[Vec<u32>], out: &[Vec<u32>]) -> Vec<u64> {
    let mut marked_by = vec![u32::MAX; neighbours.len()];
    let mut edges = vec![0; neighbours.len()];
    for (vertex, list) in (0..).zip(neighbours) {
        list.iter().for_each(|&neighbour| marked_by[neighbour as usize] = vertex);
        let ends = list.iter().flat_map(|&neighbour| &out[neighbour as usize]);
        edges[vertex as usize] = ends.filter(|&&end| marked_by[end as usize] == vertex).count() as u64;
    }
    edges
}

/// Checks triangles by marks: each is found at three vertices, from both ends of the edge between the other two.
///
/// # Errors
///
/// Pages cannot be read.
pub fn triangles(graph: &Graph, _: &Arguments, answer: &Answer) -> Result<Verdict> {
    let neighbours = neighbourhoods(graph, true)?;
    let counts: Vec<u64> = edges_between(&neighbours, &neighbours).iter().map(|edges| edges / 2).collect();
    let expected = counts.iter().sum::<u64>() / 3;
    let Some(found) = unsigned(answer, "triangles") else { return Ok(absent("triangles")) };
    let total = if found == expected {
        Verdict::Agrees(format!("marks find {expected} triangles too"))
    } else {
        Verdict::Differs(format!("{found} triangles, where marks find {expected}"))
    };
    Ok(match answer.values("count") {
        Some(Values::U64(found)) => total.and(same(graph, found, &counts, "marks")),
        Some(_) => absent("count"),
        None => total,
    })
}

/// Checks coefficients by marks.
///
/// # Errors
///
/// Pages cannot be read.
pub fn lcc(graph: &Graph, _: &Arguments, answer: &Answer) -> Result<Verdict> {
    let neighbours = neighbourhoods(graph, true)?;
    let edges = edges_between(&neighbours, &neighbourhoods(graph, false)?);
    let coefficient = |(list, edges): (&Vec<u32>, u64)| match list.len() as u64 {
        0 | 1 => 0.0,
        k => edges as f64 / (k * (k - 1)) as f64,
    };
    let coefficients: Vec<f64> = neighbours.iter().zip(edges).map(coefficient).collect();
    let Some(Values::F64(found)) = answer.values("coefficient") else { return Ok(absent("coefficient")) };
    Ok(close(graph, found.iter().copied(), &coefficients, CLOSE))
}
