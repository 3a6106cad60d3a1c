//! Tests kernels written by hand against the traits that the macros implement: devices must run any kernel.
// Tests start threads directly: if a thread does not start, the test may fail.
#![allow(clippy::disallowed_methods)]

use gts_contract::*;
use gts_graph::__private::*;
use gts_graph::core::graph::Graph;
use gts_graph::device::null::NullDevice;
use gts_graph::{DeviceChoice, Engine, Error};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

const HERE: SourceLocation = SourceLocation { file: "by_hand.rs", line: 1, column: 1 };

const fn attribute(name: &'static str, scalar: ScalarType, kind: AttributeKind) -> AttributeSchema {
    AttributeSchema { name, ty: AttributeType { scalar, length: 1, array: false }, kind, doc: "" }
}

/// Levels by a guarded store, and sums of degrees in a scan.
struct Walk;

static WALK: Schema = Schema {
    name: "Walk",
    parameter: None,
    attributes: &[
        attribute("level", ScalarType::U32, AttributeKind::Wa { init: Init { bits: 0xffff_ffff }, merge: Merge::Min }),
        attribute("sum", ScalarType::F32, AttributeKind::Wa { init: Init { bits: 0 }, merge: Merge::Sum }),
        attribute("total", ScalarType::F32, AttributeKind::Global { merge: Merge::Sum }),
        attribute("scale", ScalarType::F32, AttributeKind::Param { default: None }),
    ],
    location: HERE,
};

impl Walk {
    const LEVEL: Wa<Walk, u32> = Wa::new(0);
    const SUM: Wa<Walk, f32> = Wa::new(1);
    const TOTAL: Global<Walk, f32> = Global::new(2);
    const SCALE: Param<Walk, f32> = Param::new(3);
}

#[derive(Clone, Copy)]
struct WalkView<'a, P: Memory> {
    level: Column<'a, u32, P>,
    sum: Column<'a, f32, P>,
    total: GlobalColumn<'a, f32>,
    scale: f32,
}

impl Attributes for Walk {
    const SCHEMA: &'static Schema = &WALK;
    type View<'a, P: Memory> = WalkView<'a, P>;

    fn bind<'a, P: Memory>(columns: &Columns<'a, P>) -> WalkView<'a, P> {
        WalkView { level: columns.wa(0), sum: columns.wa(1), total: columns.global(2), scale: columns.param(3) }
    }
}

const FACTS: KernelFacts =
    KernelFacts { merged: Dependence::Constant, changes_activated: false, ..KernelFacts::OF_NOTHING };

const fn kernel(name: &'static str, kind: KernelKind, facts: KernelFacts) -> KernelDescriptor {
    KernelDescriptor {
        name,
        function: name,
        schema: &WALK,
        kind,
        direction: Direction::Out,
        technique: None,
        ordered: false,
        facts,
        error_sites: &[ErrorSite {
            what: ErrorWhat::DivisionByZero,
            scalar: ScalarType::U32,
            location: HERE,
            attribute: None,
        }],
        cuda: "",
        location: HERE,
    }
}

macro_rules! kernel {
    ($name:ident, $descriptor:ident = $value:expr) => {
        struct $name;
        static $descriptor: KernelDescriptor = $value;
        impl Kernel for $name {
            type Attributes = Walk;
        }
    };
}

kernel!(Expand, EXPAND = kernel("expand", KernelKind::Traverse, KernelFacts { activates: &[Site::Dst], ..FACTS }));
impl Traverse for Expand {}
impl EdgeKernel for Expand {
    const DESCRIPTOR: &'static KernelDescriptor = &EXPAND;
    type Source = ();
    type EdgeValue = ();
    const EDGE_DEFAULT: () = ();

    fn begin<'a, P: Memory>(_: &WalkView<'a, P>, _: Context<'a>, _: Vertex) -> Option<()> {
        Some(())
    }

    fn edge<'a, P: Memory>(a: &WalkView<'a, P>, gts: Context<'a>, (): (), _: Vertex, dst: Vertex, (): ()) {
        if a.level.load(dst) == u32::MAX {
            a.level.store(dst, gts.step() + 1);
            gts.activate(dst);
        }
    }
}

