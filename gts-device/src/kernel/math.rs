//! Integer arithmetic that reports a run-time error if Rust's own operators would panic. Results are the same on every
//! device, also after an error: sums, differences, products and negations wrap.

use super::context::Context;
use crate::fault_place::FaultPlace;
use gts_core::graph::Vertex;

/// Operations on integers that can fault. `site` is the index of the operation's location in the kernel's
/// `error_sites`.
pub trait Integer: Copy {
    /// Returns the sum.
    fn plus(self, other: Self, gts: Context<'_>, place: FaultPlace, site: u32) -> Self;
    /// Returns the difference.
    fn minus(self, other: Self, gts: Context<'_>, place: FaultPlace, site: u32) -> Self;
    /// Returns the product.
    fn times(self, other: Self, gts: Context<'_>, place: FaultPlace, site: u32) -> Self;
    /// Returns the number with the opposite sign.
    fn negated(self, gts: Context<'_>, place: FaultPlace, site: u32) -> Self;
    /// Returns the absolute value. Only signed types fault.
    fn absolute(self, gts: Context<'_>, place: FaultPlace, site: u32) -> Self;
    /// Returns the number shifted to the left by `by` bits; after an error, by `by` modulo the width.
    fn shifted_left(self, by: i128, gts: Context<'_>, place: FaultPlace, site: u32) -> Self;
    /// Returns the number shifted to the right by `by` bits; after an error, by `by` modulo the width.
    fn shifted_right(self, by: i128, gts: Context<'_>, place: FaultPlace, site: u32) -> Self;
    /// Returns the quotient, rounded towards zero. A division by zero is reported at `zero`, and the smallest integer
    /// divided by -1 at `overflow`. Both errors yield 0.
    fn quotient(self, divisor: Self, gts: Context<'_>, place: FaultPlace, zero: u32, overflow: u32) -> Self;
    /// Returns the remainder, with the sign of `self`. Reports the errors of [`Integer::quotient`], which yield 0.
    fn remainder(self, divisor: Self, gts: Context<'_>, place: FaultPlace, zero: u32, overflow: u32) -> Self;
    /// Returns the sum, saturated at the limits of the type. Saturation is treated as rare, so that it compiles to a
    /// branch. A comparison with the sum then does not wait for a conditional move.
    fn saturated_sum(self, other: Self) -> Self;
    /// Returns the number, which is a value of the active vertex `src`. If the number is the largest integer, which
    /// means `UNREACHED`, reports an error and returns 1. Few operations on 1 fault again.
    fn present(self, gts: Context<'_>, src: Vertex, site: u32) -> Self;
}

/// Reports an error if the operation has overflowed. Returns the operation's value.
#[inline(always)]
fn reported<T>((value, overflows): (T, bool), operand: i64, gts: Context<'_>, place: FaultPlace, site: u32) -> T {
    if overflows {
        gts.report(place, site, operand);
    }
    value
}

/// Reports an error unless `amount` is less than the number of bits. Returns the amount modulo the number of bits.
#[inline(always)]
fn amount(amount: i128, bits: u32, gts: Context<'_>, place: FaultPlace, site: u32) -> u32 {
    reported((amount as u32 % bits, !(0..i128::from(bits)).contains(&amount)), amount as i64, gts, place, site)
}

macro_rules! integer {
    ($($type:ty: $absolute:expr),*) => {$(
        impl Integer for $type {
            #[inline(always)]
            fn plus(self, other: Self, gts: Context<'_>, place: FaultPlace, site: u32) -> Self {
                reported(self.overflowing_add(other), self as i64, gts, place, site)
            }

            #[inline(always)]
            fn minus(self, other: Self, gts: Context<'_>, place: FaultPlace, site: u32) -> Self {
                reported(self.overflowing_sub(other), self as i64, gts, place, site)
            }

            #[inline(always)]
            fn times(self, other: Self, gts: Context<'_>, place: FaultPlace, site: u32) -> Self {
                reported(self.overflowing_mul(other), self as i64, gts, place, site)
            }

            #[inline(always)]
            fn negated(self, gts: Context<'_>, place: FaultPlace, site: u32) -> Self {
                reported(self.overflowing_neg(), self as i64, gts, place, site)
            }

            #[inline(always)]
            fn absolute(self, gts: Context<'_>, place: FaultPlace, site: u32) -> Self {
                reported($absolute(self), self as i64, gts, place, site)
            }

            #[inline(always)]
            fn shifted_left(self, by: i128, gts: Context<'_>, place: FaultPlace, site: u32) -> Self {
                self.wrapping_shl(amount(by, Self::BITS, gts, place, site))
            }

            #[inline(always)]
            fn shifted_right(self, by: i128, gts: Context<'_>, place: FaultPlace, site: u32) -> Self {
                self.wrapping_shr(amount(by, Self::BITS, gts, place, site))
            }

            #[inline(always)]
            fn quotient(self, divisor: Self, gts: Context<'_>, place: FaultPlace, zero: u32, overflow: u32) -> Self {
                let site = if divisor == 0 { zero } else { overflow };
                let quotient = self.checked_div(divisor);
                reported((quotient.unwrap_or(0), quotient.is_none()), self as i64, gts, place, site)
            }

            #[inline(always)]
            fn remainder(self, divisor: Self, gts: Context<'_>, place: FaultPlace, zero: u32, overflow: u32) -> Self {
                let site = if divisor == 0 { zero } else { overflow };
                let remainder = self.checked_rem(divisor);
                reported((remainder.unwrap_or(0), remainder.is_none()), self as i64, gts, place, site)
            }

            #[inline(always)]
            fn saturated_sum(self, other: Self) -> Self {
                // A call, so that the compiler keeps the branch: a select would delay every sum.
                #[cold]
                #[inline(never)]
                fn limit(other: $type) -> $type {
                    if <$type>::MIN == 0 || other > 0 { <$type>::MAX } else { <$type>::MIN }
                }
                self.checked_add(other).unwrap_or_else(|| limit(other))
            }

            #[inline(always)]
            fn present(self, gts: Context<'_>, src: Vertex, site: u32) -> Self {
                let missing = self == Self::MAX;
                reported((if missing { 1 } else { self }, missing), 0, gts, FaultPlace::vertex(src), site)
            }
        }
    )*};
}

integer!(
    u8: |x| (x, false), u16: |x| (x, false), u32: |x| (x, false), u64: |x| (x, false),
    i32: i32::overflowing_abs, i64: i64::overflowing_abs
);

#[cfg(test)]
mod tests {
    use super::Integer;

    #[test]
    fn saturated_sums_are_those_of_rust() {
        for a in [i32::MIN, i32::MIN + 1, -7, -1, 0, 1, 7, i32::MAX - 1, i32::MAX] {
            for b in [i32::MIN, -8, -1, 0, 1, 2, i32::MAX] {
                assert_eq!(a.saturated_sum(b), a.saturating_add(b), "{a} + {b}");
                let (a, b) = (a as u32, b as u32);
                assert_eq!(a.saturated_sum(b), a.saturating_add(b), "{a} + {b}");
            }
        }
    }
}
