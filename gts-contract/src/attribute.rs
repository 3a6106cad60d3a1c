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
    /// A dense vertex number, stored in 4 or 8 bytes as the graph needs. `UNREACHED` is all ones in either width, and casts
    /// to an integer as if it were stored in 8 bytes.
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

    /// Returns the type of that name in Rust.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scalar| scalar.name() == name)
    }

    /// Returns whether it is a floating-point type.
    pub const fn is_float(self) -> bool {
        matches!(self, Self::F32 | Self::F64)
    }

    /// Returns whether it is a signed integer type.
    pub const fn is_signed(self) -> bool {
        matches!(self, Self::I32 | Self::I64)
    }

    /// Returns whether it is an integer type.
    pub const fn is_integer(self) -> bool {
        matches!(self, Self::U8 | Self::U16 | Self::U32 | Self::U64 | Self::I32 | Self::I64)
    }

    /// Returns the bits of a value, as casts see it.
    pub const fn bits(self) -> u32 {
        8 * self.bytes(8) as u32
    }

    /// Returns the smallest and the largest value of an integer type.
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

/// How replicas of an attribute, and concurrent updates of it, combine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Merge {
    /// Addition; the initial value counts once. A sum of f32 keeps to 1e-4 of its value however many terms of one sign it
    /// has: what rounding takes from terms far below the sum is made up for, so that errors cancel.
    Sum,
    /// The smaller value; floats compare as ordered integers, NaN loses.
    Min,
    /// The larger value; floats compare as ordered integers, NaN loses.
    Max,
    /// Bitwise or logical or.
    Or,
    /// Bitwise or logical and.
    And,
    /// One of the values stored, the same one on every replica afterwards.
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

    /// The word that a user writes.
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

/// The initial value of an attribute: the bits of one element, in the low bytes.
///
/// An element of type `VertexId` uses all ones of its stored width for `UNREACHED`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Init {
    /// The element's bits, zero extended.
    pub bits: u64,
}

/// What an attribute is, and where it lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttributeKind {
    /// One updatable value a vertex, in device memory.
    Wa {
        /// The value before the first pass.
        init: Init,
        /// How updates combine.
        merge: Merge,
    },
    /// One updatable value an edge, in device memory: one for each entry of the out-edges' pages, in their order.
    EdgeWa {
        /// The value before the first pass.
        init: Init,
        /// How updates combine.
        merge: Merge,
    },
    /// One value a vertex, read beside the vertex's own page.
    Ra {
        /// Index in the schema of the `wa` that `rotate` takes over.
        from: Option<usize>,
    },
    /// One value an edge, from the store.
    Edge {
        /// The value on a store without edge values.
        default: Option<Init>,
    },
    /// One value a pass, set by the host.
    Param,
    /// An accumulator that the host reads after a pass.
    Global {
        /// How updates combine.
        merge: Merge,
    },
}

impl AttributeKind {
    /// The word that a user writes.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Wa { .. } | Self::EdgeWa { .. } => "wa",
            Self::Ra { .. } => "ra",
            Self::Edge { .. } => "edge",
            Self::Param => "param",
            Self::Global { .. } => "global",
        }
    }

    /// Returns how updates of a `wa` or a `global` combine.
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
    /// What it is.
    pub kind: AttributeKind,
    /// The field's doc comment.
    pub doc: &'static str,
}

/// An attribute struct, for one choice of its type parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schema {
    /// The struct's name.
    pub name: &'static str,
    /// The type chosen for the struct's parameter, where it has one.
    pub parameter: Option<ScalarType>,
    /// The fields, in the order of the source.
    pub attributes: &'static [AttributeSchema],
    /// Where the struct stands.
    pub location: SourceLocation,
}
