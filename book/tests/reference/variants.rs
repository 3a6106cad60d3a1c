//! Finds the errors, the codes of their variants, and the tests in the sources.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use syn::visit::Visit;
use syn::{Expr, ExprMatch, ImplItem, ImplItemFn, ItemEnum, ItemImpl, ItemStruct, Pat, Type, Visibility};

/// A variant of an error, and its code.
pub(crate) struct Coded {
    pub(crate) type_name: String,
    /// The variant as `Type::Variant`, or `Type` if the error is a struct.
    pub(crate) variant: String,
    /// The name of the code. `None` if an inner error or a field determines the code.
    pub(crate) code: Option<String>,
}

/// Facts found in all sources.
#[derive(Default)]
pub(crate) struct Sources {
    /// The public types that derive `Error`.
    pub(crate) errors: BTreeSet<String>,
    pub(crate) coded: Vec<Coded>,
    /// The types whose `fn code` has a wildcard arm.
    pub(crate) open: Vec<String>,
    /// The codes that are assigned to a field of an error.
    pub(crate) of_fields: BTreeSet<String>,
    /// The codes that the macros report.
    pub(crate) of_macros: BTreeSet<String>,
    /// The source texts of tests.
    pub(crate) tests: Vec<String>,
}

impl Sources {
    /// Returns the sources of all crates in the repository. The first call reads them.
    pub(crate) fn all() -> &'static Self {
        static ALL: LazyLock<Sources> = LazyLock::new(Sources::read);
        &ALL
    }

    fn read() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut found = Self::default();
        let entries = fs::read_dir(&root).expect("the root can be listed").filter_map(Result::ok);
        for folder in entries.map(|entry| entry.path()).filter(|path| path.join("Cargo.toml").is_file()) {
            let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
            for path in files(&folder) {
                let text = fs::read_to_string(&path).expect("a source is text");
                found.file(&name, path.strip_prefix(&root).expect("the root is above"), &text);
            }
        }
        found
    }

    fn file(&mut self, crate_name: &str, path: &Path, text: &str) {
        let is_test = path.components().any(|part| ["tests", "tests.rs"].iter().any(|name| part.as_os_str() == *name));
        let product = crate_name.starts_with("gts-") && !is_test;
        // The lists in `codes.rs` name variants of most errors, but provoke none of them.
        let own = path.ends_with("reference/codes.rs");
        if is_test && !own {
            self.tests.push(text.to_owned());
        }
        if !product {
            return;
        }
        let (code, tests) = text.split_once("#[cfg(test)]\nmod tests {").unwrap_or((text, ""));
        // Unit tests in the file that defines an error construct the error, but do not provoke it.
        if !path.ends_with("error.rs") && !path.ends_with("advice.rs") {
            self.tests.push(tests.to_owned());
        }
        let after = |start: &'static str| {
            let rests = code.match_indices(start).map(move |(at, _)| &code[at + start.len()..]);
            rests.map(|rest| rest.chars().take_while(|c| c.is_alphanumeric()).collect())
        };
        // Each row in `lacking.rs` contains the code of the error that the macros report.
        if crate_name == "gts-macros" || path.ends_with("language/lacking.rs") {
            self.of_macros.extend(after("Code::"));
            return;
        }
        self.of_fields.extend(after("{ code: Code::"));
        let file = syn::parse_file(code).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        self.visit_file(&file);
    }

    fn error(&mut self, visibility: &Visibility, name: &syn::Ident, attributes: &[syn::Attribute]) {
        let derives = |attribute: &syn::Attribute| {
            let list = attribute.meta.require_list().map(|list| list.tokens.to_string()).unwrap_or_default();
            attribute.path().is_ident("derive") && list.replace(' ', "").split(',').any(|item| item.ends_with("Error"))
        };
        if matches!(visibility, Visibility::Public(_)) && attributes.iter().any(derives) {
            self.errors.insert(name.to_string());
        }
    }

    fn code(&mut self, type_name: &str, method: &ImplItemFn) {
        let Some(syn::Stmt::Expr(value, None)) = method.block.stmts.first() else { return };
        match value {
            Expr::Match(choice) => self.arms(type_name, choice),
            value => self.add(type_name, type_name.to_owned(), value),
        }
    }

    fn arms(&mut self, type_name: &str, choice: &ExprMatch) {
        for arm in &choice.arms {
            let pattern = if let Pat::Guard(guarded) = &arm.pat { &guarded.pat } else { &arm.pat };
            let cases = match pattern {
                Pat::Or(cases) => cases.cases.iter().collect(),
                one => vec![one],
            };
            for case in cases {
                let path = match case {
                    Pat::Path(variant) => &variant.path,
                    Pat::Struct(variant) => &variant.path,
                    Pat::TupleStruct(variant) => &variant.path,
                    _ => {
                        self.open.push(type_name.to_owned());
                        continue;
                    }
                };
                let variant = path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default();
                self.add(type_name, format!("{type_name}::{variant}"), &arm.body);
            }
        }
    }

    fn add(&mut self, type_name: &str, variant: String, value: &Expr) {
        let code = match value {
            Expr::Path(path) if path.path.segments.len() == 2 && path.path.segments[0].ident == "Code" => {
                Some(path.path.segments[1].ident.to_string())
            }
            Expr::Block(block) => match block.block.stmts.as_slice() {
                [syn::Stmt::Expr(value, None)] => return self.add(type_name, variant, value),
                _ => None,
            },
            _ => None,
        };
        self.coded.push(Coded { type_name: type_name.to_owned(), variant, code });
    }
}

impl<'ast> Visit<'ast> for Sources {
    fn visit_item_enum(&mut self, item: &'ast ItemEnum) {
        self.error(&item.vis, &item.ident, &item.attrs);
    }

    fn visit_item_struct(&mut self, item: &'ast ItemStruct) {
        self.error(&item.vis, &item.ident, &item.attrs);
    }

    fn visit_item_impl(&mut self, item: &'ast ItemImpl) {
        let Type::Path(path) = &*item.self_ty else { return };
        let Some(name) = path.path.segments.last().map(|segment| segment.ident.to_string()) else { return };
        for method in &item.items {
            if let ImplItem::Fn(method) = method
                && method.sig.ident == "code"
                && matches!(&method.sig.output, syn::ReturnType::Type(_, ty) if is_code(ty))
            {
                self.code(&name, method);
            }
        }
    }
}

fn is_code(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if path.path.is_ident("Code"))
}

/// Returns the Rust files of a crate, except those in `target`.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder can be listed").filter_map(Result::ok) {
            let path = entry.path();
            if path.is_dir() && !path.ends_with("target") {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    found
}
