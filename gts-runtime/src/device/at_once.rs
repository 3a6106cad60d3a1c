//! Several devices at work at the same time.

use crate::error::Result;

/// Runs something for each member of a group, all at once: the first in the calling thread, the others in a thread each.
/// The first failure by their order is told.
pub(super) fn at_once<M: Send, T: Send>(
    members: &mut [M],
    action: impl Fn(usize, &mut M) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let Some((first, others)) = members.split_first_mut() else { return Ok(Vec::new()) };
    let action = &action;
    std::thread::scope(|scope| {
        let others = others.iter_mut().zip(1..);
        let threads: Vec<_> = others.map(|(member, index)| scope.spawn(move || action(index, member))).collect();
        let first = action(0, first);
        let others = threads.into_iter().map(|thread| match thread.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        // All threads are waited for, whatever the first has come to.
        let others: Vec<Result<T>> = others.collect();
        std::iter::once(first).chain(others).collect()
    })
}
