//! Compares predictions with results computed by hand, and tests general invariants.

use super::Strategy;
use super::holding::*;
use super::*;
use crate::graph::{DegreeClass, DegreeSpread, GraphShape, ListShape, TopologyShape, TraversalGrowth, VertexOrder};
use crate::page::IdWidth;
use gts_contract::{KernelKind, ScalarType, SharedWrites, Side, SourceLocation, StepLoop};
use proptest::prelude::*;
use proptest::strategy::Strategy as _;

mod edge_list;
mod loops;
mod pattern;
mod several;

/// Returns a graph with a million vertices, and 64 M edges in 256 pages of 1 MiB.
pub(super) fn graph() -> GraphShape {
    let (vertices, edges) = (1_000_000, 64_000_000);
    GraphShape {
        vertices,
        edges,
        out: TopologyShape {
            small_pages: 256,
            large_pages: 0,
            page_size: 1 << 20,
            width: IdWidth::new(2, 2).unwrap(),
            value_bytes: 0,
            edges,
        },
        incoming: None,
        symmetric: false,
        undirected_edges: None,
        value: None,
        order: VertexOrder::Original,
        classes: vec![DegreeClass {
            vertices: vertices as f64,
            out_degree: 64.0,
            in_degree: 64.0,
            spread: DegreeSpread::Poisson,
        }],
        lists: ListShape { classes: vec![], large_entries: edges as f64, local: 0.0 },
        in_lists: None,
        largest: [64; 2],
        reach: TraversalGrowth::Random,
        id_map: 0,
        estimated: true,
        edges_at_most: false,
    }
}

pub(super) fn kernel(kind: KernelKind) -> KernelShape {
    KernelShape {
        name: "Test::kernel".into(),
        kind,
        sides: if kind == KernelKind::Vertex { vec![] } else { vec![Side::Out] },
        reads: vec![],
        touched: 4,
        at_source: 4,
        target: TargetWork { bytes: 4, reads: 0, updates: 1 },
        merged: 4,
        merged_columns: 1,
        globals: 0,
        may_pull: false,
        once: kind == KernelKind::Traverse,
        idempotent: false,
        reads_edge: false,
        leaves_early: kind == KernelKind::Traverse,
        handed: None,
        ordered: false,
        writes: SharedWrites { adds: kind == KernelKind::Scan, ..SharedWrites::default() },
        step_loop: StepLoop::No,
        not_splittable: None,
    }
}

fn algorithm(kind: KernelKind, steps: Steps) -> AlgorithmShape {
    AlgorithmShape {
        name: "test".into(),
        attributes: AttributeLoad { wa: 4, edge_wa: 0, small: 0 },
        ra: vec![],
        rotated: vec![],
        edge_values: vec![],
        symmetric: false,
        once: vec![],
        each_step: vec![kernel(kind)],
        steps,
        searches: 1,
        pattern: None,
    }
}

pub(super) fn scans(count: u64) -> AlgorithmShape {
    algorithm(KernelKind::Scan, Steps::Fixed(count))
}

/// Returns a scan with `wa` bytes of WA per vertex.
fn with_wa(wa: u64) -> AlgorithmShape {
    AlgorithmShape { attributes: AttributeLoad { wa, edge_wa: 0, small: 0 }, ..scans(1) }
}

pub(super) fn search() -> AlgorithmShape {
    algorithm(KernelKind::Traverse, Steps::WhileActive(Start::One))
}

const HOST: HostConstants = HostConstants { measured: true, memory: 64 << 30, memory_rate: 40e9, disk_rate: 2e9 };

/// Returns a GPU with round numbers: 10 GB/s for copies of any size, 100 G edges/s, and no fixed costs of launches and
/// steps.
pub(super) fn cuda() -> ProcessorConstants {
    let rate = |kernel: &str| KernelRate { kernel: kernel.into(), pulled: false, working_set: 1, seconds: 1e-11 };
    ProcessorConstants {
        measured: true,
        kind: ProcessorKind::Cuda,
        name: "test".into(),
        memory: 1 << 30,
        memory_rate: 1e12,
        launch: 0.0,
        step: 0.0,
        link: Some(LinkConstants {
            copies: vec![CopyRate { bytes: 1 << 20, rate: 10e9 }],
            pageable_rate: 5e9,
            back_rate: 10e9,
            in_place_rate: 8e9,
            pin_rate: 1e9,
            shared_rate: 1e12,
            peer_rate: Some(100e9),
            beside: None,
        }),
        accesses: AccessConstants::default_cuda(),
        kernels: vec![rate("scan"), rate("traverse"), rate("vertex")],
    }
}

