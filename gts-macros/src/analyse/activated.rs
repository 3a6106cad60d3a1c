//! Whether an edge kernel changes only values of activated vertices: then replicas of its attributes differ only there.
//!
//! The analysis follows all paths through the body. A write at `dst` needs an activation before it, or after it on
//! every path to an end of the body. An update whose old value is compared by the condition of an `if` needs an
//! activation only on the paths through the `then` block: if the condition is false the update changed nothing.

use super::compare::is_same_text;
use super::hoist::conjunction;
use super::locals::LocalValues;
use super::pull;
use crate::ir::print::Printer;
use crate::ir::{
    AttributeId, AttributeKind, BinaryOp, Block, Expr, ExprKind, Init, Kernel, ScalarType, Site, SpannedAttributeUse,
    Stmt, StmtKind, UnaryOp, Update, UpdateOp,
};

/// Returns whether the kernel activates, at `dst`, every vertex whose values it changes.
pub(super) fn changes_activated(kernel: &Kernel, uses: &[SpannedAttributeUse], activates: &[Site]) -> bool {
    if !kernel.kind.has_edges() || kernel.racy || !pull::works_at_target(uses, activates) {
        return false;
    }
    let values = LocalValues::of(&kernel.body, &kernel.locals);
    let printer = Printer::kernel(kernel);
    let mut paths = Paths { kernel, values: &values, printer, all_activate: true, left: Vec::new() };
    let last = paths.block(&kernel.body, Some(ActivationState::default()));
    paths.end(last);
    paths.all_activate
}

/// The facts about all paths to a place of the body. A place that no path reaches has no state.
#[derive(Clone, Copy, Default)]
struct ActivationState {
    /// All paths have activated `dst`.
    activated: bool,
    /// At least one path has written at `dst` without an activation so far.
    pending: bool,
}

impl ActivationState {
    /// Returns the state after a write, if `write` is set.
    fn after(self, write: bool) -> Self {
        Self { pending: self.pending || write && !self.activated, ..self }
    }
}

/// Returns the state at the junction of two paths.
fn join(one: Option<ActivationState>, other: Option<ActivationState>) -> Option<ActivationState> {
    match (one, other) {
        (Some(one), Some(other)) => {
            Some(ActivationState { activated: one.activated && other.activated, pending: one.pending || other.pending })
        }
        (one, other) => one.or(other),
    }
}

struct Paths<'a> {
    kernel: &'a Kernel,
    values: &'a LocalValues<'a>,
    printer: Printer<'a>,
    /// Whether all paths that ended so far activated the vertices that they wrote.
    all_activate: bool,
    /// For each loop around the place, the state at `break` and `continue`.
    left: Vec<Option<ActivationState>>,
}

impl<'a> Paths<'a> {
    /// Records the state at an end of the body.
    fn end(&mut self, state: Option<ActivationState>) {
        self.all_activate &= state.is_none_or(|state| !state.pending);
    }

    fn block(&mut self, block: &'a Block, mut state: Option<ActivationState>) -> Option<ActivationState> {
        for (position, statement) in block.statements.iter().enumerate() {
            state = self.statement(statement, &block.statements[position + 1..], state?);
        }
        state
    }

    fn statement(&mut self, statement: &'a Stmt, rest: &'a [Stmt], state: ActivationState) -> Option<ActivationState> {
        match &statement.kind {
            StmtKind::Let { init: Some(init), .. } if self.is_asked_for(init, rest) => Some(state),
            StmtKind::Activate(_) => Some(ActivationState { activated: true, pending: false }),
            StmtKind::Store { .. } => Some(state.after(true)),
            StmtKind::Return(_) => {
                self.end(Some(state));
                None
            }
            StmtKind::Break | StmtKind::Continue => {
                if let Some(left) = self.left.last_mut() {
                    *left = join(*left, Some(state));
                }
                None
            }
            StmtKind::If { condition, then, otherwise } => {
                let parts = conjunction(condition);
                let change = parts.last().filter(|part| updates(part) < 2).and_then(|part| self.asked(part));
                // An update in another part may change something although the condition is false.
                let others = if change.is_some() { &parts[..parts.len() - 1] } else { &parts[..] };
                let state = state.after(others.iter().any(|part| updates(part) > 0));
                let passed = self.block(then, Some(state.after(change.is_some())));
                let failed = match otherwise {
                    Some(otherwise) => self.block(otherwise, Some(state)),
                    None => Some(state),
                };
                join(passed, failed)
            }
            StmtKind::While { condition, body } => Some(self.rounds(body, state.after(updates(condition) > 0))),
            StmtKind::For { body, start, end, .. } => {
                Some(self.rounds(body, state.after(updates(start) + updates(end) > 0)))
            }
            StmtKind::Loop { body } => Some(self.rounds(body, state)),
            StmtKind::Block(body) => self.block(body, Some(state)),
            StmtKind::Let { .. }
            | StmtKind::Assign { .. }
            | StmtKind::Accumulate { .. }
            | StmtKind::Assert { .. }
            | StmtKind::Expr(_) => {
                let mut writes = false;
                statement.expressions(&mut |expr| writes |= updates(expr) > 0);
                Some(state.after(writes))
            }
        }
    }

