//! Statements.

use super::{LanguageKind, LanguageRow, RowExample};

const fn statement(
    name: &'static str,
    syntax: &'static str,
    meaning: &'static str,
    example: RowExample,
) -> LanguageRow {
    LanguageRow::new(LanguageKind::Statement, name, syntax, meaning).example(example)
}

pub(super) const ROWS: &[LanguageRow] = &[
    statement(
        "let",
        "let x = 3u32;\nlet mut x: u32 = 3;",
        "Binds a local. Its type is inferred from its value and its uses. A `let mut` local can be assigned.",
        RowExample::Vertex("let double = 2 * a.count[v];\na.count[v] = double;"),
    )
    .refused("a local has a plain name and a value: there are no patterns, no `let x;` and no `let .. else`"),
    statement(
        "assignment",
        "x = y;\nx[i] = y;",
        "Stores a value in a `let mut` local, or in an element of such a local.",
        RowExample::Vertex("let mut most = [0u32; 2];\nmost[1] = 3;\na.level[v] = most[1];"),
    )
    .refused("an assignment has no value: it is a statement on its own"),
    statement(
        "compound assignment",
        "x += y;",
        "Stores `x + y` in the local `x`. Every arithmetic and bit operator has this form, and faults as it does \
         elsewhere. On an attribute, `+=`, `-=`, `&=`, `|=` and `^=` are atomic updates.",
        RowExample::Vertex("let mut x = 3u32;\nx += 4;\nx <<= 1;\na.level[v] = x;"),
    ),
    statement(
        "assert!",
        "assert!(condition);\nassert!(condition, value);",
        "Ends the run with an error if the condition is false. The error contains the line, the value, and the \
         original IDs of the vertex or edge. The value is evaluated only if the assertion fails.",
        RowExample::Vertex("assert!(a.small[v] == 200, a.small[v]);\na.small[v] = 255 - a.small[v];"),
    )
    .refused("the value must be a number, a `bool` or a vertex, and must not contain an update"),
    statement(
        "store",
        "a.level[dst] = x;",
        "Stores a value in an attribute. A `vertex` kernel and the block of a `gather` may store any value at `v`. \
         Other stores need a value that is the same for every edge that could store there, unless the attribute \
         merges by `any`.",
        RowExample::Traverse("if a.level[dst] == UNREACHED {\n    a.level[dst] = step() + 1;\n}"),
    )
    .refused("other threads may store different values at the same vertex; an update by the merge has no such race"),
    statement(
        "update",
        "a.count[dst] += x;",
        "An atomic update of an attribute or a global by its merge. `a.count[dst].fetch_add(x);` means the same.",
        RowExample::Scan("a.count[dst] += a.weight[e] as u64;\na.total += 1;"),
    ),
    statement(
        "if",
        "if c { .. } else if d { .. } else { .. }",
        "Runs one of the blocks. An `if` that is used as a value has an `else`, and both blocks end with values of \
         one type.",
        RowExample::Scan("let far = if a.weight[e] > 3 { 2 } else { 1 };\na.count[dst] += far;"),
    )
    .refused("an `if` without `else` has no value; there is no `if let`, because there are no patterns"),
    statement(
        "while",
        "while c { .. }",
        "Repeats a block as long as the condition holds.",
        RowExample::Vertex("let mut x = a.count[v];\nwhile x > 3 {\n    x /= 2;\n}\na.count[v] = x;"),
    ),
    statement(
        "loop",
        "loop { .. }",
        "Repeats a block until `break` or `return`.",
        RowExample::Vertex(
            "let mut x = v as u64;
loop {
    if x < 3 {
        break;
    }
    x /= 2;
}
a.count[v] = x;",
        ),
    )
    .refused("a loop has no label and no value"),
    statement(
        "for",
        "for i in 0..n { .. }\nfor i in 0..=n { .. }",
        "Runs a block for each integer of a range. Both ends are evaluated once, before the loop.",
        RowExample::Vertex("for i in 0..4 {\n    a.classes[v][i] = i;\n}"),
    )
    .refused("there are no iterators: index an array with the counter"),
    statement(
        "break",
        "break;",
        "Leaves the innermost loop.",
        RowExample::Vertex(
            "for i in 0..4u32 {
    if a.classes[v][i] == 0 {
        a.level[v] = i;
        break;
    }
}",
        ),
    )
    .allowed("loops")
    .refused("`break` has no value and no label; `return` ends the body for this edge or vertex"),
    statement(
        "continue",
        "continue;",
        "Starts the next iteration of the innermost loop.",
        RowExample::Vertex(
            "for i in 0..4u32 {
    if i == 2 {
        continue;
    }
    a.classes[v][i] = 1;
}",
        ),
    )
    .allowed("loops"),
    statement(
        "return",
        "return;\nreturn x;",
        "Ends the body for this edge or vertex. In a `#[gts_fn]`, it returns the function's value.",
        RowExample::Scan("if src == dst {\n    return;\n}\na.count[dst] += 1;"),
    )
    .refused("a kernel returns no value; the value of a `priority` is its last expression"),
    statement(
        "block",
        "{ .. }",
        "Opens a scope. In a `let` or at the end of a `#[gts_fn]`, the last expression of the block is its value.",
        RowExample::Vertex("let x = {\n    let half = v as u64 / 2;\n    half + 1\n};\na.count[v] = x;"),
    ),
    statement(
        "comment",
        "// text",
        "A comment. Statements may have the attributes `#[allow(..)]` and `#[expect(..)]`.",
        RowExample::Scan("// Parallel edges count each.\na.count[dst] += 1;"),
    )
    .refused(
        "`///` is an attribute of the next statement, and a body has no other attributes; `#[cfg]` would have no \
         effect on the CUDA C",
    ),
];
