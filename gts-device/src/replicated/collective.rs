//! Collectives that make replicas equal after a pass, over the memory that each replica lends.

use crate::error::{Error, Result};
use crate::kernel::merge_elements;
use gts_contract::{AttributeKind, AttributeSchema, Merge, ScalarType, Schema};
use gts_core::{memory, threads};
use rayon::prelude::*;
use std::any::Any;
use std::fmt;
use std::ops::Range;

/// Words of the set of active vertices that a thread takes at a time when values are merged.
const WORDS: usize = 1 << 10;
/// Bytes that a thread takes at a time. The calling thread handles fewer bytes without other threads.
const BYTES: usize = 1 << 18;

/// Location of a replica's values.
#[derive(Debug)]
pub enum ReplicaMemory<'a> {
    /// In the host's memory.
    Host(HostValues<'a>),
    /// In the memory of a device.
    Device(DeviceValues<'a>),
}

/// Memory on a device. The type is private to the device.
pub trait DeviceMemory: Any + fmt::Debug + Sync {}

/// A session, as the token for its device's memory: code that knows the session's type accesses the memory in place.
pub trait Reach: Any + Sync {
    /// Copies the beginning of memory of this session's device to the host, after the session's earlier work.
    ///
    /// # Errors
    ///
    /// A device failure.
    fn read(&self, memory: &dyn DeviceMemory, bytes: &mut [u8]) -> Result<()>;

    /// Copies bytes to the beginning of memory of this session's device, after the session's earlier work.
    ///
    /// # Errors
    ///
    /// A device failure.
    fn write(&self, memory: &dyn DeviceMemory, bytes: &[u8]) -> Result<()>;
}

/// Values of a replica in the memory of a device.
#[derive(Clone, Copy)]
pub struct DeviceValues<'a> {
    memory: &'a dyn DeviceMemory,
    reach: &'a dyn Reach,
}

impl fmt::Debug for DeviceValues<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceValues").field("memory", &self.memory).finish_non_exhaustive()
    }
}

impl<'a> DeviceValues<'a> {
    /// Returns the values in `memory`, which `reach` can access.
    pub fn new(memory: &'a dyn DeviceMemory, reach: &'a dyn Reach) -> Self {
        Self { memory, reach }
    }

    /// Returns the memory and the token that accesses it, if they are of these types.
    pub fn as_of<M: DeviceMemory, R: Reach>(&self) -> Option<(&'a M, &'a R)> {
        let (memory, reach): (&dyn Any, &dyn Any) = (self.memory, self.reach);
        Some((memory.downcast_ref()?, reach.downcast_ref()?))
    }

    fn read(&self, bytes: &mut [u8]) -> Result<()> {
        self.reach.read(self.memory, bytes)
    }

    fn write(&self, bytes: &[u8]) -> Result<()> {
        self.reach.write(self.memory, bytes)
    }
}

/// Values of a replica in the host's memory.
#[derive(Debug)]
pub struct HostValues<'a> {
    bytes: &'a mut [u8],
    /// Address for GPUs, if they can access the values.
    address: Option<u64>,
}

impl<'a> HostValues<'a> {
    /// Returns values that GPUs cannot access.
    pub fn new(bytes: &'a mut [u8]) -> Self {
        Self { bytes, address: None }
    }

    /// Returns values that GPUs access at `address`, if it is set. The bytes up to the next multiple of 16 must be
    /// unused.
    pub fn on_gpus(bytes: &'a mut [u8], address: Option<u64>) -> Self {
        Self { bytes, address }
    }

    /// Returns the values.
    pub fn as_slice(&self) -> &[u8] {
        self.bytes
    }

    /// Returns the values for writing.
    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        self.bytes
    }

    /// Returns the address of the values for GPUs, if they can access them.
    pub fn address(&self) -> Option<u64> {
        self.address
    }
}

/// Memory that a replica lends to a collective.
#[derive(Debug)]
pub struct Replica<'a> {
    /// The vertices activated for the next step, as a bit set in words of 32 or 64 bits.
    pub activated: ReplicaMemory<'a>,
    /// The values of the requested attributes, in the order of the request.
    pub values: Vec<ReplicaMemory<'a>>,
}

