//! Emits an attribute struct as Rust: a marker type with one handle per attribute, the schema, and the view for bodies.

use super::enclosure::Enclosure;
use super::{constant, location, optional, scalar, stored};
use crate::ir;
use crate::parse::attributes::{AttributeField, AttributeStruct, FieldKind};
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::ext::IdentExt;

/// Returns the struct and all its items except the hand-over. `instances` contains one schema per type for which the
/// struct is instantiated. The code of the views is moved into the `enclosure`.
pub(crate) fn attributes(
    item: &AttributeStruct,
    instances: &[ir::Attributes],
    enclosure: Option<&Enclosure>,
) -> TokenStream {
    let AttributeStruct { name, visibility, attributes, parameter, .. } = item;
    let (generics, parameter) = match parameter {
        Some(parameter) => {
            (quote!(<#parameter>), quote!(gts_parameter: ::core::marker::PhantomData<fn() -> #parameter>,))
        }
        None => (TokenStream::new(), TokenStream::new()),
    };
    // If a kernel names one of these fields, rustc checks the field's visibility.
    let fields = item.fields.iter().map(|AttributeField { name, visibility, .. }| {
        quote!(#[doc(hidden)] #[allow(missing_docs)] #visibility #name: ::gts_graph::__private::OnlyInAKernel)
    });
    let handles = item.fields.iter().enumerate().map(|(index, field)| handle(item, index, field));
    let view = view(item);
    let implementations = instances.iter().map(|instance| {
        let choice = instance.parameter.map(scalar);
        let arguments = choice.as_ref().map(|choice| quote!(<#choice>));
        implementation(&quote!(#name #arguments), choice, instance)
    });
    let code = quote!(#view #(#implementations)*);
    let code = Enclosure::applied(enclosure, code);
    quote! {
        #(#attributes)*
        #[allow(dead_code)]
        #visibility struct #name #generics { #parameter #(#fields),* }

        #[allow(dead_code, missing_docs)]
        impl #generics #name #generics {
            #(#handles)*
        }

        #[allow(warnings, clippy::all)]
        const _: () = { #code };
    }
}

/// Returns the handle of a field, such as `pub const LEVEL: Wa<Bfs, u32>`.
fn handle(item: &AttributeStruct, index: usize, field: &AttributeField) -> TokenStream {
    let kind = match &field.kind {
        FieldKind::Wa { .. } => "Wa",
        FieldKind::EdgeWa { .. } => "EdgeWa",
        FieldKind::Ra { .. } => "Ra",
        FieldKind::Edge { .. } => "EdgeHandle",
        FieldKind::Param { .. } => "Param",
        FieldKind::Global { .. } => "Global",
    };
    let kind = Ident::new(kind, proc_macro2::Span::call_site());
    let name = Ident::new(&field.name.unraw().to_string().to_uppercase(), field.name.span());
    let element = field.scalar.map_or_else(|| item.parameter.as_ref().map(|t| quote!(#t)).unwrap_or_default(), scalar);
    let ty = match field.length {
        Some(length) => {
            let length = length as usize;
            quote!([#element; #length])
        }
        None => element,
    };
    let AttributeField { visibility, attributes, .. } = field;
    quote! {
        #(#attributes)*
        #visibility const #name: ::gts_graph::__private::#kind<Self, #ty> = ::gts_graph::__private::#kind::new(#index);
    }
}

/// Returns the struct of columns. This struct is generic if the user's struct is, even if only edge values use the type
/// parameter.
fn view(item: &AttributeStruct) -> TokenStream {
    let parameter = item.parameter.as_slice();
    let fields = item.fields.iter().filter_map(|field| {
        let element =
            field.scalar.map_or_else(|| item.parameter.as_ref().map(|t| quote!(#t)).unwrap_or_default(), scalar);
        let name = &field.name;
        let length = field.length.unwrap_or(1) as usize;
        let ty = match field.kind {
            FieldKind::Wa { .. } | FieldKind::Ra { .. } => {
                quote!(::gts_graph::__private::Column<'a, #element, gts_memory, #length>)
            }
            FieldKind::EdgeWa { .. } => quote!(::gts_graph::__private::EdgeColumn<'a, #element, gts_memory>),
            FieldKind::Global { .. } => quote!(::gts_graph::__private::GlobalColumn<'a, #element, #length>),
            FieldKind::Param { .. } if field.length.is_some() => quote!([#element; #length]),
            FieldKind::Param { .. } => element,
            FieldKind::Edge { .. } => return None,
        };
        Some(quote!(pub #name: #ty,))
    });
    quote! {
        #[derive(Clone, Copy)]
        pub struct gts_view<'a, gts_memory, #(#parameter)*> {
            #(#fields)*
            pub gts_memory: ::core::marker::PhantomData<(&'a gts_memory, #(#parameter)*)>,
        }
    }
}

/// Returns the schema and the view of a struct without type parameter, for the type `name`.
pub(crate) fn concrete(name: &TokenStream, instance: &ir::Attributes) -> TokenStream {
    let fields = instance.attributes.iter().filter_map(|attribute| {
        let (name, element) = (&attribute.name, scalar(attribute.scalar));
        let length = attribute.length.unwrap_or(1) as usize;
        let ty = match attribute.kind {
            ir::AttributeKind::Wa { .. } | ir::AttributeKind::Ra { .. } => {
                quote!(::gts_graph::__private::Column<'a, #element, gts_memory, #length>)
            }
            ir::AttributeKind::EdgeWa { .. } => quote!(::gts_graph::__private::EdgeColumn<'a, #element, gts_memory>),
            ir::AttributeKind::Global { .. } => quote!(::gts_graph::__private::GlobalColumn<'a, #element, #length>),
            ir::AttributeKind::Param { .. } if attribute.length.is_some() => quote!([#element; #length]),
            ir::AttributeKind::Param { .. } => element,
            ir::AttributeKind::Edge { .. } => return None,
        };
        Some(quote!(pub #name: #ty,))
    });
    let implementation = implementation(name, None, instance);
    quote! {
        const _: () = {
            #[derive(Clone, Copy)]
            pub struct gts_view<'a, gts_memory> {
                #(#fields)*
                pub gts_memory: ::core::marker::PhantomData<&'a gts_memory>,
            }
            #implementation
        };
    }
}

/// Returns the implementation of `Attributes` for `name`. `choice` is the type argument of the view, if the struct is
/// generic.
fn implementation(name: &TokenStream, choice: Option<TokenStream>, instance: &ir::Attributes) -> TokenStream {
    let schema = schema(instance);
    let columns = instance.attributes.iter().enumerate().filter_map(|(index, attribute)| {
        let field = &attribute.name;
        let array = attribute.length.is_some();
        let column = match attribute.kind {
            ir::AttributeKind::Edge { .. } => return None,
            ir::AttributeKind::EdgeWa { .. } => format_ident!("edge_wa"),
            kind if array => format_ident!("{}_array", kind.name()),
            kind => format_ident!("{}", kind.name()),
        };
        Some(quote!(#field: columns.#column(#index),))
    });
    quote! {
        impl ::gts_graph::__private::Attributes for #name {
            const SCHEMA: &'static ::gts_graph::__private::Schema = #schema;
            type View<'a, gts_memory: ::gts_graph::__private::Memory> = gts_view<'a, gts_memory, #choice>;

            fn bind<'a, gts_memory: ::gts_graph::__private::Memory>(
                columns: &::gts_graph::__private::Columns<'a, gts_memory>,
            ) -> Self::View<'a, gts_memory> {
                gts_view { #(#columns)* gts_memory: ::core::marker::PhantomData }
            }
        }
    }
}

fn schema(instance: &ir::Attributes) -> TokenStream {
    let name = instance.name.unraw().to_string();
    let parameter = optional(instance.parameter.map(constant));
    let attributes = instance.attributes.iter().map(attribute);
    let place = location(&instance.location);
    let value = quote! {
        ::gts_graph::__private::Schema {
            name: #name,
            parameter: #parameter,
            attributes: &[#(#attributes),*],
            location: #place,
        }
    };
    stored("Schema", &value)
}

fn attribute(attribute: &ir::Attribute) -> TokenStream {
    let name = attribute.name.unraw().to_string();
    let kind = kind(attribute.kind);
    let (scalar, length, array) =
        (constant(attribute.scalar), attribute.length.unwrap_or(1), attribute.length.is_some());
    let doc = &attribute.doc;
    quote! {
        ::gts_graph::__private::AttributeSchema {
            name: #name,
            ty: ::gts_graph::__private::AttributeType { scalar: #scalar, length: #length, array: #array },
            kind: ::gts_graph::__private::AttributeKind::#kind,
            doc: #doc,
        }
    }
}

fn kind(kind: ir::AttributeKind) -> TokenStream {
    let init = |ir::Init { bits }| quote!(::gts_graph::__private::Init { bits: #bits });
    match kind {
        ir::AttributeKind::Wa { init: bits, merge: by } => {
            let (init, merge) = (init(bits), constant(by));
            quote!(Wa { init: #init, merge: #merge })
        }
        ir::AttributeKind::EdgeWa { init: bits, merge: by } => {
            let (init, merge) = (init(bits), constant(by));
            quote!(EdgeWa { init: #init, merge: #merge })
        }
        ir::AttributeKind::Ra { from } => {
            let from = optional(from.map(|index| quote!(#index)));
            quote!(Ra { from: #from })
        }
        ir::AttributeKind::Edge { default } => {
            let default = optional(default.map(init));
            quote!(Edge { default: #default })
        }
        ir::AttributeKind::Param { default } => {
            let default = optional(default.map(init));
            quote!(Param { default: #default })
        }
        ir::AttributeKind::Global { merge: by } => {
            let merge = constant(by);
            quote!(Global { merge: #merge })
        }
    }
}
