//! Loops on all threads of the current pool.
//!
//! The methods have rayon's names, and rayon runs the loops. Rayon's own iterators compile the code that starts and joins
//! tasks once for each loop, which took a third of the compiler's time for this crate. Here, that code is compiled once, and
//! calls the body of a loop through a pointer, with a range of indices.
//!
//! # Examples
//!
//! ```
//! use gts_core::parallel::*;
//!
//! let degrees = vec![3_u32, 0, 5];
//! assert_eq!(degrees.par_iter().map(|&degree| u64::from(degree)).sum::<u64>(), 8);
//! ```
#![allow(unsafe_code)]

mod run;
mod sources;
#[cfg(test)]
mod tests;

pub use sources::{IntoItems, ParallelSlice, ParallelSliceMut};

use run::{PARTS, each_piece, partials};
use sources::{Enumerate, Map, Tasks, Zip};
use std::iter::Sum;
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Items that threads request by index.
///
/// # Safety
///
/// [`Items::len`] always returns the same number. `item` may be called once for each index below it, on any thread.
pub unsafe trait Items: Sync + Sized {
    /// The type of an item.
    type Item: Send;

    /// Returns the number of items.
    fn len(&self) -> usize;

    /// Returns the least and the largest number of items of a task.
    fn per_task(&self) -> (usize, usize) {
        (1, usize::MAX)
    }

    /// Returns an item.
    ///
    /// # Safety
    ///
    /// `index` is below [`Items::len`], and no other call has requested the item.
    unsafe fn item(&self, index: usize) -> Self::Item;

    /// Returns whether there are no items.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Gives each task at least `least` items.
    fn with_min_len(self, least: usize) -> impl Items<Item = Self::Item> {
        let per_task = (least, self.per_task().1);
        Tasks { items: self, per_task }
    }

    /// Gives each task at most `most` items, so that threads finish at about the same time even if items take unequal time.
    fn with_max_len(self, most: usize) -> impl Items<Item = Self::Item> {
        let per_task = (self.per_task().0, most);
        Tasks { items: self, per_task }
    }

    /// Applies a function to each item.
    fn map<T: Send>(self, function: impl Fn(Self::Item) -> T + Sync) -> impl Items<Item = T> {
        Map { items: self, function }
    }

    /// Pairs the items with others, up to the end of the shorter.
    fn zip<I: IntoItems>(self, others: I) -> impl Items<Item = (Self::Item, I::Item)> {
        Zip { items: self, others: others.into_par_iter() }
    }

    /// Pairs each item with its index.
    fn enumerate(self) -> impl Items<Item = (usize, Self::Item)> {
        Enumerate(self)
    }

    /// Calls a function with each item.
    fn for_each(self, function: impl Fn(Self::Item) + Sync) {
        each_piece(&self, |_, items| items.for_each(&function));
    }

    /// Calls a function with each item and a value that `init` creates once per task.
    fn for_each_init<S>(self, init: impl Fn() -> S + Sync, function: impl Fn(&mut S, Self::Item) + Sync) {
        each_piece(&self, |_, items| {
            let mut state = init();
            items.for_each(|item| function(&mut state, item));
        });
    }

    /// Calls a function with each item until a call fails. Returns the error, or one of them if several calls fail.
    fn try_for_each<E: Send>(self, function: impl Fn(Self::Item) -> Result<(), E> + Sync) -> Result<(), E> {
        let failed = Mutex::new(None);
        let stop = AtomicBool::new(false);
        each_piece(&self, |_, mut items| {
            if !stop.load(Ordering::Relaxed)
                && let Err(error) = items.try_for_each(&function)
            {
                stop.store(true, Ordering::Relaxed);
                failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
            }
        });
        failed.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
    }

    /// Returns the sum of the items.
    fn sum<S: Sum<Self::Item> + Sum<S> + Send>(self) -> S {
        partials(&self, PARTS, |items| items.sum::<S>()).sum()
    }

    /// Returns the number of items that pass a test.
    fn count_if(self, passes: impl Fn(Self::Item) -> bool + Sync) -> usize {
        self.map(|item| usize::from(passes(item))).sum()
    }

    /// Combines the items in order. Returns `identity()` if there are no items.
    fn reduce(
        self,
        identity: impl Fn() -> Self::Item + Sync,
        join: impl Fn(Self::Item, Self::Item) -> Self::Item + Sync,
    ) -> Self::Item {
        self.reduce_with(join).unwrap_or_else(identity)
    }

