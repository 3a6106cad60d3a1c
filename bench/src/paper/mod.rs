//! `gts-bench paper`: figures of papers on this machine.
//!
//! A figure of a paper is a [`Figure`]: a table, charts, and a sentence on what the paper found and this machine
//! shows. It is written as text, Markdown, CSV, JSON and SVG in one way.

mod figure;
mod gts;
mod machine;
mod neighbours;
mod plots;
mod subject;
mod tables;
mod totem;
mod trials;
mod wolfpath;

use clap::{ArgMatches, Args, Command, FromArgMatches, ValueEnum};
use figure::Figure;
use gts_cli::program::options::{self, Given, Kind};
use gts_cli::program::report::{Report, path_json, tell};
use gts_cli::program::{Failure, NewFile, units};
use gts_runtime::core::graph::VertexOrder;
use gts_runtime::prelude::DeviceChoice;
use machine::Machine;
use serde_json::{Value, json};
use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use subject::{Making, Reference, Subject};

/// Scales where none are given, on GPUs and on the CPU.
const CUDA_SCALE: u32 = 24;
const CPU_SCALE: u32 = 18;
const CUDA_SCALES: RangeInclusive<u32> = 20..=26;
const CPU_SCALES: RangeInclusive<u32> = 14..=19;

/// What `gts-bench paper` takes.
#[derive(clap::Args, Debug)]
struct Arguments {
    /// The paper whose figures are measured; if not given, that of the figures named, else gts
    #[arg(long, value_name = "PAPER", value_enum)]
    paper: Option<Paper>,
    /// Figures to measure, separated by commas; all of the paper that make sense on this device if not given
    #[arg(long, value_name = "NAME", value_enum, value_delimiter = ',')]
    figure: Vec<Name>,
    /// Scale of the graphs: 24 on a GPU, 18 on the CPU if not given; for WolfPath 20 and 16, for neighbour iteration 20
    #[arg(long, value_name = "SCALE", value_parser = clap::value_parser!(u32).range(1..=40))]
    scale: Option<u32>,
    /// Scales that costs grow over, both ends included: 20..26 on a GPU, 14..19 on the CPU if not given
    #[arg(long, value_name = "A..B", value_parser = scales)]
    scales: Option<RangeInclusive<u32>>,
    /// Where to run: auto, cpu, cuda or cuda:NUMBER
    #[arg(long, value_parser = options::device, default_value = "auto")]
    device: DeviceChoice,
    /// GPUs of the figure that compares strategies, from the chosen one on; all if not given
    #[arg(long, value_name = "NUMBER")]
    devices: Option<NonZeroUsize>,
    /// How often each measurement is repeated; the figures show the median
    #[arg(long, value_name = "NUMBER", default_value = "5")]
    trials: NonZeroUsize,
    /// Begin nothing after this time, such as 10min. A figure of neighbour iteration, or of runs that CPU and GPUs share,
    /// then shows what it has measured, and figures that have not begun are left out; others are measured to their end
    #[arg(long, value_name = "TIME", value_parser = units::parse_time)]
    time_limit: Option<Duration>,
    /// Write a Markdown table, CSV, JSON and an SVG plot of each figure into a folder
    #[arg(long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Replace files that there are already
    #[arg(long, requires = "output")]
    force: bool,
    /// The folder whose disk graphs are read from; they are removed again. The current one if not given
    #[arg(long, value_name = "DIR", default_value = ".")]
    folder: PathBuf,
    /// Bytes of a page: a power of two from 4KiB to 64MiB
    #[arg(long, value_name = "BYTES", value_parser = options::page_size, default_value = "1MiB")]
    page_size: u32,
    /// Graphs, as files or as generators such as grid:1000x1000: those of the WolfPath figures and of the choice, in place of
    /// generated ones, and more for the other figures of neighbour iteration
    #[arg(long, value_name = "GRAPH", num_args = 1..)]
    graph: Vec<String>,
    /// Order of the vertices: original, random, random:SEED, degree or layers:ROOT; the figures of WolfPath and of neighbour
    /// iteration have orders of their own
    #[arg(long, value_name = "ORDER", default_value_t)]
    order: VertexOrder,
}

