//! What algorithms tell of their runs beforehand, beside what their runs then do.

use crate::common::variants;
use gts_graph::algorithm::{self, Algorithm, Arguments, GraphFacts, Needs};
use gts_graph::prelude::*;

/// 60 vertices: a chain with chords, in which every algorithm has something to do.
fn graph(needs: Needs, symmetrise: bool) -> Graph {
    let edges = (0..60u64).flat_map(|v| [(v, (v + 1) % 60), (v, (v * 7 + 3) % 60), (v, v / 2)]);
    let weighted = edges.clone().map(|(src, dst)| (src, dst, (src % 5 + dst % 3) as f32));
    let builder = Graph::builder().symmetrise(symmetrise).in_edges(true);
    match needs.weights {
        [] => builder.edges(edges).build(),
        _ => builder.weighted_edges(weighted).build(),
    }
    .expect("sound edges")
}

#[test]
fn every_algorithm_tells_what_it_does() {
    gts_algorithms::link();
    for algorithm in algorithm::all() {
        assert!(algorithm.outline.is_some(), "`{}` has no outline", algorithm.name);
        assert!(!algorithm.kernels.is_empty(), "`{}` names no kernel", algorithm.name);
    }
}

#[test]
fn kernels_that_run_were_told() -> Result<()> {
    gts_algorithms::link();
    for algorithm in algorithm::all() {
        for arguments in variants(algorithm) {
            for symmetrise in [true, false] {
                if symmetrise || !arguments.needs().symmetric {
                    kernels_of_a_run_were_told(algorithm, &arguments, &graph(arguments.needs(), symmetrise))?;
                }
            }
        }
    }
    Ok(())
}

fn kernels_of_a_run_were_told(algorithm: &'static Algorithm, arguments: &Arguments, graph: &Graph) -> Result<()> {
    let engine = Engine::cpu()?;
    let outline = algorithm.outline.expect("see above")(arguments, &GraphFacts::from(graph))?;
    algorithm.run(&engine, graph, arguments)?;
    let told: Vec<_> = outline.once.iter().chain(&outline.each_step).map(|kernel| kernel.name).collect();
    let report = engine.take_report();
    let passes: u64 = report.kernels.iter().filter(|kernel| kernel.edges > 0).map(|kernel| kernel.passes).sum();
    for kernel in report.kernels {
        let name = kernel.kernel;
        assert!(told.contains(&name), "`{}` runs `{name}` and tells of {told:?}", algorithm.name);
    }
    if let Some(most) = outline.passes() {
        assert!(passes <= most.max(1) * PLACES, "`{}`: {passes} passes, {most} told", algorithm.name);
    }
    for kernel in told {
        let known = algorithm.kernels.iter().any(|registered| registered.name == kernel);
        assert!(known, "`{}` tells of `{kernel}`, which it does not register", algorithm.name);
    }
    Ok(())
}

/// Passes over parts of the lists that together are one over all of them: `afforest` makes three.
const PLACES: u64 = 3;

#[test]
fn what_is_told_depends_on_the_graph() -> Result<()> {
    gts_algorithms::link();
    let told = |name: &str, facts: &GraphFacts, flags: &[(&str, &str)]| {
        let algorithm = algorithm::find(name).expect("it is registered");
        let given =
            flags.iter().try_fold(variants(algorithm).swap_remove(0), |given, (name, text)| given.with(name, text))?;
        algorithm.outline.expect("see above")(&given, facts)
    };
    let facts = GraphFacts { vertices: 1000, symmetric: true, in_edges: true, weights: None };
    let directed = GraphFacts { symmetric: false, ..facts };
    assert_ne!(told("cdlp", &facts, &[])?, told("cdlp", &directed, &[])?);
    assert_eq!(told("betweenness", &facts, &[])?.searches, 1000);
    assert_eq!(told("betweenness", &facts, &[("samples", "5000")])?.searches, 1000);
    assert_eq!(told("closeness", &facts, &[])?.searches, 16);
    assert_eq!(told("eccentricity", &facts, &[("source", "1")])?.searches, 1);
    assert_eq!(told("random-walks", &facts, &[("walkers", "2500")])?.searches, 3);
    // Two scans in each of at most ten rounds.
    assert_eq!(told("spanning-forest", &facts, &[])?.passes(), Some(20));
    Ok(())
}
