//! A run on one rank: the passes over the rank's share of the pages, and the joint decisions of all ranks.

use super::between::AgreedTransport;
use super::work::WorkRecorder;
use super::{DistributedDevice, SharedGraph};
use crate::{Call, Group, Place};
use gts_contract::{Access, AttributeKind, KernelDescriptor, Merge, Merging, Schema, SharedWrites};
use gts_core::graph::{Graph, Vertex};
use gts_core::memory;
use gts_device::error::{Error, Result};
use gts_device::kernel::{EdgePass, Matched, Matching, SEARCH, SumChecks, VertexPass, merge_totals};
use gts_device::replicated::{Merged, SameGlobals, count_merged, record_merge, written};
use gts_device::trace::Trace;
use gts_device::{
    AnswerPiece, AnswerRequest, PageShare, PageShares, Pass, PassLimits, PassOutcome, PassRequest, Propagation,
    Session, value_bytes,
};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

pub(super) struct DistributedSession {
    graph: Graph,
    schema: &'static Schema,
    group: Arc<dyn Group>,
    way: AgreedTransport,
    own: Box<dyn Session>,
    shares: Arc<PageShares>,
    share: PageShare,
    /// The number of devices per rank.
    devices: usize,
    trace: Trace,
    recorder: Arc<WorkRecorder>,
    same_globals: SameGlobals,
    /// A hash of all results returned to the driver. The ranks compare this hash, because the driver may branch on the
    /// results.
    told: u64,
    /// The failure of an earlier pass, after which the ranks may differ.
    apart: Option<Error>,
}

/// A pass, and the place that identifies the pass on all ranks.
struct IdentifiedPass<'a> {
    kernel: &'static KernelDescriptor,
    place: Place,
    limits: &'a PassLimits,
}

impl IdentifiedPass<'_> {
    /// Runs `action` with a [`Call`] for this pass.
    fn call<T>(&self, action: impl FnOnce(&Call<'_>) -> Result<T>) -> Result<T> {
        let stopped = || if self.limits.over() { Err(self.limits.error(self.kernel)) } else { Ok(()) };
        action(&Call { place: &self.place, stopped: &stopped })
    }
}

impl DistributedSession {
    /// Creates the session of one rank from the session on the rank's own device and the distribution of the pages.
    pub(super) fn new(
        device: &DistributedDevice,
        shared: SharedGraph,
        schema: &'static Schema,
        (own, way): (Box<dyn Session>, AgreedTransport),
        trace: Trace,
    ) -> Self {
        let SharedGraph { graph, shares, share, .. } = shared;
        let (group, recorder) = (Arc::clone(&device.group), Arc::clone(&device.recorder));
        let devices = device.own.parts();
        let (same_globals, told, apart) = Default::default();
        Self { graph, schema, group, way, own, shares, share, devices, trace, recorder, same_globals, told, apart }
    }

    /// Begins a pass. From now on, an error that ends the group also sets the interrupt flag of the request.
    fn begin<'a>(&self, kernel: &'static KernelDescriptor, request: &'a PassRequest) -> Result<IdentifiedPass<'a>> {
        self.apart.clone().map_or(Ok(()), Err)?;
        self.group.tie(&request.limits.interrupt);
        let step = request.step;
        let same = (step, self.told, request.random, request.propagation, request.active_only, request.ends_step);
        let place = Place::new(format_args!("kernel `{}`, step {step}", kernel.name), same);
        Ok(IdentifiedPass { kernel, place, limits: &request.limits })
    }

    /// Returns the total number of devices of all ranks.
    fn all_devices(&self) -> u32 {
        (self.group.size() * self.devices) as u32
    }

    /// Adds a value to the hash of all results returned to the driver. Returns the value.
    fn tell<T: Hash>(&mut self, what: T) -> T {
        let mut hasher = DefaultHasher::new();
        (self.told, &what).hash(&mut hasher);
        self.told = hasher.finish();
        what
    }

    /// Returns `done`, after recording the error if the pass has failed. The ranks may differ after a failure.
    fn noted<T>(&mut self, done: Result<T>) -> Result<T> {
        done.inspect_err(|error| self.apart = Some(error.clone()))
    }

