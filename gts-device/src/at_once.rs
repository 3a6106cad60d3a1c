//! Runs work on several devices concurrently.

use crate::error::Result;
use gts_core::threads;

/// Runs `action` for all members of a group concurrently: the first in the calling thread, each other in its own
/// thread. Waits for all of them, and returns the first failure in the order of the members.
pub fn at_once<M: Send, T: Send>(
    members: &mut [M],
    action: impl Fn(usize, &mut M) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    threads::together(members, action)?.into_iter().collect()
}
