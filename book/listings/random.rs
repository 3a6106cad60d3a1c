//! Random numbers in kernels: the program of the book's chapter on them.

// ANCHOR: names
use gts_graph::prelude::*;
// ANCHOR_END: names

// ANCHOR: attributes
/// How far a rumour has come.
#[gts_attributes]
pub struct Rumour {
    /// The step in which the vertex heard it, or `UNREACHED`.
    #[wa(init = UNREACHED, merge = min)]
    pub heard: u32,
    /// The chance that an edge hands it on.
    #[param]
    pub chance: f32,
}
// ANCHOR_END: attributes

// ANCHOR: kernel
#[gts_kernel(traverse)]
fn tell(rumour: &mut Rumour, src: Vertex, dst: Vertex, e: Edge) {
    if rumour.heard[dst] == UNREACHED && random_f32(e, 0) < rumour.chance {
        rumour.heard[dst] = step() + 1;
        activate(dst);
    }
}
// ANCHOR_END: kernel

// ANCHOR: driver
/// When each vertex hears what `source` has to tell, in the order of the vertices' IDs.
fn spread(engine: &Engine, graph: &Graph, source: u64, chance: f32) -> Result<Vec<u32>> {
    let source = graph.vertex(source)?;
    let mut run = engine.start::<Rumour>(graph)?;
    run.set_param(Rumour::CHANCE, chance)?;
    run.set(Rumour::HEARD, source, 0)?;
    run.activate(source)?;
    run.traverse(tell)?;
    run.take(Rumour::HEARD)
}
// ANCHOR_END: driver

// ANCHOR: test
#[test]
fn the_seed_decides() -> Result<(), Box<dyn std::error::Error>> {
    let graph = Graph::from_edges((0..1000u64).flat_map(|v| [(v, (v + 1) % 1000), (v, (v * 7) % 1000)]))?;
    let heard =
        |seed, chance| spread(&Engine::builder().device(DeviceChoice::Cpu).seed(seed).build()?, &graph, 1, chance);
    assert_eq!(heard(3, 0.7)?, heard(3, 0.7)?);
    assert_ne!(heard(3, 0.7)?, heard(4, 0.7)?);
    let reached = |heard: Vec<u32>| heard.iter().filter(|step| **step != u32::MAX).count();
    assert_eq!([reached(heard(3, 0.0)?), reached(heard(3, 1.0)?)], [1, 1000]);
    Ok(())
}
// ANCHOR_END: test

// ANCHOR: formula
fn bits(seed: u64, step: u32, runs: u32, v: u64, draw: u64) -> u64 {
    let mut state = 0;
    for number in [seed, u64::from(runs) << 32 | u64::from(step), v, u64::MAX, draw] {
        let z = (state ^ number).wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        state = z ^ (z >> 31);
    }
    state
}
// ANCHOR_END: formula

/// Numbers drawn for each vertex.
#[gts_attributes]
pub struct Drawn {
    /// Random bits.
    #[wa(init = 0, merge = any)]
    pub bits: u64,
    /// A number from 0 to below 1.
    #[wa(init = 0.0, merge = any)]
    pub chance: f32,
    /// A number from 0 to 5.
    #[wa(init = 0, merge = any)]
    pub die: u64,
}

#[gts_kernel(vertex)]
fn draw(drawn: &mut Drawn, v: Vertex) {
    drawn.bits[v] = random(v, 0);
    drawn.chance[v] = random_f32(v, 1);
    drawn.die[v] = random_below(v, 2, 6);
}

#[test]
fn the_formula_gives_the_numbers_of_a_kernel() -> Result<(), Box<dyn std::error::Error>> {
    let graph = Graph::from_edges((0..50u64).map(|v| (v, (v + 1) % 50)))?;
    let mut run = Engine::builder().device(DeviceChoice::Cpu).seed(7).build()?.start::<Drawn>(&graph)?;
    run.set_step(2);
    for runs in 0..3 {
        run.apply(draw)?;
        let (found, chances, dice) =
            (run.take_dense(Drawn::BITS)?, run.take_dense(Drawn::CHANCE)?, run.take_dense(Drawn::DIE)?);
        for v in 0..50 {
            let expected = |draw| bits(7, 2, runs, v, draw);
            let (chance, die) = ((expected(1) >> 40) as f32 / 16_777_216.0, (u128::from(expected(2)) * 6) >> 64);
            assert_eq!((found[v as usize], chances[v as usize]), (expected(0), chance));
            assert_eq!(u128::from(dice[v as usize]), die);
        }
    }
    Ok(())
}
