//! Traversals of expressions and blocks.

use super::{Block, Element, Expr, ExprKind, Index, Stmt, StmtKind};

impl Expr {
    /// Calls `visit` for each direct operand, in evaluation order.
    pub(crate) fn operands<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        match &self.kind {
            ExprKind::Unary(_, x, _)
            | ExprKind::Cast(x)
            | ExprKind::Faults(x)
            | ExprKind::Present(x, _)
            | ExprKind::Number(x, _)
            | ExprKind::OutDegree(x)
            | ExprKind::InDegree(x)
            | ExprKind::VertexId(x)
            | ExprKind::NewVertex(x, _)
            | ExprKind::Repeat(x) => visit(x),
            ExprKind::ParamElement(_, index) | ExprKind::ArrayElement(_, index) => visit(&index.value),
            ExprKind::Load(element) => element.operands(visit),
            ExprKind::Binary { left, right, .. } => [left, right].into_iter().for_each(|x| visit(x)),
            ExprKind::Call(_, list)
            | ExprKind::Math(_, list, _)
            | ExprKind::Random(_, list)
            | ExprKind::Array(list) => {
                list.iter().for_each(visit);
            }
            ExprKind::Update(update) => {
                update.element.operands(visit);
                update.operands.iter().for_each(visit);
            }
            ExprKind::Select(c, x, y) => [c, x, y].into_iter().for_each(|x| visit(x)),
            ExprKind::Literal(_)
            | ExprKind::Unreached
            | ExprKind::Local(_)
            | ExprKind::Constant(_)
            | ExprKind::Param(_)
            | ExprKind::EdgeValue(_)
            | ExprKind::Captured(_)
            | ExprKind::Step
            | ExprKind::NumVertices
            | ExprKind::NumEdges
            | ExprKind::Position => {}
        }
    }

    /// Like [`Expr::operands`], but mutable.
    pub(crate) fn operands_mut(&mut self, visit: &mut dyn FnMut(&mut Expr)) {
        match &mut self.kind {
            ExprKind::Unary(_, x, _)
            | ExprKind::Cast(x)
            | ExprKind::Faults(x)
            | ExprKind::Present(x, _)
            | ExprKind::Number(x, _)
            | ExprKind::OutDegree(x)
            | ExprKind::InDegree(x)
            | ExprKind::VertexId(x)
            | ExprKind::NewVertex(x, _)
            | ExprKind::Repeat(x) => visit(x),
            ExprKind::ParamElement(_, index) | ExprKind::ArrayElement(_, index) => visit(&mut index.value),
            ExprKind::Load(element) => element.operands_mut(visit),
            ExprKind::Binary { left, right, .. } => [left, right].into_iter().for_each(|x| visit(x)),
            ExprKind::Call(_, list)
            | ExprKind::Math(_, list, _)
            | ExprKind::Random(_, list)
            | ExprKind::Array(list) => {
                list.iter_mut().for_each(visit);
            }
            ExprKind::Update(update) => {
                update.element.operands_mut(visit);
                update.operands.iter_mut().for_each(visit);
            }
            ExprKind::Select(c, x, y) => [c, x, y].into_iter().for_each(|x| visit(x)),
            ExprKind::Literal(_)
            | ExprKind::Unreached
            | ExprKind::Local(_)
            | ExprKind::Constant(_)
            | ExprKind::Param(_)
            | ExprKind::EdgeValue(_)
            | ExprKind::Captured(_)
            | ExprKind::Step
            | ExprKind::NumVertices
            | ExprKind::NumEdges
            | ExprKind::Position => {}
        }
    }

    /// Calls `visit` for the expression and all its subexpressions, outermost first.
    pub(crate) fn walk<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        visit(self);
        self.operands(&mut |operand| operand.walk(visit));
    }

    /// Returns the index into an array that the expression itself uses.
    pub(super) fn index(&self) -> Option<&Index> {
        match &self.kind {
            ExprKind::ParamElement(_, index) | ExprKind::ArrayElement(_, index) => Some(index),
            ExprKind::Load(element) => element.index.as_deref(),
            ExprKind::Update(update) => update.element.index.as_deref(),
            _ => None,
        }
    }

    /// Returns whether the condition holds for the expression or a subexpression.
    pub(crate) fn any(&self, test: &dyn Fn(&Expr) -> bool) -> bool {
        let mut found = false;
        self.walk(&mut |expr| found |= test(expr));
        found
    }
}

impl Element {
    fn operands<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        visit(&self.vertex);
        self.index.iter().for_each(|index| visit(&index.value));
    }

    fn operands_mut(&mut self, visit: &mut dyn FnMut(&mut Expr)) {
        visit(&mut self.vertex);
        self.index.iter_mut().for_each(|index| visit(&mut index.value));
    }
}

