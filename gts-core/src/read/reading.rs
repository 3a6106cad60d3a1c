//! Reading a graph with the options of a reader, from a store, a file or a generator.

use super::reader::GraphNames;
use super::{GraphReader, GraphSource, ReadError, WeightChoice};
use crate::advice::Advice;
use crate::build::{self, BuildError, BuildOptions, BuildSummary, EdgeBatch, EdgeStream, Progress};
use crate::cost;
use crate::files;
use crate::generate::{self, Generator};
use crate::graph::{Graph, GraphShape};
use crate::import::columnar::ColumnarFile;
use crate::import::{self, ImportOptions, ImportSource, Weights};
use crate::phase::{self, Phase};
use crate::store::io::{FileSystem, Io};
use crate::store::{self, OpenOptions, SaveOptions};
use crate::stream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Options that describe files.
const OF_FILES: [&str; 10] = [
    "--format",
    "--columns",
    "--keys",
    "--header",
    "--delimiter",
    "--decimal-comma",
    "--comment",
    "--skip",
    "--directed",
    "--bipartite",
];

impl GraphReader {
    /// Sets a flag that ends a build or the opening of a store: see [`BuildOptions::stop`] and [`OpenOptions::stop`].
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_core::graph::Graph;
    /// # use std::sync::Arc;
    /// # use std::sync::atomic::AtomicBool;
    /// let stop = Arc::new(AtomicBool::new(true));
    /// let error = Graph::reader("rmat:6").stop(stop).read().expect_err("the flag is set");
    /// assert_eq!(error.to_string(), "the build was stopped");
    /// ```
    pub fn stop(mut self, stop: Arc<AtomicBool>) -> Self {
        self.build.stop = Some(stop);
        self
    }

    /// Reads the graph.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_core::graph::Graph;
    /// let graph = Graph::reader("grid:10x10").in_edges(true).read()?;
    /// assert_eq!(graph.num_vertices(), 100);
    /// # Ok::<(), gts_core::read::ReadError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`Graph::read`]. Also fails if an option does not apply to the graph, or contradicts another one.
    pub fn read(self) -> Result<Graph, ReadError> {
        self.read_with_summary().map(|(graph, _)| graph)
    }

    /// Reads the graph, and returns it with a summary of the edges that were read and dropped; `None` for a store.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_core::graph::Graph;
    /// let (graph, summary) = Graph::reader("rmat:6").drop_duplicates(true).read_with_summary()?;
    /// let summary = summary.expect("the graph was built");
    /// assert_eq!(summary.edges_read, graph.num_edges() + summary.duplicates_dropped);
    /// # Ok::<(), gts_core::read::ReadError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`GraphReader::read`].
    pub fn read_with_summary(self) -> Result<(Graph, Option<BuildSummary>), ReadError> {
        let source = self.source()?;
        let (graph, summary) = match &source {
            GraphSource::Store(path) => (self.open(path)?, None),
            GraphSource::Generator(_) => {
                self.check_resident(&source, "generate")?;
                let (graph, summary) = phase::during(Phase::Generate, || self.build(&source))?;
                (graph, Some(summary))
            }
            GraphSource::Files(_) => {
                self.check_resident(&source, "import")?;
                let (graph, summary) = phase::during(Phase::Import, || self.build(&source))?;
                (graph, Some(summary))
            }
        };
        self.check_weights(&graph, &source)?;
        Ok((graph, summary))
    }

