//! Titles of row kinds, and functions that format rows as Markdown.

use gts_contract::language::{LanguageKind, LanguageRow, RowExample, rows_of};

/// Returns the title above the rows of a kind.
pub(super) const fn title(kind: LanguageKind) -> &'static str {
    match kind {
        LanguageKind::Item => "Macros",
        LanguageKind::Kernel => "Kinds of kernels",
        LanguageKind::KernelSetting => "Settings of kernels",
        LanguageKind::Field => "Kinds of fields",
        LanguageKind::FieldSetting => "Settings of fields",
        LanguageKind::Merge => "Merges",
        LanguageKind::Type => "Types",
        LanguageKind::Value => "Literals and constants",
        LanguageKind::Function => "Built-in functions",
        LanguageKind::Statement => "Statements",
        LanguageKind::Operator => "Operators",
        LanguageKind::Method => "Methods of numbers",
        LanguageKind::VertexMethod => "Methods of vertices",
        LanguageKind::EdgeMethod => "Methods of edges",
        LanguageKind::Update => "Atomic updates",
        LanguageKind::Reduction => "Reductions of neighbours",
        LanguageKind::Random => "Random numbers",
        LanguageKind::Rule => "Rules",
        LanguageKind::Access => "Accesses to attributes",
        LanguageKind::Class => "Classes of kernels",
        LanguageKind::Guard => "Guards",
        LanguageKind::Lacking => "Syntax, macros and types",
        LanguageKind::LackingMethod => "Methods",
    }
}

/// Capitalises a text, and ends it with a full stop.
pub(super) fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
    let end = if text.ends_with('.') { "" } else { "." };
    format!("{first}{}{end}", letters.as_str())
}

/// Returns the non-empty clauses of a row, each with its head.
fn clauses(row: &LanguageRow) -> Vec<(&'static str, String)> {
    let operands = row.operands.list();
    let clauses = [
        ("Types", operands),
        ("Where", row.allowed),
        ("Limits", row.refused),
        ("On a GPU", row.gpu),
        ("Instead", row.instead),
    ];
    clauses.into_iter().filter(|(_, text)| !text.is_empty()).map(|(head, text)| (head, sentence(text))).collect()
}

/// Returns the clauses, other than types, that more than half of a kind's rows share. A clause is common only if every
/// row has a clause with the same head. Kinds of one or two rows have no common clauses.
pub(super) fn common(kind: LanguageKind) -> Vec<(&'static str, String)> {
    let rows: Vec<_> = rows_of(kind).map(clauses).collect();
    let is_common = |(head, text): &(&str, String)| {
        let has = |row: &[(&str, String)], same: bool| row.iter().any(|(h, t)| h == head && (!same || t == text));
        let equal = rows.iter().filter(|row| has(row, true)).count();
        rows.len() > 2 && 2 * equal > rows.len() && rows.iter().all(|row| has(row, false))
    };
    let mut found: Vec<(&str, String)> = Vec::new();
    for clause in rows.iter().flatten() {
        if clause.0 != "Types" && is_common(clause) && !found.contains(clause) {
            found.push(clause.clone());
        }
    }
    found
}

/// Returns the paragraph above the rows of a kind, which lists their common clauses. It is empty if there are none.
pub(super) fn preamble(kind: LanguageKind) -> String {
    let common: Vec<_> = common(kind).into_iter().map(|(head, text)| format!("*{head}*: {text}")).collect();
    match common.as_slice() {
        [] => String::new(),
        common => format!("\nUnless an entry says otherwise: {}\n", common.join(" ")),
    }
}

/// Returns the clauses of a row that are not common to its kind.
pub(super) fn own_clauses(row: &LanguageRow) -> Vec<(&'static str, String)> {
    let common = common(row.kind);
    clauses(row).into_iter().filter(|clause| !common.contains(clause)).collect()
}

/// Formats a text as code for a table cell.
pub(super) fn code(text: &str) -> String {
    let lines = text.lines().map(|line| format!("`{}`", line.replace('|', "\\|")));
    lines.collect::<Vec<_>>().join("<br>")
}

/// Escapes a text for a table cell.
pub(super) fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

/// Returns the example of a row for a table cell. Complete items are too long for a cell and are left out.
pub(super) fn short_example(row: &LanguageRow) -> String {
    match row.example {
        RowExample::Value(expression, value) => format!("{} is {}", code(expression), code(value)),
        RowExample::Fault(expression) => format!("{} is a fault", code(expression)),
        RowExample::Items(_) => String::new(),
        example => {
            example.code().map(|text| code(&text.split_whitespace().collect::<Vec<_>>().join(" "))).unwrap_or_default()
        }
    }
}

/// Returns a Markdown table. Each row must have one cell per head.
pub(super) fn table(heads: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let mut text = format!("| {} |\n|{}\n", heads.join(" | "), "---|".repeat(heads.len()));
    for row in rows {
        text.push_str(&format!("| {} |\n", row.join(" | ")));
    }
    text
}
