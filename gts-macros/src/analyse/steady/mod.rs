//! Finds reads of attributes that the kernel itself writes, but whose results do not depend on the order of the
//! threads.
//!
//! Let X be an attribute that the body writes at one place, at `dst`, by a store or by `fetch_min`, `fetch_max`,
//! `fetch_and` or `fetch_or`. Let s be the value of X at a vertex when a step begins. Suppose that all edges to the
//! vertex write the same value t ([`FixedValues::writes_one_value`]). Then t is computed from the pass, the step, the
//! vertex, attributes that the body does not write, and settled reads. X has only two values in the step: s, and the
//! value e after the write. For a store, e is t; for an update, e is the merge of s and t. Once X is e, it stays e,
//! because another write changes nothing. A thread sees its own writes, and never reads s after it has read e. The
//! proofs use only these facts, which hold for every kind of run:
//!
//! - A push runs the body for each edge from an active vertex, in any order, with any number of threads, in one or
//!   several launches. The technique and the virtual warps only determine which thread handles an edge. `step()`
//!   returns the same value in all launches of a step.
//! - A pull runs the same body for the same edges, grouped by `dst`. It skips edges only if the guard of the *whole*
//!   body is false. Skipped edges have no effect.
//! - All replicas begin the step with the same s. Each replica runs the body for some of the edges, so the facts hold
//!   for each replica. A replica without an edge to the vertex keeps s and does not read X at the vertex. The merge of
//!   s and e is e: by definition for updates, and because `class` requires it for stores ([`Fall::keepers`]).
//! - A device that runs several steps without the host begins each step after the writes of the previous step. A
//!   device that claims `dst` runs the body once per vertex. It claims `dst` only if a guard covers the whole body.
//!
//! Three rules make a read of X at `dst` steady:
//!
//! **Settled.** The read follows the write, or follows an `if` that guards the write by a test of X and by conditions
//! that are the same for all edges to the vertex. All paths to the read pass through the write or the `if`. Claim: the
//! read returns e if a thread writes X at the vertex in this step, and s otherwise. After the write, X is e. After the
//! `if`, there are three cases. If another condition is false, no thread writes X. If the test is true for s, the
//! thread either has written X, or has found the test false and so has read e. If the test is false for s, no thread
//! writes X, because the first thread to write would have found the test true for s. So all threads read the same
//! value, and the body may use it in any way.
//!
//! **Closes.** The read is part of a test that guards the write. The test is the same for all edges to the vertex, and
//! the write makes it false ([`fall`]). A thread that reads e does not enter. A thread that reads s enters if the test
//! is true for s. If it is, at least one thread enters, because all threads read s until the first write. The order of
//! the threads determines how many threads enter, and which. So each effect behind the test must be the same for all
//! edges to the vertex, must do nothing when repeated, and must occur in every thread that makes the write. The
//! permitted effects are:
//!
//! - stores of one value, and stores of any value into `merge = any`
//! - merges of one value by `min`, `max`, `or` and `and`
//! - `activate(dst)`
//!
//! Conditions of an effect that are not conditions of the write must be the same for all edges to the vertex.
//! Conditions of both the effect and the write may differ between edges: if an edge passes them, at least one edge
//! that passes them enters. If a thread behind the test returns or changes a local, the rest of the body depends on
//! the order, and must have no effect. The edges may write different values t here, because no thread reads t.
//! [`fall`] assumes that steps and vertices, cast to any type, are not `UNREACHED`. If this is wrong, the test stays
//! true, all threads enter, and the effects are the same.
//!
//! **Unmoved.** The read is the old value of `fetch_min(t)`. The old value is only compared with values that are the
//! same for all edges to the vertex. The old value is s or e. If t >= s, both are s. Otherwise s > t = e, so the
//! comparison must have the same outcome for all values >= t. This is true of `> b`, `<= b`, `== b` and `!= b` if t >
//! b, and of `>= b` and `< b` if t >= b. The rule for `fetch_max` is the mirror image.
//!
//! The rules apply only if no other read of the kernel depends on the order. Then, for each edge, the path through the
//! body and the values of locals are the same in every order, except behind a test that the body makes false.

mod failed;
mod fixed;
mod unmoved;

pub(super) use failed::failed;

use super::falls::{Fall, fall};
use super::hoist::{conjunction, negated, returns};
use super::locals::LocalValues;
use super::uses::{Touch, Use, What};
use crate::ir::{
    AttributeId, BinaryOp, Block, Expr, ExprKind, Kernel, Merge, Race, RacedEffect, Site, Span, SpannedSteadyRead,
    SteadyRule, Stmt, StmtKind, Update, UpdateOp,
};
use fixed::{FixedValues, PathState};

