//! What algorithms cannot do ends with a typed error that says how to go on.

use gts_algorithms::{betweenness, bfs, cross_edges, hits, k_core, salsa, scc, spanning_forest};
use gts_graph::algorithm::{Answer, Arguments, find};
use gts_graph::core::advice::{Reader, explain};
use gts_graph::prelude::*;

fn engine() -> Engine {
    Engine::cpu().expect("the CPU works")
}

/// A cycle in one direction, without in-edges.
fn directed() -> Graph {
    Graph::from_edges([(0, 1), (1, 2), (2, 0)]).expect("sound edges")
}

fn weighted(weight: f32) -> Graph {
    Graph::builder().weighted_edges([(1u64, 2u64, weight)]).symmetrise(true).build().expect("sound edges")
}

/// Runs a registered algorithm.
fn run(name: &str, graph: &Graph, arguments: &[(&str, &str)]) -> Result<Answer> {
    gts_algorithms::link();
    let algorithm = find(name).expect("it is registered");
    let given = arguments.iter().try_fold(Arguments::of(algorithm), |given, (name, text)| given.with(name, text))?;
    algorithm.run(&engine(), graph, &given)
}

fn needs<T>(outcome: Result<T>, needs: &str, remedy: &str) {
    let Err(error @ Error::Needs { .. }) = outcome.map(|_| ()) else { panic!("not refused for what the graph lacks") };
    let text = explain(&error, Reader::CommandLine);
    assert!(text.contains(needs) && text.contains(remedy), "{text}");
}

#[test]
fn in_edges_are_asked_for() -> Result<()> {
    let graph = directed();
    let (engine, all) = (engine(), (0..3).map(Vertex::from_dense));
    needs(scc::scc(&mut engine.start(&graph)?), "in-edges", "--in-edges");
    needs(betweenness::betweenness(&mut engine.start(&graph)?, all), "in-edges", "--in-edges");
    needs(hits::hits(&mut engine.start(&graph)?, 1), "in-edges", "--in-edges");
    needs(salsa::salsa(&mut engine.start(&graph)?, 1), "in-edges", "--in-edges");
    Ok(())
}

#[test]
fn undirected_graphs_are_asked_for() -> Result<()> {
    needs(k_core::k_core(&mut engine().start(&directed())?), "undirected", "--symmetrise");
    let graph = Graph::builder().weighted_edges([(1u64, 2u64, 3u32)]).build().expect("sound edges");
    let forest = spanning_forest::spanning_forest_u32(&mut engine().start(&graph)?);
    needs(forest, "undirected", "--symmetrise");
    Ok(())
}

#[test]
fn weights_that_have_no_meaning_are_refused_by_edge() {
    let message = |name, weight| run(name, &weighted(weight), &[]).expect_err("a bad weight").to_string();
    assert!(message("random-walk-with-restart", -1.0).contains("edge 1 -> 2 has weight -1"));
    assert!(run("spanning-forest", &weighted(-1.0), &[]).is_ok(), "a forest may have negative weights");
    needs(run("spanning-forest", &directed(), &[]), "edge values of type f32", "--weights f32");
}

#[test]
fn vertices_that_the_graph_has_not_are_named() {
    for name in ["bfs", "k-hop", "egonet", "closeness", "personalised-pagerank", "st-connectivity"] {
        let error =
            run(name, &directed(), &[("source", "8"), ("target", "1")][..1 + usize::from(name.starts_with("st"))]);
        assert!(matches!(error, Err(Error::UnknownVertex(_))), "{name}");
    }
    let foreign = [Vertex::from_dense(3)];
    let error = cross_edges::cross_edges(&mut engine().start(&directed()).expect("a run"), &foreign, &foreign);
    assert!(error.expect_err("no vertex").to_string().contains("Vertex(3): the graph has no such vertex"));
}

#[test]
fn sources_are_given_in_one_way() {
    let error = run("closeness", &directed(), &[("source", "1"), ("samples", "2")]).expect_err("both");
    assert!(error.to_string().contains("--source"), "{error}");
}

/// Returns a chain of `vertices` vertices.
fn chain(vertices: u64) -> Graph {
    Graph::from_edges((1..vertices).map(|v| (v - 1, v))).expect("sound edges")
}

#[test]
fn levels_of_16_bits_end_where_they_say() -> Result<()> {
    let levels = bfs::bfs_u16(&mut engine().start(&chain(65_535))?, Vertex::from_dense(0))?;
    assert_eq!(levels.last(), Some(&65_534));
    let error = bfs::bfs_u16(&mut engine().start(&chain(65_536))?, Vertex::from_dense(0)).expect_err("too far");
    assert!(matches!(&error, Error::Argument { why, .. } if why.contains("levels of 32 bits")), "{error}");
    let error = run("bfs", &directed(), &[("parents", "true"), ("level-type", "u16")]).expect_err("no parents");
    assert!(format!("{error:?}").contains("--level-type"), "{error:?}");
    Ok(())
}
