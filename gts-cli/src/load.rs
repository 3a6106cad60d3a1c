//! Graph arguments: a store, a text file imported into the cache, or a generated graph.

mod cached;

pub(crate) use cached::cache_folder;

use crate::error::Failure;
use crate::interrupt::{self, Stoppable};
use crate::memory;
use crate::options::{BuildArgs, WeightsOption};
use crate::progress::Meter;
use crate::report::tell;
use crate::residence;
use crate::units;
use cached::{KeptImport, cache_path, is_unchanged, keep, open_cached, use_kept};
use gts_runtime::algorithm::{Arguments, Needs};
use gts_runtime::contract::ScalarType;
use gts_runtime::core::advice::Explain;
use gts_runtime::core::build::{self, BuildError, BuildOptions, BuildSummary, EdgeStream, OrderChoice};
use gts_runtime::core::cost::estimate;
use gts_runtime::core::graph::{GraphShape, UnknownVertex};
use gts_runtime::core::import::ImportOptions;
use gts_runtime::core::page::MIN_STORE_PAGE_SIZE;
use gts_runtime::core::phase::{self, Phase};
use gts_runtime::core::store::io::{FileSystem, Io};
use gts_runtime::core::store::{self, OpenOptions, SaveOptions, StoreError};
use gts_runtime::core::{generate, import};
use gts_runtime::prelude::Graph;
use std::ffi::OsStr;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Host memory for opening a store without its pages, in addition to its tables.
const TABLES: u64 = 64 << 20;

/// The source that a graph argument names.
#[derive(Clone, Debug, PartialEq)]
pub enum GraphSource {
    /// A store.
    Store(PathBuf),
    /// A file to import.
    File(PathBuf),
    /// A graph to generate.
    Generator(String),
}

impl GraphSource {
    /// Distinguishes stores, files and generators.
    ///
    /// A folder is a store, a file is to be imported, and anything else may be a generator's specification.
    pub fn parse(argument: &OsStr) -> Result<Self, Failure> {
        let path = PathBuf::from(argument);
        if path.is_dir() {
            Ok(Self::Store(path))
        } else if path.exists() {
            Ok(Self::File(path))
        } else if let Some(text) = argument.to_str().filter(|text| is_generator(text)) {
            Ok(Self::Generator(text.to_owned()))
        } else if let Err(error @ (StoreError::SteppedAside { .. } | StoreError::BeingReplaced { .. })) =
            store::info(&path)
        {
            Err(error.into())
        } else {
            let generators = generate::NAMES.map(|(name, shape)| format!("{name}:{shape}")).join(", ");
            Err(Failure::other(
                format!("there is no file or store `{}`", argument.display()),
                format!("give the path of one, or a generator: {generators}"),
            ))
        }
    }
}

/// Returns whether a text begins with the name of a generator.
fn is_generator(text: &str) -> bool {
    generate::NAMES.iter().any(|(name, _)| text.split(':').next() == Some(name))
}

/// Returns whether a graph argument is a store.
pub(crate) fn is_store(argument: &OsStr) -> bool {
    matches!(GraphSource::parse(argument), Ok(GraphSource::Store(_)))
}

