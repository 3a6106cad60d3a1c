//! Pages that come anew in every pass, because not all of them fit into device memory.
//!
//! A [`Pool`] is what a graph's pages stream through: staging slots, a page cache, and the streams. For each pass, `plan`
//! decides how every page comes; pages in the cache run first, what is read in place runs beside the copies, and groups of
//! pages are copied into the slots of several `lanes`, each group followed by its launches. The host waits for nothing in
//! a pass but its end, and for a slot's turn where it is far ahead of the device.

mod host;
mod intake;
mod lanes;
mod layout;
mod pass;
mod places;
mod plan;
mod pool;
mod relay;

pub(super) use pass::Streamed;
pub(super) use plan::{Activity, page_edges};
pub(super) use pool::{Pool, RESERVE, least_bytes};
pub(super) use relay::{Member, Relay};
