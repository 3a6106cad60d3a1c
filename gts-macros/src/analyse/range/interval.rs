//! Intervals of integers.

use crate::ir::{BinaryOp, MathMethod, ScalarType};

/// The least and the largest value of an integer expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Interval {
    pub(super) least: i128,
    pub(super) largest: i128,
}

impl Interval {
    pub(super) const fn new(least: i128, largest: i128) -> Self {
        Self { least, largest }
    }

    pub(super) const fn point(value: i128) -> Self {
        Self::new(value, value)
    }

    /// Returns all values of an integer type.
    pub(super) fn of(scalar: ScalarType) -> Option<Self> {
        scalar.range().map(|(least, largest)| Self::new(least, largest))
    }

    /// Returns the number of bits of a type with these values.
    pub(super) const fn bits(self) -> i128 {
        128 - (self.largest - self.least).leading_zeros() as i128
    }

    pub(super) const fn contains(self, value: i128) -> bool {
        self.least <= value && value <= self.largest
    }

    pub(super) const fn within(self, other: Self) -> bool {
        other.contains(self.least) && other.contains(self.largest)
    }

    /// Returns the values that are in both intervals, or `self` if there are none.
    pub(super) fn and(self, other: Self) -> Self {
        let both = Self::new(self.least.max(other.least), self.largest.min(other.largest));
        if both.least <= both.largest { both } else { self }
    }

    /// Returns the smallest interval that contains both intervals.
    pub(super) fn or(self, other: Self) -> Self {
        Self::new(self.least.min(other.least), self.largest.max(other.largest))
    }

    /// Returns the interval of a sum, difference or product without overflow. `None` for other operations, and if the
    /// bounds exceed 128 bits.
    pub(super) fn exact(self, op: BinaryOp, other: Self) -> Option<Self> {
        let (a, b, c, d) = (self.least, self.largest, other.least, other.largest);
        match op {
            BinaryOp::Add => Some(Self::new(a.checked_add(c)?, b.checked_add(d)?)),
            BinaryOp::Sub => Some(Self::new(a.checked_sub(d)?, b.checked_sub(c)?)),
            BinaryOp::Mul => {
                let products = [a.checked_mul(c)?, a.checked_mul(d)?, b.checked_mul(c)?, b.checked_mul(d)?];
                Some(Self::new(*products.iter().min()?, *products.iter().max()?))
            }
            _ => None,
        }
    }

    /// Returns the interval of an operation that cannot leave the type `all` of its left operand, or `all` if nothing
    /// is known.
    pub(super) fn bounded(self, op: BinaryOp, other: Self, all: Self) -> Self {
        let natural = self.least >= 0 && other.least >= 0;
        let amounts = other.within(Self::new(0, all.bits() - 1));
        let found = match op {
            BinaryOp::Div if self.least >= 0 && other.least > 0 => {
                Self::new(self.least / other.largest, self.largest / other.least)
            }
            BinaryOp::Rem if self.least >= 0 && other.least > 0 => Self::new(0, self.largest.min(other.largest - 1)),
            BinaryOp::Rem if other.least > 0 => Self::new(1 - other.largest, other.largest - 1),
            BinaryOp::BitAnd if natural => Self::new(0, self.largest.min(other.largest)),
            BinaryOp::BitAnd if self.least >= 0 => Self::new(0, self.largest),
            BinaryOp::BitAnd if other.least >= 0 => Self::new(0, other.largest),
            BinaryOp::BitOr | BinaryOp::BitXor if natural => Self::new(0, mask(self.largest | other.largest)),
            BinaryOp::Shl if natural && amounts => {
                let shifted = Self::new(self.least << other.least, self.largest << other.largest);
                if shifted.within(all) { shifted } else { all }
            }
            BinaryOp::Shr if natural && amounts => Self::new(self.least >> other.largest, self.largest >> other.least),
            _ => all,
        };
        if found.within(all) { found } else { all }
    }

