//! The pulling form of a scan: each vertex gathers its neighbours' contributions in registers and is then written once.
//!
//! A pushing scan writes to a random vertex for every edge. The pulling form instead reads one value per edge, from
//! memory that no thread writes during the pass. The pulling form walks the opposite topology, which contains the
//! receivers' lists. Each source's contribution is computed once before the walk, unless the request selects
//! [`PullAtEdge`](crate::Propagation::PullAtEdge).
#![allow(unsafe_code)]

use super::attributes::Attributes;
use super::column::{Columns, RawColumn};
use super::context::Context;
use super::instance::{CompiledKinds, MemoryKind, Work, instance};
use super::scalar::{Memory, Replica};
use gts_core::graph::Vertex;
use gts_core::page::{EdgeValue, EdgeVisitor, PageView};
use std::marker::PhantomData;
use std::ops::Range;

/// A scan that can pull: at `dst`, the body only merges values and never reads the merged attributes.
pub trait PullKernel: Send + Sync + 'static {
    /// The attribute struct that the kernel accesses.
    type Attributes: Attributes;
    /// A source's contribution, which is the same for each receiver.
    type Handed: Copy + Send + Sync;
    /// The type of the edge value, or `()` if the body does not read the value.
    type EdgeValue: EdgeValue;
    /// The edge value for graphs that have no edge values.
    const EDGE_DEFAULT: Self::EdgeValue;
    /// Values that are gathered in registers for one receiver.
    type Gathered: Copy;

    /// Computes the contribution of a source.
    fn hand<'a, P: Memory>(
        a: &<Self::Attributes as Attributes>::View<'a, P>,
        gts: Context<'a>,
        src: Vertex,
    ) -> Self::Handed;

    /// Returns the initial values for a receiver.
    fn begin<'a, P: Memory>(a: &<Self::Attributes as Attributes>::View<'a, P>, dst: Vertex) -> Self::Gathered;

    /// Runs the body for one edge.
    fn gather<'a, P: Memory>(
        a: &<Self::Attributes as Attributes>::View<'a, P>,
        gts: Context<'a>,
        handed: Self::Handed,
        src: Vertex,
        dst: Vertex,
        e: Self::EdgeValue,
        gathered: &mut Self::Gathered,
    );

    /// Merges the gathered values into the receiver.
    fn settle<'a, P: Memory>(
        a: &<Self::Attributes as Attributes>::View<'a, P>,
        gts: Context<'a>,
        dst: Vertex,
        gathered: Self::Gathered,
    );
}

/// A range of edges in a page of receivers, which one call processes.
#[derive(Clone, Debug)]
pub struct Receivers<'a> {
    /// A page of the opposite topology.
    pub page: PageView<'a>,
    /// The range of entries to process.
    pub entries: Range<u32>,
    /// Whether other threads may process further edges of these receivers.
    pub shared: bool,
}

/// A type-erased pulling kernel.
pub trait PullPass: Send + Sync {
    /// Returns the size of a contribution in bytes. Contributions are aligned to at most 8 bytes.
    fn handed_bytes(&self) -> usize;

    /// Computes the contribution of each vertex in a range.
    ///
    /// # Safety
    ///
    /// The columns must match the kernel's schema and a graph with these vertices. Vertex numbers must be stored in 8
    /// bytes if `wide` is set, otherwise in 4. `handed` must point to [`PullPass::handed_bytes`] bytes per vertex of
    /// the graph. No other thread may access the contributions of `vertices` during this call.
    unsafe fn hand(&self, vertices: Range<u64>, handed: RawColumn, wide: bool, columns: &[RawColumn], gts: Context<'_>);

    /// Runs the body for entries of a page of the opposite topology. If `handed` is `None`, computes the source's
    /// contribution at each edge.
    ///
    /// # Safety
    ///
    /// The columns must meet the requirements of [`PullPass::hand`]. If there is a `handed` column, [`PullPass::hand`]
    /// must have been called for every vertex, and no thread may write the column during this call. Unless
    /// [`Receivers::shared`] is set, no other thread may access the receivers.
    unsafe fn run(
        &self,
        receivers: Receivers<'_>,
        handed: Option<RawColumn>,
        wide: bool,
        columns: &[RawColumn],
        gts: Context<'_>,
    );
}

/// The [`PullPass`] of a pulling kernel on the CPU.
#[derive(Debug)]
pub struct NativePull<K>(pub K);

/// Visits the receivers' lists. If `AT_EDGE` is set, computes the source's contribution at each edge and never reads
/// `handed`.
struct Receiver<'a, K: PullKernel, P: Memory, const AT_EDGE: bool> {
    view: <K::Attributes as Attributes>::View<'a, P>,
    /// The same columns, unless other threads may update the receivers, too.
    owned: Option<<K::Attributes as Attributes>::View<'a, Replica<P::VertexWord>>>,
    gts: Context<'a>,
    handed: *const K::Handed,
    gathered: Option<K::Gathered>,
}

