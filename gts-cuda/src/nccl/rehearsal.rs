//! Runs ranks as threads of one process on a shared GPU, to check the code for ranks on several GPUs.
//!
//! NCCL refuses a group in which two ranks share a GPU. In a rehearsal, the group therefore has a single rank, which
//! sends itself the data that the threads exchange. Slices, merges and memory are the same as in a run on several GPUs,
//! but gathers and broadcasts consist of sends.
#![allow(unsafe_code)]

use super::super::CudaDevice;
use super::super::driver::{Buffer, Event};
use super::super::kit::{Kit, Lent};
use super::super::merging::MergeStream;
use super::communicator::{Communicator, unique_id};
use super::local::OnGpu;
use super::slices::{AttributeAddress, Carrier, PeerSegment, QUAD, Slices, Staging, unit_bytes};
use super::table::StreamHandle;
use super::{RankLink, binding, nccl};
use gts_contract::{Merge, ScalarType};
use gts_core::hash::mixed;
use gts_core::threads;
use gts_device::error::{Error, Result};
use gts_device::links::{Linkable, Rendezvous, Stopped};
use gts_device::replicated::samples::{MERGES, SCALARS, allowed, bytes, element};
use gts_device::replicated::{Before, Collective, HostCollective, HostValues, Merged, Replica, ReplicaMemory};
use std::ops::Range;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The numbers of ranks to check. A launch merges at most 16 parts, so 18 ranks need several launches.
const RANKS: [usize; 4] = [1, 2, 3, 18];
/// The numbers of vertices to check: none, one, a number that several ranks cannot divide evenly, and enough for
/// several blocks.
const VERTICES: [u64; 4] = [0, 1, 67, 5003];
/// The capacity of a slot in the staging memory, in units of vertices.
const UNITS: usize = 3;
/// The maximum time for which a rank waits for other ranks.
const MEETING: Duration = Duration::from_secs(30);

/// The result of a rehearsal.
#[derive(Clone, Debug, Default)]
pub struct Rehearsal {
    /// The number of collectives whose results were compared with the results in host memory.
    pub cells: usize,
    /// One message per difference.
    pub failures: Vec<String>,
}

/// Runs every collective with every type and merge on ranks that share a device. Compares the results with the results
/// of the same collectives in host memory.
///
/// # Errors
///
/// Returns an error if NCCL is absent, or if NCCL or the device fails.
pub fn rehearse(device: &CudaDevice) -> Result<Rehearsal> {
    // Run the code path of a normal run once, with a single rank.
    let meeting = Rendezvous { id: device.new_id()?, rank: 0, size: 1, staged: device.offer()?.staged };
    drop(RankLink::new(device, &meeting, &|| Ok(()))?);
    let table = &nccl()?.table;
    let communicator = Communicator::new(table, binding(&device.shared), unique_id(table)?, (0, 1), &|| Ok(()))?;
    let mut found = Rehearsal::default();
    for ranks in RANKS {
        for vertices in VERTICES {
            for scalar in SCALARS {
                for merge in MERGES.into_iter().filter(|&merge| allowed(scalar, merge)) {
                    let widths: &[usize] = if scalar == ScalarType::VertexId { &[4, 8] } else { &[4] };
                    for &vertex_bytes in widths {
                        let attribute =
                            Merged { attribute: 0, scalar, merge, length: 1, vertices, vertex_bytes, check: None };
                        Stage { device, communicator: &communicator, ranks, attribute }.check(&mut found)?;
                    }
                }
            }
        }
    }
    Ok(found)
}

/// The device, the number of ranks, and the attribute of one comparison.
struct Stage<'a> {
    device: &'a CudaDevice,
    communicator: &'a Communicator,
    ranks: usize,
    attribute: Merged,
}

/// The data of a rank: attribute values, and a set of vertices.
type RankData = (Vec<u8>, Vec<u64>);

/// A rank's action on the GPU. The arguments are the rank's slices, the rank's values, and the address of the rank's
/// set.
type OnEachGpu<'a> = &'a (dyn Fn(&Slices<'_, Attendee<'_>, OnGpu<'_>>, AttributeAddress<'_>, u64) -> Result<()> + Sync);

/// A collective, with one implementation on the GPU and one in host memory.
struct Act<'a> {
    name: &'static str,
    on_gpu: OnEachGpu<'a>,
    on_host: &'a dyn Fn(&mut [Replica<'_>]) -> Result<()>,
}

