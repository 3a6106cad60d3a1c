//! Afforest finds the components that sets joined edge by edge find.

use super::common::{Lists, build, engine, graphs};
use gts_algorithms::afforest::afforest;
use gts_graph::core::build::BuildOptions;
use gts_graph::prelude::*;

/// The smallest vertex of each vertex's component, by sets that are renamed one by one.
fn components(lists: &Lists) -> Vec<u64> {
    let mut names: Vec<u64> = (0..lists.len() as u64).collect();
    for (v, list) in lists.iter().enumerate() {
        for &(w, _) in list {
            let (a, b) = (names[v], names[w as usize]);
            names.iter_mut().filter(|name| **name == a.max(b)).for_each(|name| *name = a.min(b));
        }
    }
    names
}

#[test]
fn components_are_those_of_joined_sets() -> Result<()> {
    for (name, lists) in graphs() {
        let expected = components(&lists);
        for (in_edges, undirected) in [(false, false), (true, false), (false, true)] {
            for page_size in [256, 4096] {
                let page_size = Some(page_size);
                let graph = build(&lists, BuildOptions { page_size, in_edges, undirected, ..BuildOptions::default() });
                let found = afforest(&mut engine().start(&graph)?)?;
                assert_eq!(found, expected, "{name}, in-edges {in_edges}, undirected {undirected}, {page_size:?}");
            }
        }
    }
    Ok(())
}
