//! `gts run`: runs an algorithm on a graph.

use super::by_algorithm::{self, ChosenAlgorithm};
use super::outcome::{FinishedRun, Outcome};
use crate::error::Failure;
use crate::forecast::{self, Predicted};
use crate::group::{Ranks, Way};
use crate::hybrid::{AskedSharing, Decided, EngineSharing, Work};
use crate::interrupt;
use crate::labels::Labels;
use crate::load::{self, Loaded, Opening};
use crate::memory::Peaks;
use crate::options::{self, BuildArgs, EngineArgs, Given};
use crate::output::{AnswerFile, Kind, PackedKind, STANDARD_OUTPUT, Written};
use crate::progress::Meter;
use crate::report::{Report, tell};
use crate::trace::{self, TraceArgs, Tracing};
use crate::units;
use clap::{ArgMatches, Command, FromArgMatches};
use gts_graph::algorithm::{Algorithm, Arguments as Parameters};
use gts_graph::core::cost::RunConfiguration;
use gts_graph::core::graph::KeyKind;
use gts_graph::core::phase::{self, Phase};
use gts_graph::core::store::StoreProgress;
use gts_graph::core::threads;
use gts_graph::device::{BetweenRanks, Collectives};
use gts_graph::measure::peak_memory;
use gts_graph::prelude::*;
use gts_graph::{EngineBuilder, ProgressCallback};
use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// Lines of the answer, unless another number is given.
const TOP: usize = 10;

/// What `gts run ALGORITHM` takes beside the algorithm's own parameters.
#[derive(clap::Args, Debug)]
pub(crate) struct Arguments {
    /// A store, graph files, or a generator such as rmat:20
    ///
    /// Several files, a folder of files or a pattern such as 'part-*' are one graph. A pipe may take the place of a file,
    /// and - is standard input.
    #[arg(value_name = "GRAPH", required = true)]
    graph: Vec<OsString>,
    #[command(flatten)]
    engine: EngineArgs,
    /// Check the whole store first, as `gts verify` does, and do not run if it is not sound
    #[arg(long, help_heading = "Graph")]
    verify: bool,
    /// Compare the answer with a serial version
    #[arg(long, help_heading = "Run")]
    check: bool,
    /// Write the whole answer to a file, or to standard output (-): .csv, .tsv, .jsonl or .json, also with .gz or .zst;
    /// .npy, .npz, .parquet or .arrow; or its edges, if it has some: .el
    #[arg(long, value_name = "FILE", help_heading = "Answer")]
    output: Option<PathBuf>,
    /// Kind of the output, such as csv or jsonl.gz; by the ending of the file's name if not given, and csv on standard
    /// output
    #[arg(long, value_name = "KIND", value_parser = output_format, help_heading = "Answer")]
    output_format: Option<PackedKind>,
    /// Replace files that there are already
    #[arg(long, help_heading = "Answer")]
    force: bool,
    /// Table with the labels of vertices: a number and a label in each row
    ///
    /// In a text file, tabs, commas, semicolons or blanks separate the fields. There may be a header, and the file may be
    /// compressed. A Parquet or Arrow file has a column of integers and a column of text. With labels, a vertex flag also
    /// takes a label that only one vertex has.
    #[arg(long, value_name = "FILE", help_heading = "Answer")]
    labels: Option<PathBuf>,
    /// Print this many lines of the answer as a table; if not given, a terminal shows 10, a pipe gets all rows as CSV
    #[arg(long, value_name = "LINES", help_heading = "Answer")]
    top: Option<usize>,
    /// List each kernel and each phase of the command in the summary
    #[arg(long, short, help_heading = "Answer")]
    verbose: bool,
    /// The most host memory for a store's tables and pages, such as 6GiB: pages beyond stay on disk and stream; three
    /// quarters of what is free if not given
    #[arg(long, value_name = "BYTES", value_parser = units::parse_bytes, help_heading = "Run")]
    host_memory: Option<u64>,
    /// The longest time, such as 30s or 5min, in which no read of a store's pages ends before the run fails; 60s if not
    /// given. Of several ranks also the longest time in which one that others wait for sends nothing; none if not given,
    /// for such a rank may be busy
    #[arg(long, value_name = "TIME", value_parser = units::parse_time, help_heading = "Run")]
    stall_limit: Option<Duration>,
    /// How the processes that share this run find one another: local (`gts launch` has started them, and this is the
    /// default), or mpi (`mpirun` has)
    #[arg(long, value_name = "WAY", value_enum, help_heading = "Run")]
    group: Option<Way>,
    /// How processes that share this run on GPUs make their values equal: nccl (from GPU to GPU), host (through the memory of the
    /// hosts), or auto (nccl where each process has it and a GPU of its own)
    #[arg(long, value_name = "WAY", value_parser = options::collectives, default_value_t, help_heading = "Run")]
    collectives: Collectives,
    /// Import files again, and keep nothing
    #[arg(long, help_heading = "Graph")]
    no_cache: bool,
    #[command(flatten)]
    trace: TraceArgs,
    #[command(flatten)]
    build: BuildArgs,
}

