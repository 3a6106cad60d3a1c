//! Tests predictions of pattern searches.

use super::*;
use crate::graph::GraphShape;
use crate::pattern;

#[test]
fn a_search_for_a_pattern_has_lists_of_its_own_and_no_pages_on_a_device() {
    let symmetric = GraphShape { symmetric: true, ..graph() };
    let run = |labelled, most_listed, processor: &ProcessorConstants, configuration: &RunConfiguration| {
        let pattern = PatternShape { vertices: 5, labelled, most_listed };
        let algorithm = AlgorithmShape { pattern: Some(pattern), ..intersecting() };
        predict(&symmetric, &algorithm, &HOST, processor, configuration)
    };
    let bytes = |needs: &[Need], what| needs.iter().find(|need| need.what == what).map(|need| need.bytes);
    let lists = |needs: &[Need]| bytes(needs, "lists by degree");
    let listing = |needs: &[Need]| bytes(needs, "matches, at most");
    let (vertices, edges) = (symmetric.vertices, symmetric.edges);
    let (plain, cpu) = (RunConfiguration::default(), ProcessorConstants::default_cpu(&HOST, 2));
    let on_cpu = run(false, 0, &cpu, &plain).unwrap().memory;
    assert_eq!(lists(&on_cpu.host), Some(pattern::host_bytes(vertices, edges, 2)));
    let labelled = run(true, 0, &cpu, &plain).unwrap().memory;
    assert_eq!(lists(&labelled.host), lists(&on_cpu.host).map(|bytes| bytes + vertices));
    let on_gpu = run(false, 0, &cuda(), &plain).unwrap().memory;
    let needed = pattern::device_bytes(vertices, edges, 5, pattern::MOST_WARPS);
    assert_eq!((lists(&on_gpu.device), on_gpu.cache), (Some(needed), 0));
    assert_eq!(lists(&on_gpu.host), Some(pattern::host_bytes(vertices, edges, 0)));
    assert_eq!((listing(&on_cpu.host), listing(&on_gpu.device)), (None, None));
    let small = RunConfiguration { device_memory: Some(needed - 1), ..plain };
    assert!(matches!(run(false, 0, &cuda(), &small), Err(Shortfall::DeviceMemory { .. })));
    // A listing stores all rows on the host, and some of them on a device.
    let listed = run(false, 10_000, &cuda(), &plain).unwrap().memory;
    assert_eq!(listing(&listed.host), Some(pattern::listing_host_bytes(5, 10_000)));
    let on_device = pattern::listing_device_bytes(5, 10_000, pattern::MOST_WARPS);
    assert_eq!((lists(&listed.device), listing(&listed.device)), (Some(needed), Some(on_device)));
}
