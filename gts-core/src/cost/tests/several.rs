//! Tests predictions with several devices: the pages that each device visits and stores, and the values exchanged after
//! a pass.

use super::*;
use crate::graph::{GraphShape, KnownLevel, TraversalGrowth};

#[test]
fn two_devices_share_copies_and_merge_in_a_ring() {
    let found = predicted(&scans(1), &RunConfiguration { devices: 2, ..with_cache(0) });
    let seconds = &found.steps[0].seconds;
    assert_about(seconds.link, TOPOLOGY / 20e9);
    assert_about(seconds.kernel, 64e6 * 1e-11 / 2.0);
    // 2 (N - 1) / N x 4 MB over 100 GB/s.
    assert_about(seconds.merge, 4e6 / 100e9);
}

#[test]
fn what_cannot_be_merged_runs_on_one_device_and_is_copied() {
    let mut alone = scans(1);
    alone.each_step[0].writes.alone = true;
    let two = predicted(&alone, &RunConfiguration { devices: 2, ..with_cache(0) });
    let one = predicted(&alone, &with_cache(0));
    assert_about(two.passes, one.passes + 4e6 / 100e9);
    // The pages are resident only if the single device has room for all of them.
    let shares = RunConfiguration { devices: 2, ..with_cache(128) };
    assert!(predicted(&scans(1), &shares).memory.resident && !predicted(&alone, &shares).memory.resident);
}

#[test]
fn devices_that_hold_their_shares_pull_and_gather() {
    let run = |room: u64, pull_share| {
        let mut pulling = scans(2);
        pulling.each_step[0].handed = Some(8);
        let graph = GraphShape { symmetric: true, ..graph() };
        let device_memory = Some(FIXED + room);
        let configuration = RunConfiguration { devices: 2, device_memory, pull_share, ..RunConfiguration::default() };
        predict(&graph, &pulling, &HOST, &cuda(), &configuration).unwrap()
    };
    // Each device stores half of the pages, and a source value of eight bytes per vertex.
    let half = 128 << 20;
    let (tight, roomy) = (run(half + 8_000_000 - 1, Some(64)), run(half + 8_000_000, Some(64)));
    assert_eq!((tight.memory.resident, roomy.memory.resident), (true, true));
    assert_eq!((tight.memory.cache, roomy.memory.cache), (half, half));
    assert_about(tight.steps[0].seconds.merge, 4e6 / 100e9);
    assert_about(roomy.steps[0].seconds.merge, 0.5 * 4e6 / 100e9);
    assert_about(run(half + 8_000_000, None).steps[0].seconds.merge, 4e6 / 100e9);
    assert!(!run(half - 1, Some(64)).memory.resident);
}

#[test]
fn several_devices_pull_in_the_steps_in_which_one_would() {
    let run = |devices, room: u64| {
        let device_memory = Some(FIXED + 4_000_000 + 257 * (16 + 4) + room);
        let configuration =
            RunConfiguration { devices, device_memory, pull_share: Some(64), ..RunConfiguration::default() };
        predict(&both_ways(), &search(), &HOST, &cuda(), &configuration).unwrap()
    };
    let one = TOPOLOGY as u64;
    let (single, shared) = (run(1, 2 * one), run(2, one));
    assert!(shared.memory.pulls && shared.memory.resident && !run(2, one - 1).memory.pulls);
    let edges = |found: &Prediction| found.steps.iter().map(|step| step.edges).collect::<Vec<_>>();
    assert_eq!(edges(&single), edges(&shared));
}

#[test]
fn a_search_on_two_devices_merges_each_vertex_once() {
    let mut search = search();
    search.each_step[0].writes = SharedWrites { activates: true, changes_activated: true, ..SharedWrites::default() };
    let found = predicted(&search, &RunConfiguration { devices: 2, ..with_cache(0) });
    let merged: f64 = found.steps.iter().map(|step| step.repeats * step.bytes.merged).sum();
    let reached: f64 = found.steps.iter().skip(1).filter_map(|step| step.active).sum();
    let sets = found.steps.len() as f64 * 125_000.0;
    assert_about(merged, 4.0 * reached + sets);
    assert!(reached < 1e6 && merged < 0.5 * found.steps.len() as f64 * 4e6, "{merged}");
    // In a chain, every step except the last activates one vertex.
    let chain = GraphShape {
        reach: TraversalGrowth::Known(vec![KnownLevel { vertices: 1.0, edges: 1.0, repeats: 9.0 }]),
        ..graph()
    };
    let configuration = RunConfiguration { devices: 2, ..with_cache(0) };
    let found = predict(&chain, &search, &HOST, &cuda(), &configuration).unwrap();
    assert_about(9.0 * found.steps[0].activated, 8.0);
}

#[test]
fn the_host_bounds_copies_to_many_devices() {
    let mut cuda = cuda();
    cuda.link.as_mut().unwrap().shared_rate = 15e9;
    // Each device has room for less than a quarter of the pages.
    let device_memory = Some(FIXED + (48 << 20));
    let configuration = RunConfiguration { devices: 4, device_memory, ..with_cache(0) };
    let found = predict(&graph(), &scans(1), &HOST, &cuda, &configuration).unwrap();
    assert_about(found.steps[0].seconds.link, TOPOLOGY / 15e9);
}

#[test]
fn devices_that_hand_pages_on_have_slots_for_it() {
    let split = with_wa(8);
    let staging = |peer_rate| {
        let mut cuda = cuda();
        cuda.link.as_mut().unwrap().peer_rate = peer_rate;
        let strategy = Some(Strategy::Split);
        let configuration = RunConfiguration { devices: 2, strategy, cache: CachePolicy::Off, ..with_cache(300) };
        let found = predict(&graph(), &split, &HOST, &cuda, &configuration).unwrap();
        found.memory.device.iter().find(|need| need.what == "staging").unwrap().bytes
    };
    let (apart, together) = (staging(None), staging(Some(1e9)));
    // Forwarding needs ten slots instead of four: four for each of the two streams, and two for the other device.
    assert_eq!((apart, together), (STAGING, STAGING + STAGING / 2 * 3));
}

#[test]
fn every_device_runs_a_vertex_kernel_for_all_vertices() {
    let of = |devices| {
        let mut both = scans(1);
        both.each_step.push(kernel(KernelKind::Vertex));
        let passes =
            |algorithm: &AlgorithmShape| predicted(algorithm, &RunConfiguration { devices, ..with_cache(0) }).passes;
        passes(&both) - passes(&scans(1))
    };
    assert!(of(1) > 0.0);
    assert_about(of(2), of(1));
}

#[test]
fn what_one_device_decides_for_vertices_is_copied() {
    let of = |alone| {
        let mut both = scans(1);
        both.each_step.push(kernel(KernelKind::Vertex));
        both.each_step[1].writes.alone = alone;
        predicted(&both, &RunConfiguration { devices: 3, ..with_cache(0) }).steps[0].seconds.merge
    };
    assert_about(of(true) - of(false), 2.0 * 4e6 / 100e9);
}
