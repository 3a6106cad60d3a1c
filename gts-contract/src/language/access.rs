//! Rules about accesses to attributes: which kernels may read and write which values, and at which vertices.

use super::{LanguageKind, LanguageRow, RowExample};

const fn access(name: &'static str, syntax: &'static str, meaning: &'static str, example: RowExample) -> LanguageRow {
    LanguageRow::new(LanguageKind::Access, name, syntax, meaning).example(example)
}

pub(super) const ROWS: &[LanguageRow] = &[
    access(
        "read of a wa",
        "a.level[src]",
        "Every kernel can read a `#[wa]` at any vertex. If other threads of the kernel write the value and the result \
         of the read depends on their order, the kernel is monotone or racy.",
        RowExample::Scan("if a.level[src] == 0 {\n    a.count[dst] += 1;\n}"),
    ),
    access(
        "update by the merge",
        "a.count[dst] += 1;",
        "Kernels for edges update a `#[wa]` by the operation of its merge: `+=` or `-=` for `sum`, `fetch_min` for \
         `min`, `fetch_max` for `max`, `|=` for `or`, and `&=` for `and`. For `any`, the operation is a plain store, \
         `swap` or `compare_exchange`. Each update is atomic.",
        RowExample::Scan("a.bits[dst] |= a.bits[src];"),
    )
    .allowed("at `src`, `dst` and computed vertices")
    .refused("the merge combines replicas, so the effect of another operation on one of them would be lost"),
    access(
        "uniform store",
        "a.level[dst] = step() + 1;",
        "In kernels for edges, `=` stores a value that is the same for all threads that could store at this vertex. \
         Such a value consists of literals, constants, params, `step()`, and the vertex itself with its degrees.",
        RowExample::Traverse("if a.level[dst] == UNREACHED {\n    a.level[dst] = step() + 1;\n}"),
    )
    .refused(
        "the last thread would win if the value differed between edges; the error suggests the update of the merge",
    ),
    access(
        "store of any value",
        "a.parent[dst] = src;",
        "Every kernel may store any value in an attribute that merges by `any`. One of the stored values remains. It \
         is the same one on all replicas.",
        RowExample::Traverse("a.parent[dst] = src;"),
    ),
    access(
        "store at v",
        "a.next[v] = x;",
        "Only one thread runs a `vertex` kernel, or the block of a `gather`, for a vertex `v`. This thread may read, \
         store and update the `#[wa]` values of `v` in any way, whatever the merge.",
        RowExample::Vertex("a.small[v] = a.small[v] / 2;\na.count[v] = a.count[v] * 3;"),
    )
    .refused("at other vertices, the rules of kernels for edges apply"),
    access(
        "read, then store",
        "a.level[dst].fetch_min(x)",
        "Write a read, a comparison and a store of one value as a single update: `fetch_min` instead of `if x < \
         a.level[dst] { a.level[dst] = x; }`, and `+=` instead of `a.x[dst] = a.x[dst] + y`. An update such as \
         `fetch_min` returns the old value.",
        RowExample::Scan("let old = a.level[dst].fetch_min(7);\nif old > 7 {\n    activate(dst);\n}"),
    )
    .refused("another thread may store between the read and the store"),
    access(
        "old value",
        "if a.level[dst].fetch_min(x) > x { .. }",
        "An update returns the old value. A comparison of the old value with the new one shows whether the update \
         improved the value. The comparison is valid on replicas, too. Most other uses of the old value prevent the \
         kernel from running on replicas.",
        RowExample::Traverse(
            "let through = a.level[src].saturating_add(1);
if a.level[dst].fetch_min(through) > through {
    activate(dst);
}",
        ),
    ),
    access(
        "computed vertex",
        "a.level[a.parent[v]], a.level[Vertex::new(n)]",
        "Every kernel can use a `VertexId` or `Vertex::new(n)` as an index, as in pointer jumping. A number that is \
         not a vertex of the graph is a fault.",
        RowExample::Vertex("if a.parent[v] != UNREACHED {\n    a.bits[a.parent[v]] |= 1;\n}"),
    ),
    access(
        "read of an ra",
        "a.rank[src]",
        "Kernels for edges read an `#[ra]` at `src`, `intersect` kernels at `u`, and other kernels at `v`. No kernel \
         writes an `#[ra]`.",
        RowExample::Scan("a.next[dst] += a.rank[src];"),
    )
    .refused("an `#[ra]` is stored with the page of its vertex: make it a `#[wa]` to read it at any vertex"),
    access(
        "read of an edge value",
        "a.weight[e]",
        "Kernels read an `#[edge]` value at the edge for which they run.",
        RowExample::Scan("a.count[dst] += a.weight[e] as u64;"),
    )
    .allowed("`scan` and `traverse` kernels with `e: Edge`, and reductions with `|dst, e|`")
    .refused("the values of other edges are not available"),
    access(
        "update of an edge",
        "a.triangles[e] += 1;",
        "`intersect` kernels update a `per = edge` value by its merge. They cannot use its old value. The host reads \
         the values with `run.take_edges`.",
        RowExample::None,
    )
    .refused("the value of an edge is incomplete until the pass ends"),
    access(
        "read of a param",
        "a.damping",
        "Every kernel can read a `#[param]`, whole or by element. Its value is constant during a pass.",
        RowExample::Vertex("a.next[v] = a.damping;"),
    ),
    access(
        "update of a global",
        "a.total += 1;",
        "Every kernel except a `priority` can update a `#[global]` by the operation of its merge. The update returns \
         no value.",
        RowExample::Vertex("a.total.fetch_add(v.out_degree());"),
    )
    .refused("no thread has the final value: the host reads it with `run.global`"),
];
