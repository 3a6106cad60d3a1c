//! Placement of columns that kernels only read: on the device, or in page-locked host memory.
//!
//! A session begins before its kernels are known. Therefore, when a kernel reads a column that no earlier kernel has
//! read, the session places all columns again. Plans use the same placement function.
//!
//! Kernels access a column in host memory over the bus. If pages stream, such a column travels: the values of a page's
//! vertices are copied with the page.

use super::driver::{Context, PageLock, Pinned};
use super::pages::degrees_of;
use super::part::DegreesLocation;
use super::ring;
use super::session::{AttributeStorage, CudaSession};
use super::shared::DeviceState;
use gts_contract::{KernelDescriptor, Schema, Side};
use gts_core::advice::Advice;
use gts_core::cost::holding::{
    AttributeLoad, ColumnKey, ColumnRead, DeviceLoad, GraphLoad, ReadColumn, TooLarge, Travelling, columns_read, note,
    note_pulled,
};
use gts_core::graph::Graph;
use gts_core::parallel::*;
use gts_core::units;
use gts_device::error::{Error, Result};
use gts_device::tuning;
use gts_device::{PassRequest, value_bytes};
use std::sync::Arc;

/// Bytes per task when several threads fill memory.
const FILLED_AT_ONCE: usize = 256 << 10;

/// Degrees in page-locked host memory that devices can access.
#[derive(Debug)]
pub(super) enum HostDegrees {
    /// The graph's own array.
    InPlace(Arc<PageLock>),
    /// A copy, if the graph's array cannot be locked or mapped.
    Copied(Pinned),
}

impl HostDegrees {
    /// Uses `lock`, the page lock on a graph's degrees, or copies the degrees if they are not locked and mapped. The
    /// graph must outlive the result.
    pub(super) fn of(context: &Arc<Context>, lock: Result<Arc<PageLock>>, degrees: &[u32]) -> Result<Self> {
        match lock {
            Ok(lock) if lock.mapped().is_some() => Ok(Self::InPlace(lock)),
            Ok(_) | Err(Error::PageLock { .. }) => {
                let bytes: &[u8] = bytemuck::cast_slice(degrees);
                let mut memory = Pinned::new(context, bytes.len().max(1))?;
                ring::copy(bytes, &mut memory.as_mut_slice()[..bytes.len()]);
                Ok(Self::Copied(memory))
            }
            Err(error) => Err(error),
        }
    }

    /// Returns the device address of the degrees.
    pub(super) fn address(&self) -> u64 {
        match self {
            Self::InPlace(lock) => lock.mapped().unwrap_or(0),
            Self::Copied(memory) => memory.address().addr() as u64,
        }
    }
}

/// A kernel argument that contains the address of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ColumnArgument {
    /// The slot of the attribute with this index.
    Attribute(usize),
    /// The degrees in a topology.
    Degrees(Side),
}

/// A column whose values are copied with the pages of a pass.
#[derive(Debug)]
pub(super) struct Traveller<'a> {
    /// The values of all vertices.
    pub(super) values: &'a [u8],
    /// The page lock on the values, if copies must not cross the boundaries between the lock's pieces.
    pub(super) lock: Option<&'a PageLock>,
    /// Bytes per value.
    pub(super) value: u64,
    /// The kernel arguments that contain the address of the column.
    pub(super) arguments: Vec<ColumnArgument>,
    /// The name of the column in the trace.
    pub(super) label: &'static str,
}

/// Returns the sizes of the data that a device must store for a graph and an attribute struct.
pub(super) fn load_of(graph: &Graph, schema: &Schema, vertex_bytes: usize) -> DeviceLoad {
    DeviceLoad {
        graph: GraphLoad::of(graph, vertex_bytes),
        attributes: AttributeLoad::of(schema, vertex_bytes),
        ra: ReadColumn::of(schema, vertex_bytes),
    }
}

