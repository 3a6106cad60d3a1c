//! Measures PageRank iterations and whole searches through the engine.

use super::machine::{Machine, Setup};
use gts_graph::algorithm::{self, Algorithm, Arguments};
use gts_graph::cli::program::Failure;
use gts_graph::cli::program::interrupt;
use gts_graph::core::cost::AlgorithmShape;
use gts_graph::core::graph::GraphShape;
use gts_graph::core::phase::{self, Phase};
use gts_graph::prelude::{Engine, Graph};
use gts_graph::{EngineBuilder, RunReport};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Name of the parameter for the number of iterations.
const ITERATIONS: &str = "iterations";

/// An algorithm to measure. It is timed per iteration if the number of iterations is a parameter, otherwise per run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Workload {
    algorithm: &'static Algorithm,
}

/// Algorithms in the figures of the GTS and TOTEM papers.
pub(super) const PAGERANK_AND_BFS: [&str; 2] = ["pagerank", "bfs"];

/// Returns the algorithms with these names.
pub(super) fn workloads<const N: usize>(names: [&str; N]) -> Result<Vec<Workload>, Failure> {
    let find = |name: &str| {
        let found = algorithm::find(name).map(|algorithm| Workload { algorithm });
        found.ok_or_else(|| {
            Failure::other(format!("there is no algorithm `{name}`"), "use a `gts` with the algorithms that GTS ships")
        })
    };
    names.into_iter().map(find).collect()
}

/// Summary of the trials' times, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Times {
    /// The median.
    pub(super) median: f64,
    /// The shortest time.
    pub(super) fastest: f64,
    /// The longest time.
    pub(super) slowest: f64,
}

/// Results of trials. All values except `times` and `hits` are means per trial.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Measured {
    /// Summary of the times.
    pub(super) times: Times,
    /// Number of edges walked.
    pub(super) edges: u64,
    /// Bytes of pages copied to the devices.
    pub(super) copied: u64,
    /// Bytes of pages read in place.
    pub(super) in_place: u64,
    /// Bytes of pages read from storage.
    pub(super) read: u64,
    /// Hit rate of the devices' page caches, or `None` if passes load no pages.
    pub(super) hits: Option<f64>,
    /// Seconds of edge passes on the GPUs and on the CPU, respectively, if the CPU and GPUs share the work.
    pub(super) kinds_seconds: Option<[f64; 2]>,
    /// Seconds spent merging the replicas.
    pub(super) merge_seconds: f64,
    /// Bytes merged per replica.
    pub(super) merged: u64,
}

impl Workload {
    /// Returns the algorithm's name.
    pub(super) fn name(&self) -> &'static str {
        self.algorithm.name
    }

    /// Returns the unit of work that is timed: an iteration or a run.
    pub(super) fn unit(&self) -> &'static str {
        if self.iterates() { "iteration" } else { "run" }
    }

    /// Returns the cost parameters of one trial, an iteration or a run, on a graph of this shape.
    pub(super) fn shape(&self, graph: &GraphShape) -> Result<AlgorithmShape, Failure> {
        let Some(outline) = self.algorithm.outline else {
            return Err(Failure::other(format!("`{}` does not tell what it does", self.name()), "leave it out"));
        };
        Ok(outline(&self.arguments(1)?, &graph.into())?.shape(self.algorithm, graph))
    }

    /// Returns whether the number of iterations is a parameter of the algorithm.
    pub(super) fn iterates(&self) -> bool {
        self.algorithm.parameter(ITERATIONS).is_some()
    }

    fn arguments(&self, iterations: usize) -> Result<Arguments, Failure> {
        let arguments = Arguments::of(self.algorithm);
        Ok(if self.iterates() { arguments.with(ITERATIONS, &iterations.to_string())? } else { arguments })
    }

    /// Measures `trials` trials on a graph after the one-time work: compiling, page-locking and filling caches.
    pub(super) fn measure(
        &self,
        machine: &Machine,
        setup: &Setup,
        graph: &Graph,
        trials: usize,
    ) -> Result<Measured, Failure> {
        let own = Trials::new(*self, machine.builder(setup))?;
        own.warm(graph)?;
        own.measure(graph, trials)
    }

    fn run(&self, engine: &Engine, graph: &Graph, iterations: usize) -> Result<(), Failure> {
        let arguments = self.arguments(iterations)?;
        interrupt::while_running(engine, || self.algorithm.run(engine, graph, &arguments))?;
        Ok(())
    }
}

/// Times of a warm-up run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Warm {
    /// Seconds for building the edge lists that the algorithm walks, in this or an earlier run; 0 if the algorithm
    /// walks pages.
    pub(super) making: f64,
    /// Seconds of the run's passes, excluding compilation, page-locking and the copying of pages.
    pub(super) seconds: f64,
}

