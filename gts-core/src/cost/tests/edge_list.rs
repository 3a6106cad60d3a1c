//! Tests predictions with edge lists instead of pages.

use super::*;
use crate::advice::{Reader, explain};
use crate::graph::{GraphShape, TopologyShape};
use gts_contract::{EdgeLayout, Technique};

#[test]
fn edge_lists_take_two_numbers_an_edge_in_place_of_pages() {
    let listed =
        RunConfiguration { technique: Some(Technique::EdgeList(EdgeLayout::Arrays)), ..RunConfiguration::default() };
    let plan = |graph: &GraphShape, memory: u64, algorithm: &AlgorithmShape| {
        let cuda = ProcessorConstants { memory, ..cuda() };
        memory_plan(graph, algorithm, &cuda, HOST.memory, &listed)
    };
    let found = plan(&graph(), 2 << 30, &scans(1)).unwrap();
    assert_eq!((found.cache, found.resident, found.pulls, found.scans_pull), (64_000_000 * 8, true, false, false));
    let short = plan(&graph(), 900 << 20, &scans(1)).unwrap_err();
    let advice = explain(&short, Reader::CommandLine);
    assert!(advice.contains("edge lists") && advice.contains("--technique"), "{advice}");
    // Lists contain edge values if the algorithm declares edge values. Both sides of a symmetric graph share one list.
    let weighted = GraphShape {
        out: TopologyShape { value_bytes: 4, ..graph().out },
        value: Some(ScalarType::F32),
        symmetric: true,
        ..graph()
    };
    let values = EdgeValues { attribute: "Test.weight".into(), ty: ScalarType::F32, optional: false };
    let reads = AlgorithmShape { edge_values: vec![values], ..scans(1) };
    let mut both = reads.clone();
    both.each_step[0].sides = vec![Side::Out, Side::In];
    assert_eq!(plan(&weighted, 2 << 30, &scans(1)).unwrap().cache, 64_000_000 * 8);
    assert_eq!(plan(&weighted, 2 << 30, &reads).unwrap().cache, 64_000_000 * 12);
    assert_eq!(plan(&weighted, 2 << 30, &both).unwrap().cache, 64_000_000 * 12);
}
