//! Tests stores whose pages are spread over several directories.

use super::*;
use crate::build::{BuildOptions, build, build_store};
use gts_contract::Side;
use std::io::ErrorKind;

/// A place with additional directories for stripes.
struct Stripes {
    place: Place,
    directories: Vec<PathBuf>,
}

impl Stripes {
    fn new(count: usize) -> Self {
        let place = Place::new();
        let directories: Vec<_> = (0..count).map(|disk| place.directory.path().join(format!("disk-{disk}"))).collect();
        directories.iter().for_each(|directory| fs::create_dir(directory).unwrap());
        Self { place, directories }
    }

    fn options(&self, replace: bool) -> SaveOptions {
        SaveOptions { replace, stripes: self.directories.clone() }
    }

    /// Returns the names of the entries in all stripe directories.
    fn names(&self) -> Vec<String> {
        let entries = self.directories.iter().flat_map(|directory| fs::read_dir(directory).unwrap());
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    fn stripes(&self) -> Vec<PathBuf> {
        info(self.place.store()).unwrap().stripes
    }
}

/// Creates a graph with several pages in each direction.
fn pages() -> Graph {
    let mut stream = crate::generate::parse("rmat:9,weights=f32").unwrap();
    let options = BuildOptions { page_size: Some(4096), in_edges: true, ..BuildOptions::default() };
    build(&mut stream, &options).unwrap().0
}

fn on_disk(path: &Path, pages: u64) -> Result<Graph, StoreError> {
    let open = |bytes| Graph::open_with(path, &OpenOptions { host_memory: Some(bytes), ..OpenOptions::default() });
    match open(0) {
        Err(StoreError::HostMemory { least, .. }) => open(least + (pages - 2) * 4096),
        other => other,
    }
}

#[test]
fn pages_come_back_from_any_number_of_stripes() {
    let graph = pages();
    let count = graph.out_topology().num_pages() as usize;
    assert!(count > 8);
    for disks in [1, 2, 3, 7, 40] {
        let stripes = Stripes::new(disks);
        let path = stripes.place.store();
        graph.save_with(&path, &stripes.options(false)).unwrap();
        assert_same(&graph, &open_store(&path).unwrap());
        for room in [2, 5, 9] {
            let stored = on_disk(&path, room).unwrap();
            assert!(!stored.is_resident());
            let edges =
                |graph: &Graph| -> Vec<_> { graph.weighted_edges::<f32>().unwrap().map(Result::unwrap).collect() };
            assert_eq!(edges(&stored), edges(&graph));
        }
        let report = verify(&path, &|_, _| ()).unwrap();
        assert_eq!(
            report.files,
            open_files(&path) + stripes.stripes().iter().map(|path| open_files(path) - 1).sum::<u64>()
        );
        // Page j is in stripe j mod N.
        let all = graph.topology(Side::In).unwrap().source().resident().unwrap();
        for (number, stripe) in stripes.stripes().iter().enumerate() {
            let bytes = fs::read(stripe.join("in.pages")).unwrap();
            let expected: Vec<u8> = all.chunks(4096).skip(number).step_by(disks).flatten().copied().collect();
            assert!(bytes == expected);
        }
        assert!(!path.join("out.pages").exists());
    }
}

fn open_files(path: &Path) -> u64 {
    fs::read_dir(path).unwrap().count() as u64
}

#[test]
fn a_store_is_built_out_of_core_over_stripes() {
    let stripes = Stripes::new(3);
    let options = BuildOptions { page_size: Some(4096), memory: Some(64 << 20), ..BuildOptions::default() };
    let mut stream = crate::generate::parse("rmat:9").unwrap();
    build_store(&FileSystem, &mut stream, &options, stripes.place.store(), &stripes.options(false)).unwrap();
    let (expected, _) = build(&mut crate::generate::parse("rmat:9").unwrap(), &options).unwrap();
    assert_same(&open_store(&stripes.place.store()).unwrap(), &expected);
    verify(stripes.place.store(), &|_, _| ()).unwrap();
}

#[test]
fn a_stripe_that_is_damaged_or_gone_is_named() {
    let stripes = Stripes::new(3);
    let path = stripes.place.store();
    pages().save_with(&path, &stripes.options(false)).unwrap();
    let stripe = stripes.stripes()[1].clone();
    let file = stripe.join("out.pages");
    let good = fs::read(&file).unwrap();

    let mut bad = good.clone();
    bad[4096 + 77] ^= 2;
    fs::write(&file, &bad).unwrap();
    // The damaged page is the second page in the second of three stripes.
    let named = |error: &StoreError| matches!(error, StoreError::PageChecksum { page, path, .. } if page.0 == 4 && *path == file);
    assert!(named(&open_store(&path).unwrap_err()));
    let stored = on_disk(&path, 4).unwrap();
    assert!(named(&stored.edges().find_map(Result::err).unwrap()));

    fs::write(&file, &good[4096..]).unwrap();
    assert!(matches!(open_store(&path), Err(StoreError::Size { path, .. }) if path == file));
    assert!(matches!(on_disk(&path, 4), Err(StoreError::Size { path, .. }) if path == file));

    let elsewhere = stripes.place.directory.path().join("elsewhere");
    fs::write(&file, &good).unwrap();
    fs::rename(&stripe, &elsewhere).unwrap();
    for opened in [open_store(&path), on_disk(&path, 4)] {
        let error = opened.unwrap_err();
        assert!(matches!(&error, StoreError::Stripe { number: 1, path, .. } if *path == file), "{error}");
        assert!(format!("{error:?}").contains("bring it back"), "{error}");
    }
    fs::rename(&elsewhere, &stripe).unwrap();
    open_store(&path).unwrap();
}

#[test]
fn replacing_a_store_removes_its_stripes_and_nothing_else() {
    let stripes = Stripes::new(2);
    let path = stripes.place.store();
    pages().save_with(&path, &stripes.options(false)).unwrap();
    let before = stripes.stripes();
    fs::write(stripes.directories[0].join("thesis"), "ten years").unwrap();
    plain().save_with(&path, &stripes.options(true)).unwrap();
    assert_same(&open_store(&path).unwrap(), &plain());
    assert!(before.iter().all(|stripe| !stripe.exists()) && stripes.stripes().iter().all(|stripe| stripe.exists()));
    assert_eq!(stripes.names().len(), 3);
    plain().save_with(&path, &SaveOptions { replace: true, ..SaveOptions::default() }).unwrap();
    assert_eq!(stripes.names(), ["thesis"]);
}

#[test]
#[cfg(unix)]
fn stripes_are_known_by_whatever_way_leads_to_them() {
    let stripes = Stripes::new(1);
    let folder = stripes.place.directory.path();
    let (link, inner) = (folder.join("link"), folder.join("inner"));
    std::os::unix::fs::symlink(&stripes.directories[0], &link).unwrap();
    fs::create_dir(&inner).unwrap();
    let ways = [link, inner.join("../disk-0"), stripes.directories[0].clone()];
    let stores = [stripes.place.store(), inner.join("../graph.gts"), folder.join("./inner/.././graph.gts")];
    for (way, store) in ways.iter().zip(&stores) {
        plain().save_with(store, &SaveOptions { replace: true, stripes: vec![way.clone()] }).unwrap();
        assert_eq!(stripes.names().len(), 1, "the stripes of the store before are still there");
        for way in &ways {
            assert_cleaned(&clean(&FileSystem, way).unwrap(), &Cleaned::default());
        }
        open_store(&stripes.place.store()).unwrap();
    }
}

#[test]
fn stripes_of_a_store_that_stepped_aside_are_known() {
    let stripes = Stripes::new(1);
    plain().save_with(stripes.place.store(), &stripes.options(false)).unwrap();
    fs::rename(stripes.place.store(), stripes.place.directory.path().join(".graph.gts.gts-old-1-0")).unwrap();
    assert_cleaned(&clean(&FileSystem, &stripes.directories[0]).unwrap(), &Cleaned::default());
    assert_eq!(clean(&FileSystem, stripes.place.directory.path()).unwrap().restored, [stripes.place.store()]);
    open_store(&stripes.place.store()).unwrap();
}

/// Calls a function with each number, on several threads because the calls wait for the disk.
fn side_by_side(numbers: impl Iterator<Item = u64>, check: impl Fn(u64) + Sync) {
    let (numbers, check) = (numbers.collect::<Vec<_>>(), &check);
    std::thread::scope(|scope| {
        for share in numbers.chunks(numbers.len().div_ceil(8)) {
            scope.spawn(move || share.iter().copied().for_each(check));
        }
    });
}

#[test]
fn whatever_call_fails_no_stripe_is_taken_for_a_store() {
    let old = plain();
    let new = Graph::builder().edges((0..3000).map(|dst| (dst % 7, dst))).page_size(4096).build().unwrap();
    assert!(new.out_topology().num_pages() > 2);
    let total = {
        let stripes = Stripes::new(2);
        old.save_with(stripes.place.store(), &stripes.options(false)).unwrap();
        let io = FailingIo::once(FileSystem, u64::MAX, ErrorKind::Other);
        save(&io, &new, stripes.place.store(), &stripes.options(true)).unwrap();
        io.calls()
    };
    side_by_side(0..total, |call| {
        for fail in [FailingIo::once, FailingIo::from_then_on] {
            let stripes = Stripes::new(2);
            let path = stripes.place.store();
            old.save_with(&path, &stripes.options(false)).unwrap();
            let io = fail(FileSystem, call, ErrorKind::StorageFull);
            let saved = save(&io, &new, &path, &stripes.options(true));
            // One of the two stores is complete, either at the final path or at the path to which the old store was
            // renamed.
            let stores = fs::read_dir(stripes.place.directory.path()).unwrap().map(|entry| entry.unwrap().path());
            let opened: Vec<_> = stores.filter_map(|path| open_store(&path).ok()).collect();
            assert!(!opened.is_empty(), "call {call}: {saved:?}");
            if saved.is_ok() {
                assert_same(&open_store(&path).unwrap(), &new);
            }
            for name in stripes.names() {
                assert!(name.contains("gts-tmp") || name.ends_with(".gts-stripe"), "{name}");
            }
            // Leftovers can be cleaned or are reported.
            let folders = [stripes.place.directory.path(), &stripes.directories[0], &stripes.directories[1]];
            let cleaned = folders.map(|folder| clean(&FileSystem, folder).unwrap());
            assert!(cleaned.iter().all(|cleaned| cleaned.failed.is_empty()), "{cleaned:?}");
            open_store(&path).unwrap();
            assert!(cleaned.iter().all(|cleaned| cleaned.orphans.is_empty()), "call {call}: {cleaned:?}");
            assert_eq!(stripes.names().len(), 2, "call {call}: {:?}", stripes.names());
        }
    });
}

#[test]
fn a_striped_build_that_is_killed_leaves_nothing_that_is_not_cleaned() {
    let new = Graph::builder().edges((0..3000).map(|dst| (dst % 7, dst))).page_size(4096).build().unwrap();
    for exchanges in [true, false] {
        let io = |io: FailingIo<FileSystem>| if exchanges { io } else { io.without_exchange() };
        let replace = |stripes: &Stripes, io: &dyn Io| save(io, &new, stripes.place.store(), &stripes.options(true));
        let old = || {
            let stripes = Stripes::new(2);
            plain().save_with(stripes.place.store(), &stripes.options(false)).unwrap();
            stripes
        };
        let counting = io(FailingIo::once(FileSystem, u64::MAX, ErrorKind::Other));
        replace(&old(), &counting).unwrap();
        // Until stripes are renamed to their final names, both kinds of file systems behave identically.
        let late = counting.calls() - 60;
        let calls = if exchanges { 0 } else { late }..counting.calls();
        side_by_side(calls.filter(|&call| call >= late || call % 4 == 0), |call| {
            let stripes = old();
            let (path, folder) = (stripes.place.store(), stripes.place.directory.path());
            let whole = || {
                open_store(&path).unwrap();
                assert_eq!(stripes.place.names(), ["disk-0", "disk-1", "graph.gts"], "call {call}");
                assert_eq!(stripes.names().len(), 2, "call {call}: {:?}", stripes.names());
            };
            let kill = || drop(replace(&stripes, &io(FailingIo::from_then_on(FileSystem, call, ErrorKind::Other))));
            let clean = |directory: &Path| {
                let cleaned = clean(&FileSystem, directory).unwrap();
                assert!(cleaned.failed.is_empty() && cleaned.orphans.is_empty(), "call {call}: {cleaned:?}");
            };
            // Cleaning the directory that contains the store also removes its stripes.
            kill();
            clean(folder);
            whole();
            // Cleaning the directories that contain the stripes also removes them, one directory after the other.
            kill();
            stripes.directories.iter().for_each(|directory| clean(directory));
            assert_eq!(stripes.names().len(), 2, "call {call}: {:?}", stripes.names());
            clean(folder);
            whole();
            // A subsequent build also cleans up, but does not restore a store that was renamed for replacement.
            kill();
            replace(&stripes, &FileSystem).unwrap();
            if exchanges {
                whole();
            }
            clean(folder);
            whole();
        });
    }
}

#[test]
fn cleaning_that_is_killed_is_gone_on_with() {
    for by_stripes in [true, false] {
        for call in 0..70 {
            let stripes = Stripes::new(2);
            let (path, folder) = (stripes.place.store(), stripes.place.directory.path());
            plain().save_with(&path, &stripes.options(false)).unwrap();
            // These leftovers remain if a build is killed just after the new store has received its name.
            fs::rename(&path, folder.join(".graph.gts.gts-tmp-17-0")).unwrap();
            let new = folder.join("new.gts");
            plain().save(&new).unwrap();
            fs::rename(&new, &path).unwrap();
            let own = [folder.to_owned()];
            let folders = if by_stripes { &stripes.directories[..] } else { &own };
            for folder in folders {
                drop(clean(&FailingIo::from_then_on(FileSystem, call, ErrorKind::Other), folder));
            }
            for folder in folders {
                let cleaned = clean(&FileSystem, folder).unwrap();
                assert!(cleaned.failed.is_empty() && cleaned.orphans.is_empty(), "call {call}: {cleaned:?}");
            }
            assert!(stripes.names().is_empty(), "call {call}: {:?}", stripes.names());
            open_store(&path).unwrap();
        }
    }
}

#[test]
fn stripes_of_a_store_that_was_moved_stay() {
    let stripes = Stripes::new(1);
    let path = stripes.place.store();
    plain().save_with(&path, &stripes.options(false)).unwrap();
    let moved = stripes.place.directory.path().join("moved.gts");
    fs::rename(&path, &moved).unwrap();
    let theirs = info(&moved).unwrap().stripes;
    plain().save_with(&path, &stripes.options(false)).unwrap();
    plain().save_with(&path, &stripes.options(true)).unwrap();
    for folder in [&stripes.directories[0], stripes.place.directory.path()] {
        let cleaned = clean(&FileSystem, folder).unwrap();
        assert!(cleaned.removed.is_empty() && cleaned.failed.is_empty(), "{cleaned:?}");
    }
    assert_eq!(clean(&FileSystem, &stripes.directories[0]).unwrap().orphans, theirs);
    open_store(&moved).unwrap();
    open_store(&path).unwrap();
}

#[test]
fn stripes_with_foreign_files_are_not_replaced() {
    let stripes = Stripes::new(2);
    let path = stripes.place.store();
    plain().save_with(&path, &stripes.options(false)).unwrap();
    let stripe = stripes.stripes()[1].clone();
    fs::write(stripe.join("thesis"), "ten years").unwrap();
    let error = pages().save_with(&path, &stripes.options(true)).unwrap_err();
    assert!(matches!(&error, StoreError::ForeignFiles { path, .. } if *path == stripe), "{error}");
    assert_same(&open_store(&path).unwrap(), &plain());
    assert_eq!(stripes.names().len(), 2);
    assert!(stripe.join("thesis").exists());
}

#[test]
fn cleaning_removes_stripes_of_killed_builds_and_tells_of_others() {
    let stripes = Stripes::new(1);
    let path = stripes.place.store();
    plain().save_with(&path, &stripes.options(false)).unwrap();
    let killed = stripes.directories[0].join(".graph.gts.gts-tmp-1-0");
    fs::create_dir(&killed).unwrap();
    let orphan = stripes.directories[0].join("graph.gts-0-0.gts-stripe");
    fs::create_dir(&orphan).unwrap();
    fs::copy(stripes.stripes()[0].join("store"), orphan.join("store")).unwrap();
    let cleaned = clean(&FileSystem, &stripes.directories[0]).unwrap();
    assert_cleaned(&cleaned, &Cleaned { removed: vec![killed], orphans: vec![orphan], ..Cleaned::default() });
    open_store(&path).unwrap();
}

#[test]
fn directories_that_cannot_hold_stripes_are_refused() {
    let stripes = Stripes::new(0);
    let absent = stripes.place.directory.path().join("absent");
    let save = |stripes_: Vec<PathBuf>| {
        plain().save_with(stripes.place.store(), &SaveOptions { replace: false, stripes: stripes_ })
    };
    assert!(matches!(save(vec![absent.clone()]), Err(StoreError::Io { .. })));
    assert!(matches!(save(vec![absent; 65]), Err(StoreError::StripeDirectory { .. })));
    let odd = stripes.place.directory.path().join("a\nb");
    fs::create_dir(&odd).unwrap();
    assert!(matches!(save(vec![odd]), Err(StoreError::StripeDirectory { .. })));
    assert!(!stripes.place.store().exists());
    assert!(stripes.place.names().iter().all(|name| !name.contains("gts-tmp")), "{:?}", stripes.place.names());
}
