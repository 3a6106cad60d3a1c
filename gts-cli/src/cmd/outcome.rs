//! Output of `gts run`: the answer in a few lines, and a description of the run.

use super::info::graph_json;
use super::ranks;
use crate::cell::scalar_json;
use crate::error::Failure;
use crate::forecast::Predicted;
use crate::hybrid::Decided;
use crate::labels::Labels;
use crate::load::Loaded;
use crate::memory::Peaks;
use crate::report::{Report, facts, path_json};
use crate::summary::{Digest, first_rows, first_rows_json, readable};
use crate::trace::Traced;
use crate::units;
use gts_graph::algorithm::{Algorithm, Answer, Arguments, Table, TableKind, Verdict};
use gts_graph::core::phase::{Phase, Phases};
use gts_graph::device::{BetweenRanks, RankWork};
use gts_graph::{KernelReport, RunReport};
use serde_json::{Map, Value, json};
use std::ffi::OsStr;
use std::path::PathBuf;
use std::time::Duration;

/// Results of a run.
pub(super) struct FinishedRun {
    /// The answer.
    pub(super) answer: Answer,
    /// Report of the passes.
    pub(super) report: RunReport,
    /// Device of the run.
    pub(super) device: String,
    /// Names of the devices that it consists of.
    pub(super) devices: Vec<String>,
    /// Time of the algorithm, including its attributes.
    pub(super) time: Duration,
    /// Peak memory use.
    pub(super) peaks: Peaks,
    /// Work of each rank, if there are several.
    pub(super) ranks: Vec<RankWork>,
    /// Way of values between ranks.
    pub(super) between: Option<BetweenRanks>,
    /// Prediction of the run, if this machine was measured.
    pub(super) predicted: Option<Predicted>,
}

/// All results at the end of a run.
pub(super) struct Outcome<'a> {
    pub(super) algorithm: &'static Algorithm,
    pub(super) parameters: &'a Arguments,
    /// The graph argument as given.
    pub(super) graph: &'a OsStr,
    pub(super) loaded: &'a Loaded,
    pub(super) done: &'a FinishedRun,
    /// The shares of the CPU and GPUs, if both were requested.
    pub(super) shared: Option<&'a Decided>,
    /// Result of the comparison with the serial version, if requested.
    pub(super) verdict: Option<Verdict>,
    /// The output file of the answer.
    pub(super) output: Option<PathBuf>,
    /// The recorded trace, if requested.
    pub(super) traced: Option<Traced>,
    pub(super) labels: &'a Labels,
    /// Maximum number of answer lines.
    pub(super) top: usize,
    /// Whether the output contains answer lines and single values as text.
    pub(super) is_table: bool,
    /// Whether every phase and kernel is listed.
    pub(super) verbose: bool,
}

/// Name of the line with the run's time.
const TIME: &str = "time";
/// Minimum share of the command's time for a phase to be listed separately.
const LEAST_SHARE: f64 = 0.01;

