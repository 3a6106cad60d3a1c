//! Collectives that run as kernels on GPUs. Each GPU can access all replicas, in the memory of other GPUs and in
//! page-locked host memory. The GPUs' streams wait for each other without the host.
#![allow(unsafe_code)]

use super::driver::{Buffer, Event};
use super::kit::Kit;
use super::merging::{MergeStream, REPLICAS};
use super::ring::Ring;
use super::session::CudaSession;
use super::shared::DeviceState;
use super::streaming::LockedMemory;
use gts_contract::{Merge, ScalarType};
use gts_core::page::HostBytes;
use gts_device::error::{Error, Result};
use gts_device::replicated::{
    Before, Collective, DeviceMemory, DeviceValues, HostCollective, Merged, Reach, Replica, ReplicaMemory, copy, lent,
    set_bytes, unusable,
};
use std::any::Any;
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The number of bytes that a thread merges at once.
const QUAD: u64 = 16;

/// GPU memory that a session lends to a collective.
#[derive(Clone, Copy)]
pub(super) struct GpuMemory<'a> {
    pub(super) buffer: &'a Buffer,
    pub(super) session: &'a CudaSession,
}

impl fmt::Debug for GpuMemory<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GpuMemory").field("buffer", &self.buffer).finish_non_exhaustive()
    }
}

impl<'a> GpuMemory<'a> {
    /// Returns the GPU memory that a replica lends, or `None` if the replica lends memory of another kind.
    pub(super) fn of(memory: &ReplicaMemory<'a>) -> Option<Self> {
        let ReplicaMemory::Device(values) = memory else { return None };
        let (buffer, session) = values.as_of::<Buffer, CudaSession>()?;
        Some(Self { buffer, session })
    }

    pub(super) fn kit(&self) -> &'a Kit {
        &self.session.kit
    }

    /// Returns the device and stream for kernels on this memory. Kernels in the stream run after the session's earlier
    /// work.
    pub(super) fn place(&self) -> MergeStream<'a> {
        let CudaSession { kit, shared, support, vertex_bytes, .. } = self.session;
        MergeStream { shared, stream: &kit.stream, support, vertex_bytes: *vertex_bytes }
    }
}

impl DeviceMemory for Buffer {}

impl CudaSession {
    /// Wraps a buffer of this session as replica memory, to pass it to a collective.
    pub(super) fn lend_buffer<'a>(&'a self, buffer: &'a Buffer) -> ReplicaMemory<'a> {
        ReplicaMemory::Device(DeviceValues::new(buffer, self))
    }
}

impl Reach for CudaSession {
    fn read(&self, memory: &dyn DeviceMemory, bytes: &mut [u8]) -> Result<()> {
        let buffer = own(memory)?;
        match Ring::of(&self.shared)? {
            Some(mut ring) => ring.fetch(&self.kit.stream, buffer, 0, bytes),
            None => {
                self.kit.stream.synchronize("finishing a pass")?;
                buffer.download(0, bytes, "values of a replica")
            }
        }
    }

    fn write(&self, memory: &dyn DeviceMemory, bytes: &[u8]) -> Result<()> {
        let buffer = own(memory)?;
        match Ring::of(&self.shared)? {
            Some(mut ring) => ring.send(&self.kit.stream, buffer, 0, bytes),
            None => self.kit.stream.upload(buffer, 0, bytes),
        }
    }
}

/// Returns the buffer that a session has lent as replica memory. Fails if the memory is not GPU memory.
fn own(memory: &dyn DeviceMemory) -> Result<&Buffer> {
    let memory: &dyn Any = memory;
    memory.downcast_ref().ok_or_else(|| Error::argument("a collective", "the memory is not that of a GPU"))
}

/// Copies of an attribute's values, made before a pass. Each GPU stores the range that it merges.
struct KeptValues(Vec<Buffer>);

/// Replica memory that kernels on every GPU can access.
#[derive(Clone, Copy, Debug)]
enum AccessibleReplica<'a> {
    Gpu(GpuMemory<'a>),
    /// Page-locked host memory, with its device address and its size.
    Host {
        address: u64,
        bytes: usize,
    },
}