/// The reads of a body that have the same result in every order.
#[derive(Default)]
pub(super) struct Steady<'a> {
    reads: Vec<(&'a Expr, SpannedSteadyRead)>,
    /// The tests that the body's own writes make false.
    falls: Vec<Fall>,
    /// The first effect behind such a test that depends on the order, if any.
    pub(super) race: Option<Race>,
}

impl<'a> Steady<'a> {
    /// Finds the steady reads in a kernel's original body. Finds none if the kernel is racy or has no edges.
    pub(super) fn of(kernel: &'a Kernel, values: &'a LocalValues<'a>, touches: &[Touch<'a>]) -> Self {
        if !kernel.kind.has_edges() || kernel.racy {
            return Self::default();
        }
        let fixed = FixedValues::of(kernel, values, touches);
        let mut paths = ReadPaths { kernel, values, fixed, steady: Self::default(), left: None, loops: 0 };
        paths.block(&kernel.body, Some(PathState::default()));
        paths.old_values(touches);
        paths.steady
    }

    /// Returns whether a read has the same result in every order.
    pub(super) fn contains(&self, touch: &Touch<'_>) -> bool {
        touch.expr.is_some_and(|expr| self.reads.iter().any(|(known, _)| std::ptr::eq(*known, expr)))
    }

    /// Returns whether the merge keeps the written value of an attribute when it combines this value with that of a
    /// replica that has not written the attribute.
    pub(super) fn keeps(&self, attribute: AttributeId, merge: Merge) -> bool {
        self.falls.iter().any(|fall| fall.attribute == attribute && fall.keepers.contains(&merge))
    }

    /// Returns the first read for each attribute and rule.
    pub(super) fn reads(&self) -> Vec<SpannedSteadyRead> {
        let mut found: Vec<SpannedSteadyRead> = Vec::new();
        for (_, read) in &self.reads {
            if !found.iter().any(|known| known.attribute == read.attribute && known.rule == read.rule) {
                found.push(*read);
            }
        }
        found
    }
}

/// Follows all paths through a body.
struct ReadPaths<'a> {
    kernel: &'a Kernel,
    values: &'a LocalValues<'a>,
    fixed: FixedValues<'a>,
    steady: Steady<'a>,
    /// The guard of a block that a thread may leave early, or that changes a local. Everything after such a block may
    /// depend on whether the thread found the guard true.
    left: Option<AttributeId>,
    /// The number of enclosing loops.
    loops: usize,
}

impl<'a> ReadPaths<'a> {
    fn block(&mut self, block: &'a Block, mut state: Option<PathState>) -> Option<PathState> {
        for (position, statement) in block.statements.iter().enumerate() {
            state = self.statement(statement, &block.statements[position + 1..], state?);
        }
        state
    }

    fn statement(&mut self, statement: &'a Stmt, rest: &'a [Stmt], mut state: PathState) -> Option<PathState> {
        if let StmtKind::If { condition, then, otherwise } = &statement.kind {
            return self.branches(condition, then, otherwise.as_ref(), rest, state);
        }
        statement.expressions(&mut |expr| self.expr(expr, &mut state));
        match &statement.kind {
            StmtKind::Store { element, value } => {
                let merge = self.kernel.attributes.attributes[element.attribute].kind.merge();
                let any = merge == Some(Merge::Any) || self.fixed.is_fixed(value, &state);
                let place = self.fixed.is_fixed(&element.vertex, &state)
                    && self.fixed.is_fixed_index(element.index.as_deref(), &state);
                self.effect(RacedEffect::Write(element.attribute), any && place, statement.span, &state);
                self.write(element.attribute, &mut state);
            }
            StmtKind::Accumulate { attribute, index, op, value, .. } => {
                let repeats = op.is_none_or(|op| repeats(op) && self.fixed.is_fixed(value, &state));
                let same = repeats && self.fixed.is_fixed_index(index.as_ref(), &state);
                self.effect(RacedEffect::Write(*attribute), same, statement.span, &state);
            }
            StmtKind::Activate(vertex) => {
                let same = self.fixed.is_fixed(vertex, &state);
                self.effect(RacedEffect::Activation, same, statement.span, &state);
            }
            StmtKind::Return(_) | StmtKind::Break | StmtKind::Continue => return None,
            StmtKind::For { local, start, end, body, .. } => {
                let same = self.fixed.is_fixed(start, &state) && self.fixed.is_fixed(end, &state);
                if same {
                    self.fixed.counters.push(*local);
                }
                self.rounds(body, same, &mut state);
            }
            StmtKind::While { body, .. } | StmtKind::Loop { body } => self.rounds(body, false, &mut state),
            StmtKind::Block(body) => return self.block(body, Some(state)),
            _ => {}
        }
        Some(state)
    }