/// Returns the total number of bytes of device memory that a run may use.
pub(super) fn budget(context: &Context) -> Result<u64> {
    match context.ledger().limit() {
        Some(limit) => Ok(limit),
        None => Ok(context.memory()?.1.saturating_sub(tuning::CUDA_MEMORY_MARGIN)),
    }
}

/// Returns the error for an attribute struct or a kernel's column that does not fit into device memory.
pub(super) fn no_room(
    shared: &DeviceState,
    schema: &Schema,
    kernel: Option<&KernelDescriptor>,
    large: &TooLarge,
    budget: u64,
) -> Error {
    let device = shared.context.name().to_owned();
    let needed = large.needed();
    let enough = (units::at_least(needed), needed);
    if let (Some(column), Some(kernel)) = (large.column, kernel) {
        let column = match column {
            ColumnKey::Attribute(attribute) => format!("`{}`", schema.attributes[attribute].name),
            ColumnKey::Degrees(Side::Out) => "the out-degrees".to_owned(),
            ColumnKey::Degrees(Side::In) => "the in-degrees".to_owned(),
        };
        return Error::OutOfMemory {
            device,
            what: format!(
                "`{}` with {column}, which the kernel at {} reads at vertices anywhere, so that it cannot stay in host memory",
                schema.name,
                large.location.unwrap_or(kernel.location)
            ),
            needed,
            free: budget,
            remedy: match kernel.facts.splittable.holds() {
                true => Advice::new(
                    format!("give --device-memory {} or more, or run it with --strategy s", enough.0),
                    format!("allow a `device_memory` of {} bytes or more, or run it by `Strategy::Split`", enough.1),
                ),
                false => Advice::new(
                    format!("give --device-memory {} or more, or run with --device cpu", enough.0),
                    format!("allow a `device_memory` of {} bytes or more, or run on the CPU", enough.1),
                ),
            },
        };
    }
    let needs = large.needs.iter().filter(|need| need.bytes > 0);
    let needs: Vec<String> = needs.map(|need| format!("{} bytes of {}", need.bytes, need.what)).collect();
    Error::OutOfMemory {
        device,
        what: format!("`{}` ({})", schema.name, needs.join(", ")),
        needed,
        free: budget,
        remedy: Advice::new(
            format!("give --device-memory {} or more, or run with --device cpu", enough.0),
            format!("allow a `device_memory` of {} bytes or more, or run on the CPU", enough.1),
        ),
    }
}

/// Returns a key that identifies the placement that a pass requires: the kernel and the topologies.
fn passes_of(kernel: &KernelDescriptor, request: &PassRequest) -> (usize, [bool; 2]) {
    // Descriptors are statics, so their addresses identify kernels.
    let kernel = std::ptr::from_ref(kernel).addr();
    (kernel, [Side::Out, Side::In].map(|side| request.sides.contains(&side)))
}

impl CudaSession {
    /// Returns the columns that earlier kernels have read, and the columns that passes of `kernel` read.
    fn reads_with(&self, kernel: &KernelDescriptor, request: &PassRequest) -> Vec<ColumnRead> {
        let mut reads = self.reads.clone();
        columns_read(kernel, &request.sides).into_iter().for_each(|read| note(&mut reads, read));
        if kernel.leaves_lists_early() && request.can_pull(&self.graph) {
            note_pulled(&mut reads, &request.sides);
        }
        reads
    }

    /// Returns whether the columns that passes of a kernel read are already placed.
    pub(super) fn has_placed(&self, kernel: &KernelDescriptor, request: &PassRequest) -> bool {
        let known = || self.placed_for == Some(passes_of(kernel, request));
        self.part.is_some() || known() || self.reads == self.reads_with(kernel, request)
    }

    /// Places the columns that passes of a kernel read, unless they are already placed.
    pub(super) fn place_columns(&mut self, kernel: &KernelDescriptor, request: &PassRequest) -> Result<()> {
        let passes = passes_of(kernel, request);
        if self.part.is_some() || self.placed_for == Some(passes) {
            return Ok(());
        }
        self.placed_for = None;
        let reads = self.reads_with(kernel, request);
        if self.reads != reads {
            self.place_again(kernel, reads)?;
        }
        self.placed_for = Some(passes);
        Ok(())
    }

