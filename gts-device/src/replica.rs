//! Replicas of attributes: the memory that sessions lend, and the layout of the values.

use crate::error::Result;
use crate::kernel::merge_elements;
use gts_contract::{AttributeKind, AttributeSchema, Merge, ScalarType, Schema};
use gts_core::page::HostBytes;
use std::any::Any;
use std::fmt;

/// A replica's values in host or device memory.
#[derive(Debug)]
pub enum ReplicaMemory<'a> {
    /// Host memory.
    Host(HostValues<'a>),
    /// Device memory.
    Device(DeviceValues<'a>),
}

/// Memory on a device. Each kind of device has its own private type.
pub trait DeviceMemory: Any + fmt::Debug + Sync {}

/// A session through which a device's memory can be copied. Code that knows the session's type can access the memory in
/// place instead.
pub trait Reach: Any + Sync {
    /// Copies the first bytes of `memory` to `bytes`, after the session's earlier work. `memory` must belong to the
    /// session's device.
    ///
    /// # Errors
    ///
    /// A device failure.
    fn read(&self, memory: &dyn DeviceMemory, bytes: &mut [u8]) -> Result<()>;

    /// Overwrites the first bytes of `memory` with `bytes`, after the session's earlier work. `memory` must belong to
    /// the session's device.
    ///
    /// # Errors
    ///
    /// A device failure.
    fn write(&self, memory: &dyn DeviceMemory, bytes: &[u8]) -> Result<()>;
}

/// A replica's values in device memory.
#[derive(Clone, Copy)]
pub struct DeviceValues<'a> {
    memory: &'a dyn DeviceMemory,
    reach: &'a dyn Reach,
}

impl fmt::Debug for DeviceValues<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceValues").field("memory", &self.memory).finish_non_exhaustive()
    }
}

impl<'a> DeviceValues<'a> {
    /// Returns the values in `memory`, which `reach` can access.
    pub fn new(memory: &'a dyn DeviceMemory, reach: &'a dyn Reach) -> Self {
        Self { memory, reach }
    }

    /// Returns the memory and its session, if their types are `M` and `R`.
    pub fn as_of<M: DeviceMemory, R: Reach>(&self) -> Option<(&'a M, &'a R)> {
        let (memory, reach): (&dyn Any, &dyn Any) = (self.memory, self.reach);
        Some((memory.downcast_ref()?, reach.downcast_ref()?))
    }

    /// Copies the first bytes of the values to `bytes`.
    pub(crate) fn read(&self, bytes: &mut [u8]) -> Result<()> {
        self.reach.read(self.memory, bytes)
    }

    /// Overwrites the first bytes of the values with `bytes`.
    pub(crate) fn write(&self, bytes: &[u8]) -> Result<()> {
        self.reach.write(self.memory, bytes)
    }
}

/// A replica's values in host memory.
#[derive(Debug)]
pub struct HostValues<'a> {
    bytes: &'a mut [u8],
    /// The address at which GPUs access the values, or `None` if GPUs have no access.
    address: Option<u64>,
}

impl<'a> HostValues<'a> {
    /// Wraps values that GPUs cannot access.
    pub fn new(bytes: &'a mut [u8]) -> Self {
        Self { bytes, address: None }
    }

    /// Wraps the first `length` bytes of a buffer. GPUs can access these values if GPUs can access the buffer, and if
    /// the buffer extends to the next multiple of 16 bytes. The second condition is necessary because GPUs merge 16
    /// bytes at a time.
    pub fn in_buffer(buffer: &'a mut HostBytes, length: usize) -> Self {
        let whole = buffer.as_slice().len();
        let address = buffer.on_gpus().filter(|_| length.next_multiple_of(16) <= whole);
        Self { bytes: &mut buffer.as_mut_slice()[..length.min(whole)], address }
    }

    /// Returns the values as bytes.
    pub fn as_slice(&self) -> &[u8] {
        self.bytes
    }

    /// Returns the values as mutable bytes.
    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        self.bytes
    }

    /// Returns the address at which GPUs access the values, or `None` if GPUs have no access.
    pub fn address(&self) -> Option<u64> {
        self.address
    }
}

/// Memory that a replica lends to a collective.
#[derive(Debug)]
pub struct Replica<'a> {
    /// The vertices activated for the next step, as a bit set in words of 32 or 64 bits.
    pub activated: ReplicaMemory<'a>,
    /// The values of the requested attributes, in the order of the request.
    pub values: Vec<ReplicaMemory<'a>>,
}

/// The layout and merge of an attribute, for collectives.
#[derive(Clone, Copy, Debug)]
pub struct Merged {
    /// The attribute's index in the schema.
    pub attribute: usize,
    /// The type of an element.
    pub scalar: ScalarType,
    /// The operation that combines the values of two replicas at a vertex.
    pub merge: Merge,
    /// Number of elements per vertex.
    pub length: u64,
    /// Number of vertices.
    pub vertices: u64,
    /// Number of bytes per stored vertex number.
    pub vertex_bytes: usize,
}

impl Merged {
    /// Returns an attribute's layout and merge. Attributes other than `wa`s are only copied, so their merge is
    /// irrelevant.
    pub fn of(schema: &Schema, attribute: usize, vertices: u64, vertex_bytes: usize) -> Self {
        let AttributeSchema { ty, kind, .. } = &schema.attributes[attribute];
        let merge = match *kind {
            AttributeKind::Wa { merge, .. } => merge,
            _ => Merge::Any,
        };
        Self { attribute, scalar: ty.scalar, merge, length: u64::from(ty.length), vertices, vertex_bytes }
    }

    /// Returns the number of bytes per element.
    pub fn element_bytes(&self) -> usize {
        self.scalar.bytes(self.vertex_bytes)
    }

    /// Returns the number of bytes per vertex.
    pub fn value_bytes(&self) -> usize {
        self.length as usize * self.element_bytes()
    }

    /// Returns the total size of the values in bytes.
    pub fn bytes(&self) -> usize {
        self.vertices as usize * self.value_bytes()
    }

    /// Merges another replica's elements, `part`, into `total`.
    pub fn merge_into(&self, total: &mut [u8], part: &[u8]) {
        merge_elements(self.scalar, self.merge, self.vertex_bytes, total, part);
    }
}
