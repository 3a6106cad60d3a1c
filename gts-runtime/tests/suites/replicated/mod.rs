//! Several devices as one give the answers of one: every merge, globals, frontiers, kernels that only one device may
//! run.

use gts_core::build::BuildOptions;
use gts_graph::device::cpu::CpuDevice;
use gts_graph::device::replicated::{HostCollective, ReplicatedDevice};
use gts_graph::device::{Device, Placement};
use gts_graph::prelude::*;
use std::num::NonZeroUsize;
use std::sync::Arc;

mod adjusted;
mod cramped;
mod perturbed;
mod ranks;
mod sums;

#[gts_attributes]
struct Merges {
    #[wa(init = 10, merge = sum)]
    pub sum: u64,
    #[wa(init = 1, merge = wrapping_sum)]
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

#[gts_kernel(scan)]
fn add_roots(m: &mut Merges, src: Vertex, dst: Vertex) {
    m.sum[dst] += m.root[src] as u64;
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
    let options = BuildOptions { page_size: Some(256), ..BuildOptions::default() };
    Graph::reader("rmat:9,edge-factor=8,seed=5").options(options).read().expect("a graph")
}

/// Returns an engine on `count` devices of one thread each.
fn several(count: usize) -> Engine {
    let device = || Arc::new(CpuDevice::new(NonZeroUsize::new(1)).expect("a thread")) as Arc<dyn Device>;
    let devices = (0..count).map(|_| device()).collect();
    let together = ReplicatedDevice::new(devices, Arc::new(HostCollective)).expect("devices");
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
    farthest: [u64; 2],
    frontier: u64,
}

fn answer(engine: &Engine, graph: &Graph) -> Result<Answer> {
    let mut run = engine.start::<Merges>(graph)?;
    run.scan(merges)?;
    // A second time: existing values must count once on each device.
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
        // `count` does not update it, so it keeps the value of the scan.
        farthest: [farthest, run.global(Merges::FARTHEST)?],
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

#[gts_kernel(gather)]
fn choose(m: &mut Merges, v: Vertex) {
    let best = v.neighbors().argmin(|dst| dst.id() as u32 % 16);
    m.least[v] = m.least[v].min(best);
}

/// The attributes that a gather and a priority append to those of the struct have the same indices.
#[test]
fn followers_tell_the_attributes_of_one_kernel_from_those_of_the_next() -> Result<()> {
    let graph = graph();
    let answer = |engine: &Engine| {
        let mut run = engine.start::<Merges>(&graph)?;
        run.gather(choose)?;
        run.activate(Vertex::from_dense(3))?;
        let steps = run.traverse_near(call, urgency, 20)?;
        run.gather(choose)?;
        Ok::<_, Error>((steps, run.take(Merges::SUM)?, run.take(Merges::LEAST)?))
    };
    let expected = answer(&Engine::cpu()?)?;
    for leaders in 1..=3 {
        let device = |_| CpuDevice::new(NonZeroUsize::new(1)).map(|device| Arc::new(device) as Arc<dyn Device>);
        let devices = (0..3).map(device).collect::<Result<_>>()?;
        let together = ReplicatedDevice::new(devices, Arc::new(HostCollective))?.led_by(leaders);
        let engine = Engine::builder().custom_device(Arc::new(together)).build()?;
        assert_eq!(answer(&engine)?, expected, "{leaders} leaders");
    }
    Ok(())
}

#[gts_attributes]
struct Search {
    #[wa(init = UNREACHED, merge = min)]
    pub level: u32,
    #[wa(init = UNREACHED, merge = any)]
    pub parent: VertexId,
    #[wa(init = UNREACHED, merge = min)]
    pub distance: u32,
    #[wa(init = 0, merge = sum)]
    pub paths: u64,
    #[ra(from = next)]
    pub rank: u64,
    #[wa(init = 0, merge = sum)]
    pub next: u64,
}

#[gts_kernel(traverse)]
fn expand(search: &mut Search, src: Vertex, dst: Vertex) {
    if search.level[dst] == UNREACHED {
        search.level[dst] = step() + 1;
        search.parent[dst] = src.id();
        activate(dst);
    }
}

#[gts_kernel(traverse)]
fn relax(search: &mut Search, src: Vertex, dst: Vertex) {
    let far = search.distance[src] + 1 + (src.id() as u32 * 7 + dst.id() as u32) % 13;
    if search.distance[dst].fetch_min(far) > far {
        activate(dst);
    }
}

/// Changes only the values of activated vertices, by sums.
#[gts_kernel(traverse)]
fn add_paths(search: &mut Search, src: Vertex, dst: Vertex) {
    if search.level[dst] == step() + 1 {
        search.paths[dst] += 1;
        activate(dst);
    }
}

/// Writes only at its own vertex.
#[gts_kernel(scan)]
fn collect(search: &mut Search, src: Vertex, dst: Vertex) {
    search.next[src] += dst.id() as u64;
}

/// Has a form that pulls.
#[gts_kernel(scan)]
fn push(search: &mut Search, src: Vertex, dst: Vertex) {
    search.next[dst] += search.rank[src] + 1;
}

#[gts_kernel(traverse(both))]
fn spread(search: &mut Search, src: Vertex, dst: Vertex) {
    let label = search.distance[src];
    if search.distance[dst].fetch_min(label) > label {
        activate(dst);
    }
}

/// Results of passes with every way of merging replicas.
#[derive(Debug, PartialEq)]
struct Searched {
    levels: Vec<u32>,
    distances: Vec<u32>,
    paths: Vec<u64>,
    collected: Vec<u64>,
    pushed: Vec<u64>,
    wrong_parents: u64,
}

fn searched(engine: &Engine, graph: &Graph) -> Result<Searched> {
    let source = Vertex::from_dense(3);
    let mut run = engine.start::<Search>(graph)?;
    run.set(Search::LEVEL, source, 0)?;
    run.set(Search::DISTANCE, source, 0)?;
    run.activate(source)?;
    run.traverse(expand)?;
    run.activate(source)?;
    run.traverse(add_paths)?;
    run.activate(source)?;
    run.traverse(relax)?;
    run.activate_all()?;
    run.traverse(spread)?;
    run.scan(collect)?;
    run.rotate(Search::RANK)?;
    let collected = run.take(Search::RANK)?;
    run.scan(push)?;
    run.scan(push)?;
    let levels: Vec<u32> = run.take(Search::LEVEL)?;
    // Several parents are right: each is one level before.
    let parents: Vec<VertexId> = run.take(Search::PARENT)?;
    let mut wrong_parents = 0;
    for (v, parent) in (0..).zip(&parents) {
        let vertex = graph.vertex(graph.ids().in_original_order().nth(v).map_or(0, |v| graph.original(v)))?;
        if levels[v] != u32::MAX && vertex != source {
            let parent = graph.vertex(parent.to_bits())?;
            let level = |vertex: Vertex| -> Result<u32> {
                let rank = graph.ids().in_original_order().position(|other| other == vertex);
                Ok(levels[rank.expect("a vertex of the graph")])
            };
            wrong_parents += u64::from(level(parent)? + 1 != levels[v]);
        }
    }
    let (distances, paths) = (run.take(Search::DISTANCE)?, run.take(Search::PATHS)?);
    Ok(Searched { levels, distances, paths, collected, pushed: run.take(Search::NEXT)?, wrong_parents })
}

#[test]
fn replicas_become_one_in_every_way() -> Result<()> {
    for symmetric in [false, true] {
        let options =
            BuildOptions { page_size: Some(256), symmetrise: symmetric, in_edges: true, ..BuildOptions::default() };
        let graph = Graph::reader("rmat:8,edge-factor=8,seed=7").options(options).read().expect("a graph");
        let expected = searched(&Engine::cpu()?, &graph)?;
        assert_eq!(expected.wrong_parents, 0);
        for weights in [&[1, 1][..], &[1, 0], &[0, 1], &[5, 1, 2]] {
            for placement in [Placement::Even, Placement::Random, Placement::High, Placement::Low] {
                for propagation in Propagation::ALL {
                    let engine = weighted(weights, placement, propagation)?;
                    let found = searched(&engine, &graph)?;
                    assert_eq!(found, expected, "{weights:?} {placement:?} {propagation:?} {symmetric}");
                }
            }
        }
    }
    Ok(())
}

/// Returns an engine on devices of one thread each, with these weights.
fn weighted(weights: &[u32], placement: Placement, propagation: Propagation) -> Result<Engine> {
    let device = |_: &u32| Ok(Arc::new(CpuDevice::new(NonZeroUsize::new(1))?) as Arc<dyn Device>);
    let devices = weights.iter().map(device).collect::<Result<_>>()?;
    let together = ReplicatedDevice::weighted(devices, weights, placement, Arc::new(HostCollective))?;
    Engine::builder().custom_device(Arc::new(together)).propagation(propagation).build()
}

#[test]
fn what_was_activated_alone_is_merged() -> Result<()> {
    let graph = graph();
    let engine = several(2);
    let mut run = engine.start::<Search>(&graph)?;
    run.set(Search::LEVEL, Vertex::from_dense(3), 0)?;
    run.activate(Vertex::from_dense(3))?;
    run.traverse(expand)?;
    run.scan(push)?;
    let kernels = engine.take_report().kernels;
    let (traversal, scan) = (&kernels[0], &kernels[1]);
    let set = graph.num_vertices().div_ceil(8);
    let reached = run.count(Search::LEVEL, |level: &u32| *level != u32::MAX)? - 1;
    assert_eq!(traversal.merged, (4 + 4) * reached + traversal.passes * set);
    assert_eq!(traversal.merged_at_most, traversal.passes * (8 * graph.num_vertices() + set));
    assert_eq!(scan.merged, 8 * graph.num_vertices());
    Ok(())
}

#[test]
fn weights_that_share_nothing_out_are_refused() -> Result<()> {
    for weights in [&[1, 1, 1][..], &[0, 0]] {
        let device = || CpuDevice::new(NonZeroUsize::new(1)).map(|device| Arc::new(device) as Arc<dyn Device>);
        let devices = vec![device()?, device()?];
        let error = ReplicatedDevice::weighted(devices, weights, Placement::Even, Arc::new(HostCollective));
        assert!(error.expect_err("a refusal").to_string().contains("weights"));
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
fn devices_of_two_kinds_tell_the_time_of_each() -> Result<()> {
    let graph = graph();
    let kinds_time = |unlike: bool| {
        let device = || CpuDevice::new(NonZeroUsize::new(1)).map(|device| Arc::new(device) as Arc<dyn Device>);
        let devices = vec![device()?, device()?, device()?];
        let together = ReplicatedDevice::new(devices, Arc::new(HostCollective))?;
        let together = if unlike { together.led_by(2) } else { together };
        let engine = Engine::builder().custom_device(Arc::new(together)).build()?;
        let mut run = engine.start::<Merges>(&graph)?;
        run.scan(merges)?;
        run.scan(merges)?;
        Ok::<_, Error>(engine.take_report())
    };
    let report = kinds_time(true)?;
    let times = report.kinds_time().expect("times of both kinds");
    assert!(times.iter().all(|time| !time.is_zero() && *time <= report.time()), "{times:?} of {:?}", report.time());
    assert_eq!((report.merged(), report.merge_time() <= report.time()), (report.kernels[0].merged, true));
    assert_eq!(kinds_time(false)?.kinds_time(), None);
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
    // Both replicas have the values that one device wrote: a pass on both reads them.
    run.scan(add_roots)?;
    assert_eq!(engine.take_report().kernels[0].devices, 2);
    let (sums, roots): (Vec<u64>, Vec<u32>) = (run.take(Merges::SUM)?, run.take(Merges::ROOT)?);
    let vertices: Vec<Vertex> = graph.ids().in_original_order().collect();
    assert!(vertices.iter().zip(&roots).any(|(v, &root)| u64::from(root) != v.dense()));
    // The order of the jumps determines the roots, so the single device gets the roots found.
    let mut alone = Engine::cpu()?.start::<Merges>(&graph)?;
    for (v, root) in vertices.into_iter().zip(roots) {
        alone.set(Merges::ROOT, v, root)?;
    }
    alone.scan(add_roots)?;
    assert_eq!(sums, alone.take(Merges::SUM)?);
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

#[gts_attributes]
struct Draws {
    #[wa(init = 0, merge = wrapping_sum)]
    pub sum: u64,
    #[wa(init = 0, merge = any)]
    pub own: u64,
}

#[gts_kernel(scan)]
fn draw_edges(d: &mut Draws, src: Vertex, dst: Vertex, e: Edge) {
    d.sum[dst] += random(e, 0);
}

#[gts_kernel(vertex)]
fn draw_own(d: &mut Draws, v: Vertex) {
    d.own[v] ^= random(v, 0);
}

/// Returns the sums after each of several passes of one kernel.
fn drawn(engine: &Engine, graph: &Graph) -> Result<Vec<(Vec<u64>, Vec<u64>)>> {
    let mut run = engine.start::<Draws>(graph)?;
    let pass = |_| {
        run.scan(draw_edges)?;
        run.apply(draw_own)?;
        Ok((run.take(Draws::SUM)?, run.take(Draws::OWN)?))
    };
    (0..3).map(pass).collect()
}

#[test]
fn a_pass_that_devices_share_counts_once_for_random_numbers() -> Result<()> {
    let graph = graph();
    let expected = drawn(&Engine::cpu()?, &graph)?;
    let twice = |sums: &[u64]| sums.iter().map(|sum| sum.wrapping_mul(2)).collect::<Vec<u64>>();
    assert_ne!(twice(&expected[0].0), expected[1].0, "each scan draws other numbers");
    for count in [1, 3] {
        assert_eq!(drawn(&several(count), &graph)?, expected, "{count} devices");
    }
    Ok(())
}
