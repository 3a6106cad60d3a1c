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
