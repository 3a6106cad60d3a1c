//! Rules about the meaning of a body, and the classes of kernels.

use super::{LanguageKind, LanguageRow, RowExample};

const fn rule(name: &'static str, syntax: &'static str, meaning: &'static str) -> LanguageRow {
    LanguageRow::new(LanguageKind::Rule, name, syntax, meaning)
}

const fn class(name: &'static str, syntax: &'static str, meaning: &'static str) -> LanguageRow {
    LanguageRow::new(LanguageKind::Class, name, syntax, meaning)
}

pub(super) const ROWS: &[LanguageRow] = &[
    rule(
        "meaning",
        "the body of a kernel",
        "A body means what the same text means in Rust with overflow checks. Where Rust would panic, the run ends \
         with a fault: in every build, on every device and under every plan. The only exceptions are the rules \
         `sums`, `floats` and `memory`.",
    ),
    rule(
        "arithmetic",
        "x + y",
        "These fault: `+`, `-`, `*`, negation and `abs` of integers beyond their type, `/` and `%` by zero, a shift \
         by the width of the type or more, an index out of range, and a number that is no vertex. The methods \
         `wrapping_*` and `saturating_*` never fault. `as` and floats never fault.",
    )
    .gpu("a check is a comparison and a branch; the macro removes checks that cannot fail")
    .example(RowExample::Fault("a.signed[v] / (a.level[v].count_ones() as i32 - 32)")),
    rule(
        "fault",
        "Error::Fault",
        "A fault names what happened, the line and column, the value, and the vertex or edge by original IDs. It \
         counts only where the text would evaluate the expression, whatever a device computes in advance. The pass \
         then has stored some of its values, and the run ends.",
    )
    .example(RowExample::Fault("a.classes[v][v.id() as u64 + 4]")),
    rule(
        "order of faults",
        "Error::Fault",
        "If several expressions fault in a pass, the one that comes first in the source is reported: line, then \
         column. Of its vertices or edges it is the one with the smallest `src` or `v`, then the smallest `dst`, by \
         dense number. So an ordered kernel reports the same fault under every plan.",
    )
    .refused("in a monotone kernel, one order of threads may meet a fault that another does not"),
    rule(
        "sums",
        "a.count[dst] += x;",
        "Updates of integer attributes (`+=`, `-=`, `fetch_add`, `fetch_sub`) are not checked: they wrap, as sums in \
         globals of 64 bits do. In a smaller global the sum is exact, and `run.global` returns an error if the type \
         cannot hold it. The reduction `sum` is exact, and a total that its type cannot hold is a fault.",
    ),
    rule(
        "floats",
        "x + y",
        "Floats round as IEEE 754 does, one operation after the other: there is no fused multiply-add. `sqrt` and `/` \
         are correctly rounded. `min`, `max`, `fetch_min` and `fetch_max` prefer numbers to NaN.",
    )
    .gpu("`exp`, `ln`, `powf`, `powi`, `sin` and `cos` may differ in the last bits"),
    rule(
        "missing values",
        "UNREACHED",
        "An integer or `VertexId` attribute begins without a value if its `init` is `UNREACHED`, or if it is the \
         largest value of the type and the merge is `min` or `any`. `+`, `-`, `*`, `/` and `%` are refused on its \
         values, also through locals, casts and each `#[gts_fn]`, until a guard excludes `UNREACHED` on the same path. \
         Copies, comparisons and `fetch_min` need no guard. `src` of a `traverse` needs none either: if arithmetic \
         uses its value and the value is `UNREACHED`, the run ends with a fault.",
    )
    .refused("the missing value is the largest integer, so `+ 1` of it would be a fault on some input")
    .example(RowExample::Scan("if a.level[src] != UNREACHED {\n    a.level[dst].fetch_min(a.level[src] + 1);\n}")),
    rule(
        "memory",
        "a.level[dst]",
        "In a kernel for edges, a read of a `#[wa]` gives the value from before the step, or a value that the kernel \
         wrote there in this step. Values at `src` may be read once for a visit of `src` and its edges. Kernels that \
         are called one after the other see each other's writes.",
    ),
    rule(
        "steps",
        "activate(dst);",
        "A vertex that is activated is active in the next step, and in no other. `run.advance`, `run.traverse`, \
         `run.apply_active` and `run.gather_active` run for the active vertices. The first two, and each other pass \
         whose kernel activates vertices, replace the active vertices by the activated ones.",
    )
    .example(RowExample::Traverse(
        "if a.level[dst] == UNREACHED {
    a.level[dst] = step() + 1;
    activate(dst);
}",
    )),
    rule(
        "evaluation order",
        "f(x, y)",
        "Operands are evaluated from left to right. An update and another access to attributes do not stand in one \
         expression: bind the first with `let`.",
    )
    .refused("C evaluates operands in any order, so the result could differ from Rust's")
    .example(RowExample::Vertex("let old = a.count[v].fetch_add(1);\na.level[v] = (old + a.count[v]) as u32;")),
    rule(
        "types",
        "let x: u32 = 1;",
        "Types are inferred from both sides, and nothing is converted but a `Vertex` to a `VertexId`. If the type of \
         a local or a literal stays open, the error proposes to write it. rustc checks the inferred types.",
    )
    .example(RowExample::Vertex("let mut x: u64 = 1;\nx += v.out_degree();\na.count[v] = x;")),
    rule(
        "names",
        "let level = a.level[v];",
        "A body names its parameters and locals, attributes that its module may name, built-ins, `#[gts_fn]`s and \
         `#[gts_const]`s, the last two also by path. Types are written by their own names, not by an alias.",
    )
    .refused("a name of a built-in, such as `step`, is taken, and names that begin with `gts_` are the framework's")
    .example(RowExample::Vertex("let level = a.level[v];\nif level == UNREACHED {\n    activate(v);\n}")),
    class(
        "ordered",
        "gts show ALGORITHM",
        "The kernel reads no attribute that its other threads write, except in a guard on `dst` that its own store \
         makes false. Its results are the same after every step, on every device and under every plan.",
    )
    .example(RowExample::Traverse(
        "if a.level[dst] == UNREACHED {
    a.level[dst] = step() + 1;
    activate(dst);
}",
    )),
    class(
        "monotone",
        "gts show ALGORITHM",
        "The kernel reads what it writes, and writes it only by `min`, `max`, `or` or `and`, so values move one way. \
         Its results are the same at the fixpoint, on every device; on the way there they may differ.",
    )
    .refused(
        "`step()` and random numbers, conditions that hold only for a while, values that move against the merge, \
         counts and plain stores would show the order of the threads",
    )
    .example(RowExample::Traverse(
        "let through = a.level[src].saturating_add(a.weight[e]);
if a.level[dst].fetch_min(through) > through {
    activate(dst);
}",
    )),
    class(
        "racy",
        "#[gts_kernel(scan, racy)]",
        "The results may depend on the order of the threads. Such a kernel does not compile unless it says `racy`; the \
         error names the read or the write that depends on the order.",
    ),
    class(
        "replicable",
        "gts show ALGORITHM",
        "The kernel writes each attribute by its merge, or by a store under a target guard, and uses old values only \
         to compare them with the new one. Such a kernel runs on several replicas of the attributes, which are merged \
         after the pass: Strategy-P, and CPU and GPUs together.",
    )
    .refused("a plain store or an old value of one replica says nothing about the others"),
    class(
        "splittable",
        "gts show ALGORITHM",
        "The kernel reads attributes at `src`, reads and writes them at `dst` or `v`, and computes no vertices. Such a \
         kernel runs on attributes that are cut into parts: Strategy-S.",
    )
    .refused("a vertex that is computed, or stored in an attribute, may be in a part that is not at hand"),
];
