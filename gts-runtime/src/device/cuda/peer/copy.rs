//! Plain copies of a graph's pages: what streamed passes are held against.
#![allow(unsafe_code)]

use crate::device::PageShare;
use crate::device::cuda::CudaDevice;
use crate::device::cuda::driver::{Buffer, Event, Stream};
use crate::error::{Error, Result};
use gts_core::graph::Graph;
use gts_core::page::PageRun;
use std::time::Duration;

/// Copies a share of a graph's out-pages from page-locked memory to the device, at most `group` bytes at a time, one copy
/// after the other in one stream, and nothing else; `repetitions` times.
///
/// # Errors
///
/// Pages that are not in memory; too little device memory for two groups; the device.
pub fn copies(
    device: &CudaDevice,
    graph: &Graph,
    share: &PageShare,
    group: usize,
    repetitions: u32,
) -> Result<Vec<Duration>> {
    let topology = graph.out_topology();
    let context = &device.shared.context;
    let Some(bytes) = topology.source().resident() else {
        return Err(Error::argument("plain copies", "the graph's pages are not in memory"));
    };
    let locks = device.shared.residents.page_locks(context, graph, topology)?;
    let lock =
        locks.of(bytes).ok_or_else(|| Error::argument("plain copies", "the graph's pages are not page-locked"))?;
    let group = group.max(1);
    let target = Buffer::zeroed(context, 2 * group, "two groups")?;
    let stream = Stream::new(context)?;
    let page_bytes = topology.format().page_size() as usize;
    let run_bytes = |run: PageRun| {
        let numbers = run.numbers();
        &bytes[numbers.start as usize * page_bytes..numbers.end as usize * page_bytes]
    };
    let parts: Vec<&[u8]> = share.runs(topology).into_iter().flat_map(|run| run_bytes(run).chunks(group)).collect();
    let marks = [Event::new(context)?, Event::new(context)?];
    let mut times = Vec::new();
    for _ in 0..repetitions {
        stream.record(&marks[0])?;
        for (index, part) in parts.iter().enumerate() {
            for cut in lock.cut(part) {
                // SAFETY: the graph keeps its pages, and the stream is waited for before the call returns.
                unsafe { stream.copy(&target, index % 2 * group + cut.start, &part[cut]) }?;
            }
        }
        stream.record(&marks[1])?;
        stream.synchronize("plain copies")?;
        times.push(marks[1].since(&marks[0])?);
    }
    Ok(times)
}
