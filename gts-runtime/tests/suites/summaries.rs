//! Compares summaries of a run's values with a loop over them.

use gts_graph::core::graph::VertexOrder;
use gts_graph::prelude::*;
use proptest::prelude::*;
use std::cmp::Reverse;

#[gts_attributes]
struct Marks {
    #[wa(init = 0, merge = sum)]
    mark: u32,
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn summaries_are_those_of_loops(
        edges in prop::collection::vec((0u64..60, 0u64..60), 0..120),
        by_degree: bool,
        seed in 0u32..50,
        count in 0usize..80,
    ) {
        let order = if by_degree { VertexOrder::Degree } else { VertexOrder::Original };
        let graph = Graph::builder().edges(edges).order(order).build().expect("sound edges");
        let vertices: Vec<Vertex> = graph.ids().in_original_order().collect();
        let mark = |vertex: &Vertex| (graph.original(*vertex) as u32 * 7 + seed) % 11;
        let mut dense = vec![0; vertices.len()];
        vertices.iter().for_each(|vertex| dense[vertex.index()] = mark(vertex));
        let mut run = Engine::cpu().and_then(|engine| engine.start::<Marks>(&graph)).expect("a run");
        run.set_dense(Marks::MARK, &dense).expect("values");

        let some: Vec<Vertex> = vertices.iter().copied().step_by(3).collect();
        prop_assert_eq!(run.get_each(Marks::MARK, &some).expect("values"), some.iter().map(mark).collect::<Vec<_>>());
        let even = vertices.iter().filter(|vertex| mark(vertex) % 2 == 0).count() as u64;
        prop_assert_eq!(run.count(Marks::MARK, |mark| mark % 2 == 0).expect("a count"), even);
        let sum: u64 = vertices.iter().map(|vertex| u64::from(mark(vertex))).sum();
        prop_assert_eq!(run.sum(Marks::MARK, |&mark| u64::from(mark)).expect("a sum"), sum);
        let mut buckets = vec![0; 8];
        vertices.iter().map(mark).filter(|mark| *mark < 8).for_each(|mark| buckets[mark as usize] += 1);
        prop_assert_eq!(run.histogram(Marks::MARK, 8, |&mark| Some(mark as usize)).expect("counts"), buckets);
        let mut ranked: Vec<(Vertex, u32)> = vertices.iter().map(|vertex| (*vertex, mark(vertex))).collect();
        ranked.retain(|(_, mark)| *mark > 2);
        ranked.sort_by_key(|(vertex, mark)| (Reverse(*mark), graph.original(*vertex)));
        ranked.truncate(count);
        prop_assert_eq!(run.top(Marks::MARK, count, |&mark| (mark > 2).then_some(mark)).expect("vertices"), ranked);
    }
}

#[test]
fn values_of_vertices_that_are_not_there_are_refused() -> Result<()> {
    let graph = Graph::from_edges([(0, 1)]).expect("an edge");
    let mut run = Engine::cpu()?.start::<Marks>(&graph)?;
    assert!(run.get_each(Marks::MARK, &[Vertex::from_dense(2)]).is_err());
    assert_eq!(run.get_each(Marks::MARK, &[])?, Vec::<u32>::new());
    Ok(())
}
