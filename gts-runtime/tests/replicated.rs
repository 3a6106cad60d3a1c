//! Several devices as one give the answers of one: every merge, globals, frontiers, kernels that only one device may run.

use gts_core::build::{BuildOptions, build};
use gts_core::generate;
use gts_runtime::device::Device;
use gts_runtime::device::cpu::CpuDevice;
use gts_runtime::device::replicated::{HostExchange, ReplicatedDevice};
use gts_runtime::prelude::*;
use std::num::NonZeroUsize;
use std::sync::Arc;

#[gts_attributes]
struct Merges {
    #[wa(init = 10, merge = sum)]
    pub sum: u64,
    #[wa(init = 1, merge = sum)]
    pub small: u8,
    #[wa(init = 0.5, merge = sum)]
    pub fractions: f64,
    #[wa(init = UNREACHED, merge = min)]
    pub least: VertexId,
    #[wa(init = -1.0, merge = max)]
    pub most: f32,
    #[wa(init = 0, merge = or)]
    pub any_bits: u16,
    #[wa(init = 0xffff_ffff, merge = and)]
    pub all_bits: u32,
    #[wa(init = 0, merge = sum)]
    pub classes: [u32; 3],
    #[wa(init = false, merge = any)]
    pub seen: bool,
    #[wa(init = 0, merge = any)]
    pub root: u32,
    #[global(merge = sum)]
    pub edges: u64,
    #[global(merge = max)]
    pub farthest: u64,
}

#[gts_kernel(scan)]
fn merges(m: &mut Merges, src: Vertex, dst: Vertex) {
    let id = src.id() as u64;
    m.sum[dst] += id;
    m.small[dst] += id as u8;
    m.fractions[dst] += 0.25;
    m.least[dst].fetch_min(src.id());
    m.most[dst].fetch_max(id as f32);
    m.any_bits[dst].fetch_or(1 << (id % 16) as u16);
    m.all_bits[dst].fetch_and(id as u32);
    m.classes[dst][id % 3] += 1;
    m.seen[dst] = true;
    m.edges += 1;
    m.farthest.fetch_max(id);
    if id % 7 == 0 {
        activate(dst);
    }
}

#[gts_kernel(vertex)]
fn count(m: &mut Merges, v: Vertex) {
    m.edges += 1;
    if m.seen[v] {
        m.sum[v] = m.sum[v] * 2;
    }
}

#[gts_kernel(vertex)]
fn name_root(m: &mut Merges, v: Vertex) {
    m.root[v] = v.id() as u32;
}

#[gts_kernel(vertex, racy)]
fn jump(m: &mut Merges, v: Vertex) {
    let parent = m.root[v];
    if parent > 0 {
        m.root[v] = m.root[Vertex::new(parent / 2)] / 2;
    }
}

#[gts_kernel(traverse)]
fn call(m: &mut Merges, src: Vertex, dst: Vertex) {
    m.sum[dst] += 1;
    m.edges += 1;
    if step() < 6 {
        activate(dst);
    }
}

#[gts_kernel(priority)]
fn urgency(m: &mut Merges, v: Vertex) -> u64 {
    (v.id() as u64 * 37 % 101 + 40) - m.sum[v].min(40)
}

fn graph() -> Graph {
    let mut stream = generate::parse("rmat:9,edge-factor=8,seed=5").expect("a generator");
    let options = BuildOptions { page_size: Some(256), ..BuildOptions::default() };
    build(&mut stream, &options).expect("a graph").0
}

/// That many devices of one thread each.
fn several(count: usize) -> Engine {
    let device = || Arc::new(CpuDevice::new(NonZeroUsize::new(1)).expect("a thread")) as Arc<dyn Device>;
    let devices = (0..count).map(|_| device()).collect();
    let together = ReplicatedDevice::new(devices, Arc::new(HostExchange)).expect("devices");
    Engine::builder().custom_device(Arc::new(together)).build().expect("an engine")
}

#[test]
fn devices_are_named_each_by_itself() {
    assert_eq!(several(2).device_name(), "cpu (1 thread) + cpu (1 thread)");
    assert_eq!(several(2).device_names(), ["cpu (1 thread)", "cpu (1 thread)"]);
    let cpu = Engine::cpu().expect("an engine");
    assert_eq!(cpu.device_names(), [cpu.device_name()]);
}

/// Every attribute and global after passes of every kind.
#[derive(Debug, PartialEq)]
struct Answer {
    sums: Vec<u64>,
    small: Vec<u8>,
    fractions: Vec<f64>,
    least: Vec<VertexId>,
    most: Vec<f32>,
    any_bits: Vec<u16>,
    all_bits: Vec<u32>,
    classes: Vec<[u32; 3]>,
    seen: Vec<bool>,
    edges: [u64; 2],
    farthest: u64,
    frontier: u64,
}

