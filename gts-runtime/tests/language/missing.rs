//! Tests that a traversal ends with a fault if arithmetic uses an `UNREACHED` value of an active vertex, and that every
//! device and plan reports the same fault.

use super::overflow::{Found, fault, ways, wheel};
use gts_contract::ErrorWhat::{self, *};
use gts_core::build::DeclaredVertices;
use gts_core::graph::VertexOrder;
use gts_graph::prelude::*;

#[gts_attributes]
pub struct Hops {
    #[wa(init = UNREACHED, merge = min)]
    pub d: u32,
    #[wa(init = u32::MAX, merge = any)]
    pub named: u32,
    #[wa(init = 4294967295, merge = min)]
    pub written: u32,
    #[wa(init = UNREACHED, merge = min)]
    pub signed: i64,
    #[wa(init = UNREACHED, merge = any)]
    pub parent: VertexId,
    #[wa(init = 0, merge = max)]
    pub x: u64,
    #[wa(init = 0, merge = max)]
    pub turn: u32,
    #[wa(init = UNREACHED, merge = min)]
    pub small: u8,
    #[wa(init = 0, merge = sum)]
    pub classes: [u32; 5],
    #[param(default = 0)]
    pub p: u32,
}

/// Returns the fault for a missing value of `vertex`, reported `lines` below the first line of the kernel's body.
const fn missing(lines: u32, vertex: u64) -> Found {
    (ErrorWhat::MissingValue, lines, 0, (vertex, None))
}

/// Returns the kinds of errors for which a kernel checks.
fn sites<K: Traverse>(_: impl Fn() -> K) -> Vec<ErrorWhat> {
    K::DESCRIPTOR.error_sites.iter().map(|site| site.what).collect()
}

const RELAX: u32 = line!() + 4;

#[gts_kernel(traverse)]
fn relax(h: &mut Hops, src: Vertex, dst: Vertex) {
    let far = h.d[src] + h.p;
    if h.d[dst].fetch_min(far) > far {
        activate(dst);
    }
}

const MEASURE: u32 = line!() + 4;

#[gts_kernel(traverse)]
fn measure(h: &mut Hops, src: Vertex, dst: Vertex) {
    h.x[dst].fetch_max((h.d[src] + h.p) as u64);
}

#[test]
fn an_active_vertex_without_a_value_is_a_fault() -> Result<()> {
    let graph = wheel(300);
    for engine in ways::<Hops>(&graph)? {
        let mut run = engine.start::<Hops>(&graph)?;
        run.activate_all()?;
        // Without the check, `UNREACHED + 0` would not fault.
        assert_eq!(fault(run.traverse(relax), RELAX), missing(0, 0));
        run.fill(Hops::D, u32::MAX)?;
        for v in 0..40 {
            run.set(Hops::D, graph.vertex(v)?, 3)?;
        }
        run.clear_frontier()?;
        run.activate_all()?;
        assert_eq!(fault(run.advance(measure), MEASURE), missing(0, 40));
        run.fill(Hops::D, 5)?;
        run.clear_frontier()?;
        run.activate_all()?;
        run.traverse(relax)?;
        assert_eq!(run.take(Hops::D)?, [5; 301]);
    }
    Ok(())
}

#[test]
fn a_missing_value_is_reported_by_original_id() -> Result<()> {
    // Vertices are numbered by degree, so the hub comes first although its original ID is the largest.
    let edges = (0..200u64).map(|v| (1000, v)).chain([(7, 8), (8, 9)]);
    let graph = Graph::builder().edges(edges).order(VertexOrder::Degree).build().expect("sound edges");
    let mut run = super::engine().start::<Hops>(&graph)?;
    for v in [8, 1000] {
        run.activate(graph.vertex(v)?)?;
    }
    run.set(Hops::D, graph.vertex(1000)?, 0)?;
    let error = run.traverse(measure).expect_err("vertex 8 has no value").to_string();
    assert!(error.ends_with(": vertex 8 is active and its `d` is UNREACHED"), "{error}");
    assert!(error.starts_with("kernel `measure` at ") && error.contains("missing.rs:"), "{error}");
    Ok(())
}

