//! How the memory budget of a build is shared out.

use crate::build::BuildError;

/// Bytes that go to the program itself, to the stream and to its batches.
const FIXED: u64 = 32 << 20;
/// The least bytes that sorting is worth being begun with.
const LEAST: u64 = 16 << 20;
/// Edges of a chunk at most, and at least where the budget allows for it.
const CHUNK_EDGES: [usize; 2] = [1 << 12, 1 << 20];

/// A memory budget, and what of it is spoken for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    budget: u64,
    fixed: u64,
    least: u64,
    /// Bytes of the tables of later stages.
    foreseen: u64,
    chunk_edges: [usize; 2],
}

impl Limits {
    /// The limits that follow from a budget.
    pub(super) fn new(budget: u64) -> Self {
        Self { budget, fixed: FIXED, least: LEAST, foreseen: 0, chunk_edges: CHUNK_EDGES }
    }

    /// Limits for tests: nothing but the tables counts, and `work` bytes are left beside them whatever these take.
    #[cfg(test)]
    pub(super) fn tiny(work: u64) -> Self {
        Self { budget: work, fixed: 0, least: 0, foreseen: 0, chunk_edges: [1, 64] }
    }

    /// Bytes that a build in memory may take.
    pub(super) fn in_memory(&self) -> u64 {
        self.budget.saturating_sub(self.fixed)
    }

    /// Returns the budget that tables of this many bytes ask for.
    pub(super) fn needed(&self, tables: u64) -> u64 {
        tables.saturating_add(self.fixed + self.least)
    }

    /// Returns the budget that leaves this many bytes for work.
    pub(super) fn needed_for_work(&self, work: u64) -> u64 {
        work.saturating_add(self.fixed)
    }

    /// Notes what tables of later stages take at most: from now on a refusal names a budget that suffices for them.
    pub(super) fn foresee(&mut self, tables: u64) {
        self.foreseen = tables;
    }

    /// Refuses tables that leave too little for sorting.
    pub(super) fn check(&self, tables: u64) -> Result<(), BuildError> {
        if self.least > 0 && self.needed(tables) > self.budget {
            return Err(BuildError::Budget { needed: self.needed(tables.max(self.foreseen)), budget: self.budget });
        }
        Ok(())
    }

    /// Of so many bytes for pages and their edges, those that the least share of sorting has no room for.
    pub(super) fn beyond_least(&self, bytes: u64) -> u64 {
        // A sixth goes to pages, a sixth is left to the edges that wait for theirs.
        bytes.saturating_sub(self.least / 6)
    }

    /// Refuses more than there is before anything is sorted.
    pub(super) fn check_work(&self, bytes: u64) -> Result<(), BuildError> {
        let needed = self.needed_for_work(bytes);
        if self.least > 0 && needed > self.budget {
            return Err(BuildError::Budget { needed, budget: self.budget });
        }
        Ok(())
    }

    /// Bytes that are left beside tables of so many bytes.
    pub(super) fn work(&self, tables: u64) -> usize {
        if self.least == 0 { self.budget as usize } else { self.budget.saturating_sub(tables + self.fixed) as usize }
    }

    /// Edges of a chunk, of which each thread converts one at a time.
    pub(super) fn chunk_edges(&self) -> usize {
        // An edge takes up to 24 bytes as read and, both ways, 32 as records.
        let edges = self.work(0) / 16 / (rayon::current_num_threads() * 56);
        edges.clamp(self.chunk_edges[0], self.chunk_edges[1])
    }

    /// Bytes of a run: it takes as much again while it is sorted.
    pub(super) fn run_bytes(work: usize) -> usize {
        work / 16 * 7
    }
}
