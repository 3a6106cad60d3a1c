//! The exchange between replicas on GPUs that reach each other's memory: no byte passes through the host, and streams wait
//! for each other without it.
#![allow(unsafe_code)]

use super::driver::Buffer;
use super::pass::{Loaded, Submitted};
use super::session::CudaSession;
use super::shared::{Shared, alone};
use super::streaming::Pool;
use crate::device::at_once::at_once;
use crate::device::replicated::{Exchange, HostExchange, Merged, shared_out};
use crate::device::{PassOutcome, PassRequest, Session};
use crate::error::{Error, Result};
use crate::kernel::{EdgePass, VertexPass};
use gts_core::contract::{KernelDescriptor, Merge, ScalarType};
use gts_core::graph::Graph;
use std::any::Any;
use std::sync::{Arc, PoisonError};
use std::time::Instant;

/// Most replicas of an attribute: `GTS_REPLICAS`.
const REPLICAS: usize = 16;
/// Blocks of a merge: enough loads under way to fill a link, whatever the number of elements.
const BLOCKS: u64 = 1024;
/// Bytes that a thread merges at a time.
const QUAD: u64 = 16;

/// What a merge is launched with: `gts_replicas`.
#[derive(Clone, Copy, Debug, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub(super) struct MergeArguments {
    memory: [u64; REPLICAS],
    count: u64,
    begin: u64,
    end: u64,
}

/// Peer-to-peer copies and kernels that read and write the memory of all replicas.
#[derive(Clone, Copy, Debug)]
pub(super) struct PeerExchange;

impl PeerExchange {
    /// The exchange of these devices, where each reaches every other.
    pub(super) fn between(devices: &[Arc<Shared>]) -> Result<Option<Self>> {
        if devices.len() > REPLICAS {
            return Ok(None);
        }
        for (index, device) in devices.iter().enumerate() {
            // Passes on one device take turns; here all are under way at the same time.
            if devices[..index].iter().any(|earlier| Arc::ptr_eq(earlier, device)) {
                return Ok(None);
            }
            for other in devices {
                if !device.context.reach(&other.context)? {
                    return Ok(None);
                }
            }
        }
        Ok(Some(Self))
    }

    /// Lets the devices combine attributes once all passes that were submitted are over.
    fn merge_after_passes<'a>(sessions: &[&CudaSession], written: impl Iterator<Item = &'a Merged<'a>>) -> Result<()> {
        for session in sessions {
            for other in sessions {
                session.kit.stream.wait(&other.kit.ended)?;
            }
        }
        for merged in written {
            Self::merge(sessions, &memories(sessions, merged)?, merged.bytes() as u64, merged.scalar, merged.merge)?;
        }
        sessions.iter().try_for_each(|session| session.kit.stream.record(&session.kit.merged))
    }

    /// Submits the combination of memory that all replicas have of the same size; every device takes a range of it.
    fn merge(
        sessions: &[&CudaSession],
        buffers: &[&Buffer],
        bytes: u64,
        scalar: ScalarType,
        merge: Merge,
    ) -> Result<()> {
        let mut memory = [0; REPLICAS];
        for (address, buffer) in memory.iter_mut().zip(buffers) {
            assert!(bytes <= buffer.bytes() as u64, "replicas have the same size");
            *address = buffer.address();
        }
        let (count, quads) = (sessions.len() as u64, bytes.div_ceil(QUAD));
        for (index, session) in (0..).zip(sessions) {
            let (begin, end) = (quads * index / count, quads * (index + 1) / count);
            if begin == end {
                continue;
            }
            let context = session.context();
            let function = session.shared.kernels.merge(context, session.vertex_bytes, scalar, merge)?;
            let arguments = MergeArguments { memory, count, begin, end };
            let slots: &[u64] = bytemuck::cast_slice(std::slice::from_ref(&arguments));
            let blocks = (end - begin).div_ceil(256).clamp(1, BLOCKS) as u32;
            // SAFETY: all replicas have that many quads, buffers end at a multiple of 16 bytes, every device reaches the
            // memory of every other, and their ranges are apart.
            unsafe { function.launch(&session.kit.stream, (blocks, 1), &[slots]) }?;
        }
        Ok(())
    }
}

/// A session in a pass.
struct Member<'a> {
    session: &'a mut CudaSession,
    /// The place of the pool that it streams through, until its pass is submitted.
    pool: Option<&'a mut Option<Pool>>,
    loaded: Loaded,
    request: &'a PassRequest,
}

