//! Kernels that intersect and update a value of each edge: every type and merge, parallel edges and loops.

use super::intersect::{graphs, sets};
use super::{device, engine};
use gts_graph::prelude::*;

#[gts_attributes]
pub struct OfEdges {
    #[wa(per = edge, init = 7, merge = sum)]
    pub support: u32,
    #[wa(per = edge, init = 250, merge = wrapping_sum)]
    pub small: u8,
    #[wa(per = edge, init = 0, merge = wrapping_sum)]
    pub half: u16,
    #[wa(per = edge, init = 5, merge = sum)]
    pub debt: i64,
    #[wa(per = edge, init = 0.5, merge = sum)]
    pub weight: f32,
    #[wa(per = edge, init = 0.0, merge = sum)]
    pub precise: f64,
    #[wa(per = edge, init = UNREACHED, merge = min)]
    pub least: u64,
    #[wa(per = edge, init = -1.0, merge = max)]
    pub most: f32,
    #[wa(per = edge, init = 0, merge = or)]
    pub some: u32,
    #[wa(per = edge, init = UNREACHED, merge = and)]
    pub all: u64,
    #[wa(per = edge, init = false, merge = or)]
    pub met: bool,
    #[wa(init = 0, merge = sum)]
    pub at_u: u64,
    #[param]
    pub owed: i64,
    #[global(merge = sum)]
    pub count: u64,
}

#[gts_kernel(intersect)]
fn tally(o: &mut OfEdges, u: Vertex, v: Vertex, w: Vertex, e: Edge) {
    let number = w.id() as u64;
    o.support[e] += 1;
    o.small[e].fetch_add(1);
    o.half[e] += 300;
    o.debt[e] -= o.owed;
    o.weight[e] += 0.25;
    o.precise[e] += number as f64;
    o.least[e].fetch_min(number);
    o.most[e].fetch_max(number as f32);
    o.some[e] |= 1 << (number as u32 % 32);
    o.all[e] &= !(1u64 << (number as u32 % 64));
    if number % 2 == 1 {
        o.met[e] |= true;
    }
    o.at_u[u] += 1;
    o.count += 1;
}

#[gts_kernel(intersect, ordered)]
fn ascending(o: &mut OfEdges, u: Vertex, v: Vertex, w: Vertex, e: Edge) {
    o.support[e] += 1;
}

#[gts_kernel(intersect)]
fn neighbours(o: &mut OfEdges, u: Vertex, v: Vertex, e: Edge) {
    o.support[e] += 3;
    o.least[e].fetch_min(v.id() as u64);
}

/// The values of one edge.
#[derive(Clone, Debug, PartialEq)]
struct Values {
    support: u32,
    small: u8,
    half: u16,
    debt: i64,
    weight: f32,
    precise: f64,
    least: u64,
    most: f32,
    some: u32,
    all: u64,
    met: bool,
}

const BEGUN: Values = Values {
    support: 7,
    small: 250,
    half: 0,
    debt: 5,
    weight: 0.5,
    precise: 0.0,
    least: u64::MAX,
    most: -1.0,
    some: 0,
    all: u64::MAX,
    met: false,
};

fn taken(run: &mut Run<OfEdges>) -> Vec<Values> {
    let support = run.take_edges(OfEdges::SUPPORT).unwrap();
    let small = run.take_edges(OfEdges::SMALL).unwrap();
    let half = run.take_edges(OfEdges::HALF).unwrap();
    let debt = run.take_edges(OfEdges::DEBT).unwrap();
    let weight = run.take_edges(OfEdges::WEIGHT).unwrap();
    let precise = run.take_edges(OfEdges::PRECISE).unwrap();
    let least = run.take_edges(OfEdges::LEAST).unwrap();
    let most = run.take_edges(OfEdges::MOST).unwrap();
    let some = run.take_edges(OfEdges::SOME).unwrap();
    let all = run.take_edges(OfEdges::ALL).unwrap();
    let met = run.take_edges(OfEdges::MET).unwrap();
    let of_edge = |e: usize| Values {
        support: support[e],
        small: small[e],
        half: half[e],
        debt: debt[e],
        weight: weight[e],
        precise: precise[e],
        least: least[e],
        most: most[e],
        some: some[e],
        all: all[e],
        met: met[e],
    };
    (0..support.len()).map(of_edge).collect()
}

/// Returns the ends of every edge, and whether a pass meets it: whether it is the first between them and no loop.
fn met(graph: &Graph) -> Vec<((u64, u64), bool)> {
    let ends: Vec<(u64, u64)> =
        graph.edges().map(|edge| edge.unwrap()).map(|(src, dst)| (src.dense(), dst.dense())).collect();
    let first = |e: usize| e == 0 || ends[e - 1] != ends[e];
    (0..ends.len()).map(|e| (ends[e], ends[e].0 != ends[e].1 && first(e))).collect()
}

