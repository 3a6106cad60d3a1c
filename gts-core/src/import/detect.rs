//! Detects the format of a file.

use super::csv::delimiter;
use super::edges::COMMENT;
use super::format::without_compression;
use super::matrix_market::has_banner;
use super::scan::{Cursor, Signs};
use super::{Format, ImportOptions};
use crate::graph::KeyKind;
use std::path::Path;

/// The number of bytes in which the root of an XML document is searched for.
const OPENING: usize = 4096;

/// Detects the format from the file name or the first bytes; `None` if neither identifies it.
pub(super) fn by_name(path: &Path, text: &[u8]) -> Option<Format> {
    let plain = without_compression(path);
    let ending = plain.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    match ending.to_ascii_lowercase().as_str() {
        _ if has_banner(text) => Some(Format::MatrixMarket),
        "mtx" | "mm" => Some(Format::MatrixMarket),
        "gr" => Some(Format::Dimacs),
        "graph" | "metis" => Some(Format::Metis),
        "e" | "v" => Some(Format::Graphalytics),
        "csv" => Some(Format::Csv),
        "jsonl" | "ndjson" => Some(Format::JsonLines),
        "adj" | "adjlist" => Some(Format::Adjacency),
        "graph500" => Some(Format::Graph500),
        "graphml" => Some(Format::GraphMl),
        "net" | "paj" if !begins_with_number(text) => Some(Format::Pajek),
        _ => None,
    }
}

/// Returns whether the first line that is not a comment begins with a digit, as in an edge list.
fn begins_with_number(text: &[u8]) -> bool {
    let mut cursor = Cursor::new(text);
    cursor.next_data_line(COMMENT) && cursor.peek().is_ascii_digit()
}

/// Detects a format whose first line is unmistakable. `line` begins with the first byte that is not blank and not in a
/// comment.
pub(super) fn by_first_line(line: &[u8]) -> Option<Format> {
    let start = String::from_utf8_lossy(&line[..line.len().min(OPENING)]).to_ascii_lowercase();
    let first = Cursor::new(line).line().trim_ascii_end();
    // A whole document of JSON has lists of nodes and edges.
    if first.starts_with(b"{") && first.ends_with(b"}") && first.contains(&b':') && !first.contains(&b'[') {
        return Some(Format::JsonLines);
    }
    if start.starts_with("<graphml") || (start.starts_with("<?xml") && start.contains("<graphml")) {
        return Some(Format::GraphMl);
    }
    ["*vertices", "*network"].iter().any(|word| start.starts_with(word)).then_some(Format::Pajek)
}

/// Detects the format from the first line that is not a comment; `None` if the line matches no format.
pub(super) fn by_content(text: &[u8], options: &ImportOptions) -> Option<Format> {
    let comments = options.comments(COMMENT);
    let delimiter = |line| delimiter(line, options.decimal_comma);
    let mut cursor = Cursor::new(text);
    if !cursor.next_data_line(comments) {
        // A file that contains only comments is read as a graph without edges.
        return Some(Format::Edges);
    }
    let line = cursor.line();
    let is_numeric = |line: &[u8]| line.first().is_some_and(|b| b.is_ascii_digit() || matches!(b, b'-' | b'+' | b'.'));
    let numeric = is_numeric(line);
    let has_names = matches!(options.keys, Some(KeyKind::Text | KeyKind::Uuid));
    match delimiter(line) {
        // Vertices of a DIMACS file have numbers.
        _ if !has_names && is_dimacs(text) => Some(Format::Dimacs),
        Some(b',' | b';') => Some(Format::Csv),
        // KeyNames separated by tabs form a header. In a file without a header, blanks and tabs are equivalent.
        Some(_) if !numeric => Some(Format::Csv),
        _ if numeric => Some(Format::Edges),
        // Words above numbers or above as many words are a table. Parsing refuses words that cannot be a header.
        _ => {
            cursor.next_line();
            let is_table = cursor.next_data_line(comments)
                && (is_numeric(cursor.line()) || words(line) > 1 && words(line) == words(cursor.line()));
            (is_table && !matches!(delimiter(cursor.line()), Some(b',' | b';'))).then_some(Format::Edges)
        }
    }
}

/// Returns whether the first line that is no comment of DIMACS is a whole problem line, `p KIND NUMBER NUMBER`, or a whole
/// arc, `a NUMBER NUMBER NUMBER`. A list of edges may begin with the name `a`, `c` or `p`, too.
fn is_dimacs(text: &[u8]) -> bool {
    let mut cursor = Cursor::new(text);
    while cursor.next_data_line(Signs::of(b"")) {
        let mut words = cursor.line().split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        let is_number = |word: &&[u8]| std::str::from_utf8(word).is_ok_and(|word| word.parse::<f64>().is_ok());
        match words.next() {
            Some(b"c") => cursor.next_line(),
            Some(b"p") => return words.next().is_some() && words.clone().count() == 2 && words.all(|w| is_number(&w)),
            Some(b"a") => return words.clone().count() == 3 && words.all(|word| is_number(&word)),
            _ => return false,
        }
    }
    false
}

/// Returns whether the first two records have blanks between their fields, and no other delimiters.
pub(super) fn has_only_blanks(text: &[u8], options: &ImportOptions) -> bool {
    let mut cursor = Cursor::new(text);
    let mut has_blanks = || {
        let is_record = cursor.next_data_line(options.comments(COMMENT));
        let line = cursor.line();
        cursor.next_line();
        is_record.then(|| words(line) > 1 && delimiter(line, options.decimal_comma).is_none() && !line.contains(&b'"'))
    };
    has_blanks() == Some(true) && has_blanks() != Some(false)
}

fn words(line: &[u8]) -> usize {
    line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).count()
}
