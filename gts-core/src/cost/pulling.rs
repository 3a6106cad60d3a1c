//! Determines when a traversal step pulls. Runs on GPUs and plans for searches use the same functions. Plans assume
//! that traversals on labels push.
//!
//! A search pulls by Beamer's rule (S. Beamer, K. Asanović, D. Patterson: Direction-optimizing breadth-first search, SC
//! 2012): a step pulls if its active vertices have more than a given fraction of the unwalked edges. Beamer's fraction
//! is a constant. Here the fraction is the time of a pulling pass divided by the time of a pushing pass, according to
//! the model of [`super::neighbors`].
//!
//! Other traversals walk whole lists when they pull. If vertices lie near their neighbours, a label that a vertex has
//! pulled reaches further vertices in the same pass, which saves steps. A distance that spreads within a pass has
//! followed an arbitrary path, and is often replaced later.

use super::algorithm::KernelShape;
use super::levels::StepActivity;
use super::loops::LOOP_EDGE;
use super::machine::{ProcessorConstants, ProcessorKind};
use super::neighbors::{PassShape, choose};
use crate::graph::GraphShape;

/// The number of pushing steps that do the work of one pulling step on labels, if all vertices lie near their
/// neighbours and no vertex has many edges. Half of a vertex's neighbours precede the vertex in a pulling pass. With
/// probability 1/2, a label that has followed one edge therefore follows the next edge in the same pass. The expected
/// number of edges per pass is `1 + 1/2 + 1/4 + ...`. On an H100, the ratio for WCC was 1.1 on a torus of 1000 x 1000
/// and on a grid, 1.3 on a torus with ten dimensions, 2.0 with five, and 2.7 with three.
const STEPS_OF_PUSHES: f64 = 2.0;
/// Maximum degree for which traversals are assumed to take many steps.
const FEW_EDGES: u64 = 64;

/// The inputs for the choice between pushing and pulling, except the activity of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ways {
    /// Whether a pulling pass may stop reading a list early.
    pub leaves_early: bool,
    /// Seconds of a pushing pass and of a pulling pass over all edges.
    pub seconds: [f64; 2],
    /// Seconds that a pulling pass takes to check, for every vertex, whether the vertex must search for an active
    /// neighbour.
    pub asking: f64,
    /// The share of list entries whose vertex lies near the vertex of another entry; 0 if edges have values.
    pub local: f64,
    /// The largest degree in the topologies that the kernel walks.
    pub largest_degree: u64,
    /// Fixed seconds per step, excluding the pass.
    pub step: f64,
}

impl Ways {
    /// Computes the inputs for a kernel and a graph. `seconds` contains the times of a pushing and a pulling pass.
    pub fn of(graph: &GraphShape, kernel: &KernelShape, seconds: [f64; 2], machine: &ProcessorConstants) -> Self {
        let asking = PassShape::of(graph, kernel, true).map_or(0.0, |pass| pass.asking(machine));
        Self {
            leaves_early: kernel.leaves_early,
            seconds,
            asking,
            local: if kernel.reads_edge { 0.0 } else { graph.lists.local },
            largest_degree: kernel.sides.iter().map(|&side| graph.largest_degree(side)).max().unwrap_or(0),
            step: machine.step,
        }
    }

    /// Returns the share of the edges above which a pulling step is faster; 1 or more if a pulling step is never
    /// faster. For a search, the share refers to the unwalked edges.
    pub fn share(&self) -> f64 {
        let [push, pull] = self.seconds;
        if push <= 0.0 {
            return f64::INFINITY;
        }
        (((self.step + pull) / self.steps_of_pushes() - self.step) / push).max(0.0)
    }

    /// Returns the number of pushing steps that do the work of one pulling step.
    fn steps_of_pushes(&self) -> f64 {
        match self.leaves_early || self.largest_degree > FEW_EDGES {
            true => 1.0,
            false => 1.0 + self.local * (STEPS_OF_PUSHES - 1.0),
        }
    }

    /// Returns the minimum number of active edges for which a step pulls. The graph has `all` edges, and earlier steps
    /// of a search have walked `walked` edges. A pulling search checks all vertices, no matter how few edges are left.
    pub fn edges_to_pull(&self, all: u64, walked: u64) -> u64 {
        if self.seconds[0] <= 0.0 {
            return u64::MAX;
        }
        let left = if self.leaves_early { all.saturating_sub(walked) } else { all };
        let edges = left as f64 * self.share();
        let asked = if self.leaves_early { all as f64 * self.asking / self.seconds[0] } else { 0.0 };
        edges.max(asked).ceil() as u64
    }

