//! Methods of vertices and edges.

use super::{LanguageKind, LanguageRow, OperandTypes, RowExample};

const IN_KERNELS: &str = "kernels";
const NOT_IN_HELPERS: &str = "the host can call a `#[gts_fn]` outside a pass; take the value as a parameter";

pub(super) const ROWS: &[LanguageRow] = &[
    LanguageRow::new(
        LanguageKind::VertexMethod,
        "id",
        "v.id()",
        "The vertex as a value of type `VertexId`. A `Vertex` converts to a `VertexId` where one is expected, so this \
         method is needed only for a local without a declared type.",
    )
    .on(OperandTypes::Vertex)
    .example(RowExample::Vertex("let own = v.id();\na.parent[v] = own;")),
    LanguageRow::new(
        LanguageKind::VertexMethod,
        "out_degree",
        "v.out_degree()",
        "The number of edges that leave the vertex, as `u64`. Each parallel edge counts.",
    )
    .on(OperandTypes::Vertex)
    .allowed(IN_KERNELS)
    .refused(NOT_IN_HELPERS)
    .example(RowExample::Scan("a.next[dst] += a.rank[src] / src.out_degree() as f32;")),
    LanguageRow::new(
        LanguageKind::VertexMethod,
        "in_degree",
        "v.in_degree()",
        "The number of edges that lead to the vertex, as `u64`. Each parallel edge counts. In-degrees are available \
         even if the graph has no in-edges.",
    )
    .on(OperandTypes::Vertex)
    .allowed(IN_KERNELS)
    .refused(NOT_IN_HELPERS)
    .example(RowExample::Vertex("a.count[v] = v.in_degree();")),
    LanguageRow::new(
        LanguageKind::EdgeMethod,
        "position",
        "e.position()",
        "The position of the edge in the list of `src`, as `u64`. The first position is 0. Lists are sorted by the \
         dense number of `dst`. A kernel that reads positions does not pull. `run.neighbors(..2).scan(name)` visits \
         only the edges at positions 0 and 1.",
    )
    .on(OperandTypes::Edge)
    .allowed("`scan` and `traverse` kernels with the parameter `e: Edge`")
    .refused("an `intersect` kernel treats lists as sets, and a reduction visits neighbours in any order")
    .example(RowExample::Scan("if e.position() < 3 {\n    a.count[dst] += 1;\n}")),
];
