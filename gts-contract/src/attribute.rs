//! Attribute structs as data.

use super::SourceLocation;
use std::fmt;

/// The type of one element of an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScalarType {
    /// Unsigned, 8 bits.
    U8,
    /// Unsigned, 16 bits.
    U16,
    /// Unsigned, 32 bits.
    U32,
    /// Unsigned, 64 bits.
    U64,
    /// Signed, 32 bits.
    I32,
    /// Signed, 64 bits.
    I64,
    /// IEEE 754 single precision.
    F32,
    /// IEEE 754 double precision.
    F64,
    /// One byte, 0 or 1.
    Bool,
    /// A dense vertex number, stored in 4 or 8 bytes depending on the graph. `UNREACHED` is all ones in either width.
    /// Casts to an integer treat it as all ones of 8 bytes.
    VertexId,
}

impl ScalarType {
    /// Every type.
    pub const ALL: [Self; 10] = [
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

    /// Bytes of one stored element in a graph whose vertex numbers take `vertex_bytes` (4 or 8).
    pub const fn bytes(self, vertex_bytes: usize) -> usize {
        match self {
            Self::U8 | Self::Bool => 1,
            Self::U16 => 2,
            Self::U32 | Self::I32 | Self::F32 => 4,
            Self::U64 | Self::I64 | Self::F64 => 8,
            Self::VertexId => vertex_bytes,
        }
    }

    /// The name of the type in Rust.
    pub const fn name(self) -> &'static str {
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

    /// Returns the type with this name in Rust.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scalar| scalar.name() == name)
    }

    /// Returns whether this is a floating-point type.
    pub const fn is_float(self) -> bool {
        matches!(self, Self::F32 | Self::F64)
    }

    /// Returns whether this is a signed integer type.
    pub const fn is_signed(self) -> bool {
        matches!(self, Self::I32 | Self::I64)
    }

    /// Returns whether this is an integer type.
    pub const fn is_integer(self) -> bool {
        matches!(self, Self::U8 | Self::U16 | Self::U32 | Self::U64 | Self::I32 | Self::I64)
    }

    /// Returns the width in bits that casts use.
    pub const fn bits(self) -> u32 {
        8 * self.bytes(8) as u32
    }

    /// Returns the smallest and the largest value of an integer type. `None` for other types.
    pub const fn range(self) -> Option<(i128, i128)> {
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

/// The type of an attribute: one element, or a fixed array of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AttributeType {
    /// The type of an element.
    pub scalar: ScalarType,
    /// Number of elements of an array; 1 for a plain attribute.
    pub length: u32,
    /// Whether the attribute was written as an array (`[u32; 1]` is one).
    pub array: bool,
}

impl fmt::Display for AttributeType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.array { write!(f, "[{}; {}]", self.scalar, self.length) } else { write!(f, "{}", self.scalar) }
    }
}

/// The operation that combines replicas of an attribute, and concurrent updates of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Merge {
    /// Addition; the initial value counts once. A sum of f32 terms of one sign has a relative error below 1e-4 for any
    /// number of terms: additions compensate for terms that rounding would lose.
    Sum,
    /// The smaller value; floats compare as ordered integers, NaN loses.
    Min,
    /// The larger value; floats compare as ordered integers, NaN loses.
    Max,
    /// Bitwise or logical or.
    Or,
    /// Bitwise or logical and.
    And,
    /// Any one of the values stored. All replicas end with the same one.
    Any,
}

impl Merge {
    /// Every merge.
    pub const ALL: [Self; 6] = [Self::Sum, Self::Min, Self::Max, Self::Or, Self::And, Self::Any];

    /// Returns whether values of the type can be merged in this way.
    pub const fn suits(self, scalar: ScalarType) -> bool {
        match self {
            Self::Any => true,
            Self::Sum => scalar.is_integer() || scalar.is_float(),
            Self::Min | Self::Max => !matches!(scalar, ScalarType::Bool),
            Self::Or | Self::And => scalar.is_integer() || matches!(scalar, ScalarType::Bool),
        }
    }

    /// The name in the user's source.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sum => "sum",
            Self::Min => "min",
            Self::Max => "max",
            Self::Or => "or",
            Self::And => "and",
            Self::Any => "any",
        }
    }
}

/// The initial value of an attribute: the bits of one element.
///
/// `UNREACHED` of a `VertexId` is all ones of its stored width.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Init {
    /// The element's bits, zero extended.
    pub bits: u64,
}

/// The kind of an attribute, with the properties of this kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttributeKind {
    /// An updatable value per vertex, in device memory.
    Wa {
        /// The value before the first pass.
        init: Init,
        /// The operation that combines updates.
        merge: Merge,
    },
    /// An updatable value per edge, in device memory: one per entry of the out-edges' pages, in page order.
    EdgeWa {
        /// The value before the first pass.
        init: Init,
        /// The operation that combines updates.
        merge: Merge,
    },
    /// A read-only value per vertex, streamed with the vertex's page.
    Ra {
        /// Schema index of the `wa` from which `rotate` takes the values.
        from: Option<usize>,
    },
    /// A read-only value per edge, from the store.
    Edge {
        /// The value if the store has no edge values.
        default: Option<Init>,
    },
    /// A value per pass, set by the host.
    Param,
    /// An accumulator that the host reads after a pass.
    Global {
        /// The operation that combines updates.
        merge: Merge,
    },
}

impl AttributeKind {
    /// The name in the user's source.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Wa { .. } | Self::EdgeWa { .. } => "wa",
            Self::Ra { .. } => "ra",
            Self::Edge { .. } => "edge",
            Self::Param => "param",
            Self::Global { .. } => "global",
        }
    }

    /// Returns the operation that combines updates of a `wa` or a `global`.
    pub const fn merge(&self) -> Option<Merge> {
        match self {
            Self::Wa { merge, .. } | Self::EdgeWa { merge, .. } | Self::Global { merge } => Some(*merge),
            Self::Ra { .. } | Self::Edge { .. } | Self::Param => None,
        }
    }
}

/// One attribute of a struct.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AttributeSchema {
    /// The field's name.
    pub name: &'static str,
    /// The field's type.
    pub ty: AttributeType,
    /// The attribute's kind.
    pub kind: AttributeKind,
    /// The field's doc comment.
    pub doc: &'static str,
}

/// An attribute struct, for one choice of its type parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schema {
    /// The struct's name.
    pub name: &'static str,
    /// The type chosen for the struct's parameter, if it has one.
    pub parameter: Option<ScalarType>,
    /// The fields in source order.
    pub attributes: &'static [AttributeSchema],
    /// The struct's place in the source.
    pub location: SourceLocation,
}
