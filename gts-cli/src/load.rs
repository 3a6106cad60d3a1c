//! Graph arguments: a store, a text file imported into the cache, or a generated graph.

mod cached;
pub(crate) mod kept;

use crate::error::Failure;
use crate::interrupt::{self, Stoppable};
use crate::memory;
use crate::options::BuildArgs;
use crate::progress::Meter;
use crate::report::tell;
use crate::residence;
use crate::units;
use cached::{KeptImport, Place, keep, open_cached};
use gts_graph::algorithm::{Arguments, Needs};
use gts_graph::core::advice::Explain;
use gts_graph::core::build::{BuildError, BuildSummary, OrderChoice};
use gts_graph::core::files;
use gts_graph::core::graph::{GraphShape, IdMap};
use gts_graph::core::page::MIN_STORE_PAGE_SIZE;
use gts_graph::core::read::{GraphReader, GraphSource, ReadError};
use gts_graph::core::store::{self, OpenOptions, SaveOptions};
use gts_graph::prelude::Graph;
use std::ffi::{OsStr, OsString};
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Host memory for opening a store without its pages, in addition to its tables.
const TABLES: u64 = 64 << 20;

/// Returns whether a graph argument is a store.
pub(crate) fn is_store(argument: &[OsString]) -> bool {
    matches!(GraphSource::parse_all(argument), Ok(GraphSource::Store(_)))
}

/// Returns whether a graph argument consists of files to import. Fails if one of them is a pipe, which several processes
/// cannot read.
pub(crate) fn is_shared_file(argument: &[OsString]) -> Result<bool, Failure> {
    let GraphSource::Files(paths) = GraphSource::parse_all(argument)? else { return Ok(false) };
    match paths.iter().find(|path| files::is_pipe(path)) {
        None => Ok(true),
        Some(pipe) => Err(Failure::usage(
            format!("{}: several processes cannot read one pipe", pipe.display()),
            "import it first: `gts import - STORE`",
        )),
    }
}

/// Returns a graph argument as given.
pub(crate) fn text_of(argument: &[OsString]) -> OsString {
    argument.join(OsStr::new(" "))
}

/// Options for opening a store.
#[derive(Clone, Copy, Debug, Default)]
pub struct Opening {
    /// Limit of host memory for tables and pages in bytes.
    pub host_memory: Option<u64>,
    /// Maximum time without a completed read of pages.
    pub stall_limit: Option<Duration>,
    /// Number of processes that share the pages, if each reads only those that it requires.
    pub on_demand: Option<NonZeroUsize>,
}

impl Opening {
    /// Returns the options for the core, with a callback that reports its notices.
    fn options(self) -> OpenOptions {
        let Self { host_memory, stall_limit, on_demand } = self;
        OpenOptions { host_memory, on_demand, notice: Some(Arc::new(|notice| tell(notice))), stall_limit, stop: None }
    }
}

/// A loaded graph, with details of the loading.
pub struct Loaded {
    /// The graph.
    pub graph: Graph,
    /// Duration of the loading.
    pub time: Duration,
    /// Limit of host memory for tables and pages in bytes, if one was given or has an effect.
    pub host_memory: Option<u64>,
}

/// Opens, imports or generates a graph with the properties that an algorithm requires. With a limit of host memory the
/// graph must be a store, or a file whose import is kept as one.
pub fn load(
    argument: &[OsString],
    args: &BuildArgs,
    needs: &Needs,
    use_cache: bool,
    opening: Opening,
) -> Result<Loaded, Failure> {
    let Opening { host_memory, .. } = opening;
    let begun = Instant::now();
    let done = |Opened { graph, host_memory }| Ok(Loaded { graph, time: begun.elapsed(), host_memory });
    let source = GraphSource::parse_all(argument)?;
    let reader = |needs| args.apply(source.clone().into()).needs(needs);
    let build = |reader: GraphReader, command| {
        let (graph, summary) =
            build_graph(reader, args, &format!("gts {command} {} STORE", text_of(argument).display()))?;
        Ok::<_, Failure>((Opened { graph, host_memory: None }, summary))
    };
    match &source {
        GraphSource::Store(path) => done(open(path, reader(*needs), opening)?),
        GraphSource::Generator(_) => done(build(reader(*needs).opening(opening.options()), "generate")?.0),
        GraphSource::Files(paths) => {
            let can_be_stored = args.page_size.is_none_or(|bytes| bytes >= MIN_STORE_PAGE_SIZE);
            let mut place = if use_cache && can_be_stored { Place::of(paths, args, needs) } else { None };
            match place.as_ref().map_or(Ok(KeptImport::Nothing), |place| open_cached(place, opening))? {
                KeptImport::Open(opened) => {
                    opened.graph.notes().iter().for_each(tell);
                    return done(opened);
                }
                KeptImport::Stuck => place = None,
                KeptImport::Nothing => {}
            }
            let needs = place.as_ref().and_then(|place| place.richer).unwrap_or(*needs);
            // The reader refuses a limit of host memory for a file. If the import is to be kept as a store, the limit
            // applies to the store.
            let limit = if place.is_some() { Opening::default() } else { opening };
            let (opened, summary) = build(reader(needs).opening(limit.options()), "import")?;
            let place = place.filter(Place::is_unchanged);
            let place = place.filter(|place| place.richer.is_none() || kept::remove(&place.store));
            let store = place.map(|place| place.store);
            keep(&source, store.as_deref(), &opened.graph, &summary, begun.elapsed());
            if host_memory.is_none() {
                return done(opened);
            }
            drop(opened);
            match store.filter(|store| kept::use_kept(store)) {
                Some(store) => done(open(&store, GraphSource::Store(store.clone()).into(), opening)?),
                // Without a store, the reader returns the error about the limit.
                None => done(build(reader(needs).opening(opening.options()), "import")?.0),
            }
        }
    }
}

