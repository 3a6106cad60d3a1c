//! The file formats.

use std::fmt;

/// A format that graphs are imported from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// An edge a line, columns apart by blanks or tabs: SNAP, KONECT and the like.
    Edges,
    /// An edge a record, fields apart by commas, semicolons or tabs, with or without a header.
    Csv,
    /// Matrix Market coordinate files.
    MatrixMarket,
    /// DIMACS shortest-path files (`.gr`).
    Dimacs,
    /// METIS files (`.graph`).
    Metis,
    /// LDBC Graphalytics: vertices in `NAME.v`, edges in `NAME.e`.
    Graphalytics,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 6] =
        [Self::Edges, Self::Csv, Self::MatrixMarket, Self::Dimacs, Self::Metis, Self::Graphalytics];

    /// The word that names the format on a command line.
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

    /// The names of all formats.
    pub fn names() -> [&'static str; 6] {
        Self::ALL.map(Self::name)
    }

    /// The format of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