impl<'a> AccessibleReplica<'a> {
    /// Wraps the memory that a replica lends. Returns `None` if GPUs cannot access this memory.
    fn of(memory: &ReplicaMemory<'a>) -> Option<Self> {
        match memory {
            ReplicaMemory::Device(_) => GpuMemory::of(memory).map(Self::Gpu),
            ReplicaMemory::Host(values) => {
                let bytes = values.as_slice().len().next_multiple_of(QUAD as usize);
                values.address().map(|address| Self::Host { address, bytes })
            }
        }
    }

    fn address(&self) -> u64 {
        match self {
            Self::Gpu(memory) => memory.buffer.address(),
            Self::Host { address, .. } => *address,
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Self::Gpu(memory) => memory.buffer.bytes(),
            Self::Host { bytes, .. } => *bytes,
        }
    }

    fn gpu(&self) -> Option<GpuMemory<'a>> {
        match self {
            Self::Gpu(memory) => Some(*memory),
            Self::Host { .. } => None,
        }
    }
}

/// Returns the GPU memory of the members that are on GPUs.
fn gpus<'a>(members: &[AccessibleReplica<'a>]) -> Vec<GpuMemory<'a>> {
    members.iter().filter_map(AccessibleReplica::gpu).collect()
}

/// A collective whose kernels access all replicas directly. Replicas must be on GPUs with peer access, or in
/// page-locked host memory. For other replicas, the collective calls [`HostCollective`].
#[derive(Debug)]
pub(super) struct PeerCollective {
    /// The devices of the collective. Each device can access the memory of all other devices.
    devices: Vec<Arc<DeviceState>>,
    locked: LockedMemory,
    /// For each replica, a page-locked copy of the set of active vertices, if GPUs cannot access the set itself.
    sets: Mutex<Vec<Option<HostBytes>>>,
}

impl PeerCollective {
    /// Returns the collective of `devices`. Returns `None` if there are no devices, if a device occurs twice, or if a
    /// device cannot access another device's memory.
    pub(super) fn between(devices: &[Arc<DeviceState>]) -> Result<Option<Self>> {
        let Some(first) = devices.first() else { return Ok(None) };
        for (index, device) in devices.iter().enumerate() {
            // Passes on one device run one after another, but the passes of a collective's replicas must run
            // concurrently.
            if devices[..index].iter().any(|earlier| Arc::ptr_eq(earlier, device)) {
                return Ok(None);
            }
            for other in devices {
                if !device.context.reach(&other.context)? {
                    return Ok(None);
                }
            }
        }
        let locked = LockedMemory { context: Arc::clone(&first.context) };
        Ok(Some(Self { devices: devices.to_vec(), locked, sets: Mutex::default() }))
    }
}

/// Submits GPU work that accesses the memory of all replicas. The work starts when every GPU has finished its earlier
/// work. Later work on any GPU starts when every GPU has finished the submitted work. If the host has a replica, waits
/// until the submitted work is complete.
fn together<'a>(members: &[AccessibleReplica<'a>], work: impl FnOnce(&[GpuMemory<'a>]) -> Result<()>) -> Result<()> {
    let gpus = gpus(members);
    meet(&gpus, |kit| &kit.ready)?;
    work(&gpus)?;
    meet(&gpus, |kit| &kit.merged)?;
    if gpus.len() < members.len() {
        gpus.iter().try_for_each(|gpu| gpu.kit().stream.synchronize("making replicas one"))?;
    }
    Ok(())
}

/// Makes every stream wait for the earlier work in all other streams. `mark` selects the event to record in each
/// stream.
fn meet<'a>(gpus: &[GpuMemory<'a>], mark: impl Fn(&'a Kit) -> &'a Event) -> Result<()> {
    if gpus.len() < 2 {
        return Ok(());
    }
    gpus.iter().try_for_each(|gpu| gpu.kit().stream.record(mark(gpu.kit())))?;
    for (index, gpu) in gpus.iter().enumerate() {
        for other in gpus.iter().enumerate().filter(|(other, _)| *other != index).map(|(_, other)| other) {
            gpu.kit().stream.wait(mark(other.kit()))?;
        }
    }
    Ok(())
}

