//! Tests that a pass ends with a fault if an integer in memory cannot hold a sum, whatever the plan. Only the total
//! must fit: an intermediate sum outside the range is no fault.

use super::overflow::{fault, ways};
use gts_contract::ErrorWhat::{self, *};
use gts_graph::prelude::*;

/// The in-degree of vertex 0.
const SPOKES: u64 = 300;

#[gts_attributes(T = u8 | u16 | u32 | u64 | i32 | i64)]
pub struct Sums<T> {
    #[wa(init = 0, merge = sum)]
    pub total: T,
    #[wa(init = 0, merge = max)]
    pub most: T,
    #[param]
    pub term: T,
    /// Vertices up to this number send the term.
    #[param]
    pub last: u64,
}

const ADD: u32 = line!() + 3;

#[gts_kernel(scan)]
fn add<T>(sums: &mut Sums<T>, src: Vertex, dst: Vertex) {
    if sums.term >= 0 && src as u64 <= sums.last {
        sums.total[dst] += sums.term;
    }
}

const SUBTRACT: u32 = line!() + 3;

#[gts_kernel(scan)]
fn subtract<T>(sums: &mut Sums<T>, src: Vertex, dst: Vertex) {
    if sums.term >= 0 && src as u64 <= sums.last {
        sums.total[dst] -= sums.term;
    }
}

const OWN: u32 = line!() + 3;

#[gts_kernel(vertex)]
fn own<T>(sums: &mut Sums<T>, v: Vertex) {
    sums.most[v] += sums.term;
}

/// Returns a graph of many small pages. Vertex 0 has an in-edge from every other vertex, and the other vertices form a
/// cycle.
fn hub() -> Graph {
    let circle = (1..=SPOKES).map(|v| (v, v % SPOKES + 1));
    let edges = circle.chain((1..=SPOKES).map(|v| (v, 0)));
    Graph::builder().edges(edges).page_size(256).in_edges(true).build().expect("sound edges")
}

/// Checks the kind and the line of a fault, and that vertex 0 is affected.
fn affects_hub(found: (ErrorWhat, u32, i64, (u64, Option<u64>)), what: ErrorWhat, line: u32) {
    let (found_what, found_line, _, (src, dst)) = found;
    assert_eq!((found_what, found_line), (what, line));
    assert!(dst.map_or(src == 0, |dst| dst == 0), "{src} {dst:?}");
}

macro_rules! limits {
    ($($name:ident: $type:ty, $step:expr;)*) => {$(
        #[test]
        fn $name() -> Result<()> {
            let graph = hub();
            let (zero, step): (_, $type) = (graph.vertex(0)?, $step);
            // Maximum number of terms that can be added to the smallest value, or subtracted from the largest.
            let fitting = ((<$type>::MAX as i128 - <$type>::MIN as i128) / i128::from(step)) as u64;
            assert!(fitting < SPOKES);
            for engine in ways::<Sums<$type>>(&graph)? {
                let mut run = engine.start::<Sums<$type>>(&graph)?;
                run.set_param(Sums::<$type>::TERM, step)?;
                for (last, fits) in [(fitting, true), (fitting + 1, false)] {
                    run.set_param(Sums::<$type>::LAST, last)?;
                    run.fill(Sums::<$type>::TOTAL, 0)?;
                    run.set(Sums::<$type>::TOTAL, zero, <$type>::MIN)?;
                    match run.scan(add::<$type>) {
                        ended if !fits => affects_hub(fault(ended, ADD), AdditionOverflow, 2),
                        ended => ended?,
                    }
                    run.fill(Sums::<$type>::TOTAL, step)?;
                    run.set(Sums::<$type>::TOTAL, zero, <$type>::MAX)?;
                    match run.scan(subtract::<$type>) {
                        ended if !fits => affects_hub(fault(ended, SUBTRACT), SubtractionOverflow, 2),
                        ended => ended?,
                    }
                }
                let sum = run.get(Sums::<$type>::TOTAL, graph.vertex(5)?)?;
                assert_eq!(sum, 0, "a vertex with one in-edge");
            }
            Ok(())
        }
    )*};
}