/// The source location at which the kernel reads a column.
const AT: SourceLocation = SourceLocation { file: "kernel.rs", line: 3, column: 9 };
/// Bytes of device memory for [`graph`] besides pages and staging.
const FIXED: u64 = 1_000_000 * 4 + 2 * 125_000 + 257 * (16 + 4);
const STAGING: u64 = 4 * (16 << 20);
/// Minimum staging: two slots for one page each, the lists of all pages, and the reserve.
const LEAST: u64 = 2 * ((1 << 20) + 16) + 256 * 28 + (256 << 10);
/// Bytes of host memory for the store's tables.
const TABLES: u64 = 8_000_000 + 256 * (20 + 8);
/// Additional bytes of host memory if pages stream: one bit per vertex.
const ENDS: u64 = 125_000;
const TOPOLOGY: f64 = 268_435_456.0;

/// Returns a configuration with a device cache of `pages` pages. Staging uses at most a quarter of the space.
fn with_cache(pages: u64) -> RunConfiguration {
    let cache = if pages == 0 { CachePolicy::Off } else { CachePolicy::Auto };
    let room = if pages == 256 { pages << 20 } else { STAGING + (pages << 20) };
    RunConfiguration { device_memory: Some(FIXED + room), cache, ..RunConfiguration::default() }
}

fn predicted(algorithm: &AlgorithmShape, configuration: &RunConfiguration) -> Prediction {
    predict(&graph(), algorithm, &HOST, &cuda(), configuration).unwrap()
}

fn assert_about(found: f64, expected: f64) {
    assert!((found - expected).abs() <= 1e-9 + 1e-6 * expected.abs(), "{found} for {expected}");
}

#[test]
fn a_streamed_scan_takes_its_copies_and_the_last_kernel() {
    let found = predicted(&scans(3), &with_cache(0));
    assert_eq!(found.memory.cache, 0);
    let copies = TOPOLOGY / 10e9;
    // 64 M edges are copied in 16 groups. Only the kernel of the last group does not overlap with copies.
    let step = copies + 64e6 * 1e-11 / 16.0;
    assert_about(found.passes, 3.0 * step);
    assert_eq!(found.bound(), Some(StepBound::Link));
    assert_about(found.setup, TOPOLOGY / 1e9);
    assert_about(found.attributes, 4e6 / 1e12 + 4e6 / 10e9 + 4e6 / 40e9);
}

#[test]
fn a_graph_that_fits_is_loaded_once() {
    let found = predicted(&scans(5), &with_cache(256));
    assert_eq!((found.memory.cache, found.memory.resident), (256 << 20, true));
    assert_about(found.setup, TOPOLOGY / 5e9);
    assert_about(found.steps[0].bytes.copied, 0.0);
    assert_about(found.steps[1].seconds.total(), 64e6 * 1e-11);
    assert_eq!((found.steps[1].repeats, found.steps[1].seconds.bound()), (4.0, StepBound::Kernel));
}

#[test]
fn half_a_cache_saves_half_of_a_scan_but_not_by_lru() {
    // One stream uses 32 of the 160 MiB for staging. The cache has room for half of the pages.
    let half = RunConfiguration { streams: 1, device_memory: Some(FIXED + (160 << 20)), ..RunConfiguration::default() };
    let found = predicted(&scans(2), &half);
    assert_about(found.steps[0].bytes.copied, TOPOLOGY);
    assert_about(found.steps[1].bytes.copied, TOPOLOGY / 2.0);
    assert_about(found.steps[1].bytes.cached, TOPOLOGY / 2.0);
    // Eight groups are copied. Only the kernel of the last group does not overlap with copies. The kernels of cached
    // pages overlap with copies.
    assert_about(found.steps[1].seconds.total(), TOPOLOGY / 20e9 + 32e6 * 1e-11 / 8.0);
    let lru = predicted(&scans(2), &RunConfiguration { cache: CachePolicy::Lru, ..half });
    assert_about(lru.steps[1].bytes.copied, TOPOLOGY);
}

