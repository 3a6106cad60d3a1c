//! Parses weights and determines their type.
//!
//! If the type of weights is requested or given by the format, the stream's values have this type from the start.
//! Otherwise the stream contains exact f64 values. The narrowest type that preserves all weights is known after the
//! file has been read: u32, i32 or u64 if all weights are integers; f32 in other cases, or f64 if f32 would change an
//! integer or a number of a typed column, or turn a weight into 0 or infinity.

use super::class::ColumnClass;
use super::scan::{Cursor, Fault, Problem, leading_integer};
use gts_contract::ScalarType;

/// The largest integer up to which f64 represents all integers exactly.
const EXACT: u64 = 1 << 53;

/// The largest integer up to which f32 represents all integers exactly.
const EXACT_F32: u64 = 1 << 24;

/// Maximum number of bytes of a number with a decimal comma.
const LONGEST_COMMA: usize = 64;

/// The method of reading weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reading {
    /// Weights are not read.
    None,
    /// Weights are read as f64, and the narrower types that would be sufficient are recorded.
    Auto,
    /// Weights are read as the given type.
    As(ScalarType),
}

impl Reading {
    /// Returns the type of the bits in the stream; `None` if weights are not read.
    pub(super) fn value_type(self) -> Option<ScalarType> {
        match self {
            Self::None => None,
            Self::Auto => Some(ScalarType::F64),
            Self::As(ty) => Some(ty),
        }
    }
}

/// Properties of all weights that have been read.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Seen {
    fraction: bool,
    /// Whether f32 would change a number that must be preserved.
    changes: bool,
    /// Whether f32 would turn a weight into 0.
    vanishes: bool,
    /// Whether the header declares all weights as real numbers, which may be rounded even if they are integers.
    reals: bool,
    low: f64,
    high: f64,
}

impl Seen {
    /// Real numbers, which are stored as floats even if all are whole numbers.
    pub(super) const REALS: Self =
        Self { fraction: true, changes: false, vanishes: false, reals: true, low: 0.0, high: 0.0 };

    #[inline]
    fn note(&mut self, number: Number, value: f64) {
        let changed = || f64::from(value as f32) != value;
        match number {
            // Nearly all weights in practice are below the bound.
            Number::Integer { magnitude, .. } => self.changes |= magnitude > EXACT_F32 && changed(),
            Number::Float { is_exact, .. } => {
                self.fraction = true;
                self.changes |= is_exact && changed();
                self.vanishes |= value as f32 == 0.0 && value != 0.0;
            }
        }
        self.low = self.low.min(value);
        self.high = self.high.max(value);
    }

    pub(super) fn merge(&mut self, other: Self) {
        self.fraction |= other.fraction;
        self.changes |= other.changes;
        self.vanishes |= other.vanishes;
        self.reals |= other.reals;
        self.low = self.low.min(other.low);
        self.high = self.high.max(other.high);
    }

    /// Returns the narrowest type for all weights. Integers and numbers of typed columns are preserved exactly. Decimal
    /// fractions in text are rounded, but not to 0 or infinity.
    pub(super) fn narrowest(self) -> ScalarType {
        if self.fraction {
            let exact = !self.vanishes && (self.reals || !self.changes);
            let fits = exact && (self.low as f32).is_finite() && (self.high as f32).is_finite();
            return if fits { ScalarType::F32 } else { ScalarType::F64 };
        }
        if self.low >= 0.0 && self.high <= f64::from(u32::MAX) {
            ScalarType::U32
        } else if self.low >= f64::from(i32::MIN) && self.high <= f64::from(i32::MAX) {
            ScalarType::I32
        } else if self.low >= 0.0 {
            ScalarType::U64
        } else {
            ScalarType::F64
        }
    }
}

/// A number as written in the text.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Number {
    Integer {
        negative: bool,
        magnitude: u64,
    },
    Float {
        value: f64,
        /// Whether the number must not be rounded, because it is whole or comes from a typed column.
        is_exact: bool,
    },
}

