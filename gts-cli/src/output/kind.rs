//! Kinds of output files.

use crate::packing::Packing;
use gts_graph::core::import::Format;

/// A kind of output files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Csv,
    Tsv,
    JsonLines,
    Json,
    Npz,
    Npy,
    /// Edges, one per line, with blanks between the columns.
    Edges,
    MatrixMarket,
    /// A file of edges, one of vertices and one of properties.
    Graphalytics,
    Parquet,
    Arrow,
}

impl Kind {
    /// The kinds by the endings of file names.
    const ENDINGS: [(&str, Self); 14] = [
        ("csv", Self::Csv),
        ("tsv", Self::Tsv),
        ("jsonl", Self::JsonLines),
        ("json", Self::Json),
        ("npz", Self::Npz),
        ("npy", Self::Npy),
        ("el", Self::Edges),
        ("wel", Self::Edges),
        ("mtx", Self::MatrixMarket),
        ("graphalytics", Self::Graphalytics),
        ("e", Self::Graphalytics),
        ("v", Self::Graphalytics),
        ("parquet", Self::Parquet),
        ("arrow", Self::Arrow),
    ];

    /// Kinds of files for answers.
    pub(crate) const OF_ANSWERS: &[Self] = &[
        Self::Csv,
        Self::Tsv,
        Self::JsonLines,
        Self::Json,
        Self::Npz,
        Self::Npy,
        Self::Edges,
        Self::Parquet,
        Self::Arrow,
    ];

    /// Returns the name, which is also an ending of file names.
    pub(crate) fn name(self) -> &'static str {
        Self::ENDINGS.iter().find(|(_, kind)| *kind == self).map_or("", |(name, _)| name)
    }

    /// Returns the format of files whose columns have types.
    pub(crate) fn typed(self) -> Option<Format> {
        match self {
            Self::Parquet => Some(Format::Parquet),
            Self::Arrow => Some(Format::Arrow),
            _ => None,
        }
    }

    /// Returns whether this program can write such files.
    fn is_built(self) -> bool {
        cfg!(feature = "arrow") || self.typed().is_none()
    }

    /// Returns whether files of this kind are text, which may be compressed.
    fn is_text(self) -> bool {
        !matches!(self, Self::Npz | Self::Npy | Self::Parquet | Self::Arrow)
    }
}

/// A kind of output files, and their compression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PackedKind {
    pub(crate) kind: Kind,
    pub(crate) packing: Option<Packing>,
}

impl PackedKind {
    /// Plain CSV.
    pub(crate) const CSV: Self = Self { kind: Kind::Csv, packing: None };

    /// Returns the kind with the ending of a file name, such as `levels.csv.gz`, in any case. `kinds` are the possible
    /// kinds.
    ///
    /// # Errors
    ///
    /// The ending is unknown, or this program cannot write such files.
    pub(crate) fn of_name(name: &str, kinds: &'static [Kind]) -> Result<Self, KindError> {
        let (stem, ending) = name.rsplit_once('.').unwrap_or(("", name));
        let packing = Packing::of_ending(ending);
        let ending = if packing.is_some() { stem.rsplit_once('.').map_or(stem, |(_, ending)| ending) } else { ending };
        let found =
            Kind::ENDINGS.into_iter().find(|(known, kind)| known.eq_ignore_ascii_case(ending) && kinds.contains(kind));
        let (ending, kind) = found.ok_or(KindError::Unknown(kinds))?;
        match kind {
            _ if packing.is_some() && !kind.is_text() => Err(KindError::Packed(ending)),
            _ if !kind.is_built() => Err(KindError::Feature(ending)),
            _ => Ok(Self { kind, packing }),
        }
    }

    /// Parses the value of `--output-format`.
    pub(crate) fn parse(name: &str, kinds: &'static [Kind]) -> Result<Self, String> {
        Self::of_name(name, kinds).map_err(|error| format!("{error}; {}", error.next()))
    }
}

/// A kind of file that cannot be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum KindError {
    #[error("the ending tells no kind of file")]
    Unknown(&'static [Kind]),
    #[error("only text is compressed")]
    Packed(&'static str),
    #[error("this program was built without the feature `arrow`")]
    Feature(&'static str),
}

impl KindError {
    /// Returns the next step for the user.
    pub(crate) fn next(self) -> String {
        match self {
            Self::Unknown(kinds) => {
                let kinds = kinds.iter().filter(|kind| kind.is_built());
                let names =
                    |is_text| kinds.clone().filter(move |kind| kind.is_text() == is_text).map(|kind| kind.name());
                let [text, others] = [true, false].map(|is_text| names(is_text).collect::<Vec<_>>().join(", "));
                format!("give {text}, also with .gz or .zst; or {others}")
            }
            Self::Packed(ending) => format!("give {ending} alone"),
            Self::Feature(_) => "give csv or npz, or build `gts` with `--features arrow`".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ending_tells_the_kind_in_any_case() {
        let kind = |name| PackedKind::of_name(name, Kind::OF_ANSWERS).map(|found| (found.kind, found.packing)).ok();
        for (name, expected) in [
            ("a.csv", (Kind::Csv, None)),
            ("A.CSV.GZ", (Kind::Csv, Some(Packing::Gzip))),
            ("a.b.tsv.zst", (Kind::Tsv, Some(Packing::Zstd))),
            ("jsonl", (Kind::JsonLines, None)),
            ("csv.gz", (Kind::Csv, Some(Packing::Gzip))),
            ("a.Wel", (Kind::Edges, None)),
            ("a.npz", (Kind::Npz, None)),
        ] {
            assert_eq!(kind(name), Some(expected), "{name}");
        }
        for name in ["a", "a.mtx", "a.gz", "a.txt", "a.npy.gz", "a.csv.bz2", ""] {
            assert_eq!(kind(name), None, "{name}");
        }
        let parquet = PackedKind { kind: Kind::Parquet, packing: None };
        let expected = if cfg!(feature = "arrow") { Ok(parquet) } else { Err(KindError::Feature("parquet")) };
        assert_eq!(PackedKind::of_name("a.Parquet", Kind::OF_ANSWERS), expected);
        assert_eq!(PackedKind::of_name("a.npy.gz", Kind::OF_ANSWERS), Err(KindError::Packed("npy")));
    }
}
