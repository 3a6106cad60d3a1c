//! Calls that depend on what the run did before: params and globals must have values, and a pass over active vertices
//! requires that vertices could have been activated.

use super::{engine, isolated};
use gts_core::advice::{Explain, Reader};
use gts_core::build::DeclaredVertices;
use gts_graph::prelude::*;

#[gts_attributes]
pub struct Past {
    #[wa(init = 0, merge = sum)]
    pub sum: u64,
    #[wa(init = 0, merge = any)]
    pub seen: u64,
    /// A param that every kernel below reads.
    #[param]
    pub term: u64,
    /// A param that no kernel reads.
    #[param]
    pub unread: u64,
}

#[gts_kernel(scan)]
fn scanned(p: &mut Past, src: Vertex, dst: Vertex) {
    p.sum[dst] += p.term;
}

#[gts_kernel(traverse)]
fn traversed(p: &mut Past, src: Vertex, dst: Vertex) {
    p.sum[dst] += p.term;
}

#[gts_kernel(traverse)]
fn plain(p: &mut Past, src: Vertex, dst: Vertex) {
    p.sum[dst] += 1;
}

#[gts_kernel(vertex)]
fn applied(p: &mut Past, v: Vertex) {
    p.seen[v] = p.term;
}

#[gts_kernel(gather)]
fn gathered(p: &mut Past, v: Vertex) {
    let sum = v.neighbors().sum(|dst| p.sum[dst] + p.term);
    p.seen[v] = sum;
}

#[gts_kernel(gather)]
fn gathered_last(p: &mut Past, v: Vertex) {
    let sum = v.neighbors().sum(|dst| p.sum[dst]);
    p.seen[v] = sum + p.term;
}

#[gts_kernel(intersect)]
fn met(p: &mut Past, u: Vertex, v: Vertex) {
    p.sum[u] += p.term;
}

#[gts_kernel(priority)]
fn ranked(p: &mut Past, v: Vertex) -> u64 {
    p.sum[v] + p.term
}

#[gts_kernel(priority)]
fn plainly_ranked(p: &mut Past, v: Vertex) -> u64 {
    p.sum[v]
}

/// A call of a run.
type Action = fn(&mut Run<Past>) -> Result<()>;

