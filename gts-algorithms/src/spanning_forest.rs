//! Minimum spanning forest: edges of the least sum of weights that connect each component.
//!
//! In rounds (O. Boruvka, 1926): every tree takes the lightest edge that leaves it; the smallest ends break ties, so
//! that no two edges are equal and trees never form a cycle. Roots then hook onto each other, and pointer jumping finds
//! the new root of each vertex. Each round at least halves the number of trees, and takes two scans.

use crate::requirements;
use crate::weights::Weight;
use gts_graph::algorithm::{
    Algorithm, AlgorithmKind, Answer, Arguments, Definition, Edges, Outline, Output, Scalar, Summary, Values,
    edge_kernel, vertex_kernel,
};
use gts_graph::contract::ScalarType;
use gts_graph::core::summaries;
use gts_graph::prelude::*;
use gts_graph::register;

/// Name of the output with the edges of the forest.
const FOREST: &str = "forest";

/// The forest so far.
#[gts_attributes(T = f32 | f64 | u32)]
pub struct SpanningForest<T> {
    /// Root of the tree that the vertex is in.
    #[wa(init = UNREACHED, merge = min)]
    pub root: VertexId,
    /// The vertex that this one points to on the way to a new root.
    #[wa(init = UNREACHED, merge = min)]
    pub parent: VertexId,
    /// Of a root: least weight of an edge that leaves the tree.
    #[wa(init = UNREACHED, merge = min)]
    pub lightest: T,
    /// Of a root: the smaller end of the edge, times 2^32, and the larger.
    #[wa(init = UNREACHED, merge = min)]
    pub ends: u64,
    /// Ends of the edge by which the vertex hooked onto another tree while it was a root.
    #[wa(init = UNREACHED, merge = min)]
    pub hook: u64,
    /// Weight of that edge.
    #[wa(init = UNREACHED, merge = min)]
    pub hook_weight: T,
    /// Weight of the edge.
    #[edge]
    pub weight: T,
    /// Vertices that a pass has changed.
    #[global(merge = sum)]
    pub changed: u64,
}

#[gts_kernel(vertex)]
fn begin<T>(forest: &mut SpanningForest<T>, v: Vertex) {
    forest.root[v] = v;
    forest.parent[v] = v;
}

#[gts_kernel(scan)]
fn weigh<T>(forest: &mut SpanningForest<T>, src: Vertex, dst: Vertex, e: Edge) {
    let root = forest.root[src];
    if root != forest.root[dst] {
        forest.lightest[root].fetch_min(forest.weight[e]);
    }
}

#[gts_kernel(scan)]
fn choose<T>(forest: &mut SpanningForest<T>, src: Vertex, dst: Vertex, e: Edge) {
    let root = forest.root[src];
    if root != forest.root[dst] && forest.weight[e] == forest.lightest[root] {
        let a = src as u64;
        let b = dst as u64;
        forest.ends[root].fetch_min(a.min(b) << 32 | a.max(b));
    }
}

// Of two trees that take the same edge, the one of the larger root hooks.
#[gts_kernel(vertex)]
fn hook<T>(forest: &mut SpanningForest<T>, v: Vertex) {
    let ends = forest.ends[v];
    if ends != UNREACHED {
        let a = forest.root[Vertex::new(ends >> 32)];
        let b = forest.root[Vertex::new(ends & 0xffff_ffff)];
        let other = if a == v { b } else { a };
        if forest.ends[other] != ends || other < v {
            forest.parent[v] = other;
            forest.hook[v] = ends;
            forest.hook_weight[v] = forest.lightest[v];
            forest.changed += 1;
        }
    }
}

#[gts_kernel(vertex)]
fn jump<T>(forest: &mut SpanningForest<T>, v: Vertex) {
    let parent = forest.parent[v];
    forest.root[v] = forest.parent[parent];
    if forest.root[v] != parent {
        forest.changed += 1;
    }
}

#[gts_kernel(vertex)]
fn settle<T>(forest: &mut SpanningForest<T>, v: Vertex) {
    forest.parent[v] = forest.root[v];
}

/// A forest: its edges by original ID, the smaller dense end first, and their weights.
#[derive(Clone, Debug, PartialEq)]
pub struct Forest<T> {
    /// The ends of each edge.
    pub ends: Vec<(u64, u64)>,
    /// The weight of each edge.
    pub weights: Vec<T>,
}