/// Creates `gts run` with a subcommand per algorithm, whose parameters are flags.
pub(crate) fn command() -> Command {
    by_algorithm::command::<Arguments>("run", "Run an algorithm on a graph")
}

pub(crate) fn execute(matches: &ArgMatches) -> Result<Report, Failure> {
    let chosen = by_algorithm::chosen(matches)?;
    let arguments = Arguments::from_arg_matches(chosen.matches)?;
    let ranks = Ranks::join(arguments.group, arguments.stall_limit)?;
    let done = execute_on(&ranks, &chosen, arguments);
    ranks.end(done)
}

/// Runs the algorithm as a rank. Only the first rank reports the result.
fn execute_on(ranks: &Ranks, chosen: &ChosenAlgorithm<'_>, mut arguments: Arguments) -> Result<Report, Failure> {
    let algorithm = chosen.algorithm;
    if !ranks.is_first() {
        (arguments.output, arguments.output_format) = (None, None);
        (arguments.trace, arguments.check, arguments.verify) = (TraceArgs::NONE, false, false);
    }
    if arguments.check && algorithm.check.is_none() {
        return Err(Failure::usage(
            format!("--check: `{}` has no serial version to compare with", algorithm.name),
            "leave it out",
        ));
    }
    let (given, in_group) = (Given::of(chosen.matches), ranks.group().is_some());
    given.check(arguments.engine.device, arguments.engine.gpu.kind(arguments.engine.device, in_group))?;
    let asked = arguments.engine.gpu.hybrid(arguments.engine.device)?;
    arguments.engine.builder().check().map_err(|error| Failure::usage_of(&error))?;
    let Shown { target, is_table, top } = arguments.shown(chosen.matches.get_flag("json"), algorithm)?;
    let tracing = arguments.trace.prepare(arguments.force, target.as_ref().and_then(AnswerFile::file))?;
    if tracing.trace.is_on() {
        phase::keep_spans();
    }
    let labels = arguments.labels.as_deref().map(Labels::read).transpose()?.unwrap_or_default();
    let mut parameters = chosen.parameters.clone();
    if arguments.labels.is_some() {
        parameters.set_names(labels.all());
    }
    let parameters = &parameters;

    let opening = Opening {
        host_memory: arguments.host_memory,
        stall_limit: arguments.stall_limit,
        // Each rank reads its share after the engine has determined it.
        on_demand: ranks.group().and_then(|group| NonZeroUsize::new(group.size())),
    };
    if arguments.verify {
        load::verify(&arguments.graph, opening)?;
    }
    let progress = Arc::new(OnceLock::new());
    let build = |shares| match ranks.group() {
        Some(group) => builder(&arguments, &tracing, &progress, shares).group(Arc::clone(group)).build(),
        None => builder(&arguments, &tracing, &progress, shares).build(),
    };
    let cached = !arguments.no_cache;
    let load = || {
        let load = || load::load(&arguments.graph, &arguments.build, &parameters.needs(), cached, opening);
        let is_file = ranks.group().is_some() && load::is_shared_file(&arguments.graph)?;
        let loaded = ranks.load(cached && is_file, load)?;
        ranks.check_pages(loaded.graph.out_topology().num_pages())?;
        Ok(loaded)
    };
    let decide = |asked: AskedSharing, loaded: &Loaded| {
        asked.decide(&Work {
            algorithm,
            parameters,
            graph: &loaded.graph,
            propagation: arguments.engine.propagation,
            configuration: &configuration(&arguments, loaded),
            threads: arguments.engine.threads,
        })
    };
    let (mut loaded, engine, shared) = match asked {
        // An import requires the group, as opening devices does, and the group handles one request at a time.
        // Generating a graph may take long, and NCCL starts in the meantime.
        _ if ranks.group().is_some() && !load::is_store(&arguments.graph) => {
            let engine = build(asked.map(|asked| asked.shares()))?;
            (load()?, engine, None)
        }
        // The CPU's share depends on the graph, but the GPUs can be opened before that.
        Some(asked) if asked.is_auto() => {
            let (loaded, gpus) = at_once(load, || build(Some(asked.shares())))?;
            let (gpus, shared) = (gpus?, decide(asked, &loaded)?);
            let engine = match shared.is_gpus_alone() {
                true => gpus,
                // The GPUs stay open in the meantime, so that they need not be opened again.
                false => phase::during(Phase::Device, || build(Some(shared.shares())))?,
            };
            (loaded, engine, Some(shared))
        }
        _ => {
            let (loaded, engine) = at_once(load, || build(asked.map(|asked| asked.shares())))?;
            let engine = engine?;
            let shared = asked.map(|asked| decide(asked, &loaded)).transpose()?;
            (loaded, engine, shared)
        }
    };
    let ids = loaded.graph.ids();
    if arguments.labels.is_some() && (ids.kind() != KeyKind::Number || ids.has_sides()) {
        let sides = if ids.has_sides() { " with sides" } else { "" };
        return Err(Failure::usage(
            format!("--labels names vertices by number, and the keys of the graph are {}{sides}", ids.kind().plural()),
            "leave --labels out",
        ));
    }
    if let Some(target) = &target {
        target.check_keys(ids)?;
    }
    load_share(&engine, ranks, &mut loaded)?;
    if ranks.is_first() {
        // No other code sets this cell, so setting it cannot fail.
        let outline = algorithm.outlined(parameters, &(&loaded.graph).into());
        let _ = progress.set(Meter::new().of_run(outline.as_ref()));
        engine.notices().iter().for_each(tell);
        if arguments.engine.device == DeviceChoice::Auto {
            given.tell_ignored(arguments.engine.gpu.kind(options::taken(&engine), in_group));
        }
    }
    let predicted = forecast::of_run(
        algorithm,
        parameters,
        &loaded.graph,
        &engine.device_name(),
        arguments.engine.propagation,
        configuration(&arguments, &loaded),
    );
    let predicted = predicted.or_else(|| shared.as_ref().and_then(Decided::predicted));
    if ranks.is_first() {
        predicted.iter().filter_map(Predicted::announcement).for_each(tell);
    }
    let (done, tracing) = run(algorithm, parameters, &loaded, &engine, tracing, predicted)?;
    if !ranks.is_first() {
        // Free the memory now: the first rank may require it for the answer.
        drop(loaded);
        // NCCL's memory on a GPU is freed only after the first rank has freed its own. That rank leaves it to the
        // system.
        if matches!(done.between, Some(BetweenRanks::Nccl(_))) {
            leave_to_the_system(engine);
        }
        return Ok(Report::silent());
    }
    let graph = &loaded.graph;
    let mut failures = Vec::new();
    // Write the answer first, so that no later failure loses it.
    let written = Written { algorithm, answer: &done.answer, ids: graph.ids(), labels: &labels };
    let output = target
        .and_then(|target| keep(&mut failures, phase::during(Phase::Output, || target.write(&written))))
        .flatten();
    tracing.trace.record_phases(&phase::so_far());
    let traced = keep(&mut failures, phase::during(Phase::Output, || tracing.write(&done.devices))).flatten();
    let verdict = match (arguments.check, algorithm.check) {
        (true, Some(check)) => {
            keep(&mut failures, phase::during(Phase::Verify, || check(graph, parameters, &done.answer)))
        }
        _ => None,
    };
    let outcome = Outcome {
        algorithm,
        parameters,
        loaded: &loaded,
        done: &done,
        shared: shared.as_ref(),
        verdict,
        output,
        traced,
        labels: &labels,
        graph: &load::text_of(&arguments.graph),
        top,
        is_table,
        verbose: arguments.verbose,
    };
    match phase::during(Phase::Output, || outcome.tell()) {
        Ok(told) => {
            leave_to_the_system((done, loaded, engine));
            let mut report = told.report(&phase::so_far());
            report.failures.splice(..0, failures);
            Ok(report)
        }
        Err(failure) => {
            for failure in failures {
                failure.tell();
            }
            Err(failure)
        }
    }
}