/// Opens a store within a limit of host memory.
pub(crate) fn open_store(path: &Path, opening: Opening) -> Result<Graph, Failure> {
    let source = GraphSource::parse(path.as_os_str())?;
    if !matches!(source, GraphSource::Store(_)) {
        let path = path.display();
        return Err(Failure::usage(
            format!("`{path}` is no store"),
            format!("convert it with `gts convert {path} FILE`, or make a store first with `gts import {path} STORE`"),
        ));
    }
    Ok(open(path, source.into(), opening)?.graph)
}

/// Checks the whole store that a graph argument names, within a limit of host memory, and reports that it is sound.
pub(crate) fn verify(argument: &[OsString], opening: Opening) -> Result<(), Failure> {
    let no_store = |command: &str| {
        let argument = text_of(argument);
        let argument = argument.display();
        Err(Failure::usage(
            format!("--verify is for stores, and `{argument}` is none"),
            format!("leave it out, or write a store first with `gts {command} {argument} STORE`"),
        ))
    };
    match GraphSource::parse_all(argument)? {
        GraphSource::Store(path) => {
            let options = opening.options();
            let report = store::verify_with(&path, &options, &Meter::new().of_store("checking"))?;
            tell(format_args!("{} is sound: {report}", path.display()));
            Ok(())
        }
        GraphSource::Files(_) => no_store("import"),
        GraphSource::Generator(_) => no_store("generate"),
    }
}

/// Shape of a graph argument.
pub(crate) struct ArgumentShape {
    /// Shape of the graph.
    pub(crate) shape: GraphShape,
    /// Whether the pages are in a store.
    pub(crate) stored: bool,
    /// The graph itself, if it was built.
    graph: Option<Graph>,
}

impl ArgumentShape {
    /// Refuses arguments that name a vertex outside the graph, as a run does.
    pub(crate) fn check_vertices(&self, parameters: &Arguments) -> gts_graph::Result<()> {
        match &self.graph {
            Some(graph) => parameters.check_vertices(graph.ids()),
            // Generators number vertices from 0.
            None => parameters.check_vertices(&IdMap::of_range(self.shape.vertices)),
        }
    }
}

/// Determines the shape of a graph argument with minimal work: predicts it for a generator, reads the tables of a
/// store, and imports a file. Refuses a limit of host memory that [`load`] would refuse.
pub(crate) fn shape(
    argument: &[OsString],
    args: &BuildArgs,
    needs: &Needs,
    use_cache: bool,
    host_memory: Option<u64>,
) -> Result<ArgumentShape, Failure> {
    let source = GraphSource::parse_all(argument)?;
    if let Some(shape) = args.apply(source.clone().into()).needs(*needs).estimate()? {
        return Ok(ArgumentShape { shape, stored: false, graph: None });
    }
    match source {
        GraphSource::Store(path) => {
            // Room for the tables and for opening the store, but not for the pages of a large graph.
            let table =
                |(name, bytes): &(&str, u64)| if name.ends_with(".pages") || *name == "names" { 0 } else { *bytes };
            let info = store::info(&path)?;
            let room = 2 * info.files.iter().map(table).sum::<u64>() + 2 * u64::from(info.page_size) + TABLES;
            let least = host_memory.map_or(room, |limit| limit.min(room));
            let opening = Opening { host_memory: Some(least), ..Opening::default() };
            let graph = load(argument, args, needs, use_cache, opening)?.graph;
            Ok(ArgumentShape { shape: graph.shape().clone(), stored: true, graph: Some(graph) })
        }
        GraphSource::Files(_) | GraphSource::Generator(_) => {
            let opening = Opening { host_memory, ..Opening::default() };
            let graph = load(argument, args, needs, use_cache, opening)?.graph;
            let stored = host_memory.is_some() || !graph.is_resident();
            Ok(ArgumentShape { shape: graph.shape().clone(), stored, graph: Some(graph) })
        }
    }
}

