//! The types of the kernel language.

use std::fmt;

/// The type of one element of an attribute; mirrors the contract's type of the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ScalarType {
    U8,
    U16,
    U32,
    U64,
    I32,
    I64,
    F32,
    F64,
    Bool,
    /// A dense vertex number, stored in 4 or 8 bytes as the graph needs. `UNREACHED` is all ones in either width, and
    /// casts to an integer as if it were stored in 8.
    VertexId,
}

impl ScalarType {
    pub(crate) const ALL: [Self; 10] = [
        Self::U8,
        Self::U16,
        Self::U32,
        Self::U64,
        Self::I32,
        Self::I64,
        Self::F32,
        Self::F64,
        Self::Bool,
        Self::VertexId,
    ];

    /// The name in Rust.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::U8 => "u8",
            Self::U16 => "u16",
            Self::U32 => "u32",
            Self::U64 => "u64",
            Self::I32 => "i32",
            Self::I64 => "i64",
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::Bool => "bool",
            Self::VertexId => "VertexId",
        }
    }

    /// The name of the variant in the contract.
    pub(crate) const fn variant(self) -> &'static str {
        match self {
            Self::U8 => "U8",
            Self::U16 => "U16",
            Self::U32 => "U32",
            Self::U64 => "U64",
            Self::I32 => "I32",
            Self::I64 => "I64",
            Self::F32 => "F32",
            Self::F64 => "F64",
            Self::Bool => "Bool",
            Self::VertexId => "VertexId",
        }
    }

    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scalar| scalar.name() == name)
    }

    pub(crate) const fn is_float(self) -> bool {
        matches!(self, Self::F32 | Self::F64)
    }

    pub(crate) const fn is_signed(self) -> bool {
        matches!(self, Self::I32 | Self::I64)
    }

    pub(crate) const fn is_integer(self) -> bool {
        matches!(self, Self::U8 | Self::U16 | Self::U32 | Self::U64 | Self::I32 | Self::I64)
    }

    /// Bits of an integer or float.
    pub(crate) const fn bits(self) -> u32 {
        match self {
            Self::U8 | Self::Bool => 8,
            Self::U16 => 16,
            Self::U32 | Self::I32 | Self::F32 => 32,
            Self::U64 | Self::I64 | Self::F64 | Self::VertexId => 64,
        }
    }

    /// The smallest and the largest value of an integer type.
    pub(crate) const fn range(self) -> Option<(i128, i128)> {
        match self {
            Self::U8 | Self::U16 | Self::U32 | Self::U64 => Some((0, (1 << self.bits()) - 1)),
            Self::I32 | Self::I64 => Some((-(1 << (self.bits() - 1)), (1 << (self.bits() - 1)) - 1)),
            _ => None,
        }
    }
}

impl fmt::Display for ScalarType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

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
    /// A type not known yet, by its number. Lives only while inference runs; no finished kernel holds one.
    Open(usize),
    /// An array of an open type, by the number of the element's; as short-lived.
    OpenArray(usize, u32),
}

impl Type {
    pub(crate) const BOOL: Self = Self::Scalar(ScalarType::Bool);
    pub(crate) const U32: Self = Self::Scalar(ScalarType::U32);
    pub(crate) const U64: Self = Self::Scalar(ScalarType::U64);
    pub(crate) const VERTEX_ID: Self = Self::Scalar(ScalarType::VertexId);

    /// The scalar type of a plain value.
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
