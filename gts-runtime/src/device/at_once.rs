//! Several devices at work at the same time.

use crate::error::Result;
use gts_core::threads;

/// Runs something for each member of a group, all at once: the first in the calling thread, the others in a thread each.
/// All are waited for, whatever each has come to, and the first failure by their order is told.
pub(super) fn at_once<M: Send, T: Send>(
    members: &mut [M],
    action: impl Fn(usize, &mut M) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    threads::together(members, action)?.into_iter().collect()
}
