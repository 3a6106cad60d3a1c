//! A traversal that pulls has the same result as when it pushes: conditions on the target, filters on the source, edges
//! that count once each, both directions.

use super::pull::{GRAPHS, pulling, pushing};
use gts_core::build::BuildOptions;
use gts_graph::prelude::*;

#[gts_attributes]
pub struct Reached {
    #[wa(init = UNREACHED, merge = min)]
    pub level: u32,
    #[wa(init = UNREACHED, merge = min)]
    pub distance: u64,
    #[wa(init = 0, merge = min)]
    pub label: VertexId,
    #[wa(init = 6, merge = sum)]
    pub left: i32,
    #[wa(init = 0, merge = max)]
    pub highest: u32,
    #[wa(init = 0, merge = max)]
    pub mark: u32,
    #[param]
    pub limit: u32,
    #[global(merge = sum)]
    pub walked: u64,
    #[edge(default = 2)]
    pub weight: u32,
}

/// Leaves a list at its first active vertex.
#[gts_kernel(traverse)]
fn reach(r: &mut Reached, src: Vertex, dst: Vertex) {
    let next = step() + 1;
    if r.level[dst] == UNREACHED && next < r.limit {
        r.level[dst] = next;
        activate(dst);
    }
}

/// Visits whole lists.
#[gts_kernel(traverse)]
fn relax(r: &mut Reached, src: Vertex, dst: Vertex, e: Edge) {
    if r.mark[src] % 7 == 3 {
        return;
    }
    let distance = r.distance[src].saturating_add(r.weight[e] as u64);
    if distance < r.distance[dst].fetch_min(distance) {
        activate(dst);
    }
}

/// Counts every edge from an active vertex once.
#[gts_kernel(traverse, racy)]
fn peel(r: &mut Reached, src: Vertex, dst: Vertex) {
    r.walked += 1;
    if r.left[dst].fetch_sub(1) == 1 {
        activate(dst);
    }
}

#[gts_kernel(traverse(both))]
fn spread(r: &mut Reached, src: Vertex, dst: Vertex) {
    let label = r.label[src];
    if label < r.label[dst].fetch_min(label) {
        activate(dst);
    }
}

/// Has a condition on the target; the body ends only a part of it.
#[gts_kernel(traverse(in))]
fn climb(r: &mut Reached, src: Vertex, dst: Vertex) {
    if r.mark[dst] % 3 != 0 && r.highest[dst] < r.mark[src] {
        r.highest[dst].fetch_max(r.mark[src]);
    }
}

/// Writes at its source, so it always pushes.
#[gts_kernel(traverse)]
fn answer_back(r: &mut Reached, src: Vertex, dst: Vertex) {
    r.highest[src].fetch_max(r.mark[dst]);
}

#[gts_kernel(vertex)]
fn name(r: &mut Reached, v: Vertex) {
    r.label[v] = v.id();
}

/// All results of the kernels.
#[derive(Debug, PartialEq)]
struct Answer {
    level: Vec<u32>,
    distance: Vec<u64>,
    label: Vec<VertexId>,
    left: Vec<i32>,
    highest: Vec<u32>,
    walked: u64,
}

fn answer(graph: &Graph, engine: &Engine) -> Result<(Answer, Vec<bool>)> {
    let mut run = engine.start::<Reached>(graph)?;
    let vertices = graph.num_vertices();
    let marks: Vec<u32> = (0..vertices).map(|v| super::mixed(v) as u32 % 1000).collect();
    run.set_dense(Reached::MARK, &marks)?;
    run.set_param(Reached::LIMIT, 9)?;
    let first = Vertex::from_dense(vertices / 2);
    let mut sources = vec![0; vertices as usize];
    run.apply(name)?;

    let mut levels = vec![u32::MAX; vertices as usize];
    levels[first.dense() as usize] = 0;
    run.set_dense(Reached::LEVEL, &levels)?;
    run.activate(first)?;
    run.traverse(reach)?;

    sources.fill(u64::MAX);
    sources[first.dense() as usize] = 5;
    run.set_dense(Reached::DISTANCE, &sources)?;
    run.activate(first)?;
    run.traverse(relax)?;

    (0..vertices).filter(|v| v % 3 == 1).try_for_each(|v| run.activate(Vertex::from_dense(v)))?;
    run.traverse(peel)?;
    run.activate_all()?;
    run.traverse(spread)?;
    run.activate_all()?;
    run.traverse(climb)?;
    run.activate_all()?;
    run.traverse(answer_back)?;
    let answer = Answer {
        level: run.take_dense(Reached::LEVEL)?,
        distance: run.take_dense(Reached::DISTANCE)?,
        label: run.take_dense(Reached::LABEL)?,
        left: run.take_dense(Reached::LEFT)?,
        highest: run.take_dense(Reached::HIGHEST)?,
        walked: run.global(Reached::WALKED)?,
    };
    let pulled = engine.take_report().kernels.iter().map(|kernel| kernel.pulled).collect();
    Ok((answer, pulled))
}

