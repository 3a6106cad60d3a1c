//! Finds long functions and repeated type names.

use crate::source::Source;
use std::collections::{BTreeMap, BTreeSet};
use syn::spanned::Spanned;
use syn::visit::Visit;

/// Returns all functions of product code as `path: name`, with their number of lines.
pub(crate) fn function_lengths(sources: &[Source]) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    for source in sources.iter().filter(|source| source.product_of().is_some()) {
        Functions { path: &source.path, found: &mut found }.visit_file(&source.syntax());
    }
    found
}

struct Functions<'a> {
    path: &'a str,
    found: &'a mut Vec<(String, usize)>,
}

impl Functions<'_> {
    fn note(&mut self, signature: &syn::Signature, block: &syn::Block) {
        let lines = block.span().end().line - signature.span().start().line + 1;
        self.found.push((format!("{}: {}", self.path, signature.ident), lines));
    }
}

impl<'ast> Visit<'ast> for Functions<'_> {
    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        self.note(&function.sig, &function.block);
        syn::visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        self.note(&function.sig, &function.block);
        syn::visit::visit_impl_item_fn(self, function);
    }

    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        if module.ident != "tests" {
            syn::visit::visit_item_mod(self, module);
        }
    }
}

/// Returns the type names that product code defines more than once, with the files that define them.
pub(crate) fn repeated_types(sources: &[Source]) -> BTreeMap<String, BTreeSet<String>> {
    let mut names: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for source in sources.iter().filter(|source| source.product_of().is_some()) {
        let mut types = Types(Vec::new());
        types.visit_file(&source.syntax());
        for name in types.0 {
            names.entry(name).or_default().push(source.path.clone());
        }
    }
    names.retain(|_, files| files.len() > 1);
    names.into_iter().map(|(name, files)| (name, files.into_iter().collect())).collect()
}

struct Types(Vec<String>);

impl<'ast> Visit<'ast> for Types {
    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        self.0.push(item.ident.to_string());
    }

    fn visit_item_enum(&mut self, item: &'ast syn::ItemEnum) {
        self.0.push(item.ident.to_string());
    }

    fn visit_item_type(&mut self, item: &'ast syn::ItemType) {
        self.0.push(item.ident.to_string());
    }

    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        if module.ident != "tests" {
            syn::visit::visit_item_mod(self, module);
        }
    }
}
