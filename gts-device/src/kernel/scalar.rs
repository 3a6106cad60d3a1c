//! Loads, stores and atomic updates of attribute elements in memory.
//!
//! This module contains all accesses to attribute memory from kernel bodies. If several threads may update an element,
//! updates use atomics of the element's size ([`Shared`]). A [`Replica`] has only one writing thread, which updates an
//! element with a load and a store.
#![allow(unsafe_code)]

use gts_contract::ScalarType;
use gts_core::graph::VertexId;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering::Relaxed};

/// The width of stored vertex numbers.
pub trait VertexWord: Copy + Send + Sync + 'static {
    /// Whether a vertex number occupies 8 bytes instead of 4.
    const WIDE: bool;
}

impl VertexWord for u32 {
    const WIDE: bool = false;
}

impl VertexWord for u64 {
    const WIDE: bool = true;
}

/// The kind of memory that a body updates, which determines the instructions for updates.
pub trait Memory: Copy + Send + Sync + 'static {
    /// The width of stored vertex numbers.
    type VertexWord: VertexWord;
    /// Whether other threads may update the same elements.
    const SHARED: bool;
    /// Whether each f32 sum is stored as an f64. The kernel must only add to these attributes.
    const WIDE_SUMS: bool = false;
}

/// Memory that several threads update with relaxed atomics.
#[derive(Clone, Copy, Debug)]
pub struct Shared<W>(std::marker::PhantomData<W>);

impl<W: VertexWord> Memory for Shared<W> {
    type VertexWord = W;
    const SHARED: bool = true;
}

/// Memory that only one thread updates, with loads and stores. Other threads may read the memory concurrently.
#[derive(Clone, Copy, Debug)]
pub struct Replica<W>(std::marker::PhantomData<W>);

impl<W: VertexWord> Memory for Replica<W> {
    type VertexWord = W;
    const SHARED: bool = false;
}

/// Like [`Replica`], except that each f32 is stored as an f64. The kernel only adds to these elements.
#[derive(Clone, Copy, Debug)]
pub struct WideReplica<W>(std::marker::PhantomData<W>);

impl<W: VertexWord> Memory for WideReplica<W> {
    type VertexWord = W;
    const SHARED: bool = false;
    const WIDE_SUMS: bool = true;
}

/// An element type, with functions that load, store and update the element at `base[index]`.
///
/// # Safety
///
/// Every function requires that `base` points to aligned elements of this type, that vertex numbers have the width in
/// `P`, and that `index` is in bounds. Unless `P` is shared, no other thread may write the elements that this thread
/// writes.
#[allow(clippy::missing_safety_doc, reason = "stated once, on the trait")]
pub trait Scalar: Copy + PartialEq + PartialOrd + Send + Sync + 'static {
    /// The element's type in the schema.
    const SCALAR: ScalarType;

    /// Loads the element.
    unsafe fn load<P: Memory>(base: *mut u8, index: usize) -> Self;

    /// Stores a value in the element.
    unsafe fn store<P: Memory>(base: *mut u8, index: usize, value: Self);

    /// Replaces the element with the result of `change`, unless the result is `None`. Returns the previous value.
    unsafe fn update<P: Memory>(base: *mut u8, index: usize, change: impl Fn(Self) -> Option<Self>) -> Self;

    /// Adds to the element and returns the previous value. Integers wrap.
    unsafe fn add<P: Memory>(base: *mut u8, index: usize, value: Self) -> Self {
        // SAFETY: the caller upholds this function's contract.
        unsafe { Self::update::<P>(base, index, |old| Some(old.sum(value))) }
    }

    /// Subtracts from the element and returns the previous value. Integers wrap.
    unsafe fn subtract<P: Memory>(base: *mut u8, index: usize, value: Self) -> Self {
        // SAFETY: the caller upholds this function's contract.
        unsafe { Self::update::<P>(base, index, |old| Some(old.difference(value))) }
    }

    /// Returns the sum. Integers wrap. The sum of two bools is their OR.
    fn sum(self, other: Self) -> Self;
    /// Returns the difference. Integers wrap.
    fn difference(self, other: Self) -> Self;
    /// Returns whether `self` is less than `other` in the order of `fetch_min` and `fetch_max`. Floats compare as in
    /// `total_cmp`.
    fn before(self, other: Self) -> bool;
    /// Returns whether the value is a NaN, which never replaces another value in a minimum or maximum.
    fn loses(self) -> bool {
        false
    }
    /// Returns the bitwise or logical AND. Returns `self` for floats.
    fn and(self, other: Self) -> Self;
    /// Returns the bitwise or logical OR. Returns `self` for floats.
    fn or(self, other: Self) -> Self;
    /// Returns the bitwise or logical XOR. Returns `self` for floats.
    fn xor(self, other: Self) -> Self;
    /// Returns whether both values have the same bits.
    fn same(self, other: Self) -> bool;
}

