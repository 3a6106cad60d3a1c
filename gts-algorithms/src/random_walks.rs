//! Random walks: independent walkers that move from vertex to vertex along uniformly chosen edges.
//!
//! A walker is a number, and a vertex attribute contains its position: walkers beyond the number of vertices walk in
//! later batches. In each step every walker draws the place of an edge in the list of its vertex, and is linked into
//! the slot that (vertex, place) hashes to. A pass over the lists of vertices with walkers looks up each edge's slot,
//! and moves the walkers with this edge. Pages stream as for any traversal, hubs cost no more than their edges however
//! many walkers they have, and a step takes O(V + E) expected. The walkers are those of B. Perozzi, R. Al-Rfou, S.
//! Skiena (DeepWalk, KDD 2014); with restart, those of H. Tong, C. Faloutsos, J.-Y. Pan (ICDM 2006), whose visits
//! approach its stationary probabilities. The same seed gives the same walks, bit for bit, on every device.

use gts_graph::algorithm::{
    Algorithm, AlgorithmKind, Answer, Arguments, Definition, Outline, Output, Parameter, Scalar, Value, edge_kernel,
    vertex_kernel,
};
use gts_graph::contract::ScalarType;
use gts_graph::core::summaries;
use gts_graph::prelude::*;
use gts_graph::register;

/// Draws of a walker in a step: whether to restart, and the place of an edge.
#[gts_const]
pub(crate) const DRAW_RESTART: u64 = 0;
/// See [`DRAW_RESTART`].
#[gts_const]
pub(crate) const DRAW_PLACE: u64 = 1;

/// Walkers of a batch, each an attribute of the vertex of its number within the batch, and visits to vertices.
#[gts_attributes]
pub struct RandomWalks {
    /// Where the walker stands; `UNREACHED` before its start and after its end.
    #[wa(init = UNREACHED, merge = any)]
    pub at: VertexId,
    /// Where it goes in this step.
    #[wa(init = UNREACHED, merge = any)]
    pub to: VertexId,
    /// Where its edge stands in the list of its vertex.
    #[wa(init = 0, merge = any)]
    pub place: u64,
    /// The first walker whose edge is in the slot.
    #[wa(init = UNREACHED, merge = any)]
    pub first: VertexId,
    /// The walker after this one in its slot.
    #[wa(init = UNREACHED, merge = any)]
    pub following: VertexId,
    /// Walkers that came to the vertex, or started there, over all steps.
    #[wa(init = 0, merge = sum)]
    pub visits: u64,
    /// Where all walkers start; `UNREACHED` where each starts at the vertex that holds it.
    #[param]
    pub source: VertexId,
    /// Walkers of the batch.
    #[param]
    pub walkers: u64,
    /// The number of the batch's first walker.
    #[param]
    pub first_walker: u64,
    /// The chance of a step back to the start.
    #[param]
    pub restart: f64,
}

#[gts_kernel(vertex)]
fn begin(walks: &mut RandomWalks, v: Vertex) {
    if (v as u64) < walks.walkers {
        let start = if walks.source == UNREACHED { v } else { walks.source };
        walks.at[v] = start;
        walks.visits[start] += 1;
    } else {
        walks.at[v] = UNREACHED;
    }
}

// Racy in the order of the walkers of a slot alone, which nothing depends on.
#[gts_kernel(vertex, racy)]
fn choose(walks: &mut RandomWalks, v: Vertex) {
    let at = walks.at[v];
    walks.to[v] = at;
    walks.place[v] = u64::MAX;
    if at != UNREACHED {
        let here = Vertex::new(at);
        let start = if walks.source == UNREACHED { v } else { walks.source };
        let walker = walks.first_walker + v as u64;
        if random_f64(walker, DRAW_RESTART) < walks.restart {
            walks.to[v] = start;
        } else if here.out_degree() == 0 {
            walks.to[v] = if walks.restart > 0.0 { start } else { UNREACHED };
        } else {
            let place = random_below(walker, DRAW_PLACE, here.out_degree());
            let slot = Vertex::new(random_below(here, place, num_vertices()));
            walks.place[v] = place;
            walks.following[v] = walks.first[slot].swap(v);
            activate(here);
        }
    }
}

