//! A session on several devices. Each device has a replica of the attributes and a share of the pages.

use super::account::{SameGlobals, record_merge};
use super::collective::Collective;
use super::dealt::Adjusting;
use crate::error::{Error, Result};
use crate::kernel::{EdgePass, Matched, Matching, SumChecks, VertexPass, merge_totals};
use crate::replica::{Merged, Replica};
use crate::trace::Trace;
use crate::{AnswerPiece, AnswerRequest, PageShare, Pass, PassOutcome, PassRequest, Propagation, Readiness, Session};
use gts_contract::{AttributeKind, KernelDescriptor, Schema, SharedWrites};
use gts_core::graph::{Graph, Vertex};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;
use std::time::Duration;

pub(super) struct ReplicatedSession {
    pub graph: Graph,
    pub schema: &'static Schema,
    pub collective: Arc<dyn Collective>,
    pub shares: Vec<PageShare>,
    /// State for adjusting the shares, or `None` if the shares are final.
    pub(super) adjusting: Option<Adjusting>,
    pub trace: Trace,
    pub replicas: Vec<Box<dyn Session>>,
    pub same_globals: SameGlobals,
    /// The totals of globals in replicas that were dropped after the last reset of the global.
    pub dropped_globals: BTreeMap<usize, Vec<u8>>,
    /// The kernels, with their propagation, for which all devices have been prepared.
    pub prepared: HashSet<(usize, Propagation)>,
    /// Number of leaders, which are the first replicas and run the vertex kernels.
    pub leaders: usize,
    /// The attributes whose current values only the leaders have.
    pub behind: BTreeSet<usize>,
    /// Number of attributes in the initial schema. Later attributes belong to a derived kernel.
    own_attributes: usize,
    /// The failure of an earlier pass, if any. The replicas may differ after a failure.
    pub apart: Option<Error>,
}

impl ReplicatedSession {
    pub(crate) fn new(
        graph: Graph,
        schema: &'static Schema,
        collective: Arc<dyn Collective>,
        (shares, adjusting): (Vec<PageShare>, Option<Adjusting>),
        trace: Trace,
        replicas: Vec<Box<dyn Session>>,
        leaders: usize,
    ) -> Self {
        let (same_globals, dropped_globals, behind, prepared, apart) = Default::default();
        let own_attributes = schema.attributes.len();
        Self {
            graph,
            schema,
            collective,
            shares,
            adjusting,
            trace,
            replicas,
            same_globals,
            dropped_globals,
            prepared,
            leaders,
            behind,
            own_attributes,
            apart,
        }
    }

    pub(crate) fn first(&mut self) -> &mut dyn Session {
        self.replicas[0].as_mut()
    }

    fn all(&mut self, action: impl Fn(&mut dyn Session) -> Result<()>) -> Result<()> {
        self.replicas.iter_mut().try_for_each(|replica| action(replica.as_mut()))
    }

