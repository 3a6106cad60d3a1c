//! Collectives between replicas on GPUs that reach each other's memory: no byte passes through the host, and streams wait
//! for each other without it.
#![allow(unsafe_code)]

use super::driver::{Buffer, Event};
use super::kernels::Support;
use super::kit::Kit;
use super::ring::Ring;
use super::shared::Shared;
use crate::device::replicated::{Before, Collective, HostCollective, Merged, Replica, ReplicaMemory, lent};
use crate::error::{Error, Result};
use gts_core::contract::{Merge, ScalarType};
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// Most replicas of an attribute: `GTS_REPLICAS`.
const REPLICAS: usize = 16;
/// Blocks of a merge: enough loads under way to fill a link, whatever the number of elements.
const BLOCKS: u64 = 1024;
/// Threads of a block: `GTS_BLOCK`.
const BLOCK: u64 = 256;
/// Bytes that a thread merges at a time.
const QUAD: u64 = 16;

/// What a merge at all vertices is launched with: `gts_replicas`.
#[derive(Clone, Copy, Debug, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub(super) struct MergeArguments {
    memory: [u64; REPLICAS],
    count: u64,
    begin: u64,
    end: u64,
    before: u64,
}

/// What a merge at activated vertices is launched with: `gts_activated`.
#[derive(Clone, Copy, Debug, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub(super) struct ActivatedArguments {
    values: [u64; REPLICAS],
    sets: [u64; REPLICAS],
    count: u64,
    begin: u64,
    end: u64,
    length: u64,
    unites: u64,
}

/// Ranges of a launch that copies: `GTS_RANGES`.
const RANGES: usize = 128;
/// Bytes of a range for each block, at most, while there are enough blocks.
const BLOCK_BYTES: u64 = 64 << 10;

/// What copies of ranges are launched with: `gts_ranges`.
#[derive(Clone, Copy, Debug, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub(super) struct RangeArguments {
    source: u64,
    target: u64,
    count: u64,
    bounds: [u64; 2 * RANGES],
}

/// Memory of a GPU that a session lends to a collective.
#[derive(Clone, Copy)]
pub struct DeviceMemory<'a> {
    pub(super) buffer: &'a Buffer,
    pub(super) kit: &'a Kit,
    pub(super) shared: &'a Arc<Shared>,
    pub(super) support: &'a Support,
    pub(super) vertex_bytes: usize,
}

impl fmt::Debug for DeviceMemory<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceMemory").field("buffer", &self.buffer).finish_non_exhaustive()
    }
}

impl DeviceMemory<'_> {
    /// Copies the beginning of the memory to the host, after the session's work before.
    ///
    /// # Errors
    ///
    /// The device fails.
    pub(crate) fn read(&self, bytes: &mut [u8]) -> Result<()> {
        match Ring::of(self.shared)? {
            Some(mut ring) => ring.fetch(&self.kit.stream, self.buffer, 0, bytes),
            None => {
                self.kit.stream.synchronize("finishing a pass")?;
                self.buffer.download(0, bytes, "values of a replica")
            }
        }
    }

    /// Copies bytes to the beginning of the memory, after the session's work before.
    ///
    /// # Errors
    ///
    /// The device fails.
    pub(crate) fn write(&self, bytes: &[u8]) -> Result<()> {
        match Ring::of(self.shared)? {
            Some(mut ring) => ring.send(&self.kit.stream, self.buffer, 0, bytes),
            None => self.kit.stream.upload(self.buffer, 0, bytes),
        }
    }
}

/// What each GPU held of its range of an attribute before a pass.
#[derive(Debug)]
pub struct KeptOnDevice(Vec<Buffer>);

/// Peer-to-peer copies, and kernels that read and write the memory of all replicas.
#[derive(Clone, Copy, Debug)]
pub(super) struct PeerCollective;

impl PeerCollective {
    /// Returns the collective of these devices, where each reaches every other.
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
}

/// Submits work on the memory of all replicas. Each device starts it once all have done what they were given before, and goes on
/// once all are done with it.
fn together(members: &[DeviceMemory<'_>], work: impl FnOnce() -> Result<()>) -> Result<()> {
    meet(members, |kit| &kit.ready)?;
    work()?;
    meet(members, |kit| &kit.merged)
}

/// Has the streams of all wait for what each has been given so far.
fn meet<'a>(members: &[DeviceMemory<'a>], mark: impl Fn(&'a Kit) -> &'a Event) -> Result<()> {
    members.iter().try_for_each(|member| member.kit.stream.record(mark(member.kit)))?;
    for (index, member) in members.iter().enumerate() {
        for other in members.iter().enumerate().filter(|(other, _)| *other != index).map(|(_, other)| other) {
            member.kit.stream.wait(mark(other.kit))?;
        }
    }
    Ok(())
}

