//! Tests that an integer operation that panics in Rust ends the run with a fault, and that every device and plan
//! reports the same fault.

use super::{device, engine, isolated};
use gts_contract::ErrorWhat::{self, *};
use gts_core::advice::{Explain, Reader};
use gts_core::build::DeclaredVertices;
use gts_graph::Error;
use gts_graph::prelude::*;
use std::num::NonZeroUsize;

/// The fault that a pass returned: its kind, its line relative to the kernel's, its value, and the vertex or edge.
pub(super) type Found = (ErrorWhat, u32, i64, (u64, Option<u64>));

/// Returns the fault in a result. `first` is the line of the kernel.
pub(super) fn fault<T: std::fmt::Debug>(result: Result<T>, first: u32) -> Found {
    match result {
        Err(Error::Fault { site, place, value, .. }) => {
            let dst = (place.dst != gts_graph::__private::FaultPlace::NO_EDGE).then_some(place.dst);
            (site.what, site.location.line.wrapping_sub(first), value, (place.src, dst))
        }
        other => panic!("expected a fault, found {other:?}"),
    }
}

#[gts_attributes]
pub struct Numbers {
    #[wa(init = 0, merge = max)]
    pub x: u32,
    #[wa(init = 7, merge = any)]
    pub d: u32,
    #[wa(init = 0, merge = any)]
    pub signed: i32,
    #[wa(init = 0, merge = max)]
    pub long: u64,
    #[wa(init = UNREACHED, merge = min)]
    pub level: u32,
    #[param]
    pub p: u32,
}

const UNARY: u32 = line!() + 4;

#[gts_kernel(vertex)]
fn unary(n: &mut Numbers, v: Vertex) {
    if n.p == 0 {
        n.signed[v] = -n.signed[v];
    } else if n.p == 1 {
        n.signed[v] = n.signed[v].abs();
    } else if n.p < 100 {
        n.x[v] = 1 << n.p;
    } else {
        n.long[v] = v.out_degree() - 1;
    }
}

#[test]
fn each_operation_that_overflows_is_a_fault() -> Result<()> {
    // The vertices 10 to 14 are a path. The last one has no out-edge.
    let graph = Graph::from_edges((10..14).map(|v| (v, v + 1))).expect("sound edges");
    let mut run = engine().start::<Numbers>(&graph)?;
    run.set(Numbers::SIGNED, graph.vertex(12)?, i32::MIN)?;
    let smallest = i64::from(i32::MIN);
    run.set_param(Numbers::P, 0)?;
    assert_eq!(fault(run.apply(unary), UNARY), (NegationOverflow, 1, smallest, (12, None)));
    run.set(Numbers::SIGNED, graph.vertex(13)?, i32::MIN)?;
    run.set_param(Numbers::P, 1)?;
    assert_eq!(fault(run.apply(unary), UNARY), (AbsoluteOverflow, 3, smallest, (12, None)));
    run.set_param(Numbers::P, 32)?;
    assert_eq!(fault(run.apply(unary), UNARY), (ShiftOverflow, 5, 32, (10, None)));
    run.set_param(Numbers::P, 100)?;
    assert_eq!(fault(run.apply(unary), UNARY), (SubtractionOverflow, 7, 0, (14, None)));
    run.set_param(Numbers::P, 31)?;
    run.apply(unary)?;
    assert_eq!(run.take(Numbers::X)?, [1 << 31; 5]);
    Ok(())
}

#[gts_fn]
fn one_more(x: u32) -> u32 {
    x + 1
}

const FAR: u32 = line!() + 4;

#[gts_kernel(traverse)]
fn far(n: &mut Numbers, src: Vertex, dst: Vertex) {
    n.x[dst].fetch_max(one_more(n.d[src]));
    activate(dst);
}

const NEXT: u32 = line!() + 4;

#[gts_kernel(scan)]
fn next(n: &mut Numbers, src: Vertex, dst: Vertex) {
    n.x[dst].fetch_max(n.d[src] + 1);
}

/// Returns engines that run edge kernels in different ways: with some threads, pushed, pulled, streamed.
pub(super) fn ways<A: Attributes>(graph: &Graph) -> Result<Vec<Engine>> {
    let new = || Engine::builder().device(device());
    let mut all = vec![new().build()?, new().propagation(Propagation::Push).build()?];
    if graph.topology(gts_contract::Side::In).is_some() {
        all.extend(super::pull::pulling()?);
    }
    if device() == DeviceChoice::Cpu {
        for threads in [1, 2, 5] {
            all.push(new().threads(NonZeroUsize::new(threads).expect("not zero")).build()?);
        }
    } else {
        all.extend(
            super::techniques()
                .map(|technique| new().technique(Some(technique)).build())
                .collect::<Result<Vec<_>>>()?,
        );
        match new().device_memory(1).build()?.start::<A>(graph) {
            Err(Error::OutOfMemory { needed, .. }) => all.push(new().device_memory(needed).build()?),
            other => panic!("a device has at least one byte: {other:?}"),
        }
    }
    Ok(all)
}

