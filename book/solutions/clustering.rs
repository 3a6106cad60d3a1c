//! Solution: the share of the pairs of a vertex's neighbours that an edge joins.

use gts_graph::prelude::*;

/// Neighbourhoods.
#[gts_attributes]
pub struct Clustering {
    /// Triangles that contain the vertex.
    #[wa(init = 0, merge = sum)]
    pub triangles: u64,
    /// The share of joined pairs.
    #[wa(init = 0.0, merge = any)]
    pub share: f64,
}

#[gts_kernel(intersect, ordered)]
fn meet(c: &mut Clustering, u: Vertex, v: Vertex, w: Vertex) {
    c.triangles[u] += 1;
    c.triangles[v] += 1;
    c.triangles[w] += 1;
}

#[gts_kernel(vertex)]
fn divide(c: &mut Clustering, v: Vertex) {
    let degree = v.out_degree();
    if degree > 1 {
        c.share[v] = c.triangles[v] as f64 / (degree * (degree - 1) / 2) as f64;
    }
}

/// Returns the share of every vertex of a simple, symmetric graph.
fn clustering(engine: &Engine, graph: &Graph) -> Result<Vec<f64>> {
    let mut run = engine.start::<Clustering>(graph)?;
    run.intersect(meet)?;
    run.apply(divide)?;
    run.take(Clustering::SHARE)
}

#[test]
fn shares_are_those_of_all_pairs() -> Result<(), Box<dyn std::error::Error>> {
    let edge = |a: u64, b: u64| a != b && (a * 7 + b * 7 + a * b) % 5 < 2;
    let pairs = (0..30).flat_map(|a| (0..a).map(move |b| (a, b))).filter(|&(a, b)| edge(a, b));
    let graph = Graph::builder().edges(pairs).symmetrise(true).build()?;
    let found = clustering(&Engine::cpu()?, &graph)?;
    let originals: Vec<u64> = graph.ids().in_original_order().map(|v| graph.original(v)).collect();
    assert_eq!(originals.len(), 30);
    for (v, found) in originals.iter().zip(found) {
        let near: Vec<u64> = originals.iter().copied().filter(|&w| edge(*v, w)).collect();
        let pairs = near.iter().flat_map(|&a| near.iter().map(move |&b| (a, b))).filter(|(a, b)| a < b);
        let (joined, all) = pairs.fold((0, 0), |(joined, all), (a, b)| (joined + u32::from(edge(a, b)), all + 1));
        let expected = if all == 0 { 0.0 } else { f64::from(joined) / f64::from(all) };
        assert!((found - expected).abs() < 1e-12, "{v}: {found} and {expected}");
    }
    Ok(())
}
