//! Solution: the Jaccard similarity of the neighbourhoods of an edge's ends.

use gts_graph::prelude::*;
use std::collections::BTreeSet;

/// Shared neighbours.
#[gts_attributes]
pub struct Shared {
    /// Neighbours that both ends of the edge have.
    #[wa(per = edge, init = 0, merge = sum)]
    pub shared: u64,
}

#[gts_kernel(intersect)]
fn share(s: &mut Shared, u: Vertex, v: Vertex, w: Vertex, e: Edge) {
    s.shared[e] += 1;
}

/// Returns the ends of each edge of a simple, symmetric graph, by original IDs, and the similarity.
fn similarities(engine: &Engine, graph: &Graph) -> Result<Vec<(u64, u64, f64)>> {
    let mut run = engine.start::<Shared>(graph)?;
    run.intersect(share)?;
    let mut found = Vec::new();
    for (edge, shared) in graph.edges().zip(run.take_edges(Shared::SHARED)?) {
        let (src, dst) = edge?;
        let either = graph.out_degree(src) + graph.out_degree(dst) - shared;
        let row = (graph.original(src), graph.original(dst), shared as f64 / either as f64);
        memory::push("similarities", &mut found, row)?;
    }
    Ok(found)
}

#[test]
fn similarities_are_those_of_sets() -> Result<(), Box<dyn std::error::Error>> {
    let pairs = (0..40u64).flat_map(|v| [(v, (v + 1) % 40), (v, (v * 3 + 2) % 40), (v, (v + 2) % 40)]);
    let pairs: BTreeSet<_> = pairs.filter(|(a, b)| a != b).flat_map(|(a, b)| [(a, b), (b, a)]).collect();
    let graph = Graph::from_edges(pairs.iter().copied())?;
    let near = |v: u64| pairs.iter().filter(|(a, _)| *a == v).map(|(_, b)| *b).collect::<BTreeSet<u64>>();
    let found = similarities(&Engine::cpu()?, &graph)?;
    assert_eq!(found.len(), pairs.len());
    for (src, dst, similarity) in found {
        let (of_src, of_dst) = (near(src), near(dst));
        let expected = of_src.intersection(&of_dst).count() as f64 / of_src.union(&of_dst).count() as f64;
        assert!((similarity - expected).abs() < 1e-12, "{src} to {dst}: {similarity} and {expected}");
    }
    Ok(())
}
