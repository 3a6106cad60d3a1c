//! Forms of guards: conditions that exclude missing values, and conditions that devices evaluate early.

use super::{LanguageKind, LanguageRow, RowExample};

const fn guard(name: &'static str, syntax: &'static str, meaning: &'static str, body: &'static str) -> LanguageRow {
    LanguageRow::new(LanguageKind::Guard, name, syntax, meaning).example(RowExample::Scan(body))
}

pub(super) const ROWS: &[LanguageRow] = &[
    guard(
        "comparison with UNREACHED",
        "if a.level[src] != UNREACHED { .. }",
        "Within the block, the value at this place is a number. The comparison names the same place or the same local.",
        "if a.level[src] != UNREACHED {\n    a.level[dst].fetch_min(a.level[src] + 1);\n}",
    ),
    guard(
        "comparison that the largest value fails",
        "if a.level[src] < a.level[dst] { .. }",
        "Any comparison that is false for the largest integer excludes it: `<` with any value, `<=` and `==` with a \
         number, `!=` with the largest value.",
        "if a.level[src] < a.level[dst] {\n    a.level[dst].fetch_min(a.level[src] + 1);\n}",
    ),
    guard(
        "early return",
        "if a.level[src] == UNREACHED { return; }",
        "After the statement, the value at this place is a number. `continue` and `break` do the same in a loop.",
        "if a.level[src] == UNREACHED {\n    return;\n}\na.level[dst].fetch_min(a.level[src] + 1);",
    ),
    guard(
        "guarded local",
        "let d = a.level[src];",
        "A local holds the value once: compare the local, and compute with it.",
        "let d = a.level[src];\nif d != UNREACHED && d < 9 {\n    a.level[dst].fetch_min(d + 1);\n}",
    ),
    guard(
        "saturating arithmetic",
        "a.level[src].saturating_add(1)",
        "`saturating_add` and `saturating_mul` need no guard: a missing value stays missing.",
        "a.level[dst].fetch_min(a.level[src].saturating_add(1));",
    ),
    LanguageRow::new(
        LanguageKind::Guard,
        "source of a traversal",
        "a.level[src] + 1",
        "In a `traverse`, `src` needs no guard: a vertex is active because it has a value.",
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
        "A condition on `src` alone is evaluated once per visit of `src`, before its edges. `gts show` prints it.",
        "if a.bits[src] == 0 {\n    return;\n}\na.count[dst] += 1;",
    ),
    LanguageRow::new(
        LanguageKind::Guard,
        "target guard",
        "if a.level[dst] == UNREACHED { a.level[dst] = step() + 1; }",
        "A condition on `dst` that the body's own store makes false. It may read what other threads write, because \
         all of them store the same value. A traversal that pulls stops at the first edge that passes.",
    )
    .refused("a count under such a guard is refused: several edges may pass before one of them stores")
    .example(RowExample::Traverse(
        "if a.level[dst] == UNREACHED {
    a.level[dst] = step() + 1;
    activate(dst);
}",
    )),
];
