//! Moves values that depend only on `src` out of the edge loop: they are computed once per visit of a source vertex.
//!
//! A condition on `src` that guards the whole body becomes the source filter. Every other expression on `src` that
//! reads memory becomes a capture. Only expressions that have no effect and cannot fault are moved, so that no order
//! can be observed: the memory model allows one read at `src` per visit. A condition that can overflow stays where it
//! is, and a copy of it that cannot fault becomes a part of the filter. There is one exception: a value that every
//! edge requires becomes a capture, which checks the value once per visit. A visit has at least one edge.

use super::locals::expanded;
use crate::ir::print::Printer;
use crate::ir::{
    BinaryOp, Block, CalledFunction, Capture, Expr, ExprKind, Kernel, LocalId, OperationFaults, Role, Stmt, StmtKind,
    Type, UnaryOp,
};
use std::collections::HashMap;

/// Moves all such expressions from the kernel's body to its filter and captures.
pub(crate) fn hoist(kernel: &mut Kernel) {
    if !kernel.kind.has_edges() {
        return;
    }
    let mut source = SourceOnly::new(kernel);
    source.learn(&kernel.body);
    let mut body = std::mem::take(&mut kernel.body);
    let mut filter = Vec::new();
    while source.take_filter(&mut body, &mut filter) {}
    kernel.source_filter = filter.into_iter().reduce(|left, right| Expr::join(BinaryOp::And, left, right));
    let mut captures = Vec::new();
    source.capture_block(&mut body, &mut captures, kernel, &mut true);
    body.statements_mut(&mut |statement| statement.expressions_mut(&mut |expr| drop_checked(expr, &captures)));
    kernel.body = body;
    kernel.captures = captures;
}

/// The locals and functions that depend only on `src`.
struct SourceOnly {
    src: Option<LocalId>,
    /// Whether each function has no effect, cannot fault and terminates.
    harmless: Vec<bool>,
    /// Immutable locals with their values, which depend only on `src`.
    values: HashMap<LocalId, Expr>,
    names: HashMap<LocalId, String>,
    mutable: Vec<bool>,
}

impl SourceOnly {
    fn new(kernel: &Kernel) -> Self {
        let mut harmless: Vec<bool> = Vec::new();
        for function in &kernel.functions {
            let found = is_harmless(function, &harmless);
            harmless.push(found);
        }
        Self {
            src: kernel.parameter(Role::Src),
            harmless,
            values: HashMap::new(),
            names: kernel.locals.iter().enumerate().map(|(id, local)| (id, local.name.to_string())).collect(),
            mutable: kernel.locals.iter().map(|local| local.mutable).collect(),
        }
    }

    /// Records the locals of the block whose values depend only on `src`.
    fn learn(&mut self, block: &Block) {
        for statement in &block.statements {
            if let StmtKind::Let { local, init: Some(init) } = &statement.kind
                && !self.mutable[*local]
                && self.on_source(init)
            {
                let value = self.expanded(init);
                self.values.insert(*local, value);
            }
            statement.blocks().for_each(|block| self.learn(block));
        }
    }

    /// Returns whether the expression depends only on `src` and the pass, has no effect, and can only fault by an
    /// integer operation.
    fn on_source(&self, expr: &Expr) -> bool {
        let itself = match &expr.kind {
            ExprKind::Local(local) => Some(*local) == self.src || self.values.contains_key(local),
            ExprKind::Call(function, _) => self.harmless[*function],
            ExprKind::EdgeValue(_)
            | ExprKind::Position
            | ExprKind::Captured(_)
            | ExprKind::NewVertex(..)
            | ExprKind::Update(_)
            | ExprKind::Array(_)
            | ExprKind::Repeat(_)
            | ExprKind::ArrayElement(..) => false,
            _ => expr.overflows() || !expr.can_fault(),
        };
        let mut all = itself;
        expr.operands(&mut |operand| all = all && self.on_source(operand));
        all
    }

    /// Returns the expression with locals replaced by their values.
    fn expanded(&self, expr: &Expr) -> Expr {
        expanded(expr, &|local| self.values.get(&local))
    }

