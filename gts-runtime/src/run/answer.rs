//! Answers, which contain all values of an attribute, and their transfer from the device to the host.
//!
//! Each value is written once, to its final position. Threads convert the pieces that the session delivers while the
//! next pieces are in flight. If the session cannot order the values, the threads do.

use super::Run;
use super::state::RunState;
use gts_core::graph::VertexId;
use gts_core::memory;
use gts_core::parallel::*;
use gts_core::phase::{self, Phase};
use gts_device::error::Result;
use gts_device::kernel::{
    AnswerTarget, AttributeValue, Attributes, EdgeWa, StoredValues, VALUES_AT_ONCE, VertexAttribute,
};
use gts_device::{AnswerForm, AnswerPiece, AnswerRequest, value_bytes};

/// Allocates memory for `values` values, with all pages populated by [`memory::populate`].
fn fresh<T: Send>(name: &'static str, values: u64) -> Result<Vec<T>> {
    let mut fresh = memory::reserved(name, values as usize)?;
    phase::during(Phase::Order, || memory::populate(fresh.spare_capacity_mut()));
    Ok(fresh)
}

/// The form in which a session delivers groups: 32-bit labels, or the names of the groups.
enum Groups {
    Labels(Vec<u32>),
    Names(Vec<u64>),
}

impl<A: Attributes> Run<A> {
    /// Returns the name of each vertex's group, in ascending order of the original IDs of the vertices. The name of a
    /// group is its smallest original ID. All members of a group must have the same vertex as the value of the
    /// attribute. If the value is not a vertex, the name is `u64::MAX`.
    ///
    /// # Examples
    ///
    /// ```
    /// use gts_graph::prelude::*;
    ///
    /// #[gts_attributes]
    /// struct Groups {
    ///     #[wa(init = UNREACHED, merge = min)]
    ///     label: VertexId,
    /// }
    ///
    /// let graph = Graph::from_edges([(5, 6), (7, 8)]).expect("sound edges");
    /// let mut run = Engine::cpu()?.start::<Groups>(&graph)?;
    /// run.set_dense(Groups::LABEL, &[1, 1, 2, 2].map(VertexId::from_bits))?;
    /// assert_eq!(run.relabel(Groups::LABEL)?, [5, 5, 7, 7]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Memory is too small, or the device fails.
    pub fn relabel<H: VertexAttribute<A, Value = VertexId>>(&mut self, attribute: H) -> Result<Vec<u64>> {
        self.state.relabel(attribute.index())
    }

