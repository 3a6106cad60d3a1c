//! Solution: the mean level of the in-neighbours that have one.

use gts_graph::prelude::*;

/// Levels around each vertex.
#[gts_attributes]
pub struct Means {
    /// Level of the vertex, or `UNREACHED`.
    #[wa(init = UNREACHED, merge = min)]
    pub level: u32,
    /// Sum of the levels of in-neighbours.
    #[wa(init = 0, merge = sum)]
    pub sum: u64,
    /// In-neighbours with a level.
    #[wa(init = 0, merge = sum)]
    pub count: u64,
    /// The mean; 0 if no in-neighbour has a level.
    #[wa(init = 0.0, merge = any)]
    pub mean: f64,
}

#[gts_kernel(scan)]
fn add(m: &mut Means, src: Vertex, dst: Vertex) {
    let level = m.level[src];
    if level != UNREACHED {
        m.sum[dst] += level as u64;
        m.count[dst] += 1;
    }
}

#[gts_kernel(vertex)]
fn divide(m: &mut Means, v: Vertex) {
    if m.count[v] > 0 {
        m.mean[v] = m.sum[v] as f64 / m.count[v] as f64;
    }
}

/// Returns the mean for every vertex. `levels` are in the order of dense numbers.
fn means(engine: &Engine, graph: &Graph, levels: &[u32]) -> Result<Vec<f64>> {
    let mut run = engine.start::<Means>(graph)?;
    run.set_dense(Means::LEVEL, levels)?;
    run.scan(add)?;
    run.apply(divide)?;
    run.take_dense(Means::MEAN)
}

#[test]
fn means_are_those_of_a_loop() -> Result<(), Box<dyn std::error::Error>> {
    let graph = Graph::from_edges((0..40u64).flat_map(|v| [(v, (v + 3) % 40), (v, v * v % 40)]))?;
    let levels: Vec<u32> = (0..40).map(|v| if v % 3 == 0 { u32::MAX } else { v % 7 }).collect();
    let mut known: Vec<Vec<f64>> = vec![Vec::new(); 40];
    for edge in graph.edges() {
        let (src, dst) = edge?;
        if src.index() % 3 != 0 {
            known[dst.index()].push((src.index() % 7) as f64);
        }
    }
    for (found, known) in means(&Engine::cpu()?, &graph, &levels)?.into_iter().zip(known) {
        let expected = if known.is_empty() { 0.0 } else { known.iter().sum::<f64>() / known.len() as f64 };
        assert!((found - expected).abs() < 1e-12, "{found} and {expected}");
    }
    Ok(())
}
