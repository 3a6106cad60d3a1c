//! Compares merges across ranks with merges of replicas in one process, and with serial folds. The ranks use the
//! functions of [`in_process`] instead of NCCL, and host memory instead of GPU memory.

#[path = "in_process.rs"]
mod in_process;

use super::super::communicator::{Bind, Communicator, unique_id};
use super::super::table::UniqueId;
use super::*;
use gts_device::replicated::samples::{MERGES, SCALARS, allowed, bytes, dealt, element, fold, narrow};
use gts_device::replicated::{Before, Collective, HostCollective, HostValues, Replica, ReplicaMemory, combine};
use gts_group::threads;
use in_process::{TABLE, world};
use proptest::prelude::*;
use proptest::sample::select;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::time::{Duration, Instant};

/// A rank's local work in host memory instead of GPU memory. The field is the maximum number of parts per merge.
struct OnHost(usize);

/// Returns the bytes at an address.
///
/// # Safety
///
/// The range of `bytes` bytes must be valid, and nothing else may access the range.
unsafe fn at<'a>(address: u64, bytes: usize) -> &'a mut [u8] {
    // SAFETY: the caller guarantees that the range is valid.
    unsafe { std::slice::from_raw_parts_mut(address as *mut u8, bytes) }
}

impl Local for OnHost {
    fn stream(&self) -> StreamHandle {
        std::ptr::null_mut()
    }

    fn most_parts(&self) -> usize {
        self.0
    }

    unsafe fn upload(&self, bytes: &[u8], address: u64) -> Result<()> {
        // SAFETY: the caller guarantees that the range is valid.
        unsafe { at(address, bytes.len()) }.copy_from_slice(bytes);
        Ok(())
    }

    unsafe fn copy(&self, source: u64, target: u64, bytes: usize) -> Result<()> {
        // SAFETY: the caller guarantees that the ranges are valid and do not overlap.
        unsafe { at(target, bytes).copy_from_slice(at(source, bytes)) };
        Ok(())
    }

    unsafe fn copy_ranges(&self, source: u64, target: u64, bounds: &[[u64; 3]]) -> Result<()> {
        for [start, end, to] in bounds {
            assert_eq!(start % 16, to % 16, "a GPU copies quads");
            // SAFETY: the caller guarantees that the ranges are valid.
            unsafe { self.copy(source + start, target + to, (end - start) as usize) }?;
        }
        Ok(())
    }

    unsafe fn merge(&self, attribute: &Merged, parts: &[u64], range: Range<usize>, before: Option<u64>) -> Result<()> {
        let bytes = range.len();
        assert!(parts.len() <= self.0 && bytes.is_multiple_of(QUAD));
        // SAFETY: the caller guarantees that the parts are valid.
        let mut total = unsafe { at(parts[0], bytes) }.to_vec();
        // SAFETY: the caller guarantees that the range is valid.
        let before = before.map(|before| unsafe { at(before, bytes) }.to_vec());
        for &part in &parts[1..] {
            // SAFETY: the caller guarantees that the parts are valid.
            combine(attribute, 0, &mut total, unsafe { at(part, bytes) }, before.as_deref())?;
        }
        // SAFETY: the caller guarantees that the parts are valid.
        parts.iter().for_each(|&part| unsafe { at(part, bytes) }.copy_from_slice(&total));
        Ok(())
    }

    unsafe fn unite(&self, attribute: &Merged, parts: &[u64], sets: &[u64], words: u64, unites: bool) -> Result<()> {
        assert!(parts.len() <= self.0 && parts.len() == sets.len());
        // SAFETY: the caller guarantees that the sets are valid.
        let sets: Vec<&mut [u8]> = sets.iter().map(|&set| unsafe { at(set, 4 * words as usize) }).collect();
        let size = attribute.value_bytes();
        for v in 0..32 * words as usize {
            let holders: Vec<usize> = (0..sets.len()).filter(|&rank| sets[rank][v / 8] >> (v % 8) & 1 == 1).collect();
            let Some((first, others)) = holders.split_first() else { continue };
            // SAFETY: the caller guarantees that the parts contain the values of all vertices in the sets.
            let value = |rank: usize| unsafe { at(parts[rank] + (v * size) as u64, size) };
            let mut total = value(*first).to_vec();
            if attribute.merge != Merge::Any {
                others.iter().try_for_each(|&other| attribute.merge_into(0, &mut total, value(other)))?;
            }
            (0..parts.len()).for_each(|rank| value(rank).copy_from_slice(&total));
        }
        if unites {
            let mut union = vec![0; 4 * words as usize];
            sets.iter().for_each(|set| union.iter_mut().zip(set.iter()).for_each(|(all, own)| *all |= own));
            sets.into_iter().for_each(|set| set.copy_from_slice(&union));
        }
        Ok(())
    }

