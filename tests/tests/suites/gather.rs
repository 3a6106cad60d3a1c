//! Compares algorithms with gather kernels with published and computed answers, and with plain loops.
//!
//! The device is the CPU, or the one in `GTS_TEST_DEVICE`.

use gts_core::build::{BuildOptions, DeclaredVertices};
use gts_core::graph::VertexOrder;
use gts_graph::algorithms::{cdlp, colouring, mis};
use gts_graph::prelude::*;
use gts_tests::data::{Data, DataError, PlainGraph};
use std::collections::BTreeMap;

/// Maximum number of arcs of a reference graph that is also tested with small pages.
const SMALL: usize = 20_000;
/// Maximum number of arcs of a reference graph that is tested. `gts-gpu-check cpu algorithms` tests all of them.
const LARGEST: usize = 1_000_000;

fn engine() -> Result<Engine> {
    let device = std::env::var("GTS_TEST_DEVICE").map_or(DeviceChoice::Cpu, |name| name.parse().expect("a device"));
    Engine::builder().device(device).build()
}

fn store(
    graph: &PlainGraph,
    page_size: u32,
    directed: bool,
    order: VertexOrder,
) -> std::result::Result<Graph, DataError> {
    let builder = Graph::builder().edges(graph.named_arcs().map(|(src, dst, _)| (src, dst)));
    let builder = builder.vertices(DeclaredVertices::List(graph.ids.clone().into())).page_size(page_size).order(order);
    Ok(if directed { builder.in_edges(true) } else { builder.symmetrise(true).drop_duplicates(true) }.build()?)
}

/// Returns the labels after `iterations` iterations, by a sorted map for each vertex.
fn labels(graph: &PlainGraph, iterations: u32) -> Vec<u64> {
    let mut neighbours = vec![Vec::new(); graph.len()];
    for arc in &graph.arcs {
        neighbours[arc.src as usize].push(arc.dst as usize);
        neighbours[arc.dst as usize].push(arc.src as usize);
    }
    let mut labels = graph.ids.clone();
    for _ in 0..iterations {
        let next = neighbours.iter().zip(&labels).map(|(list, own)| {
            let mut counts = BTreeMap::<u64, u32>::new();
            list.iter().for_each(|&neighbour| *counts.entry(labels[neighbour]).or_default() += 1);
            let most = counts.values().copied().max().unwrap_or(0);
            counts.into_iter().find(|&(_, count)| count == most).map_or(*own, |(label, _)| label)
        });
        labels = next.collect();
    }
    labels
}

#[test]
fn cdlp_gives_the_computed_references() -> std::result::Result<(), DataError> {
    let Some(data) = Data::locate() else { return Ok(()) };
    let engine = engine()?;
    for entry in data.entries()? {
        let (plain, reference) = (data.graph(&entry)?, data.reference(&entry)?);
        if plain.arcs.len() > LARGEST {
            continue;
        }
        let sizes: &[u32] = if plain.arcs.len() <= SMALL { &[256, 4096, 1 << 20] } else { &[1 << 20] };
        for &page_size in sizes {
            // If numbers are not in the order of the IDs, the smallest label is not the smallest number.
            let order = if page_size == 256 { VertexOrder::Random { seed: 3 } } else { VertexOrder::Original };
            let graph = store(&plain, page_size, entry.directed, order)?;
            let (found, _) = cdlp::cdlp(&mut engine.start(&graph)?, 10)?;
            let outcome = reference.check_integers("cdlp", &plain, &found);
            outcome.unwrap_or_else(|error| panic!("{} in pages of {page_size} bytes: {error}", entry.name));
        }
    }
    Ok(())
}

#[test]
fn cdlp_gives_the_published_answers() -> std::result::Result<(), DataError> {
    let Some(data) = Data::locate() else { return Ok(()) };
    let engine = engine()?;
    let entries = data.entries()?;
    let cases = [
        ("example-directed", "example-directed-CDLP", 2),
        ("example-undirected", "example-undirected-CDLP", 2),
        ("p2p-31", "p2p-31-CDLP.gz", 10),
    ];
    let check = |plain: &PlainGraph, directed: bool, file: &str, iterations: u32| {
        let expected = data.published(file)?;
        let graph = store(plain, 4096, directed, VertexOrder::Original)?;
        let (found, _) = cdlp::cdlp(&mut engine.start(&graph)?, iterations.into())?;
        assert_eq!(found, labels(plain, iterations), "{file}: the loop differs");
        assert_eq!(expected.len(), plain.len(), "{file}");
        for (id, label) in expected.iter() {
            let rank = plain.rank(*id).ok_or("an ID is not in the graph")?;
            assert_eq!(found[rank] as f64, *label, "{file}: vertex {id}");
        }
        Ok::<(), DataError>(())
    };
    for (name, file, iterations) in cases {
        let entry = entries.iter().find(|entry| entry.name == name).ok_or("a graph is not in the manifest")?;
        check(&data.graph(entry)?, entry.directed, file, iterations)?;
    }
    for kind in ["dir", "undir"] {
        let plain = data.adjacency(&format!("graphalytics/cdlp-{kind}-input"))?;
        check(&plain, kind == "dir", &format!("graphalytics/cdlp-{kind}-output"), 5)?;
    }
    Ok(())
}

