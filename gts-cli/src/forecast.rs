//! A prediction, for readers and for programs.

use crate::constants::Constants;
use crate::hybrid::PlannedSharing;
use crate::models::Models;
use crate::nodes;
use crate::report::{Align, facts, path_json, table};
use crate::units;
use gts_graph::algorithm::{Algorithm, Arguments};
use gts_graph::contract::KernelKind;
use gts_graph::core::cost::loops::StepLoops;
use gts_graph::core::cost::{
    AlgorithmShape, KernelShape, MemoryPlan, Need, Prediction, ProcessorKind, RunConfiguration, Start, StepPrediction,
    Steps, Strategy, predict,
};
use gts_graph::core::graph::{GraphShape, TopologyShape, TraversalGrowth};
use gts_graph::prelude::{DeviceChoice, Graph, Propagation, StepsBy};
use gts_graph::tuning;
use serde_json::{Value, json};
use std::ffi::OsStr;
use std::time::Duration;

/// Maximum number of steps in a table; the rest is only counted.
const ROWS: usize = 24;

/// The contents of a plan.
pub(crate) struct PlanContents<'a> {
    /// The graph argument as given.
    pub(crate) argument: &'a OsStr,
    /// Shape of the graph.
    pub(crate) graph: &'a GraphShape,
    /// Shape of the algorithm.
    pub(crate) algorithm: &'a AlgorithmShape,
    /// Constants of the machine.
    pub(crate) constants: &'a Constants,
    /// Set-up of the run.
    pub(crate) configuration: &'a RunConfiguration,
    /// Predicted run; on the GPUs alone, if the CPU may share their work.
    pub(crate) prediction: &'a Prediction,
    /// Prediction for the CPU and GPUs, derived from it.
    pub(crate) hybrid: Option<&'a PlannedSharing>,
    /// Dependence on the number of nodes, if the network between them is given.
    pub(crate) nodes: Option<&'a nodes::PlannedNodes>,
    /// Predictions of the models for the ways of iterating over neighbours, if requested.
    pub(crate) models: Option<&'a Models>,
}

