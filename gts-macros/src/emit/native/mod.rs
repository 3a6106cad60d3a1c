//! Emits a kernel in native Rust. This code runs on the CPU and lets rustc verify the inferred types.

mod expr;
mod gather;
mod intersect;
mod kernel;
mod parts;
mod priority;
mod proof;
mod pull;
mod stmt;

pub(crate) use gather::{EmittedReduction, Gathering, gather};
pub(crate) use kernel::{Instance, failed, framed, generic, plain, refused};
pub(crate) use priority::{Ranking, priority};
pub(crate) use proof::visibility;

use super::{at, rust_type, scalar};
use crate::ir::{
    Attribute, AttributeId, AttributeKind, CalledFunction, Constant, FunctionId, IntegerSum, Kernel, Local, LocalId,
    Role, ScalarType, Type,
};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};

/// The emitter for the bodies of a kernel, or for one of its functions.
struct Native<'a> {
    attributes: &'a [Attribute],
    locals: &'a [Local],
    functions: &'a [CalledFunction],
    constants: &'a [Constant],
    /// The return type of the body.
    result: Type,
    /// The name of the attribute view.
    a: Ident,
    /// The name of the context.
    gts: Ident,
    /// The name of the vertex or edge for which the body runs, for error reports.
    place: Ident,
    /// The name of the captures of the source vertex.
    source: Ident,
    /// Whether the kernel can fault and contains a loop that may never end.
    is_looping: bool,
    /// The attributes whose updates are emitted as register updates, in the pulling form.
    in_registers: &'a [AttributeId],
    /// The name of these registers.
    gathered: Ident,
    /// The kernel's integer sums.
    sums: &'a [IntegerSum],
}

impl<'a> Native<'a> {
    fn kernel(kernel: &'a Kernel) -> Self {
        let own = |name| Ident::new(name, Span::mixed_site());
        Self {
            attributes: &kernel.attributes.attributes,
            locals: &kernel.locals,
            functions: &kernel.functions,
            constants: &kernel.constants,
            result: Type::Unit,
            a: own("gts_attributes"),
            gts: own("gts_context"),
            place: own("gts_place"),
            source: own("gts_source"),
            is_looping: kernel.loops_after_faults(),
            in_registers: &[],
            sums: &kernel.facts.sums,
            gathered: own("gts_gathered"),
        }
    }

    fn function(kernel: &'a Kernel, function: &'a CalledFunction) -> Self {
        Self { locals: &function.locals, result: function.result, ..Self::kernel(kernel) }
    }

    /// Returns the name of a local variable. If several variables have the same name, the later ones get a number.
    fn local(&self, local: LocalId) -> Ident {
        let Local { name, .. } = &self.locals[local];
        let span = Span::mixed_site().located_at(name.span());
        let first = self.locals.iter().position(|other| other.name == *name) == Some(local);
        if !first {
            return format_ident!("{name}_{local}", span = span);
        }
        let mut name = name.clone();
        name.set_span(span);
        name
    }

    /// Returns the kernel's parameter with a role, or `_` if there is none.
    fn parameter(&self, kernel: &Kernel, role: Role) -> TokenStream {
        let name = kernel.parameter(role).map(|local| self.local(local));
        name.map_or_else(|| quote!(_), |name| quote!(#name))
    }

    /// Returns the statement that declares the vertex or edge for which the body runs: `at` are the names of the vertex,
    /// or of `src` and `dst`. Also declares a `LoopingBody` if a fault of the body must end its loops.
    fn declare_place(&self, at: &[&TokenStream]) -> TokenStream {
        let (place, kind) = (&self.place, Ident::new(if at.len() == 1 { "vertex" } else { "edge" }, Span::call_site()));
        let looping = self.is_looping.then(|| quote!(let gts_body = ::gts_graph::__private::LoopingBody::new();));
        quote!(let #place = ::gts_graph::__private::FaultPlace::#kind(#(#at),*); #looping)
    }

    fn field(&self, attribute: usize) -> &Ident {
        &self.attributes[attribute].name
    }

    fn function_name(&self, function: FunctionId) -> Ident {
        format_ident!("gts_{function}_{}", self.functions[function].name, span = Span::mixed_site())
    }

    /// Returns the value that a body returns when it stops early.
    fn nothing(&self, span: Span) -> TokenStream {
        match self.result {
            Type::Scalar(ScalarType::VertexId) => {
                quote_spanned!(span=> ::gts_graph::__private::VertexId::from_bits(0))
            }
            Type::Scalar(_) => quote_spanned!(span=> ::core::default::Default::default()),
            _ => TokenStream::new(),
        }
    }
}

/// Returns the functions that the kernel calls. The context and the place for error reports are inserted before the
/// parameters of each function.
fn functions(kernel: &Kernel) -> TokenStream {
    let functions = kernel.functions.iter().enumerate().map(|(id, function)| {
        let native = Native::function(kernel, function);
        let (name, gts, place) = (native.function_name(id), &native.gts, &native.place);
        let arguments = function.arguments.iter().map(|argument| {
            let (name, local) = (native.local(*argument), &function.locals[*argument]);
            let mutable = local.mutable.then(|| quote!(mut));
            let ty = rust_type(local.ty, at(crate::ir::Span::from(local.name.span())));
            quote!(#mutable #name: #ty)
        });
        let result = rust_type(function.result, Span::mixed_site());
        let body = native.block(&function.body);
        quote! {
            #[inline(always)]
            fn #name(
                #gts: ::gts_graph::__private::Context<'_>,
                #place: ::gts_graph::__private::FaultPlace,
                #(#arguments),*
            ) -> #result {
                #body
            }
        }
    });
    functions.collect()
}

/// Returns the type of the edge value that the body reads, and its default on graphs without edge values.
fn edge_value(kernel: &Kernel) -> (TokenStream, TokenStream) {
    let edge = kernel.attributes.attributes.iter().find_map(|attribute| match attribute.kind {
        AttributeKind::Edge { default } => Some((attribute.scalar, default)),
        _ => None,
    });
    let Some((kind, default)) = edge.filter(|_| kernel.facts.reads_edge) else { return (quote!(()), quote!(())) };
    let (ty, bits) = (scalar(kind), default.map_or(0, |default| default.bits));
    let value = match kind {
        ScalarType::F32 => {
            let bits = bits as u32;
            quote!(::core::primitive::f32::from_bits(#bits))
        }
        ScalarType::F64 => quote!(::core::primitive::f64::from_bits(#bits)),
        _ => quote!(#bits as #ty),
    };
    (ty, value)
}
