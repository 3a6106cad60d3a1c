//! Chooses whether a step loop or the host runs the next steps of a traversal.

use super::arguments::EDGE_BITS;
use gts_contract::StepLoop;
use gts_device::tuning::{self, CUDA_STEP_LOOPS};
use gts_device::{StepsBy, StepsRun};

/// The facts on which the choice of a loop depends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Prospect {
    /// The requested choice between host and device.
    pub(super) steps_by: StepsBy,
    /// The loops that the kernel allows.
    pub(super) step_loop: StepLoop,
    /// The number of topologies that a step walks.
    pub(super) walks: usize,
    /// The largest degree of a vertex in any of these topologies.
    pub(super) largest_degree: u64,
    /// The number of vertices in the graph.
    pub(super) vertices: u64,
    /// The number of edges in all walked topologies.
    pub(super) edges: u64,
    /// The minimum number of active edges at which a step pulls; `None` if no step pulls.
    pub(super) edges_to_pull: Option<u64>,
    /// The number of active vertices.
    pub(super) active: u64,
    /// The number of edges of the active vertices, if counted.
    pub(super) active_edges: Option<u64>,
    /// The capacity of a queue in the in-order loop, in vertices.
    pub(super) room: u64,
}

/// Returns whether a loop can be chosen for some number of active vertices.
pub(super) fn is_wanted(steps_by: StepsBy, step_loop: StepLoop, largest_degree: u64) -> bool {
    steps_by.loops().is_some_and(|loops| loops.are_wanted(step_loop, largest_degree))
}

/// Returns the maximum number of steps that a loop runs before it returns to the host.
pub(super) fn most_steps(steps_by: StepsBy) -> u32 {
    match steps_by {
        StepsBy::DeviceFor(steps) => steps.get().min(tuning::CUDA_LOOP_STEPS),
        StepsBy::Auto | StepsBy::Host | StepsBy::Device => tuning::CUDA_LOOP_STEPS,
    }
}

impl Prospect {
    /// Returns the loop that should run the next steps, or `None` if the host should run the next step.
    pub(super) fn choose(&self) -> Option<StepsRun> {
        if !is_wanted(self.steps_by, self.step_loop, self.largest_degree) {
            return None;
        }
        let may_claim = CUDA_STEP_LOOPS.may_claim(self.step_loop, self.walks, self.largest_degree);
        if may_claim && self.active <= self.most_to_claim() {
            return Some(StepsRun::Claiming);
        }
        let few = self.active <= self.room && self.expected_edges() < self.edges_for_host();
        (few && self.edges >> EDGE_BITS == 0).then_some(StepsRun::InOrder)
    }

    /// Returns the number of edges of the active vertices. If these edges were not counted, estimates the number from
    /// the average degree.
    fn expected_edges(&self) -> u64 {
        if let Some(counted) = self.active_edges {
            return counted;
        }
        let expected = u128::from(self.active) * u128::from(self.edges) / u128::from(self.vertices.max(1));
        u64::try_from(expected).unwrap_or(u64::MAX)
    }

    /// Returns the minimum number of active edges at which the in-order loop leaves a step to the host.
    pub(super) fn edges_for_host(&self) -> u64 {
        let to_push = match self.steps_by {
            StepsBy::Auto => tuning::CUDA_LOOP_EDGES,
            StepsBy::Host | StepsBy::Device | StepsBy::DeviceFor(_) => u64::MAX,
        };
        self.edges_to_pull.unwrap_or(u64::MAX).min(to_push)
    }

    /// Returns the maximum number of active vertices at which the claiming loop still begins a step.
    pub(super) fn most_to_claim(&self) -> u64 {
        CUDA_STEP_LOOPS.most_to_claim(self.largest_degree, self.edges_to_pull)
    }

    /// Returns the capacity of each block's queue in the claiming loop, in entries.
    pub(super) fn claiming_room(&self) -> u64 {
        CUDA_STEP_LOOPS.claiming_room(self.largest_degree, self.edges_to_pull)
    }
}

#[cfg(test)]
mod tests {
    use super::super::arguments::{CLAIMING_BLOCKS, CLAIMING_LANES, CLAIMING_THREADS};
    use super::*;

    /// A search in a road network with 2^24 vertices.
    const ROADS: Prospect = Prospect {
        steps_by: StepsBy::Auto,
        step_loop: StepLoop::Claiming,
        walks: 1,
        largest_degree: 4,
        vertices: 1 << 24,
        edges: 1 << 26,
        edges_to_pull: Some(1 << 20),
        active: 4096,
        active_edges: None,
        room: 1 << 22,
    };

    #[test]
    fn a_search_with_short_lists_claims() {
        assert_eq!(ROADS.choose(), Some(StepsRun::Claiming));
        assert_eq!(Prospect { steps_by: StepsBy::Device, ..ROADS }.choose(), Some(StepsRun::Claiming));
        assert_eq!(Prospect { steps_by: StepsBy::Host, ..ROADS }.choose(), None);
    }