#[test]
fn storage_bounds_what_the_host_cannot_hold() {
    let configuration =
        RunConfiguration { stored: true, host_memory: Some((64 << 20) + TABLES + ENDS), ..with_cache(0) };
    let found = predicted(&scans(2), &configuration);
    assert_eq!((found.memory.host_pages, found.memory.on_storage()), (64 << 20, 192 << 20));
    // The first step fills the buffer, which has room for a quarter of the pages.
    let read = [TOPOLOGY, TOPOLOGY * 0.75];
    let ends = (TOPOLOGY / 10e9 + 64e6 * 1e-11) / 16.0;
    for (step, read) in found.steps.iter().zip(read) {
        assert_about(step.bytes.read, read);
        assert_about(step.seconds.total(), read / 2e9 + ends);
    }
    let warm = predicted(&scans(2), &RunConfiguration { warm: true, ..configuration });
    assert_about(warm.steps[0].bytes.read, read[1]);
    assert_eq!((found.bound(), found.setup), (Some(StepBound::Disk), 0.0));
}

#[test]
fn what_does_not_fit_is_split_and_passes_more_than_once() {
    // The device needs room for one of two parts of 8 MB of WA, for sets, tables, sundries and two pages, and for the
    // eighth reserved for staging.
    let split = with_wa(8);
    let budget = (LEAST + 250_000 + 257 * (16 + 4) + (64 << 10) + 4_500_000) * 8 / 7;
    let configuration =
        RunConfiguration { device_memory: Some(budget), cache: CachePolicy::Off, ..RunConfiguration::default() };
    let found = predict(&graph(), &split, &HOST, &cuda(), &configuration).unwrap();
    assert_eq!((found.memory.strategy, found.memory.parts), (Strategy::Split, 2));
    // All pages are copied twice, each time with 4 bytes per vertex. The WA cross the link in both directions.
    let copied = 2.0 * (TOPOLOGY + 4e6);
    assert_about(found.steps[0].bytes.copied, copied);
    assert_about(found.steps[0].seconds.merge, 2.0 * 8e6 / 10e9);
}

#[test]
fn columns_without_room_travel_with_their_pages() {
    let ra = ReadColumn { key: ColumnKey::Attribute(1), bytes: 4, stays: false };
    let reads = |key, far| ColumnRead { key, far, by_body: true, location: Some(AT) };
    let of = |far, steps| {
        let mut algorithm = AlgorithmShape { ra: vec![ra], rotated: vec![ra], ..scans(steps) };
        algorithm.each_step[0].reads = vec![reads(ra.key, far), reads(ColumnKey::Degrees(Side::Out), false)];
        algorithm
    };
    // The budget includes staging for all columns that can travel: the RA and both degrees.
    let budget = FIXED + LEAST + 2 * (12 << 17) + 6 * 32;
    let configuration = RunConfiguration { device_memory: Some(budget), ..RunConfiguration::default() };
    let found = predicted(&of(false, 2), &configuration);
    assert_eq!((found.memory.strategy, found.memory.parts, found.memory.cache), (Strategy::Pages, 1, 0));
    assert_eq!(found.memory.placement.travelling(), Travelling { columns: 2, bytes: 8 });
    for step in &found.steps {
        assert_about(step.bytes.copied, TOPOLOGY + 8e6);
        assert_about(step.seconds.link, (TOPOLOGY + 8e6) / 10e9);
    }
    // Both steps write the WA to RA in host memory, and the result is copied to the host.
    assert_about(found.attributes, (4e6 + 4e6 + 8e6) / 1e12 + (8e6 + 4e6) / 10e9 + 4e6 / 40e9);
    // With one byte less, the WA are split.
    let less = RunConfiguration { device_memory: Some(budget - 1), ..RunConfiguration::default() };
    assert_eq!(predicted(&of(false, 2), &less).memory.strategy, Strategy::Split);
    // A column read at arbitrary vertices cannot travel.
    let error = predict(&graph(), &of(true, 2), &HOST, &cuda(), &configuration).unwrap_err();
    assert!(
        error.to_string().contains("an `ra` that Test::kernel at kernel.rs:3:9 reads at vertices anywhere"),
        "{error}"
    );
    let more = RunConfiguration { device_memory: Some(budget + 4_000_000), ..RunConfiguration::default() };
    assert_eq!(predicted(&of(true, 2), &more).memory.placement.held.len(), 1);
}