#[gts_fn]
fn one_more(x: u32) -> u32 {
    x + 1
}

const FORMS: u32 = line!() + 4;

#[gts_kernel(traverse)]
fn forms(h: &mut Hops, src: Vertex, dst: Vertex) {
    if h.p == 0 {
        h.x[dst].fetch_max(h.d[src] as u64 + 1);
    } else if h.p == 1 {
        h.x[dst].fetch_max(one_more(h.named[src]) as u64);
    } else if h.p == 2 {
        h.x[dst].fetch_max(h.written[src] as u64 / 2);
    } else if h.p == 3 {
        h.x[dst].fetch_max((h.signed[src] - 5) as u64);
    } else if h.p == 4 {
        h.x[dst].fetch_max(h.parent[src] as u64 % 7);
    } else if h.p == 5 {
        let mut far = h.d[src];
        far -= 1;
        h.x[dst].fetch_max(far as u64);
    } else if h.p == 6 {
        let near = if h.turn[dst] == 0 { h.d[src] } else { 3 };
        h.x[dst].fetch_max((near - 1) as u64);
    } else {
        h.x[dst].fetch_max(h.d[src].min(h.d[dst]) as u64 - 1);
    }
}

#[test]
fn a_missing_value_is_found_in_every_form() -> Result<()> {
    let graph = wheel(70);
    for engine in ways::<Hops>(&graph)? {
        for (p, lines) in [1, 3, 5, 7, 9, 12, 16, 18].into_iter().enumerate() {
            let mut run = engine.start::<Hops>(&graph)?;
            run.set_param(Hops::P, p as u32)?;
            run.activate(graph.vertex(33)?)?;
            run.activate(graph.vertex(44)?)?;
            assert_eq!(fault(run.traverse(forms), FORMS), missing(lines, 33), "form {p}");
        }
    }
    Ok(())
}

const CONDITIONAL: u32 = line!() + 4;

#[gts_kernel(traverse)]
fn conditional(h: &mut Hops, src: Vertex, dst: Vertex) {
    if h.turn[dst] == 1 && h.d[src] - 1 < 7 {
        h.x[dst].fetch_max(1);
    }
    if h.turn[dst] == 2 {
        h.x[dst].fetch_max((h.d[src] - 1) as u64);
    }
}

const FILTERED: u32 = line!() + 4;

#[gts_kernel(traverse)]
fn filtered(h: &mut Hops, src: Vertex, dst: Vertex) {
    if h.turn[src] == 1 && h.d[src] - 1 < h.p {
        h.x[dst].fetch_max(1);
    }
}

#[test]
fn only_an_edge_that_uses_the_value_raises_the_fault() -> Result<()> {
    // A ring of 400 vertices, and two vertices without out-edges: 400 has one in-edge, and 401 has none.
    let ring = (0..400u64).map(|v| (v, (v + 1) % 400)).chain([(7, 400)]);
    let graph = Graph::builder()
        .edges(ring)
        .vertices(DeclaredVertices::Range { first: 0, count: 402 })
        .page_size(256)
        .in_edges(true)
        .build()
        .expect("sound edges");
    for engine in ways::<Hops>(&graph)? {
        let start = || -> Result<Run<Hops>> {
            let mut run = engine.start::<Hops>(&graph)?;
            run.activate_all()?;
            Ok(run)
        };
        let mut run = start()?;
        run.fill(Hops::D, 3)?;
        for v in [400, 401] {
            run.set(Hops::D, graph.vertex(v)?, u32::MAX)?;
        }
        run.advance(relax)?;
        let mut run = start()?;
        run.traverse(conditional)?;
        for (turn, lines, vertex) in [(2, 4, 299), (1, 0, 199)] {
            let mut run = start()?;
            run.set(Hops::TURN, graph.vertex(vertex + 1)?, turn)?;
            run.set(Hops::TURN, graph.vertex(350)?, turn)?;
            assert_eq!(fault(run.traverse(conditional), CONDITIONAL), missing(lines, vertex));
        }
        let mut run = start()?;
        run.traverse(filtered)?;
        let mut run = start()?;
        for v in [401, 400, 77, 66] {
            run.set(Hops::TURN, graph.vertex(v)?, 1)?;
        }
        assert_eq!(fault(run.traverse(filtered), FILTERED), missing(0, 66));
    }
    Ok(())
}

