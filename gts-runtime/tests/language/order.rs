//! Tests of kernels that read what they write, but have the same result for every order of the threads. The kernels are
//! pushed and pulled, run with all techniques, replicas and ranks, and run while pages stream. The oracle is a serial
//! search.

use super::streamed::tight;
use gts_contract::{KernelDescriptor, ScalarType};
use gts_graph::algorithm::{Algorithm, Answer, Arguments, Output, Parameter, Values, Verdict, edge_kernel};
use gts_graph::prelude::*;
use gts_graph::{gts_conformance, register};
use std::collections::VecDeque;

#[gts_attributes]
pub struct Reached {
    /// The level modulo 2, or 255 if no path leads to the vertex.
    #[wa(init = 255, merge = min)]
    pub parity: u8,
    #[wa(init = UNREACHED, merge = min)]
    pub level: u32,
    #[wa(init = UNREACHED, merge = min)]
    pub lowered: u32,
    /// Sum over the edges from the previous level.
    #[wa(init = 0, merge = sum)]
    pub after_the_store: u64,
    #[wa(init = 0, merge = sum)]
    pub by_the_old_value: u64,
    #[wa(init = 0, merge = max)]
    pub mark: u32,
    #[wa(init = 0, merge = sum)]
    pub marks: u64,
}

#[gts_kernel(traverse)]
fn alternate(r: &mut Reached, src: Vertex, dst: Vertex) {
    if r.parity[dst] == 255 {
        r.parity[dst] = ((step() + 1) % 2) as u8;
        activate(dst);
    }
}

#[gts_kernel(traverse)]
fn count_after_the_store(r: &mut Reached, src: Vertex, dst: Vertex) {
    if r.level[dst] == UNREACHED {
        r.level[dst] = step() + 1;
        activate(dst);
    }
    if r.level[dst] == step() + 1 {
        r.after_the_store[dst] += 1 + src.out_degree();
    }
}

#[gts_kernel(traverse)]
fn count_by_the_old_value(r: &mut Reached, src: Vertex, dst: Vertex) {
    let old = r.lowered[dst].fetch_min(step() + 1);
    if old > step() {
        r.by_the_old_value[dst] += 1 + src.out_degree();
        activate(dst);
    }
}

/// Has no guard, so no edge may be skipped.
#[gts_kernel(scan)]
fn mark_all(r: &mut Reached, src: Vertex, dst: Vertex) {
    if r.mark[dst] == 0 {
        r.mark[dst] = 7;
    }
    r.marks[dst] += r.mark[dst] as u64 * src.out_degree();
}

fn run(engine: &Engine, graph: &Graph, arguments: &Arguments) -> Result<Answer> {
    let mut run = engine.start::<Reached>(graph)?;
    let roots = arguments.vertices(graph, "roots")?;
    let activate = |run: &mut Run<Reached>| roots.iter().try_for_each(|&root| run.activate(root));
    for &root in &roots {
        run.set(Reached::PARITY, root, 0)?;
        run.set(Reached::LEVEL, root, 0)?;
        run.set(Reached::LOWERED, root, 0)?;
    }
    activate(&mut run)?;
    run.traverse(alternate)?;
    activate(&mut run)?;
    run.traverse(count_after_the_store)?;
    activate(&mut run)?;
    run.traverse(count_by_the_old_value)?;
    run.scan(mark_all)?;
    let parity: Vec<u32> = run.take(Reached::PARITY)?.into_iter().map(u32::from).collect();
    Ok(Answer::new()
        .vertices("parity", parity)
        .vertices("level", run.take(Reached::LEVEL)?)
        .vertices("lowered", run.take(Reached::LOWERED)?)
        .vertices("after-the-store", run.take(Reached::AFTER_THE_STORE)?)
        .vertices("by-the-old-value", run.take(Reached::BY_THE_OLD_VALUE)?)
        .vertices("marks", run.take(Reached::MARKS)?))
}

