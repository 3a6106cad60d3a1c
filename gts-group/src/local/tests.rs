//! Tests of groups over sockets. The ranks are threads of this process.

use super::super::{MOST_LOCAL_RANKS, Place};
use super::*;
use gts_contract::{Merge, ScalarType};
use gts_device::replicated::Merged;
use std::fs::{self, Permissions};
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use tempfile::TempDir;

/// Creates a folder for a group.
fn folder() -> TempDir {
    tempfile::Builder::new().permissions(Permissions::from_mode(0o700)).tempdir().expect("a folder")
}

/// Returns the memberships of all ranks of a group in a folder.
fn memberships(folder: &TempDir, size: usize) -> impl Iterator<Item = Membership> {
    let word = Word::random().expect("random numbers");
    let of = move |rank| Membership {
        folder: folder.path().to_owned(),
        word: word.clone(),
        rank,
        size,
        launcher: None,
        stall_limit: None,
    };
    (0..size).map(of)
}

/// Runs an action on each rank of a group over sockets.
fn on_ranks<T: Send>(size: usize, action: impl Fn(LocalGroup) -> T + Sync) -> Vec<T> {
    let folder = folder();
    let memberships: Vec<_> = memberships(&folder, size).collect();
    threads::together(memberships, |_, membership| action(LocalGroup::join(&membership).expect("a group")))
        .expect("threads")
}

