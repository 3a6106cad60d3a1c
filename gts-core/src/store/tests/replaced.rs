//! Tests stores that are replaced, removed or overwritten while they are being opened.

use super::*;
use std::io::ErrorKind;
use std::sync::atomic::{AtomicBool, Ordering};

/// Creates two graphs of different sizes, so that the files of one contradict the manifest of the other.
fn versions() -> [Graph; 2] {
    [sample(), plain()]
}

/// A function that opens a store and returns the number of edges.
type Open = Box<dyn Fn(&Arc<dyn Io>, &Path) -> Result<u64, StoreError>>;

/// Returns the methods of opening a store, with their names.
fn openings() -> Vec<(&'static str, Open)> {
    let all = |options: OpenOptions| {
        move |io: &Arc<dyn Io>, path: &Path| {
            let graph = open_with(io, path, &options, &|_, _| ())?;
            // Pages that stay in the files are read at this point.
            let topology = graph.out_topology();
            let mut pages = vec![0; topology.num_pages() as usize * topology.format().page_size() as usize];
            topology.source().read(crate::graph::PageId(0), topology.num_pages(), &mut pages)?;
            Ok(graph.num_edges())
        }
    };
    let streamed = OpenOptions { host_memory: Some(40 << 10), ..OpenOptions::default() };
    let on_demand = OpenOptions { on_demand: NonZeroUsize::new(2), ..OpenOptions::default() };
    let verified = |io: &Arc<dyn Io>, path: &Path| {
        verify::verify(io, path, &OpenOptions::default(), &|_, _| ()).map(|report| report.edges)
    };
    vec![
        ("memory", Box::new(all(OpenOptions::default()))),
        ("streamed", Box::new(all(streamed))),
        ("on demand", Box::new(all(on_demand))),
        ("verify", Box::new(verified)),
    ]
}

/// Returns the number of file system calls needed to open a store.
fn calls(path: &Path, open: impl Fn(&Arc<dyn Io>, &Path) -> Result<u64, StoreError>) -> u64 {
    let io = Arc::new(FailingIo::once(FileSystem, u64::MAX, ErrorKind::Other));
    let shared: Arc<dyn Io> = Arc::clone(&io) as _;
    open(&shared, path).unwrap();
    io.calls()
}

/// A store that tests can move to a path and away again at little cost.
struct Saved {
    place: Place,
    stripes: Vec<PathBuf>,
}

impl Saved {
    fn new(graph: &Graph, directories: &[PathBuf]) -> Self {
        let place = Place::new();
        let options = SaveOptions { stripes: directories.to_vec(), ..SaveOptions::default() };
        save(&FileSystem, graph, place.store(), &options).unwrap();
        let stripes = info(place.store()).unwrap().stripes;
        Self { place, stripes }
    }

    /// Moves the store to a path, and replaces any store there.
    fn put(&self, path: &Path) {
        let beside = path.with_extension("beside");
        fs::create_dir(&beside).unwrap();
        for name in contents(&self.place.store()).keys() {
            fs::hard_link(self.place.store().join(name), beside.join(name)).unwrap();
        }
        if fs::rename(&beside, path).is_err() {
            FileSystem.exchange_dirs(&beside, path).unwrap();
            fs::remove_dir_all(&beside).unwrap();
        }
    }

    /// Moves the stripes away from their paths, or back.
    fn move_stripes(&self, away: bool) {
        for stripe in &self.stripes {
            let elsewhere = stripe.with_extension("away");
            let (from, to) = if away { (stripe, &elsewhere) } else { (&elsewhere, stripe) };
            fs::rename(from, to).unwrap();
        }
    }
}

#[test]
fn a_store_that_is_replaced_at_any_time_opens_as_the_old_or_the_new_one() {
    let graphs = versions();
    let disks = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let disks = disks.each_ref().map(|disk| disk.path().to_owned());
    for stripes in [&[][..], &disks[..]] {
        let [old, new] = graphs.each_ref().map(|graph| Arc::new(Saved::new(graph, stripes)));
        for (name, open) in openings() {
            let place = Place::new();
            old.put(&place.store());
            for at in 0..calls(&place.store(), &open) {
                old.put(&place.store());
                let (path, old, new) = (place.store(), Arc::clone(&old), Arc::clone(&new));
                let replaced = Arc::new(AtomicBool::new(false));
                let seen = Arc::clone(&replaced);
                let stripes = Arc::clone(&old);
                let replace = move |call| {
                    if call == at {
                        new.put(&path);
                        old.move_stripes(true);
                        seen.store(true, Ordering::SeqCst);
                    }
                };
                let io: Arc<dyn Io> = Arc::new(FailingIo::watched(FileSystem, replace));
                let edges = open(&io, &place.store()).unwrap_or_else(|error| panic!("{name}, call {at}: {error}"));
                assert!(graphs.iter().any(|graph| graph.num_edges() == edges), "{name}, call {at}: {edges} edges");
                if replaced.load(Ordering::SeqCst) {
                    stripes.move_stripes(false);
                }
            }
        }
    }
}

