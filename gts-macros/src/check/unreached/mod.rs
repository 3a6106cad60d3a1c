//! Checks arithmetic on `UNREACHED`. Among integers it is the largest one, not a number for arithmetic: `+ 1` yields 0.
//! A body that adds, subtracts, multiplies or divides a value read from an attribute that begins as `UNREACHED` must
//! have compared the value first.
//!
//! The body is walked along its paths: `state` contains the facts at a point, `compare` derives facts from comparisons.
//! The source of a traversal needs no comparison, because a vertex without a value is not active. If arithmetic uses
//! an attribute of the source, `require` makes the run check that the attribute is not `UNREACHED`. `call` follows
//! values into each `#[gts_fn]`.

mod call;
mod compare;
mod require;
mod state;

use crate::analyse::locals::LocalValues;
use crate::errors::Errors;
use crate::ir::print::Printer;
use crate::ir::{
    BinaryOp, Block, Element, Expr, ExprKind, Index, Kernel, KernelKind, Local, LocalId, MathMethod, OperationFaults,
    Site, Span, Stmt, StmtKind, Type, UnaryOp, Update, UpdateOp,
};
use call::ArgumentUse;
use compare::{ComparisonOperand, Image};
use gts_contract::language::Code;
use require::Requirement;
pub(crate) use require::require;
use state::{Hazard, HazardOrigin, Holder, UnreachedState};

/// Checks the arithmetic of the body. Returns the operations that require an active source to have a value.
pub(crate) fn check(kernel: &Kernel, errors: &Errors) -> Vec<Requirement> {
    let mut walk = BodyWalk::new(kernel, &kernel.body, &kernel.locals, Printer::kernel(kernel), errors);
    walk.block(&kernel.body, Some(UnreachedState::default()));
    walk.required
}

/// The states at the exits of a loop, and at its back edges.
#[derive(Default)]
struct Loop {
    ends: Option<UnreachedState>,
    again: Option<UnreachedState>,
}

struct BodyWalk<'a> {
    kernel: &'a Kernel,
    /// The locals of the kernel's body, or of the body of a called function.
    locals: &'a [Local],
    values: LocalValues<'a>,
    printer: Printer<'a>,
    errors: &'a Errors,
    loops: Vec<Loop>,
    /// The number of enclosing conditions and loops.
    depth: usize,
    /// Whether an earlier statement may have left the body or an iteration of a loop.
    may_have_left: bool,
    /// The operations that require an active source to have a value.
    required: Vec<Requirement>,
    /// The operations on parameters, if the body belongs to a function.
    uses: Vec<ArgumentUse>,
    /// The hazard of the function's result.
    returned: Option<Hazard>,
}

/// Joins the states of two paths; `None` is a path that is not taken.
fn meet(one: Option<UnreachedState>, other: Option<UnreachedState>) -> Option<UnreachedState> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.join(other)),
        (one, other) => one.or(other),
    }
}

/// Returns whether the operation requires a number.
const fn computes(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem)
}

impl<'a> BodyWalk<'a> {
    fn new(kernel: &'a Kernel, body: &'a Block, locals: &'a [Local], printer: Printer<'a>, errors: &'a Errors) -> Self {
        Self {
            kernel,
            locals,
            values: LocalValues::of(body, locals),
            printer,
            errors,
            loops: Vec::new(),
            depth: 0,
            may_have_left: false,
            required: Vec::new(),
            uses: Vec::new(),
            returned: None,
        }
    }

    /// Walks a block that runs conditionally or repeatedly.
    fn inner_block(&mut self, block: &'a Block, state: UnreachedState) -> Option<UnreachedState> {
        self.depth += 1;
        let state = self.block(block, Some(state));
        self.depth -= 1;
        state
    }

    /// Returns the state after a block; `None` if its end is not reached.
    fn block(&mut self, block: &'a Block, state: Option<UnreachedState>) -> Option<UnreachedState> {
        block.statements.iter().fold(state, |state, statement| self.statement(statement, state?))
    }

