//! The kernel traits that the macros implement, and the loops over a share of a page, which are monomorphised for each
//! kernel.
#![allow(unsafe_code)]

use super::ahead::looks_ahead;
use super::attributes::Attributes;
use super::column::{Columns, RawColumn};
use super::context::{BitSet, Context};
use super::instance::{CompiledKinds, MemoryKind, Work, instance};
use super::lists::Pairs;
use super::oriented::Oriented;
use super::pull::PullPass;
use super::scalar::Memory;
use gts_contract::{KernelDescriptor, KernelKind};
use gts_core::graph::Vertex;
use gts_core::page::{EdgeValue, EdgeVisitor, PageView};
use std::marker::PhantomData;
use std::ops::Range;

/// A kernel by its name, as hosts pass it to a run: `run.scan(expand)`.
#[diagnostic::on_unimplemented(
    message = "this is not the name of a kernel",
    label = "not the name of a kernel",
    note = "write `#[gts_kernel(..)]` above the function, and pass its name without parentheses: `run.scan(expand)`"
)]
pub trait KernelName<K> {
    /// Returns the kernel.
    fn kernel(&self) -> K;
}

#[diagnostic::do_not_recommend]
impl<K: Kernel, F: Fn() -> K> KernelName<K> for F {
    fn kernel(&self) -> K {
        self()
    }
}

/// The kernel type of an implementation of [`KernelName`] that applies to no type.
#[derive(Debug)]
pub struct Nameless;

/// A trait that no type implements.
pub trait NeverImplemented {}

// With a single implementation, rustc would report that a plain function has the wrong number of parameters. With two
// that do not apply, it reports the text of `KernelName`.
#[diagnostic::do_not_recommend]
impl<F: NeverImplemented> KernelName<Nameless> for F {
    fn kernel(&self) -> Nameless {
        Nameless
    }
}

/// A kernel of any kind.
#[diagnostic::on_unimplemented(
    message = "this is no kernel",
    label = "not a kernel",
    note = "write `#[gts_kernel(..)]` above the function"
)]
pub trait Kernel: Send + Sync + 'static {
    /// The attribute struct that the kernel accesses.
    type Attributes: Attributes;
}

/// A kernel whose body runs for edges.
#[diagnostic::on_unimplemented(
    message = "this kernel does not run for edges",
    label = "expected a `#[gts_kernel(scan)]` or `#[gts_kernel(traverse)]`",
    note = "`run.scan` runs a `scan`; `run.advance` and `run.traverse` a `traverse`; `run.apply` and `run.apply_active` a \
            `vertex` kernel; `run.gather` and `run.gather_active` a `gather` kernel; `run.intersect` an `intersect` kernel; \
            `run.traverse_near` a `traverse` and a `priority`"
)]
pub trait EdgeKernel: Kernel {
    /// The kernel's descriptor.
    const DESCRIPTOR: &'static KernelDescriptor;
    /// Values that are computed once per visit to a vertex in a page.
    type Source: Copy;
    /// The type of the edge value, or `()` if the body does not read the value.
    type EdgeValue: EdgeValue;
    /// The edge value for graphs that have no edge values.
    const EDGE_DEFAULT: Self::EdgeValue;
    /// The pulling form of the kernel, if the macros emitted one.
    const PULL: Option<&'static dyn PullPass> = None;

    /// Prefetches the values of `dst` that the body accesses.
    fn expect<'a, P: Memory>(_a: &<Self::Attributes as Attributes>::View<'a, P>, _dst: Vertex) {}

    /// Computes the `Source` values before the first edge of a visit. `None` skips the vertex.
    fn begin<'a, P: Memory>(
        a: &<Self::Attributes as Attributes>::View<'a, P>,
        gts: Context<'a>,
        src: Vertex,
    ) -> Option<Self::Source>;

    /// Returns whether a further edge to `dst` may have an effect. Only pulling traversals call this function.
    #[inline(always)]
    fn wants<'a, P: Memory>(
        _a: &<Self::Attributes as Attributes>::View<'a, P>,
        _gts: Context<'a>,
        _dst: Vertex,
    ) -> bool {
        true
    }

    /// Runs the body for one edge.
    fn edge<'a, P: Memory>(
        a: &<Self::Attributes as Attributes>::View<'a, P>,
        gts: Context<'a>,
        source: Self::Source,
        src: Vertex,
        dst: Vertex,
        e: Self::EdgeValue,
    );
}

