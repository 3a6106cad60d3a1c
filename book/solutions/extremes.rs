//! Exercise: the heaviest edge into each vertex, and the heaviest edge of the graph.

use gts_graph::prelude::*;

#[gts_attributes]
pub struct Heaviest {
    #[wa(init = 0, merge = max)]
    pub into: u32,
    #[edge]
    pub weight: u32,
    #[global(merge = max)]
    pub all: u32,
}

#[gts_kernel(scan)]
fn weigh(h: &mut Heaviest, src: Vertex, dst: Vertex, e: Edge) {
    h.into[dst].fetch_max(h.weight[e]);
    h.all.fetch_max(h.weight[e]);
}

fn heaviest(engine: &Engine, graph: &Graph) -> Result<(Vec<u32>, u32)> {
    let mut run = engine.start::<Heaviest>(graph)?;
    run.scan(weigh)?;
    Ok((run.take(Heaviest::INTO)?, run.global(Heaviest::ALL)?))
}

#[test]
fn weights_are_those_of_a_loop() -> Result<(), Box<dyn std::error::Error>> {
    let edges: Vec<_> = (0..).zip(super::random_edges(50, 100, 4)).map(|(i, (a, b))| (a, b, i * 37 % 101u32)).collect();
    let graph = Graph::builder().weighted_edges(edges.iter().copied()).build()?;
    let (into, all) = heaviest(&Engine::cpu()?, &graph)?;
    let of = |v| edges.iter().filter(|edge| edge.1 == v).map(|edge| edge.2).max().unwrap_or(0);
    assert_eq!(into, (0..50).map(of).collect::<Vec<_>>());
    assert_eq!(Some(all), edges.iter().map(|edge| edge.2).max());
    Ok(())
}
