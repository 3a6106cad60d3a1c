//! Definition of each algorithm's answer, for the book. A test runs the algorithms with self-loops and parallel edges.

/// Effect of edges that a definition may ignore.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The answer is the same without them.
    Ignored,
    /// The answer may differ without them.
    Counted,
}

use Effect::{Counted, Ignored};

/// Definition of an algorithm's answer.
#[derive(Clone, Copy, Debug)]
pub struct Convention {
    /// Name of the algorithm.
    pub name: &'static str,
    /// The answer as a formula or a sentence.
    pub formula: &'static str,
    /// Direction in which edges are followed.
    pub direction: &'static str,
    /// Effect of edges from a vertex to itself.
    pub self_loops: Effect,
    /// Effect of several edges between the same vertices.
    pub parallel: Effect,
    /// Sentence about vertices that have no edges, or are not reached; empty if their answer follows from the formula.
    pub exception: &'static str,
}

impl Convention {
    const fn new(name: &'static str, direction: &'static str, formula: &'static str) -> Self {
        Self { name, formula, direction, self_loops: Ignored, parallel: Ignored, exception: "" }
    }

    const fn counting_both(mut self) -> Self {
        self.self_loops = Counted;
        self.parallel = Counted;
        self
    }

    const fn counting_parallel(mut self) -> Self {
        self.parallel = Counted;
        self
    }

    const fn except(mut self, exception: &'static str) -> Self {
        self.exception = exception;
        self
    }
}

const FORWARD: &str = "Edges are followed forward.";
const EITHER: &str = "The direction of edges does not matter.";
const BOTH: &str = "The graph must be symmetric: each edge is stored in both directions.";

