//! Slices, ranges and lists as items, and items derived from others.

use super::Items;
use rayon::slice::ParallelSliceMut as Sort;
use std::cell::UnsafeCell;
use std::cmp::Ordering;
use std::marker::PhantomData;
use std::ops::Range;

/// Collections whose items can be shared among threads.
pub trait IntoItems {
    /// The type of an item.
    type Item: Send;

    /// Returns the items.
    fn into_par_iter(self) -> impl Items<Item = Self::Item>;
}

impl<I: Items> IntoItems for I {
    type Item = I::Item;

    fn into_par_iter(self) -> impl Items<Item = Self::Item> {
        self
    }
}

/// Items of shared slices.
pub trait ParallelSlice<T: Sync> {
    /// Returns references to the elements.
    fn par_iter<'a>(&'a self) -> impl Items<Item = &'a T>
    where
        T: 'a;
    /// Returns pieces of `size` elements; the last may be shorter.
    fn par_chunks<'a>(&'a self, size: usize) -> impl Items<Item = &'a [T]>
    where
        T: 'a;
    /// Returns pieces of `size` elements, without a shorter rest.
    fn par_chunks_exact<'a>(&'a self, size: usize) -> impl Items<Item = &'a [T]>
    where
        T: 'a;
    /// Returns all runs of `size` adjacent elements.
    fn par_windows<'a>(&'a self, size: usize) -> impl Items<Item = &'a [T]>
    where
        T: 'a;
}

/// Items of exclusive slices.
pub trait ParallelSliceMut<T: Send> {
    /// Returns exclusive references to the elements.
    fn par_iter_mut<'a>(&'a mut self) -> impl Items<Item = &'a mut T>
    where
        T: 'a;
    /// Returns exclusive pieces of `size` elements; the last may be shorter.
    fn par_chunks_mut<'a>(&'a mut self, size: usize) -> impl Items<Item = &'a mut [T]>
    where
        T: 'a;
    /// Returns exclusive pieces of `size` elements, without a shorter rest.
    fn par_chunks_exact_mut<'a>(&'a mut self, size: usize) -> impl Items<Item = &'a mut [T]>
    where
        T: 'a;
    /// Sorts the elements. Equal elements may change places.
    fn par_sort_unstable(&mut self)
    where
        T: Ord;
    /// Sorts the elements with a comparison function. Equal elements may change places.
    fn par_sort_unstable_by(&mut self, compare: impl Fn(&T, &T) -> Ordering + Sync);
    /// Sorts the elements by a key. Equal elements may change places.
    fn par_sort_unstable_by_key<K: Ord>(&mut self, key: impl Fn(&T) -> K + Sync);
    /// Sorts the elements with a comparison function. Equal elements keep their order.
    fn par_sort_by(&mut self, compare: impl Fn(&T, &T) -> Ordering + Sync);
    /// Sorts the elements by a key. Equal elements keep their order.
    fn par_sort_by_key<K: Ord>(&mut self, key: impl Fn(&T) -> K + Sync);
}

impl<T: Sync> ParallelSlice<T> for [T] {
    fn par_iter<'a>(&'a self) -> impl Items<Item = &'a T>
    where
        T: 'a,
    {
        Elements(self)
    }

    fn par_chunks<'a>(&'a self, size: usize) -> impl Items<Item = &'a [T]>
    where
        T: 'a,
    {
        Indices(self.len().div_ceil(size)).map(move |at| &self[at * size..self.len().min((at + 1) * size)])
    }

    fn par_chunks_exact<'a>(&'a self, size: usize) -> impl Items<Item = &'a [T]>
    where
        T: 'a,
    {
        Indices(self.len() / size).map(move |at| &self[at * size..][..size])
    }

    fn par_windows<'a>(&'a self, size: usize) -> impl Items<Item = &'a [T]>
    where
        T: 'a,
    {
        Indices((self.len() + 1).saturating_sub(size)).map(move |at| &self[at..at + size])
    }
}

