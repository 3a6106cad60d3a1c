//! What a run of an algorithm does, before it runs: what a plan and a progress bar need to know.

use super::Arguments;
use crate::Result;
use gts_core::contract::{KernelDescriptor, KernelKind, ScalarType};
use gts_core::cost::{AlgorithmShape, Start, Steps};

/// Which kernels run, in which order, and how often.
#[derive(Clone, Debug, PartialEq)]
pub struct Outline {
    /// Kernels that run once, before the steps.
    pub once: Vec<&'static KernelDescriptor>,
    /// Kernels of each step.
    pub each_step: Vec<&'static KernelDescriptor>,
    /// How often the steps are done.
    pub steps: Steps,
}

/// Tells what a run does, from its arguments and the type of the graph's edge values.
pub type OutlineFn = fn(&Arguments, Option<ScalarType>) -> Result<Outline>;

impl Outline {
    /// So many steps of these kernels.
    pub fn repeat(steps: u64, kernels: impl Into<Vec<&'static KernelDescriptor>>) -> Self {
        Self { once: Vec::new(), each_step: kernels.into(), steps: Steps::Fixed(steps) }
    }

    /// At most so many steps of these kernels: when it ends depends on values.
    pub fn repeat_at_most(steps: u64, kernels: impl Into<Vec<&'static KernelDescriptor>>) -> Self {
        Self { steps: Steps::AtMost(steps), ..Self::repeat(steps, kernels) }
    }

    /// A traversal from one vertex.
    pub fn traverse_from_one(kernel: &'static KernelDescriptor) -> Self {
        Self { once: Vec::new(), each_step: vec![kernel], steps: Steps::WhileActive(Start::One) }
    }

    /// A traversal that begins with every vertex active.
    pub fn traverse_from_all(kernel: &'static KernelDescriptor) -> Self {
        Self { steps: Steps::WhileActive(Start::All), ..Self::traverse_from_one(kernel) }
    }

    /// Adds kernels that run once, before the steps.
    #[must_use]
    pub fn after(mut self, kernels: impl Into<Vec<&'static KernelDescriptor>>) -> Self {
        self.once = kernels.into();
        self
    }

    /// The number of passes over edges, or the most, where it is known beforehand.
    pub fn passes(&self) -> Option<u64> {
        let over_edges = |kernels: &[&'static KernelDescriptor]| {
            kernels.iter().filter(|kernel| kernel.kind != KernelKind::Vertex).count() as u64
        };
        match self.steps {
            Steps::Fixed(steps) | Steps::AtMost(steps) => {
                Some(over_edges(&self.once) + steps.saturating_mul(over_edges(&self.each_step)))
            }
            Steps::WhileActive(_) => None,
        }
    }

    /// The same as costs see it, in a graph whose stored vertex numbers take `vertex_bytes`.
    pub fn shape(&self, name: &str, vertex_bytes: usize) -> AlgorithmShape {
        AlgorithmShape::of(name, &self.once, &self.each_step, self.steps, vertex_bytes)
    }
}
