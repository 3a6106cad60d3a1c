//! Passes over a part of each vertex's list, and the places of edges in it: small pages and runs of large ones, with
//! every technique, in memory and streamed.

use super::device;
use gts_graph::device::TransferChoice;
use gts_graph::prelude::*;
use gts_graph::{EngineBuilder, Error, Neighbors};
use std::num::NonZeroU32;
use std::ops::{Bound, RangeBounds};
use std::panic::{AssertUnwindSafe, catch_unwind};

const VERTICES: u64 = 400;

#[gts_attributes]
pub struct Places {
    /// Sum of the places, counted from 1, of the edges that reach the vertex, in the lists of their sources.
    #[wa(init = 0, merge = sum)]
    pub places: u64,
    /// Edges visited at the vertex; their places are not used.
    #[wa(init = 0, merge = sum)]
    pub edges: u64,
    #[wa(init = 0, merge = max)]
    pub begun: u32,
}

#[gts_kernel(scan)]
fn place(a: &mut Places, src: Vertex, dst: Vertex, e: Edge) {
    a.places[dst] += (e.position() + 1) * (src.id() as u64 + 7);
}

#[gts_kernel(scan)]
fn count(a: &mut Places, src: Vertex, dst: Vertex) {
    a.edges[dst] += src.id() as u64 + 3;
}

#[gts_kernel(scan(both))]
fn count_both(a: &mut Places, src: Vertex, dst: Vertex) {
    a.edges[dst] += src.id() as u64 + 3;
}

#[gts_kernel(traverse)]
fn follow(a: &mut Places, src: Vertex, dst: Vertex, e: Edge) {
    a.edges[dst] += src.id() as u64 + 3;
    if e.position() % 2 == 0 {
        activate(dst);
    }
}

/// Returns lists of many lengths: three hubs over many small pages, empty ones, and a self-loop at each end.
fn lists() -> Vec<Vec<u64>> {
    let list = |v: u64| -> Vec<u64> {
        match v {
            5 | 6 | 300 => (0..VERTICES).filter(|w| !(w * 7 + v).is_multiple_of(3)).collect(),
            _ => (0..v % 9)
                .map(|i| (v * 31 + i * 17) % VERTICES)
                .collect::<std::collections::BTreeSet<_>>()
                .into_iter()
                .collect(),
        }
    };
    let mut lists: Vec<Vec<u64>> = (0..VERTICES).map(list).collect();
    lists[0] = vec![0];
    lists[VERTICES as usize - 1] = vec![VERTICES - 1];
    lists
}

fn reversed(lists: &[Vec<u64>]) -> Vec<Vec<u64>> {
    let mut reversed = vec![Vec::new(); lists.len()];
    for (v, list) in (0..).zip(lists) {
        list.iter().for_each(|&w| reversed[w as usize].push(v));
    }
    reversed
}

fn graph(page_size: u32) -> Graph {
    let edges = (0..).zip(lists()).flat_map(|(v, list)| list.into_iter().map(move |w| (v, w)));
    let graph = Graph::builder().edges(edges).page_size(page_size).in_edges(true).build().expect("sound edges");
    assert_eq!(graph.num_vertices(), VERTICES, "every vertex has an edge");
    graph
}

/// Returns engines that visit pages with these techniques, and in every other way that the device has.
fn engines(graph: &Graph, techniques: impl Iterator<Item = Technique>) -> Result<Vec<Engine>> {
    let builder = || Engine::builder().device(device());
    let mut builders: Vec<EngineBuilder> = techniques.map(|technique| builder().technique(Some(technique))).collect();
    builders.push(builder());
    for (warp, chunk) in [(VirtualWarp::W2, 1), (VirtualWarp::W4, 3), (VirtualWarp::W64, 10)] {
        let chunk = NonZeroU32::new(chunk).expect("not 0");
        builders.push(builder().technique(Some(Technique::Edge(warp))).warp_chunk(chunk));
    }
    if let Err(Error::OutOfMemory { needed, .. }) = builder().device_memory(1).build()?.start::<Places>(graph) {
        for transfer in [TransferChoice::Copy, TransferChoice::InPlace] {
            builders.push(builder().device_memory(needed).transfer(transfer));
        }
    }
    builders.into_iter().map(EngineBuilder::build).collect()
}

type Ends = (Bound<u64>, Bound<u64>);

