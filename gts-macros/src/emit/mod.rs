//! Emitters, which convert finished IR into text or tokens. Emitters use no other input.

pub(crate) mod attributes;
pub(crate) mod cuda;
pub(crate) mod descriptor;
pub(crate) mod enclosure;
pub(crate) mod host;
pub(crate) mod native;

use crate::ir::{Location, ScalarType, Span, Type};
use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};
use std::fmt;

/// Returns a span that locates errors at the user's token. Its hygiene prevents collisions with the user's names.
fn at(span: Span) -> proc_macro2::Span {
    proc_macro2::Span::mixed_site().located_at(span.start)
}

/// Returns the Rust name of a scalar type.
fn scalar(scalar: ScalarType) -> TokenStream {
    if scalar == ScalarType::VertexId {
        return quote!(::gts_graph::__private::VertexId);
    }
    let name = Ident::new(scalar.name(), proc_macro2::Span::call_site());
    quote!(::core::primitive::#name)
}

/// Returns the Rust type of a local variable.
fn rust_type(ty: Type, span: proc_macro2::Span) -> TokenStream {
    match ty {
        Type::Scalar(kind) => {
            let name = scalar(kind);
            quote_spanned!(span=> #name)
        }
        Type::Vertex => quote_spanned!(span=> ::gts_graph::__private::Vertex),
        Type::Array(kind, length) => {
            let (name, length) = (scalar(kind), length as usize);
            quote_spanned!(span=> [#name; #length])
        }
        Type::Edge | Type::Unit | Type::Open(_) | Type::OpenArray(..) => quote_spanned!(span=> ()),
    }
}

/// Returns a source location as constant data.
fn location(location: &Location) -> TokenStream {
    let Location { file, line, column } = location;
    quote!(::gts_graph::__private::SourceLocation { file: #file, line: #line, column: #column })
}

/// Returns a reference to a static that contains `value`, constant data with source locations. The compiler copies the
/// value of a constant into each object file that uses the constant, but refers to a static by its name. Therefore, an
/// edit that only moves a kernel to another line does not change the object files of the kernel's loops.
fn stored(ty: &str, value: &TokenStream) -> TokenStream {
    let ty = Ident::new(ty, proc_macro2::Span::call_site());
    quote! {
        {
            static STORED: ::gts_graph::__private::#ty = #value;
            &STORED
        }
    }
}

/// Returns a field-less variant of a contract enum as constant data.
fn constant<T: fmt::Debug>(variant: T) -> TokenStream {
    let ident = |name: &str| Ident::new(name, proc_macro2::Span::call_site());
    let path = std::any::type_name::<T>();
    let (of, name) = (ident(path.rsplit("::").next().unwrap_or(path)), ident(&format!("{variant:?}")));
    quote!(::gts_graph::__private::#of::#name)
}

fn optional(value: Option<TokenStream>) -> TokenStream {
    match value {
        Some(value) => quote!(::core::option::Option::Some(#value)),
        None => quote!(::core::option::Option::None),
    }
}
