//! Tests that a sum over neighbours is exact, and that it faults only if the total does not fit into its type.

use super::device;
use super::overflow::{fault, ways, wheel};
use gts_contract::ErrorWhat::AdditionOverflow;
use gts_graph::__private::{AttributeValue, VertexAttribute};
use gts_graph::Error;
use gts_graph::prelude::*;

#[gts_attributes]
pub struct Gathered {
    #[wa(init = 0, merge = any)]
    pub of_u8: u8,
    #[wa(init = 0, merge = any)]
    pub of_i32: i32,
    #[wa(init = 0, merge = any)]
    pub of_u64: u64,
    #[wa(init = 0, merge = any)]
    pub of_i64: i64,
    #[wa(init = 0, merge = any)]
    pub term: i64,
}

#[gts_kernel(gather)]
fn bytes(g: &mut Gathered, v: Vertex) {
    let total = v.neighbors().sum(|u| g.term[u] as u8);
    g.of_u8[v] = total;
}

#[gts_kernel(gather)]
fn words(g: &mut Gathered, v: Vertex) {
    let total: i32 = v.neighbors().sum(|u| g.term[u] as i32);
    g.of_i32[v] = total;
}

#[gts_kernel(gather)]
fn unsigned(g: &mut Gathered, v: Vertex) {
    let total = v.neighbors().filter(|u| g.term[u] != 3).sum(|u| g.term[u] as u64);
    g.of_u64[v] = total;
}

#[gts_kernel(gather)]
fn signed(g: &mut Gathered, v: Vertex) {
    let total = v.neighbors().sum(|u| g.term[u]);
    g.of_i64[v] = total;
}

/// Sets the terms of the hub's neighbours, runs the kernel, and checks the total at the hub. `None` expects a fault
/// there.
fn check<K: Gather<Attributes = Gathered>, T: AttributeValue>(
    kernel: impl Fn() -> K + Copy,
    attribute: impl VertexAttribute<Gathered, Value = T>,
    terms: &[i64],
    expected: Option<i128>,
    number: impl Fn(T) -> i128,
) -> Result<()> {
    let graph = wheel(300);
    let hub = graph.vertex(0)?;
    for engine in ways::<Gathered>(&graph)? {
        let begin = |engine: Engine| -> Result<(Run<Gathered>, Result<()>)> {
            let mut run = engine.start::<Gathered>(&graph)?;
            for (v, &term) in (1..).zip(terms) {
                run.set(Gathered::TERM, graph.vertex(v)?, term)?;
            }
            let result = run.gather(kernel);
            Ok((run, result))
        };
        let (mut run, mut result) = begin(engine)?;
        // An engine with the least memory for the struct has no memory for the sums.
        if let Err(Error::OutOfMemory { needed, .. }) = result {
            (run, result) = begin(Engine::builder().device(device()).device_memory(needed).build()?)?;
        }
        match expected {
            Some(total) => {
                result?;
                assert_eq!(number(run.get(attribute, hub)?), total, "{terms:?}");
            }
            None => assert_eq!((fault(result, 0).0, fault(run.gather(kernel), 0).3), (AdditionOverflow, (0, None))),
        }
    }
    Ok(())
}

#[test]
fn totals_are_exact_or_a_fault() -> Result<()> {
    let largest = i64::MAX;
    check(bytes, Gathered::OF_U8, &[200, 0, 55], Some(255), i128::from)?;
    check(bytes, Gathered::OF_U8, &[200, 0, 56], None, i128::from)?;
    let beyond = i64::from(i32::MAX);
    check(words, Gathered::OF_I32, &[beyond, beyond, -beyond, -beyond, -7], Some(-7), i128::from)?;
    check(words, Gathered::OF_I32, &[-beyond, -1], Some(i128::from(i32::MIN)), i128::from)?;
    check(words, Gathered::OF_I32, &[-beyond, -2], None, i128::from)?;
    check(unsigned, Gathered::OF_U64, &[largest, 3, largest, 1], Some(i128::from(u64::MAX)), i128::from)?;
    check(unsigned, Gathered::OF_U64, &[largest, largest, 2], None, i128::from)?;
    check(unsigned, Gathered::OF_U64, &[largest; 5], None, i128::from)?;
    check(signed, Gathered::OF_I64, &[largest, largest, -largest, -5, -largest], Some(-5), i128::from)?;
    check(signed, Gathered::OF_I64, &[-largest, -1], Some(i128::from(i64::MIN)), i128::from)?;
    check(signed, Gathered::OF_I64, &[-largest, -2], None, i128::from)?;
    check(signed, Gathered::OF_I64, &[largest, 1], None, i128::from)
}

/// Reductions of literals and of small terms, and a local with the name that the macro gives to a term.
#[gts_kernel(gather)]
fn named_like_a_term(g: &mut Gathered, v: Vertex) {
    let value = 1000 * g.term[v] as i32;
    let total = v.neighbors().sum(|u| if g.term[u] > 0 { 1 } else { -1 });
    g.of_i32[v] = total + value;
}

#[gts_kernel(gather)]
fn small_terms(g: &mut Gathered, v: Vertex) {
    let value = g.term[v] as u64;
    let total = v.neighbors().sum(|u| g.of_i32[u] as u32 as u64);
    g.of_u64[v] = total + value;
}

#[test]
fn terms_may_be_literals_and_locals_have_any_name() -> Result<()> {
    let graph = wheel(300);
    let hub = graph.vertex(0)?;
    let mut run = super::engine().start::<Gathered>(&graph)?;
    run.set(Gathered::TERM, hub, 7)?;
    for v in 1..=20 {
        run.set(Gathered::TERM, graph.vertex(v)?, 1)?;
    }
    run.gather(named_like_a_term)?;
    assert_eq!(run.get(Gathered::OF_I32, hub)?, 7000 + 20 - 280);
    run.fill(Gathered::OF_I32, -1)?;
    run.gather(small_terms)?;
    assert_eq!(run.get(Gathered::OF_U64, hub)?, 300 * u64::from(u32::MAX) + 7);
    Ok(())
}