/// Submits a merge of an attribute's values in all replicas. Each GPU merges one range of these values. Returns the
/// memory that [`MergeStream::check`] examines, per GPU.
fn merge(
    members: &[AccessibleReplica<'_>],
    gpus: &[GpuMemory<'_>],
    attribute: &Merged,
    before: Option<&KeptValues>,
) -> Result<Vec<Option<Buffer>>> {
    let (bytes, elements) = (attribute.bytes() as u64, attribute.vertices * attribute.length);
    let memory = addresses(members, bytes);
    let of = |(index, gpu): (usize, &GpuMemory<'_>)| {
        let before = before.and_then(|before| before.0.get(index)).map(Buffer::address);
        let range = quads(bytes, index, gpus.len());
        // SAFETY: all replicas contain the quads, and the kept values contain the quads of the range. Memory ends at a
        // multiple of 16 bytes. Every GPU can access all replicas, and the GPUs' ranges are disjoint.
        unsafe { gpu.place().merge(attribute, &memory, range, before, elements) }
    };
    gpus.iter().enumerate().map(of).collect()
}

/// Submits copies of byte ranges from one replica to another. The GPU with the target executes the copies. If the
/// target is in host memory, the GPU with the source executes the copies.
fn copy_ranges(target: &AccessibleReplica<'_>, source: &AccessibleReplica<'_>, bounds: &[[u64; 2]]) -> Result<()> {
    let Some(gpu) = target.gpu().or(source.gpu()) else {
        return Err(Error::argument("a collective of GPUs", "one of two replicas is that of a GPU"));
    };
    let within = |bounds: &[u64; 2]| bounds[1] as usize <= source.bytes().min(target.bytes());
    assert!(bounds.iter().all(within), "vertices have values");
    let bounds: Vec<[u64; 3]> = bounds.iter().map(|&[start, end]| [start, end, start]).collect();
    // SAFETY: both replicas contain the ranges, and the GPU can access both. Until every GPU has finished this work, no
    // replica writes values of vertices that another replica owns.
    unsafe { gpu.place().copy_ranges(source.address(), target.address(), &bounds) }
}

/// Returns the addresses of the members' memory. Panics if the memory of a member is shorter than `bytes` bytes.
fn addresses(members: &[AccessibleReplica<'_>], bytes: u64) -> Vec<u64> {
    assert!(members.iter().all(|member| bytes <= member.bytes() as u64), "replicas have the same size");
    members.iter().map(AccessibleReplica::address).collect()
}

/// Divides `bytes` bytes into quads, and distributes the quads over `count` devices. Returns the quads of device
/// `index`.
fn quads(bytes: u64, index: usize, count: usize) -> Range<u64> {
    let (index, count, quads) = (index as u64, count as u64, bytes.div_ceil(QUAD));
    quads * index / count..quads * (index + 1) / count
}

impl Collective for PeerCollective {
    fn submits(&self) -> bool {
        true
    }

    fn keep(&self, replicas: &mut [Replica<'_>], place: usize, attribute: &Merged) -> Result<Before> {
        let Some(members) = self.members(replicas, place)? else {
            return HostCollective.keep(replicas, place, attribute);
        };
        let gpus = gpus(&members);
        let mut kept = Vec::with_capacity(gpus.len());
        for (index, gpu) in gpus.iter().enumerate() {
            let Range { start, end } = quads(attribute.bytes() as u64, index, gpus.len());
            let (from, bytes) = (QUAD * start, (QUAD * (end - start)) as usize);
            let buffer = match Buffer::lent(&gpu.kit().stream, bytes, "values before a pass") {
                Err(Error::OutOfMemory { .. }) => return HostCollective.keep(replicas, place, attribute),
                buffer => buffer?,
            };
            // SAFETY: buffers end at a multiple of 16 bytes, and the stream that runs the copy also writes the source.
            unsafe { gpu.kit().stream.copy_from(gpu.buffer.address() + from, &buffer, 0, bytes) }?;
            kept.push(buffer);
        }
        Ok(Before::Device(Box::new(KeptValues(kept))))
    }

    fn reduce(
        &self,
        replicas: &mut [Replica<'_>],
        place: usize,
        attribute: &Merged,
        before: Option<&Before>,
    ) -> Result<()> {
        let kept = match before {
            Some(Before::Host(_)) => return HostCollective.reduce(replicas, place, attribute, before),
            Some(Before::Device(kept)) => Some(kept.downcast_ref::<KeptValues>().ok_or_else(unusable)?),
            None => None,
        };
        let Some(members) = self.members(replicas, place)? else {
            return HostCollective.reduce(replicas, place, attribute, before);
        };
        let mut lost = Vec::new();
        together(&members, |gpus| {
            lost = merge(&members, gpus, attribute, kept)?;
            Ok(())
        })?;
        let gpus = members.iter().filter_map(AccessibleReplica::gpu);
        gpus.zip(lost).try_for_each(|(gpu, lost)| gpu.place().check(attribute, lost, 0))
    }

    fn gather(
        &self,
        replicas: &mut [Replica<'_>],
        place: usize,
        attribute: &Merged,
        own: &[Vec<Range<u64>>],
        receivers: usize,
    ) -> Result<()> {
        let Some(members) = self.members(replicas, place)? else {
            return HostCollective.gather(replicas, place, attribute, own, receivers);
        };
        let value = attribute.value_bytes() as u64;
        together(&members, |_| {
            // In each step, every replica copies from a different replica, so that no link carries two copies at once.
            for step in 1..members.len() {
                for (index, member) in members.iter().enumerate().take(receivers) {
                    let from = (index + step) % members.len();
                    let bounds =
                        own.get(from).into_iter().flatten().map(|range| [range.start, range.end].map(|v| v * value));
                    copy_ranges(member, &members[from], &bounds.collect::<Vec<_>>())?;
                }
            }
            Ok(())
        })
    }

    fn broadcast(&self, replicas: &mut [Replica<'_>], place: usize, attribute: &Merged) -> Result<()> {
        let Some(members) = self.members(replicas, place)? else {
            return HostCollective.broadcast(replicas, place, attribute);
        };
        let Some((first, others)) = members.split_first() else { return Ok(()) };
        together(&members, |_| {
            others.iter().try_for_each(|other| match (first.gpu(), other.gpu()) {
                (Some(first), Some(other)) => {
                    other.kit().stream.copy_from_peer(first.buffer, other.buffer, attribute.bytes())
                }
                _ => copy_ranges(other, first, &[[0, attribute.bytes() as u64]]),
            })
        })
    }

    fn unite(&self, replicas: &mut [Replica<'_>], vertices: u64, attributes: &[Merged]) -> Result<bool> {
        let values: Result<Option<Vec<_>>> = (0..attributes.len()).map(|place| self.members(replicas, place)).collect();
        // While this run uses the staged sets, a concurrent run stages its own sets.
        let mut staged = std::mem::take(&mut *self.lock_sets());
        let (Some(values), Some(sets)) = (values?, self.sets_of(replicas, vertices, &mut staged)?) else {
            return HostCollective.unite(replicas, vertices, attributes);
        };
        let words = vertices.div_ceil(32);
        let addresses_of_sets = addresses(&sets, 4 * words);
        let united = together(&sets, |gpus| {
            let Some(last) = attributes.len().checked_sub(1) else {
                let (scalar, merge_by) = (ScalarType::U32, Merge::Or);
                let bits = Merged {
                    attribute: 0,
                    scalar,
                    merge: merge_by,
                    length: 1,
                    vertices: words,
                    vertex_bytes: 4,
                    check: None,
                };
                return merge(&sets, gpus, &bits, None).map(drop);
            };
            for (place, (attribute, members)) in attributes.iter().zip(&values).enumerate() {
                let values = addresses(members, attribute.bytes() as u64);
                let far = members.iter().position(|member| member.gpu().is_none());
                let own = (0..members.len()).filter(|&member| members[member].gpu().is_some());
                for ((index, gpu), near) in (0..).zip(gpus).zip(own) {
                    let range = words * index / gpus.len() as u64..words * (index + 1) / gpus.len() as u64;
                    // SAFETY: all replicas contain the words, and a value for each bit of the words. Every GPU can
                    // access all replicas, and the GPUs' ranges are disjoint.
                    unsafe {
                        gpu.place().unite(attribute, (&values, near, far), &addresses_of_sets, range, place == last)
                    }?;
                }
            }
            Ok(())
        });
        if united.is_err() {
            // The staged sets are dropped on an error. First wait for the kernels that may still write to them.
            self.settle(replicas);
        }
        united?;
        for (replica, staged) in replicas.iter_mut().zip(staged.iter()) {
            if let (ReplicaMemory::Host(own), Some(staged)) = (&mut replica.activated, staged) {
                copy(&mut own.as_mut_slice()[..set_bytes(vertices)], &staged.as_slice()[..set_bytes(vertices)])?;
            }
        }
        *self.lock_sets() = staged;
        Ok(false)
    }

    fn settle(&self, replicas: &mut [Replica<'_>]) {
        let gpus = replicas.iter().filter_map(|replica| AccessibleReplica::of(&replica.activated)?.gpu());
        let gpus: Vec<GpuMemory<'_>> = gpus.collect();
        // If one device has failed, the streams of other devices may wait for the failed device indefinitely.
        if let Some(error) = gpus.iter().find_map(|gpu| gpu.session.shared.context.failure()) {
            gpus.iter().for_each(|gpu| gpu.session.shared.context.poison(error.clone()));
        }
        // The caller returns the original error, so ignore errors here.
        gpus.iter().for_each(|gpu| drop(gpu.kit().stream.synchronize("finishing a pass")));
    }
}

impl PeerCollective {
    fn lock_sets(&self) -> MutexGuard<'_, Vec<Option<HostBytes>>> {
        self.sets.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns an attribute's memory in all replicas. Returns `None` if the collective's GPUs cannot access all of this
    /// memory, if no replica is on a GPU, or if there are too many replicas for a launch.
    fn members<'a>(&self, replicas: &mut [Replica<'a>], place: usize) -> Result<Option<Vec<AccessibleReplica<'a>>>> {
        if replicas.len() > REPLICAS {
            return Ok(None);
        }
        let mut members = Vec::with_capacity(replicas.len());
        for replica in replicas {
            let Some(member) = AccessibleReplica::of(lent(replica, place)?) else { return Ok(None) };
            members.push(member);
        }
        Ok((self.has(&members) && members.iter().any(|member| member.gpu().is_some())).then_some(members))
    }

    /// Returns whether the GPUs of all members are devices of this collective, and no GPU occurs twice.
    fn has(&self, members: &[AccessibleReplica<'_>]) -> bool {
        let gpus = gpus(members);
        let is = |gpu: &GpuMemory<'_>, device: &Arc<DeviceState>| Arc::ptr_eq(&gpu.session.shared, device);
        gpus.iter().enumerate().all(|(index, gpu)| {
            self.devices.iter().any(|device| is(gpu, device))
                && !gpus[..index].iter().any(|earlier| is(earlier, &gpu.session.shared))
        })
    }

    /// Returns the sets of active vertices of all replicas. If GPUs cannot access a set, first copies the set into
    /// page-locked memory. Returns `None` if a set remains inaccessible, or if there are too many replicas for a
    /// launch.
    fn sets_of<'a>(
        &self,
        replicas: &[Replica<'a>],
        vertices: u64,
        staged: &mut Vec<Option<HostBytes>>,
    ) -> Result<Option<Vec<AccessibleReplica<'a>>>> {
        if replicas.len() > REPLICAS {
            return Ok(None);
        }
        let bytes = set_bytes(vertices).next_multiple_of(QUAD as usize);
        staged.resize_with(replicas.len(), || None);
        let mut sets = Vec::with_capacity(replicas.len());
        for (replica, staged) in replicas.iter().zip(staged) {
            let set = match &replica.activated {
                ReplicaMemory::Host(own) if own.address().is_none() => {
                    if staged.as_ref().is_none_or(|staged| staged.as_slice().len() != bytes) {
                        *staged = HostBytes::zeroed(&self.locked, bytes);
                    }
                    let Some((staged, address)) = staged.as_mut().and_then(|staged| {
                        let address = staged.on_gpus()?;
                        Some((staged, address))
                    }) else {
                        return Ok(None);
                    };
                    copy(&mut staged.as_mut_slice()[..set_bytes(vertices)], &own.as_slice()[..set_bytes(vertices)])?;
                    Some(AccessibleReplica::Host { address, bytes })
                }
                reached => AccessibleReplica::of(reached),
            };
            let Some(set) = set else { return Ok(None) };
            sets.push(set);
        }
        Ok(self.has(&sets).then_some(sets))
    }
}
