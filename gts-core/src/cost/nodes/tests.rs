//! Compares the shares and messages of nodes with results computed by hand.

use super::super::merging::Apart;
use super::super::tests::{cuda, graph, kernel, scans, search};
use super::super::{Strategy, *};
use super::*;
use crate::advice::{Reader, explain_within};
use crate::graph::{DegreeSpread, TopologyShape};
use gts_contract::{KernelKind, SharedWrites, Transport};
use proptest::prelude::*;
use proptest::strategy::Strategy as _;

const HOST: HostConstants = HostConstants { measured: true, memory: 64 << 30, memory_rate: 40e9, disk_rate: 2e9 };
/// The size in bytes of all values: four bytes for each of a million vertices.
const VALUES: f64 = 4e6;

/// Returns a CPU that processes 100 M edges or vertices per second without other costs.
fn cpu() -> ProcessorConstants {
    let rate = |kernel: &str| KernelRate { kernel: kernel.into(), pulled: false, working_set: 1, seconds: 1e-8 };
    ProcessorConstants {
        kind: ProcessorKind::Cpu,
        memory_rate: HOST.memory_rate,
        link: None,
        kernels: vec![rate("scan"), rate("traverse"), rate("vertex")],
        ..cuda()
    }
}

fn nodes(count: u32, rate: f64, latency: f64) -> Nodes {
    Nodes { count, network: Network { rate, latency }, transport: Transport::HostMemory }
}

fn on(nodes: Nodes, algorithm: &AlgorithmShape) -> Prediction {
    let configuration = RunConfiguration { nodes, stored: true, pull_share: Some(64), ..RunConfiguration::default() };
    predict(&graph(), algorithm, &HOST, &cpu(), &configuration).unwrap()
}

/// Returns an algorithm with a scan and a vertex kernel that adds to a global.
fn scan_and_vertex_kernel() -> AlgorithmShape {
    let mut both = scans(3);
    both.each_step.push(KernelShape { globals: 1, ..kernel(KernelKind::Vertex) });
    both
}

fn assert_about(found: f64, expected: f64) {
    assert!((found - expected).abs() <= 1e-12 + 1e-9 * expected.abs(), "{found} for {expected}");
}

/// Returns the number of bytes that the busiest node sends for a million vertices with four bytes each. The pass
/// activates a thousand vertices.
fn sent(writes: SharedWrites, pulls: bool, count: f64) -> f64 {
    Apart::after(&KernelShape { writes, ..kernel(KernelKind::Scan) }, pulls, [1e6, 1e3]).sent(count)
}

#[test]
fn bytes_are_those_of_the_merge() {
    let adds = SharedWrites { adds: true, ..SharedWrites::default() };
    let activates = SharedWrites { activates: true, changes_activated: true, ..SharedWrites::default() };
    let alone = SharedWrites { alone: true, ..SharedWrites::default() };
    // Each node sends half of its values, and half of the result.
    assert_about(sent(adds, false, 2.0), VALUES);
    assert_about(sent(adds, false, 8.0), 2.0 * 7.0 / 8.0 * VALUES);
    // Each node sends its own values to all other nodes.
    assert_about(sent(adds, true, 4.0), 0.75 * VALUES);
    assert_about(sent(activates, false, 2.0), 4e3 + 125e3);
    assert_about(sent(activates, true, 4.0), 1.5 * (4e3 + 125e3));
    assert_about(sent(alone, false, 4.0), 3.0 * VALUES);
}

#[test]
fn a_node_walks_whole_pages_and_no_part_of_a_list() {
    let graph = graph();
    let most = |count: u32, graph: &GraphShape| nodes(count, 1e9, 0.0).most_pages(graph, Side::Out);
    assert_eq!([1, 2, 3, 200, 256].map(|count| most(count, &graph)), [256, 128, 86, 2, 1]);
    let mut hub = graph.clone();
    // 16 M edges of 4 bytes: 62 pages of 1 MiB.
    hub.classes.push(DegreeClass { vertices: 1.0, out_degree: 16e6, in_degree: 0.0, spread: DegreeSpread::Even });
    assert_eq!([1, 2, 8, 256].map(|count| most(count, &hub)), [256, 128, 62, 62]);
    assert_eq!(most(4, &GraphShape { out: TopologyShape { small_pages: 0, ..graph.out }, ..graph.clone() }), 0);
    assert_eq!(nodes(4, 1e9, 0.0).page_bytes(&graph, &[Side::Out, Side::In]), 64 << 20);
}

