//! The macros, and the items that they make.

use super::{LanguageKind, LanguageRow, RowExample};

const fn item(name: &'static str, syntax: &'static str, meaning: &'static str) -> LanguageRow {
    LanguageRow::new(LanguageKind::Item, name, syntax, meaning)
}

pub(super) const ROWS: &[LanguageRow] = &[
    item(
        "gts_attributes",
        "#[gts_attributes]\npub struct Bfs { .. }\n\n#[gts_attributes(T = f32 | f64)]\npub struct PageRank<T> { .. }",
        "Makes an attribute struct. Each field has a kind, such as `#[wa(..)]`. A field's type is that of one value, \
         although the graph has a value per vertex, per edge or per pass. A struct may have one type parameter. The \
         macro lists the types that can replace the parameter.",
    )
    .refused(
        "a macro sees one item at a time, so `#[cfg]` on a field is refused: write two structs, each under its own \
         `#[cfg]`",
    )
    .example(RowExample::Items(
        "#[gts_attributes(T = f32 | u32)]
pub struct Paths<T> {
    #[wa(init = UNREACHED, merge = min)]
    pub distance: T,
    #[edge]
    pub weight: T,
}

#[gts_kernel(traverse)]
fn relax<T>(paths: &mut Paths<T>, src: Vertex, dst: Vertex, e: Edge) {
    let through = paths.distance[src].saturating_add(paths.weight[e]);
    if paths.distance[dst].fetch_min(through) > through {
        activate(dst);
    }
}",
    )),
    item(
        "gts_kernel",
        "#[gts_kernel(KIND)]\nfn name(a: &mut Struct, ..) { .. }",
        "Makes a kernel: the body of a loop over edges or vertices. From this body, the macro generates native Rust, \
         CUDA C and a description for the planner. The host passes the kernel by name, as in `run.scan(name)`.",
    )
    .refused(
        "a kernel is a plain function: it is not `const`, `async`, `unsafe` or `extern`, and has no `where` clause",
    ),
    item(
        "gts_fn",
        "#[gts_fn]\nfn name(x: u32, v: Vertex) -> u64 { .. }",
        "Makes a function that kernels and other `#[gts_fn]`s can call, also from other modules and crates. Its \
         parameters and its result are plain values. A parameter may also be a `Vertex`. The host can call the \
         function, too.",
    )
    .allowed("bodies of kernels and of other `#[gts_fn]`s; no recursion")
    .refused(
        "`step`, `activate`, degrees, random numbers and attributes belong to a pass, and the host can call the \
         function outside a pass",
    )
    .example(RowExample::Items(
        "#[gts_fn]
fn mixed(x: u64) -> u64 {
    let x = x.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x ^ x >> 32
}

#[gts_kernel(vertex)]
fn label(a: &mut Shared, v: Vertex) {
    a.count[v] = mixed(v as u64);
}",
    )),
    item(
        "gts_const",
        "#[gts_const]\nconst LIMIT: u32 = 3;",
        "Makes a constant that kernels, `#[gts_fn]`s and other constants can use, also from other modules and crates. \
         Its value consists of literals, operators, casts and other constants.",
    )
    .refused("a macro cannot read the value of a plain `const`")
    .example(RowExample::Items(
        "#[gts_const]
const LIMIT: u32 = 1 << 4;

#[gts_kernel(vertex)]
fn mark(a: &mut Shared, v: Vertex) {
    a.bits[v] |= LIMIT;
}",
    )),
    item(
        "crate",
        "#[gts_kernel(scan, crate = path)]",
        "The path of the runtime in generated code. The default is `gts_graph`. Set another path if a crate depends \
         on GTS under another name, or through a crate that re-exports it.",
    )
    .allowed("`#[gts_attributes]`, `#[gts_kernel]`, `#[gts_fn]` and `#[gts_const]`")
    .example(RowExample::Items(
        "#[gts_kernel(scan, crate = gts_graph)]
fn count(a: &mut Shared, src: Vertex, dst: Vertex) {
    a.count[dst] += 1;
}",
    )),
];
