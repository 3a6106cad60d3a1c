//! The values of a run: attributes, params and globals.

use super::Run;
use super::state::{RunState, to_bytes};
use gts_contract::AttributeKind;
use gts_core::advice::Advice;
use gts_core::graph::Vertex;
use gts_core::memory;
use gts_core::parallel::*;
use gts_core::phase::{self, Phase};
use gts_device::error::{Error, Result};
use gts_device::kernel::{
    AttributeValue, Attributes, EdgeWa, Global, Param, RotatingAttribute, VALUES_AT_ONCE, VertexAttribute,
    settled_totals,
};

impl<A: Attributes> Run<A> {
    /// Sets a param for all later passes. A pass whose kernel reads a param that has neither been set nor has a default
    /// returns [`Error::UnsetParam`].
    ///
    /// # Errors
    ///
    /// Returns [`Error::Device`] if the device fails.
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
    /// run.set_param(Flow::FACTOR, 10)?;
    /// run.fill(Flow::AMOUNT, 1)?;
    /// run.scan(push)?;
    /// assert_eq!(run.take(Flow::NEXT)?, [0, 10, 10]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn set_param<T: AttributeValue>(&mut self, param: Param<A, T>, value: T) -> Result<()> {
        self.state.set_param(param.index(), &self.to_bytes(value))
    }

    /// Sets an attribute of all vertices to the same value.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Device`] if the device fails.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_graph::prelude::*;
    /// # #[gts_attributes] struct Hops { #[wa(init = UNREACHED, merge = min)] level: u32 }
    /// let graph = Graph::from_edges([(1, 2), (1, 3)])?;
    /// let mut run = Engine::cpu()?.start::<Hops>(&graph)?;
    /// run.fill(Hops::LEVEL, 7)?;
    /// assert_eq!(run.take(Hops::LEVEL)?, [7, 7, 7]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn fill<H: VertexAttribute<A>>(&mut self, attribute: H, value: H::Value) -> Result<()> {
        self.state.fill(attribute.index(), &self.to_bytes(value))
    }

    /// Sets the value of one vertex. A `VertexId` value must be dense: use [`gts_core::graph::VertexId::from`] to
    /// convert a vertex.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Argument`] if the graph has no vertex `v`, or [`Error::Device`] if the device fails.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_graph::prelude::*;
    /// # #[gts_attributes] struct Hops { #[wa(init = UNREACHED, merge = min)] level: u32 }
    /// let graph = Graph::from_edges([(1, 2), (1, 3)])?;
    /// let mut run = Engine::cpu()?.start::<Hops>(&graph)?;
    /// run.set(Hops::LEVEL, graph.vertex(2)?, 5)?;
    /// assert_eq!(run.take(Hops::LEVEL)?, [u32::MAX, 5, u32::MAX]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn set<H: VertexAttribute<A>>(&mut self, attribute: H, v: Vertex, value: H::Value) -> Result<()> {
        self.state.set(attribute.index(), v, &self.to_bytes(value))
    }

    /// Returns the value of one vertex. `VertexId` values are dense.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Argument`] if the graph has no vertex `v`, or [`Error::Device`] if the device fails.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_graph::prelude::*;
    /// # #[gts_attributes] struct Hops { #[wa(init = UNREACHED, merge = min)] level: u32 }
    /// let graph = Graph::from_edges([(1, 2), (1, 3)])?;
    /// let mut run = Engine::cpu()?.start::<Hops>(&graph)?;
    /// run.set_dense(Hops::LEVEL, &[4, 5, 6])?;
    /// assert_eq!(run.get(Hops::LEVEL, graph.vertex(3)?)?, 6);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn get<H: VertexAttribute<A>>(&mut self, attribute: H, v: Vertex) -> Result<H::Value> {
        let width = self.state.session.vertex_bytes();
        let mut bytes = vec![0; H::Value::bytes(width)];
        self.state.get(attribute.index(), v, &mut bytes)?;
        Ok(H::Value::read(width, &bytes))
    }

    /// Sets the values of all vertices. `values` is indexed by dense vertex number.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Argument`] if the number of values differs from the number of vertices, [`Error::NoMemory`] if
    /// memory is too small, or [`Error::Device`] if the device fails.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_graph::prelude::*;
    /// # #[gts_attributes] struct Hops { #[wa(init = UNREACHED, merge = min)] level: u32 }
    /// let graph = Graph::from_edges([(1, 2), (1, 3)])?;
    /// let mut run = Engine::cpu()?.start::<Hops>(&graph)?;
    /// run.set_dense(Hops::LEVEL, &[4, 5, 6])?;
    /// assert_eq!(run.take(Hops::LEVEL)?, [4, 5, 6]);
    /// assert!(matches!(run.set_dense(Hops::LEVEL, &[4]), Err(Error::Argument { .. })));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn set_dense<H: VertexAttribute<A>>(&mut self, attribute: H, values: &[H::Value]) -> Result<()> {
        self.state.check_length(values.len(), format_args!("{} values", values.len()))?;
        self.set_by(attribute, |vertex| values[vertex.index()])
    }

    /// Sets the value of each vertex to the result of `value`, which is called on several threads.
    ///
    /// # Errors
    ///
    /// Returns [`Error::NoMemory`] if memory is too small, or [`Error::Device`] if the device fails.
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
    /// let graph = Graph::from_edges([(1, 2), (1, 3)])?;
    /// let mut run = Engine::cpu()?.start::<Flow>(&graph)?;
    /// run.set_by(Flow::AMOUNT, |v| graph.out_degree(v))?;
    /// assert_eq!(run.take(Flow::AMOUNT)?, [2, 0, 0]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn set_by<H: VertexAttribute<A>>(
        &mut self,
        attribute: H,
        value: impl Fn(Vertex) -> H::Value + Sync,
    ) -> Result<()> {
        let width = self.state.session.vertex_bytes();
        let size = H::Value::bytes(width);
        let bytes = phase::during(Phase::Initialise, || {
            let vertices = self.state.graph.num_vertices() as usize;
            let mut bytes = memory::zeroed(self.state.name(attribute.index()), vertices * size)?;
            let places = bytes.par_chunks_exact_mut(size).with_min_len(VALUES_AT_ONCE).enumerate();
            places.for_each(|(dense, bytes)| value(Vertex::from_dense(dense as u64)).write(width, bytes));
            Ok::<_, Error>(bytes)
        })?;
        self.state.write(attribute.index(), Vertex::from_dense(0), &bytes)
    }

    /// Sets an attribute of all edges to the same value.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Device`] if the device fails.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_graph::prelude::*;
    /// # #[gts_attributes] struct Supports { #[wa(init = 0, merge = sum, per = edge)] support: u32 }
    /// let graph = Graph::from_edges([(1, 2), (1, 3)])?;
    /// let mut run = Engine::cpu()?.start::<Supports>(&graph)?;
    /// run.fill_edges(Supports::SUPPORT, 3)?;
    /// assert_eq!(run.take_edges(Supports::SUPPORT)?, [3, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn fill_edges<T: AttributeValue>(&mut self, attribute: EdgeWa<A, T>, value: T) -> Result<()> {
        self.state.fill(attribute.index(), &self.to_bytes(value))
    }

    /// Returns the value of a global after the last pass whose kernel updates the global. Such a pass first resets the
    /// global to the identity of its merge, and all other passes leave the value unchanged.
    ///
    /// # Errors
    ///
    /// Returns [`Error::UnsetGlobal`] if no pass of a kernel that updates the global has run, [`Error::GlobalOverflow`]
    /// if a sum does not fit into the type of the global, or [`Error::Device`] if the device fails.
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
    /// assert!(matches!(run.global(Flow::MOVED), Err(Error::UnsetGlobal { .. })));
    /// run.fill(Flow::AMOUNT, 5)?;
    /// run.scan(push)?;
    /// assert_eq!(run.global(Flow::MOVED)?, 10);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn global<T: AttributeValue>(&mut self, global: Global<A, T>) -> Result<T> {
        Ok(T::read(8, &self.state.global(global.index())?))
    }

    /// Moves the values of a `wa` to the `ra` that is declared `from` this `wa`, and resets the `wa` to its initial
    /// value.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Argument`] if the `ra` is declared without `from`, or [`Error::Device`] if the device fails.
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
    /// let graph = Graph::from_edges([(1, 2), (2, 3)])?;
    /// let mut run = Engine::cpu()?.start::<Flow>(&graph)?;
    /// run.set(Flow::AMOUNT, graph.vertex(1)?, 8)?;
    /// run.scan(push)?;
    /// run.rotate(Flow::AMOUNT)?;
    /// assert_eq!(run.take(Flow::AMOUNT)?, [0, 8, 0]);
    /// assert_eq!(run.take(Flow::NEXT)?, [0, 0, 0]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn rotate<H: RotatingAttribute<A>>(&mut self, ra: H) -> Result<()> {
        self.state.rotate(ra.index())
    }

    fn to_bytes<T: AttributeValue>(&self, value: T) -> Vec<u8> {
        to_bytes(value, self.state.session.vertex_bytes())
    }
}

