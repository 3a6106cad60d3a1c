//! Compares collectives of thread groups with serial folds. Messages are much shorter than the values.

use super::super::{Place, threads};
use super::*;
use gts_contract::{Merge, ScalarType};
use gts_device::replicated::samples::{MERGES, SCALARS, allowed, bytes, element, fold, narrow};
use proptest::prelude::*;
use proptest::sample::select;

/// The values of an attribute on all ranks.
#[derive(Clone, Debug)]
struct Case {
    attribute: Merged,
    values: Vec<Vec<u64>>,
    message_bytes: usize,
}

fn case() -> impl Strategy<Value = Case> {
    let shape = (select(SCALARS.to_vec()), select(MERGES.to_vec()), 0..40u64, 1..5usize, any::<bool>(), 1..70usize);
    let shape = shape.prop_filter("merges that the language has", |(scalar, merge, ..)| allowed(*scalar, *merge));
    shape.prop_flat_map(|(scalar, merge, vertices, ranks, wide, message_bytes)| {
        let vertex_bytes = if wide { 8 } else { 4 };
        let attribute = Merged { attribute: 0, scalar, merge, length: 1, vertices, vertex_bytes, check: None };
        let values = proptest::collection::vec(any::<u64>(), vertices as usize);
        proptest::collection::vec(values, ranks).prop_map(move |values| {
            let elements = |bits: Vec<u64>| bits.into_iter().map(|bits| element(scalar, bits)).collect();
            Case { attribute, values: values.into_iter().map(elements).collect(), message_bytes }
        })
    })
}

/// Runs an action on each rank of a group with messages of at most `message_bytes` bytes.
fn on_ranks<T: Send>(
    ranks: usize,
    message_bytes: usize,
    action: impl Fn(&dyn Group, &Call<'_>) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let place = Place::new("a test", ());
    threads::of_each(threads::group_with(ranks, message_bytes), |_, group| action(&group, &Call::new(&place)))
}

/// Returns the result of a serial fold over the values of a vertex.
fn folded(attribute: &Merged, before: u64, values: impl Iterator<Item = u64> + Clone) -> u64 {
    match attribute.merge {
        Merge::Any => {
            values.map(|bits| narrow(attribute, bits)).find(|&bits| bits != narrow(attribute, before)).unwrap_or(before)
        }
        _ => fold(attribute, values).unwrap_or(before),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn a_reduction_is_a_fold_in_the_order_of_the_ranks(case in case()) {
        let Case { attribute, values, message_bytes } = &case;
        let before: Vec<u64> = values[0].iter().map(|bits| bits ^ 1).collect();
        let kept = bytes(attribute, &before);
        let found = on_ranks(values.len(), *message_bytes, |group, call| {
            let mut own = bytes(attribute, &values[group.rank()]);
            let before = (attribute.merge == Merge::Any).then_some(&kept[..]);
            group.all_reduce(call, attribute, &mut own, before)?;
            Ok(own)
        });
        let total = |place: usize| match values.len() {
            // A single rank has nothing to merge.
            1 => values[0][place],
            _ => folded(attribute, before[place], values.iter().map(|values| values[place])),
        };
        let expected: Vec<u64> = (0..values[0].len()).map(total).collect();
        for own in found.expect("threads") {
            prop_assert_eq!(own, bytes(attribute, &expected));
        }
    }

    #[test]
    fn all_get_what_each_gives_and_what_the_first_has(
        given in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..50), 1..5),
        message_bytes in 1..20usize,
    ) {
        let message_bytes = message_bytes.max(8);
        let found = on_ranks(given.len(), message_bytes, |group, call| {
            let all = group.all_gather(call, &given[group.rank()])?;
            let mut first = given[group.rank()].clone();
            first.resize(given[0].len(), 7);
            group.broadcast(call, &mut first)?;
            group.barrier(call)?;
            Ok((all, first))
        });
        for (all, first) in found.expect("threads") {
            prop_assert_eq!(&all, &given);
            prop_assert_eq!(&first, &given[0]);
        }
    }
}

#[test]
fn ranks_that_differ_end_with_an_error_that_names_them() {
    let places = [Place::new("kernel `push`", 1), Place::new("kernel `pull`", 1)];
    let error =
        threads::ranks(3, |group| group.barrier(&Call::new(&places[group.rank() / 2]))).expect_err("they differ");
    let text = error.to_string();
    assert!(matches!(error, Error::RanksDiffer { .. }), "{text}");
    assert!(text.contains("rank 2") && text.contains("kernel `push`") && text.contains("kernel `pull`"), "{text}");
}

