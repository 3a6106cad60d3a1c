//! Initial values of attributes.

use crate::errors::Errors;
use crate::ir::{Merge, ScalarType, Span};
use gts_contract::language::Code;
use syn::{Expr, Lit, UnOp};

/// Returns the bits of one element, zero extended. Reports an error if the value does not have the type.
pub(crate) fn bits(value: &Expr, scalar: ScalarType, errors: &Errors) -> u64 {
    match value_bits(value, scalar) {
        Some(bits) => bits,
        None if matches!(value, Expr::Array(_) | Expr::Repeat(_)) => {
            let help = "write that value; the host sets others with `run.set_dense`";
            errors.at(
                Code::InitialValue,
                Span::of(value),
                "an array attribute starts with one value for all elements",
                help,
            );
            0
        }
        None => {
            errors.at(
                Code::InitialValue,
                Span::of(value),
                format!("this is no initial value of type {scalar}"),
                help(value, scalar),
            );
            0
        }
    }
}

/// Returns a value to write instead.
fn help(value: &Expr, scalar: ScalarType) -> String {
    match (scalar, literal(value)) {
        (ScalarType::Bool, _) => "write `true` or `false`".to_owned(),
        (ScalarType::VertexId, _) => "write `UNREACHED`, or 0; other vertices are set by the host".to_owned(),
        (_, Some(Lit::Int(number))) if scalar.is_float() && number.suffix().is_empty() => {
            format!("write `{}.0`", number.base10_digits())
        }
        _ if scalar.is_float() => format!("write a literal such as `0.0`, `UNREACHED` or `{scalar}::MAX`"),
        _ => format!("write a literal within the type's range, `UNREACHED` or `{scalar}::MAX`"),
    }
}

/// Returns the bits of the merge's identity, zero extended. For `any`, which has none, returns `UNREACHED` if the type
/// has it, else 0.
pub(crate) fn identity(scalar: ScalarType, merge: Merge) -> u64 {
    let bits = match merge {
        Merge::Sum | Merge::Or => Some(0),
        Merge::And if scalar == ScalarType::Bool => Some(1),
        Merge::And => scalar.range().and_then(|(_, most)| integer(scalar, if scalar.is_signed() { -1 } else { most })),
        Merge::Min | Merge::Any => unreached(scalar),
        Merge::Max if scalar.is_float() => float(scalar, "-inf"),
        Merge::Max => scalar.range().and_then(|(least, _)| integer(scalar, least)),
    };
    bits.unwrap_or(0)
}

/// Returns whether the value is the one that `UNREACHED` has, however it is written.
pub(crate) fn is_largest(value: &Expr, scalar: ScalarType) -> bool {
    value_bits(value, scalar).is_some_and(|bits| Some(bits) == unreached(scalar))
}

/// Returns whether the value is written as `UNREACHED`.
pub(crate) fn is_unreached(value: &Expr) -> bool {
    match value {
        Expr::Group(group) => is_unreached(&group.expr),
        Expr::Paren(paren) => is_unreached(&paren.expr),
        Expr::Path(path) => path.path.is_ident("UNREACHED"),
        _ => false,
    }
}

fn value_bits(value: &Expr, scalar: ScalarType) -> Option<u64> {
    match value {
        Expr::Group(group) => value_bits(&group.expr, scalar),
        Expr::Paren(paren) => value_bits(&paren.expr, scalar),
        Expr::Path(_) if is_unreached(value) => unreached(scalar),
        Expr::Path(path) => {
            let segments: Vec<String> = path.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
            let [ty, name] = segments.as_slice() else { return None };
            (ScalarType::from_name(ty) == Some(scalar)).then(|| named(scalar, name)).flatten()
        }
        Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => match literal(&unary.expr)? {
            Lit::Int(number) if scalar.is_integer() => integer(scalar, -number.base10_parse::<i128>().ok()?),
            other => {
                let bits = literal_bits(other, scalar)?;
                scalar.is_float().then(|| bits ^ 1 << (scalar.bits() - 1))
            }
        },
        other => literal_bits(literal(other)?, scalar),
    }
}

fn literal(value: &Expr) -> Option<&Lit> {
    match value {
        Expr::Lit(literal) => Some(&literal.lit),
        Expr::Group(group) => literal(&group.expr),
        Expr::Paren(paren) => literal(&paren.expr),
        _ => None,
    }
}

fn literal_bits(literal: &Lit, scalar: ScalarType) -> Option<u64> {
    let suffix_fits = |suffix: &str| suffix.is_empty() || suffix == scalar.name();
    match literal {
        Lit::Bool(truth) => (scalar == ScalarType::Bool).then(|| u64::from(truth.value)),
        Lit::Int(number) if suffix_fits(number.suffix()) => match scalar {
            ScalarType::VertexId => number.base10_parse().ok().filter(|&id: &u64| id == 0),
            _ => integer(scalar, number.base10_parse().ok()?),
        },
        Lit::Float(number) if suffix_fits(number.suffix()) => float(scalar, number.base10_digits()),
        _ => None,
    }
}

/// Returns the bits of a named constant of the type.
fn named(scalar: ScalarType, name: &str) -> Option<u64> {
    match (name, scalar) {
        ("MAX" | "MIN", ScalarType::F32 | ScalarType::F64) => {
            let (single, double) = if name == "MAX" { (f32::MAX, f64::MAX) } else { (f32::MIN, f64::MIN) };
            Some(if scalar == ScalarType::F32 { single.to_bits().into() } else { double.to_bits() })
        }
        ("MAX", _) => integer(scalar, scalar.range()?.1),
        ("MIN", _) => integer(scalar, scalar.range()?.0),
        ("INFINITY", _) => float(scalar, "inf"),
        ("NEG_INFINITY", _) => float(scalar, "-inf"),
        ("NAN", _) => float(scalar, "nan"),
        _ => None,
    }
}

fn unreached(scalar: ScalarType) -> Option<u64> {
    match scalar {
        ScalarType::Bool => None,
        ScalarType::VertexId => Some(u64::MAX),
        _ if scalar.is_float() => float(scalar, "inf"),
        _ => integer(scalar, scalar.range()?.1),
    }
}

fn integer(scalar: ScalarType, value: i128) -> Option<u64> {
    let (least, largest) = scalar.range()?;
    let mask = u64::MAX >> (64 - scalar.bits());
    (least..=largest).contains(&value).then_some(value as u64 & mask)
}

fn float(scalar: ScalarType, text: &str) -> Option<u64> {
    match scalar {
        ScalarType::F32 => text.parse().ok().map(|value: f32| value.to_bits().into()),
        ScalarType::F64 => text.parse().ok().map(f64::to_bits),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(value: &str, scalar: ScalarType, expected: Option<u64>) {
        assert_eq!(value_bits(&syn::parse_str(value).unwrap(), scalar), expected, "{value}: {scalar}");
    }

    #[test]
    fn values_become_the_bits_of_their_type() {
        check("UNREACHED", ScalarType::U16, Some(0xffff));
        check("UNREACHED", ScalarType::F32, Some(0x7f80_0000));
        check("-1", ScalarType::I32, Some(0xffff_ffff));
        check("-0.0", ScalarType::F32, Some(0x8000_0000));
        check("0.5", ScalarType::F64, Some(0.5f64.to_bits()));
        check("true", ScalarType::Bool, Some(1));
        check("i64::MIN", ScalarType::I64, Some(1 << 63));
        check("256", ScalarType::U8, None);
        check("1", ScalarType::F32, None);
        check("1.0", ScalarType::U32, None);
        check("i64::MAX", ScalarType::I32, None);
    }
}
