//! An attribute struct, for one choice of its type parameter.

use super::{Location, ScalarType};
use proc_macro2::Ident;

/// How replicas of an attribute, and concurrent updates of it, combine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Merge {
    Sum,
    Min,
    Max,
    Or,
    And,
    Any,
}

impl Merge {
    pub(crate) const ALL: [Self; 6] = [Self::Sum, Self::Min, Self::Max, Self::Or, Self::And, Self::Any];

    /// The word that a user writes.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Sum => "sum",
            Self::Min => "min",
            Self::Max => "max",
            Self::Or => "or",
            Self::And => "and",
            Self::Any => "any",
        }
    }

    /// The name of the variant in the contract.
    pub(crate) const fn variant(self) -> &'static str {
        match self {
            Self::Sum => "Sum",
            Self::Min => "Min",
            Self::Max => "Max",
            Self::Or => "Or",
            Self::And => "And",
            Self::Any => "Any",
        }
    }

    /// Whether values of the type can be merged so.
    pub(crate) const fn suits(self, scalar: ScalarType) -> bool {
        match self {
            Self::Any => true,
            Self::Sum => scalar.is_integer() || scalar.is_float(),
            Self::Min | Self::Max => !matches!(scalar, ScalarType::Bool),
            Self::Or | Self::And => scalar.is_integer() || matches!(scalar, ScalarType::Bool),
        }
    }
}

/// What an attribute is, and where it lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AttributeKind {
    /// One updatable value a vertex.
    Wa { init: u64, merge: Merge },
    /// One updatable value an edge.
    EdgeWa { init: u64, merge: Merge },
    /// One value a vertex, read at the page's own vertex; `from` is the index of the `wa` that `rotate` takes over.
    Ra { from: Option<usize> },
    /// One value an edge; `default` is for a store without edge values.
    Edge { default: Option<u64> },
    /// One value a pass.
    Param,
    /// An accumulator that the host reads.
    Global { merge: Merge },
}

impl AttributeKind {
    /// The word that a user writes.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Wa { .. } | Self::EdgeWa { .. } => "wa",
            Self::Ra { .. } => "ra",
            Self::Edge { .. } => "edge",
            Self::Param => "param",
            Self::Global { .. } => "global",
        }
    }

    /// The merge of a `wa` or a `global`.
    pub(crate) const fn merge(self) -> Option<Merge> {
        match self {
            Self::Wa { merge, .. } | Self::EdgeWa { merge, .. } | Self::Global { merge } => Some(merge),
            _ => None,
        }
    }
}

/// One attribute.
#[derive(Clone, Debug)]
pub(crate) struct Attribute {
    /// The field.
    pub(crate) name: Ident,
    /// The type of an element.
    pub(crate) scalar: ScalarType,
    /// The number of elements, where it is an array.
    pub(crate) length: Option<u32>,
    /// What it is.
    pub(crate) kind: AttributeKind,
    /// Whether a vertex has `UNREACHED` of it before anything else, by its initial value or that of the `wa` it comes from.
    pub(crate) unreached: bool,
    /// The field's doc comment.
    pub(crate) doc: String,
}

/// An attribute struct with its type parameter replaced by one of the listed types.
#[derive(Clone, Debug)]
pub(crate) struct Attributes {
    /// The struct's name.
    pub(crate) name: Ident,
    /// The type chosen for the struct's parameter, where it has one.
    pub(crate) parameter: Option<ScalarType>,
    /// The fields, in the order of the source, which is the order of the schema.
    pub(crate) attributes: Vec<Attribute>,
    /// Where the struct stands.
    pub(crate) location: Location,
}
