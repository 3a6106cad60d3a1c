//! Every construct of the kernel language, compared value for value with plain Rust.
//!
//! The device is the CPU, or what `GTS_TEST_DEVICE` names, so that the same file shows that a GPU agrees.

#[path = "language/arithmetic.rs"]
mod arithmetic;
#[path = "language/attributes.rs"]
mod attributes;
#[path = "language/edges.rs"]
mod edges;
#[path = "language/faults.rs"]
mod faults;
#[path = "language/flow.rs"]
mod flow;

use gts_runtime::prelude::*;

/// The engine under test.
fn engine() -> Engine {
    let device = std::env::var("GTS_TEST_DEVICE").unwrap_or_else(|_| "cpu".into());
    Engine::builder().device(device.parse().expect("a device's name")).build().expect("the device works")
}

/// A graph without edges: what vertex kernels need.
fn isolated(vertices: u64) -> Graph {
    // A self-loop at the last vertex declares all those before it, so that IDs and dense numbers agree.
    Graph::from_edges((0..vertices).map(|v| (v, v))).expect("sound edges")
}

/// A mixed number for a vertex: the same bits on every device.
fn mixed(v: u64) -> u64 {
    let x = (v.wrapping_add(0x9e37_79b9_7f4a_7c15)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x ^ x >> 31
}
