//! Graphs of the WolfPath figures, and runs through the engine on them.

use super::super::Bench;
use super::super::machine::Setup;
use super::super::subject::{Making, Subject, short_name};
use super::super::trials::Times;
use super::lists::{Lists, reached};
use gts_cli::program::Failure;
use gts_cli::program::interrupt;
use gts_runtime::algorithm::{self, Arguments, Values};
use gts_runtime::core::graph::VertexOrder;
use gts_runtime::device::StepsBy;
use gts_runtime::device::cuda::CudaDevice;
use gts_runtime::prelude::Graph;
use std::num::NonZeroUsize;

/// The distance of a vertex that was not reached.
pub(super) const UNREACHED: u32 = u32::MAX;

/// Scales where none is given, on GPUs and on the CPU, where one thread goes over the lists.
const CUDA_SCALE: u32 = 20;
const CPU_SCALE: u32 = 16;

/// The paper's algorithms, with the values that they answer.
const ALGORITHMS: [(&str, &str); 2] = [("bfs", "level"), ("sssp", "distance")];

/// An algorithm on a graph from a vertex.
pub(super) struct Search {
    /// The graph's short name.
    pub(super) graph: String,
    /// The algorithm's name.
    pub(super) algorithm: &'static str,
    /// The name of what it answers.
    values: &'static str,
    /// The graph's lists, whose edges are as long as the algorithm takes them.
    pub(super) lists: Lists,
    /// The vertex that it begins with.
    pub(super) root: u32,
    /// The same by its original ID.
    original: u64,
    /// The levels of a breadth-first search from there.
    pub(super) levels: Vec<u32>,
    /// The right answer.
    distances: Vec<u32>,
}

/// What runs of an algorithm gave.
pub(super) struct Ran {
    pub(super) times: Times,
    /// Steps of a run.
    pub(super) steps: usize,
    /// Vertices whose values are not right.
    pub(super) wrong: usize,
    /// Bytes of pages that a run copied to the device.
    pub(super) copied: u64,
}

/// Returns the texts of the graphs: generated ones of the scale asked for, or those that were given.
pub(super) fn graphs(bench: &Bench) -> Vec<String> {
    if !bench.graphs.is_empty() {
        return bench.graphs.clone();
    }
    let scale = bench.asked_scale.unwrap_or(if bench.machine.has_gpus() { CUDA_SCALE } else { CPU_SCALE });
    // As deep as a road network, and as flat as a social one.
    let grid = format!("grid:{}x{}", 1u64 << (scale / 2), 1u64 << scale.div_ceil(2));
    vec![grid, format!("uniform:{scale},edge-factor=4"), format!("rmat:{scale}")]
}

/// Makes a graph with weights in an order.
pub(super) fn subject(bench: &Bench, graph: &str, order: VertexOrder) -> Result<Subject, Failure> {
    Subject::of(graph, Making { order, weighted: true, ..bench.making })
}

/// Returns the searches over a graph, which is in original order.
pub(super) fn searches(subject: &Subject) -> Result<Vec<Search>, Failure> {
    let of_algorithm = |(algorithm, values)| {
        let mut lists = Lists::of(&subject.graph)?;
        if algorithm == ALGORITHMS[0].0 {
            lists = lists.with_equal_lengths();
        }
        let root = lists.root()?;
        let original = subject.graph.ids().original_of_rank(root.into()).unwrap_or_default();
        let (levels, distances) = (lists.distances(root, |_| 1)?, lists.distances(root, |edge| lists.lengths[edge])?);
        let graph = short_name(&subject.text).to_owned();
        Ok(Search { graph, algorithm, values, lists, root, original, levels, distances })
    };
    ALGORITHMS.into_iter().map(of_algorithm).collect()
}

impl Search {
    /// Returns the order that lays the vertices out by their levels.
    pub(super) fn layers(&self) -> VertexOrder {
        VertexOrder::Layers { root: self.original }
    }

    /// Returns the number of vertices and the first one.
    pub(super) fn start(&self) -> (usize, u32) {
        (self.lists.vertices(), self.root)
    }

    /// Returns the number of vertices that a path reaches.
    pub(super) fn reached(&self) -> usize {
        reached(&self.distances)
    }

    /// Returns the number of layers.
    pub(super) fn depth(&self) -> usize {
        1 + self.levels.iter().copied().filter(|&level| level != UNREACHED).max().unwrap_or(0) as usize
    }

    /// Returns the number of vertices with another distance than the right one.
    pub(super) fn wrong(&self, distances: &[u32]) -> usize {
        self.distances.iter().zip(distances).filter(|(right, found)| right != found).count()
    }

    /// Runs it through the engine, `bench.trials` times after work that is done once.
    pub(super) fn run(&self, bench: &Bench, setup: &Setup, steps_by: StepsBy, graph: &Graph) -> Result<Ran, Failure> {
        let Some(algorithm) = algorithm::find(self.algorithm) else {
            let what = format!("there is no algorithm `{}`", self.algorithm);
            return Err(Failure::other(what, "use a `gts` with the algorithms that GTS ships"));
        };
        let arguments = Arguments::of(algorithm).with("source", &self.original.to_string())?;
        let engine = bench.machine.builder(setup).steps_by(steps_by).build()?;
        let run = || interrupt::while_running(&engine, || (algorithm.run)(&engine, graph, &arguments));
        let answer = run()?;
        let wrong = match answer.values(self.values) {
            Some(Values::U32(found)) => self.wrong(found),
            _ => self.lists.vertices(),
        };
        engine.take_report();
        let (mut seconds, mut ran) = (Vec::new(), Ran { times: Times::default(), steps: 0, wrong, copied: 0 });
        for _ in 0..bench.trials {
            run()?;
            let report = engine.take_report();
            seconds.push(report.time().as_secs_f64());
            ran.steps = report.kernels.iter().map(|kernel| kernel.passes).max().unwrap_or(0) as usize;
            ran.copied = report.copied() + report.in_place();
        }
        ran.times = Times::of(&mut seconds);
        Ok(ran)
    }
}

/// Creates the device of hand-written rounds; none on the CPU.
pub(super) fn device(bench: &Bench) -> Result<Option<CudaDevice>, Failure> {
    Ok(bench.machine.numbers(NonZeroUsize::MIN).next().map(CudaDevice::new).transpose()?)
}
