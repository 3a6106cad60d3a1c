//! Descriptions of kernels as constant data: the facts that the macros derive from a body, and the body's CUDA C.

use super::{AttributeKind, Merge, ScalarType, Schema, Side, SourceLocation, Technique};
use crate::language::Code;

/// The elements of the graph for which a kernel's body runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KernelKind {
    /// All edges.
    Scan,
    /// All edges of active vertices.
    Traverse,
    /// All vertices, or all active vertices of a traversal.
    Vertex,
    /// All neighbours of each vertex, or all pairs of neighbours that are connected by an edge.
    Intersect,
}

impl KernelKind {
    /// Returns whether the body runs for edges.
    pub const fn has_edges(self) -> bool {
        matches!(self, Self::Scan | Self::Traverse)
    }

    /// Returns the name used in the `#[gts_kernel]` attribute.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Scan => "scan",
            Self::Traverse => "traverse",
            Self::Vertex => "vertex",
            Self::Intersect => "intersect",
        }
    }
}

/// The topology or topologies that an edge kernel visits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// The lists of out-edges: `src` is the source of an edge, `dst` the target.
    Out,
    /// The lists of in-edges: `src` is the target of an edge, `dst` the source.
    In,
    /// The out-edges, then the in-edges. In a symmetric graph, one side may suffice: see [`KernelDescriptor::sides`].
    Both,
}

/// The vertex at which a body accesses an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Site {
    /// The vertex whose list is visited.
    Src,
    /// The neighbour in this list.
    Dst,
    /// The vertex for which a vertex kernel runs.
    V,
    /// The common neighbour in an intersection kernel.
    Common,
    /// A vertex whose number the body computes.
    Computed,
    /// No vertex, as for params, globals and edge values.
    None,
}

/// The kind of an access to an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Access {
    /// The body reads the value.
    Read,
    /// The body stores a value.
    Store,
    /// The body updates the value with the attribute's merge.
    Merge,
    /// The body updates the value with an atomic operation that is not the attribute's merge.
    Atomic,
}

/// One use of an attribute in a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AttributeUse {
    /// The index of the attribute in the schema.
    pub attribute: usize,
    /// The vertex that is accessed.
    pub site: Site,
    /// The kind of the access.
    pub access: Access,
    /// The source location of the first such use.
    pub location: SourceLocation,
}

/// One use of a vertex degree in a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DegreeUse {
    /// The side whose edges the degree counts.
    pub side: Side,
    /// The vertex that is accessed.
    pub site: Site,
    /// The source location of the first such use.
    pub location: SourceLocation,
}

/// The extent to which a kernel's results are independent of the order of threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    /// The results after every step are equal on all devices.
    Ordered,
    /// The results at the fixpoint are equal on all devices. Intermediate results may differ.
    Monotone,
    /// The results may depend on the order of threads.
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

/// The reason why the result of a read is independent of the order of the threads, although the kernel itself writes
/// the attribute. The documentation of the macros' module `steady` contains the proofs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SteadyRule {
    /// A test at `dst` that becomes false when the body writes the attribute. The number of edges for which the test is
    /// true depends on the order. One such edge has the same effect as several.
    Closes,
    /// A read at `dst` after the body's only write of the attribute, or after the `if` that guards this write. All such
    /// reads at a vertex return the same value.
    Settled,
    /// A comparison of an update's old value with a bound. The outcome is the same for the values before and after the
    /// update.
    Unmoved,
}

/// A read of an attribute that the kernel writes. The result of the read does not depend on the order of the threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SteadyRead {
    /// The index of the attribute in the schema.
    pub attribute: usize,
    /// The reason why the result does not depend on the order.
    pub rule: SteadyRule,
    /// The source location of the first read of the attribute with this reason.
    pub location: SourceLocation,
}

/// The inputs on which the values merged at `dst` depend. Each variant includes the inputs of all earlier variants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Dependence {
    /// The body merges no values at `dst`.
    Nothing,
    /// Only constants, params and the step.
    Constant,
    /// The source vertex and its values.
    Src,
    /// The value of the edge.
    Edge,
    /// The values of the target vertex.
    Dst,
}

/// The steps of a traversal that a device may run without the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StepLoop {
    /// A single step. The host starts every step.
    No,
    /// All steps, provided that each step sees the writes of the previous step. The body activates only `dst` and uses
    /// no value that the host supplies between steps.
    InOrder,
    /// All steps, with writes of different steps in any order. The body runs at most once per `dst`. Its only condition
    /// is a guard on `dst`, which the body's own store makes permanently false. The body reads the attributes that it
    /// writes only at `dst`. A device may therefore claim `dst` before the body runs.
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

