//! Links between the devices of ranks. Values that move over a link do not pass through host memory.

use crate::error::Result;
use crate::ranks::Exchanged;
use crate::replica::{Merged, Replica};
use std::ops::Range;

/// Size in bytes of the ID with which ranks connect.
pub const ID_BYTES: usize = 128;
/// Minimum device memory in bytes that each rank must provide for received data.
pub const LEAST_STAGED: u64 = 256 << 10;

/// A check that a rank calls repeatedly while it waits for other ranks. An error ends the wait.
pub type Stopped<'a> = &'a dyn Fn() -> Result<()>;

/// The identity of a rank's device, and the memory that the device can provide for a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkOffer {
    /// Identity of the device, unique across machines.
    pub device: [u8; 16],
    /// Device memory in bytes that is available for received data.
    pub staged: u64,
}

/// The parameters with which a rank joins a link.
#[derive(Clone, Copy, Debug)]
pub struct Rendezvous {
    /// The ID that one of the ranks has created with [`Linkable::new_id`].
    pub id: [u8; ID_BYTES],
    /// Number of this rank, from 0.
    pub rank: usize,
    /// Number of ranks.
    pub size: usize,
    /// Device memory in bytes that each rank provides for received data.
    pub staged: u64,
}

/// A device that can be linked to the devices of other ranks.
pub trait Linkable: Send + Sync {
    /// Returns the device's identity and the memory that the device can provide for a link.
    ///
    /// # Errors
    ///
    /// The library for links is missing, or the device failed.
    fn offer(&self) -> Result<LinkOffer>;

    /// Creates the ID with which ranks connect.
    ///
    /// # Errors
    ///
    /// The library for links is missing or fails.
    fn new_id(&self) -> Result<[u8; ID_BYTES]>;

    /// Links the device to the other ranks' devices. All ranks must call this method concurrently.
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

    /// Returns the totals of all completed exchanges.
    fn exchanged(&self) -> Exchanged;

    /// Returns whether the staging memory suffices to merge these attributes at activated vertices.
    fn has_room(&self, attributes: &[Merged]) -> bool;

    /// Merges the ranks' replicas of an attribute. For [`gts_contract::Merge::Any`], `before` contains the values from
    /// before the pass, when all replicas were equal.
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

    /// Copies the values of each rank's own vertices to all ranks. `own` contains each rank's vertices, in ascending
    /// order.
    ///
    /// # Errors
    ///
    /// See [`Link::reduce`].
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
    /// See [`Link::reduce`].
    fn broadcast(&self, replica: &mut Replica<'_>, bytes: usize, stopped: Stopped<'_>) -> Result<()>;

    /// Replaces each rank's set of activated vertices with the union of all sets, and merges the lent attributes at the
    /// vertices in the union.
    ///
    /// # Errors
    ///
    /// See [`Link::reduce`].
    fn unite(
        &self,
        replica: &mut Replica<'_>,
        vertices: u64,
        attributes: &[Merged],
        stopped: Stopped<'_>,
    ) -> Result<()>;
}
