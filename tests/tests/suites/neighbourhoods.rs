//! Compares intersections of neighbourhoods with answers that other programs computed or published. The device is the
//! CPU, or the one in `GTS_TEST_DEVICE`.

use gts_core::build::DeclaredVertices;
use gts_core::graph::{Graph, VertexOrder};
use gts_core::page::IdWidth;
use gts_graph::algorithms::{lcc, triangles};
use gts_graph::prelude::{DeviceChoice, Engine};
use gts_tests::compare;
use gts_tests::data::{Data, DataError, PlainGraph, Published};

/// Coefficients are one division; files print fewer digits.
const CLOSE: f64 = 1e-9;

fn engine() -> Result<Engine, DataError> {
    let device = std::env::var("GTS_TEST_DEVICE").map_or(Ok(DeviceChoice::Cpu), |name| name.parse())?;
    Ok(Engine::builder().device(device).build()?)
}

/// Builds the graph in small pages, so that hubs take several, in an order that mixes the vertices.
fn build(graph: &PlainGraph, symmetrise: bool) -> Result<Graph, DataError> {
    let builder = Graph::builder()
        .edges(graph.named_arcs().map(|(src, dst, _)| (src, dst)))
        .vertices(DeclaredVertices::List(graph.ids.clone().into()))
        .order(VertexOrder::Degree)
        .page_size(1 << 10)
        .width(IdWidth::new(2, 2)?)
        .symmetrise(symmetrise)
        .in_edges(true);
    Ok(builder.build()?)
}

/// Compares the coefficients of some vertices with the listed ones.
fn hold(graph: &PlainGraph, values: &[f64], listed: &Published) -> Result<(), DataError> {
    let pick = |(id, _): &(u64, f64)| Some(values[graph.rank(*id)?]);
    let found: Option<Vec<f64>> = listed.iter().map(pick).collect();
    let expected: Vec<f64> = listed.iter().map(|(_, value)| *value).collect();
    assert!(!expected.is_empty());
    Ok(compare::close(&found.ok_or("an ID is not in the graph")?, &expected, CLOSE)?)
}

/// Returns the coefficients by every method: from edges in both directions, and for an undirected graph also in order.
fn coefficients(graph: &PlainGraph, undirected: bool) -> Result<Vec<f64>, DataError> {
    let engine = engine()?;
    let either_way = lcc::lcc(&mut engine.start(&build(graph, false)?)?)?;
    if undirected {
        assert_eq!(lcc::lcc(&mut engine.start(&build(graph, true)?)?)?, either_way);
    }
    Ok(either_way)
}

#[test]
fn computed_references_are_met() -> Result<(), DataError> {
    let Some(data) = Data::locate() else { return Ok(()) };
    let (mut counted, mut held) = (0, 0);
    for entry in data.entries()? {
        let (graph, reference) = (data.graph(&entry)?, data.reference(&entry)?);
        let stated = reference.count("triangles").ok_or("the reference states no triangles")?;
        let found = triangles::triangles(&mut engine()?.start(&build(&graph, true)?)?)?;
        assert_eq!(found, stated, "triangles of {}", entry.name);
        counted += 1;
        if reference.has("lcc") {
            let found = coefficients(&graph, !entry.directed)?;
            hold(&graph, &found, &reference.values("lcc")?).map_err(|error| format!("{}: {error}", entry.name))?;
            held += 1;
        }
    }
    assert!(counted >= held && held > 0);
    Ok(())
}

#[test]
fn published_answers_are_met() -> Result<(), DataError> {
    let Some(data) = Data::locate() else { return Ok(()) };
    let entries = data.entries()?;
    let cases = [
        ("example-directed", "example-directed-LCC"),
        ("example-undirected", "example-undirected-LCC"),
        ("p2p-31", "p2p-31-LCC.gz"),
    ];
    for (name, file) in cases {
        let entry = entries.iter().find(|entry| entry.name == name).ok_or("a graph is not in the manifest")?;
        let graph = data.graph(entry)?;
        hold(&graph, &coefficients(&graph, !entry.directed)?, &data.published(file)?)?;
    }
    for kind in ["dir", "undir"] {
        let graph = data.adjacency(&format!("graphalytics/lcc-{kind}-input"))?;
        let listed = data.published(&format!("graphalytics/lcc-{kind}-output"))?;
        hold(&graph, &coefficients(&graph, kind == "undir")?, &listed).map_err(|error| format!("{kind}: {error}"))?;
    }
    Ok(())
}
