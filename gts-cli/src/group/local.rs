//! Ranks that `gts launch` has started.

use super::started::{FOLDER, LAUNCHER, RANK, SIZE, Started, number};
use crate::error::Failure;
use crate::interrupt;
use gts_runtime::Error;
use gts_runtime::group::Group;
use gts_runtime::group::local::{LocalGroup, Membership};
use std::sync::Arc;
use std::time::Duration;

/// Joins the group that the environment names.
pub(super) fn join(Started { rank, size, .. }: Started) -> Result<Arc<dyn Group>, Failure> {
    let (Some(size), Some(folder)) = (size, std::env::var_os(FOLDER)) else {
        return Err(Failure::usage(
            format!("{RANK} is set, but not {SIZE} and {FOLDER}"),
            "start ranks by `gts launch`",
        ));
    };
    if rank >= size {
        return Err(Failure::usage(format!("rank {rank} of {size}"), "start ranks by `gts launch`"));
    }
    let launcher = number(LAUNCHER).and_then(|process| u32::try_from(process).ok());
    let group = LocalGroup::join(&Membership { folder: folder.into(), rank, size, launcher })?;
    group.when_ended(|error| end_soon(error.clone()));
    Ok(Arc::new(group))
}

/// Ends the process a second after its group has ended. A rank that is loading a graph does not notice the end by itself.
fn end_soon(error: Error) {
    /// Time in which a command ends in good order.
    const ORDER: Duration = Duration::from_secs(1);
    let end = move || {
        std::thread::sleep(ORDER);
        interrupt::end_with(Failure::Run(error));
    };
    // Without the thread, whoever has started the ranks ends this one.
    let _ = gts_runtime::core::threads::start("gts-end", end);
}