    fn wait(&self, check: Stopped<'_>) -> Result<()> {
        check()
    }
}

/// The input of a test: per rank, the attribute values and the activated vertices.
#[derive(Clone, Debug)]
struct Case {
    attributes: Vec<Merged>,
    values: Vec<Vec<Vec<u8>>>,
    activated: Vec<Vec<u64>>,
    vertices: u64,
    most_parts: usize,
    staging: usize,
}

/// Generates cases with up to `most_attributes` attributes of any type and merge, and with fewer than 400 vertices.
fn case(most_attributes: usize) -> impl Strategy<Value = Case> {
    let types = (select(SCALARS.to_vec()), select(MERGES.to_vec()), 1..3u64);
    let types = types.prop_filter("merges that the language has", |(scalar, merge, _)| allowed(*scalar, *merge));
    let types = proptest::collection::vec(types, 1..=most_attributes);
    let shape = (types, 0..400u64, 1..6usize, any::<bool>(), 2..5usize, 0..4usize);
    shape.prop_flat_map(|(types, vertices, ranks, wide, most_parts, more)| {
        let vertex_bytes = if wide { 8 } else { 4 };
        let of = |(attribute, (scalar, merge, length))| Merged {
            attribute,
            scalar,
            merge,
            length,
            vertices,
            vertex_bytes,
            check: None,
        };
        let attributes: Vec<Merged> = types.into_iter().enumerate().map(of).collect();
        // Each slot has room for only a few units, so that even short arrays of values need several blocks.
        let staging = (ranks + 1) * unit_bytes(&attributes) * (1 << more);
        let values = |one: &Merged| proptest::collection::vec(any::<u64>(), (one.vertices * one.length) as usize);
        let values: Vec<_> = attributes.iter().map(values).collect();
        let activated = proptest::collection::vec(0..8u8, vertices as usize);
        proptest::collection::vec((values, activated), ranks).prop_map(move |ranks| {
            let (values, activated): (Vec<Vec<Vec<u64>>>, Vec<Vec<u8>>) = ranks.into_iter().unzip();
            let values = values.into_iter().map(|values| {
                let elements = |(one, bits): (&Merged, Vec<u64>)| {
                    let elements: Vec<u64> = bits.into_iter().map(|bits| element(one.scalar, bits)).collect();
                    bytes(one, &elements)
                };
                attributes.iter().zip(values).map(elements).collect()
            });
            let word = |bits: &[u8]| bits.iter().enumerate().map(|(bit, &any)| u64::from(any == 0) << bit).sum();
            let activated = activated.iter().map(|bits| bits.chunks(64).map(word).collect()).collect();
            let (attributes, values) = (attributes.clone(), values.collect());
            Case { attributes, values, activated, vertices, most_parts, staging }
        })
    })
}

/// The data of each rank after an action: the values of each attribute, and the activated vertices.
type Found = Vec<(Vec<Vec<u8>>, Vec<u64>)>;