impl Stage<'_> {
    /// Runs all collectives on the attribute, and compares the results on the GPU with the results in host memory.
    fn check(&self, found: &mut Rehearsal) -> Result<()> {
        let Self { ranks, attribute, .. } = *self;
        let held: Vec<RankData> = (0..ranks).map(|rank| self.held(rank)).collect();
        let before = held.first().map(|(values, _)| values.clone()).unwrap_or_default();
        let any = attribute.merge == Merge::Any;
        let kept = any.then(|| Before::Host(before.clone()));
        let own: Vec<Vec<Range<u64>>> = (0..ranks as u64).map(|rank| self.own(rank)).collect();
        let acts = [
            Act {
                name: "reduce",
                // SAFETY: each rank has its own memory.
                on_gpu: &|slices, column, _| unsafe { slices.reduce(column, any.then_some(&before[..])) },
                on_host: &|replicas| HostCollective.reduce(replicas, 0, &attribute, kept.as_ref()),
            },
            Act {
                name: "gather",
                // SAFETY: each rank has its own memory.
                on_gpu: &|slices, column, _| unsafe { slices.gather(column, &own) },
                on_host: &|replicas| HostCollective.gather(replicas, 0, &attribute, &own, ranks),
            },
            Act {
                name: "broadcast",
                // SAFETY: each rank has its own memory.
                on_gpu: &|slices, column, _| unsafe { slices.broadcast(column.address, attribute.bytes()) },
                on_host: &|replicas| HostCollective.broadcast(replicas, 0, &attribute),
            },
            Act {
                name: "unite sets",
                // SAFETY: each rank has its own memory.
                on_gpu: &|slices, _, set| unsafe { slices.unite(set, attribute.vertices, &[]) },
                on_host: &|replicas| HostCollective.unite(replicas, attribute.vertices, &[]).map(drop),
            },
            Act {
                name: "unite",
                // SAFETY: each rank has its own memory.
                on_gpu: &|slices, column, set| unsafe { slices.unite(set, attribute.vertices, &[column]) },
                on_host: &|replicas| HostCollective.unite(replicas, attribute.vertices, &[attribute]).map(drop),
            },
        ];
        for act in acts {
            let mut held = held.clone();
            if act.name == "unite" {
                self.equal_elsewhere(&mut held);
            }
            let on_gpu = self.on_gpu(&held, act.on_gpu)?;
            in_host_memory(&mut held, act.on_host)?;
            found.cells += 1;
            let differs = on_gpu.iter().zip(&held).position(|(gpu, host)| !self.same(gpu, host));
            if let Some(rank) = differs {
                let Merged { scalar, merge, vertices, vertex_bytes, .. } = attribute;
                found.failures.push(format!(
                    "{}: rank {rank} of {ranks}, {scalar:?} {merge:?}, {vertices} vertices, numbers of {vertex_bytes} bytes",
                    act.name
                ));
            }
        }
        Ok(())
    }

    /// Returns the initial data of a rank.
    fn held(&self, rank: usize) -> RankData {
        let number = |place: u64| mixed(mixed(place) ^ rank as u64) >> 7;
        let Merged { scalar, vertices, .. } = self.attribute;
        let elements: Vec<u64> = (0..vertices).map(|place| element(scalar, number(place))).collect();
        let mut set = vec![0; vertices.div_ceil(64) as usize];
        for vertex in (0..vertices).filter(|&vertex| number(vertex ^ 1 << 40) % 5 == 0) {
            set[vertex as usize / 64] |= 1 << (vertex % 64);
        }
        (bytes(&self.attribute, &elements), set)
    }

    /// Returns the vertices that a rank owns: ranges of 37 vertices, assigned to the ranks in turn.
    fn own(&self, rank: u64) -> Vec<Range<u64>> {
        let (ranks, vertices) = (self.ranks as u64, self.attribute.vertices);
        let starts = (rank * 37..vertices).step_by(37 * self.ranks);
        debug_assert!(rank < ranks);
        starts.map(|start| start..(start + 37).min(vertices)).collect()
    }

    /// Makes the values of all ranks equal at vertices that no rank has activated.
    fn equal_elsewhere(&self, held: &mut [RankData]) {
        let size = self.attribute.value_bytes();
        let Some((first, others)) = held.split_first_mut() else { return };
        for vertex in 0..self.attribute.vertices as usize {
            let is_in = |set: &[u64]| set[vertex / 64] >> (vertex % 64) & 1 == 1;
            if !is_in(&first.1) && !others.iter().any(|(_, set)| is_in(set)) {
                let place = vertex * size..(vertex + 1) * size;
                for (values, _) in &mut *others {
                    values[place.clone()].copy_from_slice(&first.0[place.clone()]);
                }
            }
        }
    }

    /// Returns whether a rank has the same data on the GPU and in host memory. All NaNs count as equal, because a GPU
    /// may produce different NaN bits.
    fn same(&self, (values, set): &RankData, (others, other): &RankData) -> bool {
        let is_none = |bytes: &[u8]| match self.attribute.scalar {
            ScalarType::F32 => f32::from_bits(bytemuck::pod_read_unaligned(bytes)).is_nan(),
            ScalarType::F64 => f64::from_bits(bytemuck::pod_read_unaligned(bytes)).is_nan(),
            _ => false,
        };
        let size = self.attribute.element_bytes();
        let mut pairs = values.chunks_exact(size).zip(others.chunks_exact(size));
        set == other && values.len() == others.len() && pairs.all(|(a, b)| a == b || is_none(a) && is_none(b))
    }

    /// Runs `action` on the GPU for every rank, and returns the results.
    fn on_gpu(&self, held: &[RankData], action: OnEachGpu<'_>) -> Result<Vec<RankData>> {
        let Self { device, communicator, ranks, attribute } = *self;
        let shared = &device.shared;
        let context = &shared.context;
        context.bind()?;
        let kit = Lent::take(&shared.kits, || Kit::new(context))?;
        let support = shared.kernels.support(context, attribute.vertex_bytes)?;
        let staged = (ranks + 1) * UNITS * unit_bytes(&[attribute]).next_multiple_of(QUAD);
        let buffers: Vec<[Buffer; 3]> = held
            .iter()
            .map(|(values, set)| {
                let copied = |bytes: &[u8]| Buffer::copy_of(context, bytes, "values of a rank");
                Ok([copied(values)?, copied(bytemuck::cast_slice(set))?, copied(&vec![0; staged])?])
            })
            .collect::<Result<_>>()?;
        let ends: Vec<Event> = (0..ranks).map(|_| Event::new(context)).collect::<Result<_>>()?;
        let hall = Hall { communicator, ranks, state: Mutex::default(), changed: Condvar::new() };
        let members: Vec<usize> = (0..ranks).collect();
        let done = threads::together(members, |_, rank| {
            let [values, set, staging] = &buffers[rank];
            // All ranks share one stream, so their work runs in the order of submission.
            let vertex_bytes = attribute.vertex_bytes;
            let place = MergeStream { shared, stream: &kit.stream, support: &support, vertex_bytes };
            let local = OnGpu { place, end: &ends[rank] };
            let meeting = Attendee { hall: &hall, rank };
            let staging = Staging { address: staging.address(), bytes: staging.bytes() };
            let slices = Slices { carrier: &meeting, local: &local, staging, stopped: &|| Ok(()) };
            let column = AttributeAddress { attribute: &attribute, address: values.address() };
            context.bind()?;
            action(&slices, column, set.address())
        })?;
        done.into_iter().collect::<Result<()>>()?;
        kit.stream.synchronize("rehearsing")?;
        held.iter()
            .zip(&buffers)
            .map(|((values, set), [on_gpu, set_on_gpu, _])| {
                let (mut values, mut set) = (vec![0; values.len()], vec![0u64; set.len()]);
                on_gpu.download(0, &mut values, "values of a rank")?;
                set_on_gpu.download(0, bytemuck::cast_slice_mut(&mut set), "a set of vertices")?;
                Ok((values, set))
            })
            .collect()
    }
}

