//! Ways back to a root: the program of the book's chapter on vertices and their numbers.

// ANCHOR: attributes
use gts_graph::prelude::*;

/// The way back to a root.
#[gts_attributes]
pub struct Tree {
    /// Hops from the root, or `UNREACHED`.
    #[wa(init = UNREACHED, merge = min)]
    pub level: u32,
    /// A vertex one hop nearer to the root. The root is its own parent.
    #[wa(init = UNREACHED, merge = min)]
    pub parent: VertexId,
    /// The parent's parent.
    #[wa(init = UNREACHED, merge = any)]
    pub grandparent: VertexId,
}
// ANCHOR_END: attributes

#[gts_kernel(traverse)]
fn expand(tree: &mut Tree, src: Vertex, dst: Vertex) {
    if tree.level[dst] == UNREACHED {
        tree.level[dst] = step() + 1;
        activate(dst);
    }
}

// ANCHOR: choose
#[gts_kernel(scan)]
fn choose(tree: &mut Tree, src: Vertex, dst: Vertex) {
    if tree.level[src] < tree.level[dst] {
        tree.parent[dst].fetch_min(src);
    }
}
// ANCHOR_END: choose

// ANCHOR: look_up
#[gts_kernel(vertex)]
fn look_up(tree: &mut Tree, v: Vertex) {
    if tree.parent[v] != UNREACHED {
        tree.grandparent[v] = tree.parent[tree.parent[v]];
    }
}
// ANCHOR_END: look_up

// ANCHOR: driver
/// The parent and the grandparent of each vertex.
fn ways_back(engine: &Engine, graph: &Graph, root: u64) -> Result<[Vec<VertexId>; 2]> {
    let root = graph.vertex(root)?;
    let mut run = engine.start::<Tree>(graph)?;
    run.set(Tree::LEVEL, root, 0)?;
    run.set(Tree::PARENT, root, root.into())?;
    run.activate(root)?;
    run.traverse(expand)?;
    run.scan(choose)?;
    run.apply(look_up)?;
    Ok([run.take(Tree::PARENT)?, run.take(Tree::GRANDPARENT)?])
}
// ANCHOR_END: driver

// ANCHOR: by_id
/// Ties between vertices.
#[gts_attributes]
pub struct ById {
    /// ID of the vertex in the input.
    #[wa(init = 0, merge = any)]
    pub id: u64,
    /// Smallest ID of a vertex that has an edge to this one.
    #[wa(init = UNREACHED, merge = min)]
    pub first: u64,
}

#[gts_kernel(scan)]
fn offer(by_id: &mut ById, src: Vertex, dst: Vertex) {
    by_id.first[dst].fetch_min(by_id.id[src]);
}

/// The smallest ID of the vertices with an edge to each vertex.
fn firsts(engine: &Engine, graph: &Graph) -> Result<Vec<u64>> {
    let mut run = engine.start::<ById>(graph)?;
    run.set_by(ById::ID, |v| graph.original(v))?;
    run.scan(offer)?;
    run.take(ById::FIRST)
}
// ANCHOR_END: by_id

// ANCHOR: test
fn ids(vertices: Vec<VertexId>) -> Vec<u64> {
    vertices.into_iter().map(u64::from).collect()
}

#[test]
fn parents_of_two_layouts() -> Result<(), Box<dyn std::error::Error>> {
    use gts_graph::core::graph::VertexOrder;
    let none = u64::MAX;
    let edges = [(10, 20), (10, 30), (20, 40), (30, 40), (30, 50), (40, 60), (70, 10)];
    let stored = |order: VertexOrder| Graph::builder().edges(edges).order(order).build();
    let engine = Engine::cpu()?;

    let [parents, grandparents] = ways_back(&engine, &stored(VertexOrder::Original)?, 10)?;
    //                          10  20  30  40  50  60    70
    assert_eq!(ids(parents), [10, 10, 10, 20, 30, 40, none]);
    assert_eq!(ids(grandparents), [10, 10, 10, 10, 10, 20, none]);

    // By degree, 30 precedes 20.
    let by_degree = stored(VertexOrder::Degree)?;
    let [parents, _] = ways_back(&engine, &by_degree, 10)?;
    assert_eq!(ids(parents), [10, 10, 10, 30, 30, 40, none]);
    assert_eq!(firsts(&engine, &by_degree)?, [70, 10, 10, 20, 30, 40, none]);
    Ok(())
}
// ANCHOR_END: test