/// Whether a kernel has a property, with the reason and the first violating location if it does not. In the macros, the
/// location is a span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit<Why = &'static str, Place = SourceLocation> {
    /// The kernel has the property.
    Yes,
    /// The kernel does not have the property.
    No {
        /// The reason, phrased as a part of a sentence.
        why: Why,
        /// The location in the source.
        location: Place,
    },
}

impl<Why, Place> Limit<Why, Place> {
    /// Returns whether the kernel has the property.
    pub const fn holds(&self) -> bool {
        matches!(self, Self::Yes)
    }
}

/// A kind of run-time error in a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorWhat {
    /// An integer division by zero.
    DivisionByZero,
    /// An integer remainder with a divisor of zero.
    RemainderByZero,
    /// A quotient or remainder of the smallest integer and -1.
    DivisionOverflow,
    /// A sum that its type cannot hold.
    AdditionOverflow,
    /// A difference that its type cannot hold.
    SubtractionOverflow,
    /// A product that its type cannot hold.
    MultiplicationOverflow,
    /// The negation of the smallest integer.
    NegationOverflow,
    /// The absolute value of the smallest integer.
    AbsoluteOverflow,
    /// A shift by at least the number of bits of the shifted type.
    ShiftOverflow,
    /// An array index out of range.
    IndexOutOfRange,
    /// A number that is not a vertex of the graph.
    NotAVertex,
    /// An `assert!` whose condition is false.
    AssertionFailed,
    /// Arithmetic on the value of an active vertex, although the value is `UNREACHED`.
    MissingValue,
    /// In checked mode, a NaN that is stored or merged.
    NotANumber,
}

impl ErrorWhat {
    /// Returns the code of the error.
    pub const fn code(self) -> Code {
        match self {
            Self::DivisionByZero | Self::RemainderByZero | Self::DivisionOverflow => Code::DivisionFault,
            Self::AdditionOverflow
            | Self::SubtractionOverflow
            | Self::MultiplicationOverflow
            | Self::NegationOverflow
            | Self::AbsoluteOverflow => Code::OverflowFault,
            Self::ShiftOverflow => Code::ShiftFault,
            Self::IndexOutOfRange => Code::IndexFault,
            Self::NotAVertex => Code::VertexFault,
            Self::AssertionFailed => Code::FailedAssertion,
            Self::MissingValue => Code::UnreachedFault,
            Self::NotANumber => Code::NanFault,
        }
    }

    /// Returns a description of the error.
    pub const fn text(self) -> &'static str {
        match self {
            Self::DivisionByZero => "integer division by zero",
            Self::RemainderByZero => "integer remainder by zero",
            Self::DivisionOverflow => "division of the smallest integer by -1",
            Self::AdditionOverflow => "integer addition overflows",
            Self::SubtractionOverflow => "integer subtraction overflows",
            Self::MultiplicationOverflow => "integer multiplication overflows",
            Self::NegationOverflow => "negation of the smallest integer",
            Self::AbsoluteOverflow => "absolute value of the smallest integer",
            Self::ShiftOverflow => "shift by the width of the type or more",
            Self::IndexOutOfRange => "array index out of range",
            Self::NotAVertex => "no vertex of the graph",
            Self::AssertionFailed => "assertion failed",
            Self::MissingValue => "an active vertex whose value is UNREACHED",
            Self::NotANumber => "a NaN is stored or merged",
        }
    }
}

/// A location in a body where a run-time error can occur. A body reports an error as the index of this entry and the
/// value that caused the error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ErrorSite {
    /// The kind of the error.
    pub what: ErrorWhat,
    /// The type of the reported value.
    pub scalar: ScalarType,
    /// The location in the source.
    pub location: SourceLocation,
    /// The name of the attribute whose value is missing; `None` unless the error is [`ErrorWhat::MissingValue`].
    pub attribute: Option<&'static str>,
}

impl ErrorSite {
    /// Returns the text of a reported value. Bodies report integers as `i64`, which wraps around for large `u64`
    /// values. They report floats as bits.
    pub fn value_text(&self, value: i64) -> String {
        match self.scalar {
            ScalarType::Bool => (value != 0).to_string(),
            ScalarType::F32 => f32::from_bits(value as u32).to_string(),
            ScalarType::F64 => f64::from_bits(value as u64).to_string(),
            scalar if scalar.is_signed() => value.to_string(),
            _ => (value as u64).to_string(),
        }
    }
}

