//! Requirements of algorithms on edge weights.

use gts_graph::algorithm::{Needs, NeedsWith, Parameter, Value};
use gts_graph::contract::ScalarType;
use gts_graph::core::page::EdgeValue;
use gts_graph::core::summaries;
use gts_graph::prelude::*;

/// The types of weights, in order of preference.
pub(crate) const TYPES: &[ScalarType] = &[ScalarType::F32, ScalarType::F64, ScalarType::U32];

/// The parameter `--weighted` of algorithms that can also run without weights.
pub(crate) const WEIGHTED: Parameter = Parameter::flag("weighted", "Count each edge by its weight");

/// The requirement of runs with [`WEIGHTED`].
pub(crate) const NEEDED: NeedsWith =
    NeedsWith { parameter: WEIGHTED.name, value: Value::Flag(true), needs: Needs { weights: TYPES, ..Needs::NONE } };

/// A type of weights and distances; its largest value, or infinity, means that there is no path.
pub(crate) trait Weight: EdgeValue + PartialOrd + std::fmt::Display {
    /// The value from which on a distance means that there is no path.
    const LIMIT: f64;
    /// An upper bound on distances.
    const LARGEST: f64;
    /// Advice for a distance beyond it.
    const WIDER: &'static str = "import the graph with `--weights f64`";

    /// Returns whether this is a distance.
    fn is_reached(self) -> bool {
        self.to_f64() < Self::LIMIT
    }
}

impl Weight for u32 {
    const LIMIT: f64 = u32::MAX as f64;
    const LARGEST: f64 = Self::LIMIT;
}

impl Weight for f32 {
    const LIMIT: f64 = f64::INFINITY;
    const LARGEST: f64 = f32::MAX as f64;
}

impl Weight for f64 {
    const LIMIT: f64 = f64::INFINITY;
    const LARGEST: f64 = f64::MAX;
    const WIDER: &'static str = "there is no wider type: scale the weights down";
}

/// Returns the largest weight.
///
/// # Errors
///
/// A weight is negative, infinite or NaN, and the message names the edge; or pages cannot be read.
pub(crate) fn largest<W: Weight>(graph: &Graph) -> Result<f64> {
    let Some([least, largest]) = graph.value_extremes::<W>().transpose()? else { return Ok(0.0) };
    if least >= 0.0 && largest < f64::INFINITY {
        return Ok(largest.max(0.0));
    }
    let is_bad = |weight: W| !(weight.to_f64() >= 0.0 && weight.to_f64().is_finite());
    let bad = graph.reduce_edges(
        || None,
        |found, src, dst, weight: W| first(found, is_bad(weight).then_some((src, dst, weight))),
        first,
    );
    if let Some((src, dst, weight)) = bad.transpose()?.flatten() {
        let [src, dst] = [src, dst].map(|vertex| graph.original(vertex));
        return Err(Error::argument(
            format_args!("edge {src} -> {dst} has weight {weight}"),
            "weights must be finite and at least 0",
        ));
    }
    Ok(largest)
}

/// Returns the first of two edges.
fn first<W>(a: Option<(Vertex, Vertex, W)>, b: Option<(Vertex, Vertex, W)>) -> Option<(Vertex, Vertex, W)> {
    a.into_iter().chain(b).min_by_key(|&(src, dst, _)| (src, dst))
}

/// Returns the number of distances, and the largest of them.
pub(crate) fn reached<W: Weight>(distances: &[W]) -> (u64, f64) {
    let add = |(count, farthest): (u64, f64), distance: &W| match distance.is_reached() {
        true => (count + 1, farthest.max(distance.to_f64())),
        false => (count, farthest),
    };
    summaries::fold(distances, || (0, 0.0), add, |a, b| (a.0 + b.0, a.1.max(b.1)))
}

/// Refuses an answer in which a path is longer than its type can represent, and so appears to be missing.
///
/// # Errors
///
/// There is such a path: an edge leads from a vertex with a distance to one without. Also if pages cannot be read.
pub(crate) fn refuse_too_long<W: Weight>(graph: &Graph, distances: &[W], largest: f64) -> Result<()> {
    let (_, farthest) = reached(distances);
    if farthest + largest < W::LARGEST {
        return Ok(());
    }
    let has_distance = |vertex| graph.ids().rank(vertex).is_some_and(|rank| distances[rank as usize].is_reached());
    let dense = graph.by_vertex("reached vertices", has_distance)?;
    let leads_out = |&(src, dst, ()): &(Vertex, Vertex, ())| dense[src.index()] && !dense[dst.index()];
    let found =
        graph.reduce_edges(|| None, |found, src, dst, ()| first(found, Some((src, dst, ())).filter(leads_out)), first);
    if let Some((_, dst, ())) = found.transpose()?.flatten() {
        return Err(Error::argument(
            format_args!("vertex {}", graph.original(dst)),
            format_args!("its distance is beyond what the weights' type can hold; {}", W::WIDER),
        ));
    }
    Ok(())
}