    fn statement(&mut self, statement: &'a Stmt, mut state: UnreachedState) -> Option<UnreachedState> {
        match &statement.kind {
            StmtKind::Let { local, init } => {
                let value = init.as_ref().and_then(|init| self.value(init, &mut state));
                state.assign(*local, value);
            }
            StmtKind::Assign { local, index, op, value, .. } => {
                self.assign(statement, (*local, index.as_ref()), *op, value, &mut state);
            }
            StmtKind::Store { element, value } => {
                self.operands(element, &mut state);
                let stored = self.value(value, &mut state);
                self.stored(element, value, stored.is_some_and(|hazard| hazard.is_expected()), &mut state);
            }
            StmtKind::Accumulate { index, op, value, .. } => {
                if let Some(index) = index {
                    self.value(&index.value, &mut state);
                }
                let hazard = self.value(value, &mut state);
                if let (Some(hazard), Some(op @ (UpdateOp::Add | UpdateOp::Sub))) = (hazard, op) {
                    self.meets(statement.span, value, &hazard, op.assignment().unwrap_or(op.method()), None);
                }
            }
            StmtKind::Activate(value) | StmtKind::Expr(value) => {
                self.value(value, &mut state);
            }
            StmtKind::Assert { condition, value, .. } => {
                self.value(condition, &mut state);
                let mut refused = state.clone();
                self.assume(condition, false, &mut refused);
                if let Some(value) = value {
                    self.depth += 1;
                    self.value(value, &mut refused);
                    self.depth -= 1;
                }
                self.assume(condition, true, &mut state);
            }
            StmtKind::If { condition, then, otherwise } => {
                self.value(condition, &mut state);
                let mut refused = state.clone();
                self.assume(condition, true, &mut state);
                self.assume(condition, false, &mut refused);
                let then = self.inner_block(then, state);
                let otherwise = match otherwise {
                    Some(block) => self.inner_block(block, refused),
                    None => Some(refused),
                };
                return meet(then, otherwise);
            }
            StmtKind::While { condition, body } => return self.repeat(state, Some(condition), None, body),
            StmtKind::Loop { body } => return self.repeat(state, None, None, body),
            StmtKind::For { local, start, end, body, .. } => {
                self.value(start, &mut state);
                self.value(end, &mut state);
                return self.repeat(state, None, Some(*local), body);
            }
            StmtKind::Break | StmtKind::Continue => {
                self.may_have_left = true;
                if let Some(innermost) = self.loops.last_mut() {
                    let ends = matches!(statement.kind, StmtKind::Break);
                    let way = if ends { &mut innermost.ends } else { &mut innermost.again };
                    *way = meet(way.take(), Some(state));
                }
                return None;
            }
            StmtKind::Return(value) => {
                if let Some(value) = value {
                    let hazard = self.value(value, &mut state);
                    self.returned = Hazard::either(self.returned.take(), hazard);
                }
                self.may_have_left = true;
                return None;
            }
            StmtKind::Block(block) => return self.block(block, Some(state)),
        }
        Some(state)
    }

    /// Walks a loop until the state at its beginning holds on every path there. `counter` is the variable of a range.
    fn repeat(
        &mut self,
        mut entry: UnreachedState,
        condition: Option<&'a Expr>,
        counter: Option<LocalId>,
        body: &'a Block,
    ) -> Option<UnreachedState> {
        loop {
            let mut state = entry.clone();
            if let Some(counter) = counter {
                state.assign(counter, None);
            }
            let mut past = counter.map(|_| entry.clone());
            if let Some(condition) = condition {
                self.value(condition, &mut state);
                let mut refused = state.clone();
                self.assume(condition, false, &mut refused);
                self.assume(condition, true, &mut state);
                past = Some(refused);
            }
            self.loops.push(Loop::default());
            let end = self.inner_block(body, state);
            let Loop { ends, again } = self.loops.pop().unwrap_or_default();
            let next = meet(end, again).map(|back| entry.clone().join(back));
            match next {
                Some(next) if !next.is(&entry) => entry = next,
                _ => return meet(past, ends),
            }
        }
    }

