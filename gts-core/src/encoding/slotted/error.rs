//! What can be wrong with a page.

use gts_contract::Side;
use thiserror::Error;

/// A page whose bytes do not mean what its place in the topology asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PageError {
    /// Not as many bytes as a page has, or no page of that number.
    #[error("{found} bytes are no whole page")]
    Length {
        /// Bytes given.
        found: u64,
    },
    /// The header names another first vertex than the page table.
    #[error("first vertex {found}, expected {expected}")]
    StartVertex {
        /// In the page.
        found: u64,
        /// In the page table.
        expected: u64,
    },
    /// The header holds another number of vertices than the page table.
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
        /// Where it begins.
        found: u32,
        /// Where the one before begins.
        previous: u32,
        /// Number of record IDs.
        entries: u32,
    },
    /// A record ID that names no vertex.
    #[error("record ID {entry} names slot {slot} of page {page}: no such vertex")]
    Record {
        /// Index of the record ID.
        entry: u32,
        /// The page that it names.
        page: u32,
        /// The slot that it names.
        slot: u32,
    },
    /// A record ID that names a vertex which, by the table of degrees, has no edge that could be this one.
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
    /// A list that does not ascend.
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
    /// All pages together hold another number of edges than stated.
    #[error("all pages together hold {found} edges, expected {expected}")]
    TotalEntries {
        /// In the pages.
        found: u64,
        /// As stated.
        expected: u64,
    },
}
