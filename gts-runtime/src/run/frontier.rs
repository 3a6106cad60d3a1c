//! The state of a run on which its passes depend: the active vertices, the step and the seed.

use super::Run;
use super::state::RunState;
use gts_core::graph::Vertex;
use gts_device::error::Result;
use gts_device::kernel::Attributes;

impl<A: Attributes> Run<A> {
    /// Activates a vertex.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Argument`](crate::Error::Argument) if the graph has no vertex `v`, or
    /// [`Error::Device`](crate::Error::Device) if the device fails.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_graph::prelude::*;
    /// # #[gts_attributes] struct Hops { #[wa(init = UNREACHED, merge = min)] level: u32 }
    /// let graph = Graph::from_edges([(1, 2), (1, 3)])?;
    /// let mut run = Engine::cpu()?.start::<Hops>(&graph)?;
    /// run.activate(graph.vertex(1)?)?;
    /// run.activate(graph.vertex(1)?)?;
    /// assert_eq!(run.frontier_size()?, 1);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn activate(&mut self, v: Vertex) -> Result<()> {
        self.state.activate(v)
    }

    /// Activates all vertices.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Device`](crate::Error::Device) if the device fails.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_graph::prelude::*;
    /// # #[gts_attributes] struct Hops { #[wa(init = UNREACHED, merge = min)] level: u32 }
    /// let graph = Graph::from_edges([(1, 2), (1, 3)])?;
    /// let mut run = Engine::cpu()?.start::<Hops>(&graph)?;
    /// run.activate_all()?;
    /// assert_eq!(run.frontier_size()?, 3);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn activate_all(&mut self) -> Result<()> {
        self.state.activate_all()
    }

    /// Deactivates all vertices.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Device`](crate::Error::Device) if the device fails.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_graph::prelude::*;
    /// # #[gts_attributes] struct Hops { #[wa(init = UNREACHED, merge = min)] level: u32 }
    /// let graph = Graph::from_edges([(1, 2), (1, 3)])?;
    /// let mut run = Engine::cpu()?.start::<Hops>(&graph)?;
    /// run.activate_all()?;
    /// run.clear_frontier()?;
    /// assert_eq!(run.frontier_size()?, 0);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn clear_frontier(&mut self) -> Result<()> {
        self.state.clear_frontier()
    }

    /// Returns the number of active vertices.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Device`](crate::Error::Device) if the device fails.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_graph::prelude::*;
    /// # #[gts_attributes] struct Hops { #[wa(init = UNREACHED, merge = min)] level: u32 }
    /// # #[gts_kernel(traverse)]
    /// # fn expand(hops: &mut Hops, src: Vertex, dst: Vertex) {
    /// #     if hops.level[dst] == UNREACHED { hops.level[dst] = step() + 1; activate(dst); }
    /// # }
    /// let graph = Graph::from_edges([(1, 2), (1, 3)])?;
    /// let mut run = Engine::cpu()?.start::<Hops>(&graph)?;
    /// run.activate(graph.vertex(1)?)?;
    /// run.advance(expand)?;
    /// assert_eq!(run.frontier_size()?, 2);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn frontier_size(&mut self) -> Result<u64> {
        self.state.frontier_size()
    }

    /// Sets the number of the next step. Later calls of `advance` and `traverse` continue from this number. Random
    /// numbers begin again: each kernel has run 0 times in each step. The largest step is `u32::MAX - 1`; a pass at
    /// `u32::MAX` returns [`Error::Argument`](crate::Error::Argument).
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_graph::prelude::*;
    /// # #[gts_attributes] struct Hops { #[wa(init = UNREACHED, merge = min)] level: u32 }
    /// # #[gts_kernel(traverse)]
    /// # fn expand(hops: &mut Hops, src: Vertex, dst: Vertex) {
    /// #     if hops.level[dst] == UNREACHED { hops.level[dst] = step() + 1; activate(dst); }
    /// # }
    /// let graph = Graph::from_edges([(1, 2), (1, 3)])?;
    /// let mut run = Engine::cpu()?.start::<Hops>(&graph)?;
    /// run.activate(graph.vertex(1)?)?;
    /// run.set_step(5);
    /// run.advance(expand)?;
    /// assert_eq!(run.take(Hops::LEVEL)?, [u32::MAX, 6, 6]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn set_step(&mut self, step: u32) {
        self.state.set_step(step);
    }

    /// Sets the seed of random numbers for all later passes. The default is the engine's seed.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_graph::prelude::*;
    /// # #[gts_attributes] struct Hops { #[wa(init = UNREACHED, merge = min)] level: u32 }
    /// let graph = Graph::from_edges([(1, 2), (1, 3)])?;
    /// let mut run = Engine::cpu()?.start::<Hops>(&graph)?;
    /// run.set_seed(7);
    /// assert_eq!(run.seed(), 7);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn set_seed(&mut self, seed: u64) {
        self.state.seed = seed;
    }

    /// Returns the seed of random numbers in kernels. Equals the seed of the engine until [`Run::set_seed`] sets
    /// another one.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_graph::prelude::*;
    /// # #[gts_attributes] struct Hops { #[wa(init = UNREACHED, merge = min)] level: u32 }
    /// let graph = Graph::from_edges([(1, 2), (1, 3)])?;
    /// let engine = Engine::builder().device(DeviceChoice::Cpu).seed(7).build()?;
    /// assert_eq!(engine.start::<Hops>(&graph)?.seed(), 7);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn seed(&self) -> u64 {
        self.state.seed
    }
}

impl RunState {
    fn activate(&mut self, v: Vertex) -> Result<()> {
        self.check_vertex(v)?;
        self.call(|session| session.activate(v))?;
        self.history.activate();
        Ok(())
    }

    fn activate_all(&mut self) -> Result<()> {
        self.call(|session| session.activate_all())?;
        self.history.activate();
        Ok(())
    }

    fn clear_frontier(&mut self) -> Result<()> {
        self.call(|session| session.clear_frontier())
    }

    pub(super) fn frontier_size(&mut self) -> Result<u64> {
        self.call(|session| session.frontier_size())
    }

    fn set_step(&mut self, step: u32) {
        self.step = step;
        self.counting = true;
        self.history.forget_runs();
    }
}
