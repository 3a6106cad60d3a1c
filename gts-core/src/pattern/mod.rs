//! Patterns: small graphs to search for in a larger graph, and the plan of such a search.
//!
//! | module | contents |
//! |---|---|
//! | this module | [`Pattern`], and [`PatternReader`], which parses the text of a pattern |
//! | `symmetry` | the interchangeable vertices of a pattern |
//! | `columns` | [`Columns`]: the order of vertices in a listing, and the choice among symmetric matches |
//! | `memory` | the memory of a search |
//! | `plan` | [`PatternPlan`]: the search order of the vertices, and the conditions on each vertex |

mod columns;
mod memory;
mod plan;
mod symmetry;

pub use columns::Columns;
pub use memory::{
    MOST_WARPS, SAVED_WORDS, device_bytes, host_bytes, listing_device_bytes, listing_host_bytes, rows_at_a_time,
    unit_words, units_left,
};
pub use plan::{Level, PatternPlan};

use crate::advice::{Advice, Explain};
use gts_contract::language::Code;
use std::collections::HashMap;
use std::fmt::Write;

/// Maximum number of vertices in a pattern. Each lane of a warp stores the search state of one vertex.
pub const MOST_VERTICES: usize = 32;

/// A connected graph without loops that has at most [`MOST_VERTICES`] vertices. Vertices may have labels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// The number of each vertex in the text of the pattern.
    numbers: Vec<u64>,
    /// The neighbours of each vertex, as a bit set.
    neighbours: Vec<u32>,
    /// The label of each vertex, as an index into `names`; `None` for a vertex without a label.
    labels: Vec<Option<u8>>,
    /// The distinct labels.
    names: Vec<String>,
}

/// The reason why a pattern is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PatternError {
    /// A line is neither an edge nor a label.
    #[error("line {line}: expected `U V` or `v U LABEL`, found `{found}`")]
    Line {
        /// The line number, counted from 1.
        line: u64,
        /// The text of the line, truncated.
        found: String,
    },
    /// The pattern has no vertices.
    #[error("it has no vertex")]
    Empty,
    /// An edge connects a vertex to itself.
    #[error("vertex {vertex} has an edge to itself")]
    Loop {
        /// The number of the vertex in the pattern's text.
        vertex: u64,
    },
    /// The pattern has more vertices than a search supports.
    #[error("it has more than {MOST_VERTICES} vertices")]
    TooLarge,
    /// The pattern is not connected.
    #[error("no path leads from vertex {from} to vertex {to}")]
    Disconnected {
        /// The first vertex of the pattern.
        from: u64,
        /// A vertex that cannot be reached from the first vertex.
        to: u64,
    },
    /// A vertex has two labels.
    #[error("line {line}: vertex {vertex} has the label `{label}` already")]
    Relabelled {
        /// The line number, counted from 1.
        line: u64,
        /// The number of the vertex in the pattern's text.
        vertex: u64,
        /// The label that the vertex already has.
        label: String,
    },
}

impl Explain for PatternError {
    fn code(&self) -> Code {
        match self {
            Self::Line { .. } => Code::PatternLine,
            Self::Empty => Code::EmptyPattern,
            Self::Loop { .. } => Code::PatternLoop,
            Self::TooLarge => Code::LargePattern,
            Self::Disconnected { .. } => Code::SplitPattern,
            Self::Relabelled { .. } => Code::SecondLabel,
        }
    }

    fn advice(&self) -> Option<Advice> {
        Some(Advice::from(match self {
            Self::Line { .. } => "write an edge as two numbers, a label as `v`, a number and the label",
            Self::Empty => "write an edge a line, such as `0 1`",
            Self::Loop { .. } => "leave the edge out: graphs are matched without edges from a vertex to itself",
            Self::TooLarge => "look for a part of it, of at most 32 vertices",
            Self::Disconnected { .. } => "add an edge between its parts, or look for each part by itself",
            Self::Relabelled { .. } => "leave one of the lines out",
        }))
    }
}

