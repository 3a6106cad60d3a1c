//! A device without room to pull beside its pages makes room if the devices it leads would otherwise push.

use crate::support;
use gts_contract::{KernelDescriptor, Schema};
use gts_core::build::BuildOptions;
use gts_graph::device::cpu::CpuDevice;
use gts_graph::device::replicated::{HostCollective, Replica, ReplicatedDevice};
use gts_graph::device::{Device, Pass, PassOutcome, PassRequest, Readiness, Session, SessionOptions};
use gts_graph::kernel::{EdgePass, VertexPass};
use gts_graph::prelude::*;
use std::num::NonZeroUsize;
use std::sync::Arc;

/// A device of one thread that reports a lack of room to pull. It makes room on request, if it can.
struct Cramped {
    cpu: CpuDevice,
    makes_room: bool,
}

impl Device for Cramped {
    fn name(&self) -> String {
        format!("{} cramped", self.cpu.name())
    }

    fn start(&self, graph: &Graph, schema: &'static Schema, options: &SessionOptions) -> Result<Box<dyn Session>> {
        let inner = self.cpu.start(graph, schema, options)?;
        Ok(Box::new(CrampedSession { inner, makes_room: self.makes_room }))
    }
}

struct CrampedSession {
    inner: Box<dyn Session>,
    makes_room: bool,
}

impl Session for CrampedSession {
    fn prepare(&mut self, pass: Pass<'_>, request: &PassRequest) -> Result<Readiness> {
        let ready = self.inner.prepare(pass, request)?;
        let has_room = request.decided && self.makes_room;
        Ok(Readiness { pulls: ready.pulls && has_room, lacks_room: ready.pulls && !has_room, ..ready })
    }

    fn global(&mut self, attribute: usize) -> Result<Vec<u8>> {
        self.inner.global(attribute)
    }

    support::hands_on_to_inner!();
}

#[gts_attributes]
struct Flow {
    #[ra(from = next)]
    pub held: u64,
    #[wa(init = 1, merge = sum)]
    pub next: u64,
}

#[gts_kernel(scan)]
fn push(flow: &mut Flow, src: Vertex, dst: Vertex) {
    flow.next[dst] += flow.held[src] % 1000 + 1;
}

/// Returns the values of vertices after some scans, and whether a scan pulled.
fn flown(engine: &Engine, graph: &Graph) -> Result<(Vec<u64>, bool)> {
    let mut run = engine.start::<Flow>(graph)?;
    for _ in 0..3 {
        run.rotate(Flow::HELD)?;
        run.scan(push)?;
    }
    let held = run.take(Flow::NEXT)?;
    Ok((held, engine.take_report().kernels.iter().any(|kernel| kernel.pulled)))
}

#[test]
fn leaders_make_room_to_pull_for_those_that_they_lead() -> Result<()> {
    let options = BuildOptions { page_size: Some(256), symmetrise: true, ..BuildOptions::default() };
    let graph = Graph::reader("rmat:8,edge-factor=8,seed=7").options(options).read().expect("a graph");
    let cpu = || CpuDevice::new(NonZeroUsize::new(1));
    let (expected, _) = flown(&Engine::builder().custom_device(Arc::new(cpu()?)).build()?, &graph)?;
    // Devices that make room, that always lack it, and that always have it; the number of leaders; whether scans pull.
    for (makes_room, lack_it, have_it, leaders, pulls) in [
        (1, 0, 1, 1, true),
        (2, 0, 1, 2, true),
        (0, 1, 1, 1, false),
        (1, 1, 1, 2, false),
        // No device is led: leaders keep their pages, and push.
        (2, 0, 0, 2, false),
        (1, 0, 1, 2, false),
    ] {
        let cramped = |makes_room| Ok(Arc::new(Cramped { cpu: cpu()?, makes_room }) as Arc<dyn Device>);
        let mut devices: Vec<Arc<dyn Device>> = (0..makes_room).map(|_| cramped(true)).collect::<Result<_>>()?;
        devices.extend((0..lack_it).map(|_| cramped(false)).collect::<Result<Vec<_>>>()?);
        devices.extend((0..have_it).map(|_| Ok(Arc::new(cpu()?) as Arc<dyn Device>)).collect::<Result<Vec<_>>>()?);
        let weights = vec![1; devices.len()];
        let together =
            ReplicatedDevice::weighted(devices, &weights, Placement::Random, Arc::new(HostCollective))?.led_by(leaders);
        let engine = Engine::builder().custom_device(Arc::new(together)).build()?;
        let found = flown(&engine, &graph)?;
        assert!(found.0 == expected, "{makes_room} {lack_it} {have_it} {leaders}");
        assert_eq!(found.1, pulls, "{makes_room} {lack_it} {have_it} {leaders}");
    }
    Ok(())
}