/// A graph opened from a store.
struct Opened {
    graph: Graph,
    host_memory: Option<u64>,
}

/// Opens a store within a limit of host memory, with progress. By default, pages that do not fit into this machine's
/// memory stay in the store.
fn open(path: &Path, reader: GraphReader, opening: Opening) -> Result<Opened, ReadError> {
    open_within(path, reader, opening, residence::default_limit())
}

fn open_within(path: &Path, reader: GraphReader, opening: Opening, default: Option<u64>) -> Result<Opened, ReadError> {
    let given = opening.host_memory;
    let limit = given.or(default);
    let options = Opening { host_memory: limit, ..opening }.options();
    let graph = reader.opening(options).progress(Meter::new().of_build()).read()?;
    let matters = !graph.is_resident();
    if let (None, Some(limit), true) = (given, limit, matters) {
        tell(format_args!(
            "{} does not fit into the free memory: its pages stay on the disk and come through {}; --host-memory sets how \
             much",
            path.display(),
            units::bytes(limit)
        ));
    }
    Ok(Opened { graph, host_memory: limit.filter(|_| given.is_some() || matters) })
}

/// Builds a graph in memory within a budget, and reports the notes of its reader. The command `store` in the advice
/// would build it on disk.
fn build_graph(reader: GraphReader, args: &BuildArgs, store: &str) -> Result<(Graph, BuildSummary), Failure> {
    let budget = Budget::of(args);
    let (graph, summary) = budget
        .apply(reader)
        .read_with_summary()
        .map_err(|error| budget.explain(error, &format!(", or build a store, which takes less: `{store}`")))?;
    graph.notes().iter().for_each(tell);
    Ok((graph, summary.unwrap_or_default()))
}

/// Builds a store from files or a generator, within a budget.
pub(crate) fn build_store(
    source: GraphSource,
    args: &BuildArgs,
    store: &Path,
    save: &SaveOptions,
) -> Result<BuildSummary, Failure> {
    let budget = Budget::of(args);
    let reader = args.apply(source.into()).order(args.order.unwrap_or(OrderChoice::Auto));
    interrupt::while_saving(|| budget.apply(reader).save(&Stoppable { private: false }, store, save))
        .map_err(|error| budget.explain(error, if args.order.is_none() { LESS } else { "" }))
}

/// Memory limit of a build.
#[derive(Clone, Copy, Debug)]
struct Budget {
    bytes: Option<u64>,
    is_given: bool,
}

impl Budget {
    /// Returns the given budget, by default half of the free memory.
    fn of(args: &BuildArgs) -> Self {
        Self { bytes: args.memory.or_else(memory::default_budget), is_given: args.memory.is_some() }
    }

    /// Limits the memory of a build, and shows its progress.
    fn apply(self, reader: GraphReader) -> GraphReader {
        let reader = reader.progress(Meter::new().of_build());
        match self.bytes {
            Some(bytes) => reader.memory(bytes),
            None => reader,
        }
    }

    /// Converts the error of a build. If the budget is too small, the failure contains the budget, the required memory
    /// and the remedy; `or` names a smaller alternative.
    fn explain(self, error: ReadError, or: &str) -> Failure {
        let Some(&BuildError::Budget { needed, budget }) = error.of_build() else { return error.into() };
        let which = match self.is_given {
            true => "what --memory allows",
            false => "half of the free memory, which is what it may take without --memory",
        };
        Failure::Other {
            code: error.code(),
            what: format!(
                "building takes about {} of memory, {} are {which}",
                units::bytes(needed),
                units::bytes(budget)
            ),
            next: Some(format!("give --memory {} or more{or}", units::at_least(needed)).into()),
        }
    }
}

/// Alternative that takes less memory than the order chosen by default.
const LESS: &str = ", or --order original, which takes less";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_beyond_the_free_memory_streams_without_being_asked_to() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("g.gts");
        Graph::reader("rmat:10").page_size(4 << 10).read().unwrap().save(&path).unwrap();
        let open = |given, default| {
            let opening = Opening { host_memory: given, ..Opening::default() };
            let opened = open_within(&path, Graph::reader(&path), opening, default).unwrap();
            (opened.graph.is_resident(), opened.host_memory)
        };
        let (all, little) = (Some(1 << 20), Some(32 << 10));
        assert_eq!(open(None, little), (false, little));
        assert_eq!(open(None, all), (true, None), "a limit that does not matter");
        assert_eq!(open(None, None), (true, None));
        assert_eq!((open(all, little), open(little, all)), ((true, all), (false, little)));
    }
}
