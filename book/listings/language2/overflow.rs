//! Faults, missing values, assertions and checked mode.

use gts_graph::prelude::*;

// ANCHOR: walks
/// Walks that end at each vertex.
#[gts_attributes]
pub struct Walks {
    /// Number of walks of the length so far.
    #[ra(from = longer)]
    pub walks: u32,
    /// Number of walks with one edge more.
    #[wa(init = 0, merge = sum)]
    pub longer: u32,
}

#[gts_kernel(scan)]
fn extend(w: &mut Walks, src: Vertex, dst: Vertex) {
    w.longer[dst] += w.walks[src];
}

/// Returns the number of walks of `length` edges that end at each vertex.
fn walks(engine: &Engine, graph: &Graph, length: u32) -> Result<Vec<u32>> {
    let mut run = engine.start::<Walks>(graph)?;
    run.fill(Walks::WALKS, 1)?;
    for _ in 0..length {
        run.scan(extend)?;
        run.rotate(Walks::WALKS)?;
    }
    run.take(Walks::WALKS)
}
// ANCHOR_END: walks

fn complete(vertices: u64) -> Result<Graph> {
    let pairs = (0..vertices).flat_map(|v| (0..vertices).map(move |w| (v, w)));
    Ok(Graph::from_edges(pairs.filter(|(v, w)| v != w))?)
}

// ANCHOR: fault
#[test]
fn the_total_must_fit() -> Result<(), Box<dyn std::error::Error>> {
    let graph = complete(20)?;
    assert_eq!(walks(&Engine::cpu()?, &graph, 7)?, [893_871_739; 20]);
    let error = walks(&Engine::cpu()?, &graph, 8).unwrap_err().to_string();
    assert!(error.starts_with("kernel `extend` at "), "{error}");
    assert!(error.contains(": integer addition overflows ("), "{error}");
    Ok(())
}
// ANCHOR_END: fault

// ANCHOR: wrapping
/// Walks that end at each vertex, modulo 2^32.
#[gts_attributes]
pub struct WalksModulo {
    /// Number of walks of the length so far.
    #[ra(from = longer)]
    pub walks: u32,
    /// Number of walks with one edge more.
    #[wa(init = 0, merge = wrapping_sum)]
    pub longer: u32,
}
// ANCHOR_END: wrapping

#[gts_kernel(scan)]
fn extend_modulo(w: &mut WalksModulo, src: Vertex, dst: Vertex) {
    w.longer[dst] += w.walks[src];
}

#[test]
fn a_wrapping_sum_wraps() -> Result<(), Box<dyn std::error::Error>> {
    let graph = complete(20)?;
    let mut run = Engine::cpu()?.start::<WalksModulo>(&graph)?;
    run.fill(WalksModulo::WALKS, 1)?;
    for _ in 0..8 {
        run.scan(extend_modulo)?;
        run.rotate(WalksModulo::WALKS)?;
    }
    assert_eq!(run.take(WalksModulo::WALKS)?, [19u32.wrapping_pow(8); 20]);
    Ok(())
}

// ANCHOR: missing
/// Lengths of paths.
#[gts_attributes]
pub struct Lengths {
    /// Length of the shortest known path, or `UNREACHED`.
    #[wa(init = UNREACHED, merge = min)]
    pub length: u32,
    /// Length of the edge.
    #[edge(default = 1)]
    pub edge: u32,
}

#[gts_kernel(scan)]
fn relax(l: &mut Lengths, src: Vertex, dst: Vertex, e: Edge) {
    if l.length[src] != UNREACHED {
        l.length[dst].fetch_min(l.length[src] + l.edge[e]);
    }
}
// ANCHOR_END: missing

// ANCHOR: saturating
#[gts_kernel(scan)]
fn relax_saturating(l: &mut Lengths, src: Vertex, dst: Vertex, e: Edge) {
    let through = l.length[src].saturating_add(l.edge[e]);
    l.length[dst].fetch_min(through);
}
// ANCHOR_END: saturating

#[test]
fn both_ways_find_the_same_lengths() -> Result<(), Box<dyn std::error::Error>> {
    let graph = Graph::from_edges([(0, 1), (1, 2), (2, 3), (0, 3), (4, 0)])?;
    let found = |saturating: bool| -> Result<Vec<u32>> {
        let mut run = Engine::cpu()?.start::<Lengths>(&graph)?;
        run.set(Lengths::LENGTH, graph.vertex(0)?, 0)?;
        for _ in 0..5 {
            if saturating { run.scan(relax_saturating)? } else { run.scan(relax)? }
        }
        run.take(Lengths::LENGTH)
    };
    assert_eq!(found(false)?, [0, 1, 2, 1, u32::MAX]);
    assert_eq!(found(true)?, found(false)?);
    Ok(())
}

// ANCHOR: assert
/// Flow along edges.
#[gts_attributes]
pub struct Flow {
    /// Flow into the vertex.
    #[wa(init = 0.0, merge = sum)]
    pub inflow: f32,
    /// Mean inflow per out-edge.
    #[wa(init = 0.0, merge = any)]
    pub mean: f32,
    /// Flow along the edge.
    #[edge]
    pub flow: f32,
}

#[gts_kernel(scan)]
fn collect(f: &mut Flow, src: Vertex, dst: Vertex, e: Edge) {
    assert!(f.flow[e] >= 0.0, f.flow[e]);
    f.inflow[dst] += f.flow[e];
}
// ANCHOR_END: assert

// ANCHOR: mean
#[gts_kernel(vertex)]
fn divide(f: &mut Flow, v: Vertex) {
    f.mean[v] = f.inflow[v] / v.out_degree() as f32;
}
// ANCHOR_END: mean

// ANCHOR: negative
#[test]
fn a_negative_flow_fails_the_assertion() -> Result<(), Box<dyn std::error::Error>> {
    let edges = [(10, 20, 0.5f32), (20, 30, -0.25)];
    let graph = Graph::builder().weighted_edges(edges).build()?;
    let mut run = Engine::cpu()?.start::<Flow>(&graph)?;
    let error = run.scan(collect).unwrap_err().to_string();
    let end = ": assertion failed (value -0.25, src 20, dst 30)";
    assert!(error.ends_with(end), "{error}");
    Ok(())
}
// ANCHOR_END: negative

// ANCHOR: checked
#[test]
fn checked_mode_stops_at_a_nan() -> Result<(), Box<dyn std::error::Error>> {
    // Nothing flows into vertex 20, and no edge leaves it: 0.0 / 0.0.
    let graph = Graph::builder().weighted_edges([(10, 20, 0.0f32)]).build()?;
    for checked in [false, true] {
        let engine = Engine::builder().device(DeviceChoice::Cpu);
        let mut run = engine.checked(checked).build()?.start::<Flow>(&graph)?;
        run.scan(collect)?;
        assert_eq!(run.apply(divide).is_err(), checked);
    }
    Ok(())
}
// ANCHOR_END: checked
