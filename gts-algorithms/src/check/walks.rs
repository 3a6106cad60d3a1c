//! Serial versions of random walks and power iterations, in double precision over plain lists.

use super::{Adjacency, CLOSE_F64, absent, close, unsigned, unweighted};
use crate::source::source;
use crate::weights::Weight;
use crate::who_to_follow::most_trusted;
use gts_graph::algorithm::{Answer, Arguments, Values, Verdict};
use gts_graph::contract::ScalarType;
use gts_graph::prelude::*;

/// Checks personalised PageRank by the same number of iterations.
///
/// # Errors
///
/// The algorithm refuses the arguments, too, or pages cannot be read.
pub fn personalised_pagerank(graph: &Graph, arguments: &Arguments, answer: &Answer) -> Result<Verdict> {
    let Some(iterations) = unsigned(answer, "iterations") else { return Ok(absent("iterations")) };
    let (root, damping) = (source(graph, arguments)?.index(), arguments.real("damping")?);
    let expected = match arguments.flag("weighted")? {
        true => walk(&by_weights(graph)?, &only(root, graph), damping, iterations),
        false => trust(graph, root, damping, iterations)?,
    };
    compare(graph, answer, "rank", &expected)
}

/// Checks random walk with restart by the same number of iterations.
///
/// # Errors
///
/// The algorithm refuses the arguments, too, or pages cannot be read.
pub fn random_walk_with_restart(graph: &Graph, arguments: &Arguments, answer: &Answer) -> Result<Verdict> {
    let Some(iterations) = unsigned(answer, "iterations") else { return Ok(absent("iterations")) };
    let (root, damping) = (source(graph, arguments)?.index(), 1.0 - arguments.real("restart")?);
    compare(graph, answer, "chance", &walk(&by_weights(graph)?, &only(root, graph), damping, iterations))
}

/// Checks hubs and authorities by the same number of iterations.
///
/// # Errors
///
/// Pages cannot be read.
pub fn hits(graph: &Graph, arguments: &Arguments, answer: &Answer) -> Result<Verdict> {
    let adjacency = if arguments.flag("weighted")? { by_weights(graph)? } else { ones(graph)? };
    let n = graph.num_vertices() as usize;
    let edges: Vec<_> =
        (0..n).flat_map(|src| adjacency.of(src).iter().map(move |&(dst, weight)| (src, dst, weight))).collect();
    let (mut hubs, mut authorities) = (vec![1.0; n], vec![0.0; n]);
    for _ in 0..arguments.integer("iterations")? {
        authorities = vec![0.0; n];
        edges.iter().for_each(|&(src, dst, weight)| authorities[dst] += hubs[src] * weight);
        normalise(&mut authorities, length);
        hubs = vec![0.0; n];
        edges.iter().for_each(|&(src, dst, weight)| hubs[src] += authorities[dst] * weight);
        normalise(&mut hubs, length);
    }
    if arguments.choice("norm")? == "sum" {
        [&mut hubs, &mut authorities].into_iter().for_each(|scores| normalise(scores, |scores| scores.iter().sum()));
    }
    match compare(graph, answer, "authority", &authorities)? {
        Verdict::Agrees(_) => compare(graph, answer, "hub", &hubs),
        differs => Ok(differs),
    }
}

/// Checks SALSA by the same number of iterations.
///
/// # Errors
///
/// Pages cannot be read.
pub fn salsa(graph: &Graph, arguments: &Arguments, answer: &Answer) -> Result<Verdict> {
    let n = graph.num_vertices() as usize;
    let (hubs, authorities) = circle_walk(&edges(graph)?, n, &vec![true; n], arguments.integer("iterations")?);
    match compare(graph, answer, "authority", &authorities)? {
        Verdict::Agrees(_) => compare(graph, answer, "hub", &hubs),
        differs => Ok(differs),
    }
}

/// Checks Who to follow by the same number of iterations of both walks.
///
/// # Errors
///
/// The algorithm refuses the arguments, too, or pages cannot be read.
pub fn who_to_follow(graph: &Graph, arguments: &Arguments, answer: &Answer) -> Result<Verdict> {
    let (user, iterations) = (source(graph, arguments)?, arguments.integer("iterations")?);
    let dense = trust(graph, user.index(), arguments.real("damping")?, iterations)?;
    let ranks: Vec<f64> = graph.ids().in_original_order().map(|vertex| dense[vertex.index()]).collect();
    let mut members = vec![false; dense.len()];
    for member in most_trusted(graph, user, &ranks, arguments.integer("circle")?)? {
        members[member.index()] = true;
    }
    let edges = edges(graph)?;
    let mut scores = circle_walk(&edges, members.len(), &members, iterations).1;
    scores[user.index()] = 0.0;
    edges.iter().filter(|edge| edge.0 == user.index()).for_each(|&(_, followed)| scores[followed] = 0.0);
    compare(graph, answer, "score", &scores)
}

