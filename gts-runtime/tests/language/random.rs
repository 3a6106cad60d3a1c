//! Random numbers are a function of seed, step, earlier runs in the step, key and draw: the same bits on every device
//! and in every order of pages.

use super::{device, isolated};
use gts_graph::contract::Technique;
use gts_graph::prelude::*;

/// Returns the output of SplitMix64, as its authors publish it, for a state before its increment.
fn split_mix(state: u64) -> u64 {
    let mut z = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

fn expected(seed: u64, step: u32, key: [u64; 2], draw: u64) -> u64 {
    expected_in(seed, (step, 0), key, draw)
}

/// Returns the number that a kernel draws in a step in which it has already run `runs` times.
fn expected_in(seed: u64, (step, runs): (u32, u32), key: [u64; 2], draw: u64) -> u64 {
    let pass = u64::from(runs) << 32 | u64::from(step);
    [seed, pass, key[0], key[1], draw].into_iter().fold(0, |state, number| split_mix(state ^ number))
}

fn engine(seed: u64) -> Engine {
    Engine::builder().device(device()).seed(seed).build().expect("the device works")
}

#[gts_attributes]
pub struct Drawn {
    #[wa(init = 0, merge = any)]
    pub bits: [u64; 4],
    #[wa(init = 0.0, merge = any)]
    pub single: f32,
    #[wa(init = 0.0, merge = any)]
    pub double: f64,
    #[wa(init = 0, merge = any)]
    pub below: [u64; 3],
    #[wa(init = 0, merge = wrapping_sum)]
    pub edges: u64,
}

#[gts_kernel(vertex)]
fn draw(a: &mut Drawn, v: Vertex) {
    a.bits[v][0] = random(v, 0);
    a.bits[v][1] = random(v, 1);
    a.bits[v][2] = random(v.id(), 0);
    a.bits[v][3] = random(7, v.out_degree() as u32);
    a.single[v] = random_f32(v, 2);
    a.double[v] = random_f64(v, 2);
    a.below[v][0] = random_below(v, 3, 10);
    a.below[v][1] = random_below(v, 4, u64::MAX);
    a.below[v][2] = random_below(v, 5, 0);
}

#[gts_kernel(scan)]
fn draw_edges(a: &mut Drawn, src: Vertex, dst: Vertex, e: Edge) {
    a.edges[dst] += random(e, 1) ^ random(src, 0);
}

#[test]
fn draws_are_those_of_the_published_function() -> Result<()> {
    const VERTICES: u64 = 300;
    let mut run = engine(99).start::<Drawn>(&isolated(VERTICES))?;
    run.set_step(5);
    run.apply(draw)?;
    let (bits, below) = (run.take(Drawn::BITS)?, run.take(Drawn::BELOW)?);
    let (single, double) = (run.take(Drawn::SINGLE)?, run.take(Drawn::DOUBLE)?);
    for v in 0..VERTICES {
        let of_vertex = |draw| expected(99, 5, [v, u64::MAX], draw);
        let at = v as usize;
        assert_eq!(bits[at], [of_vertex(0), of_vertex(1), of_vertex(0), expected(99, 5, [7, u64::MAX - 1], 1)]);
        assert_eq!(single[at], (of_vertex(2) >> 40) as f32 / 16_777_216.0);
        assert_eq!(double[at], (of_vertex(2) >> 11) as f64 / 9_007_199_254_740_992.0);
        let scaled = |bits: u64, bound: u64| (u128::from(bits) * u128::from(bound) / (1 << 64)) as u64;
        assert_eq!(below[at], [scaled(of_vertex(3), 10), scaled(of_vertex(4), u64::MAX), 0]);
    }
    Ok(())
}

#[test]
fn seeds_and_steps_give_other_numbers() -> Result<()> {
    let graph = isolated(50);
    let mut run = engine(1).start::<Drawn>(&graph)?;
    let mut seen = std::collections::HashSet::new();
    for (seed, step) in [(1, 0), (1, 1), (2, 0), (2, 1)] {
        run.set_seed(seed);
        run.set_step(step);
        run.apply(draw)?;
        seen.extend(run.take(Drawn::BITS)?.into_iter().flat_map(|bits| [bits[0], bits[1]]));
    }
    assert_eq!(seen.len(), 4 * 50 * 2);
    Ok(())
}

#[test]
fn pages_and_techniques_do_not_matter() -> Result<()> {
    let edges: Vec<(u64, u64)> = (0..2000u64).map(|i| (i * i % 97 * (i % 3 / 2), i * 31 % 97)).collect();
    let mut sums = vec![0u64; 97];
    for &(src, dst) in &edges {
        let of_edge = expected(3, 0, [src, dst], 1);
        sums[dst as usize] = sums[dst as usize].wrapping_add(of_edge ^ expected(3, 0, [src, u64::MAX], 0));
    }
    for page_size in [256, 4096, 65536] {
        let chain = (0..97).map(|v| (v, v));
        let graph = Graph::builder().edges(edges.iter().copied().chain(chain)).page_size(page_size).build();
        let graph = graph.expect("sound edges");
        let mut with_loops = sums.clone();
        for v in 0..97 {
            let more = expected(3, 0, [v, v], 1) ^ expected(3, 0, [v, u64::MAX], 0);
            with_loops[v as usize] = with_loops[v as usize].wrapping_add(more);
        }
        for technique in Technique::ALL {
            let builder = Engine::builder().device(device()).seed(3).technique(Some(technique));
            let mut run = builder.build()?.start::<Drawn>(&graph)?;
            run.scan(draw_edges)?;
            let dense: Vec<u64> = run.take_dense(Drawn::EDGES)?;
            // Keys are dense numbers, which are the IDs here.
            assert_eq!(dense, with_loops, "{page_size} {technique}");
        }
    }
    Ok(())
}

#[gts_attributes]
pub struct Repeated {
    #[wa(init = 0, merge = any)]
    pub bits: u64,
    #[wa(init = 0, merge = wrapping_sum)]
    pub sum: u64,
    #[wa(init = UNREACHED, merge = min)]
    pub level: u32,
}

#[gts_kernel(vertex)]
fn once(r: &mut Repeated, v: Vertex) {
    r.bits[v] = random(v, 0);
}

#[gts_kernel(vertex)]
fn other(r: &mut Repeated, v: Vertex) {
    r.bits[v] = random(v, 0);
}

#[gts_kernel(scan)]
fn along(r: &mut Repeated, src: Vertex, dst: Vertex) {
    r.sum[dst] += random(src, 0);
}

#[gts_kernel(gather)]
fn around(r: &mut Repeated, v: Vertex) {
    let sum = v.neighbors().sum(|dst| random(dst, 0));
    r.sum[v] = sum;
    r.bits[v] = random(v, 0);
}

#[gts_kernel(traverse)]
fn walk(r: &mut Repeated, src: Vertex, dst: Vertex) {
    r.sum[dst] += random(src, 0);
    if step() < 4 {
        activate(dst);
    }
}

#[gts_kernel(traverse)]
fn relax(r: &mut Repeated, src: Vertex, dst: Vertex) {
    let further = r.level[src] + 1;
    if r.level[dst].fetch_min(further) > further {
        activate(dst);
    }
}

#[gts_kernel(priority)]
fn by_chance(r: &mut Repeated, v: Vertex) -> u64 {
    random_below(v, 0, 3)
}

/// The bits of vertex `v` in a pass.
fn of_vertex(pass: (u32, u32), v: u64) -> u64 {
    expected_in(7, pass, [v, u64::MAX], 0)
}

fn bits(run: &mut Run<Repeated>) -> Result<u64> {
    run.get(Repeated::BITS, Vertex::from_dense(3))
}

#[test]
fn a_kernel_that_runs_again_in_a_step_draws_other_numbers() -> Result<()> {
    let mut run = engine(7).start::<Repeated>(&isolated(5))?;
    for runs in 0..3 {
        run.apply(once)?;
        assert_eq!(bits(&mut run)?, of_vertex((0, runs), 3));
    }
    run.apply(other)?;
    assert_eq!(bits(&mut run)?, of_vertex((0, 0), 3), "each kernel has its own count");
    run.activate_all()?;
    run.apply_active(once)?;
    assert_eq!(bits(&mut run)?, of_vertex((0, 3), 3), "passes over active vertices count, too");
    for runs in 0..2 {
        run.gather(around)?;
        let found = (run.get(Repeated::SUM, Vertex::from_dense(3))?, bits(&mut run)?);
        assert_eq!(found, (of_vertex((0, runs), 3), of_vertex((0, runs), 3)), "a gather runs once");
    }
    let mut sum = of_vertex((0, 1), 3);
    for runs in 0..4 {
        // A scan of a part of each list is a run.
        if runs % 2 == 0 {
            run.scan(along)?
        } else {
            run.neighbors(..1).scan(along)?
        }
        sum = sum.wrapping_add(of_vertex((0, runs), 3));
        assert_eq!(run.get(Repeated::SUM, Vertex::from_dense(3))?, sum);
    }
    run.set_step(0);
    run.apply(once)?;
    assert_eq!(bits(&mut run)?, of_vertex((0, 0), 3), "setting the step begins again");
    run.set_seed(8);
    run.set_step(0);
    run.apply(once)?;
    assert_eq!(bits(&mut run)?, expected_in(8, (0, 0), [3, u64::MAX], 0));
    Ok(())
}

#[test]
fn steps_count_the_runs_of_all_traversals() -> Result<()> {
    let mut run = engine(7).start::<Repeated>(&isolated(5))?;
    let mut sum = 0u64;
    let mut check = |run: &mut Run<Repeated>, passes: &[(u32, u32)], what: &str| {
        sum = passes.iter().fold(sum, |sum, &pass| sum.wrapping_add(of_vertex(pass, 3)));
        assert_eq!(run.get(Repeated::SUM, Vertex::from_dense(3))?, sum, "{what}");
        Ok::<_, Error>(())
    };
    run.activate_all()?;
    run.traverse(walk)?;
    check(&mut run, &[(0, 0), (1, 0), (2, 0), (3, 0), (4, 0)], "a traversal runs once a step")?;
    for step in 0..3 {
        run.activate_all()?;
        run.advance(walk)?;
        check(&mut run, &[(step, 1)], "a second time in each step")?;
    }
    run.activate_all()?;
    run.traverse(walk)?;
    check(&mut run, &[(3, 1), (4, 1)], "from the step of the last advance")?;
    run.activate_all()?;
    run.traverse_near(walk, by_chance, 3)?;
    check(&mut run, &[(0, 2), (1, 2), (2, 2), (3, 2), (4, 2)], "a traversal by priority")?;
    run.set_step(3);
    run.activate_all()?;
    run.traverse(walk)?;
    check(&mut run, &[(3, 0), (4, 0)], "setting the step begins again")
}

#[test]
fn a_random_priority_does_not_lose_vertices() -> Result<()> {
    let ring = Graph::from_edges((0..50u64).flat_map(|v| [(v, (v + 1) % 50), (v, (v + 7) % 50)])).expect("sound edges");
    let source = ring.vertex(0)?;
    let mut run = engine(7).start::<Repeated>(&ring)?;
    let mut level = |near: bool| {
        run.fill(Repeated::LEVEL, u32::MAX)?;
        run.set(Repeated::LEVEL, source, 0)?;
        run.activate(source)?;
        if near {
            run.traverse_near(relax, by_chance, 0)?
        } else {
            run.traverse(relax)?
        };
        run.take(Repeated::LEVEL)
    };
    let expected = level(false)?;
    for _ in 0..5 {
        assert_eq!(level(true)?, expected);
    }
    Ok(())
}
