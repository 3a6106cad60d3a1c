//! Exercise: a vertex is infected once enough of its edges in come from infected vertices.

use gts_graph::prelude::*;

#[gts_attributes]
pub struct Contagion {
    /// Edges in from infected vertices.
    #[wa(init = 0, merge = sum)]
    pub met: u32,
    #[wa(init = false, merge = or)]
    pub infected: bool,
    #[param]
    pub enough: u32,
}

#[gts_kernel(traverse)]
fn meet(c: &mut Contagion, src: Vertex, dst: Vertex) {
    c.met[dst] += 1;
    activate(dst);
}

#[gts_kernel(vertex)]
fn infect(c: &mut Contagion, v: Vertex) {
    if !c.infected[v] && c.met[v] >= c.enough {
        c.infected[v] = true;
        activate(v);
    }
}

/// Whether each vertex is infected in the end.
fn outbreak(engine: &Engine, graph: &Graph, seeds: &[u64], enough: u32) -> Result<Vec<bool>> {
    let mut run = engine.start::<Contagion>(graph)?;
    run.set_param(Contagion::ENOUGH, enough)?;
    for &seed in seeds {
        let seed = graph.vertex(seed)?;
        run.set(Contagion::INFECTED, seed, true)?;
        run.activate(seed)?;
    }
    while run.frontier_size()? > 0 {
        run.advance(meet)?;
        run.apply_active(infect)?;
    }
    run.take(Contagion::INFECTED)
}

#[test]
fn the_infected_are_those_of_a_loop() -> Result<(), Box<dyn std::error::Error>> {
    let edges = super::both_ways(&super::random_edges(60, 60, 10));
    let seeds = [0, 1, 2, 3, 4, 5];
    let mut infected: Vec<bool> = (0..60).map(|v| seeds.contains(&v)).collect();
    for _ in 0..60 {
        let met = |v: u64| edges.iter().filter(|edge| edge.1 == v && infected[edge.0 as usize]).count();
        infected = (0..60).map(|v| infected[v as usize] || met(v) >= 2).collect();
    }
    let count = infected.iter().filter(|infected| **infected).count();
    assert!((20..60).contains(&count), "{count} infected");
    assert_eq!(outbreak(&Engine::cpu()?, &Graph::from_edges(edges)?, &seeds, 2)?, infected);
    Ok(())
}
