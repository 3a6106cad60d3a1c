//! Answers, which contain all values of an attribute, and their transfer from the device to the host.
//!
//! Each value is written once, to its final position. Threads convert the pieces that the session delivers while the
//! next pieces are in flight. If the session cannot order the values, the threads do.

use super::{Run, VALUES_AT_ONCE, name};
use gts_core::graph::{Graph, Vertex, VertexId};
use gts_core::memory;
use gts_core::parallel::*;
use gts_core::phase::{self, Phase};
use gts_device::error::{Error, Result};
use gts_device::kernel::{AttributeValue, Attributes, EdgeWa, VertexAttribute};
use gts_device::{AnswerForm, AnswerPiece, AnswerRequest};

/// A destination that is filled with values from the front.
trait Target<T> {
    /// Stores the next values.
    fn put(&mut self, values: impl Items<Item = T>);
}

impl<T: Send> Target<T> for Vec<T> {
    fn put(&mut self, values: impl Items<Item = T>) {
        extend(self, values);
    }
}

impl<T: Send> Target<T> for &mut [T] {
    fn put(&mut self, values: impl Items<Item = T>) {
        let (now, rest) = std::mem::take(self).split_at_mut(values.len());
        now.par_iter_mut().with_min_len(VALUES_AT_ONCE).zip(values).for_each(|(place, value)| *place = value);
        *self = rest;
    }
}

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

/// Converts a piece on all threads and stores the values in the target. The function does not depend on the attribute
/// struct, so all attributes of one type share one instance. This keeps programs with many structs small: the code that
/// starts threads is large.
fn put<T: AttributeValue>(
    piece: &AnswerPiece<'_>,
    graph: &Graph,
    original: bool,
    order: Option<&[u32]>,
    target: &mut impl Target<T>,
) {
    let size = T::bytes(piece.vertex_bytes);
    let read = |bytes: &[u8]| T::read(piece.vertex_bytes, bytes);
    let named = |value: T| value.map_vertices(|v| graph.original(Vertex::from_dense(v)));
    let in_turn = piece.bytes.par_chunks_exact(size).with_min_len(VALUES_AT_ONCE);
    phase::during(Phase::Order, || match order {
        _ if piece.done || !original => target.put(in_turn.map(read)),
        None => target.put(in_turn.map(|bytes| named(read(bytes)))),
        Some(order) => {
            let ordered = order.par_iter().with_min_len(VALUES_AT_ONCE);
            target.put(ordered.map(|&v| named(read(&piece.bytes[v as usize * size..][..size]))));
        }
    });
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
        let (graph, what) = (self.graph.clone(), name::<A>(attribute.index()));
        let vertices = graph.num_vertices();
        if u32::try_from(vertices).is_err() {
            return Ok(graph.relabel(what, &self.take_dense(attribute)?)?);
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
        self.hand_out::<VertexId>(attribute.index(), vertices, AnswerForm::Groups, &mut receive)?;
        match groups {
            Some(Groups::Labels(labels)) => Ok(graph.relabel_narrow(what, &labels)?),
            Some(Groups::Names(names)) => Ok(names),
            None => Ok(Vec::new()),
        }
    }

    /// Returns the values of all vertices in ascending order of the original IDs. `VertexId` values are converted to
    /// original IDs.
    ///
    /// # Errors
    ///
    /// Returns [`Error::NoMemory`] if memory is too small, or [`Error::Device`] if the device fails.
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
        let mut values = fresh(name::<A>(attribute.index()), self.graph.num_vertices())?;
        self.answer(attribute.index(), self.graph.num_vertices(), true, &mut values)?;
        Ok(values)
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
        let ids = self.graph.ids().ascending();
        Ok(memory::collected(name::<A>(attribute.index()), ids.zip(values))?)
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
        if target.len() as u64 != self.graph.num_vertices() {
            return Err(Error::argument(
                format!("memory for {} values", target.len()),
                format_args!("the graph has {} vertices", self.graph.num_vertices()),
            ));
        }
        self.answer(attribute.index(), self.graph.num_vertices(), true, &mut target)
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
        let mut values = fresh(name::<A>(attribute.index()), self.graph.num_vertices())?;
        self.answer(attribute.index(), self.graph.num_vertices(), false, &mut values)?;
        Ok(values)
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
        let mut values = fresh(name::<A>(attribute.index()), self.graph.num_edges())?;
        self.answer(attribute.index(), self.graph.num_edges(), false, &mut values)?;
        Ok(values)
    }

    /// Transfers all values of an attribute to `target`, in ascending order of the original IDs if `original` is set.
    fn answer<T: AttributeValue>(
        &mut self,
        attribute: usize,
        values: u64,
        original: bool,
        target: &mut impl Target<T>,
    ) -> Result<()> {
        let graph = self.graph.clone();
        let order = graph.ids().permutation().filter(|_| original);
        let mut receive = |piece: AnswerPiece<'_>| {
            put(&piece, &graph, original, order, target);
            Ok(())
        };
        let form = if original { AnswerForm::Original } else { AnswerForm::Stored };
        self.hand_out::<T>(attribute, values, form, &mut receive)
    }

    /// Requests all values of an attribute from the session. The session delivers them in `form` if it supports this
    /// form.
    fn hand_out<T: AttributeValue>(
        &mut self,
        attribute: usize,
        values: u64,
        form: AnswerForm,
        receive: &mut dyn FnMut(AnswerPiece<'_>) -> Result<()>,
    ) -> Result<()> {
        let value_bytes = T::bytes(self.session.vertex_bytes());
        let request = AnswerRequest { attribute, name: name::<A>(attribute), values, value_bytes, form };
        self.call_in(Phase::Fetch, |session| session.answer(&request, receive))
    }
}