const PUSH_USES: &[AttributeUse] = &[
    AttributeUse { attribute: 1, site: Site::Dst, access: Access::Merge, location: HERE },
    AttributeUse { attribute: 2, site: Site::None, access: Access::Merge, location: HERE },
    AttributeUse { attribute: 3, site: Site::None, access: Access::Read, location: HERE },
];
kernel!(Push, PUSH = kernel("push", KernelKind::Scan, KernelFacts { uses: PUSH_USES, ..FACTS }));
impl Scan for Push {}
impl EdgeKernel for Push {
    const DESCRIPTOR: &'static KernelDescriptor = &PUSH;
    type Source = f32;
    type EdgeValue = ();
    const EDGE_DEFAULT: () = ();

    fn begin<'a, P: Memory>(a: &WalkView<'a, P>, gts: Context<'a>, src: Vertex) -> Option<f32> {
        Some(a.scale * gts.out_degree(src) as f32)
    }

    fn edge<'a, P: Memory>(a: &WalkView<'a, P>, _: Context<'a>, value: f32, _: Vertex, dst: Vertex, (): ()) {
        a.sum.fetch_add(dst, value);
        a.total.fetch_add(value);
    }
}

kernel!(Fail, FAIL = kernel("fail", KernelKind::Vertex, FACTS));
impl VertexKernel for Fail {
    const DESCRIPTOR: &'static KernelDescriptor = &FAIL;

    fn vertex<'a, P: Memory>(a: &WalkView<'a, P>, gts: Context<'a>, v: Vertex) {
        if v.dense() == 5 {
            gts.report(FaultPlace::vertex(v), 0, 5);
        }
        a.level.store(v, 0);
    }
}

kernel!(Spin, SPIN = kernel("spin", KernelKind::Vertex, FACTS));
impl VertexKernel for Spin {
    const DESCRIPTOR: &'static KernelDescriptor = &SPIN;

    fn vertex<'a, P: Memory>(_: &WalkView<'a, P>, gts: Context<'a>, _: Vertex) {
        while !gts.stopped() {
            std::hint::spin_loop();
        }
    }
}

kernel!(Again, AGAIN = kernel("again", KernelKind::Traverse, KernelFacts { activates: &[Site::Dst], ..FACTS }));
impl Traverse for Again {}
impl EdgeKernel for Again {
    const DESCRIPTOR: &'static KernelDescriptor = &AGAIN;
    type Source = ();
    type EdgeValue = ();
    const EDGE_DEFAULT: () = ();

    fn begin<'a, P: Memory>(_: &WalkView<'a, P>, _: Context<'a>, _: Vertex) -> Option<()> {
        Some(())
    }

    fn edge<'a, P: Memory>(_: &WalkView<'a, P>, gts: Context<'a>, (): (), src: Vertex, _: Vertex, (): ()) {
        gts.activate(src);
    }
}

/// A binary tree with a hub that every vertex points to.
fn graph() -> Graph {
    let tree = (1..5000u64).map(|v| ((v - 1) / 2, v));
    let hub = (0..5000u64).map(|v| (v, 5000));
    Graph::from_edges(tree.chain(hub)).expect("the edges are sound")
}

fn engine(threads: usize) -> Engine {
    let threads = NonZeroUsize::new(threads).expect("not zero");
    Engine::builder().device(DeviceChoice::Cpu).threads(threads).build().expect("threads start")
}

#[test]
fn a_traversal_reaches_every_level() {
    let graph = graph();
    for threads in [1, 2, 5] {
        let mut run = engine(threads).start::<Walk>(&graph).unwrap();
        let root = graph.vertex(0).unwrap();
        run.set(Walk::LEVEL, root, 0).unwrap();
        run.activate(root).unwrap();
        let steps = run.traverse(|| Expand).unwrap();
        let levels = run.take(Walk::LEVEL).unwrap();
        for v in 0..5000u32 {
            assert_eq!(levels[v as usize], (v + 1).ilog2(), "vertex {v}, {threads} threads");
        }
        assert_eq!(levels[5000], 1);
        assert_eq!(steps, 13);
    }
}

