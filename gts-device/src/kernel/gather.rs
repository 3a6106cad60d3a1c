//! Gather kernels: each vertex reduces its neighbours' values in registers, and then runs a block with the result.
//!
//! A gather consists of kernels of the other kinds, over the struct with accumulators appended to its attributes: scans
//! that merge into the accumulators of the page's own vertex, and a vertex kernel. Neighbours therefore give the values
//! from the beginning of the pass, whatever the block writes.
#![allow(unsafe_code)]

use super::attributes::Attributes;
use super::column::{Columns, RawColumn};
use super::context::Context;
use super::instance::{Work, instance};
use super::pass::{EdgePass, Kernel, MemoryKind, Share, VertexPass};
use super::pull::PullPass;
use super::scalar::Memory;
use gts_contract::{KernelDescriptor, Schema};
use gts_core::graph::Vertex;
use gts_core::page::{EdgeValue, EdgeVisitor};
use std::marker::PhantomData;

/// A kernel for `run.gather` and `run.gather_active`.
pub trait Gather: Kernel {
    /// The kernels that it consists of.
    const PARTS: &'static GatherParts;
}

/// The kernels of a gather.
pub struct GatherParts {
    /// The attributes of the kernel's struct, followed by the accumulators.
    pub schema: &'static Schema,
    /// The passes over neighbours, in order.
    pub reductions: &'static [Reduction],
    /// The descriptor of the block, which runs with the result.
    pub block_descriptor: &'static KernelDescriptor,
    /// The block.
    pub block: &'static dyn VertexPass,
}

/// A pass over neighbours.
pub struct Reduction {
    /// The attribute that it merges into, which begins with its initial value.
    pub accumulator: usize,
    /// The descriptor of the reduction for every vertex.
    pub descriptor: &'static KernelDescriptor,
    /// The reduction for every vertex.
    pub every: &'static dyn EdgePass,
    /// The reduction for the active vertices.
    pub active: &'static dyn EdgePass,
}

/// A reduction as emitted by the macros.
pub trait GatherEdges: Kernel {
    /// The descriptor of the reduction.
    const DESCRIPTOR: &'static KernelDescriptor;
    /// Values computed once per visit of a vertex in a page.
    type Source: Copy;
    /// The type of the edge's value; `()` if the body reads none.
    type EdgeValue: EdgeValue;
    /// The value on a graph without edge values.
    const EDGE_DEFAULT: Self::EdgeValue;
    /// The values of a vertex gathered so far.
    type Gathered;

    /// Called before the first edge of a visit; `None` skips the vertex.
    fn begin<'a, P: Memory>(
        a: &<Self::Attributes as Attributes>::View<'a, P>,
        gts: Context<'a>,
        v: Vertex,
    ) -> Option<Self::Source>;

    /// Returns the state of a vertex before its first edge.
    fn nothing<'a, P: Memory>(a: &<Self::Attributes as Attributes>::View<'a, P>, v: Vertex) -> Self::Gathered;

    /// The body, for one edge.
    #[allow(clippy::too_many_arguments, reason = "each is a value in a register of the innermost loop")]
    fn edge<'a, P: Memory>(
        a: &<Self::Attributes as Attributes>::View<'a, P>,
        gts: Context<'a>,
        source: Self::Source,
        v: Vertex,
        dst: Vertex,
        e: Self::EdgeValue,
        gathered: &mut Self::Gathered,
    );

    /// Returns whether no further edge can change the gathered value.
    #[inline(always)]
    fn enough(_gathered: &Self::Gathered) -> bool {
        false
    }

    /// Merges the gathered value of `edges` visited edges into the vertex.
    fn settle<'a, P: Memory>(
        a: &<Self::Attributes as Attributes>::View<'a, P>,
        gts: Context<'a>,
        v: Vertex,
        edges: u64,
        gathered: Self::Gathered,
    );
}

/// The [`EdgePass`] of a reduction.
#[derive(Debug)]
pub struct NativeGather<K>(pub K);

struct Gatherer<'a, K: GatherEdges, P: Memory> {
    view: <K::Attributes as Attributes>::View<'a, P>,
    gts: Context<'a>,
    gathered: Option<K::Gathered>,
    edges: u64,
}

impl<K: GatherEdges, P: Memory> EdgeVisitor<K::EdgeValue> for Gatherer<'_, K, P> {
    type Source = K::Source;

    #[inline(always)]
    fn begin(&mut self, v: Vertex) -> Option<K::Source> {
        let source = K::begin::<P>(&self.view, self.gts, v)?;
        self.gathered = Some(K::nothing::<P>(&self.view, v));
        self.edges = 0;
        Some(source)
    }

    #[inline(always)]
    fn edge(&mut self, source: K::Source, v: Vertex, dst: Vertex, value: K::EdgeValue) {
        self.edges += 1;
        if let Some(gathered) = &mut self.gathered
            && !K::enough(gathered)
        {
            K::edge::<P>(&self.view, self.gts, source, v, dst, value, gathered);
        }
    }

    #[inline(always)]
    fn enough(&self) -> bool {
        self.gathered.as_ref().is_some_and(K::enough)
    }

    #[inline(always)]
    fn end(&mut self, v: Vertex) {
        if let Some(gathered) = self.gathered.take() {
            K::settle::<P>(&self.view, self.gts, v, self.edges, gathered);
        }
    }
}

/// A share of a reduction's work.
struct Neighbours<'a, K> {
    share: Share<'a>,
    columns: &'a [RawColumn],
    gts: Context<'a>,
    kernel: PhantomData<K>,
}

/// Reductions write to the page's own vertex, once per visit, so no session gives them wide replicas.
impl<K: GatherEdges> Work for Neighbours<'_, K> {
    type Attributes = K::Attributes;

    unsafe fn on<P: Memory>(self) {
        let Self { share, columns, gts, .. } = self;
        // SAFETY: the caller guarantees this.
        let columns = unsafe { Columns::<P>::new(columns) };
        let mut gatherer = Gatherer::<K, P> { view: K::Attributes::bind(&columns), gts, gathered: None, edges: 0 };
        match share {
            Share::Entries(page, entries) => page.scan(entries, K::EDGE_DEFAULT, &mut gatherer),
            Share::Active(page, vertices, active) => {
                for v in active.iter(vertices) {
                    page.visit(v, K::EDGE_DEFAULT, &mut gatherer);
                }
            }
            // Sessions use these for traversals that pull, and for kernels that intersect.
            Share::Receiving(..) | Share::Pairs(_) | Share::Places(..) => {}
        }
    }
}

impl<K: GatherEdges> EdgePass for NativeGather<K> {
    fn descriptor(&self) -> &'static KernelDescriptor {
        K::DESCRIPTOR
    }

    fn pull(&self) -> Option<&'static dyn PullPass> {
        None
    }

    unsafe fn run(&self, share: Share<'_>, memory: MemoryKind, wide: bool, columns: &[RawColumn], gts: Context<'_>) {
        let work = Neighbours { share, columns, gts, kernel: PhantomData::<K> };
        // SAFETY: the caller guarantees this.
        unsafe { instance(work, memory, wide) }
    }
}
