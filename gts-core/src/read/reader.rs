//! The builder that reads a graph.

use super::{GraphSource, Needs, ReadError, WeightChoice};
use crate::advice::Advice;
use crate::build::{self, BuildOptions, BuildSummary, EdgeStream, OrderChoice, Progress, ProgressFn};
use crate::cost;
use crate::generate::{self, Generator};
use crate::graph::{Graph, GraphShape};
use crate::import::{self, Columns, Format, ImportOptions, Weights};
use crate::page::{EdgeValue, IdWidth};
use crate::phase::{self, Phase};
use crate::store::io::{FileSystem, Io};
use crate::store::{self, OpenOptions, SaveOptions};
use crate::stream;
use std::ffi::{OsStr, OsString};
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Reads a graph by name, with options. Created by [`Graph::reader`], and from a [`GraphSource`].
///
/// A store is finished: an option that would change its graph is an error. Options that describe a file, such as
/// [`columns`](Self::columns), are errors for a generator.
///
/// ```
/// use gts_core::graph::Graph;
///
/// let path = std::env::temp_dir().join(format!("gts-reader-{}.csv", std::process::id()));
/// std::fs::write(&path, "from,to,km\n1,2,0.5\n2,3,1.5\n")?;
/// let reader = Graph::reader(&path).columns("source=from,target=to,weight=km".parse()?);
/// let graph = reader.weights::<f32>().undirected(true).read()?;
/// assert_eq!((graph.num_vertices(), graph.num_undirected_edges()), (3, Some(2)));
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "a reader does nothing until `read` is called"]
pub struct GraphReader {
    name: GraphName,
    build: BuildOptions,
    format: Option<Format>,
    columns: Option<Columns>,
    weights: Option<WeightChoice>,
    skip: u64,
    directed: bool,
    needs: Option<Needs>,
    opening: OpenOptions,
    /// The options that change a graph, each with its flag and its method.
    given: Vec<(&'static str, &'static str)>,
}

/// The name of a graph, or its source if that is known.
#[derive(Clone, Debug)]
enum GraphName {
    Text(OsString),
    Source(GraphSource),
}

impl From<GraphSource> for GraphReader {
    fn from(source: GraphSource) -> Self {
        Self::of(GraphName::Source(source))
    }
}

/// Options that describe files.
const OF_FILES: [&str; 4] = ["--format", "--columns", "--skip", "--directed"];

impl GraphReader {
    pub(super) fn new(name: &OsStr) -> Self {
        Self::of(GraphName::Text(name.to_owned()))
    }

    fn of(name: GraphName) -> Self {
        Self {
            name,
            build: BuildOptions::default(),
            format: None,
            columns: None,
            weights: None,
            skip: 0,
            directed: false,
            needs: None,
            opening: OpenOptions::default(),
            given: Vec::new(),
        }
    }

    /// Records whether an option is set.
    fn give(mut self, flag: &'static str, method: &'static str, is_given: bool) -> Self {
        self.given.retain(|(other, _)| *other != flag);
        if is_given {
            self.given.push((flag, method));
        }
        self
    }

    /// Sets the bytes per page: see [`BuildOptions::page_size`].
    pub fn page_size(mut self, bytes: u32) -> Self {
        self.build.page_size = Some(bytes);
        self.give("--page-size", "page_size", true)
    }

    /// Sets the width of record IDs. The default depends on the graph's size.
    pub fn width(mut self, width: IdWidth) -> Self {
        self.build.width = Some(width);
        self.give("--ids", "width", true)
    }

    /// Sets the order of the vertices. The default is ascending original IDs.
    pub fn order(mut self, order: impl Into<OrderChoice>) -> Self {
        self.build.order = order.into();
        self.give("--order", "order", true)
    }

    /// Sets the format of a file. By default, the format follows from the name and the contents.
    pub fn format(mut self, format: Format) -> Self {
        self.format = Some(format);
        self.give("--format", "format", true)
    }

