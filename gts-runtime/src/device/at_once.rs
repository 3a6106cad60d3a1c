//! Several devices at work at the same time.

use crate::error::Result;

/// Runs something for each member of a group, all at once, a thread each; the first failure by their order is told.
pub(super) fn at_once<M: Send, T: Send>(
    members: &mut [M],
    action: impl Fn(usize, &mut M) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    if let [only] = members {
        return Ok(vec![action(0, only)?]);
    }
    let action = &action;
    std::thread::scope(|scope| {
        let threads: Vec<_> =
            members.iter_mut().enumerate().map(|(index, member)| scope.spawn(move || action(index, member))).collect();
        let results = threads.into_iter().map(|thread| match thread.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        results.collect()
    })
}