impl<'a> Member<'a> {
    fn submit(&mut self, graph: &'a Graph, kernel: &'static KernelDescriptor) -> Result<Submitted<'a>> {
        self.session.submit_edges(graph, self.pool.take(), self.loaded, kernel, self.request, None)
    }

    /// Waits for the pass itself, not for the merges that follow it in the stream.
    fn wait(&self, kernel: &'static KernelDescriptor) -> Result<()> {
        self.session.watch(kernel, self.request).wait(&self.session.kit.ended)
    }

    fn finish(&mut self, submitted: Submitted<'_>, kernel: &'static KernelDescriptor) -> Result<PassOutcome> {
        let outcome = self.session.finish_edges(submitted, kernel, self.request)?;
        // What follows the pass in the stream merges.
        self.session.kit.stream.synchronize(kernel.name)?;
        Ok(outcome)
    }
}

fn in_pass<'m>(members: &'m [Member<'_>]) -> Vec<&'m CudaSession> {
    members.iter().map(|member| &*member.session).collect()
}

/// Brings the pages of a pass to all devices, or makes them stream.
fn load(
    sessions: &mut [&mut CudaSession],
    kernel: &'static KernelDescriptor,
    requests: &[PassRequest],
) -> Result<Vec<Loaded>> {
    if sessions.iter().zip(requests).all(|(session, request)| session.is_loaded(request)) {
        return Ok(vec![Loaded::default(); sessions.len()]);
    }
    at_once(sessions, |index, session| session.load_pages(kernel, &requests[index]))
}

/// The replicas of an attribute.
fn memories<'a>(sessions: &[&'a CudaSession], merged: &Merged<'_>) -> Result<Vec<&'a Buffer>> {
    sessions.iter().map(|session| session.memory(merged.attribute)).collect()
}

/// The sessions behind the replicas.
fn sessions(replicas: &mut [Box<dyn Session>]) -> Result<Vec<&mut CudaSession>> {
    let sessions = replicas.iter_mut().map(|replica| {
        let any: &mut dyn Any = replica.as_mut();
        any.downcast_mut::<CudaSession>().ok_or_else(|| Error::argument("an exchange of GPUs", "all devices are GPUs"))
    });
    sessions.collect()
}

/// The sessions behind the replicas; all work that was put into their streams is done.
fn rested(replicas: &mut [Box<dyn Session>]) -> Result<Vec<&CudaSession>> {
    let sessions: Vec<&CudaSession> = sessions(replicas)?.into_iter().map(|session| &*session).collect();
    wait(&sessions, "finishing a pass")?;
    Ok(sessions)
}

/// Waits for all that was put into the streams, whatever comes of any: devices reach into each other's memory, which a
/// caller may free after a failure.
fn wait(sessions: &[&CudaSession], during: &str) -> Result<()> {
    let waited: Vec<Result<()>> = sessions.iter().map(|session| session.kit.stream.synchronize(during)).collect();
    waited.into_iter().collect()
}

/// Gives up all devices where one is of no use any more: the streams of the others may wait for its work, which may never
/// end, and it may still be at work in their memory.
fn share_failure(sessions: &[&CudaSession]) {
    if let Some(error) = sessions.iter().find_map(|session| session.context().failure()) {
        sessions.iter().for_each(|session| session.context().poison(error.clone()));
    }
}

