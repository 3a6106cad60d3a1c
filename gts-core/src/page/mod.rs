//! Pages: format, RVT, sources, and visits of edges.
//!
//! The encoding of a page's bytes is defined in [`crate::encoding`]. This module contains the parts that are shared by
//! all encodings.

mod ends;
mod error;
mod feed;
mod format;
mod imbalance;
mod list;
mod memory;
mod rvt;
mod source;
mod topology;
mod value;

pub use crate::encoding::slotted::{PageError, PageView};
pub(crate) use ends::Ends;
pub use error::StoreError;
pub(crate) use feed::{Leased, SourceId};
pub use feed::{PageFeed, PageGroup, PageRun};
pub(crate) use format::check_page_size;
pub use format::{
    DEFAULT_PAGE_SIZE, EDGE_VALUE_TYPES, FormatError, IdWidth, LEAST_DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, MIN_PAGE_SIZE,
    MIN_STORE_PAGE_SIZE, PageFormat,
};
pub use imbalance::{Imbalance, LANES, PageImbalance};
pub use list::ListPart;
pub use memory::{AlignedBytes, HostBytes, HostMemory, HostRegion, PAGE_ALIGNMENT, PlainMemory};
pub(crate) use rvt::Begun;
pub use rvt::{Expected, Rvt, RvtError};
pub use source::PageSource;
pub(crate) use topology::LoadedPages;
pub use topology::Topology;
pub use value::{EdgeValue, EdgeVisitor};
