//! Shared code of several tests.

/// Forwards calls of a session to another one, its field `inner`. The session itself implements the methods for globals
/// and submitted passes.
macro_rules! hands_on_to_inner {
    () => {
        fn vertex_bytes(&self) -> usize {
            self.inner.vertex_bytes()
        }

        fn write(&mut self, attribute: usize, first: Vertex, bytes: &[u8]) -> Result<()> {
            self.inner.write(attribute, first, bytes)
        }

        fn read(&mut self, attribute: usize, first: Vertex, bytes: &mut [u8]) -> Result<()> {
            self.inner.read(attribute, first, bytes)
        }

        fn fill(&mut self, attribute: usize, value: &[u8]) -> Result<()> {
            self.inner.fill(attribute, value)
        }

        fn rotate(&mut self, ra: usize, wa: usize) -> Result<()> {
            self.inner.rotate(ra, wa)
        }

        fn set_param(&mut self, attribute: usize, value: &[u8]) -> Result<()> {
            self.inner.set_param(attribute, value)
        }

        fn reset_globals(&mut self, attributes: &[usize]) -> Result<()> {
            self.inner.reset_globals(attributes)
        }

        fn activate(&mut self, v: Vertex) -> Result<()> {
            self.inner.activate(v)
        }

        fn activate_all(&mut self) -> Result<()> {
            self.inner.activate_all()
        }

        fn clear_frontier(&mut self) -> Result<()> {
            self.inner.clear_frontier()
        }

        fn advance_frontier(&mut self) -> Result<u64> {
            self.inner.advance_frontier()
        }

        fn frontier_size(&mut self) -> Result<u64> {
            self.inner.frontier_size()
        }

        fn activated(&mut self) -> Result<Vec<u64>> {
            self.inner.activated()
        }

        fn activate_set(&mut self, words: &[u64]) -> Result<()> {
            self.inner.activate_set(words)
        }

        fn extend(&mut self, kernel: &'static KernelDescriptor) -> Result<()> {
            self.inner.extend(kernel)
        }

        fn edge_pass(&mut self, kernel: &dyn EdgePass, request: &PassRequest) -> Result<PassOutcome> {
            self.inner.edge_pass(kernel, request)
        }

        fn vertex_pass(&mut self, kernel: &dyn VertexPass, request: &PassRequest) -> Result<PassOutcome> {
            self.inner.vertex_pass(kernel, request)
        }

        fn lend(&mut self, attributes: &[usize]) -> Result<Replica<'_>> {
            self.inner.lend(attributes)
        }
    };
}

pub(crate) use hands_on_to_inner;
