//! An edge during the sort: source, target and value in as few bytes as possible.

use bytemuck::Pod;
use gts_contract::ScalarType;

/// An edge between dense numbers of 32 bits: the key is `src << 32 | dst`.
pub(super) trait Record: Pod + Send + Sync {
    /// Bytes of the value.
    const VALUE_BYTES: usize;
    /// Creates an edge from a key and value bits, whose unsigned order is that of the values.
    fn new(key: u64, value: u64) -> Self;
    /// Source and target.
    fn key(&self) -> u64;
    /// The value.
    fn value(&self) -> u64;

    /// The source.
    #[inline]
    fn src(&self) -> u32 {
        (self.key() >> 32) as u32
    }

    /// The target.
    #[inline]
    fn dst(&self) -> u32 {
        self.key() as u32
    }
}

/// An edge without a value.
impl Record for u64 {
    const VALUE_BYTES: usize = 0;
    #[inline]
    fn new(key: u64, _: u64) -> Self {
        key
    }
    #[inline]
    fn key(&self) -> u64 {
        *self
    }
    #[inline]
    fn value(&self) -> u64 {
        0
    }
}

/// An edge with a value of 4 bytes, stored last.
impl Record for [u32; 3] {
    const VALUE_BYTES: usize = 4;
    #[inline]
    fn new(key: u64, value: u64) -> Self {
        [key as u32, (key >> 32) as u32, value as u32]
    }
    #[inline]
    fn key(&self) -> u64 {
        u64::from(self[1]) << 32 | u64::from(self[0])
    }
    #[inline]
    fn value(&self) -> u64 {
        u64::from(self[2])
    }
}

/// An edge with a value of 8 bytes, stored last.
impl Record for [u64; 2] {
    const VALUE_BYTES: usize = 8;
    #[inline]
    fn new(key: u64, value: u64) -> Self {
        [key, value]
    }
    #[inline]
    fn key(&self) -> u64 {
        self[0]
    }
    #[inline]
    fn value(&self) -> u64 {
        self[1]
    }
}

/// Returns the key of an edge.
#[inline]
pub(super) fn key(src: u32, dst: u32) -> u64 {
    u64::from(src) << 32 | u64::from(dst)
}

/// Returns value bits in a form in which unsigned order is the order of the values, -0.0 below +0.0.
#[inline]
pub(super) fn to_ordered(scalar: ScalarType, bits: u64) -> u64 {
    match scalar {
        ScalarType::I32 => u64::from(bits as u32 ^ 1 << 31),
        ScalarType::F32 => {
            let bits = bits as u32;
            u64::from(if bits >> 31 == 1 { !bits } else { bits | 1 << 31 })
        }
        ScalarType::F64 => {
            if bits >> 63 == 1 {
                !bits
            } else {
                bits | 1 << 63
            }
        }
        _ => bits,
    }
}

/// The inverse of [`to_ordered`].
#[inline]
pub(super) fn from_ordered(scalar: ScalarType, bits: u64) -> u64 {
    match scalar {
        ScalarType::I32 => u64::from(bits as u32 ^ 1 << 31),
        ScalarType::F32 => {
            let bits = bits as u32;
            u64::from(if bits >> 31 == 1 { bits & !(1 << 31) } else { !bits })
        }
        ScalarType::F64 => {
            if bits >> 63 == 1 {
                bits & !(1 << 63)
            } else {
                !bits
            }
        }
        _ => bits,
    }
}

/// Converts value bits from one type to another. Floats take the nearest value; integers take whole numbers in range.
/// Returns the value as text if it is out of range, or NaN.
pub(super) fn convert(bits: u64, from: ScalarType, to: ScalarType) -> Result<u64, String> {
    let integer = match from {
        ScalarType::F32 | ScalarType::F64 => return convert_float(bits, from, to),
        ScalarType::I32 => i128::from(bits as u32 as i32),
        ScalarType::U32 => i128::from(bits as u32),
        _ => i128::from(bits),
    };
    match to {
        ScalarType::F32 => Ok(u64::from((integer as f32).to_bits())),
        ScalarType::F64 => Ok((integer as f64).to_bits()),
        _ => integer_bits(integer, to).ok_or_else(|| integer.to_string()),
    }
}

fn convert_float(bits: u64, from: ScalarType, to: ScalarType) -> Result<u64, String> {
    let value = if from == ScalarType::F32 { f64::from(f32::from_bits(bits as u32)) } else { f64::from_bits(bits) };
    let refused = || Err(value.to_string());
    match to {
        _ if value.is_nan() => refused(),
        ScalarType::F32 if value.is_finite() && !(value as f32).is_finite() => refused(),
        ScalarType::F32 => Ok(u64::from((value as f32).to_bits())),
        ScalarType::F64 => Ok(value.to_bits()),
        // No integer type holds values beyond 2^64; the cast of smaller whole values is exact.
        _ if value.fract() != 0.0 || value.abs() > 2f64.powi(64) => refused(),
        _ => integer_bits(value as i128, to).map_or_else(refused, Ok),
    }
}

fn integer_bits(value: i128, to: ScalarType) -> Option<u64> {
    match to {
        ScalarType::U32 => u32::try_from(value).ok().map(u64::from),
        ScalarType::I32 => i32::try_from(value).ok().map(|value| u64::from(value as u32)),
        ScalarType::U64 => u64::try_from(value).ok(),
        _ => None,
    }
}
