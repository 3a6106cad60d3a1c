//! Serial versions of spanning forests and of sketches.

use super::{absent, edges, root_of, same};
use crate::weights::Weight;
use gts_graph::algorithm::{Answer, Arguments, Values, Verdict};
use gts_graph::prelude::*;
use std::collections::HashSet;

/// Checks that the answer is a forest of edges of the graph with the same weights as one found by Kruskal's method.
///
/// # Errors
///
/// Pages cannot be read.
pub fn spanning_forest(graph: &Graph, _: &Arguments, answer: &Answer) -> Result<Verdict> {
    match edges(answer) {
        Some((ends, Some(Values::U32(weights)))) => kruskal(graph, ends, weights),
        Some((ends, Some(Values::F64(weights)))) => kruskal(graph, ends, weights),
        Some((ends, Some(Values::F32(weights)))) => kruskal(graph, ends, weights),
        _ => Ok(absent("forest")),
    }
}

fn kruskal<W: Weight>(graph: &Graph, ends: &[(u64, u64)], weights: &[W]) -> Result<Verdict> {
    let key = |src: u64, dst: u64, weight: W| (src.min(dst), src.max(dst), weight.to_f64().to_bits());
    let mut edges = Vec::new();
    for edge in graph.weighted_edges::<W>().into_iter().flatten() {
        let (src, dst, weight) = edge?;
        edges.push((weight.to_f64(), src.dense(), dst.dense()));
    }
    let known: HashSet<_> =
        edges.iter().map(|(weight, src, dst)| (*src.min(dst), *src.max(dst), weight.to_bits())).collect();
    edges.sort_by(|a, b| a.0.total_cmp(&b.0));
    let n = graph.num_vertices() as usize;
    let mut parent: Vec<usize> = (0..n).collect();
    let mut expected = Vec::new();
    for (weight, src, dst) in edges {
        if join(&mut parent, src, dst) {
            expected.push(weight);
        }
    }
    let mut parent: Vec<usize> = (0..n).collect();
    for (&(src, dst), &weight) in ends.iter().zip(weights) {
        let [a, b] = [graph.vertex(src)?.dense(), graph.vertex(dst)?.dense()];
        if !known.contains(&key(a, b, weight)) {
            return Ok(Verdict::Differs(format!("the graph has no edge {src} - {dst} of weight {weight}")));
        }
        if !join(&mut parent, a, b) {
            return Ok(Verdict::Differs(format!("the edge {src} - {dst} closes a circle")));
        }
    }
    // All minimum forests have the same weights.
    let mut found: Vec<f64> = weights.iter().map(|weight| weight.to_f64()).collect();
    found.sort_by(f64::total_cmp);
    Ok(match found.iter().zip(&expected).position(|(found, expected)| found != expected) {
        None if found.len() == expected.len() => {
            Verdict::Agrees(format!("all {} weights are those of Kruskal's method", found.len()))
        }
        _ => Verdict::Differs(format!(
            "{} edges of weight {}, where Kruskal's method finds {} of {}",
            found.len(),
            found.iter().sum::<f64>(),
            expected.len(),
            expected.iter().sum::<f64>()
        )),
    })
}

/// Joins the trees of two vertices; returns false if they are in one tree already.
fn join(parent: &mut [usize], a: u64, b: u64) -> bool {
    let [a, b] = [a, b].map(|vertex| root_of(parent, vertex as usize));
    parent[a] = b;
    a != b
}

/// Checks radii by sketches that are joined edge by edge, hop by hop.
///
/// # Errors
///
/// Pages cannot be read.
pub fn radius(graph: &Graph, _: &Arguments, answer: &Answer) -> Result<Verdict> {
    let edges: Vec<_> = graph.edges().collect::<std::result::Result<_, _>>()?;
    let first = |vertex: u64, pattern: u64| 1u32 << mixed(vertex * 16 + pattern).trailing_zeros().min(31);
    let mut sketches: Vec<[u32; 16]> =
        (0..graph.num_vertices()).map(|vertex| std::array::from_fn(|pattern| first(vertex, pattern as u64))).collect();
    let mut radii = vec![0; sketches.len()];
    for hop in 1.. {
        let mut next = sketches.clone();
        for &(src, dst) in &edges {
            let from = sketches[src.index()];
            next[dst.index()].iter_mut().zip(from).for_each(|(bits, more)| *bits |= more);
        }
        let grown: Vec<_> = (0..next.len()).filter(|vertex| next[*vertex] != sketches[*vertex]).collect();
        if grown.is_empty() {
            break;
        }
        grown.into_iter().for_each(|vertex| radii[vertex] = hop);
        sketches = next;
    }
    let Some(Values::U32(found)) = answer.values("radius") else { return Ok(absent("radius")) };
    Ok(same(graph, found, &radii, "joining hop by hop"))
}

/// Returns a pseudorandom number: the finisher of SplitMix64 (G. L. Steele, D. Lea, C. H. Flood, OOPSLA 2014).
fn mixed(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
