//! Ranks started by `gts launch`.

use crate::error::Failure;
use crate::interrupt;
use crate::started::{FOLDER, Started};
use gts_graph::Error;
use gts_graph::group::Group;
use gts_graph::group::local::{LocalGroup, Membership, Word};
use std::sync::Arc;
use std::time::Duration;

/// Joins the group that the environment names.
pub(super) fn join(started: Started, stall_limit: Option<Duration>) -> Result<Arc<dyn Group>, Failure> {
    let Started { rank, size, launcher, .. } = started;
    let folder = std::env::var_os(FOLDER).unwrap_or_default().into();
    let membership = Membership { folder, word: Word::inherited()?, rank, size, launcher, stall_limit };
    let _socket = interrupt::Temporary::new(&membership.socket());
    let group = LocalGroup::join(&membership)?;
    group.when_ended(|error| {
        // The thread that runs the command may be busy, and may be ended before it reports the reason.
        if matches!(error, Error::LostRank { .. }) && !interrupt::requested() {
            Failure::Run(error.clone()).tell();
        }
        end_soon(error.clone());
    });
    Ok(Arc::new(group))
}

/// Ends the process a second after its group has ended. A rank that is loading a graph does not notice the end by
/// itself.
fn end_soon(error: Error) {
    /// Time for a command to end in order.
    const ORDER: Duration = Duration::from_secs(1);
    let end = move || {
        std::thread::sleep(ORDER);
        interrupt::end_with(Failure::Run(error));
    };
    // Without the thread, the launcher ends this rank.
    let _ = gts_graph::core::threads::start("gts-end", end);
}
