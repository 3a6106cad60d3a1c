//! The facts that are known about values at a point of a body.

use super::interval::Interval;
use crate::ir::{AttributeId, Expr, ExprKind, Kernel, LocalId, Role, StmtKind};

/// An expression that has the same value wherever it occurs, until something that it depends on is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StableValue {
    Local(LocalId),
    Param(AttributeId),
    EdgeValue(AttributeId),
    OutDegree(LocalId),
    InDegree(LocalId),
    /// An attribute at a vertex.
    Load(AttributeId, LocalId),
}

/// The attributes whose values at a vertex of the body can only change by the body's own writes.
pub(super) struct StableLoads {
    roles: Vec<Role>,
    /// Whether the body writes each attribute, and whether it writes it at the vertex of a vertex kernel only.
    written: Vec<(bool, bool)>,
}

impl StableLoads {
    pub(super) fn of(kernel: &Kernel) -> Self {
        let mut written = vec![(false, true); kernel.attributes.attributes.len()];
        let own = kernel.parameter(Role::V);
        let at_own = |vertex: &Expr| matches!(vertex.kind, ExprKind::Local(local) if Some(local) == own);
        kernel.body.walk(&mut |statement| {
            if let StmtKind::Store { element, .. } = &statement.kind {
                let (any, only_own) = &mut written[element.attribute];
                (*any, *only_own) = (true, *only_own && at_own(&element.vertex));
            }
        });
        kernel.body.expressions(&mut |expr| {
            expr.walk(&mut |inner| {
                if let ExprKind::Update(update) = &inner.kind {
                    let (any, only_own) = &mut written[update.element.attribute];
                    (*any, *only_own) = (true, *only_own && at_own(&update.element.vertex));
                }
            });
        });
        let roles = kernel.locals.iter().map(|local| local.role).collect();
        Self { roles, written }
    }

    /// Creates the table of a function, which reads no attributes.
    pub(super) fn of_function() -> Self {
        Self { roles: Vec::new(), written: Vec::new() }
    }

    /// Returns the stable value that an expression reads.
    pub(super) fn value(&self, expr: &Expr) -> Option<StableValue> {
        let local = |vertex: &Expr| match vertex.kind {
            ExprKind::Local(local) => Some(local),
            _ => None,
        };
        match &expr.kind {
            ExprKind::Local(local) => Some(StableValue::Local(*local)),
            ExprKind::Param(attribute) => Some(StableValue::Param(*attribute)),
            ExprKind::EdgeValue(attribute) => Some(StableValue::EdgeValue(*attribute)),
            ExprKind::OutDegree(vertex) => local(vertex).map(StableValue::OutDegree),
            ExprKind::InDegree(vertex) => local(vertex).map(StableValue::InDegree),
            ExprKind::Load(element) if element.index.is_none() => {
                let vertex = local(&element.vertex)?;
                let (written, only_own) = self.written[element.attribute];
                let stable = if self.roles[vertex] == Role::V { only_own } else { !written };
                stable.then_some(StableValue::Load(element.attribute, vertex))
            }
            _ => None,
        }
    }
}

/// The facts that hold at a point of a body.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    intervals: Vec<(StableValue, Interval)>,
    /// Pairs whose first value is at least the second.
    ordered: Vec<(StableValue, StableValue)>,
}

impl Known {
    pub(super) fn interval(&self, value: StableValue) -> Option<Interval> {
        self.intervals.iter().find(|(known, _)| *known == value).map(|(_, interval)| *interval)
    }

    /// Replaces what is known about a value.
    pub(super) fn set(&mut self, value: StableValue, interval: Interval) {
        self.forget(value);
        self.intervals.push((value, interval));
    }

    /// Restricts the interval of a value.
    pub(super) fn refine(&mut self, value: StableValue, interval: Interval) {
        match self.intervals.iter_mut().find(|(known, _)| *known == value) {
            Some((_, known)) => *known = known.and(interval),
            None => self.intervals.push((value, interval)),
        }
    }

    pub(super) fn order(&mut self, larger: StableValue, smaller: StableValue) {
        self.ordered.push((larger, smaller));
    }

    pub(super) fn is_ordered(&self, larger: StableValue, smaller: StableValue) -> bool {
        self.ordered.contains(&(larger, smaller))
    }

    /// Forgets a value. For a local, forgets what is known about the vertex in it, too.
    pub(super) fn forget(&mut self, value: StableValue) {
        let mentions = |known: &StableValue| match (known, value) {
            (
                StableValue::OutDegree(of) | StableValue::InDegree(of) | StableValue::Load(_, of),
                StableValue::Local(local),
            ) => *of == local,
            _ => *known == value,
        };
        self.intervals.retain(|(known, _)| !mentions(known));
        self.ordered.retain(|(larger, smaller)| !mentions(larger) && !mentions(smaller));
    }

    /// Forgets the values of an attribute, which has been written.
    pub(super) fn forget_attribute(&mut self, attribute: AttributeId) {
        let changes = |value: &StableValue| matches!(value, StableValue::Load(of, _) if *of == attribute);
        self.intervals.retain(|(known, _)| !changes(known));
        self.ordered.retain(|(larger, smaller)| !changes(larger) && !changes(smaller));
    }

    /// Returns the facts that hold after either of two branches.
    pub(super) fn join(self, other: &Self) -> Self {
        let both =
            |(value, one): (StableValue, Interval)| other.interval(value).map(|interval| (value, one.or(interval)));
        Self {
            intervals: self.intervals.into_iter().filter_map(both).collect(),
            ordered: self.ordered.into_iter().filter(|pair| other.ordered.contains(pair)).collect(),
        }
    }
}
