//! Launches the kernels that make replicas equal: merges of values, and copies of ranges.
#![allow(unsafe_code)]

use super::driver::{Buffer, Stream};
use super::kernels::Support;
use super::program::MergeProgram;
use super::shared::DeviceState;
use gts_device::error::Result;
use gts_device::replicated::Merged;
use std::ops::Range;
use std::sync::Arc;

/// The maximum number of replicas of an attribute: `GTS_REPLICAS`.
pub(super) const REPLICAS: usize = 16;
/// The maximum number of blocks per launch. This number of blocks keeps enough loads in flight to saturate a link.
const BLOCKS: u64 = 1024;
/// The number of threads per block: `GTS_BLOCK`.
const BLOCK: u64 = 256;

/// The arguments of a merge at all vertices: `gts_replicas`.
#[derive(Clone, Copy, Debug, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub(super) struct MergeArguments {
    memory: [u64; REPLICAS],
    count: u64,
    begin: u64,
    end: u64,
    before: u64,
    lost: u64,
    elements: u64,
}

/// The arguments of a merge at activated vertices: `gts_activated`.
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

/// The maximum number of ranges that a launch copies: `GTS_RANGES`.
const RANGES: usize = 128;
/// The maximum number of bytes that a block copies, unless the number of blocks is at its limit.
const BLOCK_BYTES: u64 = 64 << 10;

/// The arguments of a launch that copies ranges: `gts_ranges`.
#[derive(Clone, Copy, Debug, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub(super) struct RangeArguments {
    source: u64,
    target: u64,
    count: u64,
    bounds: [[u64; 3]; RANGES],
}

/// The device and the stream on which kernels merge or copy replicas.
#[derive(Clone, Copy)]
pub(super) struct MergeStream<'a> {
    pub(super) shared: &'a Arc<DeviceState>,
    pub(super) stream: &'a Stream,
    pub(super) support: &'a Support,
    pub(super) vertex_bytes: usize,
}

impl MergeStream<'_> {
    /// Submits a kernel that merges a range of quads across all replicas, in the order of the replicas. All replicas
    /// receive the result. `before` is the address of a copy of the range, made before the pass, when all replicas were
    /// equal. `elements` is the number of elements that begin at the address of each replica. If the attribute has a
    /// check, returns the memory that [`MergeStream::check`] examines.
    ///
    /// # Safety
    ///
    /// The device can access the range in each replica, and nothing else accesses the range until this work in the
    /// stream is complete.
    pub(super) unsafe fn merge(
        &self,
        attribute: &Merged,
        replicas: &[u64],
        Range { start: begin, end }: Range<u64>,
        before: Option<u64>,
        elements: u64,
    ) -> Result<Option<Buffer>> {
        if begin == end {
            return Ok(None);
        }
        let DeviceState { context, kernels, .. } = self.shared.as_ref();
        let lost = attribute.check.map(|_| Buffer::zeroed(context, size_of::<u64>(), "the check of a sum"));
        let lost = lost.transpose()?;
        let function = kernels.merge(context, self.vertex_bytes, MergeProgram::of(attribute, false))?;
        let (memory, count) = (listed(replicas), replicas.len() as u64);
        let (before, at) = (before.unwrap_or(0), lost.as_ref().map_or(0, Buffer::address));
        let arguments = MergeArguments { memory, count, begin, end, before, lost: at, elements };
        let slots: &[u64] = bytemuck::cast_slice(std::slice::from_ref(&arguments));
        let blocks = (end - begin).div_ceil(BLOCK).clamp(1, BLOCKS) as u32;
        // SAFETY: guaranteed by the caller.
        unsafe { function.launch(self.stream, (blocks, 1), &[slots]) }?;
        Ok(lost)
    }

    /// Waits for a merge, and fails if an integer could not hold its total. `first` is the index of the element at the
    /// address of each replica.
    pub(super) fn check(&self, attribute: &Merged, lost: Option<Buffer>, first: u64) -> Result<()> {
        let Some((check, lost)) = attribute.check.zip(lost) else { return Ok(()) };
        self.stream.synchronize("checking sums")?;
        let mut element = 0u64;
        lost.download(0, bytemuck::bytes_of_mut(&mut element), "the check of a sum")?;
        if element == 0 { Ok(()) } else { Err(check.fault(attribute, first + !element, 0)) }
    }

    /// Submits a merge of an attribute at activated vertices, in the order of the replicas. The bounds of the range are
    /// word indices in the sets. All replicas receive the result. If `unites` is set, each set becomes the union of all
    /// sets within the range. `near` is the index of the replica in the device's own memory. `far` is the index of the
    /// first replica in host memory, if any.
    ///
    /// # Safety
    ///
    /// The device can access the range of each set, and the values of the range's vertices in each replica. Nothing
    /// else accesses these words and values until this work in the stream is complete. Replicas contain the same values
    /// at vertices that no replica has activated. The kernel may write these values to `far` again.
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
        let DeviceState { context, kernels, .. } = self.shared.as_ref();
        let function = kernels.merge(context, self.vertex_bytes, MergeProgram::of(attribute, true))?;
        let (values, sets, count) = (listed(replicas), listed(sets), replicas.len() as u64);
        let Merged { length, vertices, .. } = *attribute;
        let (unites, near) = (unites.into(), near as u64);
        let far = far.unwrap_or(REPLICAS) as u64;
        let arguments = ActivatedArguments { values, sets, count, begin, end, length, unites, vertices, far, near };
        let slots: &[u64] = bytemuck::cast_slice(std::slice::from_ref(&arguments));
        let blocks = (end - begin).div_ceil(BLOCK).clamp(1, BLOCKS) as u32;
        // SAFETY: guaranteed by the caller.
        unsafe { function.launch(self.stream, (blocks, 1), &[slots]) }
    }

    /// Submits copies of byte ranges. For each range, `bounds` contains the start and the end in the source, and the
    /// start in the target. Both starts have the same remainder modulo 16.
    ///
    /// # Safety
    ///
    /// The device can access the ranges, and nothing else writes the ranges until this work in the stream is complete.
    pub(super) unsafe fn copy_ranges(&self, source: u64, target: u64, bounds: &[[u64; 3]]) -> Result<()> {
        for part in bounds.chunks(RANGES) {
            let mut arguments = RangeArguments { source, target, count: part.len() as u64, bounds: [[0; 3]; RANGES] };
            arguments.bounds[..part.len()].copy_from_slice(part);
            let longest = part.iter().map(|[start, end, _]| end - start).max().unwrap_or_default();
            let blocks = longest.div_ceil(BLOCK_BYTES).clamp(1, BLOCKS) as u32;
            let slots: &[u64] = bytemuck::cast_slice(std::slice::from_ref(&arguments));
            // SAFETY: guaranteed by the caller.
            unsafe { self.support.copy_ranges.launch(self.stream, (blocks, part.len() as u32), &[slots]) }?;
        }
        Ok(())
    }
}

/// Pads addresses with zeros to the length of a launch argument. Panics if there are more than [`REPLICAS`] addresses.
fn listed(addresses: &[u64]) -> [u64; REPLICAS] {
    let mut listed = [0; REPLICAS];
    listed[..addresses.len()].copy_from_slice(addresses);
    listed
}