    /// Lends the given attributes of all replicas to `action`. If `action` fails, waits until no replica accesses
    /// another replica's memory.
    pub(crate) fn collect<T>(
        &mut self,
        attributes: &[Merged],
        action: impl FnOnce(&dyn Collective, &mut [Replica<'_>]) -> Result<T>,
    ) -> Result<T> {
        let attributes: Vec<usize> = attributes.iter().map(|merged| merged.attribute).collect();
        let lent = self.replicas.iter_mut().map(|replica| replica.lend(&attributes));
        let mut lent: Vec<Replica<'_>> = lent.collect::<Result<_>>()?;
        let done = action(self.collective.as_ref(), &mut lent);
        if done.is_err() {
            self.collective.settle(&mut lent);
        }
        done
    }

    /// Returns an error if an earlier pass failed, because the replicas may differ.
    pub(super) fn check_together(&self) -> Result<()> {
        self.apart.clone().map_or(Ok(()), Err)
    }

    /// Records a transfer of `bytes` bytes per replica between devices, which took `time` and has just ended.
    pub(crate) fn record(&self, merged: &[Merged], bytes: u64, time: Duration) {
        record_merge(&self.trace, self.schema, merged, bytes, time);
    }
}

impl Session for ReplicatedSession {
    fn vertex_bytes(&self) -> usize {
        self.replicas[0].vertex_bytes()
    }

    fn write(&mut self, attribute: usize, first: Vertex, bytes: &[u8]) -> Result<()> {
        self.all(|replica| replica.write(attribute, first, bytes))
    }

    fn read(&mut self, attribute: usize, first: Vertex, bytes: &mut [u8]) -> Result<()> {
        self.first().read(attribute, first, bytes)
    }

    fn read_each(&mut self, attribute: usize, vertices: &[Vertex], bytes: &mut [u8]) -> Result<()> {
        self.first().read_each(attribute, vertices, bytes)
    }

    fn answer(
        &mut self,
        request: &AnswerRequest,
        receive: &mut dyn FnMut(AnswerPiece<'_>) -> Result<()>,
    ) -> Result<()> {
        self.first().answer(request, receive)
    }

    fn fill(&mut self, attribute: usize, value: &[u8]) -> Result<()> {
        self.behind.remove(&attribute);
        self.all(|replica| replica.fill(attribute, value))
    }

    fn rotate(&mut self, ra: usize, wa: usize) -> Result<()> {
        match self.behind.remove(&wa) {
            true => self.behind.insert(ra),
            false => self.behind.remove(&ra),
        };
        self.all(|replica| replica.rotate(ra, wa))
    }

    fn set_param(&mut self, attribute: usize, value: &[u8]) -> Result<()> {
        self.all(|replica| replica.set_param(attribute, value))
    }

    fn reset_globals(&mut self, attributes: &[usize]) -> Result<()> {
        self.dropped_globals.retain(|attribute, _| !attributes.contains(attribute));
        self.all(|replica| replica.reset_globals(attributes))
    }

    fn global(&mut self, attribute: usize) -> Result<Vec<u8>> {
        let mut total = self.first().global(attribute)?;
        let same = self.same_globals.has(attribute);
        let (AttributeKind::Global { merge }, false) = (self.schema.attributes[attribute].kind, same) else {
            return Ok(total);
        };
        let scalar = self.schema.attributes[attribute].ty.scalar;
        for replica in &mut self.replicas[1..] {
            merge_totals(scalar, merge, &mut total, &replica.global(attribute)?);
        }
        if let Some(dropped) = self.dropped_globals.get(&attribute) {
            merge_totals(scalar, merge, &mut total, dropped);
        }
        Ok(total)
    }

    fn activate(&mut self, v: Vertex) -> Result<()> {
        self.all(|replica| replica.activate(v))
    }

    fn activate_all(&mut self) -> Result<()> {
        self.all(|replica| replica.activate_all())
    }

    fn clear_frontier(&mut self) -> Result<()> {
        self.all(|replica| replica.clear_frontier())
    }

    fn advance_frontier(&mut self) -> Result<u64> {
        let mut sizes =
            self.replicas.iter_mut().map(|replica| replica.advance_frontier()).collect::<Result<Vec<_>>>()?;
        Ok(sizes.swap_remove(0))
    }

    fn frontier_size(&mut self) -> Result<u64> {
        self.first().frontier_size()
    }

    fn activated(&mut self) -> Result<Vec<u64>> {
        self.first().activated()
    }

    fn activate_set(&mut self, words: &[u64]) -> Result<()> {
        self.all(|replica| replica.activate_set(words))
    }

    fn extend(&mut self, kernel: &'static KernelDescriptor) -> Result<()> {
        // Attributes after the session's own belonged to another kernel.
        self.behind.retain(|attribute| *attribute < self.own_attributes);
        self.schema = kernel.schema;
        self.all(|replica| replica.extend(kernel))
    }

    fn lend(&mut self, attributes: &[usize]) -> Result<Replica<'_>> {
        if self.is_led() {
            return Err(Error::argument("devices of several kinds", "they cannot be one of several that share a run"));
        }
        self.check_together()?;
        self.first().lend(attributes)
    }

    fn spread(&mut self, attributes: &[usize], activated: bool) -> Result<()> {
        // Only the first replica stores edge values, so only vertex values are copied.
        let is_of_vertices = |attribute: &usize| {
            matches!(self.schema.attributes[*attribute].kind, AttributeKind::Wa { .. } | AttributeKind::Ra { .. })
        };
        let of_vertices = attributes.iter().copied().filter(is_of_vertices);
        let merged: Vec<Merged> = of_vertices.map(|attribute| self.merged(attribute)).collect();
        let vertices = self.graph.num_vertices();
        let done = self.collect(&merged, |collective, lent| {
            let mut columns = merged.iter().enumerate();
            columns.try_for_each(|(place, column)| collective.broadcast(lent, place, column))?;
            if activated {
                // The union equals the first replica's set, which contains all other sets.
                collective.unite(lent, vertices, &[])?;
            }
            collective.settle(lent);
            Ok(())
        });
        self.told(done)
    }

    fn prepare(&mut self, pass: Pass<'_>, request: &PassRequest) -> Result<Readiness> {
        let requests = self.requests(request);
        let ready = self.prepare_all(pass, &requests)?;
        Ok(Readiness { pulls: ready.iter().all(|ready| ready.pulls), ..Readiness::default() })
    }

    fn edge_pass(&mut self, kernel: &dyn EdgePass, request: &PassRequest) -> Result<PassOutcome> {
        self.check_together()?;
        self.deal_again()?;
        let descriptor = kernel.descriptor();
        match SharedWrites::of(descriptor).alone {
            true => self.alone(descriptor, |first| first.edge_pass(kernel, &request.within_a_step())),
            false => self.shared(kernel, request),
        }
    }

    fn matches(&mut self, matching: &Matching<'_>, request: &PassRequest) -> Result<(Matched, PassOutcome)> {
        self.check_together()?;
        let (matches, outcome) = self.first().matches(matching, request)?;
        Ok((matches, PassOutcome { devices: 1, alone: true, ..outcome }))
    }

    fn vertex_pass(&mut self, kernel: &dyn VertexPass, request: &PassRequest) -> Result<PassOutcome> {
        self.check_together()?;
        self.deal_again()?;
        let descriptor = kernel.descriptor();
        let is_led = self.is_led();
        // The sets of active vertices must remain equal on all replicas, so a pass that changes the sets runs on all
        // replicas.
        let leaders_do = is_led && descriptor.facts.activates.is_empty() && !request.ends_step;
        // Approximate functions may have different last bits on devices of different kinds.
        let differs = is_led && !leaders_do && descriptor.facts.approximate;
        if SharedWrites::of(descriptor).alone || differs {
            return self.alone(descriptor, |first| first.vertex_pass(kernel, &request.within_a_step()));
        }
        let count = if leaders_do { self.leaders } else { self.replicas.len() };
        let (moved, time) = if leaders_do { (0, Duration::ZERO) } else { self.catch_up(descriptor)? };
        // Every device computes all values, because moving values would take longer.
        let outcomes = self.on_first(count, Pass::Vertices(kernel), request)?;
        self.same_globals.note(descriptor, true);
        if leaders_do {
            self.leave_behind(&self.written(descriptor, SumChecks::None));
        }
        let merge_time = (moved > 0).then_some(time);
        Ok(PassOutcome { devices: count as u32, merged: moved, merged_at_most: moved, merge_time, ..outcomes[0] })
    }
}

impl Drop for ReplicatedSession {
    fn drop(&mut self) {
        // A replica may still access the memory of an earlier replica, so the last replica is dropped first.
        while self.replicas.pop().is_some() {}
    }
}

/// Checks that all sessions of a run store vertex numbers with the same width.
pub(crate) fn check(replicas: &[Box<dyn Session>]) -> Result<()> {
    let widths = replicas.iter().map(|replica| replica.vertex_bytes());
    match widths.clone().next() {
        Some(first) if widths.clone().all(|width| width == first) => Ok(()),
        _ => Err(Error::argument("several devices", "give one or more that store vertex numbers alike")),
    }
}
