//! Types.

use super::{LanguageKind, LanguageRow, RowExample};

const fn number(name: &'static str, meaning: &'static str, example: RowExample) -> LanguageRow {
    LanguageRow::new(LanguageKind::Type, name, name, meaning).example(example)
}

pub(super) const ROWS: &[LanguageRow] = &[
    number("u8", "An unsigned integer of 8 bits.", RowExample::Value("u8::MAX", "255"))
        .gpu("an atomic update acts on the 32-bit word that contains the value"),
    number("u16", "An unsigned integer of 16 bits.", RowExample::Value("u16::MAX", "65535"))
        .gpu("an atomic update acts on the 32-bit word that contains the value"),
    number(
        "u32",
        "An unsigned integer of 32 bits. It is the default type of array indices, loop counters and shift amounts.",
        RowExample::Value("u32::MAX", "4294967295"),
    ),
    number(
        "u64",
        "An unsigned integer of 64 bits. Numbers of vertices and edges have this type.",
        RowExample::Value("u64::MAX >> 63", "1"),
    ),
    number("i32", "A signed integer of 32 bits.", RowExample::Value("i32::MIN", "-2147483648")),
    number("i64", "A signed integer of 64 bits.", RowExample::Value("i64::MIN >> 63", "-1")),
    number(
        "f32",
        "A float of 32 bits. Operations round as in IEEE 754. There is no fused multiply-add.",
        RowExample::Value("16777216.0f32 + 1.0", "16777216.0"),
    ),
    number(
        "f64",
        "A float of 64 bits. Operations round as in IEEE 754. There is no fused multiply-add.",
        RowExample::Value("0.1f64 + 0.2 != 0.3", "true"),
    ),
    number("bool", "`true` or `false`. It has no `UNREACHED`.", RowExample::Value("true as u32", "1")),
    number(
        "VertexId",
        "A vertex as a stored value, such as a parent or a label. A `VertexId` can be compared with a vertex, can \
         index an attribute, and may be `UNREACHED`. Kernels see dense numbers; `run.take` returns original IDs.",
        RowExample::Vertex("if a.parent[v] != UNREACHED {\n    a.level[a.parent[v]] = 0;\n}"),
    )
    .gpu("4 bytes on graphs with fewer than 2^32 vertices, otherwise 8")
    .refused("arithmetic needs a number: write `x as u64`"),
    LanguageRow::new(
        LanguageKind::Type,
        "array",
        "[u32; 4]",
        "A fixed number of elements of one plain type. `a.x[i]` is an element of a param, `a.x[v][i]` is an element \
         of an attribute at a vertex, and `x[i]` is an element of a local. An index out of range is a fault.",
    )
    .allowed("`#[wa]`, `#[ra]`, `#[param]` and `#[global]` fields, and locals")
    .refused("the length is a literal, because a macro cannot read the value of a constant; elements cannot be arrays")
    .example(RowExample::Vertex(
        "let mut counts = [0u32; 4];
counts[(v as u64 % 4) as u32] += 1;
for i in 0..4 {
    a.classes[v][i] = counts[i];
}",
    )),
    LanguageRow::new(
        LanguageKind::Type,
        "Vertex",
        "src: Vertex",
        "A vertex of the graph: a parameter of the kernel, a local, or `Vertex::new(n)`. It converts to a `VertexId` \
         where one is expected. `v as u64` is its dense number.",
    )
    .allowed("parameters of kernels and `#[gts_fn]`s, and locals")
    .refused("attributes store a `VertexId`; arithmetic needs a number: write `v as u64`")
    .example(RowExample::Scan("let next = dst;\nif next != src {\n    a.parent[next] = src;\n}")),
    LanguageRow::new(
        LanguageKind::Type,
        "Edge",
        "e: Edge",
        "The edge for which a kernel runs. It is the index of `#[edge]` and `per = edge` values, and can be the key \
         of random numbers. It has a `position`.",
    )
    .allowed("the last parameter of `scan`, `traverse` and `intersect` kernels, and of closures in reductions")
    .example(RowExample::Scan("a.count[dst] += a.weight[e] as u64;")),
    LanguageRow::new(
        LanguageKind::Type,
        "T",
        "#[gts_attributes(T = f32 | u32)]",
        "The type parameter of a struct and of its kernels: one of the listed types. The macro generates a kernel per \
         listed type. In each of these kernels, `x as T`, `T::MAX` and `UNREACHED` use the type of that kernel.",
    )
    .allowed("fields, locals, casts and the type of a `priority`")
    .refused("a kernel has no other type parameters, bounds or `where` clauses, and `#[gts_fn]`s are not generic")
    .example(RowExample::Items(
        "#[gts_attributes(T = f32 | u64)]
pub struct Scaled<T> {
    #[wa(init = UNREACHED, merge = min)]
    pub value: T,
}

#[gts_kernel(vertex)]
fn double<T>(scaled: &mut Scaled<T>, v: Vertex) {
    scaled.value[v] = 2 as T * (v as u64 as T);
}",
    )),
];
