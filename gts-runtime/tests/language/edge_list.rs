//! A thread per edge, on edge lists instead of pages: the same answers as by pages, with weights, on both sides and in
//! traversals; and the error if a list does not fit.

use super::device;
use gts_graph::prelude::*;
use gts_graph::{EngineBuilder, RunReport};

#[gts_attributes]
pub struct Weighed {
    #[wa(init = 0, merge = sum)]
    pub weight: u64,
    /// In-edges and out-edges together, by the other end.
    #[wa(init = 0, merge = sum)]
    pub around: u64,
    /// Sum of the places of edges in the lists of their sources.
    #[wa(init = 0, merge = sum)]
    pub places: u64,
    #[wa(init = UNREACHED, merge = min)]
    pub distance: u64,
    #[edge(default = 1)]
    pub of_edge: u64,
}

#[gts_kernel(scan)]
fn weigh(w: &mut Weighed, src: Vertex, dst: Vertex, e: Edge) {
    w.weight[dst] += w.of_edge[e] * (src.id() as u64 + 1);
}

#[gts_kernel(scan(both))]
fn look_around(w: &mut Weighed, src: Vertex, dst: Vertex) {
    w.around[dst] += src.id() as u64 + 1;
}

#[gts_kernel(scan)]
fn place(w: &mut Weighed, src: Vertex, dst: Vertex, e: Edge) {
    w.places[dst] += (e.position() + 1) * (src.id() as u64 + 1);
}

#[gts_kernel(traverse, technique = edge_list_pairs)]
fn relax(w: &mut Weighed, src: Vertex, dst: Vertex, e: Edge) {
    let through = w.distance[src] + w.of_edge[e];
    if w.distance[dst].fetch_min(through) > through {
        activate(dst);
    }
}

/// Creates a graph with a hub that has its own pages.
fn graph(weights: bool) -> Graph {
    let hub = (0..900).map(|v| (0, v, v % 7 + 1));
    let others = (0..4000u64).map(|i| (i * i % 899, i * 31 % 900, i % 5 + 1));
    let edges = hub.chain(others);
    let builder = Graph::builder();
    let builder = match weights {
        true => builder.weighted_edges(edges),
        false => builder.edges(edges.map(|(src, dst, _)| (src, dst))),
    };
    builder.page_size(256).in_edges(true).build().expect("sound edges")
}

/// Returns the sums and distances of each vertex, and the report of the passes.
fn found(builder: EngineBuilder, graph: &Graph) -> Result<([Vec<u64>; 4], RunReport)> {
    let engine = builder.device(device()).build()?;
    let mut run = engine.start::<Weighed>(graph)?;
    run.scan(weigh)?;
    run.scan(look_around)?;
    run.scan(place)?;
    run.scan(weigh)?;
    let source = Vertex::from_dense(0);
    run.set(Weighed::DISTANCE, source, 0)?;
    run.activate(source)?;
    run.traverse(relax)?;
    let columns = [
        run.take_dense(Weighed::WEIGHT)?,
        run.take_dense(Weighed::AROUND)?,
        run.take_dense(Weighed::PLACES)?,
        run.take_dense(Weighed::DISTANCE)?,
    ];
    Ok((columns, engine.take_report()))
}

#[test]
fn lists_give_the_answers_of_pages() -> Result<()> {
    for weights in [false, true] {
        let graph = graph(weights);
        let expected = found(Engine::builder().technique(Some(Technique::Balanced)), &graph)?;
        for layout in EdgeLayout::ALL {
            let technique = Technique::EdgeList(layout);
            let (columns, report) = found(Engine::builder().technique(Some(technique)), &graph)?;
            assert_eq!(columns, expected.0, "{technique} {weights}");
            let of = |name: &str| report.kernels.iter().find(|kernel| kernel.kernel == name).expect("it ran");
            // The number of times that a vertex becomes nearer depends on the order of updates.
            for kernel in expected.1.kernels.iter().filter(|kernel| kernel.kernel != "relax") {
                assert_eq!(of(kernel.kernel).edges, kernel.edges, "{technique} {weights} {}", kernel.kernel);
            }
            if device() != DeviceChoice::Cpu {
                assert_eq!((of("weigh").technique, of("weigh").pages), (Some(technique), 0));
                assert_eq!((of("relax").technique, of("relax").pages), (Some(technique), 0));
                assert_ne!(of("place").technique, Some(technique), "lists do not tell places");
            }
        }
        // The kernel's own choice, if the engine has none.
        assert_eq!(found(Engine::builder(), &graph)?.0, expected.0);
    }
    Ok(())
}

#[test]
fn lists_are_not_pulled_along() {
    let technique = Some(Technique::EdgeList(EdgeLayout::Arrays));
    for propagation in [Propagation::Pull, Propagation::PullAtEdge] {
        let builder = Engine::builder().device(device()).technique(technique).propagation(propagation);
        let error = builder.build().expect_err("a contradiction");
        assert!(format!("{error:?}").contains("another `Technique`"), "{error:?}");
    }
}

#[test]
fn a_list_without_room_is_refused_with_what_would_do() -> Result<()> {
    if device() == DeviceChoice::Cpu {
        return Ok(());
    }
    let graph = graph(true);
    let within = |bytes: u64| Engine::builder().device(device()).device_memory(bytes).build();
    let Err(Error::OutOfMemory { needed, .. }) = within(1)?.start::<Weighed>(&graph) else {
        panic!("attributes take more than a byte");
    };
    let builder = Engine::builder().technique(Some(Technique::EdgeList(EdgeLayout::Arrays)));
    let error = found(builder.device_memory(needed), &graph).map(|_| ()).expect_err("no room for lists");
    assert!(matches!(error, Error::OutOfMemory { .. } | Error::Needs { .. }), "{error}");
    assert!(format!("{error:?}").contains("`Technique::Balanced`"), "{error:?}");
    Ok(())
}
