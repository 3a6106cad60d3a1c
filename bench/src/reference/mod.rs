//! Generates files from the tables of the kernel language: the book's language reference and chapter on error codes,
//! and the documentation of the macros.

mod book;
mod errors;
mod macros;
mod text;

use gts_contract::language::{self, LanguageKind, RowExample};
use std::path::PathBuf;

/// A generated file: its path relative to the root of the repository, and its text.
pub type GeneratedFile = (String, String);

/// Generates all files.
pub fn all() -> Vec<GeneratedFile> {
    [book::pages(), vec![errors::page()], macros::pages()].concat()
}

/// Returns the root of the repository.
pub fn root() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// Returns one line per kind with the number of rows and of examples, and a last line with the total number of rows.
pub fn counts() -> String {
    let mut lines = String::new();
    for kind in LanguageKind::ALL {
        let rows = language::rows_of(kind).count();
        let examples = language::rows_of(kind).filter(|row| row.example != RowExample::None).count();
        lines.push_str(&format!("{rows:5} rows, {examples:3} examples: {}\n", text::title(kind)));
    }
    lines.push_str(&format!("{:5} rows\n", language::rows().count()));
    lines
}
