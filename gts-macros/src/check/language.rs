//! The subset of Rust's syntax that is the kernel language.

use crate::errors::Errors;
use crate::ir::Span;
use crate::parse::gather::of_neighbours;
use crate::parse::{assertion, refuse_cfg};
use crate::words;
use gts_contract::language::{self, Code, LanguageRow, OperandTypes};
use proc_macro2::Ident;
use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::{Attribute, Block, Expr, ExprMethodCall, Item, ItemFn, Lit, Local, Pat, Path, Stmt, Type, UnOp};

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
            let row = words::lacking("///");
            self.errors.at(words::code(row), Span::of(attribute), row.meaning, row.instead);
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

    /// Refuses a form with the error in its row of the table of forms that the language lacks.
    fn lacks(&self, tokens: &impl ToTokens, name: &'static str) {
        let row = words::lacking(name);
        self.refuse(words::code(row), tokens, row.meaning, row.instead);
    }

    fn label(&self, label: Option<&impl ToTokens>) {
        if let Some(label) = label {
            self.lacks(label, "label");
        }
    }

    fn method(&mut self, call: &ExprMethodCall) {
        if let Some(turbofish) = &call.turbofish {
            self.lacks(turbofish, "turbofish");
        }
        // One error for the chain of methods and the closures in it.
        if let Some((code, method, what, help)) = iteration(call) {
            self.refuse(code, method, what, help);
            return;
        }
        self.visit_expr(&call.receiver);
        call.args.iter().for_each(|argument| self.visit_expr(argument));
    }

    fn range(&mut self, expr: &Expr) {
        match expr {
            Expr::Paren(paren) => self.range(&paren.expr),
            Expr::Group(group) => self.range(&group.expr),
            Expr::Range(range) => match (&range.start, &range.end) {
                (Some(start), Some(end)) => [start, end].into_iter().for_each(|bound| self.visit_expr(bound)),
                _ => self.lacks(range, "range without an end"),
            },
            Expr::MethodCall(call) if of_neighbours(&call.method.to_string()) => {
                self.lacks(expr, "loop over neighbours");
            }
            _ => self.lacks(expr, "iterator"),
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
            Stmt::Item(item) => self.lacks(item, "item in a body"),
            Stmt::Macro(call) => self.lacks(&call.mac.path, macro_row(&call.mac.path)),
            Stmt::Expr(expr, _) => self.visit_expr(expr),
        }
    }

    fn visit_local(&mut self, local: &'ast Local) {
        match &local.pat {
            Pat::Type(typed) if plain(&typed.pat) => self.visit_type(&typed.ty),
            pattern if plain(pattern) => {}
            pattern => self.lacks(pattern, "pattern"),
        }
        match &local.init {
            Some(init) => {
                self.visit_expr(&init.expr);
                if let Some((token, _)) = &init.diverge {
                    self.lacks(token, "let else");
                }
            }
            None => self.lacks(&local.pat, "let without a value"),
        }
    }

    fn visit_type(&mut self, ty: &'ast Type) {
        match ty {
            Type::Reference(_) | Type::Ptr(_) => {
                self.lacks(ty, "&");
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
                    self.lacks(&qualified.ty, "trait path");
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
                    self.lacks(value, "value of a loop");
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
                _ => self.lacks(unary, "dereference"),
            },
            Expr::Lit(literal) => match &literal.lit {
                Lit::Int(_) | Lit::Float(_) | Lit::Bool(_) => {}
                Lit::Str(_) | Lit::ByteStr(_) | Lit::CStr(_) => self.lacks(literal, "string"),
                _ => self.lacks(literal, "character"),
            },
            _ => match refused(expr) {
                Some(name) => self.lacks(&short(expr), name),
                None => self.refuse(
                    Code::NotInLanguage,
                    &short(expr),
                    "this is not part of the kernel language",
                    "write it with numbers, `if`, loops and attributes",
                ),
            },
        }
    }
}

/// Returns the method of a chain that iterates, with its error and the fix to suggest.
fn iteration(call: &ExprMethodCall) -> Option<(Code, &Ident, &'static str, &'static str)> {
    let name = call.method.to_string();
    let row = language::lacking_method(&name, OperandTypes::Vertex);
    match (row, &*call.receiver) {
        _ if name == "neighbors" => {
            let help = "write `#[gts_kernel(gather)]`, in which `let x = v.neighbors().sum(|dst| ..);` reduces them";
            Some((Code::NeighborsOutside, &call.method, "only a gather kernel has the neighbours of a vertex", help))
        }
        (Some(row), _) if of_neighbours(&name) || iterates(row) => {
            Some((words::code(row), &call.method, row.meaning, row.instead))
        }
        (_, Expr::MethodCall(inner)) => iteration(inner),
        _ => None,
    }
}

/// Returns whether the row's method begins an iterator chain.
fn iterates(row: &LanguageRow) -> bool {
    row.code == Some(Code::Iteration)
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

/// Returns the name of the row of an expression outside the language, if the expression has a row.
fn refused(expr: &Expr) -> Option<&'static str> {
    Some(match expr {
        Expr::Closure(_) => "closure",
        Expr::Try(_) => "?",
        Expr::Match(_) => "match",
        Expr::Let(_) => "if let",
        Expr::Macro(call) => macro_row(&call.mac.path),
        Expr::Reference(_) | Expr::RawAddr(_) => "&",
        Expr::Tuple(_) => "tuple",
        Expr::Struct(_) => "struct",
        Expr::Range(_) => "range as a value",
        Expr::Unsafe(_) => "unsafe",
        Expr::Async(_) | Expr::Await(_) => "async",
        Expr::Const(_) => "const block",
        _ => return None,
    })
}

/// Returns the name of the row of a macro call. A macro without its own row has the row `macro`.
fn macro_row(path: &Path) -> &'static str {
    let name = path.segments.last().map(|segment| format!("{}!", segment.ident)).unwrap_or_default();
    words::lacking_word(&name).map_or("macro", |row| row.name)
}
