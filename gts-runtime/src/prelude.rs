//! Imports for programs that define algorithms: `use gts_graph::prelude::*;`.

pub use crate::choice::DeviceChoice;
pub use crate::engine::Engine;
pub use crate::run::Run;
pub use gts_contract::{EdgeLayout, Technique, VirtualWarp};
pub use gts_core::graph::{Graph, Key, Vertex, VertexId};
pub use gts_core::memory;
pub use gts_device::error::{Error, Result};
pub use gts_device::hybrid::Hybrid;
pub use gts_device::kernel::{Attributes, Edge, Gather, Priority, Scan, Traverse, Unreached, VertexKernel};
pub use gts_device::{Placement, Propagation, StepsBy};
pub use gts_group::Collectives;
pub use gts_macros::{gts_attributes, gts_const, gts_fn, gts_kernel};
