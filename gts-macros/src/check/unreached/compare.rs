//! Comparisons, and which of them `UNREACHED` does not pass.

use crate::ir::{BinaryOp, Constant, Expr, ExprKind, Literal, ScalarType};

/// What `UNREACHED` of an attribute has become by casts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Image {
    Integer(i128),
    Float(f64),
    /// One of several, or another kind of value.
    Unknown,
}

impl Image {
    /// `UNREACHED` of a type that has it as an integer. A vertex number is one of 64 bits for casts.
    pub(super) fn of(scalar: ScalarType) -> Option<Self> {
        let of = if scalar == ScalarType::VertexId { ScalarType::U64 } else { scalar };
        of.range().map(|(_, largest)| Self::Integer(largest))
    }

    /// The value behind `as`.
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
            // Back to an integer it saturates, and has lost what it was.
            Self::Float(value) if to.is_float() => Self::Float(value),
            _ => Self::Unknown,
        }
    }

    /// Whether a comparison with this on the left is false, whatever it says of others.
    pub(super) fn fails(self, op: BinaryOp, right: &Bound) -> bool {
        let (Bound::Integer(value), Self::Integer(unreached)) = (right, self) else {
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

    fn fails_somehow(self, op: BinaryOp, right: &Bound) -> bool {
        match (self, right) {
            (Self::Float(unreached), Bound::Float(value)) => match op {
                BinaryOp::Eq => unreached != *value,
                BinaryOp::Lt => unreached >= *value,
                BinaryOp::Le => unreached > *value,
                _ => false,
            },
            // What is equal to a number is one. Nothing is above the largest.
            (Self::Integer(_) | Self::Float(_), Bound::Number { .. }) if op == BinaryOp::Eq => true,
            (Self::Integer(unreached), Bound::Number { largest }) => match op {
                BinaryOp::Lt | BinaryOp::Le => unreached == *largest,
                _ => false,
            },
            (Self::Integer(unreached), Bound::Anything { largest }) => op == BinaryOp::Lt && unreached == *largest,
            _ => false,
        }
    }
}

/// What a value is compared with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Bound {
    Integer(i128),
    Float(f64),
    /// An integer that is not `UNREACHED`, of a type with this largest value.
    Number {
        largest: i128,
    },
    /// An integer that may be.
    Anything {
        largest: i128,
    },
    /// Anything else.
    Other,
}

impl Bound {
    /// The other side of a comparison; `hazard`: whether it may be `UNREACHED` itself.
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

/// The number that an expression is for sure.
fn known(expr: &Expr, constants: &[Constant]) -> Option<Bound> {
    match &expr.kind {
        ExprKind::Literal(Literal::Int(value)) => Some(Bound::Integer(*value)),
        ExprKind::Literal(Literal::Float(text)) => text.parse().ok().map(Bound::Float),
        ExprKind::Unreached => match Image::of(expr.ty.scalar()?)? {
            Image::Integer(value) => Some(Bound::Integer(value)),
            _ => None,
        },
        ExprKind::Constant(constant) => known(&constants.get(*constant)?.value, constants),
        _ => None,
    }
}
