//! Errors in the bytes of a page.

use gts_contract::Side;
use thiserror::Error;

/// A page whose bytes contradict its place in the topology.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PageError {
    /// The number of bytes differs from the page size, or there is no page with that number.
    #[error("{found} bytes are no whole page")]
    Length {
        /// Number of bytes.
        found: u64,
    },
    /// The first vertex in the header differs from the page table's.
    #[error("first vertex {found}, expected {expected}")]
    StartVertex {
        /// In the page.
        found: u64,
        /// In the page table.
        expected: u64,
    },
    /// The number of vertices in the header differs from the page table's.
    #[error("{found} slots, expected {expected}")]
    Slots {
        /// In the page.
        found: u32,
        /// In the page table.
        expected: u64,
    },
    /// Records and slots together exceed the page.
    #[error("{entries} record IDs and {slots} slots do not fit in a page")]
    Overfull {
        /// Number of record IDs.
        entries: u32,
        /// Number of slots.
        slots: u32,
    },
    /// A slot that points before its predecessor or past the records.
    #[error("slot {slot} begins at record ID {found} of {entries}, after a slot that begins at {previous}")]
    Slot {
        /// The slot.
        slot: u32,
        /// Its first entry.
        found: u32,
        /// The first entry of the slot before.
        previous: u32,
        /// Number of record IDs.
        entries: u32,
    },
    /// A record ID that names no vertex.
    #[error("record ID {entry} names slot {slot} of page {page}: no such vertex")]
    Record {
        /// Index of the record ID.
        entry: u32,
        /// The page number in the record ID.
        page: u32,
        /// The slot number in the record ID.
        slot: u32,
    },
    /// A record ID names a vertex that has no such edge according to the table of degrees.
    #[error(
        "record ID {entry} names vertex {vertex}, whose {}-degree is 0",
        match side {
            Side::Out => "out",
            Side::In => "in",
        }
    )]
    NoEdge {
        /// Index of the record ID.
        entry: u32,
        /// The vertex that it names.
        vertex: u64,
        /// The direction in which it has no edge.
        side: Side,
    },
    /// A list that is not ascending.
    #[error("record ID {entry} names vertex {found} after {previous} in the same list")]
    Order {
        /// Index of the record ID.
        entry: u32,
        /// The vertex that it names.
        found: u64,
        /// The vertex before.
        previous: u64,
    },
    /// A NaN among the edge values.
    #[error("the value of record ID {entry} is not a number")]
    NotANumber {
        /// Index of the record ID.
        entry: u32,
    },
    /// The number of edges in all pages differs from the expected one.
    #[error("all pages together hold {found} edges, expected {expected}")]
    TotalEntries {
        /// In the pages.
        found: u64,
        /// The expected number.
        expected: u64,
    },
}