    /// Returns the values of all vertices in ascending order of the original IDs. `VertexId` values are converted to
    /// original IDs.
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
    /// # #[gts_attributes] struct Tree { #[wa(init = UNREACHED, merge = min)] parent: VertexId }
    /// let graph = Graph::from_edges([(10, 20), (10, 30)])?;
    /// let mut run = Engine::cpu()?.start::<Tree>(&graph)?;
    /// run.fill(Tree::PARENT, graph.vertex(10)?.into())?;
    /// assert_eq!(run.take(Tree::PARENT)?, [10, 10, 10].map(VertexId::from_bits));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn take<H: VertexAttribute<A>>(&mut self, attribute: H) -> Result<Vec<H::Value>> {
        self.state.take(attribute.index(), self.state.graph.num_vertices(), true)
    }

    /// Returns the values of all vertices with the vertices' original IDs, in ascending order of the IDs. `VertexId`
    /// values are converted to original IDs.
    ///
    /// # Examples
    ///
    /// ```
    /// use gts_graph::prelude::*;
    ///
    /// #[gts_attributes]
    /// struct Degrees {
    ///     #[wa(init = 0, merge = sum)]
    ///     into: u32,
    /// }
    ///
    /// #[gts_kernel(scan)]
    /// fn count(degrees: &mut Degrees, src: Vertex, dst: Vertex) {
    ///     degrees.into[dst] += 1;
    /// }
    ///
    /// let graph = Graph::from_edges([(10, 20), (30, 20)])?;
    /// let mut run = Engine::cpu()?.start::<Degrees>(&graph)?;
    /// run.scan(count)?;
    /// assert_eq!(run.take_with_ids(Degrees::INTO)?, [(10, 0), (20, 2), (30, 0)]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Memory is too small, or the device fails.
    pub fn take_with_ids<H: VertexAttribute<A>>(&mut self, attribute: H) -> Result<Vec<(u64, H::Value)>> {
        let values = self.take(attribute)?;
        let ids = self.state.graph.ids().ascending();
        Ok(memory::collected(self.state.name(attribute.index()), ids.zip(values))?)
    }

    /// Stores the result of [`Run::take`] in existing memory. A program that takes many answers thereby avoids an
    /// allocation per answer.
    ///
    /// # Errors
    ///
    /// The length of `target` differs from the number of vertices, memory is too small, or the device fails.
    ///
    /// # Examples
    ///
    /// ```
    /// use gts_graph::prelude::*;
    ///
    /// #[gts_attributes]
    /// struct Marks {
    ///     #[wa(init = 7, merge = min)]
    ///     mark: u32,
    /// }
    ///
    /// let graph = Graph::builder().edges([(1, 2), (3, 2)]).build()?;
    /// let mut marks = vec![0; 3];
    /// Engine::cpu()?.start(&graph)?.take_into(Marks::MARK, &mut marks)?;
    /// assert_eq!(marks, [7, 7, 7]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn take_into<H: VertexAttribute<A>>(&mut self, attribute: H, mut target: &mut [H::Value]) -> Result<()> {
        self.state.check_length(target.len(), format_args!("memory for {} values", target.len()))?;
        let values = target.len() as u64;
        let mut put = |stored: StoredValues<'_>| H::Value::convert(&stored, AnswerTarget::Slice(&mut target));
        self.state.answer(attribute.index(), values, true, &mut put)
    }

    /// Returns the values of all vertices in ascending order of dense vertex numbers. `VertexId` values remain dense.
    ///
    /// # Errors
    ///
    /// As for [`Run::take`].
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_graph::prelude::*;
    /// # #[gts_attributes] struct Tree { #[wa(init = UNREACHED, merge = min)] parent: VertexId }
    /// let graph = Graph::from_edges([(10, 20), (10, 30)])?;
    /// let mut run = Engine::cpu()?.start::<Tree>(&graph)?;
    /// run.fill(Tree::PARENT, graph.vertex(10)?.into())?;
    /// assert_eq!(run.take_dense(Tree::PARENT)?, [0, 0, 0].map(VertexId::from_bits));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn take_dense<H: VertexAttribute<A>>(&mut self, attribute: H) -> Result<Vec<H::Value>> {
        self.state.take(attribute.index(), self.state.graph.num_vertices(), false)
    }

    /// Returns the values of all edges, in the order of [`Graph::edges`](gts_core::graph::Graph::edges): by dense
    /// number of the source, then by position in the source's list.
    ///
    /// # Errors
    ///
    /// As for [`Run::take`].
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_graph::prelude::*;
    /// # #[gts_attributes] struct Supports { #[wa(init = 0, merge = sum, per = edge)] support: u32 }
    /// # #[gts_kernel(intersect)]
    /// # fn support(s: &mut Supports, u: Vertex, v: Vertex, w: Vertex, e: Edge) { s.support[e] += 1; }
    /// let graph = Graph::builder().edges([(1, 2), (2, 3), (3, 1), (3, 4)]).undirected(true).build()?;
    /// let mut run = Engine::cpu()?.start::<Supports>(&graph)?;
    /// run.intersect(support)?;
    /// // 1-2, 1-3, 2-1, 2-3, 3-1, 3-2, 3-4, 4-3
    /// assert_eq!(run.take_edges(Supports::SUPPORT)?, [1, 1, 1, 1, 1, 1, 0, 0]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn take_edges<T: AttributeValue>(&mut self, attribute: EdgeWa<A, T>) -> Result<Vec<T>> {
        self.state.take(attribute.index(), self.state.graph.num_edges(), false)
    }
}