/// Submits the combination of memory that all replicas have of the same size; every device takes a range of it.
fn merge(
    members: &[DeviceMemory<'_>],
    bytes: u64,
    scalar: ScalarType,
    merge: Merge,
    before: Option<&KeptOnDevice>,
) -> Result<()> {
    let memory = addresses(members, bytes);
    for (index, member) in members.iter().enumerate() {
        let Range { start: begin, end } = quads(bytes, index, members.len());
        if begin == end {
            continue;
        }
        let context = &member.shared.context;
        let function = member.shared.kernels.merge(context, member.vertex_bytes, scalar, merge, false)?;
        let before = before.and_then(|before| before.0.get(index)).map_or(0, Buffer::address);
        let arguments = MergeArguments { memory, count: members.len() as u64, begin, end, before };
        let slots: &[u64] = bytemuck::cast_slice(std::slice::from_ref(&arguments));
        let blocks = (end - begin).div_ceil(BLOCK).clamp(1, BLOCKS) as u32;
        // SAFETY: all replicas have that many quads, and what was kept has those of the range; buffers end at a multiple of 16
        // bytes, every device reaches the memory of every other, and their ranges are apart.
        unsafe { function.launch(&member.kit.stream, (blocks, 1), &[slots]) }?;
    }
    Ok(())
}

/// Submits copies of bytes, each range given by its bounds, out of another device's memory.
fn copy_ranges(member: &DeviceMemory<'_>, source: &DeviceMemory<'_>, bounds: &[[u64; 2]]) -> Result<()> {
    for part in bounds.chunks(RANGES) {
        let within = |bounds: &[u64; 2]| bounds[1] as usize <= source.buffer.bytes().min(member.buffer.bytes());
        assert!(part.iter().all(within), "vertices have values");
        let mut arguments = RangeArguments {
            source: source.buffer.address(),
            target: member.buffer.address(),
            count: part.len() as u64,
            bounds: [0; 2 * RANGES],
        };
        arguments.bounds[..2 * part.len()].copy_from_slice(part.as_flattened());
        let longest = part.iter().map(|[start, end]| end - start).max().unwrap_or_default();
        let blocks = longest.div_ceil(BLOCK_BYTES).clamp(1, BLOCKS) as u32;
        let slots: &[u64] = bytemuck::cast_slice(std::slice::from_ref(&arguments));
        // SAFETY: both have the bytes of these ranges, the device reaches the source, and nobody writes values of vertices that
        // another replica owns until all have come past this.
        unsafe { member.support.copy_ranges.launch(&member.kit.stream, (blocks, part.len() as u32), &[slots]) }?;
    }
    Ok(())
}

/// Returns the addresses of memory that has so many bytes.
fn addresses(members: &[DeviceMemory<'_>], bytes: u64) -> [u64; REPLICAS] {
    let mut addresses = [0; REPLICAS];
    for (address, member) in addresses.iter_mut().zip(members) {
        assert!(bytes <= member.buffer.bytes() as u64, "replicas have the same size");
        *address = member.buffer.address();
    }
    addresses
}

/// Returns the quads that a device merges, of so many bytes.
fn quads(bytes: u64, index: usize, count: usize) -> Range<u64> {
    let (index, count, quads) = (index as u64, count as u64, bytes.div_ceil(QUAD));
    quads * index / count..quads * (index + 1) / count
}

/// Returns the memory of an attribute, where all of it lies on GPUs.
fn members<'a>(replicas: &mut [Replica<'a>], place: usize) -> Result<Vec<DeviceMemory<'a>>> {
    replicas.iter_mut().map(|replica| on_device(lent(replica, place)?)).collect()
}

fn on_device<'a>(memory: &ReplicaMemory<'a>) -> Result<DeviceMemory<'a>> {
    match memory {
        ReplicaMemory::Device(memory) => Ok(*memory),
        ReplicaMemory::Host(_) => Err(Error::argument("a collective of GPUs", "all devices are GPUs")),
    }
}

impl Collective for PeerCollective {
    fn submits(&self) -> bool {
        true
    }

