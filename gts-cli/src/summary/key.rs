//! Values as keys: unsigned integers in the order of the values.

use super::select::Source;
use gts_graph::algorithm::{Scalar, Values};
use gts_graph::contract::ScalarType;
use std::ops::Range;

/// Sign bit of an integer, or of a float, of 64 bits.
const SIGN: u64 = 1 << 63;
/// Keys computed per block: the block stays in the cache, and the type is checked once.
const BLOCK: usize = 1 << 9;

/// The keys of an output's values. A larger value has a larger key, and equal values have equal keys. NaN is above all
/// numbers.
pub(super) struct Keys<'a> {
    values: &'a Values,
    /// Key of vertices without a value.
    absent: Option<u64>,
}

impl<'a> Keys<'a> {
    /// Creates the keys of the values. `UNREACHED` values have no key if they mean that there is no value.
    pub(super) fn new(values: &'a Values, has_unreached: bool) -> Self {
        let absent = values.unreached().filter(|_| has_unreached).map(of);
        Self { values, absent }
    }

    /// Returns the value of a key.
    pub(super) fn value(&self, key: u64) -> Scalar {
        value(key, self.values.scalar_type())
    }

    /// Computes the keys of the values from the place `first` on.
    fn fill(&self, first: usize, keys: &mut [u64]) {
        fn fill<T: Copy>(values: &[T], keys: &mut [u64], of: impl Fn(T) -> u64) {
            for (key, value) in keys.iter_mut().zip(values) {
                *key = of(*value);
            }
        }
        let range = first..first + keys.len();
        match self.values {
            Values::U8(values) => fill(&values[range], keys, u64::from),
            Values::U32(values) => fill(&values[range], keys, u64::from),
            Values::U64(values) | Values::Vertex(values) => fill(&values[range], keys, |number| number),
            Values::I32(values) => fill(&values[range], keys, |number| of_signed(number.into())),
            Values::I64(values) => fill(&values[range], keys, of_signed),
            Values::F32(values) => fill(&values[range], keys, |number| of_float(number.into())),
            Values::F64(values) => fill(&values[range], keys, of_float),
            Values::Bool(values) => fill(&values[range], keys, u64::from),
        }
    }
}

impl Source for Keys<'_> {
    fn len(&self) -> usize {
        self.values.len()
    }

    fn each(&self, piece: Range<usize>, mut take: impl FnMut(usize, u64)) {
        let mut keys = [0; BLOCK];
        let end = piece.end;
        for first in piece.step_by(BLOCK) {
            let keys = &mut keys[..BLOCK.min(end - first)];
            self.fill(first, keys);
            for (place, key) in (first..).zip(keys) {
                if Some(*key) != self.absent {
                    take(place, *key);
                }
            }
        }
    }
}

fn of(value: Scalar) -> u64 {
    match value {
        Scalar::Unsigned(number) => number,
        Scalar::Signed(number) => of_signed(number),
        Scalar::Single(number) => of_float(number.into()),
        Scalar::Real(number) => of_float(number),
        Scalar::Flag(flag) => flag.into(),
    }
}

fn of_signed(number: i64) -> u64 {
    number as u64 ^ SIGN
}

fn of_float(number: f64) -> u64 {
    if number.is_nan() {
        return u64::MAX;
    }
    // The sum turns -0 into 0.
    let bits = (number + 0.0).to_bits();
    // The bits of positive floats ascend with the values, those of negative ones descend.
    if bits & SIGN == 0 { bits | SIGN } else { !bits }
}

fn value(key: u64, scalar_type: ScalarType) -> Scalar {
    let float = || match key {
        u64::MAX => f64::NAN,
        key => f64::from_bits(if key & SIGN == 0 { !key } else { key ^ SIGN }),
    };
    match scalar_type {
        ScalarType::I32 | ScalarType::I64 => Scalar::Signed((key ^ SIGN) as i64),
        ScalarType::F32 => Scalar::Single(float() as f32),
        ScalarType::F64 => Scalar::Real(float()),
        ScalarType::Bool => Scalar::Flag(key != 0),
        _ => Scalar::Unsigned(key),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(values: &Values, has_unreached: bool) -> Vec<(usize, u64)> {
        let (keys, mut taken) = (Keys::new(values, has_unreached), Vec::new());
        keys.each(0..keys.len(), |place, key| taken.push((place, key)));
        taken
    }

    #[test]
    fn keys_ascend_with_values_and_tell_them() {
        let values: [Values; 8] = [
            vec![0u8, 1, 255].into(),
            (0..1500u32).collect::<Vec<_>>().into(),
            vec![0u64, 1, u64::MAX].into(),
            vec![i32::MIN, -1, 0, 1, i32::MAX].into(),
            vec![i64::MIN, -1, 0, 1, i64::MAX].into(),
            vec![f32::NEG_INFINITY, -0.1, 0.0, f32::MIN_POSITIVE, 0.1, f32::INFINITY].into(),
            vec![f64::NEG_INFINITY, -1.5, -1e-300, 0.0, 1e-300, 1.5, f64::INFINITY].into(),
            vec![false, true].into(),
        ];
        for values in values {
            let found = keys(&values, false);
            assert!(found.iter().map(|(place, _)| *place).eq(0..values.len()), "{values:?}");
            assert!(found.windows(2).all(|pair| pair[0].1 < pair[1].1), "{values:?}");
            let of_keys = Keys::new(&values, false);
            assert!(found.iter().all(|(place, key)| of_keys.value(*key) == values.get(*place)), "{values:?}");
            assert!(found.iter().all(|(place, key)| of(values.get(*place)) == *key), "{values:?}");
        }
    }

    #[test]
    fn zeros_are_equal_and_what_is_no_number_is_above_all() {
        let values = vec![-0.0, 0.0, f64::INFINITY, f64::NAN, -f64::NAN].into();
        let found = keys(&values, false);
        assert_eq!((found[0].1, found[3].1), (found[1].1, found[4].1));
        assert!(found[3].1 > found[2].1);
        assert!(matches!(Keys::new(&values, false).value(found[3].1), Scalar::Real(number) if number.is_nan()));
    }

    #[test]
    fn vertices_without_a_value_have_no_key() {
        let values = vec![7u32, u32::MAX, 9].into();
        assert_eq!(keys(&values, true), [(0, 7), (2, 9)]);
        assert_eq!(keys(&values, false).len(), 3);
    }
}
