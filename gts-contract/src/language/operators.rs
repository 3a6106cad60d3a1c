//! Operators.

use super::OperandTypes::{Bits, Condition, Equal, Integer, Number, Ordered};
use super::{LanguageKind, LanguageRow, OperandTypes, RowExample};

const fn operator(
    name: &'static str,
    syntax: &'static str,
    operands: OperandTypes,
    meaning: &'static str,
    (expression, value): (&'static str, &'static str),
) -> LanguageRow {
    LanguageRow::new(LanguageKind::Operator, name, syntax, meaning)
        .on(operands)
        .example(RowExample::Value(expression, value))
}

pub(super) const ROWS: &[LanguageRow] = &[
    operator("+", "x + y", Number, "The sum. An integer sum that the type cannot hold is a fault.", ("2u32 + 3", "5"))
        .example(RowExample::Fault("a.small[v] + 100")),
    operator(
        "-",
        "x - y, -x",
        Number,
        "The difference, or the negated value. An integer result that the type cannot hold is a fault. `-x` works on \
         signed integers and floats.",
        ("3i32 - 5", "-2"),
    ),
    operator(
        "*",
        "x * y",
        Number,
        "The product. An integer product that the type cannot hold is a fault.",
        ("1.5f32 * 2.0", "3.0"),
    ),
    operator(
        "/",
        "x / y",
        Number,
        "The quotient. Integer quotients are rounded towards zero. Dividing an integer by zero is a fault, and so is \
         dividing the smallest integer by -1. Float quotients are correctly rounded, as in IEEE 754.",
        ("-7i32 / 2", "-3"),
    ),
    operator("%", "x % y", Number, "The remainder, with the sign of `x`. Faults as `/` does.", ("-7i32 % 2", "-1")),
    operator("!", "!x", Bits, "The opposite of a condition, or an integer with all bits inverted.", ("!0u8", "255")),
    operator(
        "&",
        "x & y",
        Bits,
        "The bitwise and of integers, or the logical and of conditions. Both operands are evaluated.",
        ("12u32 & 10", "8"),
    ),
    operator(
        "|",
        "x | y",
        Bits,
        "The bitwise or of integers, or the logical or of conditions. Both operands are evaluated.",
        ("12u32 | 10", "14"),
    ),
    operator(
        "^",
        "x ^ y",
        Bits,
        "The bitwise exclusive or of integers, or the logical exclusive or of conditions.",
        ("12u32 ^ 10", "6"),
    ),
    operator(
        "<<",
        "x << n",
        Integer,
        "The bits of `x`, shifted up by `n`. `n` may have any integer type. Shifting by the width of the type or more \
         is a fault. Bits that do not fit are lost.",
        ("1u64 << 33", "8589934592"),
    ),
    operator(
        ">>",
        "x >> n",
        Integer,
        "The bits of `x`, shifted down by `n`. `n` may have any integer type. A signed integer keeps its sign. \
         Shifting by the width of the type or more is a fault.",
        ("-8i32 >> 1", "-4"),
    ),
    operator(
        "&&",
        "c && d",
        Condition,
        "Whether both conditions hold. The second is evaluated only if the first holds.",
        ("true && v == v", "true"),
    ),
    operator(
        "||",
        "c || d",
        Condition,
        "Whether at least one condition holds. The second is evaluated only if the first does not hold.",
        ("false || v == v", "true"),
    ),
    operator(
        "==",
        "x == y",
        Equal,
        "Whether two values of one type are equal. A `Vertex` can also be compared with a `VertexId`.",
        ("v == v.id()", "true"),
    ),
    operator("!=", "x != y", Equal, "Whether two values of one type differ.", ("3u32 != 4", "true")),
    operator(
        "<",
        "x < y",
        Ordered,
        "Whether the first value is smaller. Comparisons with NaN are false.",
        ("f32::NEG_INFINITY < 0.0", "true"),
    ),
    operator("<=", "x <= y", Ordered, "Whether the first value is smaller or equal.", ("3u32 <= 3", "true")),
    operator(">", "x > y", Ordered, "Whether the first value is larger.", ("3u32 > 3", "false")),
    operator(">=", "x >= y", Ordered, "Whether the first value is larger or equal.", ("3u32 >= 3", "true")),
    LanguageRow::new(
        LanguageKind::Operator,
        "as",
        "x as u64",
        "Converts between number types, from `bool` to an integer, and from a vertex to its dense number. A narrower \
         integer type keeps the low bits. A float becomes the nearest integer in range towards zero; NaN becomes 0.",
    )
    .refused(
        "for a `bool`, compare: `x != 0`; for a `VertexId`, write `Vertex::new(x)`, which checks that the vertex \
         exists",
    )
    .example(RowExample::Value("300u32 as u8 == 44 && -1.5f32 as u32 == 0", "true")),
    LanguageRow::new(
        LanguageKind::Operator,
        "[]",
        "a.level[v], x[i], a.classes[v][i]",
        "An attribute at a vertex, or an element of an array. The index of an attribute is a `Vertex` or a \
         `VertexId`. An index out of range is a fault, and so is a `VertexId` that is not a vertex.",
    )
    .refused("only attributes, params, globals and locals can be indexed: bind another array with `let` first")
    .example(RowExample::Fault("a.classes[v][a.count[v] + 4]")),
    LanguageRow::new(
        LanguageKind::Operator,
        "[x; n]",
        "[0u32; 8], [1, 2, 3]",
        "An array of `n` equal elements, or of the listed elements. The length is a literal above 0.",
    )
    .refused("elements are plain values, not arrays")
    .example(RowExample::Vertex("let list = [v as u64; 3];\na.count[v] = list[2];")),
    LanguageRow::new(
        LanguageKind::Operator,
        "..",
        "0..n, 0..=n",
        "A range of integers of one type. `..` excludes the end, and `..=` includes it.",
    )
    .on(Integer)
    .allowed("`for` loops")
    .refused("a range is not a value: compare with `<` and `>=`")
    .example(RowExample::Vertex("for i in 1..=3u64 {\n    a.count[v] += i;\n}")),
];
