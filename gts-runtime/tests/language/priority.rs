//! Traversals by priority: compares the order in which vertices step with a serial loop over two sets, and the results.

use super::{engine, mixed};
use gts_core::build::DeclaredVertices;
use gts_graph::prelude::*;
use std::collections::BTreeSet;
use std::ops::Add;

const VERTICES: u64 = 300;

/// Returns few edges, among them a self-loop at each vertex, so that IDs and dense numbers agree.
fn edges() -> Vec<(u64, u64)> {
    let some = (0..VERTICES).flat_map(|v| (0..v % 5).map(move |i| (v, mixed(v * 7 + i) % VERTICES)));
    (0..VERTICES).map(|v| (v, v)).chain(some).collect()
}

fn graph() -> Graph {
    Graph::builder().edges(edges()).page_size(512).build().expect("sound edges")
}

/// Results of a traversal by priority.
#[derive(Debug, PartialEq)]
struct Waves {
    visits: Vec<u32>,
    last: Vec<u32>,
    walked: u64,
    steps: u32,
}

/// Simulates `call`, which activates vertices until a step: two sets, and a threshold that rises.
fn waves<T: Copy + PartialOrd + Add<Output = T>>(
    active: impl IntoIterator<Item = u64>,
    until: u32,
    width: T,
    priority: impl Fn(u64, u32) -> T,
) -> Waves {
    let edges = edges();
    let mut lists = vec![Vec::new(); VERTICES as usize];
    edges.iter().for_each(|&(v, w)| lists[v as usize].push(w as usize));
    let (mut visits, mut last) = (vec![0; lists.len()], vec![0; lists.len()]);
    let mut far: BTreeSet<usize> = active.into_iter().map(|v| v as usize).collect();
    let (mut walked, mut steps) = (0, 0);
    while !far.is_empty() {
        let of = |v: &usize| priority(*v as u64, visits[*v]);
        let least = far.iter().map(of).reduce(|a, b| if b < a { b } else { a }).expect("some are far");
        let threshold = least + width;
        let mut near: BTreeSet<usize> = far.iter().copied().filter(|v| of(v) <= threshold).collect();
        far.retain(|v| !near.contains(v));
        while !near.is_empty() {
            let mut called = BTreeSet::new();
            for &w in near.iter().flat_map(|&v| &lists[v]) {
                visits[w] += 1;
                last[w] = last[w].max(steps);
                walked += 1;
                if steps < until {
                    called.insert(w);
                }
            }
            steps += 1;
            near = called.iter().copied().filter(|&v| priority(v as u64, visits[v]) <= threshold).collect();
            far.retain(|v| !called.contains(v));
            far.extend(called.difference(&near));
        }
    }
    Waves { visits, last, walked, steps }
}

#[gts_attributes(T = u8 | u32 | i64 | f32 | f64)]
pub struct Calls<T> {
    /// Initial value of the priority.
    #[ra]
    pub rank: T,
    #[wa(init = 0, merge = sum)]
    pub visits: u32,
    #[wa(init = 0, merge = max)]
    pub last: u32,
    #[param]
    pub until: u32,
    #[global(merge = sum)]
    pub walked: u64,
}

#[gts_kernel(traverse)]
fn call<T>(calls: &mut Calls<T>, src: Vertex, dst: Vertex) {
    calls.visits[dst] += 1;
    calls.walked += 1;
    calls.last[dst].fetch_max(step());
    if step() < calls.until {
        activate(dst);
    }
}

#[gts_kernel(priority)]
fn rank<T>(calls: &mut Calls<T>, v: Vertex) -> T {
    calls.rank[v]
}

#[gts_fn]
fn haste(visits: u32) -> i64 {
    if visits > 3 {
        return 40;
    }
    visits as i64 * 12
}

/// A vertex that is called again while it waits becomes nearer.
#[gts_kernel(priority)]
fn urgency(calls: &mut Calls<i64>, v: Vertex) -> i64 {
    let far = calls.rank[v];
    let called = haste(calls.visits[v]);
    if called > far {
        let below = far - called;
        below * 2
    } else {
        far - called
    }
}

/// The reverse: a called vertex waits longer.
#[gts_kernel(priority)]
fn patience(calls: &mut Calls<i64>, v: Vertex) -> f64 {
    calls.visits[v] as f64 * 0.5 + (calls.rank[v] % 3) as f64
}

