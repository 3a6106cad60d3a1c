//! Where raw edges come from: what is held in memory of the stream, the rest of the stream, or temporary files.

use super::limits::Limits;
use super::spool::RawSpooled;
use crate::build::collect::{Collector, RawChunk};
use crate::build::need;
use crate::build::progress::Reporter;
use crate::build::{BuildError, BuildOptions, Declared, DeclaredVertices, EdgeStream, Known, Phase};
use std::collections::VecDeque;

/// A stream whose first edges may be held in memory.
pub(super) struct RawSource<'a> {
    collector: Collector<'a>,
    /// What the stream said at the beginning.
    declared: Declared,
    held: VecDeque<RawChunk>,
    held_bytes: usize,
}

impl<'a> RawSource<'a> {
    /// The source of all edges of a stream.
    pub(super) fn new(stream: &'a mut dyn EdgeStream) -> Self {
        let declared = stream.declared();
        Self { collector: Collector::new(stream), declared, held: VecDeque::new(), held_bytes: 0 }
    }

    /// Holds edges as long as a build in memory stays within the budget; whether all are held.
    pub(super) fn hold(
        &mut self,
        limits: &Limits,
        options: &BuildOptions,
        reporter: &Reporter,
    ) -> Result<bool, BuildError> {
        loop {
            // If the edges turn out to be too many, those that are held stand beside the tables of the vertices.
            let tables = need::of_vertices(need::declared_vertices(&self.declared).unwrap_or(0));
            let held = tables.saturating_add(2 * self.held_bytes as u64);
            if self.needed_in_memory(options).max(held) > limits.in_memory() {
                return Ok(false);
            }
            match self.collector.next(reporter)? {
                None => return Ok(true),
                Some(chunk) => {
                    self.held_bytes += chunk.bytes() as usize;
                    self.held.push_back(chunk);
                }
            }
        }
    }

    /// A bound on the bytes that building in memory takes, as far as edges are known.
    fn needed_in_memory(&self, options: &BuildOptions) -> u64 {
        need::of_stream(&self.declared, options, self.collector.edges(), |edges| edges.saturating_mul(2))
    }

    /// Returns all edges, held in memory, and what the stream declares and notes in the end.
    pub(super) fn into_chunks(mut self, reporter: &Reporter) -> Result<(Known, Vec<RawChunk>), BuildError> {
        while let Some(chunk) = self.collector.next(reporter)? {
            self.held.push_back(chunk);
        }
        Ok(((self.collector.declared(), self.collector.notes()), self.held.into()))
    }

    /// Changes the number of edges in a chunk, those held included.
    pub(super) fn set_chunk_edges(&mut self, edges: usize) -> Result<(), BuildError> {
        self.collector.set_chunk_edges(edges);
        for chunk in std::mem::take(&mut self.held) {
            for piece in chunk.pieces(edges) {
                self.held.push_back(piece?);
            }
        }
        Ok(())
    }

    /// What the stream said at the beginning, but for the vertices once they have been taken.
    pub(super) fn declared(&self) -> &Declared {
        &self.declared
    }

    /// What the stream says in the end.
    pub(super) fn final_declared(&self) -> Declared {
        self.collector.declared()
    }

    /// Returns what the stream has noted so far.
    pub(super) fn notes(&self) -> Vec<String> {
        self.collector.notes()
    }

    /// Whether vertices are known before edges are.
    pub(super) fn declares_vertices(&self) -> bool {
        self.declared.vertices != DeclaredVertices::FromEdges
    }

    /// The vertices that the stream declares.
    pub(super) fn take_vertices(&mut self) -> DeclaredVertices {
        std::mem::take(&mut self.declared.vertices)
    }

    /// Edges taken from the stream.
    pub(super) fn edges(&self) -> u64 {
        self.collector.edges()
    }

    /// The next chunk; `None` after the last.
    pub(super) fn next(&mut self, reporter: &Reporter) -> Result<Option<RawChunk>, BuildError> {
        match self.held.pop_front() {
            Some(chunk) => {
                self.held_bytes -= chunk.bytes() as usize;
                Ok(Some(chunk))
            }
            None => self.collector.next(reporter),
        }
    }
}

/// Raw edges that can be ranked.
pub(super) enum Raw<'a, 's> {
    Stream(RawSource<'a>),
    Spooled { edges: RawSpooled<'s>, done: u64, total: u64, notes: Vec<String> },
}

impl Raw<'_, '_> {
    /// At most so many chunks; none after the last.
    pub(super) fn group(&mut self, chunks: usize, reporter: &Reporter) -> Result<Vec<RawChunk>, BuildError> {
        let mut group = Vec::with_capacity(chunks);
        while group.len() < chunks {
            let next = match self {
                Self::Stream(source) => source.next(reporter)?,
                Self::Spooled { edges, done, total, .. } => {
                    let next = edges.next()?;
                    *done += next.as_ref().map_or(0, |chunk| chunk.len() as u64);
                    reporter.report(Phase::Renumber, *done, Some(*total));
                    next
                }
            };
            match next {
                Some(chunk) => group.push(chunk),
                None => break,
            }
        }
        Ok(group)
    }

    /// The phase in which edges are taken from here.
    pub(super) fn phase(&self) -> Phase {
        match self {
            Self::Stream(_) => Phase::Read,
            Self::Spooled { .. } => Phase::Renumber,
        }
    }

    /// Bytes of the edges that are held in memory.
    pub(super) fn held_bytes(&self) -> usize {
        match self {
            Self::Stream(source) => source.held_bytes,
            Self::Spooled { .. } => 0,
        }
    }

    /// Edges that are to come, as far as is known beforehand.
    pub(super) fn expected_edges(&self) -> u64 {
        match self {
            Self::Stream(source) => source.declared.edges.unwrap_or(0),
            Self::Spooled { total, .. } => *total,
        }
    }

    /// Returns what the stream has noted so far.
    pub(super) fn notes(&self) -> Vec<String> {
        match self {
            Self::Stream(source) => source.notes(),
            Self::Spooled { notes, .. } => notes.clone(),
        }
    }

    /// Edges taken from the stream.
    pub(super) fn edges(&self) -> u64 {
        match self {
            Self::Stream(source) => source.edges(),
            Self::Spooled { total, .. } => *total,
        }
    }
}
