//! Streaming: pages are loaded during passes, because the graph's pages do not all fit into device memory.
//!
//! The pages of a graph stream through a [`Pool`], which contains staging slots, a page cache, and streams. For each
//! pass, `plan` determines how every page reaches the kernels. Groups of pages are copied into the slots of several
//! `lanes`, one group after the other, and a launch follows each copy. Whenever the lanes leave the device idle,
//! kernels run over cached pages and over pages that are read in place. The host waits only for the end of a pass, or
//! for a slot if the host is far ahead of the device. Columns that do not fit on the device travel: the values of a
//! group's vertices are copied beside the pages of the group. Between two scans over the same pages, the first pages of
//! the next scan are prefetched into the slots.

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