    /// Moves conditions on `src` from the statement that guards the whole body; returns true if there may be more. A
    /// condition that can fault stays in the body as well: the filter then also passes what faults, so that an edge
    /// reports the fault.
    fn take_filter(&self, body: &mut Block, filter: &mut Vec<Expr>) -> bool {
        let mut faults = Vec::new();
        let mut guards = |statement: &Stmt| !self.is_let_on_source(statement, &mut faults);
        let Some(position) = body.statements.iter().position(&mut guards) else {
            return false;
        };
        let last = position + 1 == body.statements.len();
        let StmtKind::If { condition, then, otherwise: None } = &mut body.statements[position].kind else {
            return false;
        };
        if !last && returns(then) && self.on_source(condition) {
            let moved = negated(self.expanded(condition));
            faults.extend(moved.overflow_conditions());
            filter.push(moved.or_any(&faults));
            if faults.is_empty() {
                body.statements.remove(position);
            }
            return faults.is_empty();
        }
        if !last {
            return false;
        }
        let mut kept = Vec::new();
        let mut effect = false;
        for part in conjunction(condition) {
            if !effect && self.on_source(&part) {
                let moved = self.expanded(&part);
                faults.extend(moved.overflow_conditions());
                filter.push(moved.or_any(&faults));
                if !faults.is_empty() {
                    kept.push(part);
                }
            } else {
                effect |= !self.is_pure(&part);
                kept.push(part);
            }
        }
        let rest = kept.into_iter().reduce(|left, right| Expr::join(BinaryOp::And, left, right));
        match rest {
            Some(rest) => {
                *condition = rest;
                false
            }
            None => {
                let inner = std::mem::take(&mut then.statements);
                body.statements.splice(position.., inner);
                true
            }
        }
    }

    /// Returns whether the statement is a `let` without an effect that can fault only because of `src`. Adds the
    /// conditions under which it faults.
    fn is_let_on_source(&self, statement: &Stmt, faults: &mut Vec<Expr>) -> bool {
        let StmtKind::Let { init: Some(init), .. } = &statement.kind else { return false };
        if self.is_pure(init) {
            return true;
        }
        let on_source = self.on_source(init);
        if on_source {
            faults.extend(self.expanded(init).overflow_conditions());
        }
        on_source
    }

    /// Returns whether the expression has no effect and cannot fault.
    fn is_pure(&self, expr: &Expr) -> bool {
        !expr.any(&|inner| match &inner.kind {
            ExprKind::Update(_) => true,
            ExprKind::Call(function, _) => !self.harmless[*function],
            _ => inner.can_fault(),
        })
    }

    /// Replaces values of `src` by captures. `always` is whether every edge runs the next statement. It becomes false
    /// after a statement that may leave the body.
    fn capture_block(&self, block: &mut Block, captures: &mut Vec<Capture>, kernel: &Kernel, always: &mut bool) {
        block.statements.retain(|statement| match &statement.kind {
            // The uses of the local are replaced by its value.
            StmtKind::Let { local, .. } => {
                !self.values.get(local).is_some_and(|value| reads_memory(value) && !faults(value))
            }
            _ => true,
        });
        for statement in &mut block.statements {
            if let StmtKind::Assert { value: Some(value), .. } = &mut statement.kind {
                self.capture(value, captures, kernel, false);
            }
            statement.expressions_mut(&mut |expr| self.capture(expr, captures, kernel, *always));
            if let StmtKind::Block(inner) = &mut statement.kind {
                self.capture_block(inner, captures, kernel, always);
                continue;
            }
            statement.blocks_mut().for_each(|block| self.capture_block(block, captures, kernel, &mut false));
            *always &= !statement.leaves();
        }
    }

    /// Replaces the largest subexpressions that depend only on `src` and read memory. `always` is whether every edge
    /// evaluates the expression.
    fn capture(&self, expr: &mut Expr, captures: &mut Vec<Capture>, kernel: &Kernel, always: bool) {
        if matches!(expr.ty, Type::Scalar(_)) && self.on_source(expr) {
            let value = self.expanded(expr);
            let required = matches!(&value.kind, ExprKind::Present(inner, _) if always && !faults(inner));
            if required || !faults(&value) {
                if reads_memory(&value) {
                    let name = self.name(expr, kernel);
                    expr.kind = ExprKind::Captured(intern(captures, Capture { name, value }, kernel));
                }
                return;
            }
        }
        match &mut expr.kind {
            ExprKind::Binary { op: BinaryOp::And | BinaryOp::Or, left, right, .. } => {
                self.capture(left, captures, kernel, always);
                self.capture(right, captures, kernel, false);
            }
            ExprKind::Select(condition, one, other) => {
                self.capture(condition, captures, kernel, always);
                [one, other].into_iter().for_each(|side| self.capture(side, captures, kernel, false));
            }
            _ => expr.operands_mut(&mut |operand| self.capture(operand, captures, kernel, always)),
        }
    }

