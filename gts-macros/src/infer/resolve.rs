//! The end of inference. Types are written into the IR. Then the facts that depend on types are determined: which
//! literals fit, and which divisions, indices and vertex numbers can fault.

use super::Lower;
use crate::ir::{
    BinaryOp, Block, DivisionFault, ErrorWhat, Expr, ExprKind, Index, Literal, SiteId, Span, SpannedErrorSite,
    StmtKind, Type, UnaryOp,
};

impl Lower<'_> {
    pub(super) fn resolve_locals(&mut self) {
        self.silent = !self.errors.is_empty();
        for local in &mut self.locals {
            local.ty = self.types.find(local.ty);
            if matches!(local.ty, Type::Open(_) | Type::OpenArray(..)) && !self.silent {
                self.errors.at(
                    &local.name,
                    format!("the type of `{}` is open", local.name),
                    format!("write the type: `let {}: u32 = ..`", local.name),
                );
            }
        }
        self.silent |= !self.errors.is_empty();
    }

    pub(super) fn resolve_block(&self, block: &mut Block, sites: &mut Vec<SpannedErrorSite>) {
        for statement in &mut block.statements {
            statement.expressions_mut(&mut |expr| self.resolve_expr(expr, sites));
            self.resolve_statement(&mut statement.kind, statement.span, sites);
            statement.blocks_mut().for_each(|block| self.resolve_block(block, sites));
        }
    }

    fn resolve_statement(&self, kind: &mut StmtKind, span: Span, sites: &mut Vec<SpannedErrorSite>) {
        match kind {
            StmtKind::Assign { index, op, value, fault, .. } => {
                if let Some(index) = index {
                    self.resolve_index(index, sites);
                }
                *fault = op.and_then(|op| self.division(op, value, span, sites));
            }
            StmtKind::Store { element, .. } => {
                if let Some(index) = &mut element.index {
                    self.resolve_index(index, sites);
                }
            }
            StmtKind::Accumulate { index: Some(index), .. } => self.resolve_index(index, sites),
            _ => {}
        }
    }

    pub(super) fn resolve_expr(&self, expr: &mut Expr, sites: &mut Vec<SpannedErrorSite>) {
        expr.ty = self.types.find(expr.ty);
        if matches!(expr.ty, Type::Open(_) | Type::OpenArray(..)) && !self.silent && self.errors.is_empty() {
            self.errors.at(expr.span, "the type of this is open", "write the type: `3u32`, or `let x: u32 = ..`");
        }
        if let ExprKind::Unary(UnaryOp::Neg, inner) = &mut expr.kind
            && let ExprKind::Literal(Literal::Int(value)) = inner.kind
        {
            inner.ty = self.types.find(inner.ty);
            self.fits(-value, inner.ty, expr.span);
            return;
        }
        expr.operands_mut(&mut |operand| self.resolve_expr(operand, sites));
        let (ty, span) = (expr.ty, expr.span);
        match &mut expr.kind {
            ExprKind::Literal(Literal::Int(value)) => self.fits(*value, ty, span),
            // The placeholder for an expression with an error is `UNREACHED` too.
            ExprKind::Unreached
                if !self.silent && matches!(ty, Type::Vertex | Type::Edge | Type::BOOL | Type::Unit) =>
            {
                self.errors.at(
                    span,
                    format!("there is no UNREACHED of type {ty}"),
                    "compare a number or a VertexId with it",
                );
            }
            ExprKind::Binary { op, right, fault, .. } => *fault = self.division(*op, right, span, sites),
            ExprKind::NewVertex(_, site) => *site = add(sites, ErrorWhat::NotAVertex, span),
            ExprKind::ParamElement(_, index) | ExprKind::ArrayElement(_, index) => self.resolve_index(index, sites),
            ExprKind::Load(element) => {
                if let Some(index) = &mut element.index {
                    self.resolve_index(index, sites);
                }
            }
            ExprKind::Update(update) => {
                if let Some(index) = &mut update.element.index {
                    self.resolve_index(index, sites);
                }
            }
            _ => {}
        }
    }

    fn fits(&self, value: i128, ty: Type, span: Span) {
        let Some(scalar) = ty.scalar() else { return };
        let Some((least, largest)) = scalar.range() else { return };
        if !(least..=largest).contains(&value) {
            self.errors.at(
                span,
                format!("{value} is no {scalar}"),
                format!("write a value from {least} to {largest}, or use another type"),
            );
        }
    }

    /// Returns the error sites of a division, if it can fault.
    fn division(
        &self,
        op: BinaryOp,
        divisor: &Expr,
        span: Span,
        sites: &mut Vec<SpannedErrorSite>,
    ) -> Option<DivisionFault> {
        let what = match op {
            BinaryOp::Div => ErrorWhat::DivisionByZero,
            BinaryOp::Rem => ErrorWhat::RemainderByZero,
            _ => return None,
        };
        let scalar = divisor.ty.scalar().filter(|scalar| scalar.is_integer())?;
        match divisor.kind {
            ExprKind::Literal(Literal::Int(0)) => {
                self.errors.at(divisor.span, "this divides by zero", "divide by another number");
                return None;
            }
            ExprKind::Literal(Literal::Int(_)) => return None,
            _ => {}
        }
        let zero = add(sites, what, span);
        let overflow = scalar.is_signed().then(|| add(sites, ErrorWhat::DivisionOverflow, span));
        Some(DivisionFault { zero, overflow })
    }

    fn resolve_index(&self, index: &mut Index, sites: &mut Vec<SpannedErrorSite>) {
        match index.value.kind {
            ExprKind::Literal(Literal::Int(value)) if (0..i128::from(index.length)).contains(&value) => {}
            ExprKind::Literal(Literal::Int(value)) => self.errors.at(
                index.value.span,
                format!("there is no element {value}: the array has {}", index.length),
                format!("write an index below {}", index.length),
            ),
            _ => index.site = Some(add(sites, ErrorWhat::IndexOutOfRange, index.value.span)),
        }
    }
}

fn add(sites: &mut Vec<SpannedErrorSite>, what: ErrorWhat, span: Span) -> SiteId {
    sites.push(SpannedErrorSite { what, span });
    sites.len() - 1
}
