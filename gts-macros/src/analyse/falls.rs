//! Conditions on an attribute that the body's own write makes false.

use super::compare::Comparer;
use super::locals::LocalValues;
use crate::ir::{BinaryOp, Element, Expr, ExprKind, Literal, Merge, ScalarType, Stmt, StmtKind, UnaryOp, UpdateOp};

/// A condition on an attribute that the body's own write makes false.
#[derive(Clone, Debug)]
pub(crate) struct Fall {
    pub(super) attribute: usize,
    /// The merges that keep the written value when it is combined with a value for which the condition still holds.
    pub(super) keepers: Vec<Merge>,
    /// The index of the write in the guarded statements.
    pub(super) position: usize,
}

/// A condition on one element of an attribute.
enum Test<'e> {
    /// The element is a bool with this value.
    Is(bool),
    /// The comparison of the element with the bound is true.
    Compared(BinaryOp, &'e Expr),
}

/// The element, the operation and the value of a write. The operation is `None` for a plain store.
type Write<'e> = (&'e Element, Option<UpdateOp>, &'e Expr);

/// Returns the fall of the condition, if a write among the guarded statements makes the condition false.
pub(super) fn fall(condition: &Expr, guarded: &[Stmt], comparer: &Comparer<'_>) -> Option<Fall> {
    let (element, test) = test(condition)?;
    let closes = |statement: &Stmt| {
        written(statement).is_some_and(|(place, op, value)| {
            place.attribute == element.attribute
                && comparer.values.same_vertex(&place.vertex, &element.vertex)
                && same_index(place, element, comparer)
                && ends(&test, op, value, comparer)
        })
    };
    let position = guarded.iter().position(closes)?;
    let (_, _, value) = written(&guarded[position])?;
    Some(Fall { attribute: element.attribute, keepers: keepers(&test, value, comparer), position })
}

/// Returns the element that a condition tests, and the test.
fn test(condition: &Expr) -> Option<(&Element, Test<'_>)> {
    match &condition.kind {
        ExprKind::Load(element) => Some((element, Test::Is(true))),
        ExprKind::Unary(UnaryOp::Not, inner, _) => match &inner.kind {
            ExprKind::Load(element) => Some((element, Test::Is(false))),
            _ => None,
        },
        ExprKind::Binary { op, left, right, .. } if op.compares() => match (&left.kind, &right.kind) {
            (ExprKind::Load(element), _) => Some((element, Test::Compared(*op, right))),
            (_, ExprKind::Load(element)) => Some((element, Test::Compared(op.mirrored(), left))),
            _ => None,
        },
        _ => None,
    }
}

/// Returns the write of a statement. An update counts only if its old value is unused, and if repeating it with the
/// same operand changes nothing.
fn written(statement: &Stmt) -> Option<Write<'_>> {
    match &statement.kind {
        StmtKind::Store { element, value } => Some((element, None, value)),
        StmtKind::Expr(Expr { kind: ExprKind::Update(update), .. })
            if matches!(update.op, UpdateOp::Min | UpdateOp::Max | UpdateOp::Or | UpdateOp::And) =>
        {
            Some((&update.element, Some(update.op), &update.operands[0]))
        }
        _ => None,
    }
}

fn same_index(a: &Element, b: &Element, comparer: &Comparer<'_>) -> bool {
    match (&a.index, &b.index) {
        (None, None) => true,
        (Some(a), Some(b)) => comparer.is_same(&a.value, &b.value),
        _ => false,
    }
}

/// Returns whether the write makes a true condition false.
fn ends(test: &Test<'_>, op: Option<UpdateOp>, value: &Expr, comparer: &Comparer<'_>) -> bool {
    match (test, op) {
        (Test::Is(held), None) => is_bool(value, !held),
        (Test::Is(true), Some(UpdateOp::And)) => is_bool(value, false),
        (Test::Is(false), Some(UpdateOp::Or)) => is_bool(value, true),
        (Test::Is(_), Some(_)) => false,
        (Test::Compared(compared, bound), op) => match (compared, op) {
            (_, None)
            // The old value passes the test and the operand fails it, so the update stores the operand.
            | (BinaryOp::Gt | BinaryOp::Ge, Some(UpdateOp::Min))
            | (BinaryOp::Lt | BinaryOp::Le, Some(UpdateOp::Max)) => fails(*compared, value, bound, comparer),
            (BinaryOp::Eq, Some(UpdateOp::Min)) => below(value, bound, comparer),
            (BinaryOp::Eq, Some(UpdateOp::Max)) => comparer.surely(BinaryOp::Gt, value, bound),
            (BinaryOp::Eq, Some(UpdateOp::Or)) => is_least(bound, comparer) && differs(value, bound, comparer),
            (BinaryOp::Eq, Some(UpdateOp::And)) => is_all_ones(bound, comparer) && differs(value, bound, comparer),
            _ => false,
        },
    }
}

/// Returns whether a comparison of the value with the bound is surely false.
fn fails(op: BinaryOp, value: &Expr, bound: &Expr, comparer: &Comparer<'_>) -> bool {
    comparer.surely(op.contrary(), value, bound)
        || match op {
            BinaryOp::Eq => differs(value, bound, comparer),
            // The bound itself makes `!=`, `>` and `<` false.
            BinaryOp::Ne | BinaryOp::Gt | BinaryOp::Lt => comparer.is_same(value, bound),
            _ => false,
        }
}

