//! Compares trusses with results of networkx (see `tests/references/trussness.py`). The device is the CPU, or the one
//! in `GTS_TEST_DEVICE`.

use gts_core::graph::{Graph, VertexOrder};
use gts_graph::algorithms::k_truss;
use gts_graph::prelude::*;

const REFERENCES: [(&str, &str); 3] = [
    ("karate", include_str!("../../references/trussness-karate.wel")),
    ("clustered", include_str!("../../references/trussness-clustered.wel")),
    ("caves", include_str!("../../references/trussness-caves.wel")),
];

fn engine() -> Result<Engine> {
    let device = std::env::var("GTS_TEST_DEVICE").map_or(DeviceChoice::Cpu, |name| name.parse().expect("a device"));
    Engine::builder().device(device).build()
}

/// Parses edges with their trussness, ascending.
fn read(text: &str) -> Vec<((u64, u64), u32)> {
    let number = |word: &str| word.parse::<u64>().expect("a number");
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| line.split(' ').map(number).collect::<Vec<_>>())
        .map(|words| ((words[0], words[1]), words[2] as u32))
        .collect()
}

/// Returns the graph with its hubs on several pages, in an order that differs from that of the IDs.
fn graph(edges: impl Iterator<Item = (u64, u64)>) -> Graph {
    let builder = Graph::builder().edges(edges).undirected(true).order(VertexOrder::Degree).page_size(256);
    builder.build().expect("sound edges")
}

#[test]
fn trusses_are_those_of_networkx() -> Result<()> {
    let engine = engine()?;
    for (name, text) in REFERENCES {
        let expected = read(text);
        assert!(expected.iter().any(|&(_, k)| k > 3), "{name}");
        let graph = graph(expected.iter().map(|&(ends, _)| ends));
        for k in 0..9 {
            let of_k: Vec<_> = expected.iter().filter(|edge| edge.1 >= k).map(|edge| edge.0).collect();
            assert_eq!(k_truss::k_truss(&engine, &graph, k)?, of_k, "{name}, {k}");
        }
    }
    Ok(())
}

#[test]
fn parallel_edges_are_one_and_loops_are_none() -> Result<()> {
    let engine = engine()?;
    let expected = read(REFERENCES[0].1);
    let ends = || expected.iter().map(|&(ends, _)| ends);
    let again = ends().filter(|(src, dst)| (src + dst) % 3 == 0).map(|(src, dst)| (dst, src));
    let loops = ends().map(|(src, _)| (src, src)).step_by(4);
    let graph = graph(ends().chain(again).chain(loops));
    assert!(graph.num_edges() > 2 * expected.len() as u64);
    let of_four: Vec<_> = expected.iter().filter(|edge| edge.1 >= 4).map(|edge| edge.0).collect();
    assert_eq!(k_truss::k_truss(&engine, &graph, 4)?, of_four);
    Ok(())
}

#[test]
fn a_directed_graph_is_refused() -> Result<()> {
    let directed = Graph::from_edges([(0, 1), (1, 2), (2, 0)]).expect("sound edges");
    let error = k_truss::k_truss(&engine()?, &directed, 3).unwrap_err();
    assert!(error.to_string().contains("needs an undirected graph"), "{error}");
    assert!(format!("{error:?}").contains("`symmetrise`"), "{error:?}");
    Ok(())
}
