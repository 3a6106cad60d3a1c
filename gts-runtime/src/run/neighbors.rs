//! Passes over a part of each vertex's list, such as the first two neighbours.

use super::Run;
use gts_device::error::Result;
use gts_device::kernel::{Attributes, KernelName, NativeEdge, Scan, Traverse};
use gts_device::neighbors::Neighbors;

/// A run whose next pass visits only a part of each vertex's list. Created by [`Run::neighbors`].
#[derive(Debug)]
pub struct SomeNeighbors<'a, A: Attributes> {
    run: &'a mut Run<A>,
    neighbours: Neighbors,
}

impl<'a, A: Attributes> SomeNeighbors<'a, A> {
    pub(crate) fn new(run: &'a mut Run<A>, neighbours: Neighbors) -> Self {
        Self { run, neighbours }
    }

    /// Like [`Run::scan`], but visits only the edges at these positions.
    ///
    /// # Errors
    ///
    /// As for [`Run::scan`].
    pub fn scan<K: Scan<Attributes = A>>(self, kernel: impl KernelName<K>) -> Result<()> {
        self.run.state.scan(&NativeEdge(kernel.kernel()), self.neighbours)
    }

    /// Like [`Run::advance`], but visits only the edges at these positions.
    ///
    /// # Errors
    ///
    /// As for [`Run::advance`].
    pub fn advance<K: Traverse<Attributes = A>>(self, kernel: impl KernelName<K>) -> Result<u64> {
        self.run.state.advance(&NativeEdge(kernel.kernel()), self.neighbours)
    }
}
