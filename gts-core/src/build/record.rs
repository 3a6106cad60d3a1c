//! Edges during the sort: source, target and value in a compact form.

use bytemuck::Pod;
use gts_contract::ScalarType;

/// An edge between 32-bit dense numbers. The key of an edge is `src << 32 | dst`.
pub(super) trait Record: Pod + Send + Sync {
    /// Bytes per value.
    const VALUE_BYTES: usize;
    /// Creates an edge from a key and the bits of a value. The bits must be in the form returned by [`to_ordered`].
    fn new(key: u64, value: u64) -> Self;
    /// Returns the edge's source and target as a key.
    fn key(&self) -> u64;
    /// Returns the bits of the edge's value; 0 if edges have no values.
    fn value(&self) -> u64;

    /// Returns the edge's source.
    #[inline]
    fn src(&self) -> u32 {
        (self.key() >> 32) as u32
    }

    /// Returns the edge's target.
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

/// An edge with a 4-byte value, which is stored last.
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

/// An edge with an 8-byte value, which is stored last.
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

/// Returns the key of an edge from `src` to `dst`.
#[inline]
pub(super) fn key(src: u32, dst: u32) -> u64 {
    u64::from(src) << 32 | u64::from(dst)
}

/// Converts the bits of a value to a form whose unsigned order equals the order of the values. -0.0 precedes +0.0.
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

/// Reverses [`to_ordered`].
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

/// Converts the bits of a value from one type to another. Conversion to a float rounds to the nearest value. Conversion
/// to an integer accepts only whole numbers in range. Fails for other values and for NaN; the error contains the value
/// as text.
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
        // No integer type can represent values beyond 2^64. The cast of smaller whole values is exact.
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
