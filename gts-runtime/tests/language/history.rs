//! Passes that depend on what the run did before: params must have a value.

use super::{engine, isolated};
use gts_runtime::core::advice::{Explain, Reader};
use gts_runtime::prelude::*;

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

/// A call of a run, with its name.
type Call = (&'static str, fn(&mut Run<Past>) -> Result<()>);

/// Calls that run a kernel which reads the param, one per kind of pass.
const READING: [Call; 13] = [
    ("scanned", |run| run.scan(scanned)),
    ("scanned", |run| run.neighbours(..1).scan(scanned)),
    ("traversed", |run| run.advance(traversed).map(drop)),
    ("traversed", |run| run.neighbours(..1).advance(traversed).map(drop)),
    ("traversed", |run| run.traverse(traversed).map(drop)),
    ("traversed", |run| run.traverse_near(traversed, plainly_ranked, 1).map(drop)),
    ("ranked_sift", |run| run.traverse_near(plain, ranked, 1).map(drop)),
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
        assert!(
            matches!(error, Error::UnsetParam { kernel, attributes: "Past", param: "term", .. } if kernel.starts_with(name)),
            "{name}: {error:?}"
        );
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
