//! `gts-bench gap` and `gts-bench graphalytics`: benchmark suites, each measured by its own rules.

mod report;
mod rules;
mod trial;

use clap::{ArgMatches, Args, Command, FromArgMatches};
use gts_graph::algorithm::{self, Algorithm, Needs};
use gts_graph::cli::program::Failure;
use gts_graph::cli::program::load::{self, Loaded, Opening};
use gts_graph::cli::program::options::{self, BuildArgs, Given, GpuArgs};
use gts_graph::cli::program::report::{Report, tell};
use gts_graph::cli::program::sharing::{AskedSharing, EngineSharing, Work};
use gts_graph::core::cost::RunConfiguration;
use gts_graph::prelude::{DeviceChoice, Engine, Propagation};
use report::Row;
use rules::{GAP, GRAPHALYTICS, Rule, Suite};
use std::ffi::OsString;
use std::num::NonZeroUsize;
use trial::Outcome;

/// Arguments of every suite.
#[derive(Args, Debug)]
struct Common {
    /// A store, a graph file, or a generator such as rmat:20
    #[arg(value_name = "GRAPH")]
    graph: OsString,
    /// Algorithms to measure, by the suite's names and separated by commas; all if not given
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    only: Vec<String>,
    /// Trials of each algorithm; as many as the suite asks for if not given
    #[arg(long, value_name = "NUMBER")]
    trials: Option<NonZeroUsize>,
    /// Do not compare answers with serial versions, which take long on large graphs
    #[arg(long)]
    no_check: bool,
    /// Where to run: auto, cpu, cuda, cuda:NUMBER, cpu+cuda or cpu+cuda:NUMBER, which share the edges
    #[arg(long, value_parser = options::device, default_value = "auto")]
    device: DeviceChoice,
    /// Threads of the CPU; one for each core if not given
    #[arg(long, value_parser = options::threads)]
    threads: Option<NonZeroUsize>,
    /// Import files again, and keep nothing
    #[arg(long, help_heading = "Graph")]
    no_cache: bool,
    #[command(flatten)]
    gpu: GpuArgs,
    #[command(flatten)]
    build: BuildArgs,
}

