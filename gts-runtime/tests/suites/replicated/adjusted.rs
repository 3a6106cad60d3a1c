//! A session that deals its pages again between two passes has the same results.

use crate::support;
use gts_contract::{KernelDescriptor, Schema};
use gts_core::build::BuildOptions;
use gts_core::cost::hybrid::{Adjustment, MeasuredPasses};
use gts_graph::device::cpu::CpuDevice;
use gts_graph::device::replicated::{HostCollective, Replica, ReplicatedDevice};
use gts_graph::device::{Device, PassOutcome, PassRequest, Session, SessionOptions};
use gts_graph::kernel::{EdgePass, VertexPass};
use gts_graph::prelude::*;
use gts_graph::trace::{Trace, TraceKind};
use proptest::prelude::*;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A device of one thread whose passes over all edges of a graph take at least a given time.
struct Slow {
    cpu: CpuDevice,
    all: Duration,
}

impl Device for Slow {
    fn name(&self) -> String {
        format!("{} slow", self.cpu.name())
    }

    fn start(&self, graph: &Graph, schema: &'static Schema, options: &SessionOptions) -> Result<Box<dyn Session>> {
        let inner = self.cpu.start(graph, schema, options)?;
        Ok(Box::new(SlowSession { inner: LateSession { inner, graph: graph.clone(), all: self.all } }))
    }
}

/// The passes over edges of a slow device.
struct LateSession {
    inner: Box<dyn Session>,
    graph: Graph,
    all: Duration,
}

impl std::ops::Deref for LateSession {
    type Target = dyn Session;

    fn deref(&self) -> &Self::Target {
        self.inner.as_ref()
    }
}

impl std::ops::DerefMut for LateSession {
    fn deref_mut(&mut self) -> &mut Self::Target {
        self.inner.as_mut()
    }
}

impl LateSession {
    fn edge_pass(&mut self, kernel: &dyn EdgePass, request: &PassRequest) -> Result<PassOutcome> {
        let share = request.share.num_edges(self.graph.out_topology()) as f64 / self.graph.num_edges() as f64;
        std::thread::sleep(self.all.mul_f64(share));
        self.inner.edge_pass(kernel, request)
    }
}

struct SlowSession {
    inner: LateSession,
}

impl Session for SlowSession {
    fn global(&mut self, attribute: usize) -> Result<Vec<u8>> {
        self.inner.global(attribute)
    }

    support::hands_on_to_inner!();
}

#[gts_attributes]
struct Flow {
    #[ra(from = next)]
    pub whole: u64,
    #[wa(init = 1, merge = sum)]
    pub next: u64,
    #[ra(from = more)]
    pub part: f64,
    #[wa(init = 0.0, merge = sum)]
    pub more: f64,
    #[wa(init = UNREACHED, merge = min)]
    pub level: u32,
    #[global(merge = sum)]
    pub walked: u64,
}

#[gts_kernel(scan)]
fn push(flow: &mut Flow, src: Vertex, dst: Vertex) {
    flow.next[dst] += flow.whole[src] % 1000 + 1;
    flow.walked += 1;
}

#[gts_kernel(scan)]
fn collect(flow: &mut Flow, src: Vertex, dst: Vertex) {
    flow.more[src] += 0.25 * flow.part[src] + 1.0 / (dst.id() as u32 % 7 + 1) as f64;
}

#[gts_kernel(vertex)]
fn damp(flow: &mut Flow, v: Vertex) {
    flow.more[v] = 0.15 + 0.85 * flow.more[v];
}

#[gts_kernel(traverse)]
fn expand(flow: &mut Flow, src: Vertex, dst: Vertex) {
    if flow.level[dst] == UNREACHED {
        flow.level[dst] = step() + 1;
        activate(dst);
    }
}

fn graph(symmetric: bool) -> Graph {
    let options =
        BuildOptions { page_size: Some(256), symmetrise: symmetric, in_edges: true, ..BuildOptions::default() };
    Graph::reader("rmat:8,edge-factor=8,seed=7").options(options).read().expect("a graph")
}

/// Results in whole numbers: values, levels, and the edges visited in each pass.
type Whole = (Vec<u64>, Vec<u32>, Vec<u64>);

