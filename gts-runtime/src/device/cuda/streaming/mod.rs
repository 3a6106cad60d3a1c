//! Pages that come anew in every pass, because not all of them fit into device memory.
//!
//! A [`Pool`] is what a graph's pages stream through: staging slots, a page cache, and the streams. For each pass, `plan`
//! decides how every page comes; groups of pages are copied into the slots of several `lanes`, one after the other, each
//! followed by its launches, while pages in the cache and those that are read in place run where the lanes leave the
//! device idle. The host waits for nothing in a pass but its end, and for a slot's turn where it is far ahead of the
//! device. Columns that have no room on the device travel: the values of a group's vertices are copied beside its pages.
//! Between two scans over the same pages the slots are filled with the first of the next one.

mod beside;
mod host;
mod intake;
mod lanes;
mod layout;
mod pass;
mod places;
mod plan;
mod pool;
mod relay;

pub(super) use host::LockedMemory;
pub(super) use pass::Streamed;
pub(super) use plan::Activity;
pub(super) use pool::{Pool, RESERVE};
pub(super) use relay::{Member, Relay};
