//! Gather kernels: every operator, filters, guards, edge values, both directions, and neighbours' values from before.

use super::{engine, mixed};
use gts_core::build::BuildOptions;
use gts_graph::prelude::*;

#[gts_attributes]
pub struct Reduced {
    #[wa(init = 0, merge = any)]
    pub mark: u32,
    #[wa(init = 0, merge = any)]
    pub sum: u32,
    #[wa(init = 0.0, merge = any)]
    pub share: f32,
    #[wa(init = 0, merge = any)]
    pub least: i64,
    #[wa(init = 0.0, merge = any)]
    pub most: f64,
    #[wa(init = false, merge = any)]
    pub some: bool,
    #[wa(init = false, merge = any)]
    pub every: bool,
    #[wa(init = 0, merge = any)]
    pub count: u64,
    #[wa(init = 0, merge = any)]
    pub first: VertexId,
    #[wa(init = 0, merge = any)]
    pub last: VertexId,
    #[wa(init = 0, merge = any)]
    pub set: u64,
    #[wa(init = 0, merge = any)]
    pub shared: u16,
    #[wa(init = 0, merge = any)]
    pub common: u32,
    #[wa(init = 0, merge = any)]
    pub signed: i32,
    #[wa(init = 0, merge = any)]
    pub vertex: VertexId,
    #[param]
    pub limit: u32,
    #[global(merge = sum)]
    pub visited: u64,
    #[edge(default = 3)]
    pub weight: u32,
}

#[gts_kernel(vertex)]
fn prepare(r: &mut Reduced, v: Vertex) {
    if r.mark[v] % 3 != 0 {
        activate(v);
    }
}

#[gts_kernel(gather)]
fn sum(r: &mut Reduced, v: Vertex) {
    let total = v.neighbors().sum(|dst, e| r.mark[dst] + r.weight[e]);
    r.sum[v] = total;
    r.visited += 1;
}

#[gts_kernel(gather)]
fn share(r: &mut Reduced, v: Vertex) {
    if r.mark[v] % 7 == 6 {
        return;
    }
    let own = r.mark[v];
    let total: f32 = v.neighbors().filter(|dst| r.mark[dst] < own).sum(|dst| 1.0 / (dst.out_degree() + 1) as f32);
    r.share[v] = total + own as f32;
}

#[gts_kernel(gather(in))]
fn extremes(r: &mut Reduced, v: Vertex) {
    let least = v.neighbors().min(|dst| 5 - r.mark[dst] as i64);
    r.least[v] = least;
}

#[gts_kernel(gather(both))]
fn most(r: &mut Reduced, v: Vertex) {
    let most = v.neighbors().max(|dst| r.mark[dst] as f64 * 0.25);
    r.most[v] = most;
}

#[gts_kernel(gather)]
fn some(r: &mut Reduced, v: Vertex) {
    let limit = r.limit;
    let found = v.neighbors().any(|dst| r.mark[dst] < limit);
    r.some[v] = found;
}

#[gts_kernel(gather(both))]
fn every(r: &mut Reduced, v: Vertex) {
    let held = v.neighbors().filter(|dst| r.mark[dst] % 2 == 0).all(|dst| r.mark[dst] >= r.limit);
    r.every[v] = held;
}

#[gts_kernel(gather)]
fn count(r: &mut Reduced, v: Vertex) {
    let count = v.neighbors().count(|dst| r.mark[dst] > r.mark[v]);
    r.count[v] = count;
}

#[gts_kernel(gather)]
fn first(r: &mut Reduced, v: Vertex) {
    let best = v.neighbors().argmin(|dst| r.mark[dst] % 16);
    r.first[v] = best;
}

#[gts_kernel(gather(in))]
fn last(r: &mut Reduced, v: Vertex) {
    let best = v.neighbors().filter(|dst| r.mark[dst] % 5 != 0).argmax(|dst| (r.mark[dst] % 16) as f32);
    r.last[v] = best;
}

#[gts_kernel(gather)]
fn set(r: &mut Reduced, v: Vertex) {
    let bits = v.neighbors().or(|dst| if r.mark[dst] > r.mark[v] { 1u64 << (r.mark[dst] % 64) } else { 0 });
    r.set[v] = bits;
}

#[gts_kernel(gather(in))]
fn shared(r: &mut Reduced, v: Vertex) {
    let bits = v.neighbors().and(|dst| r.mark[dst] as u16);
    r.shared[v] = bits;
}

#[gts_kernel(gather)]
fn common(r: &mut Reduced, v: Vertex) {
    let value = v.neighbors().mode(|dst| r.mark[dst] % 4);
    r.common[v] = value;
}

