//! The names that the macros accept, and the rows that describe them. A name without a row is a compile error, so that
//! the language reference is complete.

use crate::ir::{BinaryOp, MathMethod, Merge, RandomForm, ScalarType, UnaryOp, UpdateOp};
use gts_contract::language::{self, Code, LanguageKind, LanguageRow};

/// Returns the row of a name that this crate accepts. Constants evaluate this call for every such name, so that it does
/// not panic at run time.
pub(crate) const fn row(kind: LanguageKind, name: &str) -> &'static LanguageRow {
    match language::row(kind, name) {
        Some(row) => row,
        None => panic!("a name that the macros accept has no row in gts_contract::language"),
    }
}

/// Returns the names. In a constant, a name without a row is a compile error.
pub(crate) const fn described<const N: usize>(kind: LanguageKind, names: [&'static str; N]) -> [&'static str; N] {
    let mut place = 0;
    while place < N {
        row(kind, names[place]);
        place += 1;
    }
    names
}

/// Evaluates an expression for each item of an array at compile time.
macro_rules! for_all {
    ($items:expr, $item:ident => $check:expr) => {
        const _: () = {
            let items = $items;
            let mut place = 0;
            while place < items.len() {
                let $item = items[place];
                $check;
                place += 1;
            }
        };
    };
}
pub(crate) use for_all;

for_all!(MathMethod::ALL, method => row(LanguageKind::Method, method.name()));
for_all!(UpdateOp::ALL, op => row(LanguageKind::Update, op.method()));
for_all!(RandomForm::ALL, form => row(LanguageKind::Random, form.name()));
for_all!(BinaryOp::ALL, op => row(LanguageKind::Operator, op.symbol()));
for_all!([UnaryOp::Neg, UnaryOp::Not], op => row(LanguageKind::Operator, op.symbol()));

for_all!(ScalarType::ALL, scalar => row(LanguageKind::Type, scalar.name()));
for_all!(Merge::ALL, merge => row(LanguageKind::Merge, merge.name()));

const _: [&str; 5] =
    described(LanguageKind::Function, ["step", "activate", "num_vertices", "num_edges", "Vertex::new"]);
const _: [&str; 1] = described(LanguageKind::Value, ["UNREACHED"]);
const _: [&str; 3] = described(LanguageKind::Type, ["Vertex", "Edge", "array"]);

/// Returns the names of all rows of a kind.
pub(crate) fn names(kind: LanguageKind) -> impl Iterator<Item = &'static str> {
    language::rows_of(kind).map(|row| row.name)
}

/// Joins names into a list such as "sum, min and max". `last` is the word before the last name.
pub(crate) fn listed<'a>(names: impl IntoIterator<Item = &'a str>, last: &str) -> String {
    let names: Vec<&str> = names.into_iter().collect();
    match names.as_slice() {
        [first @ .., end] if !first.is_empty() => format!("{} {last} {end}", first.join(", ")),
        names => names.concat(),
    }
}

/// Returns the names of the plain types.
pub(crate) fn plain_types() -> impl Iterator<Item = &'static str> {
    names(LanguageKind::Type).filter(|name| ScalarType::from_name(name).is_some())
}

/// Returns the row of a word that kernels lack. Skips rows of other forms, such as `tuple`: their syntax does not begin
/// with their name.
pub(crate) fn lacking_word(name: &str) -> Option<&'static LanguageRow> {
    language::row(LanguageKind::Lacking, name).filter(|row| row.syntax.starts_with(name))
}

/// Returns the error code for a word or form that kernels lack.
pub(crate) fn code(row: &LanguageRow) -> Code {
    row.code.unwrap_or(Code::NotInLanguage)
}

/// Returns the row of a form that kernels lack.
pub(crate) const fn lacking(name: &str) -> &'static LanguageRow {
    row(LanguageKind::Lacking, name)
}
