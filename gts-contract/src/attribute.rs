//! Descriptions of attribute structs as constant data.

use super::SourceLocation;
use std::fmt;

/// The type of one element of an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScalarType {
    /// An unsigned 8-bit integer.
    U8,
    /// An unsigned 16-bit integer.
    U16,
    /// An unsigned 32-bit integer.
    U32,
    /// An unsigned 64-bit integer.
    U64,
    /// A signed 32-bit integer.
    I32,
    /// A signed 64-bit integer.
    I64,
    /// An IEEE 754 single-precision number.
    F32,
    /// An IEEE 754 double-precision number.
    F64,
    /// A Boolean value, stored as one byte that is 0 or 1.
    Bool,
    /// A dense vertex number, stored in 4 or 8 bytes depending on the graph. `UNREACHED` is all ones in either width.
    /// Casts of `UNREACHED` to integers always use the 8-byte value.
    VertexId,
}

impl ScalarType {
    /// All types.
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

    /// Returns the size of a stored element in bytes, for a graph whose vertex numbers occupy `vertex_bytes` bytes (4
    /// or 8).
    pub const fn bytes(self, vertex_bytes: usize) -> usize {
        match self {
            Self::U8 | Self::Bool => 1,
            Self::U16 => 2,
            Self::U32 | Self::I32 | Self::F32 => 4,
            Self::U64 | Self::I64 | Self::F64 => 8,
            Self::VertexId => vertex_bytes,
        }
    }

    /// Returns the type's name in Rust.
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

    /// Returns the type with this Rust name, if any.
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

    /// Returns the width in bits that casts use: always 64 for a `VertexId`.
    pub const fn bits(self) -> u32 {
        8 * self.bytes(8) as u32
    }

    /// Returns the smallest and the largest value of an integer type, or `None` for other types.
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

/// The type of an attribute: a single element or a fixed-size array of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AttributeType {
    /// The type of the elements.
    pub scalar: ScalarType,
    /// The number of elements; 1 unless the attribute is an array.
    pub length: u32,
    /// Whether the source declares the attribute as an array. `[u32; 1]` is an array.
    pub array: bool,
}

impl fmt::Display for AttributeType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.array { write!(f, "[{}; {}]", self.scalar, self.length) } else { write!(f, "{}", self.scalar) }
    }
}

/// The operation that combines replicas and concurrent updates of an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Merge {
    /// Addition. A merge of replicas counts the initial value only once. A sum of f32 terms of equal sign has a
    /// relative error below 1e-4, whatever the number of terms, because additions compensate for rounding errors.
    Sum,
    /// The smaller value. A number always replaces NaN; other floats compare as in `total_cmp`.
    Min,
    /// The larger value. A number always replaces NaN; other floats compare as in `total_cmp`.
    Max,
    /// Bitwise or logical OR.
    Or,
    /// Bitwise or logical AND.
    And,
    /// One of the stored values, chosen arbitrarily. After a merge, all replicas have the same value.
    Any,
}

impl Merge {
    /// All merges.
    pub const ALL: [Self; 6] = [Self::Sum, Self::Min, Self::Max, Self::Or, Self::And, Self::Any];

    /// Returns whether this operation can merge values of a type.
    pub const fn suits(self, scalar: ScalarType) -> bool {
        match self {
            Self::Any => true,
            Self::Sum => scalar.is_integer() || scalar.is_float(),
            Self::Min | Self::Max => !matches!(scalar, ScalarType::Bool),
            Self::Or | Self::And => scalar.is_integer() || matches!(scalar, ScalarType::Bool),
        }
    }

    /// Returns whether the total of a global is a sum of 64-bit integers. Such a total has 128 bits, low word first.
    pub const fn has_wide_total(self, scalar: ScalarType) -> bool {
        matches!((self, scalar), (Self::Sum, ScalarType::U64 | ScalarType::I64))
    }

    /// Returns the name used in the user's source.
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

/// An attribute's initial value, as the bits of one element.
///
/// `UNREACHED` of a `VertexId` is all ones in the stored width.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Init {
    /// The bits of the element, zero-extended to 64 bits.
    pub bits: u64,
}

/// The kind of an attribute, with kind-specific properties.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttributeKind {
    /// One updatable value per vertex, in device memory.
    Wa {
        /// The value before the first pass.
        init: Init,
        /// The operation that combines updates.
        merge: Merge,
    },
    /// One updatable value per edge, in device memory. Values are stored in the order of the entries in the out-edge
    /// pages.
    EdgeWa {
        /// The value before the first pass.
        init: Init,
        /// The operation that combines updates.
        merge: Merge,
    },
    /// One read-only value per vertex, streamed together with the vertex's page.
    Ra {
        /// The schema index of the `wa` whose values `rotate` moves to this attribute.
        from: Option<usize>,
    },
    /// One read-only value per edge, read from the graph store.
    Edge {
        /// The value on graphs without edge values; `None` if the attribute requires edge values.
        default: Option<Init>,
    },
    /// A value that the host sets before a pass.
    Param {
        /// The value until the host sets one. `None` if a pass that reads the param requires a value from the host.
        default: Option<Init>,
    },
    /// An accumulator that the host reads after a pass. A pass resets the globals that its kernel updates.
    Global {
        /// The operation that combines updates.
        merge: Merge,
    },
}

impl AttributeKind {
    /// Returns the name used in the user's source.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Wa { .. } | Self::EdgeWa { .. } => "wa",
            Self::Ra { .. } => "ra",
            Self::Edge { .. } => "edge",
            Self::Param { .. } => "param",
            Self::Global { .. } => "global",
        }
    }

    /// Returns the operation that combines updates of a `wa` or a `global`.
    pub const fn merge(&self) -> Option<Merge> {
        match self {
            Self::Wa { merge, .. } | Self::EdgeWa { merge, .. } | Self::Global { merge } => Some(*merge),
            Self::Ra { .. } | Self::Edge { .. } | Self::Param { .. } => None,
        }
    }
}

/// One field of an attribute struct.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AttributeSchema {
    /// The name of the field.
    pub name: &'static str,
    /// The type of the field.
    pub ty: AttributeType,
    /// The kind of the attribute.
    pub kind: AttributeKind,
    /// The doc comment of the field.
    pub doc: &'static str,
}

/// An attribute struct. A struct with a type parameter has one description per type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schema {
    /// The name of the struct.
    pub name: &'static str,
    /// The type argument of this description, if the struct has a type parameter.
    pub parameter: Option<ScalarType>,
    /// The fields, in source order.
    pub attributes: &'static [AttributeSchema],
    /// The location of the struct in the source.
    pub location: SourceLocation,
}
