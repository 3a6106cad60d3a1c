//! `assert!`, the only macro of the language.

use proc_macro2::Ident;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::token::Paren;
use syn::visit_mut::{self, VisitMut};
use syn::{Block, Expr, ExprCall, Macro, Stmt, Token, parse_quote, parse_quote_spanned};

/// The name of the function whose calls replace assertions. It is a raw identifier, so that no body contains it by
/// accident.
pub(crate) const ASSERT: &str = "r#assert";

/// The operands of an assertion: the condition, and optionally a value.
type Operands = Punctuated<Expr, Token![,]>;

/// Replaces each `assert!` in a body with a call, so that visitors of expressions also visit the operands.
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

/// Returns the operands of an `assert!`. `None` if the statement is malformed, or is not an `assert!`.
pub(crate) fn operands(statement: &Stmt) -> Option<Operands> {
    let called = called(statement).filter(|called| called.path.is_ident("assert"))?;
    called.parse_body_with(Punctuated::parse_terminated).ok()
}

/// Returns the assertion for host code, with a format string inserted before the value.
pub(crate) fn on_host(assertion: &Stmt, operands: &Operands) -> Stmt {
    let span = assertion.span();
    match operands.iter().collect::<Vec<_>>().as_slice() {
        [condition, value] => parse_quote_spanned!(span=> ::core::assert!(#condition, "{}", #value);),
        _ => parse_quote_spanned!(span=> ::core::assert!(#operands);),
    }
}

/// Returns the macro call if the statement is one.
fn called(statement: &Stmt) -> Option<&Macro> {
    match statement {
        Stmt::Macro(call) => Some(&call.mac),
        // A macro call at the end of a block, without a semicolon, is an expression.
        Stmt::Expr(Expr::Macro(call), _) => Some(&call.mac),
        _ => None,
    }
}
