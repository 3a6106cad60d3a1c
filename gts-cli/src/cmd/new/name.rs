//! Names of new crates and algorithms.

use crate::error::Failure;
use gts_graph::algorithm;
use std::path::Path;

/// Names that a crate of Rust 2024 cannot have, as identifiers.
const KEYWORDS: [&str; 52] = [
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do", "dyn", "else",
    "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro", "match", "mod",
    "move", "mut", "override", "priv", "pub", "ref", "return", "self", "static", "struct", "super", "trait", "true",
    "try", "type", "typeof", "union", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// Crates of every Rust program, and folders of a build.
const TAKEN: [&str; 9] = ["alloc", "build", "core", "deps", "examples", "incremental", "proc_macro", "std", "test"];

/// Returns the name of the crate in this folder.
pub(super) fn of(path: &Path) -> Result<&str, Failure> {
    let next = "name it like a crate: letters, digits, `-` and `_`, beginning with a letter, such as nearest-hospital";
    let refused = |what: String| Err(Failure::usage(what, next));
    let Some(name) = path.file_name() else {
        return refused(format!("`{}` names no new folder", path.display()));
    };
    let Some(name) = name.to_str().filter(|name| is_plain(name)) else {
        return refused(format!("a crate cannot be called `{}`", name.display()));
    };
    let identifier = name.replace('-', "_");
    if KEYWORDS.contains(&identifier.as_str()) {
        return refused(format!("`{name}` is a keyword of Rust"));
    }
    if TAKEN.contains(&identifier.as_str()) || identifier.starts_with("gts_graph") {
        return refused(format!("`{name}` is the name of a crate or folder that every build has"));
    }
    if algorithm::find(name).is_some() {
        let next = "choose another name: the algorithms of GTS are beside yours on the command line";
        return Err(Failure::usage(format!("GTS has an algorithm `{name}`"), next));
    }
    Ok(name)
}

fn is_plain(name: &str) -> bool {
    name.len() <= 64
        && name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_crates_pass() {
        for name in ["hops", "nearest-hospital", "folder/two_words", "A1"] {
            assert!(of(Path::new(name)).is_ok(), "{name}");
        }
        for name in ["", ".", "..", "/", "1st", "-a", "a b", "naïve", "a.b", "fn", "self", "gts-graph", "test", "bfs"]
        {
            assert!(of(Path::new(name)).is_err(), "{name}");
        }
    }
}
