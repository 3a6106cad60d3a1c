//! The stream of edges of a file that one thread reads, because the meaning of a place depends on the text before it.

use super::ImportError;
use super::parts::FileStream;
use super::value::{Reading, Seen};
use crate::build::{Declared, EdgeBatch, EdgeStream};
use crate::files::shown;
use std::path::PathBuf;

/// The number of edges per batch.
pub(super) const BATCH: usize = 1 << 16;

/// A parser that reads a file from its beginning to its end.
pub(super) trait Parser {
    /// Adds edges and vertices to a batch, and records the properties of their weights. Returns `false` at the end.
    fn parse(&mut self, batch: &mut EdgeBatch, seen: &mut Seen) -> Result<bool, ImportError>;

    /// Returns the number of bytes read, and the size of the file; `None` for a pipe.
    fn progress(&self) -> (u64, Option<u64>);
}

/// A stream of the edges that a parser reads.
pub(super) struct SerialStream<P> {
    pub(super) path: PathBuf,
    pub(super) parser: P,
    pub(super) declared: Declared,
    pub(super) reading: Reading,
    pub(super) seen: Seen,
    /// Edges that were read before the stream was created.
    pub(super) ahead: EdgeBatch,
    pub(super) columns: &'static str,
    pub(super) notes: Vec<String>,
    pub(super) ended: bool,
}

impl<P: Parser> SerialStream<P> {
    /// Creates a stream. `ahead` contains the edges that have been read, and `seen` the properties of their weights.
    pub(super) fn new(
        path: PathBuf,
        parser: P,
        (reading, declared): (Reading, Declared),
        (ahead, seen): (EdgeBatch, Seen),
        columns: &'static str,
    ) -> Self {
        let asked = if let Reading::As(ty) = reading { Some(ty) } else { None };
        let declared = Declared { value_type: reading.value_type(), store_as: asked, ..declared };
        Self { path, parser, declared, reading, seen, ahead, columns, notes: Vec::new(), ended: false }
    }
}

impl<P: Parser> EdgeStream for SerialStream<P> {
    fn next(&mut self, batch: &mut EdgeBatch) -> Result<bool, ImportError> {
        batch.clear();
        std::mem::swap(batch, &mut self.ahead);
        while batch.is_empty() && !self.ended {
            self.ended = !self.parser.parse(batch, &mut self.seen)?;
        }
        if batch.is_empty() && self.reading == Reading::Auto {
            self.declared.store_as = Some(self.seen.narrowest());
        }
        Ok(!batch.is_empty())
    }

    fn declared(&self) -> Declared {
        self.declared.clone()
    }

    fn progress(&self) -> (u64, Option<u64>) {
        self.parser.progress()
    }

    fn notes(&self) -> Vec<String> {
        self.notes.iter().map(|note| format!("{}: {note}", shown(&self.path))).collect()
    }
}

impl<P: Parser> FileStream for SerialStream<P> {
    fn columns(&self) -> &str {
        self.columns
    }

    fn seen(&self) -> Seen {
        self.seen
    }
}