fn answer(engine: &Engine, graph: &Graph) -> Result<Answer> {
    let mut run = engine.start::<Merges>(graph)?;
    run.scan(merges)?;
    // A second time: what stands there counts once on each.
    run.scan(merges)?;
    let (edges, farthest, frontier) = (run.global(Merges::EDGES)?, run.global(Merges::FARTHEST)?, run.frontier_size()?);
    run.apply(count)?;
    Ok(Answer {
        sums: run.take(Merges::SUM)?,
        small: run.take(Merges::SMALL)?,
        fractions: run.take(Merges::FRACTIONS)?,
        least: run.take(Merges::LEAST)?,
        most: run.take(Merges::MOST)?,
        any_bits: run.take(Merges::ANY_BITS)?,
        all_bits: run.take(Merges::ALL_BITS)?,
        classes: run.take(Merges::CLASSES)?,
        seen: run.take(Merges::SEEN)?,
        edges: [edges, run.global(Merges::EDGES)?],
        farthest,
        frontier,
    })
}

#[test]
fn every_merge_counts_once() -> Result<()> {
    let graph = graph();
    let expected = answer(&Engine::cpu()?, &graph)?;
    assert_eq!(expected.edges, [graph.num_edges(), graph.num_vertices()]);
    for devices in 1..=4 {
        assert_eq!(answer(&several(devices), &graph)?, expected, "{devices} devices");
    }
    Ok(())
}

#[test]
fn near_and_far_are_the_same_on_all() -> Result<()> {
    let graph = graph();
    let answer = |engine: &Engine, width| {
        let mut run = engine.start::<Merges>(&graph)?;
        for v in [3, 77, 200] {
            run.activate(Vertex::from_dense(v))?;
        }
        let steps = run.traverse_near(call, urgency, width)?;
        Ok::<_, Error>((steps, run.global(Merges::EDGES)?, run.take(Merges::SUM)?))
    };
    for width in [0, 20, 1000] {
        let expected = answer(&Engine::cpu()?, width)?;
        assert!(expected.0 > 6 && expected.1 > 0);
        for devices in 2..=3 {
            assert_eq!(answer(&several(devices), width)?, expected, "{devices} devices, width {width}");
        }
    }
    Ok(())
}

#[test]
fn devices_share_the_pages() -> Result<()> {
    let graph = graph();
    let engine = several(3);
    engine.start::<Merges>(&graph)?.scan(merges)?;
    let report = engine.take_report();
    let scan = &report.kernels[0];
    assert_eq!((scan.pages, scan.edges), (graph.out_topology().num_pages().into(), graph.num_edges()));
    assert_eq!(scan.devices, 3);
    Ok(())
}

#[test]
fn what_is_not_replicable_runs_on_one_device() -> Result<()> {
    let graph = graph();
    let engine = several(2);
    let mut run = engine.start::<Merges>(&graph)?;
    run.apply(name_root)?;
    run.apply(jump)?;
    let report = engine.take_report();
    let devices: Vec<u32> = report.kernels.iter().map(|kernel| kernel.devices).collect();
    assert_eq!(devices, [2, 1]);
    // Both replicas have what the one has written: a pass on both goes on from it.
    run.scan(merges)?;
    let roots: Vec<u32> = run.take(Merges::ROOT)?;
    assert!(roots.iter().zip(0..).all(|(&root, v)| root <= v));
    Ok(())
}

#[gts_attributes]
struct Elsewhere {
    #[wa(init = 0, merge = any)]
    pub owner: u64,
    #[wa(init = 0.0, merge = sum)]
    pub mass: f32,
    #[wa(init = 0, merge = sum)]
    pub count: u32,
    #[wa(init = 0.0, merge = max)]
    pub most: f64,
}

#[gts_kernel(vertex)]
fn claim(e: &mut Elsewhere, v: Vertex) {
    e.owner[Vertex::new(v.id() as u64 / 2)] = v.id() as u64;
}

#[gts_kernel(vertex)]
fn give(e: &mut Elsewhere, v: Vertex) {
    e.mass[Vertex::new(v.id() as u64 / 2)] += 0.1;
}

#[gts_kernel(vertex)]
fn begin_and_count(e: &mut Elsewhere, v: Vertex) {
    e.count[v] = 1;
    e.count[Vertex::new(v.id() as u64 / 2)] += 1;
}

#[gts_kernel(vertex)]
fn merge_elsewhere(e: &mut Elsewhere, v: Vertex) {
    e.count[Vertex::new(v.id() as u64 / 2)] += 1;
    e.most[Vertex::new(v.id() as u64 / 2)].fetch_max(v.id() as u64 as f64);
}

#[gts_kernel(vertex)]
fn own(e: &mut Elsewhere, v: Vertex) {
    e.owner[v] = v.id() as u64;
    e.mass[v] += 0.1;
}

#[test]
fn what_the_order_of_writes_decides_is_decided_on_one_device() -> Result<()> {
    let graph = graph();
    let engine = several(2);
    let mut run = engine.start::<Elsewhere>(&graph)?;
    run.apply(claim)?;
    run.apply(give)?;
    run.apply(begin_and_count)?;
    run.apply(merge_elsewhere)?;
    run.apply(own)?;
    let report = engine.take_report();
    let devices: Vec<(&str, u32)> = report.kernels.iter().map(|kernel| (kernel.kernel, kernel.devices)).collect();
    assert_eq!(devices, [("claim", 1), ("give", 1), ("begin_and_count", 1), ("merge_elsewhere", 2), ("own", 2)]);
    Ok(())
}
