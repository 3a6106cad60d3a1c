//! What a run of an algorithm does, before it runs: what a plan and a progress bar need to know.

use super::{Algorithm, Arguments};
use crate::Result;
use gts_contract::{KernelDescriptor, KernelKind, ScalarType, Side};
use gts_core::cost::{AlgorithmShape, GraphShape, PatternShape, Start, Steps};
use gts_core::graph::Graph;

/// Which kernels run, in which order, and how often.
#[derive(Clone, Debug, PartialEq)]
pub struct Outline {
    /// Kernels that run once, before the steps.
    pub once: Vec<&'static KernelDescriptor>,
    /// Kernels of each step.
    pub each_step: Vec<&'static KernelDescriptor>,
    /// How often the steps are done.
    pub steps: Steps,
    /// How often all of this is done after what runs once: the number of searches, each with steps of its own.
    pub searches: u64,
    /// Whether a vertex is active at most once in a search, by what its kernels do together. Where a kernel's own guard
    /// says so, that is known without.
    pub active_once: bool,
    /// The pattern that is searched for, where one is.
    pub pattern: Option<PatternShape>,
}

/// What an outline may depend on beside the arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GraphFacts {
    /// The number of vertices.
    pub vertices: u64,
    /// Whether each edge stands in both directions.
    pub symmetric: bool,
    /// Whether edges can be walked backwards.
    pub in_edges: bool,
    /// Type of the edge values.
    pub weights: Option<ScalarType>,
}

impl From<&Graph> for GraphFacts {
    fn from(graph: &Graph) -> Self {
        Self {
            vertices: graph.num_vertices(),
            symmetric: graph.properties().symmetric,
            in_edges: graph.topology(Side::In).is_some(),
            weights: graph.value_type(),
        }
    }
}

impl From<&GraphShape> for GraphFacts {
    fn from(graph: &GraphShape) -> Self {
        let in_edges = graph.topology(Side::In).is_some();
        Self { vertices: graph.vertices, symmetric: graph.symmetric, in_edges, weights: graph.value }
    }
}

/// Tells what a run does, from its arguments and what its graph is like.
pub type OutlineFn = fn(&Arguments, &GraphFacts) -> Result<Outline>;

impl Outline {
    /// So many steps of these kernels.
    pub fn repeat(steps: u64, kernels: impl Into<Vec<&'static KernelDescriptor>>) -> Self {
        let each_step = kernels.into();
        Self { once: Vec::new(), each_step, steps: Steps::Fixed(steps), searches: 1, active_once: false, pattern: None }
    }

    /// At most so many steps of these kernels: when it ends depends on values.
    pub fn repeat_at_most(steps: u64, kernels: impl Into<Vec<&'static KernelDescriptor>>) -> Self {
        Self { steps: Steps::AtMost(steps), ..Self::repeat(steps, kernels) }
    }

    /// Steps of these kernels until no vertex is active. Of those that walk edges, each does so for the active vertices.
    pub fn while_active(start: Start, kernels: impl Into<Vec<&'static KernelDescriptor>>) -> Self {
        Self { steps: Steps::WhileActive(start), ..Self::repeat(0, kernels) }
    }

    /// A traversal from one vertex.
    pub fn traverse_from_one(kernel: &'static KernelDescriptor) -> Self {
        Self::while_active(Start::One, [kernel])
    }

    /// A traversal that begins with every vertex active.
    pub fn traverse_from_all(kernel: &'static KernelDescriptor) -> Self {
        Self::while_active(Start::All, [kernel])
    }

    /// Adds kernels that run once, before the steps.
    #[must_use]
    pub fn after(mut self, kernels: impl Into<Vec<&'static KernelDescriptor>>) -> Self {
        self.once = kernels.into();
        self
    }

    /// Does the steps for each of so many searches.
    #[must_use]
    pub fn searches(mut self, searches: u64) -> Self {
        self.searches = searches;
        self
    }

    /// Says that a vertex is active at most once in a search.
    #[must_use]
    pub fn active_once(mut self) -> Self {
        self.active_once = true;
        self
    }

    /// Says that the kernel is a search for a pattern.
    #[must_use]
    pub fn pattern(mut self, pattern: PatternShape) -> Self {
        self.pattern = Some(pattern);
        self
    }

    /// The number of passes over edges, or the most, where it is known beforehand.
    pub fn passes(&self) -> Option<u64> {
        let over_edges = |kernels: &[&'static KernelDescriptor]| {
            kernels.iter().filter(|kernel| kernel.kind != KernelKind::Vertex).count() as u64
        };
        match self.steps {
            Steps::Fixed(steps) | Steps::AtMost(steps) => {
                let steps = steps.saturating_mul(self.searches);
                Some(over_edges(&self.once) + steps.saturating_mul(over_edges(&self.each_step)))
            }
            Steps::WhileActive(_) => None,
        }
    }

    /// Returns the same as costs see it over a graph, with what the algorithm asks of it.
    pub fn shape(&self, algorithm: &Algorithm, graph: &GraphShape) -> AlgorithmShape {
        let mut shape = AlgorithmShape::of(algorithm.name, &self.once, &self.each_step, self.steps, graph);
        shape.searches = self.searches;
        shape.pattern = self.pattern;
        shape.symmetric |= algorithm.needs.symmetric;
        for kernel in shape.each_step.iter_mut().filter(|_| self.active_once) {
            kernel.once = true;
        }
        shape
    }
}
