//! Tests that an algorithm computes the correct answer for graphs of every kind, on every kind of engine.
//!
//! [`gts_conformance!`](crate::gts_conformance) generates the tests of one registered algorithm:
//!
//! ```
//! # use gts_graph::algorithm::{Algorithm, Answer, Arguments, Output, Values, Verdict};
//! # use gts_graph::contract::ScalarType;
//! # use gts_graph::prelude::*;
//! # #[gts_attributes]
//! # pub struct InDegree {
//! #     #[wa(init = 0, merge = sum)]
//! #     pub count: u64,
//! # }
//! # #[gts_kernel(scan)]
//! # fn tally(degrees: &mut InDegree, src: Vertex, dst: Vertex) {
//! #     degrees.count[dst] += 1;
//! # }
//! # fn run(engine: &Engine, graph: &Graph, _: &Arguments) -> Result<Answer> {
//! #     let mut run = engine.start::<InDegree>(graph)?;
//! #     run.scan(tally)?;
//! #     Ok(Answer::new().vertices("count", run.take(InDegree::COUNT)?))
//! # }
//! # gts_graph::register! {
//! #     Algorithm::new("in-degree", "Edges that end at each vertex", run)
//! #         .outputs(&[Output::vertices("count", &[ScalarType::U64], "Edges that end at the vertex")])
//! # }
//! /// Another way to the answer, which shares no code with the kernels.
//! fn oracle(graph: &Graph, _: &Arguments, answer: &Answer) -> Result<Verdict> {
//!     let degree = |v| graph.in_degree(v);
//!     let expected: Vec<u64> = graph.ids().in_original_order().map(degree).collect();
//!     Ok(match answer.values("count") == Some(&Values::U64(expected)) {
//!         true => Verdict::Agrees("as the degrees".to_owned()),
//!         false => Verdict::Differs("not the degrees".to_owned()),
//!     })
//! }
//!
//! gts_graph::gts_conformance!(in_degree: "in-degree", oracle(oracle));
//! # let subject = gts_graph::conformance::Conformance::of("in-degree").oracle(oracle);
//! # subject.special_graphs()?;
//! # subject.metamorphic_rules()?;
//! # Ok::<(), gts_graph::conformance::ConformanceFailure>(())
//! ```
//!
//! The macro generates three tests. Two tests compare answers with an oracle: for special graphs ([`Sample::special`])
//! and for random graphs ([`Sample::random`]). Both use small and large pages, two vertex orders and several engines.
//! The oracle is the given function, or the algorithm's own check if no function is given. The third test checks
//! metamorphic rules, which need no oracle: relabelled vertices, shuffled edges and an additional isolated vertex must
//! not change the answer.
//!
//! By default, the tests run on the CPU: with one thread that pulls, with three threads that push, with three
//! single-threaded devices that share small pages unequally, and with groups of two and three ranks, which must all
//! return the same answer. Pulling is tested with contributions computed per vertex and per edge. A sample of the graphs
//! also runs in [checked mode](crate::EngineBuilder::checked). `GTS_TEST_DEVICE`
//! selects another device. This device runs the techniques that differ most: equal shares of a page's edges, a thread
//! per vertex, two warps per vertex and a thread per edge. It also pulls, and runs steps without the host.
//! `GTS_TEST_RANDOM_GRAPHS` sets the number of random graphs, 24 by default.

mod compare;
mod sample;

pub use sample::Sample;

