//! Tests the oracles on graphs whose answers are obvious.

use super::*;
use crate::data::PlainGraph;

#[test]
fn a_chain_counts_up() {
    let chain = PlainGraph::from_pairs(&[(10, 20), (20, 30), (30, 40)]);
    assert_eq!(levels(&chain, 1), [None, Some(0), Some(1), Some(2)]);
    assert_eq!(distances(&chain, 0), [0.0, 1.0, 2.0, 3.0]);
    assert_eq!(components(&chain), [10; 4]);
}

#[test]
fn a_detour_can_be_shorter() {
    let mut triangle = PlainGraph::from_pairs(&[(0, 1), (0, 2), (2, 1)]);
    triangle.arcs[0].weight = 5.0;
    assert_eq!(distances(&triangle, 0), [0.0, 2.0, 1.0]);
}

#[test]
fn separate_pairs_are_components_of_their_own() {
    let pairs = PlainGraph::from_pairs(&[(9, 1), (4, 7)]);
    assert_eq!(components(&pairs), [1, 4, 4, 1]);
}

#[test]
fn ranks_sum_to_one_with_a_sink() {
    let ranks = ranks(&PlainGraph::from_pairs(&[(0, 1), (0, 2), (1, 2)]), 20);
    assert!((ranks.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    assert!(ranks[2] > ranks[1] && ranks[1] > ranks[0]);
}
