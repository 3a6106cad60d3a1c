//! The condition on `dst` that guards the whole body, and whether the body makes it false. Such a guard lets a device
//! pull, and stop at the first edge that passes.

use super::hoist::{conjunction, negated, returns};
use super::locals::LocalValues;
use crate::ir::print::Printer;
use crate::ir::{BinaryOp, Element, Expr, ExprKind, Kernel, Literal, Merge, Role, Stmt, StmtKind, UnaryOp, UpdateOp};

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

/// A condition on an attribute that the body's own store makes false.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fall {
    pub(super) attribute: usize,
    /// The merges that keep the stored value when it is combined with a value for which the condition still holds.
    pub(super) keepers: &'static [Merge],
}

/// Returns the guard of an edge kernel's body, after hoisting.
pub(super) fn guard(kernel: &Kernel) -> Option<Guard<'_>> {
    let values = LocalValues::of(&kernel.body, &kernel.locals);
    let printer = Printer::kernel(kernel);
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
    let falls = parts.iter().filter_map(|part| falling(part, guarded, &values, &printer)).collect();
    let text = parts.iter().map(|part| printer.expr(part)).collect::<Vec<_>>().join(" && ");
    let lets = kernel.body.statements[..position].iter();
    let before = lets.filter_map(|statement| match &statement.kind {
        StmtKind::Let { init, .. } => init.as_ref(),
        _ => None,
    });
    // A value that each edge requires is not silent.
    let is_required = |value: &Expr| matches!(value.kind, ExprKind::Present(..));
    let mut silent = !kernel.captures.iter().any(|capture| is_required(&capture.value));
    let mut faults = Vec::new();
    for expr in before.chain([&condition]) {
        let expr = expanded(expr, &values);
        // A vertex whose guard faults is visited, so that an edge reports the fault.
        let overflows = expr.overflow_conditions();
        silent &= is_silent(&expr) && overflows.iter().all(|fault| on_target(fault, &values));
        faults.extend(overflows);
    }
    let condition = parts
        .iter()
        .filter(|_| silent)
        .map(|part| expanded(part, &values))
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

/// Returns the expression with locals replaced by their values.
fn expanded(expr: &Expr, values: &LocalValues<'_>) -> Expr {
    if let ExprKind::Local(local) = &expr.kind
        && let Some(value) = values.get(*local)
    {
        return expanded(value, values);
    }
    let mut expr = expr.clone();
    expr.operands_mut(&mut |operand| *operand = expanded(operand, values));
    expr
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

/// Returns whether storing a value makes a condition false.
type Test<'a> = Box<dyn Fn(&Expr) -> bool + 'a>;

/// Returns the attribute that the condition reads, if a store of the guarded statements makes the condition false.
fn falling(part: &Expr, guarded: &[Stmt], values: &LocalValues<'_>, printer: &Printer<'_>) -> Option<Fall> {
    let (element, keepers, ends): (&Element, &'static [Merge], Test<'_>) = match &part.kind {
        ExprKind::Load(element) => (element, &[Merge::And], Box::new(|stored| is_bool(stored, false))),
        ExprKind::Unary(UnaryOp::Not, inner, _) => match &inner.kind {
            ExprKind::Load(element) => (element, &[Merge::Or], Box::new(|stored| is_bool(stored, true))),
            _ => return None,
        },
        ExprKind::Binary { op, left, right, .. } => {
            let (element, bound, op) = match (&left.kind, &right.kind) {
                (ExprKind::Load(element), _) => (element, right, *op),
                (_, ExprKind::Load(element)) => (element, left, op.mirrored()),
                _ => return None,
            };
            let text = printer.expr(bound);
            let itself: Test<'_> = Box::new(move |stored| printer.expr(stored) == text);
            match op {
                BinaryOp::Eq => (element, kept_from(bound), Box::new(move |stored| differs(stored, bound, values))),
                // The bound itself makes `!=`, `>` and `<` false.
                BinaryOp::Ne => (element, &[], itself),
                BinaryOp::Gt => (element, &[Merge::Min], itself),
                BinaryOp::Lt => (element, &[Merge::Max], itself),
                _ => return None,
            }
        }
        _ => return None,
    };
    let falls = guarded.iter().any(|statement| {
        stored(statement).is_some_and(|(place, value)| {
            place.attribute == element.attribute
                && values.same_vertex(&place.vertex, &element.vertex)
                && same_index(place, element, printer)
                && ends(value)
        })
    });
    falls.then_some(Fall { attribute: element.attribute, keepers })
}

/// Returns the merges that keep any other value when it is combined with `bound`.
fn kept_from(bound: &Expr) -> &'static [Merge] {
    let unsigned = !matches!(bound.ty.scalar(), Some(scalar) if scalar.is_float() || scalar.is_signed());
    match &bound.kind {
        // `UNREACHED` of unsigned integers and stored vertex numbers is all ones; else it is the largest value.
        ExprKind::Unreached if unsigned => &[Merge::Min, Merge::And],
        ExprKind::Unreached => &[Merge::Min],
        ExprKind::Literal(Literal::Bool(true)) => &[Merge::And],
        ExprKind::Literal(Literal::Bool(false)) => &[Merge::Or],
        ExprKind::Literal(Literal::Int(0)) if unsigned => &[Merge::Max, Merge::Or],
        ExprKind::Literal(Literal::Int(0)) => &[Merge::Or],
        _ => &[],
    }
}

