//! Emits a gather kernel in native Rust: the reductions, which gather in registers, and the block.

use super::kernel;
use super::parts::{self, EmittedPart, Made};
use super::pull::Register;
use super::{Native, functions};
use crate::emit::{descriptor, rust_type};
use crate::ir::{self, AttributeId, Kernel, Role};
use crate::parse::gather::Reducer;
use crate::parse::kernel::KernelItem;
use proc_macro2::{Span, TokenStream};
use quote::quote;

/// The parts of a gather kernel, for one instance of its struct.
pub(crate) struct Gathering {
    /// The attributes of the struct, followed by the accumulators.
    pub(crate) attributes: ir::Attributes,
    /// The reductions, in the order of execution.
    pub(crate) reductions: Vec<EmittedReduction>,
    pub(crate) block: kernel::Instance,
}

/// A reduction, which is a pass over the neighbours that merges into one accumulator.
pub(crate) struct EmittedReduction {
    pub(crate) accumulator: AttributeId,
    pub(crate) reducer: Reducer,
    /// The kernel for all vertices.
    pub(crate) every: kernel::Instance,
    /// The kernel for active vertices.
    pub(crate) active: kernel::Instance,
}

/// Returns the items of a gather kernel: `fn f() -> f_kernel`, or `fn f<T>() -> f_kernel<T>`. `None` if `gatherings` is
/// empty.
pub(crate) fn gather(item: &KernelItem, gatherings: &[Gathering]) -> Option<TokenStream> {
    let made: Vec<Made> = gatherings.iter().map(made).collect();
    parts::items(item, "Gather", "GatherParts", &made)
}

fn made(gathering: &Gathering) -> Made {
    let private = quote!(::gts_graph::__private);
    let own = quote!(gts_gathering);
    let mut items = parts::structure(&own, &gathering.attributes);
    let mut reductions = Vec::new();
    for (index, reduction) in gathering.reductions.iter().enumerate() {
        let kernels = [("every", &reduction.every), ("active", &reduction.active)].map(|(word, instance)| {
            let ty = quote::format_ident!("gts_{word}_{index}", span = Span::mixed_site());
            items.extend(edges(&ty, &own, instance, reduction));
            quote!(&#private::NativeGather(#ty))
        });
        let [every, active] = kernels;
        let accumulator = reduction.accumulator;
        let first = quote::format_ident!("gts_every_{index}", span = Span::mixed_site());
        reductions.push(quote! {
            #private::Reduction {
                accumulator: #accumulator,
                descriptor: <#first as #private::GatherEdges>::DESCRIPTOR,
                every: #every,
                active: #active,
            }
        });
    }
    let EmittedPart { items: block, descriptor, pass } = parts::vertex("gts_block", &own, &gathering.block);
    items.extend(block);
    let parts = quote! {
        #private::GatherParts {
            schema: <gts_gathering as #private::Attributes>::SCHEMA,
            reductions: &[#(#reductions),*],
            block_descriptor: #descriptor,
            block: #pass,
        }
    };
    Made { parameter: gathering.attributes.parameter, items, parts, value: None }
}

/// Returns the implementation of `GatherEdges` for a reduction.
fn edges(
    ty: &proc_macro2::Ident,
    own: &TokenStream,
    instance: &kernel::Instance,
    reduction: &EmittedReduction,
) -> TokenStream {
    let kernel: &Kernel = &instance.kernel;
    let private = quote!(::gts_graph::__private);
    let accumulators = [reduction.accumulator];
    let native = Native { in_registers: &accumulators, ..Native::kernel(kernel) };
    let (a, gts, source, gathered) = (&native.a, &native.gts, &native.source, &native.gathered);
    let context = quote!(#gts: #private::Context<'a>);
    let view = quote!(#a: &<#own as #private::Attributes>::View<'a, gts_memory>);
    let generics = quote!(<'a, gts_memory: #private::Memory>);
    let [src, dst, e] = [Role::Src, Role::Dst, Role::Edge].map(|role| native.parameter(kernel, role));
    let (value, default) = super::edge_value(kernel);
    let captured = kernel.captures.iter().map(|capture| rust_type(capture.value.ty, Span::mixed_site()));
    let values = kernel.captures.iter().map(|capture| native.expr(&capture.value));
    let filter = kernel.source_filter.as_ref().map(|filter| {
        let filter = native.expr(filter);
        quote!(if !(#filter) { return ::core::option::Option::None; })
    });
    let statements = native.block(&kernel.body);
    let at_src = native.declare_place(&[&src]);
    let at_edge = native.declare_place(&[&src, &dst]);
    let register = if reduction.reducer == Reducer::Mode {
        Register::tallied(&native, reduction.accumulator)
    } else {
        Register::of(&native, reduction.accumulator)
    };
    let Register { ty: register, begin, settle } = register;
    // The result of `any` is final once true, and the result of `all` once false.
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
    quote! {
        struct #ty;
        impl #private::Kernel for #ty {
            type Attributes = #own;
        }
        const _: () = {
            #functions
            impl #private::GatherEdges for #ty {
                const DESCRIPTOR: &'static #private::KernelDescriptor = #descriptor;
                type Source = (#(#captured,)*);
                type EdgeValue = #value;
                const EDGE_DEFAULT: #value = #default;
                type Gathered = (#register,);

                #[inline(always)]
                fn begin #generics (#view, #context, #src: #private::Vertex) -> ::core::option::Option<Self::Source> {
                    #at_src
                    #filter
                    ::core::option::Option::Some((#(#values,)*))
                }

                #[inline(always)]
                fn nothing #generics (#view, vertex: #private::Vertex) -> Self::Gathered {
                    (#begin,)
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
                    #at_edge
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