#[gts_kernel(traverse)]
fn follow(walks: &mut RandomWalks, src: Vertex, dst: Vertex, e: Edge) {
    let place = e.position();
    let slot = Vertex::new(random_below(src, place, num_vertices()));
    let mut walker = walks.first[slot];
    while walker != UNREACHED {
        let w = Vertex::new(walker);
        if walks.at[w] == src && walks.place[w] == place {
            walks.to[w] = dst;
        }
        walker = walks.following[w];
    }
}

#[gts_kernel(vertex)]
fn arrive(walks: &mut RandomWalks, v: Vertex) {
    let to = walks.to[v];
    walks.at[v] = to;
    if to != UNREACHED {
        walks.visits[to] += 1;
    }
}

/// Parameters of the walks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Walks {
    /// Number of walkers.
    pub walkers: u64,
    /// Steps of each walker.
    pub length: u32,
    /// Start of all walkers; if `None`, walker `i` starts at dense vertex `i` modulo the number of vertices.
    pub source: Option<Vertex>,
    /// The probability, from 0 to 1, of a step back to the start. If it is above 0, steps from vertices without
    /// out-edges always lead back; at 0, walks end there.
    pub restart: f64,
}

/// Returns the number of visits to each vertex, starts included, in the order of the original IDs.
///
/// # Errors
///
/// As for [`Run::advance`].
///
/// # Examples
///
/// ```
/// use gts_algorithms::random_walks::{Walks, visits};
/// use gts_graph::prelude::*;
///
/// let graph = Graph::from_edges([(1, 2), (2, 3), (3, 1)]).expect("sound edges");
/// let walks = Walks { walkers: 2, length: 4, source: Some(graph.vertex(1)?), restart: 0.0 };
/// assert_eq!(visits(&mut Engine::cpu()?.start(&graph)?, &walks)?, [4, 4, 2]);
/// # Ok::<(), Error>(())
/// ```
pub fn visits(run: &mut Run<RandomWalks>, walks: &Walks) -> Result<Vec<u64>> {
    walk(run, walks, |_, _, _| Ok(()))?;
    run.take(RandomWalks::VISITS)
}

/// Returns the path of each walker: the original IDs of its vertices, one more than its steps.
///
/// # Errors
///
/// As for [`Run::advance`].
///
/// # Examples
///
/// ```
/// use gts_algorithms::random_walks::{Walks, paths};
/// use gts_graph::prelude::*;
///
/// let graph = Graph::from_edges([(1, 2), (2, 3), (3, 1)]).expect("sound edges");
/// let walks = Walks { walkers: 2, length: 4, source: Some(graph.vertex(1)?), restart: 0.0 };
/// assert_eq!(paths(&mut Engine::cpu()?.start(&graph)?, &walks)?, vec![[1, 2, 3, 1, 2]; 2]);
/// # Ok::<(), Error>(())
/// ```
pub fn paths(run: &mut Run<RandomWalks>, walks: &Walks) -> Result<Vec<Vec<u64>>> {
    let mut paths = memory::filled("paths", walks.walkers as usize, Vec::new())?;
    walk(run, walks, |run, first, walkers| {
        let at = run.take_dense(RandomWalks::AT)?;
        for (path, at) in paths[first as usize..][..walkers as usize].iter_mut().zip(at) {
            if at != VertexId::UNREACHED {
                memory::push("paths", path, run.graph().original(Vertex::from_dense(at.to_bits())))?;
            }
        }
        Ok(())
    })?;
    Ok(paths)
}