    fn assign(
        &mut self,
        statement: &'a Stmt,
        (local, index): (LocalId, Option<&'a Index>),
        op: Option<BinaryOp>,
        value: &'a Expr,
        state: &mut UnreachedState,
    ) {
        if let Some(index) = index {
            self.value(&index.value, state);
        }
        let mut given = self.value(value, state);
        if let Some(op) = op {
            let assignment = format!("{}=", op.symbol());
            let old = state.local(local).cloned().filter(|_| computes(op));
            let is_expected = old.as_ref().is_some_and(Hazard::is_expected);
            match &old {
                Some(hazard) if is_expected => {
                    let kind = match index {
                        Some(index) => ExprKind::ArrayElement(local, Box::new(index.clone())),
                        None => ExprKind::Local(local),
                    };
                    let old = Expr { kind, ty: value.ty, span: statement.span };
                    self.meets(statement.span, &old, hazard, &assignment, Some((op, value)));
                }
                Some(hazard) if index.is_none() => self.require_assigned(statement, hazard),
                _ => {}
            }
            if let Some(hazard) = given.filter(|_| computes(op) && !is_expected) {
                self.meets(statement.span, value, &hazard, &assignment, None);
            }
            given = None;
        }
        match index {
            Some(_) => state.assign_element(local, given),
            None => state.assign(local, given),
        }
    }

    /// Updates the state after a value was stored in a place.
    fn stored(&self, element: &'a Element, value: &Expr, hazard: bool, state: &mut UnreachedState) {
        let unreached = ComparisonOperand::of(value, hazard, &self.kernel.constants);
        let largest = value.ty.scalar().and_then(Image::of).is_some_and(|image| match (image, unreached) {
            (Image::Integer(largest), ComparisonOperand::Integer(value)) => value == largest,
            _ => false,
        });
        if hazard || largest {
            state.forget_attribute(element.attribute);
        } else {
            state.exclude(self.holder(element));
        }
    }

    /// Returns the place, with locals for a vertex replaced by the parameter that they hold.
    fn holder(&self, element: &Element) -> Holder {
        let mut place = element.clone();
        while let ExprKind::Local(local) = place.vertex.kind
            && let Some(value @ Expr { kind: ExprKind::Local(_), .. }) = self.values.get(local)
        {
            place.vertex = Box::new(value.clone());
        }
        Holder::Place(place)
    }

    fn operands(&mut self, element: &'a Element, state: &mut UnreachedState) {
        self.value(&element.vertex, state);
        if let Some(index) = &element.index {
            self.value(&index.value, state);
        }
    }

    /// Returns the hazard of the value in a place.
    fn place(&self, element: &Element, state: &UnreachedState) -> Option<Hazard> {
        let attribute = &self.kernel.attributes.attributes[element.attribute];
        let image = Image::of(attribute.scalar).filter(|_| attribute.unreached)?;
        let source = self.kernel.kind == KernelKind::Traverse && self.values.site(&element.vertex) == Site::Src;
        let origin = if source {
            HazardOrigin::Source { attribute: element.attribute, exact: true, cast: false }
        } else {
            HazardOrigin::Anywhere
        };
        let holder = self.holder(element);
        (!state.is_excluded(&holder)).then_some(Hazard { holder: Some(holder), image, origin })
    }

    /// Returns the hazard of a param or an element of one; `None` for any other expression.
    fn param(&self, param: &Expr, state: &UnreachedState) -> Option<Hazard> {
        let (ExprKind::Param(attribute) | ExprKind::ParamElement(attribute, _)) = param.kind else { return None };
        let attribute = &self.kernel.attributes.attributes[attribute];
        let image = Image::of(attribute.scalar).filter(|_| attribute.unreached)?;
        let holder = Holder::Param(param.clone());
        (!state.is_excluded(&holder)).then_some(Hazard { holder: Some(holder), image, origin: HazardOrigin::Anywhere })
    }

    /// Walks an expression. Returns a hazard if its value may be `UNREACHED`.
    fn value(&mut self, expr: &'a Expr, state: &mut UnreachedState) -> Option<Hazard> {
        match &expr.kind {
            ExprKind::Local(local) => state.local(*local).cloned(),
            ExprKind::ArrayElement(local, index) => {
                self.value(&index.value, state);
                state.local(*local).cloned().map(Hazard::loose)
            }
            ExprKind::Load(element) => {
                self.operands(element, state);
                self.place(element, state)
            }
            ExprKind::Cast(inner) => Some(self.value(inner, state)?.cast(expr.ty.scalar()?)),
            ExprKind::Binary { op: op @ (BinaryOp::And | BinaryOp::Or), left, right, .. } => {
                self.value(left, state);
                let mut further = state.clone();
                self.assume(left, *op == BinaryOp::And, &mut further);
                self.depth += 1;
                self.value(right, &mut further);
                self.depth -= 1;
                *state = std::mem::take(state).join(further);
                None
            }
            ExprKind::Binary { op, left, right, .. } => {
                let (of_left, of_right) = (self.value(left, state), self.value(right, state));
                if !computes(*op) {
                    return None;
                }
                let is_expected = of_left.as_ref().is_some_and(Hazard::is_expected);
                if let Some(hazard) = &of_left {
                    self.meets(expr.span, left, hazard, op.symbol(), Some((*op, right)));
                }
                if let Some(hazard) = of_right.filter(|_| !is_expected) {
                    let turned = matches!(op, BinaryOp::Add | BinaryOp::Mul).then_some((*op, &**left));
                    self.meets(expr.span, right, &hazard, op.symbol(), turned);
                }
                None
            }
            ExprKind::Select(condition, one, other) => {
                self.value(condition, state);
                let mut refused = state.clone();
                self.assume(condition, true, state);
                self.assume(condition, false, &mut refused);
                self.depth += 1;
                let (one, other) = (self.value(one, state), self.value(other, &mut refused));
                self.depth -= 1;
                *state = std::mem::take(state).join(refused);
                Hazard::either(one, other)
            }
            ExprKind::Math(method, ..) => {
                let given = self.inner(expr, state);
                match method {
                    // The minimum with a number is a number.
                    MathMethod::Min => {
                        let number = |hazard: &Option<Hazard>| hazard.as_ref().is_none_or(|one| !one.is_expected());
                        let least = given.iter().find(|hazard| number(hazard)).or(given.first());
                        let missing = given.iter().all(Option::is_some);
                        least.cloned().flatten().filter(|_| missing).map(Hazard::loose)
                    }
                    MathMethod::Max | MathMethod::SaturatingAdd | MathMethod::SaturatingMul => {
                        given.into_iter().fold(None, Hazard::either)
                    }
                    _ => None,
                }
            }
            ExprKind::Call(function, arguments) => {
                let given = self.inner(expr, state);
                self.call(*function, arguments, &given)
            }
            ExprKind::Update(update) => self.update(update, expr.span, state),
            ExprKind::Array(_) | ExprKind::Repeat(_) => {
                self.inner(expr, state).into_iter().flatten().next().map(Hazard::loose)
            }
            _ => {
                self.inner(expr, state);
                self.param(expr, state)
            }
        }
    }

    /// Walks the operands of an expression that evaluates all of them.
    fn inner(&mut self, expr: &'a Expr, state: &mut UnreachedState) -> Vec<Option<Hazard>> {
        let mut operands = Vec::new();
        expr.operands(&mut |operand| operands.push(operand));
        operands.into_iter().map(|operand| self.value(operand, state)).collect()
    }

    /// Walks an update. Returns the hazard of its old value, and updates the state of the place.
    fn update(&mut self, update: &'a Update, span: Span, state: &mut UnreachedState) -> Option<Hazard> {
        let Update { op, element, operands, assignment, .. } = update;
        self.operands(element, state);
        let given: Vec<Option<Hazard>> = operands.iter().map(|operand| self.value(operand, state)).collect();
        // No kernel reads the value of an edge, so that a comparison is impossible.
        let old = self.place(element, state).filter(|_| element.vertex.ty == Type::Vertex);
        if matches!(op, UpdateOp::Add | UpdateOp::Sub) {
            let symbol = op.assignment().filter(|_| *assignment).unwrap_or(op.method());
            if let (Some(operand), Some(Some(hazard))) = (operands.first(), given.first()) {
                self.meets(span, operand, hazard, symbol, None);
            } else if old.as_ref().is_some_and(Hazard::is_expected) {
                let place = Expr { kind: ExprKind::Load(element.clone()), ty: Type::U32, span };
                self.report(span, &place, symbol, None);
            }
        }
        let hazard = given.last().and_then(Option::as_ref).is_some_and(Hazard::is_expected);
        match (op, operands.last()) {
            // A minimum with a number is a number. A maximum may be the largest integer.
            (UpdateOp::Min, Some(operand)) if !hazard => self.stored(element, operand, false, state),
            (UpdateOp::Min | UpdateOp::And | UpdateOp::Add | UpdateOp::Sub, ..) => {}
            _ => state.forget_attribute(element.attribute),
        }
        old.map(Hazard::loose)
    }

    /// Adds the facts that follow from a condition with this truth value.
    fn assume(&self, condition: &Expr, truth: bool, state: &mut UnreachedState) {
        match &condition.kind {
            ExprKind::Unary(UnaryOp::Not, inner, _) => self.assume(inner, !truth, state),
            ExprKind::Binary { op: op @ (BinaryOp::And | BinaryOp::Or), left, right, .. } => {
                if (*op == BinaryOp::And) == truth {
                    self.assume(left, truth, state);
                    self.assume(right, truth, state);
                } else {
                    // Either operand may have decided the result.
                    let (mut first, mut second) = (state.clone(), std::mem::take(state));
                    self.assume(left, truth, &mut first);
                    self.assume(left, !truth, &mut second);
                    self.assume(right, truth, &mut second);
                    *state = first.join(second);
                }
            }
            ExprKind::Binary { op, left, right, .. } if op.compares() => {
                let op = if truth { *op } else { op.contrary() };
                self.compare(op, left, right, state);
                self.compare(op.mirrored(), right, left, state);
            }
            ExprKind::Local(local) => {
                let mutable = |inner: &Expr| match inner.kind {
                    ExprKind::Local(local) => self.locals[local].mutable,
                    ExprKind::Update(_) => true,
                    _ => false,
                };
                if let Some(value) = self.values.get(*local).filter(|value| !value.any(&mutable)) {
                    self.assume(value, truth, state);
                }
            }
            _ => {}
        }
    }

    /// Excludes `UNREACHED` from the left operand if the comparison is false for it.
    fn compare(&self, op: BinaryOp, left: &Expr, right: &Expr, state: &mut UnreachedState) {
        let Some(Hazard { holder: Some(holder), image, .. }) = self.peek(left, state) else { return };
        let hazard = self.peek(right, state).is_some_and(|hazard| hazard.is_expected());
        let bound = ComparisonOperand::of(right, hazard, &self.kernel.constants);
        if image.fails(op, &bound) {
            state.exclude(holder);
        }
    }

    /// Returns the hazard of a comparison's operand that was walked already.
    fn peek(&self, expr: &Expr, state: &UnreachedState) -> Option<Hazard> {
        match &expr.kind {
            ExprKind::Local(local) => state.local(*local).cloned(),
            ExprKind::Load(element) => self.place(element, state),
            ExprKind::Cast(inner) => Some(self.peek(inner, state)?.cast(expr.ty.scalar()?)),
            ExprKind::Update(update) => self.place(&update.element, state).map(Hazard::loose),
            ExprKind::Select(_, one, other) => Hazard::either(self.peek(one, state), self.peek(other, state)),
            ExprKind::ArrayElement(local, _) => state.local(*local).cloned().map(Hazard::loose),
            ExprKind::Math(_, operands, _) => {
                operands.iter().map(|operand| self.peek(operand, state)).fold(None, Hazard::either)
            }
            _ => self.param(expr, state),
        }
    }

    /// Reports an operation on a hazardous operand, or records the check that the run or a caller must make.
    fn meets(&mut self, span: Span, operand: &Expr, hazard: &Hazard, symbol: &str, by: Option<(BinaryOp, &Expr)>) {
        match hazard.origin {
            HazardOrigin::Anywhere => self.report(span, operand, symbol, by),
            HazardOrigin::Source { .. } => self.require_operand(span, operand, hazard),
            HazardOrigin::Argument(arguments) => self.use_arguments(arguments, symbol),
        }
    }

    /// Reports an operation on `operand`. `by` is the operation and the other operand, if the fix may be a saturating
    /// method.
    fn report(&self, span: Span, operand: &Expr, symbol: &str, by: Option<(BinaryOp, &Expr)>) {
        let mut inner = operand;
        while let ExprKind::Cast(value) = &inner.kind {
            inner = value;
        }
        let named = matches!(
            inner.kind,
            ExprKind::Local(_) | ExprKind::Load(_) | ExprKind::Param(_) | ExprKind::ParamElement(..)
        );
        let guard = if named {
            format!("compare it first: `if {} != UNREACHED {{ .. }}`", self.printer.expr(inner))
        } else {
            "bind it with `let`, and compare it with `UNREACHED` first".to_owned()
        };
        let saturating = by.filter(|_| operand.ty.is_integer()).and_then(|(op, other)| {
            let method = match op {
                BinaryOp::Add => MathMethod::SaturatingAdd,
                BinaryOp::Sub => MathMethod::SaturatingSub,
                BinaryOp::Mul => MathMethod::SaturatingMul,
                _ => return None,
            };
            let kind = ExprKind::Math(method, vec![operand.clone(), other.clone()], OperationFaults::NONE);
            Some(self.printer.expr(&Expr { kind, ty: operand.ty, span }))
        });
        let saturating = saturating.map(|text| format!("; or write `{text}`")).unwrap_or_default();
        self.errors.at(
            Code::MissingValue,
            span,
            format!("`{}` may be `UNREACHED`, which is no number for `{symbol}`", self.printer.expr(operand)),
            format!("{guard}{saturating}"),
        );
    }
}
