//! Walks one walker after the other, by the published form of the generator.

use super::{absent, same, unsigned, unweighted};
use crate::random_walks::asked_for;
use gts_graph::algorithm::{Answer, Arguments, Values, Verdict};
use gts_graph::prelude::*;

/// Returns the output of the generator SplitMix64 for a state.
fn split_mix(state: u64) -> u64 {
    let mut z = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Returns a draw of a walker.
fn drawn(seed: u64, step: u32, walker: u64, draw: u64) -> u64 {
    [seed, step.into(), walker, u64::MAX - 1, draw].into_iter().fold(0, |state, number| split_mix(state ^ number))
}

/// Checks visits by walks made one after the other.
///
/// # Errors
///
/// The algorithm refuses the arguments, too, or pages cannot be read.
pub fn random_walks(graph: &Graph, arguments: &Arguments, answer: &Answer) -> Result<Verdict> {
    let walks = asked_for(graph, arguments)?;
    let Some(seed) = unsigned(answer, "seed") else { return Ok(absent("seed")) };
    let adjacency = unweighted(graph)?;
    let vertices = graph.num_vertices();
    let mut visits = vec![0u64; vertices as usize];
    for walker in 0..if vertices == 0 { 0 } else { walks.walkers } {
        let start = walks.source.map_or((walker % vertices) as usize, Vertex::index);
        let mut at = start;
        visits[at] += 1;
        for step in 0..walks.length {
            let list = adjacency.of(at);
            let chance = (drawn(seed, step, walker, 0) >> 11) as f64 / (1u64 << 53) as f64;
            if chance < walks.restart || (list.is_empty() && walks.restart > 0.0) {
                at = start;
            } else if list.is_empty() {
                break;
            } else {
                let place = (u128::from(drawn(seed, step, walker, 1)) * list.len() as u128) >> 64;
                at = list[place as usize].0;
            }
            visits[at] += 1;
        }
    }
    let Some(Values::U64(found)) = answer.values("visits") else { return Ok(absent("visits")) };
    Ok(same(graph, found, &visits, "walks one by one"))
}
