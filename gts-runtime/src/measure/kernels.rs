//! Measures the cost of kernels per edge or vertex, and the fixed cost of a step.

use crate::algorithm::{Algorithm, Arguments, GraphFacts, Needs};
use crate::engine::Engine;
use crate::report::KernelReport;
use gts_contract::{KernelDescriptor, KernelKind};
use gts_core::build::BuildOptions;
use gts_core::cost::{KernelRate, KernelShape, kernel_name};
use gts_core::graph::Graph;
use gts_core::read::ReadError;
use gts_device::error::{Error, Result};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;
use std::time::{Duration, Instant};

/// Number of runs of each algorithm on each graph. The fastest run counts.
const RUNS: usize = 3;
/// Edges per vertex of the generated graphs. This factor determines the size of the vertex attributes, and thus whether
/// they fit into a cache.
const EDGE_FACTOR: u32 = 8;

/// The graph sizes on which kernels are measured, and a time limit.
#[derive(Clone, Copy, Debug)]
pub struct MeasuredSizes<'a> {
    /// The scales of the RMAT graphs, in ascending order.
    pub scales: &'a [u32],
    /// The time limit per run. An algorithm is skipped on a larger graph if its time on a smaller one predicts a longer
    /// run.
    pub longest: Duration,
}

/// Runs algorithms with default arguments on RMAT graphs. Returns the cost of each kernel per edge or vertex, for each
/// engine and graph. The entries `scan`, `traverse` and `vertex` are the costs of the slowest kernel of each kind; the
/// cost model uses these entries for kernels that were not measured. Scans that can pull are measured both pushing and
/// pulling. Calls `told` with a description of each graph before generating it.
///
/// Skips algorithms without an outline, with required parameters, with several searches, or with only kernels that are
/// already measured. Algorithms that intersect lists run only on graphs of the first scale, because their work per edge
/// grows with the graph.
///
/// # Errors
///
/// A graph cannot be generated, or a run fails.
pub fn kernel_rates(
    engines: &[&Engine],
    algorithms: &[&'static Algorithm],
    sizes: MeasuredSizes<'_>,
    told: impl Fn(&str),
) -> Result<Vec<Vec<KernelRate>>> {
    let mut measured: Vec<_> = engines.iter().map(|engine| Measured::new(engine, sizes.longest)).collect();
    for (place, scale) in sizes.scales.iter().enumerate() {
        measured.iter_mut().for_each(|measured| measured.known.clear());
        // Generate each graph only once, for all algorithms that use it. Only one graph is in memory at any time.
        let mut wishes: BTreeMap<Wish, Vec<&'static Algorithm>> = BTreeMap::new();
        for algorithm in algorithms.iter().filter(|algorithm| place == 0 || !intersects(algorithm)) {
            for wish in Wish::of(algorithm, *scale) {
                wishes.entry(wish).or_default().push(*algorithm);
            }
        }
        for (wish, algorithms) in wishes {
            let mut graph = None;
            for algorithm in algorithms {
                for measured in &mut measured {
                    let may_run = place == 0 || measured.is_short(algorithm, &wish);
                    if !may_run || !measured.wants(algorithm, &wish)? {
                        continue;
                    }
                    let graph = match &graph {
                        Some(graph) => graph,
                        None => {
                            told(&wish.to_string());
                            graph.insert(wish.graph()?)
                        }
                    };
                    measured.run(algorithm, &wish, graph)?;
                }
            }
            for graph in graph.iter() {
                engines.iter().for_each(|engine| engine.forget(graph));
            }
        }
    }
    Ok(measured.into_iter().map(Measured::rates).collect())
}

fn intersects(algorithm: &Algorithm) -> bool {
    algorithm.kernels.iter().any(|kernel| kernel.kind == KernelKind::Intersect)
}

/// A graph on which algorithms are measured.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Wish {
    scale: u32,
    weights: Option<String>,
    symmetric: bool,
    in_edges: bool,
}

