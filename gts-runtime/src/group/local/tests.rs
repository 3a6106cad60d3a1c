//! Groups over sockets, whose ranks are threads of this process.

use super::super::Place;
use super::*;
use crate::device::replicated::Merged;
use gts_core::contract::{Merge, ScalarType};
use tempfile::TempDir;

/// Runs something on each rank of a group over sockets.
fn on_ranks<T: Send>(size: usize, action: impl Fn(LocalGroup) -> T + Sync) -> Vec<T> {
    let folder = TempDir::new().expect("a folder");
    let ranks = 0..size;
    threads::together(ranks, |_, rank| {
        let membership = Membership { folder: folder.path().to_owned(), rank, size, launcher: None };
        action(LocalGroup::join(&membership).expect("a group"))
    })
    .expect("threads")
}

#[test]
fn ranks_reduce_more_than_a_socket_holds() {
    let vertices = 2_000_003;
    let attribute = Merged {
        attribute: 0,
        scalar: ScalarType::U32,
        merge: Merge::Sum,
        length: 1,
        vertices: vertices as u64,
        vertex_bytes: 4,
    };
    let place = Place::new("a sum", ());
    let found = on_ranks(3, |group| {
        let mut values: Vec<u8> = (0..vertices as u32).flat_map(|v| (v + group.rank() as u32).to_le_bytes()).collect();
        group.all_reduce(&Call::new(&place), &attribute, &mut values, None).map(|()| values)
    });
    let expected: Vec<u8> = (0..vertices as u32).flat_map(|v| (3 * v + 3).to_le_bytes()).collect();
    assert!(found.into_iter().all(|values| values.expect("a sum") == expected));
}

#[test]
fn a_rank_that_another_has_found_stopped_is_not_called_crashed() {
    let told = on_ranks(3, |group| {
        let shared = &group.shared;
        match shared.rank {
            // It is killed, because rank 2 has found it stopped and ended.
            0 => {
                shared.closed.store(true, Relaxed);
                shared.peers.iter().flatten().for_each(|peer| peer.stream.shutdown(Shutdown::Both).expect("a socket"));
                thread::sleep(2 * OTHER_WORDS);
                return String::new();
            }
            2 => {
                thread::sleep(OTHER_WORDS / 5);
                shared.end(shared.lost(0, "is stopped"));
            }
            _ => thread::sleep(2 * OTHER_WORDS),
        }
        let state = shared.lock();
        state.ending.error().map_or_else(String::new, ToString::to_string)
    });
    assert!(told[1..].iter().all(|told| told.contains("is stopped")), "{told:?}");
}

#[test]
fn a_rank_that_has_left_misses_nobody() {
    let ended = on_ranks(2, |group| {
        let shared = &group.shared;
        match shared.rank {
            0 => {
                shared.closed.store(true, Relaxed);
                shared.peers.iter().flatten().for_each(|peer| peer.stream.shutdown(Shutdown::Both).expect("a socket"));
            }
            _ => {
                thread::sleep(OTHER_WORDS / 5);
                group.leave();
            }
        }
        thread::sleep(2 * OTHER_WORDS);
        shared.lock().ending.error().cloned()
    });
    assert!(ended.iter().all(Option::is_none), "{ended:?}");
}

#[test]
fn ranks_call_as_often_as_they_like() {
    let place = Place::new("a call", ());
    let found = on_ranks(3, |group| {
        let call = Call::new(&place);
        for turn in 0..300u64 {
            let all = group.all_gather(&call, &(turn * group.rank() as u64).to_le_bytes())?;
            assert_eq!(all, [0, turn, 2 * turn].map(|number| number.to_le_bytes().to_vec()));
        }
        group.leave();
        Ok::<_, Error>(())
    });
    found.into_iter().for_each(|done| done.expect("all calls"));
}

#[test]
fn all_learn_who_failed_and_why() {
    let place = Place::new("kernel `push`", ());
    let found = on_ranks(3, |group| match group.rank() {
        1 => {
            group.abort("the disk is full");
            None
        }
        _ => Some(group.barrier(&Call::new(&place)).expect_err("an end").to_string()),
    });
    let expected = Some("rank 1 of 3 ended the run: the disk is full".to_owned());
    assert_eq!(found, [expected.clone(), None, expected]);
}

#[test]
fn a_rank_that_left_is_named_by_all_who_wait_for_it() {
    let place = Place::new("kernel `push`", ());
    // Others send before the rank has left, or find its socket closed.
    for closed_first in [false, true] {
        let gone = std::sync::Barrier::new(3);
        let found = on_ranks(3, |group| {
            if group.rank() == 1 {
                drop(group);
                gone.wait();
                return String::new();
            }
            if closed_first {
                gone.wait();
            }
            let text = group.barrier(&Call::new(&place)).expect_err("an end").to_string();
            if !closed_first {
                gone.wait();
            }
            text
        });
        for rank in [0, 2] {
            assert!(found[rank].starts_with("rank 1 of 3: process ") && found[rank].contains("has left"), "{found:?}");
        }
    }
}

#[test]
fn a_socket_that_closes_without_a_word_is_a_lost_rank() {
    let place = Place::new("kernel `push`", ());
    let found = on_ranks(3, |group| {
        if group.rank() == 1 {
            // As the system does for a process that is killed.
            group.shared.closed.store(true, Relaxed);
            for peer in group.shared.peers.iter().flatten() {
                peer.stream.shutdown(Shutdown::Both).expect("an open socket");
            }
            return String::new();
        }
        let flag = Arc::default();
        group.tie(&flag);
        let text = group.barrier(&Call::new(&place)).expect_err("an end").to_string();
        assert!(flag.stopped());
        text
    });
    for rank in [0, 2] {
        assert!(found[rank].starts_with("rank 1 of 3: process "), "{found:?}");
        assert!(found[rank].contains("has ended without a word"), "{found:?}");
    }
}

#[test]
fn ranks_of_other_groups_do_not_join() {
    let folder = TempDir::new().expect("a folder");
    let found = threads::together([(0, 2), (1, 3)], |_, (rank, size)| {
        let membership = Membership { folder: folder.path().to_owned(), rank, size, launcher: None };
        LocalGroup::join(&membership).map(drop)
    });
    let found = found.expect("threads");
    assert!(found.iter().any(|joined| matches!(joined, Err(Error::RanksDiffer { .. }))), "{found:?}");
}