    /// Combines the items in order. Returns `None` if there are no items.
    fn reduce_with(self, join: impl Fn(Self::Item, Self::Item) -> Self::Item + Sync) -> Option<Self::Item> {
        partials(&self, PARTS, |items| items.reduce(&join)).flatten().reduce(&join)
    }

    /// Folds the items of each task, then joins the results in the order of the items. There is at most one task per
    /// thread, because the results may be large.
    fn fold<S: Send>(
        self,
        identity: impl Fn() -> S + Sync,
        add: impl Fn(S, Self::Item) -> S + Sync,
        join: impl Fn(S, S) -> S,
    ) -> S {
        partials(&self, 1, |items| items.fold(identity(), &add)).reduce(join).unwrap_or_else(identity)
    }

    /// Returns the largest item, or `None` if there are no items.
    fn max(self) -> Option<Self::Item>
    where
        Self::Item: Ord,
    {
        partials(&self, PARTS, |items| items.max()).flatten().max()
    }

    /// Returns the smallest item, or `None` if there are no items.
    fn min(self) -> Option<Self::Item>
    where
        Self::Item: Ord,
    {
        partials(&self, PARTS, |items| items.min()).flatten().min()
    }

    /// Returns whether an item passes a test.
    fn any(self, passes: impl Fn(Self::Item) -> bool + Sync) -> bool {
        let found = AtomicBool::new(false);
        each_piece(&self, |_, mut items| {
            if !found.load(Ordering::Relaxed) && items.any(&passes) {
                found.store(true, Ordering::Relaxed);
            }
        });
        found.into_inner()
    }

    /// Returns whether all items pass a test.
    fn all(self, passes: impl Fn(Self::Item) -> bool + Sync) -> bool {
        !self.any(|item| !passes(item))
    }

    /// Returns the index of the first item that passes a test.
    fn position_first(self, passes: impl Fn(Self::Item) -> bool + Sync) -> Option<usize> {
        let first = AtomicUsize::new(usize::MAX);
        each_piece(&self, |start, mut items| {
            if start < first.load(Ordering::Relaxed)
                && let Some(place) = items.position(&passes)
            {
                first.fetch_min(start + place, Ordering::Relaxed);
            }
        });
        Some(first.into_inner()).filter(|first| *first < usize::MAX)
    }

    /// Calls a function with each item, and collects the items of the iterators that it returns, in order.
    fn collect_flat<I: IntoIterator<Item: Send>>(self, function: impl Fn(Self::Item) -> I + Sync) -> Vec<I::Item> {
        let parts: Vec<Vec<I::Item>> = partials(&self, PARTS, |items| items.flat_map(&function).collect()).collect();
        parts.into_iter().flatten().collect()
    }

    /// Collects the items in order.
    fn collect<C: FromItems<Self::Item>>(self) -> C {
        C::from_items(self)
    }
}

/// Collections of items.
pub trait FromItems<T> {
    /// Collects the items in order.
    fn from_items(items: impl Items<Item = T>) -> Self;
}

impl<T: Send> FromItems<T> for Vec<T> {
    fn from_items(items: impl Items<Item = T>) -> Self {
        let mut list = Self::with_capacity(items.len());
        extend(&mut list, items);
        list
    }
}

impl<T: Send, E: Send> FromItems<Result<T, E>> for Result<Vec<T>, E> {
    fn from_items(items: impl Items<Item = Result<T, E>>) -> Self {
        Vec::from_items(items).into_iter().collect()
    }
}

/// Appends items to a list in order. Allocates only if the list lacks capacity.
pub fn extend<T: Send>(list: &mut Vec<T>, items: impl Items<Item = T>) {
    let (len, more) = (list.len(), items.len());
    list.reserve(more);
    fill(&mut list.spare_capacity_mut()[..more], items);
    // SAFETY: `fill` has written the next `more` elements.
    unsafe { list.set_len(len + more) };
}

/// Writes an item to each place. Returns only if all are written.
fn fill<T: Send>(places: &mut [MaybeUninit<T>], items: impl Items<Item = T>) {
    places.par_iter_mut().zip(items).for_each(|(place, item)| {
        place.write(item);
    });
}
