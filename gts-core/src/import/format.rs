//! The supported file formats.

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
    /// JSON Lines, with an object for each edge.
    JsonLines,
    /// A vertex and its neighbours per line.
    Adjacency,
    /// Binary edges of Graph500, of 16 bytes each.
    Graph500,
    /// Binary edges of Graph500, of 12 bytes each.
    Graph500Packed,
    /// GraphML documents.
    GraphMl,
    /// Networks of Pajek (`.net`).
    Pajek,
    /// BV graphs of WebGraph: a bit stream in `NAME.graph`, and its parameters in `NAME.properties`.
    Bv,
    /// Parquet files, with an edge per row.
    Parquet,
    /// Arrow files and streams, also known as Feather, with an edge per row.
    Arrow,
}

impl Format {
    /// All supported formats.
    pub const ALL: [Self; 15] = [
        Self::Edges,
        Self::Csv,
        Self::JsonLines,
        Self::Adjacency,
        Self::MatrixMarket,
        Self::Dimacs,
        Self::Metis,
        Self::Graphalytics,
        Self::Graph500,
        Self::Graph500Packed,
        Self::GraphMl,
        Self::Pajek,
        Self::Bv,
        Self::Parquet,
        Self::Arrow,
    ];

    /// Returns the format's name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Edges => "edges",
            Self::Csv => "csv",
            Self::MatrixMarket => "matrix-market",
            Self::Dimacs => "dimacs",
            Self::Metis => "metis",
            Self::Graphalytics => "graphalytics",
            Self::JsonLines => "jsonl",
            Self::Adjacency => "adjacency",
            Self::Graph500 => "graph500",
            Self::Graph500Packed => "graph500-packed",
            Self::GraphMl => "graphml",
            Self::Pajek => "pajek",
            Self::Bv => "bv",
            Self::Parquet => "parquet",
            Self::Arrow => "arrow",
        }
    }

    /// Returns whether a registered [reader](super::columnar::ColumnarReader) reads files of this format.
    pub(super) const fn is_columnar(self) -> bool {
        matches!(self, Self::Parquet | Self::Arrow | Self::Bv)
    }

    /// Returns the names of all formats.
    pub fn names() -> [&'static str; 15] {
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
