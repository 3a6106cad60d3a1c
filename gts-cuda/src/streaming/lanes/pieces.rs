//! Travelling columns of a vertex kernel: the values of one range of vertices are copied while the kernel runs over the
//! previous range.
#![allow(unsafe_code)]

use super::Lanes;
use crate::driver::{Buffer, Event, Stream};
use crate::streaming::beside;
use crate::travelling::Traveller;
use gts_device::error::Result;
use std::ops::Range;

/// The events that mark the ends of the copies into one half of the memory, and of the launch over this half.
#[derive(Debug)]
pub(super) struct Half {
    pub(super) copied: Event,
    pub(super) free: Event,
}

impl Lanes {
    /// Launches a kernel over successive ranges of vertices. Each launch receives the address that vertex 0 of each
    /// column would have. The columns use the memory beside the pages, which is free between passes. Later copies into
    /// this memory wait for the launches. Returns the number of bytes copied. Returns `None`, and launches nothing, if
    /// at least one range does not fit into the memory.
    pub(in crate::streaming) fn each_piece(
        &self,
        vertices: Range<u64>,
        travellers: &[Traveller<'_>],
        stream: &Stream,
        begun: &Event,
        launch: impl Fn(Range<u64>, &[u64]) -> Result<()>,
    ) -> Result<Option<u64>> {
        let room = self.beside.bytes() as u64 / 2;
        let values = || travellers.iter().map(|traveller| traveller.value);
        let Some(count) = beside::fitting(values(), room) else { return Ok(None) };
        let copies = &self.copies[0].stream;
        copies.wait(begun)?;
        let pieces = vertices.clone().step_by(count as usize).map(|first| first..vertices.end.min(first + count));
        let placed = pieces.map(|piece| beside::places(&piece, values(), room).map(|places| (piece, places)));
        // Place all ranges before the first launch. If placing a later range failed, the caller would launch over all
        // vertices, and process the earlier ranges twice.
        let Some(placed) = placed.collect::<Option<Vec<_>>>() else { return Ok(None) };
        for (number, (piece, places)) in placed.into_iter().enumerate() {
            let (at, half) = ((number as u64 % 2 * room) as usize, &self.halves[number % 2]);
            copies.wait(&half.free)?;
            let addresses = copy_columns(copies, &self.beside, at, &piece, travellers, &places)?;
            copies.record(&half.copied)?;
            stream.wait(&half.copied)?;
            launch(piece, &addresses)?;
            stream.record(&half.free)?;
        }
        for copies in &self.copies {
            self.halves.iter().try_for_each(|half| copies.stream.wait(&half.free))?;
        }
        Ok(Some((vertices.end - vertices.start) * values().sum::<u64>()))
    }
}

/// Copies the values of consecutive vertices into memory. `places` contains the position of each column relative to
/// `offset`. Returns the address that vertex 0 of each column would have.
pub(super) fn copy_columns(
    copies: &Stream,
    memory: &Buffer,
    offset: usize,
    vertices: &Range<u64>,
    travellers: &[Traveller<'_>],
    places: &[u64],
) -> Result<Vec<u64>> {
    let copy = |(traveller, place): (&Traveller<'_>, &u64)| {
        let at = offset + *place as usize;
        let first = vertices.start * traveller.value;
        let bytes = &traveller.values[first as usize..(vertices.end * traveller.value) as usize];
        let whole = 0..bytes.len();
        let cuts = traveller.lock.map(|lock| lock.cut(bytes).collect());
        for cut in cuts.unwrap_or_else(|| vec![whole]) {
            // SAFETY: the column stays unchanged until its session has waited for the pass.
            unsafe { copies.copy(memory, at + cut.start, &bytes[cut]) }?;
        }
        Ok((memory.address() + at as u64).wrapping_sub(first))
    };
    travellers.iter().zip(places).map(copy).collect()
}