    /// Sets the columns of an edge in CSV files, edge lists and Graphalytics files. By default, columns are chosen by
    /// the header or by position.
    pub fn columns(mut self, columns: Columns) -> Self {
        self.columns = Some(columns);
        self.give("--columns", "columns", true)
    }

    /// Sets the type of the weights to that of `V`; with `()`, weights are not read. A file without weights is then an
    /// error, and a generator draws weights of this type. By default, a file's weights have the narrowest type that
    /// preserves them.
    ///
    /// ```
    /// use gts_core::graph::Graph;
    ///
    /// let graph = Graph::reader("chain:3").weights::<f64>().read()?;
    /// assert!(graph.weighted_edges::<f64>().is_some());
    /// # Ok::<(), gts_core::read::ReadError>(())
    /// ```
    pub fn weights<V: EdgeValue>(self) -> Self {
        self.choose_weights(V::SCALAR.map_or(WeightChoice::None, WeightChoice::Type))
    }

    /// Sets the weights, if their type is known only at run time, or if each weight should be 1.
    pub fn choose_weights(mut self, choice: impl Into<WeightChoice>) -> Self {
        self.weights = Some(choice.into());
        self.give("--weights", "weights", true)
    }

    /// Sets the number of lines to skip at the beginning of a file. Comments in these lines still determine whether an
    /// edge list is undirected.
    pub fn skip(mut self, lines: u64) -> Self {
        self.skip = lines;
        self.give("--skip", "skip", lines > 0)
    }

    /// Sets whether each edge is read as one arc, even if an edge list or a table declares its edges undirected.
    pub fn directed(mut self, wanted: bool) -> Self {
        self.directed = wanted;
        self.give("--directed", "directed", wanted)
    }

    /// Sets whether each edge represents both directions.
    pub fn undirected(mut self, wanted: bool) -> Self {
        self.build.undirected = wanted;
        self.give("--undirected", "undirected", wanted)
    }

    /// Sets whether to add missing reverse edges. Of duplicate edges, only one is kept.
    pub fn symmetrise(mut self, wanted: bool) -> Self {
        self.build.symmetrise = wanted;
        self.give("--symmetrise", "symmetrise", wanted)
    }

    /// Sets whether to store in-edges in addition to out-edges.
    pub fn in_edges(mut self, wanted: bool) -> Self {
        self.build.in_edges = wanted;
        self.give("--in-edges", "in_edges", wanted)
    }

    /// Sets whether to drop edges from a vertex to itself.
    pub fn drop_self_loops(mut self, wanted: bool) -> Self {
        self.build.drop_self_loops = wanted;
        self.give("--drop-self-loops", "drop_self_loops", wanted)
    }

    /// Sets whether to drop duplicate edges. Of several edges between the same vertices, the one with the smallest
    /// value is kept.
    pub fn drop_duplicates(mut self, wanted: bool) -> Self {
        self.build.drop_duplicates = wanted;
        self.give("--drop-duplicates", "drop_duplicates", wanted)
    }

    /// Sets the memory limit of a build in bytes. By default, there is no limit.
    pub fn memory(mut self, bytes: u64) -> Self {
        self.build.memory = Some(bytes);
        self.give("--memory", "memory", true)
    }

    /// Sets the properties that an algorithm requires. A build adds them: the in-edges, the reverse edges, and weights
    /// of an accepted type. Weights that the algorithm does not use are left out, with a note.
    pub fn needs(mut self, needs: Needs) -> Self {
        self.needs = Some(needs);
        self
    }

    /// Sets the limit of host memory for the tables and pages of a store, in bytes: see [`OpenOptions::host_memory`].
    pub fn host_memory(mut self, bytes: u64) -> Self {
        self.opening.host_memory = Some(bytes);
        self
    }

    /// Sets the maximum time without a completed read of a store's pages: see [`OpenOptions::stall_limit`].
    pub fn stall_limit(mut self, limit: Duration) -> Self {
        self.opening.stall_limit = Some(limit);
        self
    }

    /// Sets all options for opening a store.
    pub fn opening(mut self, options: OpenOptions) -> Self {
        self.opening = options;
        self
    }

