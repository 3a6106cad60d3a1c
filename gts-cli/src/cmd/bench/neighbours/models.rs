//! What models reckon a strategy to cost, held against what was measured.

use super::super::subject::Subject;
use super::super::trials::Workload;
use super::cells::Strategy;

/// What a model reckons an iteration or a run to cost on a graph by a strategy, in a unit of its own. `None` where the model
/// says nothing of it.
pub(super) type Model = fn(&Subject, &Workload, &Strategy) -> Option<f64>;

/// The models, each with its name in tables.
pub(super) const MODELS: &[(&str, Model)] = &[];
