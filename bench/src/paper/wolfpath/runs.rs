//! Graphs of the WolfPath figures, and runs of the engine on them.

use super::super::Bench;
use super::super::machine::Setup;
use super::super::subject::{Making, Subject, short_name};
use super::super::trials::Times;
use super::lists::{Lists, reached};
use gts_graph::algorithm::{self, Arguments, Values};
use gts_graph::cli::program::Failure;
use gts_graph::cli::program::interrupt;
use gts_graph::core::graph::VertexOrder;
use gts_graph::device::StepsBy;
use gts_graph::device::cuda::CudaDevice;
use gts_graph::prelude::Graph;
use std::num::NonZeroUsize;

/// Distance of a vertex that is not reached.
pub(super) const UNREACHED: u32 = u32::MAX;

/// Default scales on GPUs and on the CPU. The CPU runs the hand-written rounds in one thread.
const CUDA_SCALE: u32 = 20;
const CPU_SCALE: u32 = 16;

/// The paper's algorithms, each with the name of its result values.
const ALGORITHMS: [(&str, &str); 2] = [("bfs", "level"), ("sssp", "distance")];

/// A search from one vertex of a graph.
pub(super) struct Search {
    /// Short name of the graph.
    pub(super) graph: String,
    /// Name of the algorithm.
    pub(super) algorithm: &'static str,
    /// Name of the algorithm's result values.
    values: &'static str,
    /// The graph's adjacency lists. For BFS, all edge lengths are 1.
    pub(super) lists: Lists,
    /// Vertex from which the search starts.
    pub(super) root: u32,
    /// Original ID of `root`.
    original: u64,
    /// Level of each vertex in a breadth-first search from `root`.
    pub(super) levels: Vec<u32>,
    /// Correct result values.
    distances: Vec<u32>,
}

/// Results of an algorithm's runs.
pub(super) struct Ran {
    pub(super) times: Times,
    /// Number of steps per run.
    pub(super) steps: usize,
    /// Number of vertices with wrong values.
    pub(super) wrong: usize,
    /// Page bytes that a run copied to the device or read in place.
    pub(super) copied: u64,
}

/// Returns the specifications of the graphs given by the user, or of generated graphs of the requested scale.
pub(super) fn graphs(bench: &Bench) -> Vec<String> {
    if !bench.graphs.is_empty() {
        return bench.graphs.clone();
    }
    let scale = bench.asked_scale.unwrap_or(if bench.machine.has_gpus() { CUDA_SCALE } else { CPU_SCALE });
    // The grid is as deep as a road network, the RMAT graph as shallow as a social network.
    let grid = format!("grid:{}x{}", 1u64 << (scale / 2), 1u64 << scale.div_ceil(2));
    vec![grid, format!("uniform:{scale},edge-factor=4"), format!("rmat:{scale}")]
}

/// Builds a weighted graph in a vertex order.
pub(super) fn subject(bench: &Bench, graph: &str, order: VertexOrder) -> Result<Subject, Failure> {
    Subject::of(graph, Making { order, weighted: true, ..bench.making })
}

/// Returns the searches on a graph in original order.
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
    /// Returns the vertex order by levels from the start vertex.
    pub(super) fn layers(&self) -> VertexOrder {
        VertexOrder::Layers { root: self.original }
    }

    /// Returns the number of vertices and the start vertex.
    pub(super) fn start(&self) -> (usize, u32) {
        (self.lists.vertices(), self.root)
    }

    /// Returns the number of reachable vertices.
    pub(super) fn reached(&self) -> usize {
        reached(&self.distances)
    }

    /// Returns the number of layers, including that of the start vertex.
    pub(super) fn depth(&self) -> usize {
        1 + self.levels.iter().copied().filter(|&level| level != UNREACHED).max().unwrap_or(0) as usize
    }

    /// Returns the number of vertices with wrong values.
    pub(super) fn wrong(&self, distances: &[u32]) -> usize {
        self.distances.iter().zip(distances).filter(|(right, found)| right != found).count()
    }

    /// Runs the search on the engine `bench.trials` times, after a warm-up run that checks the values.
    pub(super) fn run(&self, bench: &Bench, setup: &Setup, steps_by: StepsBy, graph: &Graph) -> Result<Ran, Failure> {
        let Some(algorithm) = algorithm::find(self.algorithm) else {
            let what = format!("there is no algorithm `{}`", self.algorithm);
            return Err(Failure::other(what, "use a `gts` with the algorithms that GTS ships"));
        };
        let arguments = Arguments::of(algorithm).with("source", &self.original.to_string())?;
        let engine = bench.machine.builder(setup).steps_by(steps_by).build()?;
        let run = || interrupt::while_running(&engine, || algorithm.run(&engine, graph, &arguments));
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

/// Returns the device for hand-written rounds, or `None` on the CPU.
pub(super) fn device(bench: &Bench) -> Result<Option<CudaDevice>, Failure> {
    Ok(bench.machine.numbers(NonZeroUsize::MIN).next().map(CudaDevice::new).transpose()?)
}
