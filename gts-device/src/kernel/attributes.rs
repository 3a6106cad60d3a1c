//! Attribute structs, and the typed handles of their fields for host programs.

use super::column::Columns;
use super::scalar::Memory;
use super::value::AttributeValue;
use gts_contract::Schema;
use std::marker::PhantomData;

/// A struct with `#[gts_attributes]`, for one choice of its type parameter.
pub trait Attributes: Sized + Send + Sync + 'static {
    /// The schema of the struct.
    const SCHEMA: &'static Schema;
    /// The attributes in the form that a body uses.
    type View<'a, P: Memory>: Copy + Send + Sync;

    /// Gives the columns of a pass their types.
    fn bind<'a, P: Memory>(columns: &Columns<'a, P>) -> Self::View<'a, P>;
}

/// A struct with `#[gts_attributes]`, for any choice of its type parameter.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no attribute struct",
    label = "a kernel works on an attribute struct",
    note = "write `#[gts_attributes]` above the struct, and the kind of each attribute above its field"
)]
pub trait AttributeStruct {}

/// Compiles for attribute structs only. Kernels require this of their first parameter.
#[doc(hidden)]
pub const fn is_attribute_struct<A: AttributeStruct>() {}

/// Implemented for a `#[gts_fn]` or a `#[gts_const]`, which kernels and helpers may use.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "this function or constant is not handed on to kernels",
    label = "kernels know only what is handed on to them",
    note = "write `#[gts_fn]` above the function, or `#[gts_const]` above the constant"
)]
pub trait HandedOn {}

/// Compiles for functions and constants available to kernels only. Kernels require this of each helper they name.
#[doc(hidden)]
pub const fn is_handed_on<H: HandedOn>() {}

/// An attribute with one value per vertex: a [`Wa`] or an [`Ra`].
pub trait VertexAttribute<A: Attributes>: Copy {
    /// The type of a value.
    type Value: AttributeValue;
    /// Returns the index of the attribute in the schema.
    fn index(self) -> usize;
}

macro_rules! handle {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        pub struct $name<A, T> {
            index: usize,
            types: PhantomData<fn() -> (A, T)>,
        }

        impl<A, T> $name<A, T> {
            #[doc(hidden)]
            pub const fn new(index: usize) -> Self {
                Self { index, types: PhantomData }
            }

            /// Returns the index of the attribute in the schema.
            pub const fn index(self) -> usize {
                self.index
            }
        }

        impl<A, T> Clone for $name<A, T> {
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<A, T> Copy for $name<A, T> {}

        impl<A: Attributes, T> std::fmt::Debug for $name<A, T> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, "{}.{}", A::SCHEMA.name, A::SCHEMA.attributes[self.index].name)
            }
        }
    )*};
}

handle! {
    /// Handle of a `#[wa]` attribute: one updatable value per vertex.
    Wa;
    /// Handle of an `#[ra]` attribute: one value per vertex, read along with its page.
    Ra;
    /// Handle of a `#[param]`: a value that the host sets before a pass.
    Param;
    /// Handle of a `#[global]`: an accumulator that the host reads after a pass.
    Global;
    /// Handle of a `#[wa(per = edge)]` attribute: one updatable value per edge.
    EdgeWa;
    /// Handle of an `#[edge]` attribute: one value per edge, from the store.
    EdgeHandle;
}

impl<A: Attributes, T: AttributeValue> VertexAttribute<A> for Wa<A, T> {
    type Value = T;
    fn index(self) -> usize {
        self.index
    }
}

impl<A: Attributes, T: AttributeValue> VertexAttribute<A> for Ra<A, T> {
    type Value = T;
    fn index(self) -> usize {
        self.index
    }
}

/// An edge in a kernel's signature. It indexes the `#[edge]` attribute, as in `s.weight[e]`, or a `#[wa(per = edge)]`,
/// as in `t.support[e] += 1`.
#[derive(Clone, Copy, Debug)]
pub struct Edge(());
