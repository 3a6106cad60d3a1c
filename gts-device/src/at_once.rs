//! Runs work on several devices concurrently.

use crate::error::{Error, Result};
use gts_core::threads;

/// Calls `action` for all members of a group concurrently. The calling thread handles the first member, and every other
/// member gets its own thread. Waits for all members. If several members fail, returns [`Error::least`] of their errors.
pub fn at_once<M: Send, T: Send>(
    members: &mut [M],
    action: impl Fn(usize, &mut M) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    Error::all(threads::together(members, action)?)
}
