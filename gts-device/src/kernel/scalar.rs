//! Elements of attributes in memory: loads, stores and atomic updates.
//!
//! All accesses to attribute memory are here. If two threads may access the same element, both use an atomic of the
//! element's size ([`Shared`]). A [`Replica`] has one writing thread, which updates it by a load and a store.
#![allow(unsafe_code)]

use gts_contract::ScalarType;
use gts_core::graph::VertexId;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering::Relaxed};

/// The width in which vertex numbers are stored.
pub trait VertexWord: Copy + Send + Sync + 'static {
    /// Whether a number takes 8 bytes rather than 4.
    const WIDE: bool;
}

impl VertexWord for u32 {
    const WIDE: bool = false;
}

impl VertexWord for u64 {
    const WIDE: bool = true;
}

/// The way in which a body's updates reach memory.
pub trait Memory: Copy + Send + Sync + 'static {
    /// The width of stored vertex numbers.
    type VertexWord: VertexWord;
    /// Whether other threads access the same elements.
    const SHARED: bool;
    /// Whether sums of f32 are stored as f64: such an attribute is only added to.
    const WIDE_SUMS: bool = false;
}

/// Attributes that several threads update, by relaxed atomics.
#[derive(Clone, Copy, Debug)]
pub struct Shared<W>(std::marker::PhantomData<W>);

impl<W: VertexWord> Memory for Shared<W> {
    type VertexWord = W;
    const SHARED: bool = true;
}

/// Attributes that only one thread updates, by loads and stores; others may read them meanwhile.
#[derive(Clone, Copy, Debug)]
pub struct Replica<W>(std::marker::PhantomData<W>);

impl<W: VertexWord> Memory for Replica<W> {
    type VertexWord = W;
    const SHARED: bool = false;
}

/// As [`Replica`], with an f64 in place of each f32, which is only added to.
#[derive(Clone, Copy, Debug)]
pub struct WideReplica<W>(std::marker::PhantomData<W>);

impl<W: VertexWord> Memory for WideReplica<W> {
    type VertexWord = W;
    const SHARED: bool = false;
    const WIDE_SUMS: bool = true;
}

/// The type of an element, and how it is loaded, stored and updated at `base[index]`.
///
/// # Safety
///
/// Every function requires that `base` points to aligned elements of this type, stored in the width of vertex numbers
/// in `P`, that `index` is in bounds, and that, unless `P` is shared, no other thread writes the elements that this one
/// writes.
#[allow(clippy::missing_safety_doc, reason = "stated once, on the trait")]
pub trait Scalar: Copy + PartialEq + PartialOrd + Send + Sync + 'static {
    /// The type in the schema.
    const SCALAR: ScalarType;

    /// Returns the element.
    unsafe fn load<P: Memory>(base: *mut u8, index: usize) -> Self;

    /// Stores an element.
    unsafe fn store<P: Memory>(base: *mut u8, index: usize, value: Self);

    /// Replaces the element by the result of `change`, unless that is `None`; returns the previous value.
    unsafe fn update<P: Memory>(base: *mut u8, index: usize, change: impl Fn(Self) -> Option<Self>) -> Self;

    /// Adds, wrapping for integers; returns the previous value.
    unsafe fn add<P: Memory>(base: *mut u8, index: usize, value: Self) -> Self {
        // SAFETY: the caller guarantees this.
        unsafe { Self::update::<P>(base, index, |old| Some(old.sum(value))) }
    }

    /// Subtracts, wrapping for integers; returns the previous value.
    unsafe fn subtract<P: Memory>(base: *mut u8, index: usize, value: Self) -> Self {
        // SAFETY: the caller guarantees this.
        unsafe { Self::update::<P>(base, index, |old| Some(old.difference(value))) }
    }

    /// Returns the sum: wrapping for integers, `or` for bool.
    fn sum(self, other: Self) -> Self;
    /// Returns the difference: wrapping for integers.
    fn difference(self, other: Self) -> Self;
    /// Returns whether `self` is before `other` in the order of `fetch_min` and `fetch_max`: floats as ordered
    /// integers.
    fn before(self, other: Self) -> bool;
    /// Returns whether the value never wins a minimum or maximum: NaN.
    fn loses(self) -> bool {
        false
    }
    /// Bitwise or logical and; floats are unchanged.
    fn and(self, other: Self) -> Self;
    /// Bitwise or logical or; floats are unchanged.
    fn or(self, other: Self) -> Self;
    /// Bitwise or logical exclusive or; floats are unchanged.
    fn xor(self, other: Self) -> Self;
    /// Returns whether both have the same bits.
    fn same(self, other: Self) -> bool;
}