    #[test]
    fn a_number_of_steps_limits_a_loop_and_chooses_as_the_device_does() {
        let few = StepsBy::from_name("device:16").unwrap();
        assert_eq!((most_steps(few), most_steps(StepsBy::Device)), (16, tuning::CUDA_LOOP_STEPS));
        assert_eq!(most_steps(StepsBy::from_name("device:4294967295").unwrap()), tuning::CUDA_LOOP_STEPS);
        assert_eq!(Prospect { steps_by: few, ..ROADS }.choose(), Some(StepsRun::Claiming));
        assert!(
            StepsBy::ALL.into_iter().chain([few]).all(|choice| StepsBy::from_name(&choice.to_string()) == Some(choice))
        );
        assert!(
            ["device:0", "device:", "device:-1", "host:3", "gpu"].iter().all(|text| StepsBy::from_name(text).is_none())
        );
    }

    #[test]
    fn what_may_not_claim_goes_in_order() {
        let relax = Prospect { step_loop: StepLoop::InOrder, ..ROADS };
        let wide = Prospect { active: tuning::CUDA_CLAIMING_ACTIVE + 1, ..ROADS };
        let both = Prospect { walks: 2, ..ROADS };
        for prospect in [relax, wide, both] {
            assert_eq!(prospect.choose(), Some(StepsRun::InOrder), "{prospect:?}");
        }
        assert_eq!(Prospect { step_loop: StepLoop::No, ..ROADS }.choose(), None);
    }

    #[test]
    fn hubs_leave_steps_in_order_to_the_host_unless_somebody_asks() {
        let hubs = Prospect { largest_degree: tuning::CUDA_LOOP_DEGREE + 1, ..ROADS };
        assert_eq!(hubs.choose(), Some(StepsRun::InOrder));
        let relax = Prospect { step_loop: StepLoop::InOrder, ..hubs };
        assert_eq!(relax.choose(), None);
        assert_eq!(Prospect { steps_by: StepsBy::Device, ..relax }.choose(), Some(StepsRun::InOrder));
    }

    #[test]
    fn large_steps_that_push_are_left_to_the_host_unless_somebody_asks() {
        let relax = Prospect { step_loop: StepLoop::InOrder, edges_to_pull: None, ..ROADS };
        assert_eq!(relax.choose(), Some(StepsRun::InOrder));
        let wide = Prospect { active: tuning::CUDA_LOOP_EDGES / 4, ..relax };
        assert_eq!(wide.choose(), None);
        assert_eq!(Prospect { active: wide.active - 1, ..wide }.choose(), Some(StepsRun::InOrder));
        assert_eq!(Prospect { steps_by: StepsBy::Device, ..wide }.choose(), Some(StepsRun::InOrder));
        assert_eq!(relax.edges_for_host(), tuning::CUDA_LOOP_EDGES);
    }

    #[test]
    fn a_kernel_that_pulls_late_leaves_large_steps_that_push_to_the_host() {
        // Steps pull labels only if most vertices are active. Large steps with fewer active vertices push.
        let labels = Prospect { step_loop: StepLoop::InOrder, edges_to_pull: Some(1 << 25), ..ROADS };
        let wide = Prospect { active: tuning::CUDA_LOOP_EDGES / 4, ..labels };
        assert_eq!((labels.choose(), wide.choose()), (Some(StepsRun::InOrder), None));
        assert_eq!(Prospect { steps_by: StepsBy::Device, ..wide }.choose(), Some(StepsRun::InOrder));
        assert_eq!(Prospect { steps_by: StepsBy::Device, ..wide }.edges_for_host(), 1 << 25);
    }

    #[test]
    fn what_has_no_room_is_left_to_the_host() {
        let relax = Prospect { step_loop: StepLoop::InOrder, ..ROADS };
        assert_eq!(Prospect { active: relax.room + 1, ..relax }.choose(), None);
        assert_eq!(Prospect { edges: 1 << EDGE_BITS, ..relax }.choose(), None);
    }

    #[test]
    fn no_step_that_should_pull_is_claimed() {
        for largest_degree in [0, 1, 3, 4, 64] {
            for edges in [0, 1, 5, 1000, 1 << 20, 1 << 40] {
                let prospect = Prospect { largest_degree, edges_to_pull: Some(edges), ..ROADS };
                let most = prospect.most_to_claim();
                assert!(most == 0 || most * largest_degree < edges, "{prospect:?}");
                assert!(most <= tuning::CUDA_CLAIMING_ACTIVE);
            }
        }
        assert_eq!(Prospect { edges_to_pull: None, ..ROADS }.most_to_claim(), tuning::CUDA_CLAIMING_ACTIVE);
    }

    #[test]
    fn counts_of_a_block_fit_their_bits() {
        let widest = Prospect { largest_degree: tuning::CUDA_LOOP_DEGREE, edges_to_pull: None, ..ROADS };
        // The bound is 2 to the power of `GTS_COUNT_BITS` in `claims.cuh`.
        assert!(widest.claiming_room() < 1 << 22, "{}", widest.claiming_room());
        // A block processes its share of the vertices in whole rounds. The block's queue has room for all vertices that
        // these rounds can reach.
        let turns = widest.most_to_claim().div_ceil(u64::from(CLAIMING_BLOCKS * CLAIMING_THREADS / CLAIMING_LANES));
        let taken = turns * u64::from(CLAIMING_THREADS / CLAIMING_LANES);
        assert!(taken * widest.largest_degree <= widest.claiming_room());
    }
}
