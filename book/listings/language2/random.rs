//! Random numbers in kernels.

// ANCHOR: names
use gts_graph::prelude::*;
// ANCHOR_END: names

// ANCHOR: attributes
/// The spread of a rumour.
#[gts_attributes]
pub struct Rumour {
    /// The step in which the vertex heard it, or `UNREACHED`.
    #[wa(init = UNREACHED, merge = min)]
    pub heard: u32,
    /// The chance that an edge passes it on.
    #[param]
    pub chance: f32,
}
// ANCHOR_END: attributes

// ANCHOR: kernel
#[gts_kernel(traverse)]
fn pass_on(rumour: &mut Rumour, src: Vertex, dst: Vertex, e: Edge) {
    if rumour.heard[dst] == UNREACHED && random_f32(e, 0) < rumour.chance {
        rumour.heard[dst] = step() + 1;
        activate(dst);
    }
}
// ANCHOR_END: kernel

// ANCHOR: driver
/// Returns the step in which each vertex hears the rumour.
fn spread(run: &mut Run<Rumour>, source: Vertex, chance: f32) -> Result<Vec<u32>> {
    run.set_param(Rumour::CHANCE, chance)?;
    run.set(Rumour::HEARD, source, 0)?;
    run.activate(source)?;
    run.traverse(pass_on)?;
    run.take(Rumour::HEARD)
}
// ANCHOR_END: driver

fn ring_with_chords() -> Result<Graph> {
    Ok(Graph::from_edges((0..1000u64).flat_map(|v| [(v, (v + 1) % 1000), (v, (v * 7) % 1000)]))?)
}

// ANCHOR: test
#[test]
fn the_seed_decides() -> Result<(), Box<dyn std::error::Error>> {
    let graph = ring_with_chords()?;
    let heard = |seed| {
        let engine = Engine::builder().device(DeviceChoice::Cpu).seed(seed);
        let mut run = engine.build()?.start(&graph)?;
        spread(&mut run, graph.vertex(1)?, 0.7)
    };
    assert_eq!(heard(3)?, heard(3)?);
    assert_ne!(heard(3)?, heard(4)?);
    Ok(())
}
// ANCHOR_END: test

#[test]
fn a_chance_of_0_reaches_one_vertex_and_a_chance_of_1_reaches_all() -> Result<(), Box<dyn std::error::Error>> {
    let graph = ring_with_chords()?;
    let reached = |heard: Vec<u32>| heard.iter().filter(|step| **step != u32::MAX).count();
    let source = graph.vertex(1)?;
    for (chance, expected) in [(0.0, 1), (1.0, 1000)] {
        assert_eq!(reached(spread(&mut Engine::cpu()?.start(&graph)?, source, chance)?), expected);
    }
    Ok(())
}

#[test]
fn a_second_traversal_draws_other_numbers() -> Result<(), Box<dyn std::error::Error>> {
    let graph = ring_with_chords()?;
    let mut run = Engine::cpu()?.start::<Rumour>(&graph)?;
    let again = |run: &mut Run<Rumour>| -> Result<Vec<u32>> {
        run.fill(Rumour::HEARD, u32::MAX)?;
        spread(run, graph.vertex(1)?, 0.7)
    };
    let first = again(&mut run)?;
    assert_ne!(again(&mut run)?, first);
    run.set_step(0);
    assert_eq!(again(&mut run)?, first);
    Ok(())
}

// ANCHOR: dice
/// Sums of dice.
#[gts_attributes]
pub struct Dice {
    /// The sum of all throws of the vertex.
    #[wa(init = 0, merge = sum)]
    pub sum: u64,
}

#[gts_kernel(vertex)]
fn throw(dice: &mut Dice, v: Vertex) {
    let one = random_below(v, 0, 6) + 1;
    let other = random_below(v, 1, 6) + 1;
    dice.sum[v] += one + other;
}

/// Returns the sum of `rounds` throws of two dice per vertex.
fn throws(run: &mut Run<Dice>, rounds: u32) -> Result<Vec<u64>> {
    for _ in 0..rounds {
        run.apply(throw)?;
    }
    run.take(Dice::SUM)
}
// ANCHOR_END: dice

// ANCHOR: rounds
#[test]
fn rounds_differ_until_the_step_is_set() -> Result<(), Box<dyn std::error::Error>> {
    let graph = ring_with_chords()?;
    let mut run = Engine::cpu()?.start::<Dice>(&graph)?;
    let first = throws(&mut run, 1)?;
    let both = throws(&mut run, 1)?;
    let doubled: Vec<u64> = first.iter().map(|sum| 2 * sum).collect();
    assert_ne!(both, doubled);

    run.fill(Dice::SUM, 0)?;
    run.set_step(0);
    assert_eq!(throws(&mut run, 1)?, first);
    Ok(())
}
// ANCHOR_END: rounds
