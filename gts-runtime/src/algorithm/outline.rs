//! The outline of an algorithm's run, for plans and progress bars.

use super::{Algorithm, Arguments};
use crate::Result;
use gts_contract::{KernelDescriptor, KernelKind, ScalarType, Side};
use gts_core::cost::{AlgorithmShape, PatternShape, Start, Steps};
use gts_core::graph::{Graph, GraphShape};

/// The kernels of a run, in the order of execution and with their repetitions.
#[derive(Clone, Debug, PartialEq)]
pub struct Outline {
    /// The kernels that run once before the steps.
    pub once: Vec<&'static KernelDescriptor>,
    /// The kernels that each step runs.
    pub each_step: Vec<&'static KernelDescriptor>,
    /// The number of steps, or the condition that ends them.
    pub steps: Steps,
    /// The number of searches. Each search makes its own `steps`; the kernels in `once` do not run again.
    pub searches: u64,
    /// Whether a vertex is active at most once per search because of how the kernels interact. Not needed if the guard
    /// of a kernel already ensures this.
    pub active_once: bool,
    /// The pattern to search for, if the algorithm matches a pattern.
    pub pattern: Option<PatternShape>,
}

/// The properties of a graph that an outline may depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GraphFacts {
    /// The number of vertices.
    pub vertices: u64,
    /// Whether each edge is stored in both directions.
    pub symmetric: bool,
    /// Whether the graph stores in-edges, so that kernels can visit edges backwards.
    pub in_edges: bool,
    /// The type of the edge values; `None` if edges have no values.
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

/// Computes the outline of a run from its arguments and the properties of its graph.
pub type OutlineFn = fn(&Arguments, &GraphFacts) -> Result<Outline>;

impl Outline {
    /// Creates an outline with exactly `steps` steps. Each step runs these kernels.
    pub fn repeat(steps: u64, kernels: impl Into<Vec<&'static KernelDescriptor>>) -> Self {
        let each_step = kernels.into();
        Self { once: Vec::new(), each_step, steps: Steps::Fixed(steps), searches: 1, active_once: false, pattern: None }
    }

    /// Creates an outline with at most `steps` steps, for a run whose end depends on attribute values. Each step runs
    /// these kernels.
    pub fn repeat_at_most(steps: u64, kernels: impl Into<Vec<&'static KernelDescriptor>>) -> Self {
        Self { steps: Steps::AtMost(steps), ..Self::repeat(steps, kernels) }
    }

    /// Creates an outline whose steps end when no vertex is active. Each step runs these kernels; edge kernels visit
    /// the edges of active vertices only.
    pub fn while_active(start: Start, kernels: impl Into<Vec<&'static KernelDescriptor>>) -> Self {
        Self { steps: Steps::WhileActive(start), ..Self::repeat(0, kernels) }
    }

    /// Creates the outline of a traversal that starts from one vertex.
    pub fn traverse_from_one(kernel: &'static KernelDescriptor) -> Self {
        Self::while_active(Start::One, [kernel])
    }

    /// Creates the outline of a traversal that starts with every vertex active.
    pub fn traverse_from_all(kernel: &'static KernelDescriptor) -> Self {
        Self::while_active(Start::All, [kernel])
    }

    /// Sets the kernels that run once before the steps.
    #[must_use]
    pub fn after(mut self, kernels: impl Into<Vec<&'static KernelDescriptor>>) -> Self {
        self.once = kernels.into();
        self
    }

    /// Sets the number of searches. Each search repeats the steps.
    #[must_use]
    pub fn searches(mut self, searches: u64) -> Self {
        self.searches = searches;
        self
    }

    /// Declares that a vertex is active at most once per search.
    #[must_use]
    pub fn active_once(mut self) -> Self {
        self.active_once = true;
        self
    }

    /// Declares that the kernels include a search for this pattern.
    #[must_use]
    pub fn pattern(mut self, pattern: PatternShape) -> Self {
        self.pattern = Some(pattern);
        self
    }

    /// Returns an upper bound on the number of edge passes; `None` if the number of steps has no bound.
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

    /// Converts the outline to the input of the cost model, for a graph and the requirements of the algorithm.
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
