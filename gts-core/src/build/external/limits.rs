//! Divides the memory budget of a build.

use super::spill::BLOCK;
use crate::build::BuildError;
use crate::page::PAGE_ALIGNMENT;

/// Bytes reserved for the program, the stream and its batches.
const FIXED: u64 = 32 << 20;
/// Minimum number of bytes left for sorting.
const LEAST: u64 = 16 << 20;
/// Minimum number of bytes per block.
const LEAST_BLOCK: usize = 1 << 14;
/// Minimum and maximum number of edges per chunk.
const CHUNK_EDGES: [usize; 2] = [1 << 12, 1 << 20];

/// A memory budget and its reserved parts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    budget: u64,
    fixed: u64,
    least: u64,
    /// Maximum bytes of the tables in later stages.
    foreseen: u64,
    chunk_edges: [usize; 2],
}

impl Limits {
    /// Creates the limits for a memory budget of `budget` bytes.
    pub(super) fn new(budget: u64) -> Self {
        Self { budget, fixed: FIXED, least: LEAST, foreseen: 0, chunk_edges: CHUNK_EDGES }
    }

    /// Creates limits for tests: only tables count, and `work` bytes remain regardless of the size of tables.
    #[cfg(test)]
    pub(super) fn tiny(work: u64) -> Self {
        Self { budget: work, fixed: 0, least: 0, foreseen: 0, chunk_edges: [1, 64] }
    }

    /// Returns the bytes that a build in memory may use.
    pub(super) fn in_memory(&self) -> u64 {
        self.budget.saturating_sub(self.fixed)
    }

    /// Returns the minimum budget for tables of `tables` bytes.
    pub(super) fn needed(&self, tables: u64) -> u64 {
        tables.saturating_add(self.fixed + self.least)
    }

    /// Returns the budget for which `work` bytes remain.
    pub(super) fn needed_for_work(&self, work: u64) -> u64 {
        work.saturating_add(self.fixed)
    }

    /// Sets the maximum bytes of the tables in later stages, so that errors name a budget that is sufficient for them.
    pub(super) fn foresee(&mut self, tables: u64) {
        self.foreseen = tables;
    }

    /// Fails if tables of `tables` bytes leave too little memory for sorting.
    pub(super) fn check(&self, tables: u64) -> Result<(), BuildError> {
        if self.least > 0 && self.needed(tables) > self.budget {
            return Err(BuildError::Budget { needed: self.needed(tables.max(self.foreseen)), budget: self.budget });
        }
        Ok(())
    }

    /// Returns the part of `bytes`, needed for pages and their edges, that exceeds their share of the minimum for
    /// sorting.
    pub(super) fn beyond_least(&self, bytes: u64) -> u64 {
        // Pages get a sixth, and edges that wait for the rest of their page get another sixth.
        bytes.saturating_sub(self.least / 6)
    }

    /// Fails if `bytes` bytes exceed the budget before anything is sorted.
    pub(super) fn check_work(&self, bytes: u64) -> Result<(), BuildError> {
        let needed = self.needed_for_work(bytes);
        if self.least > 0 && needed > self.budget {
            return Err(BuildError::Budget { needed, budget: self.budget });
        }
        Ok(())
    }

    /// Returns the bytes that remain after tables of `tables` bytes are allocated.
    pub(super) fn work(&self, tables: u64) -> usize {
        if self.least == 0 { self.budget as usize } else { self.budget.saturating_sub(tables + self.fixed) as usize }
    }

    /// Returns the number of edges per chunk. Each thread converts one chunk at a time.
    pub(super) fn chunk_edges(&self) -> usize {
        // An edge needs up to 24 bytes as read, and up to 32 bytes as two records.
        let edges = self.work(0) / 16 / (rayon::current_num_threads() * 56);
        edges.clamp(self.chunk_edges[0], self.chunk_edges[1])
    }

    /// Returns the maximum bytes of the keys that stay in memory while edges are read, and of the table that sorts them.
    pub(super) fn key_bytes(&self) -> u64 {
        self.work(0) as u64 / 8 * 7
    }

    /// Returns the bytes of later keys that are in memory at the same time.
    pub(super) fn later_key_bytes(&self) -> u64 {
        self.work(0) as u64 / 12
    }

    /// Returns the bytes of a block if `files` files of later keys are open.
    pub(super) fn block_bytes(&self, files: usize) -> usize {
        let bytes = self.later_key_bytes() as usize / 4 / files;
        bytes.clamp(LEAST_BLOCK, BLOCK).next_multiple_of(PAGE_ALIGNMENT)
    }

    /// Returns the bytes of a run. Sorting the run needs the same number of bytes again.
    pub(super) fn run_bytes(work: usize) -> usize {
        work / 16 * 7
    }
}