limits! {
    sums_of_u8: u8, 2;
    sums_of_u16: u16, 300;
    sums_of_u32: u32, 15_000_000;
    sums_of_u64: u64, 1 << 58;
    sums_of_i32: i32, 15_000_000;
    sums_of_i64: i64, 1 << 58;
}

#[test]
fn sums_of_several_passes_add_up() -> Result<()> {
    let graph = hub();
    for engine in ways::<Sums<u32>>(&graph)? {
        let mut run = engine.start::<Sums<u32>>(&graph)?;
        run.set_param(Sums::<u32>::TERM, u32::MAX / 2 / SPOKES as u32)?;
        run.set_param(Sums::<u32>::LAST, SPOKES)?;
        run.scan(add::<u32>)?;
        run.scan(add::<u32>)?;
        affects_hub(fault(run.scan(add::<u32>), ADD), AdditionOverflow, 2);
    }
    Ok(())
}

#[test]
fn every_addition_of_an_attribute_with_another_merge_must_fit() -> Result<()> {
    let graph = hub();
    let mut run = super::engine().start::<Sums<u8>>(&graph)?;
    run.set_param(Sums::<u8>::TERM, 100)?;
    run.apply(own::<u8>)?;
    run.apply(own::<u8>)?;
    let (what, line, value, _) = fault(run.apply(own::<u8>), OWN);
    assert_eq!((what, line, value), (AdditionOverflow, 1, 200));
    Ok(())
}

#[gts_attributes]
pub struct Others {
    #[wa(init = 0, merge = wrapping_sum)]
    pub hash: u32,
    #[wa(init = 0, merge = sum)]
    pub balance: i32,
    #[wa(init = 0, merge = sum)]
    pub pairs: [u32; 2],
    #[wa(init = 0, merge = sum)]
    pub visits: u32,
    #[wa(init = 300, merge = sum)]
    pub left: u32,
    #[ra]
    pub amount: i32,
}

#[gts_kernel(scan)]
fn mix(o: &mut Others, src: Vertex, dst: Vertex) {
    o.hash[dst] += 0xffff_fff0;
    // Intermediate sums may leave the range, but the total is 0.
    o.balance[dst] += if src as u64 % 2 == 0 { 2_000_000_000 } else { -2_000_000_000 };
    o.left[dst] -= 1;
}

#[gts_kernel(scan)]
fn hand_out(o: &mut Others, src: Vertex, dst: Vertex) {
    o.balance[dst] += o.amount[src] * 2;
}

const PAIRS: u32 = line!() + 3;

#[gts_kernel(scan)]
fn in_pairs(o: &mut Others, src: Vertex, dst: Vertex) {
    o.pairs[dst][1] += if src == dst { 1 } else { 20_000_000 };
}

const VISIT: u32 = line!() + 3;

#[gts_kernel(traverse)]
fn visit(o: &mut Others, src: Vertex, dst: Vertex) {
    o.visits[dst] += 500_000_000;
    activate(dst);
}

#[test]
fn only_totals_must_fit() -> Result<()> {
    let graph = hub();
    for engine in ways::<Others>(&graph)? {
        let mut run = engine.start::<Others>(&graph)?;
        run.scan(mix)?;
        let zero = graph.vertex(0)?;
        assert_eq!(run.get(Others::HASH, zero)?, 0xffff_fff0u32.wrapping_mul(SPOKES as u32));
        assert_eq!((run.get(Others::BALANCE, zero)?, run.get(Others::LEFT, zero)?), (0, 0));
        let (what, line, _, _) = fault(run.scan(in_pairs), PAIRS);
        assert_eq!((what, line), (AdditionOverflow, 1));
    }
    Ok(())
}

#[test]
fn a_value_that_no_edge_takes_is_no_fault() -> Result<()> {
    let graph = hub();
    for engine in ways::<Others>(&graph)? {
        let mut run = engine.start::<Others>(&graph)?;
        // Vertex 0 has no out-edge.
        run.set(Others::AMOUNT, graph.vertex(0)?, i32::MAX)?;
        run.scan(hand_out)?;
    }
    Ok(())
}

