//! Kernels as data: the macros' findings about a body, and its CUDA C.

use super::{AttributeKind, Merge, ScalarType, Schema, Side, SourceLocation, Technique};

/// The elements of the graph for which a kernel's body runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KernelKind {
    /// Every edge.
    Scan,
    /// Every edge of every active vertex.
    Traverse,
    /// Every vertex, or every active one.
    Vertex,
    /// Every neighbour of a vertex, or every two neighbours with an edge between them.
    Intersect,
}

impl KernelKind {
    /// Returns whether the body runs for edges.
    pub const fn has_edges(self) -> bool {
        matches!(self, Self::Scan | Self::Traverse)
    }

    /// Returns the name in a kernel's attribute.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Scan => "scan",
            Self::Traverse => "traverse",
            Self::Vertex => "vertex",
            Self::Intersect => "intersect",
        }
    }
}

/// The topology that an edge kernel walks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Edges from their source; `dst` is the out-neighbour.
    Out,
    /// Edges from their target; `dst` is the in-neighbour.
    In,
    /// Out-edges, then in-edges. [`KernelDescriptor::sides`] returns the sides that a kernel walks in a symmetric
    /// graph.
    Both,
}

/// The vertex at which a body accesses an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Site {
    /// The page's own vertex.
    Src,
    /// The neighbour.
    Dst,
    /// The vertex of a vertex kernel.
    V,
    /// The common neighbour found by an intersecting kernel.
    Common,
    /// A vertex made from a number.
    Computed,
    /// No vertex: params, globals and edge values.
    None,
}

/// An access of a body to an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Access {
    /// Reads the value.
    Read,
    /// Stores a value.
    Store,
    /// Updates the value by the attribute's merge.
    Merge,
    /// Updates the value by another atomic operation.
    Atomic,
}

/// One use of an attribute in a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AttributeUse {
    /// Index in the schema.
    pub attribute: usize,
    /// The vertex.
    pub site: Site,
    /// The access.
    pub access: Access,
    /// The first place of this use.
    pub location: SourceLocation,
}

/// One use of a vertex's degree in a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DegreeUse {
    /// The topology whose edges are counted.
    pub side: Side,
    /// The vertex.
    pub site: Site,
    /// The first place of this use.
    pub location: SourceLocation,
}

/// The degree to which the results of a kernel depend on the order of its threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    /// The results are the same after every step on every device.
    Ordered,
    /// The results are the same at the fixpoint.
    Monotone,
    /// No guarantee.
    Racy,
}

impl Class {
    /// Returns the lower-case name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ordered => "ordered",
            Self::Monotone => "monotone",
            Self::Racy => "racy",
        }
    }
}

/// The inputs of the values merged at `dst`. Each variant includes the inputs of the earlier ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Dependence {
    /// Nothing is merged at `dst`.
    Nothing,
    /// Constants, params and the step.
    Constant,
    /// The source vertex.
    Src,
    /// The edge's value.
    Edge,
    /// The target's own values.
    Dst,
}

/// The steps of a traversal that a device may run without the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StepLoop {
    /// One: the host begins each step.
    No,
    /// All of them, if each step sees the writes of the step before: the body activates only `dst`, and uses no value
    /// that the host supplies between two steps.
    InOrder,
    /// All of them, without an order between the writes of two steps. The body runs at most once per `dst`. Its only
    /// condition is a guard on `dst` that its own store makes false for good, and it reads what it writes at no other
    /// vertex. So a device may claim `dst` before the body runs.
    Claiming,
}

impl StepLoop {
    /// Returns the lower-case name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::No => "no",
            Self::InOrder => "in order",
            Self::Claiming => "claiming",
        }
    }
}

/// Whether a kernel has a property, and if not, the first place that rules it out. The macros keep the place as a span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit<Why = &'static str, Place = SourceLocation> {
    /// The kernel has the property.
    Yes,
    /// The kernel does not have the property.
    No {
        /// The reason, as half a sentence.
        why: Why,
        /// The place.
        location: Place,
    },
}

