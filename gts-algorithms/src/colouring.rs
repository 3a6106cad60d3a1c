//! Greedy colouring: neighbours have different colours, and few colours are used.
//!
//! Vertices have a random order. Each takes the smallest colour that no earlier neighbour has, as soon as all earlier
//! neighbours have one (M. T. Jones, P. E. Plassmann, "A parallel graph coloring heuristic", 1993). So the colours are
//! those of a loop over the vertices in this order on every device: at most one more than the largest degree. A vertex
//! counts the neighbours that it waits for, and is active again when one of them has got its colour: each list is
//! visited twice, and once more for each 63 colours. The expected number of rounds is O(log n) on graphs of bounded
//! degree.

use crate::priority::priority;
use crate::requirements::undirected;
use gts_graph::algorithm::{
    Algorithm, AlgorithmKind, Answer, Arguments, Definition, Outline, Output, Scalar, Start, Summary, edge_kernel,
    gather_block, gather_edges,
};
use gts_graph::contract::ScalarType;
use gts_graph::core::summaries;
use gts_graph::prelude::*;
use gts_graph::register;

/// Colours considered in one round.
#[gts_const]
const WINDOW: u32 = 63;

/// A colour for each vertex.
#[gts_attributes]
pub struct Colouring {
    /// Colour of the vertex, from 0.
    #[wa(init = UNREACHED, merge = any)]
    pub colour: u32,
    /// The smallest colour that is not known to be taken: earlier rounds found all below it so.
    #[wa(init = 0, merge = any)]
    pub floor: u32,
    /// Edges from neighbours that come before the vertex and have no colour yet.
    #[wa(init = 0, merge = sum)]
    pub waiting: u32,
    /// Seed of the order.
    #[param]
    pub seed: u64,
}

/// Returns the bit of a neighbour's colour in the set of colours taken from `floor` on.
#[gts_fn]
fn taken(colour: u32, floor: u32) -> u64 {
    // A colour below the window wraps, and `UNREACHED` is far above each window.
    let place = colour.wrapping_sub(floor);
    if place >= WINDOW { 0 } else { 1 << place }
}

#[gts_kernel(scan)]
fn wait(c: &mut Colouring, src: Vertex, dst: Vertex) {
    if priority(c.seed, src as u64) < priority(c.seed, dst as u64) {
        c.waiting[dst] += 1;
    }
}

#[gts_kernel(traverse)]
fn release(c: &mut Colouring, src: Vertex, dst: Vertex) {
    if c.colour[src] == UNREACHED {
        // It has seen a window full of colours, and is to look at the next.
        activate(src);
    } else if priority(c.seed, src as u64) < priority(c.seed, dst as u64) {
        c.waiting[dst] -= 1;
        activate(dst);
    }
}

#[gts_kernel(gather)]
fn colour(c: &mut Colouring, v: Vertex) {
    if c.waiting[v] > 0 {
        return;
    }
    let own = priority(c.seed, v as u64);
    let floor = c.floor[v];
    let set: u64 = v.neighbors().filter(|dst| priority(c.seed, dst as u64) < own).or(|dst| taken(c.colour[dst], floor));
    let free = (!set).trailing_zeros();
    if free == WINDOW {
        c.floor[v] = floor + WINDOW;
    } else {
        c.colour[v] = floor + free;
    }
    activate(v);
}

/// Returns the colour of every vertex, in the order of the original IDs, and the number of rounds. Self-loops are
/// ignored.
///
/// # Errors
///
/// The graph has an edge without its reverse, or as for [`Run::gather`].
///
/// # Examples
///
/// ```
/// use gts_algorithms::colouring::colouring;
/// use gts_graph::prelude::*;
///
/// let graph = Graph::builder().edges([(0, 1), (1, 2), (2, 0)]).symmetrise(true).build().expect("sound edges");
/// let (mut colours, _) = colouring(&mut Engine::cpu()?.start(&graph)?, 7)?;
/// colours.sort_unstable();
/// assert_eq!(colours, [0, 1, 2]);
/// # Ok::<(), Error>(())
/// ```
pub fn colouring(run: &mut Run<Colouring>, seed: u64) -> Result<(Vec<u32>, u64)> {
    undirected(run.graph(), "colouring")?;
    run.set_param(Colouring::SEED, seed)?;
    run.scan(wait)?;
    run.activate_all()?;
    let mut rounds = 0;
    while run.frontier_size()? > 0 {
        run.gather_active(colour)?;
        rounds += 1;
        run.advance(release)?;
    }
    Ok((run.take(Colouring::COLOUR)?, rounds))
}

fn run(engine: &Engine, graph: &Graph, _: &Arguments) -> Result<Answer> {
    let mut run = engine.start(graph)?;
    let seed = run.seed();
    let (colours, rounds) = colouring(&mut run, seed)?;
    let most = summaries::largest(&colours).map_or(0, |colour| u64::from(colour) + 1);
    Ok(Answer::new()
        .scalar("colours", Scalar::Unsigned(most))
        .scalar("rounds", Scalar::Unsigned(rounds))
        .scalar("seed", Scalar::Unsigned(seed))
        .vertices("colour", colours))
}

register! {
    Algorithm::new("colouring", "Greedy colouring: neighbours get different colours", run)
        .kind(AlgorithmKind::Structure)
        .aliases(&["coloring"])
        .help("Each vertex takes the smallest colour that its neighbours before it in a random order have left. \
               The same seed gives the same colours on every device.")
        .source("M. T. Jones, P. E. Plassmann: A parallel graph coloring heuristic. SIAM Journal on Scientific \
                 Computing 14, 1993")
        .definition(
            Definition::both(
                "`colour(v)` is the smallest colour that no neighbour of `v` has that comes before `v` in a random \
                 order.",
            ),
        )
        .symmetric()
        .outputs(&[
            Output::vertices("colour", &[ScalarType::U32], "Colour of the vertex, from 0").summary(Summary::Histogram),
            Output::scalar("colours", "Number of colours"),
            Output::scalar("rounds", "Number of rounds"),
            Output::scalar("seed", "Seed of the order of the vertices"),
        ])
        .kernels(&[edge_kernel(wait), gather_edges(colour), gather_block(colour), edge_kernel(release)])
        .outline(|_, _| {
            let round = [gather_edges(colour), gather_block(colour), edge_kernel(release)];
            Ok(Outline::while_active(Start::All, round).after([edge_kernel(wait)]))
        })
        .check(crate::check::colouring)
}
