//! Serial versions of the algorithms, for `gts run --check`: other methods, over a plain adjacency list.
//!
//! They share only the graph with the kernels, and use extra time and memory: for graphs of up to some ten million
//! edges.

mod centrality;
mod exact;
mod gather;
mod intersections;
mod matching;
mod random_walks;
mod subgraphs;
mod trees;
mod trusses;
mod walks;

pub use centrality::{betweenness, closeness, eccentricity};
pub use exact::{k_core, scc, st_connectivity};
pub use gather::{cdlp, colouring, mis};
pub use intersections::{lcc, triangles};
pub use matching::matching;
pub use random_walks::random_walks;
pub use subgraphs::{cross_edges, degree_distribution, egonet, induced_subgraph, k_hop};
pub use trees::{radius, spanning_forest};
pub use trusses::k_truss;
pub use walks::{hits, personalised_pagerank, random_walk_with_restart, salsa, who_to_follow};

use crate::pagerank::starts_by_degree;
use crate::source::source;
use crate::weights::Weight;
use gts_graph::algorithm::{Answer, Arguments, Cells, Scalar, TableKind, Values, Verdict};
use gts_graph::core::store::StoreError;
use gts_graph::prelude::*;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// Largest relative difference of two ranks in single precision.
const CLOSE_F32: f64 = 1e-4;
/// Largest relative difference of two ranks in double precision.
const CLOSE_F64: f64 = 1e-9;

/// Out-neighbours of every dense vertex, with the weights of the edges.
struct Adjacency<W> {
    first: Vec<usize>,
    edges: Vec<(usize, W)>,
}

impl<W: Copy + Default> Adjacency<W> {
    fn new(
        graph: &Graph,
        edges: impl Iterator<Item = std::result::Result<(Vertex, Vertex, W), StoreError>>,
    ) -> Result<Self> {
        let mut first = vec![0; graph.num_vertices() as usize + 1];
        for (vertex, degree) in graph.out_degrees().iter().enumerate() {
            first[vertex + 1] = first[vertex] + *degree as usize;
        }
        let mut next = first.clone();
        let mut list = vec![(0, W::default()); graph.num_edges() as usize];
        for edge in edges {
            let (src, dst, weight) = edge?;
            list[next[src.index()]] = (dst.index(), weight);
            next[src.index()] += 1;
        }
        Ok(Self { first, edges: list })
    }

    fn of(&self, vertex: usize) -> &[(usize, W)] {
        &self.edges[self.first[vertex]..self.first[vertex + 1]]
    }
}

impl Adjacency<()> {
    /// Returns the in-neighbours of every dense vertex.
    fn reversed(graph: &Graph) -> Result<Self> {
        let mut lists = vec![Vec::new(); graph.num_vertices() as usize];
        for edge in graph.edges() {
            let (src, dst) = edge?;
            lists[dst.index()].push((src.index(), ()));
        }
        let first = [0].into_iter().chain(lists.iter().scan(0, |end, list| {
            *end += list.len();
            Some(*end)
        }));
        Ok(Self { first: first.collect(), edges: lists.concat() })
    }
}

fn unweighted(graph: &Graph) -> Result<Adjacency<()>> {
    Adjacency::new(graph, graph.edges().map(|edge| edge.map(|(src, dst)| (src, dst, ()))))
}

/// Checks levels by a queue.
///
/// # Errors
///
/// The algorithm refuses the arguments, too, or pages cannot be read.
pub fn bfs(graph: &Graph, arguments: &Arguments, answer: &Answer) -> Result<Verdict> {
    let adjacency = unweighted(graph)?;
    let levels = levels(&adjacency, graph.num_vertices() as usize, source(graph, arguments)?.index());
    let Some(Values::U32(found)) = answer.values("level") else { return Ok(absent("level")) };
    match (same(graph, found, &levels, "a queue"), answer.values("parent")) {
        (Verdict::Agrees(text), Some(Values::Vertex(parents))) => {
            Ok(exact::parents(graph, &adjacency, &levels, parents).unwrap_or(Verdict::Agrees(text)))
        }
        (verdict, _) => Ok(verdict),
    }
}

