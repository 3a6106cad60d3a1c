//! The slotted page format, version 1. Records grow forward, and slots grow backward. All numbers are little-endian.
//!
//! ```text
//! 0    u64 start_vid           first vertex of the page
//! 8    u32 slots               number of vertices; 1 on a large page
//! 12   u32 entries             number of record IDs in the page
//! 16   entries x (p+q) bytes   the lists of the slots, back to back, each ascending: ADJ_PID | ADJ_OFF << 8p
//! ..   padding to the value's size, then entries x value, parallel to the record IDs
//! ..   free
//! end  slots, backward: slot i, a u32 at page_size - 4 (i+1), is the index of its first entry;
//!      one more, slot `slots`, holds `entries`
//! ```
//!
//! The paper's VID of a slot is `start_vid + i`, and its ADJLIST_SZ is `slot[i+1] - slot[i]`. A record ID contains the
//! page of the neighbour and the neighbour's slot in that page, so the neighbour is `RVT[ADJ_PID].START_VID + ADJ_OFF`.
//! For a large vertex, the record ID contains the first page and slot 0. A page has at least two slot words, so eight
//! bytes can be read at any entry.

mod error;
mod layout;
mod sound;
#[cfg(test)]
mod tests;
mod validate;
mod view;
mod write;

pub use error::PageError;
pub use layout::{ENTRIES_OFFSET, Layout};
pub use view::PageView;
pub(crate) use write::PageWriter;