/// Returns whether a graph argument is a file to import.
pub(crate) fn is_file(argument: &OsStr) -> bool {
    matches!(GraphSource::parse(argument), Ok(GraphSource::File(_)))
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
        OpenOptions { host_memory, on_demand, notice: Some(Arc::new(|notice| tell(notice))), stall_limit }
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
    argument: &OsStr,
    args: &BuildArgs,
    needs: &Needs,
    use_cache: bool,
    opening: Opening,
) -> Result<Loaded, Failure> {
    let Opening { host_memory, .. } = opening;
    let begun = Instant::now();
    let done = |Opened { graph, host_memory }| Ok(Loaded { graph, time: begun.elapsed(), host_memory });
    let built = |graph| done(Opened { graph, host_memory: None });
    match GraphSource::parse(argument)? {
        GraphSource::Store(path) => {
            if let Some(flag) = args.first_given() {
                return Err(Failure::usage(
                    format!("{flag} cannot change the store {}", path.display()),
                    "leave it out, or import the graph again with it",
                ));
            }
            let opened = open(&path, opening)?;
            check_weights(&opened.graph, needs, &path, "import it again with")?;
            done(opened)
        }
        GraphSource::Generator(text) => {
            if host_memory.is_some() {
                return Err(Failure::usage(
                    "--host-memory is for stores",
                    format!("write one first with `gts generate {text} STORE`"),
                ));
            }
            let (graph, _) = phase::during(Phase::Generate, || generate(&text, args, needs))?;
            built(graph)
        }
        GraphSource::File(path) => {
            let can_be_stored = args.page_size.is_none_or(|bytes| bytes >= MIN_STORE_PAGE_SIZE);
            let mut cache = if use_cache && can_be_stored { cache_path(&path, args, needs) } else { None };
            match cache.as_deref().map_or(Ok(KeptImport::Nothing), |store| open_cached(store, opening))? {
                KeptImport::Open(opened) => {
                    opened.graph.notes().iter().for_each(tell);
                    check_weights(&opened.graph, needs, &path, "give")?;
                    return done(opened);
                }
                KeptImport::Stuck => cache = None,
                KeptImport::Nothing => {}
            }
            let (graph, summary) = phase::during(Phase::Import, || import_file(&path, args, needs))?;
            summary.notes.iter().for_each(tell);
            check_weights(&graph, needs, &path, "give")?;
            let cache = cache.filter(|store| is_unchanged(store, &path, args, needs));
            keep(&path, cache.as_deref(), &graph, &summary, begun.elapsed());
            match (host_memory, &cache) {
                (None, _) => built(graph),
                (Some(_), Some(store)) if use_kept(store) => {
                    drop(graph);
                    done(open(store, opening)?)
                }
                (Some(_), _) => {
                    let or = if use_cache { "" } else { ", or leave --no-cache out" };
                    Err(Failure::usage(
                        "--host-memory is for stores",
                        format!("write one first with `gts import {} STORE`{or}", path.display()),
                    ))
                }
            }
        }
    }
}

