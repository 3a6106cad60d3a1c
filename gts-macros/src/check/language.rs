//! The subset of Rust's syntax that is the kernel language.

use crate::errors::Errors;
use crate::ir::Span;
use crate::parse::gather::of_neighbours;
use crate::parse::{assertion, refuse_cfg};
use gts_contract::language::Code;
use proc_macro2::Ident;
use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::{Attribute, Block, Expr, ExprLit, ExprMethodCall, Item, ItemFn, Lit, Local, Pat, Stmt, Type, UnOp};

/// Reports everything in a body that is not part of the language.
pub(crate) fn check(body: &Block, errors: &Errors) {
    LanguageChecker { errors }.visit_block(body);
}

/// Reports the attributes of parameters, statements and expressions that are not part of the language.
pub(crate) fn check_attributes(item: &ItemFn, errors: &Errors) {
    let mut checker = AttributeChecker { errors };
    checker.visit_signature(&item.sig);
    checker.visit_block(&item.block);
}

struct AttributeChecker<'a> {
    errors: &'a Errors,
}

impl<'ast> Visit<'ast> for AttributeChecker<'_> {
    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        let path = attribute.path();
        if path.is_ident("doc") {
            self.errors.at(
                Code::AttributeInBody,
                Span::of(attribute),
                "a body has no doc comments",
                "write the comment with `//`",
            );
        } else if !refuse_cfg(attribute, "function", self.errors) && !path.is_ident("allow") && !path.is_ident("expect")
        {
            self.errors.at(
                Code::AttributeInBody,
                Span::of(attribute),
                "a body has no attributes but `#[allow]` and `#[expect]`",
                "leave this out",
            );
        }
    }

    /// Skips items, which [`check`] refuses as a whole.
    fn visit_item(&mut self, _: &'ast Item) {}
}

/// Like [`check`], for the value of a constant.
pub(crate) fn check_value(value: &Expr, errors: &Errors) {
    LanguageChecker { errors }.visit_expr(value);
}

struct LanguageChecker<'a> {
    errors: &'a Errors,
}

impl LanguageChecker<'_> {
    fn refuse(&self, code: Code, tokens: &impl ToTokens, what: &str, help: &str) {
        self.errors.at(code, Span::of(tokens), what, help);
    }

    fn label(&self, label: Option<&impl ToTokens>) {
        if let Some(label) = label {
            self.refuse(
                Code::LoopLabel,
                label,
                "loops have no labels here",
                "leave a loop with a `bool` that its condition asks",
            );
        }
    }

    fn method(&mut self, call: &ExprMethodCall) {
        if let Some(turbofish) = &call.turbofish {
            self.refuse(Code::GenericPath, turbofish, "methods take no types", "leave it out; types are inferred");
        }
        // One error for the chain of methods and the closures in it.
        if let Some((code, method, what, help)) = iteration(call) {
            self.refuse(code, method, what, help);
            return;
        }
        self.visit_expr(&call.receiver);
        call.args.iter().for_each(|argument| self.visit_expr(argument));
    }

    fn literal(&self, literal: &ExprLit) {
        let (what, help) = match &literal.lit {
            Lit::Int(_) | Lit::Float(_) | Lit::Bool(_) => return,
            Lit::Str(_) | Lit::ByteStr(_) | Lit::CStr(_) => {
                ("there are no strings", "use a number; the host can give it a name")
            }
            _ => ("this literal is not part of the language", "write a number, `true` or `false`"),
        };
        self.refuse(Code::TextLiteral, literal, what, help);
    }

    fn range(&mut self, expr: &Expr) {
        match expr {
            Expr::Paren(paren) => self.range(&paren.expr),
            Expr::Group(group) => self.range(&group.expr),
            Expr::Range(range) => match (&range.start, &range.end) {
                (Some(start), Some(end)) => [start, end].into_iter().for_each(|bound| self.visit_expr(bound)),
                _ => self.refuse(Code::Iteration, range, "this range has no end or no start", "write `for i in 0..n`"),
            },
            Expr::MethodCall(call) if of_neighbours(&call.method.to_string()) => self.refuse(
                Code::NeighborsOutside,
                expr,
                "neighbours are reduced, and not walked by a loop",
                "in a `#[gts_kernel(gather)]` write `let x = v.neighbors().sum(|dst| ..);`; a `scan` runs for every edge",
            ),
            _ => self.refuse(Code::Iteration, expr, "a loop runs over a range of integers", "write `for i in 0..n` and index with `i`"),
        }
    }
}

