//! `gts plan`: predicts the cost of a run.

use super::by_algorithm::{self, ChosenAlgorithm};
use crate::constants::Constants;
use crate::error::Failure;
use crate::forecast::{self, PlanContents};
use crate::hybrid::PlannedSharing;
use crate::load;
use crate::models::Models;
use crate::nodes::{self, NodeArgs};
use crate::options::{self, BuildArgs, Given, GpuArgs};
use crate::report::Report;
use crate::residence;
use crate::units;
use clap::{ArgMatches, Command, FromArgMatches};
use gts_graph::DeviceChoice;
use gts_graph::algorithm::Steps;
use gts_graph::core::cost::{ProcessorKind, RunConfiguration, predict};
use gts_graph::prelude::{Propagation, StepsBy};
use std::ffi::OsString;
use std::num::NonZeroUsize;

/// What `gts plan ALGORITHM` takes beside the algorithm's own parameters.
#[derive(clap::Args, Debug)]
pub(crate) struct Arguments {
    /// A store, graph files, or a generator such as rmat:30, whose graph is not made
    #[arg(value_name = "GRAPH", required = true)]
    graph: Vec<OsString>,
    /// Where it would run: auto, cpu, cuda, cuda:NUMBER, cpu+cuda or cpu+cuda:NUMBER
    #[arg(long, value_parser = options::device, default_value = "auto", help_heading = "Plan")]
    device: DeviceChoice,
    #[arg(
        long, value_parser = options::technique, default_value = "auto", help = options::technique_help(),
        help_heading = "Plan"
    )]
    technique: options::TechniqueChoice,
    /// Which way values take along edges in kernels that know both: auto, push, or pull, which walks the in-edges
    #[arg(long, value_parser = options::propagation, default_value = "auto", help_heading = "Plan")]
    propagation: Propagation,
    /// Threads of the CPU; one for each core if not given
    #[arg(long, value_parser = options::threads, help_heading = "Plan")]
    threads: Option<NonZeroUsize>,
    /// Show what the models say of each way of going over neighbours: ours, that of Verstraaten et al., and equations 1 and 2
    /// of GTS
    #[arg(long, help_heading = "Plan")]
    models: bool,
    /// The most host memory for tables and pages of a store; as a run takes it if not given
    #[arg(long, value_name = "BYTES", value_parser = units::parse_bytes, help_heading = "Plan")]
    host_memory: Option<u64>,
    /// Number of steps of a traversal, if you know it; the plan spreads the predicted work over them
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u64).range(1..), help_heading = "Plan")]
    levels: Option<u64>,
    /// Who begins the steps of traversals: auto, host, device (where kernel, graph and device allow), or device:STEPS
    #[arg(long, value_name = "WHO", value_parser = options::steps, default_value = "auto", help_heading = "Plan")]
    steps: StepsBy,
    /// Import files again, and keep nothing
    #[arg(long, help_heading = "Graph")]
    no_cache: bool,
    #[command(flatten)]
    gpu: GpuArgs,
    #[command(flatten)]
    nodes: NodeArgs,
    #[command(flatten)]
    build: BuildArgs,
}

/// Creates `gts plan` with a subcommand per algorithm.
pub(super) fn command() -> Command {
    by_algorithm::command::<Arguments>("plan", "Predict the memory and time of a run, without running it")
}