/// A call of a run that starts a kernel, with the kernel's name.
type Call = (&'static str, Action);

/// Calls that run a kernel which reads the param, one per kind of pass.
const READING: [Call; 13] = [
    ("scanned", |run| run.scan(scanned)),
    ("scanned", |run| run.neighbors(..1).scan(scanned)),
    ("traversed", |run| run.advance(traversed).map(drop)),
    ("traversed", |run| run.neighbors(..1).advance(traversed).map(drop)),
    ("traversed", |run| run.traverse(traversed).map(drop)),
    ("traversed", |run| run.traverse_near(traversed, plainly_ranked, 1).map(drop)),
    ("ranked", |run| run.traverse_near(plain, ranked, 1).map(drop)),
    ("applied", |run| run.apply(applied)),
    ("applied", |run| run.apply_active(applied)),
    ("gathered", |run| run.gather(gathered)),
    ("gathered_last", |run| run.gather(gathered_last)),
    ("gathered", |run| run.gather_active(gathered)),
    ("met", |run| run.intersect(met)),
];

fn ring(vertices: u64) -> Graph {
    Graph::from_edges((0..vertices).map(|v| (v, (v + 1) % vertices))).expect("sound edges")
}

#[test]
fn every_pass_requires_a_value_for_each_param_that_it_reads() -> Result<()> {
    let graph = ring(5);
    for (name, call) in READING {
        let mut run = engine().start::<Past>(&graph)?;
        run.activate_all()?;
        let error = call(&mut run).expect_err("a param without a value");
        let Error::UnsetParam { kernel, attributes: "Past", param: "term", .. } = error else {
            panic!("{name}: {error:?}")
        };
        assert_eq!(kernel, name);
        assert_eq!(run.take(Past::SUM)?, [0; 5], "{name} had no effect");
        run.set_param(Past::TERM, 0)?;
        call(&mut run)?;
    }
    Ok(())
}

#[test]
fn the_error_names_the_call_and_the_declaration() -> Result<()> {
    let mut run = engine().start::<Past>(&isolated(1))?;
    let error = run.scan(scanned).expect_err("a param without a value");
    let (text, here) = (error.to_string(), file!());
    assert!(text.starts_with(&format!("kernel `scanned` at {here}:")), "{text}");
    assert!(text.ends_with("reads `Past.term`, a param that was never set"), "{text}");
    let advice = error.advice().expect("the next step");
    let expected = "call `run.set_param(Past::TERM, ..)` before the pass, or declare `#[param(default = ..)]`";
    assert_eq!(advice.of(Reader::Program), expected);
    Ok(())
}

#[gts_attributes(T = f32 | f64)]
pub struct Defaults<T> {
    #[wa(init = 0.0, merge = any)]
    pub damped: T,
    #[wa(init = 0, merge = any)]
    pub whole: [i64; 4],
    #[wa(init = 0, merge = any)]
    pub target: VertexId,
    #[param(default = 0.85)]
    pub damping: T,
    #[param(default = -3)]
    pub offset: i32,
    #[param(default = true)]
    pub enabled: bool,
    #[param(default = 7)]
    pub both: [u8; 2],
    #[param(default = UNREACHED)]
    pub vertex: VertexId,
}

#[gts_kernel(vertex)]
fn take_defaults<T>(d: &mut Defaults<T>, v: Vertex) {
    d.damped[v] = d.damping;
    d.whole[v][0] = d.offset as i64;
    d.whole[v][1] = d.enabled as i64;
    d.whole[v][2] = d.both[0] as i64;
    d.whole[v][3] = d.both[1] as i64;
    d.target[v] = d.vertex;
}

#[test]
fn a_default_holds_until_the_host_sets_a_value() -> Result<()> {
    let graph = isolated(2);
    let mut single = engine().start::<Defaults<f32>>(&graph)?;
    single.apply(take_defaults)?;
    assert_eq!(single.take(Defaults::<f32>::DAMPED)?, [0.85; 2]);
    assert_eq!(single.take(Defaults::<f32>::WHOLE)?, [[-3, 1, 7, 7]; 2]);
    assert_eq!(single.take(Defaults::<f32>::TARGET)?, [VertexId::UNREACHED; 2]);
    single.set_param(Defaults::<f32>::DAMPING, 0.5)?;
    single.set_param(Defaults::<f32>::BOTH, [8, 9])?;
    single.apply(take_defaults)?;
    assert_eq!(single.take(Defaults::<f32>::DAMPED)?, [0.5; 2]);
    assert_eq!(single.take(Defaults::<f32>::WHOLE)?, [[-3, 1, 8, 9]; 2]);
    let mut double = engine().start::<Defaults<f64>>(&graph)?;
    double.apply(take_defaults)?;
    assert_eq!(double.take(Defaults::<f64>::DAMPED)?, [0.85; 2], "an f64 keeps all bits");
    Ok(())
}

#[gts_attributes]
pub struct Counts {
    #[wa(init = 0, merge = sum)]
    pub sum: u64,
    #[global(merge = sum)]
    pub vertices: u64,
    #[global(merge = min)]
    pub least: u32,
    #[global(merge = sum)]
    pub edges: [u64; 3],
    #[global(merge = or)]
    pub never: u64,
}

#[gts_kernel(vertex)]
fn count_vertices(c: &mut Counts, v: Vertex) {
    c.vertices += 1;
    c.least.fetch_min(v.id() as u32 + 5);
}

#[gts_kernel(scan)]
fn count_edges(c: &mut Counts, src: Vertex, dst: Vertex) {
    c.sum[dst] += 1;
    c.edges[dst.id() as u64 % 3] += 1;
}

#[gts_kernel(traverse)]
fn walk(c: &mut Counts, src: Vertex, dst: Vertex) {
    c.sum[dst] += 1;
    c.edges[0] += 1;
    if step() < 2 {
        activate(dst);
    }
}

#[gts_kernel(vertex)]
fn least_of_few(c: &mut Counts, v: Vertex) {
    if v.out_degree() > 100 {
        c.least.fetch_min(1);
    }
}

#[gts_kernel(gather)]
fn gather_sums(c: &mut Counts, v: Vertex) {
    let sum = v.neighbors().sum(|dst| c.sum[dst]);
    c.sum[v] = sum;
}

#[gts_kernel(priority)]
fn by_sum(c: &mut Counts, v: Vertex) -> u64 {
    c.sum[v]
}

#[test]
fn a_global_keeps_its_value_until_a_kernel_that_updates_it_runs() -> Result<()> {
    let mut run = engine().start::<Counts>(&ring(9))?;
    run.apply(count_vertices)?;
    run.scan(count_edges)?;
    assert_eq!((run.global(Counts::VERTICES)?, run.global(Counts::LEAST)?), (9, 5));
    assert_eq!(run.global(Counts::EDGES)?, [3; 3]);
    // Kernels with hidden globals and accumulators keep the values, too.
    run.gather(gather_sums)?;
    run.activate_all()?;
    run.traverse_near(walk, by_sum, 1)?;
    assert_eq!((run.global(Counts::VERTICES)?, run.global(Counts::LEAST)?), (9, 5));
    assert_eq!(run.global(Counts::EDGES)?[1..], [0, 0], "the traversal reset the array and updated one element");
    run.scan(count_edges)?;
    assert_eq!(run.global(Counts::EDGES)?, [3; 3], "the scan reset the array");
    run.scan(count_edges)?;
    assert_eq!(run.global(Counts::EDGES)?, [3; 3], "each pass counts from 0");
    assert_eq!((run.global(Counts::VERTICES)?, run.global(Counts::LEAST)?), (9, 5));
    Ok(())
}

#[test]
fn a_pass_that_updates_nothing_leaves_the_reset_value() -> Result<()> {
    let mut run = engine().start::<Counts>(&ring(4))?;
    run.apply(least_of_few)?;
    assert_eq!(run.global(Counts::LEAST)?, u32::MAX);
    run.apply(count_vertices)?;
    run.apply(least_of_few)?;
    assert_eq!((run.global(Counts::VERTICES)?, run.global(Counts::LEAST)?), (4, u32::MAX));
    run.activate_all()?;
    run.clear_frontier()?;
    run.traverse(walk)?;
    assert_eq!(run.global(Counts::EDGES)?, [0; 3], "a traversal without steps resets, too");
    Ok(())
}

#[test]
fn a_global_is_not_read_before_a_kernel_has_updated_it() -> Result<()> {
    let mut run = engine().start::<Counts>(&ring(4))?;
    run.apply(count_vertices)?;
    run.gather(gather_sums)?;
    let error = run.global(Counts::EDGES).expect_err("no kernel has updated it");
    assert!(matches!(error, Error::UnsetGlobal { attributes: "Counts", global: "edges" }), "{error:?}");
    let text = "`Counts.edges` has no value: no kernel that updates this global has run";
    assert_eq!(error.to_string(), text);
    let advice = error.advice().expect("the next step");
    assert!(advice.of(Reader::Program).contains("`run.global(Counts::EDGES)`"), "{advice:?}");
    assert!(matches!(run.global(Counts::NEVER), Err(Error::UnsetGlobal { global: "never", .. })));
    run.scan(count_edges)?;
    assert_eq!(run.global(Counts::EDGES)?.iter().sum::<u64>(), 4);
    Ok(())
}

/// Calls that visit active vertices only, with the name of the kernel that visits them.
const OF_ACTIVE: [Call; 7] = [
    ("plain", |run| run.advance(plain).map(drop)),
    ("plain", |run| run.neighbors(..1).advance(plain).map(drop)),
    ("plain", |run| run.traverse(plain).map(drop)),
    ("plain", |run| run.traverse_near(plain, plainly_ranked, 1).map(drop)),
    ("applied", |run| run.apply_active(applied)),
    ("gathered", |run| run.gather_active(gathered)),
    ("gathered_last", |run| run.gather_active(gathered_last)),
];

#[gts_kernel(vertex)]
fn activate_none(p: &mut Past, v: Vertex) {
    if p.sum[v] > 100 {
        activate(v);
    }
}

#[test]
fn a_pass_over_active_vertices_requires_that_some_could_be_active() -> Result<()> {
    let graph = ring(5);
    let activates: [Action; 3] = [
        |run| run.activate(Vertex::from_dense(0)),
        // Nothing is active after either of these, which is no error.
        |run| run.activate_all().and_then(|()| run.clear_frontier()),
        |run| run.apply(activate_none),
    ];
    for (name, call) in OF_ACTIVE {
        for activate in activates {
            let mut run = engine().start::<Past>(&graph)?;
            run.set_param(Past::TERM, 1)?;
            // Neither a pass that activates nothing nor an empty frontier suffices.
            run.apply(applied)?;
            run.clear_frontier()?;
            run.set_step(4);
            let error = call(&mut run).expect_err("nothing was activated");
            assert!(
                matches!(error, Error::NothingActivated { kernel } if kernel.starts_with(name)),
                "{name}: {error:?}"
            );
            let text = format!("{error:?}");
            assert!(text.contains("`run.activate` was never called"), "{text}");
            assert!(text.contains("call `run.activate` or `run.activate_all`"), "{text}");
            activate(&mut run)?;
            call(&mut run)?;
        }
        let empty = Graph::builder().edges([]).vertices(DeclaredVertices::List(Vec::new().into())).build();
        let mut run = engine().start::<Past>(&empty.expect("no edges"))?;
        run.set_param(Past::TERM, 1)?;
        call(&mut run)?;
    }
    Ok(())
}

#[gts_attributes]
pub struct Steps {
    #[wa(init = UNREACHED, merge = min)]
    pub level: u32,
}

#[gts_kernel(traverse)]
fn expand(s: &mut Steps, src: Vertex, dst: Vertex) {
    if s.level[dst] == UNREACHED {
        s.level[dst] = step() + 1;
        activate(dst);
    }
}

#[test]
fn a_traversal_that_was_refused_still_begins_at_the_step_that_was_set() -> Result<()> {
    let mut run = engine().start::<Steps>(&ring(6))?;
    run.set_step(4);
    run.traverse(expand).expect_err("nothing was activated");
    run.activate(Vertex::from_dense(0))?;
    run.traverse(expand)?;
    assert_eq!(run.take(Steps::LEVEL)?, [10, 5, 6, 7, 8, 9]);
    Ok(())
}
