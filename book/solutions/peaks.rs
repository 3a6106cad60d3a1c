//! Exercise: where every vertex leads that always steps to its highest neighbour.

use gts_graph::prelude::*;

#[gts_attributes]
pub struct Landscape {
    #[wa(init = 0, merge = any)]
    pub height: u32,
    /// The highest neighbour, if it is higher; otherwise the vertex itself.
    #[wa(init = UNREACHED, merge = any)]
    pub up: VertexId,
    #[global(merge = sum)]
    pub peaks: u64,
}

#[gts_kernel(gather)]
fn look_around(l: &mut Landscape, v: Vertex) {
    let highest = v.neighbors().argmax(|dst| l.height[dst]);
    if highest != UNREACHED && l.height[highest] > l.height[v] {
        l.up[v] = highest;
    } else {
        l.up[v] = v;
        l.peaks += 1;
    }
}

/// The vertex above each vertex, and the number of peaks. `height` returns the height of an ID.
fn steps_up(engine: &Engine, graph: &Graph, height: impl Fn(u64) -> u32 + Sync) -> Result<(Vec<u64>, u64)> {
    let mut run = engine.start::<Landscape>(graph)?;
    run.set_by(Landscape::HEIGHT, |v| height(graph.original(v)))?;
    run.gather(look_around)?;
    let up = run.take(Landscape::UP)?.into_iter().map(u64::from).collect();
    Ok((up, run.global(Landscape::PEAKS)?))
}

#[test]
fn steps_are_those_of_a_loop() -> Result<(), Box<dyn std::error::Error>> {
    let edges = super::both_ways(&super::random_edges(50, 50, 12));
    let height = |id: u64| (id * 37 % 23) as u32;
    let up = |v: u64| {
        let list = edges.iter().filter(|edge| edge.0 == v).map(|edge| edge.1);
        let highest = list.min_by_key(|&dst| (u32::MAX - height(dst), dst)).unwrap_or(v);
        if height(highest) > height(v) { highest } else { v }
    };
    let expected: Vec<u64> = (0..50).map(up).collect();
    let (found, peaks) = steps_up(&Engine::cpu()?, &Graph::from_edges(edges.iter().copied())?, height)?;
    assert_eq!(found, expected);
    assert_eq!(peaks, (0..50).filter(|&v| up(v) == v).count() as u64);
    Ok(())
}