    /// Returns whether `own` is true on all ranks.
    fn all_agree(&self, pass: &IdentifiedPass<'_>, own: bool) -> Result<bool> {
        let answers = pass.call(|call| self.group.all_gather(call, &[own.into()]))?;
        Ok(answers.iter().all(|answer| answer[..] == [1]))
    }

    /// Unites the sets of vertices that the ranks have activated, and merges attributes at these vertices.
    fn unite(&mut self, pass: &IdentifiedPass<'_>, attributes: &[Merged]) -> Result<()> {
        let (vertices, own, group) = (self.graph.num_vertices(), self.own.as_mut(), self.group.as_ref());
        pass.call(|call| self.way.unite(own, (group, call), vertices, attributes))
    }

    /// Chooses, together with the other ranks, whether a pass pulls or pushes. If the ranks chose differently, edges
    /// would be visited twice or not at all.
    fn decide(
        &mut self,
        pass: &IdentifiedPass<'_>,
        kernel: &dyn EdgePass,
        request: &PassRequest,
    ) -> Result<PassRequest> {
        let request = PassRequest { share: self.share.clone(), ..request.within_a_step() };
        let may = kernel.descriptor().facts.pulls && request.neighbours.is_all();
        let asked = Pass::Edges(kernel);
        let decided = |pulls| {
            let propagation = request.propagation.decided(pulls);
            PassRequest { propagation, decided: true, ..request.clone() }
        };
        if may && request.propagation != Propagation::Push {
            let pulls = self.own.prepare(asked, &request)?.pulls;
            if self.all_agree(pass, pulls)? {
                let pulling = decided(true);
                // Another session may have allocated the memory that a device needs to pull.
                let ready = self.own.prepare(asked, &pulling)?.pulls;
                if self.all_agree(pass, ready)? {
                    return Ok(pulling);
                }
            }
        }
        let pushing = decided(false);
        self.own.prepare(asked, &pushing)?;
        Ok(pushing)
    }

    /// Prepares this rank for the writes of a pass. For attributes merged with [`Merge::Any`], returns the values from
    /// before the pass.
    fn keep(&mut self, written: &[Merged], merging: Merging) -> Result<Vec<Option<Vec<u8>>>> {
        if merging != Merging::Reduce {
            return Ok(Vec::new());
        }
        let mut before = Vec::new();
        for merged in written {
            if merged.merge == Merge::Sum && self.group.rank() != 0 {
                // The value from before the pass must be added only once.
                let zero = vec![0; value_bytes(self.schema, merged.attribute, merged.vertex_bytes)];
                self.own.fill(merged.attribute, &zero)?;
            }
            before.push(match merged.merge {
                Merge::Any => {
                    let mut values = memory::zeroed("values before a pass", merged.bytes())?;
                    self.own.read(merged.attribute, Vertex::from_dense(0), &mut values)?;
                    Some(values)
                }
                _ => None,
            });
        }
        Ok(before)
    }

    /// Runs an edge kernel on all ranks, and then makes the ranks' replicas equal. Each rank walks its share of the
    /// pages.
    fn shared(
        &mut self,
        pass: &IdentifiedPass<'_>,
        kernel: &dyn EdgePass,
        request: &PassRequest,
    ) -> Result<PassOutcome> {
        let descriptor = kernel.descriptor();
        let mut decided = self.decide(pass, kernel, request)?;
        let pulls = decided.propagation.pulls();
        let written = written(descriptor, request.sums, self.graph.num_vertices(), self.vertex_bytes());
        let merging = SharedWrites::of(descriptor).merging(&request.sides, pulls);
        let before = self.keep(&written, merging)?;
        if merging == Merging::Reduce && decided.sums == SumChecks::Whole && self.group.rank() != 0 {
            // Only the first rank holds the values from before the pass.
            decided.sums = SumChecks::Part;
        }
        let outcome = self.recorder.run(self.own.as_mut(), Pass::Edges(kernel), &decided)?;
        let mut sum = self.total(pass, &outcome)?;
        let begun = Instant::now();
        self.become_one(pass, merging, &written, &before)?;
        self.same_globals.note(descriptor, false);
        sum.merge_time = Some(begun.elapsed());
        if request.ends_step {
            sum.frontier = Some(self.advance_frontier()?);
        }
        let merging = merging.moved(self.way.transport(&written));
        count_merged(descriptor, self.graph.num_vertices(), &written, merging, &mut sum);
        record_merge(&self.trace, self.schema, &written, sum.merged, sum.merge_time.unwrap_or_default());
        if !request.active_only {
            let edges = |&side| self.graph.topology(side).map_or(0, |topology| topology.num_edges());
            sum.edges = request.sides.iter().map(edges).sum();
        }
        Ok(sum)
    }

