//! Emits kernels that are composed of parts. Each part is a kernel itself.

use super::functions;
use super::kernel::{self, Instance, body_of, type_name};
use crate::emit::{attributes, descriptor, scalar};
use crate::ir::{self, ScalarType};
use crate::parse::kernel::KernelItem;
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

/// The emitted parts of a kernel, for one instance of its struct.
pub(super) struct Made {
    /// The type argument of this instance, if the struct is generic.
    pub(super) parameter: Option<ScalarType>,
    /// The items that define the parts.
    pub(super) items: TokenStream,
    /// The expression for the trait's `PARTS` constant.
    pub(super) parts: TokenStream,
    /// The type of the value that the kernel returns, if it returns one.
    pub(super) value: Option<TokenStream>,
}

/// An emitted part: the items that define it, and the expressions for its descriptor and its pass.
pub(super) struct EmittedPart {
    pub(super) items: TokenStream,
    pub(super) descriptor: TokenStream,
    pub(super) pass: TokenStream,
}

/// Returns the contents of a kernel that implements the trait `of`. The trait's `PARTS` constant lists the parts.
/// `None` if `all` is empty.
pub(super) fn items(item: &KernelItem, of: &str, parts_type: &str, all: &[Made]) -> Option<TokenStream> {
    let KernelItem { name, structure: path, .. } = item;
    let private = quote!(::gts_graph::__private);
    let (of, parts_type) = (Ident::new(of, Span::call_site()), Ident::new(parts_type, Span::call_site()));
    let ty = type_name(name);
    let Some(parameter) = item.generic() else {
        let Made { parameter, items, parts, value } = all.first()?;
        let structure = kernel::structure(item, *parameter);
        let value = value.as_ref().map(|value| quote!(type Value = #value;));
        return Some(quote! {
            struct #ty;
            impl #private::Kernel for #ty {
                type Attributes = #structure;
            }
            #items
            impl #private::#of for #ty {
                #value
                const PARTS: &'static #private::#parts_type = &#parts;
            }
            #ty
        });
    };
    let bodies = all.iter().map(|Made { parameter, items, parts, value }| {
        let structure = kernel::structure(item, *parameter);
        let choice = parameter.map(scalar);
        let value = value.as_ref().map(|value| quote!(type Value = #value;));
        quote! {
            const _: () = {
                #items
                impl gts_body<#structure> for #ty<#choice> {
                    #value
                    const PARTS: &'static #private::#parts_type = &#parts;
                }
            };
        }
    });
    let gives = all.first()?.value.is_some();
    let declared = gives.then(|| quote!(type Value: #private::PriorityValue;));
    let forwarded = gives.then(|| quote!(type Value = <Self as gts_body<#path<#parameter>>>::Value;));
    let bounds = quote! {
        where #parameter: 'static, #path<#parameter>: #private::Attributes, Self: gts_body<#path<#parameter>>
    };
    Some(quote! {
        pub trait gts_body<A: #private::Attributes> {
            #declared
            const PARTS: &'static #private::#parts_type;
        }
        #(#bodies)*
        impl<#parameter> #private::Kernel for #ty<#parameter> #bounds {
            type Attributes = #path<#parameter>;
        }
        impl<#parameter> #private::#of for #ty<#parameter> #bounds {
            #forwarded
            const PARTS: &'static #private::#parts_type = <Self as gts_body<#path<#parameter>>>::PARTS;
        }
    })
}

/// Returns the attribute struct that the parts access.
pub(super) fn structure(own: &TokenStream, attributes: &ir::Attributes) -> TokenStream {
    let attributes = attributes::concrete(own, attributes);
    quote! {
        struct #own;
        #attributes
    }
}

/// Returns a vertex kernel as a part. `ty` is the name of the kernel's type.
pub(super) fn vertex(ty: &str, own: &TokenStream, instance: &Instance) -> EmittedPart {
    let private = quote!(::gts_graph::__private);
    let ty = Ident::new(ty, Span::mixed_site());
    let kernel = &instance.kernel;
    let descriptor = descriptor::descriptor(kernel, own, &instance.cuda);
    let (functions, body) = (functions(kernel), body_of(kernel, own));
    let items = quote! {
        struct #ty;
        impl #private::Kernel for #ty {
            type Attributes = #own;
        }
        const _: () = {
            #functions
            impl #private::VertexKernel for #ty {
                const DESCRIPTOR: &'static #private::KernelDescriptor = #descriptor;
                #body
            }
        };
    };
    EmittedPart {
        items,
        descriptor: quote!(<#ty as #private::VertexKernel>::DESCRIPTOR),
        pass: quote!(&#private::NativeVertex(#ty)),
    }
}
