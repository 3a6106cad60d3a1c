//! Kernels as data: what the macros found out about a body, and its CUDA C.

use super::{AttributeKind, Merge, Schema, Side, SourceLocation, Technique};

/// What a kernel's body runs for.
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

    /// Returns the word for it in a kernel's attribute.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Scan => "scan",
            Self::Traverse => "traverse",
            Self::Vertex => "vertex",
            Self::Intersect => "intersect",
        }
    }
}

/// Which topology an edge kernel walks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Edges from their source; `dst` is the out-neighbour.
    Out,
    /// Edges from their target; `dst` is the in-neighbour.
    In,
    /// One after the other: out, then in. [`KernelDescriptor::sides`] tells which of them a kernel walks in a symmetric graph.
    Both,
}

/// At which vertex a body touches an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Site {
    /// The page's own vertex.
    Src,
    /// The neighbour.
    Dst,
    /// The vertex of a vertex kernel.
    V,
    /// The common neighbour that an intersecting kernel meets.
    Common,
    /// A vertex made from a number.
    Computed,
    /// No vertex: params, globals and edge values.
    None,
}

/// What a body does to an attribute at a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Access {
    /// Reads it.
    Read,
    /// Stores a value.
    Store,
    /// Updates it by its declared merge.
    Merge,
    /// Updates it by another atomic operation.
    Atomic,
}

/// One use of an attribute in a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AttributeUse {
    /// Index in the schema.
    pub attribute: usize,
    /// At which vertex.
    pub site: Site,
    /// What is done.
    pub access: Access,
    /// Where this is done first.
    pub location: SourceLocation,
}

/// One use of the number of a vertex's edges in a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DegreeUse {
    /// The topology whose edges are counted.
    pub side: Side,
    /// At which vertex.
    pub site: Site,
    /// Where the body asks for it first.
    pub location: SourceLocation,
}

/// What an answer of a kernel may depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    /// The same after every step on every device.
    Ordered,
    /// The same at the fixpoint.
    Monotone,
    /// Nothing is promised.
    Racy,
}

impl Class {
    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ordered => "ordered",
            Self::Monotone => "monotone",
            Self::Racy => "racy",
        }
    }
}

/// What the values merged at `dst` are made of. A later variant may use all that the earlier ones use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Dependence {
    /// Nothing is merged at `dst`.
    Nothing,
    /// Constants, params and the step alone.
    Constant,
    /// The source vertex and the above.
    Src,
    /// The edge's value and the above.
    Edge,
    /// The target's own values and the above.
    Dst,
}

/// How many steps of a traversal a device may run one after the other by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StepLoop {
    /// One: the host begins each step.
    No,
    /// All of them, where each step sees what the step before wrote: the body activates `dst` alone, and nothing that it
    /// asks for comes from the host between two steps.
    InOrder,
    /// The same without an order between the writes of two steps: the body runs at most once for each `dst`. Its only
    /// condition is a guard on `dst` that its own store ends for good, and it reads at no other vertex what it writes. So
    /// a device may claim `dst` before the body runs.
    Claiming,
}

impl StepLoop {
    /// Returns the word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::No => "no",
            Self::InOrder => "in order",
            Self::Claiming => "claiming",
        }
    }
}

/// Whether a kernel has a property, and if not, the first place that takes it away. The macros keep the place as a span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit<Why = &'static str, Place = SourceLocation> {
    /// It has.
    Yes,
    /// It has not.
    No {
        /// Why, in half a sentence.
        why: Why,
        /// Where.
        location: Place,
    },
}

impl<Why, Place> Limit<Why, Place> {
    /// Returns whether the property holds.
    pub const fn holds(&self) -> bool {
        matches!(self, Self::Yes)
    }
}

/// What a kernel can do wrong at a place of its body.
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
    /// A number that is no vertex of the graph.
    NotAVertex,
}

impl ErrorWhat {
    /// What happened, in words.
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
    /// What can happen.
    pub what: ErrorWhat,
    /// Where.
    pub location: SourceLocation,
}