    /// Makes the replicas of all ranks equal after a pass.
    fn become_one(
        &mut self,
        pass: &IdentifiedPass<'_>,
        merging: Merging,
        written: &[Merged],
        before: &[Option<Vec<u8>>],
    ) -> Result<()> {
        let group = Arc::clone(&self.group);
        let activates = !pass.kernel.facts.activates.is_empty();
        let own: Vec<Vec<Range<u64>>> = match merging {
            Merging::Gather(side) => {
                let of = |share: PageShare| self.graph.topology(side).map(|topology| share.vertices(topology));
                self.shares.groups_of(self.devices).filter_map(of).collect()
            }
            _ => Vec::new(),
        };
        for (place, merged) in written.iter().enumerate() {
            match merging {
                // `Unite` is handled below. `Broadcast` does not occur here: it is for kernels that run only on rank 0.
                Merging::Unite | Merging::Broadcast => {}
                Merging::Gather(_) => {
                    let session = self.own.as_mut();
                    pass.call(|call| self.way.gather(session, (group.as_ref(), call), merged, &own))?;
                }
                Merging::Reduce => {
                    let session = self.own.as_mut();
                    let before = before.get(place).and_then(Option::as_deref);
                    pass.call(|call| self.way.reduce(session, (group.as_ref(), call), merged, before))?;
                }
            }
        }
        match (activates, merging) {
            (true, Merging::Unite) => self.unite(pass, written),
            (true, _) => self.unite(pass, &[]),
            (false, _) => Ok(()),
        }
    }

    /// Returns the combined outcome of a pass on all ranks.
    fn total(&self, pass: &IdentifiedPass<'_>, own: &PassOutcome) -> Result<PassOutcome> {
        let told = pass.call(|call| self.group.all_gather(call, &encoded(own)))?;
        let outcomes: Vec<PassOutcome> = told.iter().map(|bytes| decoded(bytes)).collect();
        Ok(PassOutcome { technique: own.technique, devices: self.all_devices(), ..PassOutcome::total(&outcomes) })
    }

    /// Runs a pass only on rank 0, then copies the writes of rank 0 to the other ranks.
    fn alone(&mut self, pass: &IdentifiedPass<'_>, walk: Pass<'_>, request: &PassRequest) -> Result<PassOutcome> {
        let group = Arc::clone(&self.group);
        let mut told = match group.rank() {
            0 => encoded(&self.recorder.run(self.own.as_mut(), walk, request)?),
            _ => encoded(&PassOutcome::default()),
        };
        pass.call(|call| group.broadcast(call, &mut told))?;
        self.same_globals.note(pass.kernel, false);
        let begun = Instant::now();
        let mut merged = 0;
        for (attribute, bytes) in self.written_alone(pass.kernel) {
            merged += bytes as u64;
            let own = self.own.as_mut();
            pass.call(|call| self.way.broadcast(own, (group.as_ref(), call), attribute, bytes))?;
        }
        if !pass.kernel.facts.activates.is_empty() {
            self.unite(pass, &[])?;
        }
        record_merge(&self.trace, self.schema, &[], merged, begun.elapsed());
        Ok(PassOutcome { devices: 1, alone: true, merged, merged_at_most: merged, ..decoded(&told) })
    }