/// Arguments of `gts-bench gap`.
#[derive(Args, Debug)]
struct GapArguments {
    #[command(flatten)]
    common: Common,
    /// Seed by which sources are drawn
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Arguments of `gts-bench graphalytics`.
#[derive(Args, Debug)]
struct GraphalyticsArguments {
    #[command(flatten)]
    common: Common,
    /// The vertex that BFS and SSSP start from, by its original ID; the one with the most out-edges if not given
    #[arg(long, value_name = "ID")]
    source: Option<u64>,
    /// Iterations of PR and CDLP
    #[arg(long, value_name = "NUMBER", default_value_t = 10)]
    iterations: u64,
}

/// Settings from the command line that complement the suite's rules.
#[derive(Clone, Copy, Debug)]
struct Settings {
    seed: u64,
    source: Option<u64>,
    iterations: Option<u64>,
}

/// Returns the commands of the suites.
pub(crate) fn commands() -> [Command; 2] {
    [command::<GapArguments>(&GAP), command::<GraphalyticsArguments>(&GRAPHALYTICS)]
}

fn command<A: Args>(suite: &'static Suite) -> Command {
    // Set the descriptions last, because adding a struct's arguments replaces the description with the struct's
    // documentation.
    A::augment_args(Command::new(suite.name))
        .about(suite.about)
        .long_about(format!("{}\n\n{}", suite.about, suite.rules))
}

/// Measures the suite with this name.
pub(crate) fn execute(name: &str, matches: &ArgMatches) -> Result<Report, Failure> {
    let given = &Given::of(matches);
    if name == GAP.name {
        let GapArguments { common, seed } = FromArgMatches::from_arg_matches(matches)?;
        return measure(&GAP, &common, given, Settings { seed, source: None, iterations: None });
    }
    let GraphalyticsArguments { common, source, iterations } = FromArgMatches::from_arg_matches(matches)?;
    measure(&GRAPHALYTICS, &common, given, Settings { seed: 1, source, iterations: Some(iterations) })
}

fn measure(suite: &Suite, common: &Common, given: &Given, settings: Settings) -> Result<Report, Failure> {
    let chosen = chosen(suite, &common.only)?;
    given.check(common.device, common.gpu.kind(common.device, false))?;
    let asked = common.gpu.hybrid(common.device)?;
    let loaded = load::load(
        std::slice::from_ref(&common.graph),
        &common.build,
        &needs(&chosen),
        !common.no_cache,
        Opening::default(),
    )?;
    let mut rows = Vec::new();
    let mut device = String::new();
    for (index, (rule, algorithm)) in chosen.iter().enumerate() {
        tell(format_args!("measuring {}, {} of {}", rule.name, index + 1, chosen.len()));
        let trials = common.trials.map_or(rule.trials, NonZeroUsize::get);
        let plan = trial::Plan { rule, settings, trials, check: !common.no_check };
        let shares = match asked {
            Some(asked) if asked.is_auto() => Some(shares(asked, common, &loaded, algorithm, &plan)?),
            _ => asked.map(|asked| asked.shares()),
        };
        let engine = engine(common, shares)?;
        if index == 0 && common.device == DeviceChoice::Auto {
            given.tell_ignored(common.gpu.kind(options::taken(&engine), false));
        }
        device = engine.device_name();
        let outcome = trial::measure(&engine, &loaded.graph, algorithm, &plan);
        let outcome = match outcome {
            Ok(measured) => Outcome::Measured(measured),
            Err(Failure::Run(error @ (gts_graph::Error::Interrupted | gts_graph::Error::Poisoned { .. }))) => {
                return Err(error.into());
            }
            // If one algorithm fails, measure the remaining ones.
            Err(Failure::Run(error)) => Outcome::Refused(error.to_string()),
            Err(other) => return Err(other),
        };
        rows.push(Row { rule, algorithm, outcome });
    }
    Ok(report::report(suite, &common.graph, &loaded.graph, &device, &rows))
}

/// Returns the sharing of the graph between the CPU and the GPUs in an algorithm's trials. If a model chooses the
/// shares, the choice is based on the first trial.
fn shares(
    asked: AskedSharing,
    common: &Common,
    loaded: &Loaded,
    algorithm: &'static Algorithm,
    plan: &trial::Plan<'_>,
) -> Result<EngineSharing, Failure> {
    let parameters = trial::arguments(&loaded.graph, algorithm, plan, 0)?;
    let configuration = RunConfiguration { host_memory: loaded.host_memory, ..common.gpu.configuration() };
    let work = Work {
        algorithm,
        parameters: &parameters,
        graph: &loaded.graph,
        propagation: Propagation::Auto,
        configuration: &configuration,
        threads: common.threads,
    };
    Ok(asked.decide(&work)?.shares())
}

/// Creates an engine. Each algorithm gets its own engine, so that no data from an earlier algorithm remains on the
/// device.
fn engine(common: &Common, shares: Option<EngineSharing>) -> Result<Engine, Failure> {
    let mut builder = common.gpu.apply(Engine::builder().device(common.device));
    if let Some(shares) = shares {
        builder = shares.apply(builder);
    }
    if let Some(threads) = common.threads {
        builder = builder.threads(threads);
    }
    Ok(builder.build()?)
}

/// Returns the requested algorithms with the suite's rules for them.
fn chosen(suite: &Suite, only: &[String]) -> Result<Vec<(&'static Rule, &'static Algorithm)>, Failure> {
    let names = || suite.algorithms.iter().map(|rule| rule.name.to_lowercase()).collect::<Vec<_>>().join(", ");
    let known = |name: &String| suite.algorithms.iter().any(|rule| rule.name.eq_ignore_ascii_case(name));
    if let Some(unknown) = only.iter().find(|name| !known(name)) {
        return Err(Failure::usage(
            format!("--only {unknown}: {} does not measure it", suite.name),
            format!("give some of {}", names()),
        ));
    }
    let wanted = |rule: &&Rule| only.is_empty() || only.iter().any(|name| rule.name.eq_ignore_ascii_case(name));
    let find = |rule: &'static Rule| match algorithm::find(rule.algorithm) {
        Some(algorithm) => Ok((rule, algorithm)),
        None => Err(Failure::other(
            format!("there is no algorithm `{}`", rule.algorithm),
            "use a `gts` with the algorithms that GTS ships",
        )),
    };
    suite.algorithms.iter().filter(wanted).map(find).collect()
}

/// Returns the graph properties that at least one of these algorithms requires. Symmetry is not required, because
/// algorithms for directed graphs return different answers on a symmetrised graph.
fn needs(chosen: &[(&'static Rule, &'static Algorithm)]) -> Needs {
    let each = || chosen.iter().map(|(_, algorithm)| algorithm.needs);
    Needs {
        weights: each().map(|needs| needs.weights).find(|types| !types.is_empty()).unwrap_or_default(),
        in_edges: each().any(|needs| needs.in_edges),
        symmetric: false,
    }
}
