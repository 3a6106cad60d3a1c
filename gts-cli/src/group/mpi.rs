//! Ranks started by MPI.

use crate::error::Failure;
use crate::interrupt;
use gts_graph::group::Group;
use gts_mpi::MpiGroup;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// The group, after joining it.
static JOINED: OnceLock<Arc<MpiGroup>> = OnceLock::new();

/// Joins the group of all processes that were started together.
pub(super) fn join(stall_limit: Option<Duration>) -> Result<Arc<dyn Group>, Failure> {
    let group = MpiGroup::join(stall_limit, Box::new(|error| interrupt::last_words(Failure::Run(error.clone()))))?;
    Ok(Arc::clone(JOINED.get_or_init(|| Arc::new(group))) as Arc<dyn Group>)
}

/// Ends all ranks that have joined the group.
pub(super) fn end_all(code: u8) {
    if let Some(group) = JOINED.get() {
        group.end_all(code);
    }
}
