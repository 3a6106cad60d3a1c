//! `assert!`, the one macro of the language.

use proc_macro2::Ident;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::token::Paren;
use syn::visit_mut::{self, VisitMut};
use syn::{Block, Expr, ExprCall, Macro, Stmt, Token, parse_quote, parse_quote_spanned};

/// The function whose calls take the place of assertions. The name is raw, so that no body contains it by accident.
pub(crate) const ASSERT: &str = "r#assert";

/// The operands of an assertion: the condition, and optionally a value.
type Operands = Punctuated<Expr, Token![,]>;

/// Replaces each `assert!` of a body by a call, so that everything that visits expressions visits the operands.
pub(crate) fn to_calls(body: &mut Block) {
    struct ToCalls;
    impl VisitMut for ToCalls {
        fn visit_stmt_mut(&mut self, statement: &mut Stmt) {
            if let (Some(args), Some(called)) = (operands(statement), called(statement)) {
                let name = Ident::new_raw("assert", called.path.span());
                let paren_token = Paren { span: *called.delimiter.span() };
                *statement = Stmt::Expr(
                    Expr::Call(ExprCall { paren_token, args, ..parse_quote!(#name()) }),
                    Some(Default::default()),
                );
            }
            visit_mut::visit_stmt_mut(self, statement);
        }
    }
    ToCalls.visit_block_mut(body);
}

/// Returns the operands of a statement that is an `assert!`.
pub(crate) fn operands(statement: &Stmt) -> Option<Operands> {
    let called = called(statement).filter(|called| called.path.is_ident("assert"))?;
    called.parse_body_with(Punctuated::parse_terminated).ok()
}

/// Returns the assertion with these operands for the host, where a format stands before the value.
pub(crate) fn on_host(assertion: &Stmt, operands: &Operands) -> Stmt {
    let span = assertion.span();
    match operands.iter().collect::<Vec<_>>().as_slice() {
        [condition, value] => parse_quote_spanned!(span=> ::core::assert!(#condition, "{}", #value);),
        _ => parse_quote_spanned!(span=> ::core::assert!(#operands);),
    }
}

/// Returns the macro call that a statement consists of.
fn called(statement: &Stmt) -> Option<&Macro> {
    match statement {
        Stmt::Macro(call) => Some(&call.mac),
        // The last statement of a block has no semicolon.
        Stmt::Expr(Expr::Macro(call), _) => Some(&call.mac),
        _ => None,
    }
}
