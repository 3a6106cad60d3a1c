//! The average degree of neighbours, for readers who have written it with NetworkX.

use gts_graph::prelude::*;

// ANCHOR: kernel
/// The average degree of each vertex's neighbours.
#[gts_attributes]
pub struct Company {
    #[wa(init = 0.0, merge = any)]
    pub average: f64,
}

#[gts_kernel(gather)]
fn average(c: &mut Company, v: Vertex) {
    let total = v.neighbors().sum(|dst| dst.out_degree() as u64);
    if v.out_degree() > 0 {
        c.average[v] = total as f64 / v.out_degree() as f64;
    }
}
// ANCHOR_END: kernel

// ANCHOR: driver
/// Returns the average of each vertex, in the order of their IDs.
fn averages(engine: &Engine, graph: &Graph) -> Result<Vec<f64>> {
    let mut run = engine.start::<Company>(graph)?;
    run.gather(average)?;
    run.take(Company::AVERAGE)
}
// ANCHOR_END: driver

#[test]
fn averages_are_those_of_a_loop_over_edges() -> Result<(), Box<dyn std::error::Error>> {
    let edges = [(0, 1), (0, 2), (0, 3), (2, 3)];
    let graph = Graph::builder().edges(edges).symmetrise(true).build()?;
    let degree = |vertex| edges.iter().filter(|(one, other)| *one == vertex || *other == vertex).count() as f64;
    let expected: Vec<f64> = (0..4)
        .map(|vertex| {
            let others = edges.iter().filter_map(|&(one, other)| match vertex {
                _ if vertex == one => Some(other),
                _ if vertex == other => Some(one),
                _ => None,
            });
            others.map(degree).sum::<f64>() / degree(vertex)
        })
        .collect();
    assert_eq!(averages(&Engine::cpu()?, &graph)?, expected);
    Ok(())
}