impl PlanContents<'_> {
    /// Formats the plan for readers.
    pub(crate) fn text(&self) -> String {
        let memory = &self.prediction.memory;
        let mut lines = vec![("graph", self.graph_text()), ("pages", topology_text(&self.graph.out))];
        if let Some(incoming) = &self.graph.incoming {
            lines.push(("in-edges", topology_text(incoming)));
        }
        lines.push(("device", self.device_text()));
        lines.push(("attributes", self.attributes_text()));
        if !memory.device.is_empty() {
            lines.push(("on device", needs_text(&memory.device, memory.device_budget)));
        }
        lines.push(("on host", needs_text(&memory.host, self.constants.host.memory)));
        lines.push(("where pages lie", self.residence_text()));
        lines.push(("strategy", self.strategy_text()));
        let mut text = facts(&lines);
        text.push('\n');
        text.push_str(&self.steps_table());
        text.push('\n');
        let mut lines = vec![("time", self.time_text())];
        lines.extend(self.prediction.bound().map(|bound| ("bound", bound_text(bound.name()))));
        lines.extend(self.assumptions().into_iter().map(|assumption| ("assumed", assumption)));
        text.push_str(&facts(&lines));
        if let Some(hybrid) = self.hybrid {
            text.push_str("\nall this on the GPU alone; with the CPU\n\n");
            text.push_str(&hybrid.text());
        }
        if let Some(nodes) = self.nodes {
            text.push('\n');
            text.push_str(&nodes.text(self.prediction));
        }
        if let Some(models) = self.models {
            text.push('\n');
            text.push_str(&models.text());
        }
        text
    }

    fn graph_text(&self) -> String {
        let made = if self.graph.estimated { ", not made: pages are estimated" } else { "" };
        format!(
            "{}: {}, order {}{made}",
            self.argument.display(),
            units::graph_size(self.graph.vertices, self.graph.edges, self.graph.undirected_edges),
            self.graph.order
        )
    }

    fn device_text(&self) -> String {
        let processor = &self.constants.processor;
        let count = match self.configuration.devices {
            1 => String::new(),
            devices => format!("{devices} x "),
        };
        let nodes = match self.configuration.nodes.count {
            1 => String::new(),
            nodes => format!(" on each of {nodes} nodes"),
        };
        format!("{count}{}{nodes}, figures {}", processor.name, self.constants.origin())
    }

    fn attributes_text(&self) -> String {
        let bytes = |each: u64| units::bytes(each * self.graph.vertices);
        let of_edges = |each: u64| units::bytes(each * self.graph.edges);
        let algorithm = self.algorithm;
        let wa = format!("WA {}, {} bytes a vertex", bytes(algorithm.attributes.wa), algorithm.attributes.wa);
        let wa = match algorithm.attributes.edge_wa {
            0 => wa,
            each => format!("{wa}; {}, {each} bytes an edge", of_edges(each)),
        };
        match algorithm.ra_bytes() {
            0 => wa,
            ra => format!("{wa}; RA {}, {ra} bytes a vertex", bytes(ra)),
        }
    }

    fn residence_text(&self) -> String {
        let memory = &self.prediction.memory;
        let MemoryPlan { pages, graph_pages, host_pages, cache, .. } = *memory;
        let of = |bytes: u64, all: u64| 100.0 * bytes as f64 / all.max(1) as f64;
        let share = |bytes: u64| of(bytes, pages);
        let mut parts =
            vec![format!("host memory {} ({:.0} %)", units::bytes(host_pages), of(host_pages, graph_pages))];
        if memory.buffered {
            parts.push(format!("storage {}", units::bytes(graph_pages - host_pages)));
        }
        if self.constants.processor.kind == ProcessorKind::Cuda {
            let all = match memory.strategy {
                Strategy::Pages => (cache * u64::from(self.configuration.devices)).min(pages),
                Strategy::Split => cache.min(pages),
            };
            parts.push(match all == pages {
                true if memory.resident && self.configuration.devices > 1 => "all loaded onto the devices".to_owned(),
                true if memory.resident => "all loaded onto the device".to_owned(),
                true => "all cached on the devices after the first step".to_owned(),
                false => format!("device cache {} ({:.0} %), the rest streams", units::bytes(all), share(all)),
            });
        }
        let walked = match pages == graph_pages {
            true => String::new(),
            false => format!(", {} walked", units::bytes(pages)),
        };
        let share = if self.has_nodes() { ", the share of a node" } else { "" };
        format!("{} of {}{walked}{share}", parts.join(", "), units::bytes(graph_pages))
    }

    fn strategy_text(&self) -> String {
        let memory = &self.prediction.memory;
        match (self.constants.processor.kind, memory.strategy, memory.rounds(self.configuration.devices)) {
            (ProcessorKind::Cpu, ..) => "none: the CPU works on the pages where they are".to_owned(),
            (_, Strategy::Pages, _) => match memory.placement.travelling().bytes {
                0 => format!("{}: each device has all attributes", memory.strategy.name()),
                away => format!(
                    "{}: each device has all of WA, and {away} bytes a vertex that kernels only read travel with the pages",
                    memory.strategy.name()
                ),
            },
            (_, Strategy::Split, rounds) => format!(
                "{}: attributes in {} parts, all pages pass {rounds} times a step",
                memory.strategy.name(),
                memory.parts
            ),
        }
    }

    /// Returns whether several nodes share the run.
    fn has_nodes(&self) -> bool {
        self.configuration.nodes.count > 1
    }

    fn steps_table(&self) -> String {
        let columns = columns(self.configuration.devices > 1, self.has_nodes());
        let heads: Vec<_> =
            columns.iter().map(|(head, _)| (*head, if *head == "step" { Align::Left } else { Align::Right })).collect();
        let steps = &self.prediction.steps;
        let rows: Vec<Vec<String>> =
            steps.iter().take(ROWS).map(|step| columns.iter().map(|(_, cell)| cell(step)).collect()).collect();
        let mut text = table(&heads, &rows);
        if steps.len() > ROWS {
            let rest: f64 = steps[ROWS..].iter().map(|step| step.seconds.total() * step.repeats).sum();
            text.push_str(&format!("... and {} more in {}\n", steps.len() - ROWS, units::seconds(rest)));
        }
        text
    }

    fn time_text(&self) -> String {
        let prediction = self.prediction;
        let mut parts = vec![format!("steps {}", units::seconds(prediction.passes))];
        if prediction.setup > 0.0 {
            let what = if prediction.memory.resident { "loading" } else { "page-locking" };
            parts.push(format!("{what} the graph {}", units::seconds(prediction.setup)));
        }
        parts.push(format!("attributes {}", units::seconds(prediction.attributes)));
        format!("{}: {}", units::seconds(prediction.seconds()), parts.join(", "))
    }

    /// Returns the assumptions of the prediction.
    fn assumptions(&self) -> Vec<String> {
        let mut all = Vec::new();
        let traversal = self.algorithm.kernels().any(|kernel| kernel.once);
        let given = self.configuration.levels.filter(|_| matches!(self.algorithm.steps, Steps::WhileActive(_)));
        all.extend(
            given.map(|levels| format!("{} levels, as given, over which the work is spread", units::count(levels))),
        );
        match (self.algorithm.steps, &self.graph.reach) {
            (Steps::WhileActive(_), _) if given.is_some() => {}
            (Steps::WhileActive(Start::All), _) if traversal => {
                all.push("every vertex is active once; in how many steps is not known".to_owned());
            }
            (Steps::AtMost(_), _) => {
                all.push("all steps are done: whether they converge earlier is not known".to_owned())
            }
            (Steps::WhileActive(Start::One), TraversalGrowth::Random) => all.push(
                "levels as in a random graph of these degrees, from the vertex with the most out-edges".to_owned(),
            ),
            (Steps::WhileActive(Start::One), TraversalGrowth::Mixed(_)) => {
                all.push("levels by the generator's degrees, from the vertex with the most out-edges".to_owned());
            }
            _ => {}
        }
        if self.algorithm.searches != 1 {
            all.push(format!("{} searches, each as the first", units::count(self.algorithm.searches)));
        }
        if matches!(self.algorithm.steps, Steps::WhileActive(_)) && !traversal && given.is_none() {
            all.push("active shares as seen on RMAT graphs of scale 14 to 22, weights from 0 to 1".to_owned());
        }
        if self.graph.edges_at_most {
            all.push(
                "as many edges as there can be: how many are dropped, or are there both ways already, shows when the graph \
                 is made"
                    .to_owned(),
            );
        }
        if self.graph.estimated && self.configuration.stored {
            all.push("the graph is written into a store first".to_owned());
        }
        if self.prediction.memory.pulls && self.prediction.steps.iter().any(|step| step.active.is_some()) {
            all.push(
                "vertices look for active ones along the in-edges in the steps in which that is less work".to_owned(),
            );
        }
        if let Some(bytes) = self.prediction.memory.loops_left_out {
            let needed = units::bytes(bytes);
            all.push(format!(
                "the host begins each step: loops over steps take {needed}, for which the device has no room"
            ));
        }
        if self.has_nodes() {
            all.push("every node is as this one, and reads and keeps the pages of its share alone".to_owned());
            all.extend(self.nodes.and_then(nodes::PlannedNodes::assumed));
        }
        let known = |kernel: &str| self.constants.processor.knows(kernel);
        let unknown = |kernel: &KernelShape| {
            kernel.kind == KernelKind::Intersect && !known(&kernel.name) && !known(kernel.kind.name())
        };
        if self.algorithm.kernels().any(unknown) {
            all.push(
                "intersecting lists takes no time beside reading them: it was not measured on this device".to_owned(),
            );
        }
        if self.constants.processor.measured && !self.algorithm.kernels().all(|kernel| known(&kernel.name)) {
            all.push("kernels as slow as the slowest measured of their kind".to_owned());
        }
        all
    }

    /// Returns the plan for programs.
    pub(crate) fn json(&self) -> Value {
        let (graph, memory, load) = (self.graph, &self.prediction.memory, &self.algorithm.attributes);
        json!({
            "algorithm": self.algorithm.name,
            "graph": {
                "argument": path_json(self.argument),
                "vertices": graph.vertices,
                "edges": graph.edges,
                "undirected_edges": graph.undirected_edges,
                "order": graph.order.to_string(),
                "estimated": graph.estimated,
                "out": topology_json(&graph.out),
                "in": graph.incoming.as_ref().map(topology_json),
            },
            "device": { "name": self.constants.processor.name, "measured": self.constants.processor.measured },
            "devices": self.configuration.devices,
            "bytes": { "wa": load.wa * graph.vertices + load.edge_wa * graph.edges, "ra": self.algorithm.ra_bytes() * graph.vertices },
            "memory": {
                "device": needs_json(&memory.device),
                "device_budget": memory.device_budget,
                "travelling": memory.placement.travelling().bytes * graph.vertices,
                "cache": memory.cache,
                "loops_left_out": memory.loops_left_out,
                "host": needs_json(&memory.host),
                "host_pages": memory.host_pages,
                "storage": if memory.buffered { memory.graph_pages - memory.host_pages } else { 0 },
                "pages": memory.pages,
                "graph_pages": memory.graph_pages,
            },
            "strategy": memory.strategy.name(),
            "parts": memory.parts,
            "steps": self.prediction.steps.iter().map(step_json).collect::<Vec<_>>(),
            "bound": self.prediction.bound().map(|bound| bound.name()),
            "seconds": {
                "setup": self.prediction.setup,
                "passes": self.prediction.passes,
                "attributes": self.prediction.attributes,
                "run": self.prediction.seconds(),
            },
            "assumed": self.assumptions(),
            "hybrid": self.hybrid.map(PlannedSharing::json),
            "nodes": self.nodes.map(|nodes| nodes.json(self.prediction)),
            "models": self.models.map(Models::json),
        })
    }
}