/// Runs `action` on replicas in one process, and returns the results.
fn in_one_process(case: &Case, action: impl FnOnce(&mut [Replica<'_>]) -> Result<()>) -> Found {
    let Case { mut values, mut activated, .. } = case.clone();
    let mut replicas: Vec<Replica<'_>> = values
        .iter_mut()
        .zip(&mut activated)
        .map(|(values, set)| Replica {
            activated: ReplicaMemory::Host(HostValues::new(bytemuck::cast_slice_mut(set))),
            values: values.iter_mut().map(|values| ReplicaMemory::Host(HostValues::new(values))).collect(),
        })
        .collect();
    action(&mut replicas).expect("host memory");
    drop(replicas);
    values.into_iter().zip(activated).collect()
}

fn new_id() -> UniqueId {
    unique_id(&TABLE).expect("an id")
}

/// Creates a rank's communicator, for a device that never fails.
fn join(id: UniqueId, rank: usize, ranks: usize, stopped: Stopped<'_>) -> Result<Communicator> {
    Communicator::new(&TABLE, Arc::new(|| true), id, (rank, ranks), stopped)
}

/// Runs `action` on every rank and returns the results. `action` receives the columns, and the address of the set.
fn on_ranks(
    case: &Case,
    action: impl Fn(&Slices<'_, Communicator, OnHost>, &[AttributeAddress<'_>], u64) -> Result<()> + Sync,
) -> Found {
    let (ranks, id) = (case.values.len(), new_id());
    let found = threads::of_each(threads::group(ranks), |rank, _| {
        let padded = |bytes: &[u8]| {
            let mut padded = bytes.to_vec();
            padded.resize(bytes.len().next_multiple_of(QUAD), 0xa5);
            padded
        };
        let mut values: Vec<Vec<u8>> = case.values[rank].iter().map(|values| padded(values)).collect();
        let mut set = padded(bytemuck::cast_slice(&case.activated[rank]));
        let mut staging = vec![0x5a; case.staging];
        let columns = case.attributes.iter().zip(&mut values);
        let columns: Vec<AttributeAddress<'_>> = columns
            .map(|(attribute, values)| AttributeAddress { attribute, address: values.as_mut_ptr() as u64 })
            .collect();
        let communicator = join(id, rank, ranks, &|| Ok(()))?;
        let slices = Slices {
            carrier: &communicator,
            local: &OnHost(case.most_parts),
            staging: Staging { address: staging.as_mut_ptr() as u64, bytes: staging.len() },
            stopped: &|| Ok(()),
        };
        action(&slices, &columns, set.as_mut_ptr() as u64)?;
        let kept = values.into_iter().zip(&case.values[rank]).map(|(mut values, before)| {
            values.truncate(before.len());
            values
        });
        let words = set.chunks_exact(8).map(bytemuck::pod_read_unaligned).take(case.activated[rank].len());
        Ok((kept.collect(), words.collect()))
    });
    let found = found.expect("threads");
    assert_eq!(world(id).ended.load(SeqCst), ranks, "all communicators have ended");
    found
}

/// Returns the serial fold of a vertex's values.
fn folded(attribute: &Merged, before: u64, values: impl Iterator<Item = u64>) -> u64 {
    match attribute.merge {
        Merge::Any => values.map(|bits| narrow(attribute, bits)).find(|&bits| bits != before).unwrap_or(before),
        _ => fold(attribute, values).unwrap_or(before),
    }
}

/// Returns the elements of an attribute as integers.
fn elements(attribute: &Merged, bytes: &[u8]) -> Vec<u64> {
    let element = |bytes: &[u8]| {
        let mut all = [0; 8];
        all[..bytes.len()].copy_from_slice(bytes);
        u64::from_le_bytes(all)
    };
    bytes.chunks_exact(attribute.element_bytes()).map(element).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn a_reduction_is_a_serial_fold_in_the_order_of_the_ranks(case in case(1)) {
        let attribute = &case.attributes[0];
        let own: Vec<Vec<u64>> = case.values.iter().map(|values| elements(attribute, &values[0])).collect();
        let before: Vec<u64> = own[0].iter().map(|bits| narrow(attribute, bits ^ 1)).collect();
        let kept = bytes(attribute, &before);
        let any = attribute.merge == Merge::Any;
        let found = on_ranks(&case, |slices, columns, _| {
            // SAFETY: the addresses belong to buffers of this rank.
            unsafe { slices.reduce(columns[0], any.then_some(&kept[..])) }
        });
        let total = |place: usize| match own.len() {
            // A single rank has nothing to merge.
            1 => own[0][place],
            _ => folded(attribute, before[place], own.iter().map(|own| own[place])),
        };
        let expected: Vec<u64> = (0..own[0].len()).map(total).collect();
        for (values, _) in found {
            prop_assert_eq!(&values[0], &bytes(attribute, &expected));
        }
    }

    #[test]
    fn a_reduction_is_what_replicas_of_one_process_come_to(case in case(1)) {
        let (attribute, kept) = (&case.attributes[0], case.values[0][0].clone());
        let any = attribute.merge == Merge::Any;
        let expected = in_one_process(&case, |replicas| {
            let before = any.then(|| Before::Host(kept.clone()));
            HostCollective.reduce(replicas, 0, attribute, before.as_ref())
        });
        let found = on_ranks(&case, |slices, columns, _| {
            // SAFETY: the addresses belong to buffers of this rank.
            unsafe { slices.reduce(columns[0], any.then_some(&kept[..])) }
        });
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn ranks_unite_as_replicas_of_one_process_do(mut case in case(3), without: bool) {
        if without {
            case.attributes.clear();
            case.values.iter_mut().for_each(Vec::clear);
        }
        // Replicas must have the same values at vertices that no rank has activated.
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
        let expected = in_one_process(&case, |replicas| {
            HostCollective.unite(replicas, case.vertices, &case.attributes).map(drop)
        });
        let found = on_ranks(&case, |slices, columns, set| {
            // SAFETY: the addresses belong to buffers of this rank.
            unsafe { slices.unite(set, case.vertices, columns) }
        });
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn ranks_gather_as_replicas_of_one_process_do(case in case(1), cuts in proptest::collection::vec(0..400u64, 0..9)) {
        let attribute = &case.attributes[0];
        let own = dealt(&cuts, attribute.vertices, case.values.len());
        let expected = in_one_process(&case, |replicas| {
            HostCollective.gather(replicas, 0, attribute, &own, replicas.len())
        });
        let found = on_ranks(&case, |slices, columns, _| {
            // SAFETY: the addresses belong to buffers of this rank.
            unsafe { slices.gather(columns[0], &own) }
        });
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn all_get_what_the_first_has(case in case(1)) {
        let expected = case.values[0][0].clone();
        let found = on_ranks(&case, |slices, columns, _| {
            // SAFETY: the addresses belong to buffers of this rank.
            unsafe { slices.broadcast(columns[0].address, case.attributes[0].bytes()) }
        });
        for (values, _) in found {
            prop_assert_eq!(&values[0], &expected);
        }
    }

    #[test]
    fn windows_hold_every_byte_once_and_no_more_than_fit(
        lengths in proptest::collection::vec((0..40u64, 0..40u64), 0..12),
        value in 1..30u64,
        most in 1..20u64,
    ) {
        let mut next = 0;
        let ranges: Vec<Range<u64>> = lengths
            .into_iter()
            .map(|(gap, length)| {
                let start = next + gap;
                next = start + length;
                start..next
            })
            .collect();
        let mut bytes = Vec::new();
        for window in windows(&ranges, value, 16 * most) {
            prop_assert!(window.bytes > 0 && window.bytes <= 16 * most && window.bytes % 16 == 0);
            let mut behind = 0;
            for [start, end, to] in window.bounds {
                prop_assert!(start < end && start % 16 == to % 16 && to >= behind, "{start} {end} {to} {behind}");
                behind = to + end - start;
                bytes.extend(start..end);
            }
            prop_assert!(behind <= window.bytes);
        }
        let expected: Vec<u64> = ranges.iter().flat_map(|range| range.start * value..range.end * value).collect();
        prop_assert_eq!(bytes, expected);
    }
}

/// Returns a case in which each rank has 1000 integers.
fn numbers(ranks: usize) -> Case {
    let (scalar, merge) = (ScalarType::U32, Merge::Sum);
    let attribute = Merged { attribute: 0, scalar, merge, length: 1, vertices: 1000, vertex_bytes: 4, check: None };
    let values = vec![vec![bytes(&attribute, &[1; 1000])]; ranks];
    let (activated, attributes) = (vec![vec![0; 16]; ranks], vec![attribute]);
    Case { attributes, values, activated, vertices: 1000, most_parts: 16, staging: 1 << 12 }
}

/// A check that several waiting threads share. An error from the check ends the wait of every thread.
type AskedByAll<'a> = &'a (dyn Fn() -> Result<()> + Sync);

/// Runs a reduction on all ranks except the ranks in `missing`, and returns each rank's error, if any.
fn reduced(id: UniqueId, case: &Case, missing: &[usize], stopped: AskedByAll<'_>) -> Vec<Option<Error>> {
    let ranks = case.values.len();
    let found = threads::of_each(threads::group(ranks), |rank, _| {
        let communicator = join(id, rank, ranks, &|| Ok(()))?;
        if missing.contains(&rank) {
            // The rank retains its communicator, and does not reduce.
            std::mem::forget(communicator);
            return Ok(None);
        }
        let (mut values, mut staging) = (case.values[rank][0].clone(), vec![0; case.staging]);
        let column = AttributeAddress { attribute: &case.attributes[0], address: values.as_mut_ptr() as u64 };
        let slices = Slices {
            carrier: &communicator,
            local: &OnHost(case.most_parts),
            staging: Staging { address: staging.as_mut_ptr() as u64, bytes: staging.len() },
            stopped: &|| stopped(),
        };
        // SAFETY: the addresses belong to buffers of this rank.
        let done = unsafe { slices.reduce(column, None) };
        let error = done.err();
        if error.is_some() {
            communicator.abort();
            // After an error, all transfers fail. SAFETY: the addresses belong to buffers of this rank.
            assert!(matches!(unsafe { slices.reduce(column, None) }, Err(Error::Nccl { .. })));
        }
        Ok(error)
    });
    found.expect("threads")
}

#[test]
fn a_rank_that_does_not_come_hangs_no_rank_that_is_told_so() {
    let (id, told) = (new_id(), AtomicBool::new(false));
    let lost = || Error::LostRank { rank: 1, ranks: 3, why: "it is gone".to_owned() };
    let stopped = || {
        // Fail only after the ranks have begun to wait.
        if told.swap(true, SeqCst) { Err(lost()) } else { Ok(()) }
    };
    let found = reduced(id, &numbers(3), &[1], &stopped);
    for rank in [0, 2] {
        assert!(matches!(found[rank], Some(Error::LostRank { rank: 1, .. })), "{found:?}");
    }
    assert_eq!(world(id).aborted.load(SeqCst), 2);
}

#[test]
fn a_failure_of_the_library_is_an_error_with_its_words() {
    let id = new_id();
    let world_of = world(id);
    let begun = AtomicBool::new(false);
    let stopped = || {
        if begun.swap(true, SeqCst) {
            world_of.fail();
        }
        Ok(())
    };
    let found = reduced(id, &numbers(2), &[1], &stopped);
    let Some(error @ Error::Nccl { .. }) = &found[0] else { panic!("{found:?}") };
    assert_eq!(error.to_string(), "NCCL failed in sending slices to other ranks: remote process exited");
    assert_eq!(world_of.aborted.load(SeqCst), 1);
}

#[test]
fn a_rank_that_keeps_its_communicator_hangs_no_other() {
    let id = new_id();
    let found = threads::of_each(threads::group(2), |rank, _| join(id, rank, 2, &|| Ok(())));
    let [kept, left] = <[Communicator; 2]>::try_from(found.expect("threads")).expect("two ranks");
    let begun = Instant::now();
    drop(left);
    assert!(begun.elapsed() < Duration::from_secs(8), "{:?}", begun.elapsed());
    // `destroy` was called, and waits for the other rank.
    assert_eq!(world(id).ended.load(SeqCst), 1);
    drop(kept);
    assert_eq!(world(id).ended.load(SeqCst), 2);
}

#[test]
fn nothing_is_asked_of_a_communicator_whose_device_has_failed() {
    let id = new_id();
    let works = Arc::new(AtomicBool::new(true));
    let bind = Arc::clone(&works);
    let bind: Bind = Arc::new(move || bind.load(SeqCst));
    let communicator = Communicator::new(&TABLE, bind, id, (0, 1), &|| Ok(())).expect("one rank");
    works.store(false, SeqCst);
    drop(communicator);
    assert_eq!([world(id).ended.load(SeqCst), world(id).aborted.load(SeqCst)], [0, 0]);
}

#[test]
fn ranks_that_cannot_join_are_told() {
    let error = join(new_id(), 3, 2, &|| Ok(())).expect_err("no such rank");
    assert!(matches!(error, Error::Nccl { .. }), "{error}");
    let id = new_id();
    // The other rank never joins.
    let stopped = || Err(Error::Interrupted);
    let error = join(id, 0, 2, &stopped).expect_err("a rank by itself");
    assert!(matches!(error, Error::Interrupted), "{error}");
    assert_eq!(world(id).aborted.load(SeqCst), 1);
}
