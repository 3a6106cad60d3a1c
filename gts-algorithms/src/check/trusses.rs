//! Serial trusses: edges leave one after the other, those with the fewest triangles first.

use super::{absent, same};
use gts_runtime::algorithm::{Answer, Arguments, Values, Verdict};
use gts_runtime::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// An edge between two dense vertices, the smaller first, with its trussness.
type Trussness = BTreeMap<(u64, u64), u32>;

/// The trussness of every edge. An edge that leaves takes a triangle from each of the other two edges.
fn decompose(graph: &Graph) -> Result<Trussness> {
    let mut neighbours: BTreeMap<u64, BTreeSet<u64>> = BTreeMap::new();
    for edge in graph.edges() {
        let (src, dst) = edge?;
        if src != dst {
            neighbours.entry(src).or_default().insert(dst);
            neighbours.entry(dst).or_default().insert(src);
        }
    }
    let ordered = |one: u64, other: u64| (one.min(other), one.max(other));
    let mut triangles = BTreeMap::new();
    for (&vertex, list) in &neighbours {
        for &other in list.range(vertex..) {
            triangles.insert((vertex, other), list.intersection(&neighbours[&other]).count() as u32);
        }
    }
    let mut queue: BTreeSet<_> = triangles.iter().map(|(&edge, &count)| (count, edge)).collect();
    let mut trussness = Trussness::new();
    let mut k = 2;
    while let Some((count, (one, other))) = queue.pop_first() {
        k = k.max(count + 2);
        trussness.insert((one, other), k);
        for (from, to) in [(one, other), (other, one)] {
            neighbours.entry(from).or_default().remove(&to);
        }
        let shared: Vec<u64> = neighbours[&one].intersection(&neighbours[&other]).copied().collect();
        for side in shared.iter().flat_map(|&third| [ordered(one, third), ordered(other, third)]) {
            let count = triangles.entry(side).or_default();
            queue.remove(&(*count, side));
            *count -= 1;
            queue.insert((*count, side));
        }
    }
    Ok(trussness)
}

/// The k-truss as the edges of at least that trussness.
///
/// # Errors
///
/// Arguments that the algorithm refuses too, or pages that cannot be read.
pub fn k_truss(graph: &Graph, arguments: &Arguments, answer: &Answer) -> Result<Verdict> {
    let k = arguments.integer("k")?;
    let mut degrees = vec![0; graph.num_vertices() as usize];
    let mut expected = Vec::new();
    for (&(one, other), _) in decompose(graph)?.iter().filter(|(_, found)| u64::from(**found) >= k) {
        for (src, dst) in [(one, other), (other, one)] {
            degrees[src as usize] += 1;
            expected.push((graph.original(Vertex::from_dense(src)), graph.original(Vertex::from_dense(dst))));
        }
    }
    expected.sort_unstable();
    let Some(edges) = answer.all_edges() else { return Ok(absent("subgraph")) };
    let mut found = edges.ends.clone();
    found.sort_unstable();
    if found != expected {
        let (found, expected) = (found.len(), expected.len());
        return Ok(Verdict::Differs(format!("{found} edges, where peeling leaves {expected} or others")));
    }
    let Some(Values::U32(found)) = answer.values("degree") else { return Ok(absent("degree")) };
    Ok(same(graph, found, &degrees, "peeling"))
}

/// Trussness by peeling.
///
/// # Errors
///
/// Pages that cannot be read.
pub fn trussness(graph: &Graph, _: &Arguments, answer: &Answer) -> Result<Verdict> {
    let mut of_vertices = vec![0; graph.num_vertices() as usize];
    let mut expected = Vec::new();
    for (&(one, other), &k) in &decompose(graph)? {
        for end in [one, other] {
            of_vertices[end as usize] = k.max(of_vertices[end as usize]);
        }
        let [one, other] = [one, other].map(|end| graph.original(Vertex::from_dense(end)));
        expected.push(((one.min(other), one.max(other)), k));
    }
    expected.sort_unstable();
    let edges = answer.all_edges().and_then(|edges| Some((&edges.ends, edges.weights.as_ref()?)));
    let Some((ends, Values::U32(found))) = edges else { return Ok(absent("edges")) };
    let mut found: Vec<_> = ends.iter().copied().zip(found.iter().copied()).collect();
    found.sort_unstable();
    if let Some((found, expected)) = found.iter().zip(&expected).find(|(found, expected)| found != expected) {
        return Ok(Verdict::Differs(format!("{found:?}, where peeling finds {expected:?}")));
    }
    if found.len() != expected.len() {
        return Ok(Verdict::Differs(format!("{} edges, where there are {}", found.len(), expected.len())));
    }
    let Some(Values::U32(found)) = answer.values("trussness") else { return Ok(absent("trussness")) };
    Ok(same(graph, found, &of_vertices, "peeling"))
}
