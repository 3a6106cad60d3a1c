//! The passes of a run, as drivers call them.

use super::state::RunState;
use super::{Run, SomeNeighbors};
use gts_core::advice::Advice;
use gts_device::error::{Error, Result};
use gts_device::kernel::{
    Attributes, EdgePass, Gather, IntersectKernel, KernelName, NativeEdge, NativeIntersect, NativeVertex, Scan,
    Traverse, VertexKernel,
};
use gts_device::neighbors::Neighbors;
use std::ops::RangeBounds;

impl<A: Attributes> Run<A> {
    /// Runs a kernel once for every edge. If the kernel activates vertices, these become the frontier.
    ///
    /// # Errors
    ///
    /// - [`Error::Fault`]: the body of the kernel faults.
    /// - [`Error::TimeLimit`], [`Error::Interrupted`]: the run exceeds the time limit, or is interrupted.
    /// - [`Error::UnsetParam`]: the kernel reads a param that has no value.
    /// - [`Error::Needs`]: the kernel visits in-edges, and the graph has none.
    /// - [`Error::Argument`]: the step exceeds the largest step of [`Run::set_step`].
    /// - [`Error::Store`]: pages are not in memory and cannot be read.
    /// - [`Error::NoMemory`], [`Error::OutOfMemory`]: memory of the host or of the device is too small.
    /// - [`Error::Compile`], [`Error::Device`]: the device cannot compile the kernel, or fails.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_graph::prelude::*;
    /// # #[gts_attributes]
    /// # struct Flow {
    /// #     #[ra(from = next)] amount: u64,
    /// #     #[wa(init = 0, merge = sum)] next: u64,
    /// #     #[param(default = 1)] factor: u64,
    /// #     #[global(merge = sum)] moved: u64,
    /// # }
    /// # #[gts_kernel(scan)]
    /// # fn push(flow: &mut Flow, src: Vertex, dst: Vertex) {
    /// #     flow.next[dst] += flow.factor * flow.amount[src];
    /// #     flow.moved += flow.amount[src];
    /// # }
    /// let graph = Graph::from_edges([(1, 2), (1, 3)])?;
    /// let mut run = Engine::cpu()?.start::<Flow>(&graph)?;
    /// run.fill(Flow::AMOUNT, 5)?;
    /// run.scan(push)?;
    /// assert_eq!(run.take(Flow::NEXT)?, [0, 5, 5]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn scan<K: Scan<Attributes = A>>(&mut self, kernel: impl KernelName<K>) -> Result<()> {
        self.state.scan(&NativeEdge(kernel.kernel()), Neighbors::ALL)
    }

    /// Runs a kernel step by step until no vertex is active. Returns the number of steps. Step numbers start at 0, or
    /// at the value of [`Run::set_step`]. Globals are reset once, before the first step.
    ///
    /// # Errors
    ///
    /// As for [`Run::advance`]. Also returns [`Error::StepLimit`] if the traversal does not end within the maximum
    /// number of steps.
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
    /// let graph = Graph::from_edges([(1, 2), (2, 3)])?;
    /// let mut run = Engine::cpu()?.start::<Hops>(&graph)?;
    /// run.set(Hops::LEVEL, graph.vertex(1)?, 0)?;
    /// run.activate(graph.vertex(1)?)?;
    /// assert_eq!(run.traverse(expand)?, 3);
    /// assert_eq!(run.take(Hops::LEVEL)?, [0, 1, 2]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn traverse<K: Traverse<Attributes = A>>(&mut self, kernel: impl KernelName<K>) -> Result<u32> {
        self.state.traverse(&NativeEdge(kernel.kernel()))
    }

    /// Runs a kernel for every edge of the active vertices. The vertices that the kernel activates become the frontier.
    /// Returns the number of vertices in the new frontier. The first `advance` of a run is step 0.
    ///
    /// # Errors
    ///
    /// As for [`Run::scan`]. Also returns [`Error::NothingActivated`] if the graph has vertices, the host has activated
    /// none, and no kernel that can activate vertices has run.
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
    /// assert_eq!(run.advance(expand)?, 2);
    /// assert_eq!(run.advance(expand)?, 0);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn advance<K: Traverse<Attributes = A>>(&mut self, kernel: impl KernelName<K>) -> Result<u64> {
        self.state.advance(&NativeEdge(kernel.kernel()), Neighbors::ALL)
    }

    /// Restricts the next pass to a part of each vertex's list. `run.neighbors(..2).scan(kernel)` visits the first two
    /// edges of every vertex; `run.neighbors(2..).advance(kernel)` visits all other edges of the active vertices.
    /// Lists are sorted by dense number of the neighbour. A kernel that visits both directions processes this part of
    /// both lists of a vertex.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_graph::prelude::*;
    /// # #[gts_attributes]
    /// # struct Flow {
    /// #     #[ra(from = next)] amount: u64,
    /// #     #[wa(init = 0, merge = sum)] next: u64,
    /// #     #[param(default = 1)] factor: u64,
    /// #     #[global(merge = sum)] moved: u64,
    /// # }
    /// # #[gts_kernel(scan)]
    /// # fn push(flow: &mut Flow, src: Vertex, dst: Vertex) {
    /// #     flow.next[dst] += flow.factor * flow.amount[src];
    /// #     flow.moved += flow.amount[src];
    /// # }
    /// let graph = Graph::from_edges([(1, 2), (1, 3)])?;
    /// let mut run = Engine::cpu()?.start::<Flow>(&graph)?;
    /// run.fill(Flow::AMOUNT, 5)?;
    /// run.neighbors(..1).scan(push)?;
    /// assert_eq!(run.take(Flow::NEXT)?, [0, 5, 0]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn neighbors(&mut self, places: impl RangeBounds<u64>) -> SomeNeighbors<'_, A> {
        SomeNeighbors::new(self, Neighbors::within(places))
    }

    /// Runs a vertex kernel for every vertex. If the kernel activates vertices, these become the frontier.
    ///
    /// # Errors
    ///
    /// As for [`Run::scan`].
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_graph::prelude::*;
    /// # #[gts_attributes]
    /// # struct Flow {
    /// #     #[ra(from = next)] amount: u64,
    /// #     #[wa(init = 0, merge = sum)] next: u64,
    /// #     #[param(default = 1)] factor: u64,
    /// #     #[global(merge = sum)] moved: u64,
    /// # }
    /// # #[gts_kernel(vertex)] fn double(flow: &mut Flow, v: Vertex) { flow.next[v] = 2 * flow.amount[v]; }
    /// let graph = Graph::from_edges([(1, 2), (1, 3)])?;
    /// let mut run = Engine::cpu()?.start::<Flow>(&graph)?;
    /// run.fill(Flow::AMOUNT, 5)?;
    /// run.apply(double)?;
    /// assert_eq!(run.take(Flow::NEXT)?, [10, 10, 10]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn apply<K: VertexKernel<Attributes = A>>(&mut self, kernel: impl KernelName<K>) -> Result<()> {
        self.state.vertex_pass(&NativeVertex(kernel.kernel()), false)
    }

    /// Runs a vertex kernel for every active vertex. If the kernel activates vertices, these become the frontier.
    ///
    /// # Errors
    ///
    /// As for [`Run::apply`]. Also returns [`Error::NothingActivated`] as [`Run::advance`] does.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_graph::prelude::*;
    /// # #[gts_attributes]
    /// # struct Flow {
    /// #     #[ra(from = next)] amount: u64,
    /// #     #[wa(init = 0, merge = sum)] next: u64,
    /// #     #[param(default = 1)] factor: u64,
    /// #     #[global(merge = sum)] moved: u64,
    /// # }
    /// # #[gts_kernel(vertex)] fn double(flow: &mut Flow, v: Vertex) { flow.next[v] = 2 * flow.amount[v]; }
    /// let graph = Graph::from_edges([(1, 2), (1, 3)])?;
    /// let mut run = Engine::cpu()?.start::<Flow>(&graph)?;
    /// run.fill(Flow::AMOUNT, 5)?;
    /// run.activate(graph.vertex(2)?)?;
    /// run.apply_active(double)?;
    /// assert_eq!(run.take(Flow::NEXT)?, [0, 10, 0]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn apply_active<K: VertexKernel<Attributes = A>>(&mut self, kernel: impl KernelName<K>) -> Result<()> {
        self.state.vertex_pass(&NativeVertex(kernel.kernel()), true)
    }

    /// Runs a gather kernel for every vertex. The kernel reduces the values of the vertex's neighbours, then runs the
    /// block with the result. The reduction reads the values from before the pass. If the block activates vertices,
    /// these become the frontier.
    ///
    /// # Errors
    ///
    /// As for [`Run::scan`]. Also returns [`Error::Needs`] if the attributes are divided into parts (Strategy-S).
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_graph::prelude::*;
    /// # #[gts_attributes]
    /// # struct Flow {
    /// #     #[ra(from = next)] amount: u64,
    /// #     #[wa(init = 0, merge = sum)] next: u64,
    /// #     #[param(default = 1)] factor: u64,
    /// #     #[global(merge = sum)] moved: u64,
    /// # }
    /// # #[gts_kernel(gather)]
    /// # fn collect(flow: &mut Flow, v: Vertex) {
    /// #     let total = v.neighbors().sum(|dst| flow.next[dst]);
    /// #     flow.next[v] = total;
    /// # }
    /// let graph = Graph::from_edges([(1, 2), (1, 3)])?;
    /// let mut run = Engine::cpu()?.start::<Flow>(&graph)?;
    /// run.set_dense(Flow::NEXT, &[1, 2, 3])?;
    /// run.gather(collect)?;
    /// assert_eq!(run.take(Flow::NEXT)?, [5, 0, 0]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn gather<K: Gather<Attributes = A>>(&mut self, _: impl KernelName<K>) -> Result<()> {
        self.state.gather_pass(K::PARTS, false)
    }

    /// Runs a gather kernel for every active vertex. The reduction includes all neighbours, active or not. If the block
    /// activates vertices, these become the frontier.
    ///
    /// # Errors
    ///
    /// As for [`Run::gather`]. Also returns [`Error::NothingActivated`] as [`Run::advance`] does.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_graph::prelude::*;
    /// # #[gts_attributes]
    /// # struct Flow {
    /// #     #[ra(from = next)] amount: u64,
    /// #     #[wa(init = 0, merge = sum)] next: u64,
    /// #     #[param(default = 1)] factor: u64,
    /// #     #[global(merge = sum)] moved: u64,
    /// # }
    /// # #[gts_kernel(gather)]
    /// # fn collect(flow: &mut Flow, v: Vertex) {
    /// #     let total = v.neighbors().sum(|dst| flow.next[dst]);
    /// #     flow.next[v] = total;
    /// # }
    /// let graph = Graph::from_edges([(1, 2), (1, 3)])?;
    /// let mut run = Engine::cpu()?.start::<Flow>(&graph)?;
    /// run.set_dense(Flow::NEXT, &[1, 2, 3])?;
    /// run.activate(graph.vertex(1)?)?;
    /// run.gather_active(collect)?;
    /// assert_eq!(run.take(Flow::NEXT)?, [5, 2, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn gather_active<K: Gather<Attributes = A>>(&mut self, _: impl KernelName<K>) -> Result<()> {
        self.state.gather_pass(K::PARTS, true)
    }

    /// Runs a kernel once for every neighbour of each vertex, or for every pair of neighbours that are connected by an
    /// edge. If the kernel activates vertices, these become the frontier. The cost per edge is at most the total length
    /// of the lists of both ends, or the length of the shorter list times a logarithm. On the CPU, an `ordered` kernel
    /// takes O(m^1.5) steps for m edges. The pass then uses 4 bytes of host memory per undirected edge and 16 bytes per
    /// vertex, if this memory is available.
    ///
    /// Lists are treated as sets: parallel edges count once, and self-loops do not count.
    ///
    /// # Errors
    ///
    /// As for [`Run::scan`]. Also returns [`Error::Needs`] if pages are not in memory, or if the kernel is `ordered`
    /// and the graph is not symmetric.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_graph::prelude::*;
    /// # #[gts_attributes]
    /// # struct Triangles {
    /// #     #[wa(init = 0, merge = sum)] at: u64,
    /// #     #[global(merge = sum)] total: u64,
    /// # }
    /// # #[gts_kernel(intersect, ordered)]
    /// # fn close(triangles: &mut Triangles, u: Vertex, v: Vertex, w: Vertex) {
    /// #     triangles.at[w] += 1;
    /// #     triangles.total += 1;
    /// # }
    /// let graph = Graph::builder().edges([(1, 2), (2, 3), (3, 1)]).undirected(true).build()?;
    /// let mut run = Engine::cpu()?.start::<Triangles>(&graph)?;
    /// run.intersect(close)?;
    /// assert_eq!(run.global(Triangles::TOTAL)?, 1);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn intersect<K: IntersectKernel<Attributes = A>>(&mut self, kernel: impl KernelName<K>) -> Result<()> {
        self.state.intersect(&NativeIntersect(kernel.kernel()), K::ORDERED)
    }
}

