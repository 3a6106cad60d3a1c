//! Pages that are loaded in every pass, because not all of them fit into device memory.
//!
//! A [`Pool`] is what a graph's pages stream through: staging slots, a page cache, and the streams. For each pass,
//! `plan` decides how every page reaches the kernels. Groups of pages are copied into the slots of several `lanes`, one
//! after the other, and launches follow each group. Meanwhile kernels run over pages in the cache and pages that are
//! read in place, whenever the lanes leave the device idle. The host waits only for the end of a pass, and for a slot
//! if it is far ahead of the device. Columns that have no room on the device travel: the values of a group's vertices
//! are copied beside its pages. Between two scans over the same pages the first pages of the next scan are prefetched
//! into the slots.

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