/// Waits until a rank listens, then connects to the rank.
fn intrude(membership: &Membership) -> UnixStream {
    loop {
        match UnixStream::connect(membership.socket()) {
            Ok(stream) => return stream,
            Err(_) => thread::sleep(Duration::from_millis(1)),
        }
    }
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
        check: None,
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
            // Simulates a stopped rank that the launcher kills after rank 2 has reported the stop.
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
fn a_rank_that_has_left_misses_no_other() {
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
fn a_rank_leaves_once_its_end_is_reported() {
    let place = Place::new("kernel `push`", ());
    let found = on_ranks(2, |group| {
        let reported = Arc::new(AtomicBool::new(false));
        let report = Arc::clone(&reported);
        group.when_ended(move |_| {
            thread::sleep(Duration::from_millis(300));
            report.store(true, Relaxed);
        });
        if group.rank() == 1 {
            group.abort("the disk is full");
        }
        group.barrier(&Call::new(&place)).expect_err("an end");
        // The process may end after this call.
        group.leave();
        reported.load(Relaxed)
    });
    assert_eq!(found, [true, true]);
}

#[test]
fn a_rank_that_left_is_named_by_all_who_wait_for_it() {
    let place = Place::new("kernel `push`", ());
    // The other ranks send either before or after the rank's socket is closed.
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
            // The system closes the sockets of a killed process in the same way.
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
    let folder = folder();
    let [first, mut second] = memberships(&folder, 2).collect::<Vec<_>>().try_into().expect("two");
    second.size = 3;
    let found = threads::together([first, second], |_, membership| LocalGroup::join(&membership).map(drop));
    let found = found.expect("threads");
    assert!(found.iter().all(|joined| matches!(joined, Err(Error::RanksDiffer { .. }))), "{found:?}");
    assert_eq!(fs::read_dir(&folder).expect("the folder").count(), 0, "sockets are left");
}

#[test]
fn a_rank_with_another_word_is_refused_and_told() {
    let folder = folder();
    let [first, second] = memberships(&folder, 2).collect::<Vec<_>>().try_into().expect("two");
    let other = Membership { word: Word::random().expect("random numbers"), ..second.clone() };
    let found = threads::together([first, second, other], |number, membership| {
        // The rank with the intruder's number connects later.
        if number == 1 {
            thread::sleep(Duration::from_millis(300));
        }
        LocalGroup::join(&membership).map(drop).map_err(|error| error.to_string())
    });
    let found = found.expect("threads");
    assert_eq!(found[..2], [Ok(()), Ok(())]);
    assert!(found[2].as_ref().is_err_and(|error| error.contains("not that of this group")), "{found:?}");
}

#[test]
fn strangers_do_not_delay_a_group() {
    const STRANGERS: u32 = 20;
    let folder = folder();
    let [first, second] = memberships(&folder, 2).collect::<Vec<_>>().try_into().expect("two");
    let forged = FrameHead::of(FrameKind::Hello).bytes(0);
    let (answers, took) = while_first_waits(&first, |first| {
        let mut strangers: Vec<UnixStream> = (0..STRANGERS).map(|_| intrude(first)).collect();
        strangers[1].write_all(&forged[..7]).expect("a part of a message");
        strangers[2].write_all(&forged).expect("a message");
        strangers[3].write_all(&[b'x'; 2000]).expect("no message");
        let begun = Instant::now();
        LocalGroup::join(&second).expect("a group");
        let took = begun.elapsed();
        let read = |mut stranger: UnixStream| stranger.read(&mut [0; 1]).unwrap_or(0);
        (strangers.into_iter().map(read).sum::<usize>(), took)
    });
    assert_eq!(answers, 0, "a stranger was answered");
    assert!(took < STRANGERS * Duration::from_millis(100), "{took:?}");
}

/// Runs an action while the first rank of a group waits for the other ranks.
fn while_first_waits<T: Send>(first: &Membership, action: impl Fn(&Membership) -> T + Sync) -> T {
    let done = threads::together([true, false], |_, joins| match joins {
        true => {
            LocalGroup::join(first).expect("a group");
            None
        }
        false => Some(action(first)),
    });
    done.expect("threads").into_iter().flatten().next().expect("it is done")
}

#[test]
fn a_folder_that_others_can_enter_is_refused() {
    let folder = folder();
    let mut membership = memberships(&folder, 2).next().expect("a rank");
    for mode in [0o711, 0o770, 0o777] {
        fs::set_permissions(&folder, Permissions::from_mode(mode)).expect("a folder of ours");
        let error = LocalGroup::join(&membership).expect_err("it is refused").to_string();
        assert!(error.contains("by other users"), "{error}");
    }
    fs::write(folder.path().join("file"), "").expect("a file");
    for (name, why) in [("file", "is not a folder"), ("none", "cannot be entered")] {
        membership.folder = folder.path().join(name);
        let error = LocalGroup::join(&membership).expect_err("it is refused").to_string();
        assert!(error.contains(why), "{error}");
    }
}

#[test]
fn a_rank_outside_of_its_group_is_refused() {
    let folder = folder();
    let membership = memberships(&folder, 2).next().expect("a rank");
    for (rank, size) in [(0, 0), (2, 2), (0, MOST_LOCAL_RANKS + 1), (0, usize::MAX), (usize::MAX, usize::MAX)] {
        let joined = LocalGroup::join(&Membership { rank, size, ..membership.clone() });
        assert!(matches!(joined, Err(Error::Argument { .. })), "{joined:?}");
    }
    assert_eq!(fs::read_dir(&folder).expect("the folder").count(), 0, "sockets are left");
}

#[test]
fn a_busy_rank_ends_the_run_if_there_is_a_stall_limit() {
    let place = Place::new("kernel `push`", ());
    for limit in [None, Some(Duration::from_millis(300))] {
        let folder = folder();
        let with_limit = |membership| Membership { stall_limit: limit, ..membership };
        let memberships: Vec<_> = memberships(&folder, 3).map(with_limit).collect();
        let found = threads::together(memberships, |_, membership| {
            let group = LocalGroup::join(&membership).expect("a group");
            if group.rank() == 1 {
                thread::sleep(3 * BEAT);
            }
            group.barrier(&Call::new(&place)).map_err(|error| error.to_string())
        });
        let found = found.expect("threads");
        match limit {
            None => assert_eq!(found, [Ok(()), Ok(()), Ok(())]),
            Some(_) => {
                let is_named =
                    |error: &String| error.starts_with("rank 1 of 3: process ") && error.contains("the stall limit");
                assert!(found.iter().all(|done| done.as_ref().is_err_and(is_named)), "{found:?}");
            }
        }
    }
}
