//! Kinds of attributes: RA, params, globals, vertex numbers, and computed vertices.

use super::{engine, isolated};
use gts_graph::prelude::*;

#[gts_attributes]
pub struct Kinds {
    /// Target of a pointer.
    #[wa(init = UNREACHED, merge = min)]
    pub parent: VertexId,
    #[ra(from = next)]
    pub now: i32,
    #[wa(init = 7, merge = sum)]
    pub next: i32,
    #[wa(init = false, merge = or)]
    pub odd: bool,
    #[param]
    pub scale: i32,
    #[param]
    pub weights: [f32; 3],
    #[global(merge = sum)]
    pub total: f32,
    #[global(merge = max)]
    pub largest: i32,
    #[global(merge = min)]
    pub smallest: i64,
    #[global(merge = or)]
    pub seen: u32,
    #[global(merge = sum)]
    pub histogram: [u64; 10],
}

#[gts_kernel(vertex)]
fn kinds(k: &mut Kinds, v: Vertex) {
    let id = v.id() as i32;
    k.next[v] = k.now[v] * k.scale + id;
    k.odd[v] = id % 2 == 1;
    k.parent[v] = Vertex::new(v.id() as u64 / 2).id();
    k.total += k.weights[0] + k.weights[1] * k.weights[2];
    k.largest.fetch_max(id - 50);
    k.smallest.fetch_min(-(id as i64));
    k.seen |= 1 << (id as u32 % 32);
    k.histogram[v.id() as u64 % 10] += 1;
}

#[test]
fn kinds_of_attributes_keep_their_values() -> Result<()> {
    const VERTICES: u64 = 100_000;
    let graph = isolated(VERTICES);
    let mut run = engine().start::<Kinds>(&graph)?;
    run.fill(Kinds::NOW, 3)?;
    run.set_param(Kinds::SCALE, -2)?;
    run.set_param(Kinds::WEIGHTS, [0.25, 0.5, 0.5])?;
    assert_eq!(run.take(Kinds::PARENT)?, vec![VertexId::UNREACHED; VERTICES as usize]);
    run.apply(kinds)?;
    let next = run.take(Kinds::NEXT)?;
    let odd = run.take(Kinds::ODD)?;
    let parent = run.take(Kinds::PARENT)?;
    for v in 0..VERTICES as usize {
        assert_eq!(next[v], -6 + v as i32);
        assert_eq!(odd[v], v % 2 == 1);
        assert_eq!(parent[v].to_bits(), v as u64 / 2);
    }
    assert_eq!(run.global(Kinds::TOTAL)?, VERTICES as f32 * 0.5);
    assert_eq!(run.global(Kinds::LARGEST)?, VERTICES as i32 - 51);
    assert_eq!(run.global(Kinds::SMALLEST)?, -(VERTICES as i64 - 1));
    assert_eq!(run.global(Kinds::SEEN)?, u32::MAX);
    assert_eq!(run.global(Kinds::HISTOGRAM)?, [VERTICES / 10; 10]);

    run.rotate(Kinds::NOW)?;
    assert_eq!(run.take(Kinds::NOW)?, next);
    assert_eq!(run.take(Kinds::NEXT)?, vec![7; VERTICES as usize]);
    run.apply(kinds)?;
    assert_eq!(run.global(Kinds::TOTAL)?, VERTICES as f32 * 0.5, "a pass resets the globals that its kernel updates");
    assert_eq!(run.get(Kinds::NEXT, graph.vertex(10).unwrap())?, -2 * 4 + 10);
    Ok(())
}

#[gts_attributes]
pub struct Jump {
    #[wa(init = 0, merge = min)]
    pub label: VertexId,
    #[wa(init = 0, merge = any)]
    pub original: u64,
}

#[gts_kernel(vertex)]
fn label(j: &mut Jump, v: Vertex) {
    let id = v.id() as u64;
    j.label[v] = if id == 0 { v.id() } else { Vertex::new(id - 1).id() };
    j.original[v] = id;
    activate(v);
}

#[gts_kernel(vertex, racy)]
fn jump(j: &mut Jump, v: Vertex) {
    let next = Vertex::new(j.label[v] as u64);
    let beyond = j.label[next];
    if beyond != j.label[v] {
        j.label[v] = beyond;
        activate(v);
    }
}

#[test]
fn pointers_jump_to_the_root() -> Result<()> {
    let mut run = engine().start::<Jump>(&isolated(1000))?;
    run.apply(label)?;
    assert_eq!(run.frontier_size()?, 1000, "a pass that activates makes the frontier");
    let mut rounds = 0;
    while run.frontier_size()? > 0 {
        run.apply_active(jump)?;
        rounds += 1;
        assert!(rounds <= 1000);
    }
    assert!(run.take(Jump::LABEL)?.into_iter().all(|label| label.to_bits() == 0));
    Ok(())
}
