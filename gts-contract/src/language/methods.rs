//! Methods of numbers.

use super::OperandTypes::{Float, Integer, Number, Ordered, Signed};
use super::{LanguageKind, LanguageRow, OperandTypes, RowExample};

const fn method(
    name: &'static str,
    syntax: &'static str,
    operands: OperandTypes,
    meaning: &'static str,
    (expression, value): (&'static str, &'static str),
) -> LanguageRow {
    LanguageRow::new(LanguageKind::Method, name, syntax, meaning)
        .on(operands)
        .example(RowExample::Value(expression, value))
}

/// The note on GPUs for methods that a different library computes there.
const LAST_BITS: &str = "the last bits may differ from a CPU's; `gts show` marks kernels that call such a method";

pub(super) const ROWS: &[LanguageRow] = &[
    method("sqrt", "x.sqrt()", Float, "The square root, correctly rounded.", ("9.0f32.sqrt()", "3.0")),
    method("exp", "x.exp()", Float, "*e* to the power of `x`.", ("0.0f64.exp()", "1.0")).gpu(LAST_BITS),
    method("ln", "x.ln()", Float, "The natural logarithm.", ("1.0f64.ln()", "0.0")).gpu(LAST_BITS),
    method(
        "powf",
        "x.powf(y)",
        Float,
        "`x` to the power of `y`, a float of the same type.",
        ("2.0f32.powf(3.0) > 7.99", "true"),
    )
    .gpu(LAST_BITS),
    method("powi", "x.powi(n)", Float, "`x` to the power of `n`, an `i32`.", ("2.0f64.powi(-1) < 0.51", "true"))
        .gpu(LAST_BITS),
    method("sin", "x.sin()", Float, "The sine of an angle in radians.", ("0.0f32.sin()", "0.0")).gpu(LAST_BITS),
    method("cos", "x.cos()", Float, "The cosine of an angle in radians.", ("0.0f32.cos()", "1.0")).gpu(LAST_BITS),
    method(
        "abs",
        "x.abs()",
        Signed,
        "The absolute value. It is a fault for the smallest integer of a type, because the type cannot hold the \
         result.",
        ("(-7i32).abs()", "7"),
    ),
    method("floor", "x.floor()", Float, "The largest whole number that is not above `x`.", ("1.5f32.floor()", "1.0")),
    method("ceil", "x.ceil()", Float, "The smallest whole number that is not below `x`.", ("1.5f32.ceil()", "2.0")),
    method(
        "min",
        "x.min(y)",
        Ordered,
        "The smaller of two values of one type. If one float is NaN, the result is the other one.",
        ("7u32.min(2)", "2"),
    ),
    method(
        "max",
        "x.max(y)",
        Ordered,
        "The larger of two values of one type. If one float is NaN, the result is the other one.",
        ("7u32.max(2)", "7"),
    ),
    method(
        "count_ones",
        "x.count_ones()",
        Integer,
        "The number of bits that are 1, as `u32`.",
        ("7u64.count_ones()", "3"),
    ),
    method(
        "leading_zeros",
        "x.leading_zeros()",
        Integer,
        "The number of zero bits above the highest 1, as `u32`. For 0, it is the width of the type.",
        ("1u8.leading_zeros()", "7"),
    ),
    method(
        "trailing_zeros",
        "x.trailing_zeros()",
        Integer,
        "The number of zero bits below the lowest 1, as `u32`. For 0, it is the width of the type.",
        ("8u32.trailing_zeros()", "3"),
    ),
    method(
        "wrapping_add",
        "x.wrapping_add(y)",
        Integer,
        "The sum, wrapping around at the limits of the type. Never faults.",
        ("255u8.wrapping_add(2)", "1"),
    ),
    method(
        "wrapping_sub",
        "x.wrapping_sub(y)",
        Integer,
        "The difference, wrapping around at the limits of the type. Never faults.",
        ("1u8.wrapping_sub(2)", "255"),
    ),
    method(
        "wrapping_mul",
        "x.wrapping_mul(y)",
        Integer,
        "The product, wrapping around at the limits of the type. Never faults.",
        ("128u8.wrapping_mul(3)", "128"),
    ),
    method(
        "wrapping_neg",
        "x.wrapping_neg()",
        Integer,
        "Zero minus `x`, wrapping around at the limits of the type. Never faults.",
        ("1u8.wrapping_neg()", "255"),
    ),
    method(
        "wrapping_shl",
        "x.wrapping_shl(n)",
        Integer,
        "`x << n`, with `n` reduced modulo the width of the type. `n` is a `u32`. Never faults.",
        ("1u32.wrapping_shl(33)", "2"),
    ),
    method(
        "wrapping_shr",
        "x.wrapping_shr(n)",
        Integer,
        "`x >> n`, with `n` reduced modulo the width of the type. `n` is a `u32`. Never faults.",
        ("4u32.wrapping_shr(33)", "2"),
    ),
    method(
        "saturating_add",
        "x.saturating_add(y)",
        Number,
        "The sum, or the nearest value of the type if the sum is out of range. `UNREACHED` plus a non-negative number \
         is `UNREACHED`. For floats, it is `x + y`, so a generic kernel works with integers and floats.",
        ("250u8.saturating_add(10)", "255"),
    ),
    method(
        "saturating_sub",
        "x.saturating_sub(y)",
        Number,
        "The difference, or the nearest value of the type if the difference is out of range. For floats, it is `x - \
         y`.",
        ("1u8.saturating_sub(2)", "0"),
    ),
    method(
        "saturating_mul",
        "x.saturating_mul(y)",
        Number,
        "The product, or the nearest value of the type if the product is out of range. For floats, it is `x * y`.",
        ("100u8.saturating_mul(3)", "255"),
    ),
    method("is_nan", "x.is_nan()", Float, "Whether the value is NaN.", ("1.0f32.is_nan()", "false")),
];
