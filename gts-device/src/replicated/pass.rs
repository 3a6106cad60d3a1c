//! Passes that replicas share: all devices run the pass, and a collective then makes the replicas equal.

use super::account::{count_merged, written};
use super::collective::Before;
use super::session::ReplicatedSession;
use crate::at_once::at_once;
use crate::error::{Error, Result};
use crate::kernel::{EdgePass, SumChecks};
use crate::replica::Merged;
use crate::{Pass, PassOutcome, PassRequest, Propagation, Readiness, Session, value_bytes};
use gts_contract::{KernelDescriptor, Merge, Merging, SharedWrites, Side};
use gts_core::graph::Graph;
use std::ops::Range;
use std::time::{Duration, Instant};

/// Total size of pages in bytes below which one thread prepares all devices, because starting threads would take longer
/// than loading the pages.
const FEW_BYTES: u64 = 16 << 20;

/// The plan of a shared pass: the request for each device, and the merge of the devices' writes.
struct Plan {
    /// One request per device.
    requests: Vec<PassRequest>,
    /// The method that merges the replicas' writes, or `None` if all devices compute the same values.
    merging: Option<Merging>,
    written: Vec<Merged>,
    /// For each written attribute, the values from before the pass if the attribute's merge is [`Merge::Any`].
    before: Vec<Option<Before>>,
}

/// Results of a pass on all devices.
struct Done {
    outcomes: Vec<PassOutcome>,
    /// The time taken to make the replicas equal.
    time: Duration,
    /// The longest times among the leaders and among the followers, if there are followers.
    kinds_time: Option<[Duration; 2]>,
    /// Whether the merge moved the values of all vertices although only the activated vertices required it.
    whole: bool,
}

impl ReplicatedSession {
    pub(crate) fn written(&self, kernel: &'static KernelDescriptor, sums: SumChecks) -> Vec<Merged> {
        written(kernel, sums, self.graph.num_vertices(), self.vertex_bytes())
    }

    /// Returns an attribute's layout and merge. Attributes other than `wa`s are only copied, so their merge is
    /// irrelevant.
    pub(crate) fn merged(&self, attribute: usize) -> Merged {
        Merged::of(self.schema, attribute, self.graph.num_vertices(), self.vertex_bytes())
    }

    /// Runs `action` only on the first device, and then copies the kernel's writes to the other devices.
    pub(crate) fn alone(
        &mut self,
        kernel: &'static KernelDescriptor,
        action: impl FnOnce(&mut dyn Session) -> Result<PassOutcome>,
    ) -> Result<PassOutcome> {
        let outcome = action(self.first())?;
        self.same_globals.note(kernel, false);
        let begun = Instant::now();
        let written = self.written(kernel, SumChecks::None);
        let plan = Plan { requests: Vec::new(), merging: Some(Merging::Broadcast), written, before: Vec::new() };
        let done = self.end(kernel, &plan);
        self.told(done)?;
        self.have_caught_up(&plan.written);
        let merged = plan.written.iter().map(|merged| merged.bytes() as u64).sum();
        self.record(&plan.written, merged, begun.elapsed());
        Ok(PassOutcome { devices: 1, alone: true, merged, merged_at_most: merged, ..outcome })
    }

