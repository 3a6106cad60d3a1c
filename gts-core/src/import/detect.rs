//! Detects the format of a file.

use super::Format;
use super::csv::delimiter;
use super::format::without_compression;
use super::matrix_market::has_banner;
use super::scan::Cursor;
use std::path::Path;

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
        _ => None,
    }
}

/// Detects the format from the first line that is not a comment; `None` if the line matches no format.
pub(super) fn by_content(text: &[u8]) -> Option<Format> {
    let mut cursor = Cursor::new(text);
    if !cursor.next_data_line(b"#%") {
        // A file that contains only comments is read as a graph without edges.
        return Some(Format::Edges);
    }
    let line = cursor.line();
    let is_numeric = |line: &[u8]| line.first().is_some_and(|b| b.is_ascii_digit() || matches!(b, b'-' | b'+' | b'.'));
    let numeric = is_numeric(line);
    let first_two = [line.first().copied(), line.get(1).copied()];
    match delimiter(line) {
        _ if matches!(first_two, [Some(b'c' | b'p' | b'a'), Some(b' ')]) => Some(Format::Dimacs),
        Some(b',' | b';') => Some(Format::Csv),
        // KeyNames separated by tabs form a header. In a file without a header, blanks and tabs are equivalent.
        Some(_) if !numeric => Some(Format::Csv),
        _ if numeric => Some(Format::Edges),
        // Words above numbers are treated as edges; parsing then rejects the words.
        _ => {
            cursor.next_line();
            let numbers = cursor.next_data_line(b"#%") && is_numeric(cursor.line());
            (numbers && !matches!(delimiter(cursor.line()), Some(b',' | b';'))).then_some(Format::Edges)
        }
    }
}