use crate::algorithm::{Algorithm, Answer, Arguments, CheckFn, Needs, ParameterKind, Verdict, find};
use crate::choice::DeviceChoice;
use crate::engine::{Engine, EngineBuilder};
use compare::agree;
use gts_contract::language::Code;
use gts_contract::{EdgeLayout, ScalarType, Technique, VirtualWarp};
use gts_core::advice::{Advice, Explain};
use gts_core::build::DeclaredVertices;
use gts_core::graph::{Graph, VertexOrder};
use gts_core::page::PlainMemory;
use gts_cpu::CpuDevice;
use gts_device::error::Error;
use gts_device::replicated::{HostCollective, ReplicatedDevice};
use gts_device::{Device, Placement, Propagation, StepsBy};
use std::num::{NonZeroU32, NonZeroUsize};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// The default number of random graphs per test.
const RANDOM: u64 = 24;
/// Time limit of a run on a small graph, for drivers that never end. Slow machines under load stay far below it.
const LIMIT: Duration = Duration::from_secs(120);
/// The page sizes in bytes and the vertex orders to test. With pages of 256 bytes, hubs with a few dozen edges already
/// occupy runs of large pages.
const LAYOUTS: [(u32, VertexOrder); 2] = [(256, VertexOrder::Random { seed: 5 }), (64 << 10, VertexOrder::Original)];
/// The techniques to test on a device other than the CPU.
const TECHNIQUES: [Technique; 4] = [
    Technique::Balanced,
    Technique::Vertex,
    Technique::Edge(VirtualWarp::W64),
    Technique::EdgeList(EdgeLayout::Arrays),
];
/// The chunk size of a virtual warp, as a multiple of the warp's lanes.
const CHUNK: NonZeroU32 = NonZeroU32::MIN.saturating_add(1);

/// A wrong answer or an error, with the test case in which it occurred.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{cell}: {why}")]
pub struct ConformanceFailure {
    /// The test case: the algorithm, the graph and the engine.
    pub cell: String,
    /// The difference between the actual and the expected answer, or the error.
    pub why: String,
}

impl Explain for ConformanceFailure {
    fn code(&self) -> Code {
        Code::WrongConformance
    }

    fn advice(&self) -> Option<Advice> {
        None
    }
}

impl ConformanceFailure {
    fn new(cell: impl Into<String>, why: impl ToString) -> Self {
        Self { cell: cell.into(), why: why.to_string() }
    }
}

/// An algorithm under test.
#[derive(Clone, Debug)]
pub struct Conformance {
    name: &'static str,
    oracle: Option<CheckFn>,
    arguments: Vec<(&'static str, &'static str)>,
    any_valid: Vec<&'static str>,
    counts_vertices: bool,
}

/// The build options with which a sample becomes a graph.
struct SampleLayout {
    page_size: u32,
    order: VertexOrder,
    value_type: Option<ScalarType>,
    in_edges: bool,
    symmetric: bool,
}

/// The engine or engines that run an algorithm.
enum Runner {
    One(Engine),
    /// A group of ranks, one thread per device.
    Ranks(Vec<Arc<dyn Device>>),
}

impl Runner {
    fn run(&self, algorithm: &Algorithm, graph: &Graph, arguments: &Arguments) -> crate::Result<Answer> {
        let devices = match self {
            Self::One(engine) => return algorithm.run(engine, graph, arguments),
            Self::Ranks(devices) => devices,
        };
        // Each run creates its own group, because several tests run concurrently.
        let answers = crate::group::on_devices(devices, |engine| algorithm.run(engine, graph, arguments))?;
        let mut answers = answers.into_iter();
        let Some(first) = answers.next() else { return Err(Error::argument("a group", "it has no rank")) };
        // NaN is not equal to itself, so the texts are compared, too.
        if answers.any(|other| other != first && format!("{other:?}") != format!("{first:?}")) {
            return Err(Error::argument("a group", "its ranks have come to different answers"));
        }
        Ok(first)
    }
}

/// A named configuration of engines, with the part of the tests that it runs.
struct EngineConfiguration {
    name: String,
    runner: Runner,
    /// Whether the engine pulls, which requires in-edges.
    pulls: bool,
    /// The number of entries of `LAYOUTS` to test, from the first.
    layouts: usize,
    /// The runner processes one sample in `every`.
    every: usize,
}

impl Conformance {
    /// Creates the tests of the algorithm with this name. The oracle is the algorithm's own check.
    pub const fn of(name: &'static str) -> Self {
        Self { name, oracle: None, arguments: Vec::new(), any_valid: Vec::new(), counts_vertices: false }
    }