const SPECS: [&str; 7] = [
    "rmat:10,edge-factor=8,seed=5",
    "star:3000",
    "chain:300",
    "complete:150",
    "grid:20x30",
    "uniform:9,seed=2",
    "rmat:6,edge-factor=1,seed=1",
];

/// Returns the out-neighbours of every dense vertex, without the vertex itself.
fn lists(graph: &Graph) -> Vec<Vec<usize>> {
    let mut lists = vec![Vec::new(); graph.num_vertices() as usize];
    for edge in graph.edges() {
        let (src, dst) = edge.expect("pages in memory");
        if src != dst {
            lists[src.index()].push(dst.index());
        }
    }
    lists
}

fn symmetric(spec: &str, page_size: u32) -> std::result::Result<Graph, DataError> {
    let options = BuildOptions { page_size: Some(page_size), symmetrise: true, ..BuildOptions::default() };
    Ok(Graph::reader(spec).options(options).read()?)
}

/// Returns the output of SplitMix64's finaliser, as its authors publish it.
fn mixed(seed: u64, v: usize) -> u64 {
    let mut z = (v as u64).wrapping_add(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[test]
fn the_set_is_independent_maximal_and_that_of_a_loop() -> std::result::Result<(), DataError> {
    let engine = engine()?;
    for (spec, page_size) in SPECS.into_iter().flat_map(|spec| [(spec, 256), (spec, 1 << 16)]) {
        let graph = symmetric(spec, page_size)?;
        let lists = lists(&graph);
        for seed in [1, 77] {
            let mut run = engine.start::<mis::Mis>(&graph)?;
            mis::mis(&mut run, seed)?;
            let chosen: Vec<bool> = run.take_dense(mis::Mis::STATE)?.iter().map(|&state| state == 1).collect();
            let mut vertices: Vec<usize> = (0..lists.len()).collect();
            vertices.sort_by_key(|&v| mixed(seed, v));
            let mut expected = vec![false; lists.len()];
            for v in vertices {
                expected[v] = !lists[v].iter().any(|&neighbour| expected[neighbour]);
            }
            for (v, list) in lists.iter().enumerate() {
                let beside = list.iter().any(|&neighbour| chosen[neighbour]);
                assert!(chosen[v] != beside, "{spec}: vertex {v}");
            }
            assert_eq!(chosen, expected, "{spec}, seed {seed}");
        }
    }
    Ok(())
}

#[test]
fn colours_differ_between_neighbours_and_are_those_of_a_loop() -> std::result::Result<(), DataError> {
    let engine = engine()?;
    for (spec, page_size) in SPECS.into_iter().flat_map(|spec| [(spec, 256), (spec, 1 << 16)]) {
        let graph = symmetric(spec, page_size)?;
        let lists = lists(&graph);
        let seed = 5;
        let mut run = engine.start::<colouring::Colouring>(&graph)?;
        colouring::colouring(&mut run, seed)?;
        let colours = run.take_dense(colouring::Colouring::COLOUR)?;
        let mut vertices: Vec<usize> = (0..lists.len()).collect();
        vertices.sort_by_key(|&v| mixed(seed, v));
        let mut expected = vec![u32::MAX; lists.len()];
        for v in vertices {
            let taken = |colour: u32| lists[v].iter().any(|&neighbour| expected[neighbour] == colour);
            expected[v] = (0..).find(|&colour| !taken(colour)).expect("a free colour");
        }
        for (v, list) in lists.iter().enumerate() {
            assert!(list.iter().all(|&neighbour| colours[neighbour] != colours[v]), "{spec}: vertex {v}");
        }
        assert_eq!(colours, expected, "{spec}");
    }
    Ok(())
}

#[test]
fn directed_graphs_are_refused_where_undirected_ones_are_meant() -> Result<()> {
    let graph = Graph::from_edges([(0, 1), (1, 2)]).expect("sound edges");
    let engine = engine()?;
    for error in [
        mis::mis(&mut engine.start(&graph)?, 1).err(),
        colouring::colouring(&mut engine.start(&graph)?, 1).err(),
        cdlp::cdlp(&mut engine.start(&graph)?, 1).err(),
    ] {
        let text = format!("{:?}", error.expect("an edge has no reverse"));
        assert!(text.contains("symmetri"), "{text}");
    }
    Ok(())
}

#[test]
fn graphs_without_edges_have_answers() -> std::result::Result<(), DataError> {
    let engine = engine()?;
    let declared = DeclaredVertices::List(vec![4, 7, 9].into());
    let graph = Graph::builder().edges([]).vertices(declared).symmetrise(true).build()?;
    assert_eq!(cdlp::cdlp(&mut engine.start(&graph)?, 10)?, (vec![4, 7, 9], 0));
    assert_eq!(mis::mis(&mut engine.start(&graph)?, 1)?.0, [true; 3]);
    assert_eq!(colouring::colouring(&mut engine.start(&graph)?, 1)?.0, [0; 3]);
    Ok(())
}
