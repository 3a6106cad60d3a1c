//! Runs work on several devices concurrently.

use crate::error::Result;
use gts_core::threads;

/// Calls `action` for all members of a group concurrently. The calling thread handles the first member, and every other
/// member gets its own thread. Waits for all members. If several members fail, returns the first failed member's error.
pub fn at_once<M: Send, T: Send>(
    members: &mut [M],
    action: impl Fn(usize, &mut M) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    threads::together(members, action)?.into_iter().collect()
}