    /// Replaces the oracle.
    #[must_use]
    pub fn oracle(mut self, oracle: CheckFn) -> Self {
        self.oracle = Some(oracle);
        self
    }

    /// Sets a parameter. A vertex `@k`, also in a list such as `@1,@4`, is the vertex with number `k` modulo the number
    /// of vertices.
    #[must_use]
    pub fn with(mut self, parameter: &'static str, text: &'static str) -> Self {
        self.arguments.push((parameter, text));
        self
    }

    /// Declares that several values of an output are correct. Comparisons between variants of a graph skip this output.
    #[must_use]
    pub fn any_valid(mut self, output: &'static str) -> Self {
        self.any_valid.push(output);
        self
    }

    /// Declares that the answer depends on the number of vertices. The tests then add no isolated vertex.
    #[must_use]
    pub fn counts_vertices(mut self) -> Self {
        self.counts_vertices = true;
        self
    }

    /// Compares the answers for all special graphs with the oracle.
    ///
    /// # Errors
    ///
    /// An answer is wrong, or the algorithm fails.
    pub fn special_graphs(&self) -> Result<(), ConformanceFailure> {
        self.verify(&Sample::special())
    }

    /// Compares the answers for random graphs with the oracle.
    ///
    /// # Errors
    ///
    /// As for [`Conformance::special_graphs`].
    pub fn random_graphs(&self) -> Result<(), ConformanceFailure> {
        self.verify(&(0..random_graphs()?).map(Sample::random).collect::<Vec<_>>())
    }

    /// Compares the answers for random graphs with the answers for variants of these graphs.
    ///
    /// # Errors
    ///
    /// As for [`Conformance::special_graphs`].
    pub fn metamorphic_rules(&self) -> Result<(), ConformanceFailure> {
        on_one_thread(|| self.compare_variants())
    }

    fn compare_variants(&self) -> Result<(), ConformanceFailure> {
        let algorithm = self.algorithm()?;
        let way = &ways()?[0];
        for seed in 0..random_graphs()? {
            let sample = Sample::random(seed);
            // Scalars may count vertices, so the variant with an additional vertex is compared by its values only.
            let mut variants = vec![(sample.relabelled(seed), true), (sample.shuffled(seed), true)];
            if !self.counts_vertices {
                variants.push((sample.with_isolated(), false));
            }
            for layout in layouts(self.needs(algorithm)?, way) {
                let (_, expected) = self.answer(way, &sample, &sample, &layout)?;
                for (variant, scalars) in &variants {
                    let (_, found) = self.answer(way, variant, &sample, &layout)?;
                    agree(&found, &expected, &variant.ranks(), *scalars, &self.any_valid)
                        .map_err(|why| ConformanceFailure::new(self.cell(way, variant, &layout), why))?;
                }
            }
        }
        Ok(())
    }

    /// Compares the answers for the given samples with the oracle, in every layout and on every engine.
    ///
    /// # Errors
    ///
    /// As for [`Conformance::special_graphs`].
    pub fn verify(&self, samples: &[Sample]) -> Result<(), ConformanceFailure> {
        on_one_thread(|| self.ask_oracle(samples))
    }

    fn ask_oracle(&self, samples: &[Sample]) -> Result<(), ConformanceFailure> {
        let algorithm = self.algorithm()?;
        let Some(oracle) = self.oracle.or(algorithm.check) else {
            return Err(ConformanceFailure::new(self.name, "it has no check of its own; give an `oracle`"));
        };
        for way in ways()? {
            for layout in layouts(self.needs(algorithm)?, way) {
                for sample in samples
                    .iter()
                    .step_by(way.every)
                    .filter(|sample| sample.num_vertices() > 0 || !names_a_vertex(algorithm))
                {
                    let ((graph, arguments), answer) = self.answer(way, sample, sample, &layout)?;
                    let failed = |why| ConformanceFailure::new(self.cell(way, sample, &layout), why);
                    match oracle(&graph, &arguments, &answer).map_err(|error| failed(error.to_string()))? {
                        Verdict::Agrees(_) => {}
                        Verdict::Differs(why) => return Err(failed(why)),
                    }
                }
            }
        }
        Ok(())
    }

