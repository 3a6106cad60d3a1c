//! Stand-ins for kernels that the macro rejected. They prevent further compiler errors about the missing kernels.

use super::{
    Attributes, Context, EdgeKernel, EdgeNumber, Gather, GatherParts, IntersectKernel, Kernel, Memory, NativeVertex,
    Priority, PriorityParts, PriorityPass, PriorityValue, Scan, Traverse, VertexKernel,
};
use gts_contract::{Direction, KernelDescriptor, KernelFacts, KernelKind};
use gts_core::graph::Vertex;
use std::marker::PhantomData;

/// A kernel that the macro rejected. The kernel implements the traits of all kernel kinds. A program that contains such
/// a kernel does not compile, so the functions of these traits are never called.
#[doc(hidden)]
pub trait Rejected: Send + Sync + 'static {
    /// The attribute struct that the kernel accesses.
    type Of: Attributes;
    /// If the kernel is a priority, the type of its values.
    type Number: 'static;
}

/// A rejected kernel that is not generic. If the kernel is a priority, `V` is the type of its values.
pub struct Failed<A, V = u32>(PhantomData<fn() -> (A, V)>);

impl<A, V> Failed<A, V> {
    /// Creates the stand-in.
    #[allow(clippy::new_without_default, reason = "emitted code alone makes it")]
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}

impl<A, V> std::fmt::Debug for Failed<A, V> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Failed")
    }
}

impl<A: Attributes, V: 'static> Rejected for Failed<A, V> {
    type Of = A;
    type Number = V;
}

/// The constants that the traits of a rejected kernel require.
struct NothingOf<K>(PhantomData<fn() -> K>);

impl<K: Rejected> NothingOf<K> {
    const DESCRIPTOR: KernelDescriptor = KernelDescriptor {
        name: "",
        function: "",
        schema: K::Of::SCHEMA,
        kind: KernelKind::Scan,
        direction: Direction::Out,
        technique: None,
        ordered: false,
        facts: KernelFacts::OF_NOTHING,
        error_sites: &[],
        cuda: "",
        location: K::Of::SCHEMA.location,
    };
    const KERNEL: Failed<K::Of, K::Number> = Failed::new();
    const PASS: PriorityPass = PriorityPass { descriptor: &Self::DESCRIPTOR, pass: &NativeVertex(Self::KERNEL) };
}

#[diagnostic::do_not_recommend]
impl<K: Rejected> Kernel for K {
    type Attributes = K::Of;
}

#[diagnostic::do_not_recommend]
impl<K: Rejected> EdgeKernel for K {
    const DESCRIPTOR: &'static KernelDescriptor = &NothingOf::<K>::DESCRIPTOR;
    type Source = ();
    type EdgeValue = ();
    const EDGE_DEFAULT: () = ();

    fn begin<'a, P: Memory>(_: &<K::Of as Attributes>::View<'a, P>, _: Context<'a>, _: Vertex) -> Option<()> {
        None
    }

    fn edge<'a, P: Memory>(
        _: &<K::Of as Attributes>::View<'a, P>,
        _: Context<'a>,
        (): (),
        _: Vertex,
        _: Vertex,
        (): (),
    ) {
    }
}

#[diagnostic::do_not_recommend]
impl<K: Rejected> Gather for K {
    const PARTS: &'static GatherParts = &GatherParts {
        schema: K::Of::SCHEMA,
        reductions: &[],
        block_descriptor: &NothingOf::<K>::DESCRIPTOR,
        block: &NativeVertex(NothingOf::<K>::KERNEL),
    };
}

#[diagnostic::do_not_recommend]
impl<K: Rejected<Number: PriorityValue>> Priority for K {
    type Value = K::Number;
    const PARTS: &'static PriorityParts = &PriorityParts {
        far: 0,
        threshold: 0,
        least: 0,
        sift: NothingOf::<K>::PASS,
        find: NothingOf::<K>::PASS,
        bring: NothingOf::<K>::PASS,
    };
}

#[diagnostic::do_not_recommend]
impl<K: Rejected> Scan for K {}
#[diagnostic::do_not_recommend]
impl<K: Rejected> Traverse for K {}

#[diagnostic::do_not_recommend]
impl<K: Rejected> IntersectKernel for K {
    const DESCRIPTOR: &'static KernelDescriptor = &NothingOf::<K>::DESCRIPTOR;
    const COMMON: bool = false;
    const ORDERED: bool = false;

    fn meet<'a, P: Memory>(
        _: &<K::Of as Attributes>::View<'a, P>,
        _: Context<'a>,
        _: Vertex,
        _: Vertex,
        _: Vertex,
        _: EdgeNumber,
    ) {
    }
}

#[diagnostic::do_not_recommend]
impl<K: Rejected> VertexKernel for K {
    const DESCRIPTOR: &'static KernelDescriptor = &NothingOf::<K>::DESCRIPTOR;

    fn vertex<'a, P: Memory>(_: &<K::Of as Attributes>::View<'a, P>, _: Context<'a>, _: Vertex) {}
}