impl<Why, Place> Limit<Why, Place> {
    /// Returns whether the property holds.
    pub const fn holds(&self) -> bool {
        matches!(self, Self::Yes)
    }
}

/// A run-time error of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorWhat {
    /// Integer division by zero.
    DivisionByZero,
    /// Integer remainder by zero.
    RemainderByZero,
    /// The smallest integer divided by -1, or its remainder.
    DivisionOverflow,
    /// An index beyond an array.
    IndexOutOfRange,
    /// A number outside the graph's vertices.
    NotAVertex,
}

impl ErrorWhat {
    /// Returns a description of the error.
    pub const fn text(self) -> &'static str {
        match self {
            Self::DivisionByZero => "integer division by zero",
            Self::RemainderByZero => "integer remainder by zero",
            Self::DivisionOverflow => "division of the smallest integer by -1",
            Self::IndexOutOfRange => "array index out of range",
            Self::NotAVertex => "no vertex of the graph",
        }
    }
}

/// A place of a body where a run-time error can occur. Bodies report the place's index and the offending value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ErrorSite {
    /// The error.
    pub what: ErrorWhat,
    /// The place.
    pub location: SourceLocation,
}

/// Facts that the macro derived from a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelFacts {
    /// Every use of an attribute, without duplicates.
    pub uses: &'static [AttributeUse],
    /// Every use of a degree, without duplicates.
    pub degrees: &'static [DegreeUse],
    /// The degree to which the results depend on the order of threads.
    pub class: Class,
    /// Whether WA is written only by its declared merge, so that replicas can be merged.
    pub replicable: Limit,
    /// Whether WA is read and written only at dst and read at src, so that WA can be split.
    pub splittable: Limit,
    /// The condition on src that is hoisted out of the edge loop, as Rust text.
    pub source_filter: Option<&'static str>,
    /// The condition on dst that guards the body, as Rust text.
    pub target_guard: Option<&'static str>,
    /// Whether the body's own constant store makes the guard false.
    pub target_guard_falls: bool,
    /// The inputs of the values merged at dst.
    pub merged: Dependence,
    /// Whether a second visit of the same edge changes nothing.
    pub idempotent: bool,
    /// The activated vertices.
    pub activates: &'static [Site],
    /// Whether the body activates, at `dst`, every vertex whose values it changes; false except for edge kernels.
    /// Replicas that are equal before a step then differ after it only at activated vertices.
    ///
    /// For compared floats, as in `fetch_min(x) > x`, this assumes that none is NaN before the kernel runs, and treats
    /// -0.0 and +0.0 as one value. The update replaces NaN and distinguishes the zeros, but the comparison is false for
    /// both.
    pub changes_activated: bool,
    /// Whether the body calls functions whose last bits may differ between devices.
    pub approximate: bool,
    /// Whether the body reads the edge's value.
    pub reads_edge: bool,
    /// Whether the body reads the edge's position in the list of its source.
    pub reads_position: bool,
    /// The attribute at src that stores the most frequent of the values counted per vertex.
    pub tallied: Option<usize>,
    /// Whether the kernel has a form that walks the opposite topology. The form of a scan gathers the values merged at
    /// `dst` in registers. The form of a traversal searches the list of each candidate `dst` for active vertices.
    pub pulls: bool,
    /// Upper bound on the bytes that a source passes to its edges if the kernel pulls, computed once per vertex
    /// beforehand.
    pub handed_bytes: usize,
    /// The steps that a device may run without the host; one except for traversals.
    pub step_loop: StepLoop,
}

