//! Pointer jumping: every vertex of a forest finds its root.

use super::{lists, originals};
use gts_graph::algorithm::{Algorithm, Answer, Arguments, Output, Verdict, edge_kernel, vertex_kernel};
use gts_graph::contract::ScalarType;
use gts_graph::prelude::*;
use gts_graph::{gts_conformance, register};

#[gts_attributes]
pub struct Roots {
    /// The smallest vertex with an edge to this one, or the vertex itself.
    #[wa(init = UNREACHED, merge = min)]
    pub parent: VertexId,
    #[wa(init = UNREACHED, merge = min)]
    pub root: VertexId,
}

#[gts_kernel(vertex)]
fn plant(f: &mut Roots, v: Vertex) {
    f.parent[v] = v;
}

#[gts_kernel(scan)]
fn hang(f: &mut Roots, src: Vertex, dst: Vertex) {
    f.parent[dst].fetch_min(src);
}

#[gts_kernel(vertex)]
fn begin(f: &mut Roots, v: Vertex) {
    f.root[v] = f.parent[v];
    activate(v);
}

#[gts_kernel(vertex)]
fn jump(f: &mut Roots, v: Vertex) {
    let above = f.root[f.root[v]];
    if f.root[v].fetch_min(above) > above {
        activate(v);
    }
}

fn run(engine: &Engine, graph: &Graph, _: &Arguments) -> Result<Answer> {
    let mut run = engine.start::<Roots>(graph)?;
    run.apply(plant)?;
    run.scan(hang)?;
    run.apply(begin)?;
    while run.frontier_size()? > 0 {
        run.apply_active(jump)?;
    }
    Ok(Answer::new().vertices("parent", run.take(Roots::PARENT)?).vertices("root", run.take(Roots::ROOT)?))
}

fn oracle(graph: &Graph, _: &Arguments, answer: &Answer) -> Result<Verdict> {
    let mut parent: Vec<usize> = (0..graph.num_vertices() as usize).collect();
    for (src, list) in lists(graph)?.into_iter().enumerate() {
        list.into_iter().for_each(|dst| parent[dst] = parent[dst].min(src));
    }
    let root = |mut v: usize| {
        while parent[v] != v {
            v = parent[v];
        }
        v
    };
    let originals = originals(graph);
    let roots: Vec<u64> = (0..parent.len()).map(|v| originals[root(v)]).collect();
    let parents: Vec<u64> = parent.iter().map(|&v| originals[v]).collect();
    Ok(answer.compared(graph, "root", &roots).and(answer.compared(graph, "parent", &parents)))
}

register! {
    Algorithm::new("newcomer-roots", "Root of each vertex's tree", run)
        .outputs(&[
            Output::vertices("parent", &[ScalarType::VertexId], "Vertex above this one"),
            Output::vertices("root", &[ScalarType::VertexId], "Root of the tree"),
        ])
        .kernels(&[vertex_kernel(plant), edge_kernel(hang), vertex_kernel(begin), vertex_kernel(jump)])
}

// Parents follow the order of the vertices, which other layouts of the graph change.
gts_conformance!(roots: "newcomer-roots", oracle(oracle), any_valid("parent"), any_valid("root"));