/// The papers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Paper {
    /// GTS, SIGMOD 2016: pages that stream to GPUs
    Gts,
    /// TOTEM, PACT 2012: a graph that the CPU and GPUs share
    Totem,
    /// WolfPath, IJPP 2019: steps without the host, and edges by layers
    Wolfpath,
    /// Neighbour iteration, Euro-Par Workshops 2015: strategies by graph, and the choice of one
    Neighbours,
}

/// The figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Name {
    /// GTS, Figure 10: time by the number of streams, 1 to 32
    Streams,
    /// GTS, Figure 9: Strategy-P beside Strategy-S, by where the graph lies, on 1, 2 and 4 GPUs
    Strategies,
    /// GTS, Figure 11: time and hit rate by the size of the cache, of 25 to 100 % of the graph
    Cache,
    /// GTS, Figure 14: time by the edges of a vertex, 4 to 32, and by technique
    Density,
    /// GTS, section 7.5: time an edge as graphs grow
    Growth,
    /// TOTEM, Figure 3: the speed that its model predicts, by the bytes of a boundary edge
    Model,
    /// TOTEM, Figure 6: boundary edges and messages, by the number of vertices
    Boundary,
    /// TOTEM, Figure 7: speed by the CPU's share of the edges, measured and predicted
    Shares,
    /// TOTEM, Figure 8: where the time goes, by the CPU's share of the edges
    Breakdown,
    /// TOTEM, Figure 9: speed by the number of vertices, measured and predicted
    Sparsity,
    /// TOTEM, Figure 10: computation and communication in the sparsest graph, measured and predicted
    Phases,
    /// TOTEM, Figure 11: the same as Figure 7 with a second GPU
    SecondGpu,
    /// TOTEM, section 4.2: boundary edges and messages, by the CPU's share and what it is given
    Placement,
    /// WolfPath, Tables 2 and 3: time of steps where the host is asked after each, after some, or never
    Asking,
    /// WolfPath, Table 5: rounds, times and wrong vertices of its list of edges by layers, and of other ways
    Layers,
    /// WolfPath, Figure 9: time with and without layers and several streams
    Optimisations,
    /// Neighbour iteration, Figure 1: time of each strategy over that of the worst, by graph
    Iteration,
    /// Neighbour iteration, Figure 2: what sorting by degree changes, by strategy and graph
    Sorted,
    /// The strategy that is chosen beside the best one, by graph and algorithm
    Choice,
}

