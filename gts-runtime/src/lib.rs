//! The runtime of GTS: engines and runs. Users depend on this crate; it re-exports the core, the devices and the macros.

pub mod algorithm;
mod choice;
pub mod conformance;
pub mod device;
mod engine;
pub mod group;
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
pub use gts_device::{Error, Result, folder, kernel, trace, tuning, units};
pub use report::{KernelReport, RunProgress, RunReport};
pub use run::{Run, SomeNeighbors};
pub use shared::ProgressCallback;

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