    /// Follows both branches of an `if`.
    fn branches(
        &mut self,
        condition: &'a Expr,
        then: &'a Block,
        otherwise: Option<&'a Block>,
        rest: &'a [Stmt],
        mut state: PathState,
    ) -> Option<PathState> {
        if returns(then) && otherwise.is_none() {
            let contrary = negated(condition.clone());
            if let Some(fall) = self.closing(&contrary, rest, &state) {
                let guard = fall.attribute;
                self.close(condition, fall, &mut state);
                let again = self.loops > 0 || state.guard.is_some();
                self.left = self.left.or(Some(guard).filter(|_| again));
                self.divide(&contrary, guard, &mut state);
                return Some(state);
            }
        }
        let Some(fall) = self.closing(condition, &then.statements, &state) else {
            self.expr(condition, &mut state);
            return self.choice(condition, then, otherwise, state);
        };
        let (guard, position) = (fall.attribute, fall.position);
        let mut entered = state.clone();
        self.close(condition, fall, &mut entered);
        self.divide(condition, guard, &mut entered);
        if self.fixed.is_fixed_but(condition, Some(guard), &state)
            && self.fixed.writes_one_value(guard, &state)
            && !then.statements[..position].iter().any(Stmt::leaves)
        {
            state.settle(guard);
        }
        let mut refused = PathState { guard: Some(guard), divided: true, ..state.clone() };
        self.block(then, Some(entered));
        if let Some(otherwise) = otherwise {
            self.block(otherwise, Some(std::mem::take(&mut refused)));
        }
        let blocks = [Some(then), otherwise];
        if blocks.into_iter().flatten().any(|block| block.statements.iter().any(Stmt::leaves) || changes_locals(block))
        {
            self.left = self.left.or(Some(guard));
        }
        Some(state)
    }

    /// Follows both branches of an `if` whose condition the body does not make false.
    fn choice(
        &mut self,
        condition: &Expr,
        then: &'a Block,
        otherwise: Option<&'a Block>,
        state: PathState,
    ) -> Option<PathState> {
        let apart = state.guard.is_some() && !self.fixed.is_fixed(condition, &state);
        let inside = PathState { divided: state.divided || apart, ..state.clone() };
        let passed = self.block(then, Some(inside.clone()));
        let failed = match otherwise {
            Some(otherwise) => self.block(otherwise, Some(inside)),
            None => Some(inside),
        };
        let left = then.statements.iter().chain(otherwise.iter().flat_map(|block| &block.statements)).any(Stmt::leaves);
        let mut after = PathState::join(passed, failed)?;
        if apart {
            // A thread that leaves before the write does not make it, so later effects need not occur in this thread.
            after.divided = state.divided || left && state.closed;
        }
        Some(after)
    }

    /// Follows a loop that may run no iteration. `same` is whether all threads that do not leave the loop run the same
    /// iterations.
    fn rounds(&mut self, body: &'a Block, same: bool, state: &mut PathState) {
        let left = body.statements.iter().any(Stmt::leaves);
        let mut inside = state.clone();
        inside.divided |= state.guard.is_some() && (!same || left);
        self.loops += 1;
        let before = self.left;
        self.block(body, Some(inside.clone()));
        if self.left != before {
            // The next iteration runs earlier statements of the body after the block that set `left`.
            self.block(body, Some(inside));
        }
        self.loops -= 1;
        state.divided |= state.guard.is_some() && left;
    }

