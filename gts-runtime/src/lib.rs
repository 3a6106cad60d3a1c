//! The runtime of GTS: engines and runs. Users depend on this crate; it re-exports the core, the devices and the macros.
//!
//! ```
//! use gts_graph::prelude::*;
//!
//! /// Hops from a source.
//! #[gts_attributes]
//! struct Hops {
//!     #[wa(init = UNREACHED, merge = min)]
//!     level: u32,
//! }
//!
//! #[gts_kernel(traverse)]
//! fn expand(hops: &mut Hops, src: Vertex, dst: Vertex) {
//!     if hops.level[dst] == UNREACHED {
//!         hops.level[dst] = step() + 1;
//!         activate(dst);
//!     }
//! }
//!
//! fn main() -> Result<()> {
//!     // Or a file, such as "roads.txt", or a store.
//!     let graph = Graph::read("grid:3x3")?;
//!     let source = graph.vertex(4)?;
//!     let mut run = Engine::cpu()?.start::<Hops>(&graph)?;
//!     run.set(Hops::LEVEL, source, 0)?;
//!     run.activate(source)?;
//!     run.traverse(expand)?;
//!     for (id, level) in run.take_with_ids(Hops::LEVEL)? {
//!         println!("{id}: {level} hops");
//!     }
//!     Ok(())
//! }
//! ```

// The macros name the facade. Within this crate, that is the crate itself.
extern crate self as gts_graph;

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
