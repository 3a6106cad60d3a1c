//! Compares every importer with a reader that shares no code with it, on the reference graphs.

use gts_contract::ScalarType;
use gts_core::graph::{Graph, VertexOrder};
use gts_core::import::Format;
use gts_core::read::WeightChoice;
use gts_tests::data::{Data, DataError, Entry, Layout, PlainGraph};

/// Imports a graph of the manifest in the canonical form of its references.
fn imported(data: &Data, entry: &Entry, weights: WeightChoice, order: VertexOrder) -> Result<Graph, DataError> {
    let mut reader = Graph::reader(data.file(entry));
    if entry.vfile.is_some() {
        reader = reader.format(Format::Graphalytics);
    }
    let reader = reader.choose_weights(weights).drop_self_loops(true).drop_duplicates(true).symmetrise(!entry.directed);
    Ok(reader.in_edges(true).order(order).read()?)
}

/// Returns the graph's arcs between original IDs, ascending, with their weights.
fn arcs(graph: &Graph, weighted: bool) -> Vec<(u64, u64, f64)> {
    let original = |vertex| graph.original(vertex);
    let mut arcs: Vec<_> = if weighted {
        let edges = graph.weighted_edges::<f64>().expect("the graph was imported with f64 weights");
        edges.map(Result::unwrap).map(|(src, dst, weight)| (original(src), original(dst), weight)).collect()
    } else {
        graph.edges().map(Result::unwrap).map(|(src, dst)| (original(src), original(dst), 1.0)).collect()
    };
    arcs.sort_unstable_by_key(|arc| (arc.0, arc.1));
    arcs
}

fn same(graph: &Graph, plain: &PlainGraph, weighted: bool, name: &str) {
    let ids = graph.ids();
    let originals: Vec<u64> = ids.ascending().collect();
    assert_eq!(originals, plain.ids, "{name}: vertices");
    let expected: Vec<_> = plain.named_arcs().collect();
    let found = arcs(graph, weighted);
    assert_eq!(found.len(), expected.len(), "{name}: arcs");
    for (found, expected) in found.iter().zip(&expected) {
        assert_eq!((found.0, found.1), (expected.0, expected.1), "{name}");
        assert!(!weighted || found.2 == expected.2, "{name}: {found:?}, expected {expected:?}");
    }
}

#[test]
fn imports_hold_the_same_graph_as_a_plain_reader() -> Result<(), DataError> {
    let Some(data) = Data::locate() else { return Ok(()) };
    // These tests are built without the feature `bv`. `scripts/bv.sh` reads the BV graph.
    for entry in data.entries()?.iter().filter(|entry| entry.format != Layout::BvGraph) {
        let plain = data.graph(entry)?;
        let weights = if plain.weighted { ScalarType::F64.into() } else { WeightChoice::None };
        let graph = imported(&data, entry, weights, VertexOrder::Original)?;
        same(&graph, &plain, plain.weighted, &entry.name);
    }
    Ok(())
}

#[test]
fn vertex_order_changes_no_edge() -> Result<(), DataError> {
    let Some(data) = Data::locate() else { return Ok(()) };
    for entry in data.entries()?.iter().filter(|entry| matches!(entry.name.as_str(), "karate" | "wiki-Vote" | "rome99"))
    {
        let plain = data.graph(entry)?;
        for order in [VertexOrder::Random { seed: 7 }, VertexOrder::Degree] {
            let graph = imported(&data, entry, WeightChoice::None, order)?;
            same(&graph, &plain, false, &format!("{} in {order} order", entry.name));
        }
    }
    Ok(())
}