impl<'ast> Visit<'ast> for LanguageChecker<'_> {
    /// Skips attributes, which [`check_attributes`] checks.
    fn visit_attribute(&mut self, _: &'ast Attribute) {}

    fn visit_stmt(&mut self, statement: &'ast Stmt) {
        if let Some(operands) = assertion::operands(statement) {
            return operands.iter().for_each(|operand| self.visit_expr(operand));
        }
        match statement {
            Stmt::Local(local) => self.visit_local(local),
            Stmt::Item(item) => {
                self.refuse(
                    Code::NestedItem,
                    item,
                    "items cannot stand in a body",
                    "move it out, with `#[gts_fn]` or `#[gts_const]` on it",
                );
            }
            Stmt::Macro(call) => self.refuse(
                Code::MacroCall,
                &call.mac.path,
                "the only macro of a body is `assert!`",
                "write the statement out; a `#[global]` carries a value to the host",
            ),
            Stmt::Expr(expr, _) => self.visit_expr(expr),
        }
    }

    fn visit_local(&mut self, local: &'ast Local) {
        match &local.pat {
            Pat::Type(typed) if plain(&typed.pat) => self.visit_type(&typed.ty),
            pattern if plain(pattern) => {}
            pattern => self.refuse(
                Code::Pattern,
                pattern,
                "a local is a plain name",
                "write one `let name = ..;` for each value",
            ),
        }
        match &local.init {
            Some(init) => {
                self.visit_expr(&init.expr);
                if let Some((token, _)) = &init.diverge {
                    self.refuse(Code::Pattern, token, "`let .. else` is not part of the language", "write an `if`");
                }
            }
            None => self.refuse(
                Code::LocalWithoutValue,
                &local.pat,
                "a local starts with a value",
                "write `let name = ..;`",
            ),
        }
    }

    fn visit_type(&mut self, ty: &'ast Type) {
        match ty {
            Type::Reference(_) | Type::Ptr(_) => {
                self.refuse(
                    Code::Reference,
                    ty,
                    "there are no references",
                    "copy the value, or index the attribute where it is used",
                );
            }
            Type::Path(_) | Type::Array(_) | Type::Group(_) => {}
            _ => self.refuse(
                Code::UnknownType,
                ty,
                "the language has no such type",
                "write a number type, bool, VertexId or an array `[u32; 4]`",
            ),
        }
    }

    fn visit_expr(&mut self, expr: &'ast Expr) {
        match expr {
            Expr::Array(_)
            | Expr::Assign(_)
            | Expr::Binary(_)
            | Expr::Call(_)
            | Expr::Field(_)
            | Expr::Group(_)
            | Expr::Index(_)
            | Expr::Paren(_)
            | Expr::Repeat(_)
            | Expr::Return(_)
            | Expr::If(_) => visit::visit_expr(self, expr),
            Expr::Path(path) => {
                if let Some(qualified) = &path.qself {
                    self.refuse(
                        Code::GenericPath,
                        &qualified.ty,
                        "paths cannot name a trait's items",
                        "call the method on the value",
                    );
                }
            }
            Expr::Cast(cast) => {
                self.visit_expr(&cast.expr);
                self.visit_type(&cast.ty);
            }
            Expr::Block(block) => {
                self.label(block.label.as_ref());
                self.visit_block(&block.block);
            }
            Expr::Break(stop) => {
                self.label(stop.label.as_ref());
                if let Some(value) = &stop.expr {
                    self.refuse(
                        Code::NoValue,
                        value,
                        "`break` carries no value",
                        "store it in a `let mut` before the loop",
                    );
                }
            }
            Expr::Continue(next) => self.label(next.label.as_ref()),
            Expr::ForLoop(walk) => {
                self.label(walk.label.as_ref());
                if !plain(&walk.pat) && !matches!(*walk.pat, Pat::Wild(_)) {
                    self.refuse(Code::Pattern, &walk.pat, "a loop counts with a plain name", "write `for i in 0..n`");
                }
                self.range(&walk.expr);
                self.visit_block(&walk.body);
            }
            Expr::Loop(endless) => {
                self.label(endless.label.as_ref());
                self.visit_block(&endless.body);
            }
            Expr::While(walk) => {
                self.label(walk.label.as_ref());
                self.visit_expr(&walk.cond);
                self.visit_block(&walk.body);
            }
            Expr::MethodCall(call) => self.method(call),
            Expr::Unary(unary) => match unary.op {
                UnOp::Neg(_) | UnOp::Not(_) => self.visit_expr(&unary.expr),
                _ => self.refuse(Code::Reference, unary, "there are no references", "use the value itself"),
            },
            Expr::Lit(literal) => self.literal(literal),
            _ => {
                let (code, what, help) = refused(expr);
                self.refuse(code, &short(expr), what, help);
            }
        }
    }
}