/// A kernel for `run.scan`.
#[diagnostic::on_unimplemented(
    message = "this kernel is no `scan`",
    label = "expected a `#[gts_kernel(scan)]`",
    note = "`run.scan` runs a `scan`; `run.advance` and `run.traverse` a `traverse`; `run.apply` and `run.apply_active` a \
            `vertex` kernel; `run.gather` and `run.gather_active` a `gather` kernel; `run.intersect` an `intersect` kernel; \
            `run.traverse_near` a `traverse` and a `priority`"
)]
pub trait Scan: EdgeKernel {}

/// A kernel for `run.advance` and `run.traverse`.
#[diagnostic::on_unimplemented(
    message = "this kernel is no `traverse`",
    label = "expected a `#[gts_kernel(traverse)]`",
    note = "`run.scan` runs a `scan`; `run.advance` and `run.traverse` a `traverse`; `run.apply` and `run.apply_active` a \
            `vertex` kernel; `run.gather` and `run.gather_active` a `gather` kernel; `run.intersect` an `intersect` kernel; \
            `run.traverse_near` a `traverse` and a `priority`"
)]
pub trait Traverse: EdgeKernel {}

/// A kernel for `run.apply` and `run.apply_active`.
#[diagnostic::on_unimplemented(
    message = "this is no vertex kernel",
    label = "expected a `#[gts_kernel(vertex)]`",
    note = "`run.scan` runs a `scan`; `run.advance` and `run.traverse` a `traverse`; `run.apply` and `run.apply_active` a \
            `vertex` kernel; `run.gather` and `run.gather_active` a `gather` kernel; `run.intersect` an `intersect` kernel; \
            `run.traverse_near` a `traverse` and a `priority`"
)]
pub trait VertexKernel: Kernel {
    /// The kernel's descriptor.
    const DESCRIPTOR: &'static KernelDescriptor;

    /// Runs the body for one vertex.
    fn vertex<'a, P: Memory>(a: &<Self::Attributes as Attributes>::View<'a, P>, gts: Context<'a>, v: Vertex);
}

