//! Whether a kernel that reads what it writes computes the same values for any order of its threads. All attributes
//! that it writes must move one way, and the conditions and inputs of the writes must move along.

use super::locals::LocalValues;
use super::uses::is_merge;
use crate::ir::{
    AttributeId, BinaryOp, Block, Expr, ExprKind, Kernel, Literal, MathMethod, Merge, Race, Stmt, StmtKind, UnaryOp,
    Update,
};

/// The directions in which a value may move while the threads of a step run.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Movement {
    /// Towards larger values, more bits, true.
    up: bool,
    /// Towards smaller values, fewer bits, false.
    down: bool,
}

impl Movement {
    const NEITHER: Self = Self { up: false, down: false };

    fn and(self, other: Self) -> Self {
        Self { up: self.up || other.up, down: self.down || other.down }
    }

    fn turned(self) -> Self {
        Self { up: self.down, down: self.up }
    }

    fn both_if_any(self) -> Self {
        self.and(self.turned())
    }

    /// Returns the direction in which an attribute with this merge moves.
    fn of(merge: Merge) -> Option<Self> {
        match merge {
            Merge::Min | Merge::And => Some(Self { up: false, down: true }),
            Merge::Max | Merge::Or => Some(Self { up: true, down: false }),
            Merge::Sum | Merge::Any => None,
        }
    }
}

/// Returns the reason why the results of a kernel depend on the order of its threads, although all attributes in
/// `moving` are read and written only by their merges. `travels`: whether a value can cross several edges within a
/// step.
pub(super) fn breach(kernel: &Kernel, values: &LocalValues<'_>, moving: &[AttributeId], travels: bool) -> Option<Race> {
    timed(kernel).filter(|_| travels).or_else(|| {
        let mut search = RaceSearch { kernel, values, moving, found: None };
        search.block(&kernel.body);
        search.found
    })
}

/// Returns a use of the step's number, or of random numbers, which depend on the step.
fn timed(kernel: &Kernel) -> Option<Race> {
    let bodies = std::iter::once(&kernel.body).chain(kernel.functions.iter().map(|function| &function.body));
    let mut found = None;
    for body in bodies {
        body.expressions(&mut |expr| {
            expr.walk(&mut |inner| {
                let call = match &inner.kind {
                    ExprKind::Step => "step",
                    ExprKind::Random(form, _) => form.name(),
                    _ => return,
                };
                found.get_or_insert(Race::Timed { call, span: inner.span });
            });
        });
    }
    found
}

struct RaceSearch<'a> {
    kernel: &'a Kernel,
    values: &'a LocalValues<'a>,
    moving: &'a [AttributeId],
    found: Option<Race>,
}

impl<'a> RaceSearch<'a> {
    fn merge(&self, attribute: AttributeId) -> Option<Merge> {
        self.kernel.attributes.attributes[attribute].kind.merge()
    }

    fn block(&mut self, block: &'a Block) {
        for (position, statement) in block.statements.iter().enumerate() {
            let rest = &block.statements[position + 1..];
            statement.expressions(&mut |expr| expr.walk(&mut |inner| self.update(inner)));
            match &statement.kind {
                StmtKind::If { condition, then, otherwise } => {
                    let ends = then.statements.last().is_some_and(|last| matches!(last.kind, StmtKind::Return(_)));
                    if writes(then) {
                        self.condition(condition, false);
                    }
                    if otherwise.as_ref().is_some_and(writes) || ends && rest.iter().any(writes_in) {
                        self.condition(condition, true);
                    }
                    self.block(then);
                    if let Some(otherwise) = otherwise {
                        self.block(otherwise);
                    }
                }
                StmtKind::While { body, .. } | StmtKind::Loop { body } | StmtKind::For { body, .. } => self.block(body),
                StmtKind::Block(body) => self.block(body),
                StmtKind::Store { element, value } if self.ways(value) != Movement::NEITHER => {
                    self.report(value, |read| Race::Counts { read, written: element.attribute, span: value.span });
                }
                _ => {}
            }
        }
    }

    /// Checks that the value of an update moves in the attribute's direction.
    fn update(&mut self, expr: &'a Expr) {
        let ExprKind::Update(update) = &expr.kind else { return };
        let Update { op, element, operands, .. } = &**update;
        let Some(merge) = self.merge(element.attribute) else { return };
        let Some(way) = Movement::of(merge).filter(|_| is_merge(*op, merge)) else { return };
        let Some(operand) = operands.first() else { return };
        let value = self.ways(operand);
        if value.up && !way.up || value.down && !way.down {
            self.report(operand, |read| Race::Against { read, written: element.attribute, span: operand.span });
        }
    }

    /// Checks that a condition for a write stays true. A condition may test whether the target still needs the write,
    /// which the write itself makes false, and whether an update changed anything.
    fn condition(&mut self, condition: &'a Expr, negated: bool) {
        match &condition.kind {
            ExprKind::Unary(UnaryOp::Not, inner, _) => return self.condition(inner, !negated),
            ExprKind::Binary { op: BinaryOp::And | BinaryOp::Or, left, right, .. } => {
                self.condition(left, negated);
                return self.condition(right, negated);
            }
            ExprKind::Local(local) => {
                if let Some(value) = self.values.get(*local) {
                    self.condition(value, negated);
                }
                return;
            }
            _ => {}
        }
        let ways = if negated { self.ways(condition).turned() } else { self.ways(condition) };
        if ways.down && !self.asks_for_change(condition) {
            self.report(condition, |read| Race::Shuts { read, span: condition.span });
        }
    }

