//! Times of an algorithm on one graph, one per strategy.

use super::super::Bench;
use super::super::machine::{Machine, Setup};
use super::super::subject::{Making, Subject};
use super::super::trials::{Trials, Warm, Workload, median, workloads};
use super::models::MODELS;
use crate::counter::Counter;
use gts_graph::cli::program::Constants;
use gts_graph::cli::program::Failure;
use gts_graph::contract::Technique;
use gts_graph::core::graph::VertexOrder;
use gts_graph::device::Propagation;
use gts_graph::prelude::Graph;
use std::cell::RefCell;
use std::time::{Duration, Instant};

/// Time in seconds below which the first trial is followed by further trials.
const SHORT: f64 = 0.2;
/// Minimum time, in seconds, at which the warm-up run of a search counts as the only trial.
const LONG: f64 = 1.0;
/// Number of times that the default and the best strategy are measured again, alternately, if runs are short. The
/// minimum of many noisy times is biased low, so the best strategy must be measured again.
const TURNS: usize = 3;
/// A run is aborted if it takes longer than both this time, in seconds, and `LIMIT` times the default strategy's time.
const LEAST_LIMIT: f64 = 1.0;
const LIMIT: f64 = 10.0;
/// Default number of iterations per run of an iterative algorithm.
const USUAL_ITERATIONS: f64 = 20.0;

/// Vertex orders with their names.
pub(super) const ORDERS: [(VertexOrder, &str); 2] =
    [(VertexOrder::Original, "original"), (VertexOrder::Degree, "by degree")];

/// Directions of propagation, in the order of tables and charts.
pub(super) const WAYS: [Propagation; 3] = [Propagation::Push, Propagation::Pull, Propagation::PullAtEdge];

/// A strategy of iterating over neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Strategy {
    /// Direction of propagation.
    pub(super) propagation: Propagation,
    /// Technique for assigning edges to threads, or `None` on the CPU, which has no techniques.
    pub(super) technique: Option<Technique>,
}

impl Strategy {
    /// Returns all strategies for an algorithm on this processor. Traversals do not support pulling at the edge. Edge
    /// lists support only push.
    fn all(machine: &Machine, workload: &Workload) -> Vec<Self> {
        let techniques = match machine.has_gpus() {
            true => Technique::ALL.map(Some).to_vec(),
            false => vec![None],
        };
        let of = |propagation| techniques.iter().map(move |&technique| Self { propagation, technique });
        let is_own = |strategy: &Self| match strategy.propagation {
            Propagation::Push => true,
            Propagation::PullAtEdge if !workload.iterates() => false,
            _ => strategy.walks_pages(),
        };
        WAYS.into_iter().flat_map(of).filter(is_own).collect()
    }

    /// Returns whether the strategy walks pages instead of an edge list.
    fn walks_pages(&self) -> bool {
        self.technique.is_none_or(Technique::walks_pages)
    }

    /// Returns the technique's name, without the direction of propagation.
    pub(super) fn technique_name(&self) -> &'static str {
        self.technique.map_or("cpu", Technique::name)
    }

    /// Returns the strategy's name in tables.
    pub(super) fn name(&self) -> String {
        format!("{}, {}", self.propagation.name(), self.technique_name())
    }
}

/// Measurement of one strategy on a graph.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    pub(super) strategy: Strategy,
    /// Seconds per iteration or run; `None` if the device rejected the strategy or the run was aborted.
    pub(super) seconds: Option<f64>,
    /// Seconds for building the strategy's edge lists, or 0 if it walks pages. The device builds the lists before the
    /// measured runs. The whole time counts towards a run. If iterations are timed, an equal share counts towards each
    /// iteration of a default run.
    pub(super) making: f64,
    /// Cost predicted by each model; `None` if the model does not cover the strategy.
    pub(super) models: Vec<Option<f64>>,
}

/// Measurements of all strategies for an algorithm on a graph.
#[derive(Clone, Debug)]
pub(super) struct Cells {
    /// Specification from which the graph was built.
    pub(super) graph: String,
    /// Name of the vertex order.
    pub(super) order: &'static str,
    pub(super) algorithm: &'static str,
    /// Unit of work that is timed: an iteration or a run.
    pub(super) unit: &'static str,
    /// Description of the graph, in one line.
    pub(super) note: String,
    pub(super) cells: Vec<Cell>,
    /// Seconds with GTS's default strategy.
    pub(super) chosen: f64,
    /// The strategy with the shortest total time, and this time, which includes the building of edge lists. If runs are
    /// short, the time is measured again, alternately with the default strategy. `None` if no strategy ran.
    pub(super) best_with_making: Option<(Strategy, f64)>,
}