/// Returns a graph of many small pages whose vertex 0 has the most edges, with in-edges.
pub(super) fn wheel(spokes: u64) -> Graph {
    let rim = (1..=spokes).map(|v| (v, v % spokes + 1));
    let edges = rim.chain((1..=spokes).map(|v| (0, v)));
    Graph::builder().edges(edges).page_size(256).in_edges(true).build().expect("sound edges")
}

#[test]
fn a_missing_value_is_loud_however_it_began() -> Result<()> {
    let graph = wheel(500);
    for engine in ways::<Numbers>(&graph)? {
        let mut run = engine.start::<Numbers>(&graph)?;
        run.fill(Numbers::D, u32::MAX)?;
        let expected = (AdditionOverflow, 0, i64::from(u32::MAX), (0, Some(1)));
        assert_eq!(fault(run.scan(next), NEXT), expected);
        run.set(Numbers::D, graph.vertex(0)?, 5)?;
        assert_eq!(fault(run.scan(next), NEXT), (AdditionOverflow, 0, i64::from(u32::MAX), (1, Some(2))));
        run.fill(Numbers::D, u32::MAX)?;
        run.activate_all()?;
        let (what, _, value, place) = fault(run.traverse(far), FAR);
        assert_eq!((what, value, place), (AdditionOverflow, i64::from(u32::MAX), (0, Some(1))));
    }
    Ok(())
}

const LEAST: u32 = line!() + 4;

#[gts_kernel(scan)]
fn least(n: &mut Numbers, src: Vertex, dst: Vertex) {
    let early = if n.d[src] == 3 { n.d[src] - n.p } else { 0 };
    let late = n.d[src] * n.p;
    n.x[dst].fetch_max(early + late);
}

#[test]
fn the_earliest_line_is_reported_and_then_the_least_vertex() -> Result<()> {
    let graph = wheel(200);
    for engine in ways::<Numbers>(&graph)? {
        let mut run = engine.start::<Numbers>(&graph)?;
        run.fill(Numbers::D, 1 << 31)?;
        run.set_param(Numbers::P, 4)?;
        // Every edge faults in the second line, the edges of two vertices in the first.
        for v in [120, 160] {
            run.set(Numbers::D, graph.vertex(v)?, 3)?;
        }
        assert_eq!(fault(run.scan(least), LEAST), (SubtractionOverflow, 0, 3, (120, Some(121))));
        run.set(Numbers::D, graph.vertex(120)?, 5)?;
        assert_eq!(fault(run.scan(least), LEAST), (SubtractionOverflow, 0, 3, (160, Some(161))));
        run.set(Numbers::D, graph.vertex(160)?, 5)?;
        assert_eq!(fault(run.scan(least), LEAST), (MultiplicationOverflow, 1, 1 << 31, (0, Some(1))));
    }
    Ok(())
}

#[test]
fn faults_name_original_ids() -> Result<()> {
    // Vertices are numbered by degree: the hub, which has the largest ID, comes first.
    let edges = (0..200u64).map(|v| (1000, v)).chain([(7, 8), (8, 9)]);
    let graph = Graph::builder().edges(edges).order(gts_core::graph::VertexOrder::Degree).build().expect("sound edges");
    let mut run = engine().start::<Numbers>(&graph)?;
    run.set(Numbers::D, graph.vertex(8)?, u32::MAX)?;
    assert_eq!(fault(run.scan(next), NEXT), (AdditionOverflow, 0, i64::from(u32::MAX), (8, Some(9))));
    run.fill(Numbers::D, u32::MAX)?;
    let (_, _, _, (src, _)) = fault(run.scan(next), NEXT);
    assert_eq!(src, 1000);
    Ok(())
}

#[gts_kernel(scan)]
fn guarded_by_source(n: &mut Numbers, src: Vertex, dst: Vertex) {
    if n.d[src] - n.p == 2 {
        n.x[dst].fetch_max(1);
    }
}

#[gts_kernel(traverse)]
fn guarded_by_target(n: &mut Numbers, src: Vertex, dst: Vertex) {
    if n.level[dst] == UNREACHED && n.d[dst] - n.p == 2 {
        n.level[dst] = step() + 1;
        activate(dst);
    }
}

