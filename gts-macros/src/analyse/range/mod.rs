//! Removes checks from integer operations that cannot fault, based on the intervals of their operands.
//!
//! Intervals follow from types, literals, degrees, the step, `%`, `&`, `>>`, loop bounds and the conditions that guard
//! a statement. An operation that may overflow can have any value of its type, so intervals also hold after a fault.

mod interval;
mod state;

use crate::ir::{
    BinaryOp, Block, Capture, Constant, Expr, ExprKind, Index, Kernel, Literal, MathMethod, OperationFaults,
    RandomForm, ScalarType, Stmt, StmtKind, Type, UnaryOp, Update,
};
use interval::Interval;
use state::{Known, StableLoads, StableValue};

/// The largest step number. A run does not count beyond it.
const LARGEST_STEP: i128 = u32::MAX as i128 - 1;
/// The maximum degree of a vertex. Degrees are stored in 32 bits.
const LARGEST_DEGREE: i128 = u32::MAX as i128;
/// More vertices or edges than any graph has.
const LARGEST_COUNT: i128 = 1 << 56;

/// Removes the error sites of operations that cannot fault wherever they are evaluated, so that they can be moved.
pub(crate) fn prune_anywhere(kernel: &mut Kernel) {
    prune(kernel, false);
}

/// Removes the error sites of operations that cannot fault where they stand. Afterwards, nothing may be moved.
pub(crate) fn prune_in_place(kernel: &mut Kernel) {
    prune(kernel, true);
}

/// Returns the least and the largest value of an integer expression. These bounds hold at every place in the body.
pub(crate) fn bounds(kernel: &Kernel, expr: &Expr) -> Option<(i128, i128)> {
    let pruning = Pruning {
        constants: &kernel.constants,
        captures: &kernel.captures,
        loads: StableLoads::of(kernel),
        in_place: false,
    };
    let found = pruning.expr(&mut expr.clone(), &mut Known::default())?;
    Some((found.least, found.largest))
}

fn prune(kernel: &mut Kernel, in_place: bool) {
    let constants = std::mem::take(&mut kernel.constants);
    for function in &mut kernel.functions {
        let pruning = Pruning { constants: &constants, captures: &[], loads: StableLoads::of_function(), in_place };
        pruning.block(&mut function.body, &mut Known::default());
    }
    let captures = std::mem::take(&mut kernel.captures);
    let pruning = Pruning { constants: &constants, captures: &captures, loads: StableLoads::of(kernel), in_place };
    let mut known = Known::default();
    if let Some(filter) = &mut kernel.source_filter {
        pruning.assume(filter, true, &mut known);
    }
    pruning.block(&mut kernel.body, &mut known);
    (kernel.constants, kernel.captures) = (constants, captures);
}

struct Pruning<'a> {
    constants: &'a [Constant],
    captures: &'a [Capture],
    loads: StableLoads,
    /// Whether to use facts that depend on the place in the body: the values of locals, and conditions.
    in_place: bool,
}

