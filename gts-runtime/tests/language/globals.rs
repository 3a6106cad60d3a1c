//! Tests that a sum in a global is exact, and that reading the global fails only if the sum does not fit into its type.

use super::overflow::{ways, wheel};
use gts_contract::ScalarType;
use gts_graph::Error;
use gts_graph::prelude::*;

#[gts_attributes]
pub struct Totals {
    #[wa(init = 0, merge = sum)]
    pub unused: u32,
    #[param]
    pub term: u32,
    #[param]
    pub back: i32,
    #[global(merge = sum)]
    pub bytes: u8,
    #[global(merge = sum)]
    pub words: u32,
    #[global(merge = sum)]
    pub signed: i32,
    #[global(merge = sum)]
    pub list: [u16; 3],
    #[global(merge = sum)]
    pub long: u64,
    #[global(merge = sum)]
    pub share: f32,
    #[global(merge = max)]
    pub most: u8,
}

#[gts_kernel(scan)]
fn total(t: &mut Totals, src: Vertex, dst: Vertex) {
    t.words += t.term;
    t.signed += 2_000_000_000;
    t.signed -= t.back;
    t.list[src.out_degree() % 3] += t.term as u16;
    t.long += 7;
    t.long -= 4;
    t.share += 0.5;
    t.most.fetch_max(src.out_degree() as u8);
    if src as u64 == 1 {
        t.bytes += 200;
        t.bytes -= 190;
    }
}

fn overflow<T: std::fmt::Debug>(result: Result<T>) -> (&'static str, ScalarType, i128) {
    match result {
        Err(Error::GlobalOverflow { attributes: "Totals", global, scalar, total }) => (global, scalar, *total),
        other => panic!("expected a sum that does not fit, found {other:?}"),
    }
}

#[test]
fn sums_are_exact_whatever_their_parts() -> Result<()> {
    // The hub, vertex 0, has 300 out-edges. Each vertex of the rim has one out-edge.
    let graph = wheel(300);
    for engine in ways::<Totals>(&graph)? {
        let mut run = engine.start::<Totals>(&graph)?;
        run.set_param(Totals::TERM, 200)?;
        run.set_param(Totals::BACK, 1_999_999_999)?;
        run.scan(total)?;
        assert_eq!(run.global(Totals::BYTES)?, 10);
        assert_eq!(run.global(Totals::WORDS)?, 120_000);
        assert_eq!(run.global(Totals::SIGNED)?, 600);
        assert_eq!(run.global(Totals::LIST)?, [60_000, 60_000, 0]);
        assert_eq!(run.global(Totals::LONG)?, 1800);
        assert_eq!(run.global(Totals::SHARE)?, 300.0);
        assert_eq!(run.global(Totals::MOST)?, 44, "300 as u8");
        run.set_param(Totals::TERM, 10_000_000)?;
        run.set_param(Totals::BACK, -1)?;
        run.scan(total)?;
        assert_eq!(overflow(run.global(Totals::WORDS)), ("words", ScalarType::U32, 6_000_000_000));
        assert_eq!(overflow(run.global(Totals::SIGNED)), ("signed", ScalarType::I32, 1_200_000_000_600));
        assert_eq!(overflow(run.global(Totals::LIST)), ("list", ScalarType::U16, 300 * (10_000_000 % 65_536)));
        assert_eq!(run.global(Totals::BYTES)?, 10, "other globals keep their values");
    }
    Ok(())
}

#[test]
fn the_error_says_how_to_declare_the_global() -> Result<()> {
    let graph = wheel(3);
    let mut run = super::engine().start::<Totals>(&graph)?;
    run.set_param(Totals::TERM, u32::MAX)?;
    run.set_param(Totals::BACK, 0)?;
    run.scan(total)?;
    let error = run.global(Totals::WORDS).expect_err("six times the largest u32");
    assert_eq!(error.to_string(), "global `words` of `Totals` is 25769803770, which no u32 can hold");
    Ok(())
}

#[gts_attributes]
pub struct Long {
    #[ra]
    pub value: u64,
    #[global(merge = sum)]
    pub natural: u64,
    #[global(merge = sum)]
    pub signed: i64,
    #[global(merge = sum)]
    pub list: [u64; 2],
}

#[gts_kernel(vertex)]
fn add_all(l: &mut Long, v: Vertex) {
    l.natural += l.value[v];
    l.signed -= l.value[v] as i64;
    l.list[v as u64 % 2] += l.value[v];
}

#[gts_kernel(vertex)]
fn add_and_subtract(l: &mut Long, v: Vertex) {
    l.natural += l.value[v];
    l.natural -= l.value[v] - 1;
}

#[test]
fn sums_of_64_bits_are_exact() -> Result<()> {
    let graph = wheel(999);
    for engine in ways::<Long>(&graph)? {
        let mut run = engine.start::<Long>(&graph)?;
        run.fill(Long::VALUE, u64::MAX / 1000)?;
        run.apply(add_all)?;
        let total = u64::MAX / 1000 * 1000;
        assert_eq!((run.global(Long::NATURAL)?, run.global(Long::LIST)?), (total, [total / 2; 2]));
        let found = run.global(Long::SIGNED);
        assert!(
            matches!(found, Err(Error::GlobalOverflow { total: ref found, .. }) if **found == -i128::from(total)),
            "{found:?}"
        );
        run.fill(Long::VALUE, u64::MAX)?;
        run.apply(add_all)?;
        let total = i128::from(u64::MAX) * 1000;
        let found = run.global(Long::NATURAL);
        assert!(matches!(found, Err(Error::GlobalOverflow { total: ref found, .. }) if **found == total), "{found:?}");
        let found = run.global(Long::LIST);
        assert!(
            matches!(found, Err(Error::GlobalOverflow { total: ref found, .. }) if **found == total / 2),
            "{found:?}"
        );
        assert_eq!(run.global(Long::SIGNED)?, 1000, "each value is -1 as i64");
        run.apply(add_and_subtract)?;
        assert_eq!(run.global(Long::NATURAL)?, 1000);
    }
    Ok(())
}
