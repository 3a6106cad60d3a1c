//! The runtime of GTS: engines, runs and devices. Users depend on this crate; it re-exports the core and the macros.

pub mod algorithm;
mod choice;
pub mod conformance;
pub mod device;
mod engine;
mod error;
pub mod folder;
pub mod group;
pub mod kernel;
pub mod measure;
mod neighbours;
pub mod prelude;
mod report;
mod run;
pub mod trace;
pub mod tuning;
pub mod units;

pub use choice::DeviceChoice;
pub use engine::{Engine, EngineBuilder, MAX_WARP_CHUNK, ProgressCallback};
pub use error::{Error, Result};
pub use gts_contract as contract;
pub use gts_core as core;
pub use neighbours::{Neighbours, SomeNeighbours};
pub use report::{KernelReport, Progress, RunReport};
pub use run::Run;

/// Names that emitted code uses. Not for use by hand.
#[doc(hidden)]
pub mod __private {
    pub use crate::kernel::*;
    pub use gts_contract::*;
    pub use gts_core::graph::{Vertex, VertexId};
    pub use gts_core::page::EdgeValue;
    pub use gts_macros::proceed;
    pub use inventory;
}
