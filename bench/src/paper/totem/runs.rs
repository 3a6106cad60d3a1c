//! Data for the measured TOTEM figures: runs on the CPU and GPUs together, and the models' predictions for these runs.

use super::super::Bench;
use super::super::figure::Line;
use super::super::machine::{Machine, Setup};
use super::super::subject::{Making, Subject};
use super::super::trials::{self, PAGERANK_AND_BFS, Trials, Workload, workloads};
use super::cut::Cut;
use super::placement::parts;
use crate::counter::Counter;
use gts_graph::cli::program::Constants;
use gts_graph::cli::program::Failure;
use gts_graph::cli::program::sharing;
use gts_graph::core::cost::hybrid::totem::{EDGE_BYTES, Offloading, Partition, communication_rate};
use gts_graph::core::cost::hybrid::{MeasuredSides, Model};
use gts_graph::core::cost::{CachePolicy, RunConfiguration, Strategy};
use gts_graph::core::graph::GraphShape;
use gts_graph::device::CacheChoice;
use gts_graph::device::hybrid::threads_beside;
use gts_graph::prelude::{DeviceChoice, Hybrid, Placement, Propagation};
use gts_graph::tuning;
use std::cell::RefCell;
use std::num::NonZeroUsize;

/// The CPU's share, in percent, at which the paper states its speedups.
pub(super) const HALF: u32 = 50;

/// Seconds per run or iteration. The total is the median of the trials; each part is a mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Seconds {
    /// The whole run or iteration.
    pub(super) total: f64,
    /// Edge passes on the CPU.
    pub(super) cpu: f64,
    /// Edge passes on the GPUs.
    pub(super) gpu: f64,
    /// Merging of the replicas.
    pub(super) messages: f64,
}

/// Predictions of the models.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Predicted {
    /// Speedup over the CPU alone, by TOTEM's equation 4.
    pub(super) totem: f64,
    /// Seconds of the CPU's computation, by TOTEM's equation 1.
    pub(super) computation: f64,
    /// Seconds of communication, by TOTEM's equation 1.
    pub(super) communication: f64,
    /// Total seconds, by GTS's model.
    pub(super) ours: f64,
}

impl Predicted {
    /// Computes TOTEM's predictions from the CPU's share of the edges, `alpha`, and the share of boundary edges,
    /// `beta`. `cpu_rate` is the rate of the CPU alone in edges per second, and `ours` the total predicted by GTS's
    /// model.
    fn new(edges: f64, [alpha, beta]: [f64; 2], cpu_rate: f64, bus_rate: f64, ours: f64) -> Self {
        let communication_rate = communication_rate(bus_rate, EDGE_BYTES);
        let cpu = Partition { edges: alpha * edges, boundary_edges: beta * edges, processing_rate: cpu_rate };
        Self {
            totem: Offloading { alpha, beta, cpu_rate, communication_rate }.speedup(),
            computation: cpu.computation_seconds(),
            communication: cpu.communication_seconds(communication_rate),
            ours,
        }
    }
}

/// Measurement of an algorithm that the CPU and GPUs run together, at one CPU share.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Point {
    pub(super) algorithm: &'static str,
    /// Name of the graph's generator.
    pub(super) kind: &'static str,
    /// Number of vertices in the graph.
    pub(super) vertices: u64,
    pub(super) gpus: NonZeroUsize,
    /// Requested CPU share of the edges, in percent.
    pub(super) asked: u32,
    /// Actual CPU share of the edges, as a fraction.
    pub(super) alpha: f64,
    /// Aggregated boundary edges as a fraction of all edges.
    pub(super) beta: f64,
    pub(super) measured: Seconds,
    /// Bytes merged per replica.
    pub(super) merged: u64,
    /// Seconds on the CPU alone, and on the GPUs alone.
    pub(super) sides: MeasuredSides,
    pub(super) predicted: Predicted,
}

impl Point {
    /// Returns the speedup over the CPU alone.
    pub(super) fn over_cpu(&self) -> f64 {
        self.sides.cpu / self.measured.total
    }

    /// Returns the speedup over the GPUs alone.
    pub(super) fn over_gpu(&self) -> f64 {
        self.sides.gpu / self.measured.total
    }

    /// Returns the speedup over the CPU alone, as predicted by GTS's model.
    pub(super) fn ours(&self) -> f64 {
        self.sides.cpu / self.predicted.ours
    }

