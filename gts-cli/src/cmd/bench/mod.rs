//! `gts bench`: benchmark suites by their own rules, and the figures that the GTS paper draws of the framework itself (its
//! section 7.5 and appendix E), on this machine.

mod cache;
mod density;
mod figure;
mod growth;
mod machine;
mod plots;
mod strategies;
mod streams;
mod subject;
mod suite;
mod tables;
mod trials;

use crate::error::Failure;
use crate::file::NewFile;
use crate::options;
use crate::progress::Meter;
use crate::report::{Report, tell};
use crate::units;
use clap::{ArgMatches, Args, Command, FromArgMatches, ValueEnum};
use figure::Figure;
use gts_runtime::core::graph::VertexOrder;
use gts_runtime::prelude::DeviceChoice;
use machine::Machine;
use serde_json::{Value, json};
use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use subject::{Making, Reference, Subject};

/// Scales where none are given, on GPUs and on the CPU.
const CUDA_SCALE: u32 = 24;
const CPU_SCALE: u32 = 18;
const CUDA_SCALES: RangeInclusive<u32> = 20..=26;
const CPU_SCALES: RangeInclusive<u32> = 14..=19;

/// What `gts bench paper` takes.
#[derive(clap::Args, Debug)]
struct Arguments {
    /// Figures to measure, separated by commas; all that make sense on this device if not given
    #[arg(long, value_name = "NAME", value_enum, value_delimiter = ',')]
    figure: Vec<Name>,
    /// Scale of the RMAT graphs: 24 on a GPU, 18 on the CPU if not given
    #[arg(long, value_name = "SCALE", value_parser = clap::value_parser!(u32).range(1..=40))]
    scale: Option<u32>,
    /// Scales that costs grow over, both ends included: 20..26 on a GPU, 14..19 on the CPU if not given
    #[arg(long, value_name = "A..B", value_parser = scales)]
    scales: Option<RangeInclusive<u32>>,
    /// Where to run: auto, cpu, cuda or cuda:NUMBER
    #[arg(long, default_value = "auto")]
    device: DeviceChoice,
    /// GPUs of the figure that compares strategies, from the chosen one on; all if not given
    #[arg(long, value_name = "NUMBER")]
    devices: Option<NonZeroUsize>,
    /// Times that each thing is measured, of which the median counts
    #[arg(long, value_name = "NUMBER", default_value = "5")]
    trials: NonZeroUsize,
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
    /// Order of the vertices: original, random, random:SEED or degree
    #[arg(long, value_name = "ORDER", default_value_t)]
    order: VertexOrder,
}

/// The figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Name {
    /// Time by the number of streams, 1 to 32
    Streams,
    /// Strategy-P beside Strategy-S, by where the graph lies
    Strategies,
    /// Time and hit rate by the size of the cache, of 25 to 100 % of the graph
    Cache,
    /// Time by the edges of a vertex, 4 to 32, and by technique
    Density,
    /// Time an edge as graphs grow
    Growth,
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
        }
    }

    /// What it lacks on a machine, if it lacks something.
    fn lacks(self, machine: &Machine) -> Option<&'static str> {
        match self {
            Self::Streams if !machine.has_gpus() => Some("a GPU"),
            Self::Strategies if machine.devices.get() < 2 => Some("two GPUs or more"),
            _ => None,
        }
    }

    fn measure(self, bench: &Bench) -> Result<Figure, Failure> {
        match self {
            Self::Streams => streams::measure(bench),
            Self::Strategies => strategies::measure(bench),
            Self::Cache => cache::measure(bench),
            Self::Density => density::measure(bench),
            Self::Growth => growth::measure(bench),
        }
    }
}

/// What all figures are measured with.
struct Bench {
    machine: Machine,
    scale: u32,
    scales: RangeInclusive<u32>,
    trials: usize,
    making: Making,
    folder: PathBuf,
}