    /// Searches for a pattern only on rank 0, which then sends the matches to the other ranks.
    fn matches_of_first(
        &mut self,
        pass: &IdentifiedPass<'_>,
        matching: &Matching<'_>,
        request: &PassRequest,
    ) -> Result<(Matched, PassOutcome)> {
        let group = Arc::clone(&self.group);
        let (mut matched, mut told) = (Matched::default(), encoded(&PassOutcome::default()));
        if group.rank() == 0 {
            let outcome;
            (matched, outcome) = self.recorder.matches(self.own.as_mut(), matching, request)?;
            told = encoded(&outcome);
        }
        let mut matches = matched.matches.to_le_bytes();
        pass.call(|call| group.broadcast(call, &mut told))?;
        pass.call(|call| group.broadcast(call, &mut matches))?;
        if group.rank() != 0 {
            matched = Matched::with_room(u64::from_le_bytes(matches), matching)?;
        }
        let listed = bytemuck::cast_slice_mut(&mut matched.listed);
        if !listed.is_empty() {
            pass.call(|call| group.broadcast(call, listed))?;
        }
        Ok((matched, PassOutcome { devices: 1, alone: true, ..decoded(&told) }))
    }

    /// Returns the attributes that a kernel writes, including edge attributes, and the size of each attribute in bytes.
    fn written_alone(&self, kernel: &KernelDescriptor) -> Vec<(usize, usize)> {
        let mut found: Vec<(usize, usize)> = Vec::new();
        for used in kernel.facts.uses.iter().filter(|used| used.access != Access::Read) {
            let values = match kernel.schema.attributes[used.attribute].kind {
                AttributeKind::Wa { .. } => self.graph.num_vertices(),
                AttributeKind::EdgeWa { .. } => self.graph.num_edges(),
                _ => continue,
            };
            let bytes = values as usize * value_bytes(kernel.schema, used.attribute, self.vertex_bytes());
            if !found.contains(&(used.attribute, bytes)) {
                found.push((used.attribute, bytes));
            }
        }
        found
    }
}

/// The number of values in an encoded outcome.
const NUMBERS: usize = 10;

/// Encodes the outcome of a pass for other ranks.
fn encoded(outcome: &PassOutcome) -> Vec<u8> {
    // An unknown time is encoded as the maximum.
    let time = |time: Option<Duration>| time.map_or(u64::MAX, |time| time.as_nanos() as u64);
    let PassOutcome { edges, pages, bytes, copied, in_place, cached_pages, read, .. } = *outcome;
    let times = [time(outcome.link_busy), time(outcome.kernel_time)];
    let numbers: [u64; NUMBERS] =
        [edges, pages, bytes, copied, in_place, cached_pages, read, times[0], times[1], u64::from(outcome.pulled)];
    numbers.iter().flat_map(|number: &u64| number.to_le_bytes()).collect()
}

fn decoded(told: &[u8]) -> PassOutcome {
    let mut numbers = told.chunks_exact(8).map(|number| u64::from_le_bytes(bytemuck::pod_read_unaligned(number)));
    let mut next = || numbers.next().unwrap_or(0);
    let [edges, pages, bytes, copied, in_place, cached_pages, read, link, kernel, pulled] =
        std::array::from_fn::<u64, NUMBERS, _>(|_| next());
    let time = |nanoseconds| (nanoseconds != u64::MAX).then(|| Duration::from_nanos(nanoseconds));
    let (link_busy, kernel_time, pulled) = (time(link), time(kernel), pulled == 1);
    let outcome = PassOutcome { edges, pages, bytes, copied, in_place, cached_pages, read, ..PassOutcome::default() };
    PassOutcome { link_busy, kernel_time, pulled, ..outcome }
}

impl Session for DistributedSession {
    fn vertex_bytes(&self) -> usize {
        self.own.vertex_bytes()
    }

    fn write(&mut self, attribute: usize, first: Vertex, bytes: &[u8]) -> Result<()> {
        self.own.write(attribute, first, bytes)
    }

    fn read(&mut self, attribute: usize, first: Vertex, bytes: &mut [u8]) -> Result<()> {
        self.own.read(attribute, first, bytes)
    }

    fn read_each(&mut self, attribute: usize, vertices: &[Vertex], bytes: &mut [u8]) -> Result<()> {
        self.own.read_each(attribute, vertices, bytes)
    }

