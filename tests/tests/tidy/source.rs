//! Reads the workspace's files for the rules.

use std::cell::OnceCell;
use std::fs;
use std::path::{Component, Path};

/// Folders that contain no source files of the project.
const FOREIGN: [&str; 6] = ["target", ".git", ".gpu", "node_modules", "snapshots", "results"];
/// File name extensions of code.
const CODE: [&str; 3] = ["rs", "cu", "cuh"];
/// File name extensions of other text files.
const TEXT: [&str; 5] = ["md", "sh", "py", "toml", "svg"];

/// A file: its path relative to the workspace's root, and its lines.
pub(crate) struct Source {
    pub(crate) path: String,
    pub(crate) lines: Vec<String>,
    syntax: OnceCell<syn::File>,
}

impl Source {
    pub(crate) fn new(path: &str, text: &str) -> Self {
        Self { path: path.to_owned(), lines: text.lines().map(str::to_owned).collect(), syntax: OnceCell::new() }
    }

    pub(crate) fn is_code(&self) -> bool {
        ends_with(&self.path, &CODE)
    }

    pub(crate) fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    /// Returns whether the file is Rust code of the crate, excluding its integration tests.
    pub(crate) fn is_rust_of(&self, crate_name: &str) -> bool {
        self.path.strip_prefix(crate_name).is_some_and(|rest| rest.starts_with("/src/")) && self.is_rust()
    }

    /// Returns the crate whose product code includes the file, if any.
    pub(crate) fn product_of(&self) -> Option<&str> {
        let (crate_name, rest) = self.path.split_once("/src/")?;
        let test = rest.split('/').any(|part| part == "tests" || part == "tests.rs");
        (crate_name.starts_with("gts-") && !crate_name.contains('/') && self.is_rust() && !test).then_some(crate_name)
    }

    /// Returns the syntax of a Rust file, which is parsed once for all rules.
    pub(crate) fn syntax(&self) -> &syn::File {
        let parse = || syn::parse_file(&self.lines.join("\n")).unwrap_or_else(|error| panic!("{}: {error}", self.path));
        self.syntax.get_or_init(parse)
    }
}

fn ends_with(path: &str, ends: &[&str]) -> bool {
    Path::new(path).extension().and_then(|extension| extension.to_str()).is_some_and(|end| ends.contains(&end))
}

/// Returns all files in the workspace that contain code or text.
pub(crate) fn all() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let (mut found, mut folders) = (Vec::new(), vec![root.clone()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("folders of the workspace can be listed") {
            let path = entry.expect("folders of the workspace can be listed").path();
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            if path.is_dir() {
                if !FOREIGN.contains(&name) {
                    folders.push(path);
                }
                continue;
            }
            let below = path.strip_prefix(&root).expect("the root is above");
            let parts: Vec<_> = below.components().map(Component::as_os_str).filter_map(|part| part.to_str()).collect();
            let path = parts.join("/");
            if ends_with(&path, &CODE) || ends_with(&path, &TEXT) {
                let text = fs::read_to_string(root.join(&path)).expect("source files are text");
                found.push(Source::new(&path, &text));
            }
        }
    }
    assert!(found.len() > 10, "only {} source files found", found.len());
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}
