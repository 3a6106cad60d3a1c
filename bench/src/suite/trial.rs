//! Runs the trials of one algorithm.

use super::Settings;
use super::rules::{Rule, Start};
use crate::counter::Counter;
use gts_graph::algorithm::{Algorithm, Arguments, Verdict};
use gts_graph::cli::program::Failure;
use gts_graph::cli::program::interrupt;
use gts_graph::prelude::{Engine, Graph, Vertex};
use std::time::Instant;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Rules and settings for measuring one algorithm.
pub(super) struct Plan<'a> {
    pub(super) rule: &'a Rule,
    pub(super) settings: Settings,
    pub(super) trials: usize,
    /// Whether answers are compared with those of serial versions.
    pub(super) check: bool,
}

/// Outcome of measuring an algorithm.
pub(super) enum Outcome {
    Measured(Measured),
    /// The algorithm failed. The field is the error message.
    Refused(String),
}

/// Results of an algorithm's trials.
#[derive(Debug)]
pub(super) struct Measured {
    /// Seconds per trial, in ascending order.
    pub(super) seconds: Vec<f64>,
    /// Seconds spent in passes per trial, in ascending order.
    pub(super) passes: Vec<f64>,
    /// Number of answers that were compared with a serial version's answer. `differs` describes the first difference.
    pub(super) checked: usize,
    pub(super) differs: Option<String>,
}

impl Measured {
    /// Returns the median time of the trials. Of two middle times, returns the longer.
    pub(super) fn median(&self) -> f64 {
        self.seconds.get(self.seconds.len() / 2).copied().unwrap_or_default()
    }

    /// Returns the median time spent in passes. Of two middle times, returns the longer.
    pub(super) fn median_passes(&self) -> f64 {
        self.passes.get(self.passes.len() / 2).copied().unwrap_or_default()
    }

    /// Returns the mean time of the trials.
    pub(super) fn mean(&self) -> f64 {
        self.seconds.iter().sum::<f64>() / self.seconds.len().max(1) as f64
    }
}

/// Runs the algorithm's trials after a warm-up run that does not count.
pub(super) fn measure(
    engine: &Engine,
    graph: &Graph,
    algorithm: &'static Algorithm,
    plan: &Plan<'_>,
) -> Result<Measured, Failure> {
    let run = |trial: usize| -> Result<_, Failure> {
        let arguments = arguments(graph, algorithm, plan, trial)?;
        let begun = Instant::now();
        let answer = interrupt::while_running(engine, || algorithm.run(engine, graph, &arguments))?;
        let seconds = begun.elapsed().as_secs_f64();
        Ok((seconds, engine.take_report().time().as_secs_f64(), arguments, answer))
    };
    run(0)?;
    let mut counter = Counter::new(plan.rule.name, plan.trials);
    let mut measured = Measured { seconds: Vec::new(), passes: Vec::new(), checked: 0, differs: None };
    let mut same = None;
    for trial in 0..plan.trials {
        counter.next();
        let (seconds, passes, arguments, answer) = run(trial)?;
        measured.seconds.push(seconds);
        measured.passes.push(passes);
        // A trial with the same parameters as the last checked trial has the same answer.
        let text = arguments.iter().map(|(name, value)| format!("{name} {value} ")).collect::<String>();
        if let (true, Some(check)) = (plan.check && same.as_ref() != Some(&text), algorithm.check) {
            measured.checked += 1;
            if let Verdict::Differs(difference) = check(graph, &arguments, &answer)? {
                measured.differs.get_or_insert(difference);
            }
            same = Some(text);
        }
    }
    measured.seconds.sort_by(f64::total_cmp);
    measured.passes.sort_by(f64::total_cmp);
    Ok(measured)
}

/// Returns the algorithm's parameters for a trial, including the source of its search.
pub(super) fn arguments(
    graph: &Graph,
    algorithm: &'static Algorithm,
    plan: &Plan<'_>,
    trial: usize,
) -> Result<Arguments, Failure> {
    let mut arguments = Arguments::of(algorithm);
    for (name, text) in plan.rule.arguments {
        arguments.set(name, text)?;
    }
    let settings = plan.settings;
    if let Some(iterations) = settings.iterations
        && algorithm.parameter("iterations").is_some()
    {
        arguments.set("iterations", &iterations.to_string())?;
    }
    match plan.rule.start {
        Start::Nowhere => {}
        Start::Fixed => {
            if let Some(source) = settings.source {
                arguments.set("source", &source.to_string())?;
            }
        }
        Start::Drawn => {
            if graph.num_edges() == 0 {
                return Err(gts_graph::Error::argument("sources", "the graph has no vertex with out-edges").into());
            }
            arguments.set("source", &graph.original(drawn(graph, settings.seed, trial as u64)).to_string())?;
        }
        Start::Samples(count) => {
            arguments.set("samples", &count.to_string())?;
            arguments.set("sample-seed", &settings.seed.wrapping_add(trial as u64).to_string())?;
        }
    }
    arguments.complete()?;
    Ok(arguments)
}

/// Returns the source of a search: the first drawn vertex with out-edges. The result does not depend on the vertex
/// order. The graph must have an edge.
fn drawn(graph: &Graph, seed: u64, trial: u64) -> Vertex {
    let order = graph.ids().permutation();
    let mut draw = 0u64;
    loop {
        let bytes = [trial.to_le_bytes(), draw.to_le_bytes()].concat();
        let rank = xxh3_64_with_seed(&bytes, seed) % graph.num_vertices();
        let vertex = Vertex::from_dense(order.map_or(rank, |order| u64::from(order[rank as usize])));
        if graph.out_degree(vertex) > 0 {
            return vertex;
        }
        draw += 1;
    }
}