impl Pattern {
    /// Parses a pattern with one edge `U V` or one label `v U LABEL` per line. Vertices are arbitrary numbers. Empty
    /// lines, comments (`#`, `%`), a byte order mark and repeated edges are ignored.
    ///
    /// # Errors
    ///
    /// Returns [`PatternError`] if the text is not a valid pattern.
    pub fn parse(text: &str) -> Result<Self, PatternError> {
        let mut reader = PatternReader::default();
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        (1..).zip(text.lines()).try_for_each(|(line, text)| reader.line(line, text))?;
        reader.finish()
    }

    /// Creates a pattern without labels from edges between arbitrary numbers.
    ///
    /// # Errors
    ///
    /// Returns any [`PatternError`] except [`PatternError::Line`].
    pub fn from_edges(edges: impl IntoIterator<Item = (u64, u64)>) -> Result<Self, PatternError> {
        let mut reader = PatternReader::default();
        edges.into_iter().try_for_each(|(u, v)| reader.edge(u, v))?;
        reader.finish()
    }

    /// Returns the number of vertices.
    pub fn num_vertices(&self) -> usize {
        self.neighbours.len()
    }

    /// Returns the number that a vertex has in the pattern's text.
    pub fn number(&self, vertex: usize) -> u64 {
        self.numbers[vertex]
    }

    /// Returns the neighbours of a vertex, as a bit set.
    pub fn neighbors(&self, vertex: usize) -> u32 {
        self.neighbours[vertex]
    }

    /// Returns the number of neighbours of a vertex.
    pub fn degree(&self, vertex: usize) -> u32 {
        self.neighbours[vertex].count_ones()
    }

    /// Returns the label of a vertex, as an index into [`Pattern::labels`]; `None` for a vertex without a label.
    pub fn label(&self, vertex: usize) -> Option<u8> {
        self.labels[vertex]
    }

    /// Returns the distinct labels of the pattern.
    pub fn labels(&self) -> &[String] {
        &self.names
    }
}

/// Parses a pattern line by line. [`Pattern::parse`] parses a complete text.
#[derive(Default)]
pub struct PatternReader {
    /// The index of each vertex, by its number in the text.
    numbers: HashMap<u64, usize>,
    originals: Vec<u64>,
    neighbours: Vec<u32>,
    labels: Vec<Option<u8>>,
    names: Vec<String>,
}

impl PatternReader {
    /// Parses a line. `line` is the line's number, counted from 1.
    ///
    /// # Errors
    ///
    /// Fails if the line is malformed, or if its edge or label is invalid.
    pub fn line(&mut self, line: u64, text: &str) -> Result<(), PatternError> {
        let text = text.trim();
        if text.is_empty() || text.starts_with(['#', '%']) {
            return Ok(());
        }
        let refused = || {
            let mut found = String::new();
            // Writing to a string cannot fail.
            let _ = write!(found, "{text:.40}");
            PatternError::Line { line, found }
        };
        let number = |word: Option<&str>| word.and_then(|word| word.parse::<u64>().ok()).ok_or_else(refused);
        if let Some(rest) = text.strip_prefix("v").filter(|rest| rest.starts_with(char::is_whitespace)) {
            let (id, label) = rest.trim().split_once(char::is_whitespace).ok_or_else(refused)?;
            return self.label(line, number(Some(id))?, label.trim());
        }
        let mut words = text.split_whitespace();
        let (u, v) = (number(words.next())?, number(words.next())?);
        if words.next().is_some() {
            return Err(refused());
        }
        self.edge(u, v)
    }

    fn vertex(&mut self, original: u64) -> Result<usize, PatternError> {
        let next = self.originals.len();
        let vertex = *self.numbers.entry(original).or_insert(next);
        if vertex == next {
            if next == MOST_VERTICES {
                return Err(PatternError::TooLarge);
            }
            self.originals.push(original);
            self.neighbours.push(0);
            self.labels.push(None);
        }
        Ok(vertex)
    }

