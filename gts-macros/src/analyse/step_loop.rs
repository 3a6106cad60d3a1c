//! The steps of a traversal that a device may run without the host.

use super::guard::{Guard, guarded_attributes};
use super::pull::works_at_target;
use crate::ir::{Access, Expr, ExprKind, Kernel, KernelKind, Site, SpannedAttributeUse, StepLoop, Stmt, StmtKind};

/// Returns the kind of loop over steps that a kernel allows, from its original body. `guard` is the body's guard.
pub(super) fn step_loop(
    kernel: &Kernel,
    uses: &[SpannedAttributeUse],
    activates: &[Site],
    guard: Option<&Guard<'_>>,
) -> StepLoop {
    // Random numbers differ from step to step, and depend on a value that the host mixes. Positions are for passes over
    // a part of each list.
    let from_host = |expr: &Expr| matches!(expr.kind, ExprKind::Random(..) | ExprKind::Position);
    if kernel.kind != KernelKind::Traverse || activates != [Site::Dst] || asks(kernel, &from_host) {
        return StepLoop::No;
    }
    match guard {
        Some(guard) if works_at_target(uses, activates) && claims(uses, guard) => StepLoop::Claiming,
        _ => StepLoop::InOrder,
    }
}

/// Returns whether the body or a function that it calls contains such an expression.
fn asks(kernel: &Kernel, is_one: &impl Fn(&Expr) -> bool) -> bool {
    let bodies = std::iter::once(&kernel.body).chain(kernel.functions.iter().map(|function| &function.body));
    let mut found = false;
    for body in bodies {
        body.expressions(&mut |expr| found |= expr.any(is_one));
    }
    found
}

/// Returns whether a kernel that works only at `dst` may claim it. Several edges may find the guard true in one step.
/// If an edge reads the guard only after the first of them has made it false, the memory model allows this state.
fn claims(uses: &[SpannedAttributeUse], guard: &Guard<'_>) -> bool {
    let Some(condition) = guard.condition.as_ref().filter(|_| guard.is_all) else { return false };
    let asked = guarded_attributes(condition);
    let writes = |attribute| uses.iter().any(|used| used.attribute == attribute && used.access != Access::Read);
    // Another vertex may be written concurrently.
    let elsewhere =
        |used: &SpannedAttributeUse| used.site != Site::Dst && used.access == Access::Read && writes(used.attribute);
    // A condition that was true before the loop holds until the claim: it does not depend on the step, and the only
    // store that changes it makes the guard false.
    let closes = |attribute| guard.falls.iter().any(|fall| fall.attribute == attribute);
    let stays = |&attribute: &usize| {
        !writes(attribute)
            || closes(attribute) && guard.guarded.iter().filter(|one| stores(one, attribute)).count() == 1
    };
    let once = |used: &SpannedAttributeUse| {
        asked.contains(&used.attribute) && !matches!(used.access, Access::Read | Access::Store | Access::Merge)
    };
    !condition.any(&|expr| matches!(expr.kind, ExprKind::Step))
        && !guard.falls.is_empty()
        && asked.iter().all(stays)
        && !uses.iter().any(|used| elsewhere(used) || once(used))
        && guard.guarded.iter().all(is_unconditional)
        && guard.guarded.iter().any(|one| matches!(one.kind, StmtKind::Activate(_)))
}

/// Returns whether a statement always runs when the enclosing statements run.
fn is_unconditional(statement: &Stmt) -> bool {
    matches!(
        statement.kind,
        StmtKind::Let { init: Some(_), .. }
            | StmtKind::Assign { .. }
            | StmtKind::Store { .. }
            | StmtKind::Accumulate { .. }
            | StmtKind::Assert { .. }
            | StmtKind::Activate(_)
            | StmtKind::Expr(_)
    )
}

/// Returns whether a statement writes an attribute.
fn stores(statement: &Stmt, attribute: usize) -> bool {
    let mut found = matches!(&statement.kind, StmtKind::Store { element, .. } if element.attribute == attribute);
    statement.expressions(&mut |expr| {
        found |= expr.any(&|inner| match &inner.kind {
            ExprKind::Update(update) => update.element.attribute == attribute,
            _ => false,
        });
    });
    found
}