    /// Runs an edge kernel on all devices and then makes the replicas equal. Each device walks its share of the pages.
    pub(crate) fn shared(&mut self, kernel: &dyn EdgePass, request: &PassRequest) -> Result<PassOutcome> {
        let descriptor = kernel.descriptor();
        let (moved, catching_up) = self.catch_up(descriptor)?;
        let pass = Pass::Edges(kernel);
        let requests = self.requests(request);
        let (mut decided, pulls, ready) = self.decide(pass, &requests)?;
        let written = self.written(descriptor, request.sums);
        let merging = SharedWrites::of(descriptor).merging(&request.sides, pulls);
        if merging == Merging::Reduce && request.sums == SumChecks::Whole {
            // Only the first replica holds the values from before the pass.
            decided[1..].iter_mut().for_each(|request| request.sums = SumChecks::Part);
        }
        let before = self.begin(&written, merging)?;
        let on_host = before.iter().any(|before| matches!(before, Some(Before::Host(_))));
        // Checking totals requires waiting for the devices.
        let submits = ready && self.collective.submits() && !on_host && request.sums == SumChecks::None;
        let plan = Plan { requests: decided, merging: Some(merging), written, before };

        let done = match submits {
            true => self.submitted(pass, &plan, &requests),
            false => self.awaited(kernel, &plan),
        };
        let Done { outcomes, time, kinds_time, whole } = self.told(done)?;
        self.same_globals.note(descriptor, false);
        let mut sum = PassOutcome::total(&outcomes);
        if let Some(Merging::Gather(_)) = plan.merging {
            self.leave_behind(&plan.written);
        }
        let merge_time = Some(time + catching_up);
        (sum.devices, sum.merge_time, sum.kinds_time) = (outcomes.len() as u32, merge_time, kinds_time);
        sum.adjustment = kinds_time.and_then(|times| self.observe(pass, request, times, time + catching_up));
        sum.frontier = outcomes.first().and_then(|first| first.frontier);
        if request.ends_step && sum.frontier.is_none() {
            sum.frontier = Some(self.advance_frontier()?);
        }
        let merging = if whole { Merging::Reduce } else { merging };
        count_merged(descriptor, self.graph.num_vertices(), &plan.written, merging, &mut sum);
        self.record(&plan.written, sum.merged, time);
        sum.merged += moved;
        sum.merged_at_most += moved;
        if !request.active_only {
            let edges =
                |&side: &Side| self.graph.topology(side).map_or(0, |topology| request.share.num_edges(topology));
            sum.edges = request.sides.iter().map(edges).sum();
        }
        Ok(sum)
    }

    /// Returns one request per device. If `request` is restricted to a share, the share must contain one part per
    /// device.
    pub(crate) fn requests(&self, request: &PassRequest) -> Vec<PassRequest> {
        let shares = if request.share.is_whole() { self.shares.clone() } else { request.share.each().collect() };
        shares.into_iter().map(|share| PassRequest { share, ..request.clone() }).collect()
    }

    /// Selects pulling or pushing for all devices, and prepares the devices. Returns one request per device, whether
    /// the pass pulls, and whether one thread can submit the pass to all devices.
    fn decide(&mut self, pass: Pass<'_>, requests: &[PassRequest]) -> Result<(Vec<PassRequest>, bool, bool)> {
        let is_decided = requests.iter().all(|request| request.decided);
        let mut pulls = match is_decided {
            true => requests.iter().all(|request| request.propagation.pulls()),
            false => self.agree(pass, requests)?,
        };
        loop {
            let decided = |request: &PassRequest| PassRequest {
                propagation: request.propagation.decided(pulls),
                decided: true,
                ..request.clone()
            };
            let decided: Vec<PassRequest> = requests.iter().map(decided).collect();
            let ready = self.prepare_all(pass, &decided)?;
            // Another session may have allocated the memory that a device needs to pull.
            if pulls && !is_decided && !ready.iter().all(|ready| ready.pulls) {
                pulls = false;
                continue;
            }
            return Ok((decided, pulls, ready.iter().all(|ready| ready.submits)));
        }
    }

    /// Returns whether all devices can pull in a pass. If some devices pulled and others pushed, the pass would walk
    /// edges twice or not at all. If the followers pull, a leader that lacks memory can pull along streamed pages.
    fn agree(&mut self, pass: Pass<'_>, requests: &[PassRequest]) -> Result<bool> {
        let may = pass.descriptor().facts.pulls && requests.iter().all(|request| request.neighbours.is_all());
        if !may || requests.iter().any(|request| request.propagation == Propagation::Push) {
            return Ok(false);
        }
        let ready = self.prepare_all(pass, requests)?;
        // Streaming on the leaders is faster than pushing on the followers. A follower that pushes needs an atomic
        // update per edge, whereas a leader that streams still retains the pages that fit into its memory.
        let (leaders, followers) = ready.split_at(self.leaders.min(ready.len()));
        let may_stream = !followers.is_empty() && followers.iter().all(|ready| ready.pulls);
        Ok(leaders.iter().chain(followers).all(|ready| ready.pulls || (may_stream && ready.lacks_room)))
    }

