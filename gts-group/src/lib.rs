//! Groups: several processes that run one program on one graph, each on its own device and its own share of the pages.
//!
//! A member of a group is a *rank*. Every rank runs the same driver with the same graph and options. In each pass, a
//! [`DistributedDevice`] has each rank visit its share of the pages, and
//! exchanges the written values afterwards. Drivers take the same branches on all ranks, because globals and frontiers
//! are identical there: they are merged in the order of the ranks or sent by rank 0. Only rank 0 checks the time limit.
//!
//! | module | content |
//! |---|---|
//! | here | [`Group`], which every backend implements by one call, [`Group::exchange`]; [`Call`] |
//! | [`place`] | [`Place`]: the next operation of a rank, which detects ranks that diverge |
//! | `collectives` | all-reduce, all-gather, broadcast and barrier, by exchanges of bounded messages |
//! | `counted` | bytes and time of a rank's calls |
//! | [`distributed`] | the device that consists of the devices of all ranks |
//! | [`frame`], [`ending`] | shared code of backends: messages as bytes, and the end of a group |
//! | [`threads`] | ranks that are threads of one process |
//! | [`local`] | ranks that are processes of one machine |
//!
//! Ranks started by MPI are in a separate crate, `gts-mpi`.

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

use counted::Counted;
use gts_device::error::Result;
use gts_device::kernel::StopFlag;
use gts_device::replicated::Merged;
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
