//! A scan that pulls has the same result as when it pushes: every merge, guards, filters, edge values, arrays.

use super::device;
use gts_core::build::BuildOptions;
use gts_graph::prelude::*;

/// Graphs on which both forms must agree.
pub(super) const GRAPHS: [&str; 5] =
    ["rmat:9,edge-factor=8,seed=5,weights=u32", "star:5000", "chain:300", "complete:90", "uniform:8,seed=2"];

#[gts_attributes]
pub struct Gathered {
    #[ra]
    pub mark: u32,
    #[wa(init = 7, merge = wrapping_sum)]
    pub sum: u32,
    #[wa(init = 1, merge = wrapping_sum)]
    pub small: u8,
    #[wa(init = 0.5, merge = sum)]
    pub halves: f64,
    #[wa(init = 0.0, merge = sum)]
    pub shares: f32,
    #[wa(init = UNREACHED, merge = min)]
    pub least: VertexId,
    #[wa(init = -1.0, merge = max)]
    pub most: f32,
    #[wa(init = 0, merge = or)]
    pub any_bits: u16,
    #[wa(init = 0xffff_ffff, merge = and)]
    pub all_bits: u32,
    #[wa(init = 0, merge = sum)]
    pub classes: [i64; 3],
    #[wa(init = true, merge = any)]
    pub wanted: bool,
    #[global(merge = sum)]
    pub edges: u64,
    #[edge(default = 3)]
    pub weight: u32,
}

#[gts_kernel(scan)]
fn gather(g: &mut Gathered, src: Vertex, dst: Vertex, e: Edge) {
    if g.mark[src] % 5 == 4 {
        return;
    }
    let mark = g.mark[src];
    g.edges += 1;
    g.sum[dst] += mark + g.weight[e];
    g.small[dst] -= mark as u8;
    g.halves[dst] += 0.5 * mark as f64;
    g.shares[dst] += 1.0 / src.out_degree() as f32;
    if g.wanted[dst] {
        g.least[dst].fetch_min(src.id());
        g.most[dst].fetch_max(mark as f32);
    }
    g.any_bits[dst].fetch_or(1 << (mark % 16) as u16);
    g.all_bits[dst].fetch_and(mark);
    g.classes[dst][mark % 3] -= mark as i64;
}

#[gts_kernel(scan(in))]
fn gather_in(g: &mut Gathered, src: Vertex, dst: Vertex) {
    g.sum[dst] += g.mark[src];
}

#[gts_kernel(scan(both))]
fn gather_both(g: &mut Gathered, src: Vertex, dst: Vertex) {
    g.least[dst].fetch_min(src.id());
    g.classes[dst][1] += 1;
}

/// Reads the value that it merges, so it always pushes.
#[gts_kernel(scan)]
fn reads(g: &mut Gathered, src: Vertex, dst: Vertex) {
    if g.least[dst] > src.id() {
        g.least[dst].fetch_min(src.id());
    }
}

#[gts_kernel(vertex)]
fn close(g: &mut Gathered, v: Vertex) {
    g.wanted[v] = v.id() as u64 % 3 != 0;
}

/// All results of the kernels.
#[derive(Debug, PartialEq)]
struct Answer {
    sum: Vec<u32>,
    small: Vec<u8>,
    halves: Vec<f64>,
    least: Vec<VertexId>,
    most: Vec<f32>,
    any_bits: Vec<u16>,
    all_bits: Vec<u32>,
    classes: Vec<[i64; 3]>,
    edges: u64,
}

/// Returns engines that pull: by the device's own technique, and by each technique if it has several. They compute the
/// contributions of sources beforehand, or at each edge. In a sample, techniques take turns at these two ways.
pub(super) fn pulling() -> Result<Vec<Engine>> {
    const WAYS: [Propagation; 2] = [Propagation::Pull, Propagation::PullAtEdge];
    let engine = |technique, propagation| {
        Engine::builder().device(device()).technique(technique).propagation(propagation).build()
    };
    let mut all: Vec<_> = WAYS.into_iter().map(|way| engine(None, way)).collect::<Result<_>>()?;
    if device() != DeviceChoice::Cpu {
        for (turn, technique) in super::techniques().enumerate() {
            let ways = if super::is_sample() { &WAYS[turn % 2..][..1] } else { &WAYS[..] };
            for &way in ways {
                all.push(engine(Some(technique), way)?);
            }
        }
    }
    Ok(all)
}

/// Returns an engine that pushes.
pub(super) fn pushing() -> Result<Engine> {
    Engine::builder().device(device()).propagation(Propagation::Push).build()
}