    /// Builds the graph of a table in memory, which is read like a file in a columnar format. The name of the reader
    /// stands for the table in errors. `gts-graph-tables` makes tables of Arrow's batches of rows.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_core::graph::Graph;
    /// use gts_core::build::EdgeBatch;
    /// use gts_core::import::ImportError;
    /// use gts_core::import::columnar::{ChosenColumns, ColumnClass, ColumnarFile, ColumnarRows, TypedColumn};
    ///
    /// /// A table with one row.
    /// struct OneEdge {
    ///     is_read: bool,
    /// }
    ///
    /// impl ColumnarFile for OneEdge {
    ///     fn columns(&self) -> Vec<TypedColumn> {
    ///         let column = |name: &str| TypedColumn {
    ///             name: name.to_owned(),
    ///             class: ColumnClass::Unsigned,
    ///             type_name: "numbers".to_owned(),
    ///         };
    ///         vec![column("source"), column("target")]
    ///     }
    ///
    ///     fn rows(self: Box<Self>, _: ChosenColumns) -> Result<Box<dyn ColumnarRows>, ImportError> {
    ///         Ok(self)
    ///     }
    /// }
    ///
    /// impl ColumnarRows for OneEdge {
    ///     fn next(&mut self, batch: &mut EdgeBatch) -> Result<bool, ImportError> {
    ///         batch.clear();
    ///         let is_first = !std::mem::replace(&mut self.is_read, true);
    ///         if is_first {
    ///             batch.src.push(7);
    ///             batch.dst.push(9);
    ///         }
    ///         Ok(is_first)
    ///     }
    ///
    ///     fn progress(&self) -> (u64, u64) {
    ///         (self.is_read.into(), 1)
    ///     }
    /// }
    ///
    /// let graph = Graph::reader("one edge").read_table(Box::new(OneEdge { is_read: false }))?;
    /// assert_eq!(graph.neighbors(graph.vertex(7)?).count(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`GraphReader::read`].
    pub fn read_table(self, table: Box<dyn ColumnarFile>) -> Result<Graph, ReadError> {
        let source = match &self.names {
            GraphNames::Texts(names) => GraphSource::Files(names.iter().map(PathBuf::from).collect()),
            GraphNames::Source(source) => source.clone(),
        };
        let name = PathBuf::from(source.to_string());
        let options = self.import_options(self.weights_of_file());
        let graph = phase::during(Phase::Import, || {
            let mut stream = import::open_source(ImportSource::Table(&name, table), &options)?;
            let built = build::build(stream.as_mut(), &self.build_options(&source));
            built.map(|(graph, _)| graph).map_err(|error| ReadError::in_file(name.clone(), error))
        })?;
        self.check_weights(&graph, &source)?;
        Ok(graph)
    }

    /// Builds a store from a file or a generator, through the given file system. If the graph exceeds the
    /// [memory limit](Self::memory), its edges are sorted in temporary files beside the store. The store equals that of
    /// [`Graph::save`].
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_core::graph::Graph;
    /// # let store = std::env::temp_dir().join(format!("gts-reader-save-{}.gts", std::process::id()));
    /// use gts_core::store::{self, SaveOptions, io::FileSystem};
    ///
    /// Graph::reader("rmat:6").save(&FileSystem, &store, &SaveOptions::default())?;
    /// assert_eq!(Graph::read(&store)?.num_vertices(), 64);
    /// # store::remove(&FileSystem, &store)?;
    /// # Ok::<(), gts_core::read::ReadError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`GraphReader::read`]. Also fails if the graph is a store, or if the store cannot be written.
    pub fn save(self, io: &dyn Io, store: impl AsRef<Path>, options: &SaveOptions) -> Result<BuildSummary, ReadError> {
        let source = self.source()?;
        let mut stream = self.stream_of(&source, self.weights_of_file())?;
        build::build_store(io, stream.as_mut(), &self.build_options(&source), store, options)
            .map_err(|error| self.explain(&source, error))
    }

    /// Opens the edges of a file or a generator as a stream, without building a graph.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_core::graph::Graph;
    /// use gts_core::build::EdgeBatch;
    ///
    /// let mut stream = Graph::reader("chain:3").stream()?;
    /// let mut batch = EdgeBatch::default();
    /// assert!(stream.next(&mut batch)?);
    /// assert_eq!((batch.src, batch.dst), (vec![0, 1], vec![1, 2]));
    /// # Ok::<(), gts_core::read::ReadError>(())
    /// ```
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
    /// # Examples
    ///
    /// ```
    /// # use gts_core::graph::Graph;
    /// let shape = Graph::reader("rmat:30").estimate()?.expect("a generator");
    /// assert_eq!(shape.vertices, 1 << 30);
    /// # Ok::<(), gts_core::read::ReadError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The specification or an option is invalid.
    pub fn estimate(&self) -> Result<Option<GraphShape>, ReadError> {
        let source = self.source()?;
        match &source {
            GraphSource::Generator(text) => {
                Ok(Some(cost::estimate(&self.generator(text)?.0, &self.build_options(&source))?))
            }
            GraphSource::Store(_) | GraphSource::Files(_) => Ok(None),
        }
    }