#[test]
fn what_cannot_be_split_is_refused_before_anything_is_allocated() {
    let mut whole = scans(1);
    whole.each_step[0].not_splittable = Some("it reads its target");
    let configuration = RunConfiguration { device_memory: Some(LEAST + (1 << 20)), ..RunConfiguration::default() };
    let error = predict(&graph(), &whole, &HOST, &cuda(), &configuration).unwrap_err();
    let Shortfall::DeviceMemory { needed, available, .. } = &error else { panic!("{error}") };
    // The minimum assumes that all columns travel, whether or not kernels read the columns. Here, these columns are the
    // in-degrees and the out-degrees, with four bytes each.
    assert_eq!((*needed, *available), (FIXED + LEAST + 2 * (8 << 17) + 4 * 32, LEAST + (1 << 20)));
    assert!(error.to_string().contains("it reads its target"), "{error}");
}

#[test]
fn values_of_edges_take_memory_for_every_stored_edge() {
    let wa = |edge_wa| {
        let algorithm = AlgorithmShape { attributes: AttributeLoad { wa: 4, edge_wa, small: 0 }, ..scans(1) };
        let found = predicted(&algorithm, &RunConfiguration::default());
        found.memory.device.iter().find(|need| need.what == "WA").unwrap().bytes
    };
    assert_eq!(wa(4) - wa(0), 4 * graph().edges);
}

#[test]
fn a_graph_must_have_what_the_kernels_walk_and_read() {
    let mut backwards = scans(1);
    backwards.each_step[0].sides = vec![Side::In];
    let values = |optional| vec![EdgeValues { attribute: "Test.weight".into(), ty: ScalarType::F32, optional }];
    let weighted = |optional| AlgorithmShape { edge_values: values(optional), ..scans(1) };
    let undirected = AlgorithmShape { symmetric: true, ..scans(1) };
    let run = |value, algorithm: &AlgorithmShape| {
        let graph = GraphShape { value, ..graph() };
        predict(&graph, algorithm, &HOST, &cuda(), &RunConfiguration::default())
    };
    for (value, algorithm, lacking) in [
        (None, backwards, "in-edges"),
        (None, undirected, "undirected"),
        (None, weighted(false), "none"),
        (Some(ScalarType::U32), weighted(true), "this graph has u32"),
    ] {
        let error = run(value, &algorithm).unwrap_err();
        assert!(matches!(error, Shortfall::Graph { .. }), "{error}");
        assert!(error.to_string().contains(lacking), "{error}");
    }
    assert!(run(None, &weighted(true)).is_ok() && run(Some(ScalarType::F32), &weighted(false)).is_ok());
}

#[test]
fn a_budget_must_hold_the_tables_and_two_pages() {
    let run = |memory| {
        let configuration = RunConfiguration { stored: true, host_memory: Some(memory), ..with_cache(0) };
        predict(&graph(), &scans(1), &HOST, &cuda(), &configuration)
    };
    let least = 2 << 20;
    for memory in [0, TABLES, TABLES + ENDS + least - 1] {
        let Err(Shortfall::HostMemory { needed, available, .. }) = run(memory) else { panic!("{memory} bytes") };
        assert_eq!((needed, available), (TABLES + ENDS + least, memory));
    }
    assert_eq!(run(TABLES + ENDS + least).unwrap().memory.host_pages, least);
}

/// Returns an algorithm that intersects the lists of all edges once.
fn intersecting() -> AlgorithmShape {
    algorithm(KernelKind::Intersect, Steps::Fixed(1))
}

#[test]
fn lists_are_met_in_memory_alone() {
    let limited = |memory| RunConfiguration { stored: true, host_memory: Some(memory), ..RunConfiguration::default() };
    let cpu = ProcessorConstants::default_cpu(&HOST, 2);
    let all = TABLES + TOPOLOGY as u64;
    let run = |processor: &ProcessorConstants, configuration: &RunConfiguration| {
        predict(&graph(), &intersecting(), &HOST, processor, configuration)
    };
    let error = run(&cpu, &limited(all - 1)).unwrap_err();
    assert!(matches!(error, Shortfall::HostMemory { needed, .. } if needed == all), "{error}");
    assert!(run(&cpu, &limited(all)).is_ok());
    // If all pages fit on a device, the device reads them from storage once.
    assert!(run(&cuda(), &limited(all - 1)).is_ok());
    assert!(
        run(&cuda(), &RunConfiguration { device_memory: with_cache(16).device_memory, ..limited(all - 1) }).is_err()
    );
}