    /// Returns whether a condition reads an attribute at the vertex that the body writes, or the old value of an
    /// update.
    fn asks_for_change(&self, condition: &Expr) -> bool {
        condition.any(&|inner| match &inner.kind {
            ExprKind::Update(_) => true,
            ExprKind::Load(element) => {
                let mut written = false;
                self.kernel.body.expressions(&mut |expr| {
                    expr.walk(&mut |other| {
                        if let ExprKind::Update(update) = &other.kind {
                            written = written
                                || update.element.attribute == element.attribute
                                    && self.values.same_vertex(&update.element.vertex, &element.vertex);
                        }
                    });
                });
                written
            }
            ExprKind::Local(local) => self.values.get(*local).is_some_and(|value| self.asks_for_change(value)),
            _ => false,
        })
    }

    fn report(&mut self, expr: &Expr, race: impl Fn(AttributeId) -> Race) {
        if let Some(read) = self.first_moving(expr) {
            self.found.get_or_insert_with(|| race(read));
        }
    }

    /// Returns the first moving attribute from which a value is computed.
    fn first_moving(&self, expr: &Expr) -> Option<AttributeId> {
        let mut first = None;
        expr.walk(&mut |inner| {
            let found = match &inner.kind {
                ExprKind::Load(element) => Some(element.attribute),
                ExprKind::Update(update) => Some(update.element.attribute),
                ExprKind::Local(local) => self.values.get(*local).and_then(|value| self.first_moving(value)),
                _ => None,
            };
            if first.is_none() {
                first = found.filter(|attribute| self.moving.contains(attribute));
            }
        });
        first
    }

    /// Returns the directions in which a value may move with the attributes. Weights, parameters and factors count as
    /// positive.
    fn ways(&self, expr: &Expr) -> Movement {
        let at = |index: usize, list: &[Expr]| list.get(index).map_or(Movement::NEITHER, |operand| self.ways(operand));
        match &expr.kind {
            ExprKind::Load(element) => self.attribute(element.attribute),
            ExprKind::Update(update) => self.attribute(update.element.attribute),
            ExprKind::Local(local) => self.values.get(*local).map_or(Movement::NEITHER, |value| self.ways(value)),
            ExprKind::Cast(inner) => self.ways(inner),
            ExprKind::Unary(_, inner, _) => self.ways(inner).turned(),
            ExprKind::Select(_, one, other) => self.ways(one).and(self.ways(other)),
            ExprKind::Math(method, list, _) => match method {
                MathMethod::Min
                | MathMethod::Max
                | MathMethod::WrappingAdd
                | MathMethod::WrappingMul
                | MathMethod::SaturatingAdd
                | MathMethod::SaturatingMul => at(0, list).and(at(1, list)),
                MathMethod::WrappingSub | MathMethod::SaturatingSub => at(0, list).and(at(1, list).turned()),
                MathMethod::WrappingNeg => at(0, list).turned(),
                MathMethod::Sqrt | MathMethod::Exp | MathMethod::Ln | MathMethod::Floor | MathMethod::Ceil => {
                    at(0, list)
                }
                _ => Movement::NEITHER,
            },
            ExprKind::Binary { op, left, right, .. } => self.binary(*op, left, right),
            _ => Movement::NEITHER,
        }
    }

    fn attribute(&self, attribute: AttributeId) -> Movement {
        let way = self.merge(attribute).and_then(Movement::of).filter(|_| self.moving.contains(&attribute));
        way.unwrap_or_default()
    }

    fn binary(&self, op: BinaryOp, left: &Expr, right: &Expr) -> Movement {
        let (of_left, of_right) = (self.ways(left), self.ways(right));
        // If both sides move, the direction of the comparison is unknown.
        if op.compares() && of_left != Movement::NEITHER && of_right != Movement::NEITHER {
            return Movement::NEITHER;
        }
        match op {
            BinaryOp::Add | BinaryOp::Mul | BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::And | BinaryOp::Or => {
                of_left.and(of_right)
            }
            BinaryOp::Sub | BinaryOp::Div | BinaryOp::Gt | BinaryOp::Ge => of_left.and(of_right.turned()),
            BinaryOp::Lt | BinaryOp::Le => of_left.turned().and(of_right),
            BinaryOp::Shl | BinaryOp::Shr => of_left,
            BinaryOp::Eq => equal(left, of_left, right, of_right),
            BinaryOp::Ne => equal(left, of_left, right, of_right).turned(),
            BinaryOp::Rem | BinaryOp::BitXor => Movement::NEITHER,
        }
    }
}

/// Returns the directions in which `==` may move: a value that only falls never returns to the largest one.
fn equal(left: &Expr, of_left: Movement, right: &Expr, of_right: Movement) -> Movement {
    let leaves = |ways: Movement, end: &Expr| ways.up && is_least(end) || ways.down && is_largest(end);
    if leaves(of_left, right) || leaves(of_right, left) {
        return Movement { up: false, down: true };
    }
    of_left.and(of_right).both_if_any()
}

fn is_least(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Literal(Literal::Int(0) | Literal::Bool(false)))
}

fn is_largest(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Unreached | ExprKind::Literal(Literal::Bool(true)))
}

/// Returns whether a block writes an attribute or a global, or activates.
fn writes(block: &Block) -> bool {
    block.statements.iter().any(writes_in)
}

fn writes_in(statement: &Stmt) -> bool {
    let mut found =
        matches!(statement.kind, StmtKind::Store { .. } | StmtKind::Accumulate { .. } | StmtKind::Activate(_));
    statement.expressions(&mut |expr| found |= expr.any(&|part| matches!(part.kind, ExprKind::Update(_))));
    found || statement.blocks().any(writes)
}
