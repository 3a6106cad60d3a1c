//! The part of the vertices whose updatable attributes a session holds, and where the rest is.

use super::arguments::reads_before;
use super::pages::Degrees;
use gts_core::contract::KernelDescriptor;
use gts_core::graph::Side;
use std::ops::Range;
use std::sync::Arc;

/// Where the degrees of all vertices are.
#[derive(Debug)]
pub(super) struct DegreeTables {
    pub(super) out: u64,
    pub(super) incoming: u64,
    /// Keeps them there, where they are in device memory.
    _held: Option<Arc<Degrees>>,
}

impl DegreeTables {
    /// Those on a device.
    pub(super) fn held(degrees: Arc<Degrees>) -> Self {
        Self { out: degrees.out.address(), incoming: degrees.incoming.address(), _held: Some(degrees) }
    }

    /// The degrees of the vertices' lists in a topology.
    pub(super) fn of(&self, side: Side) -> u64 {
        match side {
            Side::Out => self.out,
            Side::In => self.incoming,
        }
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
    /// Whether pages that stream are handed on from device to device.
    pub(super) relayed: bool,
}

impl Part {
    pub(super) fn degree_tables(&self) -> DegreeTables {
        let [out, incoming] = self.degrees;
        DegreeTables { out, incoming, _held: None }
    }

    /// The slots of a kernel's arguments for `wa` as they were when the step began.
    pub(super) fn before_slots(part: Option<&Self>, kernel: &KernelDescriptor) -> Vec<u64> {
        reads_before(kernel).map(|attribute| part.map_or(0, |part| part.columns[attribute])).collect()
    }
}
