//! Emits the items of an intersection kernel.

use super::Native;
use crate::ir::{Kernel, Role};
use proc_macro2::TokenStream;
use quote::quote;

/// Returns the items of the `IntersectKernel` implementation. `view` is the type of the attribute view; `statements` is
/// the body.
pub(super) fn body(kernel: &Kernel, native: &Native<'_>, view: &TokenStream, statements: &TokenStream) -> TokenStream {
    let (a, gts) = (&native.a, &native.gts);
    let parameter = |role| match kernel.parameter(role) {
        Some(local) => {
            let name = native.local(local);
            quote!(#name)
        }
        None => quote!(_),
    };
    let (u, v, w) = (parameter(Role::Src), parameter(Role::Dst), parameter(Role::Common));
    let e = parameter(Role::Edge);
    let common = kernel.parameter(Role::Common).is_some();
    let ordered = kernel.ordered;
    let private = quote!(::gts_graph::__private);
    let place = native.declare_place(&[&u, &v]);
    quote! {
        const COMMON: ::core::primitive::bool = #common;
        const ORDERED: ::core::primitive::bool = #ordered;

        #[inline(always)]
        fn meet<'a, gts_memory: #private::Memory>(
            #a: #view,
            #gts: #private::Context<'a>,
            #u: #private::Vertex,
            #v: #private::Vertex,
            #w: #private::Vertex,
            #e: #private::EdgeNumber,
        ) {
            #place
            #statements
        }
    }
}

/// Returns the items of the trait that each body of a generic kernel implements, and the items of `IntersectKernel`
/// that forward to this trait.
pub(super) fn forward(
    declared_view: &TokenStream,
    view: &TokenStream,
    generics: &TokenStream,
) -> (TokenStream, TokenStream) {
    let private = quote!(::gts_graph::__private);
    let rest = quote!(
        gts: #private::Context<'a>,
        u: #private::Vertex,
        v: #private::Vertex,
        w: #private::Vertex,
        e: #private::EdgeNumber,
    );
    let flag = quote!(::core::primitive::bool);
    (
        quote! {
            const COMMON: #flag;
            const ORDERED: #flag;
            fn meet #generics (a: #declared_view, #rest);
        },
        quote! {
            const COMMON: #flag = <Self as gts_body<Self::Attributes>>::COMMON;
            const ORDERED: #flag = <Self as gts_body<Self::Attributes>>::ORDERED;
            #[inline(always)]
            fn meet #generics (a: #view, #rest) {
                <Self as gts_body<Self::Attributes>>::meet::<gts_memory>(a, gts, u, v, w, e)
            }
        },
    )
}
