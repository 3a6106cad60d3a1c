//! Facts about a body. Those of the contract's names have a span for each place of the source.

use super::{Access, AttributeId, Class, Dependence, ErrorWhat, Expr, Side, Site, Span, StepLoop};

/// One use of an attribute.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AttributeUse {
    pub(crate) attribute: AttributeId,
    pub(crate) site: Site,
    pub(crate) access: Access,
    /// Where it stands first.
    pub(crate) span: Span,
}

/// One use of the number of a vertex's edges, which are out-edges or in-edges.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DegreeUse {
    pub(crate) side: Side,
    pub(crate) site: Site,
    /// Where it stands first.
    pub(crate) span: Span,
}

/// What makes a kernel racy without its saying so.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Race {
    /// An attribute is read while others write it, and not by its merge alone.
    Read { read: AttributeId, span: Span },
    /// The kernel reads what it writes, and calls what differs from step to step.
    Timed { call: &'static str, span: Span },
    /// The value written may move against the merge, as what it is made of moves along its own.
    Against { read: AttributeId, written: AttributeId, span: Span },
    /// A condition that lets a write through may be true for a while alone.
    Shuts { read: AttributeId, span: Span },
    /// How often or with what an attribute is written depends on how often others improve.
    Counts { read: AttributeId, written: AttributeId, span: Span },
    /// Something is counted under a guard that several edges may get through.
    Twice { guard: AttributeId, written: AttributeId, span: Span },
}

/// The contract's [`gts_contract::Limit`], with a place that an error can underline.
pub(crate) type Limit = gts_contract::Limit<String, Span>;

/// What was found out.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    /// Every use, each once, ordered by attribute, site and access.
    pub(crate) uses: Vec<AttributeUse>,
    /// Every use of a degree, each once, out-degrees first.
    pub(crate) degrees: Vec<DegreeUse>,
    pub(crate) class: Class,
    pub(crate) replicable: Limit,
    pub(crate) splittable: Limit,
    /// The condition on dst alone that guards the body, as Rust text.
    pub(crate) target_guard: Option<String>,
    /// Whether the body's own constant store makes that guard false.
    pub(crate) target_guard_falls: bool,
    pub(crate) merged: Dependence,
    pub(crate) idempotent: bool,
    pub(crate) activates: Vec<Site>,
    /// Whether every vertex whose values the body changes is one that it activates at `dst`.
    pub(crate) changes_activated: bool,
    pub(crate) approximate: bool,
    pub(crate) reads_edge: bool,
    pub(crate) reads_position: bool,
    /// The attribute whose values are counted at src, for `mode`.
    pub(crate) tallied: Option<AttributeId>,
    /// What a scan that can pull gathers at `dst`; empty where it has no such form.
    pub(crate) gathered: Vec<AttributeId>,
    /// Whether a traversal can pull: it writes and activates at `dst` alone.
    pub(crate) receives: bool,
    /// The part of the target's guard that can be asked for any vertex, without locals: where it does not hold the body
    /// does nothing.
    pub(crate) target_condition: Option<Expr>,
    pub(crate) step_loop: StepLoop,
}

impl Facts {
    /// Whether the kernel has a form that pulls.
    pub(crate) fn pulls(&self) -> bool {
        self.receives || !self.gathered.is_empty()
    }
}

/// A place of a body, or of a function that it calls, where a run-time error can occur.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ErrorSite {
    pub(crate) what: ErrorWhat,
    pub(crate) span: Span,
}