#[test]
fn kernels_in_order_lay_the_edges_out_on_a_cpu() {
    let symmetric = GraphShape { symmetric: true, ..graph() };
    let need = |processor: &ProcessorConstants, ordered| {
        let mut algorithm = intersecting();
        algorithm.each_step[0].ordered = ordered;
        let found = predict(&symmetric, &algorithm, &HOST, processor, &RunConfiguration::default()).unwrap();
        found.memory.host.iter().find(|need| need.what == "lists by degree").map(|need| need.bytes)
    };
    let cpu = ProcessorConstants::default_cpu(&HOST, 2);
    assert_eq!(need(&cpu, true), Some(4 * 32_000_000 + 16 * 1_000_000));
    assert_eq!((need(&cpu, false), need(&cuda(), true)), (None, None));
}

/// Returns the test graph with in-edges.
fn both_ways() -> GraphShape {
    GraphShape { incoming: Some(graph().out), ..graph() }
}

#[test]
fn the_host_holds_topologies_that_nothing_walks() {
    let run = |memory| {
        let configuration = RunConfiguration { stored: true, host_memory: Some(memory), ..with_cache(0) };
        predict(&both_ways(), &scans(2), &HOST, &cuda(), &configuration).unwrap()
    };
    let (tables, one) = (TABLES + 256 * (20 + 8), TOPOLOGY as u64);
    let all = run(tables + 2 * one);
    assert_eq!((all.memory.host_pages, all.memory.buffered, all.memory.pages), (2 * one, false, one));
    assert_about(all.steps[0].bytes.read, 0.0);
    // With less memory, the pages stay in the store, and each walked page is read once.
    let walked = run(tables + 2 * one - 1);
    assert_eq!((walked.memory.host_pages, walked.memory.buffered), (one, true));
    assert_about(walked.steps[0].bytes.read, TOPOLOGY);
    assert_about(walked.steps[1].bytes.read, 0.0);
}

#[test]
fn steps_of_many_active_edges_pull_along_the_other_topology() {
    let cpu = ProcessorConstants::default_cpu(&HOST, 2);
    let run = |graph: &GraphShape, pull_share| {
        let configuration = RunConfiguration { pull_share, ..RunConfiguration::default() };
        predict(graph, &search(), &HOST, &cpu, &configuration).unwrap()
    };
    let edges = |found: &Prediction| found.steps.iter().map(|step| step.edges).collect::<Vec<_>>();
    let (pushed, pulled) = (run(&both_ways(), None), run(&both_ways(), Some(20)));
    assert_eq!((pushed.memory.pages, pulled.memory.pages), (TOPOLOGY as u64, 2 * TOPOLOGY as u64));
    for (pushed, pulled) in edges(&pushed).into_iter().zip(edges(&pulled)) {
        // A pulling step walks all lists, even if it checks few of their edges.
        assert_about(pulled, if pushed * 20.0 >= 64e6 { 64e6 } else { pushed });
    }
    assert!(pulled.passes < pushed.passes, "{} >= {}", pulled.passes, pushed.passes);
    assert_eq!(edges(&run(&graph(), Some(20))), edges(&pushed), "there is nothing to pull along");
}

#[test]
fn a_device_pulls_where_both_topologies_fit() {
    let run = |room: u64| {
        // The device also counts the edges of active vertices in the other topology, and stores tables for that
        // topology's pages.
        let device_memory = Some(FIXED + 4_000_000 + 257 * (16 + 4) + room);
        let configuration = RunConfiguration { device_memory, pull_share: Some(64), ..RunConfiguration::default() };
        predict(&both_ways(), &search(), &HOST, &cuda(), &configuration).unwrap().memory
    };
    let one = TOPOLOGY as u64;
    let (tight, roomy) = (run(2 * one - 1), run(2 * one));
    assert_eq!((tight.resident, tight.pulls, tight.pages), (true, false, one));
    assert_eq!((roomy.resident, roomy.pulls, roomy.pages), (true, true, 2 * one));
}

