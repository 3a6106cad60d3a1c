//! Summaries of an attribute's values for drivers, computed on all threads by [`gts_core::summaries`].

use super::Run;
use super::state::RunState;
use gts_core::graph::Vertex;
use gts_core::memory;
use gts_core::phase::Phase;
use gts_core::summaries;
use gts_device::error::Result;
use gts_device::kernel::{AttributeValue, Attributes, VertexAttribute};
use std::iter::Sum;

impl<A: Attributes> Run<A> {
    /// Returns the values of the given vertices, in the same order. `VertexId` values are dense.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Argument`](crate::Error::Argument) if the graph does not contain one of the vertices,
    /// [`Error::NoMemory`](crate::Error::NoMemory) if memory is too small, or [`Error::Device`](crate::Error::Device)
    /// if the device fails.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_graph::prelude::*;
    /// # #[gts_attributes] struct Hops { #[wa(init = UNREACHED, merge = min)] level: u32 }
    /// let graph = Graph::from_edges([(1, 2), (1, 3)])?;
    /// let mut run = Engine::cpu()?.start::<Hops>(&graph)?;
    /// run.set_dense(Hops::LEVEL, &[4, 5, 6])?;
    /// let vertices = [graph.vertex(3)?, graph.vertex(1)?];
    /// assert_eq!(run.get_each(Hops::LEVEL, &vertices)?, [6, 4]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn get_each<H: VertexAttribute<A>>(&mut self, attribute: H, vertices: &[Vertex]) -> Result<Vec<H::Value>> {
        let width = self.state.session.vertex_bytes();
        let size = H::Value::bytes(width);
        let bytes = self.state.get_each(attribute.index(), vertices, size)?;
        Ok(memory::collected(
            self.state.name(attribute.index()),
            bytes.chunks_exact(size).map(|bytes| H::Value::read(width, bytes)),
        )?)
    }

    /// Returns the number of vertices whose value passes a test. `VertexId` values are dense.
    ///
    /// # Errors
    ///
    /// Returns [`Error::NoMemory`](crate::Error::NoMemory) if memory is too small, or
    /// [`Error::Device`](crate::Error::Device) if the device fails.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_graph::prelude::*;
    /// # #[gts_attributes] struct Hops { #[wa(init = UNREACHED, merge = min)] level: u32 }
    /// let graph = Graph::from_edges([(1, 2), (1, 3)])?;
    /// let mut run = Engine::cpu()?.start::<Hops>(&graph)?;
    /// run.set_dense(Hops::LEVEL, &[4, 5, 6])?;
    /// assert_eq!(run.count(Hops::LEVEL, |level| *level > 4)?, 2);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn count<H: VertexAttribute<A>>(
        &mut self,
        attribute: H,
        passes: impl Fn(&H::Value) -> bool + Sync,
    ) -> Result<u64> {
        Ok(summaries::count(&self.take_dense(attribute)?, passes))
    }

    /// Returns the sum of `term` over all values. The result does not depend on the number of threads.
    ///
    /// # Errors
    ///
    /// As for [`Run::count`].
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_graph::prelude::*;
    /// # #[gts_attributes] struct Hops { #[wa(init = UNREACHED, merge = min)] level: u32 }
    /// let graph = Graph::from_edges([(1, 2), (1, 3)])?;
    /// let mut run = Engine::cpu()?.start::<Hops>(&graph)?;
    /// run.set_dense(Hops::LEVEL, &[4, 5, 6])?;
    /// assert_eq!(run.sum(Hops::LEVEL, |level| u64::from(*level))?, 15);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn sum<H: VertexAttribute<A>, S: Send + Sum<S>>(
        &mut self,
        attribute: H,
        term: impl Fn(&H::Value) -> S + Sync,
    ) -> Result<S> {
        Ok(summaries::sum(&self.take_dense(attribute)?, term))
    }

    /// Returns the number of vertices per bucket, as computed by [`summaries::histogram`]. `bucket` returns the bucket
    /// of a value.
    ///
    /// # Errors
    ///
    /// As for [`Run::count`].
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_graph::prelude::*;
    /// # #[gts_attributes] struct Hops { #[wa(init = UNREACHED, merge = min)] level: u32 }
    /// let graph = Graph::from_edges([(1, 2), (1, 3)])?;
    /// let mut run = Engine::cpu()?.start::<Hops>(&graph)?;
    /// run.set_dense(Hops::LEVEL, &[1, 1, 2])?;
    /// assert_eq!(run.histogram(Hops::LEVEL, 3, |level| Some(*level as usize))?, [0, 2, 1]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn histogram<H: VertexAttribute<A>>(
        &mut self,
        attribute: H,
        buckets: usize,
        bucket: impl Fn(&H::Value) -> Option<usize> + Sync,
    ) -> Result<Vec<u64>> {
        Ok(summaries::histogram(&self.take_dense(attribute)?, buckets, bucket)?)
    }

    /// Returns the `count` vertices whose values have the greatest keys, together with the values, in descending order
    /// of keys. Of several vertices with equal keys, the one with the smallest original ID comes first. Vertices for
    /// which `key` returns `None` are omitted.
    ///
    /// # Examples
    ///
    /// ```
    /// use gts_graph::prelude::*;
    ///
    /// #[gts_attributes]
    /// struct Degrees {
    ///     #[wa(init = 0, merge = sum)]
    ///     out: u64,
    /// }
    ///
    /// #[gts_kernel(vertex)]
    /// fn look_up(degrees: &mut Degrees, v: Vertex) {
    ///     degrees.out[v] = v.out_degree();
    /// }
    ///
    /// let graph = Graph::from_edges([(1, 2), (1, 3), (3, 2)]).expect("sound edges");
    /// let mut run = Engine::cpu()?.start::<Degrees>(&graph)?;
    /// run.apply(look_up)?;
    /// assert_eq!(run.top(Degrees::OUT, 1, |out| Some(*out))?, [(graph.vertex(1)?, 2)]);
    /// assert_eq!(run.count(Degrees::OUT, |out| *out > 0)?, 2);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`Run::count`].
    pub fn top<H: VertexAttribute<A>, K: Ord + Copy + Send>(
        &mut self,
        attribute: H,
        count: usize,
        key: impl Fn(&H::Value) -> Option<K> + Sync,
    ) -> Result<Vec<(Vertex, H::Value)>> {
        let values = self.take_dense(attribute)?;
        let ids = self.state.graph.ids();
        // If keys are equal, the smaller rank comes first.
        let ranked = |place: usize, value: &H::Value| {
            let rank = ids.rank(Vertex::from_dense(place as u64));
            key(value).map(|key| (key, std::cmp::Reverse(rank)))
        };
        let places = summaries::top(&values, count, ranked)?;
        let found = places.into_iter().map(|place| (Vertex::from_dense(place as u64), values[place]));
        Ok(memory::collected(self.state.name(attribute.index()), found)?)
    }
}

impl RunState {
    /// Returns the stored values of an attribute for some vertices. Each value takes `size` bytes.
    fn get_each(&mut self, attribute: usize, vertices: &[Vertex], size: usize) -> Result<Vec<u8>> {
        vertices.iter().try_for_each(|&vertex| self.check_vertex(vertex))?;
        let mut bytes = memory::zeroed(self.name(attribute), vertices.len() * size)?;
        self.call_in(Phase::Fetch, |session| session.read_each(attribute, vertices, &mut bytes))?;
        Ok(bytes)
    }
}
