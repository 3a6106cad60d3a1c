//! Compares answers with those of the calls of networkx that the registry names (see `tests/references/networkx-calls.py`).
//! The device is the CPU, or the one in `GTS_TEST_DEVICE`.

use gts_graph::algorithm::{self, Algorithm, Answer, Arguments, OutputShape, Values};
use gts_graph::core::build::DeclaredVertices;
use gts_graph::device::Propagation;
use gts_graph::prelude::*;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Largest difference of two values. Ranks, scores and centralities are at most about 1.
const CLOSE: f64 = 1e-9;

#[derive(Deserialize)]
struct References {
    vertices: u64,
    source: u64,
    sample: Vec<u64>,
    graphs: Vec<Reference>,
}

#[derive(Deserialize)]
struct Reference {
    class: String,
    edges: Vec<(u64, u64, f64)>,
    /// The values of the vertices by call and output; the main output has no name.
    results: BTreeMap<String, BTreeMap<String, Vec<Option<f64>>>>,
}

impl Reference {
    fn graph(&self, vertices: u64) -> Graph {
        Graph::builder()
            .weighted_edges(self.edges.iter().copied())
            .vertices(DeclaredVertices::Range { first: 0, count: vertices })
            .symmetrise(self.class == "Graph")
            .in_edges(true)
            .build()
            .expect("sound edges")
    }
}

fn references() -> References {
    serde_json::from_str(include_str!("../../references/networkx-calls.json")).expect("the references are sound")
}

/// Returns an engine for each way that values take along edges.
fn engines() -> Result<Vec<Engine>> {
    let device = std::env::var("GTS_TEST_DEVICE").map_or(DeviceChoice::Cpu, |name| name.parse().expect("a device"));
    let engine = |propagation| Engine::builder().device(device).propagation(propagation).build();
    [Propagation::Push, Propagation::Pull, Propagation::PullAtEdge].into_iter().map(engine).collect()
}

fn arguments(algorithm: &'static Algorithm, flags: &str, source: u64) -> Result<Arguments> {
    let mut arguments = Arguments::of(algorithm);
    let words: Vec<_> = flags.split_whitespace().collect();
    for (word, next) in words.iter().zip(words[1.min(words.len())..].iter().map(Some).chain([None])) {
        let Some(name) = word.strip_prefix("--") else { continue };
        match next.filter(|next| !next.starts_with("--")) {
            Some(&"SOURCE") => arguments.set(name, &source.to_string())?,
            Some(value) => arguments.set(name, value)?,
            None => arguments.set(name, "true")?,
        }
    }
    Ok(arguments)
}

/// Returns the values of an output, or of the main one if it has no name.
fn values(algorithm: &Algorithm, answer: &Answer, output: &str) -> Vec<Option<f64>> {
    let is_main = |shape| matches!(shape, OutputShape::Vertices { .. });
    let main = algorithm.outputs.iter().find(|found| is_main(found.shape)).expect("a value per vertex").name;
    let reached = |value: f64, none: f64| Some(value).filter(|value| *value != none);
    match answer.values(if output.is_empty() { main } else { output }).expect("a declared output") {
        Values::F64(values) => values.iter().map(|&value| reached(value, f64::INFINITY)).collect(),
        Values::U32(values) => values.iter().map(|&value| reached(value.into(), u32::MAX.into())).collect(),
        Values::U64(values) | Values::Vertex(values) => values.iter().map(|&value| Some(value as f64)).collect(),
        values => panic!("{values:?}"),
    }
}

#[track_caller]
fn compare(algorithm: &'static Algorithm, flags: &str, call: &str, reference: &Reference, of: &References) {
    let (graph, expected) = (reference.graph(of.vertices), &reference.results[call]);
    for engine in engines().expect("the device works") {
        let arguments = arguments(algorithm, flags, of.source).expect("sound flags");
        let answer = algorithm.run(&engine, &graph, &arguments).expect("a sound run");
        for (output, expected) in expected {
            let found = values(algorithm, &answer, output);
            let are_equal = |(found, expected): (&Option<f64>, &Option<f64>)| match (found, expected) {
                (Some(found), Some(expected)) => (found - expected).abs() <= CLOSE,
                (found, expected) => found == expected,
            };
            let agree = found.len() == expected.len() && found.iter().zip(expected).all(are_equal);
            let (name, edges) = (algorithm.name, &reference.edges);
            assert!(agree, "{name} {flags}: {found:?}\n{call}: {expected:?}\n{} of {edges:?}", reference.class);
        }
    }
}

#[test]
fn the_calls_of_the_registry_agree() {
    gts_graph::algorithms::link();
    let of = references();
    let mut seen = 0;
    for algorithm in algorithm::all() {
        for call in algorithm.definition.iter().flat_map(|definition| definition.networkx) {
            let graphs = of.graphs.iter().filter(|reference| reference.class == call.graph);
            for reference in graphs {
                compare(algorithm, call.flags, call.call, reference, &of);
                seen += 1;
            }
        }
    }
    assert!(seen > 200, "{seen}");
}

#[test]
fn sampled_sources_are_scaled_as_in_networkx() -> Result<()> {
    gts_graph::algorithms::link();
    let (of, algorithm) = (references(), algorithm::find("betweenness").expect("it is registered"));
    for reference in of.graphs.iter().filter(|reference| reference.class != "MultiDiGraph") {
        let graph = reference.graph(of.vertices);
        let mut drawn: Vec<_> = graph.sample(of.sample.len(), 1)?.into_iter().map(|it| graph.original(it)).collect();
        drawn.sort_unstable();
        assert_eq!(drawn, of.sample, "write the references again with this sample");
        let few = format!("--scale networkx --samples {}", of.sample.len());
        compare(algorithm, &few, &format!("nx.betweenness_centrality(G, k={})", of.sample.len()), reference, &of);
        let one = format!("--scale networkx --source {}", of.sample[0]);
        compare(algorithm, &one, "nx.betweenness_centrality(G, k=1)", reference, &of);
    }
    Ok(())
}