fn output_format(text: &str) -> Result<PackedKind, String> {
    PackedKind::parse(text, Kind::OF_ANSWERS)
}

/// What a run prints on standard output, and writes to a file.
struct Shown {
    /// The destination of the whole answer, if it is written.
    target: Option<AnswerFile>,
    /// Whether lines of the answer are printed as a table.
    is_table: bool,
    /// The maximum number of these lines, or of those in JSON.
    top: usize,
}

impl Arguments {
    /// Determines the form of the answer, and refuses a second one on standard output.
    fn shown(&self, json: bool, algorithm: &Algorithm) -> Result<Shown, Failure> {
        let path = self.output.as_deref().or(self.output_format.map(|_| Path::new(STANDARD_OUTPUT)));
        let is_printed = path == Some(Path::new(STANDARD_OUTPUT));
        let other = [(json, "--json"), (self.top.is_some(), "--top")].into_iter().find(|(is_given, _)| *is_given);
        if let (true, Some((_, other))) = (is_printed, other) {
            return Err(Failure::usage(
                format!("{other}: the whole answer is printed on standard output"),
                format!("leave {other} out, or name a file by --output"),
            ));
        }
        let target = path.map(|path| AnswerFile::new(path, self.output_format, self.force, algorithm)).transpose()?;
        let is_table = !json && !is_printed && (self.top.is_some() || io::stdout().is_terminal());
        let rows = (target.is_none() && !json && !is_table).then_some(AnswerFile::ROWS);
        let top = if json || is_table { self.top.unwrap_or(TOP) } else { 0 };
        Ok(Shown { target: target.or(rows), is_table, top })
    }
}

