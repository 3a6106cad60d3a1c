//! Tests that compare merges between ranks with merges between replicas of one process.

use super::*;
use crate::{Place, threads};
use gts_contract::{Merge, ScalarType};
use gts_device::replicated::samples::dealt;
use gts_device::replicated::{Collective, HostCollective, HostValues, Replica, ReplicaMemory};
use proptest::prelude::*;
use proptest::sample::select;

const TYPES: [(ScalarType, Merge); 6] = [
    (ScalarType::U64, Merge::Sum),
    (ScalarType::F32, Merge::Sum),
    (ScalarType::U8, Merge::Or),
    (ScalarType::I32, Merge::Min),
    (ScalarType::VertexId, Merge::Max),
    (ScalarType::U16, Merge::Any),
];

/// The state of all ranks: the values of up to two attributes, and the vertices that each rank has activated.
#[derive(Clone, Debug)]
struct Case {
    attributes: Vec<Merged>,
    values: Vec<Vec<Vec<u8>>>,
    activated: Vec<Vec<u64>>,
    message_bytes: usize,
}

fn case() -> impl Strategy<Value = Case> {
    let types = proptest::collection::vec((select(TYPES.to_vec()), 1..3u64), 0..3);
    (types, 0..300u64, 1..5usize, 1..900usize).prop_flat_map(|(types, vertices, ranks, message_bytes)| {
        let of = |(attribute, ((scalar, merge), length))| Merged {
            attribute,
            scalar,
            merge,
            length,
            vertices,
            vertex_bytes: 4,
            check: None,
        };
        let attributes: Vec<Merged> = types.into_iter().enumerate().map(of).collect();
        let values = attributes.iter().map(|one| proptest::collection::vec(0..3u8, one.bytes())).collect::<Vec<_>>();
        let activated = proptest::collection::vec(0..8u8, vertices as usize);
        let rank = (values, activated);
        proptest::collection::vec(rank, ranks).prop_map(move |ranks| {
            let (values, activated): (Vec<_>, Vec<Vec<u8>>) = ranks.into_iter().unzip();
            let word = |bits: &[u8]| bits.iter().enumerate().map(|(bit, &any)| u64::from(any == 0) << bit).sum();
            let activated = activated.iter().map(|bits| bits.chunks(64).map(word).collect()).collect();
            Case { attributes: attributes.clone(), values, activated, message_bytes }
        })
    })
}

/// Runs `action` on replicas in one process. Returns the values and sets of all replicas.
fn in_one_process(case: &Case, action: impl FnOnce(&mut [Replica<'_>])) -> (Vec<Vec<Vec<u8>>>, Vec<Vec<u64>>) {
    let Case { mut values, mut activated, .. } = case.clone();
    let mut replicas: Vec<Replica<'_>> = values
        .iter_mut()
        .zip(&mut activated)
        .map(|(values, set)| Replica {
            activated: ReplicaMemory::Host(HostValues::new(bytemuck::cast_slice_mut(set))),
            values: values.iter_mut().map(|values| ReplicaMemory::Host(HostValues::new(values))).collect(),
        })
        .collect();
    action(&mut replicas);
    drop(replicas);
    (values, activated)
}

/// Runs `action` on every rank. Returns the values and sets of all ranks.
fn on_ranks(
    case: &Case,
    action: impl Fn(&dyn Group, &Call<'_>, &mut [u64], &mut [&mut [u8]]) -> Result<()> + Sync,
) -> (Vec<Vec<Vec<u8>>>, Vec<Vec<u64>>) {
    let place = Place::new("a test", ());
    let group = threads::group_with(case.values.len(), case.message_bytes);
    let found = threads::of_each(group, |rank, group| {
        let (mut values, mut set) = (case.values[rank].clone(), case.activated[rank].clone());
        let mut lent: Vec<&mut [u8]> = values.iter_mut().map(Vec::as_mut_slice).collect();
        action(&group, &Call::new(&place), &mut set, &mut lent)?;
        Ok((values, set))
    });
    found.expect("threads").into_iter().unzip()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn ranks_unite_as_replicas_of_one_process_do(mut case in case()) {
        // Ranks hold the same values at vertices that no rank has activated.
        let first = case.values[0].clone();
        for values in &mut case.values {
            for ((attribute, values), first) in case.attributes.iter().zip(values).zip(&first) {
                let size = attribute.value_bytes();
                for (v, (value, first)) in values.chunks_mut(size).zip(first.chunks(size)).enumerate() {
                    if case.activated.iter().all(|set| set[v / 64] >> (v % 64) & 1 == 0) {
                        value.copy_from_slice(first);
                    }
                }
            }
        }
        let vertices = case.activated[0].len() as u64 * 64;
        let vertices = case.attributes.first().map_or(vertices, |one| one.vertices);
        let expected = in_one_process(&case, |replicas| {
            HostCollective.unite(replicas, vertices, &case.attributes).map(drop).expect("host memory");
        });
        let found = on_ranks(&case, |group, call, set, values| {
            unite(group, call, vertices, &case.attributes, set, values)
        });
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn ranks_gather_as_replicas_of_one_process_do(case in case(), cuts in proptest::collection::vec(0..300u64, 0..9)) {
        let Some(attribute) = case.attributes.first() else { return Ok(()) };
        let own = dealt(&cuts, attribute.vertices, case.values.len());
        let expected = in_one_process(&case, |replicas| {
            HostCollective.gather(replicas, 0, attribute, &own, replicas.len()).expect("host memory");
        });
        let found = on_ranks(&case, |group, call, _, values| gather(group, call, attribute, &own, values[0]));
        prop_assert_eq!(found, expected);
    }
}