/// Returns one of the priorities of a test.
fn rank_of(v: u64) -> u64 {
    mixed(v) % 97
}

fn run_calls<A: Attributes>(
    run: &mut Run<A>,
    active: &[u64],
    traverse: impl FnOnce(&mut Run<A>) -> Result<u32>,
    take: impl FnOnce(&mut Run<A>) -> Result<(Vec<u32>, Vec<u32>, u64)>,
) -> Result<Waves> {
    for &v in active {
        run.activate(Vertex::from_dense(v))?;
    }
    let steps = traverse(run)?;
    assert_eq!(run.frontier_size()?, 0);
    let (visits, last, walked) = take(run)?;
    Ok(Waves { visits, last, walked, steps })
}

macro_rules! by_rank {
    ($($name:ident: $type:ty, $widths:expr;)*) => {$(
        #[test]
        fn $name() -> Result<()> {
            let (graph, active) = (graph(), [3, 4, 250, 17]);
            let ranks: Vec<$type> = (0..VERTICES).map(|v| rank_of(v) as $type).collect();
            for (until, width) in [0, 3, 9].into_iter().flat_map(|until| $widths.map(|width: $type| (until, width))) {
                let mut run = engine().start::<Calls<$type>>(&graph)?;
                run.set_dense(Calls::RANK, &ranks)?;
                run.set_param(Calls::UNTIL, until)?;
                let found = run_calls(&mut run, &active, |run| run.traverse_near(call, rank, width), |run| {
                    Ok((run.take(Calls::VISITS)?, run.take(Calls::LAST)?, run.global(Calls::WALKED)?))
                })?;
                // Sums of integers saturate.
                let width = if (width as f64) < 1e6 { width as f64 } else { f64::INFINITY };
                let expected = waves(active, until, width, |v, _| rank_of(v) as $type as f64);
                assert_eq!(found, expected, "until {until}, width {width}");
            }
            Ok(())
        }
    )*};
}

by_rank! {
    ranks_of_u8: u8, [0, 1, 10, 255];
    ranks_of_u32: u32, [0, 1, 10, 1000, u32::MAX];
    ranks_of_i64: i64, [0, 25, i64::MAX];
    ranks_of_f32: f32, [0.0, 0.5, 10.0, f32::MAX, f32::INFINITY];
    ranks_of_f64: f64, [0.0, 33.25, f64::INFINITY];
}

#[test]
fn priorities_that_change_meanwhile_count_as_they_are() -> Result<()> {
    let graph = graph();
    let active: Vec<u64> = (0..VERTICES).step_by(11).collect();
    let ranks: Vec<i64> = (0..VERTICES).map(|v| rank_of(v) as i64).collect();
    let start = |until: u32| -> Result<Run<Calls<i64>>> {
        let mut run = engine().start::<Calls<i64>>(&graph)?;
        run.set_dense(Calls::RANK, &ranks)?;
        run.set_param(Calls::UNTIL, until)?;
        Ok(run)
    };
    let take =
        |run: &mut Run<Calls<i64>>| Ok((run.take(Calls::VISITS)?, run.take(Calls::LAST)?, run.global(Calls::WALKED)?));
    for until in [1, 6, 20] {
        for width in [0, 5, 60, 10_000] {
            let nearer = |v, visits: u32| {
                let (far, called) = (rank_of(v) as i64, if visits > 3 { 40 } else { i64::from(visits) * 12 });
                if called > far { (far - called) * 2 } else { far - called }
            };
            let found = run_calls(&mut start(until)?, &active, |run| run.traverse_near(call, urgency, width), take)?;
            assert_eq!(found, waves(active.iter().copied(), until, width, nearer), "until {until}, width {width}");

            let width = width as f64 * 0.25;
            let later = |v, visits: u32| f64::from(visits) * 0.5 + (rank_of(v) % 3) as f64;
            let found = run_calls(&mut start(until)?, &active, |run| run.traverse_near(call, patience, width), take)?;
            assert_eq!(found, waves(active.iter().copied(), until, width, later), "until {until}, width {width}");
        }
    }
    Ok(())
}

#[gts_attributes(T = u32 | f32)]
pub struct Paths<T> {
    #[wa(init = UNREACHED, merge = min)]
    pub distance: T,
    #[edge]
    pub weight: T,
    #[global(merge = sum)]
    pub walked: u64,
}

