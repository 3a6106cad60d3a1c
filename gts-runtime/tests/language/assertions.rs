//! Tests that a failed assertion ends the run with an error that contains its line, its value, and the vertex or edge.

use super::overflow::{fault, ways, wheel};
use super::{engine, isolated};
use gts_contract::ErrorWhat::AssertionFailed;
use gts_graph::prelude::*;

#[gts_attributes]
pub struct Asserting {
    #[wa(init = 0, merge = sum)]
    pub count: u32,
    #[wa(init = 2.0, merge = max)]
    pub rank: f64,
    #[wa(init = UNREACHED, merge = any)]
    pub parent: VertexId,
    #[wa(init = 0, merge = any)]
    pub x: u32,
    #[param(default = 0)]
    pub limit: u32,
    #[param(default = 3)]
    pub list: [u32; 4],
}

const COUNT: u32 = line!() + 4;

#[gts_kernel(scan)]
fn count(a: &mut Asserting, src: Vertex, dst: Vertex) {
    if a.limit != 7 {
        assert!(a.rank[src] < 2.5, a.rank[src]);
        assert!(a.rank[src] + a.rank[dst] < 4.25);
        a.count[dst] += 1;
    }
}

#[test]
fn edges_fail_with_their_line_and_value() -> Result<()> {
    let graph = wheel(500);
    for engine in ways::<Asserting>(&graph)? {
        let mut run = engine.start::<Asserting>(&graph)?;
        run.scan(count)?;
        assert_eq!(run.take(Asserting::COUNT)?.iter().sum::<u32>(), 1000);
        for v in [400, 300] {
            run.set(Asserting::RANK, graph.vertex(v)?, 2.25)?;
        }
        assert_eq!(fault(run.scan(count), COUNT), (AssertionFailed, 2, 0, (0, Some(300))));
        run.set(Asserting::RANK, graph.vertex(400)?, 2.75)?;
        let bits = 2.75f64.to_bits().cast_signed();
        assert_eq!(fault(run.scan(count), COUNT), (AssertionFailed, 1, bits, (400, Some(401))));
        run.set_param(Asserting::LIMIT, 7)?;
        run.scan(count)?;
    }
    Ok(())
}

#[gts_fn]
fn half(x: u32) -> u32 {
    assert!(x % 2 == 0, x);
    x / 2
}

const HALVE: u32 = line!() + 4;

#[gts_kernel(vertex)]
fn halve(a: &mut Asserting, v: Vertex) {
    assert!(a.parent[v] == v || a.parent[v] == UNREACHED, a.parent[v]);
    assert!(a.limit < 4, a.limit);
    let mut left = a.list[a.limit];
    let mut rounds = 0;
    while left != 1 {
        left = if left % 2 == 0 { left / 2 } else { 3 * left + 1 };
        rounds += 1;
        assert!(rounds < 100, -3i32);
    }
    a.x[v] = half(a.limit) + rounds;
}

#[test]
fn vertices_fail_where_the_body_stands() -> Result<()> {
    let graph = isolated(100);
    let mut run = engine().start::<Asserting>(&graph)?;
    let line = |found: super::overflow::Found| (found.0, found.1, found.2, found.3.0);
    run.apply(halve)?;
    assert!(run.take(Asserting::X)?.iter().all(|&x| x == 7), "3 takes seven rounds");
    run.set_param(Asserting::LIMIT, 4)?;
    assert_eq!(line(fault(run.apply(halve), HALVE)), (AssertionFailed, 1, 4, 0));
    run.set_param(Asserting::LIMIT, 3)?;
    assert_eq!(line(fault(run.apply(halve), HALVE - 8)), (AssertionFailed, 0, 3, 0));
    // Only the assertion ends this loop.
    run.set_param(Asserting::LIST, [0; 4])?;
    assert_eq!(line(fault(run.apply(halve), HALVE)), (AssertionFailed, 7, -3, 0));
    Ok(())
}

#[test]
fn vertices_in_values_are_original_ids() -> Result<()> {
    // Vertices are numbered by degree, so the hub comes first although its original ID is the largest.
    let edges = (0..200u64).map(|v| (1000, v)).chain([(7, 8), (8, 9)]);
    let graph = Graph::builder().edges(edges).order(gts_core::graph::VertexOrder::Degree).build().expect("sound edges");
    let mut run = engine().start::<Asserting>(&graph)?;
    run.set(Asserting::PARENT, graph.vertex(8)?, VertexId::from(graph.vertex(1000)?))?;
    let error = run.apply(halve).expect_err("the parent of 8 is 1000");
    assert!(error.to_string().ends_with("assertion failed (value 1000, vertex 8)"), "{error}");
    run.fill(Asserting::RANK, 8.5)?;
    let error = run.scan(count).expect_err("all ranks are too large");
    assert!(error.to_string().contains("assertion failed (value 8.5, src "), "{error}");
    run.fill(Asserting::RANK, 2.25)?;
    let error = run.scan(count).expect_err("all sums are too large");
    assert!(error.to_string().contains("assertion failed (value false, src "), "{error}");
    Ok(())
}

#[test]
fn a_function_panics_on_the_host() {
    assert_eq!(half(8), 4);
    let payload = std::panic::catch_unwind(|| half(7)).expect_err("7 is odd");
    assert_eq!(payload.downcast_ref::<String>().map(String::as_str), Some("7"));
}
