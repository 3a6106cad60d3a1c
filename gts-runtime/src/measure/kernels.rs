//! What kernels cost an edge, and what a step costs beside them.

use crate::algorithm::{Algorithm, Arguments, GraphFacts, Needs};
use crate::engine::Engine;
use crate::error::{Error, Result};
use gts_core::build::{self, BuildOptions};
use gts_core::contract::{KernelDescriptor, KernelKind};
use gts_core::cost::{KernelRate, KernelShape, kernel_name, kind_name};
use gts_core::generate;
use gts_core::graph::Graph;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::{Duration, Instant};

/// Runs of each algorithm on each graph, of which the fastest counts.
const RUNS: usize = 3;
/// What runs longer is not run again.
const LONG: Duration = Duration::from_secs(2);

/// Runs algorithms with their own defaults on RMAT graphs of these scales, and answers what their kernels cost an edge
/// or a vertex: each kernel on each graph, and `scan`, `traverse` and `vertex` for any other, the slowest of their kind.
/// Algorithms that have no outline, parameters that must be given, or a search for each vertex, are left out, and those
/// whose kernels are all measured by algorithms before them; those that intersect lists, which is more work an edge the
/// larger the graph is, run on the first graph alone.
///
/// # Errors
///
/// A graph cannot be made, or a run fails.
pub fn kernel_rates(engine: &Engine, algorithms: &[&'static Algorithm], scales: &[u32]) -> Result<Vec<KernelRate>> {
    let mut rates = Rates::new();
    for (place, scale) in scales.iter().enumerate() {
        let mut measured = HashSet::new();
        // Graphs of this size are made once for all that ask for the same, and one at a time.
        let mut wishes: BTreeMap<(String, bool, bool), Vec<&'static Algorithm>> = BTreeMap::new();
        for algorithm in algorithms {
            let Needs { symmetric, in_edges, .. } = algorithm.needs;
            wishes.entry((rmat(*scale, algorithm), symmetric, in_edges)).or_default().push(*algorithm);
        }
        for ((text, _, _), algorithms) in wishes {
            let mut graph = None;
            for algorithm in algorithms {
                let intersects = algorithm.kernels.iter().any(|kernel| kernel.kind == KernelKind::Intersect);
                let is_new = algorithm.kernels.iter().any(|kernel| !measured.contains(&kernel_name(kernel)));
                if is_new && (place == 0 || !intersects) {
                    let found = rates_of(engine, algorithm, *scale, || match &graph {
                        Some(graph) => Ok(Graph::clone(graph)),
                        None => Ok(graph.insert(made(&text, algorithm)?).clone()),
                    })?;
                    measured.extend(found.iter().map(|found| found.rate.kernel.clone()));
                    found.into_iter().for_each(|found| keep(&mut rates, found));
                }
            }
            graph.iter().for_each(|graph| engine.forget(graph));
        }
    }
    let mut slowest: HashMap<(&str, u64), f64> = HashMap::new();
    for Measured { kind, rate, .. } in rates.values() {
        let seconds = slowest.entry((kind_name(*kind), rate.working_set)).or_insert(0.0);
        *seconds = seconds.max(rate.seconds);
    }
    let others = slowest.into_iter().map(|((kind, working_set), seconds)| KernelRate {
        kernel: kind.to_owned(),
        working_set,
        seconds,
    });
    let mut rates: Vec<_> = others.chain(rates.values().map(|found| found.rate.clone())).collect();
    rates.sort_by(|a, b| (&a.kernel, a.working_set).cmp(&(&b.kernel, b.working_set)));
    Ok(rates)
}

/// What was measured, by kernel and the bytes of attributes that it touched.
type Rates = BTreeMap<(String, u64), Measured>;

/// The speed of a kernel in runs of an algorithm.
struct Measured {
    kind: KernelKind,
    rate: KernelRate,
    /// Edges or vertices of a run.
    items: f64,
}

/// Keeps what was measured. Where several algorithms have run a kernel on graphs of a size, that counts which gave it the
/// most to do: a search that ends after a step says little of those that go on.
fn keep(rates: &mut Rates, found: Measured) {
    let place = (found.rate.kernel.clone(), found.rate.working_set);
    if rates.get(&place).is_none_or(|before| found.items > before.items) {
        rates.insert(place, found);
    }
}

/// The rates of an algorithm's kernels on a graph, which is asked for where it runs.
fn rates_of(
    engine: &Engine,
    algorithm: &'static Algorithm,
    scale: u32,
    graph: impl FnOnce() -> Result<Graph>,
) -> Result<Vec<Measured>> {
    let arguments = Arguments::of(algorithm);
    let weights = algorithm.needs.weights.first().copied();
    let (Some(outline), true) = (algorithm.outline, arguments.complete().is_ok()) else { return Ok(Vec::new()) };
    let Needs { symmetric, in_edges, .. } = algorithm.needs;
    let facts = GraphFacts { vertices: 1 << scale, symmetric, in_edges: symmetric || in_edges, weights };
    let outline = outline(&arguments, &facts)?;
    if outline.searches > 1 {
        return Ok(Vec::new());
    }
    let graph = graph()?;
    let kernels: Vec<&'static KernelDescriptor> = outline.once.iter().chain(&outline.each_step).copied().collect();
    let mut best: HashMap<&str, (f64, f64)> = HashMap::new();
    engine.take_report();
    for _ in 0..RUNS {
        let begun = Instant::now();
        (algorithm.run)(engine, &graph, &arguments)?;
        for entry in engine.take_report().kernels {
            let Some(kernel) = kernels.iter().find(|kernel| kernel.name == entry.kernel) else { continue };
            let items = match kernel.kind {
                KernelKind::Vertex => graph.num_vertices() as f64 * entry.passes as f64,
                KernelKind::Scan | KernelKind::Traverse | KernelKind::Intersect => entry.edges as f64,
            };
            // What a device tells of its kernels leaves out what a step costs beside them. Where it tells nothing, the
            // fastest pass of a kernel that visits all is its work; the first one may have done more.
            let time = match (entry.kernel_time, kernel.kind) {
                (Some(time), _) => time,
                (None, KernelKind::Traverse) => entry.time,
                (None, _) => entry.fastest * u32::try_from(entry.passes).unwrap_or(u32::MAX),
            };
            let seconds = time.as_secs_f64() / items.max(1.0);
            let best = best.entry(kernel.name).or_insert((f64::INFINITY, items));
            if seconds < best.0 {
                *best = (seconds, items);
            }
        }
        if begun.elapsed() > LONG {
            break;
        }
    }
    let vertex_bytes = crate::device::vertex_bytes(&graph);
    let rate = |kernel: &&'static KernelDescriptor| {
        let (seconds, items) = *best.get(kernel.name)?;
        let working_set = KernelShape::of(kernel, vertex_bytes).touched * graph.num_vertices();
        let rate = KernelRate { kernel: kernel_name(kernel), working_set, seconds };
        Some(Measured { kind: kernel.kind, rate, items })
    };
    Ok(kernels.iter().filter_map(rate).collect())
}