fn ranges() -> Vec<Ends> {
    use Bound::{Excluded, Included, Unbounded};
    vec![
        (Unbounded, Unbounded),
        (Unbounded, Excluded(0)),
        (Unbounded, Excluded(1)),
        (Unbounded, Excluded(2)),
        (Included(2), Unbounded),
        (Included(1), Included(4)),
        (Unbounded, Excluded(90)),
        (Included(37), Excluded(130)),
        (Included(200), Unbounded),
        (Included(1000), Unbounded),
    ]
}

/// Returns the sums at the ends of lists of the contributions of edges at these places.
fn expected(lists: &[Vec<u64>], range: &Ends, give: impl Fn(u64, u64) -> u64) -> Vec<u64> {
    let mut sums = vec![0; lists.len()];
    for (v, list) in (0..).zip(lists) {
        for (place, &w) in (0..).zip(list).filter(|(place, _)| range.contains(place)) {
            sums[w as usize] += give(v, place);
        }
    }
    sums
}

#[test]
fn a_part_of_each_list_is_scanned() -> Result<()> {
    let lists = lists();
    let back = reversed(&lists);
    for page_size in [256, 1024, 65536] {
        let graph = graph(page_size);
        for engine in engines(&graph, Technique::ALL.into_iter().filter(super::in_sample))? {
            for range in ranges() {
                let mut run = engine.start::<Places>(&graph)?;
                run.neighbors(range).scan(place)?;
                run.neighbors(range).scan(count)?;
                let by_source = expected(&lists, &range, |v, _| v + 3);
                assert_eq!(run.take(Places::PLACES)?, expected(&lists, &range, |v, place| (place + 1) * (v + 7)));
                assert_eq!(run.take(Places::EDGES)?, by_source, "{range:?}");
                run.fill(Places::EDGES, 0)?;
                run.neighbors(range).scan(count_both)?;
                let both: Vec<u64> =
                    by_source.iter().zip(expected(&back, &range, |v, _| v + 3)).map(|(a, b)| a + b).collect();
                assert_eq!(run.take(Places::EDGES)?, both, "{range:?}");
            }
        }
    }
    Ok(())
}

#[test]
fn a_part_of_active_lists_is_followed() -> Result<()> {
    let lists = lists();
    for page_size in [256, 65536] {
        let graph = graph(page_size);
        for engine in engines(&graph, Technique::ALL.into_iter())? {
            for range in ranges() {
                let mut run = engine.start::<Places>(&graph)?;
                let active: Vec<u64> = (0..VERTICES).filter(|v| v.is_multiple_of(5) || *v == 6).collect();
                for &v in &active {
                    run.activate(graph.vertex(v)?)?;
                }
                let size = run.neighbors(range).advance(follow)?;
                let mut sums = vec![0; lists.len()];
                let mut next = std::collections::HashSet::new();
                for &v in &active {
                    for (place, &w) in (0..).zip(&lists[v as usize]).filter(|(place, _)| range.contains(place)) {
                        sums[w as usize] += v + 3;
                        if place % 2 == 0 {
                            next.insert(w);
                        }
                    }
                }
                assert_eq!((run.take(Places::EDGES)?, size), (sums, next.len() as u64), "{range:?}");
            }
        }
    }
    Ok(())
}

#[test]
fn the_pass_after_it_walks_whole_lists() -> Result<()> {
    let graph = graph(1024);
    let mut run = Engine::builder().device(device()).build()?.start::<Places>(&graph)?;
    run.neighbors(..1).scan(count)?;
    run.fill(Places::EDGES, 0)?;
    run.scan(count)?;
    assert_eq!(run.take(Places::EDGES)?, expected(&lists(), &(Bound::Unbounded, Bound::Unbounded), |v, _| v + 3));
    assert_eq!(Neighbors::default(), Neighbors::ALL);
    Ok(())
}

#[test]
fn a_pass_that_unwinds_leaves_nothing_for_the_next() -> Result<()> {
    let graph = graph(1024);
    let mut run = Engine::builder().device(device()).build()?.start::<Places>(&graph)?;
    let unwound = catch_unwind(AssertUnwindSafe(|| {
        run.neighbors(..1).scan(|| {
            let unwinds = true;
            assert!(!unwinds, "the host's own code");
            count()
        })
    }));
    assert!(unwound.is_err());
    run.scan(count)?;
    assert_eq!(run.take(Places::EDGES)?, expected(&lists(), &(Bound::Unbounded, Bound::Unbounded), |v, _| v + 3));
    Ok(())
}
