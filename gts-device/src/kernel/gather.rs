//! Gather kernels: each vertex reduces the values of its neighbours in registers, and a block of the body then uses the
//! results.
//!
//! The macros split a gather into edge kernels for the reductions and a vertex kernel for the block. The macros also
//! append an accumulator per reduction to the struct's attributes. Each reduction merges into its accumulator at the
//! vertex whose list is visited. All reductions run before the block, so the block's writes do not affect the
//! reductions.
#![allow(unsafe_code)]

use super::attributes::Attributes;
use super::column::{Columns, RawColumn};
use super::context::Context;
use super::instance::{CompiledKinds, MemoryKind, Work, instance};
use super::pass::{EdgePass, Kernel, Share, VertexPass};
use super::pull::PullPass;
use super::scalar::{Memory, Replica};
use gts_contract::{KernelDescriptor, KernelKind, Schema};
use gts_core::graph::Vertex;
use gts_core::page::{EdgeValue, EdgeVisitor};
use std::marker::PhantomData;

/// A kernel for `run.gather` and `run.gather_active`.
#[diagnostic::on_unimplemented(
    message = "this kernel is no `gather`",
    label = "expected a `#[gts_kernel(gather)]`",
    note = "`run.scan` runs a `scan`; `run.advance` and `run.traverse` a `traverse`; `run.apply` and `run.apply_active` a \
            `vertex` kernel; `run.gather` and `run.gather_active` a `gather` kernel; `run.intersect` an `intersect` kernel; \
            `run.traverse_near` a `traverse` and a `priority`"
)]
pub trait Gather: Kernel {
    /// The kernels into which the macros split the gather.
    const PARTS: &'static GatherParts;
}

/// The kernels into which the macros split a gather.
pub struct GatherParts {
    /// The struct's attributes, followed by the accumulators.
    pub schema: &'static Schema,
    /// The passes over the neighbours, in execution order.
    pub reductions: &'static [Reduction],
    /// The descriptor of the vertex kernel that runs the block.
    pub block_descriptor: &'static KernelDescriptor,
    /// The vertex kernel that runs the block after all reductions.
    pub block: &'static dyn VertexPass,
}

/// A pass that reduces the values of each vertex's neighbours.
pub struct Reduction {
    /// The accumulator's index in the schema. The caller sets the accumulator to its initial value before the pass.
    pub accumulator: usize,
    /// The descriptor of the kernel `every`.
    pub descriptor: &'static KernelDescriptor,
    /// The reduction over the lists of all vertices.
    pub every: &'static dyn EdgePass,
    /// The reduction over the lists of active vertices.
    pub active: &'static dyn EdgePass,
}

/// A reduction as emitted by the macros.
pub trait GatherEdges: Kernel {
    /// The reduction's descriptor.
    const DESCRIPTOR: &'static KernelDescriptor;
    /// Values that are computed once per visit to a vertex in a page.
    type Source: Copy;
    /// The type of the edge value, or `()` if the body does not read the value.
    type EdgeValue: EdgeValue;
    /// The edge value for graphs that have no edge values.
    const EDGE_DEFAULT: Self::EdgeValue;
    /// Values that are gathered in registers during a visit.
    type Gathered;

    /// Computes the `Source` values before the first edge of a visit. `None` skips the vertex.
    fn begin<'a, P: Memory>(
        a: &<Self::Attributes as Attributes>::View<'a, P>,
        gts: Context<'a>,
        v: Vertex,
    ) -> Option<Self::Source>;

    /// Returns the initial values for a visit to a vertex.
    fn nothing<'a, P: Memory>(a: &<Self::Attributes as Attributes>::View<'a, P>, v: Vertex) -> Self::Gathered;

    /// Runs the body for one edge.
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

    /// Returns whether the remaining edges cannot change the gathered values.
    #[inline(always)]
    fn enough(_gathered: &Self::Gathered) -> bool {
        false
    }

    /// Merges the gathered values into the vertex. `edges` is the number of visited edges.
    fn settle<'a, P: Memory>(
        a: &<Self::Attributes as Attributes>::View<'a, P>,
        gts: Context<'a>,
        v: Vertex,
        edges: u64,
        gathered: Self::Gathered,
    );
}

/// The [`EdgePass`] of a reduction on the CPU.
#[derive(Debug)]
pub struct NativeGather<K>(pub K);

struct Gatherer<'a, K: GatherEdges, P: Memory> {
    view: <K::Attributes as Attributes>::View<'a, P>,
    /// The same columns, if only this thread updates them.
    owned: Option<<K::Attributes as Attributes>::View<'a, Replica<P::VertexWord>>>,
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
            match &self.owned {
                Some(owned) => K::settle(owned, self.gts, v, self.edges, gathered),
                None => K::settle(&self.view, self.gts, v, self.edges, gathered),
            }
        }
    }
}

/// The work of a reduction on one share.
struct Neighbors<'a, K> {
    share: Share<'a>,
    memory: MemoryKind,
    columns: &'a [RawColumn],
    gts: Context<'a>,
    kernel: PhantomData<K>,
}

/// A reduction updates memory only once per visit, so its loop is the same for all kinds of memory.
impl<K: GatherEdges> Work for Neighbors<'_, K> {
    type Attributes = K::Attributes;
    const KINDS: CompiledKinds = CompiledKinds::ONE;

    unsafe fn on<P: Memory>(self) {
        let Self { share, memory, columns, gts, .. } = self;
        // SAFETY: the caller upholds this function's contract.
        let shared = unsafe { Columns::<P>::new(columns) };
        // SAFETY: the view is used only if `memory` is owned. The other view then only reads.
        let owned = unsafe { Columns::<Replica<P::VertexWord>>::new(columns) };
        let owned = (memory == MemoryKind::Owned).then(|| K::Attributes::bind(&owned));
        let mut gatherer =
            Gatherer::<K, P> { view: K::Attributes::bind(&shared), owned, gts, gathered: None, edges: 0 };
        // A reduction over all lists is a scan, and one over the lists of active vertices is a traversal.
        if const { matches!(K::DESCRIPTOR.kind, KernelKind::Traverse) } {
            if let Share::Active(page, vertices, active) = share {
                for v in active.iter(vertices) {
                    page.visit(v, K::EDGE_DEFAULT, &mut gatherer);
                }
            }
        } else if let Share::Entries(page, entries) = share {
            page.scan(entries, K::EDGE_DEFAULT, &mut gatherer);
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
        let work = Neighbors { share, memory, columns, gts, kernel: PhantomData::<K> };
        // SAFETY: the caller upholds this function's contract.
        unsafe { instance(work, memory, wide) }
    }
}
