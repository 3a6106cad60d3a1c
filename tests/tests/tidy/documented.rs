//! Checks the documentation of the types that every program uses.

use crate::source::Source;
use syn::visit::Visit;
use syn::{Attribute, Expr, ImplItem, ImplItemFn, ItemImpl, Lit, Meta, ReturnType, Type, Visibility};

/// Types whose public methods are shown by examples, and the crates that define them.
const TYPES: [&str; 5] = ["Engine", "EngineBuilder", "Graph", "GraphReader", "Run"];
const CRATES: [&str; 2] = ["gts-core", "gts-runtime"];

/// Returns the public methods without a section of examples.
pub(crate) fn methods_have_examples(sources: &[Source]) -> Vec<String> {
    without(sources, "no example", |text, _| {
        has_section(text, "# Examples") && text.iter().any(|line| line.contains("```"))
    })
}

/// Returns the public methods that return or yield a `Result`, and do not describe its errors.
pub(crate) fn methods_describe_their_errors(sources: &[Source]) -> Vec<String> {
    without(sources, "no errors", |text, output| has_section(text, "# Errors") || !names_result(output))
}

/// Returns the public methods of [`TYPES`] whose documentation and return type fail a test.
fn without(sources: &[Source], lack: &str, passes: impl Fn(&[String], &ReturnType) -> bool) -> Vec<String> {
    let mut places = Vec::new();
    for source in sources.iter().filter(|source| source.product_of().is_some_and(|name| CRATES.contains(&name))) {
        let mut methods = Methods(Vec::new());
        methods.visit_file(source.syntax());
        let failed = methods.0.into_iter().filter(|(_, text, output)| !passes(text, output));
        places.extend(failed.map(|(name, ..)| format!("{}: {name} has {lack}", source.path)));
    }
    places
}

/// The public methods of [`TYPES`] in a file: their names, documentation and return types.
struct Methods(Vec<(String, Vec<String>, ReturnType)>);

impl Methods {
    fn note(&mut self, owner: &str, method: &ImplItemFn) {
        if matches!(method.vis, Visibility::Public(_)) && !method.attrs.iter().any(hides) {
            let text = method.attrs.iter().filter_map(doc_line).collect();
            self.0.push((format!("{owner}::{}", method.sig.ident), text, method.sig.output.clone()));
        }
    }
}

impl<'ast> Visit<'ast> for Methods {
    fn visit_item_impl(&mut self, item: &'ast ItemImpl) {
        let Type::Path(owner) = item.self_ty.as_ref() else { return };
        let Some(owner) = owner.path.segments.last().map(|segment| segment.ident.to_string()) else { return };
        if item.trait_.is_some() || !TYPES.contains(&owner.as_str()) {
            return;
        }
        for method in &item.items {
            if let ImplItem::Fn(method) = method {
                self.note(&owner, method);
            }
        }
    }
}

/// Returns whether an attribute is `#[doc(hidden)]`.
fn hides(attribute: &Attribute) -> bool {
    let Meta::List(list) = &attribute.meta else { return false };
    list.path.is_ident("doc") && list.tokens.to_string() == "hidden"
}

/// Returns the text of a doc attribute.
fn doc_line(attribute: &Attribute) -> Option<String> {
    let Meta::NameValue(meta) = &attribute.meta else { return None };
    match &meta.value {
        Expr::Lit(value) if meta.path.is_ident("doc") => match &value.lit {
            Lit::Str(text) => Some(text.value()),
            _ => None,
        },
        _ => None,
    }
}

fn has_section(text: &[String], title: &str) -> bool {
    text.iter().any(|line| line.trim() == title)
}

/// Returns whether `Result` occurs anywhere in a return type.
fn names_result(output: &ReturnType) -> bool {
    struct Named(bool);
    impl Visit<'_> for Named {
        fn visit_ident(&mut self, ident: &syn::Ident) {
            self.0 |= ident == "Result";
        }
    }
    let mut named = Named(false);
    named.visit_return_type(output);
    named.0
}