    /// Sets all options of a build.
    pub fn options(mut self, options: BuildOptions) -> Self {
        self.build = options;
        self.give("BuildOptions", "options", true)
    }

    /// Sets a callback that receives the progress of a build, or of opening a store.
    pub fn progress(mut self, progress: ProgressFn) -> Self {
        self.build.progress = Some(progress);
        self
    }

    /// Reads the graph.
    ///
    /// # Errors
    ///
    /// As for [`Graph::read`]. Also fails if an option does not apply to the graph, or contradicts another one.
    pub fn read(self) -> Result<Graph, ReadError> {
        self.read_with_summary().map(|(graph, _)| graph)
    }

    /// Reads the graph, and returns it with a summary of the edges that were read and dropped; `None` for a store.
    ///
    /// # Errors
    ///
    /// As for [`GraphReader::read`].
    pub fn read_with_summary(self) -> Result<(Graph, Option<BuildSummary>), ReadError> {
        let (graph, summary, path) = match self.source()? {
            GraphSource::Store(path) => (self.open(&path)?, None, path),
            GraphSource::Generator(text) => {
                self.check_resident(&text, "generate")?;
                let (graph, summary) = phase::during(Phase::Generate, || self.build(self.generate(&text)?.as_mut()))?;
                (graph, Some(summary), text.into())
            }
            GraphSource::File(path) => {
                self.check_resident(&path.display(), "import")?;
                let (graph, summary) = phase::during(Phase::Import, || self.import(&path))?;
                (graph, Some(summary), path)
            }
        };
        self.check_weights(&graph, &path, summary.is_none())?;
        Ok((graph, summary))
    }

    /// Builds a store from a file or a generator without holding the whole graph in memory, through the given file
    /// system. The store equals that of [`Graph::save`].
    ///
    /// # Errors
    ///
    /// As for [`GraphReader::read`]. Also fails if the graph is a store, or if the store cannot be written.
    pub fn save(self, io: &dyn Io, store: impl AsRef<Path>, options: &SaveOptions) -> Result<BuildSummary, ReadError> {
        let source = self.source()?;
        let mut stream = self.stream_of(&source, self.weights_of_file())?;
        build::build_store(io, stream.as_mut(), &self.build_options(), store, options)
            .map_err(|error| of_source(&source, error))
    }

    /// Opens the edges of a file or a generator as a stream, without building a graph.
    ///
    /// # Errors
    ///
    /// As for [`GraphReader::read`]. Also fails if the graph is a store.
    pub fn stream(&self) -> Result<Box<dyn EdgeStream>, ReadError> {
        self.stream_of(&self.source()?, self.weights_of_file())
    }

    /// Estimates the shape of a generator's graph without generating it; `None` for a file or a store. Edges that the
    /// options drop or add are unknown: duplicates count as edges, and a symmetric graph has each edge twice.
    ///
    /// # Errors
    ///
    /// The specification or an option is invalid.
    pub fn estimate(&self) -> Result<Option<GraphShape>, ReadError> {
        match self.source()? {
            GraphSource::Generator(text) => Ok(Some(cost::estimate(&self.generator(&text)?.0, &self.build_options())?)),
            GraphSource::Store(_) | GraphSource::File(_) => Ok(None),
        }
    }

    /// Returns the files that determine the graph of a file: the file itself, and files beside it that are read or
    /// would be read if they existed. Returns no files for a store or a generator.
    ///
    /// # Errors
    ///
    /// There is no such file, store or generator.
    pub fn files(&self) -> Result<Vec<PathBuf>, ReadError> {
        match self.source()? {
            GraphSource::File(path) => Ok(import::files_of(path, self.format)),
            GraphSource::Store(_) | GraphSource::Generator(_) => Ok(Vec::new()),
        }
    }