/// Updates a word in memory: with a compare-and-exchange loop if it is shared, with a load and a store if it is owned.
macro_rules! update_word {
    ($atomic:ty, $bits:ty, $base:expr, $index:expr, $old:ident => $new:expr) => {{
        // SAFETY: the caller of the trait function guarantees that the pointer is valid.
        let place = unsafe { $base.cast::<$bits>().add($index) };
        // SAFETY: only atomics access elements while a pass runs; a relaxed load or store is a plain one.
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
            // SAFETY: a relaxed load is a plain one on every machine that Rust runs on, and excludes a data race.
            Self::from_word(unsafe { <$atomic>::from_ptr(place) }.load(Relaxed))
        }

        #[inline(always)]
        unsafe fn store<P: Memory>(base: *mut u8, index: usize, value: Self) {
            // SAFETY: the caller guarantees that the pointer is valid.
            let place = unsafe { base.cast::<$bits>().add(index) };
            // SAFETY: as for the load.
            unsafe { <$atomic>::from_ptr(place) }.store(value.to_word(), Relaxed);
        }

        #[inline(always)]
        unsafe fn update<P: Memory>(base: *mut u8, index: usize, change: impl Fn(Self) -> Option<Self>) -> Self {
            Self::from_word(update_word!($atomic, $bits, base, index, old => change(Self::from_word(old)).map(Self::to_word)))
        }
    };
}

/// A value as the unsigned word of its size.
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
                    // SAFETY: the caller guarantees that the pointer is valid; shared elements are accessed only by
                    // atomics.
                    let word = unsafe { <$atomic>::from_ptr(base.cast::<$bits>().add(index)) };
                    word.fetch_add(value.to_word(), Relaxed) as Self
                } else {
                    // SAFETY: the caller guarantees this.
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
                    // SAFETY: the caller guarantees that the pointer is valid; with wide sums its elements are f64, and
                    // owned.
                    let sum = unsafe { &mut *base.cast::<f64>().add(index) };
                    let old = *sum;
                    *sum = old + f64::from(value);
                    return old as Self;
                }
                // SAFETY: the caller guarantees this.
                unsafe { Self::update::<P>(base, index, |old| Some(old.with_term(value))) }
            }
            #[inline(always)]
            unsafe fn subtract<P: Memory>(base: *mut u8, index: usize, value: Self) -> Self {
                // SAFETY: the caller guarantees this.
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

/// A float that accumulates many terms.
trait Sum {
    /// Returns the sum with one more term.
    fn with_term(self, term: Self) -> Self;
}

impl Sum for f64 {
    #[inline(always)]
    fn with_term(self, term: Self) -> Self {
        self + term
    }
}

impl Sum for f32 {
    /// A hub adds up many terms of the same size, each far below the sum. All of them are rounded the same way, so the
    /// errors add up. To compensate, some additions add a whole unit in the last place, with a frequency equal to the
    /// lost fraction of that unit, so that the errors cancel. The choice depends only on the bits that are added. The
    /// CUDA prelude does the same.
    #[inline(always)]
    fn with_term(self, term: Self) -> Self {
        /// Fraction of a sum below which a term counts as far below: 2,048 such terms lose 4e-5 of the sum at worst.
        const FAR_BELOW: f32 = 1.0 / 2048.0;
        let sum = self + term;
        if term.abs() < self.abs() * FAR_BELOW { made_up(self, term, sum) } else { sum }
    }
}

/// Returns the sum, or the adjacent float in the direction of the lost part.
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

/// All ones in 4 bytes is all ones in 8: `UNREACHED` in either width.
#[inline(always)]
fn widen(word: u32) -> VertexId {
    VertexId(if word == u32::MAX { u64::MAX } else { u64::from(word) })
}

impl Scalar for VertexId {
    const SCALAR: ScalarType = ScalarType::VertexId;

    #[inline(always)]
    unsafe fn load<P: Memory>(base: *mut u8, index: usize) -> Self {
        // SAFETY: the caller guarantees this, for words of the width in `P`.
        unsafe {
            if P::VertexWord::WIDE { VertexId(u64::load::<P>(base, index)) } else { widen(u32::load::<P>(base, index)) }
        }
    }

    #[inline(always)]
    unsafe fn store<P: Memory>(base: *mut u8, index: usize, value: Self) {
        // SAFETY: as above.
        unsafe {
            if P::VertexWord::WIDE {
                u64::store::<P>(base, index, value.0);
            } else {
                u32::store::<P>(base, index, value.0 as u32);
            }
        }
    }

    #[inline(always)]
    unsafe fn update<P: Memory>(base: *mut u8, index: usize, change: impl Fn(Self) -> Option<Self>) -> Self {
        // SAFETY: as above.
        unsafe {
            if P::VertexWord::WIDE {
                VertexId(u64::update::<P>(base, index, |old| change(VertexId(old)).map(|new| new.0)))
            } else {
                widen(u32::update::<P>(base, index, |old| change(widen(old)).map(|new| new.0 as u32)))
            }
        }
    }

    #[inline(always)]
    fn sum(self, other: Self) -> Self {
        VertexId(self.0.wrapping_add(other.0))
    }
    #[inline(always)]
    fn difference(self, other: Self) -> Self {
        VertexId(self.0.wrapping_sub(other.0))
    }
    #[inline(always)]
    fn before(self, other: Self) -> bool {
        self.0 < other.0
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        VertexId(self.0 & other.0)
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        VertexId(self.0 | other.0)
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        VertexId(self.0 ^ other.0)
    }
    #[inline(always)]
    fn same(self, other: Self) -> bool {
        self == other
    }
}