/// Runs the walks batch by batch. `seen` is called at the start and after each step, with the batch's first walker and
/// size.
fn walk(
    run: &mut Run<RandomWalks>,
    walks: &Walks,
    mut seen: impl FnMut(&mut Run<RandomWalks>, u64, u64) -> Result<()>,
) -> Result<()> {
    let vertices = run.graph().num_vertices();
    if vertices == 0 {
        return Ok(());
    }
    run.set_param(RandomWalks::SOURCE, walks.source.map_or(VertexId::UNREACHED, VertexId::from))?;
    run.set_param(RandomWalks::RESTART, walks.restart)?;
    for first in (0..walks.walkers).step_by(vertices as usize) {
        let walkers = vertices.min(walks.walkers - first);
        run.set_param(RandomWalks::FIRST_WALKER, first)?;
        run.set_param(RandomWalks::WALKERS, walkers)?;
        run.apply(begin)?;
        seen(run, first, walkers)?;
        for step in 0..walks.length {
            run.set_step(step);
            run.fill(RandomWalks::FIRST, VertexId::UNREACHED)?;
            run.apply(choose)?;
            run.advance(follow)?;
            run.apply(arrive)?;
            seen(run, first, walkers)?;
        }
    }
    Ok(())
}

/// Returns the walks that the arguments specify.
pub(crate) fn asked_for(graph: &Graph, arguments: &Arguments) -> Result<Walks> {
    Ok(Walks {
        walkers: arguments.optional_integer("walkers")?.unwrap_or(graph.num_vertices()),
        length: arguments.integer("length")? as u32,
        source: arguments.vertex(graph, "source")?,
        restart: arguments.real("restart")?,
    })
}

fn run(engine: &Engine, graph: &Graph, arguments: &Arguments) -> Result<Answer> {
    let walks = asked_for(graph, arguments)?;
    let mut run = engine.start(graph)?;
    let visits = visits(&mut run, &walks)?;
    Ok(Answer::new()
        .scalar("walkers", Scalar::Unsigned(walks.walkers))
        .scalar("steps", Scalar::Unsigned(summaries::sum::<_, u64>(&visits, |visits| *visits) - walks.walkers))
        .scalar("seed", Scalar::Unsigned(run.seed()))
        .vertices("visits", visits))
}

const WALKERS: Parameter =
    Parameter::integer("walkers", "Number of walkers").within(1, 1 << 40).otherwise("one for each vertex");
const LENGTH: Parameter =
    Parameter::integer("length", "Steps of each walker").within(0, u32::MAX as u64).default(Value::Integer(80));
const SOURCE: Parameter = Parameter::vertex("source", "Vertex at which all walkers start, by its original ID")
    .otherwise("each at a vertex of its own, in turn");
const RESTART: Parameter = Parameter::real("restart", "Chance that a step leads back to the start, such as 0.15")
    .between(0.0, 1.0)
    .default(Value::Real(0.0));

register! {
    Algorithm::new("random-walks", "Random walks: how often walkers come to each vertex", run)
        .kind(AlgorithmKind::Centrality)
        .help("Each step takes an edge of the walker's vertex, all equally likely, or leads back to its start. Walks end \
               at vertices without out-edges, unless they restart. The same --seed gives the same walks on every device.")
        .source("B. Perozzi, R. Al-Rfou, S. Skiena: DeepWalk, online learning of social representations. KDD 2014")
        .definition(
            Definition::forward(
                "`visits(v)` is the number of times that a walker is at `v`, starts included. Each step takes one of \
                 the edges of the walker's vertex, all equally likely.",
            )
            .counting_both()
            .except(
                "A walk ends at a vertex without out-edges, unless walks restart.",
            ),
        )
        .parameters(&[WALKERS, LENGTH, SOURCE, RESTART])
        .outputs(&[
            Output::vertices("visits", &[ScalarType::U64], "Walkers that came to the vertex, starts included"),
            Output::scalar("walkers", "Number of walkers"),
            Output::scalar("steps", "Steps made by all walkers"),
            Output::scalar("seed", "Seed of the random numbers"),
        ])
        .kernels(&[vertex_kernel(begin), vertex_kernel(choose), edge_kernel(follow), vertex_kernel(arrive)])
        .outline(|arguments, graph| {
            let kernels = [vertex_kernel(choose), edge_kernel(follow), vertex_kernel(arrive)];
            let batches = arguments.optional_integer("walkers")?.map_or(1, |walkers| walkers.div_ceil(graph.vertices.max(1)));
            Ok(Outline::repeat(arguments.integer("length")?, kernels).after([vertex_kernel(begin)]).searches(batches))
        })
        .check(crate::check::random_walks)
}
