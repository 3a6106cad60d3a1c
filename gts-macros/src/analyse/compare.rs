//! Decides comparisons of integers from the text and the bounds of both sides.

use super::locals::LocalValues;
use super::range;
use crate::ir::print::Printer;
use crate::ir::{BinaryOp, Expr, ExprKind, Kernel, Literal, ScalarType, Type};
use std::mem::{Discriminant, discriminant};

/// Compares expressions of a kernel's body.
pub(super) struct Comparer<'a> {
    pub(super) kernel: &'a Kernel,
    pub(super) values: &'a LocalValues<'a>,
    pub(super) printer: Printer<'a>,
}

impl<'a> Comparer<'a> {
    pub(super) fn new(kernel: &'a Kernel, values: &'a LocalValues<'a>) -> Self {
        Self { kernel, values, printer: Printer::kernel(kernel) }
    }

    /// Returns whether a comparison of integers holds for all values that the sides can have. Assumes that both sides
    /// are evaluated in the same step, and that sums do not overflow: an overflow ends the run with a fault.
    pub(super) fn surely(&self, op: BinaryOp, left: &Expr, right: &Expr) -> bool {
        let (left, right) = (self.values.expanded(left), self.values.expanded(right));
        if !integer(left.ty) || !integer(right.ty) {
            return false;
        }
        let ((left, more), (right, other)) = (split(&left), split(&right));
        let bounds = |part, added| {
            let (least, largest) = range::bounds(self.kernel, part)?;
            Some((least.checked_add(added)?, largest.checked_add(added)?))
        };
        let apart = matches!((bounds(left, more), bounds(right, other)), (Some(a), Some(b)) if holds(op, a, b));
        apart || self.is_same(left, right) && holds(op, (more, more), (other, other))
    }

    /// Returns whether two expressions have the same value whenever a thread evaluates them in a step.
    pub(super) fn is_same(&self, one: &Expr, other: &Expr) -> bool {
        let may_change = |expr: &Expr| match expr.kind {
            ExprKind::Load(_) | ExprKind::Update(_) => true,
            ExprKind::Local(local) | ExprKind::ArrayElement(local, _) => self.kernel.locals[local].mutable,
            _ => false,
        };
        is_same_text(one, other, &self.printer) && !one.any(&may_change)
    }
}

/// Returns whether two expressions have the same text, and their parts have the same types and name the same items.
pub(super) fn is_same_text(one: &Expr, other: &Expr, printer: &Printer<'_>) -> bool {
    printer.expr(one) == printer.expr(other) && names(one) == names(other)
}

/// Returns the information that the text of an expression omits: the types of its parts, and the items to which
/// ambiguous names refer.
fn names(expr: &Expr) -> Vec<(Discriminant<ExprKind>, Type, Option<usize>)> {
    let mut found = Vec::new();
    expr.walk(&mut |inner| {
        let meant = match inner.kind {
            ExprKind::Local(id) | ExprKind::ArrayElement(id, _) | ExprKind::Call(id, _) | ExprKind::Constant(id) => {
                Some(id)
            }
            _ => None,
        };
        found.push((discriminant(&inner.kind), inner.ty, meant));
    });
    found
}

/// Returns whether a comparison holds for every pair of numbers from two intervals.
fn holds(op: BinaryOp, (a, b): (i128, i128), (c, d): (i128, i128)) -> bool {
    match op {
        BinaryOp::Eq => a == b && c == d && a == c,
        BinaryOp::Ne => b < c || a > d,
        BinaryOp::Lt => b < c,
        BinaryOp::Le => b <= c,
        BinaryOp::Gt => a > d,
        BinaryOp::Ge => a >= d,
        _ => false,
    }
}

/// Splits an expression into an operand and the constant that is added to it. Removes casts that keep every value.
fn split(expr: &Expr) -> (&Expr, i128) {
    let number = |expr: &Expr| match expr.kind {
        ExprKind::Literal(Literal::Int(number)) => Some(number),
        _ => None,
    };
    match &expr.kind {
        ExprKind::Cast(inner) if keeps_values(inner.ty, expr.ty) => split(inner),
        ExprKind::Binary { op: BinaryOp::Add, left, right, .. } => match (number(left), number(right)) {
            (_, Some(added)) => shifted(split(left), Some(added)),
            (Some(added), None) => shifted(split(right), Some(added)),
            _ => None,
        }
        .unwrap_or((expr, 0)),
        ExprKind::Binary { op: BinaryOp::Sub, left, right, .. } => {
            shifted(split(left), number(right).and_then(i128::checked_neg)).unwrap_or((expr, 0))
        }
        _ => (expr, 0),
    }
}

fn shifted((part, number): (&Expr, i128), added: Option<i128>) -> Option<(&Expr, i128)> {
    Some((part, number.checked_add(added?)?))
}

fn integer(ty: Type) -> bool {
    ty.scalar().is_some_and(ScalarType::is_integer)
}

/// Returns whether a cast between two integer types keeps every value.
fn keeps_values(from: Type, to: Type) -> bool {
    let range = |ty: Type| ty.scalar().filter(|scalar| scalar.is_integer()).and_then(ScalarType::range);
    matches!((range(from), range(to)), (Some((a, b)), Some((c, d))) if c <= a && b <= d)
}