impl Pruning<'_> {
    /// Walks a block. Returns whether its end can be reached.
    fn block(&self, block: &mut Block, known: &mut Known) -> bool {
        let mut reached = true;
        for statement in &mut block.statements {
            reached &= self.statement(statement, known);
        }
        reached
    }

    fn statement(&self, statement: &mut Stmt, known: &mut Known) -> bool {
        match &mut statement.kind {
            StmtKind::Let { local, init: Some(init) } => {
                let interval = self.expr(init, known);
                known.forget(StableValue::Local(*local));
                if let Some(interval) = interval.filter(|_| self.in_place) {
                    known.set(StableValue::Local(*local), interval);
                }
            }
            StmtKind::Assign { .. } => self.assign(statement, known),
            StmtKind::Store { element, value } => {
                self.expr(value, known);
                self.expr(&mut element.vertex, known);
                if let Some(index) = &mut element.index {
                    self.index(index, known);
                }
                known.forget_attribute(element.attribute);
            }
            StmtKind::Accumulate { index, value, .. } => {
                self.expr(value, known);
                index.iter_mut().for_each(|index| self.index(index, known));
            }
            StmtKind::Assert { condition, value, .. } => {
                self.expr(condition, known);
                let mut refused = known.clone();
                self.assume(condition, false, &mut refused);
                if let Some(value) = value {
                    self.expr(value, &mut refused);
                }
                self.assume(condition, true, known);
            }
            StmtKind::If { condition, then, otherwise } => {
                self.expr(condition, known);
                let mut refused = known.clone();
                self.assume(condition, true, known);
                self.assume(condition, false, &mut refused);
                let then_ends = self.block(then, known);
                let else_ends = otherwise.as_mut().is_none_or(|block| self.block(block, &mut refused));
                *known = match (then_ends, else_ends) {
                    (true, true) => std::mem::take(known).join(&refused),
                    (false, _) => refused,
                    (true, false) => return true,
                };
                return then_ends || else_ends;
            }
            StmtKind::While { condition, body } => {
                self.forget_written(body, known);
                self.forget_updated(condition, known);
                self.expr(condition, known);
                let mut inside = known.clone();
                self.assume(condition, true, &mut inside);
                self.block(body, &mut inside);
            }
            StmtKind::Loop { body } => {
                self.forget_written(body, known);
                self.block(body, &mut known.clone());
            }
            StmtKind::For { .. } => self.count(statement, known),
            StmtKind::Break | StmtKind::Continue | StmtKind::Return(None) => return false,
            StmtKind::Return(Some(value)) => {
                self.expr(value, known);
                return false;
            }
            StmtKind::Activate(value) | StmtKind::Expr(value) => {
                self.expr(value, known);
            }
            StmtKind::Block(block) => return self.block(block, known),
            StmtKind::Let { init: None, .. } => {}
        }
        true
    }

    fn count(&self, statement: &mut Stmt, known: &mut Known) {
        let StmtKind::For { local, start, end, inclusive, body } = &mut statement.kind else { return };
        let (start, end) = (self.expr(start, known), self.expr(end, known));
        self.forget_written(body, known);
        let mut inside = known.clone();
        inside.forget(StableValue::Local(*local));
        if let (Some(start), Some(end), true) = (start, end, self.in_place) {
            let last = if *inclusive { end.largest } else { end.largest - 1 };
            inside.set(StableValue::Local(*local), Interval::new(start.least, last.max(start.least)));
        }
        self.block(body, &mut inside);
    }

    fn assign(&self, statement: &mut Stmt, known: &mut Known) {
        let StmtKind::Assign { local, index, op, value, faults } = &mut statement.kind else { return };
        index.iter_mut().for_each(|index| self.index(index, known));
        let right = self.expr(value, known);
        if index.is_some() {
            // The type of a shifted element is unknown here.
            let shifts = matches!(op, Some(BinaryOp::Shl | BinaryOp::Shr));
            if let (Some(op), Some(all), false) = (op, integer(value.ty), shifts) {
                self.operation(*op, all, right, faults, all, false);
            }
            return;
        }
        let place = StableValue::Local(*local);
        let interval = match op {
            None => right,
            Some(op) => {
                let shifts = matches!(op, BinaryOp::Shl | BinaryOp::Shr);
                let old = known.interval(place).or_else(|| integer(value.ty).filter(|_| !shifts));
                // Without an interval, the type of a shifted local is unknown here, and the check stays.
                old.and_then(|old| {
                    let all = integer(value.ty).filter(|_| !shifts)?;
                    self.operation(*op, old, right, faults, all, false)
                })
            }
        };
        known.forget(place);
        if let Some(interval) = interval.filter(|_| self.in_place) {
            known.set(place, interval);
        }
    }

    /// Forgets what a loop's body may change.
    fn forget_written(&self, body: &Block, known: &mut Known) {
        body.walk(&mut |statement| match &statement.kind {
            StmtKind::Assign { local, .. } | StmtKind::Let { local, .. } | StmtKind::For { local, .. } => {
                known.forget(StableValue::Local(*local));
            }
            StmtKind::Store { element, .. } => known.forget_attribute(element.attribute),
            _ => {}
        });
        body.expressions(&mut |expr| self.forget_updated(expr, known));
    }

    /// Forgets the attributes that an expression updates.
    fn forget_updated(&self, expr: &Expr, known: &mut Known) {
        expr.walk(&mut |inner| {
            if let ExprKind::Update(update) = &inner.kind {
                known.forget_attribute(update.element.attribute);
            }
        });
    }

    fn index(&self, index: &mut Index, known: &mut Known) {
        let interval = self.expr(&mut index.value, known);
        if interval.is_some_and(|found| found.within(Interval::new(0, i128::from(index.length) - 1))) {
            index.site = None;
        }
    }

    /// Returns the interval of an integer expression, and removes the checks in it that cannot fail.
    fn expr(&self, expr: &mut Expr, known: &mut Known) -> Option<Interval> {
        let all = integer(expr.ty);
        let stable = self.loads.value(expr).and_then(|value| known.interval(value));
        let found = self.kind(expr, all, known);
        let found = found.or(all);
        match (found, stable) {
            (Some(found), Some(stable)) => Some(found.and(stable)),
            (found, _) => found,
        }
    }

    /// Returns the interval of each expression. Visits every expression, because each may contain updates.
    fn all(&self, list: &mut [Expr], known: &mut Known) -> Vec<Option<Interval>> {
        list.iter_mut().map(|expr| self.expr(expr, known)).collect()
    }

    fn kind(&self, expr: &mut Expr, all: Option<Interval>, known: &mut Known) -> Option<Interval> {
        match &mut expr.kind {
            ExprKind::Literal(Literal::Int(value)) => Some(Interval::point(*value)),
            ExprKind::Unreached => all.map(|all| Interval::point(all.largest)),
            ExprKind::Constant(constant) => {
                let mut value = self.constants[*constant].value.clone();
                self.expr(&mut value, &mut Known::default())
            }
            ExprKind::Step => Some(Interval::new(0, LARGEST_STEP)),
            ExprKind::NumVertices => Some(Interval::new(1, LARGEST_COUNT)),
            ExprKind::NumEdges => Some(Interval::new(0, LARGEST_COUNT)),
            ExprKind::OutDegree(_) | ExprKind::InDegree(_) => Some(Interval::new(0, LARGEST_DEGREE)),
            ExprKind::Position => Some(Interval::new(0, LARGEST_DEGREE - 1)),
            ExprKind::Random(form, operands) => {
                let found = self.all(operands, known);
                let bound = found.last().copied().flatten().filter(|_| *form == RandomForm::Below)?;
                Some(Interval::new(0, (bound.largest - 1).max(0)))
            }
            // The number of a vertex. A `VertexId` of an attribute may be `UNREACHED`.
            ExprKind::Cast(inner) if matches!(inner.kind, ExprKind::VertexId(_)) => {
                self.expr(inner, known);
                let number = Interval::new(0, LARGEST_COUNT - 1);
                Some(number).filter(|number| all.is_some_and(|all| number.within(all)))
            }
            ExprKind::Present(..) => self.present(expr, all?, known),
            ExprKind::Captured(capture) => {
                let value = &self.captures[*capture].value;
                let is_required = matches!(value.kind, ExprKind::Present(..));
                all.filter(|_| is_required).map(numbers).or_else(|| self.expr(&mut value.clone(), known))
            }
            ExprKind::Cast(inner) => {
                let of_bool = (inner.ty == Type::BOOL).then_some(Interval::new(0, 1));
                self.expr(inner, known).or(of_bool).filter(|found| all.is_some_and(|all| found.within(all)))
            }
            ExprKind::Unary(op, inner, faults) => {
                let found = self.expr(inner, known)?;
                negated(*op, found, faults, all?)
            }
            ExprKind::Binary { .. } => self.binary(expr, all, known),
            ExprKind::Math(method, operands, faults) => {
                let found = self.all(operands, known);
                let (found, all) = (found.into_iter().collect::<Option<Vec<Interval>>>()?, all?);
                if *method == MathMethod::Abs && found.first().is_some_and(|first| first.least > all.least) {
                    *faults = OperationFaults::NONE;
                }
                Some(Interval::method(*method, &found, all))
            }
            ExprKind::Select(condition, one, other) => {
                self.expr(condition, known);
                let (mut held, mut refused) = (known.clone(), known.clone());
                self.assume(condition, true, &mut held);
                self.assume(condition, false, &mut refused);
                let (one, other) = (self.expr(one, &mut held), self.expr(other, &mut refused));
                *known = held.join(&refused);
                Some(one?.or(other?))
            }
            ExprKind::Update(update) => self.update(update, known),
            ExprKind::Load(element) => {
                self.expr(&mut element.vertex, known);
                element.index.iter_mut().for_each(|index| self.index(index, known));
                None
            }
            ExprKind::ParamElement(_, index) | ExprKind::ArrayElement(_, index) => {
                self.index(index, known);
                None
            }
            _ => {
                expr.operands_mut(&mut |operand| {
                    self.expr(operand, known);
                });
                None
            }
        }
    }

    fn update(&self, update: &mut Update, known: &mut Known) -> Option<Interval> {
        let terms = self.all(&mut update.operands, known);
        if let (Some(check), [Some(term)]) = (&mut update.sum, terms.as_slice()) {
            check.term = Some((term.least, term.largest));
        }
        self.expr(&mut update.element.vertex, known);
        update.element.index.iter_mut().for_each(|index| self.index(index, known));
        known.forget_attribute(update.element.attribute);
        None
    }

    /// Returns the interval of a value of an active source, and removes the check if the value cannot be `UNREACHED`.
    fn present(&self, expr: &mut Expr, all: Interval, known: &mut Known) -> Option<Interval> {
        let ExprKind::Present(inner, _) = &mut expr.kind else { return None };
        let found = self.expr(inner, known)?;
        if found.largest < all.largest {
            *expr = (**inner).clone();
        }
        // After a fault, 1 replaces the missing value.
        Some(found.and(numbers(all)).or(Interval::new(1, 1)))
    }

    fn binary(&self, expr: &mut Expr, all: Option<Interval>, known: &mut Known) -> Option<Interval> {
        let ExprKind::Binary { op, left, right, faults } = &mut expr.kind else { return None };
        let first = self.expr(left, known);
        if matches!(op, BinaryOp::And | BinaryOp::Or) {
            let mut after = known.clone();
            self.assume(left, *op == BinaryOp::And, &mut after);
            self.expr(right, &mut after);
            *known = std::mem::take(known).join(&after);
            return None;
        }
        let second = self.expr(right, known);
        let ordered = match (self.loads.value(left), self.loads.value(right)) {
            (Some(left), Some(right)) => known.is_ordered(left, right),
            _ => false,
        };
        self.operation(*op, first?, second, faults, all?, ordered)
    }

    /// Returns the interval of an operation on integers of type `all`, and removes its checks that cannot fail.
    /// `ordered`: whether the left operand is known to be at least the right one.
    fn operation(
        &self,
        op: BinaryOp,
        left: Interval,
        right: Option<Interval>,
        faults: &mut OperationFaults,
        all: Interval,
        ordered: bool,
    ) -> Option<Interval> {
        let right = right?;
        match op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => {
                let mut exact = left.exact(op, right)?;
                if op == BinaryOp::Sub && ordered {
                    exact.least = exact.least.max(0);
                }
                if !exact.within(all) {
                    return None;
                }
                *faults = OperationFaults::NONE;
                return Some(exact);
            }
            BinaryOp::Div | BinaryOp::Rem => {
                if !right.contains(0) {
                    faults.zero = None;
                }
                if !left.contains(all.least) || !right.contains(-1) {
                    faults.overflow = None;
                }
            }
            BinaryOp::Shl | BinaryOp::Shr if right.within(Interval::new(0, all.bits() - 1)) => {
                *faults = OperationFaults::NONE;
            }
            _ => {}
        }
        Some(left.bounded(op, right, all))
    }

    /// Records the facts that follow if the condition is true, or those that follow if it is false.
    fn assume(&self, condition: &mut Expr, truth: bool, known: &mut Known) {
        // An update in the condition may change what an earlier part has tested.
        if !self.in_place || condition.any(&|inner| matches!(inner.kind, ExprKind::Update(_))) {
            return;
        }
        match &mut condition.kind {
            ExprKind::Unary(UnaryOp::Not, inner, _) => self.assume(inner, !truth, known),
            ExprKind::Binary { op: BinaryOp::And, left, right, .. } if truth => {
                self.assume(left, true, known);
                self.assume(right, true, known);
            }
            ExprKind::Binary { op: BinaryOp::Or, left, right, .. } if !truth => {
                self.assume(left, false, known);
                self.assume(right, false, known);
            }
            ExprKind::Binary { op, left, right, .. } if op.compares() && integer(left.ty).is_some() => {
                let op = if truth { *op } else { op.contrary() };
                let (first, second) = (self.loads.value(left), self.loads.value(right));
                let (of_left, of_right) = (self.expr(left, known), self.expr(right, known));
                let (Some(of_left), Some(of_right)) = (of_left, of_right) else { return };
                if let Some(value) = first {
                    known.refine(value, compared(op, of_left, of_right));
                }
                if let Some(value) = second {
                    known.refine(value, compared(op.mirrored(), of_right, of_left));
                }
                if let (Some(first), Some(second)) = (first, second) {
                    match op {
                        BinaryOp::Ge | BinaryOp::Gt => known.order(first, second),
                        BinaryOp::Le | BinaryOp::Lt => known.order(second, first),
                        BinaryOp::Eq => {
                            known.order(first, second);
                            known.order(second, first);
                        }
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }
}

/// Returns the values of an integer type except `UNREACHED`.
fn numbers(all: Interval) -> Interval {
    Interval::new(all.least, all.largest - 1)
}

/// Returns the values of an integer type.
fn integer(ty: Type) -> Option<Interval> {
    ty.scalar().filter(|scalar: &ScalarType| scalar.is_integer()).and_then(Interval::of)
}

fn negated(op: UnaryOp, found: Interval, faults: &mut OperationFaults, all: Interval) -> Option<Interval> {
    match op {
        UnaryOp::Neg => {
            let negative = Interval::new(-found.largest, -found.least);
            if !negative.within(all) {
                return None;
            }
            *faults = OperationFaults::NONE;
            Some(negative)
        }
        UnaryOp::Not if all.least == 0 => Some(Interval::new(all.largest - found.largest, all.largest - found.least)),
        UnaryOp::Not => Some(Interval::new(-1 - found.largest, -1 - found.least)),
    }
}

/// Returns the values in `left` for which a comparison with a value in `right` can hold.
fn compared(op: BinaryOp, left: Interval, right: Interval) -> Interval {
    match op {
        BinaryOp::Eq => left.and(right),
        BinaryOp::Lt => left.and(Interval::new(left.least, right.largest - 1)),
        BinaryOp::Le => left.and(Interval::new(left.least, right.largest)),
        BinaryOp::Gt => left.and(Interval::new(right.least + 1, left.largest)),
        BinaryOp::Ge => left.and(Interval::new(right.least, left.largest)),
        BinaryOp::Ne if right.least == right.largest => {
            let least = if left.least == right.least { left.least + 1 } else { left.least };
            let largest = if left.largest == right.least { left.largest - 1 } else { left.largest };
            left.and(Interval::new(least, largest))
        }
        _ => left,
    }
}
