//! Groups: several processes that run one program on one graph. See [`gts_group`].
//!
//! ```
//! use gts_graph::device::cpu::CpuDevice;
//! use gts_graph::device::distributed::DistributedDevice;
//! use gts_graph::group::{Group, threads};
//! use gts_graph::prelude::*;
//! use std::num::NonZeroUsize;
//! use std::sync::Arc;
//!
//! #[gts_attributes]
//! struct Degrees {
//!     #[wa(init = 0, merge = sum)]
//!     count: u64,
//! }
//!
//! #[gts_kernel(scan)]
//! fn tally(degrees: &mut Degrees, src: Vertex, dst: Vertex) {
//!     degrees.count[dst] += 1;
//! }
//!
//! let graph = Graph::from_edges([(1, 2), (3, 2), (2, 1)]).expect("sound edges");
//! let found = threads::ranks(2, |group| {
//!     let cpu = CpuDevice::new(NonZeroUsize::new(1))?;
//!     let device = DistributedDevice::new(Arc::new(cpu), Arc::new(group))?;
//!     let mut run = Engine::builder().custom_device(Arc::new(device)).build()?.start::<Degrees>(&graph)?;
//!     run.scan(tally)?;
//!     run.take(Degrees::COUNT)
//! })?;
//! assert_eq!(found, [[1, 2, 0], [1, 2, 0]]);
//! # Ok::<(), Error>(())
//! ```

pub use gts_group::*;

use crate::engine::Engine;
use gts_device::{Device, Result};
use std::sync::Arc;

/// Runs an action on a group with one rank per device, as [`threads::ranks`] does. Each rank has an engine.
///
/// # Errors
///
/// As for [`threads::ranks`].
pub fn on_devices<T: Send>(
    devices: &[Arc<dyn Device>],
    action: impl Fn(&Engine) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    threads::ranks(devices.len(), |group| {
        let own = Arc::clone(&devices[group.rank()]);
        let device = DistributedDevice::new(own, Arc::new(group))?;
        action(&Engine::builder().custom_device(Arc::new(device)).build()?)
    })
}
