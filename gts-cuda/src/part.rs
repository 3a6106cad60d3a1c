//! A session's part of the vertices in Strategy-S, and the locations of data that covers all vertices.

use super::arguments::reads_before;
use super::driver::Buffer;
use super::session::place;
use super::travelling::HostDegrees;
use gts_contract::{KernelDescriptor, Side};
use std::ops::Range;
use std::sync::Arc;

/// The location of a topology's degrees.
#[derive(Clone, Debug)]
pub(super) enum DegreesLocation {
    /// A buffer in device memory.
    Device(Arc<Buffer>),
    /// Host memory that the device can access.
    Host(Arc<HostDegrees>),
    /// Memory that belongs to the session's creator, at this address.
    Elsewhere(u64),
}

/// The location of each topology's degrees, for all vertices. A location is unset until a kernel requires it.
#[derive(Debug, Default)]
pub(super) struct DegreeTables {
    tables: [Option<DegreesLocation>; 2],
}

impl DegreeTables {
    /// Returns the address of a topology's degrees, or 0 if the location is unset.
    pub(super) fn of(&self, side: Side) -> u64 {
        match self.held(side) {
            Some(DegreesLocation::Device(degrees)) => degrees.address(),
            Some(DegreesLocation::Host(degrees)) => degrees.address(),
            Some(DegreesLocation::Elsewhere(address)) => *address,
            None => 0,
        }
    }

    /// Returns the location of a topology's degrees, if the location is set.
    pub(super) fn held(&self, side: Side) -> Option<&DegreesLocation> {
        self.tables[place(side)].as_ref()
    }

    /// Sets the location of a topology's degrees.
    pub(super) fn set(&mut self, side: Side, held: DegreesLocation) {
        self.tables[place(side)] = Some(held);
    }
}

/// A session's part of the vertices, and the addresses of the columns that cover all vertices. These columns are in
/// host memory, or spread over devices. The columns must outlive the session.
#[derive(Clone, Debug)]
pub(super) struct Part {
    /// The vertices whose `wa` values are in the session's columns.
    pub(super) vertices: Range<u64>,
    /// The number of vertices for which the session's columns have room.
    pub(super) room: u64,
    /// The addresses of the columns that cover all vertices, by attribute: each `ra`, and each `wa` as of the beginning
    /// of the step. The address is 0 for an attribute without such a column.
    pub(super) columns: Vec<u64>,
    /// The addresses of the out-degrees and in-degrees of all vertices.
    pub(super) degrees: [u64; 2],
}

impl Part {
    pub(super) fn degree_tables(&self) -> DegreeTables {
        DegreeTables { tables: self.degrees.map(|address| Some(DegreesLocation::Elsewhere(address))) }
    }

    /// Returns the argument slots for the `wa` columns that a kernel reads as of the beginning of the step. If there is
    /// no part, the slots are 0.
    pub(super) fn before_slots(part: Option<&Self>, kernel: &KernelDescriptor) -> Vec<u64> {
        reads_before(kernel).map(|attribute| part.map_or(0, |part| part.columns[attribute])).collect()
    }
}
