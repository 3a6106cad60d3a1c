//! The attributes that a kernel body accesses: typed columns over memory that a device lends for a pass.
#![allow(unsafe_code)]

use super::scalar::{Memory, Scalar, VertexWord};
use super::summable::Summable;
use gts_contract::ScalarType;
use gts_core::graph::Vertex;
use gts_core::memory::prefetch;
use std::marker::PhantomData;

/// The address of one attribute's memory, which a device lends to a pass.
#[derive(Clone, Copy, Debug)]
pub struct RawColumn {
    base: *mut u8,
}

// SAFETY: a column is only an address. The code that creates and uses the column ensures that accesses are valid.
unsafe impl Send for RawColumn {}
// SAFETY: see the `Send` implementation.
unsafe impl Sync for RawColumn {}

impl RawColumn {
    /// Creates a column over `bytes`, which must be aligned to 8 bytes.
    pub fn new(bytes: &mut [u8]) -> Self {
        debug_assert!(bytes.as_ptr().addr().is_multiple_of(8));
        Self { base: bytes.as_mut_ptr() }
    }

    /// Returns the address of the first element.
    pub fn base(self) -> *mut u8 {
        self.base
    }
}

/// Untyped columns of a struct's attributes, indexed as in the schema.
#[derive(Clone, Copy, Debug)]
pub struct Columns<'a, P> {
    raw: &'a [RawColumn],
    memory: PhantomData<P>,
}

impl<'a, P: Memory> Columns<'a, P> {
    /// Creates a pass's columns from their addresses.
    ///
    /// # Safety
    ///
    /// While views bound to these columns are in use:
    ///
    /// - Each column must contain a value of the attribute's declared type per vertex, or per visited edge for a `wa`
    ///   of edges. The column of a param or a global contains a single value. `#[edge]` attributes have no column.
    /// - Elements may be updated only through views with the same `P`. Views of wide replicas are the only views of their
    ///   elements.
    /// - Each element of a `Replica` may be written by only one thread.
    /// - Each edge's value may be accessed by only one thread.
    pub unsafe fn new(raw: &'a [RawColumn]) -> Self {
        Self { raw, memory: PhantomData }
    }

    /// Returns the column of a `wa` with one element per vertex.
    #[inline(always)]
    pub fn wa<T: Scalar>(&self, attribute: usize) -> Column<'a, T, P> {
        self.wa_array::<T, 1>(attribute)
    }

    /// Returns the column of a `wa` with `N` elements per vertex.
    #[inline(always)]
    pub fn wa_array<T: Scalar, const N: usize>(&self, attribute: usize) -> Column<'a, T, P, N> {
        Column { base: self.raw[attribute].base, types: PhantomData }
    }

    /// Returns the column of a `wa` with one element per edge.
    #[inline(always)]
    pub fn edge_wa<T: Scalar>(&self, attribute: usize) -> EdgeColumn<'a, T, P> {
        EdgeColumn { base: self.raw[attribute].base, types: PhantomData }
    }

    /// Returns the column of an `ra` with one element per vertex.
    #[inline(always)]
    pub fn ra<T: Scalar>(&self, attribute: usize) -> Column<'a, T, P> {
        self.wa(attribute)
    }

    /// Returns the column of an `ra` with `N` elements per vertex.
    #[inline(always)]
    pub fn ra_array<T: Scalar, const N: usize>(&self, attribute: usize) -> Column<'a, T, P, N> {
        self.wa_array(attribute)
    }

    /// Returns the value of a `param`.
    #[inline(always)]
    pub fn param<T: Scalar>(&self, attribute: usize) -> T {
        // SAFETY: the column of a param holds one element of the param's type.
        unsafe { T::load::<P>(self.raw[attribute].base, 0) }
    }

    /// Returns the elements of a `param` array.
    #[inline(always)]
    pub fn param_array<T: Scalar, const N: usize>(&self, attribute: usize) -> [T; N] {
        // SAFETY: the column of a param array holds N elements of the param's type.
        std::array::from_fn(|i| unsafe { T::load::<P>(self.raw[attribute].base, i) })
    }

    /// Returns the column of a `global` with one element.
    #[inline(always)]
    pub fn global<T: Scalar>(&self, attribute: usize) -> GlobalColumn<'a, T> {
        self.global_array::<T, 1>(attribute)
    }

    /// Returns the column of a `global` with `N` elements.
    #[inline(always)]
    pub fn global_array<T: Scalar, const N: usize>(&self, attribute: usize) -> GlobalColumn<'a, T, N> {
        GlobalColumn { base: self.raw[attribute].base, types: PhantomData }
    }
}