#[test]
fn pages_in_memory_must_fit_and_those_of_a_store_need_not() {
    let host = HostConstants { memory: 100 << 20, ..HOST };
    let run = |stored| predict(&graph(), &scans(1), &host, &cuda(), &RunConfiguration { stored, ..with_cache(0) });
    assert!(matches!(run(false), Err(Shortfall::HostMemory { .. })));
    assert!(run(true).unwrap().memory.on_storage() > 0);
}

#[test]
fn a_search_reads_small_levels_in_place_and_copies_large_ones() {
    let found = predicted(&search(), &with_cache(0));
    let first = &found.steps[0];
    assert_eq!(first.bytes.copied, 0.0);
    // One vertex is active. Its list needs 64 record IDs of 4 bytes, one sector because of its partly used ends, and
    // one sector for slots.
    assert_about(first.bytes.in_place, 32.0 + 32.0 + 256.0);
    let most = found.steps.iter().max_by(|a, b| a.edges.total_cmp(&b.edges)).unwrap();
    assert!(most.bytes.copied > 0.9 * TOPOLOGY, "{most:?}");
    let copied = predicted(&search(), &RunConfiguration { transfer: Transfer::Copy, ..with_cache(0) });
    assert!(copied.steps.iter().all(|step| step.bytes.in_place == 0.0));
    assert!(copied.passes > found.passes);
}

#[test]
fn scans_that_several_devices_share_pull_along_pages_that_stream() {
    let graph = GraphShape { symmetric: true, ..graph() };
    let run = |devices, handed| {
        let mut scans = scans(3);
        scans.each_step[0].handed = Some(handed);
        let configuration = RunConfiguration {
            devices,
            device_memory: Some(64 << 20),
            pull_share: Some(20),
            ..RunConfiguration::default()
        };
        predict(&graph, &scans, &HOST, &cuda(), &configuration).unwrap().memory
    };
    let holds = |memory: &MemoryPlan| memory.device.iter().any(|need| need.what == "values handed along edges");
    let (one, two, wide) = (run(1, 4), run(2, 4), run(2, 64));
    assert!(!one.resident && !two.resident);
    assert_eq!((one.scans_pull, holds(&one)), (false, false));
    assert_eq!((two.scans_pull, holds(&two)), (true, true));
    assert_eq!((wide.scans_pull, holds(&wide)), (false, false), "there is no room for what vertices hand out");
}

#[test]
fn the_cpu_computes_where_the_pages_are() {
    let cpu =
        ProcessorConstants { measured: true, step: 0.0, launch: 0.0, ..ProcessorConstants::default_cpu(&HOST, 2) };
    let found = predict(&graph(), &scans(4), &HOST, &cpu, &RunConfiguration::default()).unwrap();
    assert_about(found.passes, 4.0 * 64e6 * 2.5e-9);
    assert_eq!((found.setup, found.memory.device.len(), found.memory.cache), (0.0, 0, 0));
}

#[test]
fn on_one_device_without_a_cache_it_is_equation_1() {
    let found = predicted(&scans(1), &with_cache(0));
    let groups = TOPOLOGY / (16 << 20) as f64;
    let equation = paper::PageRankLike {
        wa: 0.0,
        ra: 0.0,
        small: TOPOLOGY,
        large: 0.0,
        small_pages: groups,
        large_pages: 0.0,
        devices: 1.0,
        chunk_rate: 10e9,
        stream_rate: 10e9,
        call: 0.0,
        last_kernels: 64e6 * 1e-11 / groups,
        sync: 0.0,
    };
    assert_about(found.passes, equation.seconds());
}

fn configurations() -> impl proptest::strategy::Strategy<Value = RunConfiguration> {
    (1u32..9, 1u32..33, 16u64..2048, any::<bool>(), 0usize..3, 0usize..3).prop_map(
        |(devices, streams, cache, stored, policy, transfer)| RunConfiguration {
            devices,
            streams,
            device_memory: Some(FIXED + u64::from(streams) * (32 << 20) + (cache << 20)),
            host_memory: stored.then_some(cache << 20),
            stored,
            cache: [CachePolicy::Auto, CachePolicy::Lru, CachePolicy::Scan][policy],
            transfer: [Transfer::Auto, Transfer::Copy, Transfer::InPlace][transfer],
            ..RunConfiguration::default()
        },
    )
}