impl Name {
    /// The name on the command line, which files have too.
    fn text(self) -> &'static str {
        match self {
            Self::Streams => "streams",
            Self::Strategies => "strategies",
            Self::Cache => "cache",
            Self::Density => "density",
            Self::Growth => "growth",
            Self::Model => "model",
            Self::Boundary => "boundary",
            Self::Shares => "shares",
            Self::Breakdown => "breakdown",
            Self::Sparsity => "sparsity",
            Self::Phases => "phases",
            Self::SecondGpu => "second-gpu",
            Self::Placement => "placement",
            Self::Asking => "asking",
            Self::Layers => "layers",
            Self::Optimisations => "optimisations",
            Self::Iteration => "iteration",
            Self::Sorted => "sorted",
            Self::Choice => "choice",
        }
    }

    /// The paper that it is from.
    fn paper(self) -> Paper {
        match self {
            Self::Streams | Self::Strategies | Self::Cache | Self::Density | Self::Growth => Paper::Gts,
            Self::Model
            | Self::Boundary
            | Self::Placement
            | Self::Shares
            | Self::Breakdown
            | Self::Sparsity
            | Self::Phases
            | Self::SecondGpu => Paper::Totem,
            Self::Asking | Self::Layers | Self::Optimisations => Paper::Wolfpath,
            Self::Iteration | Self::Sorted | Self::Choice => Paper::Neighbours,
        }
    }

    /// Returns whether it is of graphs that can be given.
    fn takes_graphs(self) -> bool {
        matches!(self.paper(), Paper::Wolfpath | Paper::Neighbours)
    }

    /// What it lacks on a machine, if it lacks something.
    fn lacks(self, machine: &Machine) -> Option<&'static str> {
        match self {
            Self::Streams | Self::Shares | Self::Breakdown | Self::Sparsity | Self::Phases | Self::Asking
                if !machine.has_gpus() =>
            {
                Some("a GPU")
            }
            Self::Strategies | Self::SecondGpu if machine.devices.get() < 2 => Some("two GPUs or more"),
            _ => None,
        }
    }

    fn measure(self, bench: &Bench) -> Result<Figure, Failure> {
        match self {
            Self::Streams => gts::streams::measure(bench),
            Self::Strategies => gts::strategies::measure(bench),
            Self::Cache => gts::cache::measure(bench),
            Self::Density => gts::density::measure(bench),
            Self::Growth => gts::growth::measure(bench),
            Self::Model => totem::model::measure(bench),
            Self::Boundary => totem::boundary::measure(bench),
            Self::Shares => totem::shares::speed(bench),
            Self::Breakdown => totem::shares::breakdown(bench),
            Self::Sparsity => totem::sparsity::speed(bench),
            Self::Phases => totem::sparsity::phases(bench),
            Self::SecondGpu => totem::shares::second_gpu(bench),
            Self::Placement => totem::placement::measure(bench),
            Self::Asking => wolfpath::asking::measure(bench),
            Self::Layers => wolfpath::layers::measure(bench),
            Self::Optimisations => wolfpath::optimisations::measure(bench),
            Self::Iteration => neighbours::iteration::measure(bench),
            Self::Sorted => neighbours::sorted::measure(bench),
            Self::Choice => neighbours::choice::measure(bench),
        }
    }
}

/// The figures that were asked for: those named, or all of a paper.
fn asked_for(paper: Option<Paper>, named: &[Name]) -> Result<Vec<Name>, Failure> {
    if named.is_empty() {
        let paper = paper.unwrap_or(Paper::Gts);
        return Ok(Name::value_variants().iter().copied().filter(|name| name.paper() == paper).collect());
    }
    match named.iter().find(|name| paper.is_some_and(|paper| name.paper() != paper)) {
        Some(other) => Err(Failure::usage(
            format!("--figure {}: it is of another paper than --paper says", other.text()),
            "leave out --paper, or see `gts-bench paper --help`",
        )),
        None => Ok(named.to_vec()),
    }
}

/// What all figures are measured with.
struct Bench {
    machine: Machine,
    /// The scale that was given, where one was.
    asked_scale: Option<u32>,
    scale: u32,
    scales: RangeInclusive<u32>,
    trials: usize,
    /// When nothing more begins.
    end: Option<Instant>,
    making: Making,
    /// Graphs that were given.
    graphs: Vec<String>,
    folder: PathBuf,
    /// What figures share of what was measured.
    kept: totem::runs::Kept,
    cells: neighbours::Kept,
}

impl Bench {
    /// Returns whether the time limit has passed.
    fn is_over(&self) -> bool {
        self.end.is_some_and(|end| Instant::now() >= end)
    }

    /// What a figure was measured on, and with: the machine, the graphs, and what times are held against on the last one.
    fn notes(&self, graphs: &[String], (subject, reference): (&Subject, &Reference)) -> Vec<String> {
        let rate = units::rate(subject.bytes() as f64 / reference.seconds);
        let mut notes = vec![format!("device {}, median of {} trials", self.machine.name, self.trials)];
        notes.extend_from_slice(graphs);
        notes.push(format!("reference: {} of the graph's pages, {rate}", reference.what));
        notes
    }
}

