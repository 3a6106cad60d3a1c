//! What killed builds leave goes; what running ones write stays.

use super::*;

/// A temporary directory as a build of `target` by another process would have.
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
    assert_eq!(cleaned, Cleaned { removed: vec![dead.clone()], running: vec![running.clone()], ..Cleaned::default() });
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
fn a_store_that_stepped_aside_goes_only_once_another_has_its_place() {
    let place = Place::new();
    let aside = place.directory.path().join(".graph.gts.gts-old-17-0");
    plain().save(&aside).unwrap();
    let cleaned = clean(&FileSystem, place.directory.path()).unwrap();
    assert_eq!(cleaned, Cleaned { replaced: vec![aside.clone()], ..Cleaned::default() });
    plain().save(place.store()).unwrap();
    assert_eq!(clean(&FileSystem, place.directory.path()).unwrap().removed, [aside]);
    assert_eq!(place.names(), ["graph.gts"]);
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
