//! Counts the vertices whose values cross the link after a pass.

use super::super::levels::hit;
use crate::graph::DegreeClass;

/// The number of values sent after a pass.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Messages {
    /// The number of vertices whose values are sent to the GPUs.
    pub to_gpu: f64,
    /// The number of vertices whose values are sent to the CPU.
    pub to_cpu: f64,
}

/// Returns the expected number of messages of a pushing scan, counted as in TOTEM's model. The CPU has a share `alpha`
/// of the edges, selected at random in whole lists. If `d` edges end at a vertex, the probability that at least one of
/// them belongs to the CPU is `1 - (1 - alpha)^d`.
pub fn expected_messages(classes: &[DegreeClass], alpha: f64) -> Messages {
    let targets = classes.iter().map(|class| class.vertices * hit(class, alpha)).sum();
    let sources: f64 = classes.iter().map(|class| class.vertices * hit(&reversed(class), 1.0)).sum();
    Messages { to_gpu: targets, to_cpu: alpha * sources }
}

/// Returns the class with in-edges and out-edges swapped.
fn reversed(class: &DegreeClass) -> DegreeClass {
    DegreeClass { out_degree: class.in_degree, in_degree: class.out_degree, ..*class }
}