/// Updates a word in memory. A shared word is updated with a compare-exchange loop, an owned word with a load and a
/// store.
macro_rules! update_word {
    ($atomic:ty, $bits:ty, $base:expr, $index:expr, $old:ident => $new:expr) => {{
        // SAFETY: the caller of the trait function guarantees that the pointer is valid.
        let place = unsafe { $base.cast::<$bits>().add($index) };
        // SAFETY: only atomics access these elements while a pass runs. A relaxed load or store costs no more than a
        // plain one.
        let word = unsafe { <$atomic>::from_ptr(place) };
        if P::SHARED {
            let mut $old = word.load(Relaxed);
            loop {
                let Some(new) = $new else { break $old };
                match word.compare_exchange_weak($old, new, Relaxed, Relaxed) {
                    Ok(_) => break $old,
                    Err(current) => $old = current,
                }
            }
        } else {
            let $old = word.load(Relaxed);
            if let Some(new) = $new {
                word.store(new, Relaxed);
            }
            $old
        }
    }};
}

macro_rules! access {
    ($type:ty, $atomic:ty, $bits:ty) => {
        #[inline(always)]
        unsafe fn load<P: Memory>(base: *mut u8, index: usize) -> Self {
            // SAFETY: the caller guarantees that the pointer is valid.
            let place = unsafe { base.cast::<$bits>().add(index) };
            // SAFETY: an atomic load cannot be part of a data race. A relaxed load compiles to a plain load.
            Self::from_word(unsafe { <$atomic>::from_ptr(place) }.load(Relaxed))
        }

        #[inline(always)]
        unsafe fn store<P: Memory>(base: *mut u8, index: usize, value: Self) {
            // SAFETY: the caller guarantees that the pointer is valid.
            let place = unsafe { base.cast::<$bits>().add(index) };
            // SAFETY: an atomic store cannot be part of a data race.
            unsafe { <$atomic>::from_ptr(place) }.store(value.to_word(), Relaxed);
        }

        #[inline(always)]
        unsafe fn update<P: Memory>(base: *mut u8, index: usize, change: impl Fn(Self) -> Option<Self>) -> Self {
            Self::from_word(update_word!($atomic, $bits, base, index, old => change(Self::from_word(old)).map(Self::to_word)))
        }
    };
}

/// Conversions between a value and the unsigned word of the same size.
trait Word<B>: Sized {
    fn to_word(self) -> B;
    fn from_word(word: B) -> Self;
}

macro_rules! integer {
    ($($type:ty, $atomic:ty, $bits:ty, $scalar:ident;)*) => {$(
        impl Word<$bits> for $type {
            #[inline(always)]
            fn to_word(self) -> $bits { self as $bits }
            #[inline(always)]
            fn from_word(word: $bits) -> Self { word as Self }
        }

        impl Scalar for $type {
            const SCALAR: ScalarType = ScalarType::$scalar;
            access!($type, $atomic, $bits);

            #[inline(always)]
            unsafe fn add<P: Memory>(base: *mut u8, index: usize, value: Self) -> Self {
                if P::SHARED {
                    // SAFETY: the caller guarantees that the pointer is valid. Only atomics access shared elements.
                    let word = unsafe { <$atomic>::from_ptr(base.cast::<$bits>().add(index)) };
                    word.fetch_add(value.to_word(), Relaxed) as Self
                } else {
                    // SAFETY: the caller upholds this function's contract.
                    unsafe { Self::update::<P>(base, index, |old| Some(old.wrapping_add(value))) }
                }
            }
            #[inline(always)]
            fn sum(self, other: Self) -> Self { self.wrapping_add(other) }
            #[inline(always)]
            fn difference(self, other: Self) -> Self { self.wrapping_sub(other) }
            #[inline(always)]
            fn before(self, other: Self) -> bool { self < other }
            #[inline(always)]
            fn and(self, other: Self) -> Self { self & other }
            #[inline(always)]
            fn or(self, other: Self) -> Self { self | other }
            #[inline(always)]
            fn xor(self, other: Self) -> Self { self ^ other }
            #[inline(always)]
            fn same(self, other: Self) -> bool { self == other }
        }
    )*};
}

