//! Replicas of attributes: the memory that sessions lend, and the layout of the values.

use crate::error::{Error, Result};
use crate::fault_place::FaultPlace;
use crate::kernel::{Fault, SumChecks, merge_elements};
use gts_contract::{AttributeKind, AttributeSchema, KernelDescriptor, Merge, ScalarType, Schema, SumDirection};
use gts_core::graph::Vertex;
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
    /// The check of the totals of an integer sum; `None` if every total fits.
    pub check: Option<TotalCheck>,
}

/// The check that an integer can hold the total of a kernel's terms on several devices.
#[derive(Clone, Copy, Debug)]
pub struct TotalCheck {
    /// The kernel that adds.
    pub kernel: &'static KernelDescriptor,
    /// The index of the attribute's first update among the kernel's error sites.
    pub error_site: usize,
    /// Whether the kernel increases the values.
    pub rises: bool,
    /// Whether the merged total is itself a part of a total, see [`SumChecks::Part`].
    pub is_part: bool,
}

impl TotalCheck {
    /// Returns the check of an attribute after a pass, if the pass requires one.
    pub fn of(kernel: &'static KernelDescriptor, attribute: usize, sums: SumChecks) -> Option<Self> {
        let is_sum = matches!(kernel.schema.attributes[attribute].kind, AttributeKind::Wa { merge: Merge::Sum, .. });
        let sum = kernel.facts.sums.iter().find(|sum| sum.attribute == attribute && is_sum)?;
        let rises = match sum.direction {
            SumDirection::Up => true,
            SumDirection::Down => false,
            SumDirection::Mixed => return None,
        };
        let is_part = match sums {
            SumChecks::None => return None,
            SumChecks::Whole => false,
            SumChecks::Part => true,
        };
        Some(Self { kernel, error_site: sum.error_site, rises, is_part })
    }

    /// Returns the fault of an element, given by its index.
    pub fn fault(&self, attribute: &Merged, element: u64, total: i64) -> Error {
        let place = FaultPlace::vertex(Vertex::from_dense(element / attribute.length.max(1)));
        Fault { site: self.error_site as u32, place, value: total }.error(self.kernel)
    }

    /// Returns whether an element that holds `total` can also hold another device's `part`. Both are stored elements of
    /// a type with the given range.
    fn holds(&self, (least, largest): (i128, i128), total: i128, part: i128) -> bool {
        let values = largest - least + 1;
        // A part of a decreasing sum is stored modulo the number of values.
        let magnitude = |bits: i128| if self.rises { bits.rem_euclid(values) } else { (-bits).rem_euclid(values) };
        let part = magnitude(part);
        match self.is_part {
            true => magnitude(total) + part < values,
            false if self.rises => total + part <= largest,
            false => total - part >= least,
        }
    }
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
        Self { attribute, scalar: ty.scalar, merge, length: u64::from(ty.length), vertices, vertex_bytes, check: None }
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

    /// Merges another replica's elements, `part`, into `total`. `first` is the index of the first element.
    ///
    /// # Errors
    ///
    /// An integer cannot hold its total.
    pub fn merge_into(&self, first: u64, total: &mut [u8], part: &[u8]) -> Result<()> {
        if let Some((check, range)) = self.check.zip(self.scalar.range()) {
            let size = self.element_bytes();
            let elements = total.chunks_exact(size).zip(part.chunks_exact(size)).zip(first..);
            for ((total, part), element) in elements {
                let [total, part] = [total, part].map(|bytes| integer(self.scalar, bytes));
                if !check.holds(range, total, part) {
                    return Err(check.fault(self, element, total as i64));
                }
            }
        }
        merge_elements(self.scalar, self.merge, self.vertex_bytes, total, part);
        Ok(())
    }
}

/// Returns the integer with these bytes.
fn integer(scalar: ScalarType, bytes: &[u8]) -> i128 {
    let mut word = [0; size_of::<u64>()];
    word[..bytes.len()].copy_from_slice(bytes);
    let unused = 64 - scalar.bits();
    let bits = u64::from_le_bytes(word) << unused;
    if scalar.is_signed() { i128::from(bits as i64 >> unused) } else { i128::from(bits >> unused) }
}
