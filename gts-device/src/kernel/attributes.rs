//! Attribute structs, and the typed handles of their fields for host programs.

use super::column::Columns;
use super::scalar::Memory;
use super::value::AttributeValue;
use gts_contract::Schema;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// An attribute struct whose type parameter, if there is one, is replaced with a concrete type.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no attribute struct",
    label = "not an attribute struct",
    note = "write `#[gts_attributes]` above the struct; a type parameter stands for one of the listed types: \
            `#[gts_attributes(T = f32 | f64)]`"
)]
pub trait Attributes: Sized + Send + Sync + 'static {
    /// The schema that the macro derives from the struct's fields.
    const SCHEMA: &'static Schema;
    /// The struct that kernel bodies receive: one typed column per attribute.
    type View<'a, P: Memory>: Copy + Send + Sync;

    /// Returns the struct's typed view of a pass's columns.
    fn bind<'a, P: Memory>(columns: &Columns<'a, P>) -> Self::View<'a, P>;
}

/// A function with `#[gts_fn]` or a constant with `#[gts_const]`, for use in kernels and helpers.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "this function or constant is not handed on to kernels",
    label = "kernels know only what is handed on to them",
    note = "write `#[gts_fn]` above the function, or `#[gts_const]` above the constant",
    note = "a kernel calls no kernel: the host runs one after the other"
)]
pub trait HandedOn {}

/// Compiles only if `H` is available to kernels. Emitted kernels call this function for each helper and constant that
/// they name.
#[doc(hidden)]
pub const fn is_handed_on<H: HandedOn>() {}

/// An attribute with one value per vertex: a [`Wa`] or an [`Ra`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no attribute of `{A}` with a value per vertex",
    label = "expected a `#[wa]` or an `#[ra]` of `{A}`",
    note = "`run.set_param` sets a `#[param]`, `run.global` returns a `#[global]`, and `run.fill_edges` and \
            `run.take_edges` are for a `#[wa(per = edge)]`"
)]
pub trait VertexAttribute<A: Attributes>: Copy {
    /// The type of each vertex's value.
    type Value: AttributeValue;
    /// Returns the index of the attribute in the schema.
    fn index(self) -> usize;
}

/// An attribute for `run.rotate`: an [`Ra`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no `#[ra]` of `{A}`",
    label = "expected an `#[ra]` of `{A}`",
    note = "`run.rotate` takes the `#[ra(from = x)]`: it moves the values of `x` there, and `x` starts again"
)]
pub trait RotatingAttribute<A: Attributes>: VertexAttribute<A> + std::fmt::Debug {}

impl<A: Attributes, T: AttributeValue> RotatingAttribute<A> for Ra<A, T> {}

/// The type of the fields of an attribute struct, whose values are only accessible in kernels. A function that uses a
/// field lacks `#[gts_kernel]`; errors of the compiler then contain the name of this type.
#[doc(hidden)]
#[derive(Debug)]
pub struct OnlyInAKernel(());

/// An index into an attribute outside a kernel. No type implements this trait, so such an index does not compile.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "an attribute has values in a kernel only, and this function is none",
    label = "this is no kernel",
    note = "write `#[gts_kernel(..)]` above the function; the host reads by `run.take` and writes by `run.set` or \
            `run.fill`"
)]
pub trait IndexOutsideOfKernels {
    /// The type of the attribute's elements.
    type Element: ?Sized;
}

impl<I: IndexOutsideOfKernels> Index<I> for OnlyInAKernel {
    type Output = I::Element;

    fn index(&self, _: I) -> &I::Element {
        unreachable!("no type is such an index")
    }
}

impl<I: IndexOutsideOfKernels> IndexMut<I> for OnlyInAKernel {
    fn index_mut(&mut self, _: I) -> &mut I::Element {
        unreachable!("no type is such an index")
    }
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
    /// Handle of an `#[ra]` attribute: one read-only value per vertex, loaded together with the vertex's page.
    Ra;
    /// Handle of a `#[param]`: a value that the host sets before a pass.
    Param;
    /// Handle of a `#[global]`: an accumulator that the host reads after a pass.
    Global;
    /// Handle of a `#[wa(per = edge)]` attribute: one updatable value per edge.
    EdgeWa;
    /// Handle of an `#[edge]` attribute: one value per edge, read from the graph store.
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

/// An edge in a kernel's signature. An edge indexes the `#[edge]` attribute, as in `s.weight[e]`, or an updatable edge
/// attribute, as in `t.support[e] += 1`.
#[derive(Clone, Copy, Debug)]
pub struct Edge(());
