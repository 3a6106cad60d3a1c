//! Tests that a store does not open if its bytes have changed since they were written.

use super::*;

/// Saves `graph`. Returns the place and the contents of the store's files.
fn saved(graph: &Graph) -> (Place, BTreeMap<String, Vec<u8>>) {
    let place = Place::new();
    graph.save(place.store()).unwrap();
    let files = contents(&place.store());
    (place, files)
}

#[test]
fn a_flipped_bit_is_found_in_every_byte_of_every_file() {
    for graph in [sample(), plain()] {
        let (place, files) = saved(&graph);
        for (name, bytes) in &files {
            let path = place.store().join(name);
            let mut damaged = bytes.clone();
            // Pages are large, and each byte is verified in the same way, so a sample of bytes is sufficient.
            let step = if name.ends_with(".pages") { 61 } else { 1 };
            for at in (0..bytes.len()).step_by(step) {
                damaged[at] ^= 1 << (at % 8);
                fs::write(&path, &damaged).unwrap();
                let error = open_store(&place.store()).expect_err(&format!("bit flipped at {at} of {name}"));
                assert!(error.to_string().contains(name.as_str()) || name == "manifest", "{error}");
                assert!(error.to_string().len() < 1024);
                damaged[at] = bytes[at];
            }
            fs::write(&path, bytes).unwrap();
        }
        open_store(&place.store()).unwrap();
    }
}

#[test]
fn a_file_cut_short_or_extended_or_missing_is_found() {
    let (place, files) = saved(&sample());
    for (name, bytes) in &files {
        let path = place.store().join(name);
        for len in [0, 1, bytes.len() / 2, bytes.len().saturating_sub(1), bytes.len() + 1, bytes.len() + 4096] {
            let mut other = bytes.clone();
            other.resize(len, b'\n');
            fs::write(&path, &other).unwrap();
            assert!(len == bytes.len() || open_store(&place.store()).is_err(), "{name} of {len} bytes");
        }
        fs::remove_file(&path).unwrap();
        assert!(open_store(&place.store()).is_err(), "{name} missing");
        fs::create_dir(&path).unwrap();
        assert!(open_store(&place.store()).is_err(), "{name} a directory");
        fs::remove_dir(&path).unwrap();
        fs::write(&path, bytes).unwrap();
    }
    open_store(&place.store()).unwrap();
}

#[test]
fn a_file_cut_short_is_told_by_its_sizes_and_an_absent_one_by_its_name() {
    let (place, files) = saved(&sample());
    for (name, bytes) in files.iter().filter(|(name, _)| *name != "manifest") {
        let path = place.store().join(name);
        fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
        let error = open_store(&place.store()).unwrap_err();
        let StoreError::Size { path: cut, found, expected } = error else { panic!("{error}") };
        assert_eq!((cut, found, expected), (path.clone(), bytes.len() as u64 - 1, bytes.len() as u64));
        fs::remove_file(&path).unwrap();
        let error = open_store(&place.store()).unwrap_err();
        let StoreError::Io { action: "open", path: absent, source } = error else { panic!("{error}") };
        assert_eq!((absent, source.kind()), (path.clone(), std::io::ErrorKind::NotFound));
        fs::write(&path, bytes).unwrap();
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_or_link_in_the_place_of_a_file_is_refused_without_waiting() {
    let (place, files) = saved(&plain());
    let path = place.store().join("out.pages");
    fs::remove_file(&path).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
    assert!(matches!(open_store(&place.store()), Err(StoreError::Io { .. })));

    fs::remove_file(&path).unwrap();
    let elsewhere = place.directory.path().join("elsewhere");
    fs::write(&elsewhere, &files["out.pages"]).unwrap();
    std::os::unix::fs::symlink(&elsewhere, &path).unwrap();
    assert!(matches!(open_store(&place.store()), Err(StoreError::Io { .. })));
}

#[test]
fn files_of_two_stores_do_not_mix() {
    let (place, files) = saved(&plain());
    let other = Graph::builder().edges([(0, 1), (1, 2), (2, 0), (2, 2)]).page_size(4096).build().unwrap();
    let (_other, others) = saved(&other);
    for name in files.keys().filter(|name| files[*name] != others[*name]) {
        fs::write(place.store().join(name), &others[name]).unwrap();
        assert!(open_store(&place.store()).is_err(), "{name} of another store");
        fs::write(place.store().join(name), &files[name]).unwrap();
    }
}

#[test]
fn what_is_no_store_is_refused_by_name() {
    let place = Place::new();
    let error = open_store(&place.store()).unwrap_err();
    assert!(matches!(error, StoreError::NotAStore { .. }), "{error}");
    fs::write(place.store(), "1 2\n").unwrap();
    assert!(matches!(open_store(&place.store()), Err(StoreError::NotAStore { .. })));
    fs::remove_file(place.store()).unwrap();
    fs::create_dir(place.store()).unwrap();
    assert!(matches!(open_store(&place.store()), Err(StoreError::NotAStore { .. })));
    fs::write(place.store().join("manifest"), "<html>").unwrap();
    assert!(matches!(open_store(&place.store()), Err(StoreError::NotAStore { .. })));
}

#[test]
fn a_store_of_another_version_is_refused_by_it() {
    let (place, files) = saved(&plain());
    for (version, advice) in [(7, "newer gts"), (5, "from its input")] {
        let other = format!("store {version}");
        let text = String::from_utf8(files["manifest"].clone()).unwrap().replacen("store 6", &other, 1);
        fs::write(place.store().join("manifest"), text).unwrap();
        let error = open_store(&place.store()).unwrap_err();
        assert!(matches!(error, StoreError::Version { found, known: 6, .. } if found == version), "{error}");
        assert!(format!("{error:?}").contains(advice), "{error:?}");
    }
}