#[test]
fn a_guard_that_overflows_faults_only_where_it_is_evaluated() -> Result<()> {
    // Vertex 500 has no edges at all: it is only declared.
    let rim = (0..400u64).map(|v| (v, (v + 1) % 400));
    let graph = Graph::builder()
        .edges(rim)
        .vertices(DeclaredVertices::Range { first: 0, count: 501 })
        .page_size(256)
        .in_edges(true)
        .build()
        .expect("sound edges");
    for engine in ways::<Numbers>(&graph)? {
        let mut run = engine.start::<Numbers>(&graph)?;
        run.set_param(Numbers::P, 5)?;
        run.set(Numbers::D, graph.vertex(500)?, 0)?;
        run.scan(guarded_by_source)?;
        assert_eq!(run.take(Numbers::X)?.iter().sum::<u32>(), 400, "each vertex of the rim has 7 - 5 == 2");
        run.activate(graph.vertex(0)?)?;
        run.traverse(guarded_by_target)?;
        assert_eq!(run.take(Numbers::LEVEL)?.iter().filter(|&&level| level != u32::MAX).count(), 400);
        for v in [333, 222] {
            run.set(Numbers::D, graph.vertex(v)?, 4)?;
        }
        assert_eq!(fault(run.scan(guarded_by_source), 0).3, (222, Some(223)));
        run.fill(Numbers::LEVEL, u32::MAX)?;
        run.clear_frontier()?;
        run.activate_all()?;
        assert_eq!(fault(run.traverse(guarded_by_target), 0).3, (221, Some(222)));
    }
    Ok(())
}

#[gts_kernel(scan)]
fn divides_by_source(n: &mut Numbers, src: Vertex, dst: Vertex) {
    if n.p / n.d[src] > 3 {
        n.x[dst].fetch_max(1);
    }
}

#[gts_kernel(scan)]
fn proved_by_a_guard(n: &mut Numbers, src: Vertex, dst: Vertex) {
    let mut quotient = 0;
    if n.d[src] != 0 {
        quotient = n.p / n.d[src];
    }
    n.x[dst].fetch_max(quotient);
}

#[test]
fn what_is_computed_in_advance_divides_by_nothing() -> Result<()> {
    let graph = wheel(300);
    for engine in ways::<Numbers>(&graph)? {
        let mut run = engine.start::<Numbers>(&graph)?;
        run.set_param(Numbers::P, 28)?;
        run.scan(divides_by_source)?;
        run.set(Numbers::D, graph.vertex(77)?, 0)?;
        run.scan(proved_by_a_guard)?;
        assert_eq!(fault(run.scan(divides_by_source), 0).3, (77, Some(78)));
    }
    Ok(())
}

#[gts_kernel(vertex)]
fn wrapped_bound(n: &mut Numbers, v: Vertex) {
    let last = v.out_degree() - 2;
    for i in 0..last {
        n.x[v] = i as u32;
    }
    for i in 0..v.out_degree() - 2 {
        n.x[v] = i as u32;
    }
}

#[gts_kernel(vertex, racy)]
fn other_vertex(n: &mut Numbers, v: Vertex) {
    let mut u = v;
    if u.out_degree() > 0 {
        u = Vertex::new(n.p as u64);
        n.long[v] = u.out_degree() - 1;
    }
}

#[gts_kernel(vertex)]
fn updated_by_its_condition(n: &mut Numbers, v: Vertex) {
    if n.x[v] >= 4 && n.x[v].swap(0) >= 4 {
        n.d[v] = n.x[v] - 1;
    }
}

#[gts_kernel(vertex)]
fn element_shifted(n: &mut Numbers, v: Vertex) {
    let mut bytes = [1u8; 4];
    bytes[0] <<= n.d[v] % 32;
    n.x[v] = bytes[0] as u32;
}

#[test]
fn checks_that_can_fail_are_not_removed() -> Result<()> {
    // The last vertex of the path has no out-edge.
    let graph = Graph::from_edges((0..4).map(|v| (v, v + 1))).expect("sound edges");
    let mut run = engine().start::<Numbers>(&graph)?;
    assert_eq!(fault(run.apply(wrapped_bound), 0).3, (0, None));
    run.set_param(Numbers::P, 4)?;
    assert_eq!(fault(run.apply(other_vertex), 0).0, SubtractionOverflow);
    run.fill(Numbers::X, 9)?;
    assert_eq!(fault(run.apply(updated_by_its_condition), 0).0, SubtractionOverflow);
    run.fill(Numbers::D, 9)?;
    assert_eq!(fault(run.apply(element_shifted), 0).0, ShiftOverflow);
    Ok(())
}

#[gts_kernel(vertex)]
fn wrapped_loop(n: &mut Numbers, v: Vertex) {
    let mut left = n.d[v];
    while left != 0 {
        left -= 2;
    }
    n.x[v] = left;
}

#[test]
fn a_loop_that_a_wrapped_number_keeps_alive_ends() -> Result<()> {
    let mut run = engine().start::<Numbers>(&isolated(50))?;
    assert!(matches!(run.apply(wrapped_loop), Err(Error::Fault { value: 1, .. })));
    run.fill(Numbers::D, 8)?;
    run.apply(wrapped_loop)?;
    Ok(())
}

