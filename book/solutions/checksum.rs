//! Solution: a checksum of each vertex's in-neighbours.

use gts_graph::prelude::*;

/// Checksums.
#[gts_attributes]
pub struct Checksums {
    /// Sum of the hashes of the in-neighbours, modulo 2^32.
    #[wa(init = 0, merge = wrapping_sum)]
    pub checksum: u32,
}

/// Returns the hash of a number.
#[gts_fn]
fn hash(x: u32) -> u32 {
    let mixed = x.wrapping_add(1).wrapping_mul(0x9e37_79b9);
    mixed ^ mixed >> 15
}

#[gts_kernel(scan)]
fn add(c: &mut Checksums, src: Vertex, dst: Vertex) {
    c.checksum[dst] += hash(src as u32);
}

/// Returns the checksum of every vertex, in the order of dense numbers.
fn checksums(engine: &Engine, graph: &Graph) -> Result<Vec<u32>> {
    let mut run = engine.start::<Checksums>(graph)?;
    run.scan(add)?;
    run.take_dense(Checksums::CHECKSUM)
}

#[test]
fn checksums_are_those_of_a_loop() -> Result<(), Box<dyn std::error::Error>> {
    let graph = Graph::from_edges((0..200u64).flat_map(|v| [(v, 0), (v, (v * 3) % 200)]))?;
    let (mut expected, mut wrapped) = (vec![0u32; 200], false);
    for edge in graph.edges() {
        let (src, dst) = edge?;
        let product = (src.index() as u64 + 1) * 0x9e37_79b9 % (1 << 32);
        let (sum, over) = expected[dst.index()].overflowing_add((product ^ product >> 15) as u32);
        expected[dst.index()] = sum;
        wrapped |= over;
    }
    assert!(wrapped, "a sum is larger than its type can hold");
    assert_eq!(checksums(&Engine::cpu()?, &graph)?, expected);
    Ok(())
}
