//! Merges replicas across ranks, in place. Each rank receives its slice of the values from all other ranks, and merges
//! the received values with its own values in rank order. All ranks then gather the merged slices.
//!
//! All ranks divide values into the same slices. Long arrays of values are first divided into blocks, so that the
//! received data fits into a buffer of fixed length.
#![allow(unsafe_code)]

use super::table::StreamHandle;
use gts_contract::{Merge, ScalarType};
use gts_device::error::{Error, Result};
use gts_device::links::Stopped;
use gts_device::ranks::slices;
use gts_device::replicated::Merged;
use std::ops::Range;

/// The memory of attributes and sets begins and ends at multiples of this number of bytes.
pub(super) const QUAD: usize = 16;
/// Vertices per unit in a merge at activated vertices. The bits of a unit's vertices fill one quad.
const UNIT: usize = 8 * QUAD;
/// Vertices per word of a set on a GPU.
const WORD: usize = 32;

/// A range of memory to send to a rank, or to fill with data from a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PeerSegment {
    pub(super) rank: usize,
    pub(super) address: u64,
    pub(super) bytes: usize,
}

/// Moves bytes between the ranks' memories. The methods submit work to a stream.
pub(super) trait Carrier {
    /// Returns this rank's number, counted from 0.
    fn rank(&self) -> usize;

    /// Returns the number of ranks.
    fn size(&self) -> usize;

    /// Sends parts to other ranks, and receives parts from other ranks. The parts from one rank to another arrive in
    /// the order of `sends`.
    ///
    /// # Safety
    ///
    /// The addresses must be valid on the device. Until the stream has completed this work, nothing else may write the
    /// sent bytes or access the received bytes.
    unsafe fn exchange(
        &self,
        stream: StreamHandle,
        sends: &[PeerSegment],
        receives: &[PeerSegment],
        stopped: Stopped<'_>,
    ) -> Result<()>;

    /// Copies each rank's slice to all ranks. The slices are adjacent byte ranges relative to `base`.
    ///
    /// # Safety
    ///
    /// The requirements of [`Carrier::exchange`] apply.
    unsafe fn all_gather(
        &self,
        stream: StreamHandle,
        base: u64,
        slices: &[Range<usize>],
        stopped: Stopped<'_>,
    ) -> Result<()>;

    /// Copies bytes from rank 0 to all ranks.
    ///
    /// # Safety
    ///
    /// The requirements of [`Carrier::exchange`] apply.
    unsafe fn broadcast(&self, stream: StreamHandle, address: u64, bytes: usize, stopped: Stopped<'_>) -> Result<()>;

    /// Returns an error if the submitted work has failed.
    fn check(&self) -> Result<()>;

    /// Cancels all submitted work. Later transfers fail.
    fn abort(&self);
}

/// A rank's work in its own memory. The methods submit work to a stream, after all earlier work.
pub(super) trait Local {
    /// Returns the stream to which work is submitted.
    fn stream(&self) -> StreamHandle;

    /// Returns the maximum number of parts that one call can merge.
    fn most_parts(&self) -> usize;

    /// Copies bytes from host memory. The host bytes are read before the call returns.
    ///
    /// # Safety
    ///
    /// The target range must be valid, and nothing else may access the range until the stream has completed this copy.
    unsafe fn upload(&self, bytes: &[u8], address: u64) -> Result<()>;

    /// Copies bytes within the device's memory.
    ///
    /// # Safety
    ///
    /// The requirements of [`Local::upload`] apply to both addresses.
    unsafe fn copy(&self, source: u64, target: u64, bytes: usize) -> Result<()>;

    /// Copies byte ranges. Each element of `bounds` contains the start and end offsets of a range in the source, and
    /// the start offset in the target. The start addresses in both memories must be congruent modulo 16.
    ///
    /// # Safety
    ///
    /// The requirements of [`Local::upload`] apply to both addresses.
    unsafe fn copy_ranges(&self, source: u64, target: u64, bounds: &[[u64; 3]]) -> Result<()>;