/// Reads scales such as `20..26`, or a single one.
fn scales(text: &str) -> Result<RangeInclusive<u32>, String> {
    let (from, to) = text.split_once("..").unwrap_or((text, text));
    match (from.parse::<u32>(), to.trim_start_matches('=').parse::<u32>()) {
        (Ok(from), Ok(to)) if (1..=to).contains(&from) && to <= 40 => Ok(from..=to),
        _ => Err("expected two scales from 1 to 40, such as 20..26".to_owned()),
    }
}

/// Returns the command.
pub(crate) fn command() -> Command {
    Arguments::augment_args(Command::new("paper")).about("Measure the figures of papers on this machine").long_about(
        "Measure the figures of papers on this machine\n\nEach is a table, a plot, and a sentence \
         on what the paper found and this machine shows. Those of GTS are times of PageRank, BFS and SSSP on RMAT \
         graphs, with a plain copy of the same pages, or a plain read of them, measured beside. Those of TOTEM are of \
         its model, of what a graph costs that a CPU and GPUs share, and of PageRank and BFS that share one. Those of WolfPath \
         are of steps that the host is asked about or not, and of its list of edges by layers. Those of neighbour iteration are of PageRank by each way to go over \
         edges, and of the choice among these ways.",
    )
}

/// Measures the figures that the user requested.
pub(crate) fn execute(matches: &ArgMatches) -> Result<Report, Failure> {
    measure(Arguments::from_arg_matches(matches)?, &Given::of(matches))
}

fn measure(arguments: Arguments, given: &Given) -> Result<Report, Failure> {
    let kind = |device| Kind::of(device, arguments.devices.map_or(1, NonZeroUsize::get), false);
    given.check(arguments.device, kind(arguments.device))?;
    let machine = Machine::of(arguments.device, arguments.devices)?;
    if arguments.device == DeviceChoice::Auto {
        given.tell_ignored(kind(machine.choice()));
    }
    let asked = asked_for(arguments.paper, &arguments.figure)?;
    if let Some(name) = asked.iter().find(|name| !arguments.graph.is_empty() && !name.takes_graphs()) {
        return Err(Failure::usage(
            format!("--graph: {} is of graphs of its own", name.text()),
            "leave it out, or see `gts-bench paper --help`",
        ));
    }
    let (left_out, wanted): (Vec<Name>, Vec<Name>) = asked.into_iter().partition(|name| name.lacks(&machine).is_some());
    let mut left_out = left_out_texts(&left_out, &machine);
    if wanted.is_empty() {
        let why = left_out.join(", ");
        return Err(Failure::usage(format!("nothing to measure on {}: {why}", machine.name), "see `gts devices`"));
    }
    let mut files = match &arguments.output {
        Some(folder) => {
            wanted.iter().map(|name| Files::new(folder, *name, arguments.force)).collect::<Result<Vec<_>, _>>()?
        }
        None => Vec::new(),
    }
    .into_iter();
    let gpus = machine.has_gpus();
    let bench = Bench {
        asked_scale: arguments.scale,
        scale: arguments.scale.unwrap_or(if gpus { CUDA_SCALE } else { CPU_SCALE }),
        scales: arguments.scales.unwrap_or(if gpus { CUDA_SCALES } else { CPU_SCALES }),
        trials: arguments.trials.get(),
        end: arguments.time_limit.and_then(|limit| Instant::now().checked_add(limit)),
        making: Making {
            page_size: arguments.page_size,
            order: arguments.order,
            symmetrise: false,
            in_edges: false,
            weighted: false,
        },
        graphs: arguments.graph,
        folder: arguments.folder,
        kept: totem::runs::Kept::default(),
        cells: neighbours::Kept::default(),
        machine,
    };

    let (mut text, mut figures) = (String::new(), Vec::new());
    for (index, name) in wanted.iter().enumerate() {
        if index > 0 && bench.is_over() {
            left_out
                .extend(wanted[index..].iter().map(|name| format!("{} had not begun at the time limit", name.text())));
            break;
        }
        tell(format_args!("measuring {}, {} of {}", name.text(), index + 1, wanted.len()));
        let figure = name.measure(&bench)?;
        // What is measured is kept, whatever becomes of the next figure.
        if let Some(files) = files.next() {
            files.write(&figure)?;
        }
        text.push_str(&tables::text(&figure));
        text.push('\n');
        figures.push(tables::json(&figure));
    }
    let left_out = (!left_out.is_empty()).then(|| left_out.join(", "));
    text.extend(left_out.iter().map(|line| format!("left out: {line}\n")));
    text.extend(arguments.output.iter().map(|folder| format!("tables and plots in {}\n", folder.display())));
    Ok(Report::new(text, report_json(&bench, figures, left_out.as_deref(), arguments.output.as_deref())))
}

