//! Devices add fractions in different orders. Ranks still take the same branches, although their own sums would differ.

use crate::support;
use gts_contract::{AttributeKind, KernelDescriptor, ScalarType, Schema};
use gts_core::build::BuildOptions;
use gts_graph::device::cpu::CpuDevice;
use gts_graph::device::replicated::Replica;
use gts_graph::device::{Device, PassOutcome, PassRequest, Session, SessionOptions};
use gts_graph::kernel::{EdgePass, VertexPass};
use gts_graph::prelude::*;
use std::num::NonZeroUsize;
use std::sync::Arc;

/// A device of one thread that multiplies the fractional globals it reports by `factor`.
struct Perturbed {
    cpu: CpuDevice,
    factor: f64,
}

impl Device for Perturbed {
    fn name(&self) -> String {
        format!("{} perturbed", self.cpu.name())
    }

    fn start(&self, graph: &Graph, schema: &'static Schema, options: &SessionOptions) -> Result<Box<dyn Session>> {
        Ok(Box::new(PerturbedSession { inner: self.cpu.start(graph, schema, options)?, schema, factor: self.factor }))
    }
}

struct PerturbedSession {
    inner: Box<dyn Session>,
    schema: &'static Schema,
    factor: f64,
}

impl Session for PerturbedSession {
    fn global(&mut self, attribute: usize) -> Result<Vec<u8>> {
        let bytes = self.inner.global(attribute)?;
        let declared = &self.schema.attributes[attribute];
        Ok(match (declared.kind, declared.ty.scalar, <[u8; 8]>::try_from(bytes.as_slice())) {
            (AttributeKind::Global { .. }, ScalarType::F64, Ok(value)) => {
                (f64::from_le_bytes(value) * self.factor).to_le_bytes().to_vec()
            }
            _ => bytes,
        })
    }

    support::hands_on_to_inner!();
}

#[gts_attributes]
struct Flow {
    #[ra(from = next)]
    pub held: f64,
    #[wa(init = 0.0, merge = sum)]
    pub next: f64,
    #[global(merge = sum)]
    pub walked: f64,
    #[global(merge = sum)]
    pub change: f64,
}

#[gts_kernel(scan)]
fn flow(values: &mut Flow, src: Vertex, dst: Vertex) {
    values.next[dst] += values.held[src] / src.out_degree() as f64;
    values.walked += 1.0;
}

#[gts_kernel(vertex)]
fn compare(values: &mut Flow, v: Vertex) {
    let next = 0.5 + 0.5 * values.next[v];
    values.next[v] = next;
    values.change += (next - values.held[v]).abs();
}

/// Iterates until values hardly change. Returns the number of iterations, the reported sums, and the values.
fn settle(engine: &Engine, graph: &Graph) -> Result<(u32, Vec<f64>, Vec<f64>)> {
    let mut run = engine.start::<Flow>(graph)?;
    let (mut told, mut iterations) = (Vec::new(), 0);
    run.fill(Flow::NEXT, 1.0)?;
    loop {
        run.rotate(Flow::HELD)?;
        run.scan(flow)?;
        told.push(run.global(Flow::WALKED)?);
        run.apply(compare)?;
        let change = run.global(Flow::CHANGE)?;
        told.push(change);
        iterations += 1;
        if change < 1e-6 || iterations == 100 {
            return Ok((iterations, told, run.take(Flow::NEXT)?));
        }
    }
}

#[test]
fn ranks_branch_alike_whatever_their_own_sums() {
    let graph = Graph::reader("rmat:8,edge-factor=4")
        .options(BuildOptions { page_size: Some(512), ..BuildOptions::default() })
        .read()
        .expect("a graph");
    let device = |factor| -> Arc<dyn Device> {
        Arc::new(Perturbed { cpu: CpuDevice::new(NonZeroUsize::new(1)).expect("a thread"), factor })
    };
    let alone = |factor| {
        let engine = Engine::builder().custom_device(device(factor)).build().expect("an engine");
        settle(&engine, &graph).expect("a run")
    };
    // Run separately, devices that differ so much stop at different iterations.
    let (expected, far) = (alone(1.0), alone(30.0));
    assert!(expected.0 < far.0, "{} and {} iterations", expected.0, far.0);
    for (factors, iterations) in
        [(&[1.0, 30.0][..], expected.0), (&[1.0, 1.001, 30.0], expected.0), (&[30.0, 1.0], far.0)]
    {
        let devices: Vec<Arc<dyn Device>> = factors.iter().map(|&factor| device(factor)).collect();
        let found =
            gts_graph::group::on_devices(&devices, |engine| settle(engine, &graph)).expect("ranks that stay together");
        assert_eq!(found[0].0, iterations, "rank 0 decides what all come to from values that all have");
        for other in &found[1..] {
            assert_eq!(other, &found[0]);
        }
    }
}
