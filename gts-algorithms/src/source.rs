//! Source vertices of searches, and other parameters that algorithms share.

use gts_graph::algorithm::{Arguments, GraphFacts, Parameter, Value};
use gts_graph::prelude::*;

/// The parameter `--source`.
pub(crate) const SOURCE: Parameter = Parameter::vertex("source", "Vertex to start from, by its original ID")
    .otherwise("the vertex with the most out-edges");

/// The parameter `--iterations`.
pub(crate) const ITERATIONS: Parameter =
    Parameter::integer("iterations", "Number of iterations, the most with a tolerance").default(Value::Integer(50));

/// The parameter `--tolerance`.
pub(crate) const TOLERANCE: Parameter =
    Parameter::real("tolerance", "Stop once an iteration changes all values together by no more, say 1e-6")
        .between(0.0, f64::MAX)
        .otherwise("a fixed number of iterations");

/// Returns the vertex given with `--source`, or the one with the most out-edges; the smallest ID breaks ties.
pub(crate) fn source(graph: &Graph, arguments: &Arguments) -> Result<Vertex> {
    if let Some(given) = arguments.vertex(graph, "source")? {
        return Ok(given);
    }
    graph.hub().ok_or_else(|| Error::argument("--source", "the graph has no vertices to start from"))
}

/// The parameters that [`sources`] reads.
pub(crate) const SOURCES: [Parameter; 3] = [
    Parameter::vertex("source", "The only source, by its original ID").otherwise("every vertex"),
    Parameter::integer("samples", "Number of sources, drawn at random").within(1, u64::MAX).otherwise("every vertex"),
    Parameter::integer("sample-seed", "Seed of the drawing").default(Value::Integer(1)),
];

/// Returns the vertex given with `--source`, or `--samples` vertices drawn by `--sample-seed`, or else all vertices.
pub(crate) fn sources(graph: &Graph, arguments: &Arguments) -> Result<Vec<Vertex>> {
    match (arguments.vertex(graph, "source")?, arguments.optional_integer("samples")?) {
        (Some(_), Some(_)) => Err(Error::argument("--samples", "give either it or --source")),
        (Some(source), None) => Ok(vec![source]),
        (None, Some(count)) => {
            let seed = arguments.integer("sample-seed")?;
            Ok(graph.sample(usize::try_from(count).unwrap_or(usize::MAX), seed)?)
        }
        (None, None) => Ok(graph.by_rank("sources", |vertex| vertex)?),
    }
}

/// Returns the number of searches for [`sources`], with `at_once` vertices each.
pub(crate) fn searches(arguments: &Arguments, graph: &GraphFacts, at_once: usize) -> Result<u64> {
    let sources = match (arguments.is_given("source")?, arguments.optional_integer("samples")?) {
        (true, _) => 1,
        (false, Some(samples)) => samples.min(graph.vertices),
        (false, None) => graph.vertices,
    };
    Ok(sources.div_ceil(at_once as u64))
}

/// Returns the original ID with this rank, from 0.
pub(crate) fn original_of_rank(graph: &Graph, rank: usize) -> u64 {
    graph.ids().original_of_rank(rank as u64).unwrap_or(u64::MAX)
}

/// Returns a value per vertex, in the order of the original IDs: `found` at `vertices`, `none` elsewhere.
pub(crate) fn at_vertices<T: Copy + Send + Sync>(
    graph: &Graph,
    vertices: &[Vertex],
    found: &[T],
    none: T,
) -> Result<Vec<T>> {
    let mut values = graph.by_rank("values of vertices", |_| none)?;
    for (vertex, value) in vertices.iter().zip(found) {
        if let Some(rank) = graph.ids().rank(*vertex) {
            values[rank as usize] = *value;
        }
    }
    Ok(values)
}
