//! The listings and solutions of the chapters on the language, as one test program. Each module is a whole program in
//! the book.

mod gather;
mod pagerank;
mod peel;
mod scan;
mod traverse;
mod values;
mod vertices;

#[path = "../../solutions/conductance.rs"]
mod conductance;
#[path = "../../solutions/contagion.rs"]
mod contagion;
#[path = "../../solutions/extremes.rs"]
mod extremes;
#[path = "../../solutions/homophily.rs"]
mod homophily;
#[path = "../../solutions/largest_follower.rs"]
mod largest_follower;
#[path = "../../solutions/mean_weight.rs"]
mod mean_weight;
#[path = "../../solutions/mixing.rs"]
mod mixing;
#[path = "../../solutions/pagerank_from.rs"]
mod pagerank_from;
#[path = "../../solutions/pagerank_sinks.rs"]
mod pagerank_sinks;
#[path = "../../solutions/peaks.rs"]
mod peaks;
#[path = "../../solutions/reliable.rs"]
mod reliable;
#[path = "../../solutions/roots.rs"]
mod roots;
#[path = "../../solutions/topological.rs"]
mod topological;
#[path = "../../solutions/within.rs"]
mod within;

/// Returns an edge into each of the vertices `0..vertices`, and more edges between them. Some vertices have no edge out.
fn random_edges(vertices: u64, more: u64, seed: u64) -> Vec<(u64, u64)> {
    let mut state = seed;
    let mut below = |bound: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % bound
    };
    let mut edges: Vec<_> = (0..vertices).map(|v| (below(vertices / 2), v)).collect();
    edges.extend((0..more).map(|_| (below(vertices / 2), below(vertices))));
    edges
}

/// Returns the edges without parallel edges and self-loops, each in both directions.
fn both_ways(edges: &[(u64, u64)]) -> Vec<(u64, u64)> {
    let mut both: Vec<_> = edges.iter().flat_map(|&(a, b)| [(a, b), (b, a)]).filter(|(a, b)| a != b).collect();
    both.sort_unstable();
    both.dedup();
    both
}
