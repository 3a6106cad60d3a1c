//! Solution: the numbers of a kernel, computed without GTS.

use gts_graph::prelude::*;

/// Returns the bits of `random` for a key, which is a pair of numbers.
pub(super) fn bits(seed: u64, step: u32, runs: u32, key: (u64, u64), draw: u64) -> u64 {
    let mut state = 0;
    for number in [seed, u64::from(runs) << 32 | u64::from(step), key.0, key.1, draw] {
        let z = (state ^ number).wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        state = z ^ (z >> 31);
    }
    state
}

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
        let found = run.take_dense(Drawn::BITS)?;
        let (chances, dice) = (run.take_dense(Drawn::CHANCE)?, run.take_dense(Drawn::DIE)?);
        for v in 0..50 {
            let expected = |draw| bits(7, 2, runs, (v, u64::MAX), draw);
            let (chance, die) = ((expected(1) >> 40) as f32 / 16_777_216.0, (u128::from(expected(2)) * 6) >> 64);
            assert_eq!((found[v as usize], chances[v as usize]), (expected(0), chance));
            assert_eq!(u128::from(dice[v as usize]), die);
        }
    }
    Ok(())
}
