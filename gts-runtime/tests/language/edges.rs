//! Edge kernels: directions, edge values, every atomic operation, frontiers.

use super::engine;
use gts_core::build::BuildOptions;
use gts_graph::prelude::*;

/// Returns a weighted graph with in-edges, small pages and large ones.
fn graph() -> Graph {
    let options = BuildOptions { page_size: Some(512), in_edges: true, ..BuildOptions::default() };
    Graph::reader("rmat:10,edge-factor=8,seed=3,weights=u32").options(options).read().expect("a graph")
}

#[gts_attributes]
pub struct Merges {
    #[wa(init = 10, merge = sum)]
    pub weights: u64,
    #[wa(init = 0, merge = wrapping_sum)]
    pub bytes: u8,
    #[wa(init = 0, merge = wrapping_sum)]
    pub shorts: u16,
    #[wa(init = 0.0, merge = sum)]
    pub fractions: f64,
    #[wa(init = UNREACHED, merge = min)]
    pub least: u32,
    #[wa(init = UNREACHED, merge = min)]
    pub nearest: f32,
    #[wa(init = -1, merge = max)]
    pub most: i64,
    #[wa(init = 0, merge = or)]
    pub any_bits: u32,
    #[wa(init = 0xffff_ffff, merge = and)]
    pub all_bits: u32,
    #[wa(init = false, merge = or)]
    pub heavy: bool,
    #[wa(init = 0, merge = sum)]
    pub classes: [u32; 4],
    #[edge]
    pub weight: u32,
    #[global(merge = sum)]
    pub edges: u64,
}

#[gts_kernel(scan)]
fn merges(m: &mut Merges, src: Vertex, dst: Vertex, e: Edge) {
    let w = m.weight[e];
    m.weights[dst] += w as u64;
    m.bytes[dst] += w as u8;
    m.shorts[dst].fetch_add(w as u16);
    m.fractions[dst] += 0.5;
    m.least[dst].fetch_min(w);
    m.nearest[dst].fetch_min(w as f32 * 0.25);
    m.most[dst].fetch_max(src.id() as i64);
    m.any_bits[dst].fetch_or(1 << (w % 32));
    m.all_bits[dst].fetch_and(w);
    if w > 1000 && src.out_degree() > 2 {
        m.heavy[dst].fetch_or(true);
    }
    m.classes[dst][w % 4] += 1;
    m.edges += 1;
}

#[gts_kernel(scan(in))]
fn merges_in(m: &mut Merges, src: Vertex, dst: Vertex, e: Edge) {
    m.weights[dst] += m.weight[e] as u64;
    m.edges += 1;
}

#[gts_kernel(scan(both))]
fn merges_both(m: &mut Merges, src: Vertex, dst: Vertex) {
    m.classes[dst][0] += 1;
    m.edges += 1;
}

#[test]
fn every_merge_agrees_with_a_loop_over_the_edges() -> Result<()> {
    let graph = graph();
    let n = graph.num_vertices() as usize;
    let edges: Vec<(Vertex, Vertex, u32)> =
        graph.weighted_edges::<u32>().expect("weights").collect::<std::result::Result<_, _>>()?;
    let mut run = engine().start::<Merges>(&graph)?;
    run.scan(merges)?;
    assert_eq!(run.global(Merges::EDGES)?, graph.num_edges());

    let mut weights = vec![10u64; n];
    let (mut bytes, mut shorts, mut fractions) = (vec![0u8; n], vec![0u16; n], vec![0.0f64; n]);
    let (mut least, mut nearest, mut most) = (vec![u32::MAX; n], vec![f32::INFINITY; n], vec![-1i64; n]);
    let (mut any_bits, mut all_bits, mut heavy) = (vec![0u32; n], vec![u32::MAX; n], vec![false; n]);
    let mut classes = vec![[0u32; 4]; n];
    for &(src, dst, w) in &edges {
        let d = dst.index();
        weights[d] += u64::from(w);
        bytes[d] = bytes[d].wrapping_add(w as u8);
        shorts[d] = shorts[d].wrapping_add(w as u16);
        fractions[d] += 0.5;
        least[d] = least[d].min(w);
        nearest[d] = nearest[d].min(w as f32 * 0.25);
        most[d] = most[d].max(src.dense() as i64);
        any_bits[d] |= 1 << (w % 32);
        all_bits[d] &= w;
        heavy[d] |= w > 1000 && graph.out_degrees()[src.index()] > 2;
        classes[d][(w % 4) as usize] += 1;
    }
    assert_eq!(run.take_dense(Merges::WEIGHTS)?, weights);
    assert_eq!(run.take_dense(Merges::BYTES)?, bytes);
    assert_eq!(run.take_dense(Merges::SHORTS)?, shorts);
    assert_eq!(run.take_dense(Merges::FRACTIONS)?, fractions);
    assert_eq!(run.take_dense(Merges::LEAST)?, least);
    assert_eq!(run.take_dense(Merges::NEAREST)?, nearest);
    assert_eq!(run.take_dense(Merges::MOST)?, most);
    assert_eq!(run.take_dense(Merges::ANY_BITS)?, any_bits);
    assert_eq!(run.take_dense(Merges::ALL_BITS)?, all_bits);
    assert_eq!(run.take_dense(Merges::HEAVY)?, heavy);
    assert_eq!(run.take_dense(Merges::CLASSES)?, classes);
    Ok(())
}

