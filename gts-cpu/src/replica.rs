//! Replicas of summed attributes. Every thread adds to its own replica, and the replicas are merged after the pass. If
//! the replicas have the attribute's own element type, the first thread needs no replica and adds to the attribute.
//!
//! Summing by compare-and-exchange needs an atomic operation per edge, which takes many times longer than a plain
//! addition. Merging a replica after the scan needs one pass over the attribute. Replicas are therefore faster if a
//! scan has many more edges than vertices.

use super::memory::Bytes;
use bytemuck::Pod;
use gts_contract::{
    Access, AttributeKind, AttributeUse, KernelDescriptor, KernelKind, Merge, ScalarType, Schema, Site,
};
use gts_core::parallel::*;
use gts_device::error::Result;
use gts_device::kernel::{self, Scalar, sums_in_replicas};

/// Minimum number of edges per vertex and thread for which replicas are faster. The merge reads and writes each element
/// once per thread.
const EDGES_PER_MERGED_VALUE: u64 = 2;

/// Maximum number of threads for which replicas are used, because each thread adds a replica to the memory use.
const MOST_THREADS: usize = 16;

/// Returns the attributes for which each thread should have a replica, or `None` if atomics are faster or required.
pub(super) fn replicated(kernel: &KernelDescriptor, threads: usize, edges: u64, vertices: u64) -> Option<Vec<usize>> {
    if !sums_in_replicas(kernel.kind) || !kernel.facts.replicable.holds() || threads > MOST_THREADS {
        return None;
    }
    // An intersection kernel writes at `u` as often as at `v` and `w`, so writes at `u` do not rule out replicas.
    let elsewhere = |used: &AttributeUse| {
        matches!(used.site, Site::Dst | Site::Common | Site::Computed) && used.access != Access::Read
    };
    let spread = kernel.kind == KernelKind::Intersect && kernel.facts.uses.iter().any(elsewhere);
    let mut summed = Vec::new();
    for used in kernel.facts.uses {
        let AttributeKind::Wa { merge, .. } = kernel.schema.attributes[used.attribute].kind else { continue };
        match used.access {
            Access::Read => {}
            // Writes at the source occur only once per visit, so replicas would not be faster.
            _ if used.site == Site::Src && !spread => return None,
            Access::Merge if merge == Merge::Sum => summed.push(used.attribute),
            _ => return None,
        }
    }
    let read =
        |attribute| kernel.facts.uses.iter().any(|used| used.attribute == attribute && used.access == Access::Read);
    summed.dedup();
    let pays = edges >= EDGES_PER_MERGED_VALUE * vertices * threads as u64;
    (pays && !summed.is_empty() && !summed.iter().any(|&attribute| read(attribute))).then_some(summed)
}

/// Returns whether an attribute's replicas have wider elements than the attribute itself.
pub(super) fn is_wide(schema: &Schema, attribute: usize) -> bool {
    kernel::is_wide(schema.attributes[attribute].ty.scalar)
}

/// The replicas of one attribute, one per thread. If replicas are not wide, the first thread has no replica and uses
/// the attribute itself. Replicas are zero between passes.
#[derive(Debug)]
pub(super) struct Replicas {
    pub(super) attribute: usize,
    pub(super) copies: Vec<Bytes>,
}

impl Replicas {
    pub(super) fn new(schema: &Schema, attribute: usize, bytes: usize, threads: usize) -> Result<Self> {
        let (copies, bytes) = if is_wide(schema, attribute) { (threads, 2 * bytes) } else { (threads - 1, bytes) };
        let copies = (0..copies).map(|_| Bytes::zeroed(bytes, "replicas")).collect::<Result<_>>()?;
        Ok(Self { attribute, copies })
    }

    /// Returns the replica of a lane, or `None` if the lane uses the attribute itself.
    pub(super) fn of_lane(&mut self, schema: &Schema, lane: usize) -> Option<&mut Bytes> {
        let index = if is_wide(schema, self.attribute) { Some(lane) } else { lane.checked_sub(1) };
        self.copies.get_mut(index?)
    }

    /// Adds the replicas to the attribute, and resets the replicas to zero.
    pub(super) fn merge_into(&mut self, schema: &Schema, main: &mut Bytes) {
        match schema.attributes[self.attribute].ty.scalar {
            ScalarType::U8 | ScalarType::Bool => self.merge::<u8>(main),
            ScalarType::U16 => self.merge::<u16>(main),
            ScalarType::U32 | ScalarType::I32 => self.merge::<u32>(main),
            ScalarType::F32 => self.merge_wide(main),
            ScalarType::F64 => self.merge::<f64>(main),
            ScalarType::U64 | ScalarType::I64 => self.merge::<u64>(main),
            // The macros reject sums of vertex numbers.
            ScalarType::VertexId => {}
        }
    }

    /// Adds f64 sums to f32 values, rounding once.
    fn merge_wide(&mut self, main: &mut Bytes) {
        const BLOCK: usize = 1 << 12;
        let main: &mut [f32] = bytemuck::cast_slice_mut(main.as_mut_slice());
        let mut copies: Vec<&mut [f64]> =
            self.copies.iter_mut().map(|copy| bytemuck::cast_slice_mut(copy.as_mut_slice())).collect();
        let Some((first, others)) = copies.split_first_mut() else { return };
        for other in others {
            first.par_chunks_mut(BLOCK).zip(other.par_chunks_mut(BLOCK)).for_each(|(first, other)| {
                first.iter_mut().zip(other).for_each(|(total, part)| *total += std::mem::take(part));
            });
        }
        main.par_chunks_mut(BLOCK).zip(first.par_chunks_mut(BLOCK)).for_each(|(main, sums)| {
            main.iter_mut()
                .zip(sums)
                .for_each(|(total, sum)| *total = (f64::from(*total) + std::mem::take(sum)) as f32);
        });
    }

    fn merge<T: Scalar + Pod>(&mut self, main: &mut Bytes) {
        /// Number of elements in a unit of work.
        const BLOCK: usize = 1 << 13;
        let main: &mut [T] = bytemuck::cast_slice_mut(main.as_mut_slice());
        for copy in &mut self.copies {
            let copy: &mut [T] = bytemuck::cast_slice_mut(copy.as_mut_slice());
            main.par_chunks_mut(BLOCK).zip(copy.par_chunks_mut(BLOCK)).for_each(|(main, copy)| {
                for (total, part) in main.iter_mut().zip(copy) {
                    *total = total.sum(*part);
                    *part = T::zeroed();
                }
            });
        }
    }
}