/// Checks the whole store that a graph argument names, within a limit of host memory, and reports that it is sound.
pub(crate) fn verify(argument: &OsStr, opening: Opening) -> Result<(), Failure> {
    let no_store = |command: &str| {
        let argument = argument.display();
        Err(Failure::usage(
            format!("--verify is for stores, and `{argument}` is none"),
            format!("leave it out, or write a store first with `gts {command} {argument} STORE`"),
        ))
    };
    match GraphSource::parse(argument)? {
        GraphSource::Store(path) => {
            let options = opening.options();
            let report = store::verify_with(&path, &options, &Meter::new().of_store("checking"))?;
            tell(format_args!("{} is sound: {report}", path.display()));
            Ok(())
        }
        GraphSource::File(_) => no_store("import"),
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
    pub(crate) fn check_vertices(&self, parameters: &Arguments) -> Result<(), UnknownVertex> {
        parameters.originals().try_for_each(|original| match &self.graph {
            Some(graph) => graph.vertex(original).map(drop),
            // Generators number vertices from 0.
            None if original < self.shape.vertices => Ok(()),
            None => Err(UnknownVertex {
                id: original,
                vertices: self.shape.vertices,
                bounds: self.shape.vertices.checked_sub(1).map(|last| (0, last)),
            }),
        })
    }
}

/// Determines the shape of a graph argument with minimal work: predicts it for a generator, reads the tables of a
/// store, and imports a file. Refuses a limit of host memory that [`load`] would refuse.
pub(crate) fn shape(
    argument: &OsStr,
    args: &BuildArgs,
    needs: &Needs,
    use_cache: bool,
    host_memory: Option<u64>,
) -> Result<ArgumentShape, Failure> {
    match GraphSource::parse(argument)? {
        GraphSource::Generator(text) => {
            let shape = estimate(&generator(&text, args, needs)?, &needed_options(args, needs))?;
            Ok(ArgumentShape { shape, stored: false, graph: None })
        }
        GraphSource::Store(path) => {
            // Room for the tables and for opening the store, but not for the pages of a large graph.
            let table = |(name, bytes): &(&str, u64)| if name.ends_with(".pages") { 0 } else { *bytes };
            let info = store::info(&path)?;
            let room = 2 * info.files.iter().map(table).sum::<u64>() + 2 * u64::from(info.page_size) + TABLES;
            let least = host_memory.map_or(room, |limit| limit.min(room));
            let opening = Opening { host_memory: Some(least), ..Opening::default() };
            let graph = load(argument, args, needs, use_cache, opening)?.graph;
            Ok(ArgumentShape { shape: graph.shape().clone(), stored: true, graph: Some(graph) })
        }
        GraphSource::File(_) => {
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
fn open(path: &Path, opening: Opening) -> Result<Opened, StoreError> {
    open_within(path, opening, residence::default_limit())
}

fn open_within(path: &Path, opening: Opening, default: Option<u64>) -> Result<Opened, StoreError> {
    let given = opening.host_memory;
    let io: Arc<dyn Io> = Arc::new(FileSystem);
    let limit = given.or(default);
    let options = Opening { host_memory: limit, ..opening }.options();
    let graph = store::open_with(&io, path, &options, &Meter::new().of_store("opening"))?;
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

/// Generates a graph, with weights if they are requested or the algorithm requires them.
fn generate(text: &str, args: &BuildArgs, needs: &Needs) -> Result<(Graph, BuildSummary), Failure> {
    let store = format!("gts generate {text} STORE");
    build_stream(generated(text, args, needs)?.as_mut(), args, needs, Budget::of(args), &store)
}

/// Returns the edges of a generated graph, with the requested weights.
fn generated(text: &str, args: &BuildArgs, needs: &Needs) -> Result<Box<dyn EdgeStream>, Failure> {
    let generator = Box::new(generator(text, args, needs)?);
    Ok(match args.weights {
        Some(WeightsOption::One) => build::with_ones(generator, type_of_ones(needs)),
        _ => generator,
    })
}

/// Returns the type of weights that are all 1: integers, unless the algorithm does not support them.
fn type_of_ones(needs: &Needs) -> ScalarType {
    match needs.weights {
        [] => ScalarType::U32,
        types if types.contains(&ScalarType::U32) => ScalarType::U32,
        types => types[0],
    }
}

fn generator(text: &str, args: &BuildArgs, needs: &Needs) -> Result<generate::Generator, Failure> {
    if let Some(flag) = args.first_of_file() {
        return Err(Failure::usage(format!("{flag} is for files, and `{text}` is generated"), "leave it out"));
    }
    let generator = generate::parse(text)?;
    match (generator.weights(), args.weights) {
        (None, Some(WeightsOption::Type(asked))) => Ok(generate::parse(&format!("{text},weights={asked}"))?),
        (None, Some(WeightsOption::One)) => Ok(generate::parse(&format!("{text},weights={}", type_of_ones(needs)))?),
        (None, None) if !needs.weights.is_empty() => {
            let text = format!("{text},weights={}", needs.weights[0]);
            tell(format_args!("the algorithm needs weights: generating {text}"));
            Ok(generate::parse(&text)?)
        }
        (Some(named), Some(asked)) if asked != WeightsOption::Type(named) => {
            let asked = match asked {
                WeightsOption::None => "none".to_owned(),
                WeightsOption::One => "1".to_owned(),
                WeightsOption::Type(asked) => asked.to_string(),
            };
            Err(Failure::usage(format!("--weights {asked} contradicts `{text}`"), "leave one of them out"))
        }
        _ => Ok(generator),
    }
}

/// Generates a graph and writes it to a store.
pub(crate) fn generate_store(
    text: &str,
    args: &BuildArgs,
    store: &Path,
    save: &SaveOptions,
) -> Result<BuildSummary, Failure> {
    build_store(generated(text, args, &Needs::default())?.as_mut(), args, Budget::of(args), store, save)
}

/// Imports a file into a store, with the requested weights, by default those of the file.
pub(crate) fn import_store(
    path: &Path,
    args: &BuildArgs,
    store: &Path,
    save: &SaveOptions,
) -> Result<BuildSummary, Failure> {
    let budget = Budget::of(args);
    let mut stream = import::open(path, &import_options(args, weights(args, &Needs::default()), budget))?;
    build_store(stream.as_mut(), args, budget, store, save).map_err(|failure| in_file(path, failure))
}

/// Returns the options for reading a file.
fn import_options(args: &BuildArgs, weights: import::Weights, budget: Budget) -> ImportOptions {
    ImportOptions {
        format: args.format,
        weights,
        columns: args.columns.clone(),
        directed: args.direction(),
        skip: args.skip,
        memory: budget.bytes,
    }
}

/// Adds the name of the file to a failure about its edges that does not contain it.
fn in_file(path: &Path, failure: Failure) -> Failure {
    match failure {
        Failure::Build(BuildError::Import(_) | BuildError::Store(_)) => failure,
        Failure::Build(error) => {
            Failure::Other { code: error.code(), what: format!("{}: {error}", path.display()), next: error.advice() }
        }
        _ => failure,
    }
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

    /// Converts the error of a build. If the budget is too small, the failure contains the budget, the required memory
    /// and the remedy; `or` names a smaller alternative.
    fn explain(self, error: BuildError, or: &str) -> Failure {
        let BuildError::Budget { needed, budget } = error else { return error.into() };
        let which = match self.is_given {
            true => "what --memory allows",
            false => "half of the free memory, which is what it may take without --memory",
        };
        Failure::other(
            format!("building takes about {} of memory, {} are {which}", units::bytes(needed), units::bytes(budget)),
            format!("give --memory {} or more{or}", units::at_least(needed)),
        )
    }
}

/// Alternative that takes less memory than the order chosen by default.
const LESS: &str = ", or --order original, which takes less";

/// Builds a store within a budget.
fn build_store(
    stream: &mut dyn EdgeStream,
    args: &BuildArgs,
    budget: Budget,
    store: &Path,
    save: &SaveOptions,
) -> Result<BuildSummary, Failure> {
    let meter = Meter::new();
    let options = BuildOptions {
        order: args.order.unwrap_or(OrderChoice::Auto),
        memory: budget.bytes,
        progress: Some(meter.of_build()),
        ..args.build_options()
    };
    interrupt::while_saving(|| build::build_store(&Stoppable { private: false }, stream, &options, store, save))
        .map_err(|error| budget.explain(error, if args.order.is_none() { LESS } else { "" }))
}

/// Imports a file, with weights only if they are requested or required.
fn import_file(path: &Path, args: &BuildArgs, needs: &Needs) -> Result<(Graph, BuildSummary), Failure> {
    if args.weights.is_none() && needs.weights.is_empty() {
        return import_as(path, import::Weights::Unneeded, args, needs);
    }
    let (graph, summary) = import_as(path, weights(args, needs), args, needs)?;
    match graph.value_type() {
        Some(found) if args.weights.is_none() && !needs.weights.contains(&found) => {
            let wanted = widest(needs);
            tell(format_args!(
                "the weights are {found}, which the algorithm does not take: importing them as {wanted}"
            ));
            import_as(path, import::Weights::As(wanted), args, needs)
        }
        _ => Ok((graph, summary)),
    }
}

/// Returns the type of weights, of those that an algorithm supports, that preserves the most values. There must be at
/// least one.
fn widest(needs: &Needs) -> ScalarType {
    needs.weights.iter().copied().find(|ty| *ty == ScalarType::F64).unwrap_or(needs.weights[0])
}

/// Refuses a graph without weights of a supported type; `how` begins the advice to give a flag.
fn check_weights(graph: &Graph, needs: &Needs, path: &Path, how: &str) -> Result<(), Failure> {
    let path = path.display();
    match graph.value_type() {
        _ if needs.weights.is_empty() => Ok(()),
        Some(found) if needs.weights.contains(&found) => Ok(()),
        Some(found) => Err(Failure::other(
            format!("the algorithm does not take weights of type {found}, which {path} has"),
            format!("{how} --weights {}", widest(needs)),
        )),
        None => Err(Failure::other(
            format!("the algorithm needs weights, and {path} has none"),
            format!("{how} --weights 1, which gives every edge weight 1"),
        )),
    }
}

/// Returns the requested weights, by default those of the file.
fn weights(args: &BuildArgs, needs: &Needs) -> import::Weights {
    match args.weights {
        None => import::Weights::Auto,
        Some(WeightsOption::None) => import::Weights::Ignore,
        Some(WeightsOption::One) => import::Weights::One(type_of_ones(needs)),
        Some(WeightsOption::Type(scalar)) => import::Weights::As(scalar),
    }
}

fn import_as(
    path: &Path,
    weights: import::Weights,
    args: &BuildArgs,
    needs: &Needs,
) -> Result<(Graph, BuildSummary), Failure> {
    let budget = Budget::of(args);
    let store = format!("gts import {} STORE", path.display());
    let mut stream = import::open(path, &import_options(args, weights, budget))?;
    build_stream(stream.as_mut(), args, needs, budget, &store).map_err(|failure| in_file(path, failure))
}

/// Builds a graph in memory within a budget. The command `store` in the advice would build it on disk.
fn build_stream(
    stream: &mut dyn EdgeStream,
    args: &BuildArgs,
    needs: &Needs,
    budget: Budget,
    store: &str,
) -> Result<(Graph, BuildSummary), Failure> {
    let meter = Meter::new();
    let options =
        BuildOptions { memory: budget.bytes, progress: Some(meter.of_build()), ..needed_options(args, needs) };
    build::build(stream, &options)
        .map_err(|error| budget.explain(error, &format!(", or build a store, which takes less: `{store}`")))
}

/// Returns the options of a graph with the properties that an algorithm requires.
fn needed_options(args: &BuildArgs, needs: &Needs) -> BuildOptions {
    BuildOptions {
        in_edges: args.in_edges || needs.in_edges,
        symmetrise: args.symmetrise || (needs.symmetric && !args.undirected),
        ..args.build_options()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_beyond_the_free_memory_streams_without_being_asked_to() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("g.gts");
        let options = BuildOptions { page_size: Some(4 << 10), ..BuildOptions::default() };
        let (graph, _) = build::build(&mut generate::parse("rmat:10").unwrap(), &options).unwrap();
        graph.save(&path).unwrap();
        let open = |given, default| {
            let opening = Opening { host_memory: given, ..Opening::default() };
            let opened = open_within(&path, opening, default).unwrap();
            (opened.graph.is_resident(), opened.host_memory)
        };
        let (all, little) = (Some(1 << 20), Some(32 << 10));
        assert_eq!(open(None, little), (false, little));
        assert_eq!(open(None, all), (true, None), "a limit that does not matter");
        assert_eq!(open(None, None), (true, None));
        assert_eq!((open(all, little), open(little, all)), ((true, all), (false, little)));
    }

    #[test]
    fn arguments_are_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("rmat:3");
        std::fs::write(&file, "0 1\n").unwrap();
        let parse = |argument: &dyn AsRef<OsStr>| GraphSource::parse(argument.as_ref());
        assert_eq!(parse(&folder.path()).unwrap(), GraphSource::Store(folder.path().to_owned()));
        assert_eq!(parse(&file).unwrap(), GraphSource::File(file));
        assert_eq!(parse(&"rmat:3").unwrap(), GraphSource::Generator("rmat:3".to_owned()));
        let error = parse(&"absent.txt").err().unwrap().to_string();
        assert!(error.contains("there is no file or store `absent.txt`"), "{error}");
    }
}
