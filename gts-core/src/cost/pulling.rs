//! When a step of a traversal pulls: plans and GPUs ask the same functions.
//!
//! A search pulls by Beamer's rule (S. Beamer, K. Asanović, D. Patterson: Direction-optimizing breadth-first search, SC 2012):
//! where its active vertices have more edges than a part of those that it has not walked. Beamer's part is a constant. Here it
//! is what a pass that pulls takes by the model of [`super::neighbours`], over what one that pushes takes.
//!
//! Other traversals go through whole lists where they pull. Where vertices lie near their neighbours, a label that a vertex has
//! pulled reaches others within the same pass, so that steps are fewer. A distance that does so came along any path, and is
//! often replaced again.

use super::algorithm::KernelShape;
use super::levels::Level;
use super::machine::{ProcessorConstants, ProcessorKind};
use super::neighbours::{Pass, choose};
use super::shape::GraphShape;

/// Vertices that a step which pulls asks whether they still look for an active neighbour, in the time in which one that pushes
/// walks an edge. An estimate: on an H200 a hand-written push walks 27 edges a nanosecond.
const VERTICES_AN_EDGE: u64 = 20;

/// How many times as many steps labels take by pushing, where all vertices lie near their neighbours and no vertex has many
/// edges. On an H100 WCC took 1.1 times as many over a torus of 1000 x 1000 and a grid, 1.3 over one of ten sides, 2.0 over one
/// of five and 2.7 over one of three: this is the middle of the range.
const STEPS_OF_PUSHES: f64 = 1.7;
/// The largest degree of a graph whose traversals take many steps.
const FEW_EDGES: u64 = 64;

/// What the choice between the ways of a step goes by, besides what is active.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ways {
    /// Whether vertices that pull leave their lists early.
    pub leaves_early: bool,
    /// Seconds of a pass along all edges that pushes, and of one that pulls.
    pub seconds: [f64; 2],
    /// The share of the entries of lists whose vertices lie near those of others; none where edges have values.
    pub local: f64,
    /// The most edges of a vertex.
    pub largest_degree: u64,
    /// Seconds of a step besides its pass.
    pub step: f64,
}

impl Ways {
    /// Reckons the ways of a kernel over a graph; `seconds` are those of a pass that pushes, and of one that pulls.
    pub fn of(graph: &GraphShape, kernel: &KernelShape, seconds: [f64; 2], machine: &ProcessorConstants) -> Self {
        Self {
            leaves_early: kernel.leaves_early,
            seconds,
            local: if kernel.reads_edge { 0.0 } else { graph.lists.local },
            largest_degree: kernel.sides.iter().map(|&side| graph.largest_degree(side)).max().unwrap_or(0),
            step: machine.step,
        }
    }

    /// Returns the share of the edges that must be active for a step that pulls to take less; 1 or more where it never does. For
    /// a search it is the share of those that it has not walked.
    pub fn share(&self) -> f64 {
        let [push, pull] = self.seconds;
        if push <= 0.0 {
            return f64::INFINITY;
        }
        if self.leaves_early || self.largest_degree > FEW_EDGES {
            return pull / push;
        }
        let fewer = 1.0 + self.local * (STEPS_OF_PUSHES - 1.0);
        (((self.step + pull) / fewer - self.step) / push).max(0.0)
    }

    /// Returns the least number of active edges with which a step pulls. The graph has `all` edges, and earlier steps of a search
    /// have `walked` some of them. A search that pulls asks all vertices.
    pub fn edges_to_pull(&self, all: u64, walked: u64, vertices: u64) -> u64 {
        let left = if self.leaves_early { all.saturating_sub(walked) } else { all };
        let edges = (left as f64 * self.share()).ceil();
        let least = if self.leaves_early { vertices / VERTICES_AN_EDGE } else { 0 };
        (edges as u64).max(least)
    }
}

/// Returns whether a level of a search pulls, after levels that have walked a share of the edges. The CPU pulls where one edge
/// of `asked` is active. A GPU does so only if `asked` is `u64::MAX`, which asks it to pull wherever it can.
pub(super) fn level_pulls(
    graph: &GraphShape,
    kernel: &KernelShape,
    machine: &ProcessorConstants,
    (level, walked): (&Level, f64),
    asked: u64,
) -> bool {
    if machine.kind == ProcessorKind::Cpu || asked == u64::MAX {
        return level.share * asked as f64 >= 1.0;
    }
    let (edges, active) = (graph.edges as f64, level.share * graph.edges as f64);
    // The model takes longer than this.
    active >= (graph.vertices / VERTICES_AN_EDGE) as f64
        && active >= edges_to_pull(graph, kernel, machine, (walked * edges) as u64) as f64
}

/// Returns the least number of active edges with which a step of a kernel pulls on a GPU that chooses its techniques.
pub(super) fn edges_to_pull(
    graph: &GraphShape,
    kernel: &KernelShape,
    machine: &ProcessorConstants,
    walked: u64,
) -> u64 {
    let seconds =
        [false, true].map(|pulls| Pass::of(graph, kernel, pulls).map_or(0.0, |pass| choose(&pass, machine).seconds()));
    Ways::of(graph, kernel, seconds, machine).edges_to_pull(graph.edges, walked, graph.vertices)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEARCH: Ways =
        Ways { leaves_early: true, seconds: [160e-6, 40e-6], local: 0.0, largest_degree: 4, step: 40e-6 };
    const LABELS: Ways = Ways { leaves_early: false, seconds: [40e-6, 50e-6], ..SEARCH };

    #[test]
    fn a_search_pulls_sooner_where_little_is_left() {
        let (all, vertices) = (1 << 24, 1 << 20);
        assert_eq!(SEARCH.edges_to_pull(all, 0, vertices), 1 << 22);
        assert_eq!(SEARCH.edges_to_pull(all, all / 2, vertices), 1 << 21);
        // Each vertex is asked, however few edges are left.
        assert_eq!(SEARCH.edges_to_pull(all, all, vertices), vertices / VERTICES_AN_EDGE);
        assert_eq!(SEARCH.edges_to_pull(all, 2 * all, vertices), vertices / VERTICES_AN_EDGE);
    }

    #[test]
    fn a_search_for_which_pulling_takes_longer_does_not_pull() {
        let slow = Ways { seconds: [40e-6, 50e-6], local: 1.0, ..SEARCH };
        assert!(slow.edges_to_pull(1000, 0, 100) > 1000);
        assert_eq!(Ways { seconds: [0.0, 0.0], ..SEARCH }.edges_to_pull(1000, 0, 100), u64::MAX);
    }

    #[test]
    fn labels_pull_along_lists_of_near_vertices_even_if_a_pass_takes_longer() {
        assert!((LABELS.share() - 1.25).abs() < 1e-9, "nothing is near");
        let near = Ways { local: 1.0, ..LABELS };
        // A step of 90 us is worth 1.7 steps of 40 us and the push of a share of the edges.
        let share = near.share();
        assert!((STEPS_OF_PUSHES * (40e-6 + share * 40e-6) - 90e-6).abs() < 1e-12, "{share}");
        assert_eq!(near.edges_to_pull(1 << 20, 1 << 20, 1 << 18), (share * f64::from(1 << 20)).ceil() as u64);
        let hubs = Ways { largest_degree: FEW_EDGES + 1, ..near };
        assert!((hubs.share() - 1.25).abs() < 1e-9, "with hubs steps are few");
        let short = Ways { seconds: [1e-6, 2e-6], ..near };
        assert_eq!(short.share(), 0.0);
    }
}
