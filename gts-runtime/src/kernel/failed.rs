//! What stands in the place of a kernel that its macro refused, so that one mistake gives one error.

use super::{
    Attributes, Context, EdgeKernel, EdgeNumber, Gather, GatherParts, IntersectKernel, Kernel, Memory, NativeVertex,
    Scan, Traverse, VertexKernel,
};
use gts_core::contract::{Class, Dependence, Direction, KernelDescriptor, KernelFacts, KernelKind, Limit};
use gts_core::graph::Vertex;
use std::marker::PhantomData;

/// A kernel of every kind. A program that names it does not compile, so none of it is ever called.
pub struct Failed<A>(PhantomData<fn() -> A>);

impl<A> Failed<A> {
    /// The kernel.
    #[allow(clippy::new_without_default, reason = "emitted code alone makes it")]
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}

impl<A> std::fmt::Debug for Failed<A> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Failed")
    }
}

impl<A: Attributes> Failed<A> {
    const NOTHING: KernelDescriptor = KernelDescriptor {
        name: "",
        schema: A::SCHEMA,
        kind: KernelKind::Scan,
        direction: Direction::Out,
        technique: None,
        facts: KernelFacts {
            uses: &[],
            class: Class::Ordered,
            replicable: Limit::Yes,
            splittable: Limit::Yes,
            source_filter: None,
            target_guard: None,
            target_guard_falls: false,
            merged: Dependence::Nothing,
            idempotent: true,
            activates: &[],
            approximate: false,
            reads_edge: false,
            reads_position: false,
            tallied: None,
            pulls: false,
            handed_bytes: 0,
        },
        error_sites: &[],
        cuda: "",
        location: A::SCHEMA.location,
    };
}

impl<A: Attributes> Kernel for Failed<A> {
    type Attributes = A;
}

impl<A: Attributes> EdgeKernel for Failed<A> {
    const DESCRIPTOR: &'static KernelDescriptor = &Self::NOTHING;
    type Source = ();
    type EdgeValue = ();
    const EDGE_DEFAULT: () = ();

    fn begin<'a, P: Memory>(_: &A::View<'a, P>, _: Context<'a>, _: Vertex) -> Option<()> {
        None
    }

    fn edge<'a, P: Memory>(_: &A::View<'a, P>, _: Context<'a>, (): (), _: Vertex, _: Vertex, (): ()) {}
}

impl<A: Attributes> Gather for Failed<A> {
    const PARTS: &'static GatherParts = &GatherParts {
        schema: A::SCHEMA,
        reductions: &[],
        block_descriptor: &Self::NOTHING,
        block: &NativeVertex(Self(PhantomData)),
    };
}

impl<A: Attributes> Scan for Failed<A> {}
impl<A: Attributes> Traverse for Failed<A> {}

impl<A: Attributes> IntersectKernel for Failed<A> {
    const DESCRIPTOR: &'static KernelDescriptor = &Self::NOTHING;
    const COMMON: bool = false;
    const ORDERED: bool = false;

    fn meet<'a, P: Memory>(_: &A::View<'a, P>, _: Context<'a>, _: Vertex, _: Vertex, _: Vertex, _: EdgeNumber) {}
}

impl<A: Attributes> VertexKernel for Failed<A> {
    const DESCRIPTOR: &'static KernelDescriptor = &Self::NOTHING;

    fn vertex<'a, P: Memory>(_: &A::View<'a, P>, _: Context<'a>, _: Vertex) {}
}
