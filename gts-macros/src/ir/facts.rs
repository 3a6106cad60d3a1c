//! Facts about a body. Those named `Spanned` correspond to a type of the contract, and have a span for each place in
//! the source.

use super::{
    Access, AttributeId, Class, Dependence, ErrorWhat, Expr, IntegerSum, ScalarType, Side, Site, Span, SteadyRule,
    StepLoop,
};

/// One use of an attribute.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SpannedAttributeUse {
    pub(crate) attribute: AttributeId,
    pub(crate) site: Site,
    pub(crate) access: Access,
    /// The place of the first use.
    pub(crate) span: Span,
}

/// One use of a vertex's out-degree or in-degree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SpannedDegreeUse {
    pub(crate) side: Side,
    pub(crate) site: Site,
    /// The place of the first use.
    pub(crate) span: Span,
}

/// A read of an attribute that the kernel also writes. The result does not depend on the order of the threads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SpannedSteadyRead {
    pub(crate) attribute: AttributeId,
    pub(crate) rule: SteadyRule,
    pub(crate) span: Span,
}

/// An effect that depends on a test that the body itself makes false.
#[derive(Clone, Copy, Debug)]
pub(crate) enum RacedEffect {
    /// A write to an attribute or a global.
    Write(AttributeId),
    /// An activation.
    Activation,
}

/// The reason why the result of a read depends on the order of the threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unsteady {
    /// Other threads may write the attribute at the vertex that is read.
    Elsewhere,
    /// Repeating the write changes the attribute again, as a sum does.
    Changes,
    /// The body writes the attribute at several places.
    Several,
    /// Edges to the same vertex write different values.
    Varies,
    /// The read is a test that the write may leave true.
    MayStay,
    /// The read may precede the write.
    Early,
}

/// The reason why a kernel is racy without the `racy` setting.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Race {
    /// An attribute is read while other threads write it, and not all writes move it in one direction.
    Read { read: AttributeId, why: Unsteady, span: Span },
    /// The kernel reads what it writes, and calls a function whose value differs from step to step.
    Timed { call: &'static str, span: Span },
    /// The value written may move against the merge when its inputs move along theirs.
    Against { read: AttributeId, written: AttributeId, span: Span },
    /// A condition for a write may hold only temporarily.
    Shuts { read: AttributeId, span: Span },
    /// The number or the values of the writes to an attribute depend on how often others improve.
    Counts { read: AttributeId, written: AttributeId, span: Span },
    /// Several edges may find a test true before one of them makes it false. An effect depends on how many or which.
    Raced { guard: AttributeId, effect: RacedEffect, span: Span },
}

/// The contract's [`gts_contract::Limit`], with a place that an error can underline.
pub(crate) type SpannedLimit = gts_contract::Limit<String, Span>;

/// The facts of a kernel.
#[derive(Clone, Debug)]
pub(crate) struct SpannedFacts {
    /// Every use, without duplicates, ordered by attribute, site and access.
    pub(crate) uses: Vec<SpannedAttributeUse>,
    /// Every use of a degree, without duplicates, out-degrees first.
    pub(crate) degrees: Vec<SpannedDegreeUse>,
    pub(crate) class: Class,
    pub(crate) steady: Vec<SpannedSteadyRead>,
    pub(crate) sums: Vec<IntegerSum>,
    pub(crate) replicable: SpannedLimit,
    pub(crate) splittable: SpannedLimit,
    /// The condition on dst that guards the body, as Rust text.
    pub(crate) target_guard: Option<String>,
    /// Whether the body's own constant store makes the guard false.
    pub(crate) target_guard_falls: bool,
    pub(crate) merged: Dependence,
    pub(crate) idempotent: bool,
    pub(crate) activates: Vec<Site>,
    /// Whether the body activates, at `dst`, every vertex whose values it changes.
    pub(crate) changes_activated: bool,
    pub(crate) approximate: bool,
    pub(crate) reads_edge: bool,
    pub(crate) reads_position: bool,
    /// The attribute at src whose values are counted, for `mode`.
    pub(crate) tallied: Option<AttributeId>,
    /// The attributes that a pulling scan gathers at `dst`; empty if the kernel has no such form.
    pub(crate) gathered: Vec<AttributeId>,
    /// Whether a traversal can pull: it writes and activates only at `dst`.
    pub(crate) receives: bool,
    /// The part of the target's guard that can be evaluated for any vertex, without locals. If it is false the body
    /// does nothing.
    pub(crate) target_condition: Option<Expr>,
    pub(crate) step_loop: StepLoop,
}

impl SpannedFacts {
    /// Returns whether the kernel has a form that pulls.
    pub(crate) fn pulls(&self) -> bool {
        self.receives || !self.gathered.is_empty()
    }
}

/// A place of a body, or of a function that it calls, where a run-time error can occur.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SpannedErrorSite {
    pub(crate) what: ErrorWhat,
    /// The type of the value that is reported.
    pub(crate) scalar: ScalarType,
    pub(crate) span: Span,
    /// The attribute whose value may be missing; `None` for other errors.
    pub(crate) attribute: Option<AttributeId>,
}