/// Returns the method of a chain that iterates, with its error and the fix to suggest.
fn iteration(call: &ExprMethodCall) -> Option<(Code, &Ident, &'static str, &'static str)> {
    let name = call.method.to_string();
    let neighbours = "only a gather kernel has the neighbours of a vertex";
    match name.as_str() {
        "iter" | "iter_mut" | "into_iter" => Some((
            Code::Iteration,
            &call.method,
            "there are no iterators",
            "write `for i in 0..n`, and index the array with `i`",
        )),
        "neighbors" => {
            let help = "write `#[gts_kernel(gather)]`, in which `let x = v.neighbors().sum(|dst| ..);` reduces them";
            Some((Code::NeighborsOutside, &call.method, neighbours, help))
        }
        _ if of_neighbours(&name) => Some((
            Code::NeighborsOutside,
            &call.method,
            neighbours,
            "did you mean `neighbors`? It stands in a `#[gts_kernel(gather)]`",
        )),
        _ => match &*call.receiver {
            Expr::MethodCall(inner) => iteration(inner),
            _ => None,
        },
    }
}

/// Returns whether a pattern is a name, optionally with `mut`.
fn plain(pattern: &Pat) -> bool {
    matches!(pattern, Pat::Ident(name) if name.by_ref.is_none() && name.subpat.is_none())
}

/// Returns the part of a long expression that an error underlines.
fn short(expr: &Expr) -> proc_macro2::TokenStream {
    match expr {
        Expr::Match(choice) => choice.match_token.to_token_stream(),
        Expr::Try(attempt) => attempt.question_token.to_token_stream(),
        Expr::Macro(call) => call.mac.path.to_token_stream(),
        Expr::Unsafe(block) => block.unsafe_token.to_token_stream(),
        Expr::Await(wait) => wait.await_token.to_token_stream(),
        Expr::Let(pattern) => pattern.let_token.to_token_stream(),
        _ => expr.to_token_stream(),
    }
}

/// Returns the error for an expression outside the language, and the fix to suggest.
fn refused(expr: &Expr) -> (Code, &'static str, &'static str) {
    match expr {
        Expr::Closure(_) => {
            (Code::Closure, "there are no closures", "write a helper with `#[gts_fn]`, or the expression itself")
        }
        Expr::Try(_) => (
            Code::NotInLanguage,
            "there is no `?`: nothing in a body can fail",
            "leave it out; atomics return the old value itself",
        ),
        Expr::Match(_) => (Code::Pattern, "there is no `match`", "write `if .. else if .. else ..`"),
        Expr::Let(_) => (Code::Pattern, "there are no patterns", "compare with `==`"),
        Expr::Macro(_) => (
            Code::MacroCall,
            "the only macro of a body is `assert!`, a statement of its own",
            "write the expression out",
        ),
        Expr::Reference(_) | Expr::RawAddr(_) => {
            (Code::Reference, "there are no references", "copy the value, or index the attribute where it is used")
        }
        Expr::Tuple(_) => (Code::Aggregate, "there are no tuples", "use one local for each value, or an array"),
        Expr::Struct(_) => {
            (Code::Aggregate, "there are no structs besides the attributes", "use one local for each value")
        }
        Expr::Range(_) => (Code::Iteration, "a range stands only in `for i in 0..n`", "compare with `<` and `>=`"),
        Expr::Unsafe(_) => (Code::NotInLanguage, "there is no `unsafe`", "leave it out"),
        Expr::Async(_) | Expr::Await(_) => (Code::NotInLanguage, "nothing here can wait", "leave it out"),
        Expr::Const(_) => (Code::NestedItem, "a body has no constant blocks", "write a constant with `#[gts_const]`"),
        _ => (
            Code::NotInLanguage,
            "this is not part of the kernel language",
            "write it with numbers, `if`, loops and attributes",
        ),
    }
}
