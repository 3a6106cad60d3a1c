//! Personalised PageRank by pushes, from a paper (R. Andersen, F. Chung, K. Lang, 2007).

// ANCHOR: names
use gts_graph::algorithm::{Algorithm, Answer, Arguments, Output, Parameter};
use gts_graph::algorithm::{Value, Values, Verdict, edge_kernel, vertex_kernel};
use gts_graph::contract::ScalarType;
use gts_graph::prelude::*;
use gts_graph::{gts_conformance, register};
// ANCHOR_END: names

// ANCHOR: attributes
/// Mass that a source has spread.
#[gts_attributes]
pub struct Nibble {
    /// Mass that stays at the vertex.
    #[wa(init = 0.0, merge = sum)]
    pub kept: f64,
    /// Mass that has arrived and is not processed yet.
    #[wa(init = 0.0, merge = sum)]
    pub waiting: f64,
    /// Mass that the vertex sends along each edge in this step.
    #[wa(init = 0.0, merge = any)]
    pub share: f64,
    /// Part of the mass that stays.
    #[param(default = 0.15)]
    pub stay: f64,
    /// Mass per edge that may remain waiting.
    #[param(default = 0.0001)]
    pub tolerance: f64,
}
// ANCHOR_END: attributes

// ANCHOR: settle
#[gts_kernel(vertex)]
pub(crate) fn settle(n: &mut Nibble, v: Vertex) {
    let waiting = n.waiting[v];
    let degree = v.out_degree() as f64;
    if waiting > n.tolerance * degree {
        n.kept[v] += n.stay * waiting;
        n.share[v] = (1.0 - n.stay) * waiting / degree;
        n.waiting[v] = 0.0;
        activate(v);
    }
}
// ANCHOR_END: settle

// ANCHOR: push
#[gts_kernel(traverse)]
pub(crate) fn push(n: &mut Nibble, src: Vertex, dst: Vertex) {
    n.waiting[dst] += n.share[src];
    activate(dst);
}
// ANCHOR_END: push

// ANCHOR: driver
/// Returns the mass that stays at each vertex after all mass has started
/// at `source`.
pub(crate) fn nibble(run: &mut Run<Nibble>, source: Vertex) -> Result<Vec<f64>> {
    run.set(Nibble::WAITING, source, 1.0)?;
    run.activate(source)?;
    run.apply_active(settle)?;
    while run.frontier_size()? > 0 {
        run.advance(push)?;
        run.apply_active(settle)?;
    }
    run.take(Nibble::KEPT)
}
// ANCHOR_END: driver

// ANCHOR: register
fn run(engine: &Engine, graph: &Graph, arguments: &Arguments) -> Result<Answer> {
    let source = arguments.vertex(graph, "source")?;
    let source = source.ok_or_else(|| Error::argument("--source", "give a vertex"))?;
    let mut run = engine.start::<Nibble>(graph)?;
    run.set_param(Nibble::TOLERANCE, arguments.real("tolerance")?)?;
    Ok(Answer::new().vertices("kept", nibble(&mut run, source)?))
}

register! {
    Algorithm::new("nibble", "Personalised PageRank by pushes", run)
        .symmetric()
        .parameters(&[
            Parameter::vertex("source", "Where all mass starts"),
            Parameter::real("tolerance", "Mass per edge that may remain")
                .between(1e-9, 1.0)
                .default(Value::Real(1e-4)),
        ])
        .outputs(&[Output::vertices("kept", &[ScalarType::F64], "Mass")])
        .kernels(&[vertex_kernel(settle), edge_kernel(push)])
}
// ANCHOR_END: register

// ANCHOR: oracle
/// Returns the mass that stays if all mass is pushed. In each of many
/// rounds, every vertex pushes all its mass.
pub(crate) fn exact(graph: &Graph, source: Vertex, stay: f64) -> Result<Vec<f64>> {
    let mut kept = vec![0.0; graph.num_vertices() as usize];
    let mut mass = kept.clone();
    mass[source.index()] = 1.0;
    for _ in 0..300 {
        let mut next = vec![0.0; mass.len()];
        for edge in graph.edges() {
            let (src, dst) = edge?;
            let degree = graph.out_degree(src) as f64;
            next[dst.index()] += (1.0 - stay) * mass[src.index()] / degree;
        }
        for (kept, mass) in kept.iter_mut().zip(&mass) {
            *kept += stay * mass;
        }
        mass = next;
    }
    Ok(kept)
}

/// Checks that no vertex lacks more than the tolerance allows.
fn oracle(graph: &Graph, arguments: &Arguments, answer: &Answer) -> Result<Verdict> {
    let Some(source) = arguments.vertex(graph, "source")? else {
        return Ok(Verdict::Differs("there is no source".to_owned()));
    };
    let Some(Values::F64(kept)) = answer.values("kept") else {
        return Ok(Verdict::Differs("there is no mass".to_owned()));
    };
    let exact = exact(graph, source, 0.15)?;
    for (v, kept) in graph.ids().in_original_order().zip(kept) {
        let lacking = exact[v.index()] - kept;
        let allowed = arguments.real("tolerance")? * graph.out_degree(v) as f64;
        if lacking < -1e-9 || lacking > allowed + 1e-9 {
            return Ok(Verdict::Differs(format!("{v:?} lacks {lacking}")));
        }
    }
    Ok(Verdict::Agrees("with mass pushed in rounds".to_owned()))
}
// ANCHOR_END: oracle

// ANCHOR: conformance
gts_conformance!(
    nibble_of_a_vertex: "nibble",
    with("source", "@1"),
    oracle(oracle),
    any_valid("kept")
);
// ANCHOR_END: conformance

gts_conformance!(
    nibble_with_a_large_tolerance: "nibble",
    with("source", "@2"),
    with("tolerance", "0.02"),
    oracle(oracle),
    any_valid("kept")
);
