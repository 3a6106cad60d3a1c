//! Values that are the same for all edges to a vertex in a step.

use crate::analyse::compare::Comparer;
use crate::analyse::locals::LocalValues;
use crate::analyse::uses::{Touch, What};
use crate::ir::{AttributeId, AttributeKind, Expr, ExprKind, Index, Kernel, LocalId, Merge, Role, Site, UpdateOp};

/// The only write of an attribute in a body.
pub(super) struct OnlyWrite<'a> {
    /// The operation; `None` for a plain store.
    pub(super) op: Option<UpdateOp>,
    pub(super) value: &'a Expr,
    pub(super) index: Option<&'a Index>,
}

/// The writes of a body, per attribute.
pub(super) struct Writes<'a> {
    /// For each attribute, whether the body writes it.
    written: Vec<bool>,
    /// For each attribute, its only write. `None` unless this write is at `dst` and changes nothing when repeated.
    only: Vec<Option<OnlyWrite<'a>>>,
}

impl<'a> Writes<'a> {
    pub(super) fn of(touches: &[Touch<'a>], attributes: usize) -> Self {
        let mut counts = vec![0; attributes];
        let mut only: Vec<Option<OnlyWrite<'a>>> = (0..attributes).map(|_| None).collect();
        for touch in touches {
            let (op, value, element) = match touch.what {
                What::Load => continue,
                What::Store { element, value } => (None, value, element),
                What::Update { update, .. } => (Some(update.op), &update.operands[0], &update.element),
            };
            counts[touch.attribute] += 1;
            let repeats = matches!(op, None | Some(UpdateOp::Min | UpdateOp::Max | UpdateOp::Or | UpdateOp::And));
            only[touch.attribute] = (counts[touch.attribute] == 1 && touch.site == Site::Dst && repeats)
                .then_some(OnlyWrite { op, value, index: element.index.as_deref() });
        }
        Self { written: counts.iter().map(|&count| count > 0).collect(), only }
    }

    pub(super) fn any(&self, attribute: AttributeId) -> bool {
        self.written[attribute]
    }

    pub(super) fn only(&self, attribute: AttributeId) -> Option<&OnlyWrite<'a>> {
        self.only[attribute].as_ref()
    }
}

/// Facts about the paths to a place in the body.
#[derive(Clone, Default)]
pub(super) struct PathState {
    /// The attributes whose only write is complete for `dst`: either a thread has made the write, or no thread makes
    /// it in this step.
    pub(super) settled: Vec<AttributeId>,
    /// The attribute of the test that controls whether a thread reaches this place. The body makes the test false.
    pub(super) guard: Option<AttributeId>,
    /// Whether a path has written an attribute behind the guard.
    pub(super) closed: bool,
    /// Whether a thread that makes the guard false may skip this place. An effect here then depends on the order.
    pub(super) divided: bool,
}

impl PathState {
    /// Joins the states of two paths; `None` is a path that is not taken.
    pub(super) fn join(one: Option<Self>, other: Option<Self>) -> Option<Self> {
        match (one, other) {
            (Some(one), Some(other)) => Some(Self {
                settled: one.settled.into_iter().filter(|attribute| other.settled.contains(attribute)).collect(),
                guard: one.guard.or(other.guard),
                closed: one.closed || other.closed,
                divided: one.divided || other.divided,
            }),
            (one, other) => one.or(other),
        }
    }

    pub(super) fn settle(&mut self, attribute: AttributeId) {
        if !self.settled.contains(&attribute) {
            self.settled.push(attribute);
        }
    }
}

/// Finds values that are the same for all edges to a vertex in a step.
pub(super) struct FixedValues<'a> {
    pub(super) comparer: Comparer<'a>,
    pub(super) writes: Writes<'a>,
    /// The counters of `for` loops whose bounds are fixed.
    pub(super) counters: Vec<LocalId>,
}

impl<'a> FixedValues<'a> {
    /// Creates the values that the edges to a vertex share at the start of a body.
    pub(super) fn of(kernel: &'a Kernel, values: &'a LocalValues<'a>, touches: &[Touch<'a>]) -> Self {
        let writes = Writes::of(touches, kernel.attributes.attributes.len());
        Self { comparer: Comparer::new(kernel, values), writes, counters: Vec::new() }
    }

    fn values(&self) -> &'a LocalValues<'a> {
        self.comparer.values
    }

    /// Returns whether an expression at this place has the same value for all edges to a vertex in a step.
    pub(super) fn is_fixed(&self, expr: &Expr, state: &PathState) -> bool {
        self.is_fixed_but(expr, None, state)
    }

    /// Like [`FixedValues::is_fixed`], except that the expression may also read the attribute `but` at `dst`.
    pub(super) fn is_fixed_but(&self, expr: &Expr, but: Option<AttributeId>, state: &PathState) -> bool {
        let itself = match &expr.kind {
            ExprKind::Local(local) => match self.values().role(*local) {
                Role::Dst => true,
                Role::Local => {
                    self.counters.contains(local)
                        || self.values().get(*local).is_some_and(|value| self.is_fixed_but(value, but, state))
                }
                _ => false,
            },
            ExprKind::Load(element) => {
                let at_dst = self.values().site(&element.vertex) == Site::Dst;
                let settled = state.settled.contains(&element.attribute) || but == Some(element.attribute);
                !self.writes.any(element.attribute) || at_dst && settled
            }
            ExprKind::EdgeValue(_)
            | ExprKind::Position
            | ExprKind::Captured(_)
            | ExprKind::Update(_)
            | ExprKind::ArrayElement(..) => false,
            _ => true,
        };
        let mut all = itself;
        expr.operands(&mut |operand| all = all && self.is_fixed_but(operand, but, state));
        all
    }

    pub(super) fn is_fixed_index(&self, index: Option<&Index>, state: &PathState) -> bool {
        index.is_none_or(|index| self.is_fixed(&index.value, state))
    }

    /// Returns whether the only write of the attribute writes the same value for all edges to a vertex.
    pub(super) fn writes_one_value(&self, attribute: AttributeId, state: &PathState) -> bool {
        self.writes.only(attribute).is_some_and(|write| {
            let merges = write.op.is_none_or(|_| self.merges(attribute));
            // An expression with a counter has several values.
            let counts = |expr: &Expr| matches!(expr.kind, ExprKind::Local(local) if self.counters.contains(&local));
            let several = |expr: &Expr| self.values().expanded(expr).any(&counts);
            merges
                && self.is_fixed(write.value, state)
                && self.is_fixed_index(write.index, state)
                && !several(write.value)
                && !write.index.is_some_and(|index| several(&index.value))
        })
    }

    fn merges(&self, attribute: AttributeId) -> bool {
        let declared = &self.comparer.kernel.attributes.attributes[attribute];
        matches!(declared.kind, AttributeKind::Wa { merge, .. } if !matches!(merge, Merge::Sum | Merge::Any))
    }
}