/// Returns the test graph with its numbers of pages and edges multiplied by `factor`.
fn grown(factor: u64) -> GraphShape {
    let mut graph = graph();
    graph.edges *= factor;
    graph.out.edges *= factor;
    graph.out.small_pages *= factor;
    for class in &mut graph.classes {
        class.out_degree *= factor as f64;
        class.in_degree *= factor as f64;
    }
    graph
}

proptest! {
    #[test]
    fn more_pages_take_more_time(configuration in configurations(), factor in 2u64..20) {
        for algorithm in [scans(3), algorithm(KernelKind::Scan, Steps::AtMost(1))] {
            let mut large = cuda();
            large.memory = 1 << 40;
            let small = predict(&graph(), &algorithm, &HOST, &large, &configuration).unwrap();
            let more = predict(&grown(factor), &algorithm, &HOST, &large, &configuration).unwrap();
            prop_assert!(more.passes >= small.passes, "{} < {}", more.passes, small.passes);
        }
    }

    #[test]
    fn more_cache_takes_no_more_time(configuration in configurations(), extra in 1u64..1024) {
        let mut large = cuda();
        large.memory = 1 << 40;
        let roomy = RunConfiguration {
            device_memory: configuration.device_memory.map(|bytes| bytes + (extra << 20)),
            ..configuration.clone()
        };
        for algorithm in [scans(4), search()] {
            let tight = predict(&graph(), &algorithm, &HOST, &large, &configuration).unwrap();
            let roomy = predict(&graph(), &algorithm, &HOST, &large, &roomy).unwrap();
            prop_assert!(roomy.passes <= tight.passes * (1.0 + 1e-9), "{} > {}", roomy.passes, tight.passes);
        }
    }

    #[test]
    fn auto_is_no_worse_than_either_transfer(configuration in configurations()) {
        let mut large = cuda();
        large.memory = 1 << 40;
        // With a cache, later steps would reuse pages copied by earlier steps. Without a cache, each step is
        // independent.
        let fixed = FIXED + u64::from(configuration.streams) * (32 << 20);
        let time = |transfer| {
            let cache = CachePolicy::Off;
            let configuration =
                RunConfiguration { transfer, cache, device_memory: Some(fixed), devices: 1, ..configuration.clone() };
            predict(&graph(), &search(), &HOST, &large, &configuration).unwrap().passes
        };
        let auto = time(Transfer::Auto);
        prop_assert!(auto <= time(Transfer::Copy) * 1.001 && auto <= time(Transfer::InPlace) * 1.001);
    }

    #[test]
    fn one_part_is_the_plain_case(configuration in configurations()) {
        let mut large = cuda();
        large.memory = 1 << 40;
        let plain = RunConfiguration { strategy: Some(Strategy::Pages), devices: 1, ..configuration };
        let mut alone = scans(3);
        alone.each_step[0].at_source = 0;
        let pages = predict(&graph(), &alone, &HOST, &large, &plain).unwrap();
        // If there is room for all of the WA, Strategy-S creates one part on one device.
        let room = plain.device_memory.map(|bytes| bytes + (1 << 30));
        let split = RunConfiguration { strategy: Some(Strategy::Split), device_memory: room, ..plain.clone() };
        let split = predict(&graph(), &alone, &HOST, &large, &split).unwrap();
        prop_assert_eq!(split.memory.parts, 1);
        let mut same = RunConfiguration { device_memory: room, ..plain };
        same.strategy = Some(Strategy::Pages);
        let roomy = predict(&graph(), &alone, &HOST, &large, &same).unwrap();
        prop_assert!((roomy.passes - split.passes).abs() < 1e-12 * roomy.passes.max(1.0));
        prop_assert!(roomy.passes <= pages.passes * (1.0 + 1e-9));
    }

    #[test]
    fn memory_is_never_promised_twice(configuration in configurations(), wa in 1u64..64) {
        let algorithm = with_wa(wa);
        let mut large = cuda();
        large.memory = 1 << 40;
        if let Ok(plan) = memory_plan(&graph(), &algorithm, &large, HOST.memory, &configuration) {
            let held: u64 = plan.device.iter().map(|need| need.bytes).sum();
            prop_assert!(held + plan.cache <= plan.device_budget);
            prop_assert!(plan.host_pages <= plan.pages && plan.host_pages <= plan.host_budget);
        }
    }
}
