//! Walks are those that a walker makes alone, bit for bit, and spread as they must.

use super::common::{Lists, build, engine, graphs};
use gts_algorithms::random_walks::{RandomWalks, Walks, paths, visits};
use gts_graph::core::build::BuildOptions;
use gts_graph::prelude::*;

const SEED: u64 = 11;

fn split_mix(state: u64) -> u64 {
    let mut z = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

fn drawn(step: u32, walker: u64, draw: u64) -> u64 {
    [SEED, step.into(), walker, u64::MAX - 1, draw].into_iter().fold(0, |state, number| split_mix(state ^ number))
}

/// The path of one walker.
fn path(lists: &Lists, walks: &Walks, walker: u64) -> Vec<u64> {
    let start = walks.source.map_or(walker % lists.len() as u64, Vertex::dense);
    let mut path = vec![start];
    for step in 0..walks.length {
        let list = &lists[path[path.len() - 1] as usize];
        if ((drawn(step, walker, 0) >> 11) as f64) < walks.restart * 2f64.powi(53) {
            path.push(start);
        } else if !list.is_empty() {
            path.push(list[((u128::from(drawn(step, walker, 1)) * list.len() as u128) >> 64) as usize].0);
        } else if walks.restart > 0.0 {
            path.push(start);
        } else {
            break;
        }
    }
    path
}

#[test]
fn paths_are_those_of_walkers_alone() -> Result<()> {
    for (name, lists) in graphs() {
        let vertices = lists.len() as u64;
        for page_size in [256, 4096] {
            let graph = build(&lists, BuildOptions { page_size: Some(page_size), ..BuildOptions::default() });
            for (walkers, source, restart) in
                [(vertices, None, 0.0), (2 * vertices + 3, None, 0.25), (5 * vertices, Some(vertices / 2), 0.25)]
            {
                let source = source.map(Vertex::from_dense);
                let walks = Walks { walkers, length: 6, source, restart };
                let expected: Vec<Vec<u64>> = (0..walkers).map(|walker| path(&lists, &walks, walker)).collect();
                let found = paths(&mut engine().start(&graph)?, &walks)?;
                assert_eq!(found, expected, "{name}, {walks:?}");
                let mut counts = vec![0; lists.len()];
                expected.iter().flatten().for_each(|&v| counts[v as usize] += 1);
                assert_eq!(visits(&mut engine().start(&graph)?, &walks)?, counts, "{name}, {walks:?}");
            }
        }
    }
    Ok(())
}

#[test]
fn other_seeds_walk_elsewhere() -> Result<()> {
    let (_, lists) = graphs().pop().expect("a dense graph");
    let graph = build(&lists, BuildOptions::default());
    let walks = Walks { walkers: 100, length: 10, source: None, restart: 0.0 };
    let mut run = engine().start::<RandomWalks>(&graph)?;
    let first = paths(&mut run, &walks)?;
    run.set_seed(SEED + 1);
    let second = paths(&mut run, &walks)?;
    assert_ne!(first, second);
    run.set_seed(SEED);
    assert_eq!(paths(&mut run, &walks)?, first, "walks of the same seed");
    Ok(())
}

#[test]
fn neighbours_are_equally_likely() -> Result<()> {
    let star: Lists = (0..9u64).map(|v| if v == 0 { (1..9).map(|w| (w, 1)).collect() } else { vec![(0, 1)] }).collect();
    let graph = build(&star, BuildOptions::default());
    let walks = Walks { walkers: 8000, length: 1, source: Some(graph.vertex(0)?), restart: 0.0 };
    let counts = visits(&mut engine().start(&graph)?, &walks)?;
    assert_eq!((counts[0], counts.iter().sum::<u64>()), (8000, 16000));
    // Six standard deviations of a binomial count of 8000 draws with a chance of an eighth.
    assert!(counts[1..].iter().all(|&count| count.abs_diff(1000) < 6 * 30), "{counts:?}");
    Ok(())
}