/// Computes the levels with a serial search, and then the sums over the edges.
fn oracle(graph: &Graph, arguments: &Arguments, answer: &Answer) -> Result<Verdict> {
    let mut lists = vec![Vec::new(); graph.num_vertices() as usize];
    for edge in graph.edges() {
        let (src, dst) = edge?;
        lists[src.index()].push(dst.index());
    }
    let mut level = vec![u32::MAX; lists.len()];
    let mut queue = VecDeque::new();
    for root in arguments.vertices(graph, "roots")? {
        level[root.index()] = 0;
        queue.push_back(root.index());
    }
    while let Some(v) = queue.pop_front() {
        for &next in &lists[v] {
            if level[next] == u32::MAX {
                level[next] = level[v] + 1;
                queue.push_back(next);
            }
        }
    }
    let (mut sums, mut marks) = (vec![0u64; lists.len()], vec![0u64; lists.len()]);
    for (v, list) in lists.iter().enumerate() {
        for &next in list {
            let degree = list.len() as u64;
            marks[next] += 7 * degree;
            if level[v] != u32::MAX && level[next] == level[v] + 1 {
                sums[next] += 1 + degree;
            }
        }
    }
    let parity = level.iter().map(|&level| if level == u32::MAX { 255 } else { level % 2 }).collect();
    let level = Values::from(ordered(graph, &level));
    let sums = Values::from(ordered(graph, &sums));
    let parity: Vec<u32> = parity;
    for (output, expected) in [
        ("parity", &Values::from(ordered(graph, &parity))),
        ("level", &level),
        ("lowered", &level),
        ("after-the-store", &sums),
        ("by-the-old-value", &sums),
        ("marks", &Values::from(ordered(graph, &marks))),
    ] {
        let found = answer.values(output);
        if found != Some(expected) {
            return Ok(Verdict::Differs(format!("`{output}` is {found:?}, and not {expected:?}")));
        }
    }
    Ok(Verdict::Agrees("as the serial version".to_owned()))
}

/// Returns the values of the dense vertices in the order of their original IDs.
fn ordered<T: Copy>(graph: &Graph, dense: &[T]) -> Vec<T> {
    graph.ids().in_original_order().map(|vertex| dense[vertex.index()]).collect()
}

register! {
    Algorithm::new("order-of-reads", "Kernels that read what they write", run)
        .parameters(&[Parameter::vertices("roots", "The vertices of level 0")])
        .outputs(&[
            Output::vertices("parity", &[ScalarType::U32], "The level modulo 2, or 255"),
            Output::vertices("level", &[ScalarType::U32], "Hops from the nearest root").unreached("no path"),
            Output::vertices("lowered", &[ScalarType::U32], "The same").unreached("no path"),
            Output::vertices("after-the-store", &[ScalarType::U64], "A sum over the edges from the level before"),
            Output::vertices("by-the-old-value", &[ScalarType::U64], "The same"),
            Output::vertices("marks", &[ScalarType::U64], "A sum over all edges"),
        ])
        .kernels(&[
            edge_kernel(alternate),
            edge_kernel(count_after_the_store),
            edge_kernel(count_by_the_old_value),
            edge_kernel(mark_all),
        ])
}

gts_conformance!(order: "order-of-reads", with("roots", "@0,@3"), oracle(oracle));

#[test]
fn streamed_kernels_agree() -> Result<()> {
    // Edges of several lengths, so that vertices have several edges from the previous level, on pages far apart.
    let vertices = 20_000u64;
    let edges = (0..vertices).flat_map(|v| [1, 2, 2, 77, 5000].map(|far| (v, (v + far) % vertices)));
    let graph = Graph::builder().edges(edges).page_size(256).build().expect("sound edges");
    let engine = tight::<Reached>(&graph)?.build()?;
    let algorithm = gts_graph::algorithm::find("order-of-reads").expect("it is registered above");
    let arguments = Arguments::of(algorithm).with("roots", "0,9999")?;
    let answer = algorithm.run(&engine, &graph, &arguments)?;
    let verdict = oracle(&graph, &arguments, &answer)?;
    assert!(matches!(verdict, Verdict::Agrees(_)), "{verdict:?}");
    Ok(())
}

#[test]
fn replicas_are_allowed() {
    let kernels: [&KernelDescriptor; 4] = [
        edge_kernel(alternate),
        edge_kernel(count_after_the_store),
        edge_kernel(count_by_the_old_value),
        edge_kernel(mark_all),
    ];
    for kernel in kernels.iter() {
        assert_eq!(kernel.facts.class, gts_contract::Class::Ordered, "{}", kernel.name);
        assert!(kernel.facts.replicable.holds(), "{}: {:?}", kernel.name, kernel.facts.replicable);
    }
}