const LONG_LOOP: u32 = line!() + 4;

#[gts_kernel(vertex)]
fn long_loop(n: &mut Numbers, v: Vertex) {
    let mut round = 0;
    let mut left = 0;
    while round != n.d[v] {
        left = n.p - round;
        round += 1;
    }
    n.x[v] = n.x[v] - 1 + left;
}

#[gts_fn]
fn counted(to: u32) -> u32 {
    let mut count = 0;
    while count != to {
        count += 1;
    }
    count
}

const DIVIDED: u32 = line!() + 4;

#[gts_kernel(vertex)]
fn divided(n: &mut Numbers, v: Vertex) {
    if n.d[v] != 0 {
        n.x[v] = 10 / counted(n.d[v]);
    } else {
        n.x[v] = n.x[v] - 1;
    }
}

#[test]
fn the_fault_of_another_body_ends_no_loop() -> Result<()> {
    for mut run in ways::<Numbers>(&isolated(2))?.iter().map(|way| way.start::<Numbers>(&isolated(2)).unwrap()) {
        run.set_param(Numbers::P, 4000)?;
        run.set(Numbers::D, run.graph().vertex(0)?, 0)?;
        run.set(Numbers::D, run.graph().vertex(1)?, 5000)?;
        assert_eq!(fault(run.apply(long_loop), LONG_LOOP), (SubtractionOverflow, 3, 4000, (1, None)));
        run.fill(Numbers::X, 0)?;
        assert_eq!(fault(run.apply(divided), DIVIDED), (SubtractionOverflow, 3, 0, (0, None)));
    }
    Ok(())
}

const DIVIDED_AFTERWARDS: u32 = line!() + 4;

#[gts_kernel(vertex)]
fn divided_afterwards(n: &mut Numbers, v: Vertex) {
    n.x[v] = 10 / counted_down(n.d[v]);
}

#[gts_fn]
fn counted_down(from: u32) -> u32 {
    let mut count = 0;
    let mut left = from;
    while left != 0 {
        left -= 2;
        count += 1;
    }
    count
}

#[test]
fn a_loop_that_a_fault_ends_causes_no_other_fault() -> Result<()> {
    let mut run = engine().start::<Numbers>(&isolated(1))?;
    assert_eq!(fault(run.apply(divided_afterwards), DIVIDED_AFTERWARDS).0, SubtractionOverflow);
    Ok(())
}

#[gts_kernel(vertex)]
fn proved(n: &mut Numbers, v: Vertex) {
    let d = n.d[v];
    if d > 3 && d < 1000 {
        n.x[v] = (d - 3) * 4000 + d % 8 + (d & 7) + (d >> 30);
    }
    let mut sum: u64 = 0;
    for i in 0..100 {
        sum = i * 5;
    }
    n.long[v] = sum + v.out_degree() + num_vertices();
    if n.x[v] >= d {
        n.d[v] = n.x[v] - d;
    }
    n.level[v] = step() + 1;
    n.signed[v] = (d % 100) as i32 - 50;
}

#[test]
fn checks_that_cannot_fail_are_removed() {
    fn sites<K: gts_graph::__private::VertexKernel>(_: impl Fn() -> K) -> Vec<ErrorWhat> {
        K::DESCRIPTOR.error_sites.iter().map(|site| site.what).collect()
    }
    // Nothing is known about `sum` after the loop.
    assert_eq!(sites(proved), [AdditionOverflow, AdditionOverflow]);
}

#[gts_kernel(vertex)]
fn next_step(n: &mut Numbers, v: Vertex) {
    n.x[v] = step() + 1;
}

#[test]
fn the_largest_step_leaves_room_for_the_next_one() -> Result<()> {
    let mut run = engine().start::<Numbers>(&isolated(3))?;
    run.set_step(u32::MAX - 1);
    run.apply(next_step)?;
    assert_eq!(run.take(Numbers::X)?, [u32::MAX; 3]);
    run.set_step(u32::MAX);
    let too_large = |error: Error| {
        assert!(matches!(error, Error::Argument { .. }), "{error}");
        assert!(error.advice().is_some_and(|advice| advice.of(Reader::Program).contains("set_step")), "{error}");
    };
    too_large(run.apply(next_step).expect_err("no step is left"));
    run.set_step(u32::MAX - 2);
    run.activate_all()?;
    too_large(run.traverse(goes_on).expect_err("two steps are left"));
    Ok(())
}

#[gts_kernel(traverse)]
fn goes_on(n: &mut Numbers, src: Vertex, dst: Vertex) {
    n.x[dst].fetch_max(step());
    activate(dst);
}
