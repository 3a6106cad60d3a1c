//! The condition on `dst` that guards the whole body, and whether the body makes it false. Such a guard lets a device
//! pull, and stop at the first edge that passes.

use super::compare::Comparer;
use super::falls::{Fall, fall};
use super::hoist::{conjunction, negated, returns};
use super::locals::LocalValues;
use crate::ir::{BinaryOp, Expr, ExprKind, Kernel, Role, Stmt, StmtKind};

/// A guard on `dst`.
pub(super) struct Guard<'a> {
    /// The guard as Rust text.
    pub(super) text: String,
    /// The conditions of the guard that the body's own store makes false.
    pub(super) falls: Vec<Fall>,
    /// The conjunction of the conditions that can be evaluated for any vertex, with locals replaced by their values.
    /// The statements before the conditions have no observable effect.
    pub(super) condition: Option<Expr>,
    /// Whether no other condition guards the body.
    pub(super) is_all: bool,
    /// The guarded statements.
    pub(super) guarded: &'a [Stmt],
}

/// Returns the guard of an edge kernel's body, after hoisting.
pub(super) fn guard(kernel: &Kernel) -> Option<Guard<'_>> {
    let values = LocalValues::of(&kernel.body, &kernel.locals);
    let comparer = Comparer::new(kernel, &values);
    let is_let = |statement: &Stmt| matches!(statement.kind, StmtKind::Let { .. });
    let position = kernel.body.statements.iter().position(|statement| !is_let(statement))?;
    let (first, rest) = kernel.body.statements[position..].split_first()?;
    let StmtKind::If { condition, then, otherwise: None } = &first.kind else { return None };
    let (condition, guarded): (Expr, &[Stmt]) = if returns(then) {
        (negated(condition.clone()), rest)
    } else if rest.is_empty() {
        (condition.clone(), &then.statements)
    } else {
        return None;
    };
    let all = conjunction(&condition);
    let parts: Vec<Expr> = all.iter().filter(|part| on_target(part, &values)).cloned().collect();
    if parts.is_empty() || !parts.iter().any(|part| touches_target(part, &values)) {
        return None;
    }
    let falls = parts.iter().filter_map(|part| fall(part, guarded, &comparer)).collect();
    let text = parts.iter().map(|part| comparer.printer.expr(part)).collect::<Vec<_>>().join(" && ");
    let lets = kernel.body.statements[..position].iter();
    let before = lets.filter_map(|statement| match &statement.kind {
        StmtKind::Let { init, .. } => init.as_ref(),
        _ => None,
    });
    // A capture that requires a value reports a fault if the value is missing, so the guard is not silent.
    let is_required = |value: &Expr| matches!(value.kind, ExprKind::Present(..));
    let mut silent = !kernel.captures.iter().any(|capture| is_required(&capture.value));
    let mut faults = Vec::new();
    for expr in before.chain([&condition]) {
        let expr = values.expanded(expr);
        // A vertex whose guard faults is visited, so that an edge reports the fault.
        let overflows = expr.overflow_conditions();
        silent &= is_silent(&expr) && overflows.iter().all(|fault| on_target(fault, &values));
        faults.extend(overflows);
    }
    let condition = parts
        .iter()
        .filter(|_| silent)
        .map(|part| values.expanded(part))
        .reduce(|left, right| Expr::join(BinaryOp::And, left, right));
    let condition = condition.map(|condition| condition.or_any(&faults));
    Some(Guard { text, falls, condition, is_all: parts.len() == all.len(), guarded })
}

/// Returns the attributes that a guard's condition reads.
pub(super) fn guarded_attributes(condition: &Expr) -> Vec<usize> {
    let mut found = Vec::new();
    condition.walk(&mut |inner| {
        if let ExprKind::Load(element) = &inner.kind {
            found.push(element.attribute);
        }
    });
    found
}

/// Returns whether evaluation of the expression cannot be observed, except by the faults of integer operations.
fn is_silent(expr: &Expr) -> bool {
    !expr.any(&|inner| match &inner.kind {
        ExprKind::Update(_) | ExprKind::Call(..) => true,
        _ => inner.can_fault() && !inner.overflows(),
    })
}

/// Returns whether the expression depends only on `dst` and the pass.
fn on_target(expr: &Expr, values: &LocalValues<'_>) -> bool {
    let itself = match &expr.kind {
        ExprKind::Local(local) => match values.role(*local) {
            Role::Dst => true,
            Role::Local => values.get(*local).is_some_and(|value| on_target(value, values)),
            _ => false,
        },
        ExprKind::EdgeValue(_)
        | ExprKind::Captured(_)
        | ExprKind::NewVertex(..)
        | ExprKind::Update(_)
        | ExprKind::ArrayElement(..)
        | ExprKind::Call(..) => false,
        _ => true,
    };
    let mut all = itself;
    expr.operands(&mut |operand| all = all && on_target(operand, values));
    all
}

fn touches_target(expr: &Expr, values: &LocalValues<'_>) -> bool {
    expr.any(&|inner| match &inner.kind {
        ExprKind::Local(local) => match values.role(*local) {
            Role::Dst => true,
            _ => values.get(*local).is_some_and(|value| touches_target(value, values)),
        },
        _ => false,
    })
}
