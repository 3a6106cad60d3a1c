//! The types that operators and methods accept.

use crate::ScalarType;

/// The types of operands that an operator, a method, an update or a reduction accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OperandTypes {
    /// All types. Also used in rows without operands.
    Anything,
    /// Integers and floats.
    Number,
    /// Integers.
    Integer,
    /// `f32` and `f64`.
    Float,
    /// Signed integers and floats.
    Signed,
    /// Integers and `bool`.
    Bits,
    /// `bool`.
    Condition,
    /// All plain types.
    Ordered,
    /// All plain types, and vertices.
    Equal,
    /// Numbers and `VertexId`.
    NumberOrId,
    /// Integers of 32 and 64 bits, and `VertexId`.
    Countable,
    /// Fixed arrays.
    Array,
    /// Vertices.
    Vertex,
    /// Edges.
    Edge,
}

impl OperandTypes {
    /// Returns whether values of this plain type are accepted.
    pub const fn met(self, scalar: ScalarType) -> bool {
        let number = scalar.is_integer() || scalar.is_float();
        match self {
            Self::Number => number,
            Self::Integer => scalar.is_integer(),
            Self::Float => scalar.is_float(),
            Self::Signed => scalar.is_signed() || scalar.is_float(),
            Self::Bits => scalar.is_integer() || matches!(scalar, ScalarType::Bool),
            Self::Condition => matches!(scalar, ScalarType::Bool),
            Self::Anything | Self::Ordered | Self::Equal => true,
            Self::NumberOrId => number || matches!(scalar, ScalarType::VertexId),
            Self::Countable => matches!(
                scalar,
                ScalarType::U32 | ScalarType::U64 | ScalarType::I32 | ScalarType::I64 | ScalarType::VertexId
            ),
            Self::Array | Self::Vertex | Self::Edge => false,
        }
    }

    /// Returns the types as error messages name them, such as "an integer".
    pub const fn text(self) -> &'static str {
        match self {
            Self::Anything => "a value",
            Self::Number => "a number",
            Self::Integer => "an integer",
            Self::Float => "a float",
            Self::Signed => "a signed number",
            Self::Bits => "an integer or a bool",
            Self::Condition => "a bool",
            Self::Ordered | Self::Equal => "a value that can be compared",
            Self::NumberOrId => "a number or a VertexId",
            Self::Countable => "a u32, u64, i32, i64 or VertexId",
            Self::Array => "an array",
            Self::Vertex => "a vertex",
            Self::Edge => "an edge",
        }
    }

    /// Returns the list of the types for the reference; empty if all types are accepted.
    pub const fn list(self) -> &'static str {
        match self {
            Self::Anything => "",
            Self::Number => "integers, floats",
            Self::Integer => "integers",
            Self::Float => "floats",
            Self::Signed => "signed integers, floats",
            Self::Bits => "integers, `bool`",
            Self::Condition => "`bool`",
            Self::Ordered => "numbers, `bool`, `VertexId`",
            Self::Equal => "numbers, `bool`, `VertexId`, `Vertex`",
            Self::NumberOrId => "integers, floats, `VertexId`",
            Self::Countable => "`u32`, `u64`, `i32`, `i64`, `VertexId`",
            Self::Array => "arrays",
            Self::Vertex => "`Vertex`",
            Self::Edge => "`Edge`",
        }
    }
}
