//! Values of an answer.

use gts_contract::ScalarType;
use gts_core::graph::VertexId;
use std::fmt;

/// One value per vertex, in ascending order of the original IDs.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Unsigned integers of 8 bits.
    U8(Vec<u8>),
    /// Unsigned integers of 32 bits.
    U32(Vec<u32>),
    /// Unsigned integers of 64 bits.
    U64(Vec<u64>),
    /// Signed integers of 32 bits.
    I32(Vec<i32>),
    /// Signed integers of 64 bits.
    I64(Vec<i64>),
    /// Single-precision numbers.
    F32(Vec<f32>),
    /// Double-precision numbers.
    F64(Vec<f64>),
    /// True or false.
    Bool(Vec<bool>),
    /// Original IDs of vertices; `u64::MAX` represents no vertex.
    Vertex(Vec<u64>),
}

/// Evaluates an expression on the vector of any variant.
macro_rules! on_values {
    ($values:expr, $vector:ident => $body:expr) => {
        match $values {
            Values::U8($vector) => $body,
            Values::U32($vector) => $body,
            Values::U64($vector) | Values::Vertex($vector) => $body,
            Values::I32($vector) => $body,
            Values::I64($vector) => $body,
            Values::F32($vector) => $body,
            Values::F64($vector) => $body,
            Values::Bool($vector) => $body,
        }
    };
}

impl Values {
    /// Returns the number of values.
    pub fn len(&self) -> usize {
        on_values!(self, vector => vector.len())
    }

    /// Returns whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the type of the values.
    pub fn scalar_type(&self) -> ScalarType {
        match self {
            Self::U8(_) => ScalarType::U8,
            Self::U32(_) => ScalarType::U32,
            Self::U64(_) => ScalarType::U64,
            Self::I32(_) => ScalarType::I32,
            Self::I64(_) => ScalarType::I64,
            Self::F32(_) => ScalarType::F32,
            Self::F64(_) => ScalarType::F64,
            Self::Bool(_) => ScalarType::Bool,
            Self::Vertex(_) => ScalarType::VertexId,
        }
    }

    /// Returns the value at an index, which is the position of the vertex in the order of the original IDs.
    ///
    /// # Panics
    ///
    /// Panics if `index` is out of bounds.
    pub fn get(&self, index: usize) -> Scalar {
        match self {
            Self::U8(vector) => Scalar::Unsigned(vector[index].into()),
            Self::U32(vector) => Scalar::Unsigned(vector[index].into()),
            Self::U64(vector) => Scalar::Unsigned(vector[index]),
            Self::I32(vector) => Scalar::Signed(vector[index].into()),
            Self::I64(vector) => Scalar::Signed(vector[index]),
            Self::F32(vector) => Scalar::Single(vector[index]),
            Self::F64(vector) => Scalar::Real(vector[index]),
            Self::Bool(vector) => Scalar::Flag(vector[index]),
            Self::Vertex(vector) => Scalar::Unsigned(vector[index]),
        }
    }

    /// Returns whether the value at an index is the type's `UNREACHED`.
    pub fn is_unreached(&self, index: usize) -> bool {
        self.unreached() == Some(self.get(index))
    }

    /// Returns the `UNREACHED` of the values' type: the largest integer, or infinity for floats; `None` for bools.
    pub fn unreached(&self) -> Option<Scalar> {
        Some(match self {
            Self::U8(_) => Scalar::Unsigned(u8::MAX.into()),
            Self::U32(_) => Scalar::Unsigned(u32::MAX.into()),
            Self::U64(_) | Self::Vertex(_) => Scalar::Unsigned(u64::MAX),
            Self::I32(_) => Scalar::Signed(i32::MAX.into()),
            Self::I64(_) => Scalar::Signed(i64::MAX),
            Self::F32(_) => Scalar::Single(f32::INFINITY),
            Self::F64(_) => Scalar::Real(f64::INFINITY),
            Self::Bool(_) => return None,
        })
    }
}

macro_rules! from_vector {
    ($($ty:ty => $variant:ident),*) => {$(
        impl From<Vec<$ty>> for Values {
            fn from(vector: Vec<$ty>) -> Self {
                Self::$variant(vector)
            }
        }
    )*};
}

from_vector!(u8 => U8, u32 => U32, u64 => U64, i32 => I32, i64 => I64, f32 => F32, f64 => F64, bool => Bool);

impl From<Vec<VertexId>> for Values {
    /// Takes vertices by their original IDs, as [`Run::take`](crate::Run::take) returns them.
    fn from(vertices: Vec<VertexId>) -> Self {
        Self::Vertex(bytemuck::cast_vec(vertices))
    }
}

/// One value of an answer.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub enum Scalar {
    /// A count, another unsigned integer, or the original ID of a vertex.
    Unsigned(u64),
    /// A signed integer.
    Signed(i64),
    /// A single-precision number. Its text has fewer digits than that of a [`Scalar::Real`].
    Single(f32),
    /// A double-precision number.
    Real(f64),
    /// True or false.
    Flag(bool),
}

impl From<Scalar> for Values {
    /// Creates a vector with one element.
    fn from(value: Scalar) -> Self {
        match value {
            Scalar::Unsigned(value) => Self::U64(vec![value]),
            Scalar::Signed(value) => Self::I64(vec![value]),
            Scalar::Single(value) => Self::F32(vec![value]),
            Scalar::Real(value) => Self::F64(vec![value]),
            Scalar::Flag(value) => Self::Bool(vec![value]),
        }
    }
}

impl fmt::Display for Scalar {
    /// Writes the shortest text that parses to the same value.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsigned(value) => write!(f, "{value}"),
            Self::Signed(value) => write!(f, "{value}"),
            // Exponential notation keeps very small numbers readable and files small.
            Self::Single(value) if *value != 0.0 && value.abs() < 1e-4 => write!(f, "{value:e}"),
            Self::Real(value) if *value != 0.0 && value.abs() < 1e-4 => write!(f, "{value:e}"),
            Self::Single(value) => write!(f, "{value}"),
            Self::Real(value) => write!(f, "{value}"),
            Self::Flag(value) => write!(f, "{value}"),
        }
    }
}
