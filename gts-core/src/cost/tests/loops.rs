//! Compares the memory of step loops with results computed by hand.

use super::super::loops::{StepLoops, claimed_bytes, place_bytes, queue_bytes};
use super::super::nodes::{Network, Nodes};
use super::super::pulling::edges_to_pull;
use super::super::*;
use super::{FIXED, HOST, cuda, graph, search};
use crate::graph::{ListClass, ListShape};
use crate::page::LANES;
use gts_contract::{StepLoop, Transport};

/// The default loops of a GPU.
const LOOPS: StepLoops = StepLoops {
    in_order_degree: 64,
    claiming_degree: 64,
    claiming_active: 1 << 16,
    blocks: 32,
    vertices_at_a_time: 128,
    room: 1 << 22,
};

fn plan(step_loop: StepLoop, configuration: RunConfiguration) -> MemoryPlan {
    let mut search = search();
    search.each_step[0].step_loop = step_loop;
    memory_plan(&graph(), &search, &cuda(), HOST.memory, &configuration).unwrap()
}

fn loops_of(plan: &MemoryPlan) -> Option<u64> {
    plan.device.iter().find(|need| need.what == "loops over steps").map(|need| need.bytes)
}

fn with(step_loops: StepLoops) -> RunConfiguration {
    RunConfiguration { step_loops: Some(step_loops), ..RunConfiguration::default() }
}

/// The size of the in-order loop in bytes: two queue entries of 12 bytes and a list offset for each of a million
/// vertices.
const IN_ORDER: u64 = (2 * 12 + 8) * 1_000_000;
/// The size of the claiming loop in bytes: one bit per vertex, and two queues with eight bytes per entry. Each of 32
/// blocks processes 2048 vertices with 64 neighbours.
const CLAIMING: u64 = 125_000 + 2 * 8 * 32 * 2048 * 64;

#[test]
fn loops_take_places_queues_and_claims() {
    assert_eq!((place_bytes(1000), claimed_bytes(33), queue_bytes(10)), (8000, 8, 240));
    assert_eq!(loops_of(&plan(StepLoop::InOrder, with(LOOPS))), Some(IN_ORDER));
    assert_eq!(loops_of(&plan(StepLoop::Claiming, with(LOOPS))), Some(IN_ORDER + CLAIMING));
    // The capacity of a queue is limited to `room`.
    let narrow = StepLoops { room: 1000, ..LOOPS };
    assert_eq!(loops_of(&plan(StepLoop::InOrder, with(narrow))), Some(24 * 1000 + 8_000_000));
    let hubs = StepLoops { claiming_degree: 63, ..LOOPS };
    assert_eq!(loops_of(&plan(StepLoop::Claiming, with(hubs))), Some(IN_ORDER));
}

#[test]
fn a_step_that_would_pull_is_not_claimed() {
    let loops = StepLoops { claiming_active: 1 << 18, ..LOOPS };
    let configuration = RunConfiguration { pull_share: Some(64), ..with(loops) };
    let mut symmetric = graph();
    symmetric.symmetric = true;
    let mut search = search();
    search.each_step[0].step_loop = StepLoop::Claiming;
    search.each_step[0].may_pull = true;
    let each = ListClass { pages: 256.0, vertices: 1e6, entries: 64e6, lane_steps: [64e6; LANES.len()], longest: 64.0 };
    symmetric.lists = ListShape { classes: vec![each], large_entries: 0.0, local: 0.0 };
    let found = memory_plan(&symmetric, &search, &cuda(), HOST.memory, &configuration).unwrap();
    assert!(found.pulls);
    // According to the model, a step with few edges already pulls. The 32 blocks share the vertices of the largest
    // pushing step equally.
    let edges = edges_to_pull(&symmetric, &search.each_step[0], &cuda(), 0);
    let vertices = ((edges - 1) / 64).div_ceil(32).next_multiple_of(128);
    assert!((128..8192).contains(&vertices), "{vertices}");
    assert_eq!(loops_of(&found), Some(IN_ORDER + 125_000 + 2 * 8 * 32 * vertices * 64));
}

#[test]
fn the_host_begins_steps_where_no_loop_runs() {
    let streams = RunConfiguration { device_memory: Some(FIXED + (160 << 20)), ..with(LOOPS) };
    let network = Network { rate: 1e9, latency: 0.0 };
    let nodes = Nodes { count: 2, network, transport: Transport::Nccl };
    let without = [
        plan(StepLoop::InOrder, RunConfiguration::default()),
        plan(StepLoop::No, with(LOOPS)),
        plan(StepLoop::InOrder, with(StepLoops { in_order_degree: 63, ..LOOPS })),
        plan(StepLoop::InOrder, RunConfiguration { devices: 2, ..with(LOOPS) }),
        plan(StepLoop::InOrder, RunConfiguration { nodes, ..with(LOOPS) }),
        plan(StepLoop::InOrder, streams),
    ];
    for plan in without {
        assert_eq!((loops_of(&plan), plan.loops_left_out), (None, None), "{plan:?}");
    }
}

#[test]
fn loops_take_what_pages_leave_or_are_left_out() {
    let enough = FIXED + 4_000_000 + (256 << 20) + IN_ORDER;
    let on = |budget| plan(StepLoop::InOrder, RunConfiguration { device_memory: Some(budget), ..with(LOOPS) });
    let held = |plan: &MemoryPlan| plan.device.iter().map(|need| need.bytes).sum::<u64>() + plan.cache;
    let roomy = on(enough);
    assert_eq!((loops_of(&roomy), roomy.loops_left_out), (Some(IN_ORDER), None));
    let least = held(&roomy);
    assert!(least <= enough);
    assert_eq!(loops_of(&on(least)), Some(IN_ORDER));
    let without = on(least - 1);
    assert!(without.resident);
    assert_eq!((loops_of(&without), without.loops_left_out), (None, Some(IN_ORDER)));
}