/// Returns the strategy with the shortest total time, and this time, which includes the building of edge lists.
pub(super) fn best_with_making(cells: &[Cell]) -> Option<(Strategy, f64)> {
    let with_making = cells.iter().filter_map(|cell| Some((cell.strategy, cell.seconds? + cell.making)));
    with_making.min_by(|(_, one), (_, other)| one.total_cmp(other))
}

impl Cells {
    /// Returns the times of all strategies that ran.
    pub(super) fn seconds(&self) -> impl Iterator<Item = f64> + Clone {
        self.cells.iter().filter_map(|cell| cell.seconds)
    }

    /// Returns the shortest time, excluding the building of edge lists.
    pub(super) fn best(&self) -> f64 {
        self.seconds().fold(f64::INFINITY, f64::min)
    }

    /// Returns the shortest time for building edge lists, if a strategy walked any.
    pub(super) fn making(&self) -> Option<f64> {
        self.cells.iter().map(|cell| cell.making).filter(|&seconds| seconds > 0.0).reduce(f64::min)
    }

    /// Returns the longest time, excluding the building of edge lists.
    pub(super) fn worst(&self) -> f64 {
        self.seconds().fold(0.0, f64::max)
    }

    /// Returns the time of a strategy, if it ran.
    pub(super) fn of(&self, strategy: Strategy) -> Option<f64> {
        self.cells.iter().find(|cell| cell.strategy == strategy)?.seconds
    }
}

/// Measurements retained for other figures.
#[derive(Debug, Default)]
pub(in super::super) struct Kept(RefCell<Vec<Cells>>);

/// Measures PageRank on graphs in both vertex orders. Returns the measurements, and notes on the graphs and the
/// settings.
pub(super) fn of_pagerank(
    bench: &Bench,
    name: &'static str,
    graphs: &[String],
) -> Result<(Vec<Cells>, Vec<String>), Failure> {
    let workload = workloads(["pagerank"])?[0];
    let mut counter = Counter::new(name, graphs.len() * ORDERS.len());
    let mut found = Vec::new();
    'graphs: for graph in graphs {
        let before = found.len();
        let end = bench.end.filter(|_| before > 0);
        for order in ORDERS {
            counter.next_of(format_args!("{graph}, {}", order.1));
            let is_same = |cells: &&Cells| cells.graph == *graph && cells.order == order.1;
            let kept = bench.cells.0.borrow().iter().find(is_same).cloned();
            let cells = match kept {
                Some(cells) => cells,
                None => {
                    counter.hide();
                    let subject = Subject::of(graph, making(bench, order.0))?;
                    let Some(cells) = measure(bench, &subject, order.1, &workload, end)? else {
                        // Figures compare the two orders, so drop a graph that was measured in only one.
                        found.truncate(before);
                        break 'graphs;
                    };
                    bench.machine.forget(&subject.graph);
                    bench.cells.0.borrow_mut().push(cells.clone());
                    cells
                }
            };
            found.push(cells);
        }
    }
    let mut notes: Vec<String> = found.iter().map(|cells| cells.note.clone()).collect();
    notes.extend(counter.note(found.len()));
    notes.push(format!("device {}, median of {} trials", bench.machine.name, bench.trials));
    Ok((found, notes))
}

/// Returns options for graphs whose edges can be walked in both directions.
pub(super) fn making(bench: &Bench, order: VertexOrder) -> Making {
    Making { order, in_edges: true, ..bench.making }
}