/// An attribute whose replicas differ.
#[derive(Clone, Copy, Debug)]
pub struct Merged {
    /// Index in the schema.
    pub attribute: usize,
    /// Type of an element.
    pub scalar: ScalarType,
    /// The combination of two replicas' values.
    pub merge: Merge,
    /// Elements per vertex.
    pub length: u64,
    /// Number of vertices.
    pub vertices: u64,
    /// Bytes of a stored vertex number.
    pub vertex_bytes: usize,
}

impl Merged {
    /// Returns the shape of an attribute's replicas. If the attribute is no `wa`, they are copied and never merged.
    pub fn of(schema: &Schema, attribute: usize, vertices: u64, vertex_bytes: usize) -> Self {
        let AttributeSchema { ty, kind, .. } = &schema.attributes[attribute];
        let merge = match *kind {
            AttributeKind::Wa { merge, .. } => merge,
            _ => Merge::Any,
        };
        Self { attribute, scalar: ty.scalar, merge, length: u64::from(ty.length), vertices, vertex_bytes }
    }

    /// Returns the bytes of an element.
    pub fn element_bytes(&self) -> usize {
        self.scalar.bytes(self.vertex_bytes)
    }

    /// Returns the bytes of a vertex's value.
    pub fn value_bytes(&self) -> usize {
        self.length as usize * self.element_bytes()
    }

    /// Returns the bytes of all vertices' values.
    pub fn bytes(&self) -> usize {
        self.vertices as usize * self.value_bytes()
    }

    /// Merges elements of another replica into those of a total.
    pub fn merge_into(&self, total: &mut [u8], part: &[u8]) {
        merge_elements(self.scalar, self.merge, self.vertex_bytes, total, part);
    }
}

/// Values that all replicas of an attribute held before a pass.
#[derive(Debug)]
pub enum Before {
    /// All values.
    Host(Vec<u8>),
    /// On the devices, in the form that the collective has chosen.
    Device(Box<dyn Any + Send + Sync>),
}

/// Moves values between the replicas of one run. A replica is identified by its index, and an attribute by its `place`
/// among the lent ones.
///
/// On GPUs a call may return before the values have moved. Later work of a replica's session is ordered after the call.
pub trait Collective: Send + Sync {
    /// Returns whether calls enqueue work behind that of the replicas' sessions instead of waiting for it.
    fn submits(&self) -> bool {
        false
    }