    fn answer(
        &mut self,
        request: &AnswerRequest,
        receive: &mut dyn FnMut(AnswerPiece<'_>) -> Result<()>,
    ) -> Result<()> {
        self.own.answer(request, receive)
    }

    fn fill(&mut self, attribute: usize, value: &[u8]) -> Result<()> {
        self.own.fill(attribute, value)
    }

    fn rotate(&mut self, ra: usize, wa: usize) -> Result<()> {
        self.own.rotate(ra, wa)
    }

    fn set_param(&mut self, attribute: usize, value: &[u8]) -> Result<()> {
        self.own.set_param(attribute, value)
    }

    fn reset_globals(&mut self, attributes: &[usize]) -> Result<()> {
        self.own.reset_globals(attributes)
    }

    fn global(&mut self, attribute: usize) -> Result<Vec<u8>> {
        let mut own = self.own.global(attribute)?;
        let declared = &self.schema.attributes[attribute];
        let AttributeKind::Global { merge } = declared.kind else { return Ok(own) };
        let place = Place::new(format_args!("global `{}`", declared.name), self.told);
        let call = Call::new(&place);
        if self.same_globals.has(attribute) {
            // Devices add values in different orders, so all ranks use the sum of rank 0.
            self.group.broadcast(&call, &mut own)?;
            return Ok(self.tell(own));
        }
        let mut parts = self.group.all_gather(&call, &own)?.into_iter();
        let mut total = parts.next().unwrap_or_default();
        for part in parts {
            merge_totals(declared.ty.scalar, merge, &mut total, &part);
        }
        Ok(self.tell(total))
    }

    fn activate(&mut self, v: Vertex) -> Result<()> {
        self.own.activate(v)
    }

    fn activate_all(&mut self) -> Result<()> {
        self.own.activate_all()
    }

    fn clear_frontier(&mut self) -> Result<()> {
        self.own.clear_frontier()
    }

    fn advance_frontier(&mut self) -> Result<u64> {
        // The ranks have united their sets, so the sets are equal.
        let size = self.own.advance_frontier()?;
        Ok(self.tell(size))
    }

    fn frontier_size(&mut self) -> Result<u64> {
        let size = self.own.frontier_size()?;
        Ok(self.tell(size))
    }

    fn activated(&mut self) -> Result<Vec<u64>> {
        self.own.activated()
    }

    fn activate_set(&mut self, words: &[u64]) -> Result<()> {
        self.own.activate_set(words)
    }

    fn extend(&mut self, kernel: &'static KernelDescriptor) -> Result<()> {
        self.schema = kernel.schema;
        self.own.extend(kernel)
    }

    fn edge_pass(&mut self, kernel: &dyn EdgePass, request: &PassRequest) -> Result<PassOutcome> {
        let descriptor = kernel.descriptor();
        let pass = self.begin(descriptor, request)?;
        let done = match SharedWrites::of(descriptor).alone {
            false => self.shared(&pass, kernel, request),
            true => self.alone(&pass, Pass::Edges(kernel), &request.within_a_step()),
        };
        self.noted(done)
    }

    fn matches(&mut self, matching: &Matching<'_>, request: &PassRequest) -> Result<(Matched, PassOutcome)> {
        let pass = self.begin(&SEARCH, request)?;
        let done = self.matches_of_first(&pass, matching, request);
        self.noted(done)
    }

    fn vertex_pass(&mut self, kernel: &dyn VertexPass, request: &PassRequest) -> Result<PassOutcome> {
        let descriptor = kernel.descriptor();
        let pass = self.begin(descriptor, request)?;
        let within = request.within_a_step();
        let done = match SharedWrites::of(descriptor).alone {
            // Every rank computes all values, which costs less than transferring the values.
            false => self.recorder.run(self.own.as_mut(), Pass::Vertices(kernel), &within).map(|outcome| {
                self.same_globals.note(descriptor, true);
                PassOutcome { devices: self.all_devices(), ..outcome }
            }),
            true => self.alone(&pass, Pass::Vertices(kernel), &within),
        };
        self.noted(done)
    }
}
