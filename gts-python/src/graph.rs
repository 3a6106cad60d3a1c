//! Graphs: files, stores, generators, tables and arrays.

use crate::answer::RawAnswer;
use crate::arrays;
use crate::call::{self, Board, News};
use crate::engines;
use crate::error::{CallError, CallResult};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{Field, Schema};
use gts_graph::algorithm::Needs;
use gts_graph::cli::embedded::{self, PlannedRun};
use gts_graph::cli::program::options::BuildArgs;
use gts_graph::contract::Side;
use gts_graph::core::build::{DeclaredVertices, Progress};
use gts_graph::core::graph::{Graph, Key};
use gts_graph::core::read::{GraphReader, GraphSource};
use gts_graph::core::store::SaveOptions;
use gts_graph::measure::free_memory;
use gts_tables::MemoryTable;
use numpy::PyUntypedArray;
use pyo3::prelude::*;
use pyo3_arrow::input::AnyRecordBatch;
use serde_json::json;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// A graph, and the forms of it that algorithms have needed so far.
#[pyclass(frozen, module = "gts_graph._gts")]
pub(crate) struct RawGraph {
    origin: Arc<Origin>,
    /// The graph as it was read, first, and the other forms.
    forms: Mutex<Vec<Graph>>,
}

/// What a graph is read from.
struct Origin {
    input: GraphInput,
    options: BuildArgs,
    host_memory: Option<u64>,
}

enum GraphInput {
    Named(GraphSource),
    Table(MemoryTable),
}

impl Origin {
    /// Reads the graph in the form that an algorithm needs, or as the options describe it.
    fn read(&self, needs: Option<Needs>, Reading { board, stop }: Reading) -> CallResult<Graph> {
        let source = match &self.input {
            GraphInput::Named(source) => source.clone(),
            GraphInput::Table(table) => GraphSource::Files(vec![table.name.clone()]),
        };
        let is_store = matches!(source, GraphSource::Store(_));
        let free = free_memory();
        let reader = GraphReader::from(source);
        // The shares of the command line.
        let reader = match (is_store, free) {
            (true, _) => {
                self.host_memory.or(free.map(|free| free / 4 * 3)).into_iter().fold(reader, GraphReader::host_memory)
            }
            (false, Some(free)) => reader.memory(free / 2),
            (false, None) => reader,
        };
        let reader = self.options.apply(reader);
        let reader = needs.into_iter().fold(reader, GraphReader::needs);
        let tell = move |Progress { phase, done, total }| board.put(News { phase: phase.name(), done, total });
        let reader = reader.progress(Arc::new(tell)).stop(stop);
        Ok(match &self.input {
            GraphInput::Named(_) => reader.read()?,
            GraphInput::Table(table) => reader.read_table(Box::new(table.clone()))?,
        })
    }
}

/// What a reading thread shares with the calling one.
#[derive(Clone, Default)]
struct Reading {
    board: Board,
    stop: Arc<AtomicBool>,
}

impl Reading {
    /// Reads on a thread of its own.
    fn run(
        py: Python<'_>,
        listener: Option<&Bound<'_, PyAny>>,
        work: impl FnOnce(Self) -> CallResult<Graph> + Send + 'static,
    ) -> CallResult<Graph> {
        let reading = Self::default();
        let listened = listener.map(|listener| (listener, reading.board.clone()));
        let stop = Arc::clone(&reading.stop);
        call::run(py, listened, || stop.store(true, Ordering::Relaxed), move || work(reading))
    }
}

/// Returns whether a graph has the form that an algorithm needs.
fn serves(graph: &Graph, needs: &Needs) -> bool {
    let symmetric = graph.properties().symmetric;
    needs.accept(graph.value_type())
        && (!needs.symmetric || symmetric)
        && (!needs.in_edges || symmetric || graph.topology(Side::In).is_some())
}

impl RawGraph {
    fn open(py: Python<'_>, origin: Origin, listener: Option<&Bound<'_, PyAny>>) -> CallResult<Self> {
        let origin = Arc::new(origin);
        let input = Arc::clone(&origin);
        let graph = Reading::run(py, listener, move |reading| input.read(None, reading))?;
        Ok(Self { origin, forms: Mutex::new(vec![graph]) })
    }

    /// Returns the graph as it was read.
    fn base(&self) -> Graph {
        self.forms.lock().unwrap_or_else(PoisonError::into_inner)[0].clone()
    }

    /// Returns a known form of the graph that serves an algorithm.
    fn known(&self, needs: &Needs) -> Option<Graph> {
        let forms = self.forms.lock().unwrap_or_else(PoisonError::into_inner);
        // A store cannot be read in another form: the run says what it lacks.
        let is_store = matches!(self.origin.input, GraphInput::Named(GraphSource::Store(_)));
        forms.iter().find(|form| serves(form, needs)).or(forms.first().filter(|_| is_store)).cloned()
    }
}

impl Drop for RawGraph {
    fn drop(&mut self) {
        let forms = self.forms.get_mut().unwrap_or_else(PoisonError::into_inner);
        forms.iter().for_each(engines::forget);
    }
}

