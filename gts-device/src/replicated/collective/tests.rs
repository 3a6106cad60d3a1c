//! Tests that compare collectives with serial folds.

use super::samples::{MERGES, SCALARS, allowed, bytes, dealt, element, fold};
use super::*;
use crate::replica::HostValues;
use gts_contract::ScalarType;
use proptest::prelude::*;
use proptest::sample::select;

/// An attribute's values on each replica, and the vertices that each replica has activated.
#[derive(Clone, Debug)]
struct Case {
    attribute: Merged,
    values: Vec<Vec<u64>>,
    activated: Vec<Vec<bool>>,
}

fn case() -> impl Strategy<Value = Case> {
    let shape = (select(SCALARS.to_vec()), select(MERGES.to_vec()), 1..4u64, 0..200u64, 1..5usize, any::<bool>());
    let shape = shape.prop_filter("merges that the language has", |(scalar, merge, ..)| allowed(*scalar, *merge));
    shape.prop_flat_map(|(scalar, merge, length, vertices, replicas, wide)| {
        let vertex_bytes = if wide { 8 } else { 4 };
        let attribute = Merged { attribute: 0, scalar, merge, length, vertices, vertex_bytes, check: None };
        let values = proptest::collection::vec(any::<u64>(), (vertices * length) as usize);
        let values = proptest::collection::vec(values, replicas);
        let activated = proptest::collection::vec(any::<bool>(), vertices as usize);
        (values, proptest::collection::vec(activated, replicas)).prop_map(move |(values, activated)| {
            let elements = |bits: Vec<u64>| bits.into_iter().map(|bits| element(scalar, bits)).collect();
            Case { attribute, values: values.into_iter().map(elements).collect(), activated }
        })
    })
}

fn words(activated: &[bool]) -> Vec<u64> {
    let word = |bits: &[bool]| bits.iter().enumerate().map(|(bit, &set)| u64::from(set) << bit).sum();
    activated.chunks(64).map(word).collect()
}

fn lend<'a>((values, set): (&'a mut Vec<u8>, &'a mut Vec<u64>)) -> Replica<'a> {
    let activated = ReplicaMemory::Host(HostValues::new(bytemuck::cast_slice_mut(set)));
    Replica { activated, values: vec![ReplicaMemory::Host(HostValues::new(values))] }
}

