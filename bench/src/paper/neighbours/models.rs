//! Predicts the cost of strategies, for comparison with measurements.

use super::super::subject::Subject;
use super::super::trials::Workload;
use super::cells::Strategy;
use gts_graph::contract::KernelKind;
use gts_graph::core::cost::ProcessorConstants;
use gts_graph::core::cost::neighbors::PassShape;
use gts_graph::core::cost::neighbors::printed::Implementation;
use gts_graph::device::Propagation;

/// Bytes per access in the paper's models.
const VALUE: u64 = 4;

/// Predicts the cost of an iteration or a run with a strategy. Each model has its own unit. Returns `None` if the model
/// does not cover the strategy.
pub(super) type Model = fn(&ProcessorConstants, &Subject, &Workload, &Strategy) -> Option<f64>;

/// The models, each with its name in tables.
pub(super) const MODELS: &[(&str, Model)] = &[("ours", ours), ("the paper's", printed)];

/// Returns the seconds per pass of the kernel that walks the most edges, as predicted by GTS's model.
fn ours(processor: &ProcessorConstants, subject: &Subject, workload: &Workload, strategy: &Strategy) -> Option<f64> {
    if strategy.propagation == Propagation::PullAtEdge {
        return None;
    }
    let algorithm = workload.shape(subject.shape()).ok()?;
    let walks = |kind| matches!(kind, KernelKind::Scan | KernelKind::Traverse);
    let kernel = algorithm.kernels().find(|kernel| walks(kernel.kind))?;
    let pass = PassShape::of(subject.shape(), kernel, strategy.propagation == Propagation::Pull)?;
    Some(pass.terms(strategy.technique?, processor).seconds())
}

/// Returns the seconds per PageRank iteration, as predicted by the paper's model of the most similar implementation.
/// The paper has no models for techniques that use warps.
fn printed(processor: &ProcessorConstants, subject: &Subject, _: &Workload, strategy: &Strategy) -> Option<f64> {
    let lists = strategy.technique?.edge_list().is_some();
    let implementation = match strategy.propagation {
        Propagation::Auto => return None,
        Propagation::Push if lists => Implementation::Edge,
        Propagation::Push => Implementation::Push,
        Propagation::Pull => Implementation::NoDiv,
        Propagation::PullAtEdge => Implementation::Pull,
    };
    let (vertices, edges) = (subject.graph.num_vertices(), subject.graph.num_edges());
    let each = processor.accesses.each(VALUE * vertices);
    Some(implementation.iteration(vertices as f64, edges as f64).seconds(&each))
}
