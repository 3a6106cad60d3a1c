//! A greedy dominating set: vertices in the order of random keys join unless they and their neighbours are covered.

use super::lists;
use gts_graph::algorithm::{
    Algorithm, Answer, Arguments, Output, Values, Verdict, edge_kernel, gather_block, gather_edges, vertex_kernel,
};
use gts_graph::contract::ScalarType;
use gts_graph::prelude::*;
use gts_graph::{gts_conformance, register};

#[gts_const]
const UNDECIDED: u8 = 0;
#[gts_const]
const CHOSEN: u8 = 1;
#[gts_const]
const LEFT_OUT: u8 = 2;

#[gts_attributes]
pub struct Dominating {
    #[wa(init = 0, merge = any)]
    pub key: u64,
    #[wa(init = 0, merge = any)]
    pub state: u8,
    #[wa(init = false, merge = or)]
    pub covered: bool,
    /// The undecided vertex with the smallest key among this vertex and its neighbours.
    #[wa(init = UNREACHED, merge = any)]
    pub first: VertexId,
    /// Whether `first` of this vertex and of all its neighbours is this vertex.
    #[wa(init = false, merge = any)]
    pub leads: bool,
    #[global(merge = sum)]
    pub undecided: u64,
}

/// Returns whether the first vertex precedes the second one.
#[gts_fn]
fn precedes(key: u64, v: Vertex, other_key: u64, other: VertexId) -> bool {
    key < other_key || key == other_key && (v as u64) < other as u64
}

#[gts_kernel(vertex)]
fn draw(d: &mut Dominating, v: Vertex) {
    d.key[v] = random(v, 0);
}

#[gts_kernel(gather)]
fn find_first(d: &mut Dominating, v: Vertex) {
    let near = v.neighbors().filter(|dst| d.state[dst] == UNDECIDED).argmin(|dst| d.key[dst]);
    d.first[v] = near;
    if d.state[v] == UNDECIDED && (near == UNREACHED || precedes(d.key[v], v, d.key[near], near)) {
        d.first[v] = v;
    }
}

// Two vertices with a common neighbour do not decide in the same round.
#[gts_kernel(gather)]
fn lead(d: &mut Dominating, v: Vertex) {
    let behind = v.neighbors().any(|dst| d.first[dst] != v);
    d.leads[v] = d.state[v] == UNDECIDED && d.first[v] == v && !behind;
}

#[gts_kernel(gather)]
fn decide(d: &mut Dominating, v: Vertex) {
    if !d.leads[v] {
        return;
    }
    let bare = v.neighbors().any(|dst| !d.covered[dst]);
    d.state[v] = if bare || !d.covered[v] { CHOSEN } else { LEFT_OUT };
}

#[gts_kernel(scan)]
fn cover(d: &mut Dominating, src: Vertex, dst: Vertex) {
    if d.state[src] == CHOSEN {
        d.covered[dst] = true;
    }
}

#[gts_kernel(vertex)]
fn count(d: &mut Dominating, v: Vertex) {
    if d.state[v] == UNDECIDED {
        d.undecided += 1;
    }
    if d.state[v] == CHOSEN {
        d.covered[v] = true;
    }
}

fn run(engine: &Engine, graph: &Graph, _: &Arguments) -> Result<Answer> {
    let mut run = engine.start::<Dominating>(graph)?;
    run.apply(draw)?;
    loop {
        run.apply(count)?;
        if run.global(Dominating::UNDECIDED)? == 0 {
            break;
        }
        run.gather(find_first)?;
        run.gather(lead)?;
        run.gather(decide)?;
        run.scan(cover)?;
    }
    let chosen: Vec<bool> = run.take(Dominating::STATE)?.into_iter().map(|state| state == CHOSEN).collect();
    Ok(Answer::new().vertices("chosen", chosen).vertices("key", run.take(Dominating::KEY)?))
}

fn oracle(graph: &Graph, _: &Arguments, answer: &Answer) -> Result<Verdict> {
    let lists = lists(graph)?;
    let Some(Values::U64(keys)) = answer.values("key") else { return Ok(Verdict::Differs("no keys".to_owned())) };
    let mut order: Vec<(u64, usize)> = Vec::new();
    order.extend(graph.ids().in_original_order().zip(keys).map(|(vertex, &key)| (key, vertex.index())));
    order.sort_unstable();
    let (mut chosen, mut covered) = (vec![false; lists.len()], vec![false; lists.len()]);
    for (_, v) in order {
        if !covered[v] || lists[v].iter().any(|&other| !covered[other]) {
            (chosen[v], covered[v]) = (true, true);
            lists[v].iter().for_each(|&other| covered[other] = true);
        }
    }
    assert!(covered.into_iter().all(|covered| covered), "the serial version's set dominates the graph");
    Ok(answer.compared(graph, "chosen", &chosen))
}

register! {
    Algorithm::new("newcomer-dominating", "Greedy dominating set", run)
        .symmetric()
        .outputs(&[
            Output::vertices("chosen", &[ScalarType::Bool], "Whether the vertex is in the set"),
            Output::vertices("key", &[ScalarType::U64], "Its place in the order"),
        ])
        .kernels(&[
            vertex_kernel(draw),
            vertex_kernel(count),
            gather_edges(find_first),
            gather_block(find_first),
            gather_edges(lead),
            gather_block(lead),
            gather_edges(decide),
            gather_block(decide),
            edge_kernel(cover),
        ])
}

// Keys follow the order of the vertices, which other layouts of the graph change.
gts_conformance!(dominating: "newcomer-dominating", oracle(oracle), any_valid("chosen"), any_valid("key"));