    /// Merges parts in order, and stores the result in each part. `range` is the range of the values in bytes. For
    /// [`Merge::Any`], `before` is the address of the previous values.
    ///
    /// # Safety
    ///
    /// The requirements of [`Local::upload`] apply to all addresses. The range and all addresses must be multiples of
    /// 16.
    unsafe fn merge(&self, attribute: &Merged, parts: &[u64], range: Range<usize>, before: Option<u64>) -> Result<()>;

    /// Merges values at the vertices that any of the sets contains. For each vertex, merges the values of the parts
    /// whose set contains the vertex, in order, and stores the result in each part. If `unites` is set, the union of
    /// the sets replaces each set.
    ///
    /// # Safety
    ///
    /// The requirements of [`Local::upload`] apply to all addresses. Each set must consist of `words` words of 32
    /// vertices, and each part must contain the values of these vertices.
    unsafe fn unite(&self, attribute: &Merged, parts: &[u64], sets: &[u64], words: u64, unites: bool) -> Result<()>;

    /// Waits until the stream has completed all submitted work. Calls `check` repeatedly; an error from `check` ends
    /// the wait.
    fn wait(&self, check: Stopped<'_>) -> Result<()>;
}

/// Memory that receives data from other ranks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Staging {
    /// The address of the first byte, a multiple of 16.
    pub(super) address: u64,
    /// The length in bytes, identical on all ranks.
    pub(super) bytes: usize,
}

/// An attribute, and the address of its values on the device.
#[derive(Clone, Copy, Debug)]
pub(super) struct AttributeAddress<'a> {
    pub(super) attribute: &'a Merged,
    pub(super) address: u64,
}

/// Merges the replicas of all ranks, slice by slice.
pub(super) struct Slices<'a, C: ?Sized, L: ?Sized> {
    pub(super) carrier: &'a C,
    pub(super) local: &'a L,
    pub(super) staging: Staging,
    pub(super) stopped: Stopped<'a>,
}

/// Returns the size in bytes of a rank's slot in the staging memory. One additional slot contains the previous values.
fn slot_bytes(staging: usize, ranks: usize) -> usize {
    staging / (ranks + 1) / QUAD * QUAD
}

/// Returns the size of a unit in bytes: the bits and values of the unit's vertices.
pub(super) fn unit_bytes(attributes: &[Merged]) -> usize {
    QUAD + UNIT * attributes.iter().map(Merged::value_bytes).sum::<usize>()
}

/// Returns whether `staging` bytes of staging memory suffice to merge these attributes at activated vertices. All other
/// work needs only one quad per slot.
pub(super) fn has_room(staging: usize, ranks: usize, attributes: &[Merged]) -> bool {
    unit_bytes(attributes) <= slot_bytes(staging, ranks)
}

/// The vertex set or one attribute in a merge at activated vertices. The set and each attribute have their own section
/// in every staging slot.
///
/// - `address`: the address of vertex 0's data in device memory.
/// - `unit`: the size of a unit in bytes.
/// - `end`: the length of all vertices' data in bytes.
struct Section {
    address: u64,
    unit: usize,
    end: usize,
}

impl Section {
    /// Returns the byte range of `units`. The range does not extend beyond the data of the last vertex.
    fn bytes(&self, units: &Range<usize>) -> Range<usize> {
        (units.start * self.unit).min(self.end)..(units.end * self.unit).min(self.end)
    }
}

