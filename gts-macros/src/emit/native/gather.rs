//! A gather kernel in native Rust: its reductions, which gather in registers, and its block.

use super::kernel::{self, body_of, type_name};
use super::pull::Register;
use super::{Native, functions};
use crate::emit::{attributes, descriptor, rust_type, scalar};
use crate::ir::{self, AttributeId, Kernel, Role};
use crate::parse::gather::Reducer;
use crate::parse::kernel::KernelItem;
use proc_macro2::{Span, TokenStream};
use quote::quote;

/// A gather kernel as kernels of the other kinds, for one choice of its struct's type.
pub(crate) struct Gathering {
    /// Those of the struct, then the accumulators.
    pub(crate) attributes: ir::Attributes,
    /// One after the other.
    pub(crate) reductions: Vec<Reduction>,
    pub(crate) block: kernel::Instance,
}

/// A pass over the neighbours that merges into one accumulator.
pub(crate) struct Reduction {
    pub(crate) accumulator: AttributeId,
    pub(crate) reducer: Reducer,
    /// For every vertex.
    pub(crate) every: kernel::Instance,
    /// For the active ones.
    pub(crate) active: kernel::Instance,
}

/// The items of a gather kernel: `fn f() -> f_kernel`, or `fn f<T>() -> f_kernel<T>`. `None` where there is no choice of
/// a type.
pub(crate) fn gather(item: &KernelItem, gatherings: &[Gathering]) -> Option<TokenStream> {
    let KernelItem { attributes, visibility, name, structure: path, .. } = item;
    let private = quote!(::gts_runtime::__private);
    let ty = type_name(name);
    let Some(parameter) = item.generic() else {
        let gathering = gatherings.first()?;
        let structure = kernel::structure(item, gathering.attributes.parameter);
        let (items, parts) = parts(gathering);
        return Some(quote! {
            #(#attributes)*
            #[allow(warnings)]
            #visibility fn #name() -> impl #private::Gather<Attributes = #structure> {
                struct #ty;
                impl #private::Kernel for #ty {
                    type Attributes = #structure;
                }
                #items
                impl #private::Gather for #ty {
                    const PARTS: &'static #private::GatherParts = &#parts;
                }
                #ty
            }
        });
    };
    let bodies = gatherings.iter().map(|gathering| {
        let choice = gathering.attributes.parameter.map(scalar);
        let structure = kernel::structure(item, gathering.attributes.parameter);
        let (items, parts) = parts(gathering);
        quote! {
            const _: () = {
                #items
                impl Body<#structure> for #ty<#choice> {
                    const PARTS: &'static #private::GatherParts = &#parts;
                }
            };
        }
    });
    let bounds = quote! {
        where #parameter: 'static, #path<#parameter>: #private::Attributes, Self: Body<#path<#parameter>>
    };
    Some(quote! {
        #[doc(hidden)]
        #[allow(warnings)]
        #visibility struct #ty<#parameter> { gts: ::core::marker::PhantomData<fn() -> #parameter> }

        #(#attributes)*
        #[allow(warnings)]
        #visibility fn #name<#parameter>() -> #ty<#parameter>
        where
            #ty<#parameter>: #private::Gather<Attributes = #path<#parameter>>,
        {
            #ty { gts: ::core::marker::PhantomData }
        }

        #[allow(warnings)]
        const _: () = {
            trait Body<A: #private::Attributes> {
                const PARTS: &'static #private::GatherParts;
            }
            #(#bodies)*
            impl<#parameter> #private::Kernel for #ty<#parameter> #bounds {
                type Attributes = #path<#parameter>;
            }
            impl<#parameter> #private::Gather for #ty<#parameter> #bounds {
                const PARTS: &'static #private::GatherParts = <Self as Body<#path<#parameter>>>::PARTS;
            }
        };
    })
}

