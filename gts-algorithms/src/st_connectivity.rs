//! s-t connectivity: whether a path leads from one vertex to another, and the length of the shortest.
//!
//! A breadth-first search that ends at the step that reaches the target: the driver of [`bfs`](crate::bfs), cut short.
//! The time is proportional to the edges up to the target's level.

use crate::bfs::{Bfs, expand};
use crate::source::{SOURCE, source};
use gts_graph::algorithm::{
    Algorithm, AlgorithmKind, Answer, Arguments, Definition, Outline, Output, Parameter, Scalar, edge_kernel,
};
use gts_graph::prelude::*;
use gts_graph::register;

/// Returns the number of edges on a shortest path from one vertex to another, if there is a path.
///
/// # Errors
///
/// As for [`Run::advance`].
///
/// # Examples
///
/// ```
/// use gts_algorithms::st_connectivity::st_connectivity;
/// use gts_graph::prelude::*;
///
/// let graph = Graph::from_edges([(0, 1), (1, 2)]).expect("sound edges");
/// let (first, last) = (graph.vertex(0)?, graph.vertex(2)?);
/// let engine = Engine::cpu()?;
/// assert_eq!(st_connectivity(&mut engine.start(&graph)?, first, last)?, Some(2));
/// assert_eq!(st_connectivity(&mut engine.start(&graph)?, last, first)?, None);
/// # Ok::<(), Error>(())
/// ```
pub fn st_connectivity(run: &mut Run<Bfs>, source: Vertex, target: Vertex) -> Result<Option<u32>> {
    run.set(Bfs::LEVEL, source, 0)?;
    run.activate(source)?;
    while run.get(Bfs::LEVEL, target)? == u32::MAX && run.advance(expand)? > 0 {}
    Ok(Some(run.get(Bfs::LEVEL, target)?).filter(|level| *level != u32::MAX))
}

fn run(engine: &Engine, graph: &Graph, arguments: &Arguments) -> Result<Answer> {
    let target = arguments.vertex(graph, "target")?;
    let target = target.ok_or_else(|| Error::argument("--target", "must be given: the key of a vertex"))?;
    let distance = st_connectivity(&mut engine.start(graph)?, source(graph, arguments)?, target)?;
    let answer = Answer::new().scalar("connected", Scalar::Flag(distance.is_some()));
    Ok(distance.into_iter().fold(answer, |answer, hops| answer.scalar("distance", Scalar::Unsigned(hops.into()))))
}

register! {
    Algorithm::new("st-connectivity", "Whether a path leads from one vertex to another", run)
        .kind(AlgorithmKind::Paths)
        .help("Follows edges forward from the source, level by level, until the target is reached.")
        .source("E. F. Moore: The shortest path through a maze. International Symposium on the Theory of Switching, 1959")
        .definition(
            Definition::forward(
                "Whether a path leads from the source to the target, and the least number of edges on one.",
            ),
        )
        .parameters(&[SOURCE, Parameter::vertex("target", "Vertex to reach, by its original ID")])
        .outputs(&[
            Output::scalar("connected", "Whether there is a path"),
            Output::scalar("distance", "Edges on a shortest path, if there is one"),
        ])
        .kernels(&[edge_kernel(expand)])
        .outline(|_, _| Ok(Outline::traverse_from_one(edge_kernel(expand))))
        .check(crate::check::st_connectivity)
}
