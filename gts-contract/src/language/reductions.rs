//! Reductions of neighbours, in `gather` kernels.

use super::OperandTypes::{Condition, Countable, Integer, Number, NumberOrId};
use super::{LanguageKind, LanguageRow, OperandTypes, RowExample};

const fn reduction(
    name: &'static str,
    syntax: &'static str,
    operands: OperandTypes,
    meaning: &'static str,
    body: &'static str,
) -> LanguageRow {
    LanguageRow::new(LanguageKind::Reduction, name, syntax, meaning)
        .on(operands)
        .allowed("one `let` in the body of a `gather` kernel")
        .refused(ELSEWHERE)
        .example(RowExample::Gather(body))
}

const ELSEWHERE: &str = "only a `gather` kernel can access the neighbours of a vertex; a `scan` runs for every edge";

pub(super) const ROWS: &[LanguageRow] = &[
    LanguageRow::new(
        LanguageKind::Reduction,
        "neighbors",
        "let x = v.neighbors().sum(|dst| ..);",
        "The neighbours of the kernel's vertex. A reduction must follow. A neighbour occurs once per parallel edge. \
         With `gather(both)`, a neighbour in both directions occurs twice. `|dst, e|` also names the edge, to read \
         its `#[edge]` value.",
    )
    .on(OperandTypes::Vertex)
    .allowed("one `let` in the body of a `gather` kernel")
    .refused(ELSEWHERE)
    .example(RowExample::Gather(
        "let total = v.neighbors().sum(|dst, e| a.count[dst] * a.weight[e] as u64);
a.count[v] = total;",
    )),
    LanguageRow::new(
        LanguageKind::Reduction,
        "filter",
        "v.neighbors().filter(|dst| c).count(|dst| d)",
        "Skips neighbours for which the condition is false. Both closures use the same name for the neighbour, and \
         change nothing.",
    )
    .on(Condition)
    .allowed("between `neighbors()` and a reduction, once")
    .refused(ELSEWHERE)
    .example(RowExample::Gather(
        "let some = v.neighbors().filter(|dst| dst != v).any(|dst| a.level[dst] == 0);\nif some {\n    activate(v);\n}",
    )),
    reduction(
        "sum",
        ".sum(|dst| x)",
        Number,
        "The sum; 0 without neighbours. An integer total that its type cannot hold is a fault. Floats are added in \
         any order.",
        "let total = v.neighbors().sum(|dst| a.count[dst]);\na.count[v] = total;",
    ),
    reduction(
        "min",
        ".min(|dst| x)",
        NumberOrId,
        "The smallest value. Without neighbours, it is `UNREACHED`, the largest value of the type.",
        "let least = v.neighbors().min(|dst| a.level[dst]);\na.level[v] = least;",
    ),
    reduction(
        "max",
        ".max(|dst| x)",
        Number,
        "The largest value. Without neighbours, it is the smallest value of the type.",
        "let most = v.neighbors().max(|dst| a.count[dst]);\na.count[v] = most;",
    ),
    reduction(
        "or",
        ".or(|dst| x)",
        Integer,
        "The bits of all values, combined by `|`; 0 without neighbours.",
        "let set = v.neighbors().or(|dst| a.bits[dst]);\na.bits[v] = set;",
    ),
    reduction(
        "and",
        ".and(|dst| x)",
        Integer,
        "The bits of all values, combined by `&`; all ones without neighbours.",
        "let shared = v.neighbors().and(|dst| a.bits[dst]);\na.bits[v] = shared;",
    ),
    reduction(
        "any",
        ".any(|dst| c)",
        Condition,
        "Whether the condition holds for at least one neighbour; `false` without neighbours. Stops at the first such \
         neighbour.",
        "let near = v.neighbors().any(|dst| a.level[dst] == 0);\na.holds[v] = near;",
    ),
    reduction(
        "all",
        ".all(|dst| c)",
        Condition,
        "Whether the condition holds for every neighbour; `true` without neighbours. Stops at the first neighbour for \
         which it is false.",
        "let alone = v.neighbors().all(|dst| a.level[dst] != 0);\na.holds[v] = alone;",
    ),
    reduction(
        "count",
        ".count(|dst| c)",
        Condition,
        "The number of neighbours for which the condition holds, as `u64`.",
        "let taken = v.neighbors().count(|dst| a.holds[dst]);\na.count[v] = taken;",
    ),
    reduction(
        "argmin",
        ".argmin(|dst| x)",
        NumberOrId,
        "The neighbour with the smallest value, as `VertexId`. If several have this value, the one with the smallest \
         dense number. `UNREACHED` without neighbours.",
        "let nearest = v.neighbors().argmin(|dst| a.level[dst]);\na.parent[v] = nearest;",
    ),
    reduction(
        "argmax",
        ".argmax(|dst| x)",
        Number,
        "The neighbour with the largest value, as `VertexId`. If several have this value, the one with the smallest \
         dense number. `UNREACHED` without neighbours.",
        "let largest = v.neighbors().argmax(|dst| a.count[dst]);\na.parent[v] = largest;",
    ),
    reduction(
        "mode",
        ".mode(|dst| x)",
        Countable,
        "The most frequent value. If several are equally frequent, the smallest of them. `UNREACHED` without \
         neighbours. One device counts the values of all vertices.",
        "let common = v.neighbors().mode(|dst| a.level[dst]);\na.level[v] = common;",
    )
    .gpu(
        "tables of values need device memory; the free memory limits the number of vertices that are counted at the \
         same time",
    ),
];