/// Purpose of the memory, for errors.
const WHAT: &str = "edges of the forest";

macro_rules! driver {
    ($(#[$example:meta])* $name:ident, $weight:ty) => {
        /// Returns the forest by weights of one type. Among edges of equal weight, those of the smallest ends are
        /// chosen.
        ///
        /// # Errors
        ///
        /// As for [`Run::scan`]; also if the graph is not symmetric, or has 2^32 vertices or more.
        ///
        $(#[$example])*
        pub fn $name(run: &mut Run<SpanningForest<$weight>>) -> Result<Forest<$weight>> {
            requirements::undirected(run.graph(), "spanning-forest")?;
            requirements::vertices_of_32_bits(run.graph(), "spanning-forest")?;
            run.apply(begin)?;
            loop {
                run.fill(SpanningForest::LIGHTEST, Unreached::UNREACHED)?;
                run.fill(SpanningForest::ENDS, u64::MAX)?;
                run.scan(weigh)?;
                run.scan(choose)?;
                run.apply(hook)?;
                if run.global(SpanningForest::CHANGED)? == 0 {
                    break;
                }
                let mut changed = 1;
                while changed > 0 {
                    run.apply(jump)?;
                    changed = run.global(SpanningForest::CHANGED)?;
                    run.apply(settle)?;
                }
            }
            let hooks = run.take(SpanningForest::HOOK)?;
            let weights = run.take(SpanningForest::HOOK_WEIGHT)?;
            let graph = run.graph();
            let original = |dense: u64| graph.original(Vertex::from_dense(dense));
            let is_hooked = |place: usize| hooks[place] != u64::MAX;
            let ends = |place| (original(hooks[place] >> 32), original(hooks[place] & 0xffff_ffff));
            Ok(Forest {
                ends: summaries::chosen(WHAT, hooks.len(), |place| is_hooked(place).then(|| ends(place)))?,
                weights: summaries::chosen(WHAT, hooks.len(), |place| is_hooked(place).then_some(weights[place]))?,
            })
        }
    };
}

driver! {
    /// # Examples
    ///
    /// ```
    /// use gts_algorithms::spanning_forest::spanning_forest_f32;
    /// use gts_graph::prelude::*;
    ///
    /// let edges = [(1, 2, 2.0f32), (2, 3, 1.0), (3, 1, 3.0)];
    /// let graph = Graph::builder().weighted_edges(edges).symmetrise(true).build().expect("sound edges");
    /// let mut forest = spanning_forest_f32(&mut Engine::cpu()?.start(&graph)?)?;
    /// forest.ends.sort_unstable();
    /// assert_eq!(forest.ends, [(1, 2), (2, 3)]);
    /// # Ok::<(), Error>(())
    /// ```
    spanning_forest_f32, f32
}

driver! {
    /// # Examples
    ///
    /// ```
    /// use gts_algorithms::spanning_forest::spanning_forest_f64;
    /// use gts_graph::prelude::*;
    ///
    /// let edges = [(1, 2, 2.0f64), (2, 3, 1.0), (3, 1, 3.0)];
    /// let graph = Graph::builder().weighted_edges(edges).symmetrise(true).build().expect("sound edges");
    /// let mut forest = spanning_forest_f64(&mut Engine::cpu()?.start(&graph)?)?;
    /// forest.ends.sort_unstable();
    /// assert_eq!(forest.ends, [(1, 2), (2, 3)]);
    /// # Ok::<(), Error>(())
    /// ```
    spanning_forest_f64, f64
}

driver! {
    /// # Examples
    ///
    /// ```
    /// use gts_algorithms::spanning_forest::spanning_forest_u32;
    /// use gts_graph::prelude::*;
    ///
    /// let edges = [(1, 2, 2u32), (2, 3, 1), (3, 1, 3)];
    /// let graph = Graph::builder().weighted_edges(edges).symmetrise(true).build().expect("sound edges");
    /// let mut forest = spanning_forest_u32(&mut Engine::cpu()?.start(&graph)?)?;
    /// forest.ends.sort_unstable();
    /// assert_eq!(forest.ends, [(1, 2), (2, 3)]);
    /// # Ok::<(), Error>(())
    /// ```
    spanning_forest_u32, u32
}

fn run(engine: &Engine, graph: &Graph, _: &Arguments) -> Result<Answer> {
    match graph.value_type() {
        Some(ScalarType::U32) => solve(engine, graph, spanning_forest_u32, |run| run.take_dense(SpanningForest::ROOT)),
        Some(ScalarType::F64) => solve(engine, graph, spanning_forest_f64, |run| run.take_dense(SpanningForest::ROOT)),
        _ => solve(engine, graph, spanning_forest_f32, |run| run.take_dense(SpanningForest::ROOT)),
    }
}

/// Returns the answer of a driver; `roots` returns the roots of the vertices in dense order.
fn solve<T: Weight>(
    engine: &Engine,
    graph: &Graph,
    driver: fn(&mut Run<SpanningForest<T>>) -> Result<Forest<T>>,
    roots: fn(&mut Run<SpanningForest<T>>) -> Result<Vec<VertexId>>,
) -> Result<Answer>
where
    SpanningForest<T>: Attributes,
    Values: From<Vec<T>>,
{
    let mut run = engine.start(graph)?;
    let forest = driver(&mut run)?;
    let roots = roots(&mut run)?;
    Ok(Answer::new()
        .scalar("edges", Scalar::Unsigned(forest.ends.len() as u64))
        .scalar("weight", Scalar::Real(summaries::sum(&forest.weights, |weight| weight.to_f64())))
        .vertices("tree", Values::Vertex(graph.relabel("names of trees", &roots)?))
        .edges(Edges { name: FOREST, ends: forest.ends, weights: Some(forest.weights.into()) }))
}

macro_rules! rounds {
    ($weight:ty) => {
        [
            edge_kernel(weigh::<$weight>),
            edge_kernel(choose::<$weight>),
            vertex_kernel(hook::<$weight>),
            vertex_kernel(jump::<$weight>),
            vertex_kernel(settle::<$weight>),
        ]
    };
}

register! {
    Algorithm::new("spanning-forest", "Minimum spanning forest: the lightest edges that join all that can be joined", run)
        .kind(AlgorithmKind::Components)
        .aliases(&["mst"])
        .help("Edges are taken for undirected. Weights are f32, f64 or u32, and may be negative. `--output forest.wel` writes the \
               edges.")
        .source("O. Boruvka: O jistem problemu minimalnim. Prace Moravske Prirodovedecke Spolecnosti 3, 1926")
        .definition(
            Definition::both(
                "The edges with the least sum of weights that connect every component. The smallest ends decide \
                 between edges of the same weight.",
            ),
        )
        .symmetric()
        .weights(&[ScalarType::F32, ScalarType::F64, ScalarType::U32])
        .outputs(&[
            Output::vertices("tree", &[ScalarType::VertexId], "Smallest vertex of the tree").summary(Summary::Groups),
            Output::edges(FOREST, "The edges of the forest, each once"),
            Output::scalar("edges", "Number of edges"),
            Output::scalar("weight", "Sum of their weights"),
        ])
        .kernels(&[
            vertex_kernel(begin::<f32>),
            vertex_kernel(begin::<f64>),
            vertex_kernel(begin::<u32>),
            edge_kernel(weigh::<f32>),
            edge_kernel(weigh::<f64>),
            edge_kernel(weigh::<u32>),
            edge_kernel(choose::<f32>),
            edge_kernel(choose::<f64>),
            edge_kernel(choose::<u32>),
            vertex_kernel(hook::<f32>),
            vertex_kernel(hook::<f64>),
            vertex_kernel(hook::<u32>),
            vertex_kernel(jump::<f32>),
            vertex_kernel(jump::<f64>),
            vertex_kernel(jump::<u32>),
            vertex_kernel(settle::<f32>),
            vertex_kernel(settle::<f64>),
            vertex_kernel(settle::<u32>),
        ])
        .outline(|_, graph| {
            let (start, kernels) = match graph.weights {
                Some(ScalarType::U32) => (vertex_kernel(begin::<u32>), rounds!(u32)),
                Some(ScalarType::F64) => (vertex_kernel(begin::<f64>), rounds!(f64)),
                _ => (vertex_kernel(begin::<f32>), rounds!(f32)),
            };
            // Each round at least halves the number of trees; the last one finds that no edge leaves any.
            let rounds = graph.vertices.max(1).ilog2() + 1;
            Ok(Outline::repeat_at_most(rounds.into(), kernels).after([start]))
        })
        .check(crate::check::spanning_forest)
}