#[test]
fn sums_of_a_traversal_add_up_over_its_steps() -> Result<()> {
    let graph = Graph::from_edges((0..12).map(|v| (v, (v + 1) % 12))).expect("sound edges");
    let mut run = super::engine().start::<Others>(&graph)?;
    run.activate_all()?;
    let (what, line, value, _) = fault(run.traverse(visit), VISIT);
    assert_eq!((what, line, value), (AdditionOverflow, 1, 4_000_000_000));
    Ok(())
}

#[gts_attributes]
pub struct Accounts {
    #[ra]
    pub amount: i32,
    #[wa(init = 0, merge = sum)]
    pub balance: i32,
    #[wa(init = 0, merge = max)]
    pub most: i32,
    #[wa(init = 0, merge = sum)]
    pub total: u64,
}

#[gts_kernel(scan)]
fn book(a: &mut Accounts, src: Vertex, dst: Vertex) {
    a.balance[dst] += a.amount[src];
}

const DEPOSIT: u32 = line!() + 3;

#[gts_kernel(scan)]
fn deposit(a: &mut Accounts, src: Vertex, dst: Vertex) {
    a.balance[dst] += 1;
}

const OWN_AMOUNT: u32 = line!() + 3;

#[gts_kernel(vertex)]
fn own_amount(a: &mut Accounts, v: Vertex) {
    a.most[v] += a.amount[v];
}

const GROW: u32 = line!() + 3;

#[gts_kernel(traverse)]
fn grow(a: &mut Accounts, src: Vertex, dst: Vertex) {
    a.total[dst] += 1 << 62;
    activate(dst);
}

#[test]
fn sums_of_both_signs_leave_no_bounds_behind() -> Result<()> {
    let graph = hub();
    for engine in ways::<Accounts>(&graph)? {
        let mut run = engine.start::<Accounts>(&graph)?;
        run.set(Accounts::AMOUNT, graph.vertex(7)?, i32::MAX)?;
        run.scan(book)?;
        // The fault may be at vertex 0 or 8: vertex 7 has edges to both.
        let (what, line, ..) = fault(run.scan(deposit), DEPOSIT);
        assert_eq!((what, line), (AdditionOverflow, 1));
    }
    Ok(())
}

#[test]
fn a_vertex_of_its_own_is_checked_whatever_the_signs() -> Result<()> {
    let graph = hub();
    let mut run = super::engine().start::<Accounts>(&graph)?;
    run.fill(Accounts::AMOUNT, -2_000_000_000)?;
    run.apply(own_amount)?;
    let (what, line, value, _) = fault(run.apply(own_amount), OWN_AMOUNT);
    assert_eq!((what, line, value), (AdditionOverflow, 1, -2_000_000_000));
    Ok(())
}

const STORE_AND_ADD: u32 = line!() + 3;

#[gts_kernel(vertex)]
fn store_and_add(a: &mut Accounts, v: Vertex) {
    a.total[v] = 0xffff_ffff_ffff_ffff;
    a.total[v] += 1;
}

#[test]
fn a_sum_with_a_value_that_the_kernel_stores_is_checked() -> Result<()> {
    let graph = hub();
    let ended = super::engine().start::<Accounts>(&graph)?.apply(store_and_add);
    let (what, line, value, _) = fault(ended, STORE_AND_ADD);
    assert_eq!((what, line, value), (AdditionOverflow, 2, -1));
    Ok(())
}

#[test]
fn bounds_that_no_integer_holds_are_no_bounds() -> Result<()> {
    let graph = Graph::from_edges((0..12).map(|v| (v, (v + 1) % 12))).expect("sound edges");
    let mut run = super::engine().start::<Accounts>(&graph)?;
    run.activate_all()?;
    let (what, line, ..) = fault(run.traverse(grow), GROW);
    assert_eq!((what, line), (AdditionOverflow, 1));
    Ok(())
}
