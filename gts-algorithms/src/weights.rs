//! What shortest paths ask of edge weights.

use gts_runtime::core::page::EdgeValue;
use gts_runtime::prelude::*;

/// A type of weights and distances; its largest value, or infinity, means that there is no path.
pub(crate) trait Weight: EdgeValue + PartialOrd + std::fmt::Display {
    /// The value from which on a distance counts as none.
    const LIMIT: f64;

    /// The weight as a number that can be added without wrapping.
    fn to_f64(self) -> f64;

    /// Whether this is a distance.
    fn is_reached(self) -> bool {
        self.to_f64() < Self::LIMIT
    }
}

impl Weight for u32 {
    const LIMIT: f64 = u32::MAX as f64;

    fn to_f64(self) -> f64 {
        self.into()
    }
}

impl Weight for f32 {
    const LIMIT: f64 = f64::INFINITY;

    fn to_f64(self) -> f64 {
        self.into()
    }
}

/// The largest weight.
///
/// # Errors
///
/// A weight below 0, infinite or NaN: the message names the edge. Pages that cannot be read.
pub(crate) fn largest<W: Weight>(graph: &Graph) -> Result<f64> {
    let mut largest = 0.0;
    for edge in graph.weighted_edges::<W>().into_iter().flatten() {
        let (src, dst, weight) = edge?;
        let number = weight.to_f64();
        if !(number >= 0.0 && number.is_finite()) {
            let [src, dst] = [src, dst].map(|dense| graph.original(Vertex::from_dense(dense)));
            return Err(Error::argument(
                format_args!("edge {src} -> {dst} has weight {weight}"),
                "shortest paths need finite weights of at least 0",
            ));
        }
        largest = f64::max(largest, number);
    }
    Ok(largest)
}

/// Refuses an answer in which a path is longer than its type can say, and so passes for none.
///
/// # Errors
///
/// There is such a path: an edge leads from a vertex with a distance to one without. Pages that cannot be read.
pub(crate) fn refuse_too_long<W: Weight>(graph: &Graph, distances: &[W], largest: f64) -> Result<()> {
    let reached = distances.iter().filter(|distance| distance.is_reached());
    let farthest = reached.map(|distance| distance.to_f64()).fold(0.0, f64::max);
    let longest = if W::LIMIT.is_finite() { W::LIMIT } else { f32::MAX.into() };
    if farthest + largest < longest {
        return Ok(());
    }
    let mut dense = vec![false; distances.len()];
    for (vertex, distance) in graph.ids().in_original_order().zip(distances) {
        dense[vertex as usize] = distance.is_reached();
    }
    for edge in graph.edges() {
        let (src, dst) = edge?;
        if dense[src as usize] && !dense[dst as usize] {
            return Err(Error::argument(
                format_args!("vertex {}", graph.original(Vertex::from_dense(dst))),
                "its distance is beyond what the weights' type can hold; import the graph with `--weights f32`",
            ));
        }
    }
    Ok(())
}
