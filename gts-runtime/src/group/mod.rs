//! Groups: several processes that run one program on one graph, each on its own device and its own share of the pages.
//!
//! A member of a group is a *rank*. Every rank runs the same driver with the same graph and options. In each pass, a
//! [`DistributedDevice`](crate::device::distributed::DistributedDevice) has each rank visit its share of the pages, and
//! exchanges the written values afterwards. Drivers take the same branches on all ranks, because globals and frontiers
//! are identical there: they are merged in the order of the ranks or sent by rank 0. Only rank 0 checks the time limit.
//!
//! | module | content |
//! |---|---|
//! | here | [`Group`], which every backend implements by one call, [`Group::exchange`]; [`Call`] |
//! | [`place`] | [`Place`]: the next operation of a rank, which detects ranks that diverge |
//! | `collectives` | all-reduce, all-gather, broadcast and barrier, by exchanges of bounded messages |
//! | `counted` | [`Exchanged`]: bytes and time of a rank's calls |
//! | [`frame`], [`ending`] | shared code of backends: messages as bytes, and the end of a group |
//! | [`threads`] | ranks that are threads of one process |
//! | [`local`] | ranks that are processes of one machine |
//!
//! Ranks started by MPI are in a separate crate, `gts-mpi`.
//!
//! ```
//! use gts_runtime::device::cpu::CpuDevice;
//! use gts_runtime::device::distributed::DistributedDevice;
//! use gts_runtime::group::{Group, threads};
//! use gts_runtime::prelude::*;
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

pub(crate) mod collectives;
mod counted;
pub mod ending;
pub mod frame;
#[cfg(unix)]
pub mod local;
pub mod place;
pub mod threads;

pub(crate) use counted::Counted;
pub use counted::Exchanged;
pub use place::{Call, Place, Stamp};

use crate::device::replicated::Merged;
use crate::error::Result;
use crate::kernel::StopFlag;
use std::sync::Arc;

/// Maximum bytes of a message: long enough to hide the fixed cost of a message, and small compared to the attributes.
pub const MESSAGE_BYTES: usize = 16 << 20;
/// Maximum number of ranks of a [`local`] group. Each rank has a socket and a thread for every other one.
pub const MOST_LOCAL_RANKS: usize = 256;

/// A message in transit, with its sender's place.
type Message = (Stamp, Vec<u8>);

/// A rank's view of the ranks of one run. Ranks make the same calls in the same order, one after the other.
///
/// A call fails if a rank is lost, if a rank has [aborted](Group::abort) the group, or if ranks perform different
/// operations. Every later call then fails with the same error.
pub trait Group: Send + Sync {
    /// Returns the number of this rank, from 0.
    fn rank(&self) -> usize;

    /// Returns the number of ranks.
    fn size(&self) -> usize;

    /// Returns the maximum bytes of a message.
    fn message_bytes(&self) -> usize {
        MESSAGE_BYTES
    }

    /// Sends a message to each rank, and receives one from each. Messages are in the order of the ranks; a rank's
    /// message to itself is not moved.
    ///
    /// # Errors
    ///
    /// The group has ended or ends during this call, or the call is [stopped](Call::stopped).
    fn exchange(&self, call: &Call<'_>, messages: &[&[u8]], received: &mut [Vec<u8>]) -> Result<()>;

    /// Ends the group because this rank cannot go on. The others receive the reason.
    fn abort(&self, reason: &str);

    /// Declares that this rank has done its work. Others fail only if they wait for a message from it.
    fn leave(&self);

    /// Ties a flag to the group: it is set, with the error as its reason, when the group ends by an error.
    fn tie(&self, flag: &Arc<StopFlag>);

    /// Combines the values of an attribute from all ranks by its merge, in the order of the ranks. All ranks have the
    /// same bits afterwards. `before` are the previous values for [`Merge::Any`](gts_contract::Merge::Any): the
    /// first rank with a different value wins.
    ///
    /// # Errors
    ///
    /// As for [`Group::exchange`].
    fn all_reduce(&self, call: &Call<'_>, attribute: &Merged, values: &mut [u8], before: Option<&[u8]>) -> Result<()> {
        collectives::all_reduce(self, call, attribute, values, before)
    }

    /// Returns the contribution of each rank, in the order of the ranks. Lengths may differ.
    ///
    /// # Errors
    ///
    /// As for [`Group::exchange`]; also if memory is too small.
    fn all_gather(&self, call: &Call<'_>, own: &[u8]) -> Result<Vec<Vec<u8>>> {
        collectives::all_gather(self, call, own)
    }

    /// Copies the bytes of rank 0 to every rank. `bytes` has the same length on all ranks.
    ///
    /// # Errors
    ///
    /// As for [`Group::exchange`].
    fn broadcast(&self, call: &Call<'_>, bytes: &mut [u8]) -> Result<()> {
        collectives::broadcast(self, call, bytes)
    }

    /// Waits until all ranks have made this call.
    ///
    /// # Errors
    ///
    /// As for [`Group::exchange`].
    fn barrier(&self, call: &Call<'_>) -> Result<()> {
        collectives::barrier(self, call)
    }
}
