//! A hand-written push over the same pages, used as the baseline for generated kernels.
#![allow(unsafe_code)]

use super::gpu::{BLOCK, Gpu, Kernel};
use gts_core::graph::Graph;
use gts_core::page::IdWidth;
use gts_graph::device::cuda::CudaDevice;
use gts_graph::{Error, Result};
use std::time::Duration;

/// Entries per block, equal to the constant in the CUDA source.
const CHUNK: u64 = 4096;

/// Bytes per page reference: an address and a page number.
const PAGE_REF: u64 = 16;

/// Runs `contributions`, `push` and `push_large` of a hand-written source over a graph's pages, `repetitions` times.
/// Every run starts with rank 1 at every vertex. Returns the time of each run.
///
/// # Errors
///
/// Fails if the source does not support the page format or the width of vertex numbers, if the pages are not in memory,
/// or if the compiler or the device fails. The source supports only record IDs of width (2, 2).
pub(crate) fn push(device: &CudaDevice, graph: &Graph, source: &str, repetitions: u32) -> Result<Vec<Duration>> {
    let topology = graph.out_topology();
    let narrow = |values: Vec<u64>| values.into_iter().map(u32::try_from).collect::<std::result::Result<Vec<_>, _>>();
    let first_vertices = narrow(topology.rvt().start_vids().to_vec());
    let (Ok(width), Ok(first_vertices)) = (IdWidth::new(2, 2), first_vertices) else {
        return Err(Error::argument("the hand-written push", "it knows vertex numbers of four bytes alone"));
    };
    if width != topology.format().width() {
        return Err(Error::argument("the hand-written push", "it knows record IDs of (2,2) bytes alone"));
    }
    let Some(bytes) = topology.source().resident() else {
        return Err(Error::argument("the hand-written push", "the graph's pages are not in memory"));
    };
    let gpu = Gpu::of(device)?;
    let pages = gpu.copied(bytes)?;
    let page_bytes = u64::from(topology.format().page_size());
    // Each page reference consists of a page's address and number.
    let (small, large) = (topology.small_pages(), topology.large_pages());
    let references: Vec<u64> = small
        .iter()
        .chain(large)
        .flat_map(|page| [pages.address() + u64::from(page.0) * page_bytes, page.0.into()])
        .collect();
    let references = gpu.copied(&references)?;
    let first_vertices = gpu.copied(&first_vertices)?;
    let degrees = gpu.copied(graph.out_degrees())?;
    let program = gpu.program("push_handwritten", source)?;
    let contributions = program.kernel("contributions")?;
    let (small, large) = ((program.kernel("push")?, small.len()), (program.kernel("push_large")?, large.len()));

    let vertices = graph.num_vertices();
    let rank = gpu.copied(&vec![1f32; vertices as usize])?;
    let contribution = gpu.zeroed(4 * vertices as usize)?;
    let next = gpu.zeroed(4 * vertices as usize)?;
    let chunks = (page_bytes / width.bytes() as u64).div_ceil(CHUNK).max(1) as u32;
    let lists = [(small, 0), (large, PAGE_REF * small.1 as u64)];
    let launch = |kernel: Kernel, grid: (u32, u32), arguments: &[u64]| {
        // SAFETY: the vectors have an element for each vertex, the pages were validated, and all memory exists until
        // the stream has been synchronised.
        unsafe { gpu.launch(kernel, grid, arguments) }
    };
    let pass = || {
        let grid = (vertices.div_ceil(u64::from(BLOCK)).max(1) as u32, 1);
        launch(contributions, grid, &[rank.address(), degrees.address(), contribution.address(), vertices])?;
        for ((kernel, count), skipped) in lists {
            for first in (0..count as u64).step_by(65_535) {
                let list = references.address() + skipped + PAGE_REF * first;
                let grid = (chunks, (count as u64 - first).min(65_535) as u32);
                let arguments = [list, page_bytes, first_vertices.address(), contribution.address(), next.address()];
                launch(kernel, grid, &arguments)?;
            }
        }
        Ok(())
    };
    let timed = |_| {
        gpu.clear(&next)?;
        gpu.time(pass)
    };
    (0..repetitions).map(timed).collect()
}