/// Runs a collective and returns the replicas' values and vertex sets afterwards.
fn after(
    case: &Case,
    action: impl FnOnce(&HostCollective, &mut [Replica<'_>]) -> Result<()>,
) -> (Vec<Vec<u8>>, Vec<Vec<u64>>) {
    let mut values: Vec<Vec<u8>> = case.values.iter().map(|values| bytes(&case.attribute, values)).collect();
    let mut sets: Vec<Vec<u64>> = case.activated.iter().map(|activated| words(activated)).collect();
    let mut replicas: Vec<Replica<'_>> = values.iter_mut().zip(&mut sets).map(lend).collect();
    action(&HostCollective, &mut replicas).expect("the host has the memory");
    drop(replicas);
    (values, sets)
}

proptest! {
    #[test]
    fn a_reduction_is_a_fold_of_the_replicas_in_their_order(case in case()) {
        let Case { attribute, values, .. } = &case;
        let before = &values[0].iter().map(|bits| bits ^ 1).collect::<Vec<_>>();
        let kept = Before::Host(bytes(attribute, before));
        let (found, _) = after(&case, |collective, replicas| {
            let before = (attribute.merge == Merge::Any).then_some(&kept);
            collective.reduce(replicas, 0, attribute, before)
        });
        let narrow = |bits: u64| bytes(attribute, &[bits]);
        let total = |place: usize| match attribute.merge {
            // The first replica with a changed value determines the result.
            Merge::Any => {
                let changed = |&bits: &u64| narrow(bits) != narrow(before[place]);
                let each = values.iter().map(|values| values[place]);
                each.clone().find(changed).unwrap_or(before[place])
            }
            _ => fold(attribute, values.iter().map(|values| values[place])).unwrap_or_default(),
        };
        let expected: Vec<u64> = (0..values[0].len()).map(total).collect();
        for replica in &found {
            prop_assert_eq!(replica, &bytes(attribute, &expected));
        }
    }

    #[test]
    fn uniting_folds_the_values_of_those_that_have_activated_a_vertex(mut case in case()) {
        // Make the replicas equal at vertices that no replica has activated.
        let first = case.values[0].clone();
        let length = case.attribute.length as usize;
        for values in &mut case.values {
            for (place, value) in values.iter_mut().enumerate() {
                if !case.activated.iter().any(|activated| activated[place / length]) {
                    *value = first[place];
                }
            }
        }
        let Case { attribute, values, activated } = &case;
        let (found, sets) =
            after(&case, |collective, replicas| collective.unite(replicas, attribute.vertices, &[*attribute]).map(drop));
        let total = |place: usize| {
            let holders = values.iter().zip(activated).filter(|(_, activated)| activated[place / length]);
            let mut holders = holders.map(|(values, _)| values[place]);
            let total = match attribute.merge {
                Merge::Any => holders.next(),
                _ => fold(attribute, holders),
            };
            total.unwrap_or(first[place])
        };
        let expected: Vec<u64> = (0..values[0].len()).map(total).collect();
        for replica in &found {
            prop_assert_eq!(replica, &bytes(attribute, &expected));
        }
        let union: Vec<bool> =
            (0..attribute.vertices as usize).map(|v| activated.iter().any(|set| set[v])).collect();
        for set in sets {
            prop_assert_eq!(set, words(&union));
        }
    }

    #[test]
    fn receivers_get_what_each_has_of_its_own(
        case in case(),
        cuts in proptest::collection::vec(0..200u64, 0..6),
        receivers in 0..6usize,
    ) {
        let Case { attribute, values, .. } = &case;
        let own = dealt(&cuts, attribute.vertices, values.len());
        let mut expected = values[0].clone();
        for (owner, ranges) in own.iter().enumerate() {
            for range in ranges {
                let elements = (range.start * attribute.length) as usize..(range.end * attribute.length) as usize;
                expected[elements.clone()].copy_from_slice(&values[owner][elements]);
            }
        }
        let gather = |collective: &HostCollective, replicas: &mut [Replica<'_>]| {
            collective.gather(replicas, 0, attribute, &own, receivers)
        };
        let (found, _) = after(&case, gather);
        for (number, replica) in found.iter().enumerate() {
            let expected = if number < receivers { &expected } else { &values[number] };
            prop_assert_eq!(replica, &bytes(attribute, expected));
        }
    }
}

#[test]
fn many_values_are_brought_together_by_all_threads() {
    let vertices = 300_000;
    let attribute = Merged {
        attribute: 0,
        scalar: ScalarType::U32,
        merge: Merge::Min,
        length: 1,
        vertices,
        vertex_bytes: 4,
        check: None,
    };
    let of = |replica: u64| (0..vertices).map(move |v| (v * 7 + replica * 13) % 101).collect();
    let activated = |replica: u64| (0..vertices).map(move |v| v % 3 == replica).collect();
    let mut case = Case { attribute, values: (0..3).map(of).collect(), activated: (0..3).map(activated).collect() };
    let (reduced, _) = after(&case, |collective, replicas| collective.reduce(replicas, 0, &attribute, None));
    let least = |v: usize| case.values.iter().map(|values| values[v]).min().expect("three");
    let expected: Vec<u64> = (0..vertices as usize).map(least).collect();
    assert!(reduced.iter().all(|replica| *replica == bytes(&attribute, &expected)));
    let owned: Vec<u64> = (0..vertices as usize).map(|v| case.values[v % 3][v]).collect();
    case.activated.iter_mut().for_each(|set| set.truncate(vertices as usize));
    let (united, sets) =
        after(&case, |collective, replicas| collective.unite(replicas, vertices, &[attribute]).map(drop));
    assert!(united.iter().all(|replica| *replica == bytes(&attribute, &owned)));
    assert!(sets.iter().all(|set| set.iter().map(|word| u64::from(word.count_ones())).sum::<u64>() == vertices));
    let (told, _) = after(&case, |collective, replicas| collective.broadcast(replicas, 0, &attribute));
    assert!(told.iter().all(|replica| *replica == bytes(&attribute, &case.values[0])));
}
