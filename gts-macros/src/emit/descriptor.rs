//! Emits a kernel as constant data: the `KernelDescriptor` of `gts-contract`.

use super::{constant, location, optional, stored};
use crate::ir::print::Printer;
use crate::ir::{IntegerSum, Kernel, SpannedLimit, Technique};
use proc_macro2::TokenStream;
use quote::quote;
use syn::ext::IdentExt;

/// Returns a reference to the descriptor of a kernel on the struct `structure`.
pub(crate) fn descriptor(kernel: &Kernel, structure: &TokenStream, cuda: &str) -> TokenStream {
    let [name, function] = [&kernel.name, &kernel.function].map(|name| name.unraw().to_string());
    let (kind, direction, ordered) = (constant(kernel.kind), constant(kernel.direction), kernel.ordered);
    let technique = optional(kernel.technique.map(technique));
    let facts = facts(kernel);
    let sites = kernel.error_sites.iter().map(|site| {
        let what = constant(site.what);
        let place = location(&site.span.location());
        let scalar = constant(site.scalar);
        let name = |attribute: usize| kernel.attributes.attributes[attribute].name.unraw().to_string();
        let attribute = optional(site.attribute.map(name).map(|name| quote!(#name)));
        quote! {
            ::gts_graph::__private::ErrorSite {
                what: #what,
                scalar: #scalar,
                location: #place,
                attribute: #attribute,
            }
        }
    });
    let place = location(&kernel.span.location());
    let value = quote! {
        ::gts_graph::__private::KernelDescriptor {
            name: #name,
            function: #function,
            schema: <#structure as ::gts_graph::__private::Attributes>::SCHEMA,
            kind: #kind,
            direction: #direction,
            technique: #technique,
            ordered: #ordered,
            facts: #facts,
            error_sites: &[#(#sites),*],
            cuda: #cuda,
            location: #place,
        }
    };
    stored("KernelDescriptor", &value)
}

fn facts(kernel: &Kernel) -> TokenStream {
    let facts = &kernel.facts;
    let uses = facts.uses.iter().map(|use_| {
        let attribute = use_.attribute;
        let site = constant(use_.site);
        let access = constant(use_.access);
        let place = location(&use_.span.location());
        quote! {
            ::gts_graph::__private::AttributeUse {
                attribute: #attribute,
                site: #site,
                access: #access,
                location: #place,
            }
        }
    });
    let degrees = facts.degrees.iter().map(|use_| {
        let side = constant(use_.side);
        let site = constant(use_.site);
        let place = location(&use_.span.location());
        quote!(::gts_graph::__private::DegreeUse { side: #side, site: #site, location: #place })
    });
    let steady = facts.steady.iter().map(|read| {
        let (attribute, rule, place) = (read.attribute, constant(read.rule), location(&read.span.location()));
        quote!(::gts_graph::__private::SteadyRead { attribute: #attribute, rule: #rule, location: #place })
    });
    let sums = facts.sums.iter().map(|sum| {
        let IntegerSum { attribute, most, error_site, .. } = *sum;
        let (direction, site) = (constant(sum.direction), constant(sum.site));
        quote! {
            ::gts_graph::__private::IntegerSum {
                attribute: #attribute,
                direction: #direction,
                most: #most,
                site: #site,
                error_site: #error_site,
            }
        }
    });
    let (class, merged, step_loop) = (constant(facts.class), constant(facts.merged), constant(facts.step_loop));
    let (replicable, splittable) = (limit(&facts.replicable), limit(&facts.splittable));
    let filter = kernel.source_filter.as_ref().map(|filter| Printer::kernel(kernel).expr(filter));
    let filter = optional(filter.map(|text| quote!(#text)));
    let guard = optional(facts.target_guard.as_ref().map(|text| quote!(#text)));
    let tallied = optional(facts.tallied.map(|attribute| quote!(#attribute)));
    let activates = facts.activates.iter().map(|vertex| constant(*vertex));
    let (falls, idempotent) = (facts.target_guard_falls, facts.idempotent);
    let changes_activated = facts.changes_activated;
    let (approximate, pulls) = (facts.approximate, facts.pulls());
    let handed_bytes = kernel.handed_bytes();
    let (reads_edge, reads_position) = (facts.reads_edge, facts.reads_position);
    quote! {
        ::gts_graph::__private::KernelFacts {
            uses: &[#(#uses),*],
            degrees: &[#(#degrees),*],
            class: #class,
            steady: &[#(#steady),*],
            sums: &[#(#sums),*],
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

/// Returns a technique as an element of the contract's `ALL`, so that techniques are listed only once.
fn technique(technique: Technique) -> TokenStream {
    let place = Technique::ALL.iter().position(|known| *known == technique);
    quote!(::gts_graph::__private::Technique::ALL[#place])
}

fn limit(limit: &SpannedLimit) -> TokenStream {
    match limit {
        SpannedLimit::Yes => quote!(::gts_graph::__private::Limit::Yes),
        SpannedLimit::No { why, location: span } => {
            let place = location(&span.location());
            quote!(::gts_graph::__private::Limit::No { why: #why, location: #place })
        }
    }
}
