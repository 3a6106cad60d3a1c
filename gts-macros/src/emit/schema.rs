//! Schemas and descriptors as constant expressions of the contract's types.

use super::paths::private;
use crate::ir::print::Printer;
use crate::ir::{
    Access, AttributeKind, Attributes, Class, Dependence, Direction, ErrorWhat, Facts, Kernel, KernelKind, Limit,
    Location, ScalarType, Site, Technique,
};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

/// A `Schema`.
pub(crate) fn schema(attributes: &Attributes) -> TokenStream {
    let contract = contract();
    let name = attributes.name.to_string();
    let parameter = option(attributes.parameter.map(|scalar| scalar_type(scalar)));
    let location = location(&attributes.location);
    let list = attributes.attributes.iter().map(|attribute| {
        let (name, doc) = (attribute.name.to_string(), &attribute.doc);
        let scalar = scalar_type(attribute.scalar);
        let (length, array) = (attribute.length.unwrap_or(1), attribute.length.is_some());
        let kind = kind(attribute.kind);
        quote! {
            #contract::AttributeSchema {
                name: #name,
                ty: #contract::AttributeType { scalar: #scalar, length: #length, array: #array },
                kind: #kind,
                doc: #doc,
            }
        }
    });
    quote! {
        #contract::Schema { name: #name, parameter: #parameter, attributes: &[#(#list),*], location: #location }
    }
}

