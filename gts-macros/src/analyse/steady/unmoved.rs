//! Finds old values of updates that are used only in comparisons with the same outcome before and after the update.

use super::fixed::{FixedValues, PathState};
use crate::ir::{BinaryOp, Expr, ExprKind, Kernel, LocalId, ScalarType, StmtKind, Update, UpdateOp};

/// Returns whether the update is the only write of its attribute, and its old value is used only in comparisons with
/// the same outcome for the values before and after the update.
pub(super) fn is_unmoved(kernel: &Kernel, fixed: &FixedValues<'_>, expr: &Expr, update: &Update) -> bool {
    let attribute = update.element.attribute;
    let integer = expr.ty.scalar().is_some_and(ScalarType::is_integer);
    if !integer || !fixed.writes_one_value(attribute, &PathState::default()) {
        return false;
    }
    let is_it = |inner: &Expr| std::ptr::eq(inner, expr);
    match holder(kernel, expr) {
        Some(local) if kernel.locals[local].mutable => false,
        Some(local) => {
            let is_local = |inner: &Expr| matches!(inner.kind, ExprKind::Local(found) if found == local);
            only_compared(kernel, fixed, update, &is_local)
        }
        None => only_compared(kernel, fixed, update, &is_it),
    }
}

/// Returns the local that a `let` initialises with the expression.
fn holder(kernel: &Kernel, expr: &Expr) -> Option<LocalId> {
    let mut found = None;
    kernel.body.walk(&mut |statement| {
        if let StmtKind::Let { local, init: Some(init) } = &statement.kind
            && std::ptr::eq(init, expr)
        {
            found = Some(*local);
        }
    });
    found
}

/// Returns whether all uses of an old value are comparisons with the same outcome before and after the update.
fn only_compared(kernel: &Kernel, fixed: &FixedValues<'_>, update: &Update, is_old: &dyn Fn(&Expr) -> bool) -> bool {
    let (mut uses, mut compared) = (0, 0);
    kernel.body.expressions(&mut |expr| {
        expr.walk(&mut |inner| {
            uses += usize::from(is_old(inner));
            let ExprKind::Binary { op, left, right, .. } = &inner.kind else { return };
            let same = match (is_old(left), is_old(right)) {
                (true, false) => has_one_outcome(fixed, update, *op, right),
                (false, true) => has_one_outcome(fixed, update, op.mirrored(), left),
                _ => false,
            };
            compared += usize::from(same);
        });
    });
    uses == compared
}

/// Returns whether `old op bound` has the same outcome for the operand of the update, and for all old values that the
/// update replaces by the operand.
fn has_one_outcome(fixed: &FixedValues<'_>, update: &Update, op: BinaryOp, bound: &Expr) -> bool {
    let beyond = |relation| fixed.comparer.surely(relation, &update.operands[0], bound);
    let outcome = match (update.op, op) {
        (UpdateOp::Min, BinaryOp::Gt | BinaryOp::Le | BinaryOp::Eq | BinaryOp::Ne) => beyond(BinaryOp::Gt),
        (UpdateOp::Min, BinaryOp::Ge | BinaryOp::Lt) => beyond(BinaryOp::Ge),
        (UpdateOp::Max, BinaryOp::Lt | BinaryOp::Ge | BinaryOp::Eq | BinaryOp::Ne) => beyond(BinaryOp::Lt),
        (UpdateOp::Max, BinaryOp::Le | BinaryOp::Gt) => beyond(BinaryOp::Le),
        _ => false,
    };
    outcome && fixed.is_fixed(bound, &PathState::default())
}
