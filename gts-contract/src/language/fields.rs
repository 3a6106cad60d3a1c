//! Kinds of fields in an attribute struct, their settings, and merges.

use super::OperandTypes::{Anything, Bits, Number, NumberOrId};
use super::{LanguageKind, LanguageRow, OperandTypes, RowExample};

const fn field(name: &'static str, syntax: &'static str, meaning: &'static str, example: RowExample) -> LanguageRow {
    LanguageRow::new(LanguageKind::Field, name, syntax, meaning).example(example)
}

const fn setting(name: &'static str, syntax: &'static str, meaning: &'static str) -> LanguageRow {
    LanguageRow::new(LanguageKind::FieldSetting, name, syntax, meaning)
}

const fn merge(
    name: &'static str,
    operands: OperandTypes,
    meaning: &'static str,
    (written, body): (&'static str, &'static str),
) -> LanguageRow {
    LanguageRow::new(LanguageKind::Merge, name, written, meaning)
        .on(operands)
        .allowed("`#[wa]` and `#[global]`")
        .example(RowExample::Scan(body))
}

pub(super) const ROWS: &[LanguageRow] = &[
    field(
        "wa",
        "#[wa(init = 0, merge = sum)]\npub count: u64,",
        "A value per vertex that kernels read and update at any vertex. It stays in device memory during a run. \
         `init` is its value before the first pass, and `merge` combines concurrent updates and replicas.",
        RowExample::Scan("a.count[dst] += 1;"),
    ),
    field(
        "ra",
        "#[ra(from = next)]\npub rank: f32,",
        "A value per vertex that kernels only read. The host writes it with `run.fill`, `run.set` and \
         `run.set_dense`; `run.rotate` moves the values of the `#[wa]` named by `from` into it.",
        RowExample::Scan("a.next[dst] += a.rank[src];"),
    )
    .allowed("at `src` of an edge kernel, at `u` of an `intersect` kernel, at `v` of other kernels")
    .refused("it is stored and streamed beside the page of its vertex, so other vertices' values are not at hand")
    .gpu("it is in device memory if it fits, and streams from host memory otherwise"),
    field(
        "edge",
        "#[edge]\npub weight: f32,",
        "A value per edge from the graph store, such as a length. Kernels read it at their own edge. The store must \
         have values of this type: nothing is cast. A struct has at most one such field, a `u32`, `i32`, `f32`, `u64` \
         or `f64`.",
        RowExample::Traverse("a.level[dst].fetch_min(a.weight[e]);"),
    )
    .allowed("`scan` and `traverse` kernels with `e: Edge`, and reductions with `|dst, e|`")
    .refused("kernels only read it, and an `intersect` kernel meets edges from pages without their values"),
    field(
        "param",
        "#[param(default = 0.85)]\npub damping: f32,",
        "A value that kernels read and the host sets with `run.set_param(A::DAMPING, 0.9)`. A pass whose kernel reads \
         a param that is neither set nor has a default returns an error.",
        RowExample::Vertex("a.next[v] = a.damping * a.next[v];"),
    )
    .refused("kernels do not write it: make it a `#[global]` to bring a value back"),
    field(
        "global",
        "#[global(merge = sum)]\npub total: u64,",
        "A value that kernels update and the host reads with `run.global(A::TOTAL)`. A pass first resets the globals \
         that its kernel updates to the identity of their merge: 0 of a sum, the largest value of a minimum. Reading \
         a global that no pass has updated yet returns an error.",
        RowExample::Vertex("if v.out_degree() == 0 {\n    a.total += 1;\n}"),
    )
    .refused("kernels do not read it, because no thread has its final value: hand it on in a `#[param]`"),
    setting(
        "init",
        "init = UNREACHED",
        "The value of a `#[wa]` before the first pass, and of each element of an array: a literal, `UNREACHED`, or a \
         limit such as `u32::MAX` or `f32::INFINITY`.",
    )
    .allowed("`#[wa]`, which requires it")
    .refused("`#[ra]` and `#[global]` begin as their `from` and `merge` say; a `VertexId` begins as `UNREACHED` or 0")
    .example(RowExample::Items(
        "#[gts_attributes]
pub struct Begun {
    #[wa(init = -1, merge = max)]
    pub lowest: i64,
    #[wa(init = f32::INFINITY, merge = min)]
    pub far: [f32; 2],
}

#[gts_kernel(vertex)]
fn keep(begun: &mut Begun, v: Vertex) {
    begun.far[v][0] = 1.0;
    begun.lowest[v] += 1;
}",
    )),
    setting(
        "merge",
        "merge = sum",
        "How concurrent updates and replicas of a value are combined: `sum`, `min`, `max`, `or`, `and` or `any`. Edge \
         kernels update the value by this operation alone.",
    )
    .allowed("`#[wa]` and `#[global]`, which require it"),
    setting(
        "per",
        "per = edge",
        "Makes a `#[wa]` a value per out-edge, a number or a `bool`. `intersect` kernels with `e: Edge` update it by \
         its merge; no kernel reads it. Of parallel edges only the first is updated. `run.take_edges` returns the \
         values, `run.fill_edges` sets them.",
    )
    .allowed("`#[wa]` with a merge other than `any`")
    .refused("`edge` is the only value: without `per`, there is a value per vertex")
    .example(RowExample::Items(
        "#[gts_attributes]
pub struct Support {
    #[wa(per = edge, init = 0, merge = sum)]
    pub triangles: u32,
}

#[gts_kernel(intersect)]
fn count(support: &mut Support, u: Vertex, v: Vertex, w: Vertex, e: Edge) {
    support.triangles[e] += 1;
}",
    )),
    setting(
        "from",
        "from = next",
        "The `#[wa]` of the same type whose values `run.rotate(A::RANK)` moves into this `#[ra]`; the `#[wa]` then \
         has its `init` again.",
    )
    .allowed("`#[ra]`; without it, only the host writes the values"),
    setting(
        "default",
        "default = 1",
        "Of an `#[edge]`, the value of every edge of a graph without edge values. Of a `#[param]`, the value until the \
         host sets one.",
    )
    .allowed("`#[edge]` and `#[param]`")
    .example(RowExample::Items(
        "#[gts_attributes]
pub struct Lengths {
    #[wa(init = 0, merge = sum)]
    pub length: u32,
    #[edge(default = 1)]
    pub weight: u32,
    #[param(default = 2)]
    pub factor: u32,
}

#[gts_kernel(scan)]
fn add(lengths: &mut Lengths, src: Vertex, dst: Vertex, e: Edge) {
    lengths.length[dst] += lengths.factor * lengths.weight[e];
}",
    )),
    merge(
        "sum",
        Number,
        "Addition, by `+=`, `-=`, `fetch_add` and `fetch_sub`. Sums of integers in a `#[wa]` wrap. \
         A sum in a `#[global]` of at most 32 bits is exact, and `run.global` fails if the type cannot hold it. Of \
         several replicas, the initial value counts once. Sums of `f32` terms of one sign have a relative error below 1e-4, however many there are.",
        ("merge = sum", "a.count[dst] += 1;"),
    )
    .gpu("sums of floats may differ in the last bits from run to run, because additions come in any order"),
    merge(
        "min",
        NumberOrId,
        "The smaller value, by `fetch_min`. Floats compare as in `total_cmp`, and a number replaces NaN.",
        ("merge = min", "a.level[dst].fetch_min(3);"),
    ),
    merge(
        "max",
        NumberOrId,
        "The larger value, by `fetch_max`. Floats compare as in `total_cmp`, and a number replaces NaN.",
        ("merge = max", "a.small[dst].fetch_max(201);"),
    ),
    merge(
        "or",
        Bits,
        "Bitwise or logical or, by `|=` and `fetch_or`. A `bool` may also be stored as `true`.",
        ("merge = or", "a.bits[dst] |= 1;"),
    ),
    merge(
        "and",
        Bits,
        "Bitwise or logical and, by `&=` and `fetch_and`. A `bool` may also be stored as `false`.",
        ("merge = and", "a.holds[dst] &= src != dst;"),
    ),
    merge(
        "any",
        Anything,
        "One of the stored values, any of them, and the same one on all replicas afterwards. Updated by `=`, `swap` \
         and `compare_exchange`. A `#[global]` is updated by `=`.",
        ("merge = any", "a.parent[dst] = src;"),
    )
    .gpu("which of the values remains may differ from run to run"),
];
