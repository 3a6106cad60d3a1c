//! Finds the reason why a read is not steady.

use super::fixed::{FixedValues, PathState};
use crate::analyse::locals::LocalValues;
use crate::analyse::uses::{Touch, What};
use crate::ir::{Expr, ExprKind, Kernel, Site, Stmt, StmtKind, Unsteady, UpdateOp};

/// Returns the reason why no rule covers a read of an attribute.
pub(in crate::analyse) fn failed<'a>(
    kernel: &'a Kernel,
    values: &'a LocalValues<'a>,
    touches: &[Touch<'a>],
    read: &Touch<'_>,
) -> Unsteady {
    let attribute = read.attribute;
    let mut writes = touches.iter().filter(|touch| touch.attribute == attribute && !matches!(touch.what, What::Load));
    let (Some(write), next) = (writes.next(), writes.next()) else { return Unsteady::Elsewhere };
    if read.site != Site::Dst || write.site != Site::Dst {
        return Unsteady::Elsewhere;
    }
    if let What::Update { update, .. } = write.what
        && !matches!(update.op, UpdateOp::Min | UpdateOp::Max | UpdateOp::Or | UpdateOp::And)
    {
        return Unsteady::Changes;
    }
    if next.is_some() {
        return Unsteady::Several;
    }
    if matches!(read.what, What::Load) && guards(kernel, read) {
        return Unsteady::MayStay;
    }
    if !FixedValues::of(kernel, values, touches).writes_one_value(attribute, &PathState::default()) {
        return Unsteady::Varies;
    }
    Unsteady::Early
}

/// Returns whether a read is a part of a condition that guards a write of the read attribute.
fn guards(kernel: &Kernel, read: &Touch<'_>) -> bool {
    let is_read = |condition: &Expr| condition.any(&|inner| read.expr.is_some_and(|expr| std::ptr::eq(inner, expr)));
    let mut found = false;
    kernel.body.walk(&mut |statement| {
        if let StmtKind::If { condition, then, .. } = &statement.kind
            && is_read(condition)
        {
            found |= then.statements.iter().any(|inner| writes(inner, read.attribute));
        }
    });
    found
}

/// Returns whether a statement writes the attribute.
fn writes(statement: &Stmt, attribute: usize) -> bool {
    let mut found = matches!(&statement.kind, StmtKind::Store { element, .. } if element.attribute == attribute);
    statement.expressions(&mut |expr| {
        found |= expr.any(&|inner| match &inner.kind {
            ExprKind::Update(update) => update.element.attribute == attribute,
            _ => false,
        });
    });
    found || statement.blocks().any(|block| block.statements.iter().any(|inner| writes(inner, attribute)))
}
