//! Finds long functions and repeated type names.

use crate::source::Source;
use std::collections::{BTreeMap, BTreeSet};
use syn::spanned::Spanned;
use syn::visit::Visit;

/// Returns all functions in product code as `path: name`, each with its number of lines.
pub(crate) fn function_lengths(sources: &[Source]) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    for source in sources.iter().filter(|source| source.product_of().is_some()) {
        Functions { path: &source.path, found: &mut found }.visit_file(source.syntax());
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

/// Returns the type names that product code defines more than once, with the files that define them. Several
/// definitions in a module count once, because they are versions of one type for different targets.
pub(crate) fn repeated_types(sources: &[Source]) -> BTreeMap<String, BTreeSet<String>> {
    let mut names: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for source in sources.iter().filter(|source| source.product_of().is_some()) {
        let mut types = Types { module: BTreeSet::new(), found: Vec::new() };
        types.visit_file(source.syntax());
        types.end_module(BTreeSet::new());
        for name in types.found {
            names.entry(name).or_default().push(source.path.clone());
        }
    }
    names.retain(|_, files| files.len() > 1);
    names.into_iter().map(|(name, files)| (name, files.into_iter().collect())).collect()
}

struct Types {
    /// The names of the types in the module being visited.
    module: BTreeSet<String>,
    /// The names of the types in the modules already visited.
    found: Vec<String>,
}

impl Types {
    /// Completes the visit of a module, and returns to its parent.
    fn end_module(&mut self, parent: BTreeSet<String>) {
        self.found.extend(std::mem::replace(&mut self.module, parent));
    }
}

impl<'ast> Visit<'ast> for Types {
    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        self.module.insert(item.ident.to_string());
    }

    fn visit_item_enum(&mut self, item: &'ast syn::ItemEnum) {
        self.module.insert(item.ident.to_string());
    }

    fn visit_item_type(&mut self, item: &'ast syn::ItemType) {
        self.module.insert(item.ident.to_string());
    }

    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        if module.ident != "tests" {
            let parent = std::mem::take(&mut self.module);
            syn::visit::visit_item_mod(self, module);
            self.end_module(parent);
        }
    }
}
