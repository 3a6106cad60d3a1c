//! Compares the oracles with answers that other programs computed or published.

use gts_tests::compare;
use gts_tests::data::{Data, DataError, PlainGraph, Published};
use gts_tests::oracle;

/// Iterations of the computed ranks.
const ITERATIONS: u32 = 20;

/// Compares the values of some vertices with the listed ones.
fn hold(graph: &PlainGraph, values: &[f64], listed: &Published, tolerance: f64) -> Result<(), DataError> {
    Ok(compare::listed(graph, values, listed, tolerance)?)
}

fn numbers(levels: &[Option<u32>]) -> Vec<u64> {
    levels.iter().map(|level| level.map_or(gts_tests::data::UNREACHED, u64::from)).collect()
}

#[test]
fn oracles_agree_with_computed_references() -> Result<(), DataError> {
    let Some(data) = Data::locate() else { return Ok(()) };
    for entry in data.entries()? {
        let graph = data.graph(&entry)?;
        let reference = data.reference(&entry)?;
        let size = (Some(graph.len() as u64), Some(graph.arcs.len() as u64));
        assert_eq!(size, reference.size(), "{}", entry.name);
        let source = graph.rank(reference.source()?).ok_or("the source is not in the graph")?;
        let check = |what: &str, outcome: Result<(), DataError>| {
            outcome.unwrap_or_else(|error| panic!("{} {what}: {error}", entry.name));
        };
        check("bfs", reference.check_integers("bfs", &graph, &numbers(&oracle::levels(&graph, source))));
        check("wcc", reference.check_integers("wcc", &graph, &oracle::components(&graph)));
        check("pagerank", hold(&graph, &oracle::ranks(&graph, ITERATIONS), &reference.values("pagerank")?, 1e-9));
        if reference.has("sssp") {
            check("sssp", hold(&graph, &oracle::distances(&graph, source), &reference.values("sssp")?, 1e-9));
        }
    }
    Ok(())
}

#[test]
fn oracles_agree_with_published_answers() -> Result<(), DataError> {
    let Some(data) = Data::locate() else { return Ok(()) };
    let cases = [
        ("example-directed", "example-directed-BFS", "example-directed-SSSP", Some(("example-directed-PR", 2))),
        ("example-undirected", "example-undirected-BFS", "example-undirected-SSSP", Some(("example-undirected-PR", 2))),
        ("p2p-31", "p2p-31-BFS.gz", "p2p-31-SSSP.gz", Some(("p2p-31-PR.gz", 10))),
        ("p2p-31-directed", "p2p-31-BFS-directed.gz", "p2p-31-SSSP-directed.gz", None),
    ];
    let entries = data.entries()?;
    for (name, bfs, sssp, pagerank) in cases {
        let entry = entries.iter().find(|entry| entry.name == name).ok_or("a graph is not in the manifest")?;
        let graph = data.graph(entry)?;
        let source = graph.rank(data.reference(entry)?.source()?).ok_or("the source is not in the graph")?;
        let levels: Vec<f64> = numbers(&oracle::levels(&graph, source)).iter().map(|&level| level as f64).collect();
        hold(&graph, &levels, &data.published(bfs)?, 0.0)?;
        hold(&graph, &oracle::distances(&graph, source), &data.published(sssp)?, 1e-9)?;
        if let Some((file, iterations)) = pagerank {
            hold(&graph, &oracle::ranks(&graph, iterations), &data.published(file)?, 1e-9)?;
        }
    }
    Ok(())
}

/// The small graphs of Graphalytics' own tests, with the number of iterations of its PageRank outputs.
#[test]
fn oracles_agree_with_graphalytics_test_outputs() -> Result<(), DataError> {
    let Some(data) = Data::locate() else { return Ok(()) };
    for (kind, iterations) in [("dir", 14), ("undir", 26)] {
        let adjacency = |algorithm: &str| data.adjacency(&format!("graphalytics/{algorithm}-{kind}-input"));
        let published = |algorithm: &str| data.published(&format!("graphalytics/{algorithm}-{kind}-output"));

        let graph = adjacency("bfs")?;
        let source = graph.rank(1).ok_or("there is no vertex 1")?;
        let levels: Vec<f64> = numbers(&oracle::levels(&graph, source)).iter().map(|&level| level as f64).collect();
        hold(&graph, &levels, &published("bfs")?, 0.0)?;

        // These ranks are some 1e-6 off, at eight printed digits.
        let graph = adjacency("pr")?;
        hold(&graph, &oracle::ranks(&graph, iterations), &published("pr")?, 1e-5)?;

        let graph = adjacency("wcc")?;
        let expected: Vec<u64> = published("wcc")?.iter().map(|(_, label)| *label as u64).collect();
        compare::same_partition(&oracle::components(&graph), &expected)?;

        let graph = data.weighted_edges(&format!("graphalytics/sssp-{kind}-input"), kind == "dir")?;
        let source = graph.rank(1).ok_or("there is no vertex 1")?;
        hold(&graph, &oracle::distances(&graph, source), &published("sssp")?, 1e-9)?;
    }
    Ok(())
}