impl<T: Send> ParallelSliceMut<T> for [T] {
    fn par_iter_mut<'a>(&'a mut self) -> impl Items<Item = &'a mut T>
    where
        T: 'a,
    {
        ElementsMut { first: self.as_mut_ptr(), len: self.len(), slice: PhantomData }
    }

    fn par_chunks_mut<'a>(&'a mut self, size: usize) -> impl Items<Item = &'a mut [T]>
    where
        T: 'a,
    {
        assert!(size > 0, "pieces need a size");
        ChunksMut { first: self.as_mut_ptr(), len: self.len(), size, slice: PhantomData }
    }

    fn par_chunks_exact_mut<'a>(&'a mut self, size: usize) -> impl Items<Item = &'a mut [T]>
    where
        T: 'a,
    {
        let whole = self.len() / size * size;
        ParallelSliceMut::par_chunks_mut(&mut self[..whole], size)
    }

    fn par_sort_unstable(&mut self)
    where
        T: Ord,
    {
        Sort::par_sort_unstable(self);
    }

    fn par_sort_unstable_by(&mut self, compare: impl Fn(&T, &T) -> Ordering + Sync) {
        Sort::par_sort_unstable_by(self, compare);
    }

    fn par_sort_unstable_by_key<K: Ord>(&mut self, key: impl Fn(&T) -> K + Sync) {
        Sort::par_sort_unstable_by_key(self, key);
    }

    fn par_sort_by(&mut self, compare: impl Fn(&T, &T) -> Ordering + Sync) {
        Sort::par_sort_by(self, compare);
    }

    fn par_sort_by_key<K: Ord>(&mut self, key: impl Fn(&T) -> K + Sync) {
        Sort::par_sort_by_key(self, key);
    }
}

impl<'a, T: Sync> IntoItems for &'a [T] {
    type Item = &'a T;

    fn into_par_iter(self) -> impl Items<Item = &'a T> {
        self.par_iter()
    }
}

impl<'a, T: Sync> IntoItems for &'a Vec<T> {
    type Item = &'a T;

    fn into_par_iter(self) -> impl Items<Item = &'a T> {
        self.par_iter()
    }
}

impl<'a, T: Send> IntoItems for &'a mut [T] {
    type Item = &'a mut T;

    fn into_par_iter(self) -> impl Items<Item = &'a mut T> {
        self.par_iter_mut()
    }
}

impl<'a, T: Send> IntoItems for &'a mut Vec<T> {
    type Item = &'a mut T;

    fn into_par_iter(self) -> impl Items<Item = &'a mut T> {
        self.par_iter_mut()
    }
}

impl<T: Send> IntoItems for Vec<T> {
    type Item = T;

    fn into_par_iter(self) -> impl Items<Item = T> {
        Owned(self.into_iter().map(TaskCell::new).collect())
    }
}

macro_rules! ranges {
    ($($number:ty),*) => {$(
        impl IntoItems for Range<$number> {
            type Item = $number;

            fn into_par_iter(self) -> impl Items<Item = $number> {
                let first = self.start;
                Indices(self.end.saturating_sub(first) as usize).map(move |index| first + index as $number)
            }
        }
    )*};
}

ranges!(u32, u64, usize);

/// The indices below a number.
struct Indices(usize);

// SAFETY: an index is a value that any thread may have.
unsafe impl Items for Indices {
    type Item = usize;

    fn len(&self) -> usize {
        self.0
    }

    #[inline]
    unsafe fn item(&self, index: usize) -> usize {
        index
    }
}

struct Elements<'a, T>(&'a [T]);

// SAFETY: elements that are `Sync` may be read on any thread.
unsafe impl<'a, T: Sync> Items for Elements<'a, T> {
    type Item = &'a T;

    fn len(&self) -> usize {
        self.0.len()
    }

    #[inline]
    unsafe fn item(&self, index: usize) -> &'a T {
        // SAFETY: the caller promises that `index` is below `len`.
        unsafe { self.0.get_unchecked(index) }
    }
}

struct ElementsMut<'a, T> {
    first: *mut T,
    len: usize,
    slice: PhantomData<&'a mut [T]>,
}

// SAFETY: the elements are borrowed exclusively, as by `&mut [T]`, and may be given to any thread.
unsafe impl<T: Send> Send for ElementsMut<'_, T> {}

// SAFETY: each element is given to one thread only, because each index is requested once.
unsafe impl<T: Send> Sync for ElementsMut<'_, T> {}

// SAFETY: an element that is `Send` may be given to any thread.
unsafe impl<'a, T: Send> Items for ElementsMut<'a, T> {
    type Item = &'a mut T;

    fn len(&self) -> usize {
        self.len
    }

    #[inline]
    unsafe fn item(&self, index: usize) -> &'a mut T {
        // SAFETY: `index` is below the length of the slice, which is borrowed exclusively for `'a`, and no other call has
        // this index.
        unsafe { &mut *self.first.add(index) }
    }
}

struct ChunksMut<'a, T> {
    first: *mut T,
    len: usize,
    size: usize,
    slice: PhantomData<&'a mut [T]>,
}

// SAFETY: the elements are borrowed exclusively, as by `&mut [T]`, and may be given to any thread.
unsafe impl<T: Send> Send for ChunksMut<'_, T> {}

