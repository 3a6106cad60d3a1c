//! Passes on all replicas, and how replicas become one again after them.

use crate::device::at_once::at_once;
use crate::device::{PageShare, PassOutcome, PassRequest, Session};
use crate::error::Result;
use crate::kernel::{EdgePass, Scalar, VertexPass, merged};
use bytemuck::{AnyBitPattern, NoUninit};
use gts_core::contract::{Merge, ScalarType};
use gts_core::graph::Vertex;
use gts_core::memory;
use std::time::Instant;

/// An attribute whose replicas differ.
#[derive(Clone, Debug)]
pub struct Merged<'a> {
    /// Index in the schema.
    pub attribute: usize,
    /// Type of an element.
    pub scalar: ScalarType,
    /// How two replicas combine. Of sums, all replicas but the first have begun at zero.
    pub merge: Merge,
    /// Number of elements: a vertex has as many as the attribute's array.
    pub elements: u64,
    /// Bytes of a stored vertex number.
    pub vertex_bytes: usize,
    /// What all replicas held before the pass, where `merge` is [`Merge::Any`]: the first replica with another value wins.
    pub before: Option<&'a [u8]>,
}

impl Merged<'_> {
    /// Bytes of a replica.
    pub fn bytes(&self) -> usize {
        self.elements as usize * self.scalar.bytes(self.vertex_bytes)
    }
}

