//! Nodes that share a run: the options of a plan, and its predictions.

use crate::constants::Constants;
use crate::error::Failure;
use crate::options;
use crate::report::{Align, facts, table};
use crate::units;
use gts_graph::contract::Transport;
use gts_graph::core::cost::nodes::{Network, Nodes, Point, Scaling, scaling};
use gts_graph::core::cost::{
    AlgorithmShape, HostConstants, Prediction, ProcessorConstants, ProcessorKind, RunConfiguration, Shortfall,
};
use gts_graph::core::graph::GraphShape;
use gts_graph::device::{Collectives, PageShares, gpus};
use serde_json::{Value, json};
use std::time::Duration;

/// Default time of an exchange of empty messages: that of two ranks of `gts launch`, each on its own core (24 us, by
/// the program `exchanges` of `bench` on an EPYC).
const LATENCY: Duration = Duration::from_micros(25);
/// Maximum number of nodes of a run.
const MOST: u32 = PageShares::MOST as u32;

/// The nodes that a plan is for.
#[derive(clap::Args, Clone, Copy, Debug)]
#[command(next_help_heading = "Nodes")]
pub(crate) struct NodeArgs {
    /// Nodes that share the run, each with devices as given: ranks of `gts launch`, or machines
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST)), default_value_t = 1)]
    nodes: u32,
    /// The rate at which a node sends while it receives as much, such as 25GB/s or 200Gb/s. The plan then says how many nodes
    /// pay
    #[arg(long, value_name = "RATE", value_parser = units::parse_rate)]
    network: Option<f64>,
    /// The time of an exchange of empty messages between two nodes; 25us, as between processes of one machine, if not given
    #[arg(long, value_name = "TIME", value_parser = units::parse_latency, requires = "network")]
    latency: Option<Duration>,
    /// How nodes on GPUs make their values equal: nccl (from GPU to GPU), host (through the memory of the hosts), or auto (nccl,
    /// unless the plan is for a GPU of this machine, which lacks it)
    #[arg(long, value_name = "WAY", value_parser = options::collectives, default_value_t)]
    collectives: Collectives,
}

/// The nodes of a plan, and the reason why their values are not exchanged by NCCL.
#[derive(Clone, Debug)]
pub(crate) struct AskedNodes {
    /// The nodes for the cost model.
    pub(crate) nodes: Nodes,
    /// The reason, if NCCL is not used.
    why_host: Option<String>,
}

impl NodeArgs {
    /// Returns whether the options concern several nodes.
    pub(crate) fn are_asked_for(&self) -> bool {
        self.nodes > 1 || self.network.is_some()
    }

    /// Returns the nodes for the cost model; `None` if the options do not concern several nodes.
    ///
    /// # Errors
    ///
    /// Several nodes have no network, or NCCL was requested and the nodes lack it.
    pub(crate) fn nodes(&self, constants: &Constants) -> Result<Option<AskedNodes>, Failure> {
        let latency = self.latency.unwrap_or(LATENCY).as_secs_f64();
        match self.network {
            Some(rate) => {
                let on_gpus = constants.processor.kind == ProcessorKind::Cuda;
                let can_use = on_gpus && constants.is_here() && self.collectives != Collectives::Host;
                let missing = if can_use { gpus::nccl().err() } else { None };
                let missing = missing.map(|error| error.to_string());
                let (transport, why_host) = self.collectives.planned(on_gpus, missing.as_deref())?;
                let nodes = Nodes { count: self.nodes, network: Network { rate, latency }, transport };
                Ok(Some(AskedNodes { nodes, why_host }))
            }
            None if self.nodes == 1 => Ok(None),
            None => Err(Failure::usage(
                format!("--nodes {}: how fast a node sends is not known", self.nodes),
                "give it by --network, such as --network 25GB/s or --network 200Gb/s",
            )),
        }
    }
}

/// Dependence of a planned run's time on the number of nodes.
pub(crate) struct PlannedNodes {
    nodes: Nodes,
    on_gpus: bool,
    why_host: Option<String>,
    scaling: Scaling,
}

impl PlannedNodes {
    /// Predicts the run also on other numbers of nodes.
    pub(crate) fn new(
        asked: AskedNodes,
        graph: &GraphShape,
        algorithm: &AlgorithmShape,
        (host, processor): (&HostConstants, &ProcessorConstants),
        configuration: &RunConfiguration,
    ) -> Result<Self, Shortfall> {
        let most = MOST / configuration.devices.max(1);
        let scaling = scaling(graph, algorithm, host, processor, configuration, most)?;
        let on_gpus = processor.kind == ProcessorKind::Cuda;
        Ok(Self { nodes: asked.nodes, on_gpus, why_host: asked.why_host, scaling })
    }

