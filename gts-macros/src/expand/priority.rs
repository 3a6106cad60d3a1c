//! Splits a priority into three vertex kernels, over its struct with a mark per vertex, a threshold and a minimum
//! added.
//!
//! A traversal by priority keeps two frontiers. The near one is the set of active vertices. A vertex is in the far one
//! if its mark is set. The first kernel splits the activated vertices into near and far. The second finds the least
//! priority in the far frontier. The third moves vertices within the raised threshold to the near frontier. This clears
//! their marks, so that a vertex is in only one frontier.

use super::instance::{self, HandedItems};
use super::statements;
use crate::emit::native::Ranking;
use crate::errors::Errors;
use crate::infer;
use crate::ir::{
    Attribute, AttributeKind, Attributes, Block as Lowered, ExprKind, Init, Merge, ScalarType, Span as Place, StmtKind,
};
use crate::parse::kernel::KernelItem;
use crate::parse::{scalar, type_name};
use gts_contract::language::Code;
use proc_macro2::{Ident, TokenStream};
use quote::quote_spanned;
use syn::visit::{self, Visit};
use syn::{Block, ExprReturn, Type};

/// Returns the kernels of a priority, for one choice of its struct's type.
pub(super) fn ranking(item: &KernelItem, handed: &HandedItems, errors: &Errors) -> Option<Ranking> {
    let ty = item.priority.as_ref()?;
    let value = value_type(item, ty, handed, errors)?;
    changes_nothing(item, ty, handed, errors)?;

    let mut attributes = handed.attributes.clone();
    let far = hidden(
        &mut attributes,
        item,
        "far",
        ScalarType::Bool,
        AttributeKind::Wa { init: Init { bits: 0 }, merge: Merge::Any },
    );
    let threshold = hidden(&mut attributes, item, "threshold", value, AttributeKind::Param { default: None });
    let least = hidden(&mut attributes, item, "least", value, AttributeKind::Global { merge: Merge::Min });
    let own = handed.attributes.attributes.len();
    let handed = HandedItems { attributes, ..handed.clone() };

    let (a, v, span) = (&item.receiver, item.parameters.first().map(|(name, _)| name)?, item.name.span());
    let priority = named("priority", span, |name| *a == name || *v == name);
    let body = &item.body;
    let given = quote_spanned!(span=> let #priority: #ty = #body;);
    let lower = |part: &str, body: TokenStream| {
        let name = Ident::new(&format!("{}_{part}", item.name).replace("r#", ""), span);
        let body = Block { brace_token: item.body.brace_token, stmts: statements(body) };
        instance::instance(&KernelItem { name, body, ..item.clone() }, &handed, &mut |_| {}, errors)
    };
    // NaN is never above the threshold, so that the vertex becomes near instead of waiting indefinitely.
    let sift = quote_spanned! {span=>
        #given
        if #priority > #a.#threshold {
            #a.#far[#v] = true;
        } else {
            #a.#far[#v] = false;
            activate(#v);
        }
    };
    let find = quote_spanned! {span=>
        if #a.#far[#v] {
            #given
            #a.#least.fetch_min(#priority);
        }
    };
    let bring = quote_spanned! {span=>
        if #a.#far[#v] {
            #given
            if !(#priority > #a.#threshold) {
                #a.#far[#v] = false;
                activate(#v);
            }
        }
    };
    let (sift, find, bring) = (lower("sift", sift)?, lower("find", find)?, lower("bring", bring)?);
    Some(Ranking { attributes: handed.attributes.clone(), value, own, sift, find, bring })
}

/// Returns the type of the priority's number.
fn value_type(item: &KernelItem, ty: &Type, handed: &HandedItems, errors: &Errors) -> Option<ScalarType> {
    let chosen = item.generic().filter(|generic| type_name(ty) == Some(generic));
    let value = chosen.and(handed.attributes.parameter).or_else(|| scalar(ty));
    let value = value.filter(|value| value.is_integer() || value.is_float());
    if value.is_none() {
        let help = "write a type of integers or floats, or the type parameter of the struct";
        errors.at(Code::PriorityType, Place::of(ty), "a priority is a number", help);
    }
    value
}

/// Refuses a body that does more than compute a value. `None` if it has errors.
fn changes_nothing(item: &KernelItem, ty: &Type, handed: &HandedItems, errors: &Errors) -> Option<()> {
    let mut returns = Returns { errors, found: false };
    returns.visit_block(&item.body);
    if returns.found {
        return None;
    }
    let before = errors.count();
    let body = &item.body;
    let probe = statements(quote_spanned!(item.name.span()=> let gts_priority: #ty = #body;));
    let probe = KernelItem { body: Block { brace_token: body.brace_token, stmts: probe }, ..item.clone() };
    let generic = item.generic().zip(handed.attributes.parameter);
    let (names, program) = (&handed.names, &handed.program);
    let lowered = infer::kernel(&probe, &handed.attributes, generic, names, program, &mut Vec::new(), errors);
    (errors.count() == before && !has_effects(&lowered.body, errors)).then_some(())
}

/// Refuses effects; returns whether there are any.
fn has_effects(body: &Lowered, errors: &Errors) -> bool {
    let mut found = false;
    let mut refuse = |span| {
        found = true;
        let help = "write attributes in the kernel that traverses; the run sees to what is active";
        errors.at(Code::PriorityEffect, span, "a priority changes nothing: it says how near a vertex is", help);
    };
    body.walk(&mut |statement| {
        if let StmtKind::Store { .. } | StmtKind::Accumulate { .. } | StmtKind::Activate(_) = statement.kind {
            refuse(statement.span);
        }
    });
    body.expressions(&mut |expr| {
        expr.walk(&mut |inner| {
            if let ExprKind::Update(_) = inner.kind {
                refuse(inner.span);
            }
        });
    });
    found
}

/// Refuses `return`: the value of a body is at its end.
struct Returns<'a> {
    errors: &'a Errors,
    found: bool,
}

impl<'ast> Visit<'ast> for Returns<'_> {
    fn visit_expr_return(&mut self, end: &'ast ExprReturn) {
        self.found = true;
        self.errors.at(
            Code::PriorityReturn,
            Place::of(end),
            "a priority is the value at the end of its body",
            "write `if .. { .. } else { .. }` there, or a helper with `#[gts_fn]`, which may return early",
        );
        visit::visit_expr_return(self, end);
    }
}

/// Adds an attribute for internal use; returns its name.
fn hidden(
    attributes: &mut Attributes,
    item: &KernelItem,
    base: &str,
    scalar: ScalarType,
    kind: AttributeKind,
) -> Ident {
    let taken = |name: &str| attributes.attributes.iter().any(|attribute| attribute.name == name);
    let name = named(base, item.name.span(), taken);
    let doc = String::new();
    attributes.attributes.push(Attribute {
        name: name.clone(),
        scalar,
        length: None,
        kind,
        unreached: false,
        wraps: false,
        doc,
    });
    name
}

/// Returns a name that is not taken.
fn named(base: &str, span: proc_macro2::Span, taken: impl Fn(&str) -> bool) -> Ident {
    let mut name = base.to_owned();
    while taken(&name) {
        name.push('_');
    }
    Ident::new(&name, span)
}
