//! `gts-bench paper`: measures figures of papers on this machine.
//!
//! Each figure is a [`figure::Figure`]: a table, charts, and a sentence that compares the paper's finding with the
//! finding on this machine. The same code writes every figure as text, Markdown, CSV, JSON and SVG.

mod figure;
mod files;
mod gts;
mod machine;
mod name;
mod neighbours;
mod plots;
mod subject;
mod tables;
mod totem;
mod trials;
mod wolfpath;

use clap::{ArgMatches, Args, Command, FromArgMatches};
use files::Files;
use gts_graph::cli::program::options::{self, DeviceKind, Given};
use gts_graph::cli::program::report::{Report, path_json, tell};
use gts_graph::cli::program::{Failure, units};
use gts_graph::core::graph::VertexOrder;
use gts_graph::prelude::DeviceChoice;
use machine::Machine;
use name::{Name, Paper, asked_for};
use serde_json::{Value, json};
use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use subject::{Making, Reference, Subject};

/// Default scales of graphs on GPUs and on the CPU, for figures with a single scale and for figures with a range of
/// scales.
const CUDA_SCALE: u32 = 24;
const CPU_SCALE: u32 = 18;
const CUDA_SCALES: RangeInclusive<u32> = 20..=26;
const CPU_SCALES: RangeInclusive<u32> = 14..=19;

/// Arguments of `gts-bench paper`.
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

/// Settings shared by all figures.
struct Bench {
    machine: Machine,
    /// Scale given by the user.
    asked_scale: Option<u32>,
    scale: u32,
    scales: RangeInclusive<u32>,
    trials: usize,
    /// Time at which the time limit expires. No measurement starts later.
    end: Option<Instant>,
    making: Making,
    /// Graphs given by the user.
    graphs: Vec<String>,
    folder: PathBuf,
    /// Measurements shared by several figures.
    kept: totem::runs::Kept,
    cells: neighbours::Kept,
}

impl Bench {
    /// Returns whether the time limit has expired.
    fn is_over(&self) -> bool {
        self.end.is_some_and(|end| Instant::now() >= end)
    }

    /// Returns the notes of a figure: the machine, the graphs, and the reference time of the last graph.
    fn notes(&self, graphs: &[String], (subject, reference): (&Subject, &Reference)) -> Vec<String> {
        let rate = units::rate(subject.bytes() as f64 / reference.seconds);
        let mut notes = vec![format!("device {}, median of {} trials", self.machine.name, self.trials)];
        notes.extend_from_slice(graphs);
        notes.push(format!("reference: {} of the graph's pages, {rate}", reference.what));
        notes
    }
}

/// Parses a range of scales such as `20..26`, or a single scale.
fn scales(text: &str) -> Result<RangeInclusive<u32>, String> {
    let (from, to) = text.split_once("..").unwrap_or((text, text));
    match (from.parse::<u32>(), to.trim_start_matches('=').parse::<u32>()) {
        (Ok(from), Ok(to)) if (1..=to).contains(&from) && to <= 40 => Ok(from..=to),
        _ => Err("expected two scales from 1 to 40, such as 20..26".to_owned()),
    }
}

/// Returns the definition of the `paper` command.
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

/// Measures the requested figures.
pub(crate) fn execute(matches: &ArgMatches) -> Result<Report, Failure> {
    measure(Arguments::from_arg_matches(matches)?, &Given::of(matches))
}

fn measure(arguments: Arguments, given: &Given) -> Result<Report, Failure> {
    let kind = |device| DeviceKind::of(device, arguments.devices.map_or(1, NonZeroUsize::get), false);
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
        // Write each figure immediately, so that a later failure does not lose it.
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

/// Returns one message per figure, which names the requirement that the machine does not meet.
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
}
