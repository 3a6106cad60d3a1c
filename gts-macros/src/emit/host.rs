//! Emits `#[gts_fn]` and `#[gts_const]` items as ordinary Rust for the host.

use super::{at, rust_type};
use crate::ir::{Block, Expr, ExprKind, Location, ScalarType, Span, Type};
use crate::parse::assertion;
use proc_macro2::{Group, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use std::collections::{HashMap, HashSet};
use syn::visit_mut::{self, VisitMut};
use syn::{Expr as Syntax, ExprCast, ItemConst, ItemFn, Stmt, parse_quote_spanned};

/// Returns the item with each `UNREACHED` replaced by the runtime's constant, whose value depends on the inferred type.
pub(crate) fn item(tokens: TokenStream) -> TokenStream {
    tokens
        .into_iter()
        .flat_map(|tree| match tree {
            TokenTree::Ident(name) if name == "UNREACHED" => {
                quote_spanned!(name.span()=> ::gts_graph::__private::Unreached::UNREACHED)
            }
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), item(group.stream()));
                inner.set_span(group.span());
                TokenTree::Group(inner).into()
            }
            other => other.into(),
        })
        .collect()
}

/// Returns the function with the conversions of vertices spelled out, which the language leaves out: rustc does not
/// turn a `Vertex` into a `VertexId`, nor either into a number by `as`. Each `UNREACHED` gets its type: rustc cannot
/// infer the type in a comparison if another crate implements comparisons with the same type. `body` is the function's
/// typed form.
pub(crate) fn converted(function: &ItemFn, body: &Block) -> TokenStream {
    let mut conversions = Conversions::default();
    body.expressions(&mut |expr| expr.walk(&mut |inner| conversions.note(inner)));
    let mut function = function.clone();
    conversions.visit_block_mut(&mut function.block);
    function.into_token_stream()
}

/// Returns the constant with the conversions of [`converted`]. `value` is the typed form of the constant's value.
pub(crate) fn converted_constant(constant: &ItemConst, value: &Expr) -> TokenStream {
    let mut conversions = Conversions::default();
    value.walk(&mut |inner| conversions.note(inner));
    let mut constant = constant.clone();
    conversions.visit_expr_mut(&mut constant.expr);
    constant.into_token_stream()
}

/// Returns a function with an error, whose body is left out so that rustc reports no further error.
pub(crate) fn without_body(function: &ItemFn) -> TokenStream {
    let mut function = function.clone();
    *function.block = syn::parse_quote!({ loop {} });
    let body = function.into_token_stream();
    quote!(#[allow(warnings)] #body)
}

/// The first and the last token of an expression, which identify the expression in the syntax.
type Place = (Location, Location);

fn place(span: Span) -> Place {
    (span.location(), Span::from(span.end).location())
}

/// The expressions to convert.
#[derive(Default)]
struct Conversions {
    /// Vertices that become IDs.
    to_id: HashSet<Place>,
    /// Casts of IDs to numbers.
    to_number: HashSet<Place>,
    /// The type of each `UNREACHED`.
    unreached: HashMap<Place, Type>,
}

impl Conversions {
    fn note(&mut self, expr: &Expr) {
        match &expr.kind {
            // `v.id()` has a longer span than `v`.
            ExprKind::VertexId(vertex) if vertex.span.is_at(expr.span) => {
                self.to_id.insert(place(expr.span));
            }
            ExprKind::Cast(id) if id.ty == Type::VERTEX_ID => {
                self.to_number.insert(place(expr.span));
            }
            ExprKind::Unreached => {
                self.unreached.insert(place(expr.span), expr.ty);
            }
            _ => {}
        }
    }
}

impl VisitMut for Conversions {
    fn visit_stmt_mut(&mut self, statement: &mut Stmt) {
        match assertion::operands(statement) {
            Some(mut operands) => {
                operands.iter_mut().for_each(|operand| self.visit_expr_mut(operand));
                *statement = assertion::on_host(statement, &operands);
            }
            None => visit_mut::visit_stmt_mut(self, statement),
        }
    }

    fn visit_expr_mut(&mut self, expr: &mut Syntax) {
        let span = Span::of(expr);
        let (own, span) = (place(span), at(span));
        visit_mut::visit_expr_mut(self, expr);
        if let Some(&ty) = self.unreached.get(&own) {
            let ty = rust_type(ty, span);
            *expr = parse_quote_spanned!(span=> <#ty as ::gts_graph::__private::Unreached>::UNREACHED);
        }
        if self.to_id.contains(&own) {
            *expr = parse_quote_spanned!(span=> ::gts_graph::__private::VertexId::from(#expr));
        }
        if self.to_number.contains(&own)
            && let Some(cast) = cast_in(expr)
        {
            let (id, ty) = (&cast.expr, &cast.ty);
            *expr = match crate::parse::scalar(ty) {
                Some(ScalarType::VertexId) => (**id).clone(),
                _ => parse_quote_spanned!(span=> (::core::primitive::u64::from(#id) as #ty)),
            };
        }
    }
}

/// Returns the cast in an expression, whose place in the typed form includes the parentheses around it.
fn cast_in(expr: &Syntax) -> Option<&ExprCast> {
    match expr {
        Syntax::Cast(cast) => Some(cast),
        Syntax::Paren(paren) => cast_in(&paren.expr),
        _ => None,
    }
}
