//! Literals and the limits of number types.

use super::{Lower, Open};
use crate::ir::{Expr, ExprKind, Literal, ScalarType, Span, Type};
use gts_contract::language::Code;
use syn::{ExprPath, Lit};

impl Lower<'_> {
    pub(super) fn literal(&mut self, literal: &Lit, span: Span) -> Expr {
        match literal {
            Lit::Bool(truth) => Expr { kind: ExprKind::Literal(Literal::Bool(truth.value)), ty: Type::BOOL, span },
            Lit::Int(number) => {
                let suffix = number.suffix();
                let ty = match ScalarType::from_name(suffix) {
                    None if suffix.is_empty() => self.types.open(Open::Integer),
                    Some(scalar) if scalar.is_integer() => Type::Scalar(scalar),
                    Some(scalar) if scalar.is_float() => {
                        let kind = ExprKind::Literal(Literal::Float(number.base10_digits().to_owned()));
                        return Expr { kind, ty: Type::Scalar(scalar), span };
                    }
                    _ => {
                        self.errors.at(
                            Code::LiteralType,
                            span,
                            format!("there is no type `{suffix}` here"),
                            "write u32, u64, i32 or i64",
                        );
                        return self.nothing(span);
                    }
                };
                match number.base10_parse::<i128>() {
                    Ok(value) => Expr { kind: ExprKind::Literal(Literal::Int(value)), ty, span },
                    Err(_) => {
                        self.errors.at(Code::LiteralRange, span, "this number is too large", "write one below 2^64");
                        self.nothing(span)
                    }
                }
            }
            Lit::Float(number) => {
                let suffix = number.suffix();
                let ty = match ScalarType::from_name(suffix) {
                    None if suffix.is_empty() => self.types.open(Open::Float),
                    Some(scalar) if scalar.is_float() => Type::Scalar(scalar),
                    _ => {
                        self.errors.at(
                            Code::LiteralType,
                            span,
                            format!("there is no float type `{suffix}` here"),
                            "write f32 or f64",
                        );
                        return self.nothing(span);
                    }
                };
                Expr { kind: ExprKind::Literal(Literal::Float(number.base10_digits().to_owned())), ty, span }
            }
            _ => self.nothing(span),
        }
    }

    /// Resolves `u32::MAX`, `f32::INFINITY` and the like, also of the struct's type parameter.
    pub(super) fn limit(&mut self, path: &ExprPath, span: Span) -> Option<Expr> {
        let [ty, name] = [0, 1].map(|i| path.path.segments.get(i).map(|s| s.ident.to_string()).unwrap_or_default());
        let generic = self.surroundings.generic.filter(|(parameter, _)| **parameter == ty);
        let scalar = generic.map(|(_, scalar)| scalar).or_else(|| ScalarType::from_name(&ty))?;
        let literal = match (name.as_str(), scalar.range()) {
            ("MAX", Some((_, largest))) => Literal::Int(largest),
            ("MIN", Some((least, _))) => Literal::Int(least),
            ("INFINITY", None) if scalar.is_float() => Literal::Float("inf".into()),
            ("NEG_INFINITY", None) if scalar.is_float() => Literal::Float("-inf".into()),
            ("MAX", None) if scalar == ScalarType::F32 => Literal::Float(format!("{:e}", f32::MAX)),
            ("MIN", None) if scalar == ScalarType::F32 => Literal::Float(format!("{:e}", f32::MIN)),
            ("MAX", None) if scalar == ScalarType::F64 => Literal::Float(format!("{:e}", f64::MAX)),
            ("MIN", None) if scalar == ScalarType::F64 => Literal::Float(format!("{:e}", f64::MIN)),
            _ => {
                self.errors.at(
                    Code::LiteralType,
                    span,
                    format!("{scalar} has no `{name}`"),
                    "write `MAX` or `MIN`, or a literal",
                );
                return Some(self.nothing(span));
            }
        };
        Some(Expr { kind: ExprKind::Literal(literal), ty: Type::Scalar(scalar), span })
    }
}
