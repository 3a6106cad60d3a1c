//! Groups of processes that run one program on one graph. Each process uses its own device and its own share of the
//! pages.
//!
//! ```
//! use gts_group::{Call, Group, Place, threads};
//!
//! // Three ranks that are threads of this process.
//! let found = threads::ranks(3, |group| {
//!     let place = Place::new("the exchange of the ranks' numbers", ());
//!     group.all_gather(&Call::new(&place), &[group.rank() as u8])
//! })?;
//! assert_eq!(found[0], [[0], [1], [2]]);
//! # Ok::<(), gts_device::Error>(())
//! ```
//!
//! A member of a group is a *rank*. Every rank runs the same driver with the same graph and options. In each pass, a
//! [`DistributedDevice`] visits the rank's share of the pages, and then exchanges the written values with the other
//! ranks. Drivers take the same branches on all ranks, because globals and frontiers are identical on all ranks: they
//! are merged in rank order, or sent by rank 0. Only rank 0 checks the time limit.
//!
//! | module | content |
//! |---|---|
//! | here | [`Group`], which every backend implements: all collectives use [`Group::exchange`] |
//! | [`place`] | [`Place`], a rank's place in a run, which detects ranks that diverge; [`Call`] |
//! | `collectives` | all-reduce, all-gather, broadcast and barrier, by exchanges of bounded messages |
//! | `counted` | bytes and time of a rank's calls |
//! | [`distributed`] | the device that consists of the devices of all ranks |
//! | [`frame`], [`ending`] | shared code of backends: messages as bytes, and the end of a group |
//! | [`threads`] | ranks that are threads of one process |
//! | [`local`] | ranks that are processes on one machine |
//!
//! # Where to go next
//!
//! - [`Group`] is the trait to implement for another transport between ranks.
//! - [`threads::ranks`] runs ranks in one process, for tests. [`local`] connects the processes of one machine.
//! - `gts-mpi` implements groups of ranks started by MPI.
//! - [`gts-graph`](https://docs.rs/gts-graph) is the crate that programs depend on. There, `EngineBuilder::group` makes
//!   this process a rank.

mod collectives;
mod counted;
pub mod distributed;
pub mod ending;
pub mod frame;
#[cfg(unix)]
pub mod local;
pub mod place;
pub mod threads;

pub use distributed::{Collectives, DistributedDevice};
pub use gts_device::ranks::Exchanged;
pub use place::{Call, Place, Stamp};

use counted::CountedGroup;
use gts_device::error::Result;
use gts_device::kernel::StopFlag;
use gts_device::replicated::Merged;
use std::sync::Arc;

/// The maximum number of bytes in a message: large enough to hide the fixed cost of a message, and small compared with
/// the attributes.
pub const MESSAGE_BYTES: usize = 16 << 20;
/// The maximum number of ranks of a [`local`] group. Each rank has a socket and a thread for every other rank.
pub const MOST_LOCAL_RANKS: usize = 256;

/// A message in transit, with the stamp of its sender.
type Message = (Stamp, Vec<u8>);

/// A rank's handle to the group of all ranks in one run. All ranks must make the same calls in the same order, one at a
/// time.
///
/// A call fails if a rank is lost, if a rank has [aborted](Group::abort) the group, or if ranks perform different
/// operations. Every later call then fails with the same error.
pub trait Group: Send + Sync {
    /// Returns the number of this rank, counted from 0.
    fn rank(&self) -> usize;

    /// Returns the number of ranks.
    fn size(&self) -> usize;

    /// Returns the maximum number of bytes in a message.
    fn message_bytes(&self) -> usize {
        MESSAGE_BYTES
    }

    /// Sends a message to every other rank, and receives a message from every other rank. Both `messages` and
    /// `received` are indexed by rank. The entries of the calling rank are not used.
    ///
    /// # Errors
    ///
    /// The group has ended or ends during this call, or the call is [stopped](Call::stopped).
    fn exchange(&self, call: &Call<'_>, messages: &[&[u8]], received: &mut [Vec<u8>]) -> Result<()>;

    /// Ends the group because this rank cannot continue. The other ranks receive the reason.
    fn abort(&self, reason: &str);

    /// Declares that this rank has finished its work. Other ranks fail only if they wait for a message from this rank.
    fn leave(&self);

    /// Ties a flag to the group. If an error ends the group, the flag is set with the error as the reason.
    fn tie(&self, flag: &Arc<StopFlag>);

    /// Merges the values of an attribute from all ranks, in rank order. Afterwards, the values on all ranks are
    /// identical, bit for bit. `before` contains the previous values, which [`Merge::Any`](gts_contract::Merge::Any)
    /// requires: the first rank with a changed value wins.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Group::exchange`].
    fn all_reduce(&self, call: &Call<'_>, attribute: &Merged, values: &mut [u8], before: Option<&[u8]>) -> Result<()> {
        collectives::all_reduce(self, call, attribute, values, before)
    }

    /// Returns the bytes that each rank has passed as `own`, in rank order. The lengths may differ.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Group::exchange`], or an error if there is too little memory.
    fn all_gather(&self, call: &Call<'_>, own: &[u8]) -> Result<Vec<Vec<u8>>> {
        collectives::all_gather(self, call, own)
    }

    /// Copies `bytes` from rank 0 to all other ranks. `bytes` must have the same length on all ranks.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Group::exchange`].
    fn broadcast(&self, call: &Call<'_>, bytes: &mut [u8]) -> Result<()> {
        collectives::broadcast(self, call, bytes)
    }

    /// Waits until all ranks have made this call.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Group::exchange`].
    fn barrier(&self, call: &Call<'_>) -> Result<()> {
        collectives::barrier(self, call)
    }
}
