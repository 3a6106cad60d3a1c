//! Tests kernels of a crate that renames the runtime, and kernels that use the crate's struct.

use renamed::framework::algorithm::{Answer, Arguments, Values, Verdict};
use renamed::framework::prelude::*;
use renamed::kinds::{self, Numbers};
use renamed::{after, generations, ones, twos, Generations};

fn small() -> Graph {
    Graph::from_edges([(0, 1), (1, 2), (0, 2), (2, 3)]).expect("sound edges")
}

#[test]
fn kernels_run() -> Result<()> {
    let graph = small();
    let engine = Engine::cpu()?;
    assert_eq!(generations(&mut engine.start(&graph)?, 9)?, [0, 1, 2, 3]);
    assert_eq!(generations(&mut engine.start(&graph)?, 2)?, [0, 1, 2, 2]);
    assert_eq!(after(3, 9), 4);
    let mut run = engine.start::<Numbers<u64>>(&graph)?;
    run.gather(kinds::add)?;
    run.intersect(kinds::meet)?;
    run.apply(kinds::count)?;
    assert_eq!(run.global(Numbers::VERTICES)?, 4);
    assert_eq!(run.take(Numbers::NEIGHBOURS)?, [3, 2, 3, 0]);
    assert_eq!(run.take(Numbers::TRIANGLES)?, [1, 0, 0, 0]);
    let mut run = engine.start::<Numbers<f32>>(&graph)?;
    let first = graph.vertex(0).expect("it is in the graph");
    run.set(Numbers::DISTANCE, first, 0.0)?;
    run.activate(first)?;
    run.traverse_near(kinds::relax, kinds::nearness, 1.0)?;
    assert_eq!(run.take(Numbers::DISTANCE)?, [0.0, f32::INFINITY, f32::INFINITY, f32::INFINITY]);
    Ok(())
}

/// A kernel of this crate on the struct of the other one.
#[gts_kernel(vertex, crate = renamed::framework)]
fn halve(g: &mut Generations, v: Vertex) {
    g.gen[v] = after(g.gen[v], g.limit) / 2;
}

#[test]
fn structs_and_functions_are_handed_over_to_other_crates() -> Result<()> {
    let mut run = Engine::cpu()?.start(&small())?;
    generations(&mut run, 9)?;
    run.apply(halve)?;
    assert_eq!(run.take(Generations::GEN)?, [0, 1, 1, 2]);
    Ok(())
}

/// Counts with the functions of both modules, which have one place in the source.
#[gts_kernel(scan, crate = renamed::framework)]
fn count_both(c: &mut ones::Counters, src: Vertex, dst: Vertex) {
    c.count[dst] += ones::step_of_counter() * 10 + twos::step_of_counter();
}

#[test]
fn items_of_one_place_differ() -> Result<()> {
    let (graph, engine) = (small(), Engine::cpu()?);
    let mut run = engine.start(&graph)?;
    run.scan(ones::count)?;
    assert_eq!(run.take(ones::Counters::COUNT)?, [0, 1, 2, 1]);
    let mut run = engine.start(&graph)?;
    run.scan(twos::count)?;
    assert_eq!(run.take(twos::Counters::COUNT)?, [0, 2, 4, 2]);
    let mut run = engine.start(&graph)?;
    run.scan(count_both)?;
    assert_eq!(run.take(ones::Counters::COUNT)?, [0, 12, 24, 12]);
    Ok(())
}

fn oracle(graph: &Graph, _: &Arguments, answer: &Answer) -> Result<Verdict> {
    let mut generations = vec![0; graph.num_vertices() as usize];
    for _ in 0..10 {
        for edge in graph.edges() {
            let (src, dst) = edge?;
            generations[dst.index()] = (generations[src.index()] + 1).min(10).max(generations[dst.index()]);
        }
    }
    let expected: Vec<u32> = graph.ids().in_original_order().map(|v| generations[v.index()]).collect();
    Ok(match answer.values("generation") == Some(&Values::U32(expected)) {
        true => Verdict::Agrees("as a loop over the edges".to_owned()),
        false => Verdict::Differs("not as a loop over the edges".to_owned()),
    })
}

renamed::framework::gts_conformance!(generations_of_all: "generations", oracle(oracle));