#[gts_kernel(gather(both))]
fn signed(r: &mut Reduced, v: Vertex) {
    let value = v.neighbors().filter(|dst| r.mark[dst] % 5 != 0).mode(|dst| (r.mark[dst] % 6) as i32 - 3);
    r.signed[v] = value;
}

#[gts_kernel(gather(in))]
fn vertex(r: &mut Reduced, v: Vertex) {
    if r.mark[v] % 9 == 1 {
        return;
    }
    let value = v.neighbors().mode(|dst| dst.id());
    r.vertex[v] = value;
}

/// Each vertex takes the sum of its neighbours' marks from before the pass.
#[gts_kernel(gather)]
fn shift(r: &mut Reduced, v: Vertex) {
    let total = v.neighbors().sum(|dst| r.mark[dst]);
    r.mark[v] = total;
    activate(v);
}

/// Expected results of the kernels, by plain lists.
struct Lists {
    outward: Vec<Vec<(usize, u32)>>,
    inward: Vec<Vec<(usize, u32)>>,
}

impl Lists {
    fn of(graph: &Graph) -> Self {
        let vertices = graph.num_vertices() as usize;
        let mut lists = Self { outward: vec![Vec::new(); vertices], inward: vec![Vec::new(); vertices] };
        let weighted: Vec<(Vertex, Vertex, u32)> = match graph.weighted_edges::<u32>() {
            Some(edges) => edges.collect::<std::result::Result<_, _>>().expect("pages in memory"),
            None => graph.edges().map(|edge| edge.map(|(u, v)| (u, v, 3)).expect("pages in memory")).collect(),
        };
        for (u, v, weight) in weighted {
            lists.outward[u.index()].push((v.index(), weight));
            lists.inward[v.index()].push((u.index(), weight));
        }
        lists
    }

    fn both(&self, v: usize) -> impl Iterator<Item = usize> + '_ {
        self.outward[v].iter().chain(&self.inward[v]).map(|edge| edge.0)
    }
}

/// Returns the most frequent value; the smallest in case of a tie.
fn mode<T: Ord + Copy>(values: impl Iterator<Item = T>) -> Option<T> {
    let mut counts = std::collections::BTreeMap::<T, u32>::new();
    values.for_each(|value| *counts.entry(value).or_default() += 1);
    let most = counts.values().copied().max()?;
    counts.into_iter().find(|&(_, count)| count == most).map(|(value, _)| value)
}

