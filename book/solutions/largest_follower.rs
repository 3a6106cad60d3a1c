//! Exercise: of the vertices with an edge to a vertex, the one with the most edges out; of several, the smallest ID.

use gts_graph::prelude::*;

#[gts_attributes]
pub struct Followers {
    #[wa(init = 0, merge = any)]
    pub id: u64,
    /// Most edges out of a follower.
    #[wa(init = 0, merge = max)]
    pub most: u64,
    /// Smallest ID of the followers with that many.
    #[wa(init = UNREACHED, merge = min)]
    pub follower: u64,
}

#[gts_kernel(scan)]
fn compare(f: &mut Followers, src: Vertex, dst: Vertex) {
    f.most[dst].fetch_max(src.out_degree());
}

#[gts_kernel(scan)]
fn name(f: &mut Followers, src: Vertex, dst: Vertex) {
    if src.out_degree() == f.most[dst] {
        f.follower[dst].fetch_min(f.id[src]);
    }
}

fn largest_followers(engine: &Engine, graph: &Graph) -> Result<Vec<u64>> {
    let mut run = engine.start::<Followers>(graph)?;
    run.set_by(Followers::ID, |v| graph.original(v))?;
    run.scan(compare)?;
    run.scan(name)?;
    run.take(Followers::FOLLOWER)
}

#[test]
fn followers_are_the_same_in_every_layout() -> Result<(), Box<dyn std::error::Error>> {
    use gts_graph::core::graph::VertexOrder;
    let edges = super::random_edges(50, 100, 3);
    let degree = |v: u64| edges.iter().filter(|(src, _)| *src == v).count();
    let largest = |v: u64| {
        let followers = edges.iter().filter(|(_, dst)| *dst == v).map(|(src, _)| *src);
        followers.min_by_key(|&src| (usize::MAX - degree(src), src)).unwrap_or(u64::MAX)
    };
    let expected: Vec<u64> = (0..50).map(largest).collect();
    for order in [VertexOrder::Original, VertexOrder::Degree, VertexOrder::Random { seed: 5 }] {
        let graph = Graph::builder().edges(edges.iter().copied()).order(order).build()?;
        assert_eq!(largest_followers(&Engine::cpu()?, &graph)?, expected);
    }
    Ok(())
}