fn answer(graph: &Graph, engine: &Engine) -> Result<(Answer, Vec<f32>, Vec<bool>)> {
    let mut run = engine.start::<Gathered>(graph)?;
    let marks: Vec<u32> = (0..graph.num_vertices()).map(|v| super::mixed(v) as u32 % 1000).collect();
    run.set_dense(Gathered::MARK, &marks)?;
    run.apply(close)?;
    run.scan(gather)?;
    run.scan(gather_in)?;
    run.scan(gather_both)?;
    run.scan(reads)?;
    let answer = Answer {
        sum: run.take_dense(Gathered::SUM)?,
        small: run.take_dense(Gathered::SMALL)?,
        halves: run.take_dense(Gathered::HALVES)?,
        least: run.take_dense(Gathered::LEAST)?,
        most: run.take_dense(Gathered::MOST)?,
        any_bits: run.take_dense(Gathered::ANY_BITS)?,
        all_bits: run.take_dense(Gathered::ALL_BITS)?,
        classes: run.take_dense(Gathered::CLASSES)?,
        edges: run.global(Gathered::EDGES)?,
    };
    let shares = run.take_dense(Gathered::SHARES)?;
    let pulled = engine.take_report().kernels.iter().map(|kernel| kernel.pulled).collect();
    Ok((answer, shares, pulled))
}

fn same(spec: &str, options: &BuildOptions) -> Result<()> {
    let graph = Graph::reader(spec).options(options.clone()).read().expect("a graph");
    let (pushed, pushed_shares, _) = answer(&graph, &pushing()?)?;
    for engine in pulling()? {
        let (pulled, pulled_shares, forms) = answer(&graph, &engine)?;
        assert_eq!(pushed, pulled, "{spec}");
        for (a, b) in pushed_shares.iter().zip(&pulled_shares) {
            assert!((a - b).abs() <= 1e-4 * b.abs(), "{spec}: {a} pushed, {b} pulled");
        }
        assert_eq!(forms, [false, true, true, true, false], "close, gather, gather_in, gather_both, reads");
    }
    Ok(())
}

#[test]
fn pulling_equals_pushing() -> Result<()> {
    let options = BuildOptions { page_size: Some(256), in_edges: true, ..BuildOptions::default() };
    for spec in GRAPHS {
        same(spec, &options)?;
    }
    Ok(())
}

#[test]
fn a_symmetric_graph_needs_no_in_edges() -> Result<()> {
    let options = BuildOptions { page_size: Some(256), symmetrise: true, ..BuildOptions::default() };
    same("rmat:9,edge-factor=4,seed=5", &options)
}

#[test]
fn many_vertices_are_looked_ahead_for() -> Result<()> {
    let options = BuildOptions { in_edges: true, ..BuildOptions::default() };
    same("rmat:18,edge-factor=2,seed=1", &options)
}

#[gts_attributes]
pub struct Long {
    #[ra]
    pub marks: [u32; 64],
    #[wa(init = 1, merge = sum)]
    pub sums: [u64; 64],
    #[wa(init = UNREACHED, merge = min)]
    pub least: [u32; 64],
    #[wa(init = 0.0, merge = max)]
    pub most: [f32; 300],
}

/// Arrays too long for registers, accessed by a loop, backwards, and at an index known only at run time.
#[gts_kernel(scan)]
fn gather_long(l: &mut Long, src: Vertex, dst: Vertex) {
    for i in 0..64 {
        l.sums[dst][i] += l.marks[src][i] as u64;
        l.least[dst][63 - i].fetch_min(l.marks[src][i]);
    }
    l.most[dst][l.marks[src][0] % 300].fetch_max(l.marks[src][1] as f32);
}

#[test]
fn long_arrays_are_pulled_as_they_are_pushed() -> Result<()> {
    let options = BuildOptions { page_size: Some(512), in_edges: true, ..BuildOptions::default() };
    for spec in ["rmat:7,edge-factor=8,seed=5", "star:700", "complete:40"] {
        let graph = Graph::reader(spec).options(options.clone()).read().expect("a graph");
        let answer = |engine: &Engine| -> Result<_> {
            let mut run = engine.start::<Long>(&graph)?;
            let mark = |v: u64, i: u64| super::mixed(64 * v + i) as u32 >> 8;
            let marks: Vec<[u32; 64]> =
                (0..graph.num_vertices()).map(|v| std::array::from_fn(|i| mark(v, i as u64))).collect();
            run.set_dense(Long::MARKS, &marks)?;
            run.scan(gather_long)?;
            Ok((run.take_dense(Long::SUMS)?, run.take_dense(Long::LEAST)?, run.take_dense(Long::MOST)?))
        };
        let pushed = answer(&pushing()?)?;
        for engine in pulling()? {
            assert_eq!(pushed, answer(&engine)?, "{spec}");
            assert!(engine.take_report().kernels.iter().all(|kernel| kernel.pulled), "{spec}");
        }
    }
    Ok(())
}

#[test]
fn pulling_without_in_edges_says_what_is_missing() -> Result<()> {
    let graph = Graph::from_edges([(0, 1), (1, 2)]).expect("sound edges");
    for engine in pulling()? {
        let mut run = engine.start::<Gathered>(&graph)?;
        let error = format!("{:?}", run.scan(gather).expect_err("there is no way to pull"));
        assert!(error.contains("gather") && error.contains("`in_edges`"), "{error}");
    }
    Ok(())
}
