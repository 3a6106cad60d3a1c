//! Solution: the widest path to each vertex, wide paths first.

use gts_graph::prelude::*;

/// Widths of paths. The width of a path is that of its narrowest edge.
#[gts_attributes]
pub struct Widths {
    /// Width of the widest known path from the source; 0 if there is none.
    #[wa(init = 0, merge = max)]
    pub width: u32,
    /// Width of the edge.
    #[edge]
    pub edge: u32,
}

#[gts_kernel(traverse)]
fn widen(w: &mut Widths, src: Vertex, dst: Vertex, e: Edge) {
    let width = w.width[src].min(w.edge[e]);
    if w.width[dst].fetch_max(width) < width {
        activate(dst);
    }
}

/// Returns a smaller number for a wider path.
#[gts_kernel(priority)]
fn narrowness(w: &mut Widths, v: Vertex) -> u32 {
    u32::MAX - w.width[v]
}

/// Returns the width of the widest path from `source` to every vertex.
fn widest(engine: &Engine, graph: &Graph, source: u64, slack: u32) -> Result<Vec<u32>> {
    let source = graph.vertex(source)?;
    let mut run = engine.start::<Widths>(graph)?;
    run.set(Widths::WIDTH, source, u32::MAX)?;
    run.activate(source)?;
    run.traverse_near(widen, narrowness, slack)?;
    run.take(Widths::WIDTH)
}

#[test]
fn widths_are_those_of_a_loop_over_all_edges() -> Result<(), Box<dyn std::error::Error>> {
    let edges = (0..60u64).flat_map(|v| [(v, (v + 1) % 60, 9 + (v * 7 % 11) as u32), (v, v * 5 % 60, (v % 13) as u32)]);
    let edges: Vec<(u64, u64, u32)> = edges.collect();
    let mut expected = [0; 60];
    expected[3] = u32::MAX;
    for _ in 0..60 {
        for &(src, dst, width) in &edges {
            expected[dst as usize] = expected[dst as usize].max(expected[src as usize].min(width));
        }
    }
    let graph = Graph::builder().weighted_edges(edges).build()?;
    for slack in [0, 3, u32::MAX] {
        assert_eq!(widest(&Engine::cpu()?, &graph, 3, slack)?, expected);
    }
    Ok(())
}