    fn keep(&self, replicas: &mut [Replica<'_>], place: usize, attribute: &Merged) -> Result<Before> {
        let members = members(replicas, place)?;
        let mut kept = Vec::with_capacity(members.len());
        for (index, member) in members.iter().enumerate() {
            let Range { start, end } = quads(attribute.bytes() as u64, index, members.len());
            let (from, bytes) = (QUAD * start, (QUAD * (end - start)) as usize);
            let buffer = match Buffer::lent(&member.kit.stream, bytes, "values before a pass") {
                Err(Error::OutOfMemory { .. }) => return HostCollective.keep(replicas, place, attribute),
                buffer => buffer?,
            };
            // SAFETY: buffers end at a multiple of 16 bytes, and the stream that copies is the one that writes the source.
            unsafe { member.kit.stream.copy_from(member.buffer.address() + from, &buffer, 0, bytes) }?;
            kept.push(buffer);
        }
        Ok(Before::Device(KeptOnDevice(kept)))
    }

    fn reduce(
        &self,
        replicas: &mut [Replica<'_>],
        place: usize,
        attribute: &Merged,
        before: Option<&Before>,
    ) -> Result<()> {
        let before = match before {
            Some(Before::Host(_)) => return HostCollective.reduce(replicas, place, attribute, before),
            Some(Before::Device(before)) => Some(before),
            None => None,
        };
        let members = members(replicas, place)?;
        let work = || merge(&members, attribute.bytes() as u64, attribute.scalar, attribute.merge, before);
        together(&members, work)
    }

    fn gather(
        &self,
        replicas: &mut [Replica<'_>],
        place: usize,
        attribute: &Merged,
        own: &[Vec<Range<u64>>],
    ) -> Result<()> {
        let members = members(replicas, place)?;
        let value = attribute.value_bytes() as u64;
        together(&members, || {
            // Each device fetches from the others in turn, beginning with the next one, so that no link waits for another.
            for step in 1..members.len() {
                for (index, member) in members.iter().enumerate() {
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
        let members = members(replicas, place)?;
        let Some((first, others)) = members.split_first() else { return Ok(()) };
        together(&members, || {
            let copy = |other: &DeviceMemory<'_>| {
                other.kit.stream.copy_from_peer(first.buffer, other.buffer, attribute.bytes())
            };
            others.iter().try_for_each(copy)
        })
    }

    fn unite(&self, replicas: &mut [Replica<'_>], vertices: u64, attributes: &[Merged]) -> Result<bool> {
        let sets = replicas.iter().map(|replica| on_device(&replica.activated)).collect::<Result<Vec<_>>>()?;
        let words = vertices.div_ceil(32);
        let addresses_of_sets = addresses(&sets, 4 * words);
        let Some(last) = attributes.len().checked_sub(1) else {
            together(&sets, || merge(&sets, 4 * words, ScalarType::U32, Merge::Or, None))?;
            return Ok(false);
        };
        let values = (0..attributes.len()).map(|place| members(replicas, place));
        let values: Vec<Vec<DeviceMemory<'_>>> = values.collect::<Result<_>>()?;
        together(&sets, || {
            for (place, (attribute, members)) in attributes.iter().zip(&values).enumerate() {
                let values = addresses(members, attribute.bytes() as u64);
                let count = members.len() as u64;
                for (index, member) in (0..).zip(members) {
                    let (begin, end) = (words * index / count, words * (index + 1) / count);
                    if begin == end {
                        continue;
                    }
                    let Shared { context, kernels, .. } = member.shared.as_ref();
                    let (scalar, merge) = (attribute.scalar, attribute.merge);
                    let function = kernels.merge(context, member.vertex_bytes, scalar, merge, true)?;
                    let arguments = ActivatedArguments {
                        values,
                        sets: addresses_of_sets,
                        count,
                        begin,
                        end,
                        length: attribute.length,
                        unites: (place == last).into(),
                    };
                    let slots: &[u64] = bytemuck::cast_slice(std::slice::from_ref(&arguments));
                    let blocks = (end - begin).div_ceil(BLOCK).clamp(1, BLOCKS) as u32;
                    // SAFETY: all replicas have that many words, and a value for each bit of them; every device reaches the
                    // memory of every other, and their ranges are apart.
                    unsafe { function.launch(&member.kit.stream, (blocks, 1), &[slots]) }?;
                }
            }
            Ok(())
        })?;
        Ok(false)
    }

    fn settle(&self, replicas: &mut [Replica<'_>]) {
        let sets = replicas.iter().filter_map(|replica| on_device(&replica.activated).ok());
        let members: Vec<DeviceMemory<'_>> = sets.collect();
        // Where one is of no use any more, the streams of the others may wait for its work, which may never end.
        if let Some(error) = members.iter().find_map(|member| member.shared.context.failure()) {
            members.iter().for_each(|member| member.shared.context.poison(error.clone()));
        }
        // The failure at hand is the one to tell of.
        members.iter().for_each(|member| drop(member.kit.stream.synchronize("finishing a pass")));
    }
}