/// What the macro read out of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelFacts {
    /// Every use of an attribute, each once.
    pub uses: &'static [AttributeUse],
    /// Every use of a degree, each once.
    pub degrees: &'static [DegreeUse],
    /// What its answer may depend on.
    pub class: Class,
    /// WA is written only by its declared merge, so that replicas can be merged.
    pub replicable: Limit,
    /// WA access is read and write at dst and read at src, so that WA can be split.
    pub splittable: Limit,
    /// The condition on src alone that is taken out of the edge loop, as Rust text.
    pub source_filter: Option<&'static str>,
    /// The condition on dst alone that guards the body, as Rust text.
    pub target_guard: Option<&'static str>,
    /// Whether the body's own constant store makes that guard false.
    pub target_guard_falls: bool,
    /// What the values merged at dst are made of.
    pub merged: Dependence,
    /// Whether a second visit of the same edge changes nothing.
    pub idempotent: bool,
    /// Which vertices are activated.
    pub activates: &'static [Site],
    /// Whether every vertex whose values the body changes is one that it activates at `dst`; false for all but edge
    /// kernels. Replicas that were the same before a step differ after it at activated vertices alone.
    ///
    /// Of floats that are compared, as in `fetch_min(x) > x`, this takes for granted that none is NaN before the kernel
    /// runs, and it counts -0.0 and +0.0 as one value. The update replaces NaN and tells the zeros apart, and the
    /// comparison is false for both.
    pub changes_activated: bool,
    /// Calls of functions that may differ in the last bits between devices.
    pub approximate: bool,
    /// Whether the body reads the edge's value.
    pub reads_edge: bool,
    /// Whether the body asks for the edge's place in the list of its source.
    pub reads_position: bool,
    /// The attribute at src whose values are counted for each vertex, of which the most frequent one is stored.
    pub tallied: Option<usize>,
    /// Whether there is a form that walks the opposite topology: of a scan, one that gathers what is merged at `dst` in
    /// registers; of a traversal, one that looks for active vertices in the lists of those that they could reach.
    pub pulls: bool,
    /// Bytes, at most, that a source hands out where the kernel pulls, found out once for each vertex beforehand.
    pub handed_bytes: usize,
    /// How many steps a device may run by itself; one for all kernels but traversals.
    pub step_loop: StepLoop,
}

impl KernelFacts {
    /// What holds of a body that reads and writes nothing.
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
    /// The struct it works on.
    pub schema: &'static Schema,
    /// What its body runs for.
    pub kind: KernelKind,
    /// Which topology it walks; `Out` for vertex kernels.
    pub direction: Direction,
    /// The technique fixed by its author.
    pub technique: Option<Technique>,
    /// Of an intersecting kernel, whether each triangle comes once, in the order of the degrees.
    pub ordered: bool,
    /// What the macro found out.
    pub facts: KernelFacts,
    /// Places where a run-time error can occur.
    pub error_sites: &'static [ErrorSite],
    /// The kernel's own CUDA C; joined with the prelude and the encoding's accessors by the runtime.
    pub cuda: &'static str,
    /// Where the kernel stands.
    pub location: SourceLocation,
}

impl KernelDescriptor {
    /// Returns the sides of a graph whose topologies an edge kernel walks, in order; none for a vertex kernel. In a symmetric graph
    /// both sides have the same edges, so that a kernel that goes both ways walks one side alone where a second visit of an edge
    /// changes nothing.
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

    /// Whether its steps may look for active vertices in the lists of those that they could reach, and leave a list as
    /// soon as nothing more can come of it.
    pub fn leaves_lists_early(&self) -> bool {
        self.kind == KernelKind::Traverse && self.facts.pulls && self.facts.target_guard_falls
    }

    /// Whether it adds to values of vertices at the far end of edges.
    pub fn sums_at_target(&self) -> bool {
        let is_sum = |used: &AttributeUse| {
            let kind = self.schema.attributes[used.attribute].kind;
            used.site == Site::Dst
                && used.access == Access::Merge
                && matches!(kind, AttributeKind::Wa { merge: Merge::Sum, .. })
        };
        self.facts.uses.iter().any(is_sum)
    }

    /// Returns whether this is a vertex kernel that updates no vertex but its own. It may update globals.
    pub fn updates_its_own_vertex(&self) -> bool {
        let elsewhere = |used: &AttributeUse| used.access != Access::Read && !matches!(used.site, Site::V | Site::None);
        self.kind == KernelKind::Vertex && !self.facts.uses.iter().any(elsewhere)
    }

    /// Whether it updates values of edges, for which an edge must be known by its number.
    pub fn updates_edges(&self) -> bool {
        let of_edges =
            |attribute: usize| matches!(self.schema.attributes[attribute].kind, AttributeKind::EdgeWa { .. });
        self.facts.uses.iter().any(|used| of_edges(used.attribute))
    }
}
