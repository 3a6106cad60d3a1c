//! Imports for programs with algorithms of their own: `use gts_runtime::prelude::*;`.

pub use crate::choice::DeviceChoice;
pub use crate::device::hybrid::Hybrid;
pub use crate::device::{Collectives, Placement, Propagation, StepsBy};
pub use crate::engine::Engine;
pub use crate::error::{Error, Result};
pub use crate::kernel::{Attributes, Edge, Gather, Priority, Scan, Traverse, Unreached, VertexKernel};
pub use crate::run::Run;
pub use gts_contract::{EdgeLayout, Technique, VirtualWarp};
pub use gts_core::graph::{Graph, Vertex, VertexId};
pub use gts_core::memory;
pub use gts_macros::{gts_attributes, gts_const, gts_fn, gts_kernel};