/// A `KernelDescriptor`; stands where `__GtsAttributes` is the struct's type.
pub(crate) fn descriptor(kernel: &Kernel) -> TokenStream {
    let (gts, contract) = (private(), contract());
    let name = kernel.name.to_string();
    let kind = variant("KernelKind", match kernel.kind {
        KernelKind::Scan => "Scan",
        KernelKind::Traverse => "Traverse",
        KernelKind::Vertex => "Vertex",
    });
    let direction = variant("Direction", match kernel.direction {
        Direction::Out => "Out",
        Direction::In => "In",
        Direction::Both => "Both",
    });
    let technique = option(kernel.technique.map(technique));
    let facts = facts(kernel, &kernel.facts);
    let sites = kernel.error_sites.iter().map(|site| {
        let what = variant("ErrorWhat", match site.what {
            ErrorWhat::DivisionByZero => "DivisionByZero",
            ErrorWhat::RemainderByZero => "RemainderByZero",
            ErrorWhat::DivisionOverflow => "DivisionOverflow",
            ErrorWhat::IndexOutOfRange => "IndexOutOfRange",
            ErrorWhat::NotAVertex => "NotAVertex",
        });
        let location = location(&site.span.location());
        quote!(#contract::ErrorSite { what: #what, location: #location })
    });
    let cuda = super::cuda::kernel(kernel);
    let location = location(&kernel.span.location());
    quote! {
        #contract::KernelDescriptor {
            name: #name,
            schema: <__GtsAttributes as #gts::Attributes>::SCHEMA,
            kind: #kind,
            direction: #direction,
            technique: #technique,
            facts: #facts,
            error_sites: &[#(#sites),*],
            cuda: #cuda,
            location: #location,
        }
    }
}

fn facts(kernel: &Kernel, facts: &Facts) -> TokenStream {
    let contract = contract();
    let uses = facts.uses.iter().map(|used| {
        let (attribute, site) = (used.attribute, site(used.site));
        let access = variant("Access", match used.access {
            Access::Read => "Read",
            Access::Store => "Store",
            Access::Merge => "Merge",
            Access::Atomic => "Atomic",
        });
        quote!(#contract::AttributeUse { attribute: #attribute, site: #site, access: #access })
    });
    let class = variant("Class", match facts.class {
        Class::Ordered => "Ordered",
        Class::Monotone => "Monotone",
        Class::Racy => "Racy",
    });
    let merged = variant("Dependence", match facts.merged {
        Dependence::Nothing => "Nothing",
        Dependence::Constant => "Constant",
        Dependence::Src => "Src",
        Dependence::Edge => "Edge",
        Dependence::Dst => "Dst",
    });
    let (replicable, splittable) = (limit(&facts.replicable), limit(&facts.splittable));
    let filter = kernel.source_filter.as_ref().map(|filter| Printer::kernel(kernel).expr(filter));
    let (filter, guard) = (option(filter), option(facts.target_guard.as_ref()));
    let activates = facts.activates.iter().map(|&activated| site(activated));
    let (falls, idempotent) = (facts.target_guard_falls, facts.idempotent);
    let (approximate, reads_edge) = (facts.approximate, facts.reads_edge);
    quote! {
        #contract::KernelFacts {
            uses: &[#(#uses),*],
            class: #class,
            replicable: #replicable,
            splittable: #splittable,
            source_filter: #filter,
            target_guard: #guard,
            target_guard_falls: #falls,
            merged: #merged,
            idempotent: #idempotent,
            activates: &[#(#activates),*],
            approximate: #approximate,
            reads_edge: #reads_edge,
        }
    }
}

fn kind(kind: AttributeKind) -> TokenStream {
    let contract = contract();
    let init = |bits: u64| quote!(#contract::Init { bits: #bits });
    let merge = |merge: crate::ir::Merge| variant("Merge", merge.variant());
    match kind {
        AttributeKind::Wa { init: bits, merge: merged } => {
            let (init, merge) = (init(bits), merge(merged));
            quote!(#contract::AttributeKind::Wa { init: #init, merge: #merge })
        }
        AttributeKind::Ra { from } => {
            let from = option(from);
            quote!(#contract::AttributeKind::Ra { from: #from })
        }
        AttributeKind::Edge { default } => {
            let default = option(default.map(init));
            quote!(#contract::AttributeKind::Edge { default: #default })
        }
        AttributeKind::Param => quote!(#contract::AttributeKind::Param),
        AttributeKind::Global { merge: merged } => {
            let merge = merge(merged);
            quote!(#contract::AttributeKind::Global { merge: #merge })
        }
    }
}

fn technique(technique: Technique) -> TokenStream {
    let contract = contract();
    match technique {
        Technique::Vertex => quote!(#contract::Technique::Vertex),
        Technique::Balanced => quote!(#contract::Technique::Balanced),
        Technique::Hybrid => quote!(#contract::Technique::Hybrid),
        Technique::Edge(lanes) => {
            let lanes = format_ident!("W{lanes}");
            quote!(#contract::Technique::Edge(#contract::VirtualWarp::#lanes))
        }
    }
}

fn limit(limit: &Limit) -> TokenStream {
    let contract = contract();
    match limit {
        Limit::Yes => quote!(#contract::Limit::Yes),
        Limit::No { why, span } => {
            let location = location(&span.location());
            quote!(#contract::Limit::No { why: #why, location: #location })
        }
    }
}

fn site(site: Site) -> TokenStream {
    variant("Site", match site {
        Site::Src => "Src",
        Site::Dst => "Dst",
        Site::V => "V",
        Site::Computed => "Computed",
        Site::None => "None",
    })
}

fn scalar_type(scalar: ScalarType) -> TokenStream {
    variant("ScalarType", scalar.variant())
}

fn location(location: &Location) -> TokenStream {
    let (contract, Location { file, line, column }) = (contract(), location);
    quote!(#contract::SourceLocation { file: #file, line: #line, column: #column })
}

fn option<T: quote::ToTokens>(value: Option<T>) -> TokenStream {
    match value {
        Some(value) => quote!(::core::option::Option::Some(#value)),
        None => quote!(::core::option::Option::None),
    }
}

fn variant(of: &str, name: &str) -> TokenStream {
    let (contract, of, name) = (contract(), format_ident!("{of}"), format_ident!("{name}"));
    quote!(#contract::#of::#name)
}

fn contract() -> TokenStream {
    let gts = private();
    quote!(#gts::contract)
}
