//! Emits the items of a kernel: a type that implements the kernel's traits, and a function that returns a value of this
//! type.

use super::intersect;
use super::pull::pull;
use super::{Native, edge_value, functions};
use crate::emit::{descriptor, rust_type, scalar};
use crate::ir::{Kernel, KernelKind, Role, ScalarType, Site};
use crate::parse::kernel::{KernelItem, TypeArgument};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};

/// A kernel for one instance of its struct, with its CUDA C.
pub(crate) struct Instance {
    pub(crate) kernel: Kernel,
    pub(crate) cuda: String,
}

/// Returns the items by which hosts name a kernel. They enclose `body`, the contents of the kernel. A kernel on a
/// single type is `fn expand() -> impl Traverse<Attributes = Bfs>`. A generic kernel is
/// `fn push<T>() -> push_kernel<T>`, and its contents are in an anonymous constant.
pub(crate) fn framed(item: &KernelItem, body: &TokenStream) -> TokenStream {
    let KernelItem { attributes, visibility, name, .. } = item;
    let of = kernel_trait(item);
    if let Some(parameter) = item.generic() {
        let constructor = constructor(item, parameter, &of);
        return quote! {
            #constructor

            #[allow(warnings, clippy::all)]
            const _: () = { #body };
        };
    }
    let structure = single(item);
    let value = priority_value(item).map(|value| quote!(, Value = #value));
    quote! {
        #(#attributes)*
        #[allow(warnings, clippy::all)]
        #visibility fn #name() -> impl ::gts_graph::__private::#of<Attributes = #structure #value> { #body }
    }
}

/// Returns the contents of a kernel on a single type.
pub(crate) fn plain(item: &KernelItem, instance: &Instance) -> TokenStream {
    let KernelItem { name, .. } = item;
    let structure = structure(item, instance.kernel.attributes.parameter);
    let ty = type_name(name);
    let descriptor = descriptor::descriptor(&instance.kernel, &structure, &instance.cuda);
    let (body_trait, items) = (body_trait(item.kind), body_of(&instance.kernel, &structure));
    let (form, named) = pulling(&instance.kernel, &structure);
    let functions = functions(&instance.kernel);
    let marker = marker(item.kind, &quote!(#ty), &TokenStream::new(), &TokenStream::new());
    quote! {
        struct #ty;
        impl ::gts_graph::__private::Kernel for #ty {
            type Attributes = #structure;
        }
        #functions
        #form
        impl ::gts_graph::__private::#body_trait for #ty {
            const DESCRIPTOR: &'static ::gts_graph::__private::KernelDescriptor = #descriptor;
            #named
            #items
        }
        #marker
        #ty
    }
}

/// Returns the function by which hosts name a generic kernel, and the function's return type, which implements the
/// runtime trait `of`.
fn constructor(item: &KernelItem, parameter: &Ident, of: &Ident) -> TokenStream {
    let KernelItem { attributes, visibility, name, structure: path, .. } = item;
    let ty = type_name(name);
    quote! {
        #[doc(hidden)]
        #[allow(warnings, clippy::all)]
        #visibility struct #ty<#parameter> { gts: ::core::marker::PhantomData<fn() -> #parameter> }

        #(#attributes)*
        #[allow(warnings, clippy::all)]
        #visibility fn #name<#parameter>() -> #ty<#parameter>
        where
            #ty<#parameter>: ::gts_graph::__private::#of<Attributes = #path<#parameter>>,
        {
            #ty { gts: ::core::marker::PhantomData }
        }
    }
}

/// Returns the contents of a generic kernel. Each type has its own body, and one blanket implementation covers all
/// types. This lets `run.scan(push)` infer `T` from the run.
pub(crate) fn generic(item: &KernelItem, parameter: &Ident, instances: &[Instance]) -> TokenStream {
    let path = &item.structure;
    let ty = type_name(&item.name);
    let body_trait = body_trait(item.kind);
    let (declared, forwarded) = forward(item.kind);
    let bodies = instances.iter().map(|instance| {
        let choice = instance.kernel.attributes.parameter.map(scalar);
        let structure = structure(item, instance.kernel.attributes.parameter);
        let descriptor = descriptor::descriptor(&instance.kernel, &structure, &instance.cuda);
        let items = body_of(&instance.kernel, &structure);
        let functions = functions(&instance.kernel);
        let (form, named) = pulling(&instance.kernel, &structure);
        quote! {
            const _: () = {
                #functions
                #form
                impl gts_body<#structure> for #ty<#choice> {
                    const DESCRIPTOR: &'static ::gts_graph::__private::KernelDescriptor = #descriptor;
                    #named
                    #items
                }
            };
        }
    });
    let bounds = quote! {
        where #parameter: 'static, #path<#parameter>: ::gts_graph::__private::Attributes, Self: gts_body<#path<#parameter>>
    };
    let marker = marker(item.kind, &quote!(#ty<#parameter>), &quote!(<#parameter>), &bounds);
    quote! {
        pub trait gts_body<A: ::gts_graph::__private::Attributes> {
            const DESCRIPTOR: &'static ::gts_graph::__private::KernelDescriptor;
            #declared
        }
        #(#bodies)*
        impl<#parameter> ::gts_graph::__private::Kernel for #ty<#parameter> #bounds {
            type Attributes = #path<#parameter>;
        }
        impl<#parameter> ::gts_graph::__private::#body_trait for #ty<#parameter> #bounds {
            const DESCRIPTOR: &'static ::gts_graph::__private::KernelDescriptor =
                <Self as gts_body<#path<#parameter>>>::DESCRIPTOR;
            #forwarded
        }
        #marker
    }
}

/// Returns a replacement for the contents of a kernel with an error. The replacement implements the traits of all
/// kernel kinds, so that no further errors follow.
pub(crate) fn refused(item: &KernelItem) -> TokenStream {
    let Some(parameter) = item.generic() else {
        let structure = single(item);
        let value = priority_value(item).map(|value| quote!(, #value));
        return quote!(::gts_graph::__private::Failed::<#structure #value>::new());
    };
    let (ty, path) = (type_name(&item.name), &item.structure);
    let value = priority_value(item).unwrap_or_else(|| quote!(::core::primitive::u32));
    let value = match item.priority.as_ref().and_then(crate::parse::type_name) {
        Some(name) if name == parameter => quote!(#parameter),
        _ => value,
    };
    quote! {
        impl<#parameter> ::gts_graph::__private::Rejected for #ty<#parameter>
        where
            #parameter: 'static,
            #path<#parameter>: ::gts_graph::__private::Attributes,
        {
            type Of = #path<#parameter>;
            type Number = #value;
        }
    }
}

/// Returns the struct of a kernel on a single type.
fn single(item: &KernelItem) -> TokenStream {
    let choice = if let TypeArgument::Fixed(scalar) = &item.argument { Some(*scalar) } else { None };
    structure(item, choice)
}

/// Returns the type of the kernel's priority, if the kernel has one and its type is numeric.
fn priority_value(item: &KernelItem) -> Option<TokenStream> {
    let value = crate::parse::scalar(item.priority.as_ref()?)?;
    (value.is_integer() || value.is_float()).then(|| scalar(value))
}

/// Returns the trait by which hosts run the kernel.
fn kernel_trait(item: &KernelItem) -> Ident {
    match () {
        () if item.gather => Ident::new("Gather", Span::call_site()),
        () if item.priority.is_some() => Ident::new("Priority", Span::call_site()),
        () => kind(item.kind),
    }
}

/// Returns the replacement for a kernel with an error. The replacement implements the traits of all kinds, so that no
/// further errors follow. `item` is the kernel, if it was parsed.
pub(crate) fn failed(name: &Ident, visibility: &syn::Visibility, item: Option<&KernelItem>) -> TokenStream {
    let argument = item.map(|item| (&item.structure, &item.argument));
    let (generics, structure) = match argument {
        Some((path, TypeArgument::None)) => (TokenStream::new(), quote!(#path)),
        Some((path, TypeArgument::Fixed(kind))) => {
            let ty = scalar(*kind);
            (TokenStream::new(), quote!(#path<#ty>))
        }
        Some((path, TypeArgument::Parameter(parameter))) => (quote!(<#parameter>), quote!(#path<#parameter>)),
        None => (quote!(<A>), quote!(A)),
    };
    // Hosts pass the width of a priority, whose type must match the priority.
    let value = item.and_then(|item| item.priority.as_ref()).filter(|ty| match crate::parse::scalar(ty) {
        Some(kind) => kind.is_integer() || kind.is_float(),
        None => crate::parse::type_name(ty).is_some_and(|name| item.and_then(KernelItem::generic) == Some(name)),
    });
    let value = value.map(|ty| quote!(, #ty));
    quote! {
        #[allow(warnings, clippy::all)]
        #visibility fn #name #generics () -> ::gts_graph::__private::Failed<#structure #value> {
            ::gts_graph::__private::Failed::new()
        }
    }
}

pub(super) fn type_name(name: &Ident) -> Ident {
    format_ident!("{name}_kernel")
}

/// Returns the struct that the kernel accesses, with its type argument.
pub(super) fn structure(item: &KernelItem, choice: Option<ScalarType>) -> TokenStream {
    let path = &item.structure;
    let arguments = choice.map(scalar).map(|choice| quote!(<#choice>));
    quote!(#path #arguments)
}

fn kind(kind: KernelKind) -> Ident {
    let name = match kind {
        KernelKind::Scan => "Scan",
        KernelKind::Traverse => "Traverse",
        KernelKind::Vertex => "VertexKernel",
        KernelKind::Intersect => "IntersectKernel",
    };
    Ident::new(name, Span::call_site())
}

fn body_trait(kind: KernelKind) -> Ident {
    if kind.has_edges() { Ident::new("EdgeKernel", Span::call_site()) } else { self::kind(kind) }
}

/// Returns `impl Scan for ..` or the equivalent; nothing for kernels that do not run for edges.
fn marker(of: KernelKind, ty: &TokenStream, generics: &TokenStream, bounds: &TokenStream) -> TokenStream {
    let name = kind(of);
    if of.has_edges() {
        quote!(impl #generics ::gts_graph::__private::#name for #ty #bounds {})
    } else {
        TokenStream::new()
    }
}

/// Returns the items of the `EdgeKernel`, `VertexKernel` or `IntersectKernel` implementation.
pub(super) fn body_of(kernel: &Kernel, structure: &TokenStream) -> TokenStream {
    let native = Native::kernel(kernel);
    let (a, gts, source) = (&native.a, &native.gts, &native.source);
    let view = quote!(&<#structure as ::gts_graph::__private::Attributes>::View<'a, gts_memory>);
    let statements = native.block(&kernel.body);
    let parameter = |role| {
        kernel.parameter(role).map_or_else(
            || quote!(_),
            |local| {
                let name = native.local(local);
                quote!(#name)
            },
        )
    };
    if let KernelKind::Intersect = kernel.kind {
        return intersect::body(kernel, &native, &view, &statements);
    }
    if kernel.kind == KernelKind::Vertex {
        let v = parameter(Role::V);
        let place = native.declare_place(&[&v]);
        return quote! {
            #[inline(always)]
            fn vertex<'a, gts_memory: ::gts_graph::__private::Memory>(
                #a: #view,
                #gts: ::gts_graph::__private::Context<'a>,
                #v: ::gts_graph::__private::Vertex,
            ) {
                #place
                #statements
            }
        };
    }
    let (src, dst, e) = (parameter(Role::Src), parameter(Role::Dst), parameter(Role::Edge));
    let captured = kernel.captures.iter().map(|capture| rust_type(capture.value.ty, Span::mixed_site()));
    let values = kernel.captures.iter().map(|capture| native.expr(&capture.value));
    let filter = kernel.source_filter.as_ref().map(|filter| {
        let filter = native.expr(filter);
        quote!(if !(#filter) { return ::core::option::Option::None; })
    });
    let (value, default) = edge_value(kernel);
    let expected = expected(kernel, &native);
    let wants = kernel.facts.target_condition.as_ref().filter(|_| kernel.facts.receives);
    let wants = wants.map_or_else(|| quote!(true), |condition| native.expr(condition));
    let at_src = native.declare_place(&[&src]);
    let at_edge = native.declare_place(&[&src, &dst]);
    quote! {
        type Source = (#(#captured,)*);
        type EdgeValue = #value;
        const EDGE_DEFAULT: #value = #default;

        #[inline(always)]
        fn begin<'a, gts_memory: ::gts_graph::__private::Memory>(
            #a: #view,
            #gts: ::gts_graph::__private::Context<'a>,
            #src: ::gts_graph::__private::Vertex,
        ) -> ::core::option::Option<Self::Source> {
            #at_src
            #filter
            ::core::option::Option::Some((#(#values,)*))
        }

        #[inline(always)]
        fn expect<'a, gts_memory: ::gts_graph::__private::Memory>(#a: #view, vertex: ::gts_graph::__private::Vertex) {
            #(#a.#expected.expect(vertex);)*
        }

        #[inline(always)]
        fn wants<'a, gts_memory: ::gts_graph::__private::Memory>(
            #a: #view,
            #gts: ::gts_graph::__private::Context<'a>,
            #dst: ::gts_graph::__private::Vertex,
        ) -> bool {
            #wants
        }

        #[inline(always)]
        fn edge<'a, gts_memory: ::gts_graph::__private::Memory>(
            #a: #view,
            #gts: ::gts_graph::__private::Context<'a>,
            #source: Self::Source,
            #src: ::gts_graph::__private::Vertex,
            #dst: ::gts_graph::__private::Vertex,
            #e: #value,
        ) {
            #at_edge
            #statements
        }
    }
}

/// Returns the items of an edge kernel's pulling form, and the trait item that refers to this form.
fn pulling(kernel: &Kernel, structure: &TokenStream) -> (TokenStream, TokenStream) {
    if !kernel.kind.has_edges() {
        return (TokenStream::new(), TokenStream::new());
    }
    let (form, value) = pull(kernel, structure);
    let private = quote!(::gts_graph::__private);
    (form, quote!(const PULL: ::core::option::Option<&'static dyn #private::PullPass> = #value;))
}

/// Returns the attributes that the body accesses at `dst`, without duplicates.
fn expected<'a>(kernel: &Kernel, native: &Native<'a>) -> Vec<&'a Ident> {
    let mut expected: Vec<_> = kernel.facts.uses.iter().filter(|used| used.site == Site::Dst).collect();
    expected.dedup_by_key(|used| used.attribute);
    expected.iter().map(|used| &native.attributes[used.attribute].name).collect()
}

/// Returns the items of the trait that each body of a generic kernel implements, and the items of the runtime trait
/// that forward to this trait.
fn forward(kind: KernelKind) -> (TokenStream, TokenStream) {
    let private = quote!(::gts_graph::__private);
    let declared_view = quote!(&A::View<'a, gts_memory>);
    let view = quote!(&<Self::Attributes as #private::Attributes>::View<'a, gts_memory>);
    let generics = quote!(<'a, gts_memory: #private::Memory>);
    if let KernelKind::Intersect = kind {
        return intersect::forward(&declared_view, &view, &generics);
    }
    if kind == KernelKind::Vertex {
        let rest = quote!(gts: #private::Context<'a>, v: #private::Vertex);
        return (
            quote!(fn vertex #generics (a: #declared_view, #rest);),
            quote! {
                #[inline(always)]
                fn vertex #generics (a: #view, #rest) {
                    <Self as gts_body<Self::Attributes>>::vertex::<gts_memory>(a, gts, v)
                }
            },
        );
    }
    let begin = quote!(gts: #private::Context<'a>, src: #private::Vertex);
    let wants = quote!(gts: #private::Context<'a>, dst: #private::Vertex);
    let edge = |value: TokenStream| {
        quote!(
            gts: #private::Context<'a>,
            source: Self::Source,
            src: #private::Vertex,
            dst: #private::Vertex,
            e: #value,
        )
    };
    let own_edge = edge(quote!(Self::EdgeValue));
    (
        quote! {
            type Source: ::core::marker::Copy;
            type EdgeValue: #private::EdgeValue;
            const EDGE_DEFAULT: Self::EdgeValue;
            const PULL: ::core::option::Option<&'static dyn #private::PullPass>;
            fn begin #generics (a: #declared_view, #begin) -> ::core::option::Option<Self::Source>;
            fn expect #generics (a: #declared_view, dst: #private::Vertex);
            fn wants #generics (a: #declared_view, #wants) -> bool;
            fn edge #generics (a: #declared_view, #own_edge);
        },
        quote! {
            type Source = <Self as gts_body<Self::Attributes>>::Source;
            type EdgeValue = <Self as gts_body<Self::Attributes>>::EdgeValue;
            const EDGE_DEFAULT: Self::EdgeValue = <Self as gts_body<Self::Attributes>>::EDGE_DEFAULT;
            const PULL: ::core::option::Option<&'static dyn #private::PullPass> =
                <Self as gts_body<Self::Attributes>>::PULL;
            #[inline(always)]
            fn begin #generics (a: #view, #begin) -> ::core::option::Option<Self::Source> {
                <Self as gts_body<Self::Attributes>>::begin::<gts_memory>(a, gts, src)
            }
            #[inline(always)]
            fn expect #generics (a: #view, dst: #private::Vertex) {
                <Self as gts_body<Self::Attributes>>::expect::<gts_memory>(a, dst)
            }
            #[inline(always)]
            fn wants #generics (a: #view, #wants) -> bool {
                <Self as gts_body<Self::Attributes>>::wants::<gts_memory>(a, gts, dst)
            }
            #[inline(always)]
            fn edge #generics (a: #view, #own_edge) {
                <Self as gts_body<Self::Attributes>>::edge::<gts_memory>(a, gts, source, src, dst, e)
            }
        },
    )
}
