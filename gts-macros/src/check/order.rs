//! Checks for expressions whose value would depend on the evaluation order of their operands.

use crate::errors::Errors;
use crate::ir::{BinaryOp, Block, Expr, ExprKind};
use gts_contract::language::Code;

/// Refuses an update beside another access to attributes in one expression: Rust evaluates from left to right, the
/// device's C in any order.
pub(crate) fn check(body: &Block, errors: &Errors) {
    body.expressions(&mut |expr| expr.walk(&mut |inner| check_operands(inner, errors)));
}

fn check_operands(expr: &Expr, errors: &Errors) {
    let sequenced = match &expr.kind {
        ExprKind::Binary { op, .. } => matches!(op, BinaryOp::And | BinaryOp::Or),
        ExprKind::Select(..) => true,
        _ => false,
    };
    if sequenced {
        return;
    }
    let mut updates = 0;
    let mut accesses = 0;
    expr.operands(&mut |operand| {
        updates += usize::from(operand.any(&is_update));
        accesses += usize::from(operand.any(&|inner| is_update(inner) || matches!(inner.kind, ExprKind::Load(_))));
    });
    if updates > 0 && accesses > 1 {
        errors.at(
            Code::TwoAccesses,
            expr.span,
            "an update and another access to attributes stand in one expression",
            "bind the one that comes first with `let`",
        );
    }
}

fn is_update(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Update(_))
}
