//! The kernel language as tables: a row for every kind of kernel, field, statement, operator, method and rule. Further
//! rows describe words of Rust that kernels lack.
//!
//! The macros look up names in these tables. The language reference and the documentation of the macros are generated
//! from the tables, and `gts explain` prints their rows. Tests compile and run the examples of the language. Other
//! tests check that the examples of words that kernels lack are refused.

mod access;
mod builtins;
mod codes;
mod example;
mod exit;
mod fields;
mod guards;
mod items;
mod kernels;
mod lacking;
mod methods;
mod operands;
mod operators;
mod random;
mod reductions;
mod row;
mod rules;
mod statements;
mod types;
mod updates;
mod vertices;

pub use codes::Code;
pub use example::{Example, indented};
pub use exit::Exit;
pub use operands::OperandTypes;
pub use row::{LanguageKind, LanguageRow, RowExample, SHARED_STRUCT};

/// The rows of all kinds, in the order of the reference.
const TABLES: [&[LanguageRow]; 17] = [
    items::ROWS,
    kernels::ROWS,
    fields::ROWS,
    types::ROWS,
    builtins::ROWS,
    statements::ROWS,
    operators::ROWS,
    methods::ROWS,
    vertices::ROWS,
    updates::ROWS,
    reductions::ROWS,
    rules::ROWS,
    random::ROWS,
    access::ROWS,
    guards::ROWS,
    lacking::FORMS,
    lacking::METHODS,
];

/// Returns all rows, in the order of the reference.
pub fn rows() -> impl Iterator<Item = &'static LanguageRow> {
    TABLES.iter().copied().flatten()
}

/// Returns the rows of a kind.
pub fn rows_of(kind: LanguageKind) -> impl Iterator<Item = &'static LanguageRow> {
    rows().filter(move |row| row.kind == kind)
}

/// Returns the first row of a kind with this name.
pub const fn row(kind: LanguageKind, name: &str) -> Option<&'static LanguageRow> {
    let mut table = 0;
    while table < TABLES.len() {
        let mut place = 0;
        while place < TABLES[table].len() {
            let row = &TABLES[table][place];
            if row.kind as u8 == kind as u8 && same(row.name, name) {
                return Some(row);
            }
            place += 1;
        }
        table += 1;
    }
    None
}

/// Returns the row of a method that kernels lack. A row for the types of the receiver takes precedence over a row for
/// all types.
pub fn lacking_method(name: &str, receiver: OperandTypes) -> Option<&'static LanguageRow> {
    let named = || rows_of(LanguageKind::LackingMethod).filter(|row| row.name == name);
    let of_type = named().find(|row| row.operands == receiver);
    of_type.or_else(|| named().find(|row| row.operands == OperandTypes::Anything))
}

/// Returns the rows whose name is this word. `min` is the name of a merge, a method and a reduction. Punctuation around
/// a name is optional, as in `#[wa]`, `println!` and `step()`. If no row has this name, returns the rows of the
/// language whose syntax contains the word, such as `+=` or `u32::MAX`.
pub fn find(word: &str) -> Vec<&'static LanguageRow> {
    let word = bare(word);
    let named: Vec<_> = rows().filter(|row| !word.is_empty() && bare(row.name) == word).collect();
    if !named.is_empty() {
        return named;
    }
    let contains = |text: &str| text.split([' ', ',', ';', '\n']).any(|part| !part.is_empty() && part == word);
    rows().filter(|row| !row.kind.lacks() && contains(row.syntax)).collect()
}

/// Returns the distinct names of all rows, as candidates for suggestions.
pub fn words() -> Vec<&'static str> {
    let mut words: Vec<_> = rows().map(|row| row.name).collect();
    words.sort_unstable();
    words.dedup();
    words
}

/// Returns a word without the punctuation around its name. Operators stay unchanged.
fn bare(word: &str) -> &str {
    let word = word.trim().trim_matches('`');
    let name = word.trim_start_matches("#[").trim_end_matches(['!', ']', '(', ')', ';']);
    if name.chars().any(char::is_alphanumeric) { name.trim_start_matches('.') } else { word }
}

/// Returns whether two names are equal. Unlike `==`, this function can run in constants.
const fn same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    if one.len() != other.len() {
        return false;
    }
    let mut place = 0;
    while place < one.len() {
        if one[place] != other[place] {
            return false;
        }
        place += 1;
    }
    true
}

#[cfg(test)]
mod tests;