    fn source(&self) -> Result<GraphSource, ReadError> {
        let both_ways = [("--undirected", "undirected"), ("--symmetrise", "symmetrise")];
        if let (true, Some((flag, method))) =
            (self.directed, both_ways.into_iter().find(|option| self.given.contains(option)))
        {
            let advice =
                Advice::new(format!("leave --directed or {flag} out"), format!("leave `directed` or `{method}` out"));
            return Err(ReadError::Option { problem: format!("--directed contradicts {flag}"), advice });
        }
        match &self.name {
            GraphName::Text(name) => GraphSource::parse(name),
            GraphName::Source(source) => Ok(source.clone()),
        }
    }

    /// Opens a store, which no option can change.
    fn open(&self, path: &Path) -> Result<Graph, ReadError> {
        if let Some((flag, method)) = self.given.first() {
            let or = "out, or import the graph again with it";
            return Err(ReadError::Option {
                problem: format!("{flag} cannot change the store {}", path.display()),
                advice: Advice::new(format!("leave {flag} {or}"), format!("leave `{method}` {or}")),
            });
        }
        let io: Arc<dyn Io> = Arc::new(FileSystem);
        let report = |done, total| {
            if let Some(progress) = &self.build.progress {
                progress(Progress { phase: build::Phase::Read, done, total: Some(total) });
            }
        };
        Ok(store::open_with(&io, path, &self.opening, &report)?)
    }

    /// Refuses a limit of host memory for a graph that is not a store.
    fn check_resident(&self, name: &impl Display, command: &str) -> Result<(), ReadError> {
        if self.opening.host_memory.is_none() {
            return Ok(());
        }
        Err(ReadError::Option {
            problem: format!("--host-memory is for stores, and `{name}` is none"),
            advice: Advice::new(
                format!("write one first with `gts {command} {name} STORE`"),
                "write one first with `Graph::reader(..).save(..)`, or leave `host_memory` out",
            ),
        })
    }

    /// Imports a file. If the algorithm does not accept the type of its weights, imports it again with another type.
    fn import(&self, path: &Path) -> Result<(Graph, BuildSummary), ReadError> {
        let build = |stream: Result<Box<dyn EdgeStream>, ReadError>| {
            let built = build::build(stream?.as_mut(), &self.build_options());
            built.map_err(|error| ReadError::in_file(path, error))
        };
        let (graph, summary) = build(self.open_file(path, self.weights_of_file()))?;
        let needs = self.needs.unwrap_or_default();
        let (None, Some(found), Some(wanted)) = (self.weights, graph.value_type(), needs.widest()) else {
            return Ok((graph, summary));
        };
        if needs.accept(Some(found)) {
            return Ok((graph, summary));
        }
        drop(graph);
        let note = format!("the weights are {found}, which the algorithm does not take: they are imported as {wanted}");
        build(self.open_file(path, Weights::As(wanted)).map(|stream| stream::with_note(stream, note)))
    }

    fn build(&self, stream: &mut dyn EdgeStream) -> Result<(Graph, BuildSummary), ReadError> {
        Ok(build::build(stream, &self.build_options())?)
    }

    fn stream_of(&self, source: &GraphSource, weights: Weights) -> Result<Box<dyn EdgeStream>, ReadError> {
        match source {
            GraphSource::File(path) => self.open_file(path, weights),
            GraphSource::Generator(text) => self.generate(text),
            GraphSource::Store(path) => Err(ReadError::Option {
                problem: format!("{} is a store already", path.display()),
                advice: Advice::new("give a file or a generator", "read the store, and save the graph"),
            }),
        }
    }

    fn open_file(&self, path: &Path, weights: Weights) -> Result<Box<dyn EdgeStream>, ReadError> {
        // The build adds the reverse edges, whatever the file declares.
        let both_ways = self.build.undirected || self.build.symmetrise;
        let options = ImportOptions {
            format: self.format,
            weights,
            columns: self.columns.clone(),
            directed: self.directed.then_some(true).or(both_ways.then_some(false)),
            skip: self.skip,
            memory: self.build.memory,
        };
        Ok(import::open(path, &options)?)
    }

