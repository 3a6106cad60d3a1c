//! Runs work on several devices concurrently.

use crate::error::{Error, Result};
use gts_core::threads;

/// Runs `action` for all members of a group concurrently. The calling thread runs the first member, and every other
/// member gets its own thread. Waits for all members, and returns the least failure ([`Error::least`]).
pub fn at_once<M: Send, T: Send>(
    members: &mut [M],
    action: impl Fn(usize, &mut M) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    Error::all(threads::together(members, action)?)
}