    fn algorithm(&self) -> Result<&'static Algorithm, ConformanceFailure> {
        find(self.name).ok_or_else(|| {
            ConformanceFailure::new(self.name, "no algorithm of that name is registered; link its crate")
        })
    }

    /// Returns the properties that graphs must have. They do not depend on vertices.
    fn needs(&self, algorithm: &'static Algorithm) -> Result<Needs, ConformanceFailure> {
        let others = self.arguments.iter().filter(|(_, text)| !text.contains('@'));
        let arguments =
            others.into_iter().try_fold(Arguments::of(algorithm), |given, (name, text)| given.with(name, text));
        Ok(arguments.map_err(|error| ConformanceFailure::new(self.name, error))?.needs())
    }

    /// Builds a sample and returns the graph and the answer. A vertex `@k` in the arguments is vertex number `k` of
    /// `sample`, modulo the number of vertices of `named`.
    fn answer(
        &self,
        way: &EngineConfiguration,
        sample: &Sample,
        named: &Sample,
        layout: &SampleLayout,
    ) -> Result<((Graph, Arguments), Answer), ConformanceFailure> {
        let algorithm = self.algorithm()?;
        let failed = |why: &dyn std::fmt::Display| ConformanceFailure::new(self.cell(way, sample, layout), why);
        let graph = build(sample, layout).map_err(|error| failed(&error))?;
        let mut arguments = Arguments::of(algorithm);
        for (name, text) in &self.arguments {
            let vertex = |text: &str| {
                let Some(number) = text.strip_prefix('@').and_then(|number| number.parse::<usize>().ok()) else {
                    return text.to_owned();
                };
                let id = sample.id(number % (named.num_vertices() as usize).max(1));
                id.map_or(String::new(), |id| id.to_string())
            };
            let text = text.split(',').map(vertex).collect::<Vec<_>>().join(",");
            arguments.set(name, &text).map_err(|error| failed(&error))?;
        }
        let answer = way.runner.run(algorithm, &graph, &arguments).map_err(|error| failed(&error))?;
        Ok(((graph, arguments), answer))
    }

    fn cell(&self, way: &EngineConfiguration, sample: &Sample, layout: &SampleLayout) -> String {
        let SampleLayout { page_size, order, value_type, .. } = layout;
        let weights = value_type.map_or(String::new(), |ty| format!(", weights {ty}"));
        format!("{} on {}{weights}, {page_size} B, order {order}, {}", self.name, sample.name(), way.name)
    }
}

/// The number of steps that a device runs before it returns to the host.
const FEW_STEPS: NonZeroU32 = NonZeroU32::new(3).unwrap();

/// Returns the configurations to test. All tests of a process share their engines, because starting threads takes
/// longer than most passes.
fn ways() -> Result<&'static [EngineConfiguration], ConformanceFailure> {
    static WAYS: OnceLock<Result<Vec<EngineConfiguration>, ConformanceFailure>> = OnceLock::new();
    WAYS.get_or_init(make_ways).as_deref().map_err(Clone::clone)
}

/// Returns the number of random graphs per test.
fn random_graphs() -> Result<u64, ConformanceFailure> {
    let variable = "GTS_TEST_RANDOM_GRAPHS";
    std::env::var(variable).map_or(Ok(RANDOM), |text| {
        text.parse().map_err(|error| ConformanceFailure::new(variable, format_args!("`{text}`: {error}")))
    })
}

