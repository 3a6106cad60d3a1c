//! The kernels and calls that the messages in `ui/access/counts_down.stderr` suggest, word for word. They compile, and
//! have the results of serial programs. A test in `ui.rs` compares the texts.

use gts_graph::prelude::*;

/// Counters and levels of vertices.
#[gts_attributes]
pub struct Peeling {
    /// Number of remaining edges. It wraps below zero after the vertex is removed.
    #[wa(init = 0, merge = wrapping_sum)]
    pub left: u32,
    #[wa(init = UNREACHED, merge = min)]
    pub level: u32,
    #[wa(init = 0, merge = sum)]
    pub met: u32,
    #[global(merge = sum)]
    pub found: u64,
    #[param]
    pub enough: u32,
}

#[gts_kernel(traverse)]
pub fn peel(p: &mut Peeling, src: Vertex, dst: Vertex) {
    p.left[dst] -= 1;
    activate(dst);
}

#[gts_kernel(vertex)]
pub fn peel_settled(p: &mut Peeling, v: Vertex) {
    if p.left[v] == 0 {
        activate(v);
    }
}

#[gts_kernel(traverse(both), technique = edge8)]
fn peel_by_the_old_value(p: &mut Peeling, src: Vertex, dst: Vertex) {
    if src == dst {
        return;
    }
    p.left[dst] -= 1;
    activate(dst);
}

#[gts_kernel(vertex)]
fn peel_by_the_old_value_settled(p: &mut Peeling, v: Vertex) {
    if p.left[v] == 0 {
        activate(v);
    }
}

#[gts_kernel(scan)]
fn infect(p: &mut Peeling, src: Vertex, dst: Vertex) {
    let enough = p.enough.max(1);
    p.met[dst] += 1;
    activate(dst);
}

#[gts_kernel(vertex)]
fn infect_settled(p: &mut Peeling, v: Vertex) {
    let enough = p.enough.max(1);
    if p.met[v] >= enough && p.level[v] == UNREACHED {
        p.level[v] = enough;
    }
}

#[gts_kernel(traverse)]
fn find(p: &mut Peeling, src: Vertex, dst: Vertex) {
    if p.level[dst] == UNREACHED {
        p.level[dst] = step() + 1;
        activate(dst);
    }
}

#[gts_kernel(vertex)]
fn find_settled(p: &mut Peeling, v: Vertex) {
    p.found += 1;
}

const VERTICES: usize = 490;

/// Returns edges from smaller to larger vertices, and a cycle that is never peeled.
fn edges() -> Vec<(u64, u64)> {
    let far = |v: u64| [1, 2, 3 + v % 7, 3 + v % 7, 40].map(|far| (v, v + far));
    let mut edges: Vec<_> = (0..VERTICES as u64 - 40).flat_map(far).filter(|(_, to)| *to < VERTICES as u64).collect();
    edges.extend([(480, 481), (481, 480)]);
    edges
}

/// Counts down serially, one edge after another.
fn peeled(lists: &[Vec<usize>], left: &mut [u32], mut ready: Vec<usize>) {
    while let Some(v) = ready.pop() {
        for &next in &lists[v] {
            left[next] = left[next].wrapping_sub(1);
            if left[next] == 0 {
                ready.push(next);
            }
        }
    }
}

fn set_left(run: &mut Run<Peeling>, left: &[u32]) -> Result<()> {
    for (v, &left) in (0..).zip(left) {
        let v = run.graph().vertex(v)?;
        run.set(Peeling::LEFT, v, left)?;
    }
    Ok(())
}

fn main() -> Result<()> {
    let graph = Graph::builder().edges(edges()).in_edges(true).build().expect("sound edges");
    let mut lists = vec![Vec::new(); VERTICES];
    let mut both = vec![Vec::new(); VERTICES];
    let mut met = vec![0; VERTICES];
    for (src, dst) in edges().into_iter().map(|(src, dst)| (src as usize, dst as usize)) {
        lists[src].push(dst);
        both[src].push(dst);
        both[dst].push(src);
        met[dst] += 1;
    }
    let engine = Engine::cpu()?;

    let mut run = engine.start::<Peeling>(&graph)?;
    let mut left: Vec<u32> = met.clone();
    let ready: Vec<usize> = (0..VERTICES).filter(|&v| left[v] == 0).collect();
    set_left(&mut run, &left)?;
    for &v in &ready {
        run.activate(graph.vertex(v as u64)?)?;
    }
    while run.frontier_size()? > 0 {
        run.advance(peel)?;
        run.apply_active(peel_settled)?;
    }
    peeled(&lists, &mut left, ready);
    assert_eq!(run.take(Peeling::LEFT)?, left);
    assert!(left[..400].iter().all(|&left| left == 0) && left[480] > 0);

    // After vertex 0, vertices 1 and 2 are removed. All other vertices remain.
    let mut run = engine.start::<Peeling>(&graph)?;
    let mut left = vec![1 << 20; VERTICES];
    (left[1], left[2]) = (1, 2);
    set_left(&mut run, &left)?;
    run.activate(graph.vertex(0)?)?;
    while run.frontier_size()? > 0 {
        run.advance(peel_by_the_old_value)?;
        run.apply_active(peel_by_the_old_value_settled)?;
    }
    peeled(&both, &mut left, vec![0]);
    assert_eq!(run.take(Peeling::LEFT)?, left);
    assert!(left[0] == (1 << 20) - 2, "both of them have counted it down");

    let mut run = engine.start::<Peeling>(&graph)?;
    run.set_param(Peeling::ENOUGH, 4)?;
    run.scan(infect)?;
    run.apply_active(infect_settled)?;
    let infected: Vec<u32> = met.iter().map(|&met| if met >= 4 { 4 } else { u32::MAX }).collect();
    assert_eq!(run.take(Peeling::LEVEL)?, infected);

    let mut run = engine.start::<Peeling>(&graph)?;
    run.set(Peeling::LEVEL, graph.vertex(0)?, 0)?;
    run.activate(graph.vertex(0)?)?;
    let mut found = 0;
    while run.frontier_size()? > 0 {
        run.advance(find)?;
        run.apply_active(find_settled)?;
        found += run.global(Peeling::FOUND)?;
    }
    let (mut reached, mut stack) = (vec![false; VERTICES], vec![0]);
    reached[0] = true;
    while let Some(v) = stack.pop() {
        for &next in &lists[v] {
            if !std::mem::replace(&mut reached[next], true) {
                stack.push(next);
            }
        }
    }
    assert_eq!(found as usize + 1, reached.iter().filter(|&&reached| reached).count());
    Ok(())
}