/// The direction in which additions and subtractions change an integer attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SumDirection {
    /// The values only increase.
    Up,
    /// The values only decrease.
    Down,
    /// The kernel adds terms of both signs.
    Mixed,
}

impl SumDirection {
    /// Returns the common direction of two updates.
    pub const fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Up, Self::Up) => Self::Up,
            (Self::Down, Self::Down) => Self::Down,
            _ => Self::Mixed,
        }
    }
}

/// An integer attribute that a kernel adds to or subtracts from, unless its sums wrap around.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntegerSum {
    /// The attribute's schema index.
    pub attribute: usize,
    /// The direction of all updates of the attribute.
    pub direction: SumDirection,
    /// Maximum change of a value by one run of the body; `u64::MAX` if there is no bound.
    pub most: u64,
    /// The updated vertex; [`Site::Computed`] if the body updates several.
    pub site: Site,
    /// The error site of the first update, as an index into [`KernelDescriptor::error_sites`].
    pub error_site: usize,
}

impl IntegerSum {
    /// Returns whether only checked mode checks the sum of an attribute of this kind. If the terms have both signs, a
    /// partial sum may leave the range of the type although the total fits. If the attribute has another merge, each
    /// update must fit and is always checked.
    pub fn is_mixed(&self, kind: AttributeKind) -> bool {
        self.direction == SumDirection::Mixed && kind.merge() == Some(Merge::Sum)
    }
}

/// The facts that the macro derived from a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelFacts {
    /// All uses of attributes, without duplicates.
    pub uses: &'static [AttributeUse],
    /// All uses of degrees, without duplicates.
    pub degrees: &'static [DegreeUse],
    /// The determinism of the results.
    pub class: Class,
    /// The reads of an ordered kernel that are independent of the order of the threads only because of a
    /// [`SteadyRule`]. Contains the first read for each attribute and rule.
    pub steady: &'static [SteadyRead],
    /// The integer attributes that the body adds to or subtracts from, in schema order.
    pub sums: &'static [IntegerSum],
    /// Whether the body writes WA only with the declared merges, so that replicas can be merged.
    pub replicable: Limit,
    /// Whether the body accesses WA only at `dst`, except for reads at `src`, so that WA can be split.
    pub splittable: Limit,
    /// The condition on `src` that is hoisted out of the edge loop, as Rust text.
    pub source_filter: Option<&'static str>,
    /// The condition on `dst` that guards the body, as Rust text.
    pub target_guard: Option<&'static str>,
    /// Whether the body stores a constant that makes its guard false.
    pub target_guard_falls: bool,
    /// The inputs on which the values merged at `dst` depend.
    pub merged: Dependence,
    /// Whether a second visit to the same edge has no effect.
    pub idempotent: bool,
    /// The vertices that the body activates.
    pub activates: &'static [Site],
    /// Whether the body changes values only at `dst` and activates each vertex that it changes; always false for
    /// kernels without edges. If true, replicas that are equal before a step differ after the step only at activated
    /// vertices.
    ///
    /// For comparisons of floats, as in `fetch_min(x) > x`, this assumes that no value is NaN before the kernel runs,
    /// and that -0.0 and +0.0 are equal. The update replaces NaN and distinguishes the zeros, but the comparison is
    /// false in both cases.
    pub changes_activated: bool,
    /// Whether the body calls functions whose results may differ in the last bits between devices.
    pub approximate: bool,
    /// Whether the body reads the value of the edge.
    pub reads_edge: bool,
    /// Whether the body reads the position of the edge in the list of its source.
    pub reads_position: bool,
    /// The schema index of the attribute at `src` that receives each vertex's most frequent value, if the kernel counts
    /// values per vertex.
    pub tallied: Option<usize>,
    /// Whether the kernel has a pulling form, which visits the opposite topology. The pulling form of a scan gathers
    /// the values merged at `dst` in registers. The pulling form of a traversal searches the list of each candidate
    /// `dst` for active vertices.
    pub pulls: bool,
    /// An upper bound on the size in bytes of a source value, which the pulling form computes once per vertex before
    /// the pass.
    pub handed_bytes: usize,
    /// The steps that a device may run without the host. Always [`StepLoop::No`] except for traversals.
    pub step_loop: StepLoop,
}

