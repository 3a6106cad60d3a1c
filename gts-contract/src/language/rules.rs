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
        "A body has the meaning of the same text in Rust with overflow checks. If Rust would panic, the run ends with \
         a fault in every build, on every device and under every plan. The only exceptions are the rules `sums`, \
         `floats` and `memory`.",
    ),
    rule(
        "arithmetic",
        "x + y",
        "These are faults: a result of `+`, `-`, `*`, negation or `abs` that its integer type cannot hold, `/` and \
         `%` by zero or of the smallest integer by -1, a shift by the width of the type or more, an index out of \
         range, and a number that is not a vertex. The methods `wrapping_*` and `saturating_*` never fault. `as` and \
         float operations never fault.",
    )
    .gpu("a check is a comparison and a branch; the macro removes checks that cannot fail")
    .example(RowExample::Fault("a.signed[v] / (a.level[v].count_ones() as i32 - 32)")),
    rule(
        "fault",
        "Error::Fault",
        "A fault reports the cause, the line and column, the value, and the original IDs of the vertex or edge. An \
         expression faults only if the text would evaluate it, whatever a device computes in advance. The run ends, \
         and the pass may have stored some of its values.",
    )
    .example(RowExample::Fault("a.classes[v][v.id() as u64 + 4]")),
    rule(
        "order of faults",
        "Error::Fault",
        "If several expressions fault in a pass, the run reports the first one in the source, by line and then by \
         column. If this expression faults at several vertices or edges, the run reports the smallest `src` or `v`, \
         then the smallest `dst`, by dense number. An ordered kernel therefore reports the same fault under every \
         plan.",
    )
    .refused("in a monotone kernel, a fault may occur in one order of the threads and not in another"),
    rule(
        "sums",
        "a.count[dst] += x;",
        "A total that an integer attribute cannot hold is a fault at the line of an update. Partial sums, such as \
         those in registers, may exceed the type. The fault names one of the affected vertices. If a device adds in \
         registers, the fault names the line of the first update. If a kernel adds terms of both signs to an \
         attribute, the sums wrap around, and only checked mode checks them. With `merge = wrapping_sum`, all sums \
         wrap around. The sum in a global is exact, and `run.global` returns an error if the type cannot hold it. \
         The reduction `sum` is exact, too: a total that its type cannot hold is a fault.",
    )
    .gpu("if totals may exceed their type, the pass runs a second program, which checks them"),
    rule(
        "checked mode",
        "Engine::builder().checked(true)",
        "With `checked(true)` or `gts run --checked`, a pass also ends with a fault if a body stores or merges a NaN, \
         or if a sum of terms of both signs leaves the range of its type at any time. All other checks are always on.",
    )
    .gpu("if devices add up parts of the totals, not all of them check sums of terms of both signs"),
    rule(
        "floats",
        "x + y",
        "Every float operation rounds its result as in IEEE 754. There is no fused multiply-add. `sqrt` and `/` are \
         correctly rounded. `min`, `max`, `fetch_min` and `fetch_max` prefer numbers to NaN.",
    )
    .gpu("`exp`, `ln`, `powf`, `powi`, `sin` and `cos` may differ in the last bits"),
    rule(
        "missing values",
        "UNREACHED",
        "An integer or `VertexId` attribute begins without a value if its `init` is `UNREACHED`. This also applies if \
         `init` is the largest value of the type and the merge is `min` or `any`. Arithmetic on its values (`+`, `-`, \
         `*`, `/`, `%`) is refused unless a guard on the same path excludes `UNREACHED`. The check follows values \
         through locals, casts and `#[gts_fn]`s. Copies, comparisons and `fetch_min` need no guard. Values at `src` \
         of a `traverse` need none either: if arithmetic uses such a value and it is `UNREACHED`, the run ends with a \
         fault.",
    )
    .refused("the missing value is the largest integer, so adding 1 to it would be a fault")
    .example(RowExample::Scan("if a.level[src] != UNREACHED {\n    a.level[dst].fetch_min(a.level[src] + 1);\n}")),
    rule(
        "memory",
        "a.level[dst]",
        "In a kernel for edges, a read of a `#[wa]` returns the value from before the step, or a value that the \
         kernel wrote there in this step. A device may read values at `src` only once per visit to `src` and its \
         edges. A kernel sees all writes of the kernels that ran before it.",
    ),
    rule(
        "steps",
        "activate(dst);",
        "An activated vertex is active in the next step, and in no other. `run.advance`, `run.traverse`, \
         `run.apply_active` and `run.gather_active` run for the active vertices. After each step of `run.advance` and \
         `run.traverse`, and after any other pass whose kernel activates vertices, the activated vertices replace the \
         active ones.",
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
        "Operands are evaluated from left to right. One expression cannot contain an update and another access to \
         attributes: bind the first with `let`.",
    )
    .refused("C evaluates operands in any order, so the result could differ from Rust's")
    .example(RowExample::Vertex("let old = a.count[v].fetch_add(1);\na.level[v] = (old + a.count[v]) as u32;")),
    rule(
        "types",
        "let x: u32 = 1;",
        "Types are inferred from both sides. The only implicit conversion is from a `Vertex` to a `VertexId`. If the \
         type of a local or a literal remains unknown, the error suggests writing it. rustc checks the inferred \
         types.",
    )
    .example(RowExample::Vertex("let mut x: u64 = 1;\nx += v.out_degree();\na.count[v] = x;")),
    rule(
        "names",
        "let level = a.level[v];",
        "A body can use its parameters and locals, attributes that are visible in its module, built-ins, `#[gts_fn]`s \
         and `#[gts_const]`s. It can also name functions and constants by path. Write types by their own names, not \
         by an alias.",
    )
    .refused("names of built-ins, such as `step`, and names that begin with `gts_` are reserved")
    .example(RowExample::Vertex("let level = a.level[v];\nif level == UNREACHED {\n    activate(v);\n}")),
    class(
        "ordered",
        "gts show ALGORITHM",
        "Reads of values that the kernel's other threads write have the same result in every order of the threads. \
         Reads in a target guard are an example. The results of the kernel are the same after every step, on every \
         device and under every plan.",
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
        "The kernel reads attributes that it writes only by `min`, `max`, `or` or `and`, so their values move in one \
         direction. Its results at the fixpoint are the same on every device. Results of earlier steps may differ.",
    )
    .refused(
        "`step()` and random numbers, conditions that hold only for a while, values that move against the merge, \
         counts and plain stores would make the results depend on the order of the threads",
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
        "The results may depend on the order of the threads. Such a kernel does not compile without the setting \
         `racy`. The error names the read or the write that depends on the order.",
    ),
    class(
        "replicable",
        "gts show ALGORITHM",
        "The kernel writes each attribute by its merge (for `any`, by a plain store), or by a store under a target \
         guard. It uses old values only in comparisons, such as with the new value. Such a kernel can run on several \
         replicas of the attributes, which are merged after the pass: under Strategy-P, and on CPU and GPUs together.",
    )
    .refused("a plain store on one replica, or an old value from it, may not be valid for the others"),
    class(
        "splittable",
        "gts show ALGORITHM",
        "The kernel reads attributes at `src`, reads and writes them at `dst` or `v`, and computes no vertices. Such \
         a kernel can run on attributes that are divided into parts: under Strategy-S.",
    )
    .refused("a computed vertex, or a vertex stored in an attribute, may be in a part that is not available"),
];