/// All definitions, sorted by name.
pub const CONVENTIONS: [Convention; 32] = [
    Convention::new(
        "afforest",
        EITHER,
        "`component(v)` is the smallest ID of a vertex that is connected \
         to `v`.",
    ),
    Convention::new(
        "betweenness",
        FORWARD,
        "`centrality(v) = Σ paths(s, t, v) / paths(s, t)` over the sources `s` and all `t` that `s` \
         reaches, where `v` is neither of them. `paths(s, t)` counts the shortest paths by hops, \
         `paths(s, t, v)` those through `v`. The sum is not scaled, so a pair in an undirected graph \
         counts twice.",
    )
    .counting_parallel(),
    Convention::new("bfs", FORWARD, "`level(v)` is the least number of edges on a path from the source to `v`.")
        .except("A vertex that is not reached has no level."),
    Convention::new(
        "cdlp",
        EITHER,
        "`label'(v)` is the most frequent `label(u)` of the neighbours `u`, and the smallest of several. \
         At first `label(v) = v`. A neighbour counts once for each edge to or from `v`.",
    )
    .counting_both()
    .except("A vertex without neighbours keeps its label."),
    Convention::new(
        "closeness",
        FORWARD,
        "`closeness(s) = r / (n - 1) × r / Σ hops(s, v)` over the `r` other vertices `v` that `s` \
         reaches, in a graph of `n` vertices.",
    )
    .except("A vertex that reaches no other has closeness 0."),
    Convention::new(
        "colouring",
        BOTH,
        "`colour(v)` is the smallest colour that no neighbour of `v` has that comes before `v` in a \
         random order.",
    ),
    Convention::new(
        "cross-edges",
        FORWARD,
        "The edges `u → v` with `u` in the first set and `v` in the \
         second.",
    )
    .counting_both(),
    Convention::new(
        "degree-distribution",
        FORWARD,
        "`out_degree(v)` and `in_degree(v)` are the numbers of edges that leave and enter `v`.",
    )
    .counting_both(),
    Convention::new(
        "eccentricity",
        FORWARD,
        "`eccentricity(s)` is the largest `hops(s, v)` over the vertices `v` that `s` reaches.",
    )
    .except("Vertices that are not reached do not count."),
    Convention::new(
        "egonet",
        FORWARD,
        "The edges between the vertices within `k` hops of the \
         source.",
    )
    .counting_both(),
    Convention::new(
        "hits",
        FORWARD,
        "`authority(v) = Σ hub(u)` over the edges `u → v`, and `hub(u) = Σ authority(v)` over the edges \
         `u → v`. All scores of a kind are then scaled, so that their squares sum to 1.",
    )
    .counting_both(),
    Convention::new("induced-subgraph", FORWARD, "The edges between the given vertices.").counting_both(),
    Convention::new(
        "k-core",
        BOTH,
        "`core(v)` is the largest `k` for which `v` is in a subgraph whose vertices all have at least `k` \
         edges in it.",
    )
    .counting_parallel(),
    Convention::new(
        "k-hop",
        FORWARD,
        "`level(v)` is the least number of edges from the source to `v`, if \
         at most `k`.",
    )
    .except("A vertex that is farther has no level."),
    Convention::new(
        "k-truss",
        BOTH,
        "The largest subgraph whose every edge is in at least `k - 2` of the subgraph's triangles.",
    ),
    Convention::new(
        "lcc",
        EITHER,
        "`coefficient(v) = e / (k (k - 1))` for the `k` neighbours of `v`, along edges in either \
         direction, and the `e` edges between them, each direction on its own.",
    )
    .except("A vertex with fewer than two neighbours has coefficient 0."),
    Convention::new(
        "match",
        BOTH,
        "The number of sets of edges that have the shape of the pattern. With `--induced`, vertices \
         without an edge in the pattern have none in the graph.",
    ),
    Convention::new(
        "mis",
        BOTH,
        "`v` is chosen if no neighbour of `v` is chosen that comes before `v` in a random order.",
    ),
    Convention::new(
        "pagerank",
        FORWARD,
        "`rank'(v) = (1 - d + d D) / n + d Σ rank(u) / out_degree(u)` over the edges `u → v`, with \
         damping `d` and `n` vertices. At first `rank(v) = 1 / n`.",
    )
    .counting_both()
    .except("`D` is the sum of the ranks of vertices without out-edges, which is spread evenly."),
    Convention::new(
        "personalised-pagerank",
        FORWARD,
        "`rank'(v) = d Σ rank(u) / out_degree(u)` over the edges `u → v`. The source gets `1 - d + d D` \
         in addition.",
    )
    .counting_both()
    .except("`D` is the sum of the ranks of vertices without out-edges, which returns to the source."),
    Convention::new(
        "radius",
        FORWARD,
        "`radius(v)` is an estimate of the largest `hops(u, v)` over the vertices `u` that reach `v`, and \
         never above it.",
    ),
    Convention::new(
        "random-walk-with-restart",
        FORWARD,
        "`chance'(v) = (1 - r) Σ chance(u) weight(e) / weight(u)` over the edges `e = u → v`, where \
         `weight(u)` is the sum of the weights of all edges from `u`. The source gets `r + (1 - r) D` in \
         addition.",
    )
    .counting_both()
    .except("`D` is the sum of the chances of vertices without out-edges, which returns to the source."),
    Convention::new(
        "random-walks",
        FORWARD,
        "`visits(v)` is the number of times that a walker is at `v`, starts included. Each step takes one \
         of the edges of the walker's vertex, all equally likely.",
    )
    .counting_both()
    .except("A walk ends at a vertex without out-edges, unless walks restart."),
    Convention::new(
        "salsa",
        FORWARD,
        "`authority(v) = Σ hub(u) / out_degree(u)` and `hub(u) = Σ authority(v) / in_degree(v)`, both \
         over the edges `u → v`. All scores of a kind sum to 1.",
    )
    .counting_both()
    .except("A vertex without in-edges has authority 0, and one without out-edges has hub 0."),
    Convention::new(
        "scc",
        EITHER,
        "`component(v)` is the smallest ID of a vertex that `v` reaches and that reaches `v`. To reverse \
         all edges changes no component.",
    ),
    Convention::new(
        "spanning-forest",
        BOTH,
        "The edges with the least sum of weights that connect every component. The smallest ends decide \
         between edges of the same weight.",
    ),
    Convention::new(
        "sssp",
        FORWARD,
        "`distance(v)` is the least sum of weights on a path from the source to `v`. Weights are at least 0.",
    )
    .except("A vertex that is not reached has no distance."),
    Convention::new("sssp-near-far", FORWARD, "The same as `sssp`.").except(
        "A vertex that is not reached \
         has no distance.",
    ),
    Convention::new(
        "st-connectivity",
        FORWARD,
        "Whether a path leads from the source to the target, and the least number of edges on one.",
    ),
    Convention::new(
        "triangles",
        BOTH,
        "The number of sets of three vertices that are all neighbours of \
         each other.",
    ),
    Convention::new("wcc", EITHER, "`component(v)` is the smallest ID of a vertex that is connected to `v`."),
    Convention::new(
        "who-to-follow",
        FORWARD,
        "`score(v)` is the authority of `v` by `salsa`, with hubs restricted to the vertices of the highest \
         `personalised-pagerank`.",
    )
    .counting_both()
    .except("The source and the vertices that it follows have score 0."),
];
