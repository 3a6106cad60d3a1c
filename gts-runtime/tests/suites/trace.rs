//! Tests the trace of a run.

use gts_graph::device::Device;
use gts_graph::device::cpu::CpuDevice;
use gts_graph::device::replicated::{HostCollective, ReplicatedDevice};
use gts_graph::prelude::*;
use gts_graph::trace::{Trace, TraceKind, busy};
use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::sync::Arc;

#[gts_attributes]
struct Degrees {
    #[wa(init = 0, merge = sum)]
    incoming: u32,
    #[wa(init = 0, merge = min)]
    doubled: u32,
}

#[gts_kernel(scan)]
fn tally(degrees: &mut Degrees, src: Vertex, dst: Vertex) {
    degrees.incoming[dst] += 1;
}

#[gts_kernel(vertex)]
fn double(degrees: &mut Degrees, v: Vertex) {
    degrees.doubled[v] = degrees.incoming[v] * 2;
}

fn cpu(threads: usize, trace: Trace) -> Result<Engine> {
    let threads = NonZeroUsize::new(threads).expect("a number of threads above 0");
    Engine::builder().device(DeviceChoice::Cpu).threads(threads).trace(trace).build()
}

fn count(engine: &Engine, graph: &Graph) -> Result<()> {
    let mut run = engine.start::<Degrees>(graph)?;
    run.scan(tally)?;
    run.apply(double)
}

#[test]
fn the_cpu_records_its_passes_and_merges() -> Result<()> {
    let graph = Graph::from_edges((0..1000).map(|i| (i % 10, i % 7))).expect("a small graph");
    let trace = Trace::on();
    let engine = cpu(2, trace.clone())?;
    count(&engine, &graph)?;
    let report = engine.take_report();
    let events = trace.take();
    let seen: Vec<_> = events.iter().map(|event| (event.kind, event.label)).collect();
    assert_eq!(seen, [(TraceKind::Launch, "tally"), (TraceKind::Merge, "replicas"), (TraceKind::Launch, "double")]);
    assert_eq!((events[0].bytes, events[0].pages), (report.bytes(), report.kernels[0].pages));
    assert_eq!(events[1].bytes, graph.num_vertices() * 4);
    assert!(events.windows(2).all(|pair| pair[0].end <= pair[1].start), "{events:?}");
    assert!(busy(&events) <= report.time(), "{events:?} in {:?}", report.time());
    Ok(())
}

#[test]
fn each_of_several_devices_records_under_its_number() -> Result<()> {
    let graph = Graph::from_edges((0..1000).map(|i| (i % 10, i % 7))).expect("a small graph");
    let device = |_| CpuDevice::new(NonZeroUsize::new(1)).map(|device| Arc::new(device) as Arc<dyn Device>);
    let devices = (0..3).map(device).collect::<Result<_>>()?;
    let together = ReplicatedDevice::new(devices, Arc::new(HostCollective))?;
    let trace = Trace::on();
    count(&Engine::builder().custom_device(Arc::new(together)).trace(trace.clone()).build()?, &graph)?;
    let passes = trace.take().into_iter().filter(|event| event.kind == TraceKind::Launch);
    assert_eq!(passes.map(|event| event.device).collect::<BTreeSet<_>>(), BTreeSet::from([0, 1, 2]));
    Ok(())
}

#[test]
fn nothing_is_recorded_unasked() -> Result<()> {
    let graph = Graph::from_edges([(0, 1)]).expect("a small graph");
    let trace = Trace::default();
    count(&cpu(1, trace.clone())?, &graph)?;
    assert!(trace.take().is_empty());
    Ok(())
}
