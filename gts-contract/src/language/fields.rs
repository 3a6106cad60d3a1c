//! Kinds of fields in an attribute struct, their settings, and merges.

use super::OperandTypes::{Anything, Bits, Integer, Number, NumberOrId};
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
         `init` is the value before the first pass. `merge` combines concurrent updates and replicas.",
        RowExample::Scan("a.count[dst] += 1;"),
    ),
    field(
        "ra",
        "#[ra(from = next)]\npub rank: f32,",
        "A value per vertex that kernels only read. The host writes it with `run.fill`, `run.set` and \
         `run.set_dense`. `run.rotate` moves the values of the `#[wa]` named by `from` into it.",
        RowExample::Scan("a.next[dst] += a.rank[src];"),
    )
    .allowed("at `src` of an edge kernel, at `u` of an `intersect` kernel, at `v` of other kernels")
    .refused("it is stored and streamed with the page of its vertex, so the values of other vertices are not available")
    .gpu("if it fits, it is in device memory; otherwise it streams from host memory"),
    field(
        "edge",
        "#[edge]\npub weight: f32,",
        "A value per edge from the graph store, such as a length. Kernels read it at the edge for which they run. The \
         store must contain values of exactly this type. A struct has at most one such field, of type `u32`, `i32`, \
         `f32`, `u64` or `f64`.",
        RowExample::Traverse("a.level[dst].fetch_min(a.weight[e]);"),
    )
    .allowed("`scan` and `traverse` kernels with `e: Edge`, and reductions with `|dst, e|`")
    .refused("kernels only read it, and an `intersect` kernel visits edges in pages without their values"),
    field(
        "param",
        "#[param(default = 0.85)]\npub damping: f32,",
        "A value that kernels read and the host sets with `run.set_param(A::DAMPING, 0.9)`. A pass returns an error \
         if its kernel reads a param that has no default and was not set.",
        RowExample::Vertex("a.next[v] = a.damping * a.next[v];"),
    )
    .refused("kernels do not write it: use a `#[global]` to return a value to the host"),
    field(
        "global",
        "#[global(merge = sum)]\npub total: u64,",
        "A value that kernels update and the host reads with `run.global(A::TOTAL)`. A pass first resets the globals \
         that its kernel updates to the identity of their merge, such as 0 for `sum`. Reading a global that no pass \
         has updated yet returns an error.",
        RowExample::Vertex("if v.out_degree() == 0 {\n    a.total += 1;\n}"),
    )
    .refused(
        "kernels do not read it, because no thread has its final value: pass it to a later kernel in a `#[param]`",
    ),
    setting(
        "init",
        "init = UNREACHED",
        "The value of a `#[wa]`, or of each element of an array, before the first pass: a literal, `UNREACHED`, or a \
         limit such as `u32::MAX` or `f32::INFINITY`.",
    )
    .allowed("`#[wa]`, which requires it")
    .refused(
        "`from` or `merge` determines the first value of an `#[ra]` or a `#[global]`; a `VertexId` starts as \
         `UNREACHED` or 0",
    )
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
        "The operation that combines concurrent updates and replicas of a value: `sum`, `min`, `max`, `or`, `and` or \
         `any`. Kernels for edges update the value only by this operation.",
    )
    .allowed("`#[wa]` and `#[global]`, which require it"),
    setting(
        "per",
        "per = edge",
        "Makes a `#[wa]` a value per out-edge, of a number type or `bool`. `intersect` kernels with `e: Edge` update \
         it by its merge. No kernel reads it. Of parallel edges, only the first is updated. `run.take_edges` returns \
         the values, and `run.fill_edges` sets them.",
    )
    .allowed("`#[wa]` with a merge other than `any`")
    .refused("`edge` is the only value of `per`; without `per`, there is a value per vertex")
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
        "The `#[wa]` of the same type whose values `run.rotate(A::RANK)` moves into this `#[ra]`. The call resets the \
         `#[wa]` to its `init`.",
    )
    .allowed("`#[ra]`; without `from`, only the host writes the values"),
    setting(
        "default",
        "default = 1",
        "For an `#[edge]`, the value of every edge if the graph has no edge values. For a `#[param]`, the value until \
         the host sets another one.",
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
        "Addition, by `+=`, `-=`, `fetch_add` and `fetch_sub`. A pass ends with an error if the type of a `#[wa]` \
         cannot hold an integer sum. Only the total must fit. Except in checked mode, the total is checked only if all \
         terms of the kernel have the same sign. `run.global` returns an error if the type of a `#[global]` cannot \
         hold the sum. Merging replicas counts the initial value only once. A sum of `f32` terms of one sign has a \
         relative error below 1e-4, whatever the number of terms.",
        ("merge = sum", "a.count[dst] += 1;"),
    )
    .gpu("sums of floats may differ in the last bits between runs, because the order of the additions varies"),
    merge(
        "wrapping_sum",
        Integer,
        "Integer addition as for `sum`, but totals wrap around at the limits of the type.",
        ("merge = wrapping_sum", ""),
    )
    .allowed("`#[wa]` of an integer type")
    .example(RowExample::Items(
        "\
#[gts_attributes]
pub struct Hashes {
    #[wa(init = 0, merge = wrapping_sum)]
    pub hash: u32,
}

#[gts_kernel(scan)]
fn mix(hashes: &mut Hashes, src: Vertex, dst: Vertex) {
    hashes.hash[dst] += (src as u64 % 65_536) as u32 * 65_537;
}",
    )),
    merge(
        "min",
        NumberOrId,
        "The smaller value, by `fetch_min`. A number replaces NaN. Other floats compare as in `total_cmp`.",
        ("merge = min", "a.level[dst].fetch_min(3);"),
    ),
    merge(
        "max",
        NumberOrId,
        "The larger value, by `fetch_max`. A number replaces NaN. Other floats compare as in `total_cmp`.",
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
        "Any one of the stored values. After the merge, all replicas have the same one. The updates are `=`, `swap` \
         and `compare_exchange`; for a `#[global]`, only `=`.",
        ("merge = any", "a.parent[dst] = src;"),
    )
    .gpu("the value that remains may differ between runs"),
];