#[gts_kernel(traverse)]
fn relax<T>(paths: &mut Paths<T>, src: Vertex, dst: Vertex, e: Edge) {
    let far = paths.distance[src] + paths.weight[e];
    paths.walked += 1;
    if paths.distance[dst].fetch_min(far) > far {
        activate(dst);
    }
}

#[gts_kernel(priority)]
fn nearness<T>(paths: &mut Paths<T>, v: Vertex) -> T {
    paths.distance[v]
}

/// Returns edges with whole weights from 1, with shortcuts of many light edges beside heavy ones.
fn weighted() -> Vec<(u64, u64, u32)> {
    let heavy = |(v, w): (u64, u64)| (v, w, 1 + mixed(v ^ w << 9) as u32 % 200);
    let light = (0..VERTICES - 60).map(|v| (v, v + 1, 2));
    edges().into_iter().map(heavy).chain(light).collect()
}

/// Returns distances by relaxing every edge until no distance decreases.
fn distances(source: u64) -> Vec<u64> {
    let mut distances = vec![u64::MAX; VERTICES as usize];
    distances[source as usize] = 0;
    loop {
        let before = distances.clone();
        for (v, w, weight) in weighted() {
            let through = distances[v as usize].saturating_add(weight.into());
            distances[w as usize] = distances[w as usize].min(through);
        }
        if distances == before {
            return distances;
        }
    }
}

#[test]
fn shortest_paths_are_those_of_any_order() -> Result<()> {
    let whole = Graph::builder().weighted_edges(weighted()).page_size(512).build().expect("sound edges");
    let real = weighted().into_iter().map(|(v, w, weight)| (v, w, weight as f32 * 0.5));
    let real = Graph::builder().weighted_edges(real).page_size(512).build().expect("sound edges");
    let mut degrees = vec![0u64; VERTICES as usize];
    weighted().iter().for_each(|&(v, ..)| degrees[v as usize] += 1);
    for source in [0, 7, 299] {
        let expected = distances(source);
        let mut most = 0;
        for width in [0, 1, 30, 1000, u32::MAX] {
            let (mut run, source) = (engine().start::<Paths<u32>>(&whole)?, Vertex::from_dense(source));
            run.set(Paths::DISTANCE, source, 0)?;
            run.activate(source)?;
            let steps = run.traverse_near(relax, nearness, width)?;
            let found = run.take(Paths::DISTANCE)?;
            let found: Vec<u64> = found.into_iter().map(|d| if d == u32::MAX { u64::MAX } else { d.into() }).collect();
            assert_eq!(found, expected, "width {width}");
            if width == 0 {
                // One distance after the other: no vertex steps twice.
                let settled = expected.iter().zip(&degrees).filter(|(distance, _)| **distance < u64::MAX);
                assert_eq!(run.global(Paths::WALKED)?, settled.map(|(_, degree)| degree).sum::<u64>());
                most = steps;
            }
            assert!(steps <= most, "width {width}: {steps} steps, and {most} with width 0");

            let mut run = engine().start::<Paths<f32>>(&real)?;
            run.set(Paths::DISTANCE, source, 0.0)?;
            run.activate(source)?;
            run.traverse_near(relax, nearness, width as f32 * 0.5)?;
            let found = run.take(Paths::DISTANCE)?;
            let wanted = expected.iter().map(|&d| if d == u64::MAX { f32::INFINITY } else { d as f32 * 0.5 });
            assert_eq!(found, wanted.collect::<Vec<_>>(), "width {width}");
        }
    }
    Ok(())
}

#[gts_attributes]
pub struct Oddities {
    #[wa(init = 0.0, merge = any)]
    pub rank: f32,
    #[wa(init = 0, merge = sum)]
    pub visits: u32,
    #[wa(init = false, merge = or)]
    pub far: bool,
    #[param]
    pub threshold: u32,
}

#[gts_kernel(traverse)]
fn visit(o: &mut Oddities, src: Vertex, dst: Vertex) {
    o.visits[dst] += 1;
    o.far[dst] |= true;
}

/// The struct uses the names that kernels would give to hidden items.
#[gts_kernel(priority)]
fn odd(far: &mut Oddities, priority: Vertex) -> f32 {
    if far.threshold > 100 { 1.0 } else { far.rank[priority] }
}

#[gts_kernel(gather)]
fn count(o: &mut Oddities, v: Vertex) {
    let all = v.neighbors().count(|dst| o.far[dst]);
    o.visits[v] = all as u32;
}