/// An algorithm and an engine, ready for trials.
pub(super) struct Trials {
    workload: Workload,
    engine: Engine,
    /// Kernel name and time of each pass.
    passes: Arc<Mutex<Vec<(&'static str, Duration)>>>,
}

impl Trials {
    /// Creates the trials of an algorithm on an engine with these options.
    pub(super) fn new(workload: Workload, builder: EngineBuilder) -> Result<Self, Failure> {
        let passes: Arc<Mutex<Vec<(&'static str, Duration)>>> = Arc::default();
        let seen = Arc::clone(&passes);
        let builder = builder.progress(Arc::new(move |progress| {
            seen.lock().unwrap_or_else(PoisonError::into_inner).push((progress.kernel, progress.time));
        }));
        Ok(Self { workload, engine: builder.build()?, passes })
    }

    /// Runs the algorithm once to complete the one-time work: compiling, page-locking and filling caches.
    pub(super) fn warm(&self, graph: &Graph) -> Result<Warm, Failure> {
        let passes = || phase::so_far().time(Phase::Passes);
        let before = passes();
        self.workload.run(&self.engine, graph, 1)?;
        let making = self.engine.take_report().listing_time().as_secs_f64();
        Ok(Warm { making, seconds: passes().saturating_sub(before).as_secs_f64() })
    }

    /// Measures `trials` trials on a graph that [`Self::warm`] has prepared.
    pub(super) fn measure(&self, graph: &Graph, trials: usize) -> Result<Measured, Failure> {
        let Self { workload, engine, passes } = self;
        if !workload.iterates() {
            let reports = (0..trials).map(|_| {
                workload.run(engine, graph, 1)?;
                Ok(engine.take_report())
            });
            let reports = reports.collect::<Result<Vec<_>, Failure>>()?;
            let mut seconds: Vec<f64> = reports.iter().map(|report| report.time().as_secs_f64()).collect();
            return Ok(Measured::of(&mut seconds, &reports, reports.len()));
        }
        passes.lock().unwrap_or_else(PoisonError::into_inner).clear();
        // The first iteration includes the creation of attributes, so it is not a trial.
        workload.run(engine, graph, trials + 1)?;
        let passes = std::mem::take(&mut *passes.lock().unwrap_or_else(PoisonError::into_inner));
        let mut seconds = iterations(&passes);
        let report = engine.take_report();
        let count = seconds.len();
        seconds.drain(..1.min(count));
        Ok(Measured::of(&mut seconds, &[report], count))
    }
}

impl Measured {
    fn of(seconds: &mut [f64], reports: &[RunReport], trials: usize) -> Self {
        let mean = |value: fn(&RunReport) -> u64| reports.iter().map(value).sum::<u64>() / trials.max(1) as u64;
        let streamed = reports.iter().any(|report| report.link_busy().is_some());
        let sum = |value: fn(&RunReport) -> u64| reports.iter().map(value).sum::<u64>() as f64;
        let seconds_each = |times: Duration| times.as_secs_f64() / trials.max(1) as f64;
        let kinds = reports.iter().filter_map(RunReport::kinds_time).reduce(|[a, b], [c, d]| [a + c, b + d]);
        Self {
            times: Times::of(seconds),
            edges: mean(RunReport::edges),
            copied: mean(RunReport::copied),
            in_place: mean(RunReport::in_place),
            read: mean(RunReport::read),
            kinds_seconds: kinds.map(|kinds| kinds.map(seconds_each)),
            merge_seconds: seconds_each(reports.iter().map(RunReport::merge_time).sum()),
            merged: mean(RunReport::merged),
            hits: streamed.then(|| sum(RunReport::cached_pages) / sum(RunReport::pages).max(1.0)),
        }
    }
}

impl Times {
    /// Sorts the times and summarises them.
    pub(super) fn of(seconds: &mut [f64]) -> Self {
        let median = median(seconds);
        let end = |place: Option<&f64>| place.copied().unwrap_or_default();
        Self { median, fastest: end(seconds.first()), slowest: end(seconds.last()) }
    }
}

/// Sorts the times and returns the median, or zero if there are none. Of two middle times, returns the longer.
pub(super) fn median(seconds: &mut [f64]) -> f64 {
    seconds.sort_by(f64::total_cmp);
    seconds.get(seconds.len() / 2).copied().unwrap_or_default()
}

/// Returns the seconds of each iteration. An iteration begins with each pass of the kernel that ran first.
fn iterations(passes: &[(&'static str, Duration)]) -> Vec<f64> {
    let Some((first, _)) = passes.first() else { return Vec::new() };
    let mut seconds = Vec::new();
    for (kernel, time) in passes {
        if kernel == first {
            seconds.push(0.0);
        }
        if let Some(last) = seconds.last_mut() {
            *last += time.as_secs_f64();
        }
    }
    seconds
}

#[cfg(test)]
mod tests {
    use super::*;
    use gts_graph::core::cost::{Start, Steps};

    #[test]
    fn an_iteration_ends_where_its_first_kernel_runs_again() {
        let pass = |kernel, millis| (kernel, Duration::from_millis(millis));
        let passes = [pass("push", 8), pass("damp", 2), pass("push", 4), pass("damp", 1), pass("push", 3)];
        let millis: Vec<_> = iterations(&passes).into_iter().map(|seconds| (seconds * 1e3).round()).collect();
        assert_eq!(millis, [10.0, 5.0, 3.0]);
        assert!(iterations(&[]).is_empty());
    }

    #[test]
    fn a_trial_is_one_iteration_or_a_run() {
        let shape = GraphShape::of(&Graph::from_edges([(0, 1), (1, 2)]).unwrap());
        let workloads = workloads(PAGERANK_AND_BFS).unwrap();
        let steps: Vec<Steps> = workloads.iter().map(|workload| workload.shape(&shape).unwrap().steps).collect();
        assert_eq!(steps, [Steps::Fixed(1), Steps::WhileActive(Start::One)]);
    }

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(median(&mut [3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&mut [4.0, 1.0]), 4.0);
        assert_eq!(median(&mut []), 0.0);
        assert_eq!(Times::of(&mut [3.0, 1.0, 2.0]), Times { median: 2.0, fastest: 1.0, slowest: 3.0 });
    }
}
