//! Compares plans with the reports of sessions: the parts of the attributes, and the values that travel with the pages
//! of each kernel, at budgets from too little to plenty; and, in [`ranks`], the merges and exchanges of ranks of a
//! group.

pub mod ranks;

use crate::data::DataError;
use gts_core::cost::holding::{DeviceLoad, GraphLoad};
use gts_core::cost::{
    AlgorithmShape, KernelShape, MemoryPlan, ProcessorConstants, RunConfiguration, Shortfall, memory_plan,
};
use gts_core::graph::{Graph, GraphShape};
use gts_runtime::algorithm::{Algorithm, Arguments, Outline, find};
use gts_runtime::prelude::*;
use std::collections::BTreeMap;
use std::fmt;

/// Number of budgets in a comparison.
pub const BUDGETS: u64 = 12;
/// Host memory that is enough for everything.
const PLENTY: u64 = 1 << 40;

/// An algorithm on a graph.
#[derive(Debug)]
pub struct Question<'a> {
    graph: &'a Graph,
    algorithm: &'static Algorithm,
    outline: Outline,
}

impl<'a> Question<'a> {
    /// Creates a question with a registered algorithm and its default arguments.
    ///
    /// # Errors
    ///
    /// There is no such algorithm, or it has no outline.
    pub fn new(graph: &'a Graph, algorithm: &str) -> Result<Self, DataError> {
        let algorithm = find(algorithm).ok_or("no such algorithm")?;
        let outline = algorithm.outline.ok_or("it has no outline")?;
        let outline = outline(&Arguments::of(algorithm), &graph.into())?;
        Ok(Self { graph, algorithm, outline })
    }

    fn shape(&self) -> AlgorithmShape {
        self.outline.shape(self.algorithm, &GraphShape::of(self.graph))
    }

    /// Returns the load of a device in such a run.
    pub fn load(&self) -> DeviceLoad {
        let (width, shape) = (GraphShape::of(self.graph).vertex_bytes(), self.shape());
        DeviceLoad { graph: GraphLoad::of(self.graph, width), attributes: shape.attributes, ra: shape.ra }
    }

    /// Returns budgets from one in which nothing fits, not even a part of WA, to one in which everything does.
    pub fn budgets(&self) -> Vec<u64> {
        let load = self.load();
        let wa: u64 = load.fixed(1).iter().map(|need| need.bytes).sum();
        let least = load.least_beside_part(false);
        let most = 2 * (wa + 3 * 4 * self.graph.num_vertices() + least);
        // Most budgets are near the point between fitting and not fitting.
        let last = BUDGETS - 1;
        (0..=last).map(|step| least + (most - least) * step * step / (last * last)).collect()
    }

    /// Returns the plan for a GPU with this much memory.
    ///
    /// # Errors
    ///
    /// The plan refuses the run.
    pub fn plan(&self, budget: u64) -> Result<MemoryPlan, Shortfall> {
        let processor = ProcessorConstants { memory: PLENTY, ..ProcessorConstants::default_cuda() };
        let configuration = RunConfiguration { device_memory: Some(budget), ..RunConfiguration::default() };
        memory_plan(&GraphShape::of(self.graph), &self.shape(), &processor, PLENTY, &configuration)
    }

    /// Returns a plan in the terms of a session's report.
    fn planned(&self, plan: &MemoryPlan) -> Setup {
        let symmetric = self.graph.properties().symmetric;
        let travelling = |kernel: &KernelShape| {
            let name = kernel.name.rsplit("::").next().unwrap_or_default().to_owned();
            (name, plan.placement.travelling_of(&kernel.reads, symmetric).bytes)
        };
        Setup { parts: plan.parts, travelling: self.shape().kernels().map(travelling).collect() }
    }

    /// Returns the setup that sessions report for a run on a GPU with this much memory, and its peak memory in bytes;
    /// `None` if the run is refused.
    ///
    /// # Errors
    ///
    /// There is no GPU, or the run fails for another reason.
    pub fn run(&self, device: DeviceChoice, budget: u64) -> Result<Option<(Setup, u64)>> {
        let engine = Engine::builder().device(device).device_memory(budget).build()?;
        match (self.algorithm.run)(&engine, self.graph, &Arguments::of(self.algorithm)) {
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

/// Setup of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    /// Number of parts of its attributes.
    pub parts: u64,
    /// For each kernel, the bytes of a vertex's values that travel with the pages of its passes.
    pub travelling: BTreeMap<String, u64>,
}

impl fmt::Display for Setup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} parts", self.parts)?;
        let mut each = self.travelling.iter().filter(|(_, bytes)| **bytes > 0);
        each.try_for_each(|(kernel, bytes)| write!(f, ", {bytes} bytes a vertex travel to {kernel}"))
    }
}

/// Runs algorithms at all budgets, reports each, and returns whether plans and runs agree: plans must refuse exactly
/// the budgets that runs refuse, at least one per algorithm.
///
/// # Errors
///
/// There is no GPU, or a run fails for another reason than memory.
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