// SAFETY: each piece is given to one thread only, because each index is requested once.
unsafe impl<T: Send> Sync for ChunksMut<'_, T> {}

// SAFETY: elements that are `Send` may be given to any thread.
unsafe impl<'a, T: Send> Items for ChunksMut<'a, T> {
    type Item = &'a mut [T];

    fn len(&self) -> usize {
        self.len.div_ceil(self.size)
    }

    #[inline]
    unsafe fn item(&self, index: usize) -> &'a mut [T] {
        let start = index * self.size;
        let len = self.size.min(self.len - start);
        // SAFETY: the piece is within the slice, which is borrowed exclusively for `'a`. Pieces of other indices do not
        // overlap it, and no other call has this index.
        unsafe { std::slice::from_raw_parts_mut(self.first.add(start), len) }
    }
}

/// An item that one of the threads takes.
struct TaskCell<T>(UnsafeCell<Option<T>>);

// SAFETY: `take` requires that no other thread accesses the cell at the same time.
unsafe impl<T: Send> Sync for TaskCell<T> {}

impl<T> TaskCell<T> {
    fn new(item: T) -> Self {
        Self(UnsafeCell::new(Some(item)))
    }

    /// Takes the item out.
    ///
    /// # Safety
    ///
    /// No other thread accesses the cell at the same time.
    unsafe fn take(&self) -> Option<T> {
        // SAFETY: the caller promises that no other thread accesses the cell.
        unsafe { (*self.0.get()).take() }
    }
}

/// The elements of a list, which tasks move out. The list drops elements that no task has requested.
struct Owned<T>(Vec<TaskCell<T>>);

// SAFETY: each element is given to one thread only, because each index is requested once.
unsafe impl<T: Send> Items for Owned<T> {
    type Item = T;

    fn len(&self) -> usize {
        self.0.len()
    }

    unsafe fn item(&self, index: usize) -> T {
        // SAFETY: no other call has this index.
        let item = unsafe { self.0[index].take() };
        item.expect("an item is requested once")
    }
}

pub(super) struct Tasks<S> {
    pub(super) items: S,
    pub(super) per_task: (usize, usize),
}

// SAFETY: this type requests each item of `items` once.
unsafe impl<S: Items> Items for Tasks<S> {
    type Item = S::Item;

    fn len(&self) -> usize {
        self.items.len()
    }

    fn per_task(&self) -> (usize, usize) {
        self.per_task
    }

    #[inline]
    unsafe fn item(&self, index: usize) -> S::Item {
        // SAFETY: the caller promises that `index` is below `len`, and that no other call has it.
        unsafe { self.items.item(index) }
    }
}

pub(super) struct Map<S, F> {
    pub(super) items: S,
    pub(super) function: F,
}

// SAFETY: this type requests each item of `items` once.
unsafe impl<S: Items, T: Send, F: Fn(S::Item) -> T + Sync> Items for Map<S, F> {
    type Item = T;

    fn len(&self) -> usize {
        self.items.len()
    }

    fn per_task(&self) -> (usize, usize) {
        self.items.per_task()
    }

    #[inline]
    unsafe fn item(&self, index: usize) -> T {
        // SAFETY: the caller promises that `index` is below `len`, and that no other call has it.
        (self.function)(unsafe { self.items.item(index) })
    }
}

pub(super) struct Zip<A, B> {
    pub(super) items: A,
    pub(super) others: B,
}

// SAFETY: this type requests each item of both at most once.
unsafe impl<A: Items, B: Items> Items for Zip<A, B> {
    type Item = (A::Item, B::Item);

    fn len(&self) -> usize {
        self.items.len().min(self.others.len())
    }

    fn per_task(&self) -> (usize, usize) {
        let (one, other) = (self.items.per_task(), self.others.per_task());
        (one.0.max(other.0), one.1.min(other.1))
    }

    #[inline]
    unsafe fn item(&self, index: usize) -> Self::Item {
        // SAFETY: `index` is below both lengths, and no other call has it.
        unsafe { (self.items.item(index), self.others.item(index)) }
    }
}

pub(super) struct Enumerate<S>(pub(super) S);

// SAFETY: this type requests each item of the other once.
unsafe impl<S: Items> Items for Enumerate<S> {
    type Item = (usize, S::Item);

    fn len(&self) -> usize {
        self.0.len()
    }

    fn per_task(&self) -> (usize, usize) {
        self.0.per_task()
    }

    #[inline]
    unsafe fn item(&self, index: usize) -> Self::Item {
        // SAFETY: the caller promises that `index` is below `len`, and that no other call has it.
        (index, unsafe { self.0.item(index) })
    }
}