/// Head of a column in the table of steps, and the function that formats its cells.
type StepColumn = (&'static str, fn(&StepPrediction) -> String);

/// Returns the columns of the table of steps. Devices that share a run merge their written values, and nodes exchange
/// them.
fn columns(merges: bool, sends: bool) -> Vec<StepColumn> {
    let mut columns: Vec<StepColumn> = vec![
        ("step", |step| step.name.clone()),
        ("times", |step| units::count(step.repeats as u64)),
        ("active", |step| step.active.map_or("all".to_owned(), |active| units::count(active as u64))),
        ("edges", |step| units::count(step.edges as u64)),
        ("copied", |step| bytes_cell(step.bytes.copied)),
        ("in place", |step| bytes_cell(step.bytes.in_place)),
        ("read", |step| bytes_cell(step.bytes.read)),
        ("link", |step| units::seconds(step.seconds.link)),
        ("disk", |step| units::seconds(step.seconds.disk)),
        ("kernels", |step| units::seconds(step.seconds.kernel)),
    ];
    if merges || sends {
        columns.push(("merged", |step| bytes_cell(step.bytes.merged)));
    }
    if merges {
        columns.push(("merge", |step| units::seconds(step.seconds.merge)));
    }
    if sends {
        columns.push(("sent", |step| bytes_cell(step.bytes.sent)));
        columns.push(("network", |step| units::seconds(step.seconds.network)));
    }
    columns
        .push(("time", |step| format!("{} ({})", units::seconds(step.seconds.total()), step.seconds.bound().name())));
    columns
}

fn bytes_cell(bytes: f64) -> String {
    if bytes < 0.5 { "-".to_owned() } else { units::bytes(bytes as u64) }
}

fn bound_text(bound: &str) -> String {
    match bound {
        "link" => "link: pages come over the bus no faster".to_owned(),
        "disk" => "disk: pages come from storage no faster".to_owned(),
        "network" => "network: nodes send what they have written no faster".to_owned(),
        "kernel" => "kernel: pages arrive faster than they are worked on".to_owned(),
        other => format!("{other}: the work of a step is less than what surrounds it"),
    }
}

fn topology_text(topology: &TopologyShape) -> String {
    let each = topology.bytes() as f64 / topology.edges.max(1) as f64;
    format!(
        "{} and {} of {}, record IDs of {} bytes: {}, {each:.2} bytes an edge",
        units::counted(topology.small_pages, "small page"),
        units::counted(topology.large_pages, "large page"),
        units::bytes(topology.page_size.into()),
        topology.width,
        units::bytes(topology.bytes()),
    )
}

fn topology_json(topology: &TopologyShape) -> Value {
    json!({
        "small_pages": topology.small_pages,
        "large_pages": topology.large_pages,
        "page_size": topology.page_size,
        "ids": [topology.width.page_bytes(), topology.width.slot_bytes()],
        "bytes": topology.bytes(),
    })
}

fn needs_text(needs: &[Need], budget: u64) -> String {
    let parts: Vec<_> = needs
        .iter()
        .filter(|need| need.bytes > 0)
        .map(|need| format!("{} {}", need.what, units::bytes(need.bytes)))
        .collect();
    let sum = needs.iter().map(|need| need.bytes).sum();
    format!("{} of {}: {}", units::bytes(sum), units::bytes(budget), parts.join(", "))
}

fn needs_json(needs: &[Need]) -> Value {
    needs.iter().map(|need| (need.what.to_owned(), json!(need.bytes))).collect::<serde_json::Map<_, _>>().into()
}

fn step_json(step: &StepPrediction) -> Value {
    let (bytes, seconds) = (&step.bytes, &step.seconds);
    json!({
        "step": step.name,
        "repeats": step.repeats,
        "active": step.active,
        "edges": step.edges,
        "exchanges": step.exchanges,
        "bytes": {
            "visited": bytes.visited,
            "read": bytes.read,
            "copied": bytes.copied,
            "in_place": bytes.in_place,
            "cached": bytes.cached,
            "merged": bytes.merged,
            "sent": bytes.sent,
        },
        "seconds": {
            "disk": seconds.disk,
            "link": seconds.link,
            "kernel": seconds.kernel,
            "ends": seconds.ends,
            "step": seconds.step,
            "merge": seconds.merge,
            "network": seconds.network,
            "total": seconds.total(),
        },
        "bound": seconds.bound().name(),
    })
}

/// Returns the number n such that a traversal's step pulls from 1/n of the edges on; `None` if it never pulls.
pub(crate) fn pull_share(processor: ProcessorKind, propagation: Propagation) -> Option<u64> {
    match (propagation, processor) {
        (Propagation::Push, _) => None,
        (Propagation::Pull | Propagation::PullAtEdge, _) => Some(u64::MAX),
        (Propagation::Auto, ProcessorKind::Cpu) => Some(tuning::CPU_PULL_SHARE),
        (Propagation::Auto, ProcessorKind::Cuda) => Some(tuning::CUDA_PULL_SHARE),
    }
}

/// Returns the loops over steps that GPUs of a device run. There are none with a CPU, because a shared pass begins on
/// the host.
pub(crate) fn step_loops(device: DeviceChoice, steps: StepsBy) -> Option<StepLoops> {
    steps.loops().filter(|_| !matches!(device, DeviceChoice::Hybrid(_)))
}

/// Prediction of a completed run.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Predicted {
    /// Seconds of its passes.
    passes: f64,
    /// Seconds of the whole run.
    run: f64,
    /// The predicted bottleneck.
    bound: Option<&'static str>,
}