fn run(spec: &str, page_size: u32, active_only: bool) -> Result<()> {
    let options = BuildOptions { page_size: Some(page_size), in_edges: true, ..BuildOptions::default() };
    let graph = Graph::reader(spec).options(options).read().expect("a graph");
    let lists = Lists::of(&graph);
    let vertices = graph.num_vertices() as usize;
    let marks: Vec<u32> = (0..graph.num_vertices()).map(|v| mixed(v) as u32 % 1000).collect();
    let mark = |v: usize| marks[v];

    let mut run = engine().start::<Reduced>(&graph)?;
    run.set_dense(Reduced::MARK, &marks)?;
    run.set_param(Reduced::LIMIT, 100)?;
    run.apply(prepare)?;
    let chosen = |v: usize| !active_only || !mark(v).is_multiple_of(3);
    macro_rules! gather {
        ($kernel:ident) => {
            if active_only { run.gather_active($kernel)? } else { run.gather($kernel)? }
        };
    }
    macro_rules! expect {
        ($kernel:ident, $attribute:ident, $initial:expr, |$v:ident| $value:expr) => {{
            gather!($kernel);
            let found = run.take_dense(Reduced::$attribute)?;
            for $v in 0..vertices {
                let expected = if chosen($v) { $value } else { $initial };
                assert_eq!(found[$v], expected, "{spec}: {} of {}", stringify!($kernel), $v);
            }
        }};
    }
    let outward = |v: usize| lists.outward[v].iter();
    let inward = |v: usize| lists.inward[v].iter().map(|edge| edge.0);
    expect!(sum, SUM, 0, |v| outward(v)
        .fold(0u32, |sum, &(dst, weight)| sum.wrapping_add(mark(dst).wrapping_add(weight))));
    assert_eq!(run.global(Reduced::VISITED)?, (0..vertices).filter(|&v| chosen(v)).count() as u64);
    expect!(extremes, LEAST, 0, |v| inward(v).map(|dst| 5 - i64::from(mark(dst))).min().unwrap_or(i64::MAX));
    expect!(most, MOST, 0.0, |v| lists
        .both(v)
        .map(|dst| f64::from(mark(dst)) * 0.25)
        .fold(f64::NEG_INFINITY, f64::max));
    expect!(some, SOME, false, |v| outward(v).any(|&(dst, _)| mark(dst) < 100));
    expect!(every, EVERY, false, |v| lists.both(v).filter(|&dst| mark(dst) % 2 == 0).all(|dst| mark(dst) >= 100));
    expect!(count, COUNT, 0, |v| outward(v).filter(|&&(dst, _)| mark(dst) > mark(v)).count() as u64);
    let number = |found: Option<usize>| VertexId::from_bits(found.map_or(u64::MAX, |v| v as u64));
    expect!(first, FIRST, VertexId::from_bits(0), |v| number(
        outward(v).map(|edge| edge.0).min_by_key(|&dst| (mark(dst) % 16, dst))
    ));
    expect!(last, LAST, VertexId::from_bits(0), |v| number(
        inward(v).filter(|&dst| mark(dst) % 5 != 0).min_by_key(|&dst| (std::cmp::Reverse(mark(dst) % 16), dst))
    ));
    expect!(set, SET, 0, |v| outward(v)
        .filter(|edge| mark(edge.0) > mark(v))
        .fold(0, |bits, edge| bits | 1u64 << (mark(edge.0) % 64)));
    expect!(shared, SHARED, 0, |v| inward(v).fold(u16::MAX, |bits, dst| bits & mark(dst) as u16));
    expect!(common, COMMON, 0, |v| mode(outward(v).map(|&(dst, _)| mark(dst) % 4)).unwrap_or(u32::MAX));
    expect!(signed, SIGNED, 0, |v| mode(
        lists.both(v).filter(|&dst| mark(dst) % 5 != 0).map(|dst| (mark(dst) % 6) as i32 - 3)
    )
    .unwrap_or(i32::MAX));
    expect!(vertex, VERTEX, VertexId::from_bits(0), |v| if mark(v) % 9 == 1 {
        VertexId::from_bits(0)
    } else {
        number(mode(inward(v)))
    });

    gather!(share);
    let shares = run.take_dense(Reduced::SHARE)?;
    for v in (0..vertices).filter(|&v| chosen(v) && mark(v) % 7 != 6) {
        let smaller = outward(v).map(|edge| edge.0).filter(|&dst| mark(dst) < mark(v));
        let expected = smaller.map(|dst| 1.0 / (lists.outward[dst].len() + 1) as f32).sum::<f32>() + mark(v) as f32;
        assert!((shares[v] - expected).abs() <= 1e-4 * expected, "{spec}: share of {v}: {} {expected}", shares[v]);
    }

    expect!(shift, MARK, marks[v], |v| outward(v).fold(0u32, |sum, &(dst, _)| sum.wrapping_add(mark(dst))));
    assert_eq!(run.frontier_size()?, (0..vertices).filter(|&v| chosen(v)).count() as u64);
    Ok(())
}

const SPECS: [&str; 5] =
    ["rmat:9,edge-factor=8,seed=5,weights=u32", "star:3000", "chain:300", "complete:90", "uniform:8,seed=2"];

#[test]
fn every_operator_reduces_the_neighbours_of_every_vertex() -> Result<()> {
    SPECS.into_iter().try_for_each(|spec| run(spec, 256, false))
}

#[test]
fn every_operator_reduces_the_neighbours_of_active_vertices() -> Result<()> {
    SPECS.into_iter().try_for_each(|spec| run(spec, 512, true))
}

/// As [`Reduced`], for two types.
#[gts_attributes(T = f32 | u64)]
pub struct Totals<T> {
    #[wa(init = 1, merge = sum)]
    pub degree: u32,
    #[wa(init = UNREACHED, merge = min)]
    pub total: T,
}

/// The whole list of each vertex, by its length.
#[gts_kernel(gather, technique = edge8)]
fn total<T>(t: &mut Totals<T>, v: Vertex) {
    let one = 1 as T;
    let total = v.neighbors().sum(|_| one);
    t.total[v] = total;
    t.degree[v] = 7;
}

#[test]
fn a_gather_is_generic_over_its_structs_type() -> Result<()> {
    let graph = Graph::from_edges([(0, 1), (0, 2), (2, 1)]).expect("sound edges");
    let mut floats = engine().start::<Totals<f32>>(&graph)?;
    floats.gather(total)?;
    assert_eq!(floats.take(Totals::TOTAL)?, [2.0, 0.0, 1.0]);
    let mut integers = engine().start::<Totals<u64>>(&graph)?;
    integers.gather(total)?;
    assert_eq!((integers.take(Totals::TOTAL)?, integers.take(Totals::<u64>::DEGREE)?), (vec![2, 0, 1], vec![7; 3]));
    Ok(())
}
