//! Integer division with results that are defined for all operands and are the same on every device.

use super::context::Context;

/// Integer division and remainder that report errors instead of panicking.
pub trait Integer: Copy {
    /// Returns the quotient, rounded towards zero. A division by zero is reported at `zero` and yields 0. The smallest
    /// integer divided by -1 is reported at `overflow` and yields the smallest integer.
    fn quotient(self, divisor: Self, gts: Context<'_>, zero: u32, overflow: u32) -> Self;
    /// Returns the remainder, with the sign of `self`. Reports the same errors as [`Integer::quotient`]. An erroneous
    /// remainder is 0.
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