#[test]
fn a_store_of_the_same_graph_that_takes_its_place_opens() {
    // The manifests are equal, so only the directories distinguish the stores.
    let (place, saved) = (Place::new(), Arc::new(Saved::new(&sample(), &[])));
    saved.put(&place.store());
    let total = calls(&place.store(), |io, path| open_with(io, path, &OpenOptions::default(), &|_, _| ()).map(|_| 0));
    for at in 0..total {
        let (path, saved) = (place.store(), Arc::clone(&saved));
        let io: Arc<dyn Io> = Arc::new(FailingIo::watched(FileSystem, move |call| {
            if call == at {
                saved.put(&path);
            }
        }));
        assert_same(&open_with(&io, place.store(), &OpenOptions::default(), &|_, _| ()).unwrap(), &sample());
    }
}

#[test]
fn a_store_that_is_replaced_each_time_is_said_to_be() {
    let (place, saved) = (Place::new(), Saved::new(&sample(), &[]));
    saved.put(&place.store());
    let path = place.store();
    let replace = move |_| saved.put(&path);
    let io: Arc<dyn Io> = Arc::new(FailingIo::watched(FileSystem, replace));
    let error = open_with(&io, place.store(), &OpenOptions::default(), &|_, _| ()).unwrap_err();
    assert!(matches!(&error, StoreError::BeingReplaced { path, .. } if *path == place.store()), "{error}");
    let told = explain_within(&error, Reader::CommandLine);
    assert!(told.contains("is being replaced") && told.contains("try again"), "{told}");
}

#[test]
fn a_store_that_is_removed_meanwhile_is_missing_and_one_that_stays_is_damaged() {
    let place = Place::new();
    sample().save(place.store()).unwrap();
    let path = place.store();
    let io = FailingIo::watched(FileSystem, move |call| {
        if call == 9 {
            fs::remove_dir_all(&path).unwrap();
        }
    });
    let error = open(&io, place.store(), &|_, _| ()).unwrap_err();
    assert!(matches!(error, StoreError::NotAStore { .. }), "{error}");
    sample().save(place.store()).unwrap();
    fs::remove_file(place.store().join("out.pages")).unwrap();
    let error = open_store(&place.store()).unwrap_err();
    assert!(matches!(&error, StoreError::Io { source, .. } if source.kind() == ErrorKind::NotFound), "{error}");
}

#[test]
fn stores_open_beside_two_writers() {
    let total = std::env::var("GTS_TEST_OPENINGS").map_or(400, |text| text.parse::<usize>().unwrap());
    let (graphs, place, ended) = (versions(), Place::new(), AtomicBool::new(false));
    let edges = graphs.each_ref().map(Graph::num_edges);
    graphs[0].save(place.store()).unwrap();
    let io: Arc<dyn Io> = Arc::new(FileSystem);
    let (mut replaced, mut opened) = (0, 0);
    let write = |first: usize| {
        let options = SaveOptions { replace: true, ..SaveOptions::default() };
        let mut saved = 0;
        while !ended.load(Ordering::Relaxed) {
            match save(&FileSystem, &graphs[(first + saved) % 2], place.store(), &options) {
                Ok(()) => saved += 1,
                Err(StoreError::NotReplaced { .. } | StoreError::SteppedAside { .. }) => {}
                Err(error) => panic!("{error}"),
            }
        }
        saved
    };
    std::thread::scope(|scope| {
        let writers = [0, 1].map(|first| {
            let write = &write;
            scope.spawn(move || write(first))
        });
        let ways = openings();
        for turn in 0..total {
            match ways[turn % ways.len()].1(&io, &place.store()) {
                Ok(found) => {
                    assert!(edges.contains(&found), "{found} edges");
                    opened += 1;
                }
                Err(StoreError::BeingReplaced { .. }) => replaced += 1,
                Err(error) => panic!("after {turn} openings: {error}"),
            }
        }
        ended.store(true, Ordering::Relaxed);
        let saved: usize = writers.map(|writer| writer.join().unwrap()).into_iter().sum();
        println!("{opened} openings, {replaced} reports of a store that is being replaced, {saved} replacements");
    });
}
