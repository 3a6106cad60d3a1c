//! Sources of raw edges: chunks of the stream held in memory, the rest of the stream, or temporary files.

use super::limits::Limits;
use super::spool::RawSpooled;
use crate::build::chunk::RawChunk;
use crate::build::collect::Collector;
use crate::build::interner::Interner;
use crate::build::need;
use crate::build::progress::Reporter;
use crate::build::{BuildError, BuildOptions, Declared, DeclaredVertices, EdgeStream, Known, Phase};
use std::collections::VecDeque;

/// A stream of edges. The first edges may be held in memory.
pub(super) struct RawSource<'a> {
    collector: Collector<'a>,
    /// The stream's initial declaration.
    declared: Declared,
    held: VecDeque<RawChunk>,
    held_bytes: usize,
}

impl<'a> RawSource<'a> {
    /// Creates a source that returns all edges of a stream.
    pub(super) fn new(stream: &'a mut dyn EdgeStream) -> Self {
        let declared = stream.declared();
        Self { collector: Collector::new(stream), declared, held: VecDeque::new(), held_bytes: 0 }
    }

    /// Reads and holds edges as long as a build in memory would stay within the budget. Returns whether all edges are
    /// held.
    pub(super) fn hold(
        &mut self,
        limits: &Limits,
        options: &BuildOptions,
        reporter: &Reporter,
    ) -> Result<bool, BuildError> {
        loop {
            // If there are too many edges for a build in memory, the held edges share the memory with the tables of the
            // vertices.
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

    /// Returns an upper bound on the bytes of a build in memory, based on the edges read.
    fn needed_in_memory(&self, options: &BuildOptions) -> u64 {
        need::of_stream(&self.declared, options, self.collector.edges(), |edges| edges.saturating_mul(2))
            .saturating_add(2 * self.collector.key_bytes())
    }

    /// Limits the bytes of keys that are names or UUIDs: see [`RawSource::full_keys`].
    pub(super) fn limit_keys(&mut self, bytes: u64) {
        self.collector.limit_keys(bytes);
    }

    /// Returns the keys if they exceed their limit and no edge between them remains.
    pub(super) fn full_keys(&mut self) -> Option<&mut Interner> {
        if self.held.is_empty() { self.collector.full_interner() } else { None }
    }

    /// Takes the vertices that exist even if no edge has them, as loops, after the last edge.
    pub(super) fn take_lone_vertices(&mut self) -> Option<RawChunk> {
        self.collector.take_vertices()
    }

    /// Takes the keys after the last edge.
    pub(super) fn take_keys(&mut self) -> Option<Interner> {
        self.collector.take_interner()
    }

    /// Returns all edges in memory, with the stream's final declaration and notes.
    pub(super) fn into_chunks(mut self, reporter: &Reporter) -> Result<(Known, Vec<RawChunk>), BuildError> {
        while let Some(chunk) = self.collector.next(reporter)? {
            self.held.push_back(chunk);
        }
        Ok((Known::of(&mut self.collector), self.held.into()))
    }

    /// Sets the number of edges per chunk, and splits the held chunks accordingly.
    pub(super) fn set_chunk_edges(&mut self, edges: usize) -> Result<(), BuildError> {
        self.collector.set_chunk_edges(edges);
        for chunk in std::mem::take(&mut self.held) {
            for piece in chunk.pieces(edges) {
                self.held.push_back(piece?);
            }
        }
        Ok(())
    }

    /// Returns the stream's initial declaration. Once the vertices have been taken, the declaration does not contain
    /// them.
    pub(super) fn declared(&self) -> &Declared {
        &self.declared
    }

    /// Returns the stream's current declaration, which is final after the last edge has been read.
    pub(super) fn final_declared(&self) -> Declared {
        self.collector.declared()
    }

    /// Returns the notes that the stream has recorded.
    pub(super) fn notes(&self) -> Vec<String> {
        self.collector.notes()
    }

    /// Returns whether the stream declares its vertices before the edges are read.
    pub(super) fn declares_vertices(&self) -> bool {
        self.declared.vertices != DeclaredVertices::FromEdges
    }

    /// Takes the declared vertices out of the declaration.
    pub(super) fn take_vertices(&mut self) -> DeclaredVertices {
        std::mem::take(&mut self.declared.vertices)
    }

    /// Returns the number of edges read from the stream.
    pub(super) fn edges(&self) -> u64 {
        self.collector.edges()
    }

    /// Returns the next chunk, or `None` after the last chunk.
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

/// A source of raw edges whose vertices are known, so that the edges can be ranked.
pub(super) enum Raw<'a, 's> {
    Stream(RawSource<'a>),
    Spooled { edges: RawSpooled<'s>, done: u64, total: u64, notes: Vec<String> },
}

impl Raw<'_, '_> {
    /// Returns the next `chunks` chunks, or fewer at the end of the edges or of an epoch. Returns no chunks after the last
    /// one.
    pub(super) fn group(&mut self, chunks: usize, reporter: &Reporter) -> Result<Vec<RawChunk>, BuildError> {
        let mut group = Vec::with_capacity(chunks);
        while group.len() < chunks {
            let next = match self {
                Self::Stream(source) => source.next(reporter)?,
                Self::Spooled { edges, .. }
                    if group
                        .first()
                        .is_some_and(|first: &RawChunk| edges.epoch().is_some_and(|e| e != first.epoch)) =>
                {
                    None
                }
                Self::Spooled { edges, done, total, .. } => {
                    let next = edges.next()?;
                    *done += next.as_ref().map_or(0, |chunk| chunk.len() as u64);
                    reporter.report(Phase::Renumber, *done, Some(*total))?;
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

    /// Returns the build phase to which reading from this source belongs.
    pub(super) fn phase(&self) -> Phase {
        match self {
            Self::Stream(_) => Phase::Read,
            Self::Spooled { .. } => Phase::Renumber,
        }
    }

    /// Returns the bytes of the edges held in memory.
    pub(super) fn held_bytes(&self) -> usize {
        match self {
            Self::Stream(source) => source.held_bytes,
            Self::Spooled { .. } => 0,
        }
    }

    /// Returns the total number of edges; 0 if unknown.
    pub(super) fn expected_edges(&self) -> u64 {
        match self {
            Self::Stream(source) => source.declared.edges.unwrap_or(0),
            Self::Spooled { total, .. } => *total,
        }
    }

    /// Returns the notes that the stream has recorded.
    pub(super) fn notes(&self) -> Vec<String> {
        match self {
            Self::Stream(source) => source.notes(),
            Self::Spooled { notes, .. } => notes.clone(),
        }
    }

    /// Returns the number of edges read from the source.
    pub(super) fn edges(&self) -> u64 {
        match self {
            Self::Stream(source) => source.edges(),
            Self::Spooled { total, .. } => *total,
        }
    }
}