    /// Returns the weights to read from a file.
    fn weights_of_file(&self) -> Weights {
        match (self.weights, self.needs) {
            (None, Some(needs)) if needs.weights.is_empty() => Weights::Unneeded,
            (None, _) => Weights::Auto,
            (Some(WeightChoice::None), _) => Weights::Ignore,
            (Some(WeightChoice::One), needs) => Weights::One(needs.unwrap_or_default().type_of_ones()),
            (Some(WeightChoice::Type(scalar)), _) => Weights::As(scalar),
        }
    }

    /// Returns the edges of a generated graph, with the requested weights.
    fn generate(&self, text: &str) -> Result<Box<dyn EdgeStream>, ReadError> {
        let (generator, note) = self.generator(text)?;
        let mut stream: Box<dyn EdgeStream> = Box::new(generator);
        if self.weights == Some(WeightChoice::One) {
            stream = stream::with_ones(stream, self.needs.unwrap_or_default().type_of_ones());
        }
        Ok(match note {
            Some(note) => stream::with_note(stream, note),
            None => stream,
        })
    }

    /// Returns the generator with the type of the requested weights, and a note if only the algorithm requires weights.
    fn generator(&self, text: &str) -> Result<(Generator, Option<String>), ReadError> {
        if let Some((flag, method)) = self.given.iter().find(|(flag, _)| OF_FILES.contains(flag)) {
            return Err(ReadError::Option {
                problem: format!("{flag} is for files, and `{text}` is generated"),
                advice: Advice::new("leave it out", format!("leave `{method}` out")),
            });
        }
        let generator = generate::parse(text)?;
        let needs = self.needs.unwrap_or_default();
        let weighted = |scalar| generate::parse(&format!("{text},weights={scalar}"));
        match (generator.weights(), self.weights) {
            (None, Some(WeightChoice::Type(scalar))) => Ok((weighted(scalar)?, None)),
            (None, Some(WeightChoice::One)) => Ok((weighted(needs.type_of_ones())?, None)),
            (None, None) => match needs.weights.first() {
                Some(&scalar) => {
                    let note = format!("the algorithm needs weights: generating {text},weights={scalar}");
                    Ok((weighted(scalar)?, Some(note)))
                }
                None => Ok((generator, None)),
            },
            (Some(named), Some(asked)) if asked != WeightChoice::Type(named) => Err(ReadError::Option {
                problem: format!("--weights {asked} contradicts `{text}`"),
                advice: "leave one of them out".into(),
            }),
            _ => Ok((generator, None)),
        }
    }

    /// Returns the options of a build, with the properties that the algorithm requires.
    fn build_options(&self) -> BuildOptions {
        let needs = self.needs.unwrap_or_default();
        BuildOptions {
            in_edges: self.build.in_edges || needs.in_edges,
            symmetrise: self.build.symmetrise || (needs.symmetric && !self.build.undirected),
            ..self.build.clone()
        }
    }

    /// Refuses a graph without weights that the algorithm accepts.
    fn check_weights(&self, graph: &Graph, path: &Path, is_store: bool) -> Result<(), ReadError> {
        let needs = self.needs.unwrap_or_default();
        let found = graph.value_type();
        if needs.accept(found) {
            return Ok(());
        }
        let (path, how) = (path.display(), if is_store { "import it again with" } else { "give" });
        Err(match found.zip(needs.widest()) {
            Some((found, widest)) => ReadError::Weights {
                problem: format!("the algorithm does not take weights of type {found}, which {path} has"),
                advice: Advice::new(
                    format!("{how} --weights {widest}"),
                    format!("read it from its file with `weights::<{widest}>()`"),
                ),
            },
            None => ReadError::Weights {
                problem: format!("the algorithm needs weights, and {path} has none"),
                advice: Advice::new(
                    format!("{how} --weights 1, which gives every edge weight 1"),
                    "read it from its file with `choose_weights(WeightChoice::One)`, which gives every edge weight 1",
                ),
            },
        })
    }
}

/// Adds the name of a file to the error of its build.
fn of_source(source: &GraphSource, error: build::BuildError) -> ReadError {
    match source {
        GraphSource::File(path) => ReadError::in_file(path, error),
        GraphSource::Store(_) | GraphSource::Generator(_) => error.into(),
    }
}
