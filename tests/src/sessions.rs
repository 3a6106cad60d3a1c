//! Checks sessions on one engine: values of every type by every path to the host, successive runs within a small
//! budget, concurrent runs, and repeated runs.

use gts_core::build::{BuildError, BuildOptions};
use gts_core::graph::{MOST_LAYERS, VertexOrder};
use gts_graph::algorithms::{afforest, bfs, pagerank, wcc};
use gts_graph::prelude::*;
use std::collections::HashMap;
use std::fmt::Debug;
use std::sync::Arc;

/// Result of a check. An error describes the difference.
pub type Outcome = std::result::Result<(), Box<dyn std::error::Error + Send + Sync>>;

/// Attributes of every width, and attributes that contain vertices.
#[gts_attributes]
pub struct Values {
    /// One byte.
    #[wa(init = 0, merge = min)]
    pub byte: u8,
    /// Two bytes.
    #[wa(init = 0, merge = min)]
    pub short: u16,
    /// Four bytes.
    #[wa(init = 0, merge = min)]
    pub word: u32,
    /// Eight bytes.
    #[wa(init = 0.0, merge = min)]
    pub double: f64,
    /// Three bytes.
    #[wa(init = 0, merge = min)]
    pub bytes: [u8; 3],
    /// Twelve bytes.
    #[wa(init = 0.0, merge = min)]
    pub words: [f32; 3],
    /// A vertex.
    #[wa(init = UNREACHED, merge = min)]
    pub vertex: VertexId,
    /// Two vertices.
    #[wa(init = UNREACHED, merge = min)]
    pub vertices: [VertexId; 2],
}

/// Returns a chain of vertices with these IDs, in an order.
///
/// # Errors
///
/// The graph cannot be built.
pub fn chain(ids: &[u64], order: VertexOrder) -> Result<Graph, BuildError> {
    Graph::builder().edges(ids.windows(2).map(|pair| (pair[0], pair[1]))).order(order).build()
}

/// Checks that values are returned as they were set: in dense order, in the order of original IDs, and copied into
/// existing memory.
///
/// # Errors
///
/// The values differ, or the engine fails.
pub fn answers_are_what_was_set(engine: &Engine, graph: &Graph) -> Outcome {
    let vertices = graph.num_vertices();
    let mut run = engine.start::<Values>(graph)?;
    let any = |v: u64| v.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 7;
    // Every seventh value is `UNREACHED`.
    let vertex = |v: u64| if v % 7 == 3 { VertexId::UNREACHED } else { VertexId::from_bits(any(v) % vertices) };
    one(&mut run, Values::BYTE, |v| any(v) as u8)?;
    one(&mut run, Values::SHORT, |v| any(v) as u16)?;
    one(&mut run, Values::WORD, |v| any(v) as u32)?;
    one(&mut run, Values::DOUBLE, |v| any(v) as f64)?;
    one(&mut run, Values::BYTES, |v| [any(v), any(v + 1), any(v + 2)].map(|value| value as u8))?;
    one(&mut run, Values::WORDS, |v| [any(v), any(v + 1), any(v + 2)].map(|value| value as u32 as f32))?;
    one(&mut run, Values::VERTEX, vertex)?;
    one(&mut run, Values::VERTICES, |v| [vertex(v), vertex(v + 1)])?;
    // The labels form one large group and many small ones.
    let label = |v: u64| if any(v) % 3 > 0 && v % 7 != 3 { VertexId::from_bits(vertices / 2) } else { vertex(v) };
    groups(&mut run, &(0..vertices).map(label).collect::<Vec<_>>())
}

/// Compares the names of groups with those that a serial loop computes.
fn groups(run: &mut Run<Values>, labels: &[VertexId]) -> Outcome {
    let graph = run.graph().clone();
    run.set_dense(Values::VERTEX, labels)?;
    let in_order = || graph.ids().in_original_order().map(|v| (graph.original(v), labels[v.dense() as usize]));
    let mut names = HashMap::from([(VertexId::UNREACHED, u64::MAX)]);
    for (original, label) in in_order() {
        names.entry(label).or_insert(original);
    }
    let expected: Vec<u64> = in_order().map(|(_, label)| names[&label]).collect();
    same("names of groups", &run.relabel(Values::VERTEX)?, &expected)?;
    same("what they were made of", &run.take_dense(Values::VERTEX)?, labels)
}