impl Bench {
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

/// `gts bench` with its subcommands.
pub(super) fn command() -> Command {
    let paper = Arguments::augment_args(Command::new("paper"))
        .about("Measure the paper's figures on this machine")
        .long_about(
            "Measure the paper's figures on this machine\n\nEach is a table and a plot of PageRank and BFS on RMAT graphs, \
             with a plain copy of the same pages, or a plain read of them, measured beside.",
        );
    Command::new("bench")
        .about("Measure what the framework reaches on this machine")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(paper)
        .subcommands(suite::commands())
}

pub(super) fn execute(matches: &ArgMatches) -> Result<Report, Failure> {
    match matches.subcommand() {
        Some(("paper", matches)) => paper(Arguments::from_arg_matches(matches)?),
        Some(("gap", matches)) => suite::gap(&FromArgMatches::from_arg_matches(matches)?),
        Some(("graphalytics", matches)) => suite::graphalytics(&FromArgMatches::from_arg_matches(matches)?),
        _ => Err(Failure::usage("no such measurement", "see `gts bench --help`")),
    }
}

fn paper(arguments: Arguments) -> Result<Report, Failure> {
    let machine = Machine::of(arguments.device, arguments.devices)?;
    let all = arguments.figure.is_empty();
    let asked = if all { Name::value_variants() } else { &arguments.figure };
    let (left_out, wanted): (Vec<Name>, Vec<Name>) = asked.iter().partition(|name| name.lacks(&machine).is_some());
    let left_out = left_out_text(&left_out, &machine);
    if let (true, Some(line)) = (wanted.is_empty(), &left_out) {
        return Err(Failure::usage(format!("nothing to measure on {}: {line}", machine.name), "see `gts devices`"));
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
        scale: arguments.scale.unwrap_or(if gpus { CUDA_SCALE } else { CPU_SCALE }),
        scales: arguments.scales.unwrap_or(if gpus { CUDA_SCALES } else { CPU_SCALES }),
        trials: arguments.trials.get(),
        making: Making { page_size: arguments.page_size, order: arguments.order },
        folder: arguments.folder,
        machine,
    };

    let (mut text, mut figures) = (String::new(), Vec::new());
    for (index, name) in wanted.iter().enumerate() {
        tell(format_args!("measuring {}, {} of {}", name.text(), index + 1, wanted.len()));
        let mut figure = name.measure(&bench)?;
        figure.sort();
        // What is measured is kept, whatever becomes of the next figure.
        if let Some(files) = files.next() {
            files.write(&figure)?;
        }
        text.push_str(&tables::text(&figure));
        text.push('\n');
        figures.push(tables::json(&figure));
    }
    text.extend(left_out.iter().map(|line| format!("left out: {line}\n")));
    text.extend(arguments.output.iter().map(|folder| format!("tables and plots in {}\n", folder.display())));
    Ok(Report::new(text, report_json(&bench, figures, left_out.as_deref(), arguments.output.as_deref())))
}

/// Which figures were left out and why, in a line.
fn left_out_text(left_out: &[Name], machine: &Machine) -> Option<String> {
    let reasons = left_out.iter().filter_map(|name| Some(format!("{} needs {}", name.text(), name.lacks(machine)?)));
    Some(reasons.collect::<Vec<_>>().join(", ")).filter(|line| !line.is_empty())
}

fn report_json(bench: &Bench, figures: Vec<Value>, left_out: Option<&str>, output: Option<&Path>) -> Value {
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "device": bench.machine.name,
        "devices": bench.machine.devices.get(),
        "trials": bench.trials,
        "figures": figures,
        "left_out": left_out,
        "output": output,
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

/// Counts the measurements of a figure, for eyes.
struct Counter {
    name: &'static str,
    done: u64,
    total: u64,
    meter: Meter,
}

impl Counter {
    fn new(name: &'static str, total: usize) -> Self {
        Self { name, done: 0, total: total as u64, meter: Meter::new() }
    }

    /// Hides the line while a graph is made, which has its own.
    fn hide(&mut self) {
        self.meter = Meter::new();
    }

    /// One more begins.
    fn next(&mut self) {
        self.meter.update(self.name, self.done, Some(self.total));
        self.done += 1;
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
}
