//! Tests that leftovers of killed builds are removed, and that files of running builds stay.

use super::*;
use std::io::ErrorKind;

/// Creates a temporary directory like that of a build of `target` in another process.
fn leave(place: &Place, target: &str, number: u32) -> PathBuf {
    let left = place.directory.path().join(format!(".{target}.gts-tmp-17-{number}"));
    fs::create_dir_all(left.join("spill")).unwrap();
    fs::write(left.join("spill/run-0"), "edges").unwrap();
    left
}

#[test]
fn cleaning_removes_what_killed_builds_left_alone() {
    let place = Place::new();
    plain().save(place.store()).unwrap();
    let (dead, running) = (leave(&place, "a.gts", 0), leave(&place, "b.gts", 1));
    let foreign = place.directory.path().join(".c.gts-tmp-mine");
    fs::create_dir(&foreign).unwrap();
    let lock = FileSystem.lock_dir(&running).unwrap().unwrap();
    let cleaned = clean(&FileSystem, place.directory.path()).unwrap();
    assert_cleaned(
        &cleaned,
        &Cleaned { removed: vec![dead.clone()], running: vec![running.clone()], ..Cleaned::default() },
    );
    assert!(!dead.exists() && running.exists() && foreign.exists());
    open_store(&place.store()).unwrap();
    drop(lock);
    assert_eq!(clean(&FileSystem, place.directory.path()).unwrap().removed, [running]);
    assert_eq!(place.names(), [".c.gts-tmp-mine", "graph.gts"]);
}

#[test]
fn the_next_build_at_a_place_removes_what_one_before_left() {
    let place = Place::new();
    let (dead, running, other) =
        (leave(&place, "graph.gts", 0), leave(&place, "graph.gts", 1), leave(&place, "other.gts", 0));
    let _lock = FileSystem.lock_dir(&running).unwrap().unwrap();
    plain().save(place.store()).unwrap();
    assert!(!dead.exists() && running.exists() && other.exists());
}

#[test]
fn a_store_that_stepped_aside_is_told_of_and_comes_back() {
    let place = Place::new();
    let aside = place.directory.path().join(".graph.gts.gts-old-17-0");
    plain().save(&aside).unwrap();
    let error = open_store(&place.store()).unwrap_err();
    assert!(matches!(&error, StoreError::SteppedAside { aside: found, .. } if *found == aside), "{error}");
    // A build that is about to rename its store to this path holds the lock.
    let lock = FileSystem.lock_dir(&aside).unwrap();
    let cleaned = clean(&FileSystem, place.directory.path()).unwrap();
    assert_cleaned(&cleaned, &Cleaned { running: vec![aside.clone()], ..Cleaned::default() });
    drop(lock);
    let cleaned = clean(&FileSystem, place.directory.path()).unwrap();
    assert_cleaned(&cleaned, &Cleaned { restored: vec![place.store()], ..Cleaned::default() });
    open_store(&place.store()).unwrap();
    assert_eq!(place.names(), ["graph.gts"]);
}

#[test]
fn a_store_that_stepped_aside_goes_once_another_has_its_place() {
    let place = Place::new();
    let aside = [0, 1].map(|number| place.directory.path().join(format!(".graph.gts.gts-old-17-{number}")));
    aside.iter().for_each(|aside| plain().save(aside).unwrap());
    // It is ambiguous which of the two stores should be restored.
    let cleaned = clean(&FileSystem, place.directory.path()).unwrap();
    assert_cleaned(&cleaned, &Cleaned { replaced: aside.to_vec(), ..Cleaned::default() });
    plain().save(place.store()).unwrap();
    assert_eq!(clean(&FileSystem, place.directory.path()).unwrap().removed, aside);
    assert_eq!(place.names(), ["graph.gts"]);
}

#[test]
fn what_cannot_be_removed_stops_neither_cleaning_nor_a_build() {
    let prepared = || {
        let place = Place::new();
        let left = [leave(&place, "graph.gts", 0), leave(&place, "other.gts", 1)];
        (place, left)
    };
    let denied = |call| FailingIo::once(FileSystem, call, ErrorKind::PermissionDenied);
    // The directory is listed. Then each leftover is locked, opened twice to read its stripes, searched once for
    // further leftovers, and removed.
    for call in 1..=14 {
        let (place, left) = prepared();
        let cleaned = clean(&denied(call), place.directory.path()).unwrap();
        let (kept, removed) = if call <= 7 { (&left[0], &left[1]) } else { (&left[1], &left[0]) };
        assert_eq!(cleaned.removed, std::slice::from_ref(removed), "call {call}");
        let [failed] = &*cleaned.failed else { panic!("call {call}: {:?}", cleaned.failed) };
        assert!(matches!(failed, StoreError::Io { path, .. } if path.starts_with(kept)), "{failed}");
        assert!(kept.exists() && !removed.exists());
    }
    // A build checks for the store and lists the directory, and then repeats this for its own leftovers.
    for call in 2..=8 {
        let (place, left) = prepared();
        save(&denied(call), &plain(), place.store(), &SaveOptions::default()).unwrap();
        assert!(left[0].exists(), "call {call}");
        open_store(&place.store()).unwrap();
    }
    // An existing temporary name does not make a build fail either. The name may be from an earlier process with the
    // same ID.
    let place = Place::new();
    let taken = FailingIo::once(FileSystem, 2, ErrorKind::AlreadyExists);
    save(&taken, &plain(), place.store(), &SaveOptions::default()).unwrap();
}

#[test]
#[cfg(target_os = "linux")]
fn what_is_no_directory_is_nothing_left() {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    let place = Place::new();
    let path = |name: &str| place.directory.path().join(name);
    fs::write(path(".graph.gts.gts-tmp-1-1"), "ten years").unwrap();
    mknodat(CWD, path(".graph.gts.gts-tmp-1-2"), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    fs::create_dir(path("thesis")).unwrap();
    std::os::unix::fs::symlink(path("thesis"), path(".graph.gts.gts-tmp-1-3")).unwrap();
    plain().save(place.store()).unwrap();
    let before = place.names();
    assert_cleaned(&clean(&FileSystem, place.directory.path()).unwrap(), &Cleaned::default());
    assert_eq!(place.names(), before);
    assert_eq!(before.len(), 5);
}

#[test]
fn a_directory_is_locked_once() {
    let place = Place::new();
    let lock = FileSystem.lock_dir(place.directory.path()).unwrap().unwrap();
    assert!(lock.is_certain());
    assert!(FileSystem.lock_dir(place.directory.path()).unwrap().is_none());
    drop(lock);
    assert!(FileSystem.lock_dir(place.directory.path()).unwrap().is_some());
}