    fn name(&self, expr: &Expr, kernel: &Kernel) -> String {
        match &expr.kind {
            ExprKind::Local(local) => self.names[local].clone(),
            ExprKind::Load(element) => kernel.attributes.attributes[element.attribute].name.to_string(),
            ExprKind::OutDegree(_) => "out_degree".to_owned(),
            ExprKind::InDegree(_) => "in_degree".to_owned(),
            ExprKind::Cast(x) | ExprKind::Present(x, _) => self.name(x, kernel),
            _ => "value".to_owned(),
        }
    }
}

/// Returns the index of the capture with this value; adds the capture if there is none. If one use requires the value,
/// the capture requires the value for all uses.
fn intern(captures: &mut Vec<Capture>, capture: Capture, kernel: &Kernel) -> usize {
    let printer = Printer::kernel(kernel);
    let text = printer.expr(&capture.value);
    let same = |known: &Capture| known.value.ty == capture.value.ty && printer.expr(&known.value) == text;
    match captures.iter().position(same) {
        Some(position) => {
            let known = &mut captures[position].value;
            if !is_required(known) {
                *known = capture.value;
            }
            position
        }
        None => {
            captures.push(capture);
            captures.len() - 1
        }
    }
}

/// Returns whether a capture with this value checks it.
fn is_required(value: &Expr) -> bool {
    matches!(value.kind, ExprKind::Present(..))
}

/// Removes checks of captured values that their captures already check.
fn drop_checked(expr: &mut Expr, captures: &[Capture]) {
    expr.operands_mut(&mut |operand| drop_checked(operand, captures));
    if let ExprKind::Present(value, _) = &expr.kind
        && let ExprKind::Captured(capture) = value.kind
        && is_required(&captures[capture].value)
    {
        expr.kind = ExprKind::Captured(capture);
    }
}

/// Returns whether evaluating the value can fault.
fn faults(expr: &Expr) -> bool {
    expr.any(&Expr::can_fault)
}

/// Returns whether capturing the value saves a read of memory per edge.
fn reads_memory(expr: &Expr) -> bool {
    expr.any(&|inner| matches!(inner.kind, ExprKind::Load(_) | ExprKind::OutDegree(_) | ExprKind::InDegree(_)))
}

fn is_harmless(function: &CalledFunction, earlier: &[bool]) -> bool {
    let mut harmless = true;
    function.body.walk(&mut |statement| {
        let endless = matches!(statement.kind, StmtKind::While { .. } | StmtKind::Loop { .. });
        harmless &= !endless && !statement.can_fault();
    });
    function.body.expressions(&mut |expr| {
        harmless &= !expr.any(&|inner| match &inner.kind {
            ExprKind::Call(callee, _) => !earlier[*callee],
            _ => inner.can_fault(),
        });
    });
    harmless
}

/// Returns whether the block consists of a `return`.
pub(super) fn returns(block: &Block) -> bool {
    matches!(block.statements.as_slice(), [Stmt { kind: StmtKind::Return(None), .. }])
}

/// Returns the operands of a condition joined by `&&`.
pub(super) fn conjunction(condition: &Expr) -> Vec<Expr> {
    match &condition.kind {
        ExprKind::Binary { op: BinaryOp::And, left, right, .. } => {
            let mut parts = conjunction(left);
            parts.extend(conjunction(right));
            parts
        }
        _ => vec![condition.clone()],
    }
}

/// Returns the negation of a condition.
pub(super) fn negated(condition: Expr) -> Expr {
    let span = condition.span;
    let opposite = match &condition.kind {
        ExprKind::Unary(UnaryOp::Not, inner, _) => return (**inner).clone(),
        ExprKind::Binary { op: BinaryOp::Eq, .. } => Some(BinaryOp::Ne),
        ExprKind::Binary { op: BinaryOp::Ne, .. } => Some(BinaryOp::Eq),
        _ => None,
    };
    let kind = match (opposite, condition.kind) {
        (Some(op), ExprKind::Binary { left, right, faults, .. }) => ExprKind::Binary { op, left, right, faults },
        (_, kind) => {
            ExprKind::Unary(UnaryOp::Not, Box::new(Expr { kind, ty: Type::BOOL, span }), OperationFaults::NONE)
        }
    };
    Expr { kind, ty: Type::BOOL, span }
}