/// Runs `action` on replicas in host memory.
fn in_host_memory(held: &mut [RankData], action: impl FnOnce(&mut [Replica<'_>]) -> Result<()>) -> Result<()> {
    let mut replicas: Vec<Replica<'_>> = held.iter_mut().map(lend).collect();
    action(&mut replicas)
}

/// Lends the data of a rank as a replica.
fn lend((values, set): &mut RankData) -> Replica<'_> {
    Replica {
        activated: ReplicaMemory::Host(HostValues::new(bytemuck::cast_slice_mut(set))),
        values: vec![ReplicaMemory::Host(HostValues::new(values))],
    }
}

/// The parts that a rank sends and receives in one call.
#[derive(Clone, Debug, Default)]
struct CallParts {
    sends: Vec<PeerSegment>,
    receives: Vec<PeerSegment>,
}

/// The meeting point of the ranks that share a GPU.
struct Hall<'a> {
    communicator: &'a Communicator,
    ranks: usize,
    state: Mutex<HallState>,
    changed: Condvar,
}

#[derive(Default)]
struct HallState {
    /// The calls of the ranks that have arrived at the current meeting.
    calls: Vec<(usize, CallParts)>,
    /// The number of completed meetings.
    met: u64,
    failed: Option<Error>,
}

/// A rank's access to the meeting point.
struct Attendee<'a> {
    hall: &'a Hall<'a>,
    rank: usize,
}

