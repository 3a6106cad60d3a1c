//! Collectives built from exchanges of bounded messages.

use super::{Call, Group};
use gts_core::memory;
use gts_device::error::{Error, Result};
use gts_device::ranks::slices;
use gts_device::replicated::{Merged, combine};
use std::ops::Range;

/// The size of a length prefix in bytes.
const LENGTH: usize = 8;

/// Checks the length of a rank's message.
pub(crate) fn check_length(own: usize, rank: usize, found: usize, expected: usize) -> Result<()> {
    if found == expected {
        return Ok(());
    }
    let here = format!("at a message of {expected} bytes");
    Err(Error::RanksDiffer { own, here, rank, there: format!("at one of {found} bytes") })
}

/// Returns all ranks except the calling rank.
pub(crate) fn others<G: Group + ?Sized>(group: &G) -> impl Iterator<Item = usize> + use<G> {
    let own = group.rank();
    (0..group.size()).filter(move |&rank| rank != own)
}

pub(super) fn barrier<G: Group + ?Sized>(group: &G, call: &Call<'_>) -> Result<()> {
    let nothing: Vec<&[u8]> = vec![&[]; group.size()];
    group.exchange(call, &nothing, &mut vec![Vec::new(); group.size()])
}

pub(super) fn broadcast<G: Group + ?Sized>(group: &G, call: &Call<'_>, bytes: &mut [u8]) -> Result<()> {
    let mut received = vec![Vec::new(); group.size()];
    for piece in bytes.chunks_mut(group.message_bytes()) {
        let sent: &[u8] = if group.rank() == 0 { piece } else { &[] };
        group.exchange(call, &vec![sent; group.size()], &mut received)?;
        if group.rank() != 0 {
            check_length(group.rank(), 0, received[0].len(), piece.len())?;
            piece.copy_from_slice(&received[0]);
        }
    }
    Ok(())
}

/// Implements [`Group::all_gather`]. The first message of each rank begins with the total length of the rank's
/// contribution.
pub(super) fn all_gather<G: Group + ?Sized>(group: &G, call: &Call<'_>, own: &[u8]) -> Result<Vec<Vec<u8>>> {
    let most = group.message_bytes();
    let begin = most.saturating_sub(LENGTH);
    let first = [&(own.len() as u64).to_le_bytes(), &own[..begin.min(own.len())]].concat();
    let mut received = vec![Vec::new(); group.size()];
    group.exchange(call, &vec![&first[..]; group.size()], &mut received)?;
    let mut lengths = vec![own.len(); group.size()];
    let mut all: Vec<Vec<u8>> = vec![Vec::new(); group.size()];
    for rank in others(group) {
        let found = received[rank].len();
        check_length(group.rank(), rank, found.min(LENGTH), LENGTH)?;
        let (length, bytes) = received[rank].split_at(LENGTH);
        lengths[rank] = usize::try_from(bytemuck::pod_read_unaligned::<u64>(length)).unwrap_or(usize::MAX);
        check_length(group.rank(), rank, bytes.len(), lengths[rank].min(begin))?;
        all[rank] = memory::reserved("values of the ranks", lengths[rank])?;
        all[rank].extend_from_slice(bytes);
    }
    all[group.rank()] = memory::copied("values of the ranks", own)?;
    let longest = lengths.iter().copied().max().unwrap_or(0);
    for start in (begin..longest).step_by(most) {
        let sent = &own[start.min(own.len())..(start + most).min(own.len())];
        group.exchange(call, &vec![sent; group.size()], &mut received)?;
        for rank in others(group) {
            let left = lengths[rank] - all[rank].len();
            check_length(group.rank(), rank, received[rank].len(), left.min(most))?;
            all[rank].extend_from_slice(&received[rank]);
        }
    }
    Ok(all)
}

/// Implements [`Group::all_reduce`]. Each rank merges one slice of the values, and then sends the slice to all other
/// ranks.
pub(super) fn all_reduce<G: Group + ?Sized>(
    group: &G,
    call: &Call<'_>,
    attribute: &Merged,
    values: &mut [u8],
    before: Option<&[u8]>,
) -> Result<()> {
    let (own, ranks, element) = (group.rank(), group.size(), attribute.element_bytes());
    if ranks == 1 {
        return Ok(());
    }
    let slice = (group.message_bytes() / element).max(1) * element;
    let mut received = vec![Vec::new(); ranks];
    for start in (0..values.len()).step_by(slice * ranks) {
        let block = start..values.len().min(start + slice * ranks);
        let slices: Vec<Range<usize>> = slices(block, ranks, element).collect();
        let parts: Vec<&[u8]> = slices.iter().map(|slice| &values[slice.clone()]).collect();
        group.exchange(call, &parts, &mut received)?;

        let mine = slices[own].clone();
        let mut total = match own {
            0 => memory::copied("merged values", &values[mine.clone()])?,
            _ => std::mem::take(&mut received[0]),
        };
        check_length(own, 0, total.len(), mine.len())?;
        for (rank, theirs) in received.iter().enumerate().skip(1) {
            let part = if rank == own { &values[mine.clone()] } else { theirs };
            check_length(own, rank, part.len(), mine.len())?;
            let first = (mine.start / element) as u64;
            combine(attribute, first, &mut total, part, before.map(|before| &before[mine.clone()]))?;
        }
        group.exchange(call, &vec![&total[..]; ranks], &mut received)?;
        values[mine].copy_from_slice(&total);
        for rank in others(group) {
            check_length(own, rank, received[rank].len(), slices[rank].len())?;
            values[slices[rank].clone()].copy_from_slice(&received[rank]);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