impl Wish {
    /// Returns the graph that an algorithm requires. Adds a symmetric graph if the first one does not allow the
    /// algorithm's scans to pull.
    fn of(algorithm: &Algorithm, scale: u32) -> Vec<Self> {
        let Needs { symmetric, in_edges, weights, .. } = algorithm.needs;
        let weights = weights.first().map(ToString::to_string);
        let own = Self { scale, weights, symmetric, in_edges };
        let has_more = !symmetric && algorithm.kernels.iter().any(|kernel| pulls(kernel));
        let to_pull = has_more.then(|| Self { symmetric: true, ..own.clone() });
        [own].into_iter().chain(to_pull).collect()
    }

    fn graph(&self) -> Result<Graph> {
        let options = BuildOptions { in_edges: self.in_edges, symmetrise: self.symmetric, ..BuildOptions::default() };
        let weights = self.weights.iter().map(|ty| format!(",weights={ty}")).collect::<String>();
        made(&format!("rmat:{},edge-factor={EDGE_FACTOR}{weights}", self.scale), &options)
    }

    fn facts(&self, algorithm: &Algorithm) -> GraphFacts {
        GraphFacts {
            vertices: 1 << self.scale,
            symmetric: self.symmetric,
            in_edges: self.symmetric || self.in_edges,
            weights: algorithm.needs.weights.first().copied(),
        }
    }
}

impl fmt::Display for Wish {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rmat:{}", self.scale)?;
        if let Some(weights) = &self.weights {
            write!(f, ", weights of {weights}")?;
        }
        f.write_str(if self.symmetric { ", symmetric" } else { "" })?;
        f.write_str(if self.in_edges { ", with in-edges" } else { "" })
    }
}

/// Returns whether a kernel is a scan with a pulling form.
fn pulls(kernel: &KernelDescriptor) -> bool {
    kernel.kind == KernelKind::Scan && kernel.facts.pulls
}

/// The measured cost of a kernel.
struct Found {
    kind: KernelKind,
    rate: KernelRate,
    /// The number of edges or vertices that the kernel visited in the run.
    items: f64,
}

/// The measurements of one engine.
struct Measured<'a> {
    engine: &'a Engine,
    longest: Duration,
    /// The best measurement per kernel, direction (whether the kernel pulled) and working set in bytes.
    found: BTreeMap<(String, bool, u64), Found>,
    /// The kernels measured at the current scale. The flag is set if the kernel pulled.
    known: HashSet<(String, bool)>,
    /// The scale and time of each algorithm's last run. The flag in the key is set for symmetric graphs.
    took: HashMap<(&'static str, bool), (u32, Duration)>,
}

impl<'a> Measured<'a> {
    fn new(engine: &'a Engine, longest: Duration) -> Self {
        Self { engine, longest, found: BTreeMap::new(), known: HashSet::new(), took: HashMap::new() }
    }

    /// Returns whether a run is predicted to stay within the time limit, based on the run on a smaller graph.
    fn is_short(&self, algorithm: &Algorithm, wish: &Wish) -> bool {
        let took = self.took.get(&(algorithm.name, wish.symmetric));
        took.is_some_and(|(scale, took)| *took * (1 << (wish.scale - scale)) <= self.longest)
    }

    /// Returns whether a run is possible and measures a kernel that has not been measured at this scale.
    fn wants(&self, algorithm: &'static Algorithm, wish: &Wish) -> Result<bool> {
        let is_known = |kernel: &KernelDescriptor| {
            let is_known = |pulled| self.known.contains(&(kernel_name(kernel), pulled));
            // On a symmetric graph, scans that can pull do pull.
            if pulls(kernel) { is_known(wish.symmetric) } else { is_known(false) }
        };
        let arguments = Arguments::of(algorithm);
        let (Some(outline), true) = (algorithm.outline, arguments.complete().is_ok()) else { return Ok(false) };
        let is_new = !algorithm.kernels.iter().all(|kernel| is_known(kernel));
        Ok(is_new && outline(&arguments, &wish.facts(algorithm))?.searches <= 1)
    }