    /// Places all columns again, for a kernel that has more attributes than the session's struct.
    pub(super) fn extend_load(&mut self, kernel: &KernelDescriptor) -> Result<()> {
        if self.part.is_some() {
            return Ok(());
        }
        self.load = load_of(&self.graph, kernel.schema, self.vertex_bytes);
        self.placed_for = None;
        self.place_again(kernel, self.reads.clone())
    }

    fn place_again(&mut self, kernel: &KernelDescriptor, reads: Vec<ColumnRead>) -> Result<()> {
        let budget = budget(self.context())?;
        let placement = self.load.place(budget, &reads);
        let mut placement =
            placement.map_err(|large| no_room(&self.shared, self.schema, Some(kernel), &large, budget))?;
        // Move columns off the device first, to make room for other columns.
        placement.away.iter().try_for_each(|column| self.put_away(column))?;
        for column in std::mem::take(&mut placement.held) {
            match self.bring(&column) {
                Ok(()) => placement.held.push(column),
                // Other runs may have taken memory on which the placement relies.
                Err(Error::OutOfMemory { .. }) if !column.stays => {
                    self.put_away(&column)?;
                    placement.away.push(column);
                }
                Err(error) => return Err(error),
            }
        }
        (self.placement, self.reads) = (placement, reads);
        Ok(())
    }

    /// Moves a column to host memory, unless it is already there.
    fn put_away(&mut self, column: &ReadColumn) -> Result<()> {
        match column.key {
            ColumnKey::Attribute(attribute) => {
                let AttributeStorage::Memory(buffer) = &self.columns[attribute] else { return Ok(()) };
                let mut memory = Pinned::new(self.context(), buffer.bytes().max(1))?;
                self.kit.stream.fetch(buffer, &mut memory, buffer.bytes())?;
                self.kit.stream.synchronize("putting an attribute into host memory")?;
                self.columns[attribute] = AttributeStorage::Away(memory);
            }
            ColumnKey::Degrees(side) => {
                let degrees = self.shared.residents.host_degrees(&self.shared, &self.graph, side)?;
                self.set_degrees(side, DegreesLocation::Host(degrees));
            }
        }
        Ok(())
    }

    /// Moves a column to the device, unless it is already there.
    fn bring(&mut self, column: &ReadColumn) -> Result<()> {
        match column.key {
            ColumnKey::Attribute(attribute) => {
                let AttributeStorage::Away(memory) = &self.columns[attribute] else { return Ok(()) };
                let bytes = column.bytes as usize * self.graph.num_vertices() as usize;
                debug_assert!(bytes <= memory.as_slice().len());
                let buffer = self.make_room(bytes, self.schema.attributes[attribute].name)?;
                if let AttributeStorage::Away(memory) = &self.columns[attribute] {
                    self.send(&buffer, 0, &memory.as_slice()[..bytes])?;
                    self.kit.stream.synchronize("bringing an attribute to the device")?;
                }
                self.columns[attribute] = AttributeStorage::Memory(buffer);
            }
            ColumnKey::Degrees(side) => {
                if matches!(self.degrees.held(side), Some(DegreesLocation::Device(_))) {
                    return Ok(());
                }
                let (shared, graph) = (Arc::clone(&self.shared), self.graph.clone());
                let degrees = self.having_room(|_| shared.residents.degrees(&shared, &graph, side))?;
                self.set_degrees(side, DegreesLocation::Device(degrees));
            }
        }
        Ok(())
    }

    /// Sets the location of a topology's degrees. In a symmetric graph, the location applies to both topologies.
    fn set_degrees(&mut self, side: Side, held: DegreesLocation) {
        let both = self.graph.properties().symmetric;
        for other in [Side::Out, Side::In].into_iter().filter(|other| both || *other == side) {
            self.degrees.set(other, held.clone());
        }
    }