/// Reads a weight and returns the bits of its type. A blank or the end of the line must follow.
///
/// Must not be called with [`Reading::None`], which has no bits.
#[inline]
pub(super) fn weight(cursor: &mut Cursor<'_>, reading: Reading, seen: &mut Seen) -> Result<u64, Fault> {
    let start = cursor.at;
    // Nearly all weights in practice have only a few digits.
    let (integer, length) = leading_integer(&cursor.text[start.min(cursor.text.len())..]);
    cursor.at += length;
    let number = match integer {
        Some(magnitude) if matches!(cursor.peek(), b'\n' | b' ' | b'\t') => {
            Number::Integer { negative: false, magnitude }
        }
        _ => {
            cursor.at = start;
            number(cursor.word()).ok_or(Fault { at: start, problem: Problem::Weight })?
        }
    };
    bits(number, reading, seen).map_err(|problem| Fault { at: start, problem })
}

/// Parses all of `text` as a weight.
pub(super) fn weight_of(text: &[u8], reading: Reading, seen: &mut Seen) -> Result<u64, Problem> {
    bits(number(text).ok_or(Problem::Weight)?, reading, seen)
}

/// Converts a weight of a typed column, whose bits are those of a u64, an i64 or an f64.
pub(super) fn typed_weight(class: ColumnClass, raw: u64, reading: Reading, seen: &mut Seen) -> Result<u64, Problem> {
    let number = match class {
        ColumnClass::Signed => {
            let signed = raw.cast_signed();
            Number::Integer { negative: signed < 0, magnitude: signed.unsigned_abs() }
        }
        ColumnClass::Real => {
            let value = f64::from_bits(raw);
            if !value.is_finite() {
                return Err(Problem::Weight);
            }
            Number::Float { value, is_exact: true }
        }
        _ => Number::Integer { negative: false, magnitude: raw },
    };
    bits(number, reading, seen)
}

/// Parses all of `text` as a weight with a decimal comma in place of the point.
pub(super) fn weight_with_comma(text: &[u8], reading: Reading, seen: &mut Seen) -> Result<u64, Problem> {
    let mut buffer = [0; LONGEST_COMMA];
    let copy = buffer.get_mut(..text.len()).filter(|_| !text.contains(&b'.')).ok_or(Problem::CommaWeight)?;
    copy.copy_from_slice(text);
    if let Some(comma) = memchr::memchr(b',', copy) {
        copy[comma] = b'.';
    }
    weight_of(copy, reading, seen).map_err(|problem| match problem {
        Problem::Weight => Problem::CommaWeight,
        problem => problem,
    })
}

/// Parses all of `text` as a weight, and negates it.
pub(super) fn opposite_weight(text: &[u8], reading: Reading, seen: &mut Seen) -> Result<u64, Problem> {
    let opposite = match number(text).ok_or(Problem::Weight)? {
        Number::Integer { magnitude: 0, .. } => Number::Integer { negative: false, magnitude: 0 },
        Number::Integer { negative, magnitude } => Number::Integer { negative: !negative, magnitude },
        Number::Float { value, is_exact } => Number::Float { value: -value, is_exact },
    };
    bits(opposite, reading, seen)
}

/// Returns whether the text is a valid weight.
pub(super) fn is_number(text: &[u8]) -> bool {
    number(text).is_some()
}

/// Parses all of `text` as a finite number.
fn number(text: &[u8]) -> Option<Number> {
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    let (whole, length) = leading_integer(digits);
    if let Some(magnitude) = whole
        && length == digits.len()
    {
        return Some(Number::Integer { negative, magnitude });
    }
    if let (Some(whole), [b'.', fraction @ ..]) = (whole.or((length == 0).then_some(0)), &digits[length..])
        && let Some(value) = short_decimal(whole, length, fraction)
    {
        return Some(Number::Float { value: if negative { -value } else { value }, is_exact: value.fract() == 0.0 });
    }
    // Only one sign is allowed, so `+-1` is not a number. A number must begin with a digit or a point, which excludes
    // NaN and infinity.
    let plain = digits.first().is_some_and(|b| b.is_ascii_digit() || *b == b'.');
    let value: f64 = std::str::from_utf8(digits).ok().filter(|_| plain)?.parse().ok()?;
    value.is_finite().then_some(Number::Float { value: if negative { -value } else { value }, is_exact: false })
}

