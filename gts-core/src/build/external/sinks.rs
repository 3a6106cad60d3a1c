//! Where ranked edges go.

use super::counts::Counts;
use super::runs::RunWriter;
use super::spool::RecordSpool;
use crate::build::BuildError;
use crate::build::choice::GatheredSample;
use crate::build::edges::relabel;
use crate::build::record::Record;

/// Takes ranked edges.
pub(super) trait Sink<R>: Send {
    /// Takes some edges; `capacity` is how many bytes a run may have.
    fn take(&mut self, chunks: Vec<Vec<R>>, capacity: usize) -> Result<(), BuildError>;
    /// Writes about so many bytes of what is to be written, while more edges come.
    fn write(&mut self, bytes: usize) -> Result<(), BuildError>;
}

/// Edges that are sorted at once.
pub(super) struct Sort<'a, R> {
    pub(super) runs: RunWriter<'a, R>,
    /// Other numbers for the vertices.
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

/// Edges that are counted and put aside.
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

    /// The edges, all written.
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
