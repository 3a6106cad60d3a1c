//! The part of the vertices whose updatable attributes a session holds, and the locations of the rest.

use super::arguments::reads_before;
use super::driver::Buffer;
use super::session::place;
use super::travelling::HostDegrees;
use gts_contract::{KernelDescriptor, Side};
use std::ops::Range;
use std::sync::Arc;

/// Location of the degrees in a topology.
#[derive(Clone, Debug)]
pub(super) enum Held {
    /// Device memory.
    Device(Arc<Buffer>),
    /// Host memory that the device can access.
    Host(Arc<HostDegrees>),
    /// Memory of the session's creator, at this address.
    Elsewhere(u64),
}

/// Locations of the degrees of all vertices, by topology. They are unset until a kernel requires them.
#[derive(Debug, Default)]
pub(super) struct DegreeTables {
    tables: [Option<Held>; 2],
}

impl DegreeTables {
    /// Returns the address of the degrees in a topology; 0 if unset.
    pub(super) fn of(&self, side: Side) -> u64 {
        match self.held(side) {
            Some(Held::Device(degrees)) => degrees.address(),
            Some(Held::Host(degrees)) => degrees.address(),
            Some(Held::Elsewhere(address)) => *address,
            None => 0,
        }
    }

    /// Returns the location of the degrees in a topology.
    pub(super) fn held(&self, side: Side) -> Option<&Held> {
        self.tables[place(side)].as_ref()
    }

    /// Sets the location of the degrees in a topology.
    pub(super) fn set(&mut self, side: Side, held: Held) {
        self.tables[place(side)] = Some(held);
    }
}

/// The vertices of a session that holds a part of them, and the addresses at which kernels access the rest: in host
/// memory, or in memory spread over devices. The creator must keep that memory longer than the session.
#[derive(Clone, Debug)]
pub(super) struct Part {
    /// The vertices whose `wa` are in the session's columns.
    pub(super) vertices: Range<u64>,
    /// Number of vertices that fit into the columns.
    pub(super) room: u64,
    /// Addresses by attribute: each `ra`, and each `wa` with its values at the beginning of the step, for all vertices;
    /// 0 for others.
    pub(super) columns: Vec<u64>,
    /// Addresses of the out-degrees and in-degrees of all vertices.
    pub(super) degrees: [u64; 2],
}

impl Part {
    pub(super) fn degree_tables(&self) -> DegreeTables {
        DegreeTables { tables: self.degrees.map(|address| Some(Held::Elsewhere(address))) }
    }

    /// Returns the argument slots of a kernel for `wa` with their values at the beginning of the step.
    pub(super) fn before_slots(part: Option<&Self>, kernel: &KernelDescriptor) -> Vec<u64> {
        reads_before(kernel).map(|attribute| part.map_or(0, |part| part.columns[attribute])).collect()
    }
}
