//! Collectives, which make replicas equal after a pass by accessing the memory that each replica lends.

use crate::error::{Error, Result};
use crate::kernel::merge_elements;
use crate::replica::{Merged, Replica, ReplicaMemory};
use gts_contract::Merge;
use gts_core::parallel::*;
use gts_core::{memory, threads};
use std::any::Any;
use std::ops::Range;

/// Number of words of each vertex set that a merge task processes.
const WORDS: usize = 1 << 10;
/// Number of bytes that a task copies or merges. The calling thread executes a single task.
const BYTES: usize = 1 << 18;

/// An attribute's values from before a pass, when all replicas were equal.
#[derive(Debug)]
pub enum Before {
    /// The values of all vertices, in host memory.
    Host(Vec<u8>),
    /// The values in device memory, in a form that is private to the collective.
    Device(Box<dyn Any + Send + Sync>),
}

/// Operations that move values between the replicas of one run. A replica is identified by its index. An attribute is
/// identified by `place`, its index among the lent attributes.
///
/// On GPUs, a call may return before the values have moved. Work that a replica's session starts after the call is
/// ordered after the move.
pub trait Collective: Send + Sync {
    /// Returns whether calls enqueue their work after the sessions' work, instead of waiting for the sessions.
    fn submits(&self) -> bool {
        false
    }

