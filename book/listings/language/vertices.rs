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
    let edges = [(1, 2), (1, 3), (2, 4), (3, 4), (3, 5), (4, 6), (7, 1)];
    let by_id = Graph::from_edges(edges)?;
    let engine = Engine::cpu()?;

    let [parents, grandparents] = ways_back(&engine, &by_id, 1)?;
    //                        1  2  3  4  5  6  7
    assert_eq!(ids(parents), [1, 1, 1, 2, 3, 4, none]);
    assert_eq!(ids(grandparents), [1, 1, 1, 1, 1, 2, none]);

    // By degree, 3 precedes 2.
    let order = VertexOrder::Degree;
    let by_degree = Graph::builder().edges(edges).order(order).build()?;
    let [parents, _] = ways_back(&engine, &by_degree, 1)?;
    assert_eq!(ids(parents), [1, 1, 1, 3, 3, 4, none]);
    assert_eq!(firsts(&engine, &by_degree)?, [7, 1, 1, 2, 3, 4, none]);
    Ok(())
}
// ANCHOR_END: test