fn make_ways() -> Result<Vec<EngineConfiguration>, ConformanceFailure> {
    let device = std::env::var("GTS_TEST_DEVICE").unwrap_or_else(|_| "cpu".to_owned());
    let device: DeviceChoice = device.parse().map_err(|error| ConformanceFailure::new("GTS_TEST_DEVICE", error))?;
    let way = |name: &str, pulls, builder: EngineBuilder| match builder.device(device).time_limit(LIMIT).build() {
        Ok(engine) => Ok(EngineConfiguration {
            name: name.to_owned(),
            runner: Runner::One(engine),
            pulls,
            layouts: LAYOUTS.len(),
            every: 1,
        }),
        Err(error) => Err(ConformanceFailure::new(name, error)),
    };
    if device != DeviceChoice::Cpu {
        let by = |technique: Technique| way(technique.name(), false, Engine::builder().technique(Some(technique)));
        let pulling = way("pulling", true, Engine::builder().propagation(Propagation::Pull));
        let at_edge = Engine::builder().propagation(Propagation::PullAtEdge);
        let at_edge = way("pulling, at each edge", true, at_edge.technique(Some(TECHNIQUES[2])).warp_chunk(CHUNK));
        let looping = Engine::builder().propagation(Propagation::Push).steps_by(StepsBy::Device);
        let looping = way("steps begun by the device", false, looping);
        let in_turns = Engine::builder().steps_by(StepsBy::DeviceFor(FEW_STEPS));
        let in_turns = way("a few steps begun by the device", false, in_turns);
        let checked = way("checked mode", false, Engine::builder().checked(true));
        let checked = checked.map(|checked| EngineConfiguration { layouts: 1, every: 3, ..checked });
        return TECHNIQUES.into_iter().map(by).chain([pulling, at_edge, looping, in_turns, checked]).collect();
    }
    let threads = |threads| Engine::builder().threads(threads);
    let one = threads(NonZeroUsize::MIN).propagation(Propagation::Pull);
    let several = threads(NonZeroUsize::MIN.saturating_add(2)).propagation(Propagation::Push);
    let at_edge = threads(NonZeroUsize::MIN).propagation(Propagation::PullAtEdge);
    let together =
        replicas(&[3, 1, 2], Placement::Random, 2).map_err(|error| ConformanceFailure::new("replicas", error))?;
    let together = Engine::builder().custom_device(Arc::new(together));
    // In a small graph, only small pages are shared. This configuration is the slowest because it starts threads for
    // each pass.
    let together = EngineConfiguration { layouts: 1, every: 3, ..way("3 unlike devices", true, together)? };
    let at_edge = EngineConfiguration { layouts: 1, every: 3, ..way("1 thread, pulling at each edge", true, at_edge)? };
    let checked = threads(NonZeroUsize::MIN.saturating_add(1)).checked(true);
    let checked = EngineConfiguration { layouts: 1, every: 3, ..way("2 threads, checked mode", false, checked)? };
    let mut ways = vec![
        checked,
        way("1 thread, pulling", true, one)?,
        way("3 threads, pushing", false, several)?,
        at_edge,
        together,
    ];
    for size in [2, 3] {
        let devices = one_threaded(size).map_err(|error| ConformanceFailure::new("ranks", error))?;
        let name = format!("a group of {size} ranks");
        ways.push(EngineConfiguration { name, runner: Runner::Ranks(devices), pulls: size == 2, layouts: 1, every: 5 });
    }
    Ok(ways)
}

/// Runs a test in a pool of one thread. In the global pool, loops over small graphs would spend most of their time waking
/// threads. Engines have threads of their own.
fn on_one_thread(test: impl FnOnce() -> Result<(), ConformanceFailure> + Send) -> Result<(), ConformanceFailure> {
    let pool = gts_core::threads::pool("conformance", Some(NonZeroUsize::MIN));
    pool.map_err(|error| ConformanceFailure::new("the test's thread", error))?.install(test)
}

/// Creates `count` CPU devices with one thread each.
fn one_threaded(count: usize) -> crate::Result<Vec<Arc<dyn Device>>> {
    (0..count).map(|_| Ok(Arc::new(CpuDevice::new(Some(NonZeroUsize::MIN))?) as Arc<dyn Device>)).collect()
}

