//! Built-in functions and constants, and literals.

use super::{LanguageKind, LanguageRow, OperandTypes, RowExample};

const fn function(name: &'static str, syntax: &'static str, meaning: &'static str) -> LanguageRow {
    LanguageRow::new(LanguageKind::Function, name, syntax, meaning).allowed("kernels").refused(NOT_IN_HELPERS)
}

const fn value(name: &'static str, syntax: &'static str, meaning: &'static str) -> LanguageRow {
    LanguageRow::new(LanguageKind::Value, name, syntax, meaning)
}

const NOT_IN_HELPERS: &str = "the host can call a `#[gts_fn]` outside a pass; take the value as a parameter";

pub(super) const ROWS: &[LanguageRow] = &[
    function(
        "step",
        "step()",
        "The number of the step, as `u32`. It starts at 0 in each `run.traverse`, and at the first `run.advance`. \
         `run.set_step(n)` sets it.",
    )
    .example(RowExample::Value("step()", "0")),
    function(
        "activate",
        "activate(dst);",
        "Makes a vertex active in the next step. Activating it again has no further effect. The call is a statement \
         and has no value.",
    )
    .allowed("kernels other than `priority`; in a `gather`, the block after the reduction")
    .refused("the host can call a `#[gts_fn]` outside a pass, and a `priority` changes nothing")
    .example(RowExample::Scan("if a.weight[e] > 1 {\n    activate(dst);\n}")),
    function("num_vertices", "num_vertices()", "The number of vertices of the graph, as `u64`.")
        .example(RowExample::Value("num_vertices() > v as u64", "true")),
    function(
        "num_edges",
        "num_edges()",
        "The number of edges of the graph, as `u64`. In a symmetric graph, each direction counts.",
    )
    .example(RowExample::Value("v.out_degree() <= num_edges()", "true")),
    function(
        "Vertex::new",
        "Vertex::new(n)",
        "The vertex with the dense number `n`, an integer or a `VertexId`. A number that is not a vertex of the graph \
         is a fault.",
    )
    .example(RowExample::Value("Vertex::new(v as u64) == v", "true")),
    value(
        "UNREACHED",
        "UNREACHED",
        "The missing value: the largest value of an integer type, infinity for floats, and an invalid vertex number \
         for `VertexId`. The context determines its type. Integers that may be missing need a guard before \
         arithmetic.",
    )
    .refused("`bool`, `Vertex` and `Edge` have no missing value")
    .example(RowExample::Vertex("if a.level[v] == UNREACHED {\n    a.level[v] = 0;\n}")),
    value("MAX", "u32::MAX", "The largest value of an integer type, or the largest finite value of a float type.")
        .on(OperandTypes::Number)
        .example(RowExample::Value("u8::MAX", "255")),
    value("MIN", "i32::MIN", "The smallest value of an integer type, or the smallest finite value of a float type.")
        .on(OperandTypes::Number)
        .example(RowExample::Value("u8::MIN", "0")),
    value("INFINITY", "f32::INFINITY", "Infinity.")
        .on(OperandTypes::Float)
        .example(RowExample::Value("f32::INFINITY > f32::MAX", "true")),
    value("NEG_INFINITY", "f64::NEG_INFINITY", "Negative infinity.")
        .on(OperandTypes::Float)
        .example(RowExample::Value("f64::NEG_INFINITY < f64::MIN", "true")),
    value(
        "integer literal",
        "1, 0x1f, 7u64",
        "An integer. Its suffix or its context determines its type. If neither does, the error suggests writing the \
         type.",
    )
    .refused("a number that its type cannot hold is refused")
    .example(RowExample::Value("0x1fu32 + 1", "32")),
    value("float literal", "1.0, 2e-3, 1.5f64", "A float. Its suffix or its context determines its type.")
        .refused("an integer literal is not a float: write `1.0`, or `1 as T` in a generic kernel")
        .example(RowExample::Value("1.5f64 + 0.5", "2.0")),
    value("bool literal", "true, false", "The two values of `bool`.").example(RowExample::Value("!false", "true")),
];