    /// Returns the number and the size of the columns that travel with pages because the body of a kernel reads them.
    pub(super) fn travelling(&self, kernel: &KernelDescriptor) -> Travelling {
        if self.part.is_some() || self.placement.away.is_empty() {
            return Travelling::default();
        }
        self.placement.travelling_of(&columns_read(kernel, &[]), self.graph.properties().symmetric)
    }

    /// Returns the columns that travel with pages because the body of a kernel reads them.
    pub(super) fn travellers(&self, kernel: &KernelDescriptor) -> Vec<Traveller<'_>> {
        let mut travellers: Vec<(ColumnKey, Traveller<'_>)> = Vec::new();
        let symmetric = self.graph.properties().symmetric;
        for read in columns_read(kernel, &[]).iter().filter(|read| read.by_body && self.part.is_none()) {
            let key = read.key.within(symmetric);
            let argument = match read.key {
                ColumnKey::Attribute(attribute) => ColumnArgument::Attribute(attribute),
                ColumnKey::Degrees(side) => ColumnArgument::Degrees(side),
            };
            if let Some((_, same)) = travellers.iter_mut().find(|(other, _)| *other == key) {
                same.arguments.push(argument);
                continue;
            }
            let (values, lock, value, label): (&[u8], _, _, _) = match read.key {
                ColumnKey::Attribute(attribute) => {
                    let AttributeStorage::Away(memory) = &self.columns[attribute] else { continue };
                    let value = value_bytes(self.schema, attribute, self.vertex_bytes) as u64;
                    (memory.as_slice(), None, value, self.schema.attributes[attribute].name)
                }
                ColumnKey::Degrees(side) => {
                    let Some(DegreesLocation::Host(host)) = self.degrees.held(side) else { continue };
                    let (values, lock) = match host.as_ref() {
                        HostDegrees::InPlace(lock) => {
                            (bytemuck::cast_slice(degrees_of(&self.graph, side)), Some(lock.as_ref()))
                        }
                        HostDegrees::Copied(memory) => (memory.as_slice(), None),
                    };
                    let label = match side {
                        Side::Out => "out-degrees",
                        Side::In => "in-degrees",
                    };
                    (values, lock, size_of::<u32>() as u64, label)
                }
            };
            travellers.push((key, Traveller { values, lock, value, arguments: vec![argument], label }));
        }
        travellers.into_iter().map(|(_, traveller)| traveller).collect()
    }

    /// Waits for the work in the session's stream, and returns the values of a column in host memory. Returns `None` if
    /// the column is not in host memory.
    pub(super) fn away_mut(&mut self, attribute: usize) -> Result<Option<&mut [u8]>> {
        if !matches!(self.columns[attribute], AttributeStorage::Away(_)) {
            return Ok(None);
        }
        self.kit.stream.synchronize("finishing a pass")?;
        match &mut self.columns[attribute] {
            AttributeStorage::Away(memory) => Ok(Some(memory.as_mut_slice())),
            _ => Ok(None),
        }
    }

    /// Enqueues a copy of a `wa` into an `ra` in host memory.
    pub(super) fn rotate_away(&mut self, ra: usize, wa: usize) -> Result<()> {
        let [AttributeStorage::Away(memory), AttributeStorage::Memory(buffer)] = self
            .columns
            .get_disjoint_mut([ra, wa])
            .map_err(|_| Error::argument("an attribute handed over to itself", "an `ra` and a `wa`"))?
        else {
            return Ok(());
        };
        self.kit.stream.fetch(buffer, memory, buffer.bytes())
    }
}

/// Fills memory with copies of a value, using all threads.
pub(super) fn fill(memory: &mut [u8], value: &[u8]) {
    let at_once = (FILLED_AT_ONCE / value.len()).max(1) * value.len();
    memory.par_chunks_mut(at_once).for_each(|part| {
        part.chunks_exact_mut(value.len()).for_each(|place| place.copy_from_slice(value));
    });
}
