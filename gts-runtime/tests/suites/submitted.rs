//! Passes submitted to several devices before the host waits for any: their order, and the effect of failures. Devices
//! of one CPU thread stand for GPUs: they run a pass when it is submitted, and record every call.

use super::support;
use gts_contract::{KernelDescriptor, Schema};
use gts_core::build::BuildOptions;
use gts_graph::device::cpu::CpuDevice;
use gts_graph::device::replicated::{Before, Collective, HostCollective, Merged, Replica, ReplicatedDevice};
use gts_graph::device::{Device, Pass, PassOutcome, PassRequest, Readiness, Session, SessionOptions};
use gts_graph::kernel::{EdgePass, VertexPass};
use gts_graph::prelude::*;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

/// A call of a device or of the collective.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Call {
    Prepare(usize),
    Submit(usize),
    Collect,
    Close(usize),
    Wait(usize),
    Finish(usize),
    Settle,
}

/// The recorded calls, and the calls that must fail.
#[derive(Debug, Default)]
struct Script {
    calls: Vec<Call>,
    failing: Vec<Call>,
}

#[derive(Clone, Debug, Default)]
struct Log(Arc<Mutex<Script>>);

impl Log {
    /// Records a call. It fails once if requested.
    fn note(&self, call: Call) -> Result<()> {
        let mut script = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        script.calls.push(call);
        match script.failing.iter().position(|failing| *failing == call) {
            None => Ok(()),
            Some(place) => {
                script.failing.remove(place);
                Err(failure(call))
            }
        }
    }

    fn fail(&self, calls: &[Call]) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).failing = calls.to_vec();
    }

    fn take(&self) -> Vec<Call> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner).calls)
    }
}

fn failure(call: Call) -> Error {
    Error::argument("a test", format_args!("{call:?} shall fail"))
}

/// A device of one thread that receives passes before the host waits for them.
struct Submitting {
    number: usize,
    cpu: CpuDevice,
    log: Log,
}

impl Device for Submitting {
    fn name(&self) -> String {
        format!("device {}", self.number)
    }

    fn start(&self, graph: &Graph, schema: &'static Schema, options: &SessionOptions) -> Result<Box<dyn Session>> {
        let inner = self.cpu.start(graph, schema, options)?;
        Ok(Box::new(SubmittingSession { number: self.number, inner, under_way: None, log: self.log.clone() }))
    }
}

struct SubmittingSession {
    number: usize,
    inner: Box<dyn Session>,
    /// The outcome of a pass that the host has not waited for.
    under_way: Option<PassOutcome>,
    log: Log,
}

impl Session for SubmittingSession {
    fn prepare(&mut self, pass: Pass<'_>, request: &PassRequest) -> Result<Readiness> {
        self.log.note(Call::Prepare(self.number))?;
        Ok(Readiness { submits: true, ..self.inner.prepare(pass, request)? })
    }

    fn submit(&mut self, pass: Pass<'_>, request: &PassRequest) -> Result<()> {
        self.log.note(Call::Submit(self.number))?;
        let request = PassRequest { ends_step: false, ..request.clone() };
        self.under_way = Some(match pass {
            Pass::Edges(kernel) => self.inner.edge_pass(kernel, &request)?,
            Pass::Vertices(kernel) => self.inner.vertex_pass(kernel, &request)?,
        });
        Ok(())
    }

    fn close(&mut self, _: Pass<'_>, _: &PassRequest) -> Result<()> {
        self.log.note(Call::Close(self.number))
    }

    fn wait(&mut self, _: Pass<'_>, _: &PassRequest) -> Result<()> {
        assert!(self.under_way.is_some(), "device {} was given a pass", self.number);
        self.log.note(Call::Wait(self.number))
    }

    fn finish(&mut self, _: Pass<'_>, request: &PassRequest) -> Result<PassOutcome> {
        self.log.note(Call::Finish(self.number))?;
        let outcome = self.under_way.take().expect("a pass was submitted");
        let frontier = request.ends_step.then(|| self.inner.advance_frontier()).transpose()?;
        Ok(PassOutcome { frontier, ..outcome })
    }

    fn global(&mut self, attribute: usize) -> Result<Vec<u8>> {
        self.inner.global(attribute)
    }

    support::hands_on_to_inner!();
}

/// A collective through the host that claims to queue its work behind the sessions', and to keep nothing on the host.
struct Behind(Log);

