//! Divides a range of indices among the threads of the current pool.

use super::Items;
use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator};
use std::cell::UnsafeCell;
use std::ops::Range;

/// Tasks per thread, so that a thread whose tasks take long leaves others to the rest.
const TASKS: usize = 16;

/// Returns the number of tasks for all items.
fn tasks<S: Items>(items: &S) -> usize {
    let (len, (least, most)) = (items.len(), items.per_task());
    let tasks = (len / least.max(1)).clamp(usize::from(len > 0), TASKS * rayon::current_num_threads());
    tasks.max(len.div_ceil(most))
}

/// Calls `body` with the number and the range of indices of each task. Ranges ascend with the number.
///
/// The only loop that rayon compiles.
fn for_each_range(len: usize, tasks: usize, body: &(dyn Fn(usize, Range<usize>) + Sync)) {
    let start = |task: usize| (len as u128 * task as u128 / tasks as u128) as usize;
    match tasks {
        0 => {}
        1 => body(0, 0..len),
        _ => (0..tasks).into_par_iter().with_max_len(1).for_each(|task| body(task, start(task)..start(task + 1))),
    }
}

/// The items of a task.
pub(super) struct Piece<'a, S> {
    items: &'a S,
    range: Range<usize>,
}

impl<S: Items> Iterator for Piece<'_, S> {
    type Item = S::Item;

    #[inline]
    fn next(&mut self) -> Option<S::Item> {
        let index = self.range.next()?;
        // SAFETY: the ranges of tasks are disjoint and end at `len`, and a range returns each index once.
        Some(unsafe { self.items.item(index) })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.range.size_hint()
    }
}

impl<S: Items> ExactSizeIterator for Piece<'_, S> {}

/// Calls a function with the index of the first item of each task, and the task's items.
pub(super) fn each_piece<S: Items>(items: &S, function: impl Fn(usize, Piece<'_, S>) + Sync) {
    for_each_range(items.len(), tasks(items), &|_, range| function(range.start, Piece { items, range }));
}

/// Returns the results of a function for the items of each task, in the order of the tasks.
pub(super) fn partials<S: Items, T: Send>(
    items: &S,
    function: impl Fn(Piece<'_, S>) -> T + Sync,
) -> impl Iterator<Item = T> {
    let tasks = tasks(items);
    let slots: Vec<TaskCell<T>> = (0..tasks).map(|_| TaskCell::new(None)).collect();
    for_each_range(items.len(), tasks, &|task, range| {
        let found = function(Piece { items, range });
        // SAFETY: only this task accesses this slot before all tasks have ended.
        unsafe { slots[task].set(found) };
    });
    slots.into_iter().filter_map(TaskCell::into_inner)
}

/// A value that one task at a time accesses.
pub(super) struct TaskCell<T>(UnsafeCell<Option<T>>);

// SAFETY: the callers of `set` and `take` are the only ones to access the value meanwhile, as those functions require.
unsafe impl<T: Send> Sync for TaskCell<T> {}

impl<T> TaskCell<T> {
    pub(super) fn new(value: Option<T>) -> Self {
        Self(UnsafeCell::new(value))
    }

    /// Stores a value.
    ///
    /// # Safety
    ///
    /// No other thread accesses the slot meanwhile.
    unsafe fn set(&self, value: T) {
        // SAFETY: the caller promises that no other thread accesses the slot.
        unsafe { *self.0.get() = Some(value) };
    }

    /// Takes the value out.
    ///
    /// # Safety
    ///
    /// No other thread accesses the slot meanwhile.
    pub(super) unsafe fn take(&self) -> Option<T> {
        // SAFETY: the caller promises that no other thread accesses the slot.
        unsafe { (*self.0.get()).take() }
    }

    fn into_inner(self) -> Option<T> {
        self.0.into_inner()
    }
}
