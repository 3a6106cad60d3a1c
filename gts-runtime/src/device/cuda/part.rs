//! The part of the vertices whose updatable attributes a session holds, and where the rest is.

use super::arguments::reads_before;
use super::driver::Buffer;
use super::session::place;
use super::travelling::HostDegrees;
use gts_contract::{KernelDescriptor, Side};
use std::ops::Range;
use std::sync::Arc;

/// What has the degrees in a topology.
#[derive(Clone, Debug)]
pub(super) enum Held {
    /// The device.
    Device(Arc<Buffer>),
    /// Host memory that the device reaches.
    Host(Arc<HostDegrees>),
    /// Whoever made the session, at an address.
    Elsewhere(u64),
}

/// Where the degrees of all vertices are, by topology; nowhere where no kernel has asked for them.
#[derive(Debug, Default)]
pub(super) struct DegreeTables {
    tables: [Option<Held>; 2],
}

impl DegreeTables {
    /// Returns where the degrees of the vertices' lists in a topology are; 0 where they are nowhere.
    pub(super) fn of(&self, side: Side) -> u64 {
        match self.held(side) {
            Some(Held::Device(degrees)) => degrees.address(),
            Some(Held::Host(degrees)) => degrees.address(),
            Some(Held::Elsewhere(address)) => *address,
            None => 0,
        }
    }

    /// Returns what has those degrees.
    pub(super) fn held(&self, side: Side) -> Option<&Held> {
        self.tables[place(side)].as_ref()
    }

    /// Says what has them.
    pub(super) fn set(&mut self, side: Side, held: Held) {
        self.tables[place(side)] = Some(held);
    }
}

/// The vertices of a session that has not all of them, and the addresses that kernels reach for the rest: of host memory,
/// or of memory spread over devices.
/// Whoever makes it keeps that memory longer than the session.
#[derive(Clone, Debug)]
pub(super) struct Part {
    /// The vertices whose `wa` are in the session's columns.
    pub(super) vertices: Range<u64>,
    /// Vertices that the columns have room for.
    pub(super) room: u64,
    /// By attribute: each `ra`, and each `wa` as it was when the step began, of all vertices; 0 for others.
    pub(super) columns: Vec<u64>,
    /// Out-degrees and in-degrees of all vertices.
    pub(super) degrees: [u64; 2],
}

impl Part {
    pub(super) fn degree_tables(&self) -> DegreeTables {
        DegreeTables { tables: self.degrees.map(|address| Some(Held::Elsewhere(address))) }
    }

    /// The slots of a kernel's arguments for `wa` as they were when the step began.
    pub(super) fn before_slots(part: Option<&Self>, kernel: &KernelDescriptor) -> Vec<u64> {
        reads_before(kernel).map(|attribute| part.map_or(0, |part| part.columns[attribute])).collect()
    }
}
