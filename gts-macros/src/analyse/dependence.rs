//! The inputs of the values that an edge kernel writes at `dst`.

use super::locals::LocalValues;
use crate::ir::{Dependence, Expr, ExprKind, Kernel, Role, Site, StmtKind};
use std::collections::HashMap;

/// Returns the furthest dependence of any value merged or stored at `dst`.
pub(super) fn merged(kernel: &Kernel) -> Dependence {
    let values = LocalValues::of(&kernel.body, &kernel.locals);
    let mut finder = Finder { values: &values, locals: HashMap::new() };
    // A loop may use a local before the statement that adds a dependence to it.
    for _ in 0..kernel.locals.len().min(8) {
        finder.learn(kernel);
    }
    let mut found = Dependence::Nothing;
    let mut note = |expr: &Expr| found = found.max(finder.of(expr));
    kernel.body.walk(&mut |statement| {
        if let StmtKind::Store { element, value } = &statement.kind
            && values.site(&element.vertex) == Site::Dst
        {
            note(value);
            element.index.iter().for_each(|index| note(&index.value));
        }
        statement.expressions(&mut |expr| {
            expr.walk(&mut |inner| {
                if let ExprKind::Update(update) = &inner.kind
                    && values.site(&update.element.vertex) == Site::Dst
                {
                    update.operands.iter().for_each(&mut note);
                    update.element.index.iter().for_each(|index| note(&index.value));
                }
            });
        });
    });
    found
}

struct Finder<'a> {
    values: &'a LocalValues<'a>,
    locals: HashMap<usize, Dependence>,
}

impl Finder<'_> {
    fn learn(&mut self, kernel: &Kernel) {
        kernel.body.walk(&mut |statement| {
            let (local, found) = match &statement.kind {
                StmtKind::Let { local, init: Some(value) } | StmtKind::Assign { local, value, .. } => {
                    (*local, self.of(value))
                }
                StmtKind::For { local, start, end, .. } => (*local, self.of(start).max(self.of(end))),
                _ => return,
            };
            let known = self.locals.entry(local).or_insert(Dependence::Constant);
            *known = (*known).max(found);
        });
    }

    fn of(&self, expr: &Expr) -> Dependence {
        let itself = match &expr.kind {
            ExprKind::Local(local) => match self.values.role(*local) {
                Role::Src => Dependence::Src,
                Role::Dst | Role::Common => Dependence::Dst,
                Role::Edge => Dependence::Edge,
                _ => self.locals.get(local).copied().unwrap_or(Dependence::Constant),
            },
            ExprKind::ArrayElement(local, _) => self.locals.get(local).copied().unwrap_or(Dependence::Constant),
            ExprKind::Captured(_) => Dependence::Src,
            ExprKind::EdgeValue(_) | ExprKind::Position => Dependence::Edge,
            ExprKind::NewVertex(..) => Dependence::Dst,
            _ => Dependence::Constant,
        };
        let mut found = itself;
        expr.operands(&mut |operand| found = found.max(self.of(operand)));
        found
    }
}
