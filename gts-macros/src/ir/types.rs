//! The types of the kernel language.

use super::ScalarType;
use std::fmt;

/// The type of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Type {
    /// A plain value.
    Scalar(ScalarType),
    /// A vertex of the graph: `src`, `dst`, `v`, or one made from a number.
    Vertex,
    /// An edge, the parameter `e`.
    Edge,
    /// A fixed array in a local or a param.
    Array(ScalarType, u32),
    /// No value: statements.
    Unit,
    /// A type not yet inferred, by its number. Exists only during inference; no finished kernel contains one.
    Open(usize),
    /// An array of an open type, by the number of the element's type. Also exists only during inference.
    OpenArray(usize, u32),
}

impl Type {
    pub(crate) const BOOL: Self = Self::Scalar(ScalarType::Bool);
    pub(crate) const U32: Self = Self::Scalar(ScalarType::U32);
    pub(crate) const U64: Self = Self::Scalar(ScalarType::U64);
    pub(crate) const VERTEX_ID: Self = Self::Scalar(ScalarType::VertexId);

    /// Returns the scalar type of a plain value.
    pub(crate) const fn scalar(self) -> Option<ScalarType> {
        match self {
            Self::Scalar(scalar) => Some(scalar),
            _ => None,
        }
    }

    pub(crate) const fn is_float(self) -> bool {
        matches!(self, Self::Scalar(scalar) if scalar.is_float())
    }

    pub(crate) const fn is_integer(self) -> bool {
        matches!(self, Self::Scalar(scalar) if scalar.is_integer())
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scalar(scalar) => write!(f, "{scalar}"),
            Self::Vertex => f.write_str("Vertex"),
            Self::Edge => f.write_str("Edge"),
            Self::Array(scalar, length) => write!(f, "[{scalar}; {length}]"),
            Self::Unit => f.write_str("()"),
            Self::Open(_) => f.write_str("_"),
            Self::OpenArray(_, length) => write!(f, "[_; {length}]"),
        }
    }
}