impl RunState {
    fn set_param(&mut self, param: usize, bytes: &[u8]) -> Result<()> {
        self.call(|session| session.set_param(param, bytes))?;
        self.history.set_param(param);
        Ok(())
    }

    fn fill(&mut self, attribute: usize, bytes: &[u8]) -> Result<()> {
        self.bounds.fill(self.schema, attribute, bytes);
        self.call_in(Phase::Initialise, |session| session.fill(attribute, bytes))
    }

    fn set(&mut self, attribute: usize, v: Vertex, bytes: &[u8]) -> Result<()> {
        self.check_vertex(v)?;
        self.write(attribute, v, bytes)
    }

    fn write(&mut self, attribute: usize, first: Vertex, bytes: &[u8]) -> Result<()> {
        self.bounds.forget(self.schema, attribute);
        self.call_in(Phase::Initialise, |session| session.write(attribute, first, bytes))
    }

    fn get(&mut self, attribute: usize, v: Vertex, bytes: &mut [u8]) -> Result<()> {
        self.check_vertex(v)?;
        self.call_in(Phase::Fetch, |session| session.read(attribute, v, bytes))
    }

    /// Fails if the number of values differs from the number of vertices. `what` describes the values in the error.
    pub(super) fn check_length(&self, values: usize, what: std::fmt::Arguments<'_>) -> Result<()> {
        let vertices = self.graph.num_vertices();
        if values as u64 == vertices {
            return Ok(());
        }
        Err(Error::argument(what, format_args!("the graph has {vertices} vertices")))
    }

    /// Returns the value of a global in little-endian order.
    fn global(&mut self, global: usize) -> Result<Vec<u8>> {
        self.history.check_global(global)?;
        let totals = self.call_in(Phase::Fetch, |session| session.global(global))?;
        let declared = &self.schema.attributes[global];
        let AttributeKind::Global { merge } = declared.kind else { return Ok(totals) };
        let scalar = declared.ty.scalar;
        settled_totals(scalar, merge, totals).map_err(|total| Error::GlobalOverflow {
            attributes: self.schema.name,
            global: declared.name,
            scalar,
            total: Box::new(total),
        })
    }

    fn rotate(&mut self, ra: usize) -> Result<()> {
        let declared = &self.schema.attributes[ra];
        let AttributeKind::Ra { from: Some(wa) } = declared.kind else {
            return Err(Error::argument_with_advice(
                format_args!("rotate({}.{})", self.schema.name, declared.name),
                "it takes its values from no `wa`",
                Advice::new("tell the author of the algorithm", "declare it `#[ra(from = …)]`"),
            ));
        };
        self.bounds.reset(self.schema, wa);
        self.call_in(Phase::Initialise, |session| session.rotate(ra, wa))
    }
}
