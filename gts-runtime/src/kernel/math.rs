//! Arithmetic whose meaning is the same on every device, where Rust's own operators would panic.

use super::context::Context;

/// Integer division and remainder that report instead of panicking.
pub trait Integer: Copy {
    /// The quotient, rounded towards zero. Division by zero is reported at `zero` and answers 0; the smallest integer
    /// divided by -1 is reported at `overflow` and answers itself.
    fn quotient(self, divisor: Self, gts: Context<'_>, zero: u32, overflow: u32) -> Self;
    /// The remainder, with the sign of `self`; reported like [`Integer::quotient`], then 0.
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