impl KernelFacts {
    /// The facts of a body that reads and writes nothing.
    pub const OF_NOTHING: Self = Self {
        uses: &[],
        degrees: &[],
        class: Class::Ordered,
        replicable: Limit::Yes,
        splittable: Limit::Yes,
        source_filter: None,
        target_guard: None,
        target_guard_falls: false,
        merged: Dependence::Nothing,
        idempotent: true,
        activates: &[],
        changes_activated: true,
        approximate: false,
        reads_edge: false,
        reads_position: false,
        tallied: None,
        pulls: false,
        handed_bytes: 0,
        step_loop: StepLoop::No,
    };
}

/// One kernel, for one choice of its struct's type parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelDescriptor {
    /// The kernel's name.
    pub name: &'static str,
    /// The struct that the kernel works on.
    pub schema: &'static Schema,
    /// The elements for which the body runs.
    pub kind: KernelKind,
    /// The topology that the kernel walks; `Out` for vertex kernels.
    pub direction: Direction,
    /// The technique that the kernel's author fixed, if any.
    pub technique: Option<Technique>,
    /// Whether an intersecting kernel visits each triangle once, by ascending degree.
    pub ordered: bool,
    /// Facts that the macro derived from the body.
    pub facts: KernelFacts,
    /// Places where a run-time error can occur.
    pub error_sites: &'static [ErrorSite],
    /// The kernel's own CUDA C. The runtime joins it with the prelude and the encoding's accessors.
    pub cuda: &'static str,
    /// The kernel's place in the source.
    pub location: SourceLocation,
}

impl KernelDescriptor {
    /// Returns the type of the edge values that the struct declares.
    pub fn edge_value(&self) -> Option<ScalarType> {
        let declared = |kind| matches!(kind, AttributeKind::Edge { .. });
        self.schema.attributes.iter().find(|attribute| declared(attribute.kind)).map(|attribute| attribute.ty.scalar)
    }

    /// Returns the sides of a graph whose topologies an edge kernel walks, in order; none for a vertex kernel. In a
    /// symmetric graph both sides have the same edges: a kernel with direction `Both` walks only one side if a second
    /// visit of an edge changes nothing.
    pub fn sides(&self, symmetric: bool) -> &'static [Side] {
        let once = symmetric && (self.kind == KernelKind::Intersect || self.facts.idempotent);
        match (self.kind, self.direction) {
            (KernelKind::Vertex, _) => &[],
            (_, Direction::Out) => &[Side::Out],
            (_, Direction::In) => &[Side::In],
            (_, Direction::Both) if once => &[Side::Out],
            (_, Direction::Both) => &[Side::Out, Side::In],
        }
    }

    /// Returns whether steps may search the list of each candidate `dst` for active vertices, and leave the list as
    /// soon as the guard is false.
    pub fn leaves_lists_early(&self) -> bool {
        self.kind == KernelKind::Traverse && self.facts.pulls && self.facts.target_guard_falls
    }

    /// Returns whether the kernel adds to values at the far end of edges.
    pub fn sums_at_target(&self) -> bool {
        let is_sum = |used: &AttributeUse| {
            let kind = self.schema.attributes[used.attribute].kind;
            used.site == Site::Dst
                && used.access == Access::Merge
                && matches!(kind, AttributeKind::Wa { merge: Merge::Sum, .. })
        };
        self.facts.uses.iter().any(is_sum)
    }

    /// Returns whether this is a vertex kernel that updates only its own vertex. It may update globals.
    pub fn updates_its_own_vertex(&self) -> bool {
        let elsewhere = |used: &AttributeUse| used.access != Access::Read && !matches!(used.site, Site::V | Site::None);
        self.kind == KernelKind::Vertex && !self.facts.uses.iter().any(elsewhere)
    }

    /// Returns whether the kernel updates values of edges, which requires the number of each edge.
    pub fn updates_edges(&self) -> bool {
        let of_edges =
            |attribute: usize| matches!(self.schema.attributes[attribute].kind, AttributeKind::EdgeWa { .. });
        self.facts.uses.iter().any(|used| of_edges(used.attribute))
    }
}
