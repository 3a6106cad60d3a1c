//! Compares loops on all threads with serial loops.

use super::*;
use proptest::prelude::*;
use std::num::NonZeroUsize;
use std::sync::atomic::AtomicU64;

/// Runs a test on pools of one to four threads.
fn on_pools(test: impl Fn() + Sync) {
    for threads in 1..=4 {
        crate::threads::pool("loop", NonZeroUsize::new(threads)).expect("the threads start").install(&test);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn each_item_comes_once_and_in_its_place(list in proptest::collection::vec(0u64..1000, 0..300), size in 1usize..9) {
        let serial: Vec<(usize, u64)> = list.iter().copied().enumerate().collect();
        on_pools(|| {
            let found: Vec<(usize, u64)> = list.par_iter().with_min_len(size).enumerate().map(|(at, &n)| (at, n)).collect();
            assert_eq!(found, serial);
            let chunks: Vec<&[u64]> = list.par_chunks(size).collect();
            assert_eq!(chunks, list.chunks(size).collect::<Vec<_>>());
            let windows: Vec<&[u64]> = list.par_windows(size).collect();
            assert_eq!(windows, list.windows(size).collect::<Vec<_>>());
            let mut changed = list.clone();
            changed.par_chunks_mut(size).enumerate().for_each(|(at, chunk)| chunk.iter_mut().for_each(|n| *n += at as u64));
            let expected: Vec<u64> = serial.iter().map(|(at, n)| n + (at / size) as u64).collect();
            assert_eq!(changed, expected);
            let mut whole = list.clone();
            whole.par_chunks_exact_mut(size).for_each(|chunk| chunk.fill(7));
            assert!(whole[..list.len() / size * size].iter().all(|n| *n == 7));
            assert_eq!(whole[list.len() / size * size..], list[list.len() / size * size..]);
            let moved: Vec<String> = list.iter().map(u64::to_string).collect::<Vec<_>>().into_par_iter().collect();
            assert_eq!(moved, list.iter().map(u64::to_string).collect::<Vec<_>>());
            let flat = list.par_iter().collect_flat(|&n| (0..n % 3).map(move |part| n + part));
            assert_eq!(flat, list.iter().flat_map(|&n| (0..n % 3).map(move |part| n + part)).collect::<Vec<_>>());
        });
    }

    #[test]
    fn results_are_those_of_a_serial_loop(list in proptest::collection::vec(0u64..1000, 0..300), limit in 0u64..1000) {
        on_pools(|| {
            assert_eq!(list.par_iter().sum::<u64>(), list.iter().sum::<u64>());
            assert_eq!(list.par_iter().max(), list.iter().max());
            assert_eq!(list.par_iter().min(), list.iter().min());
            assert_eq!(list.par_iter().any(|&n| n > limit), list.iter().any(|&n| n > limit));
            assert_eq!(list.par_iter().all(|&n| n > limit), list.iter().all(|&n| n > limit));
            assert_eq!(list.par_iter().count_if(|&n| n > limit), list.iter().filter(|n| **n > limit).count());
            assert_eq!(list.par_iter().position_first(|&n| n > limit), list.iter().position(|&n| n > limit));
            let text = list.par_iter().map(u64::to_string).reduce(String::new, |one, other| one + "," + &other);
            assert_eq!(text, list.iter().map(u64::to_string).collect::<Vec<_>>().join(","));
            let joined = list.par_iter().fold(Vec::new, |mut all, n| { all.push(*n); all }, |one, other| [one, other].concat());
            assert_eq!(joined, list);
            let tested = list.par_iter().try_for_each(|&n| if n > limit { Err(n) } else { Ok(()) });
            assert_eq!(tested.is_err(), list.iter().any(|&n| n > limit));
            let tested: Result<Vec<u64>, u64> = list.par_iter().map(|&n| if n > limit { Err(n) } else { Ok(n) }).collect();
            assert_eq!(tested, list.iter().map(|&n| if n > limit { Err(n) } else { Ok(n) }).collect());
        });
    }
}

#[test]
fn a_shorter_list_ends_a_zip_and_the_rest_is_dropped() {
    let held = std::sync::Arc::new(());
    let list: Vec<_> = (0..100).map(|_| held.clone()).collect();
    on_pools(|| assert_eq!(list.clone().into_par_iter().zip(0..40u32).map(|(_, number)| number).sum::<u32>(), 780));
    drop(list);
    assert_eq!(std::sync::Arc::strong_count(&held), 1);
}

#[test]
fn ranges_of_each_type_begin_and_end_where_they_say() {
    let (start, end) = (9_usize, 5);
    on_pools(|| {
        assert_eq!((5..9u32).into_par_iter().collect::<Vec<_>>(), [5, 6, 7, 8]);
        assert_eq!((u64::MAX - 2..u64::MAX).into_par_iter().collect::<Vec<_>>(), [u64::MAX - 2, u64::MAX - 1]);
        assert_eq!((start..end).into_par_iter().map(|_| 1).sum::<u32>(), 0);
    });
}

#[test]
fn an_init_runs_once_per_task_and_a_panic_reaches_the_caller() {
    let inits = AtomicU64::new(0);
    let init = || inits.fetch_add(1, Ordering::Relaxed);
    (0..1000u32).into_par_iter().with_min_len(1000).for_each_init(init, |_, _| {});
    assert_eq!(inits.into_inner(), 1);
    let panics =
        std::panic::catch_unwind(|| (0..100u32).into_par_iter().for_each(|number| assert!(number < 50, "half")));
    assert!(panics.is_err());
}
