//! Graphs of the figures: the paper's synthetic graphs, larger graphs of similar regularity, and graphs given by the
//! user.

use super::super::Bench;

/// Scale at which the synthetic graphs have the sizes used in the paper.
const SCALE: u32 = 20;

/// Returns the scale given by the user, by default the paper's.
fn scale(bench: &Bench) -> u32 {
    bench.asked_scale.unwrap_or(SCALE)
}

/// Returns the specifications of the paper's seven graphs and of the graphs given by the user.
pub(super) fn of_paper(bench: &Bench) -> Vec<String> {
    synthetic(scale(bench), 1.0).into_iter().chain(bench.graphs.iter().cloned()).collect()
}

/// Returns the specifications of the graphs given by the user. By default, returns a list in which most graphs are
/// larger than the paper's. The default chain is short because a traversal takes one step per vertex of a chain.
pub(super) fn for_choice(bench: &Bench) -> Vec<String> {
    if !bench.graphs.is_empty() {
        return bench.graphs.clone();
    }
    let scale = scale(bench);
    let mut texts = synthetic(scale, 1.0 / 64.0);
    for more in [0, 2, 4] {
        texts.push(format!("rmat:{}", scale + more));
        texts.push(format!("uniform:{}", scale + more));
    }
    let fewer = scale.saturating_sub(2).max(1);
    texts.push(format!("rmat:{scale},edge-factor=32"));
    texts.extend(["rmat", "uniform"].map(|kind| format!("{kind}:{fewer},edge-factor=64")));
    texts.extend(["rmat", "uniform"].map(|kind| format!("{kind}:{fewer}")));
    texts.push(format!("uniform:{scale},edge-factor=2"));
    for more in [0, 4] {
        let side = 1u64 << ((scale + more) / 2);
        texts.push(format!("grid:{side}x{side}"));
    }
    texts.push(format!("complete:{}", 1u64 << (scale / 2 + 2)));
    texts
}

/// Returns the specifications of the paper's seven graphs at a scale, with the chain's length multiplied by `chain`.
fn synthetic(scale: u32, chain: f64) -> Vec<String> {
    let vertices = 1e6 * (f64::from(scale) - f64::from(SCALE)).exp2();
    let at_least = |size: f64, least: u64| (size.round() as u64).max(least);
    let mut texts = vec![
        format!("chain:{}", at_least(vertices * chain, 2)),
        format!("star:{}", at_least(vertices, 2)),
        format!("torus:{}^2", at_least(vertices.sqrt(), 2)),
        format!("torus:{}^3", at_least(vertices.cbrt(), 2)),
        format!("torus:16^{}", (scale / 4).max(1)),
        format!("torus:4^{}", (scale / 2).max(1)),
        format!("torus:2^{}", scale.max(1)),
    ];
    // At some scales, two of the tori are identical.
    texts.dedup();
    texts
}

#[cfg(test)]
mod tests {
    use super::*;
    use gts_graph::core::graph::GraphShape;
    use gts_graph::core::read::ReadError;
    use gts_graph::prelude::Graph;

    fn shape(text: &str) -> Result<Option<GraphShape>, ReadError> {
        Graph::reader(text).estimate()
    }

    #[test]
    fn synthetic_graphs_have_the_sizes_of_the_paper() {
        let texts = synthetic(SCALE, 1.0);
        let shapes: Vec<_> = texts.iter().map(|text| shape(text).unwrap().unwrap()).collect();
        let vertices: Vec<u64> = shapes.iter().map(|shape| shape.vertices).collect();
        assert_eq!(vertices[..4], [1_000_000; 4]);
        assert_eq!(vertices[4..], [1 << 20; 3]);
        let edges: Vec<u64> = shapes.iter().map(|shape| shape.edges).collect();
        assert_eq!(edges, [1_999_998, 1_999_998, 4_000_000, 6_000_000, 10 << 20, 20 << 20, 40 << 20]);
        for scale in [1, 2, 3, 10, 30] {
            assert!(synthetic(scale, 1.0 / 64.0).iter().all(|text| shape(text).is_ok()), "{scale}");
        }
    }
}