    /// Returns the files that determine the graph of files: the files themselves, and files beside them that are read or
    /// would be read if they existed. Returns no files for a store or a generator.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_core::graph::Graph;
    /// assert!(Graph::reader("rmat:6").files()?.is_empty());
    /// # Ok::<(), gts_core::read::ReadError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// There is no such file, store or generator.
    pub fn files(&self) -> Result<Vec<PathBuf>, ReadError> {
        match self.source()? {
            GraphSource::Files(paths) => {
                Ok(paths.iter().flat_map(|path| import::files_of(path, self.format)).collect())
            }
            GraphSource::Store(_) | GraphSource::Generator(_) => Ok(Vec::new()),
        }
    }

    fn source(&self) -> Result<GraphSource, ReadError> {
        let both_ways = [(self.build.undirected, "undirected"), (self.build.symmetrise, "symmetrise")];
        if let (true, Some((_, option))) = (self.directed, both_ways.into_iter().find(|(is_given, _)| *is_given)) {
            let advice = Advice::new(
                format!("leave --directed or --{option} out"),
                format!("leave `directed` or `{option}` out"),
            );
            return Err(ReadError::Option { problem: format!("--directed contradicts --{option}"), advice });
        }
        match &self.names {
            GraphNames::Texts(names) => GraphSource::parse_all(names),
            GraphNames::Source(source) => Ok(source.clone()),
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
        let opening = OpenOptions { stop: self.build.stop.clone(), ..self.opening.clone() };
        Ok(store::open_with(&io, path, &opening, &report)?)
    }

    /// Refuses a limit of host memory for a graph that is not a store.
    fn check_resident(&self, source: &GraphSource, command: &str) -> Result<(), ReadError> {
        if self.opening.host_memory.is_none() {
            return Ok(());
        }
        let name = match source {
            GraphSource::Files(files) if files.len() > 1 => "FILES".into(),
            source => source.to_string(),
        };
        Err(ReadError::Option {
            problem: format!("--host-memory is for stores, and `{source}` is not one"),
            advice: Advice::new(
                format!("write one first with `gts {command} {name} STORE`"),
                "write one first with `Graph::reader(..).save(..)`, or leave `host_memory` out",
            ),
        })
    }

    fn build(&self, source: &GraphSource) -> Result<(Graph, BuildSummary), ReadError> {
        let mut stream = self.stream_of(source, self.weights_of_file())?;
        build::build(stream.as_mut(), &self.build_options(source)).map_err(|error| self.explain(source, error))
    }

    /// Adds the name of a file to the error of its build. If a weight does not fit its type, reads the file again to
    /// find its line.
    fn explain(&self, source: &GraphSource, error: BuildError) -> ReadError {
        let GraphSource::Files(paths) = source else { return error.into() };
        if let BuildError::Value { target, .. } = error
            && !paths.iter().any(|path| files::is_pipe(path))
            && let Ok(mut stream) = self.open_files(paths, Weights::As(target))
        {
            let mut batch = EdgeBatch::default();
            loop {
                match stream.next(&mut batch) {
                    Ok(true) => {}
                    Ok(false) => break,
                    Err(error) => return error.into(),
                }
            }
        }
        ReadError::in_file(source.to_string(), error)
    }

    fn stream_of(&self, source: &GraphSource, weights: Weights) -> Result<Box<dyn EdgeStream>, ReadError> {
        match source {
            GraphSource::Files(paths) => self.open_files(paths, weights),
            GraphSource::Generator(text) => self.generate(text),
            GraphSource::Store(path) => Err(ReadError::Option {
                problem: format!("{} is a store already", path.display()),
                advice: Advice::new("give a file or a generator", "read the store, and save the graph"),
            }),
        }
    }

    fn open_files(&self, paths: &[PathBuf], weights: Weights) -> Result<Box<dyn EdgeStream>, ReadError> {
        Ok(import::open(paths, &self.import_options(weights))?)
    }

    fn import_options(&self, weights: Weights) -> ImportOptions {
        // The build adds the reverse edges, whatever the file declares.
        let both_ways = self.build.undirected || self.build.symmetrise;
        ImportOptions {
            format: self.format,
            weights,
            columns: self.columns.clone(),
            keys: self.keys,
            header: self.header,
            delimiter: self.delimiter,
            decimal_comma: self.decimal_comma,
            comment: self.comment.clone(),
            directed: self.directed.then_some(true).or(both_ways.then_some(false)),
            bipartite: self.bipartite,
            labels: false,
            skip: self.skip,
            memory: self.build.memory,
        }
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

    /// Returns the options of a build, with the properties that the algorithm requires. The weights of files are
    /// converted to a type that the algorithm accepts, unless the user has chosen a type.
    fn build_options(&self, source: &GraphSource) -> BuildOptions {
        let needs = self.needs.unwrap_or_default();
        let is_converted = self.weights.is_none() && matches!(source, GraphSource::Files(_));
        BuildOptions {
            accepted_values: if is_converted { needs.weights } else { self.build.accepted_values },
            in_edges: self.build.in_edges || needs.in_edges,
            symmetrise: self.build.symmetrise || (needs.symmetric && !self.build.undirected),
            ..self.build.clone()
        }
    }

    /// Refuses a graph without weights that the algorithm accepts.
    fn check_weights(&self, graph: &Graph, source: &GraphSource) -> Result<(), ReadError> {
        let needs = self.needs.unwrap_or_default();
        let found = graph.value_type();
        if needs.accept(found) {
            return Ok(());
        }
        let how = if matches!(source, GraphSource::Store(_)) { "import it again with" } else { "give" };
        Err(match found.zip(needs.widest()) {
            Some((found, widest)) => ReadError::Weights {
                problem: format!("the algorithm does not take weights of type {found}, which {source} has"),
                advice: Advice::new(
                    format!("{how} --weights {widest}"),
                    format!("read it from its file with `weights::<{widest}>()`"),
                ),
            },
            None => ReadError::Weights {
                // A note may name a column that contains weights.
                problem: graph
                    .notes()
                    .iter()
                    .fold(format!("the algorithm needs weights, and {source} has none"), |problem, note| {
                        format!("{problem}; {note}")
                    }),
                advice: Advice::new(
                    format!("{how} --weights 1, which gives every edge weight 1"),
                    "read it from its file with `choose_weights(WeightChoice::One)`, which gives every edge weight 1",
                ),
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advice::{Reader, explain_within};
    use crate::read::Needs;
    use gts_contract::ScalarType;

    #[test]
    fn a_weight_that_the_algorithm_does_not_take_is_reported_with_its_line() {
        let folder = tempfile::tempdir().unwrap();
        let needs = Needs { weights: &[ScalarType::U32], ..Needs::NONE };
        for (name, text, place) in [
            (
                "a.csv",
                "source,target,weight\n1,2,3\n2,3,0.5\n",
                "a.csv:3:5: expected a weight that a u32 holds, found `0.5`",
            ),
            ("a.txt", "1 2 3\n# 7\n2 3 -1\n", "a.txt:3:5: expected a weight that a u32 holds, found `-1`"),
        ] {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            let error = explain_within(&Graph::reader(&path).needs(needs).read().unwrap_err(), Reader::CommandLine);
            assert!(error.contains(place), "{error}");
            let saved = Graph::reader(&path).needs(needs).save(
                &FileSystem,
                folder.path().join("a.gts"),
                &SaveOptions::default(),
            );
            assert!(saved.unwrap_err().to_string().contains(place));
        }
    }
}