integer! {
    u8, AtomicU8, u8, U8;
    u16, AtomicU16, u16, U16;
    u32, AtomicU32, u32, U32;
    u64, AtomicU64, u64, U64;
    i32, AtomicU32, u32, I32;
    i64, AtomicU64, u64, I64;
}

macro_rules! float {
    ($($type:ty, $atomic:ty, $bits:ty, $scalar:ident;)*) => {$(
        impl Word<$bits> for $type {
            #[inline(always)]
            fn to_word(self) -> $bits { self.to_bits() }
            #[inline(always)]
            fn from_word(word: $bits) -> Self { Self::from_bits(word) }
        }

        impl Scalar for $type {
            const SCALAR: ScalarType = ScalarType::$scalar;
            access!($type, $atomic, $bits);

            #[inline(always)]
            unsafe fn add<P: Memory>(base: *mut u8, index: usize, value: Self) -> Self {
                if P::WIDE_SUMS && Self::SCALAR == ScalarType::F32 {
                    // SAFETY: the caller guarantees that the pointer is valid. If `WIDE_SUMS` is set, the elements are
                    // f64 and only this thread accesses them.
                    let sum = unsafe { &mut *base.cast::<f64>().add(index) };
                    let old = *sum;
                    *sum = old + f64::from(value);
                    return old as Self;
                }
                // SAFETY: the caller upholds this function's contract.
                unsafe { Self::update::<P>(base, index, |old| Some(old.with_term(value))) }
            }
            #[inline(always)]
            unsafe fn subtract<P: Memory>(base: *mut u8, index: usize, value: Self) -> Self {
                // SAFETY: the caller upholds this function's contract.
                unsafe { Self::add::<P>(base, index, -value) }
            }
            #[inline(always)]
            fn sum(self, other: Self) -> Self { self + other }
            #[inline(always)]
            fn difference(self, other: Self) -> Self { self.with_term(-other) }
            #[inline(always)]
            fn before(self, other: Self) -> bool { self.total_cmp(&other).is_lt() }
            #[inline(always)]
            fn loses(self) -> bool { self.is_nan() }
            #[inline(always)]
            fn and(self, _: Self) -> Self { self }
            #[inline(always)]
            fn or(self, _: Self) -> Self { self }
            #[inline(always)]
            fn xor(self, _: Self) -> Self { self }
            #[inline(always)]
            fn same(self, other: Self) -> bool { self.to_bits() == other.to_bits() }
        }
    )*};
}

float! {
    f32, AtomicU32, u32, F32;
    f64, AtomicU64, u64, F64;
}

/// Float addition for accumulators that receive many terms.
trait Sum {
    /// Returns `self` plus a term.
    fn with_term(self, term: Self) -> Self;
}

impl Sum for f64 {
    #[inline(always)]
    fn with_term(self, term: Self) -> Self {
        self + term
    }
}

impl Sum for f32 {
    /// A hub accumulates many terms of similar size that are far smaller than the sum. Plain addition would round all
    /// sums in the same direction, so the errors would accumulate. Instead, some additions return the next float in the
    /// direction of the lost part, with a frequency equal to the lost fraction of a unit in the last place. The errors
    /// then cancel on average. The choice depends only on the bits of the operands. The CUDA prelude uses the same
    /// method.
    #[inline(always)]
    fn with_term(self, term: Self) -> Self {
        /// Maximum ratio of term to sum for this method. Above this ratio, 2,048 terms lose at most 4e-5 of the sum.
        const FAR_BELOW: f32 = 1.0 / 2048.0;
        let sum = self + term;
        if term.abs() < self.abs() * FAR_BELOW { made_up(self, term, sum) } else { sum }
    }
}