/// Returns the merges that keep the written value when it is combined with a value for which the condition holds.
fn keepers(test: &Test<'_>, value: &Expr, comparer: &Comparer<'_>) -> Vec<Merge> {
    let mut found = Vec::new();
    match test {
        Test::Is(true) => found.push(Merge::And),
        Test::Is(false) => found.push(Merge::Or),
        Test::Compared(BinaryOp::Gt | BinaryOp::Ge, _) => found.push(Merge::Min),
        Test::Compared(BinaryOp::Lt | BinaryOp::Le, _) => found.push(Merge::Max),
        Test::Compared(BinaryOp::Eq, bound) => {
            let above = comparer.surely(BinaryOp::Gt, value, bound);
            found.extend(below(value, bound, comparer).then_some(Merge::Min));
            found.extend(above.then_some(Merge::Max));
            found.extend(is_least(bound, comparer).then_some(Merge::Or));
            found.extend(is_all_ones(bound, comparer).then_some(Merge::And));
        }
        Test::Compared(..) => {}
    }
    found
}

/// Returns whether the value is surely less than the bound.
fn below(value: &Expr, bound: &Expr, comparer: &Comparer<'_>) -> bool {
    comparer.surely(BinaryOp::Lt, value, bound)
        || matches!(bound.kind, ExprKind::Unreached) && differs(value, bound, comparer)
}

/// Returns whether the bound is `false`, or an integer without a set bit.
fn is_least(bound: &Expr, comparer: &Comparer<'_>) -> bool {
    let zero = Expr { kind: ExprKind::Literal(Literal::Int(0)), ..bound.clone() };
    is_bool(bound, false) || comparer.surely(BinaryOp::Eq, bound, &zero)
}

/// Returns whether the bound is `true`, or an unsigned integer or stored vertex number with all bits set. `UNREACHED`
/// of these numbers has all bits set.
fn is_all_ones(bound: &Expr, comparer: &Comparer<'_>) -> bool {
    let Some(scalar) = bound.ty.scalar() else { return false };
    if matches!(bound.kind, ExprKind::Unreached) {
        return !scalar.is_float() && !scalar.is_signed();
    }
    let largest = scalar.range().filter(|(least, _)| *least == 0).map(|(_, largest)| largest);
    let is_largest = |largest| {
        let largest = Expr { kind: ExprKind::Literal(Literal::Int(largest)), ..bound.clone() };
        comparer.surely(BinaryOp::Eq, bound, &largest)
    };
    is_bool(bound, true) || largest.is_some_and(is_largest)
}

fn is_bool(expr: &Expr, truth: bool) -> bool {
    matches!(&expr.kind, ExprKind::Literal(Literal::Bool(value)) if *value == truth)
}

/// Returns whether the stored value surely differs from the bound. Assumes that values computed from steps and
/// vertices are not `UNREACHED` ([`reached`]).
fn differs(stored: &Expr, bound: &Expr, comparer: &Comparer<'_>) -> bool {
    let values = comparer.values;
    let by_kind = match (&stored.kind, &bound.kind) {
        (ExprKind::Literal(Literal::Float(a)), ExprKind::Literal(Literal::Float(b))) => {
            differ_as_floats(a, b, stored.ty.scalar())
        }
        (ExprKind::Literal(Literal::Bool(a)), ExprKind::Literal(Literal::Bool(b))) => a != b,
        (ExprKind::Unreached, ExprKind::Unreached) => false,
        (ExprKind::Local(local), _) => values.get(*local).is_some_and(|value| differs(value, bound, comparer)),
        (_, ExprKind::Unreached) => reached(stored, values) && !comparer.surely(BinaryOp::Eq, stored, bound),
        (ExprKind::Unreached, ExprKind::Literal(Literal::Float(number))) => number != "inf",
        _ => false,
    };
    by_kind || comparer.surely(BinaryOp::Ne, stored, bound)
}

/// Returns whether two float literals have different values.
fn differ_as_floats(a: &str, b: &str, scalar: Option<ScalarType>) -> bool {
    match scalar {
        Some(ScalarType::F32) => matches!((a.parse::<f32>(), b.parse::<f32>()), (Ok(a), Ok(b)) if a != b),
        _ => matches!((a.parse::<f64>(), b.parse::<f64>()), (Ok(a), Ok(b)) if a != b),
    }
}

/// Returns whether the value is computed only from steps, vertices, literals and constants. Such a value is assumed
/// not to be `UNREACHED`. Remainders and results of bit operations do not count, because they may be `UNREACHED`.
fn reached(expr: &Expr, values: &LocalValues<'_>) -> bool {
    let itself = match &expr.kind {
        ExprKind::Literal(_) | ExprKind::Step | ExprKind::VertexId(_) | ExprKind::Constant(_) => return true,
        ExprKind::Local(local) => return values.get(*local).is_some_and(|value| reached(value, values)),
        ExprKind::Cast(_) | ExprKind::Call(..) | ExprKind::Select(..) | ExprKind::Math(..) => true,
        ExprKind::Binary { op, .. } => matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div),
        _ => false,
    };
    let mut all = itself;
    expr.operands(&mut |operand| all = all && reached(operand, values));
    all
}