fn edges(graph: &Graph) -> Result<Vec<(usize, usize)>> {
    graph.edges().map(|edge| edge.map(|(src, dst)| (src.index(), dst.index())).map_err(Error::from)).collect()
}

fn compare(graph: &Graph, answer: &Answer, output: &str, dense: &[f64]) -> Result<Verdict> {
    let Some(Values::F64(found)) = answer.values(output) else { return Ok(absent(output)) };
    Ok(close(graph, found.iter().copied(), dense, CLOSE_F64))
}

/// Returns the edges with their weights, of any type.
pub(super) fn by_weights(graph: &Graph) -> Result<Adjacency<f64>> {
    match graph.value_type() {
        Some(ScalarType::U32) => weighted::<u32>(graph),
        Some(ScalarType::F64) => weighted::<f64>(graph),
        _ => weighted::<f32>(graph),
    }
}

fn weighted<W: Weight>(graph: &Graph) -> Result<Adjacency<f64>> {
    let edges = graph.weighted_edges::<W>().into_iter().flatten();
    Adjacency::new(graph, edges.map(|edge| edge.map(|(src, dst, weight)| (src, dst, weight.to_f64()))))
}

/// Returns the edges with weight 1.
fn ones(graph: &Graph) -> Result<Adjacency<f64>> {
    let unweighted = unweighted(graph)?;
    let edges = unweighted.edges.iter().map(|&(neighbour, ())| (neighbour, 1.0)).collect();
    Ok(Adjacency { first: unweighted.first, edges })
}

fn trust(graph: &Graph, root: usize, damping: f64, iterations: u64) -> Result<Vec<f64>> {
    Ok(walk(&ones(graph)?, &only(root, graph), damping, iterations))
}

/// Returns the probabilities of a walker who is at one vertex.
fn only(root: usize, graph: &Graph) -> Vec<f64> {
    (0..graph.num_vertices() as usize).map(|vertex| if vertex == root { 1.0 } else { 0.0 }).collect()
}

/// Returns the probability of a walker at each vertex. The walker takes edges by their weights, or starts again at a
/// vertex drawn by the probabilities `start`.
pub(super) fn walk(adjacency: &Adjacency<f64>, start: &[f64], damping: f64, iterations: u64) -> Vec<f64> {
    let mut chances = start.to_vec();
    for _ in 0..iterations {
        let (mut next, mut restart) = (vec![0.0; chances.len()], 0.0);
        for (vertex, chance) in chances.iter().enumerate() {
            let list = adjacency.of(vertex);
            let strength: f64 = list.iter().map(|&(_, weight)| weight).sum();
            if strength > 0.0 {
                list.iter().for_each(|&(to, weight)| next[to] += damping * chance * weight / strength);
                restart += (1.0 - damping) * chance;
            } else {
                restart += chance;
            }
        }
        next.iter_mut().zip(start).for_each(|(next, start)| *next += restart * start);
        chances = next;
    }
    chances
}

/// Returns hubs and authorities by a walk along edges of members and back.
fn circle_walk(edges: &[(usize, usize)], vertices: usize, members: &[bool], iterations: u64) -> (Vec<f64>, Vec<f64>) {
    let edges: Vec<_> = edges.iter().filter(|edge| members[edge.0]).collect();
    let (mut out_degrees, mut in_degrees) = (vec![0.0; vertices], vec![0.0; vertices]);
    for (src, dst) in &edges {
        out_degrees[*src] += 1.0;
        in_degrees[*dst] += 1.0;
    }
    let first = out_degrees.iter().filter(|degree| **degree > 0.0).count() as f64;
    let mut hubs: Vec<f64> = out_degrees.iter().map(|degree| if *degree > 0.0 { 1.0 / first } else { 0.0 }).collect();
    let mut authorities = vec![0.0; vertices];
    for _ in 0..iterations {
        authorities = vec![0.0; vertices];
        edges.iter().for_each(|(src, dst)| authorities[*dst] += hubs[*src] / out_degrees[*src]);
        hubs = vec![0.0; vertices];
        edges.iter().for_each(|(src, dst)| hubs[*src] += authorities[*dst] / in_degrees[*dst]);
    }
    (hubs, authorities)
}

fn normalise(scores: &mut [f64], size: fn(&[f64]) -> f64) {
    let size = size(scores);
    if size > 0.0 {
        scores.iter_mut().for_each(|score| *score /= size);
    }
}

fn length(scores: &[f64]) -> f64 {
    scores.iter().map(|score| score * score).sum::<f64>().sqrt()
}