/// Returns the level of each dense vertex.
fn levels(adjacency: &Adjacency<()>, vertices: usize, root: usize) -> Vec<u32> {
    let mut levels = vec![u32::MAX; vertices];
    levels[root] = 0;
    let mut queue = VecDeque::from([root]);
    while let Some(vertex) = queue.pop_front() {
        for &(neighbour, ()) in adjacency.of(vertex) {
            if levels[neighbour] == u32::MAX {
                levels[neighbour] = levels[vertex] + 1;
                queue.push_back(neighbour);
            }
        }
    }
    levels
}

/// Checks distances by Dijkstra's method: sums of the same weights along some shortest path, so the bits agree.
///
/// # Errors
///
/// The algorithm refuses the arguments, too, or pages cannot be read.
pub fn sssp(graph: &Graph, arguments: &Arguments, answer: &Answer) -> Result<Verdict> {
    let root = source(graph, arguments)?.index();
    Ok(match answer.values("distance") {
        Some(Values::U32(found)) => same(graph, found, &dijkstra(graph, root, u32::MAX, u32::checked_add)?, "Dijkstra"),
        Some(Values::F32(found)) => {
            same(graph, found, &dijkstra(graph, root, f32::INFINITY, |a, b| Some(a + b))?, "Dijkstra")
        }
        Some(Values::F64(found)) => {
            same(graph, found, &dijkstra(graph, root, f64::INFINITY, |a, b| Some(a + b))?, "Dijkstra")
        }
        _ => absent("distance"),
    })
}

fn dijkstra<W: Weight + Default>(graph: &Graph, root: usize, none: W, add: fn(W, W) -> Option<W>) -> Result<Vec<W>> {
    let adjacency = Adjacency::new(graph, graph.weighted_edges::<W>().into_iter().flatten())?;
    let mut distances = vec![none; graph.num_vertices() as usize];
    distances[root] = W::default();
    // Weights are not negative, so their bits as f64 have the same order.
    let mut heap = BinaryHeap::from([(Reverse(0), root)]);
    while let Some((Reverse(key), vertex)) = heap.pop() {
        let near = distances[vertex];
        if key > near.to_f64().to_bits() {
            continue;
        }
        for &(neighbour, weight) in adjacency.of(vertex) {
            let Some(far) = add(near, weight) else { continue };
            if far < distances[neighbour] {
                distances[neighbour] = far;
                heap.push((Reverse(far.to_f64().to_bits()), neighbour));
            }
        }
    }
    Ok(distances)
}

/// Checks components by union and find.
///
/// # Errors
///
/// Pages cannot be read.
pub fn wcc(graph: &Graph, _: &Arguments, answer: &Answer) -> Result<Verdict> {
    let mut parent: Vec<usize> = (0..graph.num_vertices() as usize).collect();
    for edge in graph.edges() {
        let (src, dst) = edge?;
        let [src, dst] = [src, dst].map(|end| root_of(&mut parent, end.index()));
        parent[src] = dst;
    }
    // In the order of original IDs, the first vertex of a component gives it its name.
    let mut names = vec![None; parent.len()];
    let mut components = vec![0; parent.len()];
    for vertex in graph.ids().in_original_order() {
        let root = root_of(&mut parent, vertex.index());
        components[vertex.index()] = *names[root].get_or_insert(graph.original(vertex));
    }
    let Some(Values::Vertex(found)) = answer.values("component") else { return Ok(absent("component")) };
    Ok(same(graph, found, &components, "union and find"))
}

fn root_of(parent: &mut [usize], mut vertex: usize) -> usize {
    while parent[vertex] != vertex {
        parent[vertex] = parent[parent[vertex]];
        vertex = parent[vertex];
    }
    vertex
}