/// Returns the value of a decimal number whose digits and power of ten are both exact as f64, so that one division
/// rounds correctly.
#[inline]
fn short_decimal(whole: u64, length: usize, fraction: &[u8]) -> Option<f64> {
    const POWERS: [f64; 16] = [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];
    let (digits, count) = leading_integer(fraction);
    let digits = digits?;
    if count != fraction.len() || length + count > 15 {
        return None;
    }
    let power = POWERS[count];
    Some((whole as f64 * power + digits as f64) / power)
}

#[inline]
fn bits(number: Number, reading: Reading, seen: &mut Seen) -> Result<u64, Problem> {
    let value = match number {
        Number::Integer { negative: false, magnitude } => magnitude as f64,
        Number::Integer { negative: true, magnitude } => -(magnitude as f64),
        Number::Float { value, .. } => value,
    };
    match reading {
        Reading::None => Ok(0),
        Reading::Auto => {
            if matches!(number, Number::Integer { magnitude, .. } if magnitude > EXACT) {
                return Err(Problem::LargeInteger);
            }
            seen.note(number, value);
            Ok(value.to_bits())
        }
        Reading::As(ty) => typed(number, value, ty).ok_or(Problem::Misfit(ty)),
    }
}

/// Returns the number as bits of type `ty`; `None` if this type cannot represent the number.
fn typed(number: Number, value: f64, ty: ScalarType) -> Option<u64> {
    let integer = match number {
        Number::Integer { negative, magnitude } => {
            Some(if negative { -i128::from(magnitude) } else { i128::from(magnitude) })
        }
        // A whole number with a decimal point or an exponent also counts as an integer.
        Number::Float { value, .. } => (value.fract() == 0.0 && value.abs() <= EXACT as f64).then_some(value as i128),
    };
    match ty {
        ScalarType::U32 => integer.and_then(|n| u32::try_from(n).ok()).map(u64::from),
        ScalarType::I32 => integer.and_then(|n| i32::try_from(n).ok()).map(|n| u64::from(n.cast_unsigned())),
        ScalarType::U64 => integer.and_then(|n| u64::try_from(n).ok()),
        // Round through f64, as for weights without a requested type, so that both cases result in the same bits.
        ScalarType::F32 => Some(value as f32).filter(|v| v.is_finite()).map(|v| u64::from(v.to_bits())),
        ScalarType::F64 => Some(value.to_bits()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn decimals_are_rounded_as_std_rounds_them(text in "[-+]?[0-9]{0,17}\\.[0-9]{0,18}([eE][-+]?[0-9]{1,2})?") {
            let expected = text.parse::<f64>().ok().map(f64::to_bits);
            let read = number(text.as_bytes()).map(|number| match number {
                Number::Float { value, .. } => value.to_bits(),
                Number::Integer { .. } => panic!("{text} has a point"),
            });
            prop_assert_eq!(read, expected);
        }

        #[test]
        fn integers_stay_integers(magnitude: u64, negative: bool) {
            let text = format!("{}{magnitude}", if negative { "-" } else { "" });
            prop_assert_eq!(number(text.as_bytes()), Some(Number::Integer { negative, magnitude }));
        }
    }

    #[test]
    fn words_are_no_numbers() {
        for text in
            ["", "-", "+", ".", "e5", "nan", "NaN", "inf", "-infinity", "+-1", "--1", "1_0", "0x10", "1e", "1e999"]
        {
            assert_eq!(number(text.as_bytes()), None, "{text}");
        }
    }
}