impl<K: PullKernel, P: Memory, const AT_EDGE: bool> EdgeVisitor<K::EdgeValue> for Receiver<'_, K, P, AT_EDGE> {
    type Source = ();

    #[inline(always)]
    fn begin(&mut self, dst: Vertex) -> Option<()> {
        self.gathered = Some(K::begin::<P>(&self.view, dst));
        Some(())
    }

    #[inline(always)]
    fn edge(&mut self, (): (), dst: Vertex, src: Vertex, value: K::EdgeValue) {
        let handed = match AT_EDGE {
            true => K::hand::<P>(&self.view, self.gts, src),
            // SAFETY: the caller of `NativePull::run` guarantees one element per vertex of the graph.
            false => unsafe { *self.handed.add(src.dense() as usize) },
        };
        if let Some(gathered) = &mut self.gathered {
            K::gather::<P>(&self.view, self.gts, handed, src, dst, value, gathered);
        }
    }

    #[inline(always)]
    fn end(&mut self, dst: Vertex) {
        if let Some(gathered) = self.gathered {
            match &self.owned {
                Some(owned) => K::settle(owned, self.gts, dst, gathered),
                None => K::settle(&self.view, self.gts, dst, gathered),
            }
        }
    }
}

/// The work of a pulling kernel on a range of sources: the computation of their contributions.
struct Handing<'a, K> {
    vertices: Range<u64>,
    handed: RawColumn,
    columns: &'a [RawColumn],
    gts: Context<'a>,
    kernel: PhantomData<K>,
}

impl<K: PullKernel> Work for Handing<'_, K> {
    type Attributes = K::Attributes;
    const KINDS: CompiledKinds = CompiledKinds::ONE;

    unsafe fn on<P: Memory>(self) {
        let Self { vertices, handed, columns, gts, .. } = self;
        // SAFETY: the caller upholds this function's contract.
        let columns = unsafe { Columns::<P>::new(columns) };
        let view = K::Attributes::bind(&columns);
        let handed = handed.base().cast::<K::Handed>();
        for v in vertices {
            let value = K::hand::<P>(&view, gts, Vertex::from_dense(v));
            // SAFETY: the caller of `NativePull::hand` guarantees one element per vertex, and that no other thread
            // accesses the elements of this range.
            unsafe { handed.add(v as usize).write(value) };
        }
    }
}

/// The work of a pulling kernel on one share of receivers.
struct Pulling<'a, K> {
    receivers: Receivers<'a>,
    handed: Option<RawColumn>,
    columns: &'a [RawColumn],
    gts: Context<'a>,
    kernel: PhantomData<K>,
}

/// A receiver is updated only once per list, so the loops are the same for all kinds of memory.
impl<K: PullKernel> Work for Pulling<'_, K> {
    type Attributes = K::Attributes;
    const KINDS: CompiledKinds = CompiledKinds::ONE;

    unsafe fn on<P: Memory>(self) {
        let Self { receivers: Receivers { page, entries, shared }, handed, columns, gts, .. } = self;
        // SAFETY: the view is used only if no other thread may update the receivers. The other view then only reads.
        let owned = unsafe { Columns::<Replica<P::VertexWord>>::new(columns) };
        // SAFETY: the caller upholds this function's contract.
        let columns = unsafe { Columns::<P>::new(columns) };
        let owned = (!shared).then(|| K::Attributes::bind(&owned));
        let (view, gathered) = (K::Attributes::bind(&columns), None);
        match handed.map(|handed| handed.base().cast_const().cast::<K::Handed>()) {
            Some(handed) => {
                let mut receiver = Receiver::<K, P, false> { view, owned, gts, handed, gathered };
                page.scan_quickly(entries, K::EDGE_DEFAULT, &mut receiver);
            }
            None => {
                let mut receiver = Receiver::<K, P, true> { view, owned, gts, handed: std::ptr::null(), gathered };
                page.scan_quickly(entries, K::EDGE_DEFAULT, &mut receiver);
            }
        }
    }
}

impl<K: PullKernel> PullPass for NativePull<K> {
    fn handed_bytes(&self) -> usize {
        const { assert!(align_of::<K::Handed>() <= 8) };
        size_of::<K::Handed>()
    }

    unsafe fn hand(
        &self,
        vertices: Range<u64>,
        handed: RawColumn,
        wide: bool,
        columns: &[RawColumn],
        gts: Context<'_>,
    ) {
        let work = Handing { vertices, handed, columns, gts, kernel: PhantomData::<K> };
        // SAFETY: the caller upholds this function's contract. The computation of contributions only reads the columns.
        unsafe { instance(work, MemoryKind::Shared, wide) }
    }

    unsafe fn run(
        &self,
        receivers: Receivers<'_>,
        handed: Option<RawColumn>,
        wide: bool,
        columns: &[RawColumn],
        gts: Context<'_>,
    ) {
        let work = Pulling { receivers, handed, columns, gts, kernel: PhantomData::<K> };
        // SAFETY: the caller upholds this function's contract.
        unsafe { instance(work, MemoryKind::Shared, wide) }
    }
}