/// Measures an algorithm on a graph with all strategies. Returns `None` if the time limit `end` expires before the last
/// measurement completes.
pub(super) fn measure(
    bench: &Bench,
    subject: &Subject,
    order: &'static str,
    workload: &Workload,
    end: Option<Instant>,
) -> Result<Option<Cells>, Failure> {
    let left = || end.map(|end| end.saturating_duration_since(Instant::now()));
    let is_over = || left().is_some_and(|left| left.is_zero());
    // Building the graph may have exceeded the time limit.
    if is_over() {
        return Ok(None);
    }
    let ready = |setup: Setup| Ready::new(bench, subject, workload, &setup);
    let processor = Constants::of(bench.machine.choice(), 1)?.processor;
    let own = ready(Setup::default())?;
    // All trials are iterations of a single run.
    let iterations = if workload.iterates() { bench.trials + 1 } else { 1 };
    let longest = Duration::from_secs_f64((LIMIT * iterations as f64 * own.first).max(LEAST_LIMIT));
    let mut cells = Vec::new();
    let of_strategy = |Strategy { propagation, technique }| {
        let time_limit = Some(left().map_or(longest, |left| left.min(longest)));
        ready(Setup { propagation, technique, time_limit, ..Setup::default() })
    };
    for strategy in Strategy::all(&bench.machine, workload) {
        // A kernel may support only one direction, a technique may exceed the device's memory, and a run may take too
        // long.
        let measured = of_strategy(strategy).and_then(|ready| Ok((ready.seconds()?, ready.making)));
        let (seconds, making) = unless_left_out(measured)?.unzip();
        let making = making.unwrap_or(0.0);
        if is_over() {
            return Ok(None);
        }
        let models = MODELS.iter().map(|(_, model)| model(&processor, subject, workload, &strategy)).collect();
        cells.push(Cell { strategy, seconds, making, models });
    }
    // Measure the default strategy last, on a device as warm as it was for the other strategies.
    let found = best_with_making(&cells);
    let in_turns = |best: Strategy| -> Result<[f64; 2], Failure> {
        let again = of_strategy(best)?;
        let mut times = [const { Vec::new() }; 2];
        for _ in 0..TURNS {
            times[0].push(own.seconds()?);
            times[1].push(again.seconds()? + again.making);
        }
        Ok(times.map(|mut times| median(&mut times)))
    };
    let turns = match found.filter(|_| own.is_short()) {
        Some((best, _)) => unless_left_out(in_turns(best))?.map(|times| (best, times)),
        None => None,
    };
    let (chosen, best_with_making) = match turns {
        Some((best, [chosen, with_making])) => (chosen, Some((best, with_making))),
        None => (own.again()?, found),
    };
    if is_over() {
        return Ok(None);
    }
    Ok(Some(Cells {
        graph: subject.text.clone(),
        order,
        algorithm: workload.name(),
        unit: workload.unit(),
        note: subject.describe(),
        cells,
        chosen,
        best_with_making,
    }))
}

/// A strategy whose one-time work is complete.
struct Ready<'a> {
    trials: Trials,
    graph: &'a Graph,
    /// Seconds for building the strategy's edge lists: the whole time if runs are timed, or an equal share per
    /// iteration of a default run if iterations are timed.
    making: f64,
    /// Seconds of the first measured iteration or run.
    first: f64,
    count: usize,
}

impl<'a> Ready<'a> {
    fn new(bench: &Bench, subject: &'a Subject, workload: &Workload, setup: &Setup) -> Result<Self, Failure> {
        let (graph, count) = (&subject.graph, bench.trials);
        let trials = Trials::new(*workload, bench.machine.on_shared_device(setup)?)?;
        let Warm { making, seconds } = trials.warm(graph)?;
        // A long warm-up run counts as a measurement, because its one-time work is negligible.
        let is_known = !workload.iterates() && making == 0.0 && seconds >= LONG;
        let first = if is_known { seconds } else { trials.measure(graph, 1)?.times.median };
        let runs = if workload.iterates() { USUAL_ITERATIONS } else { 1.0 };
        Ok(Self { trials, graph, making: making / runs, first, count })
    }

    /// Returns whether a single trial is too short to be reliable.
    fn is_short(&self) -> bool {
        self.first < SHORT
    }

    /// Returns the seconds per iteration or run. A long first trial is not repeated.
    fn seconds(&self) -> Result<f64, Failure> {
        match self.is_short() && self.count > 1 {
            true => Ok(self.trials.measure(self.graph, self.count)?.times.median),
            false => Ok(self.first),
        }
    }

    /// Measures one more trial, in seconds.
    fn again(&self) -> Result<f64, Failure> {
        Ok(self.trials.measure(self.graph, 1)?.times.median)
    }
}

/// Returns the measurement, or `None` if the device rejected the options or the run exceeded its time limit.
fn unless_left_out<T>(measured: Result<T, Failure>) -> Result<Option<T>, Failure> {
    use gts_graph::Error;
    match measured {
        Err(Failure::Run(
            Error::Argument { .. }
            | Error::Needs { .. }
            | Error::OutOfMemory { .. }
            | Error::NoMemory(_)
            | Error::TimeLimit { .. },
        )) => Ok(None),
        measured => measured.map(Some),
    }
}
