//! Columns in page-locked host memory, which kernels of every device read and write where they are.

use crate::device::cuda::driver::{Context, Pinned};
use crate::error::Result;
use std::ops::Range;
use std::sync::Arc;

/// A value of each vertex.
#[derive(Debug)]
pub(super) struct HostColumn {
    memory: Pinned,
    /// Bytes of a value.
    value: usize,
}

impl HostColumn {
    /// Zeros for so many vertices.
    pub(super) fn new(context: &Arc<Context>, vertices: u64, value: usize) -> Result<Self> {
        Ok(Self { memory: Pinned::new(context, (vertices as usize * value).max(1))?, value })
    }

    /// The address of the first value, for the host and for kernels.
    pub(super) fn address(&self) -> u64 {
        self.memory.address().addr() as u64
    }

    fn range(&self, vertices: Range<u64>) -> Range<usize> {
        vertices.start as usize * self.value..vertices.end as usize * self.value
    }

    /// The values of vertices. No kernel is at work on them.
    pub(super) fn get(&self, vertices: Range<u64>) -> &[u8] {
        &self.memory.as_slice()[self.range(vertices)]
    }

    /// The same, to be written.
    pub(super) fn get_mut(&mut self, vertices: Range<u64>) -> &mut [u8] {
        let range = self.range(vertices);
        &mut self.memory.as_mut_slice()[range]
    }

    /// Gives vertices the same value.
    pub(super) fn fill(&mut self, vertices: Range<u64>, value: &[u8]) {
        self.get_mut(vertices).chunks_exact_mut(value.len()).for_each(|place| place.copy_from_slice(value));
    }
}
