//! Comparisons that are false for `UNREACHED`.

use crate::ir::{BinaryOp, Constant, Expr, ExprKind, Literal, ScalarType};

/// The value of an attribute's `UNREACHED` after casts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Image {
    Integer(i128),
    Float(f64),
    /// One of several values, or a value of another kind.
    Unknown,
}

impl Image {
    /// Returns `UNREACHED` of a type that stores it as an integer. Casts treat a vertex number as 64 bits wide.
    pub(super) fn of(scalar: ScalarType) -> Option<Self> {
        let of = if scalar == ScalarType::VertexId { ScalarType::U64 } else { scalar };
        of.range().map(|(_, largest)| Self::Integer(largest))
    }

    /// Returns the value after `as`.
    pub(super) fn cast(self, to: ScalarType) -> Self {
        match self {
            Self::Integer(value) if to.is_float() => Self::Float(value as f64),
            Self::Integer(value) => match to.range() {
                Some((least, _)) => {
                    let bits = value & ((1 << to.bits()) - 1);
                    let negative = least < 0 && bits >> (to.bits() - 1) != 0;
                    Self::Integer(if negative { bits - (1 << to.bits()) } else { bits })
                }
                None => self,
            },
            // A cast back to an integer saturates, so that the value is unknown.
            Self::Float(value) if to.is_float() => Self::Float(value),
            _ => Self::Unknown,
        }
    }

    /// Returns whether a comparison with this value on the left is false.
    pub(super) fn fails(self, op: BinaryOp, right: &ComparisonOperand) -> bool {
        let (ComparisonOperand::Integer(value), Self::Integer(unreached)) = (right, self) else {
            return self.fails_somehow(op, right);
        };
        !match op {
            BinaryOp::Eq => unreached == *value,
            BinaryOp::Ne => unreached != *value,
            BinaryOp::Lt => unreached < *value,
            BinaryOp::Le => unreached <= *value,
            BinaryOp::Gt => unreached > *value,
            BinaryOp::Ge => unreached >= *value,
            _ => true,
        }
    }

    fn fails_somehow(self, op: BinaryOp, right: &ComparisonOperand) -> bool {
        match (self, right) {
            (Self::Float(unreached), ComparisonOperand::Float(value)) => match op {
                BinaryOp::Eq => unreached != *value,
                BinaryOp::Lt => unreached >= *value,
                BinaryOp::Le => unreached > *value,
                _ => false,
            },
            // A value equal to a number is a number. No value is above the largest.
            (Self::Integer(_) | Self::Float(_), ComparisonOperand::Number { .. }) if op == BinaryOp::Eq => true,
            (Self::Integer(unreached), ComparisonOperand::Number { largest }) => match op {
                BinaryOp::Lt | BinaryOp::Le => unreached == *largest,
                _ => false,
            },
            (Self::Integer(unreached), ComparisonOperand::Anything { largest }) => {
                op == BinaryOp::Lt && unreached == *largest
            }
            _ => false,
        }
    }
}

/// The other operand of a comparison.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum ComparisonOperand {
    Integer(i128),
    Float(f64),
    /// An integer that is not `UNREACHED`, of a type with this largest value.
    Number {
        largest: i128,
    },
    /// An integer that may be `UNREACHED`.
    Anything {
        largest: i128,
    },
    /// Anything else.
    Other,
}

impl ComparisonOperand {
    /// Returns the bound for the other operand; `hazard`: whether the operand may be `UNREACHED` itself.
    pub(super) fn of(expr: &Expr, hazard: bool, constants: &[Constant]) -> Self {
        let Some(scalar) = expr.ty.scalar() else { return Self::Other };
        match (known(expr, constants), Image::of(scalar)) {
            (Some(known), _) => known,
            (None, Some(Image::Integer(largest))) if hazard => Self::Anything { largest },
            (None, Some(Image::Integer(largest))) => Self::Number { largest },
            _ => Self::Other,
        }
    }
}

/// Returns the value of an expression if it is constant.
fn known(expr: &Expr, constants: &[Constant]) -> Option<ComparisonOperand> {
    match &expr.kind {
        ExprKind::Literal(Literal::Int(value)) => Some(ComparisonOperand::Integer(*value)),
        ExprKind::Literal(Literal::Float(text)) => text.parse().ok().map(ComparisonOperand::Float),
        ExprKind::Unreached => match Image::of(expr.ty.scalar()?)? {
            Image::Integer(value) => Some(ComparisonOperand::Integer(value)),
            _ => None,
        },
        ExprKind::Constant(constant) => known(&constants.get(*constant)?.value, constants),
        _ => None,
    }
}
