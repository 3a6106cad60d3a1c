//! Errors in the bytes of a page.

use crate::advice::{Advice, Explain};
use gts_contract::Side;
use gts_contract::language::Code;
use thiserror::Error;

/// The error for a page whose bytes contradict its place in the topology.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PageError {
    /// The number of bytes differs from the page size, or the page does not exist.
    #[error("{found} bytes are no whole page")]
    Length {
        /// The number of bytes in the page.
        found: u64,
    },
    /// The first vertex in the page's header differs from the first vertex in the RVT.
    #[error("first vertex {found}, expected {expected}")]
    StartVertex {
        /// The first vertex in the header.
        found: u64,
        /// The first vertex in the RVT.
        expected: u64,
    },
    /// The number of vertices in the page's header differs from the number in the RVT.
    #[error("{found} slots, expected {expected}")]
    Slots {
        /// The number of vertices in the header.
        found: u32,
        /// The number of vertices in the RVT.
        expected: u64,
    },
    /// Records and slots together do not fit in the page.
    #[error("{entries} record IDs and {slots} slots do not fit in a page")]
    Overfull {
        /// The number of record IDs.
        entries: u32,
        /// The number of slots.
        slots: u32,
    },
    /// A slot points before the previous slot's first entry or beyond the last record.
    #[error("slot {slot} begins at record ID {found} of {entries}, after a slot that begins at {previous}")]
    Slot {
        /// The index of the slot.
        slot: u32,
        /// The slot's first entry.
        found: u32,
        /// The previous slot's first entry.
        previous: u32,
        /// The number of record IDs.
        entries: u32,
    },
    /// A record ID identifies no vertex.
    #[error("record ID {entry} names slot {slot} of page {page}: no such vertex")]
    Record {
        /// The index of the record ID.
        entry: u32,
        /// The page number in the record ID.
        page: u32,
        /// The slot number in the record ID.
        slot: u32,
    },
    /// A record ID identifies a vertex that has no such edge according to the degrees.
    #[error(
        "record ID {entry} names vertex {vertex}, whose {}-degree is 0",
        match side {
            Side::Out => "out",
            Side::In => "in",
        }
    )]
    NoEdge {
        /// The index of the record ID.
        entry: u32,
        /// The vertex identified by the record ID.
        vertex: u64,
        /// The direction in which the vertex has no edges.
        side: Side,
    },
    /// A list is not in ascending order.
    #[error("record ID {entry} names vertex {found} after {previous} in the same list")]
    Order {
        /// The index of the record ID.
        entry: u32,
        /// The vertex identified by the record ID.
        found: u64,
        /// The vertex identified by the previous record ID.
        previous: u64,
    },
    /// An edge value is NaN.
    #[error("the value of record ID {entry} is not a number")]
    NotANumber {
        /// The index of the record ID.
        entry: u32,
    },
    /// The total number of edges in all pages differs from the expected number.
    #[error("all pages together hold {found} edges, expected {expected}")]
    TotalEntries {
        /// The number of edges in the pages.
        found: u64,
        /// The expected number of edges.
        expected: u64,
    },
}

impl Explain for PageError {
    fn code(&self) -> Code {
        match self {
            Self::Length { .. }
            | Self::StartVertex { .. }
            | Self::Slots { .. }
            | Self::Overfull { .. }
            | Self::Slot { .. }
            | Self::Record { .. }
            | Self::NoEdge { .. }
            | Self::Order { .. }
            | Self::NotANumber { .. }
            | Self::TotalEntries { .. } => Code::DamagedPage,
        }
    }

    fn advice(&self) -> Option<Advice> {
        None
    }
}
