//! Near and far give the distances that rounds over all edges give, whatever the width.

use super::common::{Lists, build, engine, graphs};
use gts_algorithms::sssp_near_far::{near_far_f32, near_far_u32};
use gts_graph::core::build::BuildOptions;
use gts_graph::prelude::*;

/// Distances from vertex 7, or 0, by relaxing every edge as often as there are vertices.
fn distances(lists: &Lists, source: u64) -> Vec<u32> {
    let mut distances = vec![u32::MAX; lists.len()];
    distances[source as usize] = 0;
    for _ in lists {
        for (v, list) in lists.iter().enumerate().filter(|(_, list)| !list.is_empty()) {
            for &(w, weight) in list {
                let through = distances[v].saturating_add(weight);
                distances[w as usize] = distances[w as usize].min(through);
            }
        }
    }
    distances
}

#[test]
fn distances_are_those_of_relaxed_edges() -> Result<()> {
    for (name, lists) in graphs() {
        let source = 7.min(lists.len() as u64 - 1);
        let expected = distances(&lists, source);
        let whole = build(&lists, BuildOptions { page_size: Some(512), ..BuildOptions::default() });
        let edges = (0..).zip(&lists).flat_map(|(v, list)| list.iter().map(move |&(w, weight)| (v, w, weight as f32)));
        let real = Graph::builder().weighted_edges(edges.chain([(source, source, 0.5)])).build().expect("sound edges");
        for delta in [0, 1, 7, 50, 1000, u32::MAX] {
            let found = near_far_u32(&mut engine().start(&whole)?, whole.vertex(source)?, delta)?;
            assert_eq!(found, expected, "{name}, delta {delta}");
            let found = near_far_f32(&mut engine().start(&real)?, real.vertex(source)?, delta as f32)?;
            for (id, distance) in real.ids().ascending().zip(found) {
                let expected = expected[id as usize];
                let expected = if expected == u32::MAX { f32::INFINITY } else { expected as f32 };
                assert_eq!(distance, expected, "{name}, delta {delta}");
            }
        }
    }
    Ok(())
}