#[gts_kernel(traverse)]
fn next(h: &mut Hops, src: Vertex, dst: Vertex) {
    h.d[dst].fetch_min(h.d[src] + 1);
}

#[gts_kernel(traverse)]
fn guarded(h: &mut Hops, src: Vertex, dst: Vertex) {
    if h.d[src] != UNREACHED {
        h.d[dst].fetch_min(h.d[src] + 1);
    }
}

#[gts_kernel(traverse)]
fn copied(h: &mut Hops, src: Vertex, dst: Vertex) {
    h.d[dst].fetch_min(h.d[src]);
    h.written[dst].fetch_min(h.d[src].saturating_add(1));
}

#[gts_fn]
fn one_more_if_reached(x: u32) -> u32 {
    if x == u32::MAX {
        return u32::MAX;
    }
    x + 1
}

#[gts_kernel(traverse)]
fn through_a_guard(h: &mut Hops, src: Vertex, dst: Vertex) {
    h.d[dst].fetch_min(one_more_if_reached(h.d[src]));
}

#[test]
fn one_check_replaces_another_and_guards_need_none() {
    // After this check, the value is not the largest integer, so adding 1 cannot overflow.
    assert_eq!(sites(next), [MissingValue]);
    assert_eq!(sites(copied), []);
    assert_eq!(sites(guarded), [AdditionOverflow]);
    assert_eq!(sites(relax), [MissingValue, AdditionOverflow]);
    assert_eq!(sites(through_a_guard), []);
    // The value is checked once per source, before the loop over the edges.
    fn text<K: Traverse>(_: impl Fn() -> K) -> &'static str {
        K::DESCRIPTOR.cuda
    }
    let begins = text(next).find("bool begin(").expect("a function per source");
    let edges = text(next).find("void edge(").expect("a function per edge");
    let checks: Vec<usize> = text(next).match_indices("gts_present(").map(|(place, _)| place).collect();
    assert!(matches!(checks.as_slice(), [one] if (begins..edges).contains(one)), "{}", text(next));
}

const CLASSIFY: u32 = line!() + 4;

#[gts_kernel(traverse)]
fn classify(h: &mut Hops, src: Vertex, dst: Vertex) {
    let mut class = h.small[src];
    if class >= 250 {
        class = class - 250;
        h.classes[dst][class] += 1;
    }
}

#[gts_kernel(traverse)]
fn asserted(h: &mut Hops, src: Vertex, dst: Vertex) {
    assert!(h.p == 0, h.d[src] + 1);
    h.x[dst].fetch_max(1);
}

#[test]
fn nothing_is_concluded_from_a_value_that_is_missing() -> Result<()> {
    // After the fault, the class is none of the five.
    assert!(sites(classify).contains(&IndexOutOfRange));
    let graph = wheel(300);
    for engine in ways::<Hops>(&graph)? {
        let mut run = engine.start::<Hops>(&graph)?;
        run.activate_all()?;
        assert_eq!(fault(run.advance(classify), CLASSIFY), missing(2, 0));
        // The value of an assertion that holds is not evaluated.
        run.clear_frontier()?;
        run.activate_all()?;
        run.advance(asserted)?;
    }
    Ok(())
}
