//! Maximal independent set: vertices without edges between them, to which no further vertex can be added.
//!
//! Vertices have a random order. In each round every undecided vertex checks its neighbours: it is left out if one is
//! in the set, and joins if all earlier ones are left out (M. Luby, "A simple parallel algorithm for the maximal
//! independent set problem", 1986, with one order for all rounds as in G. E. Blelloch, J. T. Fineman, J. Shun, "Greedy
//! sequential maximal independent set and matching are parallel on average", SPAA 2012). The set is that of a loop over
//! the vertices in this order, on every device. There are O(log² n) rounds with high probability.

use crate::priority::priority;
use crate::requirements::undirected;
use gts_graph::algorithm::{
    Algorithm, AlgorithmKind, Answer, Arguments, Definition, Outline, Output, Scalar, Start, Summary, gather_block,
    gather_edges,
};
use gts_graph::contract::ScalarType;
use gts_graph::core::summaries;
use gts_graph::prelude::*;
use gts_graph::register;

/// The vertex may join the set or be left out.
#[gts_const]
const UNDECIDED: u8 = 0;
/// The vertex is in the set.
#[gts_const]
const CHOSEN: u8 = 1;
/// A neighbour of the vertex is in the set.
#[gts_const]
const LEFT_OUT: u8 = 2;

/// Who is in the set.
#[gts_attributes]
pub struct Mis {
    /// 0 while the vertex is undecided, 1 in the set, 2 beside it.
    #[wa(init = 0, merge = any)]
    pub state: u8,
    /// Seed of the order.
    #[param]
    pub seed: u64,
}

/// Effect of a neighbour on a vertex: 2 keeps it out of the set, 1 makes it wait, 0 does nothing.
#[gts_fn]
fn weight(state: u8, before: bool) -> u32 {
    if state == CHOSEN {
        2
    } else if state == UNDECIDED && before {
        1
    } else {
        0
    }
}

#[gts_kernel(gather)]
fn decide(mis: &mut Mis, v: Vertex) {
    let own = priority(mis.seed, v as u64);
    let heaviest = v.neighbors().max(|dst| weight(mis.state[dst], priority(mis.seed, dst as u64) < own));
    if heaviest == 2 {
        mis.state[v] = LEFT_OUT;
    } else if heaviest == 0 {
        mis.state[v] = CHOSEN;
    } else {
        activate(v);
    }
}

/// Returns whether each vertex is in the set, in the order of the original IDs, and the number of rounds. Self-loops
/// are ignored.
///
/// # Errors
///
/// The graph has an edge without its reverse, or as for [`Run::gather`].
///
/// # Examples
///
/// ```
/// use gts_algorithms::mis::mis;
/// use gts_graph::prelude::*;
///
/// let graph = Graph::builder().edges([(0, 1), (1, 2), (2, 0)]).symmetrise(true).build().expect("sound edges");
/// let (chosen, _) = mis(&mut Engine::cpu()?.start(&graph)?, 7)?;
/// assert_eq!(chosen.iter().filter(|chosen| **chosen).count(), 1);
/// # Ok::<(), Error>(())
/// ```
pub fn mis(run: &mut Run<Mis>, seed: u64) -> Result<(Vec<bool>, u64)> {
    undirected(run.graph(), "mis")?;
    run.set_param(Mis::SEED, seed)?;
    run.activate_all()?;
    let mut rounds = 0;
    while run.frontier_size()? > 0 {
        run.gather_active(decide)?;
        rounds += 1;
    }
    let states = run.take(Mis::STATE)?;
    Ok((summaries::mapped("chosen vertices", &states, |state| *state == CHOSEN)?, rounds))
}

fn run(engine: &Engine, graph: &Graph, _: &Arguments) -> Result<Answer> {
    let mut run = engine.start(graph)?;
    let seed = run.seed();
    let (chosen, rounds) = mis(&mut run, seed)?;
    let size = summaries::count(&chosen, |chosen| *chosen);
    Ok(Answer::new()
        .scalar("size", Scalar::Unsigned(size))
        .scalar("rounds", Scalar::Unsigned(rounds))
        .scalar("seed", Scalar::Unsigned(seed))
        .vertices("chosen", chosen))
}

register! {
    Algorithm::new("mis", "Maximal independent set", run)
        .kind(AlgorithmKind::Structure)
        .help("No two vertices of the set are neighbours, and every other vertex has a neighbour in it. \
               The same seed gives the same set on every device.")
        .source("M. Luby: A simple parallel algorithm for the maximal independent set problem. SIAM Journal on \
                 Computing 15, 1986")
        .definition(
            Definition::both(
                "`v` is chosen if no neighbour of `v` is chosen that comes before `v` in a random order.",
            ),
        )
        .symmetric()
        .outputs(&[
            Output::vertices("chosen", &[ScalarType::Bool], "Whether the vertex is in the set")
                .summary(Summary::Histogram),
            Output::scalar("size", "Vertices in the set"),
            Output::scalar("rounds", "Number of rounds"),
            Output::scalar("seed", "Seed of the order of the vertices"),
        ])
        .kernels(&[gather_edges(decide), gather_block(decide)])
        .outline(|_, _| Ok(Outline::while_active(Start::All, [gather_edges(decide), gather_block(decide)])))
        .check(crate::check::mis)
}
