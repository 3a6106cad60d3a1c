//! Exact sums: the types in which registers and globals hold sums, and the test of whether an integer can hold a sum.

use super::scalar::Scalar;

/// The checks that a pass makes when its kernel adds to an integer in memory or subtracts from it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SumChecks {
    /// Every total of the pass fits, so nothing is checked.
    #[default]
    None,
    /// The attributes hold whole values, which must stay in the range of their type.
    Whole,
    /// The attributes are a replica that began the pass with zeros and holds a part of each total. The part is stored
    /// modulo the number of values of the type. Its magnitude must be less than this number.
    Part,
}

/// An element type whose values can be summed.
pub trait Summable: Scalar {
    /// The type of sums in registers and globals: i64 for integers of at most 32 bits, i128 for other integers, and f64
    /// for floats.
    type Exact: Copy + Send + Sync;
    /// The initial sum, before any term is added.
    const NOTHING: Self::Exact;
    /// Returns the term as a sum.
    fn exact(self) -> Self::Exact;
    /// Returns the sum of two sums.
    fn sum_of(a: Self::Exact, b: Self::Exact) -> Self::Exact;
    /// Returns the negated sum.
    fn negated(sum: Self::Exact) -> Self::Exact;
    /// Converts the sum to the element type. A float is rounded, and an integer wraps around.
    fn rounded(sum: Self::Exact) -> Self;
    /// Returns whether the sum `change` can be added to an element that holds `old`. Always true for floats.
    fn holds(checks: SumChecks, old: Self, change: Self::Exact) -> bool;
    /// Returns the value as a fault reports it.
    fn reported(self) -> i64;
}

macro_rules! integers {
    ($($type:ty: $exact:ty;)*) => {$(
        impl Summable for $type {
            type Exact = $exact;
            const NOTHING: $exact = 0;
            #[inline(always)]
            fn exact(self) -> $exact { self as $exact }
            // The sum wraps around only if a body or list has 2^31 terms of 32 bits, or 2^63 terms of 64 bits.
            #[inline(always)]
            fn sum_of(a: $exact, b: $exact) -> $exact { a.wrapping_add(b) }
            #[inline(always)]
            fn negated(sum: $exact) -> $exact { sum.wrapping_neg() }
            #[inline(always)]
            fn rounded(sum: $exact) -> Self { sum as Self }
            #[inline(always)]
            fn holds(checks: SumChecks, old: Self, change: $exact) -> bool {
                let (least, largest) = (Self::MIN as i128, Self::MAX as i128);
                let (old, change, values) = (old as i128, change as i128, largest - least + 1);
                match checks {
                    SumChecks::None => true,
                    SumChecks::Whole => (least..=largest).contains(&(old + change)),
                    SumChecks::Part if change < 0 => (values - old) % values - change < values,
                    SumChecks::Part => (old + values) % values + change < values,
                }
            }
            #[inline(always)]
            fn reported(self) -> i64 { self as i64 }
        }
    )*};
}

integers! {
    u8: i64;
    u16: i64;
    u32: i64;
    i32: i64;
    u64: i128;
    i64: i128;
}

macro_rules! floats {
    ($($type:ty),*) => {$(
        impl Summable for $type {
            type Exact = f64;
            const NOTHING: f64 = 0.0;
            #[inline(always)]
            fn exact(self) -> f64 { f64::from(self) }
            #[inline(always)]
            fn sum_of(a: f64, b: f64) -> f64 { a + b }
            #[inline(always)]
            fn negated(sum: f64) -> f64 { -sum }
            #[inline(always)]
            fn rounded(sum: f64) -> Self { sum as Self }
            #[inline(always)]
            fn holds(_: SumChecks, _: Self, _: f64) -> bool { true }
            #[inline(always)]
            fn reported(self) -> i64 { 0 }
        }
    )*};
}

floats!(f32, f64);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_values_stay_in_the_range_of_their_type() {
        let holds = |old: i32, change| i32::holds(SumChecks::Whole, old, change);
        assert!(holds(i32::MAX - 1, 1) && !holds(i32::MAX, 1) && holds(i32::MIN, 1 << 31) && !holds(i32::MIN, -1));
        assert!(u64::holds(SumChecks::Whole, 1, i128::from(u64::MAX) - 1) && !u64::holds(SumChecks::Whole, 0, -1));
    }

    #[test]
    fn parts_are_magnitudes_below_the_number_of_values() {
        let holds = |old: u8, change| u8::holds(SumChecks::Part, old, change);
        // A part of -1 is stored as 255.
        assert!(holds(0, 255) && !holds(0, 256) && holds(0, -255) && !holds(0, -256));
        assert!(holds(255, -254) && !holds(255, -255) && holds(254, 1) && !holds(254, 2));
        let holds = |old: i32, change| i32::holds(SumChecks::Part, old, change);
        assert!(holds(i32::MAX, 1) && holds(-1, -1) && !holds(-1, 1) && !holds(1, -i64::from(u32::MAX)));
    }
}