/// Converts texts to flags.
fn flags(texts: Vec<String>) -> impl Iterator<Item = OsString> {
    texts.into_iter().map(OsString::from)
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
    call::check_process()?;
    let options = embedded::build_options(flags(options))?;
    let source = GraphSource::parse_all(&names)?;
    RawGraph::open(py, Origin { input: GraphInput::Named(source), options, host_memory }, listener.as_ref())
}

/// Reads a table of Arrow: whatever has `__arrow_c_stream__` or `__arrow_c_array__`.
#[pyfunction]
#[pyo3(signature = (table, options, vertices=None, listener=None))]
pub(crate) fn read_arrow(
    py: Python<'_>,
    table: &Bound<'_, PyAny>,
    options: Vec<String>,
    vertices: Option<u64>,
    listener: Option<Bound<'_, PyAny>>,
) -> CallResult<RawGraph> {
    let options = embedded::build_options(flags(options))?;
    let table: AnyRecordBatch = table.extract().map_err(CallError::of)?;
    let (batches, schema) = table.into_table().map_err(|error| CallError::of(error.into()))?.into_inner();
    of_table(py, MemoryTable { name: "table".into(), schema, batches, vertices: range(vertices) }, options, listener)
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
    let options = embedded::build_options(flags(options))?;
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
    let batch = RecordBatch::try_new(Arc::clone(&schema), arrays)
        .map_err(|error| CallError::usage(error.to_string(), "give arrays of numbers"))?;
    let table = MemoryTable { name: "arrays".into(), schema, batches: vec![batch], vertices: range(vertices) };
    of_table(py, table, options, listener)
}

fn range(vertices: Option<u64>) -> DeclaredVertices {
    match vertices {
        Some(count) => DeclaredVertices::Range { first: 0, count },
        None => DeclaredVertices::FromEdges,
    }
}

fn of_table(
    py: Python<'_>,
    table: MemoryTable,
    options: BuildArgs,
    listener: Option<Bound<'_, PyAny>>,
) -> CallResult<RawGraph> {
    RawGraph::open(py, Origin { input: GraphInput::Table(table), options, host_memory: None }, listener.as_ref())
}

#[pymethods]
impl RawGraph {
    #[getter]
    fn vertices(&self) -> u64 {
        self.base().num_vertices()
    }

    #[getter]
    fn edges(&self) -> u64 {
        self.base().num_edges()
    }

    #[getter]
    fn undirected_edges(&self) -> Option<u64> {
        self.base().num_undirected_edges()
    }

    #[getter]
    fn keys(&self) -> String {
        self.base().ids().kind().to_string()
    }

    #[getter]
    fn weights(&self) -> Option<String> {
        self.base().value_type().map(|scalar| scalar.to_string())
    }

    #[getter]
    fn notes(&self) -> Vec<String> {
        self.base().notes().to_vec()
    }

    #[getter]
    fn bytes(&self) -> u64 {
        self.base().bytes()
    }

    /// The name of the store, file or generator; `None` for a table.
    #[getter]
    fn name(&self) -> Option<String> {
        match &self.origin.input {
            GraphInput::Named(source) => Some(source.to_string()),
            GraphInput::Table(_) => None,
        }
    }

    /// Returns the number of outgoing edges of a vertex.
    fn out_degree(&self, key: &str) -> CallResult<u64> {
        let graph = self.base();
        let ids = graph.ids();
        let parsed = ids.parse_key(key).unwrap_or_else(|| Key::from(key.to_owned()));
        let vertex = ids.vertex(parsed).map_err(gts_graph::Error::from)?;
        Ok(graph.out_degree(vertex))
    }

    /// Writes the graph as a store.
    fn save(&self, py: Python<'_>, path: PathBuf, replace: bool) -> CallResult<()> {
        let graph = self.base();
        call::run(
            py,
            None,
            || (),
            move || {
                let options = SaveOptions { replace, ..SaveOptions::default() };
                Ok(graph.save_with(path, &options)?)
            },
        )
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
    let key = options.join("\n");
    let PlannedRun { algorithm, parameters, engine } = embedded::run_options(algorithm, flags(options))?;
    let needs = parameters.needs();
    let known = graph.known(&needs);
    let is_new = known.is_none();
    let form = match known {
        Some(form) => form,
        None => {
            let origin = Arc::clone(&graph.origin);
            Reading::run(py, listener.as_ref(), move |reading| origin.read(Some(needs), reading))?
        }
    };
    if is_new {
        graph.forms.lock().unwrap_or_else(PoisonError::into_inner).push(form.clone());
    }
    let owned = engines::take(&key, engine)?;
    let (board, stopping, working) = (owned.board.clone(), owned.engine.clone(), form.clone());
    let listened = listener.as_ref().map(|listener| (listener, board));
    let (answer, report) = call::run(
        py,
        listened,
        || stopping.interrupt(),
        move || {
            let begun = Instant::now();
            let _ = owned.engine.take_report();
            let answer = algorithm.run(&owned.engine, &working, &parameters)?;
            let report = owned.engine.take_report();
            let report = json!({
                "algorithm": algorithm.name,
                "device": owned.engine.device_name(),
                "notices": owned.engine.notices(),
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
            engines::keep(owned);
            Ok((answer, report.to_string()))
        },
    )?;
    Ok(RawAnswer::new(answer, form, algorithm.name, report))
}