pub(super) fn execute(matches: &ArgMatches) -> Result<Report, Failure> {
    let ChosenAlgorithm { algorithm, parameters, matches } = by_algorithm::chosen(matches)?;
    let arguments = Arguments::from_arg_matches(matches)?;
    let Some(outline) = algorithm.outline else {
        return Err(Failure::usage(
            format!("`{}` does not tell what it does before it runs", algorithm.name),
            format!("run it: `gts run {} {}`", algorithm.name, load::text_of(&arguments.graph).display()),
        ));
    };
    let (given, in_group) = (Given::of(matches), arguments.nodes.are_asked_for());
    given.check(arguments.device, arguments.gpu.kind(arguments.device, in_group))?;
    let asked = arguments.gpu.hybrid(arguments.device)?;
    if asked.is_some() && arguments.nodes.are_asked_for() {
        return Err(Failure::usage(
            "--network: on nodes a CPU does not share the work of GPUs",
            "give --device cpu or --device cuda",
        ));
    }
    let gpu = arguments.gpu.configuration();
    let mut constants = Constants::of(arguments.device, gpu.devices)?;
    if gpu.devices > 1 && constants.processor.kind == ProcessorKind::Cpu {
        return Err(Failure::usage(
            format!("--devices {}: there is one CPU, and no other device to plan for", gpu.devices),
            "give --device cuda for GPUs",
        ));
    }
    if arguments.device == DeviceChoice::Auto {
        let taken = match constants.processor.kind {
            ProcessorKind::Cpu => DeviceChoice::Cpu,
            ProcessorKind::Cuda => DeviceChoice::Cuda(0),
        };
        given.tell_ignored(arguments.gpu.kind(taken, in_group));
    }
    let nodes = arguments.nodes.nodes(&constants)?;
    if let Some(threads) = arguments.threads {
        constants.processor = constants.processor.with_threads(threads.get());
    }
    // A plan may be for a machine with more memory than this one.
    let host_memory = arguments.host_memory.map_or(0, residence::free_for);
    constants.host.memory = constants.host.memory.max(host_memory);
    constants.processor.memory = constants.processor.memory.max(gpu.device_memory.unwrap_or(0));
    let limit = arguments.host_memory.or_else(|| constants.default_limit());
    let graph = load::shape(
        &arguments.graph,
        &arguments.build,
        &parameters.needs(),
        !arguments.no_cache,
        arguments.host_memory,
    )?;
    graph.check_vertices(&parameters)?;
    let outline = outline(&parameters, &(&graph.shape).into())?;
    if arguments.levels.is_some() && !matches!(outline.steps, Steps::WhileActive(_)) {
        return Err(Failure::usage(
            format!("--levels: `{}` is no traversal, and how often it repeats its step is known", algorithm.name),
            "leave it out",
        ));
    }
    // A graph too large for memory would be built as a store.
    let large = limit.is_some_and(|limit| graph.shape.page_bytes() > limit);
    let configuration = RunConfiguration {
        host_memory: limit,
        // Nodes read their shares from a store.
        stored: graph.stored
            || large
            || arguments.host_memory.is_some()
            || nodes.as_ref().is_some_and(|asked| asked.nodes.count > 1),
        levels: arguments.levels,
        step_loops: forecast::step_loops(arguments.device, arguments.steps),
        nodes: nodes.as_ref().map(|asked| asked.nodes).unwrap_or_default(),
        technique: arguments.technique.0,
        pull_share: forecast::pull_share(constants.processor.kind, arguments.propagation),
        ..gpu
    };
    let shape = outline.shape(algorithm, &graph.shape);
    let mut prediction = predict(&graph.shape, &shape, &constants.host, &constants.processor, &configuration)?;
    let plan = |asked| PlannedSharing::new(asked, &graph.shape, &shape, &constants, &configuration, arguments.threads);
    let hybrid = asked.map(plan).transpose()?;
    let platform = (&constants.host, &constants.processor);
    let planned = |asked| nodes::PlannedNodes::new(asked, &graph.shape, &shape, platform, &configuration);
    let nodes = nodes.map(planned).transpose()?;
    prediction.memory.host.extend_from_slice(hybrid.as_ref().map_or(&[], PlannedSharing::host_needs));
    let models =
        arguments.models.then(|| Models::new(&graph.shape, &shape, &constants, &configuration, &prediction.memory));
    let forecast = PlanContents {
        argument: &load::text_of(&arguments.graph),
        graph: &graph.shape,
        algorithm: &shape,
        constants: &constants,
        configuration: &configuration,
        prediction: &prediction,
        hybrid: hybrid.as_ref(),
        nodes: nodes.as_ref(),
        models: models.as_ref(),
    };
    Ok(Report::new(forecast.text(), forecast.json()))
}
