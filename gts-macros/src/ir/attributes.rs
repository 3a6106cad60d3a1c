//! An attribute struct, for one choice of its type parameter.

use super::{AttributeKind, Location, ScalarType};
use proc_macro2::Ident;

/// One attribute.
#[derive(Clone, Debug)]
pub(crate) struct Attribute {
    /// The field.
    pub(crate) name: Ident,
    /// The type of an element.
    pub(crate) scalar: ScalarType,
    /// The number of elements, if it is an array.
    pub(crate) length: Option<u32>,
    /// The attribute's kind.
    pub(crate) kind: AttributeKind,
    /// Whether the initial value is `UNREACHED`, its own or that of the `wa` from which it rotates.
    pub(crate) unreached: bool,
    /// Whether sums wrap around, as with `wrapping_sum`.
    pub(crate) wraps: bool,
    /// The field's doc comment.
    pub(crate) doc: String,
}

/// An attribute struct with its type parameter replaced by one of the listed types.
#[derive(Clone, Debug)]
pub(crate) struct Attributes {
    /// The struct's name.
    pub(crate) name: Ident,
    /// The type chosen for the struct's parameter, if it has one.
    pub(crate) parameter: Option<ScalarType>,
    /// The fields in source order, which is the order of the schema.
    pub(crate) attributes: Vec<Attribute>,
    /// The struct's place in the source.
    pub(crate) location: Location,
}
