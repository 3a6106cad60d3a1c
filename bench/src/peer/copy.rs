//! Plain copies of a graph's pages, used as the baseline for streamed passes.
#![allow(unsafe_code)]

use super::gpu::Gpu;
use gts_core::graph::Graph;
use gts_core::page::PageRun;
use gts_graph::Result;
use gts_graph::device::PageShare;
use gts_graph::device::cuda::CudaDevice;
use std::ops::Range;
use std::time::Duration;

/// Copies a share of a graph's out-pages from page-locked memory to the device `repetitions` times. The copies, each of
/// at most `group` bytes, run in sequence in one stream. Returns the time of each repetition.
///
/// # Errors
///
/// Fails if the pages are not in memory, if two groups exceed the device memory, or if the device fails.
pub(crate) fn copies(
    device: &CudaDevice,
    graph: &Graph,
    share: &PageShare,
    group: usize,
    repetitions: u32,
) -> Result<Vec<Duration>> {
    let topology = graph.out_topology();
    let pieces = device.lock_pages(graph)?;
    let gpu = Gpu::of(device)?;
    let group = group.max(1);
    let target = gpu.zeroed(2 * group)?;
    let page_bytes = topology.format().page_size() as usize;
    let bytes = |run: PageRun| {
        let numbers = run.numbers();
        numbers.start as usize * page_bytes..numbers.end as usize * page_bytes
    };
    let groups = share.runs(topology).into_iter().flat_map(|run| groups(bytes(run), group));
    let copies: Vec<(usize, &[u8])> = groups
        .enumerate()
        .flat_map(|(index, part)| {
            let place = index % 2 * group;
            cut(&pieces, part).map(move |(offset, bytes)| (place + offset, bytes))
        })
        .collect();
    let copy = || {
        copies.iter().try_for_each(|&(place, bytes)| {
            // SAFETY: the graph keeps its pages, and the stream is synchronised before the call returns.
            unsafe { gpu.copy(&target, place, bytes) }
        })
    };
    (0..repetitions).map(|_| gpu.time(copy)).collect()
}

/// Splits a range into groups of at most `group` bytes.
fn groups(range: Range<usize>, group: usize) -> impl Iterator<Item = Range<usize>> {
    range.clone().step_by(group).map(move |start| start..range.end.min(start + group))
}

/// Splits a range of a memory area at the boundaries between pieces of the area. Returns the bytes of each part, with
/// the part's offset in the range.
fn cut<'a>(pieces: &[&'a [u8]], range: Range<usize>) -> impl Iterator<Item = (usize, &'a [u8])> {
    let mut begin = 0;
    pieces.iter().filter_map(move |piece| {
        let (first, last) = (range.start.max(begin), range.end.min(begin + piece.len()));
        let part = (first < last).then(|| (first - range.start, &piece[first - begin..last - begin]));
        begin += piece.len();
        part
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_copy_reaches_from_one_piece_into_the_next() {
        let bytes: Vec<u8> = (0..20).collect();
        let pieces = [&bytes[..7], &bytes[7..14], &bytes[14..]];
        let parts: Vec<_> = groups(2..20, 8).flat_map(|part| cut(&pieces, part)).collect();
        let expected =
            [(0, &bytes[2..7]), (5, &bytes[7..10]), (0, &bytes[10..14]), (4, &bytes[14..18]), (0, &bytes[18..])];
        assert_eq!(parts, expected);
        assert_eq!(cut(&pieces, 3..3).count(), 0);
    }
}
