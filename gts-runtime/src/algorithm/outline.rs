//! Outline of an algorithm's run, for plans and progress bars.

use super::{Algorithm, Arguments};
use crate::Result;
use gts_contract::{KernelDescriptor, KernelKind, ScalarType, Side};
use gts_core::cost::{AlgorithmShape, PatternShape, Start, Steps};
use gts_core::graph::{Graph, GraphShape};

/// The kernels of a run, their order and their repetitions.
#[derive(Clone, Debug, PartialEq)]
pub struct Outline {
    /// Kernels that run once, before the steps.
    pub once: Vec<&'static KernelDescriptor>,
    /// Kernels of each step.
    pub each_step: Vec<&'static KernelDescriptor>,
    /// Number of repetitions of the steps.
    pub steps: Steps,
    /// Number of searches. Each repeats everything but the kernels in `once`, with steps of its own.
    pub searches: u64,
    /// Whether a vertex is active at most once in a search because of how its kernels interact. Not needed if a
    /// kernel's own guard implies it.
    pub active_once: bool,
    /// The pattern that is searched for, if any.
    pub pattern: Option<PatternShape>,
}

/// Facts that an outline may depend on, besides the arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GraphFacts {
    /// The number of vertices.
    pub vertices: u64,
    /// Whether each edge is stored in both directions.
    pub symmetric: bool,
    /// Whether edges can be visited backwards.
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

/// Returns the outline of a run, from its arguments and the facts of its graph.
pub type OutlineFn = fn(&Arguments, &GraphFacts) -> Result<Outline>;

impl Outline {
    /// Returns an outline of `steps` steps of these kernels.
    pub fn repeat(steps: u64, kernels: impl Into<Vec<&'static KernelDescriptor>>) -> Self {
        let each_step = kernels.into();
        Self { once: Vec::new(), each_step, steps: Steps::Fixed(steps), searches: 1, active_once: false, pattern: None }
    }

    /// Returns an outline of at most `steps` steps of these kernels, if the end depends on values.
    pub fn repeat_at_most(steps: u64, kernels: impl Into<Vec<&'static KernelDescriptor>>) -> Self {
        Self { steps: Steps::AtMost(steps), ..Self::repeat(steps, kernels) }
    }

    /// Returns an outline of steps of these kernels until no vertex is active. Edge kernels visit the edges of active
    /// vertices.
    pub fn while_active(start: Start, kernels: impl Into<Vec<&'static KernelDescriptor>>) -> Self {
        Self { steps: Steps::WhileActive(start), ..Self::repeat(0, kernels) }
    }

    /// Returns the outline of a traversal from one vertex.
    pub fn traverse_from_one(kernel: &'static KernelDescriptor) -> Self {
        Self::while_active(Start::One, [kernel])
    }

    /// Returns the outline of a traversal that begins with every vertex active.
    pub fn traverse_from_all(kernel: &'static KernelDescriptor) -> Self {
        Self::while_active(Start::All, [kernel])
    }

    /// Sets kernels that run once, before the steps.
    #[must_use]
    pub fn after(mut self, kernels: impl Into<Vec<&'static KernelDescriptor>>) -> Self {
        self.once = kernels.into();
        self
    }

    /// Repeats the steps for each of `searches` searches.
    #[must_use]
    pub fn searches(mut self, searches: u64) -> Self {
        self.searches = searches;
        self
    }

    /// Declares that a vertex is active at most once in a search.
    #[must_use]
    pub fn active_once(mut self) -> Self {
        self.active_once = true;
        self
    }

    /// Declares that the kernel searches for a pattern.
    #[must_use]
    pub fn pattern(mut self, pattern: PatternShape) -> Self {
        self.pattern = Some(pattern);
        self
    }

    /// Returns the number of passes over edges, or their maximum, if it can be predicted.
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

    /// Returns this outline in the form of the cost model: over a graph, with the algorithm's requirements.
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
