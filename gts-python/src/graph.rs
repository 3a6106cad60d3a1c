//! Graphs: files, stores, generators, tables and arrays.

use crate::answer::RawAnswer;
use crate::arrays;
use crate::call::{self, CallProgress, RunningCall};
use crate::engines::{self, OwnedEngine};
use crate::error::{CallError, CallResult};
use arrow_array::{ArrayRef, RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, Field, Schema};
use gts_graph::algorithm::{Answer, Needs};
use gts_graph::cli::embedded::{self, PlannedRun};
use gts_graph::cli::program::Failure;
use gts_graph::cli::program::options::BuildArgs;
use gts_graph::contract::Side;
use gts_graph::core::build::{DeclaredVertices, Progress};
use gts_graph::core::files;
use gts_graph::core::graph::Graph;
use gts_graph::core::read::{GraphReader, GraphSource};
use gts_graph::core::store::SaveOptions;
use gts_tables::MemoryTable;
use numpy::PyUntypedArray;
use pyo3::prelude::*;
use pyo3_arrow::input::AnyRecordBatch;
use serde_json::json;
use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Instant, SystemTime};

/// A graph in each form that algorithms have needed so far.
#[pyclass(frozen, module = "gts_graph._gts")]
pub(crate) struct RawGraph(Arc<GraphForms>);

struct GraphForms {
    origin: Origin,
    /// The graph as it was read, first, and its other forms.
    forms: Mutex<Vec<Graph>>,
}

/// The source of a graph, and the options with which it is read.
struct Origin {
    input: GraphInput,
    /// The flags of `options`.
    flags: Vec<String>,
    options: BuildArgs,
    host_memory: Option<u64>,
}

enum GraphInput {
    /// A store, files or a generator, with the versions of the files.
    Named {
        names: Vec<PathBuf>,
        source: GraphSource,
        versions: Vec<FileVersion>,
    },
    Table(MemoryTable),
}

/// A file, its size, and the time of its last change; `None` if the system does not report them.
type FileVersion = (PathBuf, Option<(u64, SystemTime)>);

impl Origin {
    fn new(flags: Vec<String>, input: impl FnOnce(&BuildArgs) -> CallResult<GraphInput>) -> CallResult<Self> {
        let options = embedded::build_options(to_arguments(&flags))?;
        Ok(Self { input: input(&options)?, flags, options, host_memory: None })
    }

    /// Reads the graph in the form that an algorithm needs, or as the options describe it.
    fn read(&self, needs: Option<Needs>, call: &RunningCall) -> CallResult<Graph> {
        let source = match &self.input {
            GraphInput::Named { source, .. } => source.clone(),
            GraphInput::Table(table) => GraphSource::Files(vec![table.name.clone()]),
        };
        let reader = match (matches!(source, GraphSource::Store(_)), self.host_memory) {
            (true, None) => {
                embedded::default_limit().into_iter().fold(GraphReader::from(source), GraphReader::host_memory)
            }
            (_, Some(limit)) => GraphReader::from(source).host_memory(limit),
            (false, None) => embedded::default_budget().into_iter().fold(source.into(), GraphReader::memory),
        };
        let reader = needs.into_iter().fold(self.options.apply(reader), GraphReader::needs);
        let cell = call.progress();
        let report = move |Progress { phase, done, total }| cell.set(CallProgress { phase: phase.name(), done, total });
        let reader = reader.progress(Arc::new(report)).stop(call.stop_flag());
        Ok(match &self.input {
            GraphInput::Named { .. } => reader.read()?,
            GraphInput::Table(table) => reader.read_table(Box::new(table.clone()))?,
        })
    }

    /// Refuses to read files again that have changed, or that can be read only once.
    fn check_unchanged(&self) -> CallResult<()> {
        let GraphInput::Named { versions, .. } = &self.input else { return Ok(()) };
        let problem = |(path, version): &FileVersion| {
            let problem = match files::is_pipe(path) {
                true => "is a pipe, which can be read only once",
                false if version_of(path) != *version => "has changed since the graph was read",
                false => return None,
            };
            Some(format!("the algorithm needs another form of the graph, but {} {problem}", path.display()))
        };
        match versions.iter().find_map(problem) {
            None => Ok(()),
            Some(problem) => {
                let next =
                    "read a file that does not change, or give the options of the form: symmetrise, in_edges, weights";
                Err(Failure::other(problem, next).into())
            }
        }
    }
}

fn version_of(path: &PathBuf) -> Option<(u64, SystemTime)> {
    let found = fs::metadata(path).ok()?;
    Some((found.len(), found.modified().ok()?))
}

impl GraphForms {
    /// Returns the graph as it was read.
    fn base(&self) -> Graph {
        self.forms.lock().unwrap_or_else(PoisonError::into_inner)[0].clone()
    }

