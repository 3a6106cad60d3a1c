//! Forms of guards: conditions that exclude missing values, and conditions that devices evaluate early.

use super::{LanguageKind, LanguageRow, RowExample};

const fn guard(name: &'static str, syntax: &'static str, meaning: &'static str, body: &'static str) -> LanguageRow {
    LanguageRow::new(LanguageKind::Guard, name, syntax, meaning).example(RowExample::Scan(body))
}

pub(super) const ROWS: &[LanguageRow] = &[
    guard(
        "comparison with UNREACHED",
        "if a.level[src] != UNREACHED { .. }",
        "Inside the block, the compared value is a number. The arithmetic must use the same attribute at the same \
         vertex, or the same local.",
        "if a.level[src] != UNREACHED {\n    a.level[dst].fetch_min(a.level[src] + 1);\n}",
    ),
    guard(
        "comparison that the largest value fails",
        "if a.level[src] < a.level[dst] { .. }",
        "A comparison that is false for the largest integer excludes `UNREACHED`: `<` with any value, `<=` and `==` \
         with a value that is not missing, and `!=` with the largest value.",
        "if a.level[src] < a.level[dst] {\n    a.level[dst].fetch_min(a.level[src] + 1);\n}",
    ),
    guard(
        "early return",
        "if a.level[src] == UNREACHED { return; }",
        "After the statement, the compared value is a number. In a loop, `continue` and `break` have the same effect.",
        "if a.level[src] == UNREACHED {\n    return;\n}\na.level[dst].fetch_min(a.level[src] + 1);",
    ),
    guard(
        "guarded local",
        "let d = a.level[src];",
        "Read the value once into a local. Compare the local, then compute with it.",
        "let d = a.level[src];\nif d != UNREACHED && d < 9 {\n    a.level[dst].fetch_min(d + 1);\n}",
    ),
    guard(
        "saturating arithmetic",
        "a.level[src].saturating_add(1)",
        "`saturating_add` and `saturating_mul` need no guard. A missing value stays missing if a non-negative number \
         is added, or if it is multiplied by a positive number.",
        "a.level[dst].fetch_min(a.level[src].saturating_add(1));",
    ),
    LanguageRow::new(
        LanguageKind::Guard,
        "source of a traversal",
        "a.level[src] + 1",
        "In a `traverse`, values at `src` need no guard, because an active vertex has a value. If arithmetic uses a \
         missing value at `src`, the run ends with a fault.",
    )
    .allowed("`traverse` kernels")
    .example(RowExample::Traverse(
        "let through = a.level[src] + 1;
if a.level[dst].fetch_min(through) > through {
    activate(dst);
}",
    )),
    guard(
        "source guard",
        "if a.level[src] == step() { .. }",
        "A condition on `src` alone is evaluated once per visit to `src`, before its edges. `gts show` prints the \
         condition.",
        "if a.bits[src] == 0 {\n    return;\n}\na.count[dst] += 1;",
    ),
    LanguageRow::new(
        LanguageKind::Guard,
        "target guard",
        "if a.level[dst] == UNREACHED { a.level[dst] = step() + 1; }",
        "A condition on `dst` that becomes false when the body stores at `dst`. It may read a value that other \
         threads write, because all edges that pass have the same effect. A traversal that pulls stops at the first \
         edge that passes.",
    )
    .refused("a count under such a guard is refused: several edges may pass before one of them stores")
    .example(RowExample::Traverse(
        "if a.level[dst] == UNREACHED {
    a.level[dst] = step() + 1;
    activate(dst);
}",
    )),
];
