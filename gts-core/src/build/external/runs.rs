//! Sorted runs: edges are gathered as far as memory goes, sorted, and written to a temporary file.

use super::counts::Counts;
use super::spill::{Spill, SpillFile};
use crate::build::BuildError;
use crate::build::record::Record;
use crate::build::sort;

/// Gathers edges and writes them as sorted runs.
pub(super) struct RunWriter<'a, R> {
    spill: &'a Spill<'a>,
    vertices: u32,
    drop_duplicates: bool,
    chunks: Vec<Vec<R>>,
    gathered: usize,
    runs: Runs,
}

/// Runs, each sorted.
#[derive(Default)]
pub(super) struct Runs {
    pub(super) files: Vec<SpillFile>,
    /// Edges that were dropped because another one of the same run joins the same vertices.
    pub(super) duplicates: u64,
}

impl<'a, R: Record> RunWriter<'a, R> {
    pub(super) fn new(spill: &'a Spill<'a>, vertices: u32, drop_duplicates: bool) -> Self {
        Self { spill, vertices, drop_duplicates, chunks: Vec::new(), gathered: 0, runs: Runs::default() }
    }

    /// Adds edges; those of a run take `capacity` bytes at most, but for one chunk.
    pub(super) fn add(
        &mut self,
        chunks: Vec<Vec<R>>,
        capacity: usize,
        counts: Option<&Counts>,
    ) -> Result<(), BuildError> {
        for chunk in chunks.into_iter().filter(|chunk| !chunk.is_empty()) {
            let bytes = chunk.len() * size_of::<R>();
            if self.gathered > 0 && self.gathered + bytes > capacity {
                self.flush(counts)?;
            }
            self.gathered += bytes;
            self.chunks.push(chunk);
        }
        Ok(())
    }

    /// Writes the last run.
    pub(super) fn end(mut self, counts: Option<&Counts>) -> Result<Runs, BuildError> {
        self.flush(counts)?;
        Ok(self.runs)
    }

    fn flush(&mut self, counts: Option<&Counts>) -> Result<(), BuildError> {
        if self.chunks.is_empty() {
            return Ok(());
        }
        let mut sorted = sort::sort(std::mem::take(&mut self.chunks), self.vertices)?;
        self.gathered = 0;
        if self.drop_duplicates {
            self.runs.duplicates += sorted.drop_duplicates();
        }
        if let Some(counts) = counts {
            sorted.buckets.iter().for_each(|bucket| counts.add(bucket));
        }
        let mut file = self.spill.begin()?;
        for bucket in sorted.buckets {
            file.write(bytemuck::cast_slice(&bucket))?;
        }
        self.runs.files.push(file.end()?);
        Ok(())
    }
}
