//! Rules about accesses to attributes: which kernel may read and write what, where.

use super::{LanguageKind, LanguageRow, RowExample};

const fn access(name: &'static str, syntax: &'static str, meaning: &'static str, example: RowExample) -> LanguageRow {
    LanguageRow::new(LanguageKind::Access, name, syntax, meaning).example(example)
}

pub(super) const ROWS: &[LanguageRow] = &[
    access(
        "read of a wa",
        "a.level[src]",
        "A `#[wa]` is read at any vertex in every kernel. If other threads of the kernel write it meanwhile, the \
         kernel is monotone or racy.",
        RowExample::Scan("if a.level[src] == 0 {\n    a.count[dst] += 1;\n}"),
    ),
    access(
        "update by the merge",
        "a.count[dst] += 1;",
        "In kernels for edges, a `#[wa]` is updated by the operation of its merge: `+=` and `-=` for `sum`, \
         `fetch_min`, `fetch_max`, `|=`, `&=`; for `any`, a plain store, `swap` or `compare_exchange`. Each update is \
         atomic.",
        RowExample::Scan("a.bits[dst] |= a.bits[src];"),
    )
    .allowed("at `src`, `dst` and computed vertices")
    .refused("replicas are combined by the merge, so another operation on one of them would be lost"),
    access(
        "uniform store",
        "a.level[dst] = step() + 1;",
        "In kernels for edges, `=` stores a value that every thread that could store there would store, too: made of \
         literals, constants, params, `step()`, and the vertex itself with its degrees.",
        RowExample::Traverse("if a.level[dst] == UNREACHED {\n    a.level[dst] = step() + 1;\n}"),
    )
    .refused(
        "another value differs from edge to edge, and the last thread would win: the error offers the merge's \
         update",
    ),
    access(
        "store of any value",
        "a.parent[dst] = src;",
        "Into an attribute that merges by `any`, every kernel may store any value. One of the stored values remains, \
         the same one on all replicas.",
        RowExample::Traverse("a.parent[dst] = src;"),
    ),
    access(
        "store at v",
        "a.next[v] = x;",
        "A `vertex` kernel and the block of a `gather` have their vertex for themselves: they read and store its \
         `#[wa]`s freely, whatever the merge, and use every update.",
        RowExample::Vertex("a.small[v] = a.small[v] / 2;\na.count[v] = a.count[v] * 3;"),
    )
    .refused("at other vertices, the rules of kernels for edges apply"),
    access(
        "read, then store",
        "a.level[dst].fetch_min(x)",
        "A read, a decision and a store of one place are written as one update, which returns the old value: \
         `fetch_min` instead of `if x < a.level[dst] { a.level[dst] = x; }`, `+=` instead of `a.x[dst] = a.x[dst] + \
         y`.",
        RowExample::Scan("let old = a.level[dst].fetch_min(7);\nif old > 7 {\n    activate(dst);\n}"),
    )
    .refused("another thread may store between the read and the store"),
    access(
        "old value",
        "if a.level[dst].fetch_min(x) > x { .. }",
        "An update returns the value before it. A comparison of the old value with the new one asks whether the update \
         improved it, which holds on replicas, too. Any other use of it keeps the kernel from running on replicas.",
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
        "A `VertexId` or `Vertex::new(n)` is an index in every kernel, as in pointer jumping. A number that is no \
         vertex of the graph is a fault.",
        RowExample::Vertex("if a.parent[v] != UNREACHED {\n    a.bits[a.parent[v]] |= 1;\n}"),
    ),
    access(
        "read of an ra",
        "a.rank[src]",
        "An `#[ra]` is read at `src` in kernels for edges, at `u` in `intersect` kernels and at `v` in other kernels. \
         No kernel writes it.",
        RowExample::Scan("a.next[dst] += a.rank[src];"),
    )
    .refused("it lies beside the page of its vertex: make it a `#[wa]` to read it at any vertex"),
    access(
        "read of an edge value",
        "a.weight[e]",
        "An `#[edge]` value is read at the edge for which the kernel runs.",
        RowExample::Scan("a.count[dst] += a.weight[e] as u64;"),
    )
    .allowed("`scan` and `traverse` kernels with `e: Edge`, and reductions with `|dst, e|`")
    .refused("values of other edges are not at hand"),
    access(
        "update of an edge",
        "a.triangles[e] += 1;",
        "A `per = edge` value is updated by its merge in `intersect` kernels, and its old value is not used. The host \
         reads it with `run.take_edges`.",
        RowExample::None,
    )
    .refused("no thread has the value of an edge before the pass ends"),
    access(
        "read of a param",
        "a.damping",
        "A `#[param]` is read in every kernel, as a whole or by element. It has one value throughout a pass.",
        RowExample::Vertex("a.next[v] = a.damping;"),
    ),
    access(
        "update of a global",
        "a.total += 1;",
        "A `#[global]` is updated in every kernel but a `priority`, by the operation of its merge. The update has no \
         value.",
        RowExample::Vertex("a.total.fetch_add(v.out_degree());"),
    )
    .refused("no thread has the whole: the host reads it with `run.global`"),
];