/// Creates a replicated device of single-threaded CPU devices, which share the edges in proportion to `weights`. Every
/// second device stores its values in borrowed memory, like a CPU device that runs alongside a GPU.
fn replicas(weights: &[u32], placement: Placement, leaders: usize) -> crate::Result<ReplicatedDevice> {
    let device = |number: usize| -> crate::Result<Arc<dyn Device>> {
        let device = CpuDevice::new(Some(NonZeroUsize::MIN))?;
        Ok(Arc::new(if number % 2 == 1 { device.with_memory(Arc::new(PlainMemory)) } else { device }))
    };
    let devices = (0..weights.len()).map(device).collect::<crate::Result<_>>()?;
    Ok(ReplicatedDevice::weighted(devices, weights, placement, Arc::new(HostCollective))?.led_by(leaders))
}

/// Returns whether the algorithm has a vertex or list parameter. Such an algorithm cannot run on a graph without
/// vertices.
fn names_a_vertex(algorithm: &Algorithm) -> bool {
    algorithm
        .parameters
        .iter()
        .any(|parameter| matches!(parameter.kind, ParameterKind::Vertex | ParameterKind::Vertices))
}

/// Returns the layouts that a configuration tests, for each weight type that the algorithm accepts.
fn layouts(needs: Needs, way: &EngineConfiguration) -> Vec<SampleLayout> {
    let types: Vec<_> = match needs.weights {
        [] => vec![None],
        types => types.iter().copied().map(Some).collect(),
    };
    let (in_edges, symmetric) = (needs.in_edges || way.pulls, needs.symmetric);
    let of_type = |value_type| {
        let layouts = LAYOUTS.into_iter().take(way.layouts);
        layouts.map(move |(page_size, order)| SampleLayout { page_size, order, value_type, in_edges, symmetric })
    };
    types.into_iter().flat_map(of_type).collect()
}

fn build(sample: &Sample, layout: &SampleLayout) -> Result<Graph, gts_core::build::BuildError> {
    let edges = sample.edges().iter().copied();
    let builder = Graph::builder();
    let builder = match layout.value_type {
        None => builder.edges(edges.map(|(src, dst, _)| (src, dst))),
        Some(ScalarType::U32) => builder.weighted_edges(edges),
        Some(ScalarType::F64) => builder.weighted_edges(edges.map(|(src, dst, weight)| (src, dst, f64::from(weight)))),
        Some(_) => builder.weighted_edges(edges.map(|(src, dst, weight)| (src, dst, weight as f32))),
    };
    builder
        .vertices(DeclaredVertices::List(sample.ids().into()))
        .in_edges(layout.in_edges)
        .symmetrise(layout.symmetric)
        .page_size(layout.page_size)
        .order(layout.order)
        .build()
}

/// Generates the conformance tests of a registered algorithm. The tests are in a module with the given name: one each
/// for special graphs, random graphs and metamorphic rules. Method calls on
/// [`Conformance`](crate::conformance::Conformance) follow the algorithm's name: `with("source", "@3")`,
/// `any_valid("parent")`, `oracle(by_hand)`.
#[macro_export]
macro_rules! gts_conformance {
    ($test:ident: $algorithm:expr $(, $method:ident($($argument:expr),*))* $(,)?) => {
        #[cfg(test)]
        mod $test {
            #[allow(unused_imports)]
            use super::*;
            use $crate::conformance::{Conformance, ConformanceFailure};

            fn subject() -> Conformance {
                Conformance::of($algorithm)$(.$method($($argument),*))*
            }

            #[test]
            fn special_graphs() -> ::std::result::Result<(), ConformanceFailure> {
                subject().special_graphs()
            }

            #[test]
            fn random_graphs() -> ::std::result::Result<(), ConformanceFailure> {
                subject().random_graphs()
            }

            #[test]
            fn metamorphic_rules() -> ::std::result::Result<(), ConformanceFailure> {
                subject().metamorphic_rules()
            }
        }
    };
}