impl Exchange for PeerExchange {
    fn edge_pass(
        &self,
        replicas: &mut [Box<dyn Session>],
        kernel: &dyn EdgePass,
        request: &PassRequest,
        written: &[Merged<'_>],
    ) -> Result<Vec<PassOutcome>> {
        let kernel = kernel.descriptor();
        let requests = shared_out(request, replicas.len());
        let mut sessions = sessions(replicas)?;
        let loaded = load(&mut sessions, kernel, &requests)?;
        let Some(graph) = sessions.first().map(|session| session.graph.clone()) else { return Ok(Vec::new()) };
        let shared: Vec<Arc<Shared>> = sessions.iter().map(|session| Arc::clone(&session.shared)).collect();
        // The pools of all are held until all passes are over.
        let streamed = sessions.iter().any(|session| session.streams());
        let _alone = alone(if streamed { &shared } else { &[] });
        let pools = sessions.iter().zip(&shared).map(|(session, shared)| {
            session.streams().then(|| shared.pool.lock().unwrap_or_else(PoisonError::into_inner))
        });
        let mut pools: Vec<_> = pools.collect();

        let members = sessions.iter_mut().zip(&mut pools).zip(loaded).zip(&requests);
        let mut members: Vec<Member<'_>> = members
            .map(|(((session, pool), loaded), request)| Member { session, pool: pool.as_deref_mut(), loaded, request })
            .collect();

        // Where pages stream, the host is at work until the last copy is submitted: a thread for each device. Launches
        // over pages on the devices are submitted sooner than threads begin.
        let submitted: Vec<Result<Submitted<'_>>> = if streamed {
            at_once(&mut members, |_, member| Ok(member.submit(&graph, kernel)))?
        } else {
            members.iter_mut().map(|member| member.submit(&graph, kernel)).collect()
        };
        let by_device = |merged: &&Merged<'_>| merged.merge != Merge::Any;
        let merges = submitted.iter().all(Result::is_ok);
        let merging = match merges {
            true => Self::merge_after_passes(&in_pass(&members), written.iter().filter(by_device)),
            false => Ok(()),
        };
        // Every pass is waited for, whatever the others came to, and all of them before any stream: a merge waits for the
        // passes of all devices, and only who waits for a pass ends it where its time is over.
        let waits = members.iter().zip(&submitted).filter(|(_, submitted)| submitted.is_ok());
        let waited: Vec<Result<()>> = waits.map(|(member, _)| member.wait(kernel)).collect();
        if merges {
            share_failure(&in_pass(&members));
        }
        let finished = members.iter_mut().zip(submitted);
        let finished: Vec<Result<PassOutcome>> =
            finished.map(|(member, submitted)| member.finish(submitted?, kernel)).collect();
        let waited: Result<()> = waited.into_iter().collect();
        let outcomes =
            waited.and_then(|()| finished.into_iter().collect()).and_then(|outcomes| merging.map(|()| outcomes));
        if outcomes.is_err() {
            // The failure at hand is the one to tell of.
            let _ = wait(&in_pass(&members), kernel.name);
        }
        let mut outcomes: Vec<PassOutcome> = outcomes?;
        drop(pools);

        // The device that ended its pass last waited for no other.
        let times = sessions.iter().map(|session| session.kit.merged.since(&session.kit.ended));
        let time = times.collect::<Result<Vec<_>>>()?.into_iter().min().unwrap_or_default();
        let begun = Instant::now();
        let mut by_host = written.iter().filter(|merged| !by_device(merged));
        by_host.try_for_each(|merged| HostExchange.attribute(replicas, merged))?;
        if let Some(first) = outcomes.first_mut() {
            first.merge_time = Some(time + begun.elapsed());
        }
        Ok(outcomes)
    }

    fn vertex_pass(
        &self,
        replicas: &mut [Box<dyn Session>],
        kernel: &dyn VertexPass,
        request: &PassRequest,
    ) -> Result<Vec<PassOutcome>> {
        let kernel = kernel.descriptor();
        let mut sessions = sessions(replicas)?;
        let submitted: Vec<Result<()>> =
            sessions.iter_mut().map(|session| session.submit_vertices(kernel, request)).collect();
        let finished: Vec<Result<PassOutcome>> = sessions
            .iter_mut()
            .zip(submitted)
            .map(|(session, submitted)| submitted.and_then(|()| session.finish_vertices(kernel, request)))
            .collect();
        finished.into_iter().collect()
    }

    fn attribute(&self, replicas: &mut [Box<dyn Session>], merged: &Merged<'_>) -> Result<()> {
        if merged.merge == Merge::Any {
            return HostExchange.attribute(replicas, merged);
        }
        let sessions = rested(replicas)?;
        let memories = memories(&sessions, merged)?;
        let merging = Self::merge(&sessions, &memories, merged.bytes() as u64, merged.scalar, merged.merge);
        let waited = wait(&sessions, "merging replicas");
        merging.and(waited)
    }

    fn broadcast(&self, replicas: &mut [Box<dyn Session>], merged: &Merged<'_>) -> Result<()> {
        let sessions = rested(replicas)?;
        let Some((first, others)) = sessions.split_first() else { return Ok(()) };
        let source = first.memory(merged.attribute)?;
        let copying = others.iter().try_for_each(|other| {
            other.kit.stream.copy_from_peer(source, other.memory(merged.attribute)?, merged.bytes())
        });
        let waited = wait(others, "copying from another device");
        copying.and(waited)
    }

    fn activated(&self, replicas: &mut [Box<dyn Session>]) -> Result<()> {
        let sessions = rested(replicas)?;
        let sets: Vec<&Buffer> = sessions.iter().map(|session| session.frontier.next()).collect();
        let bytes = sets.first().map_or(0, |set| set.bytes() as u64);
        let merging = Self::merge(&sessions, &sets, bytes, ScalarType::U32, Merge::Or);
        let waited = wait(&sessions, "merging replicas");
        merging.and(waited)
    }
}