fn same(spec: &str, options: &BuildOptions) -> Result<()> {
    let graph = Graph::reader(spec).options(options.clone()).read().expect("a graph");
    let (pushed, none) = answer(&graph, &pushing()?)?;
    assert!(none.iter().all(|pulled| !pulled), "{spec}: {none:?} were asked to push");
    for engine in pulling()? {
        let (pulled, forms) = answer(&graph, &engine)?;
        assert_eq!(pushed, pulled, "{spec}");
        // The form of `reach` and `relax` depends on the active share of the graph.
        assert_eq!(forms[3..], [true, true, true, false], "{spec}: peel, spread, climb, answer_back");
    }
    Ok(())
}

#[test]
fn pulling_equals_pushing() -> Result<()> {
    let options = BuildOptions { page_size: Some(256), in_edges: true, ..BuildOptions::default() };
    for spec in GRAPHS {
        same(spec, &options)?;
    }
    Ok(())
}

#[test]
fn a_symmetric_graph_needs_no_in_edges() -> Result<()> {
    let options = BuildOptions { page_size: Some(256), symmetrise: true, ..BuildOptions::default() };
    same("rmat:9,edge-factor=4,seed=5", &options)
}

#[test]
fn a_step_with_few_active_edges_pushes() -> Result<()> {
    let options = BuildOptions { in_edges: true, ..BuildOptions::default() };
    let graph = Graph::reader("chain:150").options(options).read().expect("a graph");
    let engine = Engine::builder().device(super::device()).propagation(Propagation::Pull).build()?;
    let mut run = engine.start::<Reached>(&graph)?;
    run.set_param(Reached::LIMIT, u32::MAX)?;
    run.set(Reached::LEVEL, Vertex::from_dense(0), 0)?;
    run.activate(Vertex::from_dense(0))?;
    run.traverse(reach)?;
    let report = engine.take_report();
    assert!(!report.kernels.iter().any(|kernel| kernel.pulled), "one edge of 149 is active at a time");
    Ok(())
}

#[test]
fn by_its_own_choice_a_traversal_pulls_where_it_leaves_lists_early() -> Result<()> {
    let options = BuildOptions { in_edges: true, ..BuildOptions::default() };
    let graph = Graph::reader("rmat:9,edge-factor=4,seed=5").options(options).read().expect("a graph");
    let engine = Engine::builder().device(super::device()).build()?;
    let mut run = engine.start::<Reached>(&graph)?;
    run.set_param(Reached::LIMIT, u32::MAX)?;
    let pulled = || engine.take_report().kernels.iter().any(|kernel| kernel.pulled);
    run.activate_all()?;
    run.advance(reach)?;
    assert!(pulled(), "all edges are active, and a list is left at the first of them");
    run.activate_all()?;
    run.advance(relax)?;
    run.activate_all()?;
    run.advance(spread)?;
    assert!(!pulled(), "whole lists would be looked at");
    Ok(())
}

#[test]
fn pulling_without_in_edges_says_what_is_missing() -> Result<()> {
    let graph = Graph::from_edges([(0, 1), (1, 2)]).expect("sound edges");
    for engine in pulling()? {
        let mut run = engine.start::<Reached>(&graph)?;
        run.set_param(Reached::LIMIT, u32::MAX)?;
        run.activate(Vertex::from_dense(0))?;
        let error = format!("{:?}", run.traverse(reach).expect_err("there is no way to pull"));
        assert!(error.contains("reach") && error.contains("`in_edges`"), "{error}");
    }
    Ok(())
}