    /// Returns the relative deviation of the measured speedup from that of equation 4, in percent.
    pub(super) fn off_totem(&self) -> f64 {
        100.0 * (self.over_cpu() / self.predicted.totem - 1.0)
    }

    /// Returns the relative deviation of the time predicted by GTS's model from the measured time, in percent.
    pub(super) fn off_ours(&self) -> f64 {
        100.0 * (self.predicted.ours / self.measured.total - 1.0)
    }
}

/// Groups the points by algorithm and generator, in order of first appearance. Each group has a title.
pub(super) fn groups(points: &[Point]) -> Vec<(String, Vec<&Point>)> {
    let kinds = points.iter().any(|point| point.kind != points[0].kind);
    let title = |point: &Point| match kinds {
        true => format!("{}, {}", point.algorithm, point.kind),
        false => point.algorithm.to_owned(),
    };
    let mut groups: Vec<(String, Vec<&Point>)> = Vec::new();
    for point in points {
        let title = title(point);
        match groups.iter_mut().find(|(known, _)| *known == title) {
            Some((_, points)) => points.push(point),
            None => groups.push((title, vec![point])),
        }
    }
    groups
}

/// Returns a chart line through the points, in order.
pub(super) fn line(
    name: &str,
    colour: usize,
    predicted: bool,
    points: &[&Point],
    value: impl Fn(&Point) -> f64,
) -> Line {
    let points = points.iter().enumerate().map(|(place, point)| (place, value(point))).collect();
    Line { name: name.to_owned(), colour, predicted, points }
}

/// Calls `text` for each group, and joins the results.
pub(super) fn told(points: &[Point], text: impl Fn(&str, &[&Point]) -> Option<String>) -> String {
    let each = groups(points).into_iter().filter_map(|(title, points)| text(&title, &points));
    each.collect::<Vec<_>>().join("; ")
}

/// Runs of PageRank and BFS on one graph, each at several CPU shares.
#[derive(Clone, Debug)]
struct Series {
    kind: &'static str,
    parameters: String,
    gpus: NonZeroUsize,
    shares: &'static [u32],
    /// Points of all runs, grouped by algorithm.
    points: Vec<Point>,
    /// Description of the graph, in one line.
    note: String,
}

/// Measured series retained for other figures.
#[derive(Debug, Default)]
pub(in super::super) struct Kept(RefCell<Vec<Series>>);

