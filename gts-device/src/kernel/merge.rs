//! Merges attribute values on the host, by the merges that `gts-contract` defines.

use super::column::{larger, smaller};
use super::scalar::Scalar;
use bytemuck::{AnyBitPattern, NoUninit};
use gts_contract::{Merge, ScalarType};
use gts_core::graph::VertexId;

/// The number of bytes per vertex number in a global that a session returns.
pub const GLOBAL_VERTEX_BYTES: usize = 8;

/// Returns the result of merging `b` into `a`.
#[inline(always)]
fn merged<T: Scalar>(merge: Merge, a: T, b: T) -> T {
    match merge {
        Merge::Sum => a.sum(b),
        Merge::Min => {
            if smaller(b, a) {
                b
            } else {
                a
            }
        }
        Merge::Max => {
            if larger(b, a) {
                b
            } else {
                a
            }
        }
        Merge::Or => a.or(b),
        Merge::And => a.and(b),
        Merge::Any => b,
    }
}

/// Merges two elements, given as bits. Vertex numbers are 8 bytes wide.
pub fn merge_bits(scalar: ScalarType, merge: Merge, a: u64, b: u64) -> u64 {
    match scalar {
        ScalarType::U8 => merged(merge, a as u8, b as u8).into(),
        ScalarType::U16 => merged(merge, a as u16, b as u16).into(),
        ScalarType::U32 => merged(merge, a as u32, b as u32).into(),
        ScalarType::U64 => merged(merge, a, b),
        ScalarType::I32 => (merged(merge, a as i32, b as i32) as u32).into(),
        ScalarType::I64 => merged(merge, a as i64, b as i64) as u64,
        ScalarType::F32 => merged(merge, f32::from_bits(a as u32), f32::from_bits(b as u32)).to_bits().into(),
        ScalarType::F64 => merged(merge, f64::from_bits(a), f64::from_bits(b)).to_bits(),
        ScalarType::Bool => merged(merge, a != 0, b != 0).into(),
        ScalarType::VertexId => merged(merge, VertexId::from_bits(a), VertexId::from_bits(b)).to_bits(),
    }
}

/// Returns the bits of a merge's identity, the value that changes no other value.
pub fn identity(scalar: ScalarType, merge: Merge) -> u64 {
    use ScalarType::*;
    match (merge, scalar) {
        (Merge::Sum | Merge::Or | Merge::Any, _) => 0,
        (Merge::Min, U8) | (Merge::And, U8) => u8::MAX.into(),
        (Merge::Min, U16) | (Merge::And, U16) => u16::MAX.into(),
        (Merge::Min, U32) => u32::MAX.into(),
        (Merge::Min, I32) => (i32::MAX as u32).into(),
        (Merge::Min, I64) => i64::MAX as u64,
        (Merge::Min, F32) => f32::INFINITY.to_bits().into(),
        (Merge::Min, F64) => f64::INFINITY.to_bits(),
        (Merge::Min | Merge::And, Bool) => 1,
        (Merge::Max, I32) => (i32::MIN as u32).into(),
        (Merge::Max, I64) => i64::MIN as u64,
        (Merge::Max, F32) => f32::NEG_INFINITY.to_bits().into(),
        (Merge::Max, F64) => f64::NEG_INFINITY.to_bits(),
        (Merge::Max, _) => 0,
        (Merge::And, U32 | I32 | F32) => u32::MAX.into(),
        (Merge::Min, U64 | VertexId) | (Merge::And, _) => u64::MAX,
    }
}

/// Returns the type in which a session keeps the totals of a global. Sums of integers of at most 32 bits are kept as
/// i64, which holds the sum of any 2^31 such integers. Sums of f32 are kept as f64, because a large f32 total would
/// lose small terms. Sums of 64-bit integers are kept in 128 bits, see [`Merge::has_wide_total`].
pub const fn total_scalar(scalar: ScalarType, merge: Merge) -> ScalarType {
    match (scalar, merge) {
        (ScalarType::U8 | ScalarType::U16 | ScalarType::U32 | ScalarType::I32, Merge::Sum) => ScalarType::I64,
        (ScalarType::F32, Merge::Sum) => ScalarType::F64,
        _ => scalar,
    }
}

