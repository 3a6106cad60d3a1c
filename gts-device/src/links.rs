//! Links between the devices of ranks. Values that move over a link do not pass through host memory.

use crate::error::Result;
use crate::ranks::Exchanged;
use crate::replica::{Merged, Replica};
use std::ops::Range;

/// Size in bytes of the ID through which ranks connect.
pub const ID_BYTES: usize = 128;
/// Minimum device memory in bytes that a rank must have available for data from other ranks.
pub const LEAST_STAGED: u64 = 256 << 10;

/// A check that is repeated while a rank waits for other ranks. An error from the check ends the wait.
pub type Stopped<'a> = &'a dyn Fn() -> Result<()>;

/// The identity of a rank's device, and the memory that the device provides for a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkOffer {
    /// Identity of the device, unique across machines.
    pub device: [u8; 16],
    /// Bytes of device memory available for received data.
    pub staged: u64,
}

/// The parameters with which a rank joins a link.
#[derive(Clone, Copy, Debug)]
pub struct Rendezvous {
    /// The ID that [`Linkable::new_id`] has returned on one of the ranks.
    pub id: [u8; ID_BYTES],
    /// Number of this rank, from 0.
    pub rank: usize,
    /// Number of ranks.
    pub size: usize,
    /// Bytes of device memory that each rank provides for received data.
    pub staged: u64,
}

/// A device that can be linked to the devices of other ranks.
pub trait Linkable: Send + Sync {
    /// Returns the device's identity and the memory that it provides for a link.
    ///
    /// # Errors
    ///
    /// The library for links is missing, or the device fails.
    fn offer(&self) -> Result<LinkOffer>;

    /// Creates the ID through which ranks connect.
    ///
    /// # Errors
    ///
    /// The library for links is missing, or fails.
    fn new_id(&self) -> Result<[u8; ID_BYTES]>;

    /// Links the device to those of the other ranks. All ranks must call this method concurrently.
    ///
    /// # Errors
    ///
    /// The library fails, the device has too little memory, or `stopped` returns an error.
    fn join(&self, meeting: &Rendezvous, stopped: Stopped<'_>) -> Result<Box<dyn Link>>;
}

/// A link between the devices of all ranks. After a failure, every later call fails with the same error.
pub trait Link: Send + Sync {
    /// Returns the version of the library for links.
    fn version(&self) -> String;

    /// Returns the statistics of all exchanges so far.
    fn exchanged(&self) -> Exchanged;

    /// Returns whether the staging memory suffices to merge these attributes at activated vertices.
    fn has_room(&self, attributes: &[Merged]) -> bool;

    /// Merges the replicas of an attribute. For [`gts_contract::Merge::Any`], `before` contains the values before the
    /// pass, when all replicas were equal.
    ///
    /// # Errors
    ///
    /// The link fails, or `stopped` returns an error.
    fn reduce(
        &self,
        replica: &mut Replica<'_>,
        attribute: &Merged,
        before: Option<&[u8]>,
        stopped: Stopped<'_>,
    ) -> Result<()>;

    /// Copies the values of each rank's own vertices to all ranks. `own` contains the vertices that each rank owns, in
    /// ascending order.
    ///
    /// # Errors
    ///
    /// As for [`Link::reduce`].
    fn gather(
        &self,
        replica: &mut Replica<'_>,
        attribute: &Merged,
        own: &[Vec<Range<u64>>],
        stopped: Stopped<'_>,
    ) -> Result<()>;

    /// Copies the first `bytes` bytes of an attribute from rank 0 to all other ranks.
    ///
    /// # Errors
    ///
    /// As for [`Link::reduce`].
    fn broadcast(&self, replica: &mut Replica<'_>, bytes: usize, stopped: Stopped<'_>) -> Result<()>;

    /// Replaces the ranks' sets of activated vertices by their union, and merges the lent attributes at those vertices.
    ///
    /// # Errors
    ///
    /// As for [`Link::reduce`].
    fn unite(
        &self,
        replica: &mut Replica<'_>,
        vertices: u64,
        attributes: &[Merged],
        stopped: Stopped<'_>,
    ) -> Result<()>;
}
