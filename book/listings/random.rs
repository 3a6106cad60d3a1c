//! Random numbers in kernels: the program of the book's chapter on them.

// ANCHOR: names
use gts_runtime::prelude::*;
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