    /// Prepares all devices for a pass, each with its own request.
    pub(super) fn prepare_all(&mut self, pass: Pass<'_>, requests: &[PassRequest]) -> Result<Vec<Readiness>> {
        let propagation = requests.first().map_or(Propagation::Auto, |request| request.propagation);
        let known = !self.prepared.insert((key(pass), propagation));
        prepare(&self.graph, &mut self.replicas, pass, requests, known)
    }

    /// Records a failure, after which the replicas may differ.
    pub(crate) fn told<T>(&mut self, done: Result<T>) -> Result<T> {
        done.inspect_err(|error| self.apart = Some(error.clone()))
    }

    /// Prepares the replicas for a pass's writes. Returns the saved values of the attributes whose merge is
    /// [`Merge::Any`].
    fn begin(&mut self, written: &[Merged], merging: Merging) -> Result<Vec<Option<Before>>> {
        if merging != Merging::Reduce {
            return Ok(Vec::new());
        }
        for merged in written.iter().filter(|merged| merged.merge == Merge::Sum) {
            // Only the first replica may contribute the value from before the pass to the sum.
            let zero = vec![0; value_bytes(self.schema, merged.attribute, merged.vertex_bytes)];
            self.replicas[1..].iter_mut().try_for_each(|replica| replica.fill(merged.attribute, &zero))?;
        }
        if written.iter().all(|merged| merged.merge != Merge::Any) {
            return Ok(Vec::new());
        }
        self.collect(written, |collective, lent| {
            let keep = |(place, merged): (usize, &Merged)| {
                (merged.merge == Merge::Any).then(|| collective.keep(lent, place, merged)).transpose()
            };
            written.iter().enumerate().map(keep).collect()
        })
    }

    /// Makes the replicas equal after a pass. Returns whether the merge moved the values of all vertices although only
    /// the activated vertices required it.
    fn end(&mut self, kernel: &KernelDescriptor, plan: &Plan) -> Result<bool> {
        let Some(merging) = plan.merging else { return Ok(false) };
        let (activates, vertices) = (!kernel.facts.activates.is_empty(), self.graph.num_vertices());
        let own: Vec<Vec<Range<u64>>> = match merging {
            Merging::Gather(side) => {
                let topology = self.graph.topology(side);
                let of = |request: &PassRequest| topology.map(|topology| request.share.vertices(topology));
                plan.requests.iter().filter_map(of).collect()
            }
            _ => Vec::new(),
        };
        let receivers = self.leaders;
        self.collect(&plan.written, |collective, lent| {
            for (place, merged) in plan.written.iter().enumerate() {
                match merging {
                    Merging::Unite => {}
                    Merging::Broadcast => collective.broadcast(lent, place, merged)?,
                    Merging::Gather(_) => collective.gather(lent, place, merged, &own, receivers)?,
                    Merging::Reduce => {
                        let before = plan.before.get(place).and_then(Option::as_ref);
                        collective.reduce(lent, place, merged, before)?;
                    }
                }
            }
            match activates {
                true if merging == Merging::Unite => collective.unite(lent, vertices, &plan.written),
                true => collective.unite(lent, vertices, &[]).map(|_| false),
                false => Ok(false),
            }
        })
    }

    /// Submits a pass to all devices before waiting for any device. After a failure, waits until no replica accesses
    /// another replica's memory.
    fn submitted(&mut self, pass: Pass<'_>, plan: &Plan, requests: &[PassRequest]) -> Result<Done> {
        let done = self.under_way(pass, plan, requests);
        if done.is_err() {
            // Return the first failure, not a failure of `settle`.
            let _ = self.settle();
        }
        done
    }

