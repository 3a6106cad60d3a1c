//! Undefined operations end the run with an error that contains the source line, never with a panic.

use super::{device, engine, isolated};
use gts_contract::ErrorWhat;
use gts_runtime::Error;
use gts_runtime::prelude::*;
use std::time::Duration;

#[gts_attributes]
pub struct Faults {
    #[wa(init = 1, merge = any)]
    pub x: i32,
    #[wa(init = 0, merge = any)]
    pub list: [u32; 4],
    #[param]
    pub divisor: i32,
    #[param]
    pub index: u64,
}

#[gts_kernel(vertex)]
fn divide(f: &mut Faults, v: Vertex) {
    f.x[v] = f.x[v] / f.divisor;
}

#[gts_kernel(vertex)]
fn remainder(f: &mut Faults, v: Vertex) {
    f.x[v] = f.x[v] % f.divisor;
}

#[gts_kernel(vertex)]
fn index(f: &mut Faults, v: Vertex) {
    f.list[v][f.index] = 1;
}

#[gts_kernel(vertex, racy)]
fn jump(f: &mut Faults, v: Vertex) {
    f.x[Vertex::new(f.index)] = 5;
}

fn fault(result: Result<()>) -> (&'static str, ErrorWhat, i64) {
    match result {
        Err(Error::Fault { kernel, site, value, .. }) => {
            assert!(site.location.file.ends_with("faults.rs") && site.location.line > 1, "{:?}", site.location);
            (kernel, site.what, value)
        }
        other => panic!("expected a fault, found {other:?}"),
    }
}

#[test]
fn faults_name_kernel_place_and_value() -> Result<()> {
    let graph = isolated(100);
    let mut run = engine().start::<Faults>(&graph)?;
    run.set_param(Faults::DIVISOR, 0)?;
    assert_eq!(fault(run.apply(divide)), ("divide", ErrorWhat::DivisionByZero, 1));
    run.fill(Faults::X, 1)?;
    assert_eq!(fault(run.apply(remainder)), ("remainder", ErrorWhat::RemainderByZero, 1));
    run.fill(Faults::X, i32::MIN)?;
    run.set_param(Faults::DIVISOR, -1)?;
    assert_eq!(fault(run.apply(divide)), ("divide", ErrorWhat::DivisionOverflow, i64::from(i32::MIN)));
    run.set_param(Faults::INDEX, 4)?;
    assert_eq!(fault(run.apply(index)), ("index", ErrorWhat::IndexOutOfRange, 4));
    run.set_param(Faults::INDEX, 100)?;
    assert_eq!(fault(run.apply(jump)), ("jump", ErrorWhat::NotAVertex, 100));
    run.set_param(Faults::INDEX, 3)?;
    run.apply(index).expect("a fault leaves the run usable");
    assert!(run.take(Faults::LIST)?.iter().all(|list| list[3] == 1));
    Ok(())
}

#[gts_kernel(vertex)]
fn endless(f: &mut Faults, v: Vertex) {
    let mut rounds: u32 = 0;
    while f.index == 0 {
        rounds += 1;
    }
    f.x[v] = rounds as i32;
}

#[test]
fn a_kernel_that_never_ends_is_ended() -> Result<()> {
    let limited = Engine::builder().device(device()).time_limit(Duration::from_millis(300)).build()?;
    let mut run = limited.start::<Faults>(&isolated(100))?;
    run.set_param(Faults::INDEX, 0)?;
    match run.apply(endless) {
        Err(Error::TimeLimit { kernel: "endless", location, .. }) => assert!(location.file.ends_with("faults.rs")),
        other => panic!("expected the time limit, found {other:?}"),
    }
    Ok(())
}
