//! Links between the devices of ranks, by which values move without passing through the memory of the hosts.

use crate::error::Result;
use crate::ranks::Exchanged;
use crate::replica::{Merged, Replica};
use std::ops::Range;

/// Bytes of the ID by which ranks find each other.
pub const ID_BYTES: usize = 128;
/// Minimum bytes of device memory that a rank must have available for data that other ranks send.
pub const LEAST_STAGED: u64 = 256 << 10;

/// A check while waiting for other ranks. An error ends the waiting.
pub type Stopped<'a> = &'a dyn Fn() -> Result<()>;

/// What a rank's device provides for a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkOffer {
    /// Identity of the device, unique across machines.
    pub device: [u8; 16],
    /// Bytes of device memory available for received data.
    pub staged: u64,
}

/// The position of a rank among the linked ranks, and how they find each other.
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
    /// Returns what the device provides for a link.
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

    /// Returns the data moved so far.
    fn exchanged(&self) -> Exchanged;

    /// Returns whether the staging memory suffices to merge these attributes at activated vertices.
    fn has_room(&self, attributes: &[Merged]) -> bool;

    /// Merges the replicas of an attribute. `before` contains the value that all replicas had, for
    /// [`gts_contract::Merge::Any`].
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