    /// Saves an attribute's values while all replicas are equal. If the merge is [`Merge::Any`], [`Collective::reduce`]
    /// needs these values after the next pass.
    ///
    /// # Errors
    ///
    /// Too little memory, or a device failure.
    fn keep(&self, replicas: &mut [Replica<'_>], place: usize, attribute: &Merged) -> Result<Before>;

    /// Combines the replicas of an attribute by the attribute's merge. Afterwards, all replicas have identical bits.
    ///
    /// - For [`Merge::Sum`], all replicas except the first must have started the pass with zeros.
    /// - For [`Merge::Any`], `before` is required, and the first replica with a changed value determines the result.
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

    /// Copies an attribute's values from the owner of each vertex to the first `receivers` replicas. `own` contains the
    /// vertices that each replica owns. A vertex has at most one owner.
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

    /// Copies an attribute's values from the first replica to all other replicas.
    ///
    /// # Errors
    ///
    /// A device fails.
    fn broadcast(&self, replicas: &mut [Replica<'_>], place: usize, attribute: &Merged) -> Result<()>;

    /// Merges the lent attributes at the activated vertices, and then replaces each replica's set of activated vertices
    /// with the union of all sets. The merge at a vertex combines the values of the replicas that have activated the
    /// vertex. At vertices that no replica has activated, the replicas must hold equal values. Returns whether the call
    /// moved the values of all vertices instead of only the activated ones.
    ///
    /// # Errors
    ///
    /// A device fails.
    fn unite(&self, replicas: &mut [Replica<'_>], vertices: u64, attributes: &[Merged]) -> Result<bool>;

    /// Waits until no replica accesses the memory of another replica. May be called after a failure.
    fn settle(&self, _replicas: &mut [Replica<'_>]) {}
}

/// Collectives through host memory, for devices of any kind.
#[derive(Clone, Copy, Debug, Default)]
pub struct HostCollective;

/// A view of a replica's values on the host: the values themselves in host memory, or a copy of device memory.
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

    /// Writes a copied view back to the replica. Does nothing if the view is not a copy.
    pub fn put_back(self) -> Result<()> {
        match self.memory {
            ReplicaMemory::Host(_) => Ok(()),
            ReplicaMemory::Device(device) => device.write(&bytemuck::cast_slice(&self.copy)[..self.bytes]),
        }
    }
}

/// Returns a view of an attribute's values for each replica.
fn views<'m, 'a>(replicas: &'m mut [Replica<'a>], place: usize, bytes: usize) -> Result<Vec<View<'m, 'a>>> {
    replicas.iter_mut().map(|replica| View::new(lent(replica, place)?, bytes)).collect()
}

/// Returns the memory of the lent attribute with index `place`.
pub fn lent<'m, 'a>(replica: &'m mut Replica<'a>, place: usize) -> Result<&'m mut ReplicaMemory<'a>> {
    replica
        .values
        .get_mut(place)
        .ok_or_else(|| Error::argument("a collective", "the replica does not lend that attribute"))
}

/// Returns the error for a merge whose saved values are from a collective of another kind.
pub fn unusable() -> Error {
    Error::argument("a collective", "the values before the pass are those of another collective")
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
            Some(Before::Device(_)) => return Err(unusable()),
            None => None,
        };
        let mut views = views(replicas, place, attribute.bytes())?;
        let Some((first, others)) = views.split_first_mut() else { return Ok(()) };
        let total = first.as_mut_slice();
        for other in &mut *others {
            combine(attribute, 0, total, other.as_mut_slice(), before)?;
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
        // Views of device memory copy the values of all vertices.
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

/// Adds the vertices of `set` to `union`. Uses all threads if the sets are large.
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

/// Returns the size in bytes of a vertex set on a GPU.
pub fn set_bytes(vertices: u64) -> usize {
    4 * vertices.div_ceil(32) as usize
}

/// Overwrites a replica's vertex set.
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

/// Returns a copy of a replica's vertex set, in 64-bit words.
pub fn words(set: &mut ReplicaMemory<'_>, vertices: u64) -> Result<Vec<u64>> {
    let mut words: Vec<u64> = memory::zeroed("active vertices", vertices.div_ceil(64) as usize)?;
    let bytes = bytemuck::cast_slice_mut(&mut words);
    match set {
        ReplicaMemory::Host(set) => copy(bytes, &set.as_slice()[..bytes.len()])?,
        ReplicaMemory::Device(set) => set.read(&mut bytes[..set_bytes(vertices)])?,
    }
    Ok(words)
}

/// Copies bytes. Uses all threads if the slices are large.
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

/// Merges another replica's values, `part`, into `total`. `first` is the index of the first element. Uses all threads if
/// the slices are large.
///
/// # Errors
///
/// An integer cannot hold its total, or the threads cannot be started.
pub fn combine(attribute: &Merged, first: u64, total: &mut [u8], part: &[u8], before: Option<&[u8]>) -> Result<()> {
    let size = attribute.element_bytes();
    if total.len() <= BYTES {
        return combine_part(attribute, first, total, part, before);
    }
    threads::prepare()?;
    // `BYTES` is a multiple of every element size.
    let parts = total.par_chunks_mut(BYTES).zip(part.par_chunks(BYTES)).enumerate();
    parts.try_for_each(|(number, (total, part))| {
        let range = number * BYTES..number * BYTES + total.len();
        let first = first + (range.start / size) as u64;
        combine_part(attribute, first, total, part, before.map(|before| &before[range]))
    })
}

fn combine_part(attribute: &Merged, first: u64, total: &mut [u8], part: &[u8], before: Option<&[u8]>) -> Result<()> {
    let size = attribute.element_bytes();
    let Some(before) = before else { return attribute.merge_into(first, total, part) };
    let chunks = total.chunks_exact_mut(size).zip(part.chunks_exact(size)).zip(before.chunks_exact(size));
    // Skip values of `total` that have already changed, because the first replica with a changed value determines the
    // result.
    chunks.filter(|((total, _), before)| *total == *before).for_each(|((total, part), _)| total.copy_from_slice(part));
    Ok(())
}

/// Merges the values at each vertex that any replica has activated, and writes the results to all replicas.
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
                            // The first replica that has activated the vertex determines the result.
                            true if attribute.merge == Merge::Any => {}
                            true => merge_elements(
                                attribute.scalar,
                                attribute.merge,
                                attribute.vertex_bytes,
                                &mut total,
                                part,
                            ),
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
