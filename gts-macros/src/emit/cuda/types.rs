//! Types and literals in CUDA C.

use crate::ir::{Literal, ScalarType, Type};

/// Returns the name of a scalar type. `VertexId` becomes `gts_vertex`, whose width depends on the graph.
pub(super) fn scalar(scalar: ScalarType) -> &'static str {
    match scalar {
        ScalarType::VertexId => "gts_vertex",
        other => other.name(),
    }
}

/// Returns the name of a value's type.
pub(super) fn name(ty: Type) -> String {
    match ty {
        Type::Scalar(of) => scalar(of).to_owned(),
        Type::Vertex => "gts_vertex".to_owned(),
        Type::Edge => "gts_edge_value".to_owned(),
        Type::Array(of, length) => format!("gts_array<{}, {length}>", scalar(of)),
        Type::Unit | Type::Open(_) | Type::OpenArray(..) => "void".to_owned(),
    }
}

/// Returns a literal of a scalar type.
pub(super) fn literal(literal: &Literal, of: ScalarType) -> String {
    match literal {
        Literal::Bool(value) => value.to_string(),
        Literal::Int(value) => integer(*value, of),
        Literal::Float(text) => float(text, of),
    }
}

fn integer(value: i128, of: ScalarType) -> String {
    match of {
        ScalarType::F32 => float(&value.to_string(), of),
        ScalarType::F64 => float(&value.to_string(), of),
        // The smallest integers have no literal: C++ parses them as a negated number that does not fit.
        ScalarType::I32 if value == i32::MIN.into() => "(i32)0x80000000u".to_owned(),
        ScalarType::I64 if value == i64::MIN.into() => "(i64)0x8000000000000000ull".to_owned(),
        ScalarType::I32 => value.to_string(),
        ScalarType::I64 => format!("{value}ll"),
        ScalarType::U32 => format!("{value}u"),
        ScalarType::U64 => format!("{value}ull"),
        other => format!("({}){value}", scalar(other)),
    }
}

fn float(text: &str, of: ScalarType) -> String {
    let wide: f64 = text.parse().unwrap_or(f64::NAN);
    let narrow: f32 = text.parse().unwrap_or(f32::NAN);
    let plain = if text.contains(['.', 'e', 'E']) { text.to_owned() } else { format!("{text}.0") };
    match of {
        // A number is emitted as its bits if it is not finite, or if rounding through f64 gives a different f32.
        ScalarType::F32 if !narrow.is_finite() || (wide as f32).to_bits() != narrow.to_bits() => {
            format!("__uint_as_float({:#x}u)", narrow.to_bits())
        }
        ScalarType::F32 => format!("{plain}f"),
        _ if !wide.is_finite() => format!("__longlong_as_double({:#x}ll)", wide.to_bits()),
        _ => plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_have_their_type() {
        let int = |value, of| literal(&Literal::Int(value), of);
        assert_eq!(int(7, ScalarType::U32), "7u");
        assert_eq!(int(7, ScalarType::U8), "(u8)7");
        assert_eq!(int(-7, ScalarType::I64), "-7ll");
        assert_eq!(int(i32::MIN.into(), ScalarType::I32), "(i32)0x80000000u");
        let float = |text: &str, of| literal(&Literal::Float(text.into()), of);
        assert_eq!(float("0.85", ScalarType::F32), "0.85f");
        assert_eq!(float("1", ScalarType::F64), "1.0");
        assert_eq!(float("inf", ScalarType::F32), "__uint_as_float(0x7f800000u)");
        assert_eq!(float("1e400", ScalarType::F64), "__longlong_as_double(0x7ff0000000000000ll)");
        // The number is just above the midpoint of two adjacent f32. Rounding to f64 yields the midpoint.
        assert!(float("1.00000005960464477540", ScalarType::F32).starts_with("__uint_as_float"));
    }
}