    /// Saves the values that all replicas of an attribute hold, for a [`Collective::reduce`] by [`Merge::Any`] after
    /// the next pass.
    ///
    /// # Errors
    ///
    /// Too little memory, or a device that fails.
    fn keep(&self, replicas: &mut [Replica<'_>], place: usize, attribute: &Merged) -> Result<Before>;

    /// Combines the replicas of an attribute by its merge. All have identical bits afterwards. For [`Merge::Sum`], all
    /// replicas but the first must have begun the pass at zero. For [`Merge::Any`], `before` is required, and the first
    /// replica with a changed value wins.
    ///
    /// # Errors
    ///
    /// A device fails.
    fn reduce(
        &self,
        replicas: &mut [Replica<'_>],
        place: usize,
        attribute: &Merged,
        before: Option<&Before>,
    ) -> Result<()>;

    /// Copies the values of each replica's own vertices to the first `receivers` replicas of an attribute. `own`
    /// contains the vertices of each replica, and no vertex has two owners.
    ///
    /// # Errors
    ///
    /// A device fails.
    fn gather(
        &self,
        replicas: &mut [Replica<'_>],
        place: usize,
        attribute: &Merged,
        own: &[Vec<Range<u64>>],
        receivers: usize,
    ) -> Result<()>;

    /// Copies the values of an attribute from the first replica to all others.
    ///
    /// # Errors
    ///
    /// A device fails.
    fn broadcast(&self, replicas: &mut [Replica<'_>], place: usize, attribute: &Merged) -> Result<()>;

    /// Unites the sets of vertices that the replicas have activated for the next step; all have the union afterwards.
    /// First merges the lent attributes: at each vertex, the values of the replicas that have activated it. Replicas
    /// must hold the same values at all other vertices. Returns whether all values were moved although those of
    /// activated vertices would have sufficed.
    ///
    /// # Errors
    ///
    /// A device fails.
    fn unite(&self, replicas: &mut [Replica<'_>], vertices: u64, attributes: &[Merged]) -> Result<bool>;

    /// Waits until no replica accesses the memory of another, also after a failure.
    fn settle(&self, _replicas: &mut [Replica<'_>]) {}
}

/// Collectives through host memory, between devices of any kind.
#[derive(Clone, Copy, Debug, Default)]
pub struct HostCollective;

/// A replica's values in host memory: the original, or a copy.
pub struct View<'m, 'a> {
    memory: &'m mut ReplicaMemory<'a>,
    copy: Vec<u64>,
    bytes: usize,
}

impl<'m, 'a> View<'m, 'a> {
    /// Returns a view of the first `bytes` bytes of a replica's memory.
    ///
    /// # Errors
    ///
    /// Too little host memory for a copy, or a device failure.
    pub fn new(memory: &'m mut ReplicaMemory<'a>, bytes: usize) -> Result<Self> {
        let mut copy = Vec::new();
        if let ReplicaMemory::Device(device) = memory {
            copy = memory::zeroed("values of a replica", bytes.div_ceil(8))?;
            device.read(&mut bytemuck::cast_slice_mut(&mut copy)[..bytes])?;
        }
        Ok(Self { memory, copy, bytes })
    }

    /// Returns the viewed bytes.
    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        match &mut self.memory {
            ReplicaMemory::Host(values) => &mut values.as_mut_slice()[..self.bytes],
            ReplicaMemory::Device(_) => &mut bytemuck::cast_slice_mut(&mut self.copy)[..self.bytes],
        }
    }

    /// Writes a copy back to its origin.
    pub fn put_back(self) -> Result<()> {
        match self.memory {
            ReplicaMemory::Host(_) => Ok(()),
            ReplicaMemory::Device(device) => device.write(&bytemuck::cast_slice(&self.copy)[..self.bytes]),
        }
    }
}

/// Returns views of the replicas of an attribute.
fn views<'m, 'a>(replicas: &'m mut [Replica<'a>], place: usize, bytes: usize) -> Result<Vec<View<'m, 'a>>> {
    replicas.iter_mut().map(|replica| View::new(lent(replica, place)?, bytes)).collect()
}

/// Returns the memory of an attribute that a replica lends.
pub fn lent<'m, 'a>(replica: &'m mut Replica<'a>, place: usize) -> Result<&'m mut ReplicaMemory<'a>> {
    replica
        .values
        .get_mut(place)
        .ok_or_else(|| Error::argument("a collective", "the replica does not lend that attribute"))
}

impl Collective for HostCollective {
    fn keep(&self, replicas: &mut [Replica<'_>], place: usize, attribute: &Merged) -> Result<Before> {
        let mut kept = memory::zeroed("values before a pass", attribute.bytes())?;
        if let Some(first) = replicas.first_mut() {
            match lent(first, place)? {
                ReplicaMemory::Host(values) => copy(&mut kept, &values.as_slice()[..attribute.bytes()])?,
                ReplicaMemory::Device(device) => device.read(&mut kept)?,
            }
        }
        Ok(Before::Host(kept))
    }

    fn reduce(
        &self,
        replicas: &mut [Replica<'_>],
        place: usize,
        attribute: &Merged,
        before: Option<&Before>,
    ) -> Result<()> {
        let before = match before {
            Some(Before::Host(before)) => Some(before.as_slice()),
            _ => None,
        };
        let mut views = views(replicas, place, attribute.bytes())?;
        let Some((first, others)) = views.split_first_mut() else { return Ok(()) };
        let total = first.as_mut_slice();
        for other in &mut *others {
            combine(attribute, total, other.as_mut_slice(), before)?;
        }
        for other in others {
            copy(other.as_mut_slice(), total)?;
        }
        views.into_iter().try_for_each(View::put_back)
    }

    fn gather(
        &self,
        replicas: &mut [Replica<'_>],
        place: usize,
        attribute: &Merged,
        own: &[Vec<Range<u64>>],
        receivers: usize,
    ) -> Result<()> {
        let value = attribute.value_bytes();
        let mut views = views(replicas, place, attribute.bytes())?;
        for (index, ranges) in own.iter().enumerate().take(views.len()) {
            let (before, rest) = views.split_at_mut(index);
            let Some((source, after)) = rest.split_first_mut() else { break };
            let others = before.iter_mut().chain(after.iter_mut().take(receivers.saturating_sub(index + 1)));
            for other in others.take(receivers) {
                for range in ranges {
                    let bytes = range.start as usize * value..range.end as usize * value;
                    copy(&mut other.as_mut_slice()[bytes.clone()], &source.as_mut_slice()[bytes])?;
                }
            }
        }
        views.into_iter().take(receivers).try_for_each(View::put_back)
    }

    fn broadcast(&self, replicas: &mut [Replica<'_>], place: usize, attribute: &Merged) -> Result<()> {
        let mut views = views(replicas, place, attribute.bytes())?;
        let Some((first, others)) = views.split_first_mut() else { return Ok(()) };
        others.iter_mut().try_for_each(|other| copy(other.as_mut_slice(), first.as_mut_slice()))?;
        views.into_iter().try_for_each(View::put_back)
    }

    fn unite(&self, replicas: &mut [Replica<'_>], vertices: u64, attributes: &[Merged]) -> Result<bool> {
        // Values of a GPU are copied as a whole.
        let on_device = |memory: &ReplicaMemory<'_>| matches!(memory, ReplicaMemory::Device(_));
        let whole = replicas.iter().any(|replica| replica.values.iter().any(on_device));
        let activated = replicas.iter_mut().map(|replica| words(&mut replica.activated, vertices));
        let activated: Vec<Vec<u64>> = activated.collect::<Result<_>>()?;
        for (place, attribute) in attributes.iter().enumerate() {
            let mut views = views(replicas, place, attribute.bytes())?;
            merge_activated(attribute, &activated, &mut views)?;
            views.into_iter().try_for_each(View::put_back)?;
        }
        let mut sets = activated.into_iter();
        let Some(mut union) = sets.next() else { return Ok(whole) };
        sets.try_for_each(|set| add(&mut union, &set))?;
        replicas.iter_mut().try_for_each(|replica| put_words(&mut replica.activated, vertices, &union))?;
        Ok(whole)
    }
}

/// Adds the vertices of one set to another, with all threads if the set is large.
fn add(union: &mut [u64], set: &[u64]) -> Result<()> {
    let add = |all: &mut [u64], own: &[u64]| all.iter_mut().zip(own).for_each(|(all, own)| *all |= own);
    if union.len() <= BYTES / 8 {
        add(union, set);
        return Ok(());
    }
    threads::prepare()?;
    union.par_chunks_mut(BYTES / 8).zip(set.par_chunks(BYTES / 8)).for_each(|(all, own)| add(all, own));
    Ok(())
}

/// Returns the bytes of a set of vertices on a GPU.
pub fn set_bytes(vertices: u64) -> usize {
    4 * vertices.div_ceil(32) as usize
}

/// Overwrites a replica's set of vertices.
pub fn put_words(set: &mut ReplicaMemory<'_>, vertices: u64, words: &[u64]) -> Result<()> {
    let bytes: &[u8] = bytemuck::cast_slice(words);
    match set {
        ReplicaMemory::Host(set) => {
            let own = set.as_mut_slice();
            copy(own, &bytes[..own.len()])
        }
        ReplicaMemory::Device(set) => set.write(&bytes[..set_bytes(vertices)]),
    }
}

/// Returns a copy of a set of vertices.
pub fn words(set: &mut ReplicaMemory<'_>, vertices: u64) -> Result<Vec<u64>> {
    let mut words: Vec<u64> = memory::zeroed("active vertices", vertices.div_ceil(64) as usize)?;
    let bytes = bytemuck::cast_slice_mut(&mut words);
    match set {
        ReplicaMemory::Host(set) => copy(bytes, &set.as_slice()[..bytes.len()])?,
        ReplicaMemory::Device(set) => set.read(&mut bytes[..set_bytes(vertices)])?,
    }
    Ok(words)
}

/// Copies bytes, with all threads if there are many.
pub fn copy(target: &mut [u8], source: &[u8]) -> Result<()> {
    if target.len() <= BYTES {
        target.copy_from_slice(source);
        return Ok(());
    }
    threads::prepare()?;
    let parts = target.par_chunks_mut(BYTES).zip(source.par_chunks(BYTES));
    parts.for_each(|(target, source)| target.copy_from_slice(source));
    Ok(())
}

/// Merges another replica's values into a total, with all threads if there are many.
pub fn combine(attribute: &Merged, total: &mut [u8], part: &[u8], before: Option<&[u8]>) -> Result<()> {
    if total.len() <= BYTES {
        combine_part(attribute, total, part, before);
        return Ok(());
    }
    threads::prepare()?;
    // `BYTES` is a multiple of the size of every element.
    let parts = total.par_chunks_mut(BYTES).zip(part.par_chunks(BYTES)).enumerate();
    parts.for_each(|(number, (total, part))| {
        let range = number * BYTES..number * BYTES + total.len();
        combine_part(attribute, total, part, before.map(|before| &before[range]));
    });
    Ok(())
}

fn combine_part(attribute: &Merged, total: &mut [u8], part: &[u8], before: Option<&[u8]>) {
    let size = attribute.element_bytes();
    let Some(before) = before else { return attribute.merge_into(total, part) };
    let chunks = total.chunks_exact_mut(size).zip(part.chunks_exact(size)).zip(before.chunks_exact(size));
    // A changed value of the first replica is kept.
    chunks.filter(|((total, _), before)| *total == *before).for_each(|((total, part), _)| total.copy_from_slice(part));
}

/// Writes the merged value of each vertex that any replica has activated to all replicas.
fn merge_activated(attribute: &Merged, activated: &[Vec<u64>], views: &mut [View<'_, '_>]) -> Result<()> {
    let words = activated.first().map_or(0, Vec::len);
    let value = attribute.value_bytes();
    let mut parts: Vec<_> = views.iter_mut().map(|view| view.as_mut_slice().chunks_mut(64 * WORDS * value)).collect();
    let starts = (0..words).step_by(WORDS);
    let mut blocks: Vec<(usize, Vec<&mut [u8]>)> =
        starts.map(|start| (start, parts.iter_mut().filter_map(Iterator::next).collect())).collect();
    let merge = |(start, values): &mut (usize, Vec<&mut [u8]>)| {
        let words = *start..words.min(*start + WORDS);
        let mut total = vec![0; value];
        for word in words.clone() {
            let mut union = activated.iter().fold(0, |all, set| all | set[word]);
            while union != 0 {
                let bit = union.trailing_zeros();
                union &= union - 1;
                let at = (64 * (word - words.start) + bit as usize) * value;
                let mut merged = false;
                for (set, values) in activated.iter().zip(values.iter()) {
                    if set[word] >> bit & 1 == 1 {
                        let part = &values[at..at + value];
                        match std::mem::replace(&mut merged, true) {
                            false => total.copy_from_slice(part),
                            // The first replica that has activated the vertex determines the value.
                            true if attribute.merge == Merge::Any => {}
                            true => attribute.merge_into(&mut total, part),
                        }
                    }
                }
                values.iter_mut().for_each(|values| values[at..at + value].copy_from_slice(&total));
            }
        }
    };
    match blocks.as_mut_slice() {
        [only] => merge(only),
        blocks => {
            threads::prepare()?;
            blocks.par_iter_mut().for_each(merge);
        }
    }
    Ok(())
}

pub mod samples;
#[cfg(test)]
mod tests;
