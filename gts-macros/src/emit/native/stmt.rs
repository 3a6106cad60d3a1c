//! Statements in native Rust.

use super::Native;
use crate::emit::{at, rust_type};
use crate::ir::{Block, Expr, ScalarType, Stmt, StmtKind};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};

impl Native<'_> {
    pub(super) fn block(&self, block: &Block) -> TokenStream {
        block.statements.iter().map(|statement| self.statement(statement)).collect()
    }

    fn statement(&self, statement: &Stmt) -> TokenStream {
        let span = at(statement.span);
        match &statement.kind {
            StmtKind::Let { local, init } => {
                let (name, found) = (self.local(*local), &self.locals[*local]);
                let mutable = found.mutable.then(|| quote!(mut));
                let ty = rust_type(found.ty, span);
                let init = init.as_ref().map(|init| {
                    let value = self.expr(init);
                    quote_spanned!(span=> = #value)
                });
                quote_spanned!(span=> let #mutable #name: #ty #init;)
            }
            StmtKind::Assign { local, index, op, value, faults } => {
                let name = self.local(*local);
                let ty = value.ty;
                let value = self.expr(value);
                let place = match index {
                    Some(index) => {
                        let index = self.index(index);
                        quote_spanned!(span=> #name[#index])
                    }
                    None => quote_spanned!(span=> #name),
                };
                match op {
                    None => quote_spanned!(span=> #place = #value;),
                    Some(op) => {
                        let ty = if matches!(op, crate::ir::BinaryOp::Shl | crate::ir::BinaryOp::Shr) {
                            crate::ir::Type::U32
                        } else {
                            ty
                        };
                        let value =
                            self.operation(*op, ty, place.clone(), quote_spanned!(span=> (#value)), *faults, span);
                        quote_spanned!(span=> #place = #value;)
                    }
                }
            }
            StmtKind::Store { element, value } => {
                let store = self.column(element, "store", self.expr(value), span);
                quote_spanned!(span=> #store;)
            }
            StmtKind::Accumulate { attribute, index, op, value, .. } => {
                let (a, field, value) = (&self.a, self.field(*attribute), self.expr(value));
                let method = op.map_or("store", crate::ir::UpdateOp::method);
                match index {
                    None => {
                        let method = Ident::new(method, span);
                        quote_spanned!(span=> #a.#field.#method(#value);)
                    }
                    Some(index) => {
                        let (method, index) = (format_ident!("{method}_at", span = span), self.index(index));
                        quote_spanned!(span=> #a.#field.#method(#index, #value);)
                    }
                }
            }
            StmtKind::Activate(vertex) => {
                let (gts, vertex) = (&self.gts, self.expr(vertex));
                quote_spanned!(span=> #gts.activate(#vertex);)
            }
            StmtKind::Assert { condition, value, site } => {
                let (condition, site, nothing) = (self.expr(condition), *site as u32, self.nothing(span));
                let (gts, place) = (&self.gts, &self.place);
                let value = value.as_ref().map_or_else(|| quote_spanned!(span=> 0), |value| self.reported(value));
                quote_spanned!(span=> if !#condition { #gts.report(#place, #site, #value); return #nothing; })
            }
            StmtKind::If { condition, then, otherwise } => {
                let (condition, then) = (self.expr(condition), self.block(then));
                let otherwise = otherwise.as_ref().map(|block| {
                    let block = self.block(block);
                    quote_spanned!(span=> else { #block })
                });
                quote_spanned!(span=> if #condition { #then } #otherwise)
            }
            StmtKind::While { condition, body } => {
                let (condition, body, [rounds, stop]) = (self.expr(condition), self.block(body), self.stop(span));
                quote_spanned!(span=> { #rounds while #condition { #stop #body } })
            }
            StmtKind::Loop { body } => {
                let (body, [rounds, stop]) = (self.block(body), self.stop(span));
                quote_spanned!(span=> { #rounds loop { #stop #body } })
            }
            StmtKind::For { local, start, end, inclusive, body } => {
                let (name, unbounded) = (self.local(*local), statement.may_never_end());
                let (start, end, body) = (self.expr(start), self.expr(end), self.block(body));
                let dots = if *inclusive { quote_spanned!(span=> ..=) } else { quote_spanned!(span=> ..) };
                let [rounds, stop] = if unbounded { self.stop(span) } else { Default::default() };
                quote_spanned!(span=> { #rounds for #name in (#start) #dots (#end) { #stop #body } })
            }
            StmtKind::Break => quote_spanned!(span=> break;),
            StmtKind::Continue => quote_spanned!(span=> continue;),
            StmtKind::Return(None) => quote_spanned!(span=> return;),
            StmtKind::Return(Some(value)) => {
                let value = self.expr(value);
                quote_spanned!(span=> return #value;)
            }
            StmtKind::Expr(value) => {
                let value = self.expr(value);
                quote_spanned!(span=> #value;)
            }
            StmtKind::Block(block) => {
                let block = self.block(block);
                quote_spanned!(span=> { #block })
            }
        }
    }

    /// Returns the declaration of a counter before a loop that may not terminate, and the check for each iteration. The
    /// check returns from the body if the pass should stop.
    fn stop(&self, span: Span) -> [TokenStream; 2] {
        let (gts, zero) = (&self.gts, self.nothing(span));
        let rounds = Ident::new("gts_rounds", Span::mixed_site());
        [
            quote_spanned!(span=> let mut #rounds: ::core::primitive::u32 = 0;),
            quote_spanned!(span=> if #gts.ends(&mut #rounds) { return #zero; }),
        ]
    }

    /// Converts a value to the 64-bit integer that a fault contains.
    fn reported(&self, value: &Expr) -> TokenStream {
        let (span, ty, value) = (at(value.span), value.ty.scalar(), self.expr(value));
        let bits = match ty {
            Some(ScalarType::F32 | ScalarType::F64) => Some(quote_spanned!(span=> .to_bits())),
            Some(ScalarType::VertexId) => Some(quote_spanned!(span=> .to_bits())),
            _ => None,
        };
        quote_spanned!(span=> (#value)#bits as ::core::primitive::i64)
    }
}
