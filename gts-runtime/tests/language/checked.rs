//! Tests the faults that checked mode reports, and that runs without it continue.

use super::device;
use super::overflow::fault;
use gts_contract::ErrorWhat::{self, *};
use gts_graph::prelude::*;

#[gts_attributes]
pub struct Floats {
    #[ra]
    pub given: f32,
    #[wa(init = 5.0, merge = min)]
    pub least: f32,
    #[wa(init = 0.0, merge = sum)]
    pub total: f64,
    #[wa(init = 0.0, merge = any)]
    pub root: f32,
    #[wa(init = 0, merge = sum)]
    pub balance: i32,
    #[global(merge = max)]
    pub most: f32,
}

const MINIMUM: u32 = line!() + 3;

#[gts_kernel(scan)]
fn minimum(f: &mut Floats, src: Vertex, dst: Vertex) {
    f.least[dst].fetch_min(f.given[src]);
}

const ADD: u32 = line!() + 3;

#[gts_kernel(scan)]
fn add(f: &mut Floats, src: Vertex, dst: Vertex) {
    f.total[dst] += f.given[src] as f64;
}

const ROOT: u32 = line!() + 3;

#[gts_kernel(vertex)]
fn root(f: &mut Floats, v: Vertex) {
    f.root[v] = f.given[v].sqrt();
}

const MOST: u32 = line!() + 3;

#[gts_kernel(vertex)]
fn most(f: &mut Floats, v: Vertex) {
    f.most.fetch_max(f.given[v] / (f.given[v] - f.given[v]));
}

const TRANSFER: u32 = line!() + 3;

#[gts_kernel(scan)]
fn transfer(f: &mut Floats, src: Vertex, dst: Vertex) {
    f.balance[dst] += if (src as u64) < 1000 { 2_000_000_000 } else { -2_000_000_000 };
}

/// Returns an engine per propagation, with or without checked mode.
fn ways(checked: bool) -> Result<Vec<Engine>> {
    let ways = [Propagation::Auto, Propagation::Push, Propagation::Pull];
    ways.map(|way| Engine::builder().device(device()).propagation(way).checked(checked).build()).into_iter().collect()
}

/// Returns a graph in which each of the vertices 1 to 40 has an edge to vertex 0.
fn hub() -> Graph {
    Graph::builder().edges((1..=40).map(|v| (v, 0))).in_edges(true).build().expect("sound edges")
}

#[test]
fn the_first_nan_is_a_fault_in_checked_mode() -> Result<()> {
    let graph = hub();
    let of = |found: (ErrorWhat, u32, i64, (u64, Option<u64>))| (found.0, found.1, found.3);
    for engine in ways(true)? {
        let mut run = engine.start::<Floats>(&graph)?;
        run.set(Floats::GIVEN, graph.vertex(7)?, f32::NAN)?;
        run.set(Floats::GIVEN, graph.vertex(30)?, f32::NAN)?;
        assert_eq!(of(fault(run.scan(minimum), MINIMUM)), (NotANumber, 1, (7, Some(0))));
        assert_eq!(of(fault(run.scan(add), ADD)), (NotANumber, 1, (7, Some(0))));
        run.fill(Floats::GIVEN, 4.0)?;
        run.apply(root)?;
        run.set(Floats::GIVEN, graph.vertex(9)?, -1.0)?;
        assert_eq!(of(fault(run.apply(root), ROOT)), (NotANumber, 1, (9, None)));
        run.fill(Floats::GIVEN, 0.0)?;
        assert_eq!(of(fault(run.apply(most), MOST)), (NotANumber, 1, (0, None)));
    }
    for engine in ways(false)? {
        let mut run = engine.start::<Floats>(&graph)?;
        run.set(Floats::GIVEN, graph.vertex(7)?, f32::NAN)?;
        run.scan(minimum)?;
        assert_eq!(run.get(Floats::LEAST, graph.vertex(0)?)?, 0.0);
        run.apply(most)?;
    }
    Ok(())
}

#[test]
fn sums_of_terms_of_both_signs_are_checked_in_checked_mode() -> Result<()> {
    // All 30 terms are positive.
    let graph = Graph::from_edges((1..=30).map(|v| (2 * v, 1))).expect("sound edges");
    for engine in ways(true)?.into_iter().take(2) {
        let found = fault(engine.start::<Floats>(&graph)?.scan(transfer), TRANSFER);
        assert_eq!((found.0, found.1), (AdditionOverflow, 1));
    }
    for engine in ways(false)?.into_iter().take(2) {
        engine.start::<Floats>(&graph)?.scan(transfer)?;
    }
    Ok(())
}