#[test]
fn directions_walk_the_edges_they_name() -> Result<()> {
    let graph = graph();
    let n = graph.num_vertices() as usize;
    let edges: Vec<(Vertex, Vertex, u32)> =
        graph.weighted_edges::<u32>().expect("weights").collect::<std::result::Result<_, _>>()?;
    let mut run = engine().start::<Merges>(&graph)?;
    run.scan(merges_in)?;
    let mut weights = vec![10u64; n];
    edges.iter().for_each(|&(src, _, w)| weights[src.index()] += u64::from(w));
    assert_eq!(run.take_dense(Merges::WEIGHTS)?, weights);

    run.scan(merges_both)?;
    assert_eq!(run.global(Merges::EDGES)?, 2 * graph.num_edges());
    let mut ends = vec![0u32; n];
    edges.iter().for_each(|&(src, dst, _)| [src, dst].into_iter().for_each(|v| ends[v.index()] += 1));
    let found: Vec<u32> = run.take_dense(Merges::CLASSES)?.into_iter().map(|classes| classes[0]).collect();
    assert_eq!(found, ends);
    Ok(())
}

#[gts_attributes]
pub struct Visits {
    #[wa(init = UNREACHED, merge = min)]
    pub level: u16,
    #[wa(init = UNREACHED, merge = any)]
    pub parent: VertexId,
    #[wa(init = 0, merge = any)]
    pub claims: u32,
    #[wa(init = 0, merge = any)]
    pub swapped: u64,
}

#[gts_kernel(traverse)]
fn visit(a: &mut Visits, src: Vertex, dst: Vertex) {
    if a.level[dst] == UNREACHED {
        a.level[dst] = step() as u16 + 1;
        a.parent[dst] = src.id();
        activate(dst);
    }
}

#[gts_kernel(traverse(in), racy)]
fn claim(a: &mut Visits, src: Vertex, dst: Vertex) {
    if a.claims[dst].compare_exchange(0, src.id() as u32 + 1) == 0 {
        activate(dst);
    }
    a.swapped[dst].swap(num_vertices() + num_edges());
}

#[test]
fn traversals_visit_what_is_active() -> Result<()> {
    let graph = graph();
    let n = graph.num_vertices() as usize;
    let root = Vertex::from_dense(0);
    let mut run = engine().start::<Visits>(&graph)?;
    run.set(Visits::LEVEL, root, 0)?;
    run.activate(root)?;
    assert_eq!(run.frontier_size()?, 1);
    let first = run.advance(visit)?;
    let neighbours: std::collections::BTreeSet<Vertex> = graph
        .edges()
        .map(std::result::Result::unwrap)
        .filter(|&(src, dst)| src == root && dst != root)
        .map(|(_, dst)| dst)
        .collect();
    assert_eq!(first, neighbours.len() as u64);
    run.set_step(1);
    run.traverse(visit)?;

    let mut level = vec![u16::MAX; n];
    level[0] = 0;
    for step in 0.. {
        let mut changed = false;
        for (src, dst) in graph.edges().map(std::result::Result::unwrap) {
            if level[src.index()] == step && level[dst.index()] == u16::MAX {
                level[dst.index()] = step + 1;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    assert_eq!(run.take_dense(Visits::LEVEL)?, level);
    let edges: std::collections::HashSet<(Vertex, Vertex)> = graph.edges().collect::<std::result::Result<_, _>>()?;
    for (v, parent) in run.take_dense(Visits::PARENT)?.into_iter().enumerate() {
        let reached = level[v] != u16::MAX && level[v] != 0;
        assert_eq!(parent != VertexId::UNREACHED, reached, "vertex {v}");
        if reached {
            assert!(edges.contains(&(Vertex::try_from(parent).unwrap(), Vertex::from_dense(v as u64))));
            assert_eq!(level[parent.to_bits() as usize] + 1, level[v]);
        }
    }

    run.activate(root)?;
    run.traverse(claim)?;
    let claims = run.take_dense(Visits::CLAIMS)?;
    let swapped = run.take_dense(Visits::SWAPPED)?;
    for v in 0..n {
        if claims[v] != 0 {
            assert!(
                edges.contains(&(Vertex::from_dense(v as u64), Vertex::from_dense(u64::from(claims[v] - 1)))),
                "an in-neighbour claims"
            );
            assert_eq!(swapped[v], graph.num_vertices() + graph.num_edges());
        }
    }
    Ok(())
}

#[gts_attributes]
pub struct Defaults {
    #[wa(init = 0, merge = sum)]
    pub sum: u32,
    #[edge(default = 3)]
    pub weight: u32,
}

#[gts_kernel(scan)]
fn add(d: &mut Defaults, src: Vertex, dst: Vertex, e: Edge) {
    d.sum[dst] += d.weight[e];
}

#[gts_attributes]
pub struct Distances {
    #[wa(init = 0, merge = sum)]
    pub sum: u32,
    #[edge]
    pub length: f32,
}

#[test]
fn the_default_that_is_advised_has_the_type_of_the_values() -> Result<()> {
    let graph = Graph::from_edges([(0, 1)]).expect("sound edges");
    let error = format!("{:?}", engine().start::<Distances>(&graph).unwrap_err());
    assert!(error.contains("#[edge(default = 1.0)]"), "{error}");
    let error = format!("{:?}", engine().start::<Merges>(&graph).unwrap_err());
    assert!(error.contains("#[edge(default = 1)]"), "{error}");
    Ok(())
}

#[test]
fn an_unweighted_graph_has_the_default_value() -> Result<()> {
    let graph = Graph::from_edges([(0, 1), (2, 1), (1, 0)]).expect("sound edges");
    let mut run = engine().start::<Defaults>(&graph)?;
    run.scan(add)?;
    assert_eq!(run.take(Defaults::SUM)?, [3, 6, 0]);
    let error = format!("{:?}", engine().start::<Merges>(&graph).unwrap_err());
    assert!(error.contains("Merges.weight") && error.contains("type u32"), "{error}");
    Ok(())
}