    /// Returns the state after a loop, which may run no iteration. The first walk determines whether an iteration may
    /// begin with a pending write. The second walk starts from this state; a third would find nothing new.
    fn rounds(&mut self, body: &'a Block, mut state: ActivationState) -> ActivationState {
        for _ in 0..2 {
            self.left.push(None);
            let last = self.block(body, Some(state));
            let left = self.left.pop().flatten();
            state = join(Some(state), join(last, left)).unwrap_or(state);
        }
        state
    }

    /// Returns whether the value of a `let` has one update, and a later `if` tests whether the update changed anything.
    /// No statement in between may leave the block.
    fn is_asked_for(&self, init: &Expr, rest: &[Stmt]) -> bool {
        let mut found = None;
        init.walk(&mut |inner| {
            if let ExprKind::Update(update) = &inner.kind {
                found = Some(&**update);
            }
        });
        let Some(update) = found.filter(|_| updates(init) == 1) else { return false };
        // The condition has no other part, which could be false although the update changed something.
        let asks = |statement: &Stmt| match &statement.kind {
            StmtKind::If { condition, .. } => self.asked(condition).is_some_and(|asked| std::ptr::eq(asked, update)),
            _ => false,
        };
        rest.iter().position(asks).is_some_and(|position| !rest[..position].iter().any(Stmt::leaves))
    }

    /// Returns the update whose change makes the condition true. `check::access` refuses updates other than the
    /// declared merge.
    fn asked<'e>(&self, condition: &'e Expr) -> Option<&'e Update>
    where
        'a: 'e,
    {
        let condition = self.held(condition);
        let of = |expr: &'e Expr, op| self.update(expr).filter(|update| update.op == op);
        match &condition.kind {
            ExprKind::Update(_) => of(condition, UpdateOp::And),
            ExprKind::Unary(UnaryOp::Not, inner, _) => of(inner, UpdateOp::Or),
            ExprKind::Binary { op, left, right, .. } => {
                let (old, bound, op) = match self.update(left) {
                    Some(_) => (&**left, &**right, *op),
                    None => (&**right, &**left, op.mirrored()),
                };
                let update = match op {
                    BinaryOp::Gt => of(old, UpdateOp::Min),
                    BinaryOp::Lt => of(old, UpdateOp::Max),
                    _ => None,
                };
                let at_once = matches!(old.kind, ExprKind::Update(_));
                update.filter(|update| {
                    self.begins_as_number(update.element.attribute) && self.is_same(&update.operands[0], bound, at_once)
                })
            }
            _ => None,
        }
    }

    /// Returns the update whose old value is the expression.
    fn update<'e>(&self, expr: &'e Expr) -> Option<&'e Update>
    where
        'a: 'e,
    {
        match &self.held(expr).kind {
            ExprKind::Update(update) => Some(update),
            _ => None,
        }
    }

    /// Returns the value of an immutable local, or the expression itself.
    fn held<'e>(&self, expr: &'e Expr) -> &'e Expr
    where
        'a: 'e,
    {
        match &expr.kind {
            ExprKind::Local(local) => self.values.get(*local).map_or(expr, |value| self.held(value)),
            _ => expr,
        }
    }

    /// Returns whether the attribute's initial value is not NaN: an update replaces NaN, and comparisons with NaN are
    /// false. The kernel itself writes no NaN: a minimum or maximum never yields one, and a kernel that also stores
    /// values is racy.
    fn begins_as_number(&self, attribute: AttributeId) -> bool {
        let attribute = &self.kernel.attributes.attributes[attribute];
        let AttributeKind::Wa { init: Init { bits }, .. } = attribute.kind else { return false };
        match attribute.scalar {
            ScalarType::F32 => !f32::from_bits(bits as u32).is_nan(),
            ScalarType::F64 => !f64::from_bits(bits).is_nan(),
            _ => true,
        }
    }

    /// Returns whether two expressions have the same value. They are evaluated in one expression (`at_once`) or in
    /// different statements.
    fn is_same(&self, one: &Expr, other: &Expr, at_once: bool) -> bool {
        let may_change = |expr: &Expr| match expr.kind {
            // Other threads may write between the two reads.
            ExprKind::Load(_) | ExprKind::Update(_) => true,
            ExprKind::Local(local) | ExprKind::ArrayElement(local, _) => !at_once && self.kernel.locals[local].mutable,
            _ => false,
        };
        is_same_text(one, other, &self.printer) && !one.any(&may_change)
    }
}

/// Counts the updates in an expression.
fn updates(expr: &Expr) -> usize {
    let mut count = 0;
    expr.walk(&mut |inner| count += usize::from(matches!(inner.kind, ExprKind::Update(_))));
    count
}
