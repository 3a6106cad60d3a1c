//! Writes sorted runs. Edges are collected up to a memory limit, sorted, and written to a temporary file.

use super::counts::Counts;
use super::heap;
use super::spill::{Spill, SpillFile, SpillWriter};
use crate::build::BuildError;
use crate::build::record::Record;
use crate::build::sort;
use crate::store::StoreError;

/// A writer that collects edges and writes them as sorted runs.
pub(super) struct RunWriter<'a, R> {
    spill: &'a Spill<'a>,
    vertices: u32,
    drop_duplicates: bool,
    chunks: Vec<Vec<R>>,
    gathered: usize,
    /// The run that is being written.
    present: Option<(SpillWriter<'a>, std::vec::IntoIter<Vec<R>>)>,
    runs: Runs,
}

/// The sorted runs of all edges.
#[derive(Default)]
pub(super) struct Runs {
    pub(super) files: Vec<SpillFile>,
    /// The number of edges dropped because another edge in the same run connects the same vertices.
    pub(super) duplicates: u64,
}

impl<'a, R: Record> RunWriter<'a, R> {
    pub(super) fn new(spill: &'a Spill<'a>, vertices: u32, drop_duplicates: bool) -> Self {
        let (chunks, runs) = (Vec::new(), Runs::default());
        Self { spill, vertices, drop_duplicates, chunks, gathered: 0, present: None, runs }
    }

    /// Adds edges. A run has at most `capacity` bytes, unless a single chunk is larger.
    pub(super) fn add(
        &mut self,
        chunks: Vec<Vec<R>>,
        capacity: usize,
        counts: Option<&Counts>,
    ) -> Result<(), BuildError> {
        for chunk in chunks.into_iter().filter(|chunk| !chunk.is_empty()) {
            let bytes = chunk.len() * size_of::<R>();
            if self.gathered > 0 && self.gathered + bytes > capacity {
                self.begin_run(counts)?;
            }
            self.gathered += bytes;
            self.chunks.push(chunk);
        }
        Ok(())
    }

    /// Writes about `bytes` bytes of the previous run if it is not complete.
    pub(super) fn write(&mut self, bytes: usize) -> Result<(), StoreError> {
        let Some((mut file, mut buckets)) = self.present.take() else { return Ok(()) };
        let mut written = 0;
        while written < bytes {
            let Some(bucket) = buckets.next() else {
                self.runs.files.push(file.end()?);
                return Ok(());
            };
            file.write(bytemuck::cast_slice(&bucket))?;
            written += bucket.len() * size_of::<R>();
        }
        self.present = Some((file, buckets));
        Ok(())
    }

    /// Writes the last run and returns all runs.
    pub(super) fn end(mut self, counts: Option<&Counts>) -> Result<Runs, BuildError> {
        if !self.chunks.is_empty() {
            self.begin_run(counts)?;
        }
        self.write(usize::MAX)?;
        Ok(self.runs)
    }

    /// Sorts the collected edges and begins to write them.
    fn begin_run(&mut self, counts: Option<&Counts>) -> Result<(), BuildError> {
        self.write(usize::MAX)?;
        // The previous run's memory is reused for the buckets, and that of the chunks for the copy of a large bucket.
        heap::give_back();
        let distributed = sort::distribute(std::mem::take(&mut self.chunks), self.vertices)?;
        heap::give_back();
        let mut sorted = distributed.sort();
        self.gathered = 0;
        if self.drop_duplicates {
            self.runs.duplicates += sorted.drop_duplicates();
        }
        if let Some(counts) = counts {
            sorted.buckets.iter().for_each(|bucket| counts.add(bucket));
        }
        self.present = Some((self.spill.begin()?, sorted.buckets.into_iter()));
        Ok(())
    }
}