#[test]
fn every_edge_has_what_its_ends_share() {
    for (name, graph, edges) in graphs() {
        let forth = sets(&graph, edges);
        let none = std::collections::BTreeSet::new();
        let mut expected = Vec::new();
        for ((u, v), met) in met(&graph) {
            let mut value = BEGUN;
            let of = |vertex| forth.get(&vertex).unwrap_or(&none);
            for &w in of(u).intersection(of(v)).filter(|_| met) {
                value.support += 1;
                value.small = value.small.wrapping_add(1);
                value.half = value.half.wrapping_add(300);
                value.debt -= 3;
                value.weight += 0.25;
                value.precise += w as f64;
                value.least = value.least.min(w);
                value.most = value.most.max(w as f32);
                value.some |= 1 << (w % 32);
                value.all &= !(1 << (w % 64));
                value.met |= w % 2 == 1;
            }
            expected.push(value);
        }
        let mut run = engine().start::<OfEdges>(&graph).unwrap();
        assert_eq!(taken(&mut run), vec![BEGUN; expected.len()], "before: {name}");
        run.set_param(OfEdges::OWED, 3).unwrap();
        run.intersect(tally).unwrap();
        assert_eq!(taken(&mut run), expected, "{name}");
        let sum: u64 = expected.iter().map(|value| u64::from(value.support - 7)).sum();
        assert_eq!(run.global(OfEdges::COUNT).unwrap(), sum, "{name}");
        assert_eq!(run.take(OfEdges::AT_U).unwrap().iter().sum::<u64>(), sum, "{name}");
    }
}

#[test]
fn values_of_edges_grow_from_pass_to_pass_until_they_are_filled() {
    for (name, graph, _) in graphs() {
        let mut run = engine().start::<OfEdges>(&graph).unwrap();
        run.intersect(neighbours).unwrap();
        run.intersect(neighbours).unwrap();
        let (support, least) = (run.take_edges(OfEdges::SUPPORT).unwrap(), run.take_edges(OfEdges::LEAST).unwrap());
        for (((ends, met), support), least) in met(&graph).into_iter().zip(support).zip(least) {
            let expected = if met { (13, ends.1) } else { (7, u64::MAX) };
            assert_eq!((support, least), expected, "{ends:?}, {name}");
        }
        run.fill_edges(OfEdges::SUPPORT, 40).unwrap();
        assert!(run.take_edges(OfEdges::SUPPORT).unwrap().iter().all(|&support| support == 40), "{name}");
    }
}

#[test]
fn in_order_only_the_edge_between_the_first_two_is_met() {
    let graph = Graph::builder().edges([(0, 1), (1, 2), (2, 0), (2, 3), (3, 3)]).undirected(true).build().unwrap();
    let mut run = engine().start::<OfEdges>(&graph).unwrap();
    run.intersect(ascending).unwrap();
    let support = run.take_edges(OfEdges::SUPPORT).unwrap();
    // Degrees are 2, 2, 3 and 2.
    let of_first = met(&graph).into_iter().map(|(ends, _)| if ends == (0, 1) { 8 } else { 7 });
    assert_eq!(support, of_first.collect::<Vec<u32>>());
}

#[test]
fn values_of_edges_beyond_the_memory_of_a_device_are_refused() {
    if device() == DeviceChoice::Cpu {
        return;
    }
    let graph = Graph::from_edges((0..20_000).map(|e| (e % 100, e / 100))).unwrap();
    let small = Engine::builder().device(device()).device_memory(1 << 20).build().unwrap();
    let error = small.start::<OfEdges>(&graph).unwrap_err();
    assert!(matches!(error, gts_graph::Error::OutOfMemory { .. }), "{error}");
    assert!(error.to_string().contains("`OfEdges`") && format!("{error:?}").contains("`device_memory`"), "{error}");
}

#[test]
fn edges_have_their_values_where_pages_do_not_fit_on_a_device() {
    let edges = (0..8_000u64).map(|e| (super::mixed(2 * e) % 700, super::mixed(2 * e + 1) % 700));
    let hub = (1..700).flat_map(|leaf| [(0, leaf), (leaf, 0)]);
    let graph = Graph::builder().edges(edges.chain(hub)).page_size(1024).build().unwrap();
    let builder = Engine::builder().device(device());
    let ample = support(&builder.clone().build().unwrap(), &graph);
    assert!(ample.iter().any(|&support| support > 7));
    let small = match builder.clone().device_memory(1).build().unwrap().start::<OfEdges>(&graph) {
        // Room for the degrees, which the pass reads at any vertex, but not for the pages.
        Err(gts_graph::Error::OutOfMemory { needed, .. }) => builder.device_memory(needed + (16 << 10)),
        _ => builder,
    };
    assert_eq!(support(&small.build().unwrap(), &graph), ample);
}

fn support(engine: &Engine, graph: &Graph) -> Vec<u32> {
    let mut run = engine.start::<OfEdges>(graph).unwrap();
    run.set_param(OfEdges::OWED, 3).unwrap();
    run.intersect(tally).unwrap();
    run.take_edges(OfEdges::SUPPORT).unwrap()
}

#[gts_attributes]
pub struct Support {
    #[wa(per = edge, init = 0, merge = sum)]
    pub weight: u32,
    #[param]
    pub term: u32,
}

const MEET: u32 = line!() + 3;

#[gts_kernel(intersect)]
fn meet(s: &mut Support, u: Vertex, v: Vertex, w: Vertex, e: Edge) {
    s.weight[e] += s.term;
}

#[test]
fn a_sum_at_an_edge_that_does_not_fit_is_a_fault() -> Result<()> {
    // Each edge is in three triangles.
    let graph = Graph::builder().edges((0..5).flat_map(|u| (0..u).map(move |v| (u, v)))).symmetrise(true).build();
    let graph = graph.expect("sound edges");
    let mut run = engine().start::<Support>(&graph)?;
    run.set_param(Support::TERM, u32::MAX / 3)?;
    run.intersect(meet)?;
    assert!(run.take_edges(Support::WEIGHT)?.iter().all(|&weight| weight == u32::MAX));
    let (what, line, _, _) = super::overflow::fault(run.intersect(meet), MEET);
    assert_eq!((what, line), (gts_contract::ErrorWhat::AdditionOverflow, 1));
    Ok(())
}
