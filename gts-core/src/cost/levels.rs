//! Predicts how far traversals reach, step by step.
//!
//! In a random graph with given degrees, an edge ends at a vertex with a probability proportional to the vertex's
//! in-degree. A vertex with `k` incoming edges stays unreached with probability `(1 - e)^k`, where `e` is the share of
//! the unfollowed edges that the step follows. These probabilities determine the levels of a search. For RMAT graphs,
//! the number of edges between vertices of high and low degree is also known. With this number, the predicted last
//! levels are smaller.
//!
//! For kernels that improve values repeatedly, or that begin with all vertices active, the model uses shares measured
//! on RMAT graphs (scale 14 to 22, edge factor 16, weights from 0 to 1). A plan marks predictions based on these
//! shares.

use super::algorithm::Start;
use crate::graph::{DegreeClass, DegreeSpread, GraphShape, TopologyShape, TraversalGrowth};

/// The active share of the edges in each level after the peak, relative to the previous level. The last value repeats.
const IMPROVING: [f64; 6] = [0.88, 0.66, 0.52, 0.48, 0.53, 0.57];
/// The exponent that converts the active share of edges into the active share of vertices. It exceeds 1 because
/// vertices with many edges are improved longest.
const IMPROVING_VERTICES: f64 = 1.5;
/// The active shares in the steps after the first, if all vertices are active at first.
const SETTLING: [f64; 3] = [0.99, 1e-4, 1e-6];
/// Maximum number of levels of a search. A deeper graph does not resemble a random graph.
const MOST: usize = 10_000;

/// The activity in a traversal step, or in several identical steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepActivity {
    /// The number of active vertices.
    pub vertices: f64,
    /// The share of all edges that belongs to active vertices.
    pub share: f64,
    /// The share of all edges that is checked if the step pulls. Each unreached vertex searches its neighbours for an
    /// active vertex, and stops at the first.
    pub searched: f64,
    /// The number of identical steps.
    pub repeats: f64,
}

impl StepActivity {
    /// Returns `repeats` steps in which every vertex is active.
    pub(super) fn all(graph: &GraphShape, repeats: f64) -> Self {
        Self { vertices: graph.vertices as f64, share: 1.0, searched: 1.0, repeats }
    }

    /// Returns the expected number of a topology's pages that contain an active vertex, if active vertices are
    /// distributed at random.
    pub(super) fn touched_pages(&self, graph: &GraphShape, topology: &TopologyShape) -> f64 {
        let active = (self.vertices / graph.vertices.max(1) as f64).min(1.0);
        let small = topology.small_pages as f64;
        let each = graph.vertices as f64 / small.max(1.0);
        let touched = small * (1.0 - (1.0 - active).powf(each));
        // Large pages contain the vertices with the most edges. The active share of these vertices is assumed to be at
        // least the active share of the edges.
        let large = topology.large_pages as f64 * self.share.max(active).min(1.0);
        (touched + large).min(topology.pages() as f64)
    }
}

/// Predicts the steps of a traversal that starts from the vertex with the most edges, or from all vertices. `once` is
/// true if a vertex is active at most once.
pub fn levels(graph: &GraphShape, start: Start, once: bool) -> Vec<StepActivity> {
    let reached = |level: &StepActivity| level.vertices >= 0.5;
    match start {
        Start::All => {
            let all = StepActivity::all(graph, 1.0);
            let later = SETTLING.map(|share| StepActivity { vertices: all.vertices * share, share, ..all });
            let later = if once { &[][..] } else { &later };
            [all].iter().chain(later).copied().filter(reached).collect()
        }
        Start::One => {
            let search = search(graph);
            if once || matches!(graph.reach, TraversalGrowth::Known(_)) { search } else { improving(&search) }
        }
    }
}