impl Stmt {
    /// Calls `visit` for each expression directly in the statement, not for those in its blocks.
    pub(crate) fn expressions<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        match &self.kind {
            StmtKind::Let { init, .. } => init.iter().for_each(visit),
            StmtKind::Assign { index, value, .. } | StmtKind::Accumulate { index, value, .. } => {
                index.iter().for_each(|Index { value, .. }| visit(value));
                visit(value);
            }
            StmtKind::Store { element, value } => {
                element.operands(visit);
                visit(value);
            }
            StmtKind::Activate(x) | StmtKind::Expr(x) => visit(x),
            StmtKind::Assert { condition, value, .. } => [condition].into_iter().chain(value).for_each(visit),
            StmtKind::If { condition, .. } | StmtKind::While { condition, .. } => visit(condition),
            StmtKind::For { start, end, .. } => [start, end].into_iter().for_each(visit),
            StmtKind::Return(value) => value.iter().for_each(visit),
            StmtKind::Loop { .. } | StmtKind::Break | StmtKind::Continue | StmtKind::Block(_) => {}
        }
    }

    /// Like [`Stmt::expressions`], but mutable.
    pub(crate) fn expressions_mut(&mut self, visit: &mut dyn FnMut(&mut Expr)) {
        match &mut self.kind {
            StmtKind::Let { init, .. } => init.iter_mut().for_each(visit),
            StmtKind::Assign { index, value, .. } | StmtKind::Accumulate { index, value, .. } => {
                index.iter_mut().for_each(|Index { value, .. }| visit(value));
                visit(value);
            }
            StmtKind::Store { element, value } => {
                element.operands_mut(visit);
                visit(value);
            }
            StmtKind::Activate(x) | StmtKind::Expr(x) => visit(x),
            StmtKind::Assert { condition, value, .. } => [condition].into_iter().chain(value).for_each(visit),
            StmtKind::If { condition, .. } | StmtKind::While { condition, .. } => visit(condition),
            StmtKind::For { start, end, .. } => [start, end].into_iter().for_each(visit),
            StmtKind::Return(value) => value.iter_mut().for_each(visit),
            StmtKind::Loop { .. } | StmtKind::Break | StmtKind::Continue | StmtKind::Block(_) => {}
        }
    }

    /// Returns the blocks of the statement.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = &Block> {
        let (first, second) = match &self.kind {
            StmtKind::If { then, otherwise, .. } => (Some(then), otherwise.as_ref()),
            StmtKind::While { body, .. } | StmtKind::Loop { body } | StmtKind::For { body, .. } => (Some(body), None),
            StmtKind::Block(block) => (Some(block), None),
            _ => (None, None),
        };
        first.into_iter().chain(second)
    }

    /// Returns whether the statement may leave its block, by `return`, `break` or `continue`.
    pub(crate) fn leaves(&self) -> bool {
        let itself = matches!(self.kind, StmtKind::Return(_) | StmtKind::Break | StmtKind::Continue);
        itself || self.blocks().any(|block| block.statements.iter().any(Self::leaves))
    }

    /// Like [`Stmt::blocks`], but mutable.
    pub(crate) fn blocks_mut(&mut self) -> impl Iterator<Item = &mut Block> {
        let (first, second) = match &mut self.kind {
            StmtKind::If { then, otherwise, .. } => (Some(then), otherwise.as_mut()),
            StmtKind::While { body, .. } | StmtKind::Loop { body } | StmtKind::For { body, .. } => (Some(body), None),
            StmtKind::Block(block) => (Some(block), None),
            _ => (None, None),
        };
        first.into_iter().chain(second)
    }
}

impl Block {
    /// Calls `visit` for each statement, including those of inner blocks, outer ones first.
    pub(crate) fn walk<'a>(&'a self, visit: &mut dyn FnMut(&'a Stmt)) {
        for statement in &self.statements {
            visit(statement);
            statement.blocks().for_each(|block| block.walk(visit));
        }
    }

    /// Calls `visit` for each outermost expression of each statement.
    pub(crate) fn expressions<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        self.walk(&mut |statement| statement.expressions(visit));
    }

    /// Calls `visit` for each index into an array.
    pub(crate) fn indices<'a>(&'a self, visit: &mut dyn FnMut(&'a Index)) {
        self.walk(&mut |statement| {
            match &statement.kind {
                StmtKind::Assign { index, .. } | StmtKind::Accumulate { index, .. } => {
                    index.iter().for_each(&mut *visit);
                }
                StmtKind::Store { element, .. } => element.index.iter().for_each(|index| visit(index)),
                _ => {}
            }
            statement.expressions(&mut |expr| expr.walk(&mut |inner| inner.index().into_iter().for_each(&mut *visit)));
        });
    }

    /// Like [`Block::walk`], but mutable.
    pub(crate) fn statements_mut(&mut self, visit: &mut dyn FnMut(&mut Stmt)) {
        for statement in &mut self.statements {
            visit(statement);
            statement.blocks_mut().for_each(|block| block.statements_mut(visit));
        }
    }
}
