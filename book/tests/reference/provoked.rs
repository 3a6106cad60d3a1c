//! Tests that provoke errors that no other test provokes, and check their codes.

use gts_contract::ScalarType;
use gts_contract::language::Code;
use gts_core::advice::Explain;
use gts_core::graph::VertexOrder;
use gts_core::page::{IdWidth, PageFormat};
use gts_graph::conformance::Conformance;
use gts_graph::prelude::*;

#[gts_attributes]
struct Numbers {
    #[wa(init = 7, merge = sum)]
    number: u32,
    #[wa(init = 0.0, merge = any)]
    share: f32,
    #[param]
    amount: u32,
}

#[gts_kernel(vertex)]
fn divide(n: &mut Numbers, v: Vertex) {
    n.share[v] = n.share[v] / v.in_degree() as f32;
}

#[gts_kernel(vertex)]
fn add(n: &mut Numbers, v: Vertex) {
    n.number[v] = n.number[v] + n.amount;
}

#[gts_kernel(vertex)]
fn shift(n: &mut Numbers, v: Vertex) {
    n.number[v] = n.number[v] << n.amount;
}

#[test]
fn faults_have_the_code_of_their_kind() -> Result<()> {
    let graph = Graph::from_edges([(0, 1)]).expect("sound edges");
    let engine = Engine::builder().checked(true).build()?;
    let mut run = engine.start::<Numbers>(&graph)?;
    run.set_param(Numbers::AMOUNT, u32::MAX)?;
    let ended = [run.apply(add), run.apply(shift), run.apply(divide)];
    let codes = ended.map(|ended| ended.map_err(|error| error.code()));
    assert_eq!(codes, [Err(Code::OverflowFault), Err(Code::ShiftFault), Err(Code::NanFault)]);
    Ok(())
}

#[test]
fn formats_and_vertices_have_their_codes() {
    assert_eq!("5,1".parse::<IdWidth>().map_err(|error| error.code()), Err(Code::RecordWidth));
    let width = "2,2".parse().expect("a width");
    let format = PageFormat::new(1 << 16, width, Some(ScalarType::U8));
    assert_eq!(format.map_err(|error| error.code()).err(), Some(Code::EdgeValueType));
    assert_eq!("sideways".parse::<VertexOrder>().map_err(|error| error.code()), Err(Code::UnknownOrder));
    let nameless = Graph::from_edges([(0, 1)]).expect("sound edges").save("absent/..");
    assert_eq!(nameless.map_err(|error| error.code()), Err(Code::NamelessStore));
    assert_eq!(Vertex::try_from(VertexId::UNREACHED).map_err(|error| error.code()).err(), Some(Code::NotAVertex));
}

#[test]
fn an_algorithm_that_is_not_registered_conforms_to_nothing() {
    let failed = Conformance::of("no such algorithm").verify(&[]);
    assert_eq!(failed.map_err(|error| error.code()), Err(Code::WrongConformance));
}
