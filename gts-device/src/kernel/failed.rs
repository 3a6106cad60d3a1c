//! A stand-in for a kernel that the macro rejected, which prevents further compiler errors about the missing kernel.

use super::{
    Attributes, Context, EdgeKernel, EdgeNumber, Gather, GatherParts, IntersectKernel, Kernel, Memory, NativeVertex,
    Priority, PriorityParts, PriorityPass, PriorityValue, Scan, Traverse, VertexKernel,
};
use gts_contract::{Direction, KernelDescriptor, KernelFacts, KernelKind};
use gts_core::graph::Vertex;
use std::marker::PhantomData;

/// A type that implements the traits of all kernel kinds. If the kernel is a priority, `V` is the type of its values. A
/// program that contains a rejected kernel does not compile, so the functions of this type are never called.
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

impl<A: Attributes, V: 'static> Failed<A, V> {
    const NOTHING: KernelDescriptor = KernelDescriptor {
        name: "",
        schema: A::SCHEMA,
        kind: KernelKind::Scan,
        direction: Direction::Out,
        technique: None,
        ordered: false,
        facts: KernelFacts::OF_NOTHING,
        error_sites: &[],
        cuda: "",
        location: A::SCHEMA.location,
    };
}

#[diagnostic::do_not_recommend]
impl<A: Attributes, V: 'static> Kernel for Failed<A, V> {
    type Attributes = A;
}

#[diagnostic::do_not_recommend]
impl<A: Attributes, V: 'static> EdgeKernel for Failed<A, V> {
    const DESCRIPTOR: &'static KernelDescriptor = &Self::NOTHING;
    type Source = ();
    type EdgeValue = ();
    const EDGE_DEFAULT: () = ();

    fn begin<'a, P: Memory>(_: &A::View<'a, P>, _: Context<'a>, _: Vertex) -> Option<()> {
        None
    }

    fn edge<'a, P: Memory>(_: &A::View<'a, P>, _: Context<'a>, (): (), _: Vertex, _: Vertex, (): ()) {}
}

#[diagnostic::do_not_recommend]
impl<A: Attributes, V: 'static> Gather for Failed<A, V> {
    const PARTS: &'static GatherParts = &GatherParts {
        schema: A::SCHEMA,
        reductions: &[],
        block_descriptor: &Self::NOTHING,
        block: &NativeVertex(Self(PhantomData)),
    };
}

impl<A: Attributes, V: PriorityValue> Failed<A, V> {
    const NO_PASS: PriorityPass = PriorityPass { descriptor: &Self::NOTHING, pass: &NativeVertex(Self(PhantomData)) };
}

#[diagnostic::do_not_recommend]
impl<A: Attributes, V: PriorityValue> Priority for Failed<A, V> {
    type Value = V;
    const PARTS: &'static PriorityParts = &PriorityParts {
        far: 0,
        threshold: 0,
        least: 0,
        sift: Self::NO_PASS,
        find: Self::NO_PASS,
        bring: Self::NO_PASS,
    };
}

#[diagnostic::do_not_recommend]
impl<A: Attributes, V: 'static> Scan for Failed<A, V> {}
#[diagnostic::do_not_recommend]
impl<A: Attributes, V: 'static> Traverse for Failed<A, V> {}

#[diagnostic::do_not_recommend]
impl<A: Attributes, V: 'static> IntersectKernel for Failed<A, V> {
    const DESCRIPTOR: &'static KernelDescriptor = &Self::NOTHING;
    const COMMON: bool = false;
    const ORDERED: bool = false;

    fn meet<'a, P: Memory>(_: &A::View<'a, P>, _: Context<'a>, _: Vertex, _: Vertex, _: Vertex, _: EdgeNumber) {}
}

#[diagnostic::do_not_recommend]
impl<A: Attributes, V: 'static> VertexKernel for Failed<A, V> {
    const DESCRIPTOR: &'static KernelDescriptor = &Self::NOTHING;

    fn vertex<'a, P: Memory>(_: &A::View<'a, P>, _: Context<'a>, _: Vertex) {}
}