/// A part of a pass that one call processes.
#[derive(Clone, Debug)]
pub enum Share<'a> {
    /// Edges of a page, by entry index. Used for scans and gather kernels.
    Entries(PageView<'a>, Range<u32>),
    /// The active vertices in a range of a page's vertices. Used for traversals and gather kernels.
    Active(PageView<'a>, Range<u64>, &'a BitSet),
    /// Edges in a page of the opposite topology, by entry index. Used for pulling traversals, which skip edges from
    /// inactive vertices.
    Receiving(PageView<'a>, Range<u32>, &'a BitSet),
    /// Edges of a page, with access to the lists of both ends. Used only for intersection kernels.
    Pairs(Pairs<'a>),
    /// Vertices by position in degree order. Used for ordered intersection kernels that do not update edge values.
    Places(&'a Oriented, Range<u32>),
}

/// A type-erased edge kernel. Each call processes one share.
pub trait EdgePass: Send + Sync {
    /// Returns the kernel's descriptor.
    fn descriptor(&self) -> &'static KernelDescriptor;

    /// Returns the kernel's pulling form, if the macros emitted one.
    fn pull(&self) -> Option<&'static dyn PullPass>;

    /// Returns whether this is an ordered intersection kernel, for which a session may lay out the lists in degree
    /// order.
    fn meets_in_order(&self) -> bool {
        false
    }

    /// Runs the body for the edges of a share.
    ///
    /// # Safety
    ///
    /// The columns must match the kernel's schema and the graph of the share. Vertex numbers must be stored in 8 bytes
    /// if `wide` is set, otherwise in 4. For `MemoryKind::Owned`, no other thread may write the elements that this
    /// thread writes. For `MemoryKind::OwnedWide`, each f32 column that the kernel writes must contain f64 sums, and
    /// the kernel must not read these columns.
    unsafe fn run(&self, share: Share<'_>, memory: MemoryKind, wide: bool, columns: &[RawColumn], gts: Context<'_>);
}

/// A type-erased vertex kernel. Each call processes one range of vertices.
pub trait VertexPass: Send + Sync {
    /// Returns the kernel's descriptor.
    fn descriptor(&self) -> &'static KernelDescriptor;

    /// Runs the body for the vertices in a range. If `active` is set, skips the vertices that are not in the set.
    ///
    /// # Safety
    ///
    /// See [`EdgePass::run`].
    unsafe fn run(
        &self,
        vertices: Range<u64>,
        active: Option<&BitSet>,
        memory: MemoryKind,
        wide: bool,
        columns: &[RawColumn],
        gts: Context<'_>,
    );
}

/// The [`EdgePass`] of an edge kernel on the CPU.
#[derive(Debug)]
pub struct NativeEdge<K>(pub K);

/// The [`VertexPass`] of a vertex kernel on the CPU.
#[derive(Debug)]
pub struct NativeVertex<K>(pub K);

struct Visitor<'a, K: EdgeKernel, P: Memory> {
    view: <K::Attributes as Attributes>::View<'a, P>,
    gts: Context<'a>,
    kernel: PhantomData<K>,
}

impl<K: EdgeKernel, P: Memory> EdgeVisitor<K::EdgeValue> for Visitor<'_, K, P> {
    type Source = K::Source;

    #[inline(always)]
    fn begin(&mut self, src: Vertex) -> Option<K::Source> {
        K::begin::<P>(&self.view, self.gts, src)
    }

    const MAY_LOOK_AHEAD: bool = K::DESCRIPTOR.uses_target() && !K::DESCRIPTOR.facts.reads_position;

    #[inline(always)]
    fn looks_ahead(&self) -> bool {
        looks_ahead(self.gts)
    }

    #[inline(always)]
    fn expect(&self, dst: Vertex) {
        K::expect::<P>(&self.view, dst);
    }

    #[inline(always)]
    fn at(&mut self, position: u64) {
        self.gts.position = position;
    }

    #[inline(always)]
    fn edge(&mut self, source: K::Source, src: Vertex, dst: Vertex, value: K::EdgeValue) {
        K::edge::<P>(&self.view, self.gts, source, src, dst, value);
        if const { K::DESCRIPTOR.facts.reads_position } {
            self.gts.position += 1;
        }
    }
}

/// Visits the pages of a pulling traversal. The vertices in these pages are the targets of the traversed edges.
struct Receiver<'a, K: EdgeKernel, P: Memory> {
    view: <K::Attributes as Attributes>::View<'a, P>,
    gts: Context<'a>,
    active: &'a BitSet,
    enough: bool,
    kernel: PhantomData<K>,
}

impl<K: EdgeKernel, P: Memory> EdgeVisitor<K::EdgeValue> for Receiver<'_, K, P> {
    type Source = ();

    #[inline(always)]
    fn begin(&mut self, dst: Vertex) -> Option<()> {
        self.enough = false;
        K::wants::<P>(&self.view, self.gts, dst).then_some(())
    }

    #[inline(always)]
    fn edge(&mut self, (): (), dst: Vertex, src: Vertex, value: K::EdgeValue) {
        if self.active.contains(src)
            && let Some(source) = K::begin::<P>(&self.view, self.gts, src)
        {
            K::edge::<P>(&self.view, self.gts, source, src, dst, value);
            self.enough = !K::wants::<P>(&self.view, self.gts, dst);
        }
    }

    #[inline(always)]
    fn enough(&self) -> bool {
        self.enough
    }
}

