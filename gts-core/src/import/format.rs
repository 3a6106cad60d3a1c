//! The supported file formats and their detection.

use super::csv::delimiter;
use super::matrix_market::has_banner;
use super::scan::Cursor;
use std::fmt;
use std::path::{Path, PathBuf};

/// A file format from which graphs can be imported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// One edge per line, with columns separated by blanks or tabs, as published by SNAP and KONECT.
    Edges,
    /// One edge per record, with fields separated by commas, semicolons or tabs, with or without a header.
    Csv,
    /// Matrix Market coordinate files.
    MatrixMarket,
    /// DIMACS shortest-path files (`.gr`).
    Dimacs,
    /// METIS files (`.graph`).
    Metis,
    /// LDBC Graphalytics files: vertices in `NAME.v`, and edges in `NAME.e`.
    Graphalytics,
}

impl Format {
    /// All supported formats.
    pub const ALL: [Self; 6] =
        [Self::Edges, Self::Csv, Self::MatrixMarket, Self::Dimacs, Self::Metis, Self::Graphalytics];

    /// Returns the format's name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Edges => "edges",
            Self::Csv => "csv",
            Self::MatrixMarket => "matrix-market",
            Self::Dimacs => "dimacs",
            Self::Metis => "metis",
            Self::Graphalytics => "graphalytics",
        }
    }

    /// Returns the names of all formats.
    pub fn names() -> [&'static str; 6] {
        Self::ALL.map(Self::name)
    }

    /// Returns the format with a given name; `None` if there is none.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Returns the path without the extension of a compression format.
pub(super) fn without_compression(path: &Path) -> PathBuf {
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("gz" | "zst") => path.with_extension(""),
        _ => path.into(),
    }
}

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
        // Names separated by tabs form a header. In a file without a header, blanks and tabs are equivalent.
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