/// Returns the size of a total of a global in bytes.
pub const fn total_bytes(scalar: ScalarType, merge: Merge) -> usize {
    match merge.has_wide_total(scalar) {
        true => size_of::<i128>(),
        false => total_scalar(scalar, merge).bytes(GLOBAL_VERTEX_BYTES),
    }
}

/// Merges the totals of a global in `part` into `total`. Each total has [`total_bytes`] bytes.
pub fn merge_totals(scalar: ScalarType, merge: Merge, total: &mut [u8], part: &[u8]) {
    if !merge.has_wide_total(scalar) {
        return merge_elements(total_scalar(scalar, merge), merge, GLOBAL_VERTEX_BYTES, total, part);
    }
    let size = size_of::<i128>();
    for (total, part) in total.chunks_exact_mut(size).zip(part.chunks_exact(size)) {
        let sum = wide_total(total).wrapping_add(wide_total(part));
        total.copy_from_slice(&sum.to_le_bytes());
    }
}

fn wide_total(bytes: &[u8]) -> i128 {
    bytemuck::pod_read_unaligned(bytes)
}

/// Converts the totals of a global to the global's type.
///
/// # Errors
///
/// Returns the first total that does not fit into the global's type.
pub fn settled_totals(scalar: ScalarType, merge: Merge, totals: Vec<u8>) -> Result<Vec<u8>, i128> {
    let total = total_scalar(scalar, merge);
    let wide = merge.has_wide_total(scalar);
    if total == scalar && !wide {
        return Ok(totals);
    }
    let (least, largest) = scalar.range().unwrap_or_default();
    let mut settled = Vec::with_capacity(totals.len());
    for bytes in totals.chunks_exact(total_bytes(scalar, merge)) {
        let sum = match wide {
            true => wide_total(bytes),
            false => i128::from(bytemuck::pod_read_unaligned::<i64>(bytes)),
        };
        let bits = match total {
            ScalarType::F64 => u64::from((f64::from_bits(sum as u64) as f32).to_bits()),
            _ if (least..=largest).contains(&sum) => sum as u64,
            _ => return Err(sum),
        };
        settled.extend(&bits.to_le_bytes()[..scalar.bytes(GLOBAL_VERTEX_BYTES)]);
    }
    Ok(settled)
}

/// Merges each element of `part` into the corresponding element of `total`. Vertex numbers are `vertex_bytes` bytes
/// wide.
pub fn merge_elements(scalar: ScalarType, merge: Merge, vertex_bytes: usize, total: &mut [u8], part: &[u8]) {
    match scalar {
        ScalarType::U8 => elements::<u8, _>(merge, total, part, |x| x, |x| x),
        ScalarType::U16 => elements::<u16, _>(merge, total, part, |x| x, |x| x),
        ScalarType::U32 => elements::<u32, _>(merge, total, part, |x| x, |x| x),
        ScalarType::U64 => elements::<u64, _>(merge, total, part, |x| x, |x| x),
        ScalarType::I32 => elements::<i32, _>(merge, total, part, |x| x, |x| x),
        ScalarType::I64 => elements::<i64, _>(merge, total, part, |x| x, |x| x),
        ScalarType::F32 => elements::<f32, _>(merge, total, part, |x| x, |x| x),
        ScalarType::F64 => elements::<f64, _>(merge, total, part, |x| x, |x| x),
        ScalarType::Bool => elements::<bool, u8>(merge, total, part, |x| x != 0, u8::from),
        // `UNREACHED` is all ones in either width and compares as the largest number.
        ScalarType::VertexId if vertex_bytes == 8 => elements::<u64, _>(merge, total, part, |x| x, |x| x),
        ScalarType::VertexId => elements::<u32, _>(merge, total, part, |x| x, |x| x),
    }
}

fn elements<T: Scalar, B: AnyBitPattern + NoUninit>(
    merge: Merge,
    total: &mut [u8],
    part: &[u8],
    value: impl Fn(B) -> T,
    bits: impl Fn(T) -> B,
) {
    let size = size_of::<B>();
    for (total, part) in total.chunks_exact_mut(size).zip(part.chunks_exact(size)) {
        let [a, b] = [&*total, part].map(|bytes| value(bytemuck::pod_read_unaligned(bytes)));
        total.copy_from_slice(bytemuck::bytes_of(&bits(merged(merge, a, b))));
    }
}
