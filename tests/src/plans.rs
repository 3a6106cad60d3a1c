//! Compares plans with the reports of sessions, for budgets from insufficient to ample: the number of parts of the
//! attributes, and the values that travel with each kernel's pages. [`ranks`] compares the merges and exchanges of a
//! group of ranks.

pub mod ranks;

use crate::data::DataError;
use gts_core::cost::holding::{DeviceLoad, GraphLoad};
use gts_core::cost::{
    AlgorithmShape, KernelShape, MemoryPlan, ProcessorConstants, RunConfiguration, Shortfall, memory_plan,
};
use gts_core::graph::{Graph, GraphShape};
use gts_graph::algorithm::{Algorithm, Arguments, Outline, find};
use gts_graph::prelude::*;
use std::collections::BTreeMap;
use std::fmt;

/// Number of budgets compared.
pub const BUDGETS: u64 = 12;
/// Host memory that is sufficient for any run.
const PLENTY: u64 = 1 << 40;

/// A run to be planned: an algorithm with default arguments on a graph.
#[derive(Debug)]
pub struct Question<'a> {
    graph: &'a Graph,
    algorithm: &'static Algorithm,
    outline: Outline,
}

impl<'a> Question<'a> {
    /// Creates a question for a registered algorithm.
    ///
    /// # Errors
    ///
    /// The algorithm does not exist, or it has no outline.
    pub fn new(graph: &'a Graph, algorithm: &str) -> Result<Self, DataError> {
        let algorithm = find(algorithm).ok_or("no such algorithm")?;
        let outline = algorithm.outline.ok_or("it has no outline")?;
        let outline = outline(&Arguments::of(algorithm), &graph.into())?;
        Ok(Self { graph, algorithm, outline })
    }

    fn shape(&self) -> AlgorithmShape {
        self.outline.shape(self.algorithm, &GraphShape::of(self.graph))
    }

    /// Returns the load of a device in this run.
    pub fn load(&self) -> DeviceLoad {
        let (width, shape) = (GraphShape::of(self.graph).vertex_bytes(), self.shape());
        DeviceLoad { graph: GraphLoad::of(self.graph, width), attributes: shape.attributes, ra: shape.ra }
    }

    /// Returns budgets from one in which not even a part of WA fits, to one in which everything fits.
    pub fn budgets(&self) -> Vec<u64> {
        let load = self.load();
        let wa: u64 = load.fixed(1).iter().map(|need| need.bytes).sum();
        let least = load.least_beside_part(false);
        let most = 2 * (wa + 3 * 4 * self.graph.num_vertices() + least);
        // Choose more budgets near the point at which attributes begin to fit.
        let last = BUDGETS - 1;
        (0..=last).map(|step| least + (most - least) * step * step / (last * last)).collect()
    }

    /// Returns the plan for a GPU with `budget` bytes of memory.
    ///
    /// # Errors
    ///
    /// The plan rejects the run.
    pub fn plan(&self, budget: u64) -> Result<MemoryPlan, Shortfall> {
        let processor = ProcessorConstants { memory: PLENTY, ..ProcessorConstants::default_cuda() };
        let configuration = RunConfiguration { device_memory: Some(budget), ..RunConfiguration::default() };
        memory_plan(&GraphShape::of(self.graph), &self.shape(), &processor, PLENTY, &configuration)
    }

    /// Converts a plan to the form of a session's report.
    fn planned(&self, plan: &MemoryPlan) -> Setup {
        let symmetric = self.graph.properties().symmetric;
        let travelling = |kernel: &KernelShape| {
            let name = kernel.name.rsplit("::").next().unwrap_or_default().to_owned();
            (name, plan.placement.travelling_of(&kernel.reads, symmetric).bytes)
        };
        Setup { parts: plan.parts, travelling: self.shape().kernels().map(travelling).collect() }
    }

    /// Runs the algorithm on a GPU with `budget` bytes of memory. Returns the setup reported by the session and the
    /// peak memory in bytes, or `None` if the run is rejected.
    ///
    /// # Errors
    ///
    /// There is no GPU, or the run fails for another reason.
    pub fn run(&self, device: DeviceChoice, budget: u64) -> Result<Option<(Setup, u64)>> {
        let engine = Engine::builder().device(device).device_memory(budget).build()?;
        match self.algorithm.run(&engine, self.graph, &Arguments::of(self.algorithm)) {
            Ok(_) => {}
            Err(Error::OutOfMemory { .. } | Error::Needs { .. }) => return Ok(None),
            Err(error) => return Err(error),
        }
        let report = engine.take_report();
        let parts = report.kernels.iter().map(|kernel| u64::from(kernel.parts)).max().unwrap_or(0).max(1);
        let travelling = report.kernels.iter().map(|kernel| (kernel.kernel.to_owned(), kernel.travelling)).collect();
        let peak = engine.memory_taken().iter().map(|taken| taken.peak).max().unwrap_or(0);
        Ok(Some((Setup { parts, travelling }, peak)))
    }
}

/// The parts of a run's attributes, and the values that travel with pages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    /// Number of parts of the attributes.
    pub parts: u64,
    /// Bytes per vertex that travel with the pages, by kernel.
    pub travelling: BTreeMap<String, u64>,
}

impl fmt::Display for Setup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} parts", self.parts)?;
        let mut each = self.travelling.iter().filter(|(_, bytes)| **bytes > 0);
        each.try_for_each(|(kernel, bytes)| write!(f, ", {bytes} bytes a vertex travel to {kernel}"))
    }
}

/// Runs algorithms with all budgets and reports each run to `progress`. Returns whether plans and runs agree: they must
/// reject the same budgets, and at least one per algorithm.
///
/// # Errors
///
/// There is no GPU, or a run fails for a reason other than memory.
pub fn compare(
    device: DeviceChoice,
    graph: &Graph,
    algorithms: &[&str],
    mut progress: impl FnMut(&str),
) -> Result<bool, DataError> {
    let mut agree = true;
    for name in algorithms {
        let question = Question::new(graph, name)?;
        let mut refused = 0;
        for budget in question.budgets() {
            let planned = match question.plan(budget) {
                Ok(plan) => Some(plan),
                Err(Shortfall::DeviceMemory { .. }) => None,
                Err(error) => return Err(error.into()),
            };
            let run = question.run(device, budget)?;
            let peak = run.as_ref().map_or(0, |(_, peak)| *peak);
            let (planned, run) = (planned.map(|plan| question.planned(&plan)), run.map(|(setup, _)| setup));
            let same = planned == run;
            let within = peak <= budget;
            agree &= same && within;
            refused += u32::from(planned.is_none() && run.is_none());
            let text = |setup: Option<Setup>| setup.map_or("refused".to_owned(), |setup| setup.to_string());
            progress(&format!(
                "{name}, {budget} bytes: planned {}; run {}, at most {peak} bytes{}",
                text(planned),
                text(run),
                if same && within { "" } else { ": DIFFERS" },
            ));
        }
        if refused == 0 {
            progress(&format!("{name}: no budget is refused"));
            agree = false;
        }
    }
    Ok(agree)
}