/// Returns the element and the value of a store, or of a minimum or maximum whose old value is unused.
fn stored(statement: &Stmt) -> Option<(&Element, &Expr)> {
    match &statement.kind {
        StmtKind::Store { element, value } => Some((element, value)),
        StmtKind::Expr(Expr { kind: ExprKind::Update(update), .. })
            if matches!(update.op, UpdateOp::Min | UpdateOp::Max | UpdateOp::Or | UpdateOp::And) =>
        {
            Some((&update.element, &update.operands[0]))
        }
        _ => None,
    }
}

fn same_index(a: &Element, b: &Element, printer: &Printer<'_>) -> bool {
    match (&a.index, &b.index) {
        (None, None) => true,
        (Some(a), Some(b)) => printer.expr(&a.value) == printer.expr(&b.value),
        _ => false,
    }
}

fn is_bool(expr: &Expr, truth: bool) -> bool {
    matches!(&expr.kind, ExprKind::Literal(Literal::Bool(value)) if *value == truth)
}

/// Returns whether the stored value surely differs from the bound. Steps, vertices and their sums are not `UNREACHED`.
fn differs(stored: &Expr, bound: &Expr, values: &LocalValues<'_>) -> bool {
    match (&stored.kind, &bound.kind) {
        (ExprKind::Literal(a), ExprKind::Literal(b)) => a != b,
        (ExprKind::Unreached, ExprKind::Unreached) => false,
        (ExprKind::Local(local), _) => values.get(*local).is_some_and(|value| differs(value, bound, values)),
        (_, ExprKind::Unreached) => reached(stored, values),
        (ExprKind::Unreached, ExprKind::Literal(_)) => true,
        _ => false,
    }
}

/// Returns whether the value is computed only from steps, vertices, literals and constants, and so is assumed not to be
/// `UNREACHED`.
fn reached(expr: &Expr, values: &LocalValues<'_>) -> bool {
    let itself = match &expr.kind {
        ExprKind::Literal(_) | ExprKind::Step | ExprKind::VertexId(_) | ExprKind::Constant(_) => return true,
        ExprKind::Local(local) => return values.get(*local).is_some_and(|value| reached(value, values)),
        ExprKind::Cast(_) | ExprKind::Call(..) | ExprKind::Select(..) | ExprKind::Math(..) => true,
        ExprKind::Binary { op, .. } => !op.compares(),
        _ => false,
    };
    let mut all = itself;
    expr.operands(&mut |operand| all = all && reached(operand, values));
    all
}
