//! Whether plans and sessions come to the same: what is on a GPU, and the parts of its attributes, at budgets from too
//! little to plenty.

use crate::data::DataError;
use gts_core::contract::KernelDescriptor;
use gts_core::cost::holding::{
    AttributeLoad, ColumnPlacement, ColumnRead, DeviceLoad, GraphLoad, ReadColumn, columns_read, note, note_pulled,
};
use gts_core::cost::{
    AlgorithmShape, GraphShape, MemoryPlan, ProcessorConstants, RunConfiguration, Shortfall, Strategy, memory_plan,
};
use gts_core::graph::{Graph, Side};
use gts_runtime::algorithm::{Algorithm, Arguments, Outline, find};
use gts_runtime::prelude::*;

/// Budgets of a comparison.
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
    /// A registered algorithm with its default arguments.
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
        self.outline.shape(self.algorithm, GraphShape::of(self.graph).vertex_bytes())
    }

    /// What a device would hold of it.
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
        // Most of them lie where it is decided what fits.
        let last = BUDGETS - 1;
        (0..=last).map(|step| least + (most - least) * step * step / (last * last)).collect()
    }

    /// What a plan says of a GPU of so much memory.
    ///
    /// # Errors
    ///
    /// The plan refuses it.
    pub fn plan(&self, budget: u64) -> Result<MemoryPlan, Shortfall> {
        let processor = ProcessorConstants { memory: PLENTY, ..ProcessorConstants::default_cuda() };
        let configuration = RunConfiguration { device_memory: Some(budget), ..RunConfiguration::default() };
        memory_plan(&GraphShape::of(self.graph), &self.shape(), &processor, PLENTY, &configuration)
    }

    /// Parts of a run on a GPU of so much memory, and the most bytes that it took; `None` where it is refused.
    ///
    /// # Errors
    ///
    /// There is no GPU, or the run fails otherwise.
    pub fn run(&self, device: DeviceChoice, budget: u64) -> Result<Option<(u64, u64)>> {
        let engine = Engine::builder().device(device).device_memory(budget).build()?;
        match (self.algorithm.run)(&engine, self.graph, &Arguments::of(self.algorithm)) {
            Ok(_) => {}
            Err(Error::OutOfMemory { .. } | Error::Needs { .. }) => return Ok(None),
            Err(error) => return Err(error),
        }
        let report = engine.take_report();
        let parts = report.kernels.iter().map(|kernel| u64::from(kernel.parts)).max().unwrap_or(0).max(1);
        let peak = engine.memory_taken().iter().map(|taken| taken.peak).max().unwrap_or(0);
        Ok(Some((parts, peak)))
    }
}

/// What a session that runs these kernels comes to on a device of so many bytes: where its columns lie, or the parts of
/// Strategy-S. `None` where neither fits.
pub fn of_session(graph: &Graph, kernels: &[&'static KernelDescriptor], budget: u64) -> Option<(u64, ColumnPlacement)> {
    let width = GraphShape::of(graph).vertex_bytes();
    let schema = kernels.first()?.schema;
    let load = DeviceLoad {
        graph: GraphLoad::of(graph, width),
        attributes: AttributeLoad::of(schema, width),
        ra: ReadColumn::of(schema, width),
    };
    if load.check(budget).is_err() {
        return Some((load.parts(1, budget, false)?, ColumnPlacement::default()));
    }
    let mut reads: Vec<ColumnRead> = Vec::new();
    for kernel in kernels {
        columns_read(kernel, &[Side::Out]).into_iter().for_each(|read| note(&mut reads, read));
        if kernel.leaves_lists_early() && graph.topology(Side::In).is_some() {
            note_pulled(&mut reads, &[Side::Out]);
        }
    }
    Some((1, load.place(budget, &reads).ok()?))
}

/// Runs algorithms at all budgets, tells of each, and answers whether plans and runs agree: plans refuse the budgets that
/// runs refuse, at least one for each algorithm, and no others.
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
            let same = planned.as_ref().map(|plan| plan.parts) == run.map(|(parts, _)| parts);
            let within = run.is_none_or(|(_, peak)| peak <= budget);
            agree &= same && within;
            refused += u32::from(planned.is_none() && run.is_none());
            let text = |parts: Option<u64>| parts.map_or("refused".to_owned(), |parts| format!("{parts} parts"));
            let away = planned.as_ref().map_or(0, |plan| plan.placement.travelling().bytes);
            let strategy = planned.as_ref().map_or("", |plan: &MemoryPlan| Strategy::name(plan.strategy));
            progress(&format!(
                "{name}, {budget} bytes: planned {} {strategy}, {away} bytes a vertex travel; run {}, at most {} bytes{}",
                text(planned.as_ref().map(|plan| plan.parts)),
                text(run.map(|(parts, _)| parts)),
                run.map_or(0, |(_, peak)| peak),
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