    /// Returns the number of active edges for which the in-order loop takes as long as a pulling pass started by the
    /// host, but at least [`Ways::edges_to_pull`]. Steps on labels use this threshold even if no loop runs.
    pub fn edges_to_leave_loop(&self, all: u64, walked: u64) -> u64 {
        let edges = (self.step + self.seconds[1]) / self.steps_of_pushes() / LOOP_EDGE;
        self.edges_to_pull(all, walked).max(edges.ceil() as u64)
    }
}

/// Returns whether a level of a search pulls if earlier levels have walked a share `walked` of the edges. A CPU pulls
/// if at least 1/`asked` of the edges are active. If `asked` is `u64::MAX`, CPUs and GPUs pull whenever possible.
pub(super) fn level_pulls(
    graph: &GraphShape,
    kernel: &KernelShape,
    machine: &ProcessorConstants,
    (level, walked): (&StepActivity, f64),
    asked: u64,
) -> bool {
    if machine.kind == ProcessorKind::Cpu || asked == u64::MAX {
        return level.share * asked as f64 >= 1.0;
    }
    let edges = graph.edges as f64;
    level.share * edges >= edges_to_pull(graph, kernel, machine, (walked * edges) as u64) as f64
}

/// Returns the minimum number of active edges for which a kernel's step pulls on a GPU with automatically chosen
/// techniques.
pub(super) fn edges_to_pull(
    graph: &GraphShape,
    kernel: &KernelShape,
    machine: &ProcessorConstants,
    walked: u64,
) -> u64 {
    let seconds = |pulls| Some(choose(&PassShape::of(graph, kernel, pulls)?, machine).seconds());
    match (seconds(false), seconds(true)) {
        (Some(push), Some(pull)) => Ways::of(graph, kernel, [push, pull], machine).edges_to_pull(graph.edges, walked),
        _ => u64::MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEARCH: Ways =
        Ways { leaves_early: true, seconds: [160e-6, 40e-6], asking: 2e-6, local: 0.0, largest_degree: 4, step: 40e-6 };
    const LABELS: Ways = Ways { leaves_early: false, seconds: [40e-6, 50e-6], ..SEARCH };

    #[test]
    fn a_search_pulls_sooner_where_little_is_left() {
        let all = 1 << 24;
        assert_eq!(SEARCH.edges_to_pull(all, 0), all / 4);
        assert_eq!(SEARCH.edges_to_pull(all, all / 2), all / 8);
        // Every vertex is checked, no matter how few edges are left. The check takes 2 us, and pushing all edges takes
        // 160 us.
        let least = (all as f64 / 80.0).ceil() as u64;
        assert_eq!(SEARCH.edges_to_pull(all, all), least);
        assert_eq!(SEARCH.edges_to_pull(all, 2 * all), least);
    }

    #[test]
    fn a_search_for_which_pulling_takes_longer_does_not_pull() {
        let slow = Ways { seconds: [40e-6, 50e-6], local: 1.0, ..SEARCH };
        assert!(slow.edges_to_pull(1000, 0) > 1000);
        assert_eq!(Ways { seconds: [0.0, 0.0], ..SEARCH }.edges_to_pull(1000, 0), u64::MAX);
    }

    #[test]
    fn labels_pull_along_lists_of_near_vertices_even_if_a_pass_takes_longer() {
        assert!((LABELS.share() - 1.25).abs() < 1e-9, "nothing is near");
        let near = Ways { local: 1.0, ..LABELS };
        // A pulling step of 90 us takes as long as two pushing steps, each with a fixed 40 us plus the push of a share
        // of the edges.
        let share = near.share();
        assert!((STEPS_OF_PUSHES * (40e-6 + share * 40e-6) - 90e-6).abs() < 1e-12, "{share}");
        assert_eq!(near.edges_to_pull(1 << 20, 1 << 20), (share * f64::from(1 << 20)).ceil() as u64);
        let hubs = Ways { largest_degree: FEW_EDGES + 1, ..near };
        assert!((hubs.share() - 1.25).abs() < 1e-9, "with hubs steps are few");
        let short = Ways { seconds: [1e-6, 2e-6], ..near };
        assert_eq!(short.share(), 0.0);
        // A pulling step of 42 us does the work of two pushing steps. The loop walks an edge in 0.16 ns.
        assert!((131_250..131_252).contains(&short.edges_to_leave_loop(1 << 24, 0)));
        assert_eq!(near.edges_to_leave_loop(1 << 24, 0), near.edges_to_pull(1 << 24, 0));
    }
}
