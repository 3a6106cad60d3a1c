//! Arithmetic with the same results on every device, for cases in which Rust's own operators would panic.

use super::context::Context;

/// Integer division and remainder that report instead of panicking.
pub trait Integer: Copy {
    /// Returns the quotient, rounded towards zero. Reports a division by zero at `zero` and returns 0; reports the
    /// smallest integer divided by -1 at `overflow` and returns it.
    fn quotient(self, divisor: Self, gts: Context<'_>, zero: u32, overflow: u32) -> Self;
    /// Returns the remainder, with the sign of `self`; reports errors like [`Integer::quotient`], then returns 0.
    fn remainder(self, divisor: Self, gts: Context<'_>, zero: u32, overflow: u32) -> Self;
}

macro_rules! integer {
    ($($type:ty),*) => {$(
        impl Integer for $type {
            #[inline(always)]
            fn quotient(self, divisor: Self, gts: Context<'_>, zero: u32, overflow: u32) -> Self {
                match self.checked_div(divisor) {
                    Some(quotient) => quotient,
                    None => {
                        gts.report(if divisor == 0 { zero } else { overflow }, self as i64);
                        if divisor == 0 { 0 } else { self }
                    }
                }
            }

            #[inline(always)]
            fn remainder(self, divisor: Self, gts: Context<'_>, zero: u32, overflow: u32) -> Self {
                match self.checked_rem(divisor) {
                    Some(remainder) => remainder,
                    None => {
                        gts.report(if divisor == 0 { zero } else { overflow }, self as i64);
                        0
                    }
                }
            }
        }
    )*};
}

integer!(u8, u16, u32, u64, i32, i64);
