//! The destinations of ranked edges.

use super::counts::Counts;
use super::runs::RunWriter;
use super::spool::RecordSpool;
use crate::build::BuildError;
use crate::build::choice::GatheredSample;
use crate::build::edges::relabel;
use crate::build::record::Record;

/// A destination that receives ranked edges.
pub(super) trait Sink<R>: Send {
    /// Receives chunks of edges. `capacity` is the maximum number of bytes per run.
    fn take(&mut self, chunks: Vec<Vec<R>>, capacity: usize) -> Result<(), BuildError>;
    /// Writes about `bytes` bytes of pending output while more edges are read.
    fn write(&mut self, bytes: usize) -> Result<(), BuildError>;
}

/// A sink that sorts the edges it receives.
pub(super) struct Sort<'a, R> {
    pub(super) runs: RunWriter<'a, R>,
    /// The new numbers of the vertices, if they are renumbered.
    pub(super) numbers: Option<&'a [u32]>,
    pub(super) counts: Option<&'a Counts>,
}

impl<R: Record> Sink<R> for Sort<'_, R> {
    fn take(&mut self, mut chunks: Vec<Vec<R>>, capacity: usize) -> Result<(), BuildError> {
        if let Some(numbers) = self.numbers {
            relabel(&mut chunks, numbers);
        }
        self.runs.add(chunks, capacity, self.counts)
    }

    fn write(&mut self, bytes: usize) -> Result<(), BuildError> {
        Ok(self.runs.write(bytes)?)
    }
}

/// A sink that counts edges, and writes them unsorted to a spool.
pub(super) struct PutAside<'a, 'c, R> {
    spool: RecordSpool<'a, R>,
    counts: &'c Counts,
    sample: Option<&'c mut GatheredSample>,
    chunks: Vec<Vec<R>>,
}

impl<'a, 'c, R: Record> PutAside<'a, 'c, R> {
    pub(super) fn new(spool: RecordSpool<'a, R>, counts: &'c Counts, sample: Option<&'c mut GatheredSample>) -> Self {
        Self { spool, counts, sample, chunks: Vec::new() }
    }

    /// Writes all pending edges and returns the spool.
    pub(super) fn end(mut self) -> Result<RecordSpool<'a, R>, BuildError> {
        self.write(usize::MAX)?;
        Ok(self.spool)
    }
}

impl<R: Record> Sink<R> for PutAside<'_, '_, R> {
    fn take(&mut self, chunks: Vec<Vec<R>>, _: usize) -> Result<(), BuildError> {
        for chunk in &chunks {
            self.counts.add(chunk);
            self.sample.iter_mut().for_each(|sample| sample.add(chunk));
        }
        self.chunks.extend(chunks);
        Ok(())
    }

    fn write(&mut self, _: usize) -> Result<(), BuildError> {
        Ok(self.chunks.drain(..).try_for_each(|chunk| self.spool.write(&chunk))?)
    }
}
