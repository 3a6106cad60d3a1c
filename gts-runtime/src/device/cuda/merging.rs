//! Launches of the kernels that make replicas one: merges of values, and copies of ranges.
#![allow(unsafe_code)]

use super::driver::Stream;
use super::kernels::Support;
use super::shared::Shared;
use crate::device::replicated::Merged;
use crate::error::Result;
use gts_contract::{Merge, ScalarType};
use std::ops::Range;
use std::sync::Arc;

/// Most replicas of an attribute: `GTS_REPLICAS`.
pub(super) const REPLICAS: usize = 16;
/// Blocks of a merge. They have enough loads under way to fill a link, however many elements there are.
const BLOCKS: u64 = 1024;
/// Threads of a block: `GTS_BLOCK`.
const BLOCK: u64 = 256;

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
    vertices: u64,
    far: u64,
    near: u64,
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
    bounds: [[u64; 3]; RANGES],
}

/// Where kernels that make replicas one run, and behind which work.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) shared: &'a Arc<Shared>,
    pub(super) stream: &'a Stream,
    pub(super) support: &'a Support,
    pub(super) vertex_bytes: usize,
}

impl Place<'_> {
    /// Submits the combination of a range of quads, in the order of the replicas. Each of them gets the result. `before` is what all
    /// held in that range.
    ///
    /// # Safety
    ///
    /// The device reaches the range of each replica, and nothing else touches it until the stream has come past this.
    pub(super) unsafe fn merge(
        &self,
        replicas: &[u64],
        Range { start: begin, end }: Range<u64>,
        (scalar, merge): (ScalarType, Merge),
        before: Option<u64>,
    ) -> Result<()> {
        if begin == end {
            return Ok(());
        }
        let Shared { context, kernels, .. } = self.shared.as_ref();
        let function = kernels.merge(context, self.vertex_bytes, scalar, merge, false)?;
        let (memory, count) = (listed(replicas), replicas.len() as u64);
        let arguments = MergeArguments { memory, count, begin, end, before: before.unwrap_or(0) };
        let slots: &[u64] = bytemuck::cast_slice(std::slice::from_ref(&arguments));
        let blocks = (end - begin).div_ceil(BLOCK).clamp(1, BLOCKS) as u32;
        // SAFETY: the caller's promise.
        unsafe { function.launch(self.stream, (blocks, 1), &[slots]) }
    }

    /// Submits the combination of an attribute at the vertices of a range of words of sets, in the order of the replicas. Each of
    /// them gets the result. The sets become their union where `unites`. `near` is a replica in
    /// the device's own memory, and `far` the first one in host memory, if there is one.
    ///
    /// # Safety
    ///
    /// The device reaches those words of each set, and the values of their vertices of each replica. Nothing else touches them until
    /// the stream has come past this. Replicas hold the same values at vertices that none has activated, which `far` may get again.
    pub(super) unsafe fn unite(
        &self,
        attribute: &Merged,
        (replicas, near, far): (&[u64], usize, Option<usize>),
        sets: &[u64],
        Range { start: begin, end }: Range<u64>,
        unites: bool,
    ) -> Result<()> {
        if begin == end {
            return Ok(());
        }
        let Shared { context, kernels, .. } = self.shared.as_ref();
        let (scalar, merge) = (attribute.scalar, attribute.merge);
        let function = kernels.merge(context, self.vertex_bytes, scalar, merge, true)?;
        let (values, sets, count) = (listed(replicas), listed(sets), replicas.len() as u64);
        let Merged { length, vertices, .. } = *attribute;
        let (unites, near) = (unites.into(), near as u64);
        let far = far.unwrap_or(REPLICAS) as u64;
        let arguments = ActivatedArguments { values, sets, count, begin, end, length, unites, vertices, far, near };
        let slots: &[u64] = bytemuck::cast_slice(std::slice::from_ref(&arguments));
        let blocks = (end - begin).div_ceil(BLOCK).clamp(1, BLOCKS) as u32;
        // SAFETY: the caller's promise.
        unsafe { function.launch(self.stream, (blocks, 1), &[slots]) }
    }

    /// Submits copies of ranges of bytes: `bounds` are the beginning and the end of each in the source, and its beginning in the
    /// target. Both beginnings lie at the same distance from a multiple of 16.
    ///
    /// # Safety
    ///
    /// The device reaches the ranges, and nothing else writes them until the stream has come past this.
    pub(super) unsafe fn copy_ranges(&self, source: u64, target: u64, bounds: &[[u64; 3]]) -> Result<()> {
        for part in bounds.chunks(RANGES) {
            let mut arguments = RangeArguments { source, target, count: part.len() as u64, bounds: [[0; 3]; RANGES] };
            arguments.bounds[..part.len()].copy_from_slice(part);
            let longest = part.iter().map(|[start, end, _]| end - start).max().unwrap_or_default();
            let blocks = longest.div_ceil(BLOCK_BYTES).clamp(1, BLOCKS) as u32;
            let slots: &[u64] = bytemuck::cast_slice(std::slice::from_ref(&arguments));
            // SAFETY: the caller's promise.
            unsafe { self.support.copy_ranges.launch(self.stream, (blocks, part.len() as u32), &[slots]) }?;
        }
        Ok(())
    }
}

/// Returns addresses as launches name them: at most [`REPLICAS`].
fn listed(addresses: &[u64]) -> [u64; REPLICAS] {
    let mut listed = [0; REPLICAS];
    listed[..addresses.len()].copy_from_slice(addresses);
    listed
}