/// What a step costs beside its work: the time of a step of a traversal that goes from vertex to vertex, one each.
///
/// # Errors
///
/// The run fails.
pub fn step_seconds(engine: &Engine, algorithm: &'static Algorithm) -> Result<f64> {
    let graph = made("chain:1000", algorithm)?;
    let mut best = f64::INFINITY;
    engine.take_report();
    for _ in 0..RUNS {
        (algorithm.run)(engine, &graph, &Arguments::of(algorithm))?;
        let report = engine.take_report();
        let passes: u64 = report.kernels.iter().map(|kernel| kernel.passes).sum();
        best = best.min(report.time().as_secs_f64() / passes.max(1) as f64);
    }
    Ok(best)
}

fn rmat(scale: u32, algorithm: &Algorithm) -> String {
    match algorithm.needs.weights.first() {
        Some(ty) => format!("rmat:{scale},weights={ty}"),
        None => format!("rmat:{scale}"),
    }
}

fn made(text: &str, algorithm: &Algorithm) -> Result<Graph> {
    let options = BuildOptions {
        in_edges: algorithm.needs.in_edges,
        symmetrise: algorithm.needs.symmetric,
        ..BuildOptions::default()
    };
    let cannot = |error: String| Error::argument(format!("a graph `{text}` to measure with"), error);
    let mut generator = generate::parse(text).map_err(|error| cannot(error.to_string()))?;
    let (graph, _) = build::build(&mut generator, &options).map_err(|error| cannot(error.to_string()))?;
    Ok(graph)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithm::{Answer, Outline};

    fn nothing(_: &Engine, _: &Graph, _: &Arguments) -> Result<Answer> {
        Ok(Answer::new())
    }

    #[test]
    fn algorithms_that_say_nothing_are_left_out() -> Result<()> {
        static SILENT: Algorithm = Algorithm::new("silent", "Says nothing", nothing);
        assert_eq!(kernel_rates(&Engine::cpu()?, &[&SILENT], &[4])?, []);
        Ok(())
    }

    #[test]
    fn an_algorithm_whose_kernels_are_known_does_not_run() -> Result<()> {
        fn fail(_: &Engine, _: &Graph, _: &Arguments) -> Result<Answer> {
            Err(Error::argument("a run", "it must not begin"))
        }
        static FAILING: Algorithm =
            Algorithm::new("failing", "Fails", fail).outline(|_, _| Ok(Outline::repeat(1, []))).kernels(&[]);
        assert_eq!(kernel_rates(&Engine::cpu()?, &[&FAILING], &[4])?, []);
        Ok(())
    }

    #[test]
    fn the_run_that_walked_the_most_says_what_a_kernel_costs() {
        let run = |kernel: &str, items, seconds| {
            let rate = KernelRate { kernel: kernel.to_owned(), working_set: 64, seconds };
            Measured { kind: KernelKind::Traverse, rate, items }
        };
        for order in [[0, 1, 2], [2, 0, 1], [1, 2, 0]] {
            let runs = [("expand", 10.0, 9e-9), ("expand", 1000.0, 1e-9), ("other", 5.0, 3e-9)];
            let mut rates = Rates::new();
            order.iter().for_each(|&at| keep(&mut rates, run(runs[at].0, runs[at].1, runs[at].2)));
            let seconds: Vec<f64> = rates.values().map(|found| found.rate.seconds).collect();
            assert_eq!(seconds, [1e-9, 3e-9]);
        }
    }

    #[test]
    fn kernels_that_did_not_run_have_no_rate() -> Result<()> {
        static IDLE: Algorithm =
            Algorithm::new("idle", "Does nothing", nothing).outline(|_, _| Ok(Outline::repeat(1, [])));
        assert_eq!(kernel_rates(&Engine::cpu()?, &[&IDLE], &[4])?, []);
        Ok(())
    }
}