/// Distributes the work of the levels over `count` steps, in the same order. A level may be split over several equal
/// steps, and several levels may be joined in one step. A step has at most `most` vertices and at most all edges.
pub(super) fn stretched(levels: &[StepActivity], count: u64, most: f64) -> Vec<StepActivity> {
    let steps: f64 = levels.iter().map(|level| level.repeats).sum();
    let factor = count.max(1) as f64 / steps.max(1.0);
    let ends = levels.iter().scan(0.0, |end, level| {
        *end += level.repeats * factor;
        Some(*end)
    });
    if factor >= 1.0 {
        let mut done = 0.0;
        let parts = levels.iter().zip(ends).map(|(level, end)| {
            let repeats = end.round() - done;
            done = end.round();
            let each = level.repeats / repeats;
            let (share, searched) = (level.share * each, level.searched * each);
            StepActivity { vertices: level.vertices * each, share, searched, repeats }
        });
        return parts.collect();
    }
    let none = StepActivity { vertices: 0.0, share: 0.0, searched: 0.0, repeats: 1.0 };
    let mut together = vec![none; count.max(1) as usize];
    let mut begin = 0.0;
    for (level, end) in levels.iter().zip(ends) {
        // Each new step receives the parts of the old steps that overlap it.
        let last = together.len() - 1;
        for (number, step) in together.iter_mut().enumerate().take(end as usize + 1).skip((begin as usize).min(last)) {
            let part = (end.min(number as f64 + 1.0) - f64::max(begin, number as f64)).max(0.0) / factor;
            step.vertices = (step.vertices + part * level.vertices).min(most);
            step.share = (step.share + part * level.share).min(1.0);
            step.searched = (step.searched + part * level.searched).min(1.0);
        }
        begin = end;
    }
    together
}

/// Returns the levels of a breadth-first search.
fn search(graph: &GraphShape) -> Vec<StepActivity> {
    let edges = (graph.edges as f64).max(1.0);
    if let TraversalGrowth::Known(levels) = &graph.reach {
        let known = levels.iter().map(|level| StepActivity {
            vertices: level.vertices,
            share: level.edges / edges,
            searched: 1.0,
            repeats: level.repeats,
        });
        return known.collect();
    }
    let mut unreached: Vec<f64> = graph.classes.iter().map(|class| class.vertices).collect();
    let by_degree = |a: &usize, b: &usize| graph.classes[*a].out_degree.total_cmp(&graph.classes[*b].out_degree);
    let Some(hubs) = (0..graph.classes.len()).max_by(by_degree) else { return Vec::new() };
    unreached[hubs] -= 1.0;
    let hub = graph.classes[hubs].out_degree;
    let mut left = edges;
    let (mut vertices, mut followed) = (1.0, hub.min(edges));
    let mut active = vec![0.0; graph.classes.len()];
    active[hubs] = 1.0;
    let mut levels = Vec::new();
    while vertices >= 0.5 && levels.len() < MOST {
        let share = followed / edges;
        let chance = |target: usize| match &graph.reach {
            TraversalGrowth::Mixed(between) => incoming_share(graph, between, &active, target),
            _ if left > 0.0 => (followed / left).min(1.0),
            _ => 0.0,
        };
        let chances: Vec<f64> = (0..graph.classes.len()).map(chance).collect();
        let mut level = StepActivity { vertices, share, searched: 0.0, repeats: 1.0 };
        left = (left - followed).max(0.0);
        (vertices, followed) = (0.0, 0.0);
        for (index, class) in graph.classes.iter().enumerate() {
            active[index] = unreached[index] * hit(class, chances[index]);
            // Per reached vertex, 1 / chance edges are checked on average, including the checks of unsuccessful
            // searches.
            let looked_at = match chances[index] {
                chance if chance > 1e-12 => active[index] / chance,
                _ => unreached[index] * class.in_degree,
            };
            level.searched += looked_at / edges;
            unreached[index] -= active[index];
            vertices += active[index];
            followed += active[index] * class.out_degree;
        }
        followed = followed.min(left);
        levels.push(level);
    }
    levels
}