/// Converts the vertices in a value to original IDs.
trait Named: Copy {
    fn named(self, _graph: &Graph) -> Self {
        self
    }
}

impl Named for u8 {}
impl Named for u16 {}
impl Named for u32 {}
impl Named for f64 {}
impl Named for [u8; 3] {}
impl Named for [f32; 3] {}

impl Named for VertexId {
    fn named(self, graph: &Graph) -> Self {
        if self == Self::UNREACHED { self } else { Self::from_bits(graph.original(Vertex::from_dense(self.to_bits()))) }
    }
}

impl Named for [VertexId; 2] {
    fn named(self, graph: &Graph) -> Self {
        self.map(|one| one.named(graph))
    }
}

fn one<H>(run: &mut Run<Values>, attribute: H, value: impl Fn(u64) -> H::Value) -> Outcome
where
    H: gts_graph::kernel::VertexAttribute<Values> + Copy + Debug,
    H::Value: Named + PartialEq + Debug,
{
    let graph = run.graph().clone();
    let dense: Vec<H::Value> = (0..graph.num_vertices()).map(value).collect();
    run.set_dense(attribute, &dense)?;
    let original: Vec<H::Value> =
        graph.ids().in_original_order().map(|v| dense[v.dense() as usize].named(&graph)).collect();
    same(&format!("{attribute:?}, dense"), &run.take_dense(attribute)?, &dense)?;
    same(&format!("{attribute:?}, original"), &run.take(attribute)?, &original)?;
    if let Some(&some) = dense.first() {
        let mut there = vec![some; dense.len()];
        run.take_into(attribute, &mut there)?;
        same(&format!("{attribute:?}, into memory"), &there, &original)?;
        for length in [0, dense.len() - 1, dense.len() + 1] {
            if length != dense.len() && run.take_into(attribute, &mut vec![some; length]).is_ok() {
                return Err(format!("{attribute:?} fits into memory for {length} of {} values", dense.len()).into());
            }
        }
    }
    Ok(())
}

fn same<T: PartialEq + Debug>(what: &str, found: &[T], expected: &[T]) -> Outcome {
    if found == expected {
        return Ok(());
    }
    let at = found.iter().zip(expected).position(|(a, b)| a != b);
    Err(format!(
        "{what}: {} values for {}, the first other one at {at:?}: {:?} for {:?}",
        found.len(),
        expected.len(),
        at.map(|at| &found[at]),
        at.map(|at| &expected[at])
    )
    .into())
}

/// Returns the ID of the vertex with a given number.
type IdOf = fn(u64) -> u64;

/// Checks the values of graphs whose IDs and orders cover every path to the host: values in original order and in
/// another, IDs with any start, and IDs of more than 32 bits. With more vertices, values are copied in more pieces.
///
/// # Errors
///
/// As for [`answers_are_what_was_set`]. The error names the graph.
pub fn answers_by_every_path(engine: &Engine, vertices: u64) -> Outcome {
    let kinds: [(&str, IdOf); 4] = [
        ("IDs from 0", |v| v),
        ("IDs from 100", |v| v + 100),
        ("sparse IDs", |v| 3 * v + v % 2),
        ("IDs of 64 bits", |v| (v << 33) + 5),
    ];
    for (name, id) in kinds {
        let ids: Vec<u64> = (0..vertices).map(id).collect();
        // Each vertex after the root has its own layer, and a graph has at most `MOST_LAYERS` layers.
        let reached = (ids.len() / 2).min(MOST_LAYERS);
        let layers = VertexOrder::Layers { root: ids[ids.len() - reached] };
        for order in [VertexOrder::Original, VertexOrder::Random { seed: 3 }, VertexOrder::Degree, layers] {
            let graph = chain(&ids, order)?;
            answers_are_what_was_set(engine, &graph)
                .map_err(|error| format!("{vertices} vertices, {name}, order {order}: {error}"))?;
            engine.forget(&graph);
        }
    }
    Ok(())
}

/// Returns a graph on which all algorithms in these checks do work.
///
/// # Errors
///
/// The graph cannot be built.
pub fn graph(scale: u32) -> std::result::Result<Graph, Box<dyn std::error::Error + Send + Sync>> {
    let options = BuildOptions { in_edges: true, order: VertexOrder::Degree.into(), ..BuildOptions::default() };
    Ok(Graph::reader(format!("rmat:{scale}")).options(options).read()?)
}

