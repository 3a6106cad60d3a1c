//! The h-index of the neighbours, iterated to a fixed point: the core numbers of the vertices (L. Lü, T. Zhou, Q.-M.
//! Zhang, H. E. Stanley: The H-index of a network node and its relation to degree and coreness. Nature Communications
//! 7, 2016).

use super::lists;
use gts_graph::algorithm::{Algorithm, Answer, Arguments, Output, Verdict, gather_block, gather_edges, vertex_kernel};
use gts_graph::contract::ScalarType;
use gts_graph::prelude::*;
use gts_graph::{gts_conformance, register};

#[gts_attributes]
pub struct HIndex {
    #[wa(init = UNREACHED, merge = any)]
    pub value: u32,
    /// The largest number `h` found so far for which at least `h` neighbours have a value of at least `h`.
    #[wa(init = 0, merge = any)]
    pub found: u32,
    /// The bit that the pass tries to add to `found`.
    #[param]
    pub bit: u32,
    #[global(merge = sum)]
    pub changed: u64,
}

#[gts_kernel(gather)]
fn try_bit(h: &mut HIndex, v: Vertex) {
    let larger = h.found[v] | h.bit;
    let others = v.neighbors().filter(|dst| dst != v).count(|dst| h.value[dst] >= larger);
    if others >= larger as u64 {
        h.found[v] = larger;
    }
}

#[gts_kernel(vertex)]
fn keep(h: &mut HIndex, v: Vertex) {
    if h.found[v] != h.value[v] {
        h.value[v] = h.found[v];
        h.changed += 1;
    }
    h.found[v] = 0;
}

fn run(engine: &Engine, graph: &Graph, _: &Arguments) -> Result<Answer> {
    let mut run = engine.start::<HIndex>(graph)?;
    let bits = graph.num_edges().max(1).ilog2() + 1;
    loop {
        for bit in (0..bits).rev() {
            run.set_param(HIndex::BIT, 1 << bit)?;
            run.gather(try_bit)?;
        }
        run.apply(keep)?;
        if run.global(HIndex::CHANGED)? == 0 {
            return Ok(Answer::new().vertices("core", run.take(HIndex::VALUE)?));
        }
    }
}

/// Removes vertices one by one, always one with the fewest edges.
fn oracle(graph: &Graph, _: &Arguments, answer: &Answer) -> Result<Verdict> {
    let mut lists = lists(graph)?;
    lists.iter_mut().enumerate().for_each(|(v, list)| list.retain(|&other| other != v));
    let mut degree: Vec<u32> = lists.iter().map(|list| list.len() as u32).collect();
    let mut core = vec![0; lists.len()];
    let mut left: Vec<usize> = (0..lists.len()).collect();
    let mut least = 0;
    while let Some(place) = (0..left.len()).min_by_key(|&place| degree[left[place]]) {
        let v = left.swap_remove(place);
        least = degree[v].max(least);
        core[v] = least;
        lists[v].iter().for_each(|&other| degree[other] = degree[other].saturating_sub(1));
    }
    Ok(answer.compared(graph, "core", &core))
}

register! {
    Algorithm::new("newcomer-h-index", "H-index of the neighbours, iterated", run)
        .symmetric()
        .outputs(&[Output::vertices("core", &[ScalarType::U32], "Core number of the vertex")])
        .kernels(&[gather_edges(try_bit), gather_block(try_bit), vertex_kernel(keep)])
}

gts_conformance!(h_index: "newcomer-h-index", oracle(oracle));
