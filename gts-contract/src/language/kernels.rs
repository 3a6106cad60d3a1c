//! Kinds of kernels, and the settings of `#[gts_kernel]`.

use super::{LanguageKind, LanguageRow, RowExample};

const fn kernel(name: &'static str, syntax: &'static str, meaning: &'static str, body: RowExample) -> LanguageRow {
    LanguageRow::new(LanguageKind::Kernel, name, syntax, meaning).example(body)
}

const fn setting(name: &'static str, syntax: &'static str, meaning: &'static str) -> LanguageRow {
    LanguageRow::new(LanguageKind::KernelSetting, name, syntax, meaning)
}

const OF_EDGES: &str = "`scan`, `traverse`, `gather` and `intersect` kernels";

pub(super) const ROWS: &[LanguageRow] = &[
    kernel(
        "scan",
        "#[gts_kernel(scan)]
fn name(a: &mut A, src: Vertex, dst: Vertex) { .. }
fn name(a: &mut A, src: Vertex, dst: Vertex, e: Edge) { .. }",
        "Runs once for every edge. `src` is the edge's source, and `dst` is its target. The host calls \
         `run.scan(name)`. The vertices may have other names.",
        RowExample::Scan("a.count[dst] += 1;"),
    )
    .refused("a kernel with `dst` before `src` is refused: the first vertex is the source, whatever its name")
    .gpu("a thread, a warp or a part of a warp visits the edges of a source; the technique determines which"),
    kernel(
        "traverse",
        "#[gts_kernel(traverse)]
fn name(a: &mut A, src: Vertex, dst: Vertex) { .. }
fn name(a: &mut A, src: Vertex, dst: Vertex, e: Edge) { .. }",
        "Runs once for every edge whose source is active. `run.advance(name)` runs one step and returns the number of \
         vertices that are active in the next step. `run.traverse(name)` runs steps until no vertex is active. The \
         host activates the first vertices with `run.activate(v)` or `run.activate_all()`.",
        RowExample::Traverse("if a.level[dst] == UNREACHED {\n    a.level[dst] = step() + 1;\n    activate(dst);\n}"),
    ),
    kernel(
        "gather",
        "#[gts_kernel(gather)]\nfn name(a: &mut A, v: Vertex) { .. }",
        "Reduces the values of each vertex's neighbours to one value, then runs a block with this value. A body \
         consists of guards (`if c { return; }`) and `let`s, one reduction, and the block. The host calls \
         `run.gather(name)` or, for active vertices, `run.gather_active(name)`. The reduction reads the values from \
         before the pass, even if the block changes them.",
        RowExample::Gather(
            "if v.out_degree() == 0 {
    return;
}
let least = v.neighbors().min(|dst| a.level[dst]);
a.level[v] = least;",
        ),
    )
    .refused("a body has one reduction: write a second kernel for another"),
    kernel(
        "vertex",
        "#[gts_kernel(vertex)]\nfn name(a: &mut A, v: Vertex) { .. }",
        "`run.apply(name)` runs the body once for every vertex, and `run.apply_active(name)` once for every active \
         vertex. Only one thread runs the body for `v`, so it may read and store the attributes of `v` in any way.",
        RowExample::Vertex("a.next[v] = 0.15 + a.damping * a.next[v];"),
    ),
    kernel(
        "priority",
        "#[gts_kernel(priority)]\nfn name(a: &mut A, v: Vertex) -> u32 { .. }",
        "Returns the priority of a vertex, a number of any integer or float type. Vertices with smaller numbers are \
         nearer. `run.traverse_near(traverse, name, width)` processes near vertices first. The value is the last \
         expression of the body. The body changes nothing and has no `return`.",
        RowExample::Items(
            "#[gts_kernel(priority)]
fn nearness(a: &mut Shared, v: Vertex) -> u32 {
    a.level[v]
}

#[gts_kernel(traverse)]
fn relax(a: &mut Shared, src: Vertex, dst: Vertex, e: Edge) {
    let through = a.level[src].saturating_add(a.weight[e]);
    if a.level[dst].fetch_min(through) > through {
        activate(dst);
    }
}",
        ),
    ),
    kernel(
        "intersect",
        "#[gts_kernel(intersect)]
fn name(a: &mut A, u: Vertex, v: Vertex, w: Vertex) { .. }
fn name(a: &mut A, u: Vertex, v: Vertex) { .. }",
        "Runs for every vertex `u` and every two neighbours `v` and `w` of `u` with an edge from `v` to `w`. Without \
         the parameter `w`, it runs for every neighbour `v` of `u`. Parallel edges count as one, and edges from a \
         vertex to itself do not count. A last parameter `e: Edge` is the edge from `u` to `v`.",
        RowExample::Intersect("a.count[w] += 1;"),
    )
    .gpu("all pages must be in device memory, or in page-locked host memory"),
    setting("out", "#[gts_kernel(scan(out))]", "Walks edges from source to target. This is the default.")
        .allowed(OF_EDGES)
        .example(RowExample::Items(
            "#[gts_kernel(scan(out))]\nfn leave(a: &mut Shared, src: Vertex, dst: Vertex) {\n    a.count[dst] += 1;\n}",
        )),
    setting(
        "in",
        "#[gts_kernel(traverse(in))]",
        "Walks edges backwards: `dst` is a vertex from which an edge leads to `src`. In an `intersect` kernel, \
         neighbours are joined by in-edges, and the edge between `v` and `w` is an in-edge of `v`. The graph must \
         have in-edges or be symmetric.",
    )
    .allowed(OF_EDGES)
    .refused(
        "an `intersect` kernel with the parameter `e: Edge` walks only out-edges, because values belong to out-edges",
    )
    .example(RowExample::Items(
        "#[gts_kernel(scan(in))]\nfn arrive(a: &mut Shared, src: Vertex, dst: Vertex) {\n    a.count[dst] += 1;\n}",
    )),
    setting(
        "both",
        "#[gts_kernel(gather(both))]",
        "Walks edges in both directions: the out-edges of `src`, then its in-edges. In an `intersect` kernel, \
         neighbours are joined by edges in either direction, and the edge from `v` to `w` is an out-edge of `v`.",
    )
    .allowed(OF_EDGES)
    .refused(
        "an `intersect` kernel with the parameter `e: Edge` walks only out-edges, because values belong to out-edges",
    )
    .example(RowExample::Items(
        "#[gts_kernel(scan(both))]\nfn touch(a: &mut Shared, src: Vertex, dst: Vertex) {\n    a.count[dst] += 1;\n}",
    )),
    setting(
        "technique",
        "#[gts_kernel(scan, technique = edge8)]",
        "Fixes how a GPU maps edges to threads: `vertex`, `edge2`, `edge4`, `edge8`, `edge16`, `edge32`, `edge64`, \
         `balanced`, `hybrid`, `edge_list` or `edge_list_pairs`. Without this setting, the planner or `--technique` \
         chooses. Results do not depend on the technique.",
    )
    .allowed("`scan`, `traverse` and `gather` kernels")
    .refused(
        "a `vertex` kernel always has a thread per vertex, and an `intersect` kernel chooses by the lengths of two \
         lists",
    )
    .gpu("the CPU device ignores the technique")
    .example(RowExample::Items(
        "#[gts_kernel(scan, technique = edge8)]
fn count(a: &mut Shared, src: Vertex, dst: Vertex) {
    a.count[dst] += 1;
}",
    )),
    setting(
        "racy",
        "#[gts_kernel(scan, racy)]",
        "Allows a kernel whose results depend on the order of the threads. The rules about stores and merges do not \
         apply. GTS guarantees nothing about the results, and the kernel does not run on replicas.",
    )
    .refused("a `priority` changes nothing, so its result cannot depend on the order of the threads")
    .example(RowExample::Items(
        "#[gts_kernel(scan, racy)]
fn last(a: &mut Shared, src: Vertex, dst: Vertex) {
    a.level[dst] = a.level[src];
}",
    )),
    setting(
        "ordered",
        "#[gts_kernel(intersect, ordered)]",
        "Visits each triangle of a symmetric graph once instead of six times. Out-degrees ascend from `u` to `v` to \
         `w`. Vertices with equal degrees are ordered by vertex number.",
    )
    .allowed("`intersect` and `intersect(in)` kernels")
    .refused("for edges in both directions, no order visits each triangle exactly once")
    .example(RowExample::Items(
        "#[gts_kernel(intersect, ordered)]
fn triangle(a: &mut Shared, u: Vertex, v: Vertex, w: Vertex) {
    a.total += 1;
}",
    )),
];
