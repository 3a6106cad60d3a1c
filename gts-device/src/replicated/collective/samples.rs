//! Elements and merges for tests and rehearsals of the collectives.

use super::Merged;
use crate::kernel::merge_bits;
use gts_contract::{Merge, ScalarType};
use std::ops::Range;

/// All element types.
pub const SCALARS: [ScalarType; 10] = [
    ScalarType::U8,
    ScalarType::U16,
    ScalarType::U32,
    ScalarType::U64,
    ScalarType::I32,
    ScalarType::I64,
    ScalarType::F32,
    ScalarType::F64,
    ScalarType::Bool,
    ScalarType::VertexId,
];
/// All merges.
pub const MERGES: [Merge; 6] = [Merge::Sum, Merge::Min, Merge::Max, Merge::Or, Merge::And, Merge::Any];

/// Derives an element from pseudo-random bits: usually a small number, sometimes a special value such as a NaN.
pub fn element(scalar: ScalarType, bits: u64) -> u64 {
    let number = bits % 7;
    match (scalar, bits % 11) {
        (ScalarType::F32, 9) => f32::NAN.to_bits().into(),
        (ScalarType::F32, 8) => (-0.0f32).to_bits().into(),
        (ScalarType::F32, _) => (number as f32 / 3.0 - 1.0).to_bits().into(),
        (ScalarType::F64, 9) => f64::NAN.to_bits(),
        (ScalarType::F64, 8) => f64::INFINITY.to_bits(),
        (ScalarType::F64, _) => (number as f64 / 3.0 - 1.0).to_bits(),
        (ScalarType::Bool, _) => number % 2,
        (ScalarType::I32, _) => u64::from((number as i32 - 3) as u32),
        (ScalarType::I64, _) => (number as i64 - 3) as u64,
        (ScalarType::VertexId, 9) => u64::MAX,
        _ => number,
    }
}

/// Returns whether the kernel language allows a merge for an element type.
pub fn allowed(scalar: ScalarType, merge: Merge) -> bool {
    let bits = matches!(merge, Merge::Or | Merge::And);
    let float = matches!(scalar, ScalarType::F32 | ScalarType::F64);
    let summed = !matches!(scalar, ScalarType::Bool | ScalarType::VertexId);
    !(bits && (float || scalar == ScalarType::VertexId)) && (merge != Merge::Sum || summed)
}

/// Converts elements to bytes in the attribute's storage format.
pub fn bytes(attribute: &Merged, elements: &[u64]) -> Vec<u8> {
    elements.iter().flat_map(|bits| bits.to_le_bytes()[..attribute.element_bytes()].to_vec()).collect()
}

/// Truncates the bits of an element to the size of its type.
pub fn narrow(attribute: &Merged, bits: u64) -> u64 {
    match attribute.element_bytes() {
        8 => bits,
        bytes => bits & ((1 << (8 * bytes)) - 1),
    }
}

/// Merges elements in order, with [`merge_bits`].
pub fn fold(attribute: &Merged, elements: impl IntoIterator<Item = u64>) -> Option<u64> {
    let merge = |a, b| narrow(attribute, merge_bits(attribute.scalar, attribute.merge, a, b));
    elements.into_iter().map(|bits| narrow(attribute, bits)).reduce(merge)
}

/// Splits the vertices at `cuts` and assigns the ranges to `owners` replicas in turn. Returns each replica's ranges, in
/// ascending order.
pub fn dealt(cuts: &[u64], vertices: u64, owners: usize) -> Vec<Vec<Range<u64>>> {
    let mut ends: Vec<u64> = cuts.iter().map(|cut| cut % (vertices + 1)).collect();
    ends.push(vertices);
    ends.sort_unstable();
    let mut own = vec![Vec::new(); owners];
    let mut start = 0;
    for (number, end) in ends.into_iter().enumerate() {
        own[number % owners].push(start..end);
        start = end;
    }
    own
}