impl Attendee<'_> {
    /// Waits until all ranks have arrived. The last rank to arrive submits the calls of all ranks.
    fn meet(&self, stream: StreamHandle, call: CallParts, stopped: Stopped<'_>) -> Result<()> {
        let Hall { communicator, ranks, state, changed } = self.hall;
        let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
        state.calls.push((self.rank, call));
        if state.calls.len() == *ranks {
            let calls = std::mem::take(&mut state.calls);
            let done = send_to_itself(communicator, stream, calls, stopped);
            state.failed = done.err();
            state.met += 1;
            changed.notify_all();
            return state.failed.clone().map_or(Ok(()), Err);
        }
        let (meeting, begun) = (state.met, Instant::now());
        while state.met == meeting {
            if begun.elapsed() > MEETING {
                return Err(Error::argument("a rank", "others did not come to where it is"));
            }
            state = changed.wait_timeout(state, MEETING).unwrap_or_else(PoisonError::into_inner).0;
        }
        state.failed.clone().map_or(Ok(()), Err)
    }

    fn others(&self) -> impl Iterator<Item = usize> + use<> {
        let own = self.rank;
        (0..self.hall.ranks).filter(move |&rank| rank != own)
    }
}

/// Makes the only rank of a communicator send itself the parts that the ranks exchange.
fn send_to_itself(
    communicator: &Communicator,
    stream: StreamHandle,
    mut calls: Vec<(usize, CallParts)>,
    stopped: Stopped<'_>,
) -> Result<()> {
    calls.sort_by_key(|(rank, _)| *rank);
    let (mut sends, mut receives) = (Vec::new(), Vec::new());
    for (from, call) in &calls {
        for (to, other) in &calls {
            sends.extend(call.sends.iter().filter(|part| part.rank == *to).copied());
            receives.extend(other.receives.iter().filter(|part| part.rank == *from).copied());
        }
    }
    let lengths = |parts: &[PeerSegment]| parts.iter().map(|part| part.bytes).collect::<Vec<_>>();
    if lengths(&sends) != lengths(&receives) {
        return Err(Error::argument("ranks", "they send other lengths than others receive"));
    }
    for part in sends.iter_mut().chain(&mut receives) {
        part.rank = 0;
    }
    // SAFETY: the callers guarantee that their parts are valid.
    unsafe { communicator.exchange(stream, &sends, &receives, stopped) }
}

impl Carrier for Attendee<'_> {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.hall.ranks
    }

    unsafe fn exchange(
        &self,
        stream: StreamHandle,
        sends: &[PeerSegment],
        receives: &[PeerSegment],
        stopped: Stopped<'_>,
    ) -> Result<()> {
        self.meet(stream, CallParts { sends: sends.to_vec(), receives: receives.to_vec() }, stopped)
    }

    unsafe fn all_gather(
        &self,
        stream: StreamHandle,
        base: u64,
        slices: &[Range<usize>],
        stopped: Stopped<'_>,
    ) -> Result<()> {
        let part = |rank: usize, slice: &Range<usize>| PeerSegment {
            rank,
            address: base + slice.start as u64,
            bytes: slice.len(),
        };
        let sends = self.others().map(|rank| part(rank, &slices[self.rank])).filter(|part| part.bytes > 0);
        let receives = self.others().map(|rank| part(rank, &slices[rank])).filter(|part| part.bytes > 0);
        self.meet(stream, CallParts { sends: sends.collect(), receives: receives.collect() }, stopped)
    }

    unsafe fn broadcast(&self, stream: StreamHandle, address: u64, bytes: usize, stopped: Stopped<'_>) -> Result<()> {
        let part = |rank: usize| PeerSegment { rank, address, bytes };
        let mut call = CallParts::default();
        if bytes > 0 {
            match self.rank {
                0 => call.sends.extend(self.others().map(part)),
                _ => call.receives.push(part(0)),
            }
        }
        self.meet(stream, call, stopped)
    }

    fn check(&self) -> Result<()> {
        self.hall.communicator.check()
    }

    fn abort(&self) {}
}