/// Returns `sum`, or the adjacent float in the direction of the lost part of the term.
#[inline(always)]
fn made_up(old: f32, term: f32, sum: f32) -> f32 {
    let lost = term - (sum - old);
    let chance = (old.to_bits() ^ term.to_bits().wrapping_mul(0x9e37_79b9)).wrapping_mul(0x85eb_ca6b);
    let chance = (chance ^ chance >> 15).wrapping_mul(0xc2b2_ae35);
    let unit = f32::from_bits(sum.to_bits() & f32::INFINITY.to_bits()) * f32::EPSILON;
    let threshold = unit * ((chance >> 8) as f32 / (1 << 24) as f32);
    if lost.abs() > threshold { sum + unit.copysign(lost) } else { sum }
}

impl Word<u8> for bool {
    #[inline(always)]
    fn to_word(self) -> u8 {
        u8::from(self)
    }
    #[inline(always)]
    fn from_word(word: u8) -> Self {
        word != 0
    }
}

impl Scalar for bool {
    const SCALAR: ScalarType = ScalarType::Bool;
    access!(bool, AtomicU8, u8);

    #[inline(always)]
    fn sum(self, other: Self) -> Self {
        self | other
    }
    #[inline(always)]
    fn difference(self, other: Self) -> Self {
        self & !other
    }
    #[inline(always)]
    fn before(self, other: Self) -> bool {
        !self & other
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        self & other
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        self | other
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        self ^ other
    }
    #[inline(always)]
    fn same(self, other: Self) -> bool {
        self == other
    }
}

/// Extends a vertex number from 4 to 8 bytes. `UNREACHED`, all ones, remains all ones.
#[inline(always)]
fn widen(word: u32) -> VertexId {
    VertexId::from_bits(if word == u32::MAX { u64::MAX } else { u64::from(word) })
}

impl Scalar for VertexId {
    const SCALAR: ScalarType = ScalarType::VertexId;

    #[inline(always)]
    unsafe fn load<P: Memory>(base: *mut u8, index: usize) -> Self {
        // SAFETY: the caller upholds this function's contract, for words of the width in `P`.
        unsafe {
            if P::VertexWord::WIDE {
                VertexId::from_bits(u64::load::<P>(base, index))
            } else {
                widen(u32::load::<P>(base, index))
            }
        }
    }

    #[inline(always)]
    unsafe fn store<P: Memory>(base: *mut u8, index: usize, value: Self) {
        // SAFETY: as for `load`.
        unsafe {
            if P::VertexWord::WIDE {
                u64::store::<P>(base, index, value.to_bits());
            } else {
                u32::store::<P>(base, index, value.to_bits() as u32);
            }
        }
    }

    #[inline(always)]
    unsafe fn update<P: Memory>(base: *mut u8, index: usize, change: impl Fn(Self) -> Option<Self>) -> Self {
        // SAFETY: as for `load`.
        unsafe {
            if P::VertexWord::WIDE {
                VertexId::from_bits(u64::update::<P>(base, index, |old| {
                    change(VertexId::from_bits(old)).map(|new| new.to_bits())
                }))
            } else {
                widen(u32::update::<P>(base, index, |old| change(widen(old)).map(|new| new.to_bits() as u32)))
            }
        }
    }

    #[inline(always)]
    fn sum(self, other: Self) -> Self {
        VertexId::from_bits(self.to_bits().wrapping_add(other.to_bits()))
    }
    #[inline(always)]
    fn difference(self, other: Self) -> Self {
        VertexId::from_bits(self.to_bits().wrapping_sub(other.to_bits()))
    }
    #[inline(always)]
    fn before(self, other: Self) -> bool {
        self.to_bits() < other.to_bits()
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        VertexId::from_bits(self.to_bits() & other.to_bits())
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        VertexId::from_bits(self.to_bits() | other.to_bits())
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        VertexId::from_bits(self.to_bits() ^ other.to_bits())
    }
    #[inline(always)]
    fn same(self, other: Self) -> bool {
        self == other
    }
}
