//! The values of locals, as far as they are fixed: an immutable local holds the value of its `let`.

use crate::ir::{Block, Expr, ExprKind, Local, LocalId, Role, Site, StmtKind};
use std::collections::HashMap;

/// The values of immutable locals.
#[derive(Debug, Default)]
pub(crate) struct LocalValues<'a> {
    values: HashMap<LocalId, &'a Expr>,
    locals: &'a [Local],
}

impl<'a> LocalValues<'a> {
    pub(crate) fn of(body: &'a Block, locals: &'a [Local]) -> Self {
        let mut values = HashMap::new();
        body.walk(&mut |statement| {
            if let StmtKind::Let { local, init: Some(init) } = &statement.kind
                && !locals[*local].mutable
            {
                values.insert(*local, init);
            }
        });
        Self { values, locals }
    }

    pub(crate) fn get(&self, local: LocalId) -> Option<&'a Expr> {
        self.values.get(&local).copied()
    }

    /// Returns the expression with immutable locals replaced by their values.
    pub(super) fn expanded(&self, expr: &Expr) -> Expr {
        expanded(expr, &|local| self.get(local))
    }

    pub(crate) fn role(&self, local: LocalId) -> Role {
        self.locals[local].role
    }

    /// Returns the site of an expression of type `Vertex`.
    pub(crate) fn site(&self, vertex: &Expr) -> Site {
        match &vertex.kind {
            ExprKind::Local(local) => match self.role(*local) {
                Role::Src => Site::Src,
                Role::Dst => Site::Dst,
                Role::V => Site::V,
                Role::Common => Site::Common,
                // The current edge, which is not a vertex.
                Role::Edge => Site::None,
                _ => self.get(*local).map_or(Site::Computed, |value| self.site(value)),
            },
            _ => Site::Computed,
        }
    }

    /// Returns whether two expressions of type `Vertex` are surely the same vertex. Two reads of a mutable local may
    /// return different vertices.
    pub(crate) fn same_vertex(&self, a: &Expr, b: &Expr) -> bool {
        let (one, other) = (self.site(a), self.site(b));
        let fixed = |local: LocalId| !self.locals[local].mutable;
        let same_local = matches!((&a.kind, &b.kind), (ExprKind::Local(a), ExprKind::Local(b)) if a == b && fixed(*a));
        same_local || (one == other && one != Site::Computed)
    }
}

/// Returns the expression with locals replaced by their values, recursively.
pub(super) fn expanded<'a>(expr: &Expr, value: &dyn Fn(LocalId) -> Option<&'a Expr>) -> Expr {
    if let ExprKind::Local(local) = &expr.kind
        && let Some(found) = value(*local)
    {
        return expanded(found, value);
    }
    let mut expr = expr.clone();
    expr.operands_mut(&mut |operand| *operand = expanded(operand, value));
    expr
}
