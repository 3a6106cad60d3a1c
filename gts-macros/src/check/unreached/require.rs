//! Values that a run requires of an active source: arithmetic uses them, and no comparison excludes `UNREACHED`.

use super::BodyWalk;
use super::state::{Hazard, HazardOrigin};
use crate::ir::{
    AttributeId, ErrorWhat, Expr, ExprKind, Kernel, Local, LocalId, OperationFaults, Role, Span, SpannedErrorSite,
    Stmt, StmtKind,
};
use std::collections::HashMap;

/// An operation that requires a value of an active source.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Requirement {
    /// The address of the operand, or of the statement that changes a local by the operation.
    address: usize,
    attribute: AttributeId,
    /// Whether `UNREACHED` is the largest value of the operand's type, before its casts.
    exact: bool,
    /// The place of the operation.
    span: Span,
}

fn address<T>(of: &T) -> usize {
    std::ptr::from_ref(of).addr()
}

impl<'a> BodyWalk<'a> {
    pub(super) fn require_operand(&mut self, span: Span, operand: &Expr, hazard: &Hazard) {
        self.require(address(operand), span, hazard);
    }

    pub(super) fn require_assigned(&mut self, statement: &'a Stmt, hazard: &Hazard) {
        self.require(address(statement), statement.span, hazard);
    }

    /// Records a requirement. Loops are walked repeatedly, and record each one once.
    fn require(&mut self, address: usize, span: Span, hazard: &Hazard) {
        let HazardOrigin::Source { attribute, exact, .. } = hazard.origin else { return };
        if !self.required.iter().any(|known| known.address == address) {
            self.required.push(Requirement { address, attribute, exact, span });
        }
    }
}

/// Writes the requirements into the body that was checked, which has not been rebuilt since.
pub(crate) fn require(kernel: &mut Kernel, requirements: &[Requirement]) {
    if requirements.is_empty() {
        return;
    }
    let mut body = std::mem::take(&mut kernel.body);
    let mut values = HashMap::new();
    let src = kernel.parameter(Role::Src);
    body.walk(&mut |statement| {
        if let StmtKind::Let { local, init: Some(init) } = &statement.kind
            && !kernel.locals[*local].mutable
            && is_loaded(init, src)
        {
            values.insert(*local, init.clone());
        }
    });
    let Kernel { locals, error_sites: sites, .. } = kernel;
    let mut writer = RequirementWriter { requirements, values, locals, sites };
    body.statements_mut(&mut |statement| writer.statement(statement));
    kernel.body = body;
}

/// Returns whether the expression is an attribute at `src`, possibly cast.
fn is_loaded(expr: &Expr, src: Option<LocalId>) -> bool {
    match &expr.kind {
        ExprKind::Cast(inner) => is_loaded(inner, src),
        ExprKind::Load(element) => {
            element.index.is_none() && matches!(element.vertex.kind, ExprKind::Local(local) if Some(local) == src)
        }
        _ => false,
    }
}

struct RequirementWriter<'a> {
    requirements: &'a [Requirement],
    /// The values of locals that hold an attribute at `src`.
    values: HashMap<LocalId, Expr>,
    locals: &'a [Local],
    sites: &'a mut Vec<SpannedErrorSite>,
}

impl RequirementWriter<'_> {
    fn at(&self, address: usize) -> Option<Requirement> {
        self.requirements.iter().find(|requirement| requirement.address == address).copied()
    }

    fn statement(&mut self, statement: &mut Stmt) {
        let requirement = self.at(address(statement));
        statement.expressions_mut(&mut |expr| self.expr(expr));
        if let (Some(requirement), StmtKind::Assign { local, op, value, faults, .. }) =
            (requirement, &mut statement.kind)
            && let Some(operator) = op.take()
        {
            let (ty, span) = (self.locals[*local].ty, statement.span);
            let mut left = Expr { kind: ExprKind::Local(*local), ty, span };
            self.present(&mut left, requirement);
            let (left, right) = (Box::new(left), Box::new(value.clone()));
            let faults = std::mem::replace(faults, OperationFaults::NONE);
            *value = Expr { kind: ExprKind::Binary { op: operator, left, right, faults }, ty, span };
        }
    }

    fn expr(&mut self, expr: &mut Expr) {
        let requirement = self.at(address(expr));
        expr.operands_mut(&mut |operand| self.expr(operand));
        if let Some(requirement) = requirement {
            self.present(expr, requirement);
        }
    }

    /// Requires the value, or the value before casts.
    fn present(&mut self, expr: &mut Expr, requirement: Requirement) {
        if let ExprKind::Local(local) = &expr.kind
            && let Some(value) = self.values.get(local)
        {
            *expr = Expr { span: expr.span, ..value.clone() };
        }
        if let ExprKind::Cast(inner) = &mut expr.kind {
            return self.present(inner, requirement);
        }
        let Requirement { attribute, exact, span, .. } = requirement;
        let exact = exact || matches!(expr.kind, ExprKind::Load(_));
        let Some(scalar) = expr.ty.scalar().filter(|_| exact) else { return };
        self.sites.push(SpannedErrorSite { what: ErrorWhat::MissingValue, scalar, span, attribute: Some(attribute) });
        let value = Box::new(expr.clone());
        expr.kind = ExprKind::Present(value, self.sites.len() - 1);
    }
}
