//! The parameters of the page format.

use crate::advice::{Advice, Explain};
use crate::encoding::slotted::Layout;
use gts_contract::ScalarType;
use gts_contract::language::Code;
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// Minimum page size in bytes.
pub const MIN_PAGE_SIZE: u32 = 256;
/// Minimum page size in bytes of a store on disk, as required for direct I/O.
pub const MIN_STORE_PAGE_SIZE: u32 = 4096;
/// Maximum page size in bytes.
pub const MAX_PAGE_SIZE: u32 = 64 << 20;
/// The default page size, unless a smaller page holds the whole graph or saves much space.
pub const DEFAULT_PAGE_SIZE: u32 = 1 << 20;
/// The smallest page size that is chosen by default for a graph of several pages. A page of this size can be filled even
/// with narrow slot numbers, regardless of the degrees.
pub const LEAST_DEFAULT_PAGE_SIZE: u32 = 1 << 18;

/// The scalar types supported as edge values.
pub const EDGE_VALUE_TYPES: [ScalarType; 5] =
    [ScalarType::U32, ScalarType::I32, ScalarType::F32, ScalarType::U64, ScalarType::F64];

/// An invalid page format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum FormatError {
    /// The page size is not a power of two in the valid range.
    #[error("page size {0}: must be a power of two from {MIN_PAGE_SIZE} bytes to {MAX_PAGE_SIZE} bytes")]
    PageSize(u64),
    /// The width of record IDs is out of bounds.
    #[error("record IDs of ({0},{1}) bytes: each part must have 1 to 4 bytes, such as 2,2 or 3,3")]
    Width(u8, u8),
    /// The width is not written as `p,q`.
    #[error("record IDs are given as two numbers of bytes, such as 2,2 or 3,3")]
    WidthSyntax,
    /// Edges cannot have values of this type.
    #[error("an edge carries no {0}: choose u32, i32, f32, u64 or f64")]
    Value(ScalarType),
}

impl Explain for FormatError {
    fn code(&self) -> Code {
        match self {
            Self::PageSize(_) => Code::PageSize,
            Self::Width(..) | Self::WidthSyntax => Code::RecordWidth,
            Self::Value(_) => Code::EdgeValueType,
        }
    }

    fn advice(&self) -> Option<Advice> {
        None
    }
}

/// The widths in bytes of the two parts of a record ID, each from 1 to 4: (p, q) in the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct IdWidth {
    /// The width of the page number in bytes (ADJ_PID in the paper).
    page_bytes: u8,
    /// The width of the slot number in bytes (ADJ_OFF in the paper).
    slot_bytes: u8,
}

impl IdWidth {
    /// Creates a width of `page_bytes` for page numbers and `slot_bytes` for slot numbers.
    pub const fn new(page_bytes: u8, slot_bytes: u8) -> Result<Self, FormatError> {
        if page_bytes == 0 || page_bytes > 4 || slot_bytes == 0 || slot_bytes > 4 {
            return Err(FormatError::Width(page_bytes, slot_bytes));
        }
        Ok(Self { page_bytes, slot_bytes })
    }

    /// Returns p, the width of a page number in bytes.
    pub const fn page_bytes(self) -> u8 {
        self.page_bytes
    }

    /// Returns q, the width of a slot number in bytes.
    pub const fn slot_bytes(self) -> u8 {
        self.slot_bytes
    }

    /// Returns p + q, the width of a record ID in bytes.
    pub const fn bytes(self) -> usize {
        self.page_bytes as usize + self.slot_bytes as usize
    }

    /// Returns the maximum number of pages. The largest page number is never assigned.
    pub const fn max_pages(self) -> u64 {
        (1 << (8 * self.page_bytes as u32)) - 1
    }

    /// Returns the maximum number of slots per page.
    pub const fn max_slots(self) -> u64 {
        1 << (8 * self.slot_bytes as u32)
    }

    /// Returns the width with the most slots among the widths with the same total, regardless of the number of pages.
    pub(crate) const fn with_most_slots(self) -> Self {
        let bytes = self.page_bytes + self.slot_bytes;
        let slot_bytes = if bytes > 4 { 4 } else { bytes - 1 };
        Self { page_bytes: bytes - slot_bytes, slot_bytes }
    }

    /// Iterates over all valid widths.
    pub fn all() -> impl Iterator<Item = Self> {
        (1..=4).flat_map(|page_bytes| (1..=4).map(move |slot_bytes| Self { page_bytes, slot_bytes }))
    }
}

impl fmt::Display for IdWidth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.page_bytes, self.slot_bytes)
    }
}

impl FromStr for IdWidth {
    type Err = FormatError;

    fn from_str(text: &str) -> Result<Self, FormatError> {
        let (page, slot) = text.split_once(',').ok_or(FormatError::WidthSyntax)?;
        let number = |part: &str| part.trim().parse().map_err(|_| FormatError::WidthSyntax);
        Self::new(number(page)?, number(slot)?)
    }
}

/// The parameters needed to read a page: its size, the width of its record IDs, and the type of its edge values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PageFormat {
    page_size: u32,
    width: IdWidth,
    value: Option<ScalarType>,
}

impl PageFormat {
    /// Creates a page format. `value` is the type of the edge values, if any.
    pub fn new(page_size: u32, width: IdWidth, value: Option<ScalarType>) -> Result<Self, FormatError> {
        check_page_size(page_size)?;
        match value {
            Some(scalar) if !EDGE_VALUE_TYPES.contains(&scalar) => Err(FormatError::Value(scalar)),
            _ => Ok(Self { page_size, width, value }),
        }
    }

    /// Returns the page size in bytes.
    pub const fn page_size(&self) -> u32 {
        self.page_size
    }

    /// Returns the width of the record IDs.
    pub const fn width(&self) -> IdWidth {
        self.width
    }

    /// Returns the type of the edge values, if any.
    pub const fn value(&self) -> Option<ScalarType> {
        self.value
    }

    /// Returns the number of edges in a full page of a large vertex. The vertex's last page may have fewer.
    pub fn large_page_edges(&self) -> u64 {
        Layout::new(self).capacity(1)
    }

    /// Returns the size of an edge value in bytes; 0 if edges have no values.
    pub const fn value_bytes(&self) -> usize {
        match self.value {
            Some(scalar) => scalar.bytes(8),
            None => 0,
        }
    }
}

/// Fails if the page size is not a power of two in the valid range.
pub(crate) fn check_page_size(page_size: u32) -> Result<(), FormatError> {
    if page_size.is_power_of_two() && (MIN_PAGE_SIZE..=MAX_PAGE_SIZE).contains(&page_size) {
        Ok(())
    } else {
        Err(FormatError::PageSize(u64::from(page_size)))
    }
}