/// Scans by two kernels several times, then traverses. Returns the fractions last.
fn flown(engine: &Engine, graph: &Graph) -> Result<(Whole, Vec<f64>)> {
    let mut run = engine.start::<Flow>(graph)?;
    let mut walked = Vec::new();
    for _ in 0..5 {
        run.rotate(Flow::WHOLE)?;
        run.scan(push)?;
        walked.push(run.global(Flow::WALKED)?);
        run.rotate(Flow::PART)?;
        run.scan(collect)?;
        run.apply(damp)?;
        // The passes of other kernels, and a replica dropped before one of them, leave the value unchanged.
        walked.push(run.global(Flow::WALKED)?);
    }
    let source = Vertex::from_dense(3);
    run.set(Flow::LEVEL, source, 0)?;
    run.activate(source)?;
    run.traverse(expand)?;
    Ok(((run.take(Flow::NEXT)?, run.take(Flow::LEVEL)?, walked), run.take(Flow::MORE)?))
}

/// Measurements on which a run was asked to decide.
type Asked = Arc<Mutex<Vec<MeasuredPasses>>>;

/// Returns replicas of two kinds of devices. The last device is the only one of its kind, and its share becomes the
/// result of `decide`.
fn adjusted(
    devices: Vec<Arc<dyn Device>>,
    weights: &[u32],
    placement: Placement,
    decide: impl Fn(&MeasuredPasses) -> f64 + Send + Sync + 'static,
) -> Result<(ReplicatedDevice, Asked)> {
    let asked = Asked::default();
    let record = Arc::clone(&asked);
    let together = ReplicatedDevice::weighted(devices, weights, placement, Arc::new(HostCollective))?;
    let adjuster = move |measured: &MeasuredPasses| {
        record.lock().expect("no panic").push(*measured);
        let (from, to) = (measured.alpha, decide(measured));
        Adjustment { from, to, speedup: 1.5 }
    };
    Ok((together.led_by(weights.len() - 1).adjusted_by(Arc::new(adjuster)), asked))
}

fn plain(count: usize) -> Result<Vec<Arc<dyn Device>>> {
    (0..count).map(|_| Ok(Arc::new(CpuDevice::new(NonZeroUsize::new(1))?) as Arc<dyn Device>)).collect()
}

fn assert_same(found: &(Whole, Vec<f64>), expected: &(Whole, Vec<f64>), what: &str) {
    assert_eq!(found.0, expected.0, "{what}");
    let close = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-6 * b.abs();
    assert!(found.1.iter().zip(&expected.1).all(close), "{what}");
}

#[test]
fn pages_dealt_again_change_no_answer() -> Result<()> {
    for symmetric in [false, true] {
        let graph = graph(symmetric);
        let expected = flown(&Engine::cpu()?, &graph)?;
        for weights in [&[3, 1][..], &[1, 3], &[3, 1, 2]] {
            for (to, propagation) in [(0.0, Propagation::Auto), (0.1, Propagation::Pull), (0.7, Propagation::Push)] {
                let what = format!("{weights:?} to {to}, {propagation:?}, {symmetric}");
                let (together, asked) = adjusted(plain(weights.len())?, weights, Placement::Random, move |_| to)?;
                let builder = Engine::builder().custom_device(Arc::new(together)).propagation(propagation);
                let engine = builder.build()?;
                assert_same(&flown(&engine, &graph)?, &expected, &what);
                let report = engine.take_report();
                let adjustment = report.adjustment.expect("a decision");
                assert_eq!(adjustment.to, to, "{what}");
                let push = report.kernels.iter().find(|kernel| kernel.kernel == "push").expect("passes of it");
                let left = if to == 0.0 { weights.len() - 1 } else { weights.len() };
                // A single remaining device is not the only one that could run it.
                assert_eq!((push.devices, push.alone), (left as u32, false), "{what}");
                // Another run begins with the shares of this one, and decides nothing.
                assert_same(&flown(&engine, &graph)?, &expected, &what);
                assert_eq!((engine.take_report().adjustment, asked.lock().unwrap().len()), (None, 1), "{what}");
                // Forgetting a graph also drops its shares.
                engine.forget(&graph);
                assert_same(&flown(&engine, &graph)?, &expected, &what);
                assert_eq!(asked.lock().unwrap().len(), 2, "{what}");
            }
        }
    }
    Ok(())
}

