//! The documentation of the macros: one file per macro. `gts-macros` includes these files.

use super::GeneratedFile;
use super::text::{cell, code, own_clauses, preamble, sentence, table, title};
use gts_contract::language::{LanguageKind, LanguageRow, RowExample, row, rows_of};

/// The macros, each with the kinds of rows that its documentation lists.
const MACROS: [(&str, &[LanguageKind]); 4] = [
    ("gts_attributes", &[LanguageKind::Field, LanguageKind::FieldSetting, LanguageKind::Merge, LanguageKind::Type]),
    (
        "gts_kernel",
        &[
            LanguageKind::Kernel,
            LanguageKind::KernelSetting,
            LanguageKind::Reduction,
            LanguageKind::Rule,
            LanguageKind::Access,
            LanguageKind::Guard,
            LanguageKind::Class,
            LanguageKind::Statement,
            LanguageKind::Operator,
            LanguageKind::Value,
            LanguageKind::Function,
            LanguageKind::Random,
            LanguageKind::VertexMethod,
            LanguageKind::EdgeMethod,
            LanguageKind::Method,
            LanguageKind::Update,
        ],
    ),
    ("gts_fn", &[]),
    ("gts_const", &[]),
];

/// Generates one file per macro.
pub(super) fn pages() -> Vec<GeneratedFile> {
    MACROS.iter().map(|(name, kinds)| (format!("gts-macros/doc/{name}.md"), text(name, kinds))).collect()
}

fn text(name: &str, kinds: &[LanguageKind]) -> String {
    let mut text = String::new();
    if let Some(item) = row(LanguageKind::Item, name) {
        // In lists of macros, rustdoc shows the first paragraph only.
        let (summary, rest) = item.meaning.split_once(". ").unwrap_or((item.meaning, ""));
        text.push_str(&format!("{}\n\n", sentence(summary)));
        if !rest.is_empty() {
            text.push_str(&format!("{rest}\n\n"));
        }
        text.push_str(&format!("```text\n{}\n```\n\n", item.syntax));
        for (head, clause) in own_clauses(item) {
            text.push_str(&format!("*{head}*: {clause}\n\n"));
        }
        text.push_str(&example(item));
    }
    if name == "gts_kernel" {
        text.push_str(
            "The book's language reference has the same entries with examples, and `gts explain WORD` prints them.\n",
        );
    }
    for kind in kinds {
        text.push_str(&format!(
            "\n# {}\n{}\n{}",
            title(*kind),
            preamble(*kind),
            table(&["written", "meaning"], rows_of(*kind).map(line))
        ));
        // The formula of random numbers becomes a documentation test.
        for row in rows_of(*kind) {
            if let RowExample::Host(code) = row.example {
                text.push_str(&format!("\n{}\n\n```\n{code}\n```\n", row.meaning));
            }
        }
    }
    text.trim_end().to_owned() + "\n"
}

fn example(row: &LanguageRow) -> String {
    let Some(text) = row.example.code() else { return String::new() };
    format!("```ignore\n{text}\n```\n\n")
}

/// Returns the table cells of a row.
fn line(row: &LanguageRow) -> Vec<String> {
    let written = match row.kind {
        LanguageKind::Rule | LanguageKind::Class => format!("*{}*", row.name),
        _ => code(row.syntax),
    };
    let mut meaning = cell(row.meaning);
    for (head, text) in own_clauses(row) {
        meaning.push_str(&format!(" *{head}*: {}", cell(&text)));
    }
    vec![written, meaning]
}
