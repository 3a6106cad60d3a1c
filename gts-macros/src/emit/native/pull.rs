//! Emits the pulling form of a scan in native Rust.

use super::{Native, edge_value};
use crate::emit::{constant, rust_type, scalar};
use crate::ir::{AttributeId, AttributeKind, Kernel, Merge, Role};
use proc_macro2::{Span, TokenStream};
use quote::quote;

/// Returns the items of a kernel's pulling form, and the value of `PULL` that refers to this form. If the kernel has no
/// such form, returns no items and the value `None`.
pub(super) fn pull(kernel: &Kernel, structure: &TokenStream) -> (TokenStream, TokenStream) {
    let private = quote!(::gts_graph::__private);
    if kernel.facts.gathered.is_empty() {
        return (TokenStream::new(), quote!(::core::option::Option::None));
    }
    let native = Native { in_registers: &kernel.facts.gathered, ..Native::kernel(kernel) };
    let (a, gts, source, gathered) = (&native.a, &native.gts, &native.source, &native.gathered);
    let context = quote!(#gts: #private::Context<'a>);
    let view = quote!(#a: &<#structure as #private::Attributes>::View<'a, gts_memory>);
    let generics = quote!(<'a, gts_memory: #private::Memory>);
    let [src, dst, e] = [Role::Src, Role::Dst, Role::Edge].map(|role| native.parameter(kernel, role));
    let (value, default) = edge_value(kernel);
    let captured = kernel.captures.iter().map(|capture| rust_type(capture.value.ty, Span::mixed_site()));
    let values = kernel.captures.iter().map(|capture| native.expr(&capture.value));
    let (mut handed, mut hand, mut unpack) = (quote!((#(#captured,)*)), quote!((#(#values,)*)), None);
    if let Some(filter) = &kernel.source_filter {
        let filter = native.expr(filter);
        handed = quote!(::core::option::Option<#handed>);
        hand = quote!(if #filter { ::core::option::Option::Some(#hand) } else { ::core::option::Option::None });
        unpack = Some(quote!(let ::core::option::Option::Some(#source) = #source else { return };));
    }
    let statements = native.block(&kernel.body);
    let at_src = native.declare_place(&[&src]);
    let at_edge = native.declare_place(&[&src, &dst]);
    let registers: Vec<Register> =
        kernel.facts.gathered.iter().map(|&attribute| Register::of(&native, attribute)).collect();
    let types = registers.iter().map(|register| &register.ty);
    let begins = registers.iter().map(|register| &register.begin);
    let settles = registers.iter().map(|register| &register.settle);
    let form = quote! {
        struct gts_pulling;
        impl #private::PullKernel for gts_pulling {
            type Attributes = #structure;
            type Handed = #handed;
            type EdgeValue = #value;
            const EDGE_DEFAULT: #value = #default;
            type Gathered = (#(#types,)*);

            #[inline(always)]
            fn hand #generics (#view, #context, #src: #private::Vertex) -> Self::Handed {
                #at_src
                #hand
            }

            #[inline(always)]
            fn begin #generics (#view, vertex: #private::Vertex) -> Self::Gathered {
                (#(#begins,)*)
            }

            #[inline(always)]
            fn gather #generics (
                #view,
                #context,
                #source: Self::Handed,
                #src: #private::Vertex,
                #dst: #private::Vertex,
                #e: #value,
                #gathered: &mut Self::Gathered,
            ) {
                #unpack
                #at_edge
                #statements
            }

            #[inline(always)]
            fn settle #generics (#view, #context, vertex: #private::Vertex, gathered: Self::Gathered) {
                #(#settles)*
            }
        }
    };
    (form, quote!(::core::option::Option::Some(&#private::NativePull(gts_pulling))))
}

/// The code of a register that gathers one attribute: its type, initial value and final merge.
pub(super) struct Register {
    pub(super) ty: TokenStream,
    pub(super) begin: TokenStream,
    pub(super) settle: TokenStream,
}

impl Register {
    /// Returns the code of a register that counts values, for `mode`.
    pub(super) fn tallied(native: &Native<'_>, attribute: AttributeId) -> Self {
        let private = quote!(::gts_graph::__private);
        let (a, gts, field) = (&native.a, &native.gts, &native.attributes[attribute].name);
        let element = scalar(native.attributes[attribute].scalar);
        Self {
            ty: quote!(#private::Tallied<#element>),
            begin: quote!(#private::Tallied::begin()),
            settle: quote!(gathered.0.settle(&#a.#field, #gts, vertex, edges, Self::DESCRIPTOR);),
        }
    }

    pub(super) fn of(native: &Native<'_>, attribute: AttributeId) -> Self {
        let private = quote!(::gts_graph::__private);
        let declared = &native.attributes[attribute];
        let (a, field, element) = (&native.a, &declared.name, scalar(declared.scalar));
        let length = declared.length.unwrap_or(1) as usize;
        let number = native.in_registers.iter().position(|&other| other == attribute).map(syn::Index::from);
        match declared.kind {
            AttributeKind::Wa { merge, .. } if merge != Merge::Sum => {
                let merge = constant(merge);
                Self {
                    ty: quote!(#private::Kept<#element, #length>),
                    begin: quote!(#private::Kept::of(&#a.#field, vertex)),
                    settle: quote!(gathered.#number.settle(&#a.#field, vertex, #merge);),
                }
            }
            _ => Self {
                ty: quote!(#private::Summed<#element, #length>),
                begin: quote!(#private::Summed::NOTHING),
                settle: {
                    let (gts, check) = (&native.gts, native.settled_sum(attribute));
                    quote!(gathered.#number.settle(&#a.#field, #gts, vertex, #check);)
                },
            },
        }
    }
}