/// The kernels that a gather kernel is made of, and the value that names them.
fn parts(gathering: &Gathering) -> (TokenStream, TokenStream) {
    let private = quote!(::gts_runtime::__private);
    let own = quote!(Gathering);
    let attributes = attributes::concrete(&own, &gathering.attributes);
    let mut items = quote! {
        struct Gathering;
        #attributes
    };
    let mut reductions = Vec::new();
    for (index, reduction) in gathering.reductions.iter().enumerate() {
        let kernels = [("Every", &reduction.every), ("Active", &reduction.active)].map(|(word, instance)| {
            let ty = quote::format_ident!("{word}{index}", span = Span::mixed_site());
            items.extend(edges(&ty, &own, instance, reduction));
            quote!(&#private::NativeGather(#ty))
        });
        let [every, active] = kernels;
        let accumulator = reduction.accumulator;
        let first = quote::format_ident!("Every{index}", span = Span::mixed_site());
        reductions.push(quote! {
            #private::Reduction {
                accumulator: #accumulator,
                descriptor: <#first as #private::GatherEdges>::DESCRIPTOR,
                every: #every,
                active: #active,
            }
        });
    }
    let block = &gathering.block.kernel;
    let descriptor = descriptor::descriptor(block, &own, &gathering.block.cuda);
    let (functions, body) = (functions(block), body_of(block, &own));
    items.extend(quote! {
        struct Block;
        impl #private::Kernel for Block {
            type Attributes = Gathering;
        }
        const _: () = {
            #functions
            impl #private::VertexKernel for Block {
                const DESCRIPTOR: &'static #private::KernelDescriptor = &#descriptor;
                #body
            }
        };
    });
    let parts = quote! {
        #private::GatherParts {
            schema: <Gathering as #private::Attributes>::SCHEMA,
            reductions: &[#(#reductions),*],
            block_descriptor: <Block as #private::VertexKernel>::DESCRIPTOR,
            block: &#private::NativeVertex(Block),
        }
    };
    (items, parts)
}

/// A reduction as `GatherEdges`.
fn edges(
    ty: &proc_macro2::Ident,
    own: &TokenStream,
    instance: &kernel::Instance,
    reduction: &Reduction,
) -> TokenStream {
    let kernel: &Kernel = &instance.kernel;
    let private = quote!(::gts_runtime::__private);
    let accumulators = [reduction.accumulator];
    let native = Native { in_registers: &accumulators, ..Native::kernel(kernel) };
    let (a, gts, source, gathered) = (&native.a, &native.gts, &native.source, &native.gathered);
    let context = quote!(#gts: #private::Context<'a>);
    let view = quote!(#a: &<#own as #private::Attributes>::View<'a, P>);
    let generics = quote!(<'a, P: #private::Memory>);
    let [src, dst, e] = [Role::Src, Role::Dst, Role::Edge].map(|role| native.parameter(kernel, role));
    let (value, default) = kernel::edge_value(kernel);
    let captured = kernel.captures.iter().map(|capture| rust_type(capture.value.ty, Span::mixed_site()));
    let values = kernel.captures.iter().map(|capture| native.expr(&capture.value));
    let filter = kernel.source_filter.as_ref().map(|filter| {
        let filter = native.expr(filter);
        quote!(if !(#filter) { return ::core::option::Option::None; })
    });
    let statements = native.block(&kernel.body);
    let register = if reduction.reducer == Reducer::Mode {
        Register::tallied(&native, reduction.accumulator)
    } else {
        Register::of(&native, reduction.accumulator)
    };
    let Register { ty: register, begin, settle } = register;
    // Nothing changes a condition that holds for one, or fails for one.
    let enough = match reduction.reducer {
        Reducer::Any => Some(true),
        Reducer::All => Some(false),
        _ => None,
    };
    let enough = enough.map(|held| {
        quote! {
            #[inline(always)]
            fn enough(gathered: &Self::Gathered) -> ::core::primitive::bool { gathered.0.first() == #held }
        }
    });
    let functions = functions(kernel);
    let descriptor = descriptor::descriptor(kernel, own, &instance.cuda);
    let expected = kernel::expected(kernel, &native);
    quote! {
        struct #ty;
        impl #private::Kernel for #ty {
            type Attributes = #own;
        }
        const _: () = {
            #functions
            impl #private::GatherEdges for #ty {
                const DESCRIPTOR: &'static #private::KernelDescriptor = &#descriptor;
                type Source = (#(#captured,)*);
                type EdgeValue = #value;
                const EDGE_DEFAULT: #value = #default;
                type Gathered = (#register,);

                #[inline(always)]
                fn begin #generics (#view, #context, #src: #private::Vertex) -> ::core::option::Option<Self::Source> {
                    #filter
                    ::core::option::Option::Some((#(#values,)*))
                }

                #[inline(always)]
                fn nothing #generics (#view, vertex: #private::Vertex) -> Self::Gathered {
                    (#begin,)
                }

                #[inline(always)]
                fn expect #generics (#view, vertex: #private::Vertex) {
                    #(#a.#expected.expect(vertex);)*
                }

                #[inline(always)]
                fn edge #generics (
                    #view,
                    #context,
                    #source: Self::Source,
                    #src: #private::Vertex,
                    #dst: #private::Vertex,
                    #e: #value,
                    #gathered: &mut Self::Gathered,
                ) {
                    #statements
                }

                #enough

                #[inline(always)]
                fn settle #generics (
                    #view,
                    #context,
                    vertex: #private::Vertex,
                    edges: ::core::primitive::u64,
                    gathered: Self::Gathered,
                ) {
                    #settle
                }
            }
        };
    }
}
