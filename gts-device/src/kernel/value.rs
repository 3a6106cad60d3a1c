//! Attribute values that the host reads and writes, and their conversion to bytes.

use super::stored::{AnswerTarget, StoredValues, convert};
use gts_contract::ScalarType;
use gts_core::graph::{Graph, Vertex, VertexId};

/// A type with a value that marks unreached vertices: the largest integer, or infinity for floats.
#[diagnostic::on_unimplemented(
    message = "there is no UNREACHED of type `{Self}`",
    label = "no UNREACHED",
    note = "numbers and `VertexId` have one"
)]
pub trait Unreached: Sized {
    /// The value that marks an unreached vertex.
    const UNREACHED: Self;
}

macro_rules! unreached {
    ($($type:ty = $value:expr),*) => {$(
        impl Unreached for $type {
            const UNREACHED: Self = $value;
        }
    )*};
}

unreached!(
    u8 = u8::MAX,
    u16 = u16::MAX,
    u32 = u32::MAX,
    u64 = u64::MAX,
    i32 = i32::MAX,
    i64 = i64::MAX,
    f32 = f32::INFINITY,
    f64 = f64::INFINITY,
    VertexId = VertexId::from_bits(u64::MAX)
);

/// The type of an attribute: a scalar or a fixed array of scalars.
#[diagnostic::on_unimplemented(
    message = "an attribute cannot be a `{Self}`",
    label = "not the type of an attribute",
    note = "an attribute is a u8, u16, u32, u64, i32, i64, f32, f64, bool or VertexId, or a fixed array of them"
)]
pub trait AttributeValue: Copy + Send + Sync + 'static {
    /// The element type.
    const SCALAR: ScalarType;
    /// The number of elements: 1 for a scalar.
    const LENGTH: usize;

    /// Writes the elements in little-endian order. Vertex numbers occupy `vertex_bytes` bytes.
    fn write(self, vertex_bytes: usize, bytes: &mut [u8]);
    /// Reads a value in the format of [`AttributeValue::write`].
    fn read(vertex_bytes: usize, bytes: &[u8]) -> Self;
    /// Converts stored values on all threads, and stores them in the target.
    fn convert(values: &StoredValues<'_>, target: AnswerTarget<'_, '_, Self>);
    /// Applies `map` to every vertex number in the value, except `UNREACHED`.
    fn map_vertices(self, _map: impl Fn(u64) -> u64) -> Self {
        self
    }

    /// Returns the size of a stored value in bytes.
    fn bytes(vertex_bytes: usize) -> usize {
        Self::SCALAR.bytes(vertex_bytes) * Self::LENGTH
    }
}

macro_rules! values {
    ($($type:ty: $scalar:ident),*) => {$(
        impl AttributeValue for $type {
            const SCALAR: ScalarType = ScalarType::$scalar;
            const LENGTH: usize = 1;

            #[inline]
            fn write(self, _vertex_bytes: usize, bytes: &mut [u8]) {
                bytes.copy_from_slice(&self.to_le_bytes());
            }

            #[inline]
            fn read(_vertex_bytes: usize, bytes: &[u8]) -> Self {
                let mut raw = [0; size_of::<Self>()];
                raw.copy_from_slice(bytes);
                Self::from_le_bytes(raw)
            }

            fn convert(values: &StoredValues<'_>, target: AnswerTarget<'_, '_, Self>) {
                converted(values, target);
            }
        }
    )*};
}

values!(u8: U8, u16: U16, u32: U32, u64: U64, i32: I32, i64: I64, f32: F32, f64: F64);

impl AttributeValue for bool {
    const SCALAR: ScalarType = ScalarType::Bool;
    const LENGTH: usize = 1;

    fn write(self, _vertex_bytes: usize, bytes: &mut [u8]) {
        bytes[0] = u8::from(self);
    }

    fn read(_vertex_bytes: usize, bytes: &[u8]) -> Self {
        bytes[0] != 0
    }

    fn convert(values: &StoredValues<'_>, target: AnswerTarget<'_, '_, Self>) {
        converted(values, target);
    }
}

impl AttributeValue for VertexId {
    const SCALAR: ScalarType = ScalarType::VertexId;
    const LENGTH: usize = 1;

    fn write(self, vertex_bytes: usize, bytes: &mut [u8]) {
        bytes.copy_from_slice(&self.to_bits().to_le_bytes()[..vertex_bytes]);
    }

    fn read(vertex_bytes: usize, bytes: &[u8]) -> Self {
        if vertex_bytes == 8 {
            return VertexId::from_bits(u64::read(8, bytes));
        }
        match u32::read(4, bytes) {
            u32::MAX => Self::UNREACHED,
            number => VertexId::from_bits(number.into()),
        }
    }

    fn convert(values: &StoredValues<'_>, target: AnswerTarget<'_, '_, Self>) {
        converted(values, target);
    }

    fn map_vertices(self, map: impl Fn(u64) -> u64) -> Self {
        if self == Self::UNREACHED { self } else { VertexId::from_bits(map(self.to_bits())) }
    }
}

impl<T: AttributeValue, const N: usize> AttributeValue for [T; N] {
    const SCALAR: ScalarType = T::SCALAR;
    const LENGTH: usize = N;

    fn write(self, vertex_bytes: usize, bytes: &mut [u8]) {
        let size = T::bytes(vertex_bytes);
        self.into_iter().zip(bytes.chunks_exact_mut(size)).for_each(|(value, bytes)| value.write(vertex_bytes, bytes));
    }

    fn read(vertex_bytes: usize, bytes: &[u8]) -> Self {
        let size = T::bytes(vertex_bytes);
        std::array::from_fn(|i| T::read(vertex_bytes, &bytes[i * size..(i + 1) * size]))
    }

    fn convert(values: &StoredValues<'_>, target: AnswerTarget<'_, '_, Self>) {
        converted(values, target);
    }

    fn map_vertices(self, map: impl Fn(u64) -> u64) -> Self {
        self.map(|value| value.map_vertices(&map))
    }
}

/// Converts stored values, and replaces the numbers of vertices by original IDs if `values` contains a graph.
fn converted<T: AttributeValue>(values: &StoredValues<'_>, target: AnswerTarget<'_, '_, T>) {
    let width = values.vertex_bytes;
    let named = |value: T, graph: &Graph| value.map_vertices(|v| graph.original(Vertex::from_dense(v)));
    convert(values, target, T::bytes(width), |bytes| T::read(width, bytes), named);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unreached_vertices_survive_both_widths() {
        for width in [4, 8] {
            for value in [VertexId::from_bits(0), VertexId::from_bits(17), VertexId::UNREACHED] {
                let mut bytes = vec![0; width];
                value.write(width, &mut bytes);
                assert_eq!(VertexId::read(width, &bytes), value);
            }
        }
    }

    #[test]
    fn arrays_are_their_elements_in_order() {
        let mut bytes = [0; 8];
        [1u32, 2].write(4, &mut bytes);
        assert_eq!(bytes, [1, 0, 0, 0, 2, 0, 0, 0]);
        assert_eq!(<[u32; 2]>::read(4, &bytes), [1, 2]);
    }
}