    /// Returns a form of the graph that meets the needs of an algorithm, and reads it if there is none yet. A form
    /// that stores each edge in both directions is a different graph, so only algorithms that need it use it. A store
    /// has one form: the run reports what is missing.
    fn form(&self, needs: Needs, call: &RunningCall) -> CallResult<Graph> {
        let symmetric = self.base().properties().symmetric;
        let meets = |form: &&Graph| {
            let properties = form.properties();
            needs.are_met_by(properties, form.topology(Side::In).is_some())
                && (needs.symmetric || properties.symmetric == symmetric)
        };
        let known = self.forms.lock().unwrap_or_else(PoisonError::into_inner).iter().find(meets).cloned();
        let is_store = matches!(self.origin.input, GraphInput::Named { source: GraphSource::Store(_), .. });
        match known {
            Some(form) => Ok(form),
            None if is_store => Ok(self.base()),
            None => {
                self.origin.check_unchanged()?;
                let form = self.origin.read(Some(needs), call)?;
                self.forms.lock().unwrap_or_else(PoisonError::into_inner).push(form.clone());
                Ok(form)
            }
        }
    }
}

impl Drop for GraphForms {
    fn drop(&mut self) {
        // A forked process has the engines of its parent, and may not touch them.
        if call::is_owner() {
            let forms = self.forms.get_mut().unwrap_or_else(PoisonError::into_inner);
            forms.iter().for_each(engines::forget);
        }
    }
}

/// Converts flags to arguments of a command line.
fn to_arguments(flags: &[String]) -> impl Iterator<Item = OsString> {
    flags.iter().map(OsString::from)
}

/// Creates the origin of a graph and reads the graph, on a separate thread.
fn open(
    py: Python<'_>,
    listener: Option<&Bound<'_, PyAny>>,
    origin: impl FnOnce(&RunningCall) -> CallResult<Origin> + Send + 'static,
) -> CallResult<RawGraph> {
    call::run(py, listener, move |call| {
        let origin = origin(call)?;
        let graph = origin.read(None, call)?;
        Ok(RawGraph(Arc::new(GraphForms { origin, forms: Mutex::new(vec![graph]) })))
    })
}

/// Reads a store, files or a generator.
#[pyfunction]
#[pyo3(signature = (names, options, host_memory=None, listener=None))]
pub(crate) fn read(
    py: Python<'_>,
    names: Vec<PathBuf>,
    options: Vec<String>,
    host_memory: Option<u64>,
    listener: Option<Bound<'_, PyAny>>,
) -> CallResult<RawGraph> {
    open(py, listener.as_ref(), move |_| {
        let named = |options: &BuildArgs| {
            let source = GraphSource::parse_all(&names)?;
            let files = options.apply(source.clone().into()).files()?;
            let versions =
                files.into_iter().map(|path| (version_of(&path), path)).map(|(version, path)| (path, version));
            Ok(GraphInput::Named { names, source, versions: versions.collect() })
        };
        Ok(Origin { host_memory, ..Origin::new(options, named)? })
    })
}

/// Reads a table of Arrow: an object with `__arrow_c_stream__` or `__arrow_c_array__`.
#[pyfunction]
#[pyo3(signature = (table, options, vertices=None, listener=None))]
pub(crate) fn read_arrow(
    py: Python<'_>,
    table: &Bound<'_, PyAny>,
    options: Vec<String>,
    vertices: Option<u64>,
    listener: Option<Bound<'_, PyAny>>,
) -> CallResult<RawGraph> {
    call::check_process()?;
    let table: AnyRecordBatch = table.extract().map_err(CallError::of)?;
    let reader = table.into_reader().map_err(CallError::of)?;
    open(py, listener.as_ref(), move |call| Origin::new(options, |_| batches(reader, vertices, call)))
}

/// Reads all batches of a stream. The producer may need the lock of the interpreter, and other threads that need it.
fn batches(
    reader: Box<dyn RecordBatchReader + Send>,
    vertices: Option<u64>,
    call: &RunningCall,
) -> CallResult<GraphInput> {
    let schema = reader.schema();
    let batch = |batch: Result<RecordBatch, ArrowError>| {
        call.check()?;
        batch.map_err(|error| Failure::other(error.to_string(), "check the table, or write it to a file first").into())
    };
    let batches = reader.map(batch).collect::<CallResult<_>>()?;
    Ok(GraphInput::Table(MemoryTable { name: "table".into(), schema, batches, vertices: range(vertices) }))
}

/// Reads arrays of sources, targets and weights.
#[pyfunction]
#[pyo3(signature = (source, target, weight, options, vertices=None, listener=None))]
pub(crate) fn read_numpy(
    py: Python<'_>,
    source: &Bound<'_, PyUntypedArray>,
    target: &Bound<'_, PyUntypedArray>,
    weight: Option<Bound<'_, PyUntypedArray>>,
    options: Vec<String>,
    vertices: Option<u64>,
    listener: Option<Bound<'_, PyAny>>,
) -> CallResult<RawGraph> {
    let mut columns =
        vec![("source", arrays::column(source, "source")?), ("target", arrays::column(target, "target")?)];
    if let Some(weight) = &weight {
        columns.push(("weight", arrays::column(weight, "weight")?));
    }
    let rows = columns[0].1.len();
    if let Some((name, column)) = columns.iter().find(|(_, column)| column.len() != rows) {
        let problem = format!("source has {rows} elements, and {name} has {}", column.len());
        return Err(CallError::usage(problem, "give arrays of the same length"));
    }
    let field = |(name, column): &(&str, ArrayRef)| Field::new(*name, column.data_type().clone(), false);
    let schema = Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()));
    let arrays = columns.into_iter().map(|(_, column)| column).collect();
    let batch =
        RecordBatch::try_new(Arc::clone(&schema), arrays).map_err(|error| CallError::defect(error.to_string()))?;
    let table = MemoryTable { name: "arrays".into(), schema, batches: vec![batch], vertices: range(vertices) };
    open(py, listener.as_ref(), move |_| Origin::new(options, |_| Ok(GraphInput::Table(table))))
}