#[test]
fn values_of_other_lengths_are_told() {
    let attribute = Merged {
        attribute: 0,
        scalar: ScalarType::U8,
        merge: Merge::Sum,
        length: 1,
        vertices: 8,
        vertex_bytes: 4,
        check: None,
    };
    let found =
        on_ranks(2, 100, |group, call| group.all_reduce(call, &attribute, &mut vec![0; 8 + 2 * group.rank()], None));
    assert!(matches!(found, Err(Error::RanksDiffer { .. })), "{found:?}");
}

#[test]
fn a_rank_that_fails_ends_all_with_its_reason() {
    let place = Place::new("kernel `push`", ());
    let found = threads::ranks(3, |group| match group.rank() {
        1 => Err(Error::argument("rank 1", "it has no memory")),
        _ => Ok(group.barrier(&Call::new(&place)).expect_err("an end")),
    });
    assert_eq!(found.expect_err("the failure").to_string(), "rank 1: it has no memory");
    let ended = threads::ranks(3, |group| match group.rank() {
        1 => {
            group.abort("the disk is full");
            Ok(Error::Interrupted)
        }
        _ => Ok(group.barrier(&Call::new(&place)).expect_err("an end")),
    });
    let ended = ended.expect("each rank has its error");
    for rank in [0, 2] {
        assert_eq!(ended[rank].to_string(), "rank 1 of 3 ended the run: the disk is full");
    }
}

#[test]
fn a_rank_that_is_gone_is_named() {
    let place = Place::new("kernel `push`", ());
    let found = threads::ranks(2, |group| match group.rank() {
        0 => group.barrier(&Call::new(&place)),
        _ => Ok(()),
    });
    let text = found.expect_err("rank 1 does not come").to_string();
    assert_eq!(text, "rank 1 of 2: it ended while rank 0 waited for it at kernel `push`");
}

#[test]
fn waiting_ends_by_what_stops_it() {
    let place = Place::new("kernel `push`", ());
    let found = threads::ranks(2, |group| match group.rank() {
        0 => group.barrier(&Call { place: &place, stopped: &|| Err(Error::Interrupted) }),
        _ => {
            let flag = std::sync::Arc::default();
            group.tie(&flag);
            while !flag.stopped() {
                std::thread::yield_now();
            }
            assert!(matches!(flag.reason(), Some(Error::Aborted { rank: 0, .. })), "{:?}", flag.reason());
            Ok(())
        }
    });
    assert!(matches!(found, Err(Error::Interrupted)), "{found:?}");
}

/// More bytes than 32 bits can count.
const LONG: usize = (1 << 32) + 5;

/// Returns [`LONG`] bytes. Some of the bytes encode the rank and their own position.
fn long(rank: usize) -> Vec<u8> {
    let mut bytes = vec![0; LONG];
    for place in (0..LONG).step_by(1 << 20).chain([(1 << 32) - 1, 1 << 32, LONG - 1]) {
        bytes[place] = 1 << (rank + place % 3);
    }
    bytes
}

#[test]
#[ignore = "takes 13 GiB of memory: cargo test -p gts-graph-group --lib collectives -- --ignored --test-threads 1"]
fn more_bytes_than_32_bits_count_are_reduced_and_given() {
    let attribute = Merged {
        attribute: 0,
        scalar: ScalarType::U8,
        merge: Merge::Or,
        length: 1,
        vertices: LONG as u64,
        vertex_bytes: 8,
        check: None,
    };
    let found = on_ranks(2, crate::MESSAGE_BYTES, |group, call| {
        let mut own = long(group.rank());
        group.all_reduce(call, &attribute, &mut own, None)?;
        let expected = |place: usize| (1 << (place % 3)) | (1 << (1 + place % 3));
        let wrong = |place: &usize| own[*place] != expected(*place);
        let places = (0..LONG).step_by(1 << 20).chain([(1 << 32) - 1, 1 << 32, LONG - 1]);
        let told = own.iter().filter(|&&byte| byte != 0).count();
        Ok((places.clone().find(wrong), told == places.collect::<std::collections::BTreeSet<_>>().len()))
    });
    assert_eq!(found.expect("memory"), [(None, true); 2]);

    let found = on_ranks(2, crate::MESSAGE_BYTES, |group, call| {
        let mut own = if group.rank() == 0 { long(0) } else { vec![0; LONG] };
        group.broadcast(call, &mut own)?;
        Ok(own == long(0))
    });
    assert_eq!(found.expect("memory"), [true; 2]);

    let found = on_ranks(2, crate::MESSAGE_BYTES, |group, call| {
        let all = if group.rank() == 1 { group.all_gather(call, &long(1))? } else { group.all_gather(call, &[7])? };
        Ok(all[0] == [7] && all[1] == long(1))
    });
    assert_eq!(found.expect("memory"), [true; 2]);
}
