//! Evaluates equations 1 and 2 of the GTS paper, with their terms, for a graph, an algorithm and a machine.

use crate::cost::algorithm::{AlgorithmShape, Steps};
use crate::cost::levels::{levels, stretched};
use crate::cost::machine::ProcessorConstants;
use crate::cost::memory::{MemoryPlan, RunConfiguration};
use crate::cost::paper::{BfsLike, PageRankLike, PaperLevel};
use crate::graph::GraphShape;
use gts_contract::KernelKind;

/// An equation of the paper with its terms and result.
#[derive(Clone, Debug, PartialEq)]
pub struct Equation {
    /// The equation's number in the paper.
    pub number: u32,
    /// The period that the result covers: a step or a run.
    pub of: &'static str,
    /// The equation's terms, with the paper's names.
    pub terms: Vec<(&'static str, f64)>,
    /// The result of the equation.
    pub seconds: f64,
}

/// Evaluates the equation that applies to an algorithm: equation 2 if the steps follow active vertices, otherwise
/// equation 1. Returns `None` if the processor does not stream pages, or if the steps walk no edges.
pub fn equation(
    graph: &GraphShape,
    algorithm: &AlgorithmShape,
    processor: &ProcessorConstants,
    configuration: &RunConfiguration,
    memory: &MemoryPlan,
) -> Option<Equation> {
    let link = processor.link.as_ref()?;
    let devices = f64::from(configuration.devices.max(1));
    let walk = algorithm.each_step.iter().find(|kernel| kernel.kind != KernelKind::Vertex)?;
    let topology = graph.topology(*walk.sides.first()?)?;
    let (small_pages, large_pages) = (topology.small_pages as f64, topology.large_pages as f64);
    let page = f64::from(topology.page_size);
    let wa = (algorithm.attributes.wa * graph.vertices) as f64;
    let ra = (algorithm.ra_bytes() * graph.vertices) as f64;
    let (chunk_rate, stream_rate) = (link.chunk_rate(), link.rate(configuration.group));
    let call = processor.launch;
    if let Steps::WhileActive(start) = algorithm.steps {
        let predicted = levels(graph, start, walk.once);
        let predicted = match configuration.levels {
            Some(count) => stretched(&predicted, count, graph.vertices as f64),
            None => predicted,
        };
        let visited = predicted.iter().map(|level| {
            let share = level.share * level.repeats;
            PaperLevel {
                ra: ra * share,
                small: small_pages * page * share,
                large: large_pages * page * share,
                small_pages: small_pages * share,
                large_pages: large_pages * share,
            }
        });
        let visited: Vec<PaperLevel> = visited.collect();
        let pages = (small_pages + large_pages).max(1.0);
        let hit_rate = (memory.cache as f64 / (pages * page)).min(1.0);
        let like = BfsLike { wa, levels: &visited, devices, skew: 1.0, hit_rate, chunk_rate, stream_rate, call };
        let bytes: f64 = visited.iter().map(|level| level.ra + level.small + level.large).sum();
        let terms = vec![
            ("|WA|", wa),
            ("levels", predicted.iter().map(|level| level.repeats).sum()),
            ("|RA| + |SP| + |LP| of all levels", bytes),
            ("N", devices),
            ("d_skew", like.skew),
            ("r_hit", hit_rate),
            ("c1", chunk_rate),
            ("c2", stream_rate),
            ("t_call", call),
        ];
        return Some(Equation { number: 2, of: "run", terms, seconds: like.seconds() });
    }
    let working_set = walk.touched * graph.vertices;
    let entry = processor.kernel_seconds(&walk.name, walk.kind, false, working_set);
    let last = |pages: f64| if pages > 0.0 { page / topology.entry_bytes() as f64 * entry } else { 0.0 };
    let like = PageRankLike {
        wa,
        ra,
        small: small_pages * page,
        large: large_pages * page,
        small_pages,
        large_pages,
        devices,
        chunk_rate,
        stream_rate,
        call,
        last_kernels: last(small_pages) + last(large_pages),
        sync: if devices > 1.0 { wa / link.peer_rate.unwrap_or(link.back_rate) } else { 0.0 },
    };
    let terms = vec![
        ("|WA|", wa),
        ("|RA|", ra),
        ("|SP|", like.small),
        ("|LP|", like.large),
        ("S", small_pages),
        ("L", large_pages),
        ("N", devices),
        ("c1", chunk_rate),
        ("c2", stream_rate),
        ("t_call", call),
        ("t_kernel", like.last_kernels),
        ("t_sync", like.sync),
    ];
    Some(Equation { number: 1, of: "step", terms, seconds: like.seconds() })
}