#[test]
fn edges_are_divided_and_vertices_are_not() {
    let found = on(nodes(4, 1e9, 1e-3), &scan_and_vertex_kernel());
    let step = &found.steps[0];
    assert_about(step.seconds.kernel, 64e6 / 4.0 * 1e-8);
    assert_about(step.seconds.vertex_kernels, 1e6 * 1e-8);
    assert_about(step.bytes.sent, 1.5 * VALUES);
    assert_eq!((step.bytes.merged, step.edges), (VALUES, 64e6));
    assert_eq!(step.bytes.visited, f64::from(64 << 20));
    // The scan reports its work in one exchange and reduces values in two. A fourth exchange reads a global.
    assert_eq!(step.exchanges, 4.0);
    // Three quarters of the values are summed. Values are cleared before the pass and stored after it.
    let handled = (3.0 * 0.75 + 2.0 + 3.0) * VALUES;
    assert_about(step.seconds.network, 1.5 * VALUES / 1e9 + handled / 40e9 + 4.0 * 3.0 * 1e-3);
    assert_about(found.network(), 3.0 * step.seconds.network);
    assert_eq!((found.exchanges(), found.sent()), (12.0, 3.0 * step.bytes.sent));
    assert_eq!(found.memory.graph_pages, 64 << 20);
}

#[test]
fn exchanges_are_those_of_a_pass() {
    let of = |writes: SharedWrites, may_pull, pulls| {
        let kernel = KernelShape { writes, may_pull, merged_columns: 2, ..kernel(KernelKind::Traverse) };
        exchanges(&kernel, Some(writes.merging(&kernel.sides, pulls)), (true, pulls))
    };
    let adds = SharedWrites { adds: true, ..SharedWrites::default() };
    let activates = SharedWrites { activates: true, changes_activated: true, ..SharedWrites::default() };
    assert_eq!([of(adds, false, false), of(adds, true, false), of(adds, true, true)], [5, 6, 5]);
    assert_eq!([of(activates, false, false), of(activates, true, true)], [3, 5]);
    assert_eq!(of(SharedWrites { activates: true, ..adds }, false, false), 7);
    assert_eq!(of(SharedWrites { alone: true, ..activates }, true, false), 5);
}

#[test]
fn values_of_activated_vertices_are_handled_one_by_one() {
    let writes = SharedWrites { activates: true, changes_activated: true, ..SharedWrites::default() };
    let kernel = KernelShape { writes, merged: 8, merged_columns: 2, ..kernel(KernelKind::Traverse) };
    let apart = Apart::after(&kernel, false, [1e6, 1e3]);
    // A thousand vertices have two values each. The set covers a million vertices.
    let expected = 3.5 * 2e3 * SINGLE + (3.0 + 1.5 + 3.0) * 125e3;
    assert_about(handled(&apart, &kernel, (2.0, Transport::HostMemory)), expected);
    let crossing = nodes(2, 1e9, 1e-3).crossing(&kernel, Some(apart), (false, false), 1e6, (1e9, None));
    assert_about(crossing.seconds, (8e3 + 125e3 + expected) / 1e9 + 3e-3);
}