/// Of the edges that lead into a class, returns the share that starts at active vertices.
fn incoming_share(graph: &GraphShape, between: &[f64], active: &[f64], target: usize) -> f64 {
    let classes = &graph.classes;
    let all = classes[target].vertices * classes[target].in_degree;
    let from = |source: usize| active[source] / classes[source].vertices * between[source * classes.len() + target];
    if all > 0.0 { ((0..classes.len()).map(from).sum::<f64>() / all).min(1.0) } else { 0.0 }
}

/// Returns the probability that at least one incoming edge of a vertex is followed, if each edge is followed with
/// probability `chance`.
pub(super) fn hit(class: &DegreeClass, chance: f64) -> f64 {
    match class.spread {
        DegreeSpread::Poisson => -(-class.in_degree * chance).exp_m1(),
        DegreeSpread::Even => 1.0 - (1.0 - chance).powf(class.in_degree),
    }
}

/// Derives the steps of a traversal that improves values from the levels of a search. Up to the peak level, the steps
/// equal the levels of the search. In the next step, all reached vertices are active. In later steps, the activity
/// declines.
fn improving(search: &[StepActivity]) -> Vec<StepActivity> {
    let all: f64 = search.iter().map(|level| level.vertices).sum();
    let peak = (0..search.len()).max_by(|&a, &b| search[a].share.total_cmp(&search[b].share)).unwrap_or(0);
    let mut levels = search[..search.len().min(peak + 1)].to_vec();
    let reached = |upto: usize| {
        search[..search.len().min(upto)]
            .iter()
            .fold((0.0, 0.0), |sum, level| (sum.0 + level.vertices, sum.1 + level.share))
    };
    let (vertices, mut share) = reached(peak + 2);
    levels.push(StepActivity { vertices, share, searched: 1.0, repeats: 1.0 });
    for factor in IMPROVING.iter().chain(std::iter::repeat(&IMPROVING[IMPROVING.len() - 1])) {
        share *= factor;
        let level = StepActivity { vertices: all * share.powf(IMPROVING_VERTICES), share, searched: 1.0, repeats: 1.0 };
        if level.vertices < 0.5 {
            break;
        }
        levels.push(level);
    }
    levels
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::BuildOptions;
    use crate::cost::estimate;
    use crate::generate::parse;
    use crate::graph::{Graph, Vertex};

    fn shape(spec: &str) -> GraphShape {
        estimate(&parse(spec).unwrap(), &BuildOptions::default()).unwrap()
    }

    #[test]
    fn work_stays_the_same_in_another_number_of_steps() {
        let sum = |levels: &[StepActivity]| {
            levels.iter().fold((0.0, 0.0, 0.0), |sum, level| {
                let times = level.repeats;
                (sum.0 + times, sum.1 + times * level.vertices, sum.2 + times * level.share)
            })
        };
        let close = |a: f64, b: f64| (a - b).abs() <= 1e-9 * a.abs().max(b.abs());
        let predicted = search(&shape("rmat:14"));
        let (_, vertices, share) = sum(&predicted);
        for count in [1, 2, 3, predicted.len() as u64, 9, 50, 1_000_000] {
            let stretched = stretched(&predicted, count, f64::INFINITY);
            let (steps, spread_vertices, spread_share) = sum(&stretched);
            assert_eq!(steps, count as f64);
            assert!(close(spread_vertices, vertices) && close(spread_share, share), "{count}: {stretched:?}");
            assert!(stretched.len() <= predicted.len().max(count as usize) && stretched.len() < 1000);
        }
        let same = stretched(&predicted, predicted.len() as u64, f64::INFINITY);
        assert_eq!(same, predicted);
        let chain = StepActivity { vertices: 1.0, share: 0.01, searched: 0.01, repeats: 100.0 };
        let third = stretched(&[chain], 33, f64::INFINITY);
        assert!(third.iter().all(|step| close(step.vertices, 100.0 / 33.0)), "{third:?}");
        assert_eq!(stretched(&[], 3, 1.0), []);
    }

    /// Returns the number of active vertices in each level of a serial breadth-first search, and their share of all
    /// edges.
    fn serial(graph: &Graph) -> Vec<(f64, f64)> {
        let hub = (0..graph.num_vertices()).max_by_key(|&v| graph.out_degree(Vertex::from_dense(v))).unwrap();
        let mut seen = vec![false; graph.num_vertices() as usize];
        let mut frontier = vec![Vertex::from_dense(hub)];
        seen[hub as usize] = true;
        let mut levels = Vec::new();
        while !frontier.is_empty() {
            let edges: u64 = frontier.iter().map(|v| graph.out_degree(*v)).sum();
            levels.push((frontier.len() as f64, edges as f64 / graph.num_edges() as f64));
            let reached = frontier.iter().flat_map(|v| graph.neighbors(*v)).map(Result::unwrap);
            frontier = reached.filter(|v| !std::mem::replace(&mut seen[v.index()], true)).collect();
        }
        levels
    }

    #[test]
    fn searches_of_rmat_are_predicted() {
        for spec in ["rmat:14", "rmat:16", "rmat:15,edge-factor=32"] {
            let (graph, _) = crate::build::build(&mut parse(spec).unwrap(), &BuildOptions::default()).unwrap();
            let truth = serial(&graph);
            for predicted in [levels(&shape(spec), Start::One, true), levels(&GraphShape::of(&graph), Start::One, true)]
            {
                assert!(predicted.len().abs_diff(truth.len()) <= 1, "{spec}: {predicted:?} {truth:?}");
                for (level, (vertices, share)) in predicted.iter().zip(&truth) {
                    assert!((level.share - share).abs() < 0.08, "{spec}: {predicted:?} {truth:?}");
                    assert!(
                        (level.vertices - vertices).abs() < 10.0 + 0.3 * vertices,
                        "{spec}: {predicted:?} {truth:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn no_search_follows_an_edge_twice() {
        for spec in ["rmat:20", "rmat:31", "uniform:20", "grid:1000x1000", "star:50", "complete:20", "torus:2^10"] {
            let levels = levels(&shape(spec), Start::One, true);
            let (vertices, share) = levels.iter().fold((0.0, 0.0), |sum, level| {
                (sum.0 + level.vertices * level.repeats, sum.1 + level.share * level.repeats)
            });
            assert!(share <= 1.0 + 1e-9, "{spec}: {share}");
            assert!(vertices <= shape(spec).vertices as f64 + 1.0, "{spec}: {vertices}");
        }
    }

    #[test]
    fn improving_visits_edges_as_often_as_was_seen() {
        // Measured: 3.15 visits per edge at scale 16 in 13 steps, and 3.66 at scale 20 in 24 steps.
        for (spec, seen, steps) in [("rmat:16", 3.15, 13), ("rmat:20", 3.66, 24)] {
            let levels = levels(&shape(spec), Start::One, false);
            let visits: f64 = levels.iter().map(|level| level.share).sum();
            assert!((visits / seen - 1.0).abs() < 0.2, "{spec}: {visits}");
            assert!(levels.len().abs_diff(steps) <= 8, "{spec}: {} steps", levels.len());
        }
    }

    #[test]
    fn plain_shapes_have_the_levels_that_they_must() {
        let steps = |spec: &str| levels(&shape(spec), Start::One, true).iter().map(|level| level.repeats).sum::<f64>();
        assert_eq!(steps("chain:1000"), 999.0);
        assert_eq!(steps("grid:100x200"), 297.0);
        assert_eq!(steps("star:100"), 2.0);
        assert_eq!(steps("torus:100x201"), 151.0);
        assert_eq!(steps("torus:60000^2"), 60_001.0);
    }
}