/// Returns what each figure lacks on a machine.
fn left_out_texts(left_out: &[Name], machine: &Machine) -> Vec<String> {
    left_out.iter().filter_map(|name| Some(format!("{} needs {}", name.text(), name.lacks(machine)?))).collect()
}

fn report_json(bench: &Bench, figures: Vec<Value>, left_out: Option<&str>, output: Option<&Path>) -> Value {
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "device": bench.machine.name,
        "devices": bench.machine.devices.get(),
        "trials": bench.trials,
        "figures": figures,
        "left_out": left_out,
        "output": output.map(path_json),
    })
}

/// The files of a figure.
struct Files {
    table: NewFile,
    csv: NewFile,
    json: NewFile,
    plot: NewFile,
}

impl Files {
    /// Checks before anything is measured that the files can be written.
    fn new(folder: &Path, name: Name, replace: bool) -> Result<Self, Failure> {
        std::fs::create_dir_all(folder)
            .map_err(|error| Failure::file(folder, error, "name another folder with --output"))?;
        let file = |extension: &str| NewFile::new(&folder.join(format!("{}.{extension}", name.text())), replace);
        Ok(Self { table: file("md")?, csv: file("csv")?, json: file("json")?, plot: file("svg")? })
    }

    fn write(self, figure: &Figure) -> Result<(), Failure> {
        let plot = plots::svg(figure)?;
        self.table.write(|writer| writer.write_all(tables::markdown(figure).as_bytes()))?;
        self.csv.write(|writer| writer.write_all(tables::csv(figure).as_bytes()))?;
        self.json.write(|writer| writeln!(writer, "{:#}", tables::json(figure)))?;
        self.plot.write(|writer| writer.write_all(plot.as_bytes()))?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_are_one_or_a_range() {
        assert_eq!(scales("20..26"), Ok(20..=26));
        assert_eq!(scales("20..=26"), Ok(20..=26));
        assert_eq!(scales("9"), Ok(9..=9));
        assert!(["", "26..20", "0..3", "1..99", "a..b"].iter().all(|text| scales(text).is_err()));
    }

    #[test]
    fn figures_have_the_names_of_their_options() {
        for name in Name::value_variants() {
            assert_eq!(name.to_possible_value().map(|value| value.get_name().to_owned()).as_deref(), Some(name.text()));
        }
    }

    #[test]
    fn figures_are_those_named_or_all_of_a_paper() {
        let of = |paper, named: &[Name]| asked_for(paper, named).map_err(|_| ());
        let gts = of(None, &[]).unwrap();
        assert_eq!(of(Some(Paper::Gts), &[]), Ok(gts.clone()));
        assert!(gts.contains(&Name::Streams) && gts.iter().all(|name| name.paper() == Paper::Gts));
        let totem = of(Some(Paper::Totem), &[]).unwrap();
        let [wolfpath, neighbours] = [Paper::Wolfpath, Paper::Neighbours].map(|paper| of(Some(paper), &[]).unwrap());
        assert_eq!(gts.len() + totem.len() + wolfpath.len() + neighbours.len(), Name::value_variants().len());
        assert_eq!(of(None, &[Name::Model, Name::Cache]), Ok(vec![Name::Model, Name::Cache]));
        assert_eq!(of(Some(Paper::Totem), &[Name::Model]), Ok(vec![Name::Model]));
        assert_eq!(of(Some(Paper::Gts), &[Name::Model]), Err(()));
    }
}