impl RunState {
    fn relabel(&mut self, attribute: usize) -> Result<Vec<u64>> {
        let (graph, what) = (self.graph.clone(), self.name(attribute));
        let vertices = graph.num_vertices();
        if u32::try_from(vertices).is_err() {
            return Ok(graph.relabel(what, &self.take::<VertexId>(attribute, vertices, false)?)?);
        }
        let mut groups = None;
        let mut receive = |piece: AnswerPiece<'_>| {
            let size = piece.vertex_bytes;
            let groups = match &mut groups {
                Some(groups) => groups,
                None if piece.done => groups.insert(Groups::Names(fresh(what, vertices)?)),
                None => match bytemuck::try_cast_slice(piece.bytes) {
                    Ok(labels) if size == size_of::<u32>() && labels.len() as u64 == vertices => {
                        groups = Some(Groups::Names(graph.relabel_narrow(what, labels)?));
                        return Ok(());
                    }
                    _ => groups.insert(Groups::Labels(fresh(what, vertices)?)),
                },
            };
            let numbers = piece.bytes.par_chunks_exact(size).with_min_len(VALUES_AT_ONCE);
            let read = |bytes: &[u8]| VertexId::read(size, bytes).to_bits();
            phase::during(Phase::Order, || match groups {
                Groups::Labels(labels) => extend(labels, numbers.map(|bytes| read(bytes) as u32)),
                Groups::Names(names) => extend(names, numbers.map(read)),
            });
            Ok(())
        };
        self.hand_out(attribute, vertices, AnswerForm::Groups, &mut receive)?;
        match groups {
            Some(Groups::Labels(labels)) => Ok(graph.relabel_narrow(what, &labels)?),
            Some(Groups::Names(names)) => Ok(names),
            None => Ok(Vec::new()),
        }
    }

    /// Returns all values of an attribute, in ascending order of the original IDs if `original` is set.
    fn take<T: AttributeValue>(&mut self, attribute: usize, values: u64, original: bool) -> Result<Vec<T>> {
        let mut taken = fresh(self.name(attribute), values)?;
        let mut put = |stored: StoredValues<'_>| T::convert(&stored, AnswerTarget::Vector(&mut taken));
        self.answer(attribute, values, original, &mut put)?;
        Ok(taken)
    }

    /// Calls `put` with consecutive pieces of an attribute's values until all have been passed. If `original` is set, the
    /// values are in ascending order of the original IDs of their vertices.
    fn answer(
        &mut self,
        attribute: usize,
        values: u64,
        original: bool,
        put: &mut dyn FnMut(StoredValues<'_>),
    ) -> Result<()> {
        let graph = self.graph.clone();
        let mut receive = |piece: AnswerPiece<'_>| {
            let originals = (original && !piece.done).then_some(&graph);
            let order = originals.and_then(|graph| graph.ids().permutation());
            let stored = StoredValues { bytes: piece.bytes, vertex_bytes: piece.vertex_bytes, order, originals };
            phase::during(Phase::Order, || put(stored));
            Ok(())
        };
        let form = if original { AnswerForm::Original } else { AnswerForm::Stored };
        self.hand_out(attribute, values, form, &mut receive)
    }

    /// Requests all values of an attribute from the session. The session delivers them in `form` if it supports this
    /// form.
    fn hand_out(
        &mut self,
        attribute: usize,
        values: u64,
        form: AnswerForm,
        receive: &mut dyn FnMut(AnswerPiece<'_>) -> Result<()>,
    ) -> Result<()> {
        let value_bytes = value_bytes(self.schema, attribute, self.session.vertex_bytes());
        let request = AnswerRequest { attribute, name: self.name(attribute), values, value_bytes, form };
        self.call_in(Phase::Fetch, |session| session.answer(&request, receive))
    }
}