impl RunState {
    fn traverse(&mut self, kernel: &dyn EdgePass) -> Result<u32> {
        let descriptor = kernel.descriptor();
        // A refused traversal changes neither globals nor the step.
        self.request(descriptor, true, true)?;
        self.begin_traversal();
        self.begin(descriptor)?;
        let steps = self.traversal(kernel, 0, |session, traversal| {
            session.traverse(kernel, traversal)?;
            Ok(traversal.steps())
        })?;
        self.step = 0;
        Ok(steps)
    }

    fn intersect(&mut self, kernel: &dyn EdgePass, ordered: bool) -> Result<()> {
        if ordered && !self.graph.properties().symmetric {
            return Err(Error::needs(
                kernel.descriptor().function,
                "a symmetric graph, because it is `ordered`: each triangle comes once there",
                Advice::new("build the graph with --symmetrise", "build the graph with `symmetrise`"),
            ));
        }
        self.scan(kernel, Neighbors::ALL)
    }

    pub(super) fn scan(&mut self, kernel: &dyn EdgePass, neighbours: Neighbors) -> Result<()> {
        self.edge_pass(kernel, false, neighbours).map(|_| ())
    }

    pub(super) fn advance(&mut self, kernel: &dyn EdgePass, neighbours: Neighbors) -> Result<u64> {
        self.counting = true;
        let frontier = self.edge_pass(kernel, true, neighbours)?;
        self.step += 1;
        Ok(frontier)
    }
}
