//! The pulling form of a scan: each vertex gathers its neighbours' contributions in registers, and is written once.
//!
//! A pushing scan writes to a vertex for every edge, in no order. This form instead reads a value per edge, from memory
//! that is not written meanwhile. It visits the opposite topology, whose lists are those of the receivers. The
//! contribution of each source is computed beforehand, once per vertex.
#![allow(unsafe_code)]

use super::attributes::Attributes;
use super::column::{Columns, RawColumn};
use super::context::Context;
use super::instance::{Work, instance};
use super::pass::MemoryKind;
use super::scalar::Memory;
use gts_core::graph::Vertex;
use gts_core::page::{EdgeValue, EdgeVisitor, PageView};
use std::marker::PhantomData;
use std::ops::Range;

/// A scan that can pull: at `dst` it only merges values, and reads none of them.
pub trait PullKernel: Send + Sync + 'static {
    /// Its attribute struct.
    type Attributes: Attributes;
    /// The contribution of a source to each receiver.
    type Handed: Copy + Send + Sync;
    /// The type of the edge's value; `()` if the body reads none.
    type EdgeValue: EdgeValue;
    /// The value on a graph without edge values.
    const EDGE_DEFAULT: Self::EdgeValue;
    /// The gathered values of one receiver.
    type Gathered: Copy;

    /// Returns the contribution of a source.
    fn hand<'a, P: Memory>(
        a: &<Self::Attributes as Attributes>::View<'a, P>,
        gts: Context<'a>,
        src: Vertex,
    ) -> Self::Handed;

    /// Returns the state of a receiver before its first edge.
    fn begin<'a, P: Memory>(a: &<Self::Attributes as Attributes>::View<'a, P>, dst: Vertex) -> Self::Gathered;

    /// The body, for one edge.
    fn gather<'a, P: Memory>(
        a: &<Self::Attributes as Attributes>::View<'a, P>,
        gts: Context<'a>,
        handed: Self::Handed,
        src: Vertex,
        dst: Vertex,
        e: Self::EdgeValue,
        gathered: &mut Self::Gathered,
    );

    /// Merges the gathered value into the receiver.
    fn settle<'a, P: Memory>(a: &<Self::Attributes as Attributes>::View<'a, P>, dst: Vertex, gathered: Self::Gathered);
}

/// A part of a page's work: receivers and their lists.
#[derive(Clone, Debug)]
pub struct Receivers<'a> {
    /// A page of the opposite topology.
    pub page: PageView<'a>,
    /// Edges, by the indices of the page's entries.
    pub entries: Range<u32>,
    /// Whether another thread may process other edges of the same vertices.
    pub shared: bool,
}

/// A pulling kernel with its type erased.
pub trait PullPass: Send + Sync {
    /// Returns the bytes of a contribution, whose alignment is at most 8.
    fn handed_bytes(&self) -> usize;

    /// Computes the contributions of the vertices of a range.
    ///
    /// # Safety
    ///
    /// The columns must be those of the kernel's schema for a graph with these vertices, with vertex numbers in 8 bytes
    /// if `wide` and in 4 otherwise. `handed` must have [`PullPass::handed_bytes`] for each vertex of the graph, and no
    /// other thread may access those of the range.
    unsafe fn hand(&self, vertices: Range<u64>, handed: RawColumn, wide: bool, columns: &[RawColumn], gts: Context<'_>);

    /// Runs the body for entries of a page of the opposite topology. Without `handed` it computes the contribution of
    /// the source at each edge.
    ///
    /// # Safety
    ///
    /// As for [`PullPass::hand`], which must have been called for every vertex; `handed` must not be written meanwhile.
    /// Unless the vertices of these entries are shared, no other thread may access them.
    unsafe fn run(
        &self,
        receivers: Receivers<'_>,
        handed: Option<RawColumn>,
        wide: bool,
        columns: &[RawColumn],
        gts: Context<'_>,
    );
}

/// The [`PullPass`] of a kernel.
#[derive(Debug)]
pub struct NativePull<K>(pub K);

/// Visits the lists of receivers. `AT_EDGE` selects whether it computes the contribution of the source at each edge;
/// then `handed` is not read.
struct Receiver<'a, K: PullKernel, P: Memory, const AT_EDGE: bool> {
    view: <K::Attributes as Attributes>::View<'a, P>,
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
            // SAFETY: the caller of `NativePull::run` guarantees an element for each vertex of the graph.
            false => unsafe { *self.handed.add(src.dense() as usize) },
        };
        if let Some(gathered) = &mut self.gathered {
            K::gather::<P>(&self.view, self.gts, handed, src, dst, value, gathered);
        }
    }

    #[inline(always)]
    fn end(&mut self, dst: Vertex) {
        if let Some(gathered) = self.gathered {
            K::settle::<P>(&self.view, dst, gathered);
        }
    }
}

/// A range of vertices whose contributions are computed.
struct Handing<'a, K> {
    vertices: Range<u64>,
    handed: RawColumn,
    columns: &'a [RawColumn],
    gts: Context<'a>,
    kernel: PhantomData<K>,
}

impl<K: PullKernel> Work for Handing<'_, K> {
    type Attributes = K::Attributes;

    unsafe fn on<P: Memory>(self) {
        let Self { vertices, handed, columns, gts, .. } = self;
        // SAFETY: the caller guarantees this.
        let columns = unsafe { Columns::<P>::new(columns) };
        let view = K::Attributes::bind(&columns);
        let handed = handed.base().cast::<K::Handed>();
        for v in vertices {
            let value = K::hand::<P>(&view, gts, Vertex::from_dense(v));
            // SAFETY: the caller of `NativePull::hand` guarantees an element per vertex, which no other thread
            // accesses.
            unsafe { handed.add(v as usize).write(value) };
        }
    }
}

/// A share of the receivers' work.
struct Pulling<'a, K> {
    receivers: Receivers<'a>,
    handed: Option<RawColumn>,
    columns: &'a [RawColumn],
    gts: Context<'a>,
    kernel: PhantomData<K>,
}

impl<K: PullKernel> Work for Pulling<'_, K> {
    type Attributes = K::Attributes;

    unsafe fn on<P: Memory>(self) {
        let Self { receivers: Receivers { page, entries, .. }, handed, columns, gts, .. } = self;
        // SAFETY: the caller guarantees this.
        let columns = unsafe { Columns::<P>::new(columns) };
        let (view, gathered) = (K::Attributes::bind(&columns), None);
        match handed.map(|handed| handed.base().cast_const().cast::<K::Handed>()) {
            Some(handed) => {
                let mut receiver = Receiver::<K, P, false> { view, gts, handed, gathered };
                page.scan_quickly(entries, K::EDGE_DEFAULT, &mut receiver);
            }
            None => {
                let mut receiver = Receiver::<K, P, true> { view, gts, handed: std::ptr::null(), gathered };
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
        // SAFETY: the caller guarantees this; contributions are computed from columns that are only read.
        unsafe { instance(work, MemoryKind::Owned, wide) }
    }

    unsafe fn run(
        &self,
        receivers: Receivers<'_>,
        handed: Option<RawColumn>,
        wide: bool,
        columns: &[RawColumn],
        gts: Context<'_>,
    ) {
        let memory = if receivers.shared { MemoryKind::Shared } else { MemoryKind::Owned };
        let work = Pulling { receivers, handed, columns, gts, kernel: PhantomData::<K> };
        // SAFETY: the caller guarantees this.
        unsafe { instance(work, memory, wide) }
    }
}