/// Predicts a run on a measured device; `None` on any other, or if the algorithm has no outline.
pub(crate) fn of_run(
    algorithm: &Algorithm,
    parameters: &Arguments,
    graph: &Graph,
    device: &str,
    propagation: Propagation,
    configuration: RunConfiguration,
) -> Option<Predicted> {
    let constants = Constants::measured_of(device)?;
    let graph_shape = graph.shape();
    let outline = algorithm.outlined(parameters, &graph.into())?;
    let shape = outline.shape(algorithm, graph_shape);
    let pull_share = pull_share(constants.processor.kind, propagation);
    let configuration = RunConfiguration { stored: !graph.is_resident(), pull_share, ..configuration };
    let found = predict(graph_shape, &shape, &constants.host, &constants.processor, &configuration).ok()?;
    Some(Predicted {
        passes: found.setup + found.passes,
        run: found.seconds(),
        bound: found.bound().map(|bound| bound.name()),
    })
}

impl Predicted {
    /// Creates the prediction of a run from the seconds of its passes and of the whole run.
    pub(crate) fn new(passes: f64, run: f64, bound: Option<&'static str>) -> Self {
        Self { passes, run, bound }
    }

    /// Returns a line for readers who will wait, if the run is predicted to take over a minute.
    pub(crate) fn announcement(&self) -> Option<String> {
        const LONG: f64 = 60.0;
        (self.run > LONG).then(|| format!("the run is predicted to take {}", units::seconds(self.run)))
    }

    /// Compares the prediction with the time of the passes, in one line.
    pub(crate) fn text(&self, measured: Duration) -> String {
        let off = 100.0 * (measured.as_secs_f64() / self.passes.max(f64::MIN_POSITIVE) - 1.0);
        let bound = self.bound.map_or(String::new(), |bound| format!(", bound by {bound}"));
        format!(
            "passes {} predicted{bound}, {} measured ({off:+.0} %)",
            units::seconds(self.passes),
            units::time(measured)
        )
    }

    /// Returns the prediction for programs.
    pub(crate) fn json(&self) -> Value {
        json!({ "passes_seconds": self.passes, "run_seconds": self.run, "bound": self.bound })
    }
}