    /// Returns the interval of a method of an integer of type `all`, applied to `operands`.
    pub(super) fn method(method: MathMethod, operands: &[Self], all: Self) -> Self {
        let [first, rest @ ..] = operands else { return all };
        let second = rest.first().copied().unwrap_or(*first);
        let exact = |op| first.exact(op, second);
        let clamped = |found: Option<Self>| {
            found.map_or(all, |found| {
                Self::new(found.least.clamp(all.least, all.largest), found.largest.clamp(all.least, all.largest))
            })
        };
        match method {
            MathMethod::Min => Self::new(first.least.min(second.least), first.largest.min(second.largest)),
            MathMethod::Max => Self::new(first.least.max(second.least), first.largest.max(second.largest)),
            MathMethod::Abs if first.least > all.least || all.least == 0 => {
                let ends = [first.least.abs(), first.largest.abs()];
                Self::new(if first.contains(0) { 0 } else { ends[0].min(ends[1]) }, ends[0].max(ends[1]))
            }
            MathMethod::SaturatingAdd => clamped(exact(BinaryOp::Add)),
            MathMethod::SaturatingSub => clamped(exact(BinaryOp::Sub)),
            MathMethod::SaturatingMul => clamped(exact(BinaryOp::Mul)),
            MathMethod::WrappingAdd => exact(BinaryOp::Add).filter(|sum| sum.within(all)).unwrap_or(all),
            MathMethod::WrappingSub => exact(BinaryOp::Sub).filter(|found| found.within(all)).unwrap_or(all),
            MathMethod::WrappingMul => exact(BinaryOp::Mul).filter(|found| found.within(all)).unwrap_or(all),
            MathMethod::CountOnes | MathMethod::LeadingZeros | MathMethod::TrailingZeros => Self::new(0, 64),
            _ => all,
        }
    }
}

/// Returns the number with the same highest bit and all lower bits set.
fn mask(value: i128) -> i128 {
    if value == 0 { 0 } else { i128::MAX >> (value.leading_zeros() - 1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The integers of a small signed and a small unsigned type, and all intervals of them.
    fn types() -> [Interval; 2] {
        [Interval::new(0, 15), Interval::new(-8, 7)]
    }

    fn intervals(all: Interval) -> Vec<Interval> {
        let ends = all.least..=all.largest;
        ends.clone().flat_map(|a| ends.clone().filter(move |&b| a <= b).map(move |b| Interval::new(a, b))).collect()
    }

    /// The value of an operation on two numbers of a type of four bits.
    fn value(op: BinaryOp, a: i128, b: i128, all: Interval) -> Option<i128> {
        let wrapped = |value: i128| (value - all.least).rem_euclid(16) + all.least;
        Some(match op {
            BinaryOp::Add => a + b,
            BinaryOp::Sub => a - b,
            BinaryOp::Mul => a * b,
            BinaryOp::Div if b != 0 => wrapped(a / b),
            BinaryOp::Rem if b != 0 => a % b,
            BinaryOp::BitAnd => a & b,
            BinaryOp::BitOr => a | b,
            BinaryOp::BitXor => a ^ b,
            // After a fault, the amount is taken modulo the width.
            BinaryOp::Shl => wrapped(a << b.rem_euclid(4)),
            BinaryOp::Shr => a >> b.rem_euclid(4),
            _ => return None,
        })
    }

    #[test]
    fn intervals_contain_the_value_of_every_operation() {
        use BinaryOp::{Add, BitAnd, BitOr, BitXor, Div, Mul, Rem, Shl, Shr, Sub};
        for all in types() {
            for a in intervals(all) {
                for b in intervals(all).into_iter().step_by(3) {
                    for op in [Add, Sub, Mul, Div, Rem, BitAnd, BitOr, BitXor, Shl, Shr] {
                        let found = a.exact(op, b).unwrap_or_else(|| a.bounded(op, b, all));
                        for x in a.least..=a.largest {
                            for y in b.least..=b.largest {
                                let Some(value) = value(op, x, y, all) else { continue };
                                assert!(found.contains(value), "{x} {} {y} = {value}, not in {found:?}", op.symbol());
                            }
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn intervals_contain_the_value_of_every_method() {
        for all in types() {
            for a in intervals(all).into_iter().step_by(2) {
                for b in intervals(all).into_iter().step_by(3) {
                    for (method, value) in [
                        (MathMethod::Min, i128::min as fn(i128, i128) -> i128),
                        (MathMethod::Max, i128::max),
                        (MathMethod::Abs, |x, _| x.abs()),
                        (MathMethod::SaturatingAdd, |x, y| x + y),
                        (MathMethod::SaturatingSub, |x, y| x - y),
                        (MathMethod::SaturatingMul, |x, y| x * y),
                    ] {
                        let found = Interval::method(method, &[a, b], all);
                        for x in a.least..=a.largest {
                            for y in b.least..=b.largest {
                                let value = value(x, y).clamp(all.least, all.largest);
                                assert!(found.contains(value), "{x} {} {y}: {found:?}", method.name());
                            }
                        }
                    }
                }
            }
        }
    }
}