/// Compares ranks with those of the same number of iterations in double precision, from the same start.
///
/// # Errors
///
/// The algorithm refuses the arguments, too, or pages cannot be read.
pub fn pagerank(graph: &Graph, arguments: &Arguments, answer: &Answer) -> Result<Verdict> {
    let Some(iterations) = unsigned(answer, "iterations") else { return Ok(absent("iterations")) };
    let (n, damping) = (graph.num_vertices() as f64, arguments.real("damping")?);
    let adjacency = unweighted(graph)?;
    let mut ranks = vec![1.0 / n; graph.num_vertices() as usize];
    if arguments.flag("weighted")? {
        ranks = walks::walk(&walks::by_weights(graph)?, &ranks, damping, iterations);
        return Ok(close_ranks(graph, answer, &ranks));
    }
    if starts_by_degree(graph, arguments.optional_real("tolerance")?) {
        let degrees = graph.in_degrees().iter().map(|&degree| f64::from(degree) / graph.num_edges() as f64);
        ranks = degrees.map(|share| (1.0 - damping) / n + damping * share).collect();
    }
    for _ in 0..iterations {
        let mut next = vec![0.0; ranks.len()];
        let mut dangling = 0.0;
        for (vertex, rank) in ranks.iter().enumerate() {
            match adjacency.of(vertex) {
                [] => dangling += rank,
                list => list.iter().for_each(|&(neighbour, ())| next[neighbour] += rank / list.len() as f64),
            }
        }
        let base = (1.0 - damping + damping * dangling) / n;
        next.iter_mut().for_each(|rank| *rank = base + damping * *rank);
        ranks = next;
    }
    Ok(close_ranks(graph, answer, &ranks))
}

fn close_ranks(graph: &Graph, answer: &Answer, dense: &[f64]) -> Verdict {
    match answer.values("rank") {
        Some(Values::F32(found)) => close(graph, found.iter().map(|rank| f64::from(*rank)), dense, CLOSE_F32),
        Some(Values::F64(found)) => close(graph, found.iter().copied(), dense, CLOSE_F64),
        _ => absent("rank"),
    }
}

/// Compares values in the order of the original IDs with others in the order of dense vertices.
fn same<T: PartialEq + std::fmt::Display>(graph: &Graph, found: &[T], dense: &[T], method: &str) -> Verdict {
    let mut pairs = graph.ids().in_original_order().zip(found);
    match pairs.find(|(vertex, value)| dense[vertex.index()] != **value) {
        None => Verdict::Agrees(format!("all {} values are those of {method}", found.len())),
        Some((vertex, value)) => Verdict::Differs(format!(
            "vertex {}: {value}, where {method} finds {}",
            graph.original(vertex),
            dense[vertex.index()]
        )),
    }
}

/// As [`same`], for numbers that differ in their last digits.
fn close(graph: &Graph, found: impl Iterator<Item = f64>, dense: &[f64], tolerance: f64) -> Verdict {
    let mut largest = 0.0;
    // Relative to the largest value, the rest of sums that cancel or vanish is rounding.
    let negligible = dense.iter().copied().filter(|value| value.is_finite()).fold(f64::MIN_POSITIVE, f64::max) * 1e-15;
    for (vertex, value) in graph.ids().in_original_order().zip(found) {
        let expected = dense[vertex.index()];
        if value == expected {
            continue;
        }
        let difference = (value - expected).abs() / expected.abs().max(negligible);
        if difference.is_nan() || difference > tolerance {
            return Verdict::Differs(format!("vertex {}: {value}, where {expected} is right", graph.original(vertex)));
        }
        largest = f64::max(largest, difference);
    }
    Verdict::Agrees(format!("all {} values are within {largest:.1e} of a serial run in f64", dense.len()))
}

/// Returns a count among the outputs.
fn unsigned(answer: &Answer, name: &str) -> Option<u64> {
    match answer.value(name) {
        Some(Scalar::Unsigned(value)) => Some(value),
        _ => None,
    }
}

/// The ends of edges, and the values of the edges if they have some.
type ListedEdges<'a> = (&'a [(u64, u64)], Option<&'a Values>);

/// Returns the edges in an answer.
fn edges(answer: &Answer) -> Option<ListedEdges<'_>> {
    let table = answer.tables().into_iter().find(|table| table.kind == TableKind::Edges)?;
    let cells: Vec<_> = table.columns.iter().map(|column| column.cells).collect();
    match cells[..] {
        [Cells::Sources(ends), Cells::Targets(_)] => Some((ends, None)),
        [Cells::Sources(ends), Cells::Targets(_), Cells::Values(values)] => Some((ends, Some(values))),
        _ => None,
    }
}

/// Returns the sorted ends of the edges in an answer.
fn sorted_edges(answer: &Answer) -> Option<Vec<(u64, u64)>> {
    let mut ends = edges(answer)?.0.to_vec();
    ends.sort_unstable();
    Some(ends)
}

fn absent(output: &str) -> Verdict {
    Verdict::Differs(format!("the answer has no `{output}` of a known type"))
}
