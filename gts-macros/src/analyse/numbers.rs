//! The floats that a body stores or merges. Checked mode reports those that are NaN.

use crate::ir::{ErrorWhat, Expr, ExprKind, Kernel, SpannedErrorSite, StmtKind, Type, UpdateOp};

/// Marks each float that the body stores or merges, unless it cannot be NaN.
pub(crate) fn mark(kernel: &mut Kernel) {
    let sites = &mut kernel.error_sites;
    kernel.body.statements_mut(&mut |statement| {
        statement.expressions_mut(&mut |expr| updates(expr, sites));
        if let StmtKind::Store { value, .. } | StmtKind::Accumulate { value, .. } = &mut statement.kind {
            number(value, sites);
        }
    });
}

/// Marks the operands of the updates in an expression.
fn updates(expr: &mut Expr, sites: &mut Vec<SpannedErrorSite>) {
    expr.operands_mut(&mut |operand| updates(operand, sites));
    if let ExprKind::Update(update) = &mut expr.kind
        && update.op != UpdateOp::Tally
        && let Some(operand) = update.operands.last_mut()
    {
        number(operand, sites);
    }
}

/// Marks a float, unless it cannot be NaN.
fn number(value: &mut Expr, sites: &mut Vec<SpannedErrorSite>) {
    let Type::Scalar(scalar) = value.ty else { return };
    let is_certain = match &value.kind {
        ExprKind::Literal(_) | ExprKind::Unreached | ExprKind::Random(..) => true,
        ExprKind::Cast(inner) => !inner.ty.is_float(),
        _ => false,
    };
    if !scalar.is_float() || is_certain {
        return;
    }
    sites.push(SpannedErrorSite { what: ErrorWhat::NotANumber, scalar, span: value.span, attribute: None });
    let inner = std::mem::replace(&mut value.kind, ExprKind::Unreached);
    let inner = Expr { kind: inner, ty: value.ty, span: value.span };
    value.kind = ExprKind::Number(Box::new(inner), sites.len() - 1);
}
