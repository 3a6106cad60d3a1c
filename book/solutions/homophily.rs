//! Exercise: the share of each vertex's neighbours that have its label.

use gts_graph::prelude::*;

#[gts_attributes]
pub struct Homophily {
    #[wa(init = 0, merge = any)]
    pub label: u32,
    #[wa(init = 0.0, merge = any)]
    pub alike: f64,
}

#[gts_kernel(gather)]
fn compare(h: &mut Homophily, v: Vertex) {
    if v.out_degree() == 0 {
        return;
    }
    let alike = v.neighbors().count(|dst| h.label[dst] == h.label[v]);
    h.alike[v] = alike as f64 / v.out_degree() as f64;
}

/// The shares, in ascending order of the IDs. `label` returns the label of an ID.
fn shares(engine: &Engine, graph: &Graph, label: impl Fn(u64) -> u32 + Sync) -> Result<Vec<f64>> {
    let mut run = engine.start::<Homophily>(graph)?;
    run.set_by(Homophily::LABEL, |v| label(graph.original(v)))?;
    run.gather(compare)?;
    run.take(Homophily::ALIKE)
}

#[test]
fn shares_are_those_of_a_loop() -> Result<(), Box<dyn std::error::Error>> {
    let edges = super::random_edges(50, 100, 11);
    let label = |id: u64| (id * 7 % 3) as u32;
    let share = |v: u64| {
        let list: Vec<u64> = edges.iter().filter(|edge| edge.0 == v).map(|edge| edge.1).collect();
        let alike = list.iter().filter(|&&dst| label(dst) == label(v)).count();
        if list.is_empty() { 0.0 } else { alike as f64 / list.len() as f64 }
    };
    let expected: Vec<f64> = (0..50).map(share).collect();
    assert_eq!(shares(&Engine::cpu()?, &Graph::from_edges(edges.iter().copied())?, label)?, expected);
    Ok(())
}