fn range(vertices: Option<u64>) -> DeclaredVertices {
    match vertices {
        Some(count) => DeclaredVertices::Range { first: 0, count },
        None => DeclaredVertices::FromEdges,
    }
}

#[pymethods]
impl RawGraph {
    #[getter]
    fn vertices(&self) -> u64 {
        self.0.base().num_vertices()
    }

    #[getter]
    fn edges(&self) -> u64 {
        self.0.base().num_edges()
    }

    #[getter]
    fn undirected_edges(&self) -> Option<u64> {
        self.0.base().num_undirected_edges()
    }

    #[getter]
    fn keys(&self) -> String {
        self.0.base().ids().kind().to_string()
    }

    #[getter]
    fn weights(&self) -> Option<String> {
        self.0.base().value_type().map(|scalar| scalar.to_string())
    }

    #[getter]
    fn notes(&self) -> Vec<String> {
        self.0.base().notes().to_vec()
    }

    #[getter]
    fn bytes(&self) -> u64 {
        self.0.base().bytes()
    }

    /// The name of the store, file or generator; `None` for a table.
    #[getter]
    fn name(&self) -> Option<String> {
        match &self.0.origin.input {
            GraphInput::Named { source, .. } => Some(source.to_string()),
            GraphInput::Table(_) => None,
        }
    }

    /// Returns the arguments with which a command of `gts` reads the graph; `None` for a table.
    fn arguments(&self) -> Option<Vec<OsString>> {
        match &self.0.origin.input {
            GraphInput::Named { names, .. } => {
                let origin = &self.0.origin;
                let memory = origin.host_memory.map(|bytes| format!("--host-memory={bytes}").into());
                Some(names.iter().map(OsString::from).chain(to_arguments(&origin.flags)).chain(memory).collect())
            }
            GraphInput::Table(_) => None,
        }
    }

    /// Writes the graph as a store.
    fn save(&self, py: Python<'_>, path: PathBuf, replace: bool) -> CallResult<()> {
        let graph = self.0.base();
        call::finish(py, move || {
            let options = SaveOptions { replace, ..SaveOptions::default() };
            Ok(graph.save_with(path, &options)?)
        })
    }
}

/// Runs an algorithm on a graph.
#[pyfunction]
#[pyo3(signature = (algorithm, graph, options, listener=None))]
pub(crate) fn run(
    py: Python<'_>,
    algorithm: &str,
    graph: &RawGraph,
    options: Vec<String>,
    listener: Option<Bound<'_, PyAny>>,
) -> CallResult<RawAnswer> {
    call::check_process()?;
    let planned = embedded::run_options(algorithm, to_arguments(&options))?;
    let (algorithm, graph) = (planned.algorithm.name, Arc::clone(&graph.0));
    let (engine, done) = call::run(py, listener.as_ref(), move |call| {
        let form = graph.form(planned.parameters.needs(), call)?;
        let owned = engines::take(planned.engine_key.clone(), planned.engine.clone(), call)?;
        let done = match answer(&owned, &planned, &form) {
            Err(error) if engines::is_lost_by(&error) => return Err(error.into()),
            done => done,
        };
        Ok((owned, done.map(|(answer, report)| (answer, report, form))))
    })?;
    py.detach(|| engines::keep(engine));
    let (answer, report, form) = done?;
    Ok(RawAnswer::new(answer, form, algorithm, report))
}

/// Runs an algorithm on an engine. Returns its answer, and the report as JSON.
fn answer(owned: &OwnedEngine, planned: &PlannedRun, form: &Graph) -> gts_graph::Result<(Answer, String)> {
    let (engine, begun) = (&owned.engine, Instant::now());
    let _ = engine.take_report();
    let answer = planned.algorithm.run(engine, form, &planned.parameters)?;
    let report = engine.take_report();
    let notices: Vec<_> = engine.notices().iter().cloned().chain(planned.notice(engine)).collect();
    let report = json!({
        "algorithm": planned.algorithm.name,
        "device": engine.device_name(),
        "notices": notices,
        "edges": report.edges(),
        "bytes": report.bytes(),
        "read": report.read(),
        "seconds": {
            "run": begun.elapsed().as_secs_f64(),
            "passes": report.time().as_secs_f64(),
            "attributes": report.attributes.as_secs_f64(),
        },
        "kernels": embedded::kernels_json(&report),
    });
    Ok((answer, report.to_string()))
}