    /// Runs an algorithm and records the cost of its kernels.
    fn run(&mut self, algorithm: &'static Algorithm, wish: &Wish, graph: &Graph) -> Result<()> {
        let arguments = Arguments::of(algorithm);
        let Some(outline) = algorithm.outline else { return Ok(()) };
        let outline = outline(&arguments, &wish.facts(algorithm))?;
        let kernels: Vec<&'static KernelDescriptor> = outline.once.iter().chain(&outline.each_step).copied().collect();
        let begun = Instant::now();
        let mut shortest = Duration::MAX;
        self.engine.take_report();
        for _ in 0..RUNS {
            let run = Instant::now();
            algorithm.run(self.engine, graph, &arguments)?;
            shortest = shortest.min(run.elapsed());
            for entry in self.engine.take_report().kernels {
                if let Some(kernel) = kernels.iter().find(|kernel| kernel.name == entry.kernel) {
                    self.keep(found(kernel, &entry, graph));
                }
            }
            if begun.elapsed() + shortest > self.longest {
                break;
            }
        }
        self.took.insert((algorithm.name, wish.symmetric), (wish.scale, shortest));
        Ok(())
    }

    /// Records a measurement of a kernel. Of several runs, the one with the most work counts, because a search that
    /// ends after one step is not representative. Of runs with equal work, the fastest counts.
    fn keep(&mut self, found: Found) {
        let KernelRate { kernel, pulled, working_set, .. } = &found.rate;
        self.known.insert((kernel.clone(), *pulled));
        let place = (kernel.clone(), *pulled, *working_set);
        let is_better = |before: &Found| {
            found.items > before.items || (found.items == before.items && found.rate.seconds < before.rate.seconds)
        };
        if self.found.get(&place).is_none_or(is_better) {
            self.found.insert(place, found);
        }
    }

    /// Returns the cost of each kernel, and of the slowest kernel of each kind.
    fn rates(self) -> Vec<KernelRate> {
        let mut slowest: HashMap<(&str, bool, u64), f64> = HashMap::new();
        for Found { kind, rate, .. } in self.found.values() {
            let seconds = slowest.entry((kind.name(), rate.pulled, rate.working_set)).or_insert(0.0);
            *seconds = seconds.max(rate.seconds);
        }
        let others = slowest.into_iter().map(|((kind, pulled, working_set), seconds)| KernelRate {
            kernel: kind.to_owned(),
            pulled,
            working_set,
            seconds,
        });
        let mut rates: Vec<_> = others.chain(self.found.values().map(|found| found.rate.clone())).collect();
        rates.sort_by(|a, b| (&a.kernel, a.pulled, a.working_set).cmp(&(&b.kernel, b.pulled, b.working_set)));
        rates
    }
}

/// Returns the cost of a kernel as computed from a report.
fn found(kernel: &KernelDescriptor, entry: &KernelReport, graph: &Graph) -> Found {
    let items = match kernel.kind {
        KernelKind::Vertex => graph.num_vertices() as f64 * entry.passes as f64,
        KernelKind::Scan | KernelKind::Traverse | KernelKind::Intersect => entry.edges as f64,
    };
    // Kernel times from the device exclude the fixed cost of a step. Without these times, use the fastest pass of a
    // kernel that visits all edges or vertices, because the first pass may include other work.
    let time = match (entry.kernel_time, kernel.kind) {
        (Some(time), _) => time,
        (None, KernelKind::Traverse) => entry.time,
        (None, _) => entry.fastest * u32::try_from(entry.passes).unwrap_or(u32::MAX),
    };
    let working_set = KernelShape::of(kernel, graph.shape()).touched * graph.num_vertices();
    let rate = KernelRate {
        kernel: kernel_name(kernel),
        pulled: entry.pulled && kernel.kind == KernelKind::Scan,
        working_set,
        seconds: time.as_secs_f64() / items.max(1.0),
    };
    Found { kind: kernel.kind, rate, items }
}