/// The work of an edge kernel on one share.
struct Edges<'a, K> {
    share: Share<'a>,
    columns: &'a [RawColumn],
    gts: Context<'a>,
    kernel: PhantomData<K>,
}

impl<K: EdgeKernel> Work for Edges<'_, K> {
    type Attributes = K::Attributes;
    const KINDS: CompiledKinds = CompiledKinds::of_edges(K::DESCRIPTOR);

    unsafe fn on<P: Memory>(self) {
        let Self { share, columns, gts, kernel } = self;
        // SAFETY: the caller upholds this function's contract.
        let columns = unsafe { Columns::<P>::new(columns) };
        let view = K::Attributes::bind(&columns);
        let (places, default) = (gts.neighbours.places(), K::EDGE_DEFAULT);
        let mut visitor = Visitor::<K, P> { view, gts, kernel };
        // The compiler omits the loops for other kinds of kernels, because the conditions are constants.
        if const { matches!(K::DESCRIPTOR.kind, KernelKind::Traverse) } {
            match share {
                Share::Active(page, vertices, active) => {
                    page.visit_each(active.iter(vertices), &places, default, &mut visitor);
                }
                Share::Receiving(page, entries, active) => {
                    if const { K::DESCRIPTOR.facts.pulls } {
                        page.scan(entries, default, &mut Receiver { view, gts, active, enough: false, kernel });
                    }
                }
                Share::Entries(..) | Share::Pairs(_) | Share::Places(..) => {}
            }
        } else if let Share::Entries(page, entries) = share {
            let some = const { K::DESCRIPTOR.facts.reads_position } || !gts.neighbours.is_all();
            page.scan_within(entries, some.then_some(&places), default, &mut visitor);
        }
    }
}

impl<K: EdgeKernel> EdgePass for NativeEdge<K> {
    fn descriptor(&self) -> &'static KernelDescriptor {
        K::DESCRIPTOR
    }

    fn pull(&self) -> Option<&'static dyn PullPass> {
        K::PULL
    }

    unsafe fn run(&self, share: Share<'_>, memory: MemoryKind, wide: bool, columns: &[RawColumn], gts: Context<'_>) {
        let work = Edges { share, columns, gts, kernel: PhantomData::<K> };
        // SAFETY: the caller upholds this function's contract.
        unsafe { instance(work, memory, wide) }
    }
}

/// The work of a vertex kernel on a range of vertices.
struct Vertices<'a, K> {
    vertices: Range<u64>,
    active: Option<&'a BitSet>,
    columns: &'a [RawColumn],
    gts: Context<'a>,
    kernel: PhantomData<K>,
}

impl<K: VertexKernel> Work for Vertices<'_, K> {
    type Attributes = K::Attributes;
    const KINDS: CompiledKinds = CompiledKinds::of_vertices(K::DESCRIPTOR);

    unsafe fn on<P: Memory>(self) {
        let Self { vertices, active, columns, gts, .. } = self;
        // SAFETY: the caller upholds this function's contract.
        let columns = unsafe { Columns::<P>::new(columns) };
        let view = K::Attributes::bind(&columns);
        match active {
            Some(active) => active.iter(vertices).for_each(|v| K::vertex::<P>(&view, gts, v)),
            None => vertices.for_each(|v| K::vertex::<P>(&view, gts, Vertex::from_dense(v))),
        }
    }
}

impl<K: VertexKernel> VertexPass for NativeVertex<K> {
    fn descriptor(&self) -> &'static KernelDescriptor {
        K::DESCRIPTOR
    }

    unsafe fn run(
        &self,
        vertices: Range<u64>,
        active: Option<&BitSet>,
        memory: MemoryKind,
        wide: bool,
        columns: &[RawColumn],
        gts: Context<'_>,
    ) {
        let work = Vertices { vertices, active, columns, gts, kernel: PhantomData::<K> };
        // SAFETY: the caller upholds this function's contract.
        unsafe { instance(work, memory, wide) }
    }
}
