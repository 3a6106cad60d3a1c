//! The names that a body uses, and those that must be handed over.

use crate::errors::{Errors, nearest};
use crate::ir::{ScalarType, Span};
use crate::parse::assertion::ASSERT;
use crate::words;
use gts_contract::language::{self, Code, LanguageKind};
use proc_macro2::Ident;
use quote::ToTokens;
use std::collections::BTreeSet;
use syn::visit::{self, Visit};
use syn::{Block, Expr, ExprCall, ExprPath, Pat, PatIdent, Path};

/// Returns whether a built-in function has this name.
fn is_function(name: &str) -> bool {
    [LanguageKind::Function, LanguageKind::Random].into_iter().any(|kind| language::row(kind, name).is_some())
}

const LIMITS: [&str; 4] = words::described(LanguageKind::Value, ["MAX", "MIN", "INFINITY", "NEG_INFINITY"]);
/// Other names that a local or helper must not take.
const BUILT_IN_NAMES: [&str; 4] = ["UNREACHED", "Vertex", "VertexId", "Edge"];

/// Returns a path as text, the form in which names are compared.
pub(crate) fn text(path: &Path) -> String {
    path.to_token_stream().to_string().replace(' ', "")
}

/// Refuses a name that is reserved in the language.
pub(crate) fn check_new(name: &Ident, errors: &Errors) {
    let text = name.to_string();
    if is_function(&text) || BUILT_IN_NAMES.contains(&text.as_str()) {
        errors.at(Code::ReservedName, name, format!("`{text}` is built in"), "choose another name");
    } else if text.starts_with("gts_") {
        errors.at(Code::ReservedName, name, "names that start with `gts_` are the framework's", "choose another name");
    }
}

/// Returns the paths of helper functions and constants in a body, without duplicates. Reports names that can be
/// neither.
pub(crate) fn wanted(body: &Block, parameters: &[Ident], generic: Option<&Ident>, errors: &Errors) -> Vec<Path> {
    let mut bound = BoundNames { names: parameters.iter().map(ToString::to_string).collect(), errors };
    parameters.iter().for_each(|name| check_new(name, errors));
    bound.visit_block(body);
    let mut used = Used { bound: bound.names, generic: generic.map(ToString::to_string), paths: Vec::new(), errors };
    used.visit_block(body);
    used.paths
}

/// Like [`wanted`], for the value of a constant.
pub(crate) fn wanted_by_value(value: &Expr, errors: &Errors) -> Vec<Path> {
    let mut used = Used { bound: BTreeSet::new(), generic: None, paths: Vec::new(), errors };
    used.visit_expr(value);
    used.paths
}

/// The names that a body binds. Inference resolves scopes.
struct BoundNames<'a> {
    names: BTreeSet<String>,
    errors: &'a Errors,
}

impl<'ast> Visit<'ast> for BoundNames<'_> {
    fn visit_pat(&mut self, pattern: &'ast Pat) {
        if let Pat::Ident(PatIdent { ident, .. }) = pattern {
            check_new(ident, self.errors);
            self.names.insert(ident.to_string());
        }
        visit::visit_pat(self, pattern);
    }
}

struct Used<'a> {
    bound: BTreeSet<String>,
    generic: Option<String>,
    paths: Vec<Path>,
    errors: &'a Errors,
}

impl Used<'_> {
    fn want(&mut self, path: &Path) {
        if !self.paths.iter().any(|known| text(known) == text(path)) {
            self.paths.push(path.clone());
        }
    }

    /// Returns whether the path names an item of a type or of the standard library, which cannot be handed over.
    fn foreign(&self, path: &Path) -> bool {
        let segments: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        let is_type = |name: &String| {
            ScalarType::from_name(name).is_some()
                || name.starts_with(char::is_uppercase)
                || Some(name) == self.generic.as_ref()
        };
        let standard = ["std", "core", "alloc"].contains(&segments[0].as_str());
        standard
            || path.segments.iter().any(|segment| !segment.arguments.is_empty())
            || (segments.len() > 1 && is_type(&segments[segments.len() - 2]))
    }
}

