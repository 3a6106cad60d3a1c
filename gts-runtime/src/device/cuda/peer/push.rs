//! A hand-written push over the same pages: what generated kernels are held against.
#![allow(unsafe_code)]

use crate::device::cuda::CudaDevice;
use crate::device::cuda::compile::compile;
use crate::device::cuda::driver::{Buffer, Event, Function, Module, Stream};
use crate::device::cuda::pages::PAGE_REF;
use crate::device::{PageShare, vertex_bytes};
use crate::error::{Error, Result};
use gts_contract::Side;
use gts_core::graph::Graph;
use gts_core::page::IdWidth;
use std::time::Duration;

/// Threads of a block, and entries that a block takes, as the source has them.
const BLOCK: u64 = 256;
const CHUNK: u64 = 4096;

/// What the hand-written kernels did.
#[derive(Clone, Debug)]
pub struct PeerPush {
    /// Time of the push alone, for each repetition.
    pub push: Vec<Duration>,
    /// Time of the push and of the contributions before it.
    pub whole: Vec<Duration>,
    /// What one push added up, by dense vertex.
    pub next: Vec<f32>,
}

/// Runs `contributions`, `push` and `push_large` of a hand-written source over the pages that the device holds of a
/// graph, `repetitions` times, from rank 1 at each vertex.
///
/// # Errors
///
/// Pages with other record IDs than (2, 2) or another width of vertex numbers than the source knows; the compiler; the
/// device.
pub fn push(device: &CudaDevice, graph: &Graph, source: &str, repetitions: u32) -> Result<PeerPush> {
    let topology = graph.out_topology();
    if IdWidth::new(2, 2) != Ok(topology.format().width()) || vertex_bytes(graph) != 4 {
        return Err(Error::argument("the hand-written push", "it knows record IDs of (2,2) bytes alone"));
    }
    let context = &device.shared.context;
    let pages = device.shared.residents.pages(&device.shared, graph, topology, &PageShare::WHOLE)?;
    let page_bytes = u64::from(topology.format().page_size());
    // The hand-written kernels take addresses of pages.
    let ids = topology.small_pages().iter().chain(topology.large_pages());
    let references: Vec<u64> =
        ids.flat_map(|page| [pages.lists().base + u64::from(page.0) * page_bytes, page.0.into()]).collect();
    let references = Buffer::copy_of(context, bytemuck::cast_slice(&references), "the list of pages")?;
    let degrees = device.shared.residents.degrees(&device.shared, graph, Side::Out)?;
    let module = Module::load(context, &compile("push_handwritten", source, context.architecture())?)?;
    let contributions = module.function("contributions", &[8; 4])?;
    let small = module.function("push", &[8; 5])?;
    let large = module.function("push_large", &[8; 5])?;

    let vertices = graph.num_vertices();
    let ranks = vec![1f32; vertices as usize];
    let rank = Buffer::copy_of(context, bytemuck::cast_slice(&ranks), "ranks")?;
    let contribution = Buffer::zeroed(context, rank.bytes(), "contributions")?;
    let next = Buffer::zeroed(context, rank.bytes(), "sums")?;
    let stream = Stream::new(context)?;
    let marks = [Event::new(context)?, Event::new(context)?, Event::new(context)?];

    let chunks = (page_bytes / topology.format().width().bytes() as u64).div_ceil(CHUNK).max(1) as u32;
    let lists =
        [(&small, pages.table.num_small, 0), (&large, pages.table.num_large, PAGE_REF as u64 * pages.table.num_small)];
    let launch = |function: &Function, grid: (u32, u32), arguments: &[u64]| {
        let slots: Vec<&[u64]> = arguments.chunks(1).collect();
        // SAFETY: the vectors have an element for each vertex, the pages were validated, and all of it stays until the
        // stream was waited for.
        unsafe { function.launch(&stream, grid, &slots) }
    };
    let mut result = PeerPush { push: Vec::new(), whole: Vec::new(), next: vec![0.0; vertices as usize] };
    for _ in 0..repetitions {
        stream.clear(&next, 0, next.bytes())?;
        stream.record(&marks[0])?;
        let grid = (vertices.div_ceil(BLOCK).max(1) as u32, 1);
        launch(&contributions, grid, &[rank.address(), degrees.address(), contribution.address(), vertices])?;
        stream.record(&marks[1])?;
        for (function, count, skipped) in lists {
            for first in (0..count).step_by(65_535) {
                let list = references.address() + skipped + PAGE_REF as u64 * first;
                let grid = (chunks, (count - first).min(65_535) as u32);
                let arguments =
                    [list, page_bytes, pages.table.start_vids.address(), contribution.address(), next.address()];
                launch(function, grid, &arguments)?;
            }
        }
        stream.record(&marks[2])?;
        stream.synchronize("the hand-written push")?;
        result.push.push(marks[2].since(&marks[1])?);
        result.whole.push(marks[2].since(&marks[0])?);
    }
    next.download(0, bytemuck::cast_slice_mut(&mut result.next), "sums")?;
    Ok(result)
}
