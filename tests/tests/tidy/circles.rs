//! Finds modules that import each other in a cycle.

use crate::source::Source;
use std::collections::{BTreeMap, BTreeSet};
use syn::visit::Visit;

/// Modules of a crate by path. The path of the crate's root is empty.
type Modules = BTreeMap<Path, Module>;
type Path = Vec<String>;

#[derive(Default)]
struct Module {
    /// Imported names, each with the path from which it is imported.
    names: BTreeMap<String, Path>,
    /// Paths that occur in the module's code.
    paths: Vec<Path>,
}

/// Returns the import cycles in all crates. Each item is the path of the parent module, and the children that form the
/// cycle. Excludes tests.
pub(crate) fn circles(sources: &[Source]) -> Vec<(String, BTreeSet<String>)> {
    let mut crates: BTreeMap<&str, Modules> = BTreeMap::new();
    for source in sources {
        if let Some(name) = source.product_of() {
            let modules = crates.entry(name).or_default();
            read(modules, module_path(&source.path[name.len() + 5..]), &source.syntax().items);
        }
    }
    let mut found = Vec::new();
    for (name, modules) in &crates {
        for (parent, edges) in edges(modules) {
            let place = std::iter::once(*name).chain(parent.iter().map(String::as_str)).collect::<Vec<_>>().join("::");
            found.extend(components(&edges).into_iter().map(|circle| (place.clone(), circle)));
        }
    }
    found
}

/// Returns the module path of a file, given by its path below `src`.
fn module_path(file: &str) -> Path {
    let mut path: Path = file.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
    let last = path.last().map(String::as_str);
    if matches!(last, Some("mod")) || (path.len() == 1 && matches!(last, Some("lib" | "main"))) {
        path.pop();
    }
    path
}

fn read(modules: &mut Modules, at: Path, items: &[syn::Item]) {
    let mut module = modules.remove(&at).unwrap_or_default();
    for item in items {
        match item {
            syn::Item::Mod(inner) if is_test(&inner.attrs) => {}
            syn::Item::Mod(syn::ItemMod { ident, content: Some((_, items)), .. }) => {
                read(modules, [&at[..], &[ident.to_string()]].concat(), items);
            }
            syn::Item::Use(item) if !is_test(&item.attrs) => uses(&mut Vec::new(), &item.tree, &mut module),
            other => Paths(&mut module.paths).visit_item(other),
        }
    }
    modules.insert(at, module);
}

fn is_test(attributes: &[syn::Attribute]) -> bool {
    let words = |meta: &syn::MetaList| meta.tokens.to_string();
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute.meta.require_list().is_ok_and(|list| words(list).starts_with("test"))
    })
}

fn uses(before: &mut Path, tree: &syn::UseTree, module: &mut Module) {
    let mut note = |name: String, path: Path| {
        module.paths.push(path.clone());
        module.names.insert(name, path);
    };
    match tree {
        syn::UseTree::Path(path) => {
            before.push(path.ident.to_string());
            uses(before, &path.tree, module);
            before.pop();
        }
        syn::UseTree::Name(name) if name.ident == "self" => {
            note(before.last().cloned().unwrap_or_default(), before.clone());
        }
        syn::UseTree::Name(name) => note(name.ident.to_string(), [&before[..], &[name.ident.to_string()]].concat()),
        syn::UseTree::Rename(name) => note(name.rename.to_string(), [&before[..], &[name.ident.to_string()]].concat()),
        syn::UseTree::Glob(_) => module.paths.push(before.clone()),
        syn::UseTree::Group(group) => group.items.iter().for_each(|tree| uses(before, tree, module)),
    }
}

struct Paths<'a>(&'a mut Vec<Path>);

impl<'ast> Visit<'ast> for Paths<'_> {
    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.0.push(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        syn::visit::visit_path(self, path);
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let mut module = Module::default();
        uses(&mut Vec::new(), &item.tree, &mut module);
        self.0.append(&mut module.paths);
    }
}

/// Returns, for each module, the siblings that each of its children uses.
fn edges(modules: &Modules) -> BTreeMap<Path, BTreeMap<String, BTreeSet<String>>> {
    let mut edges: BTreeMap<Path, BTreeMap<String, BTreeSet<String>>> = BTreeMap::new();
    for (from, module) in modules {
        for path in &module.paths {
            let Some((to, _)) = resolve(modules, from, path, 0) else { continue };
            let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
            if let (Some(own), Some(other)) = (from.get(common), to.get(common)) {
                edges.entry(from[..common].to_vec()).or_default().entry(own.clone()).or_default().insert(other.clone());
            }
        }
    }
    edges
}

/// Resolves a path to a module, and returns whether the path ends there. Returns `None` for paths into other crates and
/// into the prelude.
fn resolve(modules: &Modules, from: &[String], path: &[String], depth: usize) -> Option<(Path, bool)> {
    let mut at = from.to_vec();
    let mut rest = path;
    match path.first()?.as_str() {
        "crate" => at.clear(),
        "self" => {}
        "super" => {
            at.pop();
        }
        first => {
            let child = [from, &[first.to_owned()]].concat();
            if !modules.contains_key(&child) && (path.len() == 1 || !modules[from].names.contains_key(first)) {
                return None;
            }
            rest = path;
            return follow(modules, at, rest, depth);
        }
    }
    rest = &rest[1..];
    while rest.first().is_some_and(|segment| segment == "super") {
        at.pop();
        rest = &rest[1..];
    }
    follow(modules, at, rest, depth)
}

/// Descends from a module along the segments, through child modules and re-exports.
fn follow(modules: &Modules, mut at: Path, mut rest: &[String], depth: usize) -> Option<(Path, bool)> {
    while let Some((segment, after)) = rest.split_first() {
        let child = [&at[..], std::slice::from_ref(segment)].concat();
        if modules.contains_key(&child) {
            (at, rest) = (child, after);
            continue;
        }
        let taken = modules.get(&at)?.names.get(segment).filter(|_| depth < 8);
        return match taken.and_then(|path| resolve(modules, &at, path, depth + 1)) {
            Some((target, true)) => follow(modules, target, after, depth + 1),
            Some(item) => Some(item),
            None => Some((at, false)),
        };
    }
    Some((at, true))
}

/// Returns the sets of two or more nodes that can all reach each other.
fn components(edges: &BTreeMap<String, BTreeSet<String>>) -> Vec<BTreeSet<String>> {
    let reached = |from: &String| {
        let (mut seen, mut next) = (BTreeSet::new(), vec![from]);
        while let Some(at) = next.pop() {
            next.extend(edges.get(at).into_iter().flatten().filter(|to| seen.insert((*to).clone())));
        }
        seen
    };
    let reach: BTreeMap<&String, BTreeSet<String>> = edges.keys().map(|from| (from, reached(from))).collect();
    let circles = reach.iter().filter(|(from, to)| to.contains(**from)).map(|(from, to)| {
        to.iter().filter(|other| reach.get(*other).is_some_and(|back| back.contains(*from))).cloned().collect()
    });
    circles.filter(|circle: &BTreeSet<String>| circle.len() > 1).collect::<BTreeSet<_>>().into_iter().collect()
}
