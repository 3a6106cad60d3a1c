//! Predicts how a run's time depends on the number of nodes, and finds the largest worthwhile number of nodes.

use super::super::algorithm::AlgorithmShape;
use super::super::hybrid::WORTHWHILE;
use super::super::machine::{HostConstants, ProcessorConstants};
use super::super::memory::{RunConfiguration, Shortfall};
use super::super::predict::{Prediction, StepPrediction, predict};
use super::Nodes;
use crate::graph::GraphShape;
use gts_contract::KernelKind;

/// The prediction for one number of nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// The number of nodes.
    pub nodes: u32,
    /// Seconds for the whole run.
    pub seconds: f64,
    /// Seconds in which nodes send values, merge received values, or wait for exchanges.
    pub network: f64,
    /// Bytes sent by the busiest node.
    pub sent: f64,
}

/// The reason why more nodes do not speed up a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Against {
    /// Vertex kernels, which every node runs for all vertices.
    VertexKernels,
    /// Sending and merging values.
    Values,
    /// The latency of exchanges.
    Latency,
    /// The fixed costs of launches and steps.
    Steps,
    /// Merging between the devices of a node.
    Merge,
    /// Creating the attributes and copying the result.
    Attributes,
    /// Kernels that only one node runs.
    Alone,
    /// Pages or lists that are larger than a node's share.
    Pages,
}

impl Against {
    /// Returns the reason's name for display.
    pub const fn name(self) -> &'static str {
        match self {
            Self::VertexKernels => "kernels over vertices, which every node runs for all of them",
            Self::Values => "values that nodes send one another, which more nodes do not make fewer",
            Self::Latency => "exchanges, which take the longer the more nodes there are",
            Self::Steps => "launches and the ends of steps, which are the same on every node",
            Self::Merge => "the merge of devices within a node, which is the same on every node",
            Self::Attributes => "making attributes and the answer, which every node does for all vertices",
            Self::Alone => "kernels that one node runs alone",
            Self::Pages => "whole pages and lists, because one node has more than its share of them",
        }
    }
}

/// Predicted times of a run for several numbers of nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct Scaling {
    /// The predictions for 1, 2, 4 nodes and so on, up to the first number that is not worthwhile, and for the
    /// requested number.
    pub points: Vec<Point>,
    /// The largest predicted number of nodes with which the run is at least [`WORTHWHILE`] times as fast as with every
    /// smaller number.
    pub pays: u32,
    /// The prediction for the first number of nodes that is not worthwhile, the main reason, and the reason's share of
    /// the time. `None` if the largest predicted number is worthwhile.
    pub against: Option<(Point, Against, f64)>,
}

/// Predicts a run on 1, 2, 4 nodes and so on up to `most` nodes, and on the configured number of nodes.
///
/// # Errors
///
/// Returns the [`Shortfall`] that makes the configured run impossible.
pub fn scaling(
    graph: &GraphShape,
    algorithm: &AlgorithmShape,
    host: &HostConstants,
    processor: &ProcessorConstants,
    configuration: &RunConfiguration,
    most: u32,
) -> Result<Scaling, Shortfall> {
    let asked = configuration.nodes;
    let on = |count: u32| {
        let configuration = RunConfiguration { nodes: Nodes { count, ..asked }, ..configuration.clone() };
        predict(graph, algorithm, host, processor, &configuration).map(|found| (count, found))
    };
    let wanted = on(asked.count)?;
    let most = u64::from(most).min(graph.out.pages().max(1));
    let counts = std::iter::successors(Some(1u32), |count| count.checked_mul(2));
    // Skip numbers of nodes with which the run is impossible, for example because memory does not suffice.
    let found: Vec<_> =
        counts.take_while(|count| u64::from(*count) <= most).filter_map(|count| on(count).ok()).collect();
    let pays = paying(found.iter().map(|(count, found)| (*count, found.seconds()))).unwrap_or(asked.count);
    let beyond = found.iter().find(|(count, _)| *count > pays);
    let against = beyond.map(|(count, prediction)| {
        let alone = algorithm.kernels().any(|kernel| kernel.kind != KernelKind::Vertex && kernel.writes.alone);
        let nodes = Nodes { count: *count, ..asked };
        let (against, seconds) = against(&nodes, prediction, found.first(), alone);
        (point(&nodes, prediction), against, seconds / prediction.seconds())
    });
    let shown = beyond.map_or(u32::MAX, |(count, _)| *count);
    let mut points: Vec<_> = found.iter().filter(|(count, _)| *count <= shown).collect();
    if points.iter().all(|(count, _)| *count != asked.count) {
        points.push(&wanted);
    }
    points.sort_by_key(|(count, _)| *count);
    let points = points.into_iter().map(|(count, found)| point(&Nodes { count: *count, ..asked }, found)).collect();
    Ok(Scaling { points, pays, against })
}

/// Returns the largest number of nodes that is worthwhile compared with all smaller numbers, given the seconds for each
/// number.
pub(super) fn paying(seconds: impl Iterator<Item = (u32, f64)>) -> Option<u32> {
    let add = |(pays, best): (Option<u32>, f64), (count, seconds): (u32, f64)| {
        let pays = if best >= WORTHWHILE * seconds { Some(count) } else { pays };
        (pays, best.min(seconds))
    };
    seconds.fold((None, f64::INFINITY), add).0
}

fn point(nodes: &Nodes, found: &Prediction) -> Point {
    Point { nodes: nodes.count, seconds: found.seconds(), network: found.network(), sent: found.sent() }
}

/// Returns the main reason why more nodes do not reduce the time, and the seconds that this reason accounts for.
/// `first` is the prediction for the smallest number of nodes.
fn against(nodes: &Nodes, found: &Prediction, first: Option<&(u32, Prediction)>, alone: bool) -> (Against, f64) {
    let sum = |found: &Prediction, of: &dyn Fn(&StepPrediction) -> f64| -> f64 {
        found.steps.iter().map(|step| step.repeats * of(step)).sum()
    };
    let divided = |found: &Prediction| {
        let seconds = sum(found, &|step| step.seconds.disk.max(step.seconds.link).max(step.seconds.kernel));
        found.setup + seconds
    };
    let even = first.map_or(0.0, |(count, first)| divided(first) * f64::from(*count) / f64::from(nodes.count));
    let waiting = sum(found, &|step| nodes.waiting(step.exchanges));
    let vertex_kernels = sum(found, &|step| step.seconds.vertex_kernels);
    let all = [
        (Against::VertexKernels, vertex_kernels),
        (Against::Values, found.network() - waiting),
        (Against::Latency, waiting),
        (Against::Steps, sum(found, &|step| step.seconds.step + step.seconds.ends) - vertex_kernels),
        (Against::Merge, sum(found, &|step| step.seconds.merge)),
        (Against::Attributes, found.attributes),
        (if alone { Against::Alone } else { Against::Pages }, divided(found) - even),
    ];
    all.into_iter().fold(all[0], |most, next| if next.1 > most.1 { next } else { most })
}
