//! The end of inference. Types are written into the IR. Then the facts that depend on types are determined: which
//! literals fit, and which operations, indices and vertex numbers can fault.

use super::Lower;
use crate::ir::{
    AttributeKind, BinaryOp, Block, ErrorWhat, Expr, ExprKind, Index, Literal, MathMethod, OperationFaults, ScalarType,
    SiteId, Span, SpannedErrorSite, StmtKind, SumCheck, Type, UnaryOp, Update, UpdateOp,
};
use gts_contract::language::Code;

impl Lower<'_> {
    pub(super) fn resolve_locals(&mut self) {
        self.silent = !self.errors.is_empty();
        for local in &mut self.locals {
            local.ty = self.types.find(local.ty);
            if matches!(local.ty, Type::Open(_) | Type::OpenArray(..)) && !self.silent {
                self.errors.at(
                    Code::OpenType,
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
            StmtKind::Assign { local, index, op, value, faults } => {
                if let Some(index) = index {
                    self.resolve_index(index, sites);
                }
                let ty = match self.types.find(self.locals[*local].ty) {
                    Type::Array(of, _) => Type::Scalar(of),
                    ty => ty,
                };
                *faults = op.map_or(OperationFaults::NONE, |op| self.operation(op, ty, value, span, sites));
            }
            StmtKind::Store { element, .. } => {
                if let Some(index) = &mut element.index {
                    self.resolve_index(index, sites);
                }
            }
            StmtKind::Accumulate { index: Some(index), .. } => self.resolve_index(index, sites),
            StmtKind::Assert { value, site, .. } => {
                let scalar = value.as_ref().and_then(|value| value.ty.scalar()).unwrap_or(ScalarType::Bool);
                *site = add(sites, ErrorWhat::AssertionFailed, scalar, span);
            }
            _ => {}
        }
    }

    pub(super) fn resolve_expr(&self, expr: &mut Expr, sites: &mut Vec<SpannedErrorSite>) {
        expr.ty = self.types.find(expr.ty);
        if matches!(expr.ty, Type::Open(_) | Type::OpenArray(..)) && !self.silent && self.errors.is_empty() {
            self.errors.at(
                Code::OpenType,
                expr.span,
                "the type of this is open",
                "write the type: `3u32`, or `let x: u32 = ..`",
            );
        }
        if let ExprKind::Unary(UnaryOp::Neg, inner, _) = &mut expr.kind
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
                    Code::UnreachedType,
                    span,
                    format!("there is no UNREACHED of type {ty}"),
                    "compare a number or a VertexId with it",
                );
            }
            ExprKind::Unary(UnaryOp::Neg, _, faults) => *faults = signed(ty, ErrorWhat::NegationOverflow, span, sites),
            ExprKind::Math(MathMethod::Abs, _, faults) => {
                *faults = signed(ty, ErrorWhat::AbsoluteOverflow, span, sites)
            }
            ExprKind::Binary { op, left, right, faults } => {
                *faults = self.operation(*op, left.ty, right, span, sites);
            }
            ExprKind::NewVertex(_, site) => *site = add(sites, ErrorWhat::NotAVertex, ScalarType::U64, span),
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
                update.sum = self.sum(update, ty, span, sites);
            }
            _ => {}
        }
    }

    /// Returns the check of an update that adds to an integer of a vertex or an edge, or subtracts from it.
    fn sum(&self, update: &Update, ty: Type, span: Span, sites: &mut Vec<SpannedErrorSite>) -> Option<SumCheck> {
        let what = match update.op {
            UpdateOp::Add => ErrorWhat::AdditionOverflow,
            UpdateOp::Sub => ErrorWhat::SubtractionOverflow,
            _ => return None,
        };
        let (_, attributes) = self.surroundings.attributes?;
        let declared = &attributes.attributes[update.element.attribute];
        let checked =
            matches!(declared.kind, AttributeKind::Wa { .. } | AttributeKind::EdgeWa { .. }) && !declared.wraps;
        let scalar = ty.scalar().filter(|scalar| scalar.is_integer() && checked)?;
        Some(SumCheck { site: add(sites, what, scalar, span), term: None })
    }

    fn fits(&self, value: i128, ty: Type, span: Span) {
        let Some(scalar) = ty.scalar() else { return };
        let Some((least, largest)) = scalar.range() else { return };
        if !(least..=largest).contains(&value) {
            self.errors.at(
                Code::LiteralRange,
                span,
                format!("{value} is no {scalar}"),
                format!("write a value from {least} to {largest}, or use another type"),
            );
        }
    }

    /// Returns the error sites of an operation. `ty` is the type of the left operand.
    fn operation(
        &self,
        op: BinaryOp,
        ty: Type,
        right: &Expr,
        span: Span,
        sites: &mut Vec<SpannedErrorSite>,
    ) -> OperationFaults {
        let Some(scalar) = ty.scalar().filter(|scalar| scalar.is_integer()) else { return OperationFaults::NONE };
        let literal = match right.kind {
            ExprKind::Literal(Literal::Int(value)) => Some(value),
            _ => None,
        };
        let overflow = match op {
            BinaryOp::Add => ErrorWhat::AdditionOverflow,
            BinaryOp::Sub => ErrorWhat::SubtractionOverflow,
            BinaryOp::Mul => ErrorWhat::MultiplicationOverflow,
            BinaryOp::Shl | BinaryOp::Shr => return self.shift(scalar, literal, right, span, sites),
            BinaryOp::Div => return self.division(ErrorWhat::DivisionByZero, scalar, literal, right, span, sites),
            BinaryOp::Rem => return self.division(ErrorWhat::RemainderByZero, scalar, literal, right, span, sites),
            _ => return OperationFaults::NONE,
        };
        OperationFaults { zero: None, overflow: Some(add(sites, overflow, scalar, span)) }
    }

    fn shift(
        &self,
        scalar: ScalarType,
        amount: Option<i128>,
        right: &Expr,
        span: Span,
        sites: &mut Vec<SpannedErrorSite>,
    ) -> OperationFaults {
        let bits = scalar.bits();
        match amount {
            Some(amount) if (0..i128::from(bits)).contains(&amount) => OperationFaults::NONE,
            Some(amount) => {
                self.errors.at(
                    Code::CertainFault,
                    right.span,
                    format!("this shifts {bits} bits by {amount}"),
                    format!("shift by less than {bits}"),
                );
                OperationFaults::NONE
            }
            None => {
                let of_amount = right.ty.scalar().unwrap_or(ScalarType::U32);
                OperationFaults { zero: None, overflow: Some(add(sites, ErrorWhat::ShiftOverflow, of_amount, span)) }
            }
        }
    }

    fn division(
        &self,
        zero: ErrorWhat,
        scalar: ScalarType,
        divisor: Option<i128>,
        right: &Expr,
        span: Span,
        sites: &mut Vec<SpannedErrorSite>,
    ) -> OperationFaults {
        match divisor {
            Some(0) => {
                self.errors.at(Code::CertainFault, right.span, "this divides by zero", "divide by another number");
                OperationFaults::NONE
            }
            Some(_) => OperationFaults::NONE,
            None => {
                let zero = Some(add(sites, zero, scalar, span));
                let overflow = scalar.is_signed().then(|| add(sites, ErrorWhat::DivisionOverflow, scalar, span));
                OperationFaults { zero, overflow }
            }
        }
    }

    fn resolve_index(&self, index: &mut Index, sites: &mut Vec<SpannedErrorSite>) {
        match index.value.kind {
            ExprKind::Literal(Literal::Int(value)) if (0..i128::from(index.length)).contains(&value) => {}
            ExprKind::Literal(Literal::Int(value)) => self.errors.at(
                Code::CertainFault,
                index.value.span,
                format!("there is no element {value}: the array has {}", index.length),
                format!("write an index below {}", index.length),
            ),
            _ => {
                let scalar = index.value.ty.scalar().unwrap_or(ScalarType::U64);
                index.site = Some(add(sites, ErrorWhat::IndexOutOfRange, scalar, index.value.span));
            }
        }
    }
}

/// Returns the faults of an operation that fails only for the smallest integer of a signed type.
fn signed(ty: Type, what: ErrorWhat, span: Span, sites: &mut Vec<SpannedErrorSite>) -> OperationFaults {
    let signed = ty.scalar().filter(|scalar| scalar.is_signed());
    OperationFaults { zero: None, overflow: signed.map(|scalar| add(sites, what, scalar, span)) }
}

fn add(sites: &mut Vec<SpannedErrorSite>, what: ErrorWhat, scalar: ScalarType, span: Span) -> SiteId {
    sites.push(SpannedErrorSite { what, scalar, span, attribute: None });
    sites.len() - 1
}
