//! Serial trusses: edges are removed one after the other, those with the fewest triangles first.

use super::{absent, same, sorted_edges};
use gts_graph::algorithm::{Answer, Arguments, Values, Verdict};
use gts_graph::prelude::*;

/// Returns the trussness of every edge, by its dense ends, the smaller first. Removing an edge removes a triangle from
/// each of the other two edges; a remaining edge with the fewest triangles is next.
fn decompose(graph: &Graph) -> Result<Vec<((u64, u64), u32)>> {
    let mut edges = Vec::new();
    for edge in graph.edges() {
        let (src, dst) = edge.map(|(src, dst)| (src.dense(), dst.dense()))?;
        if src != dst {
            edges.push((src.min(dst), src.max(dst)));
        }
    }
    edges.sort_unstable();
    edges.dedup();
    // For each vertex its neighbours, ascending, with the numbers of the edges to them.
    let mut lists = vec![Vec::new(); graph.num_vertices() as usize];
    for (number, &(one, other)) in edges.iter().enumerate() {
        lists[one as usize].push((other, number));
        lists[other as usize].push((one, number));
    }
    lists.iter_mut().for_each(|list| list.sort_unstable());
    let sides = |number: usize| {
        let (one, other) = edges[number];
        let (mut short, mut long) = (&lists[one as usize], &lists[other as usize]);
        if short.len() > long.len() {
            (short, long) = (long, short);
        }
        let in_long = |vertex| long.binary_search_by_key(&vertex, |entry| entry.0).ok().map(|place| long[place].1);
        short.iter().filter_map(move |&(vertex, side)| Some([side, in_long(vertex)?]))
    };
    let mut triangles: Vec<usize> = (0..edges.len()).map(|number| sides(number).count()).collect();
    let mut trussness = vec![0; edges.len()];
    // Edges by their triangles; an edge may be in several queues, and the one reached first counts.
    let mut queues = vec![Vec::new(); triangles.iter().max().map_or(0, |most| most + 1)];
    triangles.iter().enumerate().for_each(|(number, &count)| queues[count].push(number));
    for count in 0..queues.len() {
        while let Some(number) = queues[count].pop() {
            if trussness[number] > 0 {
                continue;
            }
            trussness[number] = count as u32 + 2;
            for pair in sides(number).filter(|pair| pair.iter().all(|&side| trussness[side] == 0)) {
                for side in pair {
                    triangles[side] -= 1;
                    queues[triangles[side].max(count)].push(side);
                }
            }
        }
    }
    Ok(edges.into_iter().zip(trussness).collect())
}

/// Checks the k-truss against the edges of at least that trussness.
///
/// # Errors
///
/// The algorithm refuses the arguments, too, or pages cannot be read.
pub fn k_truss(graph: &Graph, arguments: &Arguments, answer: &Answer) -> Result<Verdict> {
    let k = arguments.integer("k")?;
    let mut degrees = vec![0; graph.num_vertices() as usize];
    let mut expected = Vec::new();
    for ((one, other), _) in decompose(graph)?.into_iter().filter(|&(_, found)| u64::from(found) >= k) {
        for (src, dst) in [(one, other), (other, one)] {
            degrees[src as usize] += 1;
            expected.push((graph.original(Vertex::from_dense(src)), graph.original(Vertex::from_dense(dst))));
        }
    }
    expected.sort_unstable();
    let Some(found) = sorted_edges(answer) else { return Ok(absent("subgraph")) };
    if found != expected {
        let (found, expected) = (found.len(), expected.len());
        return Ok(Verdict::Differs(format!("{found} edges, where peeling leaves {expected} or others")));
    }
    let Some(Values::U32(found)) = answer.values("degree") else { return Ok(absent("degree")) };
    Ok(same(graph, found, &degrees, "peeling"))
}