    /// Describes the prediction's network, in one line.
    fn network_text(&self, prediction: &Prediction) -> String {
        let Network { rate, latency } = self.nodes.network;
        let rates = format!("{}, {} an exchange between two nodes", units::rate(rate), units::seconds(latency));
        if self.nodes.count == 1 {
            return rates;
        }
        format!(
            "{rates}: a node sends {} in {} exchanges, {} ({:.0} % of the time)",
            units::bytes(prediction.sent() as u64),
            units::count(prediction.exchanges() as u64),
            units::seconds(prediction.network()),
            100.0 * prediction.network() / prediction.seconds().max(f64::MIN_POSITIVE),
        )
    }

    /// Describes the way of values between nodes, for readers.
    fn between_text(&self) -> String {
        let way = self.nodes.transport.name();
        match (self.nodes.transport, &self.why_host) {
            (Transport::Nccl, _) => format!("{way}, which sends all values where a pass changes some vertices alone"),
            (Transport::HostMemory, None) => way.to_owned(),
            (Transport::HostMemory, Some(why)) => format!("{way} ({why})"),
        }
    }

    /// Returns the assumption about the way between GPUs of different nodes.
    pub(crate) fn assumed(&self) -> Option<String> {
        let text = match self.nodes.transport {
            Transport::Nccl => "GPUs of different nodes send one another what is in their memory, past the host's",
            Transport::HostMemory => "GPUs of different nodes send one another values through the memory of the hosts",
        };
        self.on_gpus.then(|| text.to_owned())
    }

    /// Describes how many nodes pay off, and why more do not.
    fn limit_text(&self) -> String {
        let pays = self.scaling.pays;
        match &self.scaling.against {
            Some((beyond, against, part)) => format!(
                "more than {}: {} would be {:.2} x as fast, and {:.0} % of their time is {}",
                if pays == 1 { "1 node does not pay".to_owned() } else { format!("{pays} nodes no longer pay") },
                beyond.nodes,
                self.speed_over(pays, beyond),
                100.0 * part,
                against.name(),
            ),
            None if pays == 1 => "2 nodes cannot share the run".to_owned(),
            None => format!("up to {pays} nodes pay, and twice as many cannot share the run"),
        }
    }

    /// Returns the speedup of `point` over a run on `nodes` nodes.
    fn speed_over(&self, nodes: u32, point: &Point) -> f64 {
        let found = self.scaling.points.iter().find(|point| point.nodes == nodes);
        found.map_or(1.0, |found| found.seconds / point.seconds.max(f64::MIN_POSITIVE))
    }

    /// Returns the smallest number of nodes that can run it: the base of the speedups.
    fn first(&self) -> u32 {
        self.scaling.points.first().map_or(1, |point| point.nodes)
    }

    /// Formats the plan for readers.
    pub(crate) fn text(&self, prediction: &Prediction) -> String {
        let heads = ["nodes", "time", "speed-up", "network", "of the time", "a node sends"];
        let row = |point: &Point| {
            vec![
                units::count(point.nodes.into()),
                units::seconds(point.seconds),
                format!("{:.2} x", self.speed_over(self.first(), point)),
                units::seconds(point.network),
                format!("{:.0} %", 100.0 * point.network / point.seconds.max(f64::MIN_POSITIVE)),
                if point.sent < 0.5 { "-".to_owned() } else { units::bytes(point.sent as u64) },
            ]
        };
        let rows: Vec<_> = self.scaling.points.iter().map(row).collect();
        let lines = [
            ("network", self.network_text(prediction)),
            ("between", self.between_text()),
            ("nodes", self.limit_text()),
        ];
        format!("{}\n{}", table(&heads.map(|head| (head, Align::Right)), &rows), facts(&lines))
    }

    /// Returns the plan for programs.
    pub(crate) fn json(&self, prediction: &Prediction) -> Value {
        let at = |point: &Point| {
            json!({
                "nodes": point.nodes,
                "seconds": point.seconds,
                "speedup": self.speed_over(self.first(), point),
                "network_seconds": point.network,
                "sent": point.sent,
            })
        };
        let against = self
            .scaling
            .against
            .as_ref()
            .map(|(beyond, against, part)| json!({ "nodes": beyond.nodes, "what": against.name(), "part": part }));
        json!({
            "count": self.nodes.count,
            "network": { "rate": self.nodes.network.rate, "latency": self.nodes.network.latency },
            "between": { "way": self.nodes.transport.name(), "why": self.why_host },
            "seconds": prediction.network(),
            "sent": prediction.sent(),
            "exchanges": prediction.exchanges(),
            "scaling": self.scaling.points.iter().map(at).collect::<Vec<_>>(),
            "pays": self.scaling.pays,
            "against": against,
            "limit": self.limit_text(),
        })
    }
}
