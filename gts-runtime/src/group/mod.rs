//! Groups: several processes that run one program on one graph, each on its own device and its own share of the pages.
//!
//! A member of a group is a *rank*. Every rank runs the same driver with the same graph and options. A
//! [`DistributedDevice`](crate::device::distributed::DistributedDevice) has each walk its share of the pages in a pass, and
//! moves what they have written between them afterwards. Drivers branch alike, because whatever they branch on is the same
//! on all ranks: globals and frontiers are merged in the order of the ranks or come from rank 0, and rank 0 alone keeps the
//! time limit.
//!
//! | module | what it has |
//! |---|---|
//! | here | [`Group`], which every backend implements by one call, [`Group::exchange`]; [`Call`] |
//! | [`place`] | [`Place`]: what a rank is about to do, by which ranks that differ are found out |
//! | `collectives` | all-reduce, all-gather, broadcast and barrier, by exchanges of bounded messages |
//! | `counted` | [`Exchanged`]: what the calls of a rank have moved |
//! | [`frame`], [`ending`] | what backends have in common: messages as bytes, and how a group ends |
//! | [`threads`] | ranks that are threads of one process |
//! | [`local`] | ranks that are processes of one machine |
//!
//! Ranks that MPI starts are in a crate of their own, `gts-mpi`.
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

/// Bytes of a message, at most: enough for its cost not to show beside that of its bytes, and little beside the attributes.
pub const MESSAGE_BYTES: usize = 16 << 20;
/// The most ranks of a [`local`] group. Each has a socket and a thread for every other one.
pub const MOST_LOCAL_RANKS: usize = 256;

/// A message on its way, with where its sender is.
type Message = (Stamp, Vec<u8>);

/// Ranks of one run, as one of them sees them. Ranks make the same calls in the same order, one at a time.
///
/// A call fails where a rank is lost, where a rank has [aborted](Group::abort) the group, and where ranks turn out to do
/// different things. The group is of no use afterwards: every later call fails with the same error.
pub trait Group: Send + Sync {
    /// Returns the number of this rank, from 0.
    fn rank(&self) -> usize;

    /// Returns the number of ranks.
    fn size(&self) -> usize;

    /// Returns the most bytes of a message.
    fn message_bytes(&self) -> usize {
        MESSAGE_BYTES
    }

    /// Sends each rank a message, and receives one from each. Messages stand in the order of the ranks; what a rank sends
    /// itself does not move.
    ///
    /// # Errors
    ///
    /// The group has ended, or ends by this call; what the call is [stopped](Call::stopped) by.
    fn exchange(&self, call: &Call<'_>, messages: &[&[u8]], received: &mut [Vec<u8>]) -> Result<()>;

    /// Ends the group because this rank cannot go on. Others are told the reason.
    fn abort(&self, reason: &str);

    /// Says that this rank has done its work. Others miss it only where they wait for a message of it.
    fn leave(&self);

    /// Has a flag set when the group ends by an error, with that error as its reason.
    fn tie(&self, flag: &Arc<StopFlag>);

    /// Combines what each rank has of an attribute by its merge, in the order of the ranks. All have the same bits
    /// afterwards. `before` is what stood there for [`Merge::Any`](gts_contract::Merge::Any): the first rank with
    /// another value wins.
    ///
    /// # Errors
    ///
    /// As for [`Group::exchange`].
    fn all_reduce(&self, call: &Call<'_>, attribute: &Merged, values: &mut [u8], before: Option<&[u8]>) -> Result<()> {
        collectives::all_reduce(self, call, attribute, values, before)
    }

    /// Returns what each rank gives, in the order of the ranks. Lengths may differ.
    ///
    /// # Errors
    ///
    /// As for [`Group::exchange`], and too little memory.
    fn all_gather(&self, call: &Call<'_>, own: &[u8]) -> Result<Vec<Vec<u8>>> {
        collectives::all_gather(self, call, own)
    }

    /// Gives every rank the bytes of rank 0. All have room for as many.
    ///
    /// # Errors
    ///
    /// As for [`Group::exchange`].
    fn broadcast(&self, call: &Call<'_>, bytes: &mut [u8]) -> Result<()> {
        collectives::broadcast(self, call, bytes)
    }

    /// Waits until all ranks have come here.
    ///
    /// # Errors
    ///
    /// As for [`Group::exchange`].
    fn barrier(&self, call: &Call<'_>) -> Result<()> {
        collectives::barrier(self, call)
    }
}
