//! Searches for a pattern.

use super::*;
use crate::pattern;

#[test]
fn a_search_for_a_pattern_has_lists_of_its_own_and_no_pages_on_a_device() {
    let symmetric = GraphShape { symmetric: true, ..graph() };
    let pattern = |labelled| PatternShape { vertices: 5, labelled };
    let run = |labelled, processor: &ProcessorConstants, configuration: &RunConfiguration| {
        let algorithm = AlgorithmShape { pattern: Some(pattern(labelled)), ..intersecting() };
        predict(&symmetric, &algorithm, &HOST, processor, configuration)
    };
    let lists = |needs: &[Need]| needs.iter().find(|need| need.what == "lists by degree").map(|need| need.bytes);
    let (vertices, edges) = (symmetric.vertices, symmetric.edges);
    let plain = RunConfiguration::default();
    let on_cpu = run(false, &ProcessorConstants::default_cpu(&HOST, 2), &plain).unwrap().memory;
    assert_eq!(lists(&on_cpu.host), Some(pattern::host_bytes(vertices, edges, false, 0)));
    let labelled = run(true, &ProcessorConstants::default_cpu(&HOST, 2), &plain).unwrap().memory;
    assert_eq!(lists(&labelled.host), lists(&on_cpu.host).map(|bytes| bytes + 2 * vertices));
    let on_gpu = run(false, &cuda(), &plain).unwrap().memory;
    let needed = pattern::device_bytes(vertices, edges, false, 5, pattern::MOST_WARPS);
    assert_eq!((lists(&on_gpu.device), on_gpu.cache), (Some(needed), 0));
    assert_eq!(lists(&on_gpu.host), lists(&on_cpu.host));
    let small = RunConfiguration { device_memory: Some(needed - 1), ..plain };
    assert!(matches!(run(false, &cuda(), &small), Err(Shortfall::DeviceMemory { .. })));
}