/// Measures runs at CPU shares of `shares` percent on one graph per generator, until the time limit expires. Returns
/// the points, and a note per graph.
pub(super) fn series(
    bench: &Bench,
    graphs: impl IntoIterator<Item = (&'static str, String)>,
    gpus: NonZeroUsize,
    shares: &'static [u32],
) -> Result<(Vec<Point>, Vec<String>), Failure> {
    let (mut points, mut notes) = (Vec::new(), Vec::new());
    for (kind, parameters) in graphs {
        if !points.is_empty() && bench.is_over() {
            notes.push("the time limit came before the other graphs".to_owned());
            break;
        }
        let found = of_graph(bench, kind, &parameters, gpus, shares)?;
        points.extend(found.points);
        notes.push(found.note);
    }
    Ok((points, notes))
}

/// Measures runs at CPU shares of `shares` percent on one generator's graph, or returns an earlier measurement.
fn of_graph(
    bench: &Bench,
    kind: &'static str,
    parameters: &str,
    gpus: NonZeroUsize,
    shares: &'static [u32],
) -> Result<Series, Failure> {
    let same_graph = |kept: &Series| kept.kind == kind && kept.parameters == parameters;
    let same = |kept: &&Series| same_graph(kept) && kept.gpus == gpus && kept.shares == shares;
    if let Some(found) = bench.kept.0.borrow().iter().find(same) {
        return Ok(found.clone());
    }
    // On a symmetric graph, both the CPU and the GPUs can pull.
    let subject = Subject::generated(&format!("{kind}:{parameters}"), Making { symmetrise: true, ..bench.making })?;
    let cut =
        |&share: &u32| Ok((share, Cut::of(&subject.graph, &parts(&subject.graph, Placement::Random, share)?, 2)?));
    let cuts = shares.iter().map(cut).collect::<Result<Vec<_>, Failure>>()?;
    let mut counter = Counter::new("shared runs", PAGERANK_AND_BFS.len());
    let mut points = Vec::new();
    for workload in workloads(PAGERANK_AND_BFS)? {
        if !points.is_empty() && bench.is_over() {
            break;
        }
        counter.next();
        points.extend(sweep(bench, (kind, &subject), &workload, gpus, &cuts)?);
    }
    let (parameters, mut note) = (parameters.to_owned(), subject.describe());
    let (measured, all) = (points.len(), PAGERANK_AND_BFS.len() * shares.len());
    if measured < all {
        note.push_str(&format!("; the time limit ended it after {measured} of {all} runs"));
    }
    let series = Series { kind, parameters, gpus, shares, points, note };
    bench.kept.0.borrow_mut().push(series.clone());
    Ok(series)
}

/// Returns the constants with which the models predict runs on `gpus` GPUs of this machine.
fn constants(bench: &Bench, gpus: NonZeroUsize) -> Result<Constants, Failure> {
    Ok(Constants::of(bench.machine.choice(), u32::try_from(gpus.get()).unwrap_or(u32::MAX))?)
}

/// Describes the settings of series on `gpus` GPUs, in one line.
pub(super) fn setting(bench: &Bench, gpus: NonZeroUsize) -> Result<String, Failure> {
    let count = match gpus.get() {
        1 => "one GPU that keeps no pages".to_owned(),
        count => format!("{count} GPUs that keep no pages"),
    };
    let Bench { machine, trials, .. } = bench;
    let rates = constants(bench, gpus)?;
    let rates = rates.origin();
    Ok(format!(
        "{}: {count}, median of {trials} trials, the CPU's pages placed at random; our model takes \
         figures {rates}, and the speed of each side alone on the graph: that of the CPU from runs before and after each share, \
         with the {} threads that it has beside GPUs, by pushes where it pushes there",
        machine.name,
        threads_beside(gpus.get())
    ))
}

/// Measures a workload at CPU shares of `shares` percent. The GPUs stream all pages and cache none.
fn sweep(
    bench: &Bench,
    (kind, subject): (&'static str, &Subject),
    workload: &Workload,
    gpus: NonZeroUsize,
    cuts: &[(u32, Cut)],
) -> Result<Vec<Point>, Failure> {
    let (graph, machine) = (&subject.graph, &bench.machine);
    let memory = subject.streaming_budget(workload, gpus, tuning::CUDA_STREAMS)?;
    let setup = Setup {
        devices: gpus,
        strategy: Some(Strategy::Pages),
        cache: CacheChoice::Off,
        device_memory: Some(memory),
        ..Setup::default()
    };
    let cpu = Machine::of(DeviceChoice::Cpu, None)?;
    let alone = |machine: &Machine, setup: &Setup| -> Result<f64, Failure> {
        Ok(workload.measure(machine, setup, graph, bench.trials)?.times.median)
    };
    let cpu_alone = alone(&cpu, &Setup::default())?;
    let gpu_alone = alone(machine, &setup)?;
    let constants = constants(bench, gpus)?;
    let model = model(subject, workload, &constants, gpus, memory)?;
    let propagation = if model.cpu_pushes() { Propagation::Push } else { Propagation::Auto };
    let threads = Some(threads_beside(gpus.get()));
    let beside = Trials::new(*workload, cpu.builder(&Setup { threads, propagation, ..Setup::default() }))?;
    beside.warm(graph)?;
    let cpu_beside = || -> Result<f64, Failure> { Ok(beside.measure(graph, bench.trials)?.times.median) };
    let bus = constants.processor.link.as_ref().map_or(f64::INFINITY, |link| link.chunk_rate());
    let mut before = cpu_beside()?;
    let mut points = Vec::new();
    for (asked, cut) in cuts {
        // Measure at least one share per algorithm.
        if !points.is_empty() && bench.is_over() {
            break;
        }
        let hybrid = Hybrid { alpha: Some(f64::from(*asked) / 100.0), placement: Placement::Random };
        let found = workload.measure(machine, &Setup { hybrid: Some(hybrid), ..setup }, graph, bench.trials)?;
        // The speed of shared cores drifts within minutes, so measure the CPU before and after each share.
        let after = cpu_beside()?;
        let sides = MeasuredSides { gpu: gpu_alone, cpu: cpu_alone, cpu_beside: (before + after) / 2.0 };
        before = after;
        let edges = graph.num_edges().max(1) as f64;
        let alpha = hybrid.edges(graph, gpus)?.1 as f64 / edges;
        let beta = cut.aggregated_beta();
        let ours = model.calibrated(&sides).seconds(alpha).total;
        points.push(Point {
            algorithm: workload.name(),
            kind,
            vertices: graph.num_vertices(),
            gpus,
            asked: *asked,
            alpha,
            beta,
            measured: seconds(&found),
            merged: found.merged,
            sides,
            predicted: Predicted::new(edges, [alpha, beta], edges / cpu_alone, bus, ours),
        });
    }
    Ok(points)
}

fn seconds(found: &trials::Measured) -> Seconds {
    let [gpu, cpu] = found.kinds_seconds.unwrap_or_default();
    Seconds { total: found.times.median, cpu, gpu, messages: found.merge_seconds }
}

/// Returns GTS's model of a streamed workload.
fn model(
    subject: &Subject,
    workload: &Workload,
    gpu: &Constants,
    gpus: NonZeroUsize,
    memory: u64,
) -> Result<Model, Failure> {
    let shape = GraphShape::of(&subject.graph);
    let configuration = RunConfiguration {
        devices: u32::try_from(gpus.get()).unwrap_or(u32::MAX),
        strategy: Some(Strategy::Pages),
        cache: CachePolicy::Off,
        device_memory: Some(memory),
        pull_share: Some(tuning::CUDA_PULL_SHARE),
        ..RunConfiguration::default()
    };
    Ok(sharing::model(&shape, &workload.shape(&shape)?, gpu, &gpu.cpu()?, &configuration, None)?)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Returns a point at a CPU share. The CPU alone takes one second and the GPUs alone half a second. All
    /// measurements equal the predictions.
    pub(in super::super) fn point(algorithm: &'static str, vertices: u64, asked: u32) -> Point {
        let alpha = f64::from(asked) / 100.0;
        let total = alpha + 0.01;
        let predicted = Predicted::new(1e9, [alpha, 0.1], 1e9, 4e10, total);
        Point {
            algorithm,
            kind: "rmat",
            vertices,
            gpus: NonZeroUsize::MIN,
            asked,
            alpha,
            beta: 0.1,
            measured: Seconds {
                total,
                cpu: predicted.computation,
                gpu: 0.5 * (1.0 - alpha),
                messages: predicted.communication,
            },
            merged: 1 << 20,
            sides: MeasuredSides { gpu: 0.5, cpu: 1.0, cpu_beside: 1.0 },
            predicted,
        }
    }

    #[test]
    fn equations_1_and_4_agree_with_each_other() {
        // The CPU processes half of 10^9 edges at 10^9 edges per second. A tenth of the edges crosses a bus at 10^10
        // messages per second.
        let point = point("pagerank", 1 << 20, HALF);
        assert!((point.predicted.computation - 0.5).abs() < 1e-12);
        assert!((point.predicted.communication - 0.01).abs() < 1e-12);
        assert!((point.over_cpu() - 1.0 / 0.51).abs() < 1e-9 && point.off_totem().abs() < 1e-9);
        assert!((point.over_gpu() - 0.5 / 0.51).abs() < 1e-9);
        let slow = Point { measured: Seconds { total: 1.02, ..point.measured }, ..point };
        assert!((slow.off_totem() + 50.0).abs() < 1e-9 && (slow.off_ours() + 50.0).abs() < 1e-9);
        assert!((slow.ours() - 1.0 / 0.51).abs() < 1e-9);
    }

    #[test]
    fn points_are_told_by_algorithm_and_by_kind_where_there_are_several() {
        let mut points = vec![point("pagerank", 8, 10), point("bfs", 8, 10), point("bfs", 8, 50)];
        let text = |points: &[Point]| told(points, |title, points| Some(format!("{title} {}", points.len())));
        assert_eq!(text(&points), "pagerank 1; bfs 2");
        let found = line("alpha", 2, true, &groups(&points)[1].1, |point| point.alpha);
        assert_eq!((found.points, found.colour, found.predicted), (vec![(0, 0.1), (1, 0.5)], 2, true));
        points[2].kind = "uniform";
        assert_eq!(text(&points), "pagerank, rmat 1; bfs, rmat 1; bfs, uniform 1");
        assert_eq!(text(&[]), "");
    }
}