/// Runs passes on the replicas of one run, and moves values between them.
pub trait Exchange: Send + Sync {
    /// Runs an edge kernel on all replicas, each over its share of the pages, and combines the attributes that it has
    /// written. Answers what each did; the first of them tells of the time in which they were combined.
    ///
    /// # Errors
    ///
    /// The first failure, by the order of the replicas; no replica is still at work.
    fn edge_pass(
        &self,
        replicas: &mut [Box<dyn Session>],
        kernel: &dyn EdgePass,
        request: &PassRequest,
        written: &[Merged<'_>],
    ) -> Result<Vec<PassOutcome>> {
        let requests = shared_out(request, replicas.len());
        let mut outcomes = at_once(replicas, |index, replica| replica.edge_pass(kernel, &requests[index]))?;
        let begun = Instant::now();
        written.iter().try_for_each(|merged| self.attribute(replicas, merged))?;
        if let Some(first) = outcomes.first_mut() {
            first.merge_time = Some(begun.elapsed());
        }
        Ok(outcomes)
    }

    /// Runs a vertex kernel on all replicas, which all come to the same values.
    ///
    /// # Errors
    ///
    /// As for [`Exchange::edge_pass`].
    fn vertex_pass(
        &self,
        replicas: &mut [Box<dyn Session>],
        kernel: &dyn VertexPass,
        request: &PassRequest,
    ) -> Result<Vec<PassOutcome>> {
        at_once(replicas, |_, replica| replica.vertex_pass(kernel, request))
    }

    /// Combines the replicas of an attribute; all hold the same bits afterwards.
    ///
    /// # Errors
    ///
    /// A device fails.
    fn attribute(&self, replicas: &mut [Box<dyn Session>], merged: &Merged<'_>) -> Result<()>;

    /// Gives every replica of an attribute what the first one holds.
    ///
    /// # Errors
    ///
    /// A device fails.
    fn broadcast(&self, replicas: &mut [Box<dyn Session>], merged: &Merged<'_>) -> Result<()>;

    /// Unites what the replicas have activated for the next step; all have the same set afterwards.
    ///
    /// # Errors
    ///
    /// A device fails.
    fn activated(&self, replicas: &mut [Box<dyn Session>]) -> Result<()>;
}

/// A request for each of so many replicas, with its share of the pages.
pub(crate) fn shared_out(request: &PassRequest, replicas: usize) -> Vec<PassRequest> {
    let shares = (0..replicas as u32).map(|index| PageShare { index, count: replicas as u32 });
    shares.map(|share| PassRequest { share, ..request.clone() }).collect()
}

/// The exchange by way of the host's memory, which works between any devices.
#[derive(Clone, Copy, Debug, Default)]
pub struct HostExchange;

impl Exchange for HostExchange {
    fn attribute(&self, replicas: &mut [Box<dyn Session>], merged: &Merged<'_>) -> Result<()> {
        let Some((first, others)) = replicas.split_first_mut() else { return Ok(()) };
        let mut total = read(first.as_mut(), merged)?;
        for other in others {
            combine(merged, &mut total, &read(other.as_mut(), merged)?);
        }
        replicas.iter_mut().try_for_each(|replica| replica.write(merged.attribute, Vertex::from_dense(0), &total))
    }

    fn broadcast(&self, replicas: &mut [Box<dyn Session>], merged: &Merged<'_>) -> Result<()> {
        let Some((first, others)) = replicas.split_first_mut() else { return Ok(()) };
        let value = read(first.as_mut(), merged)?;
        others.iter_mut().try_for_each(|replica| replica.write(merged.attribute, Vertex::from_dense(0), &value))
    }

    fn activated(&self, replicas: &mut [Box<dyn Session>]) -> Result<()> {
        let mut union: Vec<u64> = Vec::new();
        for replica in replicas.iter_mut() {
            let set = replica.activated()?;
            if union.is_empty() {
                union = set;
            } else {
                union.iter_mut().zip(&set).for_each(|(all, own)| *all |= own);
            }
        }
        replicas.iter_mut().try_for_each(|replica| replica.activate_set(&union))
    }
}

/// The values of a replica.
pub(super) fn read(replica: &mut dyn Session, merged: &Merged<'_>) -> Result<Vec<u8>> {
    let mut bytes = memory::zeroed("values of a replica", merged.bytes())?;
    replica.read(merged.attribute, Vertex::from_dense(0), &mut bytes)?;
    Ok(bytes)
}

/// Merges another replica's values into a total.
fn combine(merged: &Merged<'_>, total: &mut [u8], part: &[u8]) {
    if let (Merge::Any, Some(before)) = (merged.merge, merged.before) {
        let size = merged.scalar.bytes(merged.vertex_bytes);
        let chunks = total.chunks_exact_mut(size).zip(part.chunks_exact(size)).zip(before.chunks_exact(size));
        // The first replica's own value stands where it has changed.
        chunks
            .filter(|((total, _), before)| *total == *before)
            .for_each(|((total, part), _)| total.copy_from_slice(part));
        return;
    }
    let wide = merged.vertex_bytes == 8;
    match merged.scalar {
        ScalarType::U8 => elements::<u8, _>(merged.merge, total, part, |x| x, |x| x),
        ScalarType::U16 => elements::<u16, _>(merged.merge, total, part, |x| x, |x| x),
        ScalarType::U32 => elements::<u32, _>(merged.merge, total, part, |x| x, |x| x),
        ScalarType::U64 => elements::<u64, _>(merged.merge, total, part, |x| x, |x| x),
        ScalarType::I32 => elements::<i32, _>(merged.merge, total, part, |x| x, |x| x),
        ScalarType::I64 => elements::<i64, _>(merged.merge, total, part, |x| x, |x| x),
        ScalarType::F32 => elements::<f32, _>(merged.merge, total, part, |x| x, |x| x),
        ScalarType::F64 => elements::<f64, _>(merged.merge, total, part, |x| x, |x| x),
        ScalarType::Bool => elements::<bool, u8>(merged.merge, total, part, |x| x != 0, u8::from),
        // All ones, the largest number in either width, stand for no vertex.
        ScalarType::VertexId if wide => elements::<u64, _>(merged.merge, total, part, |x| x, |x| x),
        ScalarType::VertexId => elements::<u32, _>(merged.merge, total, part, |x| x, |x| x),
    }
}

fn elements<T: Scalar, B: AnyBitPattern + NoUninit>(
    merge: Merge,
    total: &mut [u8],
    part: &[u8],
    value: impl Fn(B) -> T,
    bits: impl Fn(T) -> B,
) {
    let size = size_of::<B>();
    for (total, part) in total.chunks_exact_mut(size).zip(part.chunks_exact(size)) {
        let [a, b] = [&*total, part].map(|bytes| value(bytemuck::pod_read_unaligned(bytes)));
        total.copy_from_slice(bytemuck::bytes_of(&bits(merged(merge, a, b))));
    }
}