/// The output, except the phases of the command.
pub(super) struct RunOutput {
    answer: String,
    verbose: bool,
    lines: Vec<(&'static str, String)>,
    json: Value,
    failure: Option<Failure>,
}

impl RunOutput {
    /// Creates the report, with the phases of the whole command.
    pub(super) fn report(mut self, phases: &Phases) -> Report {
        let time = self.lines.iter().position(|(name, _)| *name == TIME).map_or(self.lines.len(), |place| place + 1);
        self.lines.insert(time, ("command", command_text(phases, self.verbose)));
        self.json["seconds"]["command"] = json!(phases.total().as_secs_f64());
        let phase = |(phase, time): (Phase, Duration)| (phase.name().to_owned(), json!(time.as_secs_f64()));
        self.json["seconds"]["phases"] = Value::Object(phases.taken().map(phase).collect());
        let mut report = Report::new(self.answer, self.json);
        report.remarks = facts(&self.lines);
        report.failures.extend(self.failure);
        report
    }
}

/// Describes the work of a kernel.
fn kernel_text(kernel: &KernelReport) -> String {
    let KernelReport { kernel: name, passes, edges, bytes, fastest, .. } = kernel;
    let (edges, bytes, fastest) = (units::count(*edges), units::bytes(*bytes), units::time(*fastest));
    format!("{name}: passes {passes}, edges {edges}, pages {bytes}, fastest pass {fastest}")
}

/// Returns statistics per kernel as JSON.
pub fn kernels_json(report: &RunReport) -> Value {
    let kernel = |kernel: &KernelReport| {
        json!({
            "kernel": kernel.kernel,
            "passes": kernel.passes,
            "edges": kernel.edges,
            "pages": kernel.pages,
            "bytes": kernel.bytes,
            "copied_bytes": kernel.copied,
            "in_place_bytes": kernel.in_place,
            "cached_pages": kernel.cached_pages,
            "read_bytes": kernel.read,
            "link_seconds": kernel.link_busy.map(|time| time.as_secs_f64()),
            "seconds": kernel.time.as_secs_f64(),
            "fastest_seconds": kernel.fastest.as_secs_f64(),
            "device_seconds": kernel.kernel_time.map(|time| time.as_secs_f64()),
            "technique": kernel.technique.map(|technique| technique.name()),
            "pulled": kernel.pulled,
            "steps_on_device": kernel.steps_on_device,
            "steps_run": kernel.steps_run.map(|run| run.name()),
            "devices": kernel.devices.max(1),
            "merge_seconds": kernel.merge_time.as_secs_f64(),
            "merged_bytes": kernel.merged,
            "merged_bytes_at_most": kernel.merged_at_most,
            "parts": kernel.parts,
        })
    };
    report.kernels.iter().map(kernel).collect()
}

/// Describes the phases of a command that take a relevant share, or all; the others count as one.
fn command_text(phases: &Phases, all: bool) -> String {
    let total = phases.total();
    let is_told =
        |&(phase, time): &(Phase, Duration)| phase != Phase::Other && (all || time >= total.mul_f64(LEAST_SHARE));
    let told: Vec<_> = phases.taken().filter(is_told).collect();
    let rest = total.saturating_sub(told.iter().map(|(_, time)| *time).sum());
    let parts = told.iter().map(|(phase, time)| format!("{} {}", phase.name(), units::time(*time)));
    let parts: Vec<_> = parts.chain([format!("other {}", units::time(rest))]).collect();
    format!("{}: {}", units::time(total), parts.join(", "))
}

impl Outcome<'_> {
    /// Describes everything except the phases of the command. A wrong answer is a failure after it is printed.
    ///
    /// # Errors
    ///
    /// Too little memory for the summary.
    pub(super) fn tell(self) -> Result<RunOutput, Failure> {
        let tables = self.done.answer.tables();
        let digests = self.digests(&tables)?;
        let (answer, lines, json) = (self.answer(&tables, &digests)?, self.lines(), self.json(&tables, &digests)?);
        let failure = match self.verdict {
            Some(Verdict::Differs(difference)) => Some(Failure::Differs(difference)),
            _ => None,
        };
        Ok(RunOutput { answer, verbose: self.verbose, lines, json, failure })
    }

