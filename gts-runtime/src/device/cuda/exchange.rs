//! The exchange between replicas on GPUs that reach each other's memory: no byte passes through the host.
#![allow(unsafe_code)]

use super::driver::Buffer;
use super::session::{CudaSession, Shared};
use crate::device::Session;
use crate::device::replicated::{Exchange, HostExchange, Merged};
use crate::error::{Error, Result};
use gts_core::contract::{Merge, ScalarType};
use std::any::Any;
use std::sync::Arc;

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
        for device in devices {
            for other in devices {
                if !device.context.reach(&other.context)? {
                    return Ok(None);
                }
            }
        }
        Ok(Some(Self))
    }

    /// Combines memory that all replicas have of the same size; every device takes a range of it.
    fn merge(
        sessions: &[&mut CudaSession],
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
            unsafe { function.launch(&session.stream, (blocks, 1), &[slots]) }?;
        }
        sessions.iter().try_for_each(|session| session.stream.synchronize("merging replicas"))
    }
}

/// The sessions behind the replicas; all work that was put into their streams is done.
fn sessions(replicas: &mut [Box<dyn Session>]) -> Result<Vec<&mut CudaSession>> {
    let sessions = replicas.iter_mut().map(|replica| {
        let any: &mut dyn Any = replica.as_mut();
        any.downcast_mut::<CudaSession>().ok_or_else(|| Error::argument("an exchange of GPUs", "all devices are GPUs"))
    });
    let sessions: Vec<&mut CudaSession> = sessions.collect::<Result<_>>()?;
    sessions.iter().try_for_each(|session| session.stream.synchronize("finishing a pass"))?;
    Ok(sessions)
}

impl Exchange for PeerExchange {
    fn attribute(&self, replicas: &mut [Box<dyn Session>], merged: &Merged<'_>) -> Result<()> {
        if merged.merge == Merge::Any {
            return HostExchange.attribute(replicas, merged);
        }
        let sessions = sessions(replicas)?;
        let buffers = sessions.iter().map(|session| session.memory(merged.attribute)).collect::<Result<Vec<_>>>()?;
        Self::merge(&sessions, &buffers, merged.bytes() as u64, merged.scalar, merged.merge)
    }

    fn broadcast(&self, replicas: &mut [Box<dyn Session>], merged: &Merged<'_>) -> Result<()> {
        let sessions = sessions(replicas)?;
        let Some((first, others)) = sessions.split_first() else { return Ok(()) };
        let source = first.memory(merged.attribute)?;
        for other in others {
            other.stream.copy_from_peer(source, other.memory(merged.attribute)?, merged.bytes())?;
        }
        others.iter().try_for_each(|other| other.stream.synchronize("copying from another device"))
    }

    fn activated(&self, replicas: &mut [Box<dyn Session>]) -> Result<()> {
        let sessions = sessions(replicas)?;
        let sets: Vec<&Buffer> = sessions.iter().map(|session| session.frontier.next()).collect();
        let bytes = sets.first().map_or(0, |set| set.bytes() as u64);
        Self::merge(&sessions, &sets, bytes, ScalarType::U32, Merge::Or)
    }
}
