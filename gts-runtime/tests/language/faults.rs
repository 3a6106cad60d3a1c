//! Undefined operations end the run with an error that contains the source line, never with a panic.

use super::{device, engine, isolated};
use gts_contract::ErrorWhat;
use gts_graph::Error;
use gts_graph::prelude::*;
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

#[gts_kernel(gather)]
fn quotients(f: &mut Faults, v: Vertex) {
    let total = v.neighbors().sum(|u| f.x[u] / f.divisor);
    f.x[v] = total;
}

#[gts_kernel(gather)]
fn quotient_of_best(f: &mut Faults, v: Vertex) {
    let best: VertexId = v.neighbors().argmin(|u| f.x[u]);
    f.list[v][0] = (f.x[best] / f.divisor) as u32;
}

#[gts_kernel(priority)]
fn urgency(f: &mut Faults, v: Vertex) -> i32 {
    f.x[v] / f.divisor
}

#[gts_kernel(traverse)]
fn call(f: &mut Faults, src: Vertex, dst: Vertex) {
    f.list[dst][0] = 1;
    activate(dst);
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
fn faults_name_the_kernel_whose_part_has_failed() -> Result<()> {
    let mut run = engine().start::<Faults>(&isolated(100))?;
    run.set_param(Faults::DIVISOR, 0)?;
    assert_eq!(fault(run.gather(quotients)), ("quotients", ErrorWhat::DivisionByZero, 1));
    assert_eq!(fault(run.gather(quotient_of_best)), ("quotient_of_best", ErrorWhat::DivisionByZero, 1));
    run.activate_all()?;
    assert_eq!(fault(run.traverse_near(call, urgency, 1).map(|_| ())), ("urgency", ErrorWhat::DivisionByZero, 1));
    Ok(())
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
