//! Merges the ranks' replicas in host memory, by exchanging bounded messages.

use super::packed::{PackedSet, value_range};
use crate::collectives::{check_length, others};
use crate::{Call, Group};
use gts_core::memory;
use gts_device::error::Result;
use gts_device::ranks::slices;
use gts_device::replicated::Merged;
use std::ops::Range;

/// Copies the values of each rank's own vertices to all ranks. `own` contains the vertices that each rank owns, in
/// ascending order.
pub(super) fn gather(
    group: &dyn Group,
    call: &Call<'_>,
    attribute: &Merged,
    own: &[Vec<Range<u64>>],
    values: &mut [u8],
) -> Result<()> {
    let value = attribute.value_bytes();
    let bytes = |ranges: &[Range<u64>]| ranges.iter().map(|range| (range.end - range.start) as usize * value).sum();
    let lengths: Vec<usize> = own.iter().map(|ranges| bytes(ranges)).collect();
    let most = group.message_bytes();
    let pieces = lengths.iter().map(|length| length.div_ceil(most)).max().unwrap_or(0);
    let mut received = vec![Vec::new(); group.size()];
    let mut message = memory::reserved("values of a rank", most.min(lengths[group.rank()]))?;
    for piece in 0..pieces {
        let window = |rank: usize| (piece * most).min(lengths[rank])..((piece + 1) * most).min(lengths[rank]);
        message.clear();
        for range in within(&own[group.rank()], value, window(group.rank())) {
            message.extend_from_slice(&values[range]);
        }
        group.exchange(call, &vec![&message[..]; group.size()], &mut received)?;
        for rank in others(group) {
            let mut rest = &received[rank][..];
            check_length(group.rank(), rank, rest.len(), window(rank).len())?;
            for range in within(&own[rank], value, window(rank)) {
                values[range.clone()].copy_from_slice(rest.split_off(..range.len()).unwrap_or_default());
            }
        }
    }
    Ok(())
}

/// Maps a window of packed values to byte ranges in the array of all values. The window is a byte range in the densely
/// packed values of the vertices in `ranges`.
fn within(ranges: &[Range<u64>], value: usize, window: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let mut before = 0;
    ranges.iter().filter_map(move |range| {
        let bytes = range.start as usize * value..range.end as usize * value;
        let (from, to) = (window.start.max(before), window.end.min(before + bytes.len()));
        let found = (from < to).then(|| bytes.start + from - before..bytes.start + to - before);
        before += bytes.len();
        found
    })
}

/// Unites the sets of vertices that the ranks have activated, and merges attributes at these vertices. The merge at a
/// vertex combines the values of the ranks that have activated the vertex. Each rank processes a slice of the vertices,
/// and then sends the result to the other ranks.
pub(super) fn unite(
    group: &dyn Group,
    call: &Call<'_>,
    vertices: u64,
    attributes: &[Merged],
    set: &mut [u64],
    values: &mut [&mut [u8]],
) -> Result<()> {
    let (own, ranks) = (group.rank(), group.size());
    let a_vertex: usize = attributes.iter().map(Merged::value_bytes).sum();
    let most = (group.message_bytes() / (8 + 64 * a_vertex)).max(1);
    let mut received = vec![Vec::new(); ranks];
    for start in (0..set.len()).step_by(most * ranks) {
        let block = start..set.len().min(start + most * ranks);
        let slices: Vec<Range<usize>> = slices(block, ranks, 1).collect();
        let parts = slices.iter().map(|slice| packed(vertices, attributes, slice, set, values));
        let parts: Vec<Vec<u8>> = parts.collect::<Result<_>>()?;
        let parts: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
        group.exchange(call, &parts, &mut received)?;

        let mine = slices[own].clone();
        let mut union: Vec<u64> = memory::zeroed("active vertices", mine.len())?;
        let mut totals = Vec::new();
        for attribute in attributes {
            let bytes = value_range(&mine, vertices, attribute.value_bytes()).len();
            totals.push(memory::zeroed::<u8>("merged values", bytes)?);
        }
        for (rank, theirs) in received.iter().enumerate() {
            let part = if rank == own { parts[own] } else { theirs };
            let (members, mut rest) = unpacked(own, rank, part, mine.len(), a_vertex)?;
            for (attribute, totals) in attributes.iter().zip(&mut totals) {
                let packed = rest.split_off(..members.count() * attribute.value_bytes()).unwrap_or_default();
                members.merge(attribute, packed, &union, totals)?;
            }
            union.iter_mut().zip(members.words()).for_each(|(all, own)| *all |= own);
        }
        let members = PackedSet::new(union)?;
        let mut message = message_of(members.words(), members.count() * a_vertex)?;
        for (attribute, totals) in attributes.iter().zip(&totals) {
            members.pack(totals, attribute.value_bytes(), &mut message)?;
        }
        group.exchange(call, &vec![&message[..]; ranks], &mut received)?;

        for (rank, theirs) in received.iter().enumerate() {
            let part = if rank == own { &message } else { theirs };
            let slice = &slices[rank];
            let (members, mut rest) = unpacked(own, rank, part, slice.len(), a_vertex)?;
            for (attribute, values) in attributes.iter().zip(values.iter_mut()) {
                let value = attribute.value_bytes();
                let packed = rest.split_off(..members.count() * value).unwrap_or_default();
                members.unpack(packed, value, &mut values[value_range(slice, vertices, value)])?;
            }
            set[slice.clone()].copy_from_slice(members.words());
        }
    }
    Ok(())
}

/// Returns a message that contains a set, with capacity for `values` more bytes.
fn message_of(words: &[u64], values: usize) -> Result<Vec<u8>> {
    let mut message = memory::reserved("values of active vertices", 8 * words.len() + values)?;
    message.extend_from_slice(bytemuck::cast_slice(words));
    Ok(message)
}

/// Returns a message that contains a slice of a set, followed by the values of the slice's members.
fn packed(
    vertices: u64,
    attributes: &[Merged],
    slice: &Range<usize>,
    set: &[u64],
    values: &[&mut [u8]],
) -> Result<Vec<u8>> {
    let members = PackedSet::new(memory::copied("active vertices", &set[slice.clone()])?)?;
    let a_vertex: usize = attributes.iter().map(Merged::value_bytes).sum();
    let mut message = message_of(members.words(), members.count() * a_vertex)?;
    for (attribute, values) in attributes.iter().zip(values) {
        let value = attribute.value_bytes();
        members.pack(&values[value_range(slice, vertices, value)], value, &mut message)?;
    }
    Ok(message)
}

/// Splits a message into a set and the values of the set's members.
fn unpacked(own: usize, rank: usize, message: &[u8], words: usize, a_vertex: usize) -> Result<(PackedSet, &[u8])> {
    let set = 8 * words;
    check_length(own, rank, message.len().min(set), set)?;
    let (set, values) = message.split_at(set);
    let members = PackedSet::read(set)?;
    check_length(own, rank, values.len(), members.count() * a_vertex)?;
    Ok((members, values))
}

#[cfg(test)]
mod tests;