#[test]
fn nccl_moves_all_values_where_those_of_activated_vertices_are_merged() {
    let on = |transport| {
        let nodes = Nodes { transport, ..nodes(2, 1e9, 0.0) };
        let configuration = RunConfiguration { nodes, stored: true, ..RunConfiguration::default() };
        let mut algorithm = search();
        let kernel = &mut algorithm.each_step[0];
        (kernel.writes.activates, kernel.writes.changes_activated, kernel.writes.adds) = (true, true, false);
        let found = predict(&graph(), &algorithm, &HOST, &cuda(), &configuration).unwrap();
        found.steps.last().cloned().unwrap()
    };
    let [hosts, nccl] = [Transport::HostMemory, Transport::Nccl].map(on);
    // The set covers a million vertices. NCCL sends four bytes per vertex, and the hosts send four bytes per activated
    // vertex.
    assert_about(hosts.bytes.sent, 4.0 * hosts.activated + 125e3);
    assert_about(nccl.bytes.sent, VALUES + 125e3);
    assert_eq!(nccl.bytes.merged, nccl.bytes.sent);
    // NCCL merges all values at the GPU's 1 TB/s. If the hosts transfer the values, all values cross the link in both
    // directions.
    let handled = (1.5 + 3.0) * VALUES + (3.0 + 1.5 + 3.0) * 125e3;
    assert_about(nccl.seconds.network, (VALUES + 125e3) / 1e9 + handled / cuda().memory_rate);
    let link = cuda().link.unwrap();
    let linked = (VALUES + 125e3) * (1.0 / link.back_rate + 1.0 / link.chunk_rate());
    assert!(hosts.seconds.network > hosts.bytes.sent / 1e9 + linked);
    assert_eq!(hosts.exchanges, nccl.exchanges);
}

#[test]
fn what_one_node_runs_is_not_divided() {
    let mut alone = scans(1);
    alone.each_step[0].writes.alone = true;
    let [one, four] = [1, 4].map(|count| on(nodes(count, 1e9, 0.0), &alone));
    assert_about(four.passes, one.passes + 3.0 * VALUES / 1e9 + 3.0 * VALUES / 40e9);
    assert_eq!(four.memory.graph_pages, one.memory.graph_pages);
}

#[test]
fn devices_of_a_node_share_its_pages_and_merge_as_before() {
    let run = |count, device_memory| {
        let nodes = nodes(count, 25e9, 0.0);
        let configuration = RunConfiguration { devices: 2, device_memory, nodes, ..RunConfiguration::default() };
        predict(&graph(), &scans(1), &HOST, &cuda(), &configuration).unwrap()
    };
    let [one, two] = [1, 2].map(|count| run(count, Some(100 << 20)));
    // Each of a node's devices has half of the node's pages.
    assert!(!one.memory.resident && two.memory.resident);
    assert_eq!((two.memory.pages, two.memory.cache), (128 << 20, 64 << 20));
    let [one, two] = [one, two].map(|found| found.steps[0].clone());
    assert_about(two.seconds.kernel, one.seconds.kernel / 2.0);
    assert_eq!((two.seconds.merge, two.bytes.merged), (one.seconds.merge, one.bytes.merged));
    assert!(two.seconds.network > VALUES / 25e9 && one.seconds.network == 0.0);
}

#[test]
fn nodes_that_cannot_share_a_run_are_refused() {
    let refused = |count, algorithm: &AlgorithmShape, strategy| {
        let nodes = nodes(count, 1e9, 0.0);
        let configuration = RunConfiguration { strategy, nodes, ..RunConfiguration::default() };
        predict(&graph(), algorithm, &HOST, &cuda(), &configuration).expect_err("no such nodes")
    };
    let many = refused(257, &scans(1), None);
    assert!(many.to_string().contains("256 pages"), "{many}");
    let split = refused(2, &scans(1), Some(Strategy::Split));
    assert!(matches!(&split, Shortfall::Nodes { nodes: 2, why, .. } if why.contains("Strategy-S")), "{split}");
    // The advice does not suggest a strategy that several nodes do not support.
    let mut large = scans(1);
    large.attributes.wa = 4096;
    let large = refused(2, &large, None);
    let next = explain_within(&large, Reader::CommandLine);
    assert!(matches!(large, Shortfall::DeviceMemory { .. }) && !next.contains("strategy"), "{next}");
}

fn scaled(algorithm: &AlgorithmShape, network: Network, most: u32) -> Scaling {
    let nodes = Nodes { count: 3, network, transport: Transport::HostMemory };
    let configuration = RunConfiguration { nodes, stored: true, ..RunConfiguration::default() };
    scaling(&graph(), algorithm, &HOST, &cpu(), &configuration, most).unwrap()
}

