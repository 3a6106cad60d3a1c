//! Compares every construct of the kernel language with plain Rust, value by value.
//!
//! The device is the CPU, or the one in `GTS_TEST_DEVICE`, so that the same file tests that a GPU agrees.

#[path = "language/arithmetic.rs"]
mod arithmetic;
#[path = "language/assertions.rs"]
mod assertions;
#[path = "language/attributes.rs"]
mod attributes;
#[path = "language/checked.rs"]
mod checked;
#[path = "language/edge_list.rs"]
mod edge_list;
#[path = "language/edge_values.rs"]
mod edge_values;
#[path = "language/edges.rs"]
mod edges;
#[path = "language/faults.rs"]
mod faults;
#[path = "language/flow.rs"]
mod flow;
#[path = "language/gather.rs"]
mod gather;
#[path = "language/gathered_sums.rs"]
mod gathered_sums;
#[path = "language/globals.rs"]
mod globals;
#[path = "language/history.rs"]
mod history;
#[path = "language/integer_sums.rs"]
mod integer_sums;
#[path = "language/intersect.rs"]
mod intersect;
#[path = "language/missing.rs"]
mod missing;
#[path = "language/neighbours.rs"]
mod neighbours;
#[path = "language/order.rs"]
mod order;
#[path = "language/overflow.rs"]
mod overflow;
#[path = "language/priority.rs"]
mod priority;
#[path = "language/pull.rs"]
mod pull;
#[path = "language/pull_traversals.rs"]
mod pull_traversals;
#[path = "language/random.rs"]
mod random;
#[path = "language/streamed.rs"]
mod streamed;
#[path = "language/sums.rs"]
mod sums;
#[path = "language/vertices.rs"]
mod vertices;

use gts_graph::prelude::*;
use std::sync::OnceLock;

/// Returns the device under test.
fn device() -> DeviceChoice {
    std::env::var("GTS_TEST_DEVICE").map_or(DeviceChoice::Cpu, |name| name.parse().expect("a device's name"))
}

/// Returns the techniques that visit pages, or a sample of them.
fn techniques() -> impl Iterator<Item = Technique> {
    Technique::of_pages().filter(in_sample)
}

/// Returns whether to test a technique. If `CI` is set, leaves out four virtual warps, because compiling a program for
/// each takes most of the time: virtual warps within a warp differ only in the number of lanes. Some tests of neighbours
/// and of random numbers use every technique even then.
fn in_sample(technique: &Technique) -> bool {
    use VirtualWarp::{W2, W4, W16, W32};
    !is_sample() || !matches!(technique, Technique::Edge(W2 | W4 | W16 | W32))
}

/// Returns whether to test only a sample of the forms of a kernel.
fn is_sample() -> bool {
    std::env::var_os("CI").is_some()
}

/// An engine kept for the whole program: while one exists, a GPU keeps its context, which takes longer to create than
/// most tests.
static KEPT: OnceLock<Engine> = OnceLock::new();

/// Returns the engine under test.
fn engine() -> Engine {
    let new = || Engine::builder().device(device()).build().expect("the device works");
    KEPT.get_or_init(new);
    new()
}

/// Returns a graph whose vertices have no neighbours, for vertex kernels.
fn isolated(vertices: u64) -> Graph {
    // A self-loop at each vertex, so that IDs and dense numbers agree.
    Graph::from_edges((0..vertices).map(|v| (v, v))).expect("sound edges")
}

/// Returns a hash of a vertex: the same bits on every device.
fn mixed(v: u64) -> u64 {
    let x = (v.wrapping_add(0x9e37_79b9_7f4a_7c15)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x ^ x >> 31
}