#[test]
fn a_run_decides_by_the_time_of_each_side_in_its_second_step() -> Result<()> {
    let graph = graph(true);
    let all = [Duration::from_millis(40), Duration::from_millis(800)];
    let slow = |all| Ok(Arc::new(Slow { cpu: CpuDevice::new(NonZeroUsize::new(1))?, all }) as Arc<dyn Device>);
    let devices = all.into_iter().map(slow).collect::<Result<_>>()?;
    // The share with which both sides end at the same time.
    let together = |measured: &MeasuredPasses| {
        let [gpu, cpu] = [measured.gpu / (1.0 - measured.alpha), measured.cpu / measured.alpha];
        gpu / (gpu + cpu)
    };
    let (device, asked) = adjusted(devices, &[1, 1], Placement::Random, together)?;
    let trace = Trace::on();
    let engine = Engine::builder().custom_device(Arc::new(device)).trace(trace.clone()).build()?;
    let expected = flown(&Engine::cpu()?, &graph)?;
    assert_same(&flown(&engine, &graph)?, &expected, "slow devices");
    let [measured] = asked.lock().unwrap()[..] else { panic!("{asked:?}") };
    // A step has a pass of each kernel.
    assert!(measured.gpu >= 2.0 * 0.04 * (1.0 - measured.alpha) && measured.cpu >= 2.0 * 0.8 * measured.alpha);
    assert!((0.4..0.6).contains(&measured.alpha) && measured.messages > 0.0, "{measured:?}");
    let adjustment = engine.take_report().adjustment.expect("a decision");
    assert!(adjustment.to > 0.0 && adjustment.to < 0.3 && adjustment.from == measured.alpha, "{adjustment:?}");
    let deals: Vec<_> = trace.take().into_iter().filter(|event| event.kind == TraceKind::Deal).collect();
    let [deal] = deals[..] else { panic!("{deals:?}") };
    assert!(deal.pages > 0 && deal.pages < graph.out_topology().num_pages().into() && deal.bytes == 256 * deal.pages);
    Ok(())
}

#[test]
fn shares_stay_without_a_gain_and_without_scans() -> Result<()> {
    let graph = graph(true);
    let (together, asked) = adjusted(plain(2)?, &[3, 1], Placement::Even, |measured| measured.alpha)?;
    let engine = Engine::builder().custom_device(Arc::new(together)).build()?;
    let mut run = engine.start::<Flow>(&graph)?;
    run.activate(Vertex::from_dense(3))?;
    run.traverse(expand)?;
    run.neighbors(..2).scan(push)?;
    run.neighbors(..2).scan(push)?;
    assert_eq!((asked.lock().unwrap().len(), engine.take_report().adjustment), (0, None));
    run.scan(push)?;
    run.scan(push)?;
    run.scan(push)?;
    let report = engine.take_report();
    assert!(report.adjustment.expect("a decision").is_kept());
    assert_eq!((asked.lock().unwrap().len(), report.kernels[0].devices), (1, 2));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn any_shares_may_follow_any_others(
        weights in proptest::collection::vec(1u32..6, 2..5),
        to in prop_oneof![Just(0.0), 0.0..1.0f64],
        placement in proptest::sample::select(vec![Placement::Random, Placement::High, Placement::Low]),
        symmetric: bool,
    ) {
        let graph = graph(symmetric);
        let flown_by = |together: ReplicatedDevice| {
            flown(&Engine::builder().custom_device(Arc::new(together)).build()?, &graph)
        };
        let expected = flown(&Engine::cpu().unwrap(), &graph).unwrap();
        let (together, asked) = adjusted(plain(weights.len()).unwrap(), &weights, placement, move |_| to).unwrap();
        assert_same(&flown_by(together).unwrap(), &expected, "dealt again");
        prop_assert_eq!(asked.lock().unwrap().len(), 1);
    }
}