    fn digests<'t>(&'t self, tables: &[Table<'t>]) -> gts_graph::Result<Vec<Digest<'t>>> {
        if self.top == 0 {
            return Ok(Vec::new());
        }
        let columns = tables.iter().flat_map(|table| &table.columns);
        columns.filter_map(|column| Digest::new(column, self.loaded.graph.ids(), self.top).transpose()).collect()
    }

    /// Returns the tables whose first rows are printed.
    fn listed<'t>(&self, tables: &'t [Table<'t>]) -> impl Iterator<Item = &'t Table<'t>> {
        let top = self.top;
        tables.iter().filter(move |table| table.kind == TableKind::Rows && top > 0)
    }

    fn answer(&self, tables: &[Table<'_>], digests: &[Digest<'_>]) -> gts_graph::Result<String> {
        if !self.is_table {
            return Ok(String::new());
        }
        let mut text: String = digests.iter().map(|digest| digest.text(self.labels) + "\n").collect();
        for table in self.listed(tables) {
            text += &(first_rows(table, self.loaded.graph.ids(), self.top)? + "\n");
        }
        let scalars: Vec<_> = self.scalars().collect();
        Ok(text + &facts(&scalars))
    }

    fn scalars(&self) -> impl Iterator<Item = (&'static str, String)> + '_ {
        self.done.answer.scalars().map(|(name, value)| (name, readable(value)))
    }

    fn lines(&self) -> Vec<(&'static str, String)> {
        let (graph, done) = (&self.loaded.graph, self.done);
        let mut lines: Vec<_> = self.scalars().filter(|_| !self.is_table).collect();
        lines.push((
            "graph",
            format!(
                "{}: {}, loaded in {}",
                self.graph.display(),
                units::graph_size(graph.num_vertices(), graph.num_edges(), graph.num_undirected_edges()),
                units::time(self.loaded.time)
            ),
        ));
        lines.extend(
            self.unused_weights().map(|flag| ("weights", format!("not used: --{flag} counts edges by weight"))),
        );
        lines.push(("device", format!("{}{}", done.device, self.techniques())));
        lines.push((TIME, self.phases()));
        lines.extend(done.report.kernels.iter().filter(|_| self.verbose).map(|kernel| ("kernel", kernel_text(kernel))));
        lines.push((
            "speed",
            format!(
                "{}: {}, {} of pages",
                units::edges_per_second(done.report.edges(), done.report.time()),
                units::counted(done.report.edges(), "edge"),
                units::bytes(done.report.bytes())
            ),
        ));
        if !graph.is_resident() {
            let (read, time) = (done.report.read(), done.report.time());
            let rate = units::bytes((read as f64 / time.as_secs_f64().max(f64::MIN_POSITIVE)) as u64);
            lines.push(("read", format!("{} from storage, {rate}/s", units::bytes(read))));
        }
        lines.extend(self.link().map(|link| ("pages", link)));
        lines.extend(self.shared.map(|shared| ("shares", shared.text(done.report.adjustment.as_ref()))));
        lines.extend(self.sharing().map(|sharing| ("devices", sharing)));
        lines.extend(ranks::lines(&done.ranks));
        lines.extend(done.between.as_ref().map(|way| ("between", way.to_string())));
        lines.extend(done.peaks.lines());
        match &self.verdict {
            Some(Verdict::Agrees(how)) => lines.push(("check", how.clone())),
            Some(Verdict::Differs(_)) => lines.push(("check", "FAILED".to_owned())),
            None => {}
        }
        lines.extend(done.predicted.as_ref().map(|predicted| ("plan", predicted.text(done.report.time()))));
        lines.extend(self.traced.as_ref().map(|traced| ("trace", traced.text(done.report.time()))));
        lines.extend(self.output.as_ref().map(|path| ("output", path.display().to_string())));
        lines
    }

    /// Returns the flag with which the algorithm uses the graph's weights, if there are weights and the run did not.
    fn unused_weights(&self) -> Option<&'static str> {
        let graph = &self.loaded.graph;
        let has_weights = graph.value_type().is_some() || graph.has_unread_weights();
        let is_unused = has_weights && self.parameters.needs().weights.is_empty();
        let with = self.algorithm.needs_with.iter().find(|with| is_unused && !with.needs.weights.is_empty());
        with.map(|with| with.parameter)
    }

    /// Returns the techniques that ran, if the device has techniques, whether scans pulled, and which side began steps.
    fn techniques(&self) -> String {
        let mut names: Vec<_> = self
            .done
            .report
            .kernels
            .iter()
            .filter_map(|kernel| kernel.technique)
            .map(|technique| technique.name())
            .collect();
        names.dedup();
        let pulls = self.done.report.kernels.iter().any(|kernel| kernel.pulled);
        let technique = if names.is_empty() { String::new() } else { format!(", technique {}", names.join(", ")) };
        let pulling = if pulls { ", pulling along in-edges" } else { "" };
        format!("{technique}{pulling}{}", self.steps_on_device())
    }

    /// Returns the number of steps begun by the device, and their kind, if there were any.
    fn steps_on_device(&self) -> String {
        let kernels = &self.done.report.kernels;
        let steps: u64 = kernels.iter().map(|kernel| kernel.steps_on_device).sum();
        let how = kernels.iter().filter_map(|kernel| kernel.steps_run).next_back();
        how.map_or_else(String::new, |how| format!(", {steps} steps begun by the device ({})", how.name()))
    }

    /// Describes how pages were loaded into the device, if any were loaded during the passes.
    fn link(&self) -> Option<String> {
        let report = &self.done.report;
        let busy = report.link_busy()?;
        let mut parts = vec![format!("{} copied", units::bytes(report.copied()))];
        parts.extend((report.in_place() > 0).then(|| format!("{} read in place", units::bytes(report.in_place()))));
        let share = |part: f64, whole: f64| if whole > 0.0 { 100.0 * part / whole } else { 0.0 };
        parts.push(format!("cache hits {:.1} %", share(report.cached_pages() as f64, report.pages() as f64)));
        let passes = report.time().as_secs_f64();
        parts.push(format!("link busy {:.1} % of the passes", share(busy.as_secs_f64(), passes)));
        Some(parts.join(", "))
    }

    /// Describes how the devices shared the work, if there were several.
    fn sharing(&self) -> Option<String> {
        let kernels = &self.done.report.kernels;
        let most = kernels.iter().map(|kernel| kernel.devices).max().filter(|&most| most > 0)?;
        let mut parts = Vec::new();
        if let Some(split) = kernels.iter().map(|kernel| kernel.parts).max().filter(|&split| split > 0) {
            let turns = split.div_ceil(most);
            let passes = if turns > 1 { format!(", pages passed {turns} times") } else { String::new() };
            let devices = if most > 1 { format!("{most} devices") } else { "one device".to_owned() };
            let parts = if split == 1 { "one part".to_owned() } else { format!("{split} parts") };
            return Some(format!("{devices}, attributes in {parts}{passes}"));
        }
        if most > 1 {
            let merging: Duration = kernels.iter().map(|kernel| kernel.merge_time).sum();
            let merged: u64 = kernels.iter().map(|kernel| kernel.merged).sum();
            let at_most: u64 = kernels.iter().map(|kernel| kernel.merged_at_most).sum();
            let part = 100.0 * merged as f64 / (at_most as f64).max(1.0);
            let (time, bytes) = (units::time(merging), units::bytes(merged));
            parts.push(format!("{most} shared the pages, merged {bytes} in {time} ({part:.1} % of all values)"));
        }
        let alone: Vec<_> = kernels.iter().filter(|kernel| kernel.alone).map(|kernel| kernel.kernel).collect();
        if !alone.is_empty() {
            parts.push(format!("on one alone, because devices cannot share them: {}", alone.join(", ")));
        }
        (!parts.is_empty()).then(|| parts.join("; "))
    }

    fn phases(&self) -> String {
        let report = &self.done.report;
        let kernel = |kernel: &KernelReport| match kernel.passes {
            1 => format!("{} {}", kernel.kernel, units::time(kernel.time)),
            passes => format!("{} {} in {passes} passes", kernel.kernel, units::time(kernel.time)),
        };
        let mut phases: Vec<_> = report.kernels.iter().map(kernel).collect();
        phases.push(format!("attributes {}", units::time(report.attributes)));
        format!("{}: {}", units::time(self.done.time), phases.join(", "))
    }

    fn json(&self, tables: &[Table<'_>], digests: &[Digest<'_>]) -> gts_graph::Result<Value> {
        let done = self.done;
        let scalars = done.answer.scalars().map(|(name, value)| (name.to_owned(), scalar_json(value)));
        let value = |(name, text): (&str, String)| {
            let file = self.parameters.file(name).ok().flatten();
            (name.to_owned(), file.map_or_else(|| json!(text), path_json))
        };
        let parameters = self.parameters.iter().map(value);
        let mut top: Map<_, _> =
            digests.iter().map(|digest| (digest.name().to_owned(), digest.json(self.labels))).collect();
        for table in self.listed(tables) {
            top.insert(table.name.to_owned(), first_rows_json(table, self.loaded.graph.ids(), self.top)?);
        }
        let mut json = json!({
            "version": env!("CARGO_PKG_VERSION"),
            "algorithm": self.algorithm.name,
            "parameters": parameters.collect::<Map<_, _>>(),
            "graph": graph_json(&self.loaded.graph),
            "device": done.device,
            "answer": scalars.collect::<Map<_, _>>(),
            "top": top,
            "edges": done.report.edges(),
            "bytes": done.report.bytes(),
            "read": done.report.read(),
            "memory": done.peaks.json(),
            "seconds": {
                "load": self.loaded.time.as_secs_f64(),
                "run": done.time.as_secs_f64(),
                "passes": done.report.time().as_secs_f64(),
                "attributes": done.report.attributes.as_secs_f64(),
            },
            "kernels": kernels_json(&done.report),
        });
        json["graph"]["argument"] = path_json(self.graph);
        if let Some(verdict) = &self.verdict {
            json["check"] = match verdict {
                Verdict::Agrees(detail) => json!({ "agrees": true, "detail": detail }),
                Verdict::Differs(detail) => json!({ "agrees": false, "detail": detail }),
            };
        }
        if let Some(shared) = self.shared {
            json["hybrid"] = shared.json(done.report.adjustment.as_ref());
        }
        if !done.ranks.is_empty() {
            json["ranks"] = ranks::json(&done.ranks);
        }
        if let Some(way) = &done.between {
            json["between_ranks"] = ranks::way(way);
        }
        if let Some(predicted) = &done.predicted {
            json["plan"] = predicted.json();
        }
        if let Some(traced) = &self.traced {
            json["trace"] = traced.json();
        }
        if let Some(path) = &self.output {
            json["output"] = path_json(path);
        }
        Ok(json)
    }
}