/// Reads the share of this process of a graph that was opened on demand.
fn load_share(engine: &Engine, ranks: &Ranks, loaded: &mut Loaded) -> Result<(), Failure> {
    let begun = Instant::now();
    let meter = Meter::new();
    let shown = meter.of_store("reading");
    let progress: StoreProgress<'_> = if ranks.is_first() { &shown } else { &|_, _| () };
    phase::during(Phase::Read, || engine.load(&loaded.graph, progress))?;
    loaded.time += begun.elapsed();
    Ok(())
}

/// Leaves the memory of a run to the system, which frees it faster when the process ends. All files must be complete.
fn leave_to_the_system<T>(taken: T) {
    std::mem::forget(taken);
}

/// Returns the value of a result, or records its failure.
fn keep<T>(failures: &mut Vec<Failure>, result: Result<T, impl Into<Failure>>) -> Option<T> {
    result.map_err(|failure| failures.push(failure.into())).ok()
}

/// Callback for a run's progress, set after the graph is loaded.
type ProgressListener = Arc<OnceLock<ProgressCallback>>;

/// Creates the engine builder for the command line.
fn builder(
    arguments: &Arguments,
    tracing: &Tracing,
    progress: &ProgressListener,
    shares: Option<EngineSharing>,
) -> EngineBuilder {
    let progress = Arc::clone(progress);
    let builder = arguments.engine.builder().trace(tracing.trace.clone()).collectives(arguments.collectives).progress(
        Arc::new(move |told| {
            if let Some(progress) = progress.get() {
                progress(told);
            }
        }),
    );
    match shares {
        Some(shares) => shares.apply(builder),
        None => builder,
    }
}

/// Loads the graph while another thread opens the device, which takes a few tenths of a second for a GPU's driver. If
/// no thread can be started, runs both one after the other. Also opens the device first if the address space is
/// limited, because its threads take part of the space from which the graph's budget is computed.
fn at_once<G, E: Send>(load: impl Fn() -> Result<G, Failure>, build: impl Fn() -> E + Sync) -> Result<(G, E), Failure> {
    // Both require the shared threads.
    threads::prepare().map_err(Error::from)?;
    #[cfg(unix)]
    if crate::address_space::is_limited() {
        let built = phase::during(Phase::Device, &build);
        return Ok((load()?, built));
    }
    let mut built = None;
    let loaded = phase::during(Phase::Device, || {
        let open = || built = Some(build());
        threads::beside(open, || phase::during(Phase::Other, &load))
    });
    let graph = loaded.unwrap_or_else(|_| load())?;
    Ok((graph, built.unwrap_or_else(build)))
}

/// Returns the set-up of the run for the cost model.
fn configuration(arguments: &Arguments, loaded: &Loaded) -> RunConfiguration {
    RunConfiguration {
        host_memory: loaded.host_memory,
        technique: arguments.engine.technique.0,
        step_loops: forecast::step_loops(arguments.engine.device, arguments.engine.steps),
        ..arguments.engine.gpu.configuration()
    }
}

fn run(
    algorithm: &'static Algorithm,
    parameters: &Parameters,
    loaded: &Loaded,
    engine: &Engine,
    tracing: Tracing,
    predicted: Option<Predicted>,
) -> Result<(FinishedRun, Tracing), Failure> {
    let begun = Instant::now();
    let answer = interrupt::while_running(engine, || algorithm.run(engine, &loaded.graph, parameters));
    let time = begun.elapsed();
    let (device, devices) = (engine.device_name(), engine.device_names());
    let answer = match answer {
        Ok(answer) => answer,
        Err(error) => {
            trace::tell_of_unfinished(tracing.write(&devices));
            return Err(error.into());
        }
    };
    let (ranks, between) = (engine.ranks()?, engine.between_ranks());
    let peaks = Peaks {
        devices: engine.memory_taken(),
        resident: peak_memory(),
        graph: loaded.graph.host_bytes(),
        host_budget: loaded.host_memory,
    };
    let done =
        FinishedRun { answer, report: engine.take_report(), device, devices, time, peaks, ranks, between, predicted };
    Ok((done, tracing))
}
