//! The types in which registers and globals hold sums.

use super::scalar::Scalar;

/// An element type whose values can be summed.
pub trait Summable: Scalar {
    /// The type of totals: i64 for integers of at most 32 bits, f64 for f32, otherwise the element type.
    type Total: Copy + Send + Sync;
    /// The initial total, before any term is added.
    const NOTHING: Self::Total;
    /// Adds a term to the total.
    fn plus(total: Self::Total, term: Self) -> Self::Total;
    /// Subtracts a term from the total.
    fn minus(total: Self::Total, term: Self) -> Self::Total;
    /// Converts the total to the element type. A float is rounded, and an integer wraps around.
    fn rounded(total: Self::Total) -> Self;
}

macro_rules! summable {
    ($($type:ty: $total:ty, |$a:ident, $b:ident| $plus:expr, $minus:expr;)*) => {$(
        impl Summable for $type {
            type Total = $total;
            const NOTHING: $total = 0 as $total;
            #[inline(always)]
            fn plus($a: $total, $b: Self) -> $total { $plus }
            #[inline(always)]
            fn minus($a: $total, $b: Self) -> $total { $minus }
            #[inline(always)]
            fn rounded(total: $total) -> Self { total as Self }
        }
    )*};
}

summable! {
    u8: i64, |a, b| a.wrapping_add(b.into()), a.wrapping_sub(b.into());
    u16: i64, |a, b| a.wrapping_add(b.into()), a.wrapping_sub(b.into());
    u32: i64, |a, b| a.wrapping_add(b.into()), a.wrapping_sub(b.into());
    u64: u64, |a, b| a.wrapping_add(b), a.wrapping_sub(b);
    i32: i64, |a, b| a.wrapping_add(b.into()), a.wrapping_sub(b.into());
    i64: i64, |a, b| a.wrapping_add(b), a.wrapping_sub(b);
    f32: f64, |a, b| a + f64::from(b), a - f64::from(b);
    f64: f64, |a, b| a + b, a - b;
}