/// The column of an attribute with `N` elements of type `T` per vertex.
pub struct Column<'a, T, P, const N: usize = 1> {
    base: *mut u8,
    types: PhantomData<(&'a T, P)>,
}

impl<T, P, const N: usize> Clone for Column<'_, T, P, N> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, P, const N: usize> Copy for Column<'_, T, P, N> {}

// SAFETY: the creator of the columns ensures that threads may access the memory in the manner of `P`.
unsafe impl<T: Send, P, const N: usize> Send for Column<'_, T, P, N> {}
// SAFETY: see the `Send` implementation.
unsafe impl<T: Send, P, const N: usize> Sync for Column<'_, T, P, N> {}

/// Defines each operation twice: for a vertex's only element, and for element `i` of a vertex's array.
macro_rules! operations {
    ($($(#[$doc:meta])* $name:ident, $at:ident, ($($arg:ident),*) -> $result:ty, |$base:ident, $index:ident| $body:expr;)*) => {
        impl<T: Scalar, P: Memory> Column<'_, T, P> {
            $($(#[$doc])* #[inline(always)]
            pub fn $name(&self, v: Vertex $(, $arg: T)*) -> $result {
                self.$at(v, 0 $(, $arg)*)
            })*
        }

        impl<T: Scalar, P: Memory, const N: usize> Column<'_, T, P, N> {
            $($(#[$doc])* #[doc = "For element `i`, below the array's length."] #[inline(always)]
            pub fn $at(&self, v: Vertex, i: usize $(, $arg: T)*) -> $result {
                let ($base, $index) = self.place(v, i);
                // SAFETY: `place` is within the column, and the creator of the columns ensures that the memory is
                // valid.
                unsafe { $body }
            })*
        }
    };
}

impl<T: Scalar, P: Memory, const N: usize> Column<'_, T, P, N> {
    /// Returns the size of a stored element in bytes.
    #[inline(always)]
    fn size() -> usize {
        match T::SCALAR {
            ScalarType::F32 if P::WIDE_SUMS => 8,
            ScalarType::VertexId if !P::VertexWord::WIDE => 4,
            _ => size_of::<T>(),
        }
    }

    /// Prefetches the cache line that contains the vertex's first element.
    #[inline(always)]
    pub fn expect(&self, v: Vertex) {
        prefetch(self.base.wrapping_add(v.dense() as usize * N * Self::size()));
    }

    #[inline(always)]
    fn place(&self, v: Vertex, i: usize) -> (*mut u8, usize) {
        debug_assert!(i < N);
        (self.base, v.dense() as usize * N + i)
    }
}

operations! {
    /// Returns the element's value.
    load, load_at, () -> T, |base, index| T::load::<P>(base, index);
    /// Stores a value.
    store, store_at, (value) -> (), |base, index| T::store::<P>(base, index, value);
    /// Adds to the element and returns the previous value.
    fetch_add, fetch_add_at, (value) -> T, |base, index| T::add::<P>(base, index, value);
    /// Subtracts from the element and returns the previous value.
    fetch_sub, fetch_sub_at, (value) -> T, |base, index| T::subtract::<P>(base, index, value);
    /// Stores the smaller of the current and the given value. Returns the previous value.
    fetch_min, fetch_min_at, (value) -> T, |base, index| T::update::<P>(base, index, |old| smaller(value, old).then_some(value));
    /// Stores the larger of the current and the given value. Returns the previous value.
    fetch_max, fetch_max_at, (value) -> T, |base, index| T::update::<P>(base, index, |old| larger(value, old).then_some(value));
    /// Stores the bitwise or logical AND of the current and the given value. Returns the previous value.
    fetch_and, fetch_and_at, (value) -> T, |base, index| T::update::<P>(base, index, |old| changed(old, old.and(value)));
    /// Stores the bitwise or logical OR of the current and the given value. Returns the previous value.
    fetch_or, fetch_or_at, (value) -> T, |base, index| T::update::<P>(base, index, |old| changed(old, old.or(value)));
    /// Stores the bitwise or logical XOR of the current and the given value. Returns the previous value.
    fetch_xor, fetch_xor_at, (value) -> T, |base, index| T::update::<P>(base, index, |old| Some(old.xor(value)));
    /// Stores a value and returns the previous value.
    swap, swap_at, (value) -> T, |base, index| T::update::<P>(base, index, |_| Some(value));
    /// Stores `new` if the element has the same bits as `current`. Returns the previous value.
    compare_exchange, compare_exchange_at, (current, new) -> T, |base, index| T::update::<P>(base, index, |old| old.same(current).then_some(new));
}

/// Returns whether `value` replaces `old` in a minimum.
#[inline(always)]
pub(crate) fn smaller<T: Scalar>(value: T, old: T) -> bool {
    !value.loses() && (old.loses() || value.before(old))
}

/// Returns whether `value` replaces `old` in a maximum.
#[inline(always)]
pub(crate) fn larger<T: Scalar>(value: T, old: T) -> bool {
    !value.loses() && (old.loses() || old.before(value))
}

/// Returns `new`, or `None` if `new` equals `old`: storing an equal value would needlessly move the cache line.
#[inline(always)]
fn changed<T: Scalar>(old: T, new: T) -> Option<T> {
    (!old.same(new)).then_some(new)
}

/// The number of an edge. Edges are numbered from 0, by source and then by position in the source's list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EdgeNumber(pub u64);

/// The column of an attribute with one element of type `T` per edge. Only one thread visits an edge, so updates are
/// plain loads and stores.
pub struct EdgeColumn<'a, T, P> {
    base: *mut u8,
    types: PhantomData<(&'a T, P)>,
}

impl<T, P> Clone for EdgeColumn<'_, T, P> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, P> Copy for EdgeColumn<'_, T, P> {}

// SAFETY: the creator of the columns ensures that only one thread accesses the value of an edge.
unsafe impl<T: Send, P> Send for EdgeColumn<'_, T, P> {}
// SAFETY: see the `Send` implementation.
unsafe impl<T: Send, P> Sync for EdgeColumn<'_, T, P> {}

macro_rules! edge_operations {
    ($($(#[$doc:meta])* $name:ident, |$old:ident, $value:ident| $change:expr;)*) => {
        impl<T: Scalar, P: Memory> EdgeColumn<'_, T, P> {
            $($(#[$doc])* #[doc = "Returns the previous value."] #[inline(always)]
            pub fn $name(&self, e: EdgeNumber, $value: T) -> T {
                let index = e.0 as usize;
                // SAFETY: there is an element for each visited edge, and only this thread accesses the element.
                unsafe {
                    let $old = T::load::<P>(self.base, index);
                    T::store::<P>(self.base, index, $change);
                    $old
                }
            })*
        }
    };
}

edge_operations! {
    /// Adds to the edge's value.
    fetch_add, |old, value| old.sum(value);
    /// Subtracts from the edge's value.
    fetch_sub, |old, value| old.difference(value);
    /// Stores the smaller of the current and the given value.
    fetch_min, |old, value| if smaller(value, old) { value } else { old };
    /// Stores the larger of the current and the given value.
    fetch_max, |old, value| if larger(value, old) { value } else { old };
    /// Stores the bitwise or logical AND of the current and the given value.
    fetch_and, |old, value| old.and(value);
    /// Stores the bitwise or logical OR of the current and the given value.
    fetch_or, |old, value| old.or(value);
}

/// The column of a global: `N` accumulators of type `T`, private to one thread.
pub struct GlobalColumn<'a, T, const N: usize = 1> {
    base: *mut u8,
    types: PhantomData<&'a T>,
}

impl<T, const N: usize> Clone for GlobalColumn<'_, T, N> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, const N: usize> Copy for GlobalColumn<'_, T, N> {}

// SAFETY: the creator of the columns lends each thread its own accumulators.
unsafe impl<T: Send, const N: usize> Send for GlobalColumn<'_, T, N> {}
// SAFETY: see the `Send` implementation.
unsafe impl<T: Send, const N: usize> Sync for GlobalColumn<'_, T, N> {}

macro_rules! accumulate {
    ($($(#[$doc:meta])* $name:ident, $at:ident, |$old:ident, $value:ident| $change:expr;)*) => {
        impl<T: Scalar> GlobalColumn<'_, T> {
            $($(#[$doc])* #[inline(always)]
            pub fn $name(&self, value: T) {
                self.$at(0, value);
            })*
        }

        impl<T: Scalar, const N: usize> GlobalColumn<'_, T, N> {
            $($(#[$doc])* #[doc = "For element `i`, below the array's length."] #[inline(always)]
            pub fn $at(&self, i: usize, $value: T) {
                debug_assert!(i < N);
                // SAFETY: a global's column holds N elements and belongs to this thread.
                unsafe { T::update::<super::scalar::Replica<u64>>(self.base, i, |$old| $change) };
            })*
        }
    };
}

impl<T: Summable> GlobalColumn<'_, T> {
    /// Adds to the accumulator.
    #[inline(always)]
    pub fn fetch_add(&self, value: T) {
        self.fetch_add_at(0, value);
    }

    /// Subtracts from the accumulator.
    #[inline(always)]
    pub fn fetch_sub(&self, value: T) {
        self.fetch_sub_at(0, value);
    }
}

impl<T: Summable, const N: usize> GlobalColumn<'_, T, N> {
    /// Adds to accumulator `i`, which must be less than `N`.
    #[inline(always)]
    pub fn fetch_add_at(&self, i: usize, value: T) {
        self.change(i, value.exact());
    }

    /// Subtracts from accumulator `i`, which must be less than `N`.
    #[inline(always)]
    pub fn fetch_sub_at(&self, i: usize, value: T) {
        self.change(i, T::negated(value.exact()));
    }

    #[inline(always)]
    fn change(&self, i: usize, change: T::Exact) {
        debug_assert!(i < N);
        let total = self.base.cast::<T::Exact>().wrapping_add(i);
        // SAFETY: the column of a global whose merge is a sum holds `N` sums, and belongs to this thread. Columns are
        // aligned to 8 bytes, which is less than the alignment of an i128.
        unsafe { total.write_unaligned(T::sum_of(total.read_unaligned(), change)) };
    }
}

accumulate! {
    /// Stores the smaller of the current and the given value.
    fetch_min, fetch_min_at, |old, value| smaller(value, old).then_some(value);
    /// Stores the larger of the current and the given value.
    fetch_max, fetch_max_at, |old, value| larger(value, old).then_some(value);
    /// Stores the bitwise or logical AND of the current and the given value.
    fetch_and, fetch_and_at, |old, value| Some(old.and(value));
    /// Stores the bitwise or logical OR of the current and the given value.
    fetch_or, fetch_or_at, |old, value| Some(old.or(value));
    /// Stores the value.
    store, store_at, |_old, value| Some(value);
}
