//! Who to follow: accounts that a user is likely to want to see, because the user's circle of trust follows them.
//!
//! The circle consists of the vertices of the highest personalised PageRank. SALSA scores the accounts that they
//! follow, with the circle as hubs (P. Gupta et al., WWW 2013). The drivers of
//! [`personalised_pagerank`](crate::personalised_pagerank) and [`salsa`](crate::salsa) do all of the work: a scan for
//! each iteration of the first, two for each of the second.

use crate::pagerank;
use crate::personalised_pagerank::{damp, personalised_pagerank, push};
use crate::salsa::{Salsa, backward, begin, follow, forward, salsa};
use crate::source::{ITERATIONS, SOURCE, source};
use gts_graph::algorithm::{
    Algorithm, AlgorithmKind, Answer, Arguments, Definition, Outline, Output, Parameter, Scalar, Value, edge_kernel,
    vertex_kernel,
};
use gts_graph::contract::ScalarType;
use gts_graph::core::summaries;
use gts_graph::prelude::*;
use gts_graph::register;

/// Options of the circle and of the walk in it.
#[derive(Clone, Copy, Debug)]
pub struct CircleOptions {
    /// Maximum number of vertices in the circle of trust.
    pub circle: u64,
    /// Probability to follow an edge, for the circle.
    pub damping: f64,
    /// Iterations of personalised PageRank, and of SALSA.
    pub iterations: u64,
}

/// Returns a score for every vertex, in the order of the original IDs: 0 for the user, for vertices that the user
/// already follows, and for vertices that no member of the circle follows.
///
/// # Errors
///
/// As for [`Run::scan`]: the graph must have in-edges, or be symmetric. Also if pages cannot be read.
///
/// # Examples
///
/// ```
/// use gts_algorithms::who_to_follow::{CircleOptions, who_to_follow};
/// use gts_graph::prelude::*;
///
/// let graph = Graph::builder().edges([(0, 1), (0, 2), (1, 3), (2, 3), (2, 4)]).in_edges(true).build().expect("sound");
/// let options = CircleOptions { circle: 3, damping: 0.85, iterations: 20 };
/// let scores = who_to_follow(&Engine::cpu()?, &graph, graph.vertex(0)?, &options)?;
/// assert!(scores[3] > scores[4] && scores[4] > 0.0 && scores[1] == 0.0);
/// # Ok::<(), Error>(())
/// ```
pub fn who_to_follow(engine: &Engine, graph: &Graph, user: Vertex, options: &CircleOptions) -> Result<Vec<f64>> {
    let CircleOptions { circle, damping, iterations } = *options;
    let trust = pagerank::Options { damping, iterations, tolerance: None };
    let trust = personalised_pagerank(&mut engine.start(graph)?, user, &trust)?.ranks;
    let mut members = memory::zeroed("members of the circle", trust.len())?;
    for vertex in most_trusted(graph, user, &trust, circle)? {
        members[vertex.index()] = true;
    }
    let mut run = engine.start(graph)?;
    run.set_dense(Salsa::MEMBER, &members)?;
    let mut scores = salsa(&mut run, iterations)?.authorities;
    let mut forget = |vertex| {
        if let Some(rank) = graph.ids().rank(vertex) {
            scores[rank as usize] = 0.0;
        }
    };
    forget(user);
    for followed in graph.neighbors(user) {
        forget(followed?);
    }
    Ok(scores)
}

/// Returns the vertices of the highest ranks, without the user; the smallest IDs break ties.
pub(crate) fn most_trusted(graph: &Graph, user: Vertex, ranks: &[f64], circle: u64) -> Result<Vec<Vertex>> {
    let ids = graph.ids();
    let own = ids.rank(user).map(|rank| rank as usize);
    // Equal ranks may differ in their last digits, by the order of sums; the smaller original ID is then first. The
    // bits of positive floats have the order of the floats.
    let key = |place: usize, rank: &f64| (Some(place) != own && *rank > 0.0).then_some((*rank as f32).to_bits());
    let trusted = summaries::top(ranks, usize::try_from(circle).unwrap_or(usize::MAX), key)?;
    Ok(memory::collected("trusted vertices", trusted.into_iter().filter_map(|rank| ids.vertex_of_rank(rank as u64)))?)
}

fn run(engine: &Engine, graph: &Graph, arguments: &Arguments) -> Result<Answer> {
    let options = CircleOptions {
        circle: arguments.integer("circle")?,
        damping: arguments.real("damping")?,
        iterations: arguments.integer("iterations")?,
    };
    let scores = who_to_follow(engine, graph, source(graph, arguments)?, &options)?;
    let candidates = summaries::count(&scores, |score| *score > 0.0);
    Ok(Answer::new().vertices("score", scores).scalar("candidates", Scalar::Unsigned(candidates)))
}

register! {
    Algorithm::new("who-to-follow", "Vertices that a user may want to follow", run)
        .kind(AlgorithmKind::Centrality)
        .help("Scores whom the user's circle of trust follows: by SALSA, with the vertices of the highest personalised \
               PageRank for hubs. The source is the user; whom the user follows already has score 0.")
        .source("P. Gupta et al.: WTF, the who to follow service at Twitter. WWW 2013")
        .definition(
            Definition::forward(
                "`score(v)` is the authority of `v` by `salsa`, with hubs restricted to the vertices of the highest \
                 `personalised-pagerank`.",
            )
            .counting_both()
            .except(
                "The source and the vertices that it follows have score 0.",
            ),
        )
        .in_edges()
        .parameters(&[
            SOURCE,
            Parameter::integer("circle", "Vertices in the circle of trust, at most")
                .within(1, u64::MAX)
                .default(Value::Integer(500)),
            Parameter::real("damping", "Chance to follow an edge, for the circle")
                .between(0.0, 1.0)
                .default(Value::Real(0.85)),
            ITERATIONS,
        ])
        .outputs(&[
            Output::vertices("score", &[ScalarType::F64], "How much the circle follows the vertex"),
            Output::scalar("candidates", "Vertices with a score"),
        ])
        .kernels(&[
            edge_kernel(push),
            vertex_kernel(damp),
            vertex_kernel(begin),
            edge_kernel(follow),
            edge_kernel(forward),
            edge_kernel(backward),
        ])
        .outline(|arguments, _| {
            let iteration = [edge_kernel(push), vertex_kernel(damp), edge_kernel(forward), edge_kernel(backward)];
            let iterations = Outline::repeat(arguments.integer("iterations")?, iteration);
            Ok(iterations.after([vertex_kernel(begin), edge_kernel(follow)]))
        })
        .check(crate::check::who_to_follow)
}