impl<C: Carrier + ?Sized, L: Local + ?Sized> Slices<'_, C, L> {
    fn slot(&self) -> usize {
        slot_bytes(self.staging.bytes, self.carrier.size())
    }

    fn slot_address(&self, rank: usize) -> u64 {
        self.staging.address + (rank * self.slot()) as u64
    }

    fn others(&self) -> impl Iterator<Item = usize> + use<C, L> {
        let own = self.carrier.rank();
        (0..self.carrier.size()).filter(move |&rank| rank != own)
    }

    /// Waits until all submitted work is complete.
    fn wait(&self) -> Result<()> {
        self.local.wait(&|| {
            (self.stopped)()?;
            self.carrier.check()
        })
    }

    /// Merges the parts of all ranks in order, with several calls if one call cannot merge all parts. Runs `call` with
    /// the indices of the parts to merge. Every call includes the first part, which contains the result of the previous
    /// calls. Returns whether the last call stored its result in part `own`.
    fn in_calls(&self, own: usize, mut call: impl FnMut(&[usize]) -> Result<()>) -> Result<bool> {
        let places: Vec<usize> = (0..self.carrier.size()).collect();
        let (first, mut rest) = places.split_at(1);
        loop {
            let (now, later) = rest.split_at(rest.len().min(self.local.most_parts() - 1));
            let parts = [first, now].concat();
            call(&parts)?;
            if later.is_empty() {
                return Ok(parts.contains(&own));
            }
            rest = later;
        }
    }

    /// Merges the replicas of an attribute across all ranks. For [`Merge::Any`], `before` contains the previous values,
    /// which were identical in all replicas.
    ///
    /// # Safety
    ///
    /// `column.address` must be the address of all vertices' values, padded to a multiple of 16 bytes. Nothing else may
    /// access this memory until the function returns.
    pub(super) unsafe fn reduce(&self, column: AttributeAddress<'_>, before: Option<&[u8]>) -> Result<()> {
        // SAFETY: the caller upholds the same requirements.
        unsafe { self.submit_reduction(column, before) }?;
        self.wait()
    }

    /// Submits the work of [`Slices::reduce`].
    ///
    /// # Safety
    ///
    /// The requirements of [`Slices::reduce`] apply.
    unsafe fn submit_reduction(
        &self,
        AttributeAddress { attribute, address }: AttributeAddress<'_>,
        before: Option<&[u8]>,
    ) -> Result<()> {
        let (own, ranks, slot) = (self.carrier.rank(), self.carrier.size(), self.slot());
        let bytes = attribute.bytes().next_multiple_of(QUAD);
        let stream = self.local.stream();
        for start in (0..bytes).step_by(slot * ranks) {
            let block = start..bytes.min(start + slot * ranks);
            let slices: Vec<Range<usize>> = slices(block, ranks, QUAD).collect();
            let mine = slices[own].clone();
            let at = |slice: &Range<usize>| address + slice.start as u64;
            let sends =
                self.others().map(|rank| PeerSegment { rank, address: at(&slices[rank]), bytes: slices[rank].len() });
            let sends: Vec<PeerSegment> = sends.filter(|part| part.bytes > 0).collect();
            let receives =
                self.others().map(|rank| PeerSegment { rank, address: self.slot_address(rank), bytes: mine.len() });
            let receives: Vec<PeerSegment> = receives.filter(|part| part.bytes > 0).collect();
            // SAFETY: slices lie within the values, a slot has room for a slice, and the stream runs this exchange only
            // after all earlier blocks.
            unsafe { self.carrier.exchange(stream, &sends, &receives, self.stopped) }?;
            if !mine.is_empty() {
                let kept = self.slot_address(ranks);
                if let Some(before) = before {
                    let held = mine.start.min(before.len())..mine.end.min(before.len());
                    // SAFETY: the last slot has room for a slice.
                    unsafe { self.local.upload(&before[held], kept) }?;
                }
                let part = |rank: &usize| if *rank == own { at(&mine) } else { self.slot_address(*rank) };
                let has_result = self.in_calls(own, |ranks| {
                    let parts: Vec<u64> = ranks.iter().map(part).collect();
                    // SAFETY: all parts have the length of the slice, a multiple of 16.
                    unsafe { self.local.merge(attribute, &parts, mine.clone(), before.map(|_| kept)) }
                })?;
                if !has_result {
                    // SAFETY: both parts have the length of the slice.
                    unsafe { self.local.copy(part(&0), at(&mine), mine.len()) }?;
                }
            }
            // SAFETY: slices lie within the values.
            unsafe { self.carrier.all_gather(stream, address, &slices, self.stopped) }?;
        }
        Ok(())
    }

    /// Copies the values of each rank's own vertices to all ranks. `own` contains each rank's vertex ranges in
    /// ascending order.
    ///
    /// # Safety
    ///
    /// The requirements of [`Slices::reduce`] apply.
    pub(super) unsafe fn gather(
        &self,
        AttributeAddress { attribute, address }: AttributeAddress<'_>,
        own: &[Vec<Range<u64>>],
    ) -> Result<()> {
        let (rank, ranks, stream) = (self.carrier.rank(), self.carrier.size(), self.local.stream());
        let value = attribute.value_bytes() as u64;
        let windows: Vec<Vec<Window>> = own.iter().map(|ranges| windows(ranges, value, self.slot() as u64)).collect();
        let rounds = windows.iter().map(Vec::len).max().unwrap_or(0);
        for round in 0..rounds {
            let of = |rank: usize| windows.get(rank).and_then(|windows| windows.get(round));
            let each = (0..ranks).filter_map(of).map(|window| window.bytes).max().unwrap_or(0) as usize;
            let slot = |rank: usize| rank * each..(rank + 1) * each;
            let at = |rank: usize| self.staging.address + slot(rank).start as u64;
            if let Some(window) = of(rank) {
                // SAFETY: the bounds lie within the attribute's values, a slot has room for a window, and the stream
                // runs this copy only after all earlier rounds.
                unsafe { self.local.copy_ranges(address, at(rank), &window.bounds) }?;
            }
            let slots: Vec<Range<usize>> = (0..ranks).map(slot).collect();
            // SAFETY: the staging memory has a slot for each rank.
            unsafe { self.carrier.all_gather(stream, self.staging.address, &slots, self.stopped) }?;
            for other in self.others() {
                let Some(window) = of(other) else { continue };
                let back: Vec<[u64; 3]> =
                    window.bounds.iter().map(|[start, end, to]| [*to, to + end - start, *start]).collect();
                // SAFETY: the bounds of the windows lie within the attribute's values.
                unsafe { self.local.copy_ranges(at(other), address, &back) }?;
            }
        }
        self.wait()
    }

    /// Copies bytes from rank 0 to all ranks.
    ///
    /// # Safety
    ///
    /// The requirements of [`Slices::reduce`] apply.
    pub(super) unsafe fn broadcast(&self, address: u64, bytes: usize) -> Result<()> {
        // SAFETY: the caller upholds the same requirements.
        unsafe { self.carrier.broadcast(self.local.stream(), address, bytes, self.stopped) }?;
        self.wait()
    }

    /// Replaces the ranks' sets of activated vertices with the union of these sets. At each vertex in the union, merges
    /// the attribute values of the ranks that have activated the vertex.
    ///
    /// # Safety
    ///
    /// The requirements of [`Slices::reduce`] apply to the columns and to the set. The set must consist of words of 32
    /// vertices.
    pub(super) unsafe fn unite(&self, set: u64, vertices: u64, columns: &[AttributeAddress<'_>]) -> Result<()> {
        // SAFETY: the caller upholds the same requirements.
        unsafe { self.submit_union(set, vertices, columns) }?;
        self.wait()
    }

    /// Submits the work of [`Slices::unite`].
    ///
    /// # Safety
    ///
    /// The requirements of [`Slices::unite`] apply.
    unsafe fn submit_union(&self, set: u64, vertices: u64, columns: &[AttributeAddress<'_>]) -> Result<()> {
        let words = (vertices as usize).div_ceil(WORD);
        let (scalar, merge) = (ScalarType::U32, Merge::Or);
        let bits =
            Merged { attribute: 0, scalar, merge, length: 1, vertices: words as u64, vertex_bytes: 4, check: None };
        let Some(last) = columns.len().checked_sub(1) else {
            // SAFETY: the caller upholds the same requirements.
            return unsafe { self.submit_reduction(AttributeAddress { attribute: &bits, address: set }, None) };
        };
        let attributes: Vec<Merged> = columns.iter().map(|column| *column.attribute).collect();
        let (own, ranks, stream) = (self.carrier.rank(), self.carrier.size(), self.local.stream());
        let most = self.slot() / unit_bytes(&attributes);
        if most == 0 {
            return Err(Error::argument("a merge of activated vertices", "the staging memory holds no unit of them"));
        }
        let mut sections = vec![Section { address: set, unit: QUAD, end: (4 * words).next_multiple_of(QUAD) }];
        sections.extend(columns.iter().map(|AttributeAddress { attribute, address }| Section {
            address: *address,
            unit: UNIT * attribute.value_bytes(),
            end: attribute.bytes(),
        }));
        let units = words.div_ceil(UNIT / WORD);
        for start in (0..units).step_by(most * ranks) {
            let block = start..units.min(start + most * ranks);
            let slices: Vec<Range<usize>> = slices(block, ranks, 1).collect();
            let mine = slices[own].clone();
            // The sections of a slot are contiguous. Each section has room for all units of the slice.
            let begins: Vec<u64> = sections
                .iter()
                .scan(0, |next, section| Some(std::mem::replace(next, *next + (section.unit * mine.len()) as u64)))
                .collect();
            let (mut sends, mut receives) = (Vec::new(), Vec::new());
            for (section, begin) in sections.iter().zip(&begins) {
                for rank in self.others() {
                    let theirs = section.bytes(&slices[rank]);
                    sends.push(PeerSegment {
                        rank,
                        address: section.address + theirs.start as u64,
                        bytes: theirs.len(),
                    });
                    let bytes = section.bytes(&mine).len();
                    receives.push(PeerSegment { rank, address: self.slot_address(rank) + begin, bytes });
                }
            }
            sends.retain(|part| part.bytes > 0);
            receives.retain(|part| part.bytes > 0);
            // SAFETY: the sent parts lie within the set or the values; a slot has room for a whole slice.
            unsafe { self.carrier.exchange(stream, &sends, &receives, self.stopped) }?;
            if !mine.is_empty() {
                let at = |place: usize, rank: usize| match rank == own {
                    true => sections[place].address + sections[place].bytes(&mine).start as u64,
                    false => self.slot_address(rank) + begins[place],
                };
                let held = (words.min(mine.end * (UNIT / WORD)) - mine.start * (UNIT / WORD)) as u64;
                let has_result = self.in_calls(own, |ranks| {
                    let all = |place: usize| ranks.iter().map(|&rank| at(place, rank)).collect::<Vec<u64>>();
                    for (place, attribute) in attributes.iter().enumerate() {
                        // SAFETY: all parts contain the words and values of the slice.
                        unsafe { self.local.unite(attribute, &all(place + 1), &all(0), held, place == last) }?;
                    }
                    Ok(())
                })?;
                if !has_result {
                    for (place, section) in sections.iter().enumerate() {
                        // SAFETY: both parts have room for the slice's share of the section.
                        unsafe { self.local.copy(at(place, 0), at(place, own), section.bytes(&mine).len()) }?;
                    }
                }
            }
            for section in &sections {
                let slices: Vec<Range<usize>> = slices.iter().map(|units| section.bytes(units)).collect();
                // SAFETY: the slices lie within the set or the values.
                unsafe { self.carrier.all_gather(stream, section.address, &slices, self.stopped) }?;
            }
        }
        Ok(())
    }
}

/// The values of some vertices, sent together.
#[derive(Debug, Default, PartialEq, Eq)]
struct Window {
    /// Per range: the start and end offsets among all values, and the start offset in the window. The two start offsets
    /// are congruent modulo 16.
    bounds: Vec<[u64; 3]>,
    /// The length of the window in bytes, a multiple of 16.
    bytes: u64,
}

/// Packs the values of vertex ranges into windows of at most `most` bytes. `most` must be a multiple of 16.
fn windows(ranges: &[Range<u64>], value: u64, most: u64) -> Vec<Window> {
    const QUAD: u64 = self::QUAD as u64;
    let mut windows = vec![Window::default()];
    for range in ranges {
        let (mut start, end) = (range.start * value, range.end * value);
        while start < end {
            let Some(last) = windows.last_mut() else { break };
            let to = last.bytes + start % QUAD;
            if to >= most {
                windows.push(Window::default());
                continue;
            }
            let bytes = (end - start).min(most - to);
            last.bounds.push([start, start + bytes, to]);
            last.bytes = (to + bytes).next_multiple_of(QUAD);
            start += bytes;
        }
    }
    windows.retain(|window| window.bytes > 0);
    windows
}

#[cfg(test)]
mod tests;