    /// Records the settled reads and the updates in an expression.
    fn expr(&mut self, expr: &'a Expr, state: &mut PathState) {
        match &expr.kind {
            ExprKind::Binary { op: BinaryOp::And | BinaryOp::Or, left, right, .. } => {
                self.expr(left, state);
                self.expr(right, &mut state.clone());
            }
            ExprKind::Select(condition, one, other) => {
                self.expr(condition, state);
                self.expr(one, &mut state.clone());
                self.expr(other, &mut state.clone());
            }
            _ => expr.operands(&mut |operand| self.expr(operand, state)),
        }
        match &expr.kind {
            ExprKind::Load(element)
                if state.settled.contains(&element.attribute) && self.values.site(&element.vertex) == Site::Dst =>
            {
                self.read(expr, element.attribute, SteadyRule::Settled);
            }
            ExprKind::Update(update) => {
                let Update { op, element, operands, .. } = &**update;
                let any = *op == UpdateOp::Swap || repeats(*op) && self.fixed.is_fixed(&operands[0], state);
                let place = self.fixed.is_fixed(&element.vertex, state)
                    && self.fixed.is_fixed_index(element.index.as_deref(), state);
                self.effect(RacedEffect::Write(element.attribute), any && place, expr.span, state);
                self.write(element.attribute, state);
            }
            _ => {}
        }
    }

    /// Records that a path has written an attribute.
    fn write(&self, attribute: AttributeId, state: &mut PathState) {
        state.closed |= state.guard.is_some();
        if self.fixed.writes_one_value(attribute, state) {
            state.settle(attribute);
        }
    }

    /// Returns the fall of the first test in the condition that the guarded statements make false. These statements
    /// contain the only write of the tested attribute.
    fn closing(&self, condition: &Expr, guarded: &[Stmt], state: &PathState) -> Option<Fall> {
        if condition.any(&|inner| matches!(inner.kind, ExprKind::Update(_))) {
            return None;
        }
        conjunction(condition).iter().find_map(|part| {
            let found = fall(part, guarded, &self.fixed.comparer)?;
            let attribute = found.attribute;
            let only = self.fixed.writes.only(attribute).is_some();
            (only && self.fixed.is_fixed_but(part, Some(attribute), state)).then_some(found)
        })
    }

    /// Records a condition with a test that the guarded statements make false, and the condition's reads.
    fn close(&mut self, condition: &'a Expr, fall: Fall, state: &mut PathState) {
        let attribute = fall.attribute;
        self.expr(condition, state);
        condition.walk(&mut |inner| {
            if let ExprKind::Load(element) = &inner.kind
                && element.attribute == attribute
                && self.values.site(&element.vertex) == Site::Dst
            {
                self.read(inner, attribute, SteadyRule::Closes);
            }
        });
        self.steady.falls.push(fall);
    }

    /// Records that a test guards the following statements. If other parts of its condition differ between edges, only
    /// some of the threads that found an outer test true reach these statements.
    fn divide(&self, condition: &Expr, guard: AttributeId, state: &mut PathState) {
        let chosen = state.guard.is_some() && !self.fixed.is_fixed_but(condition, Some(guard), state);
        state.divided |= chosen;
        state.guard = Some(guard);
    }

    fn read(&mut self, expr: &'a Expr, attribute: AttributeId, rule: SteadyRule) {
        self.steady.reads.push((expr, SpannedSteadyRead { attribute, rule, span: expr.span }));
    }

    /// Checks an effect behind a test that the body makes false. `same` is whether the effect is the same for all
    /// edges to the vertex and does nothing when repeated.
    fn effect(&mut self, effect: RacedEffect, same: bool, span: Span, state: &PathState) {
        let raced = match (self.left, state.guard) {
            (Some(guard), _) => Some(guard),
            (None, guard) => guard.filter(|_| state.divided || !same),
        };
        if let Some(guard) = raced {
            self.steady.race.get_or_insert(Race::Raced { guard, effect, span });
        }
    }

    /// Records the old values whose comparisons have the same outcome in every order.
    fn old_values(&mut self, touches: &[Touch<'a>]) {
        for touch in touches {
            let (What::Update { update, result }, Some(expr)) = (touch.what, touch.expr) else { continue };
            if result != Use::Unused && unmoved::is_unmoved(self.kernel, &self.fixed, expr, update) {
                self.read(expr, touch.attribute, SteadyRule::Unmoved);
            }
        }
    }
}

/// Returns whether repeating an update with the same operand changes nothing.
fn repeats(op: UpdateOp) -> bool {
    matches!(op, UpdateOp::Min | UpdateOp::Max | UpdateOp::Or | UpdateOp::And)
}

/// Returns whether a block changes a local that is declared outside the block.
fn changes_locals(block: &Block) -> bool {
    let mut own = Vec::new();
    let mut changed = Vec::new();
    block.walk(&mut |statement| match &statement.kind {
        StmtKind::Let { local, .. } | StmtKind::For { local, .. } => own.push(*local),
        StmtKind::Assign { local, .. } => changed.push(*local),
        _ => {}
    });
    changed.iter().any(|local| !own.contains(local))
}
