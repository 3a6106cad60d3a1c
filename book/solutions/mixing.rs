//! Exercise: whether vertices with many edges lead to vertices with many edges.

use gts_graph::prelude::*;

#[gts_attributes]
pub struct Mixing {
    /// Sums over all edges: degree at the source, degree at the target, and their product.
    #[global(merge = sum)]
    pub src: u64,
    #[global(merge = sum)]
    pub dst: u64,
    #[global(merge = sum)]
    pub both: u64,
}

#[gts_kernel(scan)]
fn measure(m: &mut Mixing, src: Vertex, dst: Vertex) {
    m.src += src.out_degree();
    m.dst += dst.in_degree();
    m.both += src.out_degree() * dst.in_degree();
}

/// The covariance of the degrees at both ends of an edge.
fn covariance(engine: &Engine, graph: &Graph) -> Result<f64> {
    let mut run = engine.start::<Mixing>(graph)?;
    run.scan(measure)?;
    let m = graph.num_edges() as f64;
    let (src, dst) = (run.global(Mixing::SRC)? as f64, run.global(Mixing::DST)? as f64);
    Ok(run.global(Mixing::BOTH)? as f64 / m - src / m * (dst / m))
}

#[test]
fn covariance_is_that_of_a_loop() -> Result<(), Box<dyn std::error::Error>> {
    let edges = super::random_edges(50, 100, 6);
    let found = covariance(&Engine::cpu()?, &Graph::from_edges(edges.iter().copied())?)?;
    let out = |v: u64| edges.iter().filter(|edge| edge.0 == v).count() as f64;
    let into = |v: u64| edges.iter().filter(|edge| edge.1 == v).count() as f64;
    let mean = |value: &dyn Fn(&(u64, u64)) -> f64| edges.iter().map(value).sum::<f64>() / edges.len() as f64;
    let (src, dst) = (mean(&|edge| out(edge.0)), mean(&|edge| into(edge.1)));
    let expected = mean(&|edge| (out(edge.0) - src) * (into(edge.1) - dst));
    assert!((found - expected).abs() < 1e-9, "{found} instead of {expected}");
    Ok(())
}
