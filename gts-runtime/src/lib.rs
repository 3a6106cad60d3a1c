//! The runtime of GTS: engines and runs. Programs depend on the facade [`gts-graph`](https://docs.rs/gts-graph), which
//! re-exports this crate; this crate re-exports the core, the devices and the macros.
//!
//! ```
//! use gts_graph::prelude::*;
//!
//! /// Values that halve at each step.
//! #[gts_attributes]
//! struct Decay {
//!     #[wa(init = 64, merge = any)]
//!     value: u32,
//!     #[global(merge = sum)]
//!     total: u64,
//! }
//!
//! #[gts_kernel(vertex)]
//! fn halve(decay: &mut Decay, v: Vertex) {
//!     decay.value[v] = decay.value[v] / 2;
//!     decay.total += decay.value[v] as u64;
//! }
//!
//! let engine = Engine::builder().device(DeviceChoice::Cpu).checked(true).build()?;
//! let mut run = engine.start::<Decay>(&Graph::read("chain:10")?)?;
//! run.apply(halve)?;
//! assert_eq!(run.global(Decay::TOTAL)?, 320);
//! # Ok::<(), Error>(())
//! ```
//!
//! # Where to go next
//!
//! - [`Engine::builder`] lists the options of engines, and [`Run`] what a program can do with a graph and its
//!   attributes.
//! - [`Error`] lists what a run can report, and [`RunReport`] what a run has cost.
//! - [`algorithm`] registers an algorithm for the command line, and [`conformance`] tests it.
//! - [`device`] and [`group`] are the devices, and the processes that share a run.
//! - [`core`](mod@crate::core) reads, builds and stores graphs.

// The macros name the facade. Within this crate, that is the crate itself.
extern crate self as gts_graph;

pub mod algorithm;
mod choice;
pub mod conformance;
pub mod device;
mod engine;
pub mod group;
#[doc(hidden)]
pub mod measure;
pub mod prelude;
mod report;
mod run;
mod shared;

pub use choice::DeviceChoice;
pub use engine::{Engine, EngineBuilder, MAX_WARP_CHUNK};
pub use gts_contract as contract;
pub use gts_core as core;
pub use gts_device::neighbors::Neighbors;
pub use gts_device::{Error, Result, kernel, trace};
pub use report::{KernelReport, RunProgress, RunReport};
pub use run::{Run, SomeNeighbors};
pub use shared::ProgressCallback;

// The command line and the benchmarks use these modules; other programs do not need them.
#[doc(hidden)]
pub mod folder {
    pub use gts_device::folder::*;
}
#[doc(hidden)]
pub mod tuning {
    pub use gts_device::tuning::*;
}
#[doc(hidden)]
pub mod units {
    pub use gts_device::units::*;
}

/// Names that emitted code uses. Other code must not use them.
#[doc(hidden)]
pub mod __private {
    pub use gts_contract::*;
    pub use gts_core::graph::{Vertex, VertexId};
    pub use gts_core::page::EdgeValue;
    pub use gts_device::kernel::*;
    pub use gts_macros::{not_handed_on, proceed};
    pub use inventory;
}