#[test]
fn nodes_pay_until_something_else_takes_most_of_the_time() {
    let against = |scaling: &Scaling| scaling.against.map(|(_, against, _)| against);
    let fast = Network { rate: 1e12, latency: 0.0 };
    // Ten vertex kernels take 100 ms, and a scan 640 ms: 64 nodes take 110 ms, and 128 take 105 ms.
    let mut much = scan_and_vertex_kernel();
    much.each_step.extend(vec![kernel(KernelKind::Vertex); 9]);
    let of_vertices = scaled(&much, fast, 256);
    assert_eq!((against(&of_vertices), of_vertices.pays), (Some(Against::VertexKernels), 64));
    // Two nodes save 320 ms, but sending takes 400 ms.
    let slow = scaled(&scan_and_vertex_kernel(), Network { rate: 10e6, latency: 0.0 }, 256);
    assert_eq!((against(&slow), slow.pays), (Some(Against::Values), 1));
    let far = scaled(&search(), Network { rate: 1e12, latency: 1e-3 }, 256);
    assert_eq!(against(&far), Some(Against::Latency));
    let counts: Vec<u32> = far.points.iter().map(|point| point.nodes).collect();
    assert!(counts.contains(&3) && counts.contains(&far.pays) && counts.contains(&(2 * far.pays)), "{counts:?}");
    let mut alone = scans(20);
    alone.each_step[0].writes.alone = true;
    let alone = scaled(&alone, fast, 256);
    assert_eq!((against(&alone), alone.pays), (Some(Against::Alone), 1));
    let few = scaled(&scans(20), fast, 16);
    assert_eq!((against(&few), few.pays, few.points.len()), (None, 16, 6));
}

#[test]
fn nodes_pay_where_they_are_faster_than_any_fewer() {
    let of = |seconds: &[(u32, f64)]| scaling::paying(seconds.iter().copied());
    assert_eq!(of(&[(1, 8.0), (2, 20.0), (4, 12.0), (8, 9.0)]), Some(1));
    assert_eq!(of(&[(1, 8.0), (2, 9.0), (4, 7.0), (8, 6.9)]), Some(4));
    // Each number of nodes is only slightly faster than the previous number.
    assert_eq!(of(&[(2, 8.0), (4, 7.7), (8, 7.4)]), Some(2));
    assert_eq!(of(&[]), None);
}

fn writes() -> impl proptest::strategy::Strategy<Value = SharedWrites> {
    any::<[bool; 5]>().prop_map(|[alone, activates, changes, adds, at_source]| SharedWrites {
        alone,
        activates: activates || changes,
        changes_activated: changes,
        adds,
        at_source,
    })
}

proptest! {
    #[test]
    fn no_run_is_faster_than_its_share_or_its_network(
        count in 1u32..=256,
        rate in 1e6..1e12f64,
        latency in 0.0..1e-2f64,
        writes in writes(),
        traverses: bool,
        may_pull: bool,
    ) {
        let mut algorithm = if traverses { search() } else { scan_and_vertex_kernel() };
        algorithm.each_step[0].writes = writes;
        algorithm.each_step[0].may_pull = may_pull;
        let asked = nodes(count, rate, latency);
        let [one, several] = [Nodes::ONE, asked].map(|nodes| on(nodes, &algorithm));
        let count = f64::from(count);
        for (one, several) in one.steps.iter().zip(&several.steps) {
            let sending = several.bytes.sent / rate + asked.waiting(several.exchanges);
            prop_assert!(several.seconds.total() >= one.seconds.kernel / count * (1.0 - 1e-12));
            prop_assert!(several.seconds.network >= sending && several.seconds.total() >= sending);
            prop_assert!(several.bytes.sent <= (2.0 * several.bytes.merged).max((count - 1.0) * several.bytes.merged) + 1e-6);
            prop_assert_eq!((one.edges, one.activated), (several.edges, several.activated));
        }
        if count == 1.0 {
            prop_assert_eq!(one, several);
        }
    }
}
