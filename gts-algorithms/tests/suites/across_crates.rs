//! A kernel of one crate on the attribute struct of another: what a researcher who refines a shipped algorithm writes.

use gts_algorithms::bfs::Bfs;
use gts_algorithms::pagerank;
use gts_graph::prelude::*;

#[gts_kernel(traverse)]
fn two_hops(bfs: &mut Bfs, src: Vertex, dst: Vertex) {
    if bfs.level[dst] == UNREACHED {
        bfs.level[dst] = 2 * (step() + 1);
        activate(dst);
    }
}

#[gts_kernel(vertex)]
fn raise<T>(pr: &mut pagerank::PageRank<T>, v: Vertex) {
    pr.next[v] = pr.rank[v] + 1 as T;
}

#[test]
fn kernels_work_on_structs_of_other_crates() -> Result<()> {
    let graph = Graph::from_edges([(0, 1), (1, 2)]).expect("sound edges");
    let engine = Engine::builder().device(DeviceChoice::Cpu).build()?;
    let root = graph.vertex(0).expect("a vertex");
    let mut run = engine.start::<Bfs>(&graph)?;
    run.set(Bfs::LEVEL, root, 0)?;
    run.activate(root)?;
    run.traverse(two_hops)?;
    assert_eq!(run.take(Bfs::LEVEL)?, [0, 2, 4]);

    let mut run = engine.start::<pagerank::PageRank<f32>>(&graph)?;
    run.fill(pagerank::PageRank::RANK, 0.5)?;
    run.apply(raise)?;
    assert_eq!(run.take(pagerank::PageRank::NEXT)?, [1.5; 3]);
    Ok(())
}