    /// Submits a pass to all devices and waits for it. Before the wait, enqueues the work that makes the replicas equal
    /// and ends the step.
    fn under_way(&mut self, pass: Pass<'_>, plan: &Plan, requests: &[PassRequest]) -> Result<Done> {
        let mut under_way = 0;
        let mut result = Ok(());
        let mut whole = false;
        for (replica, request) in self.replicas.iter_mut().zip(&plan.requests) {
            result = replica.submit(pass, request);
            if result.is_err() {
                break;
            }
            under_way += 1;
        }
        if result.is_ok() {
            result = self.end(pass.descriptor(), plan).map(|all| whole = all);
        }
        if result.is_ok() {
            let mut each = self.replicas.iter_mut().zip(requests);
            result = each.try_for_each(|(replica, request)| replica.close(pass, request));
        }
        // Wait for every submitted pass, even after a failure. Call `wait` on all devices before `finish` on any
        // device: `finish` waits for the passes of all devices, but only `wait` enforces the time limit.
        let each = self.replicas[..under_way].iter_mut().zip(requests);
        let waited: Vec<Result<()>> = each.map(|(replica, request)| replica.wait(pass, request)).collect();
        result?;
        Error::all(waited)?;
        let each = self.replicas.iter_mut().zip(requests);
        let finished: Vec<Result<PassOutcome>> = each.map(|(replica, request)| replica.finish(pass, request)).collect();
        let outcomes = Error::all(finished)?;
        // The slowest device did not wait for other devices, so the shortest merge time contains no waiting time.
        let time = outcomes.iter().filter_map(|outcome| outcome.merge_time).min().unwrap_or_default();
        Ok(Done { outcomes, time, kinds_time: None, whole })
    }

    /// Waits until no replica accesses another replica's memory.
    pub(crate) fn settle(&mut self) -> Result<()> {
        self.collect(&[], |collective, lent| {
            collective.settle(lent);
            Ok(())
        })
    }

    /// Runs a pass on all devices concurrently, with one thread per device, and then makes the replicas equal.
    fn awaited(&mut self, kernel: &dyn EdgePass, plan: &Plan) -> Result<Done> {
        let requests: Vec<PassRequest> = plan.requests.iter().map(PassRequest::within_a_step).collect();
        let timed = at_once(&mut self.replicas, |index, replica| {
            let begun = Instant::now();
            Ok((replica.edge_pass(kernel, &requests[index])?, begun.elapsed()))
        })?;
        let (outcomes, times): (Vec<PassOutcome>, Vec<Duration>) = timed.into_iter().unzip();
        let (leaders, followers) = times.split_at(self.leaders);
        let longest = |times: &[Duration]| times.iter().max().copied();
        let kinds_time = longest(leaders).zip(longest(followers)).map(<[Duration; 2]>::from);
        let begun = Instant::now();
        let whole = self.end(kernel.descriptor(), plan)?;
        self.settle()?;
        Ok(Done { outcomes, time: begun.elapsed(), kinds_time, whole })
    }

    /// Runs a pass on the first `count` devices. Each of these devices computes all values.
    pub(super) fn on_first(&mut self, count: usize, pass: Pass<'_>, request: &PassRequest) -> Result<Vec<PassOutcome>> {
        let requests = vec![request.clone(); count];
        let replicas = &mut self.replicas[..count];
        let ready = prepare(&self.graph, replicas, pass, &requests, true)?;
        if !ready.iter().all(|ready| ready.submits) {
            let request = request.within_a_step();
            let done = at_once(replicas, |_, replica| pass.run(replica.as_mut(), &request));
            return self.told(done);
        }
        let nothing = Plan { requests, merging: None, written: Vec::new(), before: Vec::new() };
        let done = self.submitted(pass, &nothing, &nothing.requests);
        Ok(self.told(done)?.outcomes)
    }
}

/// Returns a number that identifies a pass's kernel.
pub(crate) fn key(pass: Pass<'_>) -> usize {
    // Descriptors are statics, so their addresses are unique and stable.
    std::ptr::from_ref(pass.descriptor()).addr()
}

/// Prepares replicas for a pass, with one thread per replica. If `were` is set because the replicas have been prepared
/// before, or if there are few pages, starting threads would take longer. The calling thread then prepares all
/// replicas.
fn prepare(
    graph: &Graph,
    replicas: &mut [Box<dyn Session>],
    pass: Pass<'_>,
    requests: &[PassRequest],
    were: bool,
) -> Result<Vec<Readiness>> {
    let bytes = |request: &PassRequest| -> u64 {
        request.sides.iter().filter_map(|&side| graph.topology(side)).map(|topology| topology.bytes()).sum()
    };
    if were || requests.first().is_none_or(|request| bytes(request) < FEW_BYTES) {
        return replicas.iter_mut().zip(requests).map(|(replica, request)| replica.prepare(pass, request)).collect();
    }
    at_once(replicas, |index, replica| replica.prepare(pass, &requests[index]))
}
