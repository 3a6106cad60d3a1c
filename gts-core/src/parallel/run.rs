//! Divides a range of indices among the threads of the current pool.

use super::{IntoItems, Items};
use rayon::iter::plumbing::{Consumer, Folder, Reducer, UnindexedConsumer};
use rayon::iter::{IndexedParallelIterator, IntoParallelIterator};
use std::ops::Range;

/// Divides the indices below `len` into ranges, and calls `body` with each range. Rayon splits a range only while a thread is
/// idle. No range has fewer than `least` or more than `most` indices, unless there are fewer in total.
///
/// This is the only loop for which rayon's code is compiled.
fn for_each_range(len: usize, (least, most): (usize, usize), body: &(dyn Fn(Range<usize>) + Sync)) {
    IntoParallelIterator::into_par_iter(0..len).with_min_len(least).with_max_len(most).drive(Ranges(body));
}

/// A consumer that calls a function once with all indices of a task.
#[derive(Clone, Copy)]
struct Ranges<'a>(&'a (dyn Fn(Range<usize>) + Sync));

impl Consumer<usize> for Ranges<'_> {
    type Folder = Self;
    type Reducer = Self;
    type Result = ();

    fn split_at(self, _: usize) -> (Self, Self, Self) {
        (self, self, self)
    }

    fn into_folder(self) -> Self {
        self
    }

    fn full(&self) -> bool {
        false
    }
}

impl UnindexedConsumer<usize> for Ranges<'_> {
    fn split_off_left(&self) -> Self {
        *self
    }

    fn to_reducer(&self) -> Self {
        *self
    }
}

impl Folder<usize> for Ranges<'_> {
    type Result = ();

    fn consume(self, index: usize) -> Self {
        (self.0)(index..index + 1);
        self
    }

    fn consume_iter<I: IntoIterator<Item = usize>>(self, indices: I) -> Self {
        let mut indices = indices.into_iter();
        // The indices of a task are a range, so the length is exact.
        let (len, _) = indices.size_hint();
        if let Some(first) = indices.next() {
            (self.0)(first..first + len);
        }
        self
    }

    fn complete(self) {}

    fn full(&self) -> bool {
        false
    }
}

impl Reducer<()> for Ranges<'_> {
    fn reduce(self, (): (), (): ()) {}
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

    // The compiler vectorises this loop, because it cannot end early.
    #[inline]
    fn fold<T, F: FnMut(T, S::Item) -> T>(self, first: T, mut add: F) -> T {
        let items = self.items;
        // SAFETY: as in `next`.
        self.range.fold(first, |sum, index| add(sum, unsafe { items.item(index) }))
    }
}

impl<S: Items> ExactSizeIterator for Piece<'_, S> {}

/// Calls a function with the index of the first item of each task, and the task's items.
pub(super) fn each_piece<S: Items>(items: &S, function: impl Fn(usize, Piece<'_, S>) + Sync) {
    for_each_range(items.len(), items.per_task(), &|range| function(range.start, Piece { items, range }));
}

/// The number of parts per thread in a reduction. With many parts, threads finish at about the same time; with few, few
/// results remain to be joined.
pub(super) const PARTS: usize = 64;

/// Divides the items into parts of about the same size, at most `parts` per thread. Calls a function with each part, and
/// returns the results in the order of the items.
pub(super) fn partials<S: Items, T: Send>(
    items: &S,
    parts: usize,
    function: impl Fn(Piece<'_, S>) -> T + Sync,
) -> std::vec::IntoIter<T> {
    let (len, (least, most)) = (items.len(), items.per_task());
    // If there are items, there is at least one part.
    let parts = (parts * rayon::current_num_threads()).min(len / least.max(1)).max(len.div_ceil(most));
    let start = |part: usize| part * (len / parts) + part.min(len % parts);
    let part = |part| function(Piece { items, range: start(part)..start(part + 1) });
    let results: Vec<T> = IntoItems::into_par_iter(0..parts).map(part).collect();
    results.into_iter()
}
