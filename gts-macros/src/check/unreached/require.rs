//! Makes a run check that an active source has a value, if arithmetic uses the value and no comparison excludes
//! `UNREACHED`.

use super::BodyWalk;
use super::state::{Hazard, HazardOrigin};
use crate::ir::{
    AttributeId, ErrorWhat, Expr, ExprKind, Kernel, Local, LocalId, OperationFaults, Role, Span, SpannedErrorSite,
    Stmt, StmtKind,
};
use std::collections::HashMap;

/// An operation that requires an active source to have a value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Requirement {
    place: RequiredPlace,
    attribute: AttributeId,
    /// Whether `UNREACHED` is the largest value of the operand's type before casts.
    exact: bool,
    /// The source location of the operation.
    span: Span,
}

/// The operand that requires a value, or the statement that changes a local by the operation. Identified by its address
/// in the body that was checked.
#[derive(Clone, Copy, Debug, PartialEq)]
enum RequiredPlace {
    Operand(usize),
    Statement(usize),
}

impl RequiredPlace {
    fn operand(expr: &Expr) -> Self {
        Self::Operand(std::ptr::from_ref(expr).addr())
    }

    fn statement(statement: &Stmt) -> Self {
        Self::Statement(std::ptr::from_ref(statement).addr())
    }
}

impl<'a> BodyWalk<'a> {
    pub(super) fn require_operand(&mut self, span: Span, operand: &Expr, hazard: &Hazard) {
        self.require(RequiredPlace::operand(operand), span, hazard);
    }

    pub(super) fn require_assigned(&mut self, statement: &'a Stmt, hazard: &Hazard) {
        self.require(RequiredPlace::statement(statement), statement.span, hazard);
    }

    /// Records a requirement, unless an earlier walk of the same loop has recorded it.
    fn require(&mut self, place: RequiredPlace, span: Span, hazard: &Hazard) {
        let HazardOrigin::Source { attribute, exact, .. } = hazard.origin else { return };
        if !self.required.iter().any(|known| known.place == place) {
            self.required.push(Requirement { place, attribute, exact, span });
        }
    }
}

/// Writes the requirements into the checked body. The body must not be rebuilt between the check and this call,
/// because requirements contain addresses.
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

/// Returns whether the expression reads an attribute at `src`, possibly with casts.
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
    /// The initial values of the immutable locals that hold an attribute at `src`.
    values: HashMap<LocalId, Expr>,
    locals: &'a [Local],
    sites: &'a mut Vec<SpannedErrorSite>,
}

impl RequirementWriter<'_> {
    fn at(&self, place: RequiredPlace) -> Option<Requirement> {
        self.requirements.iter().find(|requirement| requirement.place == place).copied()
    }

    fn statement(&mut self, statement: &mut Stmt) {
        let requirement = self.at(RequiredPlace::statement(statement));
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
        let requirement = self.at(RequiredPlace::operand(expr));
        expr.operands_mut(&mut |operand| self.expr(operand));
        if let Some(requirement) = requirement {
            self.present(expr, requirement);
        }
    }

    /// Adds the check to the expression, or to the operand of its casts.
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
