//! Tests that no store is lost or left incomplete when any file system call fails.

use super::*;
use std::io::ErrorKind;

/// A constructor for a file system that fails at a given call.
type Fail = fn(FileSystem, u64, ErrorKind) -> FailingIo<FileSystem>;

const WAYS: [(Fail, ErrorKind); 4] = [
    (FailingIo::once, ErrorKind::Other),
    (FailingIo::from_then_on, ErrorKind::Other),
    (FailingIo::once, ErrorKind::StorageFull),
    (FailingIo::from_then_on, ErrorKind::StorageFull),
];

/// Returns the number of file system calls that `work` makes.
fn calls(work: impl FnOnce(&dyn Io)) -> u64 {
    let io = FailingIo::once(FileSystem, u64::MAX, ErrorKind::Other);
    work(&io);
    io.calls()
}

/// Checks that nothing in the place can be opened except the store.
fn assert_nothing_else_opens(place: &Place) {
    for name in place.names().iter().filter(|name| *name != "graph.gts" && !name.contains(".gts-old-")) {
        assert!(open_store(&place.directory.path().join(name)).is_err(), "{name} opens");
    }
}

#[test]
fn a_failed_save_leaves_nothing_that_opens() {
    let graph = sample();
    let total = calls(|io| save(io, &graph, Place::new().store(), &SaveOptions::default()).unwrap());
    assert!(total > 30);
    for (fail, kind) in WAYS {
        for call in 0..total {
            let place = Place::new();
            let io = fail(FileSystem, call, kind);
            let error = save(&io, &graph, place.store(), &SaveOptions::default()).expect_err("a call failed");
            assert!(matches!(&error, StoreError::Io { source, .. } if source.kind() == kind), "{error}");
            if kind == ErrorKind::StorageFull {
                assert!(format!("{error:?}").contains("free some space"), "{error}");
            }
            assert_nothing_else_opens(&place);
            match open_store(&place.store()) {
                // The last call, which makes the name durable, failed, and so did restoring the old name.
                Ok(opened) => {
                    assert_same(&opened, &graph);
                    assert_eq!(call, total - 1);
                }
                Err(StoreError::NotAStore { .. }) => {}
                Err(error) => panic!("call {call}: {error}"),
            }
            // If the disk recovers, the next build succeeds.
            if !place.store().exists() {
                graph.save(place.store()).unwrap();
            }
        }
    }
}

/// Creates a place that contains a copy of a store.
fn with_copy(store: &Path) -> Place {
    let place = Place::new();
    fs::create_dir(place.store()).unwrap();
    for (name, bytes) in contents(store) {
        fs::write(place.store().join(name), bytes).unwrap();
    }
    place
}

const REPLACE: SaveOptions = SaveOptions { replace: true, stripes: Vec::new() };

#[test]
fn a_failed_replacement_keeps_the_old_store() {
    // The previous test writes files of all kinds, so small stores are sufficient here.
    let (old, new) = (plain(), Graph::builder().edges([(0, 1)]).page_size(4096).build().unwrap());
    let saved = Place::new();
    old.save(saved.store()).unwrap();
    for (exchanges, ways) in [(true, &WAYS[..]), (false, &WAYS[..2])] {
        let io = |io: FailingIo<FileSystem>| if exchanges { io } else { io.without_exchange() };
        let counting = io(FailingIo::once(FileSystem, u64::MAX, ErrorKind::Other));
        save(&counting, &new, with_copy(&saved.store()).store(), &REPLACE).unwrap();
        for &(fail, kind) in ways {
            for call in 0..counting.calls() {
                let place = with_copy(&saved.store());
                let error = save(&io(fail(FileSystem, call, kind)), &new, place.store(), &REPLACE).unwrap_err();
                assert_nothing_else_opens(&place);
                let stores: Vec<_> = place.names().into_iter().filter(|name| !name.contains(".gts-tmp-")).collect();
                let kept = stores.iter().filter_map(|name| open_store(&place.directory.path().join(name)).ok());
                let kept: Vec<_> = kept.map(|graph| graph.num_edges()).collect();
                if matches!(error, StoreError::Leftover { .. }) {
                    assert_eq!(open_store(&place.store()).unwrap().num_edges(), new.num_edges());
                } else if !kept.contains(&old.num_edges()) {
                    // The new store could not be made durable, and the old name could not be restored.
                    assert!(error.to_string().contains("cannot sync") && exchanges, "call {call}: {error}");
                    assert_eq!(kept, [new.num_edges()], "call {call}: {error}");
                }
            }
        }
    }
}

#[test]
fn a_build_that_is_killed_while_it_replaces_a_store_leaves_one() {
    let saved = Place::new();
    plain().save(saved.store()).unwrap();
    for exchanges in [true, false] {
        let io = |io: FailingIo<FileSystem>| if exchanges { io } else { io.without_exchange() };
        let counting = io(FailingIo::once(FileSystem, u64::MAX, ErrorKind::Other));
        save(&counting, &plain(), with_copy(&saved.store()).store(), &REPLACE).unwrap();
        let mut aside = 0;
        for call in 0..counting.calls() {
            let place = with_copy(&saved.store());
            let killed = io(FailingIo::from_then_on(FileSystem, call, ErrorKind::Other));
            save(&killed, &plain(), place.store(), &REPLACE).unwrap_err();
            match open_store(&place.store()) {
                Err(StoreError::SteppedAside { .. }) => aside += 1,
                opened => drop(opened.unwrap()),
            }
            assert!(clean(&FileSystem, place.directory.path()).unwrap().failed.is_empty());
            open_store(&place.store()).unwrap();
            assert_eq!(place.names(), ["graph.gts"], "call {call}");
        }
        assert_eq!(aside, if exchanges { 0 } else { 1 });
    }
}

#[test]
fn a_failed_read_is_an_error_that_names_the_file() {
    let place = Place::new();
    sample().save(place.store()).unwrap();
    let open_all = |io: &dyn Io| open(io, place.store(), &|_, _| ());
    let total = calls(|io| drop(open_all(io).unwrap()));
    for (call, kind) in (0..total).flat_map(|call| [(call, ErrorKind::Other), (call, ErrorKind::PermissionDenied)]) {
        let io = FailingIo::once(FileSystem, call, kind);
        let error = open_all(&io).expect_err("a call failed");
        assert!(error.to_string().contains("graph.gts"), "{error}");
        // A store that cannot be read is still recognised as a store.
        assert!(!matches!(error, StoreError::NotAStore { .. }), "call {call}: {error}");
    }
}