/// Measures the fixed cost of a step: the time per step of a traversal along a path, which visits one vertex per step.
///
/// # Errors
///
/// The graph cannot be generated, or the run fails.
pub fn step_seconds(engine: &Engine, algorithm: &'static Algorithm) -> Result<f64> {
    let Needs { symmetric, in_edges, .. } = algorithm.needs;
    let graph = made("chain:1000", &BuildOptions { in_edges, symmetrise: symmetric, ..BuildOptions::default() })?;
    let mut best = f64::INFINITY;
    engine.take_report();
    for _ in 0..RUNS {
        algorithm.run(engine, &graph, &Arguments::of(algorithm))?;
        let report = engine.take_report();
        let passes: u64 = report.kernels.iter().map(|kernel| kernel.passes).sum();
        best = best.min(report.time().as_secs_f64() / passes.max(1) as f64);
    }
    Ok(best)
}

fn made(text: &str, options: &BuildOptions) -> Result<Graph> {
    let cannot = |error: ReadError| Error::argument(format!("a graph `{text}` to measure with"), error);
    Graph::reader(text).options(options.clone()).read().map_err(cannot)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithm::{Answer, Outline};

    fn nothing(_: &Engine, _: &Graph, _: &Arguments) -> Result<Answer> {
        Ok(Answer::new())
    }

    fn rates_of(algorithm: &'static Algorithm) -> Result<Vec<KernelRate>> {
        let sizes = MeasuredSizes { scales: &[4], longest: Duration::MAX };
        Ok(kernel_rates(&[&Engine::cpu()?], &[algorithm], sizes, |_| ())?.swap_remove(0))
    }

    #[test]
    fn algorithms_that_say_nothing_are_left_out() -> Result<()> {
        static SILENT: Algorithm = Algorithm::new("silent", "Says nothing", nothing);
        assert_eq!(rates_of(&SILENT)?, []);
        Ok(())
    }

    #[test]
    fn an_algorithm_whose_kernels_are_known_does_not_run() -> Result<()> {
        fn fail(_: &Engine, _: &Graph, _: &Arguments) -> Result<Answer> {
            Err(Error::argument("a run", "it must not begin"))
        }
        static FAILING: Algorithm =
            Algorithm::new("failing", "Fails", fail).outline(|_, _| Ok(Outline::repeat(1, []))).kernels(&[]);
        assert_eq!(rates_of(&FAILING)?, []);
        Ok(())
    }

    #[test]
    fn the_run_that_walked_the_most_says_what_a_kernel_costs() -> Result<()> {
        let run = |kernel: &str, items, seconds| {
            let rate = KernelRate { kernel: kernel.to_owned(), pulled: false, working_set: 64, seconds };
            Found { kind: KernelKind::Traverse, rate, items }
        };
        let runs = [("expand", 10.0, 9e-9), ("expand", 1000.0, 1e-9), ("expand", 1000.0, 2e-9), ("other", 5.0, 3e-9)];
        let engine = Engine::cpu()?;
        for order in [[0, 1, 2, 3], [3, 2, 0, 1], [1, 3, 2, 0]] {
            let mut measured = Measured::new(&engine, Duration::MAX);
            order.iter().for_each(|&at| measured.keep(run(runs[at].0, runs[at].1, runs[at].2)));
            let seconds: Vec<f64> = measured.found.values().map(|found| found.rate.seconds).collect();
            assert_eq!(seconds, [1e-9, 3e-9]);
            let slowest = measured.rates().into_iter().find(|rate| rate.kernel == "traverse");
            assert_eq!(slowest.map(|rate| rate.seconds), Some(3e-9));
        }
        Ok(())
    }

    #[test]
    fn kernels_that_did_not_run_have_no_rate() -> Result<()> {
        static IDLE: Algorithm =
            Algorithm::new("idle", "Does nothing", nothing).outline(|_, _| Ok(Outline::repeat(1, [])));
        assert_eq!(rates_of(&IDLE)?, []);
        Ok(())
    }
}
