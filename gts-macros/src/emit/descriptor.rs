//! A kernel as constant data: the contract's descriptor.

use super::{location, variant};
use crate::ir::print::Printer;
use crate::ir::{Class, Dependence, Direction, ErrorWhat, Kernel, KernelKind, Limit, Site, StepLoop, Technique};
use proc_macro2::TokenStream;
use quote::quote;
use syn::ext::IdentExt;

/// The descriptor of a kernel on the struct of that type.
pub(crate) fn descriptor(kernel: &Kernel, structure: &TokenStream, cuda: &str) -> TokenStream {
    let name = kernel.name.unraw().to_string();
    let kind = variant(
        "KernelKind",
        match kernel.kind {
            KernelKind::Scan => "Scan",
            KernelKind::Traverse => "Traverse",
            KernelKind::Vertex => "Vertex",
            KernelKind::Intersect { .. } => "Intersect",
        },
    );
    let direction = variant(
        "Direction",
        match kernel.direction {
            Direction::Out => "Out",
            Direction::In => "In",
            Direction::Both => "Both",
        },
    );
    let technique = optional(kernel.technique.map(technique));
    let ordered = kernel.kind == KernelKind::Intersect { ordered: true };
    let facts = facts(kernel);
    let sites = kernel.error_sites.iter().map(|site| {
        let what = variant("ErrorWhat", what(site.what));
        let place = location(&site.span.location());
        quote!(::gts_runtime::__private::ErrorSite { what: #what, location: #place })
    });
    let place = location(&kernel.span.location());
    quote! {
        ::gts_runtime::__private::KernelDescriptor {
            name: #name,
            schema: <#structure as ::gts_runtime::__private::Attributes>::SCHEMA,
            kind: #kind,
            direction: #direction,
            technique: #technique,
            ordered: #ordered,
            facts: #facts,
            error_sites: &[#(#sites),*],
            cuda: #cuda,
            location: #place,
        }
    }
}

fn facts(kernel: &Kernel) -> TokenStream {
    let facts = &kernel.facts;
    let uses = facts.uses.iter().map(|use_| {
        let attribute = use_.attribute;
        let site = site(use_.site);
        let access = variant("Access", &format!("{:?}", use_.access));
        let place = location(&use_.span.location());
        quote! {
            ::gts_runtime::__private::AttributeUse {
                attribute: #attribute,
                site: #site,
                access: #access,
                location: #place,
            }
        }
    });
    let degrees = facts.degrees.iter().map(|use_| {
        let side = variant("Side", if use_.incoming { "In" } else { "Out" });
        let site = site(use_.site);
        let place = location(&use_.span.location());
        quote!(::gts_runtime::__private::DegreeUse { side: #side, site: #site, location: #place })
    });
    let class = variant(
        "Class",
        match facts.class {
            Class::Ordered => "Ordered",
            Class::Monotone => "Monotone",
            Class::Racy => "Racy",
        },
    );
    let merged = variant(
        "Dependence",
        match facts.merged {
            Dependence::Nothing => "Nothing",
            Dependence::Constant => "Constant",
            Dependence::Src => "Src",
            Dependence::Edge => "Edge",
            Dependence::Dst => "Dst",
        },
    );
    let (replicable, splittable) = (limit(&facts.replicable), limit(&facts.splittable));
    let filter = kernel.source_filter.as_ref().map(|filter| Printer::kernel(kernel).expr(filter));
    let filter = optional(filter.map(|text| quote!(#text)));
    let guard = optional(facts.target_guard.as_ref().map(|text| quote!(#text)));
    let tallied = optional(facts.tallied.map(|attribute| quote!(#attribute)));
    let activates = facts.activates.iter().map(|vertex| site(*vertex));
    let (falls, idempotent) = (facts.target_guard_falls, facts.idempotent);
    let changes_activated = facts.changes_activated;
    let (approximate, pulls) = (facts.approximate, facts.pulls());
    let handed_bytes = kernel.handed_bytes();
    let step_loop = variant(
        "StepLoop",
        match facts.step_loop {
            StepLoop::No => "No",
            StepLoop::InOrder => "InOrder",
            StepLoop::Claiming => "Claiming",
        },
    );
    let (reads_edge, reads_position) = (facts.reads_edge, facts.reads_position);
    quote! {
        ::gts_runtime::__private::KernelFacts {
            uses: &[#(#uses),*],
            degrees: &[#(#degrees),*],
            class: #class,
            replicable: #replicable,
            splittable: #splittable,
            source_filter: #filter,
            target_guard: #guard,
            target_guard_falls: #falls,
            merged: #merged,
            idempotent: #idempotent,
            activates: &[#(#activates),*],
            changes_activated: #changes_activated,
            approximate: #approximate,
            reads_edge: #reads_edge,
            reads_position: #reads_position,
            tallied: #tallied,
            pulls: #pulls,
            handed_bytes: #handed_bytes,
            step_loop: #step_loop,
        }
    }
}

fn site(site: Site) -> TokenStream {
    variant("Site", &format!("{site:?}"))
}

fn what(what: ErrorWhat) -> &'static str {
    match what {
        ErrorWhat::DivisionByZero => "DivisionByZero",
        ErrorWhat::RemainderByZero => "RemainderByZero",
        ErrorWhat::DivisionOverflow => "DivisionOverflow",
        ErrorWhat::IndexOutOfRange => "IndexOutOfRange",
        ErrorWhat::NotAVertex => "NotAVertex",
    }
}

fn technique(technique: Technique) -> TokenStream {
    match technique {
        Technique::Vertex => variant("Technique", "Vertex"),
        Technique::Balanced => variant("Technique", "Balanced"),
        Technique::Hybrid => variant("Technique", "Hybrid"),
        Technique::Edge(lanes) => {
            let warp = variant("VirtualWarp", &format!("W{lanes}"));
            quote!(::gts_runtime::__private::Technique::Edge(#warp))
        }
        Technique::EdgeList { pairs } => {
            let layout = variant("EdgeLayout", if pairs { "Pairs" } else { "Arrays" });
            quote!(::gts_runtime::__private::Technique::EdgeList(#layout))
        }
    }
}

fn limit(limit: &Limit) -> TokenStream {
    match limit {
        Limit::Yes => variant("Limit", "Yes"),
        Limit::No { why, span } => {
            let place = location(&span.location());
            quote!(::gts_runtime::__private::Limit::No { why: #why, location: #place })
        }
    }
}

fn optional(value: Option<TokenStream>) -> TokenStream {
    match value {
        Some(value) => quote!(::core::option::Option::Some(#value)),
        None => quote!(::core::option::Option::None),
    }
}