    fn edge(&mut self, u: u64, v: u64) -> Result<(), PatternError> {
        if u == v {
            return Err(PatternError::Loop { vertex: u });
        }
        let (a, b) = (self.vertex(u)?, self.vertex(v)?);
        self.neighbours[a] |= 1 << b;
        self.neighbours[b] |= 1 << a;
        Ok(())
    }

    fn label(&mut self, line: u64, original: u64, label: &str) -> Result<(), PatternError> {
        let vertex = self.vertex(original)?;
        let known = self.names.iter().position(|name| name == label);
        let place = known.unwrap_or_else(|| {
            self.names.push(label.to_owned());
            self.names.len() - 1
        });
        match self.labels[vertex].replace(place as u8) {
            Some(other) if usize::from(other) != place => {
                let label = self.names[usize::from(other)].clone();
                Err(PatternError::Relabelled { line, vertex: original, label })
            }
            _ => Ok(()),
        }
    }

    /// Returns the pattern described by the lines.
    ///
    /// # Errors
    ///
    /// Fails if there are no vertices, or if the pattern is not connected.
    pub fn finish(self) -> Result<Pattern, PatternError> {
        let Self { originals, neighbours, labels, names, .. } = self;
        if originals.is_empty() {
            return Err(PatternError::Empty);
        }
        let mut reached = 1u32;
        loop {
            let found = (0..originals.len()).filter(|v| reached >> v & 1 == 1);
            let next = found.fold(reached, |all, v| all | neighbours[v]);
            if next == reached {
                break;
            }
            reached = next;
        }
        match (0..originals.len()).find(|v| reached >> v & 1 == 0) {
            Some(v) => Err(PatternError::Disconnected { from: originals[0], to: originals[v] }),
            None => Ok(Pattern { numbers: originals, neighbours, labels, names }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_read_with_labels_comments_and_repeated_edges() {
        let text = "\u{feff}# a path\n 7 9\r\n\n9\t8\n8 9\nv 9 a name\n% more\nv 7 other\n";
        let pattern = Pattern::parse(text).unwrap();
        assert_eq!((0..3).map(|v| pattern.neighbors(v)).collect::<Vec<_>>(), [0b10, 0b101, 0b10]);
        assert_eq!(pattern.labels(), ["a name", "other"]);
        assert_eq!((0..3).map(|v| pattern.label(v)).collect::<Vec<_>>(), [Some(1), Some(0), None]);
        assert_eq!(Pattern::parse("v 3 alone").unwrap().num_vertices(), 1);
    }

    #[test]
    fn what_is_no_pattern_is_refused_with_the_next_step() {
        let path: String = (0..32).map(|v| format!("{v} {}\n", v + 1)).collect();
        let cases = [
            ("", PatternError::Empty),
            ("# nothing\n", PatternError::Empty),
            ("0 1\n4 4\n", PatternError::Loop { vertex: 4 }),
            ("5 6\n7 8\n6 9\n", PatternError::Disconnected { from: 5, to: 7 }),
            ("0 1\nv 5 a\n", PatternError::Disconnected { from: 0, to: 5 }),
            (&path, PatternError::TooLarge),
            ("0 1 2", PatternError::Line { line: 1, found: "0 1 2".to_owned() }),
            ("0 1\n0", PatternError::Line { line: 2, found: "0".to_owned() }),
            ("v 0", PatternError::Line { line: 1, found: "v 0".to_owned() }),
            ("0 -1", PatternError::Line { line: 1, found: "0 -1".to_owned() }),
            ("v 0 a\nv 0 b", PatternError::Relabelled { line: 2, vertex: 0, label: "a".to_owned() }),
        ];
        for (text, expected) in cases {
            let found = Pattern::parse(text).unwrap_err();
            assert_eq!(found, expected, "{text}");
            assert!(found.advice().is_some(), "{text}");
        }
        assert_eq!(Pattern::parse(&path[..path.len() - 6]).unwrap().num_vertices(), 32);
    }
}