#[test]
fn a_scan_sums_with_and_without_replicas() {
    let graph = graph();
    for threads in [1, 2, 5] {
        let mut run = engine(threads).start::<Walk>(&graph).unwrap();
        run.set_param(Walk::SCALE, 2.0).unwrap();
        for round in 1..=2u32 {
            run.scan(|| Push).unwrap();
            let sums = run.take(Walk::SUM).unwrap();
            let degree = |v: u64| 2.0 * graph.out_degree(graph.vertex(v).unwrap()) as f32;
            let total: f32 = (0..5000).map(degree).sum();
            assert_eq!(sums[5000], round as f32 * total);
            assert_eq!(sums[4999], round as f32 * degree(2499));
            let global: f32 = run.global(Walk::TOTAL).unwrap();
            let expected: f32 = graph.edges().map(|edge| degree(edge.unwrap().0.dense())).sum();
            assert_eq!(global, expected, "{threads} threads");
        }
    }
}

#[test]
fn a_fault_names_its_kernel_and_place() {
    let mut run = engine(2).start::<Walk>(&graph()).unwrap();
    let error = run.apply(|| Fail).unwrap_err();
    assert_eq!(error.to_string(), "kernel `fail` at by_hand.rs:1:1: integer division by zero (value 5, vertex 5)");
    run.set_param(Walk::SCALE, 1.0).unwrap();
    run.scan(|| Push).expect("a fault is no end");
}

#[test]
fn limits_end_a_run() {
    let graph = graph();
    let limited = Engine::builder().device(DeviceChoice::Cpu).time_limit(Duration::from_millis(50)).build().unwrap();
    let mut run = limited.start::<Walk>(&graph).unwrap();
    assert!(matches!(run.apply(|| Spin), Err(Error::TimeLimit { kernel: "spin", .. })));

    let limited = Engine::builder().device(DeviceChoice::Cpu).max_steps(10).build().unwrap();
    let mut run = limited.start::<Walk>(&graph).unwrap();
    run.activate(graph.vertex(0).unwrap()).unwrap();
    assert!(matches!(run.traverse(|| Again), Err(Error::StepLimit { kernel: "again", steps: 10 })));

    let interrupted = engine(2);
    let mut run = interrupted.start::<Walk>(&graph).unwrap();
    let other = interrupted.clone();
    let waiter = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(20));
        other.interrupt();
    });
    assert!(matches!(run.apply(|| Spin), Err(Error::Interrupted)));
    waiter.join().unwrap();
}

#[test]
fn a_run_asks_the_device_in_order() {
    let graph = graph();
    let device = NullDevice::with_frontiers([1, 3, 0]);
    let engine = Engine::builder().custom_device(Arc::new(device.clone())).build().unwrap();
    let mut run = engine.start::<Walk>(&graph).unwrap();
    run.activate(graph.vertex(0).unwrap()).unwrap();
    run.traverse(|| Expand).unwrap();
    let expected = [
        "start Walk",
        "activate 0",
        "frontier size",
        "edges expand over active of [Out], step 0",
        "advance frontier",
        "edges expand over active of [Out], step 1",
        "advance frontier",
        "edges expand over active of [Out], step 2",
        "advance frontier",
    ];
    assert_eq!(device.calls(), expected);
}

#[test]
fn a_failed_device_poisons_its_engine() {
    let graph = graph();
    let device = NullDevice::default();
    let engine = Engine::builder().custom_device(Arc::new(device.clone())).build().unwrap();
    let mut run = engine.start::<Walk>(&graph).unwrap();
    run.set_param(Walk::SCALE, 1.0).unwrap();
    device.fail_at(1, Error::Device { device: "null".into(), during: "push".into(), why: "illegal address".into() });
    let first = run.scan(|| Push).unwrap_err();
    assert!(matches!(first, Error::Device { .. }));
    let asked = device.calls().len();
    assert!(matches!(run.scan(|| Push), Err(Error::Poisoned(_))));
    assert!(matches!(run.take(Walk::LEVEL), Err(Error::Poisoned(_))));
    assert!(matches!(engine.start::<Walk>(&graph), Err(Error::Poisoned(_))));
    assert_eq!(device.calls().len(), asked, "a poisoned engine leaves its device alone");
}