impl Collective for Behind {
    fn submits(&self) -> bool {
        true
    }

    fn keep(&self, replicas: &mut [Replica<'_>], place: usize, attribute: &Merged) -> Result<Before> {
        HostCollective.keep(replicas, place, attribute)
    }

    fn reduce(
        &self,
        replicas: &mut [Replica<'_>],
        place: usize,
        attribute: &Merged,
        before: Option<&Before>,
    ) -> Result<()> {
        self.0.note(Call::Collect)?;
        HostCollective.reduce(replicas, place, attribute, before)
    }

    fn gather(
        &self,
        replicas: &mut [Replica<'_>],
        place: usize,
        attribute: &Merged,
        own: &[Vec<Range<u64>>],
        receivers: usize,
    ) -> Result<()> {
        self.0.note(Call::Collect)?;
        HostCollective.gather(replicas, place, attribute, own, receivers)
    }

    fn broadcast(&self, replicas: &mut [Replica<'_>], place: usize, attribute: &Merged) -> Result<()> {
        self.0.note(Call::Collect)?;
        HostCollective.broadcast(replicas, place, attribute)
    }

    fn unite(&self, replicas: &mut [Replica<'_>], vertices: u64, attributes: &[Merged]) -> Result<bool> {
        self.0.note(Call::Collect)?;
        HostCollective.unite(replicas, vertices, attributes)
    }

    fn settle(&self, _: &mut [Replica<'_>]) {
        self.0.note(Call::Settle).expect("the call does not fail");
    }
}

#[gts_attributes]
struct Work {
    #[wa(init = UNREACHED, merge = min)]
    pub level: u32,
    #[wa(init = 0, merge = wrapping_sum)]
    pub edges: u64,
    #[global(merge = sum)]
    pub vertices: u64,
}

#[gts_kernel(scan)]
fn add(work: &mut Work, src: Vertex, dst: Vertex) {
    work.edges[dst] += src.id() as u64;
}

#[gts_kernel(traverse)]
fn expand(work: &mut Work, src: Vertex, dst: Vertex) {
    if work.level[dst] == UNREACHED {
        work.level[dst] = step() + 1;
        activate(dst);
    }
}

#[gts_kernel(vertex)]
fn double(work: &mut Work, v: Vertex) {
    work.edges[v] = 2 * work.edges[v];
    work.vertices += 1;
}

const DEVICES: usize = 3;

/// The passes of a test.
type Passes = fn(&mut Run<Work>) -> Result<()>;

fn graph() -> Graph {
    Graph::reader("rmat:8,edge-factor=8,seed=3")
        .options(BuildOptions { page_size: Some(256), ..BuildOptions::default() })
        .read()
        .expect("a graph")
}

/// Returns an engine on such devices, and the log of their calls.
fn submitting() -> Result<(Engine, Log)> {
    let log = Log::default();
    let device = |number| {
        let cpu = CpuDevice::new(Some(NonZeroUsize::MIN))?;
        Ok(Arc::new(Submitting { number, cpu, log: log.clone() }) as Arc<dyn Device>)
    };
    let devices = (0..DEVICES).map(device).collect::<Result<_>>()?;
    let together = ReplicatedDevice::new(devices, Arc::new(Behind(log.clone())))?;
    Ok((Engine::builder().custom_device(Arc::new(together)).build()?, log))
}

/// Returns a call of each device in turn.
fn each(call: fn(usize) -> Call) -> impl Iterator<Item = Call> {
    (0..DEVICES).map(call)
}

#[test]
fn passes_are_submitted_to_all_before_any_is_waited_for() -> Result<()> {
    let graph = graph();
    let (engine, log) = submitting()?;
    let mut run = engine.start::<Work>(&graph)?;
    let in_order = |collect: &[Call], calls: Vec<Call>| {
        let calls: Vec<Call> = calls.into_iter().filter(|call| !matches!(call, Call::Prepare(_))).collect();
        let expected = each(Call::Submit)
            .chain(collect.iter().copied())
            .chain(each(Call::Close))
            .chain(each(Call::Wait))
            .chain(each(Call::Finish));
        assert_eq!(calls, expected.collect::<Vec<_>>());
    };
    run.scan(add)?;
    in_order(&[Call::Collect], log.take());
    // All devices have the same result: nothing moves.
    run.apply(double)?;
    in_order(&[], log.take());
    assert_eq!(run.global(Work::VERTICES)?, graph.num_vertices());
    run.activate(Vertex::from_dense(1))?;
    run.traverse(expand)?;
    let calls = log.take();
    assert!(calls.iter().filter(|call| **call == Call::Collect).count() > 2, "{calls:?}");

    let mut alone = Engine::cpu()?.start::<Work>(&graph)?;
    alone.scan(add)?;
    alone.apply(double)?;
    alone.activate(Vertex::from_dense(1))?;
    alone.traverse(expand)?;
    assert_eq!(run.take(Work::LEVEL)?, alone.take(Work::LEVEL)?);
    assert_eq!(run.take(Work::EDGES)?, alone.take(Work::EDGES)?);
    Ok(())
}

/// Runs passes with one failure, and checks the outcome of the others in flight.
fn check_failure(failing: &[Call], pass: Passes) -> Result<()> {
    let graph = graph();
    let (engine, log) = submitting()?;
    let mut run = engine.start::<Work>(&graph)?;
    run.activate(Vertex::from_dense(1))?;
    log.fail(failing);
    let first = failure(failing[0]).to_string();
    let error = pass(&mut run).expect_err("a failure");
    assert_eq!(error.to_string(), first, "{failing:?}");

    let calls = log.take();
    let count = |wanted: fn(&Call) -> bool| calls.iter().filter(|call| wanted(call)).count();
    let refused = |call: &&Call| matches!(call, Call::Submit(_)) && failing.contains(call);
    let submitted = count(|call| matches!(call, Call::Submit(_))) - calls.iter().filter(refused).count();
    assert_eq!(count(|call| matches!(call, Call::Wait(_))), submitted, "{failing:?}: {calls:?}");
    if matches!(failing[0], Call::Finish(_)) {
        assert_eq!(count(|call| matches!(call, Call::Finish(_))), DEVICES, "{failing:?}: {calls:?}");
    }
    assert_eq!(calls.last(), Some(&Call::Settle), "{failing:?}: {calls:?}");

    // Replicas differ now, and no pass runs on them.
    for pass in [pass, |run| run.scan(add), |run| run.apply(double)] {
        assert_eq!(pass(&mut run).expect_err("a refusal").to_string(), first, "{failing:?}");
    }
    assert_eq!(log.take(), [], "{failing:?}");
    // Another run on the same devices is not affected.
    let mut other = engine.start::<Work>(&graph)?;
    other.scan(add)
}

#[test]
fn a_pass_that_fails_is_waited_for_on_all_devices_and_no_other_follows() -> Result<()> {
    let passes: [Passes; 2] = [|run| run.scan(add), |run| run.traverse(expand).map(drop)];
    for pass in passes {
        for device in 0..DEVICES {
            for call in [Call::Submit, Call::Close, Call::Wait, Call::Finish] {
                check_failure(&[call(device)], pass)?;
            }
        }
        check_failure(&[Call::Collect], pass)?;
    }
    for call in [Call::Submit, Call::Wait, Call::Finish] {
        check_failure(&[call(1)], |run| run.apply(double))?;
    }
    Ok(())
}

#[test]
fn of_several_failures_the_first_is_told() -> Result<()> {
    let scan: Passes = |run| run.scan(add);
    check_failure(&[Call::Submit(1), Call::Wait(0)], scan)?;
    check_failure(&[Call::Collect, Call::Wait(0), Call::Wait(2)], scan)?;
    check_failure(&[Call::Close(2), Call::Wait(0)], scan)?;
    check_failure(&[Call::Wait(1), Call::Wait(2)], scan)?;
    check_failure(&[Call::Finish(0), Call::Finish(2)], scan)
}

#[test]
fn what_fails_before_a_pass_is_under_way_leaves_the_replicas_as_they_are() -> Result<()> {
    let graph = graph();
    let (engine, log) = submitting()?;
    let mut run = engine.start::<Work>(&graph)?;
    log.fail(&[Call::Prepare(1)]);
    assert_eq!(run.scan(add).expect_err("a failure").to_string(), failure(Call::Prepare(1)).to_string());
    assert!(!log.take().contains(&Call::Submit(0)));
    run.scan(add)?;
    let mut alone = Engine::cpu()?.start::<Work>(&graph)?;
    alone.scan(add)?;
    assert_eq!(run.take(Work::EDGES)?, alone.take(Work::EDGES)?);
    Ok(())
}
