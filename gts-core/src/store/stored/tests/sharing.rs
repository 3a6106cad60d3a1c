//! Tests that concurrent readers of a stored graph make progress even if there is little room for them.

use super::{FileSystem, PAGE, collect, expected, open, sample, saved, whole};
use crate::graph::{Graph, Vertex};
use gts_contract::Side;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A time limit far above the duration of any test.
const PATIENCE: Duration = Duration::from_secs(30);

/// Runs work that must end within the time limit.
fn must_end(work: impl FnOnce() + Send + 'static) {
    let (end, ended) = channel();
    let worker = thread::spawn(move || {
        work();
        // If the receiver no longer exists, the test has already failed.
        let _ = end.send(());
    });
    match ended.recv_timeout(PATIENCE) {
        Err(RecvTimeoutError::Timeout) => panic!("waits without end"),
        _ => worker.join().unwrap(),
    }
}

/// A graph and its store.
struct Stored {
    graph: Graph,
    _directory: TempDir,
    path: PathBuf,
}

impl Stored {
    fn new() -> Self {
        let graph = sample();
        let (directory, path) = saved(&graph);
        Self { graph, _directory: directory, path }
    }

    fn open(&self, pages: u64) -> Arc<Graph> {
        let stored = open(FileSystem, &self.path, pages).unwrap();
        assert!(!stored.is_resident());
        Arc::new(stored)
    }
}

#[test]
fn two_iterators_of_one_thread_go_on() {
    let given = Stored::new();
    for pages in [2, 3, 8, 20] {
        let stored = given.open(pages);
        let expected = given.graph.num_edges();
        must_end(move || {
            let pairs = stored.edges().zip(stored.edges());
            assert_eq!(pairs.filter(|(a, b)| a.as_ref().unwrap() == b.as_ref().unwrap()).count() as u64, expected);
        });
    }
}

#[test]
fn any_number_of_iterators_may_be_under_way() {
    let given = Stored::new();
    let stored = given.open(8);
    let vertices = given.graph.num_vertices();
    must_end(move || {
        let every = (0..vertices).step_by(16).map(Vertex::from_dense);
        let mut lists: Vec<_> = every.map(|vertex| (vertex, stored.neighbors(vertex))).collect();
        let first: Vec<_> = lists.iter_mut().map(|(_, list)| list.next()).collect();
        let rest = lists.into_iter().zip(first).map(|((vertex, list), first)| {
            let degree = usize::from(first.is_some()) + list.map(Result::unwrap).count();
            assert_eq!(degree as u64, stored.out_degree(vertex));
        });
        assert_eq!(rest.count() as u64, vertices / 16);
    });
}

#[test]
fn threads_iterate_side_by_side() {
    let given = Stored::new();
    for pages in [3, 13, 20] {
        let stored = given.open(pages);
        let expected = given.graph.num_edges();
        must_end(move || {
            thread::scope(|scope| {
                for _ in 0..3 {
                    scope.spawn(|| (0..3).for_each(|_| assert_eq!(stored.edges().count() as u64, expected)));
                }
            });
        });
    }
}

#[test]
fn tasks_of_one_pool_fold_side_by_side() {
    const TASKS: usize = 4;
    let given = Stored::new();
    // The budget allows frames of two pages. Each feed prefetches a quarter of them.
    let stored = given.open(64);
    let expected = given.graph.num_edges();
    must_end(move || {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2 * TASKS).build().unwrap();
        let deadline = Instant::now() + Duration::from_millis(500);
        let until = |what: &dyn Fn() -> bool| {
            while !what() && Instant::now() < deadline {
                thread::sleep(Duration::from_millis(1));
            }
        };
        let (shared, later) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let (stored, until, shared, later) = (&stored, &until, &shared, &later);
        let count = |wait: &(dyn Fn() + Sync)| {
            let fold = |edges: u64, _, _, _: f32| {
                wait();
                edges + 1
            };
            assert_eq!(stored.reduce_edges(|| 0, fold, |a, b| a + b).unwrap().unwrap(), expected);
        };
        let count = &count;
        pool.in_place_scope(|scope| {
            for _ in 0..TASKS {
                scope.spawn(move |_| {
                    let (this, is_shared) = (thread::current().id(), AtomicBool::new(false));
                    // Another thread folds a part. It waits until all later tasks have begun.
                    count(&|| {
                        if thread::current().id() == this {
                            until(&|| is_shared.load(Ordering::Relaxed));
                        } else {
                            if !is_shared.swap(true, Ordering::Relaxed) {
                                shared.fetch_add(1, Ordering::Relaxed);
                            }
                            until(&|| later.load(Ordering::Relaxed) == TASKS);
                        }
                    });
                });
            }
            until(&|| shared.load(Ordering::Relaxed) == TASKS);
            for _ in 0..TASKS {
                scope.spawn(move |_| {
                    later.fetch_add(1, Ordering::Relaxed);
                    count(&|| ());
                });
            }
        });
    });
}

#[test]
fn what_a_feed_wanted_and_another_took_is_found_again() {
    let given = Stored::new();
    let pages = given.graph.out_topology().num_pages();
    let all = expected(given.graph.out_topology(), &[whole(given.graph.out_topology())]);
    for room in [2, 3, 8] {
        let (stored, all) = (given.open(room), all.clone());
        must_end(move || {
            let out = stored.out_topology();
            collect(out, &[whole(out)], 0).unwrap();
            // The feed is about to deliver all pages in the buffer, but they are evicted before it returns its first
            // group.
            let mut feed = out.source().feed(&[whole(out)], 0).unwrap();
            let other = stored.topology(Side::In).unwrap();
            // Frames are evicted only after several feeds have left them untouched.
            (0..8).for_each(|_| drop(other.source().feed(&[], 0).unwrap()));
            collect(other, &[whole(other)], 0).unwrap();
            let mut found = 0;
            while let Some(group) = feed.next().unwrap() {
                let first = group.run().first.0;
                assert!(group.bytes().chunks(PAGE as usize).zip(first..).all(|(page, number)| page == all[&number]));
                found += group.run().count;
            }
            assert_eq!(found, pages);
        });
    }
}

#[test]
fn consumers_that_let_go_of_what_they_hold_go_on() {
    // As on devices, groups are passed to consumers that process them at different speeds.
    let given = Stored::new();
    for pages in [2, 5, 13] {
        let stored = given.open(pages);
        must_end(move || {
            let begin = Barrier::new(4);
            thread::scope(|scope| {
                for side in [Side::Out, Side::In, Side::Out, Side::In] {
                    let (stored, begin) = (&stored, &begin);
                    let (hand_on, handed) = channel();
                    scope.spawn(move || handed.into_iter().for_each(drop));
                    scope.spawn(move || {
                        begin.wait();
                        let topology = stored.topology(side).unwrap();
                        for _ in 0..3 {
                            let mut feed = topology.source().feed(&[whole(topology)], 0).unwrap();
                            while let Some(group) = feed.next().unwrap() {
                                hand_on.send(group).unwrap();
                            }
                        }
                    });
                }
            });
        });
    }
}