#[test]
fn what_is_no_number_and_what_is_endless_does_not_wait_for_ever() -> Result<()> {
    let graph = graph();
    let ranks = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -0.0, 0.0, f32::MAX, f32::MIN, 1.0];
    for width in [0.0, 2.0, f32::MAX, f32::INFINITY] {
        let mut run = engine().start::<Oddities>(&graph)?;
        let all: Vec<f32> = (0..VERTICES as usize).map(|v| ranks[v % ranks.len()]).collect();
        run.set_param(Oddities::THRESHOLD, 0)?;
        run.set_dense(Oddities::RANK, &all)?;
        run.activate_all()?;
        let steps = run.traverse_near(visit, odd, width)?;
        let mut expected = vec![0; VERTICES as usize];
        edges().into_iter().for_each(|(_, w)| expected[w as usize] += 1);
        assert_eq!(run.take(Oddities::VISITS)?, expected, "width {width}");
        assert!(run.take(Oddities::FAR)?.into_iter().all(|far| far));
        assert!(steps >= 1 && steps <= ranks.len() as u32, "width {width}: {steps} steps");
        if width == 0.0 {
            assert_eq!(steps, 6, "-inf with NaN, MIN, zeros, 1, MAX, inf");
        }
    }
    Ok(())
}

#[test]
fn other_kernels_come_between() -> Result<()> {
    let graph = graph();
    let mut run = engine().start::<Oddities>(&graph)?;
    let mut neighbours = vec![0u32; VERTICES as usize];
    edges().into_iter().for_each(|(v, _)| neighbours[v as usize] += 1);
    for round in 0..3 {
        run.set_param(Oddities::THRESHOLD, round * 60)?;
        run.activate_all()?;
        assert_eq!(run.traverse_near(visit, odd, 0.5)?, 1);
        run.gather(count)?;
        assert_eq!(run.take(Oddities::VISITS)?, neighbours);
        run.gather_active(count)?;
    }
    Ok(())
}

#[test]
fn steps_count_on_and_end_at_the_limit() -> Result<()> {
    let graph = graph();
    let engine = Engine::builder().device(super::device()).max_steps(4).build()?;
    let mut run = engine.start::<Calls<u32>>(&graph)?;
    run.set_param(Calls::UNTIL, 12)?;
    run.set_step(10);
    run.activate(Vertex::from_dense(9))?;
    assert_eq!(run.traverse_near(call, rank, 0)?, 3);
    assert_eq!(run.get(Calls::LAST, Vertex::from_dense(9))?, 12);
    run.activate(Vertex::from_dense(9))?;
    let error = run.traverse_near(call, rank, 0).expect_err("self-loops go on for 13 steps");
    assert!(matches!(error, Error::StepLimit { steps: 4, .. }), "{error}");
    Ok(())
}

#[test]
fn nothing_active_is_no_step() -> Result<()> {
    let mut run = engine().start::<Calls<f32>>(&graph()).expect("memory");
    run.set_param(Calls::UNTIL, 0)?;
    run.activate_all()?;
    run.clear_frontier()?;
    assert_eq!(run.traverse_near(call, rank, 1.0)?, 0);
    let empty =
        Graph::builder().edges([]).vertices(DeclaredVertices::List(Vec::new().into())).build().expect("no edges");
    let mut run = engine().start::<Calls<f32>>(&empty)?;
    run.set_param(Calls::UNTIL, 0)?;
    run.activate_all()?;
    assert_eq!(run.traverse_near(call, rank, 1.0)?, 0);
    assert_eq!(run.global(Calls::WALKED)?, 0);
    Ok(())
}

#[test]
fn a_width_is_a_number_from_zero() -> Result<()> {
    let graph = graph();
    let mut run = engine().start::<Calls<f32>>(&graph)?;
    for (width, text) in [(-1.0, "-1"), (f32::NAN, "NaN")] {
        let error = run.traverse_near(call, rank, width).expect_err("no width").to_string();
        assert!(error.contains(&format!("a width of {text}")) && error.contains("at least 0"), "{error}");
    }
    let mut run = engine().start::<Calls<i64>>(&graph)?;
    let error = run.traverse_near(call, urgency, -3).expect_err("no width").to_string();
    assert!(error.contains("a width of -3"), "{error}");
    Ok(())
}