/// Levels, components by two algorithms, and ranks.
#[derive(Debug, PartialEq)]
pub struct Answers {
    levels: Vec<u32>,
    components: Vec<u64>,
    trees: Vec<u64>,
    ranks: Vec<f32>,
}

/// Runs four algorithms, each in its own session.
///
/// # Errors
///
/// The engine fails.
pub fn answers(engine: &Engine, graph: &Graph) -> Result<Answers> {
    let options = pagerank::Options { damping: 0.85, iterations: 3, tolerance: None };
    // Each session ends before the next one begins.
    let levels = bfs::bfs(&mut engine.start(graph)?, Vertex::from_dense(0))?;
    let components = wcc::wcc(&mut engine.start(graph)?)?;
    let trees = afforest::afforest(&mut engine.start(graph)?)?;
    let ranks = pagerank::pagerank_f32(&mut engine.start(graph)?, &options)?.ranks;
    Ok(Answers { levels, components, trees, ranks })
}

fn close(found: &Answers, expected: &Answers) -> Outcome {
    same("levels", &found.levels, &expected.levels)?;
    same("components", &found.components, &expected.components)?;
    same("components by trees", &found.trees, &expected.trees)?;
    let near = |(a, b): (&f32, &f32)| (a - b).abs() <= 1e-4 * b.abs();
    if found.ranks.len() == expected.ranks.len() && found.ranks.iter().zip(&expected.ranks).all(near) {
        return Ok(());
    }
    Err("ranks differ".into())
}

/// Checks that successive sessions, alternating between two graphs, return the CPU's answers.
///
/// # Errors
///
/// The answers differ, or the engine fails.
pub fn sessions_come_and_go(engine: &Engine, scale: u32) -> Outcome {
    let graphs = [graph(scale)?, graph(scale - 1)?];
    let expected = graphs.each_ref().map(|graph| Engine::cpu().and_then(|cpu| answers(&cpu, graph)));
    for _ in 0..3 {
        for (graph, expected) in graphs.iter().zip(&expected) {
            close(&answers(engine, graph)?, expected.as_ref().map_err(|error| error.to_string())?)?;
        }
    }
    Ok(())
}

/// Checks that runs on two threads, and two concurrent runs on one thread, do not share memory.
///
/// # Errors
///
/// The answers differ, or the engine fails.
pub fn runs_live_side_by_side(engine: &Engine, scale: u32) -> Outcome {
    let graph = Arc::new(graph(scale)?);
    let expected = Arc::new(answers(&Engine::cpu()?, &graph)?);
    let others: Vec<_> = (0..2)
        .map(|_| {
            let (engine, graph, expected) = (engine.clone(), Arc::clone(&graph), Arc::clone(&expected));
            move || -> Outcome {
                for _ in 0..5 {
                    close(&answers(&engine, &graph)?, &expected)?;
                }
                Ok(())
            }
        })
        .collect();
    gts_core::threads::together(others, |_, work| work())?.into_iter().collect::<Outcome>()?;
    let mut one = engine.start(&graph)?;
    let mut other = engine.start(&graph)?;
    let second = wcc::wcc(&mut other)?;
    let first = bfs::bfs(&mut one, Vertex::from_dense(0))?;
    drop(one);
    same("components of the other run", &second, &expected.components)?;
    same("levels of the one", &first, &expected.levels)
}

/// Checks that a repeated run requests no memory, stream or event from the driver. Returns the number of requests of
/// the first run.
///
/// # Errors
///
/// A repeated run makes requests, or the engine fails.
pub fn warm_runs_allocate_nothing(
    engine: &Engine,
    scale: u32,
) -> std::result::Result<u64, Box<dyn std::error::Error + Send + Sync>> {
    let graph = graph(scale)?;
    let calls = || engine.memory_taken().iter().map(|taken| taken.driver_calls).sum::<u64>();
    answers(engine, &graph)?;
    let first = calls();
    for _ in 0..3 {
        answers(engine, &graph)?;
    }
    match calls() - first {
        0 => Ok(first),
        more => {
            Err(format!("three warm runs asked the driver {more} times for memory; the first {first} times").into())
        }
    }
}
