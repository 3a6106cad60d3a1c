//! Traversals that process near vertices first.

use super::Run;
use super::state::{RunState, to_bytes};
use gts_contract::KernelDescriptor;
use gts_device::PassRequest;
use gts_device::error::{Error, Result};
use gts_device::kernel::{
    AttributeValue, Attributes, EdgePass, KernelName, NativeEdge, Priority, PriorityParts, PriorityPass, PriorityValue,
    Traverse,
};

impl<A: Attributes> Run<A> {
    /// Like [`Run::traverse`], but processes near vertices first. Vertices with a smaller priority are nearer.
    ///
    /// There are two frontiers. Active vertices whose priority is within a threshold are near and take part in the next
    /// step. The other active vertices wait in the far frontier. A vertex that is activated again joins the frontier
    /// that matches its current priority. When no near vertex is active, the threshold rises to the least waiting
    /// priority plus `width` (integers saturate), and the vertices within the new threshold become near. Initially, all
    /// active vertices are far. The traversal ends when both frontiers are empty. A NaN priority counts as near.
    ///
    /// `width` is a trade-off between wasted work and the number of steps. With a width of 0, each step processes
    /// vertices of equal priority, in ascending order. This wastes the fewest edge visits and takes the most steps.
    /// With a width greater than all priorities, the traversal is the same as [`Run::traverse`]. A result that does not
    /// depend on the order of steps does not depend on the width.
    ///
    /// A step costs the same as in [`Run::traverse`], plus a pass over the active vertices. Each rise of the threshold
    /// costs two passes over all vertices. The far frontier needs one byte of device memory per vertex. The width and
    /// the thresholds follow U. Meyer, P. Sanders: Δ-stepping, a parallelizable shortest path algorithm (Journal of
    /// Algorithms 49, 2003). The near and far frontiers follow A. Davidson, S. Baxter, M. Garland, J. D. Owens:
    /// Work-efficient parallel GPU methods for single-source shortest paths (IPDPS 2014).
    ///
    /// Returns the number of steps. Step numbers continue from [`Run::set_step`]. Globals are reset once, before the
    /// first step.
    ///
    /// # Errors
    ///
    /// As for [`Run::traverse`]. Also fails if the width is negative or NaN, or if memory for the far frontier is too
    /// small.
    ///
    /// # Examples
    ///
    /// ```
    /// use gts_graph::prelude::*;
    ///
    /// #[gts_attributes]
    /// struct Paths {
    ///     #[wa(init = UNREACHED, merge = min)]
    ///     distance: u32,
    ///     #[edge]
    ///     weight: u32,
    /// }
    ///
    /// #[gts_kernel(traverse)]
    /// fn relax(paths: &mut Paths, src: Vertex, dst: Vertex, e: Edge) {
    ///     let far = paths.distance[src] + paths.weight[e];
    ///     if paths.distance[dst].fetch_min(far) > far {
    ///         activate(dst);
    ///     }
    /// }
    ///
    /// /// How near a vertex is.
    /// #[gts_kernel(priority)]
    /// fn nearness(paths: &mut Paths, v: Vertex) -> u32 {
    ///     paths.distance[v]
    /// }
    ///
    /// let edges = [(0, 1, 9u32), (0, 2, 1), (2, 1, 1), (1, 3, 1)];
    /// let graph = Graph::builder().weighted_edges(edges).build().expect("sound edges");
    /// let mut run = Engine::cpu()?.start::<Paths>(&graph)?;
    /// let source = graph.vertex(0)?;
    /// run.set(Paths::DISTANCE, source, 0)?;
    /// run.activate(source)?;
    /// run.traverse_near(relax, nearness, 2)?;
    /// assert_eq!(run.take(Paths::DISTANCE)?, [0, 2, 1, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn traverse_near<K: Traverse<Attributes = A>, P: Priority<Attributes = A>>(
        &mut self,
        kernel: impl KernelName<K>,
        _priority: impl KernelName<P>,
        width: P::Value,
    ) -> Result<u32> {
        if !width.is_width() {
            return Err(Error::argument(format_args!("a width of {width}"), "expected a number of at least 0"));
        }
        let beyond = |least: &[u8]| to_bytes(P::Value::read(8, least).beyond(width), 8);
        self.state.traverse_near(&NativeEdge(kernel.kernel()), P::PARTS, &beyond)
    }
}

impl RunState {
    /// Runs [`Run::traverse_near`]. `beyond` returns the threshold for the least priority of the far vertices.
    fn traverse_near(
        &mut self,
        kernel: &dyn EdgePass,
        parts: &PriorityParts,
        beyond: &dyn Fn(&[u8]) -> Vec<u8>,
    ) -> Result<u32> {
        let of = kernel.descriptor();
        // A refused traversal changes neither globals nor the step.
        self.request(of, true, true)?;
        self.check(parts.sift.descriptor, true)?;
        self.begin_traversal();
        self.call(|session| session.extend(parts.sift.descriptor))?;
        self.begin(of)?;
        let mut steps = 0;
        let mut near = 0;
        if self.frontier_size()? > 0 {
            // Mark all vertices as far to compute the least priority of the active ones, then sift the active vertices.
            self.mark_all(parts, true)?;
            self.raise(parts, of, true, beyond)?;
            self.mark_all(parts, false)?;
            near = self.ranking_pass(&parts.sift, of, true, true)?;
        }
        while near > 0 {
            if self.traversal_step(kernel, &mut steps)? > 0 {
                near = self.ranking_pass(&parts.sift, of, true, true)?;
            } else {
                near = 0;
            }
            if near == 0 {
                self.raise(parts, of, false, beyond)?;
                near = self.ranking_pass(&parts.bring, of, false, true)?;
            }
        }
        self.step = 0;
        Ok(steps)
    }

    fn mark_all(&mut self, parts: &PriorityParts, far: bool) -> Result<()> {
        let mark = to_bytes(far, self.session.vertex_bytes());
        self.call(|session| session.fill(parts.far, &mark))
    }

    /// Runs a vertex kernel of the priority before the next step of the kernel `of`. The priority draws the random
    /// numbers of this step, so a vertex has the same priority in all passes before the step.
    fn ranking_pass(
        &mut self,
        pass: &PriorityPass,
        of: &'static KernelDescriptor,
        active_only: bool,
        ends_step: bool,
    ) -> Result<u64> {
        let request = self.request(pass.descriptor, active_only, ends_step)?;
        self.vertex_part(pass.pass, &PassRequest { random: self.random(of), ..request })
    }

    /// Raises the threshold to the least priority of the far vertices plus the width. If `active_only`, considers only
    /// active vertices. `of` is the kernel of the traversal.
    fn raise(
        &mut self,
        parts: &PriorityParts,
        of: &'static KernelDescriptor,
        active_only: bool,
        beyond: &dyn Fn(&[u8]) -> Vec<u8>,
    ) -> Result<()> {
        self.call(|session| session.reset_globals(&[parts.least]))?;
        self.ranking_pass(&parts.find, of, active_only, false)?;
        let threshold = beyond(&self.call(|session| session.global(parts.least))?);
        self.call(|session| session.set_param(parts.threshold, &threshold))
    }
}