impl<'ast> Visit<'ast> for Used<'_> {
    fn visit_expr_call(&mut self, call: &'ast ExprCall) {
        call.args.iter().for_each(|argument| self.visit_expr(argument));
        let Expr::Path(ExprPath { path, .. }) = &*call.func else {
            self.errors.at(
                Code::CallForm,
                Span::of(&call.func),
                "only functions can be called",
                "call a `#[gts_fn]` by its name",
            );
            return;
        };
        match path.get_ident().map(ToString::to_string) {
            Some(name) if is_function(&name) || name == ASSERT => {}
            Some(name) if name == "assert" => {
                self.errors.at(Code::Assertion, Span::of(path), "`assert!` is a macro", "write `assert!(condition)`");
            }
            Some(name) if self.bound.contains(&name) => {
                self.errors.at(
                    Code::CallForm,
                    Span::of(path),
                    format!("`{name}` is a value"),
                    "only functions can be called",
                );
            }
            _ if text(path) == "Vertex::new" => {}
            _ if self.foreign(path) => {
                let last = path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default();
                let first = path.segments.first().map(|segment| segment.ident.to_string()).unwrap_or_default();
                let help = match words::lacking_word(&first) {
                    Some(row) => row.instead.to_owned(),
                    None => format!(
                        "write it as a method, as in `x.{last}(..)`, if the language has it, or write a `#[gts_fn]`"
                    ),
                };
                self.errors.at(
                    Code::UnknownName,
                    Span::of(path),
                    format!("`{}` is not known in a kernel", text(path)),
                    help,
                );
            }
            Some(name) if name.starts_with(char::is_uppercase) => {
                let row = words::lacking_word(&name).unwrap_or(words::lacking("Some"));
                self.errors.at(
                    Code::UnknownName,
                    Span::of(path),
                    format!("`{name}` is not known in a kernel"),
                    row.instead,
                );
            }
            _ => self.want(path),
        }
    }

    fn visit_expr_path(&mut self, expr: &'ast ExprPath) {
        let path = &expr.path;
        let Some(last) = path.segments.last().map(|segment| segment.ident.to_string()) else { return };
        let constant = !last.contains(char::is_lowercase) && last.contains(char::is_uppercase);
        match path.get_ident() {
            Some(_) if last == "UNREACHED" || self.bound.contains(&last) => {}
            Some(_) if constant => self.want(path),
            Some(_) if is_function(&last) => {
                self.errors.at(
                    Code::CallForm,
                    Span::of(path),
                    format!("`{last}` is a function"),
                    format!("write `{last}(..)`"),
                );
            }
            Some(_) => {
                let names = self.bound.iter().map(String::as_str).chain(["UNREACHED"]);
                let help = match (words::lacking_word(&last), nearest(&last, names)) {
                    (Some(row), _) => row.instead.to_owned(),
                    (None, Some(near)) => format!("did you mean `{near}`?"),
                    (None, None) => "names are parameters, locals, attributes, built-ins, and what has `#[gts_fn]` or `#[gts_const]`; \
                             the host hands a value over in a `#[param]`"
                        .to_owned(),
                };
                self.errors.at(Code::UnknownName, Span::of(path), format!("`{last}` is not known in a kernel"), help);
            }
            None if self.limit(path) => {}
            None if constant && !self.foreign(path) => self.want(path),
            None => self.errors.at(
                Code::UnknownName,
                Span::of(path),
                format!("`{}` is not known in a kernel", text(path)),
                "write a literal, or a constant with `#[gts_const]`",
            ),
        }
    }
}

impl Used<'_> {
    /// Returns whether the path is a limit such as `u32::MAX`.
    fn limit(&self, path: &Path) -> bool {
        let [ty, name] = [0, 1].map(|i| path.segments.get(i).map(|s| s.ident.to_string()).unwrap_or_default());
        let number = ScalarType::from_name(&ty).is_some() || self.generic.as_ref() == Some(&ty);
        path.segments.len() == 2 && number && LIMITS.contains(&name.as_str())
    }
}
