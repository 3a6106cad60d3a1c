//! Whatever call of the file system fails: no store is lost, none is half there.

use super::*;
use std::io::ErrorKind;

/// A way to fail from a given call on.
type Fail = fn(FileSystem, u64, ErrorKind) -> FailingIo<FileSystem>;

const WAYS: [(Fail, ErrorKind); 4] = [
    (FailingIo::once, ErrorKind::Other),
    (FailingIo::from_then_on, ErrorKind::Other),
    (FailingIo::once, ErrorKind::StorageFull),
    (FailingIo::from_then_on, ErrorKind::StorageFull),
];

/// How often saving or opening the sample calls the file system.
fn calls(work: impl FnOnce(&dyn Io)) -> u64 {
    let io = FailingIo::once(FileSystem, u64::MAX, ErrorKind::Other);
    work(&io);
    io.calls()
}

/// No name in the place opens but the store's.
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
                assert!(error.to_string().contains("free some space"), "{error}");
            }
            assert_nothing_else_opens(&place);
            match open_store(&place.store()) {
                // The last call, which makes the name durable, failed, and so did taking the name back.
                Ok(opened) => {
                    assert_same(&opened, &graph);
                    assert_eq!(call, total - 1);
                }
                Err(StoreError::NotAStore { .. }) => {}
                Err(error) => panic!("call {call}: {error}"),
            }
            // A disk that recovers lets the next build through.
            if !place.store().exists() {
                graph.save(place.store()).unwrap();
            }
        }
    }
}

#[test]
fn a_failed_replacement_keeps_the_old_store() {
    let (old, new) = (plain(), sample());
    let prepared = || {
        let place = Place::new();
        old.save(place.store()).unwrap();
        place
    };
    let replace = SaveOptions { replace: true, ..SaveOptions::default() };
    let total = calls(|io| save(io, &new, prepared().store(), &replace).unwrap());
    for (fail, kind) in WAYS {
        for call in 0..total {
            let place = prepared();
            let io = fail(FileSystem, call, kind);
            let error = save(&io, &new, place.store(), &replace).expect_err("a call failed");
            assert_nothing_else_opens(&place);
            let stores: Vec<_> = place.names().into_iter().filter(|name| !name.contains(".gts-tmp-")).collect();
            let kept = stores.iter().filter_map(|name| open_store(&place.directory.path().join(name)).ok());
            let kept: Vec<_> = kept.map(|graph| graph.num_edges()).collect();
            if matches!(error, StoreError::Leftover { .. }) {
                assert_eq!(open_store(&place.store()).unwrap().num_edges(), new.num_edges());
            } else {
                // Where even stepping back fails, the old store stands beside its place, whole.
                assert!(kept.contains(&old.num_edges()), "call {call}: {error}");
            }
        }
    }
}

#[test]
fn a_failed_read_is_an_error_that_names_the_file() {
    let place = Place::new();
    sample().save(place.store()).unwrap();
    let open_all = |io: &dyn Io| open(io, place.store(), &|_, _| ());
    let total = calls(|io| drop(open_all(io).unwrap()));
    for call in 0..total {
        let io = FailingIo::once(FileSystem, call, ErrorKind::Other);
        let error = open_all(&io).expect_err("a call failed");
        assert!(error.to_string().contains("graph.gts"), "{error}");
    }
}