impl KernelFacts {
    /// The facts derived from an empty body.
    pub const OF_NOTHING: Self = Self {
        uses: &[],
        degrees: &[],
        class: Class::Ordered,
        steady: &[],
        sums: &[],
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

/// A kernel. If the struct has a type parameter, the kernel has one description per type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelDescriptor {
    /// The kernel's name. The parts of a gather kernel or a priority each have their own name.
    pub name: &'static str,
    /// The name of the function in the source, for errors.
    pub function: &'static str,
    /// The attribute struct that the kernel accesses.
    pub schema: &'static Schema,
    /// The elements for which the body runs.
    pub kind: KernelKind,
    /// The topology or topologies that the kernel visits; `Out` for vertex kernels.
    pub direction: Direction,
    /// The technique specified in the kernel's attribute, if any.
    pub technique: Option<Technique>,
    /// Whether an intersection kernel visits each triangle once, by ascending degree.
    pub ordered: bool,
    /// The facts that the macro derived from the body.
    pub facts: KernelFacts,
    /// The locations where a run-time error can occur.
    pub error_sites: &'static [ErrorSite],
    /// The CUDA C of the kernel. The runtime combines this text with the prelude and the accessors of the page
    /// encoding.
    pub cuda: &'static str,
    /// The location of the kernel in the source.
    pub location: SourceLocation,
}

/// Returns whether a condition holds for one of a kernel's uses of attributes. Constant functions cannot call closures.
macro_rules! any_use {
    ($kernel:expr, $used:ident => $condition:expr) => {{
        let (mut index, mut found) = (0, false);
        while !found && index < $kernel.facts.uses.len() {
            let $used = &$kernel.facts.uses[index];
            found = $condition;
            index += 1;
        }
        found
    }};
}

impl KernelDescriptor {
    /// Returns the type of the edge values that the struct declares.
    pub fn edge_value(&self) -> Option<ScalarType> {
        let declared = |kind| matches!(kind, AttributeKind::Edge { .. });
        self.schema.attributes.iter().find(|attribute| declared(attribute.kind)).map(|attribute| attribute.ty.scalar)
    }

    /// Returns the sides whose topologies the kernel visits, in order; none for a vertex kernel. Both sides of a
    /// symmetric graph have the same edges, so a kernel with direction `Both` visits only one side if the kernel is an
    /// intersection or if a second visit to an edge has no effect.
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

    /// Returns whether a pulling step may stop reading the list of a candidate `dst` as soon as the guard is false.
    pub fn leaves_lists_early(&self) -> bool {
        self.kind == KernelKind::Traverse && self.facts.pulls && self.facts.target_guard_falls
    }

    /// Returns whether the kernel adds to values at `dst`.
    pub fn sums_at_target(&self) -> bool {
        let is_sum = |used: &AttributeUse| {
            let kind = self.schema.attributes[used.attribute].kind;
            used.site == Site::Dst
                && used.access == Access::Merge
                && matches!(kind, AttributeKind::Wa { merge: Merge::Sum, .. })
        };
        self.facts.uses.iter().any(is_sum)
    }

    /// Returns whether the body uses values at `dst`.
    pub const fn uses_target(&self) -> bool {
        any_use!(self, used => matches!(used.site, Site::Dst))
    }

    /// Returns whether the body updates values of vertices with operations that read the previous value. If not, the
    /// same code is correct for shared memory and for memory that one thread owns.
    pub const fn updates_in_place(&self) -> bool {
        any_use!(self, used => matches!(used.access, Access::Merge | Access::Atomic)
            && matches!(self.schema.attributes[used.attribute].kind, AttributeKind::Wa { .. }))
    }

    /// Returns whether this is a vertex kernel that updates nothing but its own vertex and globals.
    pub const fn updates_its_own_vertex(&self) -> bool {
        matches!(self.kind, KernelKind::Vertex)
            && !any_use!(self, used => !matches!(used.access, Access::Read)
                && !matches!(used.site, Site::V | Site::None))
    }

    /// Returns whether the kernel uses updatable edge values, and therefore requires edge numbers.
    pub fn updates_edges(&self) -> bool {
        let of_edges =
            |attribute: usize| matches!(self.schema.attributes[attribute].kind, AttributeKind::EdgeWa { .. });
        self.facts.uses.iter().any(|used| of_edges(used.attribute))
    }
}
