//! The nearest of some labelled vertices, its distance and its label.

use super::{lists, originals};
use gts_graph::algorithm::{Algorithm, Answer, Arguments, Output, Parameter, Verdict, edge_kernel, vertex_kernel};
use gts_graph::contract::ScalarType;
use gts_graph::prelude::*;
use gts_graph::{gts_conformance, register};
use std::collections::VecDeque;

#[gts_attributes]
pub struct Nearest {
    /// Label set by the host; 0 for vertices without one.
    #[wa(init = 0, merge = any)]
    pub given: u32,
    /// Hops to the nearest labelled vertex, and that vertex in the low 32 bits.
    #[wa(init = UNREACHED, merge = min)]
    pub near: u64,
    #[wa(init = UNREACHED, merge = any)]
    pub vertex: VertexId,
    #[wa(init = 0, merge = any)]
    pub label: u32,
    #[wa(init = UNREACHED, merge = any)]
    pub hops: u32,
}

#[gts_kernel(vertex)]
fn begin(n: &mut Nearest, v: Vertex) {
    if n.given[v] != 0 {
        n.near[v] = v as u64;
        activate(v);
    }
}

#[gts_kernel(traverse)]
fn spread(n: &mut Nearest, src: Vertex, dst: Vertex) {
    let through = n.near[src] + (1 << 32);
    if n.near[dst].fetch_min(through) > through {
        activate(dst);
    }
}

#[gts_kernel(vertex)]
fn name(n: &mut Nearest, v: Vertex) {
    if n.near[v] != UNREACHED {
        n.vertex[v] = Vertex::new(n.near[v] & 0xffff_ffff);
        n.hops[v] = (n.near[v] >> 32) as u32;
        n.label[v] = n.given[n.vertex[v]];
    }
}

fn run(engine: &Engine, graph: &Graph, arguments: &Arguments) -> Result<Answer> {
    let mut run = engine.start::<Nearest>(graph)?;
    for (label, vertex) in (1..).zip(arguments.vertices(graph, "labelled")?) {
        run.set(Nearest::GIVEN, vertex, label)?;
    }
    run.apply(begin)?;
    run.traverse(spread)?;
    run.apply(name)?;
    Ok(Answer::new()
        .vertices("nearest", run.take(Nearest::VERTEX)?)
        .vertices("label", run.take(Nearest::LABEL)?)
        .vertices("hops", run.take(Nearest::HOPS)?))
}

fn oracle(graph: &Graph, arguments: &Arguments, answer: &Answer) -> Result<Verdict> {
    let lists = lists(graph)?;
    let mut label = vec![0; lists.len()];
    for (next, vertex) in (1..).zip(arguments.vertices(graph, "labelled")?) {
        label[vertex.index()] = next;
    }
    // Sources are searched in ascending order, so the smallest of several nearest sources keeps a vertex.
    let mut hops = vec![u32::MAX; lists.len()];
    let mut nearest = vec![usize::MAX; lists.len()];
    for source in (0..lists.len()).filter(|&v| label[v] != 0) {
        let mut queue = VecDeque::from([(source, 0)]);
        while let Some((v, far)) = queue.pop_front() {
            if far < hops[v] {
                (hops[v], nearest[v]) = (far, source);
                queue.extend(lists[v].iter().map(|&next| (next, far + 1)));
            }
        }
    }
    let originals = originals(graph);
    let named: Vec<u64> = nearest.iter().map(|&v| originals.get(v).copied().unwrap_or(u64::MAX)).collect();
    let labels: Vec<u32> = nearest.iter().map(|&v| label.get(v).copied().unwrap_or(0)).collect();
    let verdict = answer.compared(graph, "nearest", &named);
    Ok(verdict.and(answer.compared(graph, "label", &labels)).and(answer.compared(graph, "hops", &hops)))
}

register! {
    Algorithm::new("newcomer-nearest", "Nearest labelled vertex", run)
        .parameters(&[Parameter::vertices("labelled", "Vertices with labels, which count from 1")])
        .outputs(&[
            Output::vertices("nearest", &[ScalarType::VertexId], "The labelled vertex").unreached("no path"),
            Output::vertices("label", &[ScalarType::U32], "Its label"),
            Output::vertices("hops", &[ScalarType::U32], "Hops from it").unreached("no path"),
        ])
        .kernels(&[vertex_kernel(begin), edge_kernel(spread), vertex_kernel(name)])
}

// Of several nearest vertices, the smallest in the graph's layout is chosen.
gts_conformance!(nearest: "newcomer-nearest", with("labelled", "@0,@3,@5,@8"), oracle(oracle), any_valid("nearest"), any_valid("label"));
gts_conformance!(nearest_of_one: "newcomer-nearest", with("labelled", "@2"), oracle(oracle));
